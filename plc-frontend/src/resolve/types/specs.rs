//! Types as written, and their rows of the type table.
//!
//! Declared types are resolved when first needed, so their order does not matter. Aliases and named arrays are resolved away and
//! leave their initial value behind.

use crate::ast;
use crate::hir::{Field, Init, IntType, PouId, PouKind, Project, Type, TypeDef, TypeId};
use crate::resolve::classes::inheritance;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::names::tables::{Names, RefKind, RefType, Slot, Typed, key, noted};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, family};
use crate::resolve::types::table::TypeTable;
use crate::rule::{MAX_SCALARS, MAX_WITH_ARRAYS};
use crate::text::{Span, codes, suggestion};

/// Most elements of an array that is kept.
pub(crate) const MAX_ELEMENTS: usize = 65_536;

/// Place of a type as written.
#[derive(Clone, Copy)]
pub(crate) struct SpecSite<'s> {
    /// The POU whose names it sees.
    pub(crate) owner: Option<PouId>,
    pub(crate) span: Span,
    /// Its name, if it is the whole of a TYPE declaration.
    pub(crate) name: Option<&'s ast::Ident>,
}

impl Resolver<'_> {
    /// Resolves the type written at `spec`; `name` if it is the whole of a TYPE declaration.
    pub(crate) fn type_spec(&mut self, owner: Option<PouId>, spec: &ast::TypeSpec, name: Option<&ast::Ident>) -> Res<Typed> {
        let at = SpecSite { owner, span: spec.span, name };
        self.deeper(spec.span, |r| match &spec.kind {
            ast::TypeSpecKind::Name(ident) => r.named_type(ident),
            ast::TypeSpecKind::Subrange(base, range) => r.subrange(at, base, &range.0, &range.1),
            ast::TypeSpecKind::Array(dims, elem) => r.array(at, dims, elem),
            ast::TypeSpecKind::Struct(fields) => r.structure(at, fields),
            ast::TypeSpecKind::Enum(variants, base) => r.enumeration(at, variants, base.as_ref()),
            ast::TypeSpecKind::String { wide, length } => Ok(plain(r.text_spec(at, *wide, length.as_deref())?)),
            ast::TypeSpecKind::Pointer(inner) | ast::TypeSpecKind::RefTo(inner) => {
                Ok(plain(r.reference_spec(owner, RefKind::Pointer, inner, spec.kind.words())?))
            }
            ast::TypeSpecKind::Reference(inner) => {
                Ok(plain(r.reference_spec(owner, RefKind::Reference, inner, spec.kind.words())?))
            }
            ast::TypeSpecKind::Union(members) => r.union(at, members),
            ast::TypeSpecKind::OpenArray(..) => {
                Ok(plain(r.types.anonymous(&mut r.project, Type::Opaque(spec.kind.words()), spec.span)))
            }
            ast::TypeSpecKind::Opaque(words) => {
                Ok(plain(r.types.anonymous(&mut r.project, Type::Opaque(words.clone()), spec.span)))
            }
            ast::TypeSpecKind::Error => Err(Bad::Reported),
        })
    }

    /// Resolves the type of this name: elementary, declared, a function block, or an unmodelled one.
    pub(crate) fn named_type(&mut self, ident: &ast::Ident) -> Res<Typed> {
        let ident = &self.names.meant_type(ident);
        if let Some(ty) = elementary::by_name(&ident.text) {
            return Ok(plain(ty));
        }
        if let Some(&index) = self.names.types.get(&key(&ident.text)) {
            if self.names.guesses.has(&ident.text) {
                self.findings.touch_guess(&ident.text);
            }
            return self.declared_type(index, ident.span);
        }
        for (name, wide) in [("STRING", false), ("WSTRING", true)] {
            if ident.text.eq_ignore_ascii_case(name) {
                return Ok(plain(self.types.text(&mut self.project, wide, self.dialect.string_length as usize, ident.span)));
            }
        }
        if let Some(&pou) = self.names.pous.get(&key(&ident.text)) {
            return self.types.block_type(&mut self.project, &mut self.findings, pou, ident);
        }
        if let Some(&index) = self.names.interfaces.get(&key(&ident.text)) {
            let name = self.decls.interface_head(&self.names, index);
            let reference = RefType { kind: RefKind::Interface, pointee: None, interface: Some(index) };
            return Ok(plain(self.references.reference_row(&mut self.names, &mut self.project, reference, name)));
        }
        if let Some(name) = elementary::opaque(&ident.text) {
            return Ok(plain(self.types.anonymous(&mut self.project, Type::Opaque(name.to_owned()), ident.span)));
        }
        Err(self.decls.unknown_type(&self.project, &mut self.findings, ident))
    }

    /// Resolves the `index`-th declared type.
    pub(crate) fn declared_type(&mut self, index: usize, used: Span) -> Res<Typed> {
        match &self.names.declared[index] {
            Slot::Done(typed) => return Ok(typed.clone()),
            Slot::Broken => return Err(Bad::Reported),
            Slot::Busy => {
                let here = "leads back to the type that is being declared";
                return Err(self.findings.error(codes::TYPE_CYCLE, used, "this type contains itself", here));
            }
            Slot::Waiting => {}
        }
        let Some(&decl) = self.decls.types.get(index) else { return Err(Bad::Reported) };
        self.names.declared[index] = Slot::Busy;
        let (mark, before) = (self.findings.mark(), self.findings.n_guesses());
        let inherited = match &decl.extends {
            Some(base) => self.fields_of(base),
            None => Ok(Vec::new()),
        };
        let result = inherited.and_then(|inherited| {
            self.types.inherited_fields = inherited;
            let name = ast::Ident::new(self.names.full(&decl.name), decl.name.span);
            self.type_spec(None, &decl.ty, Some(&name))
        });
        self.types.inherited_fields.clear();
        self.types.inherited_values.clear();
        let result = result.and_then(|mut typed| {
            if let Some(init) = &decl.init {
                typed.init = self.value_in_type(None, init, &typed)?;
            }
            Ok(typed)
        });
        let result = self.or_guessed(result, mark, before, decl.span);
        self.names.declared[index] = match &result {
            Ok(typed) => Slot::Done(typed.clone()),
            Err(_) => Slot::Broken,
        };
        result
    }

    fn integer_base(&mut self, ident: &ast::Ident) -> Res<(TypeId, IntType)> {
        let ty = self.named_type(ident)?.ty;
        if let Type::Int(format) = self.project.types[ty].ty {
            Ok((ty, format))
        } else if let Type::Bits(bits) = self.project.types[ty].ty {
            Ok((ty, IntType { bits, signed: false }))
        } else {
            let message = format!("`{}` is not an integer type", ident.text);
            Err(self.findings.error(codes::OPERAND_TYPE, ident.span, message, "an integer type is needed here"))
        }
    }

    fn subrange(&mut self, at: SpecSite<'_>, base: &ast::Ident, low: &ast::Expr, high: &ast::Expr) -> Res<Typed> {
        let (ty, _) = self.integer_base(base)?;
        if family(&self.project, ty) == Family::Bits && self.dialect.mixes() {
            let words = format!("subrange of {}", base.text);
            return Ok(plain(self.types.anonymous(&mut self.project, Type::Opaque(words), base.span.to(high.span))));
        }
        if family(&self.project, ty) != Family::Int {
            let message = format!("a subrange of `{}` is not possible", base.text);
            return Err(self.findings.error(codes::OPERAND_TYPE, base.span, message, "not an integer type"));
        }
        let (from, to) = self.bounds(at.owner, low, high, Want::Ty(ty))?;
        let span = base.span.to(high.span);
        Ok(plain(self.types.row(&mut self.project, Type::Subrange { base: ty, low: from, high: to }, span, at.name)))
    }

    /// Resolves the bounds of a range that must not be empty.
    fn bounds(&mut self, owner: Option<PouId>, low: &ast::Expr, high: &ast::Expr, want: Want) -> Res<(i128, i128)> {
        let (from, to) = (self.constant_int(owner, low, want), self.constant_int(owner, high, want));
        let (from, to) = (from?, to?);
        if to < from {
            let message = format!("the lower bound {from} is greater than the upper bound {to}");
            return Err(self.findings.error(codes::BAD_BOUNDS, low.span.to(high.span), message, "empty range"));
        }
        Ok((from, to))
    }

    fn enumeration(
        &mut self,
        at: SpecSite<'_>,
        variants: &[(ast::Ident, Option<ast::Expr>)],
        base: Option<&ast::Ident>,
    ) -> Res<Typed> {
        let is_stated = base.is_some();
        let (mut base, mut format) = match base {
            Some(ident) => self.integer_base(ident)?,
            None => (elementary::INT, IntType { bits: 16, signed: true }),
        };
        let mut rows: Vec<(String, i128)> = Vec::new();
        for (ident, value) in variants {
            let value = match value {
                Some(e) if is_stated => self.constant_int(at.owner, e, Want::Ty(base))?,
                Some(e) => self.constant_int(at.owner, e, Want::Any)?,
                None => rows.last().map_or(0, |last| last.1 + 1),
            };
            // Systems with wider enumerations write such values without a type. Where bit strings are numbers, 16 bits may be meant.
            let wide = IntType { bits: 32, signed: true };
            if !format.holds(value) && !is_stated && wide.holds(value) {
                if self.dialect.mixes() && 0 <= value && value <= i128::from(u16::MAX) {
                    let construct = format!("value {value} of the enumeration without a type, which has 32 bits then");
                    let effect = "with 16 bits, arithmetic and comparisons of this value differ";
                    self.findings.record_assumed(ident.span, construct, effect);
                }
                (base, format) = (elementary::DINT, wide);
            }
            if !format.holds(value) {
                let message = format!("the value {value} of `{}` is outside of {}..{}", ident.text, format.min(), format.max());
                let here = "does not fit the enumeration's type";
                return Err(self.findings.error(codes::CONSTANT_RANGE, ident.span, message, here));
            }
            rows.push((ident.text.clone(), value));
        }
        if rows.is_empty() {
            return Err(self.findings.error(codes::BAD_BOUNDS, at.span, "an enumeration needs at least one value", "none here"));
        }
        let ty = self.types.row(&mut self.project, Type::Enum { base, variants: rows }, at.span, at.name);
        if is_stated && !self.dialect.mixes() {
            self.names.named_values.insert(ty);
        }
        Ok(plain(ty))
    }

    fn array(&mut self, at: SpecSite<'_>, dims: &[(ast::Expr, ast::Expr)], elem: &ast::TypeSpec) -> Res<Typed> {
        let SpecSite { owner, span, .. } = at;
        let elem = self.type_spec(owner, elem, None);
        let mut bounds: Vec<(i64, i64)> = Vec::new();
        let mut total: usize = 1;
        for (low, high) in dims {
            let (from, to) = self.bounds(owner, low, high, Want::Any)?;
            let place = low.span.to(high.span);
            match (i64::try_from(from), i64::try_from(to), usize::try_from(to - from + 1)) {
                (Ok(from), Ok(to), Ok(count)) => {
                    total = total.saturating_mul(count);
                    bounds.push((from, to));
                }
                (Err(_), _, _) | (_, Err(_), _) | (_, _, Err(_)) => {
                    return Err(self.findings.error(codes::TOO_LARGE, place, "this bound is too large", "not a 64-bit number"));
                }
            }
        }
        let elem = elem?;
        if bounds.is_empty() {
            return Err(Bad::Reported);
        }
        let scalars = self.types.size(elem.ty).saturating_mul(total);
        let most = self.types.most_values;
        if MAX_ELEMENTS.min(most.unwrap_or(MAX_ELEMENTS)) < total || most.unwrap_or(MAX_WITH_ARRAYS) < scalars {
            let ty = self.types.large_array(&mut self.project, bounds, elem.ty, span);
            self.types.set_levels(&mut self.findings, ty, self.types.levels(elem.ty), span)?;
            return Ok(plain(ty));
        }
        let ty = self.types.anonymous(&mut self.project, Type::Array { dims: bounds, elem: elem.ty }, span);
        self.types.set_size(ty, scalars);
        self.types.set_levels(&mut self.findings, ty, self.types.levels(elem.ty), span)?;
        if elem.init == Init::Default {
            return Ok(plain(ty));
        }
        self.budget.allow_initial_values(&mut self.findings, span, scalars)?;
        Ok(Typed { ty, init: Init::Array(vec![elem.init; total]) })
    }

    pub(crate) fn structure(&mut self, at: SpecSite<'_>, fields: &[ast::VarDecl]) -> Res<Typed> {
        let SpecSite { owner, span, name } = at;
        let mut values = name.map(|_| std::mem::take(&mut self.types.inherited_values)).unwrap_or_default();
        let mut rows: Vec<Field> = name.map(|_| std::mem::take(&mut self.types.inherited_fields)).unwrap_or_default();
        let mut bad = None;
        let mut scalars: usize = rows.iter().map(|f| self.types.size(f.ty)).fold(0, usize::saturating_add);
        for field in fields {
            if rows.iter().any(|row| key(&row.name) == key(&field.name.text)) {
                let message = format!("`{}` is a field of the structure that this one extends", field.name.text);
                let help = Some("rename one of them".to_owned());
                let here = "declared again here";
                bad = Some(self.findings.error_with_help(codes::DUPLICATE_NAME, field.name.span, message, here, help));
            }
        }
        for field in fields {
            match self.declared_field(owner, field, name.is_some()) {
                Ok((typed, value)) => {
                    values.extend(value.map(|value| (rows.len(), value)));
                    scalars = scalars.saturating_add(self.types.size(typed.ty));
                    let address = field.address.as_ref().map(|(address, _)| address.clone());
                    rows.push(Field { name: field.name.text.clone(), ty: typed.ty, init: typed.init, address });
                }
                Err(why) => bad = Some(why),
            }
        }
        if let Some(bad) = bad {
            return Err(bad);
        }
        self.findings.check_type_size(scalars, name.map_or(span, |n| n.span))?;
        let inside = rows.iter().map(|f| self.types.levels(f.ty)).max().unwrap_or(0);
        let ty = self.types.row(&mut self.project, Type::Struct { fields: rows }, span, name);
        self.types.values.extend(values.into_iter().map(|(at, value)| ((ty, at), value)));
        self.types.set_size(ty, scalars);
        self.types.set_levels(&mut self.findings, ty, inside, name.map_or(span, |n| n.span))?;
        Ok(plain(ty))
    }

    /// Returns the fields of the structure that another one extends.
    fn fields_of(&mut self, base: &ast::Name) -> Res<Vec<Field>> {
        let ident = inheritance::last_name(base);
        let ty = self.named_type(ident)?.ty;
        if let Type::Struct { fields } = &self.project.types[ty].ty {
            self.types.inherited_values = self.types.values_of(ty);
            Ok(fields.clone())
        } else {
            let message = format!("`{}` is no structure: a STRUCT extends another STRUCT", ident.text);
            Err(self.findings.error(codes::BAD_EXTENDS, base.span, message, "not a structure"))
        }
    }

    /// Resolves a constant expression that must be an integer, exactly.
    pub(crate) fn constant_int(&mut self, owner: Option<PouId>, e: &ast::Expr, want: Want) -> Res<i128> {
        let scope = Scope { owner, uses: Uses::Constant };
        let constant = match want {
            Want::Ty(ty) => self.expr_as(scope, e, ty, "the constant")?,
            Want::Any | Want::Unknown => self.expr(scope, e, want)?,
        };
        let not_integer = "an integer constant is needed here";
        let value = self.fold(&constant)?.as_int();
        value.ok_or_else(|| self.findings.error(codes::OPERAND_TYPE, e.span, not_integer, "not an integer"))
    }
}

impl Names {
    /// Returns a type's name without its namespaces if it is unique without them, else with all of them.
    fn meant_type(&self, ident: &ast::Ident) -> ast::Ident {
        let known = key(&ident.text);
        let last = ident.text.rsplit('.').next().unwrap_or_default().trim();
        let last = ast::Ident::new(last, ident.span);
        if noted(&self.meanings.units, &last).is_some() {
            return ast::Ident::new(self.full(&last), ident.span);
        }
        let is_full = self.types.contains_key(&known) || self.pous.contains_key(&known);
        let text = if is_full { &ident.text } else { self.unqualified_type(&ident.text) };
        let short = ast::Ident::new(text, ident.span);
        ast::Ident::new(self.full(&short), ident.span)
    }

    /// Returns whether the type of this name is being resolved now.
    pub(crate) fn is_being_declared(&self, ident: &ast::Ident) -> bool {
        let index = self.types.get(&key(&self.meant_type(ident).text));
        index.and_then(|index| self.declared.get(*index)).is_some_and(|slot| matches!(slot, Slot::Busy))
    }
}

impl TypeTable {
    fn block_type(&mut self, project: &mut Project, findings: &mut Findings, pou: PouId, ident: &ast::Ident) -> Res<Typed> {
        let (span, declared) = (project.pous[pou].span, project.pous[pou].name.clone());
        match project.pous[pou].kind {
            PouKind::FunctionBlock => Ok(plain(self.anonymous(project, Type::FunctionBlock(pou), span))),
            PouKind::Program => {
                let message = format!("`{declared}` is a PROGRAM: it runs by itself and has no instances");
                let help = Some("make it a FUNCTION_BLOCK to have instances of it".to_owned());
                Err(findings.error_with_help(codes::PROGRAM_AS_TYPE, ident.span, message, "a PROGRAM is not a type", help))
            }
            PouKind::Function(_) => {
                let message = format!("`{declared}` is a FUNCTION and not a type");
                Err(findings.error(codes::PROGRAM_AS_TYPE, ident.span, message, "a FUNCTION is not a type"))
            }
        }
    }

    fn row(&mut self, project: &mut Project, ty: Type, span: Span, name: Option<&ast::Ident>) -> TypeId {
        match name {
            Some(ident) => project.types.push(TypeDef { name: Some(ident.text.clone()), ty, span: ident.span }),
            None => self.anonymous(project, ty, span),
        }
    }
}

impl Declarations<'_> {
    fn unknown_type(&self, project: &Project, findings: &mut Findings, ident: &ast::Ident) -> Bad {
        // Of several declarations none is meant, which is reported where the name stands.
        if ident.text.contains(" or ") {
            return Bad::Reported;
        }
        // No program declares the names of blocks that only lowering uses.
        let is_written = |name: &&str| !name.starts_with("__");
        let blocks = crate::stdlib::SOURCES.iter().map(|(name, _)| *name).filter(is_written);
        let declared = self.types.iter().map(|d| d.name.text.as_str());
        let pous = project.pous.iter().map(|p| p.name.as_str()).filter(is_written);
        let standard: Vec<&str> = elementary::names().chain(blocks).collect();
        let known = standard.into_iter().chain(declared).chain(pous);
        let help = crate::library::hint(&ident.text)
            .or_else(|| suggestion(&ident.text, known))
            .unwrap_or_else(|| "upload the file or the library that declares it".to_owned());
        let message = format!("there is no type or function block `{}`", ident.text);
        findings.error_with_help(codes::UNKNOWN_TYPE, ident.span, message, "not declared in any file", Some(help))
    }
}

impl Findings {
    fn check_type_size(&mut self, scalars: usize, span: Span) -> Res<()> {
        if scalars <= MAX_SCALARS {
            return Ok(());
        }
        self.needs_smaller_arrays = true;
        let message = format!("one variable of this type has {scalars} values; at most {MAX_SCALARS} can be verified");
        Err(self.error(codes::TOO_LARGE, span, message, "too many values"))
    }
}

/// Returns a type without an initial value of its own.
pub(crate) fn plain(ty: TypeId) -> Typed {
    Typed { ty, init: Init::Default }
}
