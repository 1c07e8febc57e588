//! Initial values, checked against the types of their variables.

use crate::ast;
use crate::hir::{ExprKind, Field, Init, Parts, PouId, Project, Section, Type, TypeId, Value, VarId, n_elements};
use crate::resolve::findings::{Res, unsupported};
use crate::resolve::names::tables::{Local, Typed, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::startup::fb_init::is_value;
use crate::text::{Span, codes, suggestion};

/// Returns whether an expression is the instance around it.
fn is_this(e: &ast::Expr) -> bool {
    matches!(&e.kind, ast::ExprKind::Name(name) if name.root.text.eq_ignore_ascii_case("THIS"))
}

/// Values of an array with their repetitions.
type Items = [(Option<ast::Expr>, ast::Initializer)];

impl Resolver<'_> {
    /// Returns the value written at `init` for a variable of type `typed`; the type's own initial value fills the rest.
    pub(crate) fn initializer(&mut self, scope: Scope, init: &ast::Initializer, typed: &Typed) -> Res<Init> {
        if self.project.holds_opaque(typed.ty) && matches!(self.project.types[typed.ty].ty, Type::Opaque(_)) {
            return Ok(Init::Default);
        }
        if let (ast::InitializerKind::Expr(e), true) = (&init.kind, self.dialect.mixes())
            && is_this(e)
        {
            let effect = "it refers to the instance around it: nothing after a statement that uses the variable is verified";
            return Err(unsupported(init.span, "initial value THIS^", effect));
        }
        self.deeper(init.span, |r| match &init.kind {
            ast::InitializerKind::Expr(e) if is_zero(e) && matches!(r.project.types[typed.ty].ty, Type::Struct { .. }) => {
                r.init_with_zero(typed, init.span)
            }
            ast::InitializerKind::Expr(e) => r.init_expr(scope, e, typed.ty),
            ast::InitializerKind::Array(items) => r.init_array(scope, items, typed, init.span),
            ast::InitializerKind::Struct(items) => r.init_struct(scope, items, typed, init.span),
            ast::InitializerKind::Elements(elements) => r.init_elements(scope, elements, typed, init.span),
        })
    }

    /// Returns the value of a structure with `:= (0)`, as Automation Studio writes it: all of it is zero.
    fn init_with_zero(&mut self, typed: &Typed, span: Span) -> Res<Init> {
        let calls = self.types.holds_called_value(&self.project, typed.ty);
        if typed.init == Init::Default && !calls && self.project.starts_as_zero(typed.ty) {
            return Ok(Init::Default);
        }
        let effect = "which of its fields keep their own initial values is not modelled: nothing after a statement that uses it is verified";
        Err(unsupported(span, "initial value 0 of a structure with other initial values", effect))
    }

    pub(crate) fn init_expr(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId) -> Res<Init> {
        if let Some(text) = self.project.text(ty) {
            let value = self.expr_as(scope, e, ty, "the variable")?;
            let chars = self.fold_text(&value)?;
            return self.budget.text_init(&mut self.findings, &chars, text, value.span);
        }
        if let Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) = &self.project.types[ty].ty {
            let value = self.expr(scope, e, Want::Any)?;
            let value = self.coerce(value, ty, "the initial value")?;
            if let ExprKind::Read(place) = &value.kind {
                self.constant_at(scope.owner, place)
            } else {
                Err(self.not_constant(value.span))
            }
        } else {
            let value = self.expr_as(scope, e, ty, "the variable")?;
            let folded = self.fold(&value);
            if folded.is_err() && is_value(&value) {
                self.vars.plain_failure = Some(e.span);
            }
            Ok(Init::Scalar(folded?))
        }
    }

    fn init_array(&mut self, scope: Scope, items: &Items, typed: &Typed, span: Span) -> Res<Init> {
        let (total, elem, n_dims) = if let Type::Array { dims, elem } = &self.project.types[typed.ty].ty {
            (n_elements(dims), *elem, dims.len())
        } else {
            let message = format!("a list of values cannot initialise a variable of type {}", self.project.type_name(typed.ty));
            return Err(self.findings.error(codes::BAD_INITIALIZER, span, message, "an array's initial value"));
        };
        self.budget.allow_initial_values(&mut self.findings, span, self.types.size(typed.ty))?;
        let mut values: Vec<Init> =
            if let Init::Array(values) = &typed.init { values.clone() } else { vec![Init::Default; total] };
        let mut next = 0;
        self.fill(scope, items, elem, n_dims, &mut values, &mut next)?;
        Ok(Init::Array(values))
    }

    /// Gives some elements their values.
    fn init_elements(
        &mut self,
        scope: Scope,
        elements: &[(Vec<ast::Expr>, ast::Initializer)],
        typed: &Typed,
        span: Span,
    ) -> Res<Init> {
        let Type::Array { dims, elem } = self.project.types[typed.ty].ty.clone() else {
            let message = format!("a variable of type {} has no elements", self.project.type_name(typed.ty));
            return Err(self.findings.error(codes::BAD_INITIALIZER, span, message, "an array's initial value"));
        };
        self.budget.allow_initial_values(&mut self.findings, span, self.types.size(typed.ty))?;
        let mut values: Vec<Init> =
            if let Init::Array(values) = &typed.init { values.clone() } else { vec![Init::Default; n_elements(&dims)] };
        for (indices, item) in elements {
            let at = self.element_at(scope, indices, &dims, item.span)?;
            let old = values.get(at).cloned().unwrap_or(Init::Default);
            let value = self.initializer(scope, item, &Typed { ty: elem, init: old })?;
            if let Some(slot) = values.get_mut(at) {
                *slot = value;
            }
        }
        Ok(Init::Array(values))
    }

    /// Returns the row-major position of an element with constant indices.
    fn element_at(&mut self, scope: Scope, indices: &[ast::Expr], dims: &[(i64, i64)], span: Span) -> Res<usize> {
        let mut at = 0i128;
        let outside = |r: &mut Self| {
            let here = "no element of the array";
            Err(r.findings.error(codes::BAD_INITIALIZER, span, "the initial value belongs to no element of the array", here))
        };
        if indices.len() != dims.len() {
            return outside(self);
        }
        for (index, (low, high)) in indices.iter().zip(dims) {
            let value = self.constant_int(scope.owner, index, Want::Any)?;
            if value < i128::from(*low) || i128::from(*high) < value {
                return outside(self);
            }
            at = at.saturating_mul(i128::from(high.saturating_sub(*low)) + 1).saturating_add(value - i128::from(*low));
        }
        Ok(usize::try_from(at).unwrap_or(usize::MAX))
    }

    /// Writes `items` from position `next` on; nested lists of an array of several dimensions are read in row-major order.
    fn fill(
        &mut self,
        scope: Scope,
        items: &Items,
        elem: TypeId,
        n_dims: usize,
        values: &mut [Init],
        next: &mut usize,
    ) -> Res<()> {
        let nested_is_row = 1 < n_dims && !matches!(self.project.types[elem].ty, Type::Array { .. });
        for (count, item) in items {
            let count = match count {
                Some(e) => self.constant_int(scope.owner, e, Want::Any)?,
                None => 1,
            };
            let left = values.len().saturating_sub(*next);
            if count < 0 || i128::try_from(left).is_ok_and(|left| left < count) {
                let message = format!("more initial values than the array's {} elements", values.len());
                return Err(self.findings.error(codes::BAD_INITIALIZER, item.span, message, "one too many"));
            }
            if let (ast::InitializerKind::Array(inner), true) = (&item.kind, nested_is_row) {
                for _ in 0..count {
                    self.deeper(item.span, |r| r.fill(scope, inner, elem, n_dims - 1, values, next))?;
                }
                continue;
            }
            let old = values.get(*next).cloned().unwrap_or(Init::Default);
            let value = self.initializer(scope, item, &Typed { ty: elem, init: old })?;
            for _ in 0..count {
                if let Some(slot) = values.get_mut(*next) {
                    *slot = value.clone();
                }
                *next += 1;
            }
        }
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type has named values")]
    fn init_struct(&mut self, scope: Scope, items: &[(ast::Ident, ast::Initializer)], typed: &Typed, span: Span) -> Res<Init> {
        match self.project.types[typed.ty].ty.clone() {
            Type::Struct { .. } if self.project.type_views.contains_key(&typed.ty) => {
                let effect =
                    "which of its members comes last is not modelled: nothing after a statement that uses it is verified";
                Err(unsupported(span, "initial value of a UNION", effect))
            }
            Type::Struct { fields } => self.init_fields(scope, items, &fields, &typed.init),
            Type::FunctionBlock(pou) => self.init_instance(scope, items, pou),
            _ => {
                let message = format!("named values cannot initialise a variable of type {}", self.project.type_name(typed.ty));
                Err(self.findings.error(codes::BAD_INITIALIZER, span, message, "a structure's initial value"))
            }
        }
    }

    fn init_fields(&mut self, scope: Scope, items: &[(ast::Ident, ast::Initializer)], fields: &[Field], old: &Init) -> Res<Init> {
        let mut values: Vec<Init> =
            if let Init::Struct(values) = old { values.clone() } else { vec![Init::Default; fields.len()] };
        let mut bad = None;
        for (name, item) in items {
            let Some(i) = fields.iter().position(|f| key(&f.name) == key(&name.text)) else {
                let help = suggestion(&name.text, fields.iter().map(|f| f.name.as_str()));
                let message = format!("the structure has no field `{}`", name.text);
                bad = Some(self.findings.error_with_help(codes::UNKNOWN_PART, name.span, message, "not a field", help));
                continue;
            };
            let old = if values[i] == Init::Default { fields[i].init.clone() } else { values[i].clone() };
            match self.initializer(scope, item, &Typed { ty: fields[i].ty, init: old }) {
                Ok(value) => values[i] = value,
                Err(why) => bad = Some(why),
            }
        }
        bad.map_or(Ok(Init::Struct(values)), Err)
    }

    fn init_instance(&mut self, scope: Scope, items: &[(ast::Ident, ast::Initializer)], pou: PouId) -> Res<Init> {
        let mut values: Vec<(VarId, Init)> = Vec::new();
        let mut bad = None;
        for (name, item) in items {
            match self.init_member(scope, name, item, pou) {
                Ok(value) => {
                    values.retain(|(id, _)| *id != value.0);
                    values.push(value);
                }
                Err(why) => bad = Some(why),
            }
        }
        bad.map_or(Ok(Init::Instance(values)), Err)
    }

    fn init_member(&mut self, scope: Scope, name: &ast::Ident, item: &ast::Initializer, pou: PouId) -> Res<(VarId, Init)> {
        self.touch(pou);
        let Some(&Local::Var(id)) = self.names.locals[pou.0 as usize].get(&key(&name.text)) else {
            let known = self.project.pous[pou].vars.iter().map(|v| v.name.as_str());
            let help = suggestion(&name.text, known);
            let message = format!("`{}` has no variable `{}`", self.project.pous[pou].name, name.text);
            let here = "not a variable of the block";
            return Err(self.findings.error_with_help(codes::UNKNOWN_PART, name.span, message, here, help));
        };
        let is_shared = |row: &(VarId, &ast::Ident)| row.0 == id || key(&row.1.text) == key(&name.text);
        if self.decls.overlays.get(&pou).is_some_and(|rows| rows.iter().any(is_shared)) {
            let effect = "which of them it belongs to is not modelled: nothing after a statement that uses it is verified";
            return Err(unsupported(name.span, "initial value of a variable that others are declared at", effect));
        }
        let var = VarRef::Local(pou, id);
        match self.project.var(var).section {
            Section::Input | Section::Output | Section::Local => {}
            Section::InOut | Section::Temp | Section::Result | Section::Global => {
                let message = format!("`{}` does not keep a value that could be initialised", name.text);
                return Err(self.findings.error(codes::BAD_INITIALIZER, name.span, message, "not a variable that persists"));
            }
        }
        let ty = self.var_type(var)?;
        // What a data block does not name keeps the value that its block declares.
        let is_part = match item.kind {
            ast::InitializerKind::Elements(_) => true,
            ast::InitializerKind::Struct(_) => self.dialect.copies_arguments(),
            ast::InitializerKind::Expr(_) | ast::InitializerKind::Array(_) => false,
        };
        let init = if is_part {
            self.var_init(var)?;
            self.project.var(var).init.clone()
        } else {
            Init::Default
        };
        let init = self.initializer(scope, item, &Typed { ty, init })?;
        Ok((id, init))
    }
}

fn is_zero(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Literal(None, ast::Literal::Int(0)))
}

impl Project {
    /// Returns whether a variable of this type without an initial value is zero in all of its parts.
    fn starts_as_zero(&self, ty: TypeId) -> bool {
        match self.types[ty].ty.parts() {
            Parts::Elements(_, elem) => self.starts_as_zero(elem),
            Parts::Fields(fields) => fields.iter().all(|field| field.init == Init::Default && self.starts_as_zero(field.ty)),
            Parts::Variables(_) => false,
            Parts::Scalar => match self.default_value(ty) {
                Some(Value::Bool(value)) => !value,
                Some(Value::Int(value)) => value == 0,
                Some(_) => matches!(self.types[ty].ty, Type::Real(_)),
                None => false,
            },
        }
    }
}
