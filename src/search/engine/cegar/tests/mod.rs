//! Every configuration against automata of known answer and against explicit search.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::{Cegar, CegarOptions, DOMAINS, DomainInfo, InitPrec, Tracked};
use crate::arg::Search;
use crate::domain::{MaxEnum, Representation, Split};
use crate::engine::Engine;
use crate::refine::{Granularity, ItpSource, Prune, Refinement};
use kernel::cfa::Cfa;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprPool;
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::Verdict;

mod encodings;
mod figures;
mod locks;
pub(crate) mod random;
mod samples;
mod table;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

fn run(options: CegarOptions, pool: &ExprPool, cfa: &Cfa) -> Result<Verdict, Stop> {
    let mut cx = Ctx::new(pool.clone(), Interrupt::default(), &|_| {});
    Cegar::new(options, solvers()).run(&mut cx, cfa)
}

fn up_to(k: u32) -> MaxEnum {
    MaxEnum::UpTo(NonZeroU32::new(k).unwrap())
}

/// Returns the row of a domain.
pub(super) fn named(key: &str) -> &'static DomainInfo {
    DOMAINS.iter().find(|domain| domain.key == key).unwrap()
}

fn domains() -> Vec<(&'static DomainInfo, MaxEnum)> {
    let domains = [
        ("EXPL", MaxEnum::Unlimited),
        ("EXPL", MaxEnum::Auto),
        ("EXPL", MaxEnum::NoSolver),
        ("EXPL", up_to(1)),
        ("EXPL", up_to(5)),
        ("PRED_BOOL", MaxEnum::Auto),
        ("PRED_CART", MaxEnum::Auto),
        ("PRED_SPLIT", MaxEnum::Auto),
        ("EXPL_PRED_BOOL", MaxEnum::Auto),
        ("EXPL_PRED_BOOL", MaxEnum::NoSolver),
        ("EXPL_PRED_CART", up_to(5)),
        ("EXPL_PRED_SPLIT", up_to(1)),
    ];
    domains.map(|(key, max_enum)| (named(key), max_enum)).into()
}

/// Returns whether every finite program must be decided.
fn decides(options: &CegarOptions) -> bool {
    match options.domain.key {
        "EXPL" => options.max_enum == MaxEnum::Unlimited,
        // A Boolean combination of the tracked predicates loses nothing of a sequence.
        "PRED_BOOL" | "PRED_SPLIT" | "EXPL_PRED_BOOL" | "EXPL_PRED_SPLIT" => {
            matches!(options.refinement, Refinement::SeqItp | Refinement::MultiSeq)
        }
        _ => false,
    }
}

/// Returns every domain with every refiner that fits it, twice, with other options varied; TRUE if it must decide.
fn configurations() -> BTreeMap<String, (CegarOptions, bool)> {
    const SEARCHES: [Search; 6] =
        [Search::BFS, Search::DFS, Search::ERR, Search::ERR_DFS, Search::DFS_ERR, Search { depth: -1, error: 3 }];
    let mut all = BTreeMap::new();
    for (i, (domain, max_enum)) in domains().into_iter().enumerate() {
        let representations = [Representation::Bdd, Representation::Formula];
        for (j, (_, refinement)) in Refinement::NAMED.into_iter().enumerate() {
            for k in [0, 1] {
                if refinement == Refinement::UnsatCore && !domain.tracks(Tracked::Values) {
                    continue;
                }
                let n = 5 * i + 3 * j + k;
                let options = CegarOptions {
                    domain,
                    max_enum,
                    blk: None,
                    search: SEARCHES[n % SEARCHES.len()],
                    prec_granularity: [Granularity::Global, Granularity::Local][(i + k) % 2],
                    prune: [Prune::Lazy, Prune::Full][(j + n / 2 + k) % 2],
                    init_prec: [InitPrec::Empty, InitPrec::Empty, InitPrec::AllVars, InitPrec::AllAssumes][n % 4],
                    refinement,
                    counterexamples: [None, NonZeroU32::new(2)][k],
                    itp_source: [ItpSource::Wp, ItpSource::Sp][(i + j + k) % 2],
                    pred_split: [Split::Atoms, Split::Conjuncts, Split::Whole][(i + j + 2 * k) % 3],
                    formula: if domain.tracks == [Tracked::Predicates] { representations[k] } else { Representation::Bdd },
                };
                all.insert(format!("{options:?}"), (options, decides(&options)));
            }
        }
    }
    all
}
