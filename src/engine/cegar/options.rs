//! What can be chosen, under the names of the papers, and the row of the engines' table.

use std::num::NonZeroU32;

use super::Cegar;
use crate::arg::Search;
use crate::domain::MaxEnum;
use crate::engine::{EngineInfo, OptionInfo, Settings, Values};
use crate::refine::{Granularity, Prune};

/// The configuration of one CEGAR run. The encoding (SBE or LBE) is a property of the CFA that the engine is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CegarOptions {
    /// What an abstract state is.
    pub domain: DomainChoice,
    /// The order of exploration.
    pub search: Search,
    /// Whether locations share what is tracked.
    pub prec_granularity: Granularity,
    /// What is explored again after a refinement.
    pub prune: Prune,
    /// What is tracked from the start.
    pub init_prec: InitPrec,
}

/// `domain`, with what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainChoice {
    /// Explicit values.
    Expl {
        /// Limit on enumerated successors.
        max_enum: MaxEnum,
    },
    /// Boolean predicate abstraction.
    PredBool,
}

impl Default for DomainChoice {
    fn default() -> Self {
        DomainChoice::Expl { max_enum: MaxEnum::Unlimited }
    }
}

/// `initprec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InitPrec {
    /// Nothing.
    #[default]
    Empty,
    /// All variables: their values, or as predicates those that are Bool.
    AllVars,
    /// What guards speak about: their variables, or their atoms.
    AllAssumes,
}

/// How to build one.
pub const INFO: EngineInfo = EngineInfo {
    name: "cegar",
    title: "counterexample-guided abstraction refinement",
    source: "Hajdu, Micskei, Efficient Strategies for CEGAR-Based Model Checking, Journal of Automated Reasoning 2020",
    options: &[
        OptionInfo {
            name: "domain",
            values: Values::OneOf(&["EXPL", "PRED_BOOL"]),
            default: "EXPL",
            help: "What an abstract state is: values of the tracked variables, or a Boolean combination of predicates (§2.2.1).",
        },
        OptionInfo {
            name: "maxenum",
            values: Values::Number { low: 0, high: 1_000_000, word: Some("1*") },
            default: "0",
            help: "EXPL only: successors enumerated before unknown values stay unknown; 0 is no limit, 1* no solver (§3.1.1).",
        },
        OptionInfo {
            name: "search",
            values: Values::OneOf(&["BFS", "DFS", "ERR"]),
            default: "BFS",
            help: "Explored first: what is near the start, far from it, or near the error location (§3.1.2).",
        },
        OptionInfo {
            name: "encoding",
            values: Values::OneOf(&["LBE", "SBE"]),
            default: "LBE",
            help: "One step is a whole loop-free piece of the program, or a single operation (Beyer et al., FMCAD 2009).",
        },
        OptionInfo {
            name: "prec-granularity",
            values: Values::OneOf(&["GLOBAL", "LOCAL"]),
            default: "GLOBAL",
            help: "Whether what is tracked is the same at every location or each location's own (§2.2.1).",
        },
        OptionInfo {
            name: "prune",
            values: Values::OneOf(&["LAZY", "FULL"]),
            default: "LAZY",
            help: "Explored again after a refinement: the refined part of the graph, or everything (§2.2.2).",
        },
        OptionInfo {
            name: "initprec",
            values: Values::OneOf(&["EMPTY", "ALLVARS", "ALLASSUMES"]),
            default: "EMPTY",
            help: "Tracked from the start: nothing, all variables (as predicates: the Bool ones), or what guards speak about.",
        },
    ],
    build: |settings, solvers| Ok(Box::new(Cegar::new(options(settings)?, solvers.clone()))),
};

/// The options that the settings mean; the error is a sentence that names the option.
fn options(settings: &Settings<'_>) -> Result<CegarOptions, String> {
    let domain = match settings.word("domain") {
        "PRED_BOOL" if settings.word("maxenum") != "0" => {
            return Err("option `maxenum` has a meaning only with the domain EXPL".to_owned());
        }
        "PRED_BOOL" => DomainChoice::PredBool,
        _ => DomainChoice::Expl {
            max_enum: match settings.number("maxenum") {
                None => MaxEnum::NoSolver,
                Some(k) => NonZeroU32::new(k).map_or(MaxEnum::Unlimited, MaxEnum::UpTo),
            },
        },
    };
    Ok(CegarOptions {
        domain,
        search: match settings.word("search") {
            "DFS" => Search::Dfs,
            "ERR" => Search::Err,
            _ => Search::Bfs,
        },
        prec_granularity: if settings.word("prec-granularity") == "LOCAL" { Granularity::Local } else { Granularity::Global },
        prune: if settings.word("prune") == "FULL" { Prune::Full } else { Prune::Lazy },
        init_prec: match settings.word("initprec") {
            "ALLVARS" => InitPrec::AllVars,
            "ALLASSUMES" => InitPrec::AllAssumes,
            _ => InitPrec::Empty,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(given: &[(&str, &str)]) -> Result<CegarOptions, String> {
        let given: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        options(&Settings::new(&INFO, &given)?)
    }

    #[test]
    fn names_mean_what_the_papers_say() {
        let expl = |max_enum| CegarOptions { domain: DomainChoice::Expl { max_enum }, ..CegarOptions::default() };
        assert_eq!(check(&[]), Ok(expl(MaxEnum::Unlimited)));
        assert_eq!(check(&[("maxenum", "1*")]), Ok(expl(MaxEnum::NoSolver)));
        assert_eq!(check(&[("maxenum", "5")]), Ok(expl(MaxEnum::UpTo(NonZeroU32::new(5).unwrap()))));
        let given = [
            ("domain", "PRED_BOOL"),
            ("search", "ERR"),
            ("prec-granularity", "LOCAL"),
            ("prune", "FULL"),
            ("initprec", "ALLVARS"),
        ];
        let expected = CegarOptions {
            domain: DomainChoice::PredBool,
            search: Search::Err,
            prec_granularity: Granularity::Local,
            prune: Prune::Full,
            init_prec: InitPrec::AllVars,
        };
        assert_eq!(check(&given), Ok(expected));
    }

    #[test]
    fn what_has_no_meaning_is_refused_by_name() {
        for (given, option) in [
            (vec![("maxenum", "-1")], "`maxenum`"),
            (vec![("domain", "PRED")], "`domain`"),
            (vec![("serach", "BFS")], "`serach`"),
            (vec![("domain", "PRED_BOOL"), ("maxenum", "5")], "`maxenum`"),
        ] {
            let error = check(&given).unwrap_err();
            assert!(error.contains(option), "{error}");
        }
    }
}
