//! Inherited members that the caller of an entry may call, although no call here leads to them.

use crate::hir::{PouId, PouKind, Section, TypeId};
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, Part};
use crate::resolve::classes::members::is_public;
use crate::resolve::names::tables::{Key, key};
use crate::resolve::resolver::Resolver;
use std::collections::BTreeSet;

impl<'a> Resolver<'a> {
    /// Gives each entry that is a block, and the blocks inside that its caller reaches, the members that they inherit.
    ///
    /// Soundness: no call here may lead to such a member, and then nothing else tells which variables it writes. Private members have
    /// callers inside of their block only; those are resolved with the callers.
    pub(crate) fn inherit_for_callers(&mut self) {
        let entries = self.project.task.runs.iter().map(|id| self.project.instances[*id].pou);
        let entries: Vec<PouId> = entries.filter(|pou| self.project.pous[*pou].kind == PouKind::FunctionBlock).collect();
        let blocks: BTreeSet<PouId> = entries.into_iter().flat_map(|entry| self.blocks_of_caller(entry)).collect();
        for block in blocks {
            for found in self.inherited_members(block) {
                for part in [Part::Method, Part::Get, Part::Set, Part::Action] {
                    self.member_pou(block, found, part);
                }
            }
        }
    }

    /// Returns an entry and the blocks of instances inside that its caller may reach: those in inputs and outputs, and all of them if
    /// the caller gets references.
    fn blocks_of_caller(&self, entry: PouId) -> BTreeSet<PouId> {
        let is_shown = |section| matches!(section, Section::Input | Section::Output | Section::InOut);
        let shown = self.blocks_inside(entry, is_shown);
        let gets_references = shown.iter().any(|block| {
            let chain = self.names.chain(*block);
            let members = self.names.members.iter().filter(|(_, member)| chain.contains(&member.definer));
            let of_members = members.flat_map(|(pou, _)| self.project.pous[*pou].vars.iter().skip(1));
            let is_parameter = |section| is_shown(section) || section == Section::Result;
            let of_members = of_members.filter(|var| is_parameter(var.section));
            let own = self.project.pous[*block].vars.iter().filter(|var| is_shown(var.section));
            own.chain(of_members).any(|var| self.has_references(var.ty))
        });
        if gets_references { self.blocks_inside(entry, |_| true) } else { shown }
    }

    fn has_references(&self, ty: TypeId) -> bool {
        self.project.types_inside(ty).any(|ty| self.names.is_reference(ty))
    }

    /// Returns a block and the blocks of instances inside, in variables of some sections.
    fn blocks_inside(&self, block: PouId, section: impl Fn(Section) -> bool) -> BTreeSet<PouId> {
        let (mut found, mut waiting) = (BTreeSet::new(), vec![block]);
        while let Some(block) = waiting.pop() {
            if found.insert(block) {
                let vars = self.project.pous[block].vars.iter().filter(|var| section(var.section));
                let types = vars.flat_map(|var| self.project.types_inside(var.ty));
                waiting.extend(types.filter_map(|ty| self.project.block_of(ty)));
            }
        }
        found
    }

    /// Returns the public members of the ancestors of a block that no nearer block replaces.
    fn inherited_members(&self, block: PouId) -> Vec<FoundMember<'a>> {
        let members = &self.decls.members;
        let mut found = Vec::new();
        let mut nearer: BTreeSet<Key> = BTreeSet::new();
        for (at, &definer) in self.names.chain(block).iter().enumerate() {
            let Some(own) = members.by_name.get(definer.0 as usize) else { continue };
            let decl = self.decls.pous[definer.0 as usize];
            let methods = decl.methods.iter().map(|m| (&m.name, MemberDecl::Method(m)));
            let properties = decl.properties.iter().map(|p| (&p.name, MemberDecl::Property(p)));
            let actions = decl.actions.iter().map(|a| (&a.name, MemberDecl::Action(a)));
            for (name, decl) in methods.chain(properties).chain(actions) {
                let is_replaced = nearer.contains(&key(&name.text)) && !members.overloaded.contains(&(definer, key(&name.text)));
                let member = FoundMember { definer, decl };
                if 0 < at && !is_replaced && is_public(&member) {
                    found.push(member);
                }
            }
            nearer.extend(own.keys().cloned());
        }
        found
    }
}
