//! Names of programs.

use std::collections::BTreeSet;

use super::program::shapes_of;
use super::types::{Members, Shape, Shapes};
use super::{ident_of, key};
use crate::ast::Ident;
use crate::lang::xml::Element;

/// Returns the name of a program. `_Program` is added where a data type or an Add-On Instruction has its name.
///
/// It is added, too, where a tag of this name has a part with the name of a tag of the program: `Motor.Run` is the part.
pub(super) fn identifier(program: Element<'_>, programs: &[Element<'_>], globals: &Members, shapes: &Shapes) -> Option<Ident> {
    let mut name = ident_of(program)?;
    let tags: Vec<_> = program.children_named("Tags").flat_map(Element::children).collect();
    let own = shapes_of(&tags);
    let has_part = |shape: &Shape| {
        let members = shapes.members(&shape.ty).into_iter().flat_map(Members::keys);
        members.into_iter().any(|member| own.contains_key(&key(member)))
    };
    let is_type = |name: &str| shapes.members(name).is_some() || shapes.protected.contains(&key(name));
    let is_tag = [globals, &own].into_iter().filter_map(|tags| tags.get(&key(&name.text))).any(has_part);
    if !is_tag && !is_type(&name.text) {
        return Some(name);
    }
    let mut taken: BTreeSet<String> = own.keys().chain(globals.keys()).cloned().collect();
    taken.extend(programs.iter().filter_map(|other| ident_of(*other)).map(|other| key(&other.text)));
    while taken.contains(&key(&name.text)) || is_type(&name.text) {
        name.text.push_str("_Program");
    }
    Some(name)
}
