//! Refinement: is an abstract counterexample real, and if not, what must be tracked to exclude it.
//!
//! Four parts that combine freely: the trace checker ([`TraceChecker`]), the strategy that says which interpolants of
//! which paths are wanted ([`Refinement`]) with their source ([`ItpSource`]), the map from a refutation to a precision
//! ([`RefutationToPrec`], the only part that knows the domain), and the pruning of the graph ([`Prune`]).

mod binary;
mod core;
mod eliminate;
mod interpolate;
mod loc_prec;
mod path;
mod points;
mod post;
mod precision;
mod reduce;
mod refiner;
mod skeleton;
mod synthesis;
mod verify;

pub use self::core::{Core, CorePart};
pub use interpolate::{ItpSource, Refutation};
pub use loc_prec::{Granularity, LocPrec};
pub use path::{Feasibility, Path, TraceChecker};
pub use precision::RefutationToPrec;
pub(crate) use precision::atoms;
pub use refiner::{Explained, Prune, Refined, Refinement, Refiner};
