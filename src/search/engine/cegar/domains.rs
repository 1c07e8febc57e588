//! Table of the domains of CEGAR, under the names of the papers.

use std::fmt;

use super::{Analysis, Cegar, initial};
use crate::arg::Graph;
use crate::domain::{Expl, Pair, PairPrec, Pred, PredKind};
use crate::engine::configurations::PREDICATE_ABSTRACTION;
use kernel::context::Ctx;

/// A row of [`DOMAINS`].
pub struct DomainInfo {
    /// Word of the option `domain`.
    pub key: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// Kinds of things that the domain tracks. Options for other kinds have no meaning with it.
    pub tracks: &'static [Tracked],
    /// Makes the state of a run in this domain.
    pub(super) begin: Begin,
}

/// Constructor of the state of a run before its first step.
type Begin = fn(&Cegar, &mut Ctx<'_>, Graph) -> Box<dyn Analysis>;

/// Kind of thing that a domain tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// Values of variables. The option `maxenum` and the refinement `UNSAT_CORE` apply to them.
    Values,
    /// Predicates. The option `pred-split` applies to them.
    Predicates,
}

/// All domains.
pub const DOMAINS: &[DomainInfo] = &[
    DomainInfo {
        key: "EXPL",
        title: "explicit values of variables",
        source: "Hajdu, Micskei, JAR 2020, §2.2.1 and §3.1.1",
        tracks: &[Tracked::Values],
        begin: |cegar, cx, graph| {
            let initial = initial::values(cx, &graph, cegar.options.init_prec);
            cegar.analysis(graph, cegar.values(), initial)
        },
    },
    predicates("PRED_BOOL", "Boolean combinations of predicates", |cegar, cx, graph| {
        cegar.predicate_analysis(cx, graph, PredKind::Bool)
    }),
    predicates("PRED_CART", "conjunctions of predicates", |cegar, cx, graph| cegar.predicate_analysis(cx, graph, PredKind::Cart)),
    predicates("PRED_SPLIT", "Boolean combinations of predicates, a state for each conjunction", |cegar, cx, graph| {
        cegar.predicate_analysis(cx, graph, PredKind::Split)
    }),
    product("EXPL_PRED_BOOL", "explicit values beside PRED_BOOL", |cegar, cx, graph| {
        cegar.product_analysis(cx, graph, PredKind::Bool)
    }),
    product("EXPL_PRED_CART", "explicit values beside PRED_CART", |cegar, cx, graph| {
        cegar.product_analysis(cx, graph, PredKind::Cart)
    }),
    product("EXPL_PRED_SPLIT", "explicit values beside PRED_SPLIT", |cegar, cx, graph| {
        cegar.product_analysis(cx, graph, PredKind::Split)
    }),
];

/// [`DOMAINS`] by their words: a word without a row cannot be declared.
pub(super) const BY_WORD: [(&str, &DomainInfo); DOMAINS.len()] = {
    let mut by_word = [("", &DOMAINS[0]); DOMAINS.len()];
    let mut i = 0;
    while i < DOMAINS.len() {
        by_word[i] = (DOMAINS[i].key, &DOMAINS[i]);
        i += 1;
    }
    by_word
};

const fn predicates(key: &'static str, title: &'static str, begin: Begin) -> DomainInfo {
    let source = "Hajdu, Micskei, JAR 2020, §2.2.1 and §3.1.3";
    DomainInfo { key, title, source, tracks: &[Tracked::Predicates], begin }
}

const fn product(key: &'static str, title: &'static str, begin: Begin) -> DomainInfo {
    let source = "Cousot, Cousot, Systematic design of program analysis frameworks, POPL 1979 (reduced product)";
    DomainInfo { key, title, source, tracks: &[Tracked::Values, Tracked::Predicates], begin }
}

impl DomainInfo {
    /// Returns whether the domain tracks things of this kind.
    pub fn tracks(&self, tracked: Tracked) -> bool {
        self.tracks.contains(&tracked)
    }
}

impl fmt::Debug for DomainInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)
    }
}

impl PartialEq for DomainInfo {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for DomainInfo {}

impl Cegar {
    fn values(&self) -> Expl {
        Expl::new(self.options.max_enum, self.solvers.clone())
    }
    fn predicates(&self, kind: PredKind) -> Pred {
        Pred::new(kind, self.options.pred_split, self.solvers.clone())
    }
    fn predicate_analysis(&self, cx: &mut Ctx<'_>, graph: Graph, kind: PredKind) -> Box<dyn Analysis> {
        let initial = initial::predicates(cx, &graph, self.options.init_prec);
        let predicates = (kind, self.options.pred_split);
        let domain = PREDICATE_ABSTRACTION.domain(&mut cx.pool, predicates, Some(self.options.formula), self.solvers.clone());
        self.analysis(graph, domain, initial)
    }
    fn product_analysis(&self, cx: &mut Ctx<'_>, graph: Graph, kind: PredKind) -> Box<dyn Analysis> {
        let first = initial::values(cx, &graph, self.options.init_prec);
        let second = initial::predicates(cx, &graph, self.options.init_prec);
        self.analysis(graph, Pair { first: self.values(), second: self.predicates(kind) }, PairPrec { first, second })
    }
}
