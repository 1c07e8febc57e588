//! Values of variables before the program runs, whole or in part: of CONSTANT variables, and of variables that initialise others.

use crate::dialect::{Dialect, InitialValues};
use crate::hir::{Elem, Expr, Init, Place, PouId, PouKind, Project, Root, Section, Type, TypeId, Value};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Member, VarRef};
use crate::resolve::resolver::Resolver;
use crate::resolve::variables::unknown_start::NO_CONSTANT;
use crate::text::{Span, codes};

impl Resolver<'_> {
    /// Returns the initial value of the constant at `place`; its indices are constants too.
    pub(crate) fn constant_at(&mut self, owner: Option<PouId>, place: &Place) -> Res<Init> {
        let mut path = place.path.as_slice();
        let var = match (place.root, owner) {
            (Root::Global(id), _) => VarRef::Global(id),
            (Root::Var(id), Some(pou)) => match (self.names.members.get(&pou), place.path.split_first()) {
                (Some(member), Some((Elem::Member(inherent), rest))) if id == Member::THIS => {
                    path = rest;
                    VarRef::Local(member.block, *inherent)
                }
                (_, _) => VarRef::Local(pou, id),
            },
            (Root::Var(_), None) | (Root::Instance(_) | Root::This(_), _) => return Err(self.not_constant(place.span)),
        };
        if !self.project.var(var).constant && !self.is_set_before(var) {
            return Err(self.not_constant(place.span));
        }
        self.var_init(var)?;
        let is_called = self.vars.called.contains_key(&var);
        if is_called || self.project.unknown_starts.contains(&self.project.var(var).span) {
            return Err(self.not_constant(place.span));
        }
        let mut ty = self.project.var(var).ty;
        if self.types.holds_called_value(&self.project, ty) {
            return Err(self.not_constant(place.span));
        }
        let mut steps: Vec<usize> = Vec::new();
        for elem in path {
            let (step, inner) = self.constant_step(elem, ty, place.span)?;
            steps.push(step);
            ty = inner;
        }
        let row = self.project.var(var);
        Ok(self.project.part(&row.init, row.ty, &steps))
    }

    /// Returns whether a variable has its value when the variable that is being initialised gets its own.
    ///
    /// It stands before that variable in the same list of global variables or in the same PROGRAM. The order of other variables
    /// is not defined. A declaration may give the variables of an instance other values.
    fn is_set_before(&self, other: VarRef) -> bool {
        let Some(current) = self.vars.initialising else { return false };
        let stands_before = match (other, current) {
            (VarRef::Global(a), VarRef::Global(b)) => {
                a < b && self.decls.homes.contains_key(&a) && self.decls.homes.get(&a) == self.decls.homes.get(&b)
            }
            (VarRef::Local(a_pou, a), VarRef::Local(b_pou, b)) => {
                a_pou == b_pou && a < b && self.project.pous[a_pou].kind == PouKind::Program
            }
            (VarRef::Global(_), VarRef::Local(..)) | (VarRef::Local(..), VarRef::Global(_)) => false,
        };
        let keeps = |var: VarRef| {
            let row = self.project.var(var);
            row.address.is_none() && matches!(row.section, Section::Global | Section::Local | Section::Output)
        };
        self.dialect.reads_at_start() && stands_before && keeps(other) && keeps(current)
    }

    /// Returns the characters of the constant string at `place`.
    pub(crate) fn constant_text(&mut self, owner: Option<PouId>, place: &Place) -> Res<Vec<u16>> {
        let slots = if let Init::Array(slots) = self.constant_at(owner, place)? { slots } else { Vec::new() };
        self.budget.allow_initial_values(&mut self.findings, place.span, slots.len())?;
        let code = |slot: &Init| u16::try_from(slot.scalar()?.as_int()?).ok().filter(|code| *code != 0);
        Ok(slots.iter().map_while(code).collect())
    }

    /// Returns the value of a scalar constant.
    pub(crate) fn constant_value(&mut self, owner: Option<PouId>, place: &Place) -> Res<Value> {
        let given = self.constant_at(owner, place)?.scalar();
        given.or_else(|| self.project.default_value(place.ty)).ok_or_else(|| self.not_constant(place.span))
    }

    fn constant_step(&mut self, elem: &Elem, ty: TypeId, span: Span) -> Res<(usize, TypeId)> {
        match (elem, self.project.types[ty].ty.clone()) {
            (Elem::Field(i), Type::Struct { fields }) => Ok((*i as usize, fields[*i as usize].ty)),
            (Elem::Index(indices), Type::Array { dims, elem }) => Ok((self.constant_index(indices, &dims, span)?, elem)),
            (_, _) => Err(self.not_constant(span)),
        }
    }

    fn constant_index(&mut self, indices: &[Expr], dims: &[(i64, i64)], span: Span) -> Res<usize> {
        let mut flat: usize = 0;
        for (index, &(low, high)) in indices.iter().zip(dims) {
            let value = self.fold(index)?.as_int().unwrap_or(i128::MIN);
            if value < i128::from(low) || i128::from(high) < value {
                let message = format!("the index {value} of a constant array is outside of {low}..{high}");
                return Err(self.findings.error(codes::CONSTANT_RANGE, span, message, "no such element"));
            }
            flat = flat * (high - low + 1) as usize + (value - i128::from(low)) as usize;
        }
        Ok(flat)
    }

    pub(crate) fn not_constant(&mut self, span: Span) -> Bad {
        if self.vars.initialising.is_some() && self.dialect.reads_at_start() {
            let effect = "what it is by then is not known: nothing after a statement that uses the variable is verified";
            return unsupported(span, NO_CONSTANT, effect);
        }
        let message = "a constant is needed here: literals, enumeration values and CONSTANT variables";
        self.findings.error(codes::NOT_CONSTANT, span, message, "not constant")
    }
}

impl Dialect {
    /// Returns whether an initial value may name variables.
    fn reads_at_start(&self) -> bool {
        self.initial_values == InitialValues::OfVariables
    }
}

impl Project {
    fn part(&self, init: &Init, ty: TypeId, steps: &[usize]) -> Init {
        let (mut init, mut ty) = (init, ty);
        for &step in steps {
            let inside = init.part(step);
            if let Type::Struct { fields } = &self.types[ty].ty {
                init = inside.unwrap_or(&fields[step].init);
                ty = fields[step].ty;
            } else if let Type::Array { elem, .. } = &self.types[ty].ty {
                init = inside.unwrap_or(&Init::Default);
                ty = *elem;
            } else {
                return Init::Default;
            }
        }
        init.clone()
    }
}
