//! What certifies an answer, in a form that outlives the run: text and names instead of ids of a pool.
//!
//! A changed program gives the same names to what did not change, so yesterday's evidence can be tried on today's program.
//! **Invariant:** it is never believed. [`Kept::check`] certifies it like the evidence of an engine, on the program of
//! today; whatever was changed, in the program or in the evidence, costs at most the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use plc_frontend::hir;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::certify::script::{Script, Text};
use crate::certify::{Certified, Evidence};
use crate::replay::{Case, CycleInputs};
use kernel::cfa::{Cfa, LocId, LocKind};
use kernel::expr::read::Reader;
use kernel::expr::{ExprId, ExprPool, Sort};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};

/// What certified an answer: it can be checked again without the engine that found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kept {
    /// No run reaches a violation.
    Proof(KeptProof),
    /// A run that reaches one.
    Run(KeptRun),
}

/// An inductive invariant, or the argument of a k-induction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptProof {
    /// SMT-LIB 2: `define-fun`s without parameters over the variables by their canonical names (`|Main.Timer.ET|`).
    pub definitions: String,
    /// A term of sort Bool per place: `cycle`, the start of each cycle; `loop 1` …, the heads of loops inside the cycle.
    pub invariants: BTreeMap<String, String>,
    /// Absent: the invariants are inductive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k_induction: Option<KeptInduction>,
}

/// How the invariant at the start of each cycle proves the requirement by k-induction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptInduction {
    /// Number of cycles.
    pub k: u32,
    /// The invariant is k-inductive itself; else it is inductive on its own.
    pub invariant_by_k: bool,
    /// Only paths without two states of the same future count.
    pub simple_paths: bool,
}

/// What the program is given, cycle by cycle; the violation is in the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptRun {
    /// The cycles.
    pub cycles: Vec<KeptCycle>,
}

/// One cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeptCycle {
    /// Nanoseconds since the cycle before.
    pub dt_ns: i64,
    /// By canonical name: `TRUE`, `-42`, `REAL#3fc00000` and `LREAL#…` by their bits. A missing input keeps its value.
    pub inputs: BTreeMap<String, String>,
}

/// The question of today: the unreduced automaton, and what replays a violation.
pub struct Today<'a> {
    /// The automaton's pool.
    pub pool: &'a ExprPool,
    /// The unreduced automaton.
    pub cfa: &'a Cfa,
    /// The program with the claim.
    pub case: &'a Case<'a>,
    /// Milliseconds that may pass between cycles.
    pub dt_ms: RangeInclusive<u32>,
}

/// Evidence larger than this is not kept.
const MOST_BYTES: usize = 4 << 20;
/// A k-induction over more cycles is not ours.
const MOST_STEPS: u32 = 1_000;
/// A run of more cycles is not kept.
const MOST_CYCLES: usize = 100_000;

impl Kept {
    /// The evidence about `cfa`; `None` where it is too large, or speaks of what has no name of its own.
    pub fn of(certified: &Certified, cfa: &Cfa) -> Option<Kept> {
        match certified.evidence() {
            Evidence::Holds { proof, .. } => KeptProof::of(proof, cfa).map(Kept::Proof),
            Evidence::Violated { cycles, .. } if cycles.len() <= MOST_CYCLES => {
                let cycle = |c: &CycleInputs| KeptCycle {
                    dt_ns: c.dt_ns,
                    inputs: c.inputs.iter().map(|(name, value)| (name.clone(), write(*value))).collect(),
                };
                Some(Kept::Run(KeptRun { cycles: cycles.iter().map(cycle).collect() }))
            }
            Evidence::Violated { .. } => None,
        }
    }

    /// Certifies the evidence for the question of today; `None` if it is none.
    ///
    /// Cost:      reading is linear; then one certification, or one interpreted run.
    /// Soundness: as for the evidence of an engine; nothing of the evidence is taken for granted.
    pub fn check(&self, today: &Today<'_>, interrupt: &Interrupt) -> Option<Certified> {
        match self {
            Kept::Proof(kept) => {
                let proof = kept.proof(today.pool, today.cfa)?;
                Certified::proof(today.pool, today.cfa, proof, interrupt).ok()
            }
            Kept::Run(kept) => Certified::violation(today.case, kept.cycles(&today.dt_ms)?).ok(),
        }
    }
}

impl KeptProof {
    fn of(proof: &Proof, cfa: &Cfa) -> Option<KeptProof> {
        let pool = &proof.pool;
        let (at, k_induction) = match &proof.argument {
            Argument::Inductive(invariants) => (invariants.clone(), None),
            Argument::KInductive { k, invariant, support, paths } => {
                let kept =
                    KeptInduction { k: *k, invariant_by_k: *support == Support::Steps, simple_paths: *paths == Paths::Simple };
                (BTreeMap::from([(cfa.head, *invariant)]), Some(kept))
            }
        };
        let vars: BTreeSet<_> = at.values().flat_map(|e| pool.vars_of(&[*e])).collect();
        let mut names = BTreeMap::new();
        for var in vars {
            let name = &pool.var_decl(var).name;
            if name.contains(['|', '\\']) {
                return None;
            }
            names.insert(var, Text::from(format!("|{name}|")));
        }
        let mut script = Script::default();
        let mut invariants = BTreeMap::new();
        for (loc, e) in &at {
            let place = places(cfa).find(|(known, _)| known == loc).map(|(_, place)| place)?;
            invariants.insert(place, script.expr(pool, *e, |var| names.get(&var).cloned()).ok()?.to_string());
        }
        let definitions = script.finish().0;
        (definitions.len() <= MOST_BYTES).then_some(KeptProof { definitions, invariants, k_induction })
    }

    /// As a proof about `cfa`; not believed.
    fn proof(&self, pool: &ExprPool, cfa: &Cfa) -> Option<Proof> {
        if MOST_BYTES < self.definitions.len() {
            return None;
        }
        let mut pool = pool.clone();
        let mut reader = Reader::new(&mut pool, cfa.vars.iter().copied());
        reader.definitions(&self.definitions).ok()?;
        let known: BTreeMap<String, LocId> = places(cfa).map(|(loc, place)| (place, loc)).collect();
        let mut invariants: BTreeMap<LocId, ExprId> = BTreeMap::new();
        for (place, term) in &self.invariants {
            invariants.insert(*known.get(place)?, reader.term(term).ok()?);
        }
        if invariants.values().any(|e| pool.sort(*e) != Sort::Bool) {
            return None;
        }
        let argument = match self.k_induction {
            None => Argument::Inductive(invariants),
            Some(KeptInduction { k, .. }) if MOST_STEPS < k => return None,
            Some(KeptInduction { k, invariant_by_k, simple_paths }) => Argument::KInductive {
                k,
                invariant: invariants.get(&cfa.head).copied()?,
                support: if invariant_by_k { Support::Steps } else { Support::Alone },
                paths: if simple_paths { Paths::Simple } else { Paths::Any },
            },
        };
        Some(Proof { pool, argument })
    }
}

impl KeptRun {
    /// What the program is given; `None` where a time step is none of those that may be.
    fn cycles(&self, dt_ms: &RangeInclusive<u32>) -> Option<Vec<CycleInputs>> {
        if MOST_CYCLES < self.cycles.len() {
            return None;
        }
        let cycle = |kept: &KeptCycle| {
            let ms = u32::try_from(kept.dt_ns / 1_000_000).ok()?;
            if kept.dt_ns % 1_000_000 != 0 || !dt_ms.contains(&ms) {
                return None;
            }
            let inputs = kept.inputs.iter().map(|(name, text)| Some((name.clone(), read(text)?)));
            Some(CycleInputs { inputs: inputs.collect::<Option<_>>()?, dt_ns: kept.dt_ns })
        };
        self.cycles.iter().map(cycle).collect()
    }
}

/// The places for invariants, with names that do not depend on how many other locations there are.
fn places(cfa: &Cfa) -> impl Iterator<Item = (LocId, String)> {
    let loops = cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead);
    let loops = loops.enumerate().map(|(i, (id, _))| (id, format!("loop {}", i + 1)));
    std::iter::once((cfa.head, "cycle".to_owned())).chain(loops)
}

fn write(value: hir::Value) -> String {
    match value {
        hir::Value::Bool(true) => "TRUE".into(),
        hir::Value::Bool(false) => "FALSE".into(),
        hir::Value::Int(v) => v.to_string(),
        hir::Value::Real(bits) => format!("REAL#{bits:08x}"),
        hir::Value::LReal(bits) => format!("LREAL#{bits:016x}"),
    }
}

fn read(text: &str) -> Option<hir::Value> {
    match text {
        "TRUE" => return Some(hir::Value::Bool(true)),
        "FALSE" => return Some(hir::Value::Bool(false)),
        _ => {}
    }
    // There is one NaN.
    if let Some(bits) = text.strip_prefix("REAL#") {
        let v = f32::from_bits(u32::from_str_radix(bits, 16).ok()?);
        return Some(hir::Value::real(if v.is_nan() { f32::NAN } else { v }));
    }
    if let Some(bits) = text.strip_prefix("LREAL#") {
        let v = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
        return Some(hir::Value::lreal(if v.is_nan() { f64::NAN } else { v }));
    }
    text.parse().ok().map(hir::Value::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let values = [
            hir::Value::Bool(true),
            hir::Value::Bool(false),
            hir::Value::Int(-42),
            hir::Value::Int(i128::MAX),
            hir::Value::real(-0.0),
            hir::Value::real(f32::NAN),
            hir::Value::lreal(0.1),
        ];
        for value in values {
            assert_eq!(read(&write(value)), Some(value));
        }
        for text in ["", "true", "1.5", "REAL#", "REAL#1ffffffff", "LREAL#x", "99999999999999999999999999999999999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_run_keeps_to_the_cycle_times_of_today() {
        let run = |dt_ns| KeptRun { cycles: vec![KeptCycle { dt_ns, inputs: BTreeMap::new() }] };
        assert!(run(100_000_000).cycles(&(100..=100)).is_some());
        assert!(run(100_000_000).cycles(&(10..=200)).is_some());
        for dt_ns in [99_000_000, 101_000_000, 100_500_000, -100_000_000, i64::MAX, i64::MIN, 0] {
            assert!(run(dt_ns).cycles(&(100..=100)).is_none(), "{dt_ns}");
        }
    }
}
