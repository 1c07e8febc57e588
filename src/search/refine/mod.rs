//! Refinement: decides whether an abstract counterexample is real; if not, finds a precision that excludes it.
//!
//! Four parts that combine freely: the trace checker ([`TraceChecker`]), the strategy that says which interpolants of
//! which paths are wanted ([`Refinement`]) with their source ([`ItpSource`]), the map from a refutation to a precision
//! ([`RefutationToPrec`](crate::domain::RefutationToPrec), a part of each domain), and the pruning of the graph ([`Prune`]).

mod binary;
mod core;
mod eliminate;
mod interpolate;
mod loc_prec;
mod path;
mod points;
mod post;
mod reduce;
mod refiner;
mod synthesis;
mod verify;

pub use self::core::{Core, CorePart};
pub use interpolate::ItpSource;
pub use loc_prec::{Granularity, LocPrec};
pub use path::{Feasibility, Path, TraceChecker};
pub use refiner::{Explained, Prune, Refined, Refinement, Refiner};
