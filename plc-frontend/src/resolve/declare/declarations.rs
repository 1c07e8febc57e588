//! The declarations behind the ids.

use crate::ast;
use crate::hir::{PouId, Section, Var, VarId};
use crate::resolve::calls::copy_table::Copies;
use crate::resolve::classes::member_table::Members;
use crate::resolve::names::tables::{Declared, NameSet, Names, VarRef, VariantHome};
use crate::resolve::types::elementary;
use crate::text::Key;
use std::collections::{BTreeMap, BTreeSet};

/// The declarations behind the ids; the n-th row of a table belongs to the n-th id.
#[derive(Debug, Default)]
pub(crate) struct Declarations<'a> {
    pub(crate) types: Vec<&'a ast::TypeDecl>,
    pub(crate) vars: BTreeMap<VarRef, VarSite<'a>>,
    pub(crate) copies: Copies<'a>,
    /// Places of global variables.
    pub(crate) homes: BTreeMap<crate::hir::GlobalId, Home>,
    /// Variables that are declared at others, with the names of the others.
    pub(crate) overlays: BTreeMap<PouId, Vec<(VarId, &'a ast::Ident)>>,
    /// VAR_IN_OUT CONSTANT.
    pub(crate) read_only: BTreeSet<VarRef>,
    /// Places of arguments for VAR_IN_OUT CONSTANT.
    pub(crate) read_only_arguments: BTreeSet<crate::text::Span>,
    /// Arguments of declarations of instances.
    pub(crate) args: BTreeMap<VarRef, &'a [ast::Arg]>,
    pub(crate) pous: Vec<&'a ast::Pou>,
    /// Files with the attribute `linkalways`.
    pub(crate) linked: BTreeSet<crate::text::FileId>,
    /// VAR_EXTERNAL, with the declaration whose type must match.
    pub(crate) externals: Vec<(PouId, &'a ast::VarDecl)>,
    pub(crate) interfaces: Vec<&'a ast::Interface>,
    /// Names of functions that share them and differ in their parameters.
    pub(crate) overloaded_functions: BTreeSet<Key>,
    /// Methods, properties and actions.
    pub(crate) members: Members<'a>,
    /// Variables that persist and that no global declaration makes.
    pub(crate) hidden_globals: Vec<crate::hir::GlobalId>,
    /// Everything that was declared, for the rule on duplicates.
    pub(crate) declared: Vec<Declared>,
}

/// Place of a global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In any section of a named list.
    List(usize),
    Section(crate::text::Span),
}

/// Type and initial value of a variable as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarSite<'a> {
    pub(crate) ty: &'a ast::TypeSpec,
    pub(crate) init: Option<&'a ast::Initializer>,
    /// POU in whose scope both are read.
    pub(crate) owner: Option<PouId>,
}

impl<'a> Declarations<'a> {
    /// Notes type and initial value of a variable.
    pub(crate) fn site(&mut self, names: &mut Names, variable: VarRef, site: VarSite<'a>) {
        self.vars.insert(variable, site);
        self.collect_parts(names, site.ty, VariantHome::Var(variable));
    }

    /// Collects the enumeration values and fields that a type declares inside.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other types declare nothing inside")]
    pub(crate) fn collect_parts(&mut self, names: &mut Names, spec: &'a ast::TypeSpec, home: VariantHome) {
        let mut waiting = vec![spec];
        while let Some(spec) = waiting.pop() {
            let set = NameSet::Parts(self.declared.len());
            match &spec.kind {
                ast::TypeSpecKind::Enum(variants, _) => {
                    for (variant, _) in variants {
                        self.declare("enumeration value", set, variant);
                        let homes = names.variants.entry(names.meant_value(variant)).or_default();
                        if !homes.contains(&home) {
                            homes.push(home);
                        }
                    }
                }
                ast::TypeSpecKind::Struct(fields) => {
                    for field in fields {
                        self.declare("field", set, &field.name);
                        waiting.push(&field.ty);
                    }
                }
                ast::TypeSpecKind::Union(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
                ast::TypeSpecKind::Array(_, elem)
                | ast::TypeSpecKind::OpenArray(_, elem)
                | ast::TypeSpecKind::Pointer(elem)
                | ast::TypeSpecKind::RefTo(elem)
                | ast::TypeSpecKind::Reference(elem) => waiting.push(elem),
                _ => {}
            }
        }
    }

    pub(crate) fn declare(&mut self, kind: &'static str, set: NameSet, name: &ast::Ident) {
        self.declared.push(Declared { kind, set, name: name.text.clone(), span: name.span });
    }
}

/// Returns a variable whose type is not known yet.
pub(crate) fn placeholder(name: &ast::Ident, section: Section) -> Var {
    Var::new(name.text.clone(), elementary::BOOL, section, name.span)
}
