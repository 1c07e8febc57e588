//! Every configuration against automata of known answer and against explicit search.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::{Cegar, CegarOptions, DomainChoice, InitPrec};
use crate::arg::Search;
use crate::domain::{MaxEnum, PredKind, Split};
use crate::engine::Engine;
use crate::refine::{Granularity, ItpSource, Prune, Refinement};
use kernel::cfa::Cfa;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprPool;
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::Verdict;

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

fn domains() -> Vec<DomainChoice> {
    let expl = |max_enum| DomainChoice::Expl { max_enum };
    let both = |max_enum, kind| DomainChoice::ExplPred { max_enum, kind };
    vec![
        expl(MaxEnum::Unlimited),
        expl(MaxEnum::NoSolver),
        expl(up_to(1)),
        expl(up_to(5)),
        DomainChoice::Pred(PredKind::Bool),
        DomainChoice::Pred(PredKind::Cart),
        DomainChoice::Pred(PredKind::Split),
        both(MaxEnum::Unlimited, PredKind::Bool),
        both(MaxEnum::NoSolver, PredKind::Bool),
        both(up_to(5), PredKind::Cart),
        both(up_to(1), PredKind::Split),
    ]
}

/// Returns whether every finite program must be decided.
fn decides(options: &CegarOptions) -> bool {
    let sequences = matches!(options.refinement, Refinement::SeqItp | Refinement::MultiSeq);
    match options.domain {
        DomainChoice::Expl { max_enum: MaxEnum::Unlimited } => true,
        DomainChoice::Expl { max_enum: MaxEnum::NoSolver | MaxEnum::UpTo(_) } => false,
        // A Boolean combination of the tracked predicates loses nothing of what a sequence says.
        DomainChoice::Pred(PredKind::Bool | PredKind::Split) => sequences,
        DomainChoice::ExplPred { kind: PredKind::Bool | PredKind::Split, .. } => sequences,
        DomainChoice::Pred(PredKind::Cart) | DomainChoice::ExplPred { kind: PredKind::Cart, .. } => false,
    }
}

/// Returns every domain with every refiner that fits it, twice, with everything else varied beside; with whether it must decide.
fn configurations() -> BTreeMap<String, (CegarOptions, bool)> {
    const SEARCHES: [Search; 6] =
        [Search::BFS, Search::DFS, Search::ERR, Search::ERR_DFS, Search::DFS_ERR, Search { depth: -1, error: 3 }];
    let mut all = BTreeMap::new();
    for (i, domain) in domains().into_iter().enumerate() {
        for (j, (_, refinement)) in Refinement::NAMED.into_iter().enumerate() {
            for k in [0, 1] {
                if refinement == Refinement::UnsatCore && matches!(domain, DomainChoice::Pred(_)) {
                    continue;
                }
                let n = 5 * i + 3 * j + k;
                let options = CegarOptions {
                    domain,
                    search: SEARCHES[n % SEARCHES.len()],
                    prec_granularity: [Granularity::Global, Granularity::Local][(i + k) % 2],
                    prune: [Prune::Lazy, Prune::Full][(j + n / 2 + k) % 2],
                    init_prec: [InitPrec::Empty, InitPrec::Empty, InitPrec::AllVars, InitPrec::AllAssumes][n % 4],
                    refinement,
                    itp_source: [ItpSource::Wp, ItpSource::Sp][(i + j + k) % 2],
                    pred_split: [Split::Atoms, Split::Conjuncts, Split::Whole][(i + j + 2 * k) % 3],
                };
                all.insert(format!("{options:?}"), (options, decides(&options)));
            }
        }
    }
    all
}
