//! The resolved, typed, flat-data program: the seam between the front end and the verifier.
//!
//! Every name is an id, every expression has a type, every implicit conversion is explicit. Languages meet here; a reader
//! of the HIR needs no syntax.

pub(crate) mod aliases;
pub(crate) mod at_call;
mod build;
mod diagram;
mod environment;
mod erase;
mod expr;
mod leaf_names;
mod leaves;
mod outputs;
mod place;
mod pou;
pub(crate) mod printer;
mod project;
mod shadowed;
mod stmt;
mod text;
mod types;
mod value;
mod view;
pub mod walk;

pub use at_call::{call_path, is_at_call, leaf_at_call, name_at_call};
pub use diagram::{Carrier, Diagram, DrawnElement, DrawnRow, DrawnWire, Shape};
pub use environment::{Kind, Reason, Setting, Start};
pub use expr::{BinOp, Builtin, CallArgs, Conversion, Expr, ExprKind, UnOp};
pub(crate) use leaf_names::LeafNames;
pub use leaves::{Leaf, LeafElem, Role};
pub(crate) use leaves::{index_text, indices};
pub use place::{Elem, Place, Root};
pub use pou::{Address, AddressArea, AddressSize, GlobalId, Init, Pou, PouId, PouKind, Retain, Section, Var, VarId};
pub use printer::{expr_in_pou_to_st, expr_to_st, type_to_st, value_to_st};
pub use project::{
    AnomalyKind, Extent, FaultKind, FaultSite, InstanceId, Interface, MAX_ACTIVATIONS, ProgramInstance, Project, SlowTask,
    StartUp, Stub, StubHeir, Target, Task,
};
pub use stmt::{AssertId, Assumed, CaseArm, FITTING_REAL, LabelId, LoopBounds, SURVIVED, Stmt, StmtKind, ZERO_DIVISOR};
pub use text::{Shown, Text};
pub use types::{DateKind, DateType, Field, IntType, Parts, RealType, Type, TypeDef, TypeId, n_elements, part_type};
pub use value::Value;
pub use view::{LocalView, Part, Scalar, View, bits_of};
pub use walk::{Access, Visit, VisitMut};
