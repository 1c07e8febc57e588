//! Direct addresses: a global variable for each address in code at which no variable is declared.
//!
//! `overlaps` finds shared memory, `shared` models it.

use crate::ast;
use crate::hir::printer::address_text;
use crate::hir::{Elem, Place, Project, Root, Section, Type, TypeId, Var};
use crate::lang::common::address::address;
use crate::resolve::findings::{Res, unsupported};
use crate::resolve::names::tables::{Names, VarRef, key};
use crate::resolve::prepare::uses::addresses;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::elementary;
use crate::resolve::types::table::TypeTable;
use crate::text::{Span, codes};

impl Resolver<'_> {
    /// Resolves a direct address in code to its place.
    pub(crate) fn address_place(&mut self, scope: Scope, text: &str, span: Span) -> Res<Place> {
        let found = match address(text) {
            Ok(found) if !found.path.is_empty() => found,
            Ok(_) | Err(_) => {
                let help = Some("write it as %IX0.3 or %QW4".to_owned());
                let message = format!("`{text}` is not an address");
                return Err(self.findings.error_with_help(codes::BAD_ADDRESS, span, message, "no such address", help));
            }
        };
        let name = address_text(&found);
        let vars = self.names.addresses.get(&name).cloned().unwrap_or_default();
        let visible = vars.iter().find_map(|&var| match var {
            VarRef::Global(id) => Some((Place::of(Root::Global(id), elementary::BOOL, span), var)),
            VarRef::Local(pou, id) => {
                let place = |root, path| (Place { root, path, ty: elementary::BOOL, span }, var);
                let instance = self.project.instances.iter_enumerated().find(|(_, i)| i.pou == pou);
                match (scope.uses, instance) {
                    (Uses::Code | Uses::Constant, _) if scope.owner == Some(pou) => Some(place(Root::Var(id), Vec::new())),
                    (Uses::Code | Uses::Constant, _) => {
                        let inherent = scope.owner.is_some_and(|owner| self.names.block_of(owner) == pou);
                        inherent.then(|| place(Root::Var(crate::hir::Pou::THIS), vec![Elem::Member(id)]))
                    }
                    (Uses::Condition, Some((instance, _))) => Some(place(Root::Instance(instance), vec![Elem::Member(id)])),
                    (Uses::Condition, None) => None,
                }
            }
        });
        match (visible, scope.uses) {
            (Some((place, var)), _) => Ok(Place { ty: self.usable(var, span)?, ..place }),
            (None, Uses::Condition) if vars.is_empty() => {
                let message = format!("the program does not use the address {name}");
                Err(self.findings.error(codes::UNKNOWN_NAME, span, message, "not used"))
            }
            (None, _) => {
                let effect = "the variable is not visible here, so nothing after this statement in the cycle is verified";
                Err(unsupported(span, format!("address {name} of another program's variable"), effect))
            }
        }
    }
}

impl Names {
    /// Makes a global variable of each direct address in code at which no variable is declared.
    pub(crate) fn declare_addresses(&mut self, project: &mut Project, units: &[ast::Unit]) {
        let vars: Vec<VarRef> = project.all_vars().collect();
        for var in vars {
            if let Some(address) = project.var(var).address.as_ref().filter(|a| !a.path.is_empty()) {
                let text = address_text(address);
                self.addresses.entry(text).or_default().push(var);
            }
        }
        for (text, span) in addresses(units) {
            let Ok(address) = address(text) else { continue };
            let name = address_text(&address);
            if address.path.is_empty() || self.addresses.contains_key(&name) {
                continue;
            }
            let ty = elementary::bits(address.size.bits() as u8).unwrap_or(elementary::BOOL);
            let id = project.globals.push(Var { address: Some(address), ..Var::new(name.clone(), ty, Section::Global, span) });
            self.globals.insert(key(&name), id);
            self.addresses.insert(name, vec![VarRef::Global(id)]);
        }
    }
}

impl Project {
    fn all_vars(&self) -> impl Iterator<Item = VarRef> + '_ {
        let globals = self.globals.ids().map(VarRef::Global);
        let pous = self.pous.iter_enumerated();
        globals.chain(pous.flat_map(|(pou, row)| row.vars.ids().map(move |v| VarRef::Local(pou, v))))
    }
}

impl TypeTable {
    /// Returns an upper bound of the bits of a variable; a BOOL in an array may take a byte.
    pub(crate) fn located_bits(&self, project: &Project, ty: TypeId) -> u64 {
        match (&project.types[ty].ty, project.elementary_bits(ty)) {
            (_, Some(bits)) => u64::from(bits),
            (Type::Array { elem, .. }, None) => {
                let count = self.size(ty) / self.size(*elem).max(1);
                (count as u64).saturating_mul(self.located_bits(project, *elem).max(8))
            }
            (_, None) => match self.large(ty) {
                Some(large) => large.n_elements().saturating_mul(self.located_bits(project, large.elem).max(8)),
                None => (self.size(ty) as u64).saturating_mul(64),
            },
        }
    }
}
