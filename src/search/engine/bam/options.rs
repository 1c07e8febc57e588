//! Options of block-abstraction memoization, and its row of the engines' table.

use super::Bam;
use super::regions::Blocks;
use crate::domain::{MaxEnum, PredKind, Split};
use crate::engine::enumeration::{MAX_ENUM, max_enum};
use crate::engine::{EngineInfo, OptionInfo, Settings, Values, words};
use kernel::cfa::pass::Encoding;

/// Configuration of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BamOptions {
    /// Abstract domain.
    pub domain: BamDomain,
    /// Regions that are blocks.
    pub blocks: Blocks,
    /// Limit on enumerated successors, for domains of values.
    pub max_enum: MaxEnum,
    /// Splitting of interpolants into predicates.
    pub pred_split: Split,
    /// TRUE: results of blocks and steps are used again.
    pub cache: bool,
    /// TRUE: only what a block may need goes into it.
    pub reduce: bool,
    /// Interpolants of calls that are not recursive.
    pub itp: Itp,
}

/// `itp`: interpolants of paths through calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Itp {
    /// A sequence for the path, or for each piece of it.
    Sequence,
    /// A tree: each completed call has a summary.
    Tree,
}

const ITPS: [(&str, Itp); 2] = [("sequence", Itp::Sequence), ("tree", Itp::Tree)];

/// Abstract domain, as the engine `cegar` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BamDomain {
    /// Values of variables.
    Values,
    /// Predicates.
    Predicates(PredKind),
    /// Values beside predicates.
    Both(PredKind),
}

const DOMAINS: [(&str, BamDomain); 7] = [
    ("PRED_BOOL", BamDomain::Predicates(PredKind::Bool)),
    ("EXPL", BamDomain::Values),
    ("PRED_CART", BamDomain::Predicates(PredKind::Cart)),
    ("PRED_SPLIT", BamDomain::Predicates(PredKind::Split)),
    ("EXPL_PRED_BOOL", BamDomain::Both(PredKind::Bool)),
    ("EXPL_PRED_CART", BamDomain::Both(PredKind::Cart)),
    ("EXPL_PRED_SPLIT", BamDomain::Both(PredKind::Split)),
];

const CACHES: [(&str, bool); 2] = [("exact", true), ("off", false)];

const REDUCTIONS: [(&str, bool); 2] = [("on", true), ("identity", false)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "bam",
    title: "block-abstraction memoization",
    source: "Friedberger, Block-Abstraction Memoization with Recursive Procedures, University of Passau 2015; Wonisch, Wehrheim, \
             Predicate Analysis with Block-Abstraction Memoization, ICFEM 2012",
    options: &[
        OptionInfo {
            name: "domain",
            values: Values::OneOf(&words(&DOMAINS)),
            default: "PRED_BOOL",
            help: "Abstract state, as with the engine `cegar`: values, predicates, or both (§4.4, §4.5).",
        },
        OptionInfo {
            name: "blocks",
            values: Values::OneOf(&words(&Blocks::NAMED)),
            default: "both",
            help: "Parts of the program that are blocks: calls, loops that are not unrolled, or both (§2.4.1, §3.2).",
        },
        MAX_ENUM,
        OptionInfo {
            name: "pred-split",
            values: Values::OneOf(&words(&Split::NAMED)),
            default: "ATOMS",
            help: "With predicates only: the part of an interpolant that becomes a predicate.",
        },
        OptionInfo {
            name: "cache",
            values: Values::OneOf(&words(&CACHES)),
            default: "exact",
            help: "Results of blocks that are used again: those of the same state and precision, or none (§2.4.4).",
        },
        OptionInfo {
            name: "reduce",
            values: Values::OneOf(&words(&REDUCTIONS)),
            default: "on",
            help: "What goes into a block: the part of the state that it may need, or the whole state (§2.4.5).",
        },
        OptionInfo {
            name: "itp",
            values: Values::OneOf(&words(&ITPS)),
            default: "sequence",
            help: "Interpolants of calls that are not recursive: those of the flat path, or of the tree of its calls, with summaries \
                   over values at entry (§2.6.3, §4.5.4).",
        },
    ],
    absent: &[],
    encoding: Encoding::LbeWithCalls,
    build: |settings, solvers| Ok(Box::new(Bam::new(options(settings)?, solvers.clone()))),
};

/// Returns the options of these settings; the error is a sentence that names the option.
pub(super) fn options(settings: &Settings<'_>) -> Result<BamOptions, String> {
    let domain = settings.choice("domain", &DOMAINS);
    if domain == BamDomain::Values && settings.word("pred-split") != "ATOMS" {
        return Err("option `pred-split` has a meaning only with a domain of predicates".to_owned());
    }
    let itp = settings.choice("itp", &ITPS);
    for (option, default) in [("cache", "exact"), ("reduce", "on"), ("blocks", "both")] {
        if itp == Itp::Tree && settings.word(option) != default {
            return Err(format!("option `{option}` has a meaning only with `itp=sequence`"));
        }
    }
    Ok(BamOptions {
        domain,
        blocks: settings.choice("blocks", &Blocks::NAMED),
        max_enum: max_enum(settings, !matches!(domain, BamDomain::Predicates(_)))?,
        pred_split: settings.choice("pred-split", &Split::NAMED),
        cache: settings.choice("cache", &CACHES),
        reduce: settings.choice("reduce", &REDUCTIONS),
        itp,
    })
}
