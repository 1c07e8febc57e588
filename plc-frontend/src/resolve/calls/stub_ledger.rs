//! Entries of the ledger about stubs, and about declarations that no file has.

use crate::ast;
use crate::hir::{Interface, Pou, PouId, PouKind, Project, Section, Var};
use crate::resolve::findings::Findings;
use crate::resolve::types::elementary;
use crate::text::{EXTENDS_STUB, Gap, GapId, KEPT_ADDRESS, Origin, Treatment};

impl Findings {
    /// Enters a type that no file declares into the ledger.
    pub(crate) fn record_inferred_type(&mut self, decl: &ast::TypeDecl) {
        let kind = match &decl.ty.kind {
            ast::TypeSpecKind::Struct(_) => "a structure with the fields that its uses name".to_owned(),
            ast::TypeSpecKind::Name(name) if elementary::opaque(&name.text).is_some() => {
                "a type of which nothing is known".to_owned()
            }
            ast::TypeSpecKind::Name(_)
            | ast::TypeSpecKind::Subrange(..)
            | ast::TypeSpecKind::Array(..)
            | ast::TypeSpecKind::Enum(..)
            | ast::TypeSpecKind::String { .. }
            | ast::TypeSpecKind::Pointer(_)
            | ast::TypeSpecKind::RefTo(_)
            | ast::TypeSpecKind::Reference(_)
            | ast::TypeSpecKind::OpenArray(..)
            | ast::TypeSpecKind::Union(_)
            | ast::TypeSpecKind::Opaque(_)
            | ast::TypeSpecKind::Error => format!("another name of {}", decl.ty.kind.words()),
        };
        let construct = format!("`{}` is declared in no file: it is taken for {kind}", decl.name.text);
        let effect = "with other fields, types or initial values, runs that the model does not have are possible";
        self.record(Gap { span: decl.span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() });
    }

    /// Enters an interface that no file declares into the ledger.
    pub(crate) fn record_inferred_interface(&mut self, decl: &ast::Interface) {
        let construct = format!(
            "the interface `{}` is declared in no file: it is taken from its uses, and what implements it elsewhere writes no global variable",
            decl.name.text
        );
        let effect = "with other methods or types, runs that the model does not have are possible";
        self.record(Gap { span: decl.span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() });
    }

    /// Enters a global variable that no file declares into the ledger.
    pub(crate) fn record_unknown_global(&mut self, var: &Var, keeps_value: bool) {
        let kind = match keeps_value {
            true => "a constant of any value",
            false => "a variable that has any value at the beginning of a cycle",
        };
        let construct = format!("`{}` is declared in no file: it is taken for {kind}", var.name);
        let effect = "with other types, or if it changes at other times, runs that the model does not have are possible";
        self.record(Gap { span: var.span, construct, treatment: Treatment::Assumed, effect: effect.to_owned() });
    }

    /// Enters a stub into the ledger. Answers by a run rest on the values that it gives; an inferred one is a condition of each
    /// answer that depends on it.
    ///
    /// `gets_reference`: its text declares an input by reference.
    pub(crate) fn record_stub(
        &mut self,
        project: &Project,
        declared: PouId,
        interface: Interface,
        gets_reference: bool,
    ) -> GapId {
        let pou = &project.pous[declared];
        let (name, span) = (&pou.name, pou.span);
        let gap = |construct: String, treatment, effect: &str| Gap { span, construct, treatment, effect: effect.to_owned() };
        // Functions of a library that users do not see have two underscores in a row.
        let hidden = name.split_once("__").filter(|_| pou.origin == Origin::Library).map(|(_, ty)| ty);
        let construct = match interface {
            Interface::Declared | Interface::System | Interface::Undefined => match hidden {
                Some(ty) => format!("results of type {ty} that instructions may give"),
                None => format!("stub `{name}`, of which only the interface is known"),
            },
            Interface::Protected => {
                let condition = format!(
                    "`{name}` is know-how-protected: it writes no global variable, no data block of others, and nothing that an earlier call gave to it"
                );
                let effect = "its body is a part of the project, and may name what its interface does not show";
                self.record(gap(condition, Treatment::Assumed, effect));
                format!("know-how-protected `{name}`, of which only the interface is known")
            }
            Interface::Inferred => {
                let condition = format!(
                    "`{name}` is declared in no file: its interface is taken from its uses; it writes no global variable, none of a program, and nothing that an earlier call gave to it"
                );
                let effect = "with other types, properties in place of variables, or global variables in place of what blocks inherit from it, runs that the model does not have are possible";
                self.record(gap(condition, Treatment::Assumed, effect));
                format!("`{name}`, which no file declares")
            }
        };
        if !interface.may_be_of_project() && (gets_reference || keeps_addresses(project, declared)) {
            let effect = "a block that writes through it at a later call can break what holds here";
            let construct = format!("`{name}` {KEPT_ADDRESS}");
            self.record(gap(construct, Treatment::Assumed, effect));
        }
        let effect = "the run takes any value from it; the real block may never give this value";
        let giver = hidden.map_or_else(|| format!("`{name}`"), |ty| format!("an instruction with any result of type {ty}"));
        self.record(gap(format!("{giver} can give the values of the run"), Treatment::AssumedByRuns, effect));
        let effect = "each call gives its variables, its result and all variables that it gets any value; it returns, and writes nothing else";
        self.record(gap(construct, Treatment::OverApproximated, effect))
    }

    /// Notes the condition about a block with members that extends a stub. Its place is that of the stub, as of the stub's own.
    pub(crate) fn record_heir(&mut self, project: &Project, heir: PouId, base: PouId) {
        let (heir, name, span) = (&project.pous[heir].name, &project.pous[base].name, project.pous[base].span);
        let construct = format!("`{name}` calls no member of `{heir}`{EXTENDS_STUB}");
        let effect =
            "a member that overrides one of the stub would run inside of the stub, where no call of it is seen".to_owned();
        self.record(Gap { span, construct, treatment: Treatment::Assumed, effect });
    }
}

/// Returns whether a POU, or a member of it, gets addresses, which it may keep. Functions of libraries keep nothing.
fn keeps_addresses(project: &Project, declared: PouId) -> bool {
    let pou = &project.pous[declared];
    let is_function = matches!(pou.kind, PouKind::Function(_)) && pou.member_of.is_none();
    if is_function && pou.origin == Origin::Library {
        return false;
    }
    let is_own = |(id, pou): &(PouId, &Pou)| *id == declared || pou.member_of == Some(declared);
    let is_given = |var: &&Var| matches!(var.section, Section::Input | Section::InOut);
    project.pous.iter_enumerated().filter(is_own).any(|(_, pou)| {
        // The first variable of a member is the instance.
        let own = pou.vars.iter().skip(usize::from(pou.member_of.is_some()));
        own.filter(is_given).any(|var| project.types_inside(var.ty).any(|ty| project.references.contains_key(&ty)))
    })
}
