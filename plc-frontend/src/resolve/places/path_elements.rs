//! One element of a path: a field, a variable of an instance, an index, bits, the target of a pointer.

use crate::ast::{self, NameElem};
use crate::hir::{Elem, Place, PouId, Project, Section, Type, TypeId};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Local, Names, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, family};
use crate::text::{Span, codes, suggestion};

impl Resolver<'_> {
    pub(crate) fn step(&mut self, scope: Scope, place: &mut Place, elem: &NameElem) -> Res<()> {
        let before = place.path.len();
        self.names.follow(place);
        if let (NameElem::Deref(_), true) = (elem, before < place.path.len()) {
            // A REFERENCE may be followed explicitly, too.
            return Ok(());
        }
        match elem {
            NameElem::Field(ident) => match self.named_bit(scope, place.ty, ident) {
                Some(number) => self.project.bits_of(&mut self.findings, place, number, 1, ident.span),
                None => self.field(scope, place, ident),
            },
            NameElem::Index(indices, span) => self.index(scope, place, indices, *span),
            NameElem::Bits { number, width, span } => self.project.bits_of(&mut self.findings, place, *number, *width, *span),
            NameElem::Call(_, span) => Err(self.result_as_variable(*span)),
            NameElem::Deref(span) => self.dereference(place, *span),
        }
    }

    /// Returns the number of the bit that a constant names behind an integer: `w.cBit`, as in CODESYS and TwinCAT.
    fn named_bit(&mut self, scope: Scope, ty: TypeId, ident: &ast::Ident) -> Option<u32> {
        if !matches!(family(&self.project, ty), Family::Int | Family::Bits) {
            return None;
        }
        let name = ast::Name { root: ident.clone(), path: Vec::new(), span: ident.span };
        let e = ast::Expr { kind: ast::ExprKind::Name(name), span: ident.span };
        let number = self.attempt(|r| r.constant_int(scope.owner, &e, Want::Any))?;
        u32::try_from(number).ok()
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "scalars and arrays have no named parts")]
    fn field(&mut self, scope: Scope, place: &mut Place, ident: &ast::Ident) -> Res<()> {
        self.touch_parts(place.ty);
        let (elem, ty) = match &self.project.types[place.ty].ty {
            Type::Struct { fields } => match fields.iter().position(|f| key(&f.name) == key(&ident.text)) {
                Some(i) => (Elem::Field(i as u32), fields[i].ty),
                None => {
                    let help = suggestion(&ident.text, fields.iter().map(|f| f.name.as_str()));
                    let message = format!("{} has no field `{}`", self.project.type_name(place.ty), ident.text);
                    let here = "not one of its fields";
                    return Err(self.findings.error_with_help(codes::UNKNOWN_PART, ident.span, message, here, help));
                }
            },
            Type::FunctionBlock(pou) => {
                let pou = *pou;
                self.member(scope, pou, ident)?
            }
            Type::Opaque(_) => return Err(self.project.opaque_value(place.ty, ident.span)),
            _ => {
                let message = format!("a value of type {} has no part `{}`", self.project.type_name(place.ty), ident.text);
                return Err(self.findings.error(codes::UNKNOWN_PART, ident.span, message, "neither a structure nor an instance"));
            }
        };
        place.enter(elem, ty, ident.span);
        Ok(())
    }

    fn member(&mut self, scope: Scope, pou: PouId, ident: &ast::Ident) -> Res<(Elem, TypeId)> {
        self.touch(pou);
        let locals = &self.names.locals[pou.0 as usize];
        let other = || self.project.other_name(pou, &ident.text).and_then(|other| locals.get(&key(other)));
        let id = match locals.get(&key(&ident.text)).or_else(other) {
            Some(&Local::Var(id)) => id,
            Some(Local::External(_) | Local::Inherent(..) | Local::Broken) | None => {
                if let Some(gap) = self.enable(ident) {
                    return Err(gap);
                }
                let name = format!("{}.{}", self.project.pous[pou].name, ident.text);
                if scope.uses == Uses::Condition && self.names.globals.contains_key(&key(&name)) {
                    let message = format!("`{}` is no variable of an instance: all instances share it", ident.text);
                    let help = Some(format!("write `{name}`"));
                    return Err(self.findings.error_with_help(codes::UNKNOWN_PART, ident.span, message, "VAR_STAT", help));
                }
                return Err(self.unknown_member(pou, ident));
            }
        };
        let ty = self.usable(VarRef::Local(pou, id), ident.span)?;
        if scope.uses == Uses::Condition {
            self.project.persists(&mut self.findings, pou, id, ident)?;
        }
        let section = self.project.pous[pou].vars[id].section;
        let private = match section {
            Section::Input | Section::Output | Section::Global => false,
            // A condition sees the variables of all programs.
            Section::Local => {
                let is_visible = self.names.sees_inside(self.dialect, &self.project, scope, pou);
                scope.uses != Uses::Condition && !is_visible && !self.decls.is_public(&self.names, pou, ident)
            }
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
            let here = "not visible from outside";
            return Err(self.findings.error_with_help(codes::NOT_ACCESSIBLE, ident.span, message, here, help));
        }
        Ok((Elem::Member(id), ty))
    }

    fn index(&mut self, scope: Scope, place: &mut Place, indices: &[ast::Expr], span: Span) -> Res<()> {
        if self.names.references.contains_key(&place.ty) {
            let effect = "only `p^` is modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(span, "index of a pointer, which is arithmetic on it", effect));
        }
        let (dims, elem) = if let Type::Array { dims, elem } = &self.project.types[place.ty].ty {
            (dims.clone(), *elem)
        } else if let (Some(large), Uses::Code) = (self.types.large(place.ty), scope.uses) {
            (large.dims.clone(), large.elem)
        } else if let Type::Opaque(_) = &self.project.types[place.ty].ty {
            return Err(self.project.opaque_value(place.ty, span));
        } else {
            let message = format!("a value of type {} has no index", self.project.type_name(place.ty));
            return Err(self.findings.error(codes::BAD_INDEX, span, message, "not an array"));
        };
        if indices.len() != dims.len() {
            let message = format!("this array has {} dimensions, and {} indices are given", dims.len(), indices.len());
            return Err(self.findings.error(codes::BAD_INDEX, span, message, "one index for each dimension"));
        }
        let resolved: Vec<Res<crate::hir::Expr>> = indices.iter().map(|e| self.index_expr(scope, e)).collect();
        let mut resolved: Vec<crate::hir::Expr> = resolved.into_iter().collect::<Res<_>>()?;
        if self.project.text(place.ty).is_some() {
            match scope.uses {
                Uses::Code => self.findings.note_behaviour(self.dialect, Behaviour::TextIndex, span),
                Uses::Condition => return Err(self.character_in_condition(span)),
                Uses::Constant => {}
            }
            resolved = resolved.into_iter().map(|index| self.dialect.character_index(index)).collect();
        }
        place.enter(Elem::Index(resolved), elem, span);
        Ok(())
    }

    /// Soundness: the ledger has no conditions of requirements, so the bytes behind the text cannot be taken for granted.
    fn character_in_condition(&mut self, span: Span) -> Bad {
        let message = "a condition cannot read a character of a string by its index";
        let help = Some("write MID(s, 1, position): behind the text of a string it is empty".to_owned());
        self.findings.error_with_help(codes::BAD_INDEX, span, message, "the bytes behind a text are not known", help)
    }

    fn index_expr(&mut self, scope: Scope, e: &ast::Expr) -> Res<crate::hir::Expr> {
        let index = self.expr(scope, e, Want::Any)?;
        let index = self.names.as_unnamed(&self.project, index);
        let of = family(&self.project, index.ty);
        if of == Family::Int || (self.dialect.mixes() && matches!(of, Family::Bits | Family::Enum | Family::Char)) {
            return Ok(index);
        }
        let name = self.project.type_name(index.ty);
        let help = if of == Family::Bits {
            self.project.number_for(index.ty).map(|to| format!("convert it with {name}_TO_{to}(…)"))
        } else if of == Family::Enum {
            Some("convert it with TO_INT(…)".to_owned())
        } else {
            self.project.conversion_help(index.ty, elementary::DINT)
        };
        let message = format!("an index is an integer, but this is of type {name}");
        Err(self.findings.error_with_help(codes::BAD_INDEX, index.span, message, format!("of type {name}"), help))
    }
}

impl Declarations<'_> {
    /// Returns whether a variable of a block is declared in VAR PUBLIC.
    fn is_public(&self, names: &Names, pou: PouId, ident: &ast::Ident) -> bool {
        let declaring = names.chain(pou).iter().filter_map(|block| self.pous.get(block.0 as usize));
        let mut public = declaring.flat_map(|decl| &decl.vars).filter(|block| block.access == ast::Access::Public);
        public.any(|block| block.vars.iter().any(|var| key(&var.name.text) == key(&ident.text)))
    }
}

impl Project {
    fn bits_of(&self, findings: &mut Findings, place: &mut Place, number: u32, width: u8, span: Span) -> Res<()> {
        let total = match (family(self, place.ty), self.int_type(place.ty)) {
            (Family::Int | Family::Bits, Some(format)) => u32::from(format.bits),
            (Family::Opaque, _) => return Err(self.opaque_value(place.ty, span)),
            (_, _) => {
                let message = format!("a value of type {} has no bits to name", self.type_name(place.ty));
                return Err(findings.error(codes::BAD_BITS, span, message, "neither a bit string nor an integer"));
            }
        };
        let offset = number.saturating_mul(u32::from(width));
        let inside = offset.saturating_add(u32::from(width)) <= total && u32::from(width) < total;
        match (inside, elementary::bits(width)) {
            (true, Some(ty)) => {
                place.enter(Elem::Bits { offset: offset as u8, width }, ty, span);
                Ok(())
            }
            (false, _) | (true, None) => {
                let name = self.type_name(place.ty);
                let last = (total / u32::from(width.max(1))).saturating_sub(1);
                let message = format!("{name} has {total} bits: the last part of {width} bits has number {last}, not {number}");
                Err(findings.error(codes::BAD_BITS, span, message, "outside of the value"))
            }
        }
    }
}
