//! Every configuration against automata of known answer and against explicit search.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use super::{Cegar, CegarOptions, DomainChoice, InitPrec};
use crate::arg::Search;
use crate::cfa::Cfa;
use crate::domain::MaxEnum;
use crate::engine::{Ctx, Engine, MakeSolver, Stop};
use crate::expr::ExprPool;
use crate::refine::{Granularity, Prune};
use crate::smt::{BitBlaster, Interrupt, Solver};
use crate::verdict::Verdict;

mod execute;
mod random;
mod table;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

fn run(options: CegarOptions, pool: &ExprPool, cfa: &Cfa) -> Result<Verdict, Stop> {
    let mut cx = Ctx { pool: pool.clone(), interrupt: Interrupt::default(), events: &|_| {} };
    Cegar::new(options, solvers()).run(&mut cx, cfa)
}

fn up_to(k: u32) -> MaxEnum {
    MaxEnum::UpTo(NonZeroU32::new(k).unwrap())
}

/// Domains and whether they decide every finite program.
fn domains() -> [(DomainChoice, bool); 5] {
    [
        (DomainChoice::Expl { max_enum: MaxEnum::Unlimited }, true),
        (DomainChoice::PredBool, true),
        (DomainChoice::Expl { max_enum: MaxEnum::NoSolver }, false),
        (DomainChoice::Expl { max_enum: up_to(1) }, false),
        (DomainChoice::Expl { max_enum: up_to(5) }, false),
    ]
}

/// Every combination, with whether it must decide.
fn configurations() -> BTreeMap<String, (CegarOptions, bool)> {
    let mut all = BTreeMap::new();
    for (domain, decides) in domains() {
        for search in [Search::Bfs, Search::Dfs, Search::Err] {
            for prec_granularity in [Granularity::Global, Granularity::Local] {
                for prune in [Prune::Lazy, Prune::Full] {
                    let options = CegarOptions { domain, search, prec_granularity, prune, init_prec: InitPrec::Empty };
                    all.insert(format!("{options:?}"), (options, decides));
                }
            }
        }
    }
    all
}
