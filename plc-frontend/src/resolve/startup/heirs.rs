//! Heirs of an entry that is a block: instances of them run with members of their own.
//!
//! Soundness: the run calls the members of the block itself. In an instance of an heir, the same statements call those of the heir.

use std::collections::BTreeSet;

use crate::ast;
use crate::hir::{Extent, PouId, PouKind};
use crate::resolve::resolver::Resolver;
use crate::text::{Key, Origin, key};

/// Members that the controller calls in each block of a chain: an heir overrides none of them.
const CHAINED: &[&str] = &["FB_init", "FB_reinit", "FB_exit"];

impl Resolver<'_> {
    /// Notes that answers about an entry are not about heirs that override its members.
    pub(super) fn note_heirs(&mut self) {
        let runs: BTreeSet<PouId> = self.project.task.runs.iter().map(|id| self.project.instances[*id].pou).collect();
        for entry in runs.into_iter().filter(|pou| self.project.pous[*pou].kind == PouKind::FunctionBlock) {
            let members = |pou: &PouId| self.decls.pous.get(pou.0 as usize).map(|pou| own_members(pou)).unwrap_or_default();
            let own: BTreeSet<Key> = self.names.chain(entry).iter().chain([&entry]).flat_map(members).collect();
            let is_heir = |pou: &PouId| *pou != entry && self.names.chain(*pou).contains(&entry);
            let users = self.project.pous.ids().filter(|pou| self.project.pous[*pou].origin == Origin::User);
            let heirs: Vec<(PouId, Key)> = users
                .filter(is_heir)
                .filter_map(|heir| Some((heir, members(&heir).into_iter().find(|member| own.contains(member))?)))
                .collect();
            let name = self.project.pous[entry].name.clone();
            for (heir, member) in heirs {
                let (heir_name, span) = (self.project.pous[heir].name.clone(), self.project.pous[heir].span);
                let construct = format!("no instance of `{heir_name}` is meant, which overrides `{member}` of `{name}`");
                let effect = "calls of the member do other things there; choose the heir as the entry to verify it";
                self.findings.record_assumed(span, construct, effect);
                self.project.beside.insert(span, Extent::All);
            }
        }
    }
}

/// Returns the names of the members that a block declares.
fn own_members(pou: &ast::Pou) -> Vec<Key> {
    let methods = pou.methods.iter().map(|method| &method.name);
    let properties = pou.properties.iter().map(|property| &property.name);
    let actions = pou.actions.iter().map(|action| &action.name);
    let names = methods.chain(properties).chain(actions).map(|name| name.text.as_str());
    names.filter(|name| !CHAINED.iter().any(|chained| chained.eq_ignore_ascii_case(name))).map(key).collect()
}
