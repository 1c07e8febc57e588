//! Blocks and functions whose interface stands in a `.fun` file and whose statements stand in another file of the same library.

use std::collections::BTreeMap;

use super::{folder, is_interface};
use crate::ast::{Body, Item, Pou, Unit};
use crate::text::{FileId, Key, key};

/// Gives the interfaces their statements. A name with several interfaces or several bodies in one folder stays as it is.
pub(super) fn join<'n>(units: &mut [Unit], name: &impl Fn(FileId) -> &'n str) {
    // The place of each interface without statements, by folder and name.
    let mut interfaces: BTreeMap<(&str, Key), Vec<(usize, usize)>> = BTreeMap::new();
    let mut bodies: BTreeMap<(&str, Key), Vec<(usize, usize)>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let file = name(unit.file);
        for (item, pou) in pous(unit) {
            let place = (folder(file), key(&pou.name.text));
            match is_interface(file) {
                true if is_empty(&pou.body) => interfaces.entry(place).or_default().push((at, item)),
                false if !has_interface(pou) => bodies.entry(place).or_default().push((at, item)),
                true | false => {}
            }
        }
    }
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (place, found) in &interfaces {
        let here = nearest(&bodies, place);
        if let ([interface], [body]) = (found.as_slice(), here) {
            let declared = match units.get(interface.0).and_then(|unit| unit.items.get(interface.1)) {
                Some(Item::Pou(pou)) => pou.clone(),
                Some(_) | None => continue,
            };
            if let Some(Item::Pou(pou)) = units.get_mut(body.0).and_then(|unit| unit.items.get_mut(body.1))
                && pou.kind == declared.kind
            {
                pou.vars.splice(0..0, declared.vars);
                pou.result = pou.result.take().or(declared.result);
                joined.push(*interface);
            }
        }
    }
    // Later items first, so that places stay.
    joined.sort_unstable();
    for (unit, item) in joined.into_iter().rev() {
        if let Some(unit) = units.get_mut(unit).filter(|unit| item < unit.items.len()) {
            unit.items.remove(item);
        }
    }
}

/// Returns the bodies of a name in the folder of its interface; if there are none, in the folders below.
fn nearest<'b>(bodies: &'b BTreeMap<(&str, Key), Vec<(usize, usize)>>, (folder, name): &(&str, Key)) -> &'b [(usize, usize)] {
    let here = bodies.iter().filter(|((at, own), _)| own == name && at == folder);
    let below = bodies.iter().filter(|((at, own), _)| own == name && at.starts_with(folder) && at != folder);
    let mut all = here.chain(below);
    all.next().map_or(&[], |(_, found)| found.as_slice())
}

fn pous(unit: &Unit) -> impl Iterator<Item = (usize, &Pou)> {
    unit.items.iter().enumerate().filter_map(|(at, item)| if let Item::Pou(pou) = item { Some((at, pou)) } else { None })
}

fn is_empty(body: &Body) -> bool {
    matches!(body, Body::Statements(stmts) if stmts.is_empty())
}

/// Returns whether a POU declares more than variables of its own.
fn has_interface(pou: &Pou) -> bool {
    use crate::ast::Section;
    pou.vars.iter().any(|block| matches!(block.section, Section::Input | Section::Output | Section::InOut))
}
