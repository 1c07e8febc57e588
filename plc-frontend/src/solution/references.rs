//! Libraries that projects reference, as files of engineering systems list them.

use std::collections::{BTreeMap, BTreeSet};

use super::library_settings::Wanted;
use crate::lang::xml::{self, Element};
use crate::text::{FileId, Key, Span, key};

/// A library that a project references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reference {
    /// Names under which it may be known: those of the library, of the placeholder and of the namespace.
    pub(super) names: BTreeSet<Key>,
    /// Version and company that it asks for.
    pub(super) wanted: Option<Wanted>,
    /// Its place in a `.plcproj`.
    pub(super) span: Option<Span>,
}

impl Reference {
    /// Returns a reference by one name.
    pub(super) fn of(name: &str) -> Reference {
        Reference { names: BTreeSet::from([key(name.trim())]), ..Reference::default() }
    }

    /// Returns whether a library has one of these names, in lower case.
    pub(super) fn is_one_of(&self, names: &[Key]) -> bool {
        names.iter().any(|name| self.names.contains(name))
    }

    fn add(&mut self, text: &str) {
        self.wanted = Wanted::of(text).or(self.wanted.take());
        let name = text.split(',').next().unwrap_or_default().trim().trim_start_matches('#');
        if name.is_empty() {
            return;
        }
        self.names.insert(key(name));
        // A namespace has the name of its library, without signs that names may not have.
        let plain = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' });
        self.names.insert(key(&plain.collect::<String>()));
    }
}

/// Returns the references of a `.plcproj`. A resolution that it states replaces the usual one of a placeholder.
pub(super) fn of_twincat(root: Element<'_>) -> Vec<Reference> {
    let include = |element: Element<'_>| element.attribute("Include").map(|value| value.text.into_owned()).unwrap_or_default();
    let mut resolutions: BTreeMap<Key, String> = BTreeMap::new();
    for element in root.descendants().filter(|element| element.name() == "PlaceholderResolution") {
        let resolved = element.child("Resolution").map(|child| child.text().trim().to_owned());
        if let Some(resolved) = resolved.filter(|resolved| !resolved.is_empty()) {
            resolutions.insert(key(include(element).trim()), resolved);
        }
    }
    let mut found = Vec::new();
    for element in root.descendants() {
        let (name, include) = (element.name(), include(element));
        if include.is_empty() || !matches!(name, "LibraryReference" | "PlaceholderReference") {
            continue;
        }
        let mut reference = Reference { span: Some(element.tag_span()), ..Reference::default() };
        reference.add(&include);
        let resolution = resolutions.get(&key(include.trim())).filter(|_| name == "PlaceholderReference");
        let usual = || element.child("DefaultResolution").map(|child| child.text().into_owned());
        resolution.cloned().or_else(usual).iter().for_each(|resolved| reference.add(resolved));
        element.child("Namespace").iter().for_each(|child| reference.add(child.text().as_ref()));
        found.push(reference);
    }
    found
}

/// Beginning of the lists of libraries in exports of CODESYS.
const LIST: &str = "plcopenxml/libraries";

/// Returns the references that an export of CODESYS lists.
pub(super) fn of_export(id: FileId, text: &str) -> Vec<Reference> {
    if !text.contains(LIST) {
        return Vec::new();
    }
    let document = xml::read(id, text).value;
    let elements = document.root().into_iter().flat_map(|root| root.descendants());
    let of = |element: Element<'_>| {
        let mut reference = Reference::default();
        for name in ["Name", "Namespace", "DefaultResolution"] {
            element.attribute(name).iter().for_each(|value| reference.add(&value.text));
        }
        reference
    };
    elements.filter(|element| element.name() == "Library").map(of).collect()
}
