//! Refinement: decides whether an abstract counterexample is real; if not, finds a precision that excludes it.
//!
//! Four parts combine freely. [`TraceChecker`] checks paths. [`Refinement`] is the strategy for interpolants, with their source
//! [`ItpSource`]. [`RefutationToPrec`](crate::domain::RefutationToPrec) is each domain's map from a refutation to a precision.
//! [`Prune`] is the pruning of the graph.

mod binary;
mod core;
mod eliminate;
mod equalities;
mod interpolate;
mod loc_prec;
mod path;
mod piece;
mod points;
mod post;
mod reduce;
mod refiner;
mod synthesis;
mod tree;
mod verify;

pub use self::core::{Core, CorePart};
pub use interpolate::ItpSource;
pub use loc_prec::{Granularity, LocPrec};
pub use path::{Feasibility, Path, TraceChecker};
pub(crate) use piece::{PathIndex, Span};
pub use refiner::{Explained, Nested, Prune, Refined, Refinement, Refiner};
pub use tree::{NestedCall, TreeItps};
