//! Checks a proof of safety on the unreduced CFA with a fresh cvc5 and an encoding of its own.
//!
//! Trusts nothing that an engine did: the obligations are written as SMT-LIB 2 text from the CFA's edges
//! ([`super::region`]) and decided by cvc5 through its parser. Only `unsat` passes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::k_inductive::{Given, k_inductive};
use super::region::{Arrival, Regions};
use super::smtlib::{ForeignVariable, Names, Script, variables};
use kernel::cfa::{Cfa, LocId, LocKind};
use kernel::expr::{ExprId, ExprPool};
use kernel::smt::{Interrupt, Mode, Sat, SolverError, Unknown, decide_script};
use kernel::verdict::{Argument, Proof};

/// A solver question whose answer must be `unsat`, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// `initiation`, `consecution`, `safety`, `base`, `step`.
    pub name: &'static str,
    /// What it says.
    pub text: String,
    /// SMT-LIB 2; unsatisfiable if the obligation holds.
    pub script: String,
    /// Milliseconds its check took.
    pub duration_ms: u64,
}

/// Why a proof was not certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// An obligation does not hold: the proof is wrong.
    Refuted(Obligation),
    /// An obligation (its name) was not decided.
    Undecided(&'static str, Unknown),
    /// It is not a proof about this CFA; the sentence says why.
    Malformed(String),
    /// cvc5 failed.
    Solver(SolverError),
}

impl From<ForeignVariable> for Rejected {
    fn from(ForeignVariable(name): ForeignVariable) -> Rejected {
        Rejected::Malformed(format!("`{name}` is not a variable of the model"))
    }
}

impl From<SolverError> for Rejected {
    fn from(e: SolverError) -> Rejected {
        Rejected::Solver(e)
    }
}

/// Checks `proof` for `cfa`, whose expressions live in `pool`.
///
/// Cost:      two obligations per cut point for an invariant; four for k-induction, the longest linear in k.
/// Stops:     [`Rejected`]; an undecided obligation is not a proof.
/// Soundness: if it returns obligations, no run of `cfa` reaches its error location (as far as cvc5 is right).
pub fn check_proof(pool: &ExprPool, cfa: &Cfa, proof: &Proof, interrupt: &Interrupt) -> Result<Vec<Obligation>, Rejected> {
    let drafts = match &proof.argument {
        Argument::Inductive(invariants) => inductive(pool, cfa, &proof.pool, invariants)?,
        Argument::KInductive { k, invariant, support, paths } => {
            let given = Given { pool: &proof.pool, invariant: *invariant, support: *support, paths: *paths };
            k_inductive(pool, cfa, *k, given, interrupt)?
        }
    };
    drafts.into_iter().map(|draft| draft.decide(interrupt)).collect()
}

pub(super) struct Draft {
    name: &'static str,
    text: String,
    pub(super) script: Script,
}

impl Draft {
    pub(super) fn new(name: &'static str, text: String) -> Draft {
        let mut script = Script::default();
        script.comment(&format!("{name}: {text}\nunsatisfiable if the obligation holds"));
        Draft { name, text, script }
    }

    fn decide(self, interrupt: &Interrupt) -> Result<Obligation, Rejected> {
        let start = Instant::now();
        let (script, bits_only) = self.script.finish();
        let modes: &[Mode] = if bits_only { &[Mode::Lazy, Mode::Eager] } else { &[Mode::Lazy] };
        let answer = decide_script(&script, modes, interrupt)?;
        let duration_ms = start.elapsed().as_millis() as u64;
        let obligation = Obligation { name: self.name, text: self.text, script, duration_ms };
        match answer {
            Sat::Unsat => Ok(obligation),
            Sat::Sat => Err(Rejected::Refuted(obligation)),
            Sat::Unknown(why) => Err(Rejected::Undecided(self.name, why)),
        }
    }
}

fn inductive(
    pool: &ExprPool,
    cfa: &Cfa,
    proof_pool: &ExprPool,
    invariants: &BTreeMap<LocId, ExprId>,
) -> Result<Vec<Draft>, Rejected> {
    for (loc, invariant) in invariants {
        if cfa.locs.get(*loc).is_none() || *loc == cfa.init || *loc == cfa.error {
            return Err(Rejected::Malformed(format!("{loc} is no place for an invariant")));
        }
        speaks_of_the_model(cfa, proof_pool, *invariant)?;
    }
    let mut cuts: BTreeSet<LocId> = invariants.keys().copied().chain([cfa.head]).collect();
    let regions = match Regions::new(pool, cfa, cuts.clone()) {
        Ok(regions) => regions,
        Err(_) => {
            cuts.extend(cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead).map(|(id, _)| id));
            Regions::new(pool, cfa, cuts.clone())?
        }
    };
    let broken = |script: &mut Script, ends: &BTreeMap<LocId, Arrival>| -> Result<Vec<String>, Rejected> {
        let mut broken = Vec::new();
        for (loc, invariant) in invariants {
            if let Some(end) = ends.get(loc) {
                let holds = script.expr(proof_pool, *invariant, &end.names)?;
                broken.push(format!("(and {} (not {holds}))", end.reached));
            }
        }
        Ok(broken)
    };
    let mut drafts = Vec::new();
    for start in std::iter::once(cfa.init).chain(cuts) {
        let from_init = start == cfa.init;
        let (name, place) =
            if from_init { ("initiation", "the start".to_owned()) } else { ("consecution", describe(cfa, start)) };
        let begin = |script: &mut Script| -> Result<Names, Rejected> {
            if from_init {
                return Ok(regions.initial_state(script));
            }
            let names = regions.any_state(script);
            if let Some(invariant) = invariants.get(&start) {
                let holds = script.expr(proof_pool, *invariant, &names)?;
                script.assert(&holds);
            }
            Ok(names)
        };
        let mut keeps = Draft::new(name, format!("every path from {place} leads to states that satisfy the invariant"));
        let names = begin(&mut keeps.script)?;
        let ends = regions.walk(&mut keeps.script, start, names)?;
        let broken = broken(&mut keeps.script, &ends)?;
        keeps.script.assert(&format!("(or false {})", broken.join(" ")));
        drafts.push(keeps);
        let mut safe = Draft::new("safety", format!("no path from {place} leads to a violation"));
        let names = begin(&mut safe.script)?;
        let ends = regions.walk(&mut safe.script, start, names)?;
        safe.script.assert(ends.get(&cfa.error).map_or("false", |end| &end.reached));
        drafts.push(safe);
    }
    Ok(drafts)
}

fn describe(cfa: &Cfa, loc: LocId) -> String {
    if loc == cfa.head { "the start of a cycle".to_owned() } else { format!("the head of the loop at {loc}") }
}

pub(super) fn speaks_of_the_model(cfa: &Cfa, pool: &ExprPool, invariant: ExprId) -> Result<(), Rejected> {
    match variables(pool, invariant).into_iter().find(|var| cfa.vars.binary_search(var).is_err()) {
        Some(var) => Err(ForeignVariable(pool.var_decl(var).name.clone()).into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{BvCmp, Sort, Value};
    use kernel::verdict::{Paths, Support};
    use testgen::automata::examples::{Example, by_name, saturating, wrapping};

    fn invariant(example: &Example, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
        let mut pool = example.pool.clone();
        let vars: Vec<ExprId> = example.cfa.vars.iter().map(|v| pool.var(*v)).collect();
        let invariant = make(&mut pool, &vars);
        Proof { pool, argument: Argument::Inductive(BTreeMap::from([(example.cfa.head, invariant)])) }
    }

    fn k_induction(example: &Example, k: u32, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
        let Proof { pool, argument } = invariant(example, make);
        let Argument::Inductive(map) = argument else { unreachable!() };
        Proof {
            pool,
            argument: Argument::KInductive { k, invariant: map[&example.cfa.head], support: Support::Alone, paths: Paths::Any },
        }
    }

    /// The names of the obligations, or of the one that fails.
    fn check(example: &Example, proof: &Proof) -> Result<Vec<&'static str>, &'static str> {
        match check_proof(&example.pool, &example.cfa, proof, &Interrupt::default()) {
            Ok(obligations) => Ok(obligations.iter().map(|o| o.name).collect()),
            Err(Rejected::Refuted(obligation)) => Err(obligation.name),
            Err(Rejected::Malformed(_)) => Err("malformed"),
            Err(other) => unreachable!("{other:?}"),
        }
    }

    fn less(p: &mut ExprPool, x: ExprId, value: i128) -> ExprId {
        let c = p.constant(Value::int(16, value));
        p.bv_cmp(BvCmp::Slt, x, c)
    }

    const INDUCTIVE: Result<[&str; 4], &str> = Ok(["initiation", "safety", "consecution", "safety"]);
    const K_INDUCTIVE: Result<[&str; 4], &str> = Ok(["initiation", "consecution", "base", "step"]);

    #[test]
    fn only_true_invariants_pass() {
        let row = |example: &Example,
                   expected: Result<[&'static str; 4], &'static str>,
                   make: &dyn Fn(&mut ExprPool, &[ExprId]) -> ExprId| {
            assert_eq!(check(example, &invariant(example, make)), expected.map(|o| o.to_vec()), "{}", example.name);
        };
        let safe = saturating(5, 6);
        row(&safe, INDUCTIVE, &|p, x| less(p, x[0], 6));
        row(&safe, Err("safety"), &|p, _| p.bool(true));
        row(&safe, Err("safety"), &|p, x| less(p, x[0], 100));
        row(&safe, Err("consecution"), &|p, x| less(p, x[0], 5));
        row(&safe, Err("initiation"), &|p, x| less(p, x[0], 0));
        row(&safe, Err("initiation"), &|p, _| p.bool(false));
        row(&safe, Err("malformed"), &|p, _| {
            let y = p.new_var("y", Sort::Bool);
            p.var(y)
        });
        row(&saturating(5, 5), Err("safety"), &|p, x| less(p, x[0], 6));
        row(&saturating(5, 5), Err("safety"), &|p, x| less(p, x[0], 5));
        row(&wrapping(4, 7), INDUCTIVE, &|p, x| less(p, x[0], 5));
        row(&wrapping(4, 7), Err("safety"), &|p, x| less(p, x[0], 7));
        row(&by_name("interlock", true), INDUCTIVE, &|p, _| p.bool(true));
        row(&by_name("interlock", false), Err("safety"), &|p, _| p.bool(true));
        row(&by_name("never ends", true), INDUCTIVE, &|p, _| p.bool(true));
        row(&by_name("at once", false), Err("safety"), &|p, _| p.bool(true));
        // Both unguarded edges count.
        row(&by_name("choice", false), Err("consecution"), &|p, x| {
            let one = p.constant(Value::int(8, 1));
            p.ne(x[0], one)
        });
        row(&by_name("choice", false), Err("consecution"), &|p, x| {
            let three = p.constant(Value::int(8, 3));
            p.ne(x[0], three)
        });
    }

    #[test]
    fn only_true_k_passes() {
        let row = |example: &Example, k: u32, bound: i128, expected: Result<[&'static str; 4], &'static str>| {
            let proof = k_induction(example, k, |p, x| if bound == i128::MAX { p.bool(true) } else { less(p, x[0], bound) });
            assert_eq!(check(example, &proof), expected.map(|o| o.to_vec()), "{} k={k}", example.name);
        };
        let any = i128::MAX;
        row(&wrapping(4, 7), 0, any, Err("malformed"));
        row(&wrapping(4, 7), 1, any, Err("step"));
        row(&wrapping(4, 7), 2, any, K_INDUCTIVE);
        row(&wrapping(4, 7), 1, 5, K_INDUCTIVE);
        row(&wrapping(4, 7), 1, 4, Err("consecution"));
        row(&wrapping(4, 7), 1, 0, Err("initiation"));
        row(&wrapping(4, 3), 2, any, Err("step"));
        row(&wrapping(4, 3), 3, any, Err("base"));
        row(&wrapping(4, 3), 40, any, Err("base"));
        let never = by_name("never ends", true);
        assert!(check(&never, &k_induction(&never, 3, |p, _| p.bool(true))).is_ok());
    }

    #[test]
    fn k_induction_shows_that_no_run_comes_to_a_loop() {
        let dead = by_name("dead loop", true);
        let with = |k: u32, paths: Paths, is_known: bool| {
            let Proof { pool, argument } = k_induction(&dead, k, |p, x| if is_known { p.not(x[0]) } else { p.bool(true) });
            let Argument::KInductive { invariant, support, .. } = argument else { unreachable!() };
            check(&dead, &Proof { pool, argument: Argument::KInductive { k, invariant, support, paths } })
        };
        for paths in [Paths::Any, Paths::Simple] {
            assert_eq!(with(2, paths, true), K_INDUCTIVE.map(|o| o.to_vec()));
            // Two cycles without the loop say that there is none in the next.
            assert_eq!(with(2, paths, false), K_INDUCTIVE.map(|o| o.to_vec()));
            assert_eq!(with(1, paths, true), Err("step"));
        }
    }

    #[test]
    fn k_inductive_invariants_need_their_k() {
        // c goes round 0 … 4; 6 is reached from 5 only and 5 is never reached. "Not 6" needs two cycles, "not 7" follows.
        let example = wrapping(4, 7);
        let row = |k: u32, support: Support, expected: Result<Vec<&'static str>, &'static str>| {
            let Proof { pool, argument } = k_induction(&example, k, |p, x| {
                let six = p.constant(Value::int(16, 6));
                p.ne(x[0], six)
            });
            let Argument::KInductive { invariant, paths, .. } = argument else { unreachable!() };
            let proof = Proof { pool, argument: Argument::KInductive { k, invariant, support, paths } };
            assert_eq!(check(&example, &proof), expected, "{k} {support:?}");
        };
        row(1, Support::Alone, Err("consecution"));
        row(2, Support::Alone, Err("consecution"));
        row(1, Support::Steps, Err("step"));
        row(2, Support::Steps, Ok(vec!["base", "step"]));
        // Which states are the same is a matter of the error alone: the invariant may tell them apart.
        let Proof { pool, argument } = k_induction(&example, 2, |p, x| {
            let six = p.constant(Value::int(16, 6));
            p.ne(x[0], six)
        });
        let Argument::KInductive { k, invariant, .. } = argument else { unreachable!() };
        let argument = Argument::KInductive { k, invariant, support: Support::Steps, paths: Paths::Simple };
        let refused = check_proof(&example.pool, &example.cfa, &Proof { pool, argument }, &Interrupt::default());
        assert!(matches!(refused, Err(Rejected::Malformed(_))), "{refused:?}");
        // What does not hold at the start is no invariant, whatever follows from it.
        let wrong = |k: u32, make: &dyn Fn(&mut ExprPool, &[ExprId]) -> ExprId| {
            let Proof { pool, argument } = k_induction(&example, k, make);
            let Argument::KInductive { invariant, paths, .. } = argument else { unreachable!() };
            let argument = Argument::KInductive { k, invariant, support: Support::Steps, paths };
            check(&example, &Proof { pool, argument })
        };
        assert_eq!(wrong(1, &|p, _| p.bool(false)), Err("base"));
        assert_eq!(wrong(3, &|p, _| p.bool(false)), Err("base"));
        // The third state of a run is 2.
        let not_two = |p: &mut ExprPool, x: &[ExprId]| {
            let two = p.constant(Value::int(16, 2));
            p.ne(x[0], two)
        };
        assert_eq!(wrong(3, &not_two), Err("base"));
        assert_eq!(wrong(2, &not_two), Err("step"));
        assert_eq!(wrong(1, &|p, x| less(p, x[0], 5)), Ok(vec!["base", "step"]));
        assert_eq!(wrong(3, &|p, x| less(p, x[0], 5)), Ok(vec!["base", "step"]));
    }

    #[test]
    fn loop_inside_a_cycle_needs_its_own_invariant() {
        let example = by_name("inner loop", true);
        assert_eq!(check(&example, &invariant(&example, |p, _| p.bool(true))), Err("safety"));
        // Every cycle has this loop, and k-induction speaks of whole cycles.
        assert_eq!(check(&example, &k_induction(&example, 2, |p, _| p.bool(true))), Err("base"));
        let loop_head = example.cfa.locs.iter_enumerated().find(|(_, l)| l.kind == LocKind::LoopHead).unwrap().0;
        let with = |bound: i128| {
            let mut pool = example.pool.clone();
            let (i, four) = (pool.var(example.cfa.vars[0]), pool.constant(Value::int(8, bound)));
            let invariant = pool.bv_cmp(BvCmp::Slt, i, four);
            check(&example, &Proof { pool, argument: Argument::Inductive(BTreeMap::from([(loop_head, invariant)])) })
        };
        assert_eq!(with(4).map(|o| o.len()), Ok(6));
        assert_eq!(with(3), Err("consecution"));
        assert_eq!(with(5), Err("safety"));
    }

    #[test]
    fn obligation_is_undecided_when_time_is_over() {
        let example = saturating(5, 6);
        let proof = invariant(&example, |p, x| less(p, x[0], 6));
        let over = Interrupt { deadline: Some(Instant::now()), ..Interrupt::default() };
        let result = check_proof(&example.pool, &example.cfa, &proof, &over);
        assert_eq!(result, Err(Rejected::Undecided("initiation", Unknown::Interrupted)));
    }
}
