//! Options under the names of the papers, and the row of the engines' table.

use std::num::NonZeroU32;

use super::Cegar;
use super::domains::{BY_WORD, DOMAINS, DomainInfo, Tracked};
use crate::arg::{Blk, Search};
use crate::domain::{MaxEnum, Representation, Split};
use crate::engine::encoding::{BLK, ENCODING, LOOP_BOUND, checked};
use crate::engine::enumeration::{MAX_ENUM, max_enum};
use crate::engine::{EngineInfo, OptionInfo, Settings, Values, words};
use crate::refine::{Granularity, ItpSource, Prune, Refinement};
use kernel::cfa::pass::Encoding;

/// The configuration of one CEGAR run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CegarOptions {
    /// Abstract domain.
    pub domain: &'static DomainInfo,
    /// Limit on enumerated successors, for domains of values.
    pub max_enum: MaxEnum,
    /// Ends of blocks that the search composes; `None` where a step is an edge of the automaton.
    pub blk: Option<Blk>,
    /// The order of exploration.
    pub search: Search,
    /// Sharing of precision between locations.
    pub prec_granularity: Granularity,
    /// Part of the graph that is explored again after a refinement.
    pub prune: Prune,
    /// Precision at the start.
    pub init_prec: InitPrec,
    /// Refinement of infeasible paths.
    pub refinement: Refinement,
    /// With many counterexamples for each refinement: their number after which exploration stops; `None` for all.
    pub counterexamples: Option<NonZeroU32>,
    /// Source of interpolants.
    pub itp_source: ItpSource,
    /// Splitting of interpolants into predicates.
    pub pred_split: Split,
    /// Representation of abstraction formulas, for domains of predicates alone.
    pub formula: Representation,
}

impl Default for CegarOptions {
    fn default() -> Self {
        CegarOptions {
            domain: &DOMAINS[0],
            max_enum: MaxEnum::Auto,
            blk: None,
            search: Search::default(),
            prec_granularity: Granularity::default(),
            prune: Prune::default(),
            init_prec: InitPrec::default(),
            refinement: Refinement::default(),
            counterexamples: NonZeroU32::new(1_000),
            itp_source: ItpSource::default(),
            pred_split: Split::default(),
            formula: Representation::default(),
        }
    }
}

/// Precision at the start (`initprec`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InitPrec {
    /// The empty precision.
    #[default]
    Empty,
    /// The values of all variables, or the Bool variables as predicates.
    AllVars,
    /// The values of the variables of guards, or the atoms of guards as predicates.
    AllAssumes,
}

/// Orders of exploration; `None` for the order that the options `w-depth` and `w-error` give.
const ORDERS: [(&str, Option<Search>); 6] = [
    ("BFS", Some(Search::BFS)),
    ("DFS", Some(Search::DFS)),
    ("ERR", Some(Search::ERR)),
    ("ERR_DFS", Some(Search::ERR_DFS)),
    ("DFS_ERR", Some(Search::DFS_ERR)),
    ("WEIGHTS", None),
];

const INIT_PRECS: [(&str, InitPrec); 3] =
    [("EMPTY", InitPrec::Empty), ("ALLVARS", InitPrec::AllVars), ("ALLASSUMES", InitPrec::AllAssumes)];

/// The value of `counterexamples` where none is given.
const MANY_COUNTEREXAMPLES: &str = "1000";

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "cegar",
    title: "counterexample-guided abstraction refinement",
    source: "Hajdu, Micskei, Efficient Strategies for CEGAR-Based Model Checking, Journal of Automated Reasoning 2020",
    options: &[
        OptionInfo {
            name: "domain",
            values: Values::OneOf(&words(&BY_WORD)),
            default: "EXPL",
            help: "Abstract state: values of the tracked variables; a Boolean combination of predicates, whole or split into one \
                   state per conjunction; a conjunction of predicates; or values and predicates (§2.2.1, §3.1.3).",
        },
        MAX_ENUM,
        OptionInfo {
            name: "pred-split",
            values: Values::OneOf(&words(&Split::NAMED)),
            default: "ATOMS",
            help: "With predicates only: the part of an interpolant that becomes a predicate (§3.1.3).",
        },
        OptionInfo {
            name: "formula",
            values: Values::OneOf(&words(&Representation::NAMED)),
            default: "BDD",
            help: "With predicates only: abstraction formulas as decision diagrams, or as formulas whose coverage a solver decides \
                   (Beyer, Dangl, Wendler, JAR 2018, §3.1.1).",
        },
        OptionInfo {
            name: "search",
            values: Values::OneOf(&words(&ORDERS)),
            default: "BFS",
            help: "Explored first: nodes near the start, far from it, near the error location, or by weights of both (§3.1.2).",
        },
        OptionInfo {
            name: "w-depth",
            values: Values::Number { low: -1_000, high: 1_000, words: &[] },
            default: "0",
            help: "With the search WEIGHTS only: w_D, the weight of a node's depth; the least sum is explored first (§3.1.2).",
        },
        OptionInfo {
            name: "w-error",
            values: Values::Number { low: -1_000, high: 1_000, words: &[] },
            default: "0",
            help: "With the search WEIGHTS only: w_E, the weight of the distance to the error location (§3.1.2).",
        },
        ENCODING,
        BLK,
        LOOP_BOUND,
        OptionInfo {
            name: "prec-granularity",
            values: Values::OneOf(&words(&Granularity::NAMED)),
            default: "GLOBAL",
            help: "Scope of a precision: all locations, or one location each (§2.2.1).",
        },
        OptionInfo {
            name: "refinement",
            values: Values::OneOf(&words(&Refinement::NAMED)),
            default: "SEQ_ITP",
            help: "Source of a new precision: an interpolant at the longest feasible prefix or suffix of the infeasible path, a \
                   sequence of interpolants, sequences of many paths, or the variables of an unsat core (§2.2.2, §3.2).",
        },
        OptionInfo {
            name: "counterexamples",
            values: Values::Number { low: 1, high: 1_000_000, words: &["all"] },
            default: MANY_COUNTEREXAMPLES,
            help: "With the refinement MULTI_SEQ only: error states after which exploration stops (§3.2.2).",
        },
        OptionInfo {
            name: "interpolants",
            values: Values::OneOf(&words(&ItpSource::NAMED)),
            default: "WP",
            help: "Source of interpolants: weakest preconditions or strongest postconditions over an unsat core \
                   (Dietsch et al., ESEC/FSE 2017), or the solver cvc5.",
        },
        OptionInfo {
            name: "prune",
            values: Values::OneOf(&words(&Prune::NAMED)),
            default: "LAZY",
            help: "Explored again after a refinement: the refined part of the graph, or everything (§2.2.2).",
        },
        OptionInfo {
            name: "initprec",
            values: Values::OneOf(&words(&INIT_PRECS)),
            default: "EMPTY",
            help: "Initial precision: nothing, all variables (as predicates: Bool ones), or the variables or atoms of guards.",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| Ok(Box::new(Cegar::new(options(settings)?, solvers.clone()))),
};

/// Returns the options of these settings; the error is a sentence that names the option.
fn options(settings: &Settings<'_>) -> Result<CegarOptions, String> {
    let blk = checked(settings)?.blk;
    let domain = settings.choice("domain", &BY_WORD);
    if !domain.tracks(Tracked::Predicates) && settings.word("pred-split") != "ATOMS" {
        return Err("option `pred-split` has a meaning only with a domain of predicates".to_owned());
    }
    let formula = settings.choice("formula", &Representation::NAMED);
    if formula != Representation::default() && domain.tracks != [Tracked::Predicates] {
        return Err("option `formula` has a meaning only with a domain of predicates alone".to_owned());
    }
    let refinement = settings.choice("refinement", &Refinement::NAMED);
    let itp_source = settings.choice("interpolants", &ItpSource::NAMED);
    if !refinement.wants_all() && settings.word("counterexamples") != MANY_COUNTEREXAMPLES {
        return Err("option `counterexamples` has a meaning only with the refinement MULTI_SEQ".to_owned());
    }
    if refinement == Refinement::UnsatCore {
        if !domain.tracks(Tracked::Values) {
            return Err("option `refinement`: UNSAT_CORE finds variables to track, and this domain tracks predicates".to_owned());
        }
        if itp_source != ItpSource::default() {
            return Err("option `interpolants` has no meaning with the refinement UNSAT_CORE, which uses none".to_owned());
        }
    }
    Ok(CegarOptions {
        domain,
        max_enum: max_enum(settings, domain.tracks(Tracked::Values))?,
        blk,
        search: search(settings)?,
        prec_granularity: settings.choice("prec-granularity", &Granularity::NAMED),
        prune: settings.choice("prune", &Prune::NAMED),
        init_prec: settings.choice("initprec", &INIT_PRECS),
        refinement,
        counterexamples: settings.number("counterexamples").and_then(NonZeroU32::new),
        itp_source,
        pred_split: settings.choice("pred-split", &Split::NAMED),
        formula,
    })
}

fn search(settings: &Settings<'_>) -> Result<Search, String> {
    let weight = |name| settings.integer(name).unwrap_or_default();
    let Some(search) = settings.choice("search", &ORDERS) else {
        return Ok(Search { depth: weight("w-depth"), error: weight("w-error") });
    };
    match ["w-depth", "w-error"].into_iter().find(|option| weight(option) != 0) {
        Some(option) => Err(format!("option `{option}` has a meaning only with the search WEIGHTS")),
        None => Ok(search),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::engine::cegar::tests::named;

    fn check(given: &[(&str, &str)]) -> Result<CegarOptions, String> {
        let given: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        options(&Settings::new(&INFO, &given)?)
    }

    #[test]
    fn names_mean_what_the_papers_say() {
        let expl = |max_enum| CegarOptions { max_enum, ..CegarOptions::default() };
        let up_to = |k| MaxEnum::UpTo(NonZeroU32::new(k).unwrap());
        assert_eq!(check(&[]), Ok(expl(MaxEnum::Auto)));
        assert_eq!(check(&[("maxenum", "0")]), Ok(expl(MaxEnum::Unlimited)));
        assert_eq!(check(&[("maxenum", "1*")]), Ok(expl(MaxEnum::NoSolver)));
        assert_eq!(check(&[("maxenum", "5")]), Ok(expl(up_to(5))));
        let given = [
            ("domain", "PRED_BOOL"),
            ("search", "ERR"),
            ("prec-granularity", "LOCAL"),
            ("prune", "FULL"),
            ("initprec", "ALLVARS"),
            ("refinement", "MULTI_SEQ"),
            ("counterexamples", "7"),
            ("interpolants", "SP"),
            ("pred-split", "WHOLE"),
            ("formula", "SMT"),
        ];
        let expected = CegarOptions {
            domain: named("PRED_BOOL"),
            max_enum: MaxEnum::Auto,
            blk: None,
            search: Search::ERR,
            prec_granularity: Granularity::Local,
            prune: Prune::Full,
            init_prec: InitPrec::AllVars,
            refinement: Refinement::MultiSeq,
            counterexamples: NonZeroU32::new(7),
            itp_source: ItpSource::Sp,
            pred_split: Split::Whole,
            formula: Representation::Formula,
        };
        assert_eq!(check(&given), Ok(expected));
        let both = [("domain", "EXPL_PRED_CART"), ("maxenum", "10")];
        let expected = CegarOptions { domain: named("EXPL_PRED_CART"), ..expl(up_to(10)) };
        assert_eq!(check(&both), Ok(expected));
        let abe = |blk| CegarOptions { blk: Some(blk), ..expl(MaxEnum::Auto) };
        let three = NonZeroU32::new(3).unwrap();
        assert_eq!(check(&[("encoding", "ABE")]), Ok(abe(Blk::CutPoints)));
        assert_eq!(check(&[("encoding", "ABE"), ("blk", "lf")]), Ok(abe(Blk::CutPoints)));
        assert_eq!(check(&[("encoding", "ABE"), ("blk", "3")]), Ok(abe(Blk::Operations(three))));
        assert_eq!(check(&[("encoding", "ABE"), ("blk", "never"), ("loop-bound", "3")]), Ok(abe(Blk::Never(three))));
        let weights = [("search", "WEIGHTS"), ("w-depth", "-3"), ("w-error", "7")];
        assert_eq!(check(&weights).map(|options| options.search), Ok(Search { depth: -3, error: 7 }));
    }

    #[test]
    fn every_domain_refiner_and_search_of_the_tables_is_understood() {
        let all = |name| match INFO.options.iter().find(|option| option.name == name).unwrap().values {
            Values::OneOf(words) => words,
            Values::Number { .. } | Values::Text(_) => &[],
        };
        for option in ["domain", "refinement", "search", "interpolants", "pred-split"] {
            let made: Vec<String> = all(option)
                .iter()
                .map(|word| match option {
                    "pred-split" => format!("{:?}", check(&[("domain", "PRED_BOOL"), (option, word)]).unwrap()),
                    _ => format!("{:?}", check(&[(option, word)]).unwrap()),
                })
                .collect();
            let different: std::collections::BTreeSet<&String> = made.iter().collect();
            assert_eq!(different.len(), made.len(), "{option}: {made:?}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused_by_name() {
        for (given, option) in [
            (vec![("maxenum", "-1")], "`maxenum`"),
            (vec![("domain", "PRED")], "`domain`"),
            (vec![("serach", "BFS")], "`serach`"),
            (vec![("domain", "PRED_BOOL"), ("maxenum", "5")], "`maxenum`"),
            (vec![("pred-split", "WHOLE")], "`pred-split`"),
            (vec![("formula", "SMT")], "`formula`"),
            (vec![("domain", "EXPL_PRED_BOOL"), ("formula", "SMT")], "`formula`"),
            (vec![("w-depth", "1")], "`w-depth`"),
            (vec![("search", "BFS"), ("w-error", "1")], "`w-error`"),
            (vec![("domain", "PRED_CART"), ("refinement", "UNSAT_CORE")], "`refinement`"),
            (vec![("interpolants", "SP"), ("refinement", "UNSAT_CORE")], "`interpolants`"),
            (vec![("counterexamples", "7")], "`counterexamples`"),
            (vec![("blk", "7")], "`blk`"),
            (vec![("encoding", "SBE"), ("blk", "lf")], "`blk`"),
            (vec![("encoding", "ABE"), ("blk", "0")], "`blk`"),
            (vec![("encoding", "ABE"), ("blk", "never")], "`blk`"),
            (vec![("encoding", "ABE"), ("loop-bound", "3")], "`loop-bound`"),
        ] {
            let error = check(&given).unwrap_err();
            assert!(error.contains(option), "{error}");
        }
    }
}
