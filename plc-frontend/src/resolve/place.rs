//! Names with their paths → places.

use super::chain::Link;
use super::elementary;
use super::names::{Local, Member, Unusable, VarRef, key};
use super::resolver::{Bad, Res, Resolver, Scope, Uses, Want};
use super::suggest::nearest;
use super::widen::{Family, family};
use crate::ast::{self, NameElem};
use crate::codes;
use crate::dialect::DialectId;
use crate::hir::{Elem, InstanceId, Place, PouId, Root, Section, Type, TypeId, VarId};
use crate::source::Span;

impl Resolver<'_> {
    /// Whether the name stands for a variable or an instance here.
    pub(crate) fn is_variable(&self, scope: Scope, ident: &ast::Ident) -> bool {
        let name = key(&ident.text);
        let local = self.names.local(scope.owner, &name).is_some();
        let in_instances = || {
            scope.uses != Uses::Constant && self.names.instances.contains_key(&name)
                || scope.uses == Uses::Condition
                    && (self.project.instances.iter().any(|i| self.names.locals[i.pou.0 as usize].contains_key(&name)))
        };
        local || self.names.globals.contains_key(&name) || in_instances()
    }

    /// The place that `name` stands for; behind a REFERENCE what it refers to.
    pub(crate) fn place(&mut self, scope: Scope, name: &ast::Name) -> Res<Place> {
        let mut place = self.raw_place(scope, name)?;
        self.follow(&mut place);
        Ok(place)
    }

    /// The same; a REFERENCE is itself.
    pub(crate) fn raw_place(&mut self, scope: Scope, name: &ast::Name) -> Res<Place> {
        match self.walk(scope, name, None)? {
            Link::Place(place) => Ok(place),
            Link::Value(_) | Link::Behind(_) => Err(self.result_as_variable(name.span)),
        }
    }

    /// The variable that a path begins with, and how many of its elements belong to it.
    pub(super) fn root_place(&mut self, scope: Scope, name: &ast::Name) -> Res<(Place, usize)> {
        let place = self.root(scope, &name.root)?;
        let (Root::Instance(id), true, Uses::Condition) = (place.root, place.path.is_empty(), scope.uses) else {
            return Ok((place, 0));
        };
        if self.means_own_variable(id, &name.root, name.path.first()) {
            return Ok((self.instance_member(id, &name.root)?, 0));
        }
        match name.path.first() {
            Some(NameElem::Field(field)) => Ok((self.instance_member(id, field)?, 1)),
            Some(NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..)) | None => {
                let message = format!("`{}` is a program and has no value of its own", name.root.text);
                let help = Some(format!("name one of its variables: {}.…", name.root.text));
                Err(self.error_with_help(codes::NOT_A_VALUE, name.root.span, message, "a program", help))
            }
        }
    }

    fn root(&mut self, scope: Scope, ident: &ast::Ident) -> Res<Place> {
        let name = key(&ident.text);
        let (root, var) = match (self.names.local(scope.owner, &name), scope.owner) {
            (Some(Local::Var(id)), Some(owner)) => (Root::Var(id), VarRef::Local(owner, id)),
            (Some(Local::Inherent(block, id)), _) => {
                let ty = self.usable(VarRef::Local(block, id), ident.span)?;
                return Ok(Place { root: Root::Var(Member::THIS), path: vec![Elem::Member(id)], ty, span: ident.span });
            }
            (Some(Local::External(id)), _) => (Root::Global(id), VarRef::Global(id)),
            (Some(Local::Broken), _) => return Err(Bad::Reported),
            (Some(Local::Var(_)) | None, _) => match self.names.globals.get(&name) {
                Some(_) if self.names.ambiguous.contains_key(&name) => return Err(self.ambiguous_global(ident)),
                Some(&id) => (Root::Global(id), VarRef::Global(id)),
                None if scope.uses == Uses::Condition => return self.condition_root(scope, ident),
                None if scope.uses == Uses::Code && self.names.instances.contains_key(&name) => {
                    let Some(&id) = self.names.instances.get(&name) else { return Err(Bad::Reported) };
                    let pou = self.project.instances[id].pou;
                    let ty = self.anonymous(Type::FunctionBlock(pou), self.project.pous[pou].span);
                    return Ok(Place { root: Root::Instance(id), path: Vec::new(), ty, span: ident.span });
                }
                None => return Err(self.unknown_name(scope, ident)),
            },
        };
        let ty = self.usable(var, ident.span)?;
        Ok(Place { root, path: Vec::new(), ty, span: ident.span })
    }

    /// Whether the variables of instances of a block are visible in this code.
    fn sees_inside(&self, scope: Scope, pou: PouId) -> bool {
        let own = scope.owner.map(|owner| self.names.block_of(owner));
        let is_own = own.and_then(|own| self.names.classes.get(own.0 as usize)).is_some_and(|class| class.chain.contains(&pou));
        let vendor = match self.dialect.id {
            DialectId::Codesys | DialectId::Twincat => true,
            DialectId::Iec | DialectId::SiemensClassic | DialectId::SiemensTia => false,
        };
        is_own || vendor || self.project.pous[pou].kind == crate::hir::PouKind::Program
    }

    fn ambiguous_global(&mut self, ident: &ast::Ident) -> Bad {
        let names = self.names.ambiguous.get(&key(&ident.text)).cloned().unwrap_or_default();
        let message = format!("several lists of global variables have a variable `{}`", ident.text);
        let help = Some(format!("write it with its list, for example {}", names.last().map_or("", String::as_str)));
        self.error_with_help(codes::AMBIGUOUS_NAME, ident.span, message, "which one?", help)
    }

    /// `THIS^.x`: a variable of the block, whatever the method calls its own.
    pub(super) fn own_variable(&mut self, scope: Scope, block: PouId, ident: &ast::Ident) -> Res<Place> {
        let Some(&Local::Var(id)) = self.names.locals[block.0 as usize].get(&key(&ident.text)) else {
            return Err(self.unknown_member(block, ident));
        };
        let id = self.names.seen(block, id);
        let member = scope.owner.and_then(|owner| Some((owner, self.names.members.get(&owner)?)));
        let (root, path, var) = match member.map(|(owner, member)| (owner, member.lent.get(&id))) {
            None => (Root::Var(id), Vec::new(), VarRef::Local(block, id)),
            Some((owner, Some(&lent))) => (Root::Var(lent), Vec::new(), VarRef::Local(owner, lent)),
            Some((_, None)) => (Root::Var(Member::THIS), vec![Elem::Member(id)], VarRef::Local(block, id)),
        };
        let ty = self.usable(var, ident.span)?;
        Ok(Place { root, path, ty, span: ident.span })
    }

    /// A program instance, or a variable that only one of them has.
    fn condition_root(&mut self, scope: Scope, ident: &ast::Ident) -> Res<Place> {
        let name = key(&ident.text);
        if let Some(&id) = self.names.instances.get(&name) {
            return Ok(Place { root: Root::Instance(id), path: Vec::new(), ty: elementary::BOOL, span: ident.span });
        }
        let owners: Vec<InstanceId> = (self.project.instances.iter_enumerated())
            .filter(|(_, i)| self.names.locals[i.pou.0 as usize].contains_key(&name))
            .map(|(id, _)| id)
            .collect();
        match owners.as_slice() {
            [id] => self.instance_member(*id, ident),
            [] => Err(self.unknown_name(scope, ident)),
            several => {
                let names: Vec<String> =
                    several.iter().map(|id| format!("{}.{}", self.project.instances[*id].name, ident.text)).collect();
                let message = format!("several programs have a variable `{}`", ident.text);
                let help = Some(format!("write one of {}", names.join(", ")));
                Err(self.error_with_help(codes::AMBIGUOUS_NAME, ident.span, message, "which one?", help))
            }
        }
    }

    /// Whether the name of a program means its variable of the same name: nothing else goes on like this.
    fn means_own_variable(&self, instance: InstanceId, name: &ast::Ident, next: Option<&NameElem>) -> bool {
        let locals = &self.names.locals[self.project.instances[instance].pou.0 as usize];
        let is_member = matches!(next, Some(NameElem::Field(field)) if locals.contains_key(&key(&field.text)));
        locals.contains_key(&key(&name.text)) && !is_member
    }

    fn instance_member(&mut self, instance: InstanceId, ident: &ast::Ident) -> Res<Place> {
        let pou = self.project.instances[instance].pou;
        match self.names.locals[pou.0 as usize].get(&key(&ident.text)) {
            Some(&Local::Var(id)) => {
                let ty = self.usable(VarRef::Local(pou, id), ident.span)?;
                self.persists(pou, id, ident)?;
                Ok(Place { root: Root::Instance(instance), path: vec![Elem::Member(id)], ty, span: ident.span })
            }
            Some(&Local::External(id)) => {
                let ty = self.usable(VarRef::Global(id), ident.span)?;
                Ok(Place { root: Root::Global(id), path: Vec::new(), ty, span: ident.span })
            }
            Some(Local::Broken) => Err(Bad::Reported),
            Some(Local::Inherent(..)) | None => Err(self.unknown_member(pou, ident)),
        }
    }

    /// Whether a variable has a value between two cycles.
    fn persists(&mut self, pou: PouId, id: VarId, ident: &ast::Ident) -> Res<()> {
        match self.project.pous[pou].vars[id].section {
            Section::Input | Section::Output | Section::Local | Section::InOut | Section::Global => Ok(()),
            Section::Temp | Section::Result => {
                let message = format!("`{}` is temporary: it has no value between two cycles", ident.text);
                Err(self.error(codes::NOT_ACCESSIBLE, ident.span, message, "a VAR_TEMP variable"))
            }
        }
    }

    /// The type of a variable, unless it cannot be used.
    pub(crate) fn usable(&mut self, var: VarRef, span: Span) -> Res<TypeId> {
        let ty = self.var_type(var)?;
        match self.names.unusable.get(&var) {
            None => Ok(ty),
            Some(Unusable::Broken) => Err(Bad::Reported),
            Some(Unusable::Gap { construct, effect }) => Err(self.unsupported(span, construct.clone(), effect.clone())),
        }
    }

    /// An unknown name, reported once in each POU.
    pub(crate) fn unknown_name(&mut self, scope: Scope, ident: &ast::Ident) -> Bad {
        if ident.text.eq_ignore_ascii_case("NULL") {
            let effect = "pointers are not modelled: nothing after this statement in the cycle is verified";
            return self.unsupported(ident.span, "NULL", effect);
        }
        let block = scope.owner.map(|owner| self.names.block_of(owner));
        if block.is_some_and(|block| self.is_orphan(block)) || !self.first_report(scope, &ident.text) {
            return Bad::Reported;
        }
        if let Some(&pou) = self.names.pous.get(&self.names.meant(ident)) {
            let kind = match self.project.pous[pou].kind {
                crate::hir::PouKind::Program => "a PROGRAM",
                crate::hir::PouKind::FunctionBlock => "a FUNCTION_BLOCK and not one of its instances",
                crate::hir::PouKind::Function(_) => "a FUNCTION and needs parentheses",
            };
            let message = format!("`{}` is {kind}", ident.text);
            return self.error(codes::NOT_A_VALUE, ident.span, message, "not a variable");
        }
        let help = self.suggest_variable(scope, &ident.text);
        let message = format!("there is no variable `{}` here", ident.text);
        self.error_with_help(codes::UNKNOWN_NAME, ident.span, message, "not declared", help)
    }

    fn unknown_member(&mut self, pou: PouId, ident: &ast::Ident) -> Bad {
        if self.is_orphan(pou) {
            return Bad::Reported;
        }
        if self.find_member(pou, &ident.text).is_some() {
            let construct = format!("use of `{}` of `{}` as a variable", ident.text, self.project.pous[pou].name);
            let effect = "the statement is not modelled: nothing after it in the cycle is verified";
            return self.unsupported(ident.span, construct, effect);
        }
        let known = self.project.pous[pou].vars.iter().map(|v| v.name.as_str());
        let help = nearest(&ident.text, known).map(|near| format!("did you mean `{near}`?"));
        let message = format!("`{}` has no variable `{}`", self.project.pous[pou].name, ident.text);
        self.error_with_help(codes::UNKNOWN_PART, ident.span, message, "not one of its variables", help)
    }

    pub(super) fn step(&mut self, scope: Scope, place: &mut Place, elem: &NameElem) -> Res<()> {
        let before = place.path.len();
        self.follow(place);
        if let (NameElem::Deref(_), true) = (elem, before < place.path.len()) {
            // A REFERENCE may be followed explicitly, too.
            return Ok(());
        }
        match elem {
            NameElem::Field(ident) => self.field(scope, place, ident),
            NameElem::Index(indices, span) => self.index(scope, place, indices, *span),
            NameElem::Bits { number, width, span } => self.bits_of(place, *number, *width, *span),
            NameElem::Call(_, span) => Err(self.result_as_variable(*span)),
            NameElem::Deref(span) => self.dereference(place, *span),
        }
    }

    fn field(&mut self, scope: Scope, place: &mut Place, ident: &ast::Ident) -> Res<()> {
        let (elem, ty) = match &self.project.types[place.ty].ty {
            Type::Struct { fields } => match fields.iter().position(|f| key(&f.name) == key(&ident.text)) {
                Some(i) => (Elem::Field(i as u32), fields[i].ty),
                None => {
                    let help =
                        nearest(&ident.text, fields.iter().map(|f| f.name.as_str())).map(|n| format!("did you mean `{n}`?"));
                    let message = format!("{} has no field `{}`", self.type_name(place.ty), ident.text);
                    return Err(self.error_with_help(codes::UNKNOWN_PART, ident.span, message, "not one of its fields", help));
                }
            },
            Type::FunctionBlock(pou) => {
                let pou = *pou;
                self.member(scope, pou, ident)?
            }
            Type::Opaque(_) => return Err(self.opaque_value(place.ty, ident.span)),
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Array { .. } => {
                let message = format!("a value of type {} has no part `{}`", self.type_name(place.ty), ident.text);
                return Err(self.error(codes::UNKNOWN_PART, ident.span, message, "neither a structure nor an instance"));
            }
        };
        place.path.push(elem);
        place.ty = ty;
        place.span = place.span.to(ident.span);
        Ok(())
    }

    fn member(&mut self, scope: Scope, pou: PouId, ident: &ast::Ident) -> Res<(Elem, TypeId)> {
        let id = match self.names.locals[pou.0 as usize].get(&key(&ident.text)) {
            Some(&Local::Var(id)) => id,
            Some(Local::External(_) | Local::Inherent(..) | Local::Broken) | None => {
                return Err(self.unknown_member(pou, ident));
            }
        };
        let ty = self.usable(VarRef::Local(pou, id), ident.span)?;
        if scope.uses == Uses::Condition {
            self.persists(pou, id, ident)?;
        }
        let section = self.project.pous[pou].vars[id].section;
        let private = match section {
            Section::Input | Section::Output | Section::Global => false,
            // The variables of a program are the whole project's.
            Section::Local => scope.uses != Uses::Condition && !self.sees_inside(scope, pou),
            Section::InOut | Section::Temp | Section::Result => true,
        };
        if private {
            let block = &self.project.pous[pou];
            let message = format!("`{}` is an inner variable of `{}`", ident.text, block.name);
            let visible: Vec<&str> = (block.vars.iter())
                .filter(|v| matches!(v.section, Section::Input | Section::Output))
                .map(|v| v.name.as_str())
                .take(12)
                .collect();
            let help = Some(format!("from outside its inputs and outputs can be used: {}", visible.join(", ")));
            return Err(self.error_with_help(codes::NOT_ACCESSIBLE, ident.span, message, "not visible from outside", help));
        }
        Ok((Elem::Member(id), ty))
    }

    fn index(&mut self, scope: Scope, place: &mut Place, indices: &[ast::Expr], span: Span) -> Res<()> {
        if self.names.references.contains_key(&place.ty) {
            let effect = "only `p^` is modelled: nothing after this statement in the cycle is verified";
            return Err(self.unsupported(span, "index of a pointer, which is arithmetic on it", effect));
        }
        let (dims, elem) = match &self.project.types[place.ty].ty {
            Type::Array { dims, elem } => (dims.clone(), *elem),
            Type::Opaque(_) => return Err(self.opaque_value(place.ty, span)),
            Type::Bool
            | Type::Int(_)
            | Type::Bits(_)
            | Type::Real(_)
            | Type::Time
            | Type::LTime
            | Type::Date(_)
            | Type::Char(_)
            | Type::Enum { .. }
            | Type::Subrange { .. }
            | Type::Struct { .. }
            | Type::FunctionBlock(_) => {
                let message = format!("a value of type {} has no index", self.type_name(place.ty));
                return Err(self.error(codes::BAD_INDEX, span, message, "not an array"));
            }
        };
        if indices.len() != dims.len() {
            let message = format!("this array has {} dimensions, and {} indices are given", dims.len(), indices.len());
            return Err(self.error(codes::BAD_INDEX, span, message, "one index for each dimension"));
        }
        let resolved: Vec<Res<crate::hir::Expr>> = indices.iter().map(|e| self.index_expr(scope, e)).collect();
        let mut resolved: Vec<crate::hir::Expr> = resolved.into_iter().collect::<Res<_>>()?;
        if self.project.text(place.ty).is_some() {
            resolved = resolved.into_iter().map(|index| self.character_index(index)).collect();
        }
        place.path.push(Elem::Index(resolved));
        place.ty = elem;
        place.span = place.span.to(span);
        Ok(())
    }

    fn index_expr(&mut self, scope: Scope, e: &ast::Expr) -> Res<crate::hir::Expr> {
        let index = self.expr(scope, e, Want::Any)?;
        match family(&self.project, index.ty) {
            Family::Int => Ok(index),
            Family::Bits | Family::Enum | Family::Char if self.mixes() => Ok(index),
            Family::Bool
            | Family::Bits
            | Family::Real
            | Family::Time
            | Family::Enum
            | Family::Date
            | Family::Char
            | Family::Text
            | Family::Compound
            | Family::Opaque => {
                let name = self.type_name(index.ty);
                let help = match family(&self.project, index.ty) {
                    Family::Bits => self.number_for(index.ty).map(|to| format!("convert it with {name}_TO_{to}(…)")),
                    Family::Enum => Some("convert it with TO_INT(…)".to_owned()),
                    Family::Bool
                    | Family::Int
                    | Family::Real
                    | Family::Time
                    | Family::Date
                    | Family::Char
                    | Family::Text
                    | Family::Compound
                    | Family::Opaque => self.conversion_help(index.ty, elementary::DINT),
                };
                let message = format!("an index is an integer, but this is of type {name}");
                Err(self.error_with_help(codes::BAD_INDEX, index.span, message, format!("of type {name}"), help))
            }
        }
    }

    fn bits_of(&mut self, place: &mut Place, number: u32, width: u8, span: Span) -> Res<()> {
        let total = match (family(&self.project, place.ty), self.project.int_type(place.ty)) {
            (Family::Int | Family::Bits, Some(format)) => u32::from(format.bits),
            (Family::Opaque, _) => return Err(self.opaque_value(place.ty, span)),
            (
                Family::Int
                | Family::Bits
                | Family::Bool
                | Family::Real
                | Family::Time
                | Family::Enum
                | Family::Date
                | Family::Char
                | Family::Text
                | Family::Compound,
                _,
            ) => {
                let message = format!("a value of type {} has no bits to name", self.type_name(place.ty));
                return Err(self.error(codes::BAD_BITS, span, message, "neither a bit string nor an integer"));
            }
        };
        let offset = number.saturating_mul(u32::from(width));
        let inside = offset.saturating_add(u32::from(width)) <= total && u32::from(width) < total;
        match (inside, elementary::bits(width)) {
            (true, Some(ty)) => {
                place.path.push(Elem::Bits { offset: offset as u8, width });
                place.ty = ty;
                place.span = place.span.to(span);
                Ok(())
            }
            (false, _) | (true, None) => {
                let name = self.type_name(place.ty);
                let last = (total / u32::from(width.max(1))).saturating_sub(1);
                let message = format!("{name} has {total} bits: the last part of {width} bits has number {last}, not {number}");
                Err(self.error(codes::BAD_BITS, span, message, "outside of the value"))
            }
        }
    }

    /// A place that a value is written to.
    pub(crate) fn target(&mut self, scope: Scope, e: &ast::Expr) -> Res<Place> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.place(scope, name),
            ast::ExprKind::Address(text) => self.address_place(scope, text, e.span),
            ast::ExprKind::Error => Err(Bad::Reported),
            ast::ExprKind::Literal(..) | ast::ExprKind::Call(..) | ast::ExprKind::Unary(..) | ast::ExprKind::Binary(..) => {
                Err(self.error(codes::NOT_A_PLACE, e.span, "a variable is needed here", "a value, not a variable"))
            }
        }
    }
}
