//! Contents of a file: types, POUs, configurations and vendors' data around them.

use super::{NAMESPACE, Reader};
use crate::ast::{Body, Item, Pou};
use crate::lang::network::Callee;
use crate::lang::xml::Element;
use crate::text::{Diagnostic, key};

/// Vendors' data without an effect on the program.
const WITHOUT_MEANING: &[&str] = &[
    "ObjectId",
    "ProjectStructure",
    "ProjectInformation",
    "EnumValueDocumentation",
    "SFCSettings",
    "TaskSettings",
    "Attributes",
    "attributes",
    "ExplicitConnector",
    "BuildProperties",
    "TextList",
    "GlobalTextList",
    "ImagePool",
    "Visualization",
];

/// Namespaces of files that stand beside programs and hold none.
const OTHER_NAMESPACES: &[&str] = &[
    "http://www.sitemaps.org/",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xhtml",
    "http://maven.apache.org/",
    "http://schemas.microsoft.com/developer/msbuild",
];

/// A POU whose bodies wait until all declarations of the file are known.
pub(super) struct Waiting<'d> {
    pub(super) element: Element<'d>,
    pub(super) pou: Pou,
}

impl<'d> Reader<'d> {
    pub(super) fn root(&mut self, root: Element<'d>) {
        let namespace = root.namespace();
        let is_plcopen = namespace.as_ref().is_some_and(|n| n.starts_with(NAMESPACE));
        let has_parts = ["types", "instances"].iter().any(|part| root.child(part).is_some());
        if root.name() != "project" || (!is_plcopen && !has_parts) {
            if root.children().next().is_none() {
                self.unit.ignore(root.tag_span(), "XML file without contents", "it declares nothing");
                return;
            }
            if namespace.as_ref().is_some_and(|n| OTHER_NAMESPACES.iter().any(|other| n.starts_with(other))) {
                self.unit.ignore(root.tag_span(), "XML file that is no program", "no part of the program");
                return;
            }
            let message = format!("`<{}>` is not a PLCopen project", root.qualified_name());
            let here = format!("`<project xmlns=\"{NAMESPACE}_0201\">` was expected");
            let finding = Diagnostic::error("P0010", root.tag_span(), message, here);
            self.findings.push(finding.help("export the project as PLCopen XML from the engineering system"));
            return;
        }
        if !is_plcopen {
            let name = namespace.map_or("no namespace".to_owned(), |n| format!("the namespace `{n}`"));
            let why = "the project is read as if it were of PLCopen XML 2.01";
            self.unit.ignore(root.tag_span(), format!("{name} instead of the one of PLCopen"), why);
        }
        let mut waiting = Vec::new();
        self.container(root, &mut waiting);
        if self.unit.items.is_empty() && waiting.is_empty() && self.findings.is_empty() {
            self.unit.ignore(root.tag_span(), "project without contents", "it declares nothing");
        }
        for Waiting { pou, .. } in &waiting {
            self.callees.insert(key(&pou.name.text), callee(pou));
        }
        for Waiting { element, mut pou } in waiting {
            self.bodies(element, &mut pou);
            self.unit.items.push(Item::Pou(pou));
        }
    }

    /// Reads the declarations in an element, at any place that vendors choose.
    pub(super) fn container(&mut self, element: Element<'d>, waiting: &mut Vec<Waiting<'d>>) {
        for part in element.children() {
            match part.name() {
                "fileHeader" | "contentHeader" | "documentation" => {}
                "instances" => self.container(part, waiting),
                "addData" => self.add_data(part, waiting),
                _ if self.declaration(part, waiting) => {}
                _ => self.unknown(part),
            }
        }
    }

    /// Reads vendors' data at places of declarations.
    pub(super) fn add_data(&mut self, add_data: Element<'d>, waiting: &mut Vec<Waiting<'d>>) {
        for data in add_data.children() {
            for part in data.children() {
                match part.name() {
                    "Libraries" => self.libraries(part),
                    "Device" | "DeviceType" => self.device(part),
                    _ if self.declaration(part, waiting) => {}
                    name if WITHOUT_MEANING.contains(&name) || is_discarded(data) => self.no_meaning(data, part),
                    _ => self.vendor_data(data, part),
                }
            }
        }
    }

    /// Reads a declaration or a list of declarations; returns whether the element is one.
    fn declaration(&mut self, part: Element<'d>, waiting: &mut Vec<Waiting<'d>>) -> bool {
        match part.name() {
            "types" | "pous" | "dataTypes" | "configurations" | "MixedAttrsVarList" => self.container(part, waiting),
            "dataType" => self.data_type(part),
            "pou" => waiting.extend(self.pou(part).map(|pou| Waiting { element: part, pou })),
            "configuration" => self.configuration(part, waiting),
            "resource" => self.lone_resource(part, waiting),
            "globalVars" => {
                let blocks = self.global_vars(part, waiting);
                self.unit.items.extend(blocks.into_iter().map(Item::Globals));
            }
            "Interface" => {
                let interface = self.interface(part);
                self.unit.items.extend(interface.map(Item::Interface));
            }
            _ => return false,
        }
        true
    }

    fn libraries(&mut self, libraries: Element<'_>) {
        for library in libraries.children_named("Library") {
            if let Some(name) = library.attribute("Name") {
                let what = format!("reference to the library {}", name.text);
                let why = "give its sources too if the program uses more of it than standard blocks";
                self.unit.ignore(library.tag_span(), what, why);
            }
        }
    }

    /// Enters data without meaning for the program into the ledger, once for each kind.
    pub(super) fn no_meaning(&mut self, data: Element<'_>, part: Element<'_>) {
        if self.seen_data.insert(part.name().to_owned()) {
            let what = format!("vendor's data `{}`", part.name());
            let why = match part.name() {
                "TaskSettings" => "the kind of the task is read; its watchdog changes no value",
                _ => "it says nothing about what the program does",
            };
            self.unit.ignore(data.tag_span(), what, why);
        }
    }

    /// Enters unknown data into the ledger: it may be part of the program.
    pub(super) fn vendor_data(&mut self, data: Element<'_>, part: Element<'_>) {
        if self.seen_data.insert(part.name().to_owned()) {
            self.gap("vendor's data of an unknown kind", data.tag_span());
        }
    }
}

/// Returns whether a reader that does not know the data may drop it.
pub(super) fn is_discarded(data: Element<'_>) -> bool {
    data.attribute("handleUnknown").is_some_and(|v| v.text == "discard")
}

fn callee(pou: &Pou) -> Callee {
    use crate::ast::Section;
    let names = |section: Section| pou.vars.iter().filter(move |b| b.section == section).flat_map(|b| &b.vars);
    debug_assert!(pou.body.stmts().is_empty() || matches!(pou.body, Body::Statements(_)));
    Callee {
        has_result: pou.result.is_some(),
        inputs: names(Section::Input).map(|v| v.name.text.clone()).collect(),
        outputs: names(Section::Output).map(|v| (v.name.text.clone(), v.ty.clone())).collect(),
    }
}
