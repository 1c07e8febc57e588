//! Leaves in memory at addresses, and the conditions about fields of structures there.

use std::collections::BTreeSet;

use super::accesses::member_of;
use super::beside_files::{Condition, assumed};
use super::usage::blocks;
use crate::hir::{Address, AddressArea, Extent, Leaf, LeafElem, Project, Root, Type, TypeDef};
use crate::text::{Gap, Treatment};

/// Returns whether a variable around the leaf has an address.
pub(super) fn is_located(project: &Project, leaf: &Leaf) -> bool {
    let is_global = matches!(leaf.root, Root::Global(global) if project.globals[global].address.is_some());
    let has_address =
        |block| member_of(block, &leaf.path).is_some_and(|(var, _)| project.pous[block.pou].vars[var].address.is_some());
    let has_fixed_field = || field_addresses(project, leaf).iter().any(|address| !address.path.is_empty());
    is_global || leaf.view.is_some() || blocks(project, leaf).into_iter().any(has_address) || has_fixed_field()
}

/// Returns the addresses of the fields around a leaf, the outermost first.
pub(super) fn field_addresses<'p>(project: &'p Project, leaf: &Leaf) -> Vec<&'p Address> {
    let mut addresses = Vec::new();
    let mut ty = match leaf.root {
        Root::Global(global) => Some(project.globals[global].ty),
        Root::Instance(_) | Root::Var(_) | Root::This(_) => None,
    };
    let entry = if let Root::Instance(instance) = leaf.root { Some(project.instances[instance].pou) } else { None };
    for elem in &leaf.path {
        ty = match (elem, ty.map(|ty| &project.types[ty].ty)) {
            (LeafElem::Field(at), Some(Type::Struct { fields })) => {
                let Some(field) = fields.get(*at as usize) else { return addresses };
                addresses.extend(&field.address);
                Some(field.ty)
            }
            (LeafElem::Index(_), Some(Type::Array { elem, .. })) => Some(*elem),
            (LeafElem::Member(var), Some(Type::FunctionBlock(pou))) => Some(project.pous[*pou].vars[*var].ty),
            (LeafElem::Member(var), None) => entry.map(|pou| project.pous[pou].vars[*var].ty),
            (LeafElem::Field(_) | LeafElem::Index(_) | LeafElem::Member(_), _) => return addresses,
        };
    }
    addresses
}

/// Returns the conditions about fields of structures at fixed addresses, one for each area of memory.
///
/// Soundness: each field has memory of its own here. On the controller all variables of the structure share it, and those at addresses
/// that overlap.
pub(super) fn fields_at_addresses(project: &Project) -> Vec<Condition> {
    let is_field = |def: &TypeDef| matches!(&def.ty, Type::Struct { fields } if fields.iter().any(|f| f.address.is_some()));
    if !project.types.iter().any(is_field) {
        return Vec::new();
    }
    let leaves = project.leaves();
    let mut found = Vec::new();
    for area in [AddressArea::Input, AddressArea::Output, AddressArea::Memory] {
        let is_fixed = |leaf: &&Leaf| {
            let addresses = field_addresses(project, leaf);
            let is_within = leaf.view.is_some() || var_address(project, leaf).is_some();
            addresses.iter().any(|address| address.area == area && (is_within || !address.path.is_empty()))
        };
        let fields: Vec<&Leaf> = leaves.iter().filter(is_fixed).collect();
        let Some(first) = fields.first() else { continue };
        let is_other = |leaf: &&Leaf| {
            let is_elsewhere = var_address(project, leaf).is_some_and(|address| address.area != area);
            is_located(project, leaf) && !is_elsewhere && !is_fixed(leaf)
        };
        let names = fields.iter().copied().chain(leaves.iter().filter(is_other)).map(|leaf| leaf.name.clone());
        let names: BTreeSet<String> = names.collect();
        if names.len() == 1 {
            continue;
        }
        let construct = format!("`{}`, a field at a fixed address (AT), shares its memory with no other variable", first.name);
        let effect = "fields of structures at addresses are modelled as memory of their own; declare the variable itself with AT";
        // Inputs that are apart have more values.
        let is_read_only = area == AddressArea::Input;
        let treatment = if is_read_only { Treatment::AssumedByRuns } else { Treatment::Assumed };
        found.push((Gap { treatment, ..assumed(first.span, construct, effect) }, Extent::Leaves(names)));
    }
    found
}

/// Returns the address of the global variable that a leaf is a part of.
fn var_address<'p>(project: &'p Project, leaf: &Leaf) -> Option<&'p Address> {
    if let Root::Global(global) = leaf.root { project.globals[global].address.as_ref() } else { None }
}

#[cfg(test)]
mod tests {
    use crate::environment::tests::{check, loaded};
    use crate::hir::Extent;

    /// Checks the variables of the conditions about fields.
    fn told(text: &str) -> Vec<String> {
        let loaded = loaded(text, None);
        let gaps = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("a field at a fixed address"));
        let names = |span| match loaded.project.beside.get(span) {
            Some(Extent::Leaves(names)) => names.iter().cloned().collect::<Vec<_>>().join(" "),
            other => format!("{other:?}"),
        };
        gaps.map(|gap| format!("{:?} {}", gap.treatment, names(&gap.span))).collect()
    }

    fn program(fields: &str, globals: &str, vars: &str) -> String {
        format!(
            "TYPE S : STRUCT {fields} END_STRUCT END_TYPE\nVAR_GLOBAL {globals} END_VAR\n\
             FUNCTION_BLOCK F VAR s : S; END_VAR VAR_OUTPUT o : BOOL; END_VAR o := s.a; s.a := FALSE; END_FUNCTION_BLOCK\n\
             PROGRAM P VAR {vars} END_VAR VAR_OUTPUT q : BOOL; END_VAR END_PROGRAM"
        )
    }

    #[test]
    fn fields_of_structures_at_inputs_are_inputs() {
        let fields = "a AT %I* : BOOL; n AT %Q* : INT; b : BOOL;";
        check(&program(fields, "", "s : S;"), None, "P.s.a", "P.s.n P.s.b P.q");
        check(
            &program(fields, "", "s : ARRAY [1..2] OF S; f : F;"),
            None,
            "P.s[1].a P.s[2].a P.f.s.a",
            "P.s[1].n P.s[1].b P.s[2].n P.s[2].b P.f.s.n P.f.s.b P.f.o P.q",
        );
        check(&program("a : BOOL;", "", "s : S;"), None, "", "P.s.a P.q");
        assert_eq!(told(&program(fields, "", "s : S;")), Vec::<String>::new());
    }

    #[test]
    fn fields_at_fixed_addresses_may_share_their_memory() {
        let none = Vec::<String>::new();
        assert_eq!(told(&program("a AT %MX10.0 : BOOL;", "s : S;", "x : BOOL;")), none);
        assert_eq!(told(&program("a AT %MX10.0 : BOOL;", "s : S; w AT %MW10 : INT; i AT %IW10 : INT;", "")), ["Assumed s.a w"]);
        assert_eq!(told(&program("a AT %QX10.0 : BOOL;", "s, t : S; w AT %MW10 : INT;", "")), ["Assumed s.a t.a"]);
        assert_eq!(told(&program("a AT %IX10.0 : BOOL;", "s, t : S;", "")), ["AssumedByRuns s.a t.a"]);
        assert_eq!(told(&program("a AT %M* : BOOL;", "s, t : S; w AT %MW10 : INT;", "")), none);
    }
}
