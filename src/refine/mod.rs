//! Refinement: is an abstract counterexample real, and if not, what must be tracked to exclude it.
//!
//! Three parts that combine freely: the trace checker ([`TraceChecker`], with interpolants from its unsat core),
//! the map from a refutation to a precision ([`RefutationToPrec`], the only part that knows the domain), and the
//! pruning of the graph ([`Prune`]).

mod core;
mod eliminate;
mod interpolate;
mod path;
mod points;
mod precision;
mod reduce;
mod refiner;
mod skeleton;
mod verify;

pub use self::core::{Core, CorePart};
pub use interpolate::Refutation;
pub use path::{Feasibility, Path, TraceChecker};
pub use precision::RefutationToPrec;
pub(crate) use precision::atoms;
pub use refiner::{Granularity, LocPrec, Prune, Refined, Refiner};
