//! Initial values in types: of a declared type, and of the fields of a structure.

use crate::ast;
use crate::hir::{Init, PouId, Type, TypeId};
use crate::resolve::findings::{Bad, Res};
use crate::resolve::names::tables::Typed;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::families::{Family, family};
use crate::text::{Gap, Span};

/// Construct of an initial value that calls a function of the user.
pub(crate) const CALLED: &str = "initial value that calls a function";

/// Initial value of a scalar that calls a function: it is computed before the first cycle.
#[derive(Clone, Debug)]
pub(crate) struct CalledValue {
    /// The value as written.
    pub(crate) value: ast::Expr,
    /// POU whose names it sees.
    pub(crate) owner: Option<PouId>,
    /// Type of the variable.
    pub(crate) ty: TypeId,
    /// Its variable, or its type and field.
    pub(crate) name: String,
}

impl Resolver<'_> {
    /// Resolves the type of a field and its initial value; returns a value that calls a function apart, if `is_declared`.
    ///
    /// Soundness: the field of a value that is not modelled has a type that is not modelled.
    pub(crate) fn declared_field(
        &mut self,
        owner: Option<PouId>,
        field: &ast::VarDecl,
        is_declared: bool,
    ) -> Res<(Typed, Option<CalledValue>)> {
        let typed = self.type_spec(owner, &field.ty, None)?;
        let Some(init) = &field.init else { return Ok((typed, None)) };
        match self.value_in_type(owner, init, &typed) {
            Err(Bad::Gap(gap)) => {
                let called = self.called_value(&gap, init, owner, typed.ty, &field.name.text).filter(|_| is_declared);
                if called.is_some() {
                    return Ok((Typed { ty: typed.ty, init: Init::Default }, called));
                }
                Ok((self.unmodelled_type(*gap, init.span), None))
            }
            Ok(value) => Ok((Typed { ty: typed.ty, init: value }, None)),
            Err(Bad::Reported) => Err(Bad::Reported),
        }
    }

    /// Resolves an initial value that stands in a type. A call of a function is a gap there, as it is in a variable.
    pub(crate) fn value_in_type(&mut self, owner: Option<PouId>, init: &ast::Initializer, typed: &Typed) -> Res<Init> {
        let outer = std::mem::replace(&mut self.vars.is_value_in_type, true);
        let value = self.initializer(Scope { owner, uses: Uses::Constant }, init, typed);
        self.vars.is_value_in_type = outer;
        value
    }

    /// Returns the initial value of a scalar if all that is wrong is that it calls a function.
    pub(crate) fn called_value(
        &self,
        gap: &Gap,
        init: &ast::Initializer,
        owner: Option<PouId>,
        ty: TypeId,
        name: &str,
    ) -> Option<CalledValue> {
        let families = [Family::Bool, Family::Int, Family::Bits, Family::Real, Family::Time, Family::Enum, Family::Date];
        let ast::InitializerKind::Expr(value) = &init.kind else { return None };
        let is_called = gap.construct == CALLED && families.contains(&family(&self.project, ty));
        is_called.then(|| CalledValue { value: value.clone(), owner, ty, name: name.to_owned() })
    }

    /// Returns the type of what has an initial value or a type that is not modelled, and records the gap.
    pub(crate) fn unmodelled_type(&mut self, gap: Gap, span: Span) -> Typed {
        let words = format!("with {}", gap.construct);
        self.findings.record(gap);
        Typed { ty: self.types.anonymous(&mut self.project, Type::Opaque(words), span), init: Init::Default }
    }
}
