//! Writes to variables whose type no file declares.
//!
//! The model has no values of such a type, so a read of such a variable ends what is verified of the cycle. A write to it can be left
//! out: nothing but a read could show it.

use crate::ast;
use crate::hir::{Elem, ExprKind, Place, PouId, Root, Type, TypeId, VarId};
use crate::resolve::findings::{Bad, Res};
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::text::UNKNOWN;

impl Resolver<'_> {
    /// Returns whether the write of a value to a place can be left out.
    ///
    /// Soundness: the place shares its memory with no other variable, and is behind no reference and no index, which could lead to one.
    /// The value is a literal or has such a type, too: what else it is computed from may be a fault.
    pub(crate) fn is_lost(&mut self, scope: Scope, place: &Place, value: &ast::Expr) -> bool {
        let is_literal = matches!(value.kind, ast::ExprKind::Literal(..));
        self.is_of_unknown_type(scope, place) && (is_literal || self.names_unknown(scope, value))
    }

    /// Returns whether the type of an input is one that no file declares. An input that a file declares as ANY gets the address of its
    /// argument.
    pub(crate) fn is_unknown_input(&self, pou: PouId, var: VarId, ty: TypeId) -> bool {
        let block = self.names.members.get(&pou).map_or(pou, |member| member.definer);
        let is_guessed = self.names.guesses.has(&self.project.pous[block].name);
        let site = self.decls.vars.get(&VarRef::Local(pou, var));
        let is_renamed = site.is_some_and(|site| {
            if let ast::TypeSpecKind::Name(name) = &site.ty.kind { !name.text.eq_ignore_ascii_case(UNKNOWN) } else { false }
        });
        self.is_unknown(ty) && (is_guessed || is_renamed)
    }

    /// Checks that the value of an input of an unknown type can be left out.
    ///
    /// Soundness: see [`Self::is_lost`]. The value is no address: the call could write through it.
    pub(crate) fn lost_input(&mut self, scope: Scope, ty: TypeId, value: &ast::Expr) -> Res<()> {
        match self.expr(scope, value, Want::Any) {
            Ok(value) if matches!(value.kind, ExprKind::Literal(_)) => Ok(()),
            Err(Bad::Reported) => Err(Bad::Reported),
            Ok(_) | Err(Bad::Gap(_)) if self.is_no_address(scope, value) => Ok(()),
            Ok(_) | Err(Bad::Gap(_)) => Err(self.project.opaque_value(ty, value.span)),
        }
    }

    /// Returns whether the target of an output of this type can be left out. Both have a type that no file declares.
    ///
    /// Soundness: see [`Self::is_lost`].
    pub(crate) fn is_lost_output(&mut self, scope: Scope, ty: TypeId, target: &ast::Expr) -> bool {
        self.is_unknown(ty) && self.names_unknown(scope, target)
    }

    fn is_unknown(&self, ty: TypeId) -> bool {
        matches!(&self.project.types[ty].ty, Type::Opaque(words) if words == UNKNOWN)
    }

    /// Returns whether a value is a literal, or a constant that no file declares, of such a type.
    ///
    /// Soundness: a variable of such a type may have got an address as its initial value, or from code that does not run here.
    fn is_no_address(&mut self, scope: Scope, value: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &value.kind else { return matches!(value.kind, ast::ExprKind::Literal(..)) };
        let Some(place) = self.attempt(|r| r.place(scope, name)) else { return false };
        let Root::Global(global) = place.root else { return false };
        self.names.guesses.globals().get(&global) == Some(&true) && self.is_of_unknown_type(scope, &place)
    }

    fn names_unknown(&mut self, scope: Scope, e: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &e.kind else { return false };
        self.attempt(|r| r.place(scope, name)).is_some_and(|place| self.is_of_unknown_type(scope, &place))
    }

    /// Returns whether a place has a type that no file declares, and shares its memory with no other variable.
    fn is_of_unknown_type(&self, scope: Scope, place: &Place) -> bool {
        let project = &self.project;
        let root = match place.root {
            Root::Var(var) => scope.owner.and_then(|owner| project.pous[owner].vars.get(var)),
            Root::Global(global) => project.globals.get(global),
            Root::This(_) | Root::Instance(_) => None,
        };
        let Some(root) = root.filter(|_| self.is_unknown(place.ty)) else { return false };
        let (mut ty, mut address) = (root.ty, root.address.is_some());
        for elem in &place.path {
            let part = match (elem, &project.types[ty].ty) {
                (Elem::Field(field), Type::Struct { fields }) if !project.type_views.contains_key(&ty) => {
                    fields.get(*field as usize).map(|field| (field.ty, false))
                }
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    project.pous[*pou].vars.get(*var).map(|var| (var.ty, var.address.is_some()))
                }
                (Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Index(_) | Elem::Bits { .. }, _) => None,
            };
            let Some((next, is_located)) = part else { return false };
            ty = next;
            address |= is_located;
        }
        !address
    }
}
