//! The table of configurations: what distinguishes four approaches that analyse programs with predicates and a solver.
//!
//! An engine takes its operators from its row, so the rows say what runs. Where an engine does the same in another way, the row says
//! how.
//!
//! Source: papers/unifying-smt-verification (Beyer, Dangl, Wendler), §4.5, Table 1.

use std::fmt;

use crate::domain::{PredKind, Predicates, Representation, Split, WithoutPredicates};
use kernel::context::MakeSolver;
use kernel::expr::ExprPool;

/// A row of [`CONFIGURATIONS`].
#[derive(Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Approach.
    pub approach: &'static str,
    /// Engine that runs it.
    pub engine: &'static str,
    /// Value of the engine's option `blk`, or the equivalent.
    pub blk: &'static str,
    /// Merge of states.
    pub merge: Merge,
    /// Forced covering (§3.3).
    pub forced_covering: ForcedCovering,
    /// Refinement after an infeasible path (§3.2.4).
    pub refinement: Strengthening,
    /// Abstraction formulas (§3.1.1); `None` without abstraction.
    pub formula: Option<Representation>,
    /// Bound of loops (§4.1).
    pub loop_bound: LoopBound,
    /// Difference between the engine and the row, if there is one, with its reason; one sentence.
    pub note: &'static str,
}

/// Merge of states that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Intermediate states of one block.
    WithinBlocks,
}

/// `fcover`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedCovering {
    /// Never.
    Off,
    /// A state is strengthened with an older one that holds after every execution of the path from their nearest common ancestor.
    On,
}

/// Way in which interpolants strengthen an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strengthening {
    /// There are none.
    Nothing,
    /// They become predicates of the precision, and states are computed again.
    Predicates,
    /// They are added to the states of the path. The precision stays empty.
    Labels,
}

/// Bound of the rounds of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopBound {
    /// None.
    Off,
    /// Nothing is claimed beyond it.
    Rounds,
    /// It grows until the step case holds.
    Growing,
}

/// Bounded model checking.
pub const BMC: Configuration = Configuration {
    approach: "bounded model checking",
    engine: "bmc",
    blk: "never",
    merge: Merge::WithinBlocks,
    forced_covering: ForcedCovering::Off,
    refinement: Strengthening::Nothing,
    formula: None,
    loop_bound: LoopBound::Rounds,
    note: "The engine adds cycles to one solver; `cegar` and `impact` with `encoding=ABE`, `blk=never` and `loop-bound` compose them.",
};
/// k-induction.
pub const K_INDUCTION: Configuration = Configuration {
    approach: "k-induction",
    engine: "k-induction",
    loop_bound: LoopBound::Growing,
    note: "The engine adds cycles to two solvers, one for the base case and one for the step case.",
    ..BMC
};
/// Lazy predicate abstraction.
pub const PREDICATE_ABSTRACTION: Configuration = Configuration {
    approach: "predicate abstraction",
    engine: "cegar",
    blk: "l",
    merge: Merge::WithinBlocks,
    forced_covering: ForcedCovering::Off,
    refinement: Strengthening::Predicates,
    formula: Some(Representation::Bdd),
    loop_bound: LoopBound::Off,
    note: "With a domain PRED_…; the default of the engine is explicit values.",
};
/// Lazy abstraction with interpolants.
pub const IMPACT: Configuration = Configuration {
    approach: "Impact",
    engine: "impact",
    forced_covering: ForcedCovering::On,
    refinement: Strengthening::Labels,
    formula: Some(Representation::Formula),
    note: "",
    ..PREDICATE_ABSTRACTION
};

/// All rows, in the order of the paper.
pub const CONFIGURATIONS: &[Configuration] = &[BMC, K_INDUCTION, PREDICATE_ABSTRACTION, IMPACT];

impl Configuration {
    /// Returns the row of an engine, if it has one.
    pub fn of(engine: &str) -> Option<&'static Configuration> {
        CONFIGURATIONS.iter().find(|row| row.engine == engine)
    }
    /// Returns the columns with their values, for users.
    pub fn columns(&self) -> [(&'static str, &'static str); 6] {
        [
            ("blk", self.blk),
            (
                "merge",
                match self.merge {
                    Merge::WithinBlocks => "within blocks",
                },
            ),
            (
                "forced covering",
                match self.forced_covering {
                    ForcedCovering::Off => "off",
                    ForcedCovering::On => "on",
                },
            ),
            (
                "refinement",
                match self.refinement {
                    Strengthening::Nothing => "none",
                    Strengthening::Predicates => "predicates",
                    Strengthening::Labels => "states of the path",
                },
            ),
            (
                "abstraction formula",
                match self.formula {
                    None => "none",
                    Some(formula) => formula.word(),
                },
            ),
            (
                "loop bound",
                match self.loop_bound {
                    LoopBound::Off => "none",
                    LoopBound::Rounds => "k",
                    LoopBound::Growing => "k, growing",
                },
            ),
        ]
    }
    /// Returns the predicate analysis of this row, with another representation of formulas if one is given.
    pub(super) fn domain(
        &self,
        pool: &mut ExprPool,
        predicates: (PredKind, Split),
        formula: Option<Representation>,
        solvers: MakeSolver,
    ) -> Predicates {
        let without = match self.refinement {
            Strengthening::Labels => WithoutPredicates::Nothing,
            Strengthening::Nothing | Strengthening::Predicates => WithoutPredicates::Feasibility,
        };
        let formula = formula.or(self.formula).unwrap_or_default();
        Predicates::new(pool, predicates, formula, without, solvers)
    }
}

/// One line: the approach, and its columns with their values.
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<String> = self.columns().iter().map(|(name, value)| format!("{name} {value}")).collect();
        write!(f, "as {}: {}", self.approach, columns.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ENGINES;

    #[test]
    fn the_defaults_of_an_engine_are_those_of_its_row() {
        for row in CONFIGURATIONS {
            let info = ENGINES.iter().find(|info| info.name == row.engine).unwrap();
            let default = |name| info.options.iter().find(|option| option.name == name).map(|option| option.default);
            let has_blocks = default("blk").is_some();
            assert!(default("blk").is_none_or(|blk| blk == row.blk), "{}", row.approach);
            assert_eq!(has_blocks, row.formula.is_some(), "{}", row.approach);
            assert_eq!(default("k").is_some(), row.loop_bound != LoopBound::Off, "{}", row.approach);
            let forces = default("fcover").is_some_and(|word| word == "on");
            assert_eq!(forces, row.forced_covering == ForcedCovering::On, "{}", row.approach);
            if let (Some(word), Some(formula)) = (default("formula"), row.formula) {
                assert_eq!(word, formula.word(), "{}", row.approach);
            }
        }
    }
}
