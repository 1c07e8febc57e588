//! Exports of a part of a controller: what is exported, what is only its context, and what is only named.

use super::{Reader, aliases, attribute};
use crate::lang::xml::Element;

impl Reader {
    /// Notes that programs outside of the export of a part of a controller may write the controller's tags.
    pub(super) fn others(&mut self, controller: Element<'_>, has_programs: bool) {
        let mut tags = controller.children_named("Tags").flat_map(Element::children);
        let is_written = |tag: Element<'_>| {
            let is = |name: &str, text: &str| attribute(tag, name).is_some_and(|value| value.eq_ignore_ascii_case(text));
            !aliases::is_alias(tag) && !is("Constant", "true") && !is("TagType", "Consumed")
        };
        let has_outputs = self.shapes.modules.iter().any(|name| name.ends_with("_O"));
        if has_programs && is_outside(controller) && (has_outputs || tags.any(is_written)) {
            let words = "tags of the controller in an export of a part of it: no program outside of the export writes them";
            self.note(words, controller.tag_span());
        }
    }
}

/// Returns whether a component is only the context of an export, or only named in it.
pub(super) fn is_outside(component: Element<'_>) -> bool {
    matches!(attribute(component, "Use").as_deref(), Some("Context" | "Reference"))
}

/// Returns the routine that an export is made of.
pub(super) fn target_routine(program: Element<'_>) -> Option<Element<'_>> {
    let is_target = |e: Element<'_>| matches!(e.name(), "Routine" | "Rung") && attribute(e, "Use").as_deref() == Some("Target");
    let found = program.descendants().find(|e| is_target(*e))?;
    std::iter::successors(Some(found), |e| e.parent()).find(|e| e.name() == "Routine")
}

/// Returns whether an export only names a data type, without its members.
pub(super) fn is_named_only(data_type: Element<'_>) -> bool {
    data_type.children_named("Members").flat_map(Element::children).next().is_none()
}

/// Returns whether an Add-On Instruction is without its source: it is protected, or only named in the export.
pub(super) fn is_interface(element: Element<'_>) -> bool {
    element.name() == "EncodedData" || attribute(element, "Use").as_deref() == Some("Reference")
}
