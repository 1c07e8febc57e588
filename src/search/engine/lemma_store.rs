//! Lemmas from certified proofs of a program, for the next questions about the same program.
//!
//! An invariant found for one requirement is about the whole program. Its conjuncts over the program's own variables (not the
//! monitor's) are guesses for the next requirement, and most of them are right. **Invariant:** no guess is taken over without a
//! check. Guesses that are not inductive on the new question's automaton are dropped before the engines begin; the others stand
//! in the engines' proofs, which are certified as always.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::houdini;
use kernel::cfa::pass::{Reduced, monolithic};
use kernel::context::exchange::Board;
use kernel::context::{Ctx, MakeSolver, Progress, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, Import, VarId};
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// Facts about the start of a cycle, over the variables of one model.
#[derive(Debug)]
pub struct LemmaStore {
    facts: Mutex<Facts>,
}

#[derive(Debug)]
struct Facts {
    /// The model's pool, grown.
    pool: ExprPool,
    /// Facts are over so many of its first variables.
    n_vars: usize,
    /// In the order in which they were learned.
    facts: Vec<ExprId>,
}

/// Most facts kept; more would cost more than they help.
const MOST_FACTS: usize = 300;
/// Most nodes of a fact; larger ones are seldom about more than the question they were found for.
const MOST_NODES: usize = 200;
/// Name of their source on the board.
const BY: &str = "earlier requirements";

impl LemmaStore {
    /// Returns an empty store about the first `n_vars` variables of `pool`: those that all models of the program have.
    pub fn new(pool: &ExprPool, n_vars: usize) -> LemmaStore {
        LemmaStore { facts: Mutex::new(Facts { pool: pool.clone(), n_vars, facts: Vec::new() }) }
    }

    /// Returns whether there are no lemmas.
    pub fn is_empty(&self) -> bool {
        self.facts.lock().map_or(true, |known| known.facts.is_empty())
    }

    /// Adds the conjuncts of a certified proof's invariant that contain variables of the model only.
    pub fn learn(&self, proof: &Proof) {
        let Ok(mut facts) = self.facts.lock() else { return };
        let Facts { pool, n_vars, facts } = &mut *facts;
        let mut import = Import::default();
        for e in proof.argument.invariants().flat_map(|(_, e)| proof.pool.conjuncts(*e)) {
            if MOST_FACTS <= facts.len() {
                break;
            }
            // Its size first: finding the variables of a large conjunct takes long.
            if MOST_NODES <= proof.pool.size(&[e], MOST_NODES)
                || proof.pool.vars_of(&[e]).last().is_some_and(|var| *n_vars <= var.0 as usize)
            {
                continue;
            }
            let fact = import.apply(&proof.pool, pool, e);
            if !matches!(pool.expr(fact), Expr::Const(_)) && !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }

    /// Returns the facts over these variables, as expressions of `into`.
    fn about(&self, vars: &[VarId], into: &mut ExprPool) -> Vec<ExprId> {
        let Ok(known) = self.facts.lock() else { return Vec::new() };
        let mut import = Import::default();
        let fits = |fact: &&ExprId| known.pool.vars_of(&[**fact]).iter().all(|var| vars.binary_search(var).is_ok());
        known.facts.iter().filter(fits).map(|fact| import.apply(&known.pool, into, *fact)).collect()
    }

    /// Publishes the facts that are inductive in this automaton.
    ///
    /// Cost:           that of the last rounds of a search for invariants; most guesses are right, so there are few rounds.
    /// Stops:     `interrupt`; nothing is published then.
    /// Soundness: as for facts of an engine.
    pub fn tell(&self, board: &Board, reduced: &Reduced, solvers: &MakeSolver, interrupt: &Interrupt) -> Result<(), Stop> {
        let nobody = |_: Progress| {};
        let mut pool = reduced.pool.clone();
        let system = monolithic(&mut pool, &reduced.cfa);
        // With loops inside the cycle, a step is no cycle.
        let ([(head, _)], None) = (system.cuts.as_slice(), system.pc) else { return Ok(()) };
        let head = *head;
        let facts = self.about(&system.vars, &mut pool);
        if facts.is_empty() {
            return Ok(());
        }
        let mut cx = Ctx::new(pool, interrupt.clone(), &nobody);
        let facts = houdini::inductive(&mut cx, &system, solvers, facts)?;
        board.publish(&cx.pool, BY, &BTreeMap::from([(head, facts)]));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cfa::pass::{Encoding, reduce};
    use kernel::context::default_solvers;
    use kernel::context::exchange::Cursor;
    use kernel::expr::{BvCmp, Sort, Value};
    use kernel::verdict::Argument;
    use testgen::automata::examples::saturating;

    #[test]
    fn what_is_told_is_inductive_here_and_speaks_of_the_program() {
        let example = saturating(10, 20);
        let mut pool = example.pool.clone();
        let known = LemmaStore::new(&pool, pool.n_vars());
        let monitor = pool.new_var("#after", Sort::Bool);
        let c = pool.var(example.cfa.vars[0]);
        let [zero, one, ten] = [0, 1, 10].map(|n| pool.constant(Value::int(16, n)));
        // Wrong at the start; right only there; about the monitor; always right.
        let (later, at_first) = (pool.bv_cmp(BvCmp::Sle, one, c), pool.eq(c, zero));
        let (of_monitor, below) = (pool.var(monitor), pool.bv_cmp(BvCmp::Sle, c, ten));
        let all = pool.and_all([later, at_first, of_monitor, below]);
        known.learn(&Proof { pool: pool.clone(), argument: Argument::Inductive(BTreeMap::from([(example.cfa.head, all)])) });

        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let board = Board::new(&example.pool);
        let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
        known.tell(&board, &reduced, &solvers, &Interrupt::default()).unwrap();
        let told = board.news(&mut pool, &mut Cursor::default());
        assert_eq!(told.iter().map(|fact| (fact.at, fact.e)).collect::<Vec<_>>(), [(example.cfa.head, below)]);
    }
}
