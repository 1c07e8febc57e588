//! Data types: structures whose BOOL members are packed into hidden hosts, and the shapes of tags.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::hosts::Bit;
use super::layout::Layouts;
use super::subroutines::Subroutine;
use super::{Reader, attribute, blocks, ident_of, key, type_names};
use crate::ast::{
    Arg, Assumed, Expr, ExprKind, Ident, Item, Literal, Name, NameElem, Stmt, TypeDecl, TypeSpec, TypeSpecKind, VarDecl,
};
use crate::lang::xml::Element;
use crate::text::Span;

/// Name of the type STRING of Logix, which is a structure; STRING of the standard is another type.
pub(super) const STRING: &str = "LOGIX_STRING";

/// Member of a type that Logix defines: its name, type and length; 0 for no array.
pub(super) type Member = (&'static str, &'static str, u64);

/// Types that Logix defines, with their members.
const PREDEFINED: &[(&str, &[Member])] = &[
    (
        "COUNTER",
        &[
            ("PRE", "DINT", 0),
            ("ACC", "DINT", 0),
            ("CU", "BOOL", 0),
            ("CD", "BOOL", 0),
            ("DN", "BOOL", 0),
            ("OV", "BOOL", 0),
            ("UN", "BOOL", 0),
        ],
    ),
    (
        "CONTROL",
        &[
            ("LEN", "DINT", 0),
            ("POS", "DINT", 0),
            ("EN", "BOOL", 0),
            ("EU", "BOOL", 0),
            ("DN", "BOOL", 0),
            ("EM", "BOOL", 0),
            ("ER", "BOOL", 0),
            ("UL", "BOOL", 0),
            ("IN", "BOOL", 0),
            ("FD", "BOOL", 0),
        ],
    ),
    ("PID", super::pid::MEMBERS),
];

/// Types of the library, with the members that programs may name.
const OF_LIBRARY: &[(&str, &[Member])] = &[
    (STRING, &[("LEN", "DINT", 0), ("DATA", "SINT", 82)]),
    ("TIMER", &[("PRE", "DINT", 0), ("ACC", "DINT", 0), ("EN", "BOOL", 0), ("TT", "BOOL", 0), ("DN", "BOOL", 0)]),
    (
        "FBD_TIMER",
        &[
            ("EnableIn", "BOOL", 0),
            ("TimerEnable", "BOOL", 0),
            ("PRE", "DINT", 0),
            ("Reset", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("ACC", "DINT", 0),
            ("EN", "BOOL", 0),
            ("TT", "BOOL", 0),
            ("DN", "BOOL", 0),
        ],
    ),
    (
        "FBD_COUNTER",
        &[
            ("EnableIn", "BOOL", 0),
            ("CUEnable", "BOOL", 0),
            ("CDEnable", "BOOL", 0),
            ("PRE", "DINT", 0),
            ("Reset", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("ACC", "DINT", 0),
            ("CU", "BOOL", 0),
            ("CD", "BOOL", 0),
            ("DN", "BOOL", 0),
            ("OV", "BOOL", 0),
            ("UN", "BOOL", 0),
        ],
    ),
    ("FBD_ONESHOT", &[("EnableIn", "BOOL", 0), ("InputBit", "BOOL", 0), ("EnableOut", "BOOL", 0), ("OutputBit", "BOOL", 0)]),
    (
        "MOTION_INSTRUCTION",
        &[("EN", "BOOL", 0), ("DN", "BOOL", 0), ("ER", "BOOL", 0), ("IP", "BOOL", 0), ("PC", "BOOL", 0), ("ERR", "INT", 0)],
    ),
    (
        "MESSAGE",
        &[
            ("ER", "BOOL", 0),
            ("DN", "BOOL", 0),
            ("EN", "BOOL", 0),
            ("EW", "BOOL", 0),
            ("ST", "BOOL", 0),
            ("EN_CC", "BOOL", 0),
            ("ERR", "INT", 0),
            ("EXERR", "DINT", 0),
            ("ERR_SRC", "SINT", 0),
            ("DN_LEN", "INT", 0),
            ("REQ_LEN", "INT", 0),
            ("Class", "INT", 0),
            ("Attribute", "INT", 0),
            ("Instance", "DINT", 0),
            ("LocalIndex", "DINT", 0),
            ("Path", STRING, 0),
            ("RemoteIndex", "DINT", 0),
            ("RemoteElement", STRING, 0),
            ("UnconnectedTimeout", "DINT", 0),
            ("ConnectionRate", "DINT", 0),
            ("TimeoutMultiplier", "SINT", 0),
        ],
    ),
];

/// Type of a tag: the name of its elements' type, and its dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) ty: String,
    pub(super) dimensions: Vec<u64>,
}

/// Variables of a scope or members of a type.
pub(super) type Members = BTreeMap<String, Shape>;

/// Parameter of an Add-On Instruction that a call gives.
#[derive(Clone, Debug)]
pub(super) struct Required {
    pub(super) name: String,
    pub(super) usage: String,
}

/// Members of all structured types of a file.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    types: BTreeMap<String, Members>,
    pub(super) required: BTreeMap<String, Vec<Required>>,
    /// Members of types that are not declared, as the data of tags has them.
    pub(super) stubs: BTreeMap<String, Members>,
    /// Add-On Instructions without their source and their parameters.
    pub(super) protected: BTreeSet<String>,
    uses: BTreeMap<String, ()>,
    /// Places of members in memory.
    pub(super) layouts: Layouts,
    /// Members that are bits of visible members, by type and name.
    pub(super) bits: BTreeMap<(String, String), Bit>,
    /// Messages that write no tag but their own bits.
    pub(super) silent: BTreeSet<String>,
    /// Messages that may write other tags.
    pub(super) writing: BTreeSet<String>,
    /// Rules that no source was found for, and effects that are not modelled: answers name them.
    pub(super) assumed: super::assumptions::Assumptions,
    /// Divisors of the statement that is read, which may be zero.
    pub(super) divisors: RefCell<Vec<Expr>>,
    /// Statements that compute parts of the statement that is read, before it.
    pub(super) before: RefCell<Vec<Stmt>>,
    /// Outputs of calls whose tags have another type, by the place of the instance: statements of their own write them.
    pub(super) outputs: RefCell<BTreeMap<Span, Vec<Arg>>>,
    /// Number of hidden variables of rungs so far.
    pub(super) n_states: Cell<u32>,
    /// Statements divide by values that may be zero.
    pub(super) divides: Cell<bool>,
    /// Tags of programs that run, by the names with which other programs read them.
    pub(super) others: super::other_programs::Others,
    /// Targets of `[:=]` of the routine that is read: the prescan clears them.
    pub(super) cleared: RefCell<Vec<Expr>>,
    /// The prescan of a program writes tags of the controller.
    pub(super) prescans_globals: Cell<bool>,
    /// Parameters of the routines of the program that is read.
    pub(super) subroutines: BTreeMap<String, Subroutine>,
    /// Rungs read math status flags.
    pub(super) uses_flags: bool,
    /// Tags of modules that the text names.
    pub(super) modules: BTreeSet<String>,
    /// Tags of modules whose data the list of modules has.
    pub(super) declared: Members,
    /// Numbers of tasks of the controller.
    pub(super) tasks: super::tasks::Counts,
    /// Add-On Instructions are called behind conditions.
    pub(super) skips: Cell<bool>,
    /// Add-On Instructions with a routine for calls whose EnableIn is FALSE.
    disabled: BTreeSet<String>,
    /// Add-On Instructions with instructions that the prescan changes, or with a routine for it.
    pub(super) prescanned: BTreeSet<String>,
    /// Add-On Instructions with inputs that are other names of their tags.
    pub(super) aliased: BTreeSet<String>,
    /// Data types of the file.
    pub(super) structures: BTreeSet<String>,
    /// Conditions of instructions without a model.
    pub(super) unmodelled: RefCell<Vec<Assumed>>,
    /// Instructions of timers and blocks, by the names of their tags.
    pub(super) blocks: RefCell<BTreeMap<Vec<String>, &'static str>>,
}

impl Shapes {
    pub(super) fn data_type(&mut self, element: Element<'_>) {
        let Some(name) = ident_of(element) else { return };
        self.layouts.data_type(element);
        self.structures.insert(key(&name.text));
        let members = element.children_named("Members").flat_map(Element::children).filter(|m| !is_hidden(*m));
        let shapes = members.filter_map(|m| Some((key(&ident_of(m)?.text), shape_of(m)?))).collect();
        self.types.insert(key(&name.text), shapes);
        let all = || element.children_named("Members").flat_map(Element::children);
        let hosts: Vec<_> = all().filter(|m| is_hidden(*m)).filter_map(|m| attribute(m, "Name")).collect();
        for member in all().filter(|m| attribute(*m, "Target").is_some_and(|host| !hosts.contains(&host))) {
            self.note_bit(&name.text, member);
        }
    }

    pub(super) fn instruction(&mut self, element: Element<'_>) {
        let Some(name) = ident_of(element) else { return };
        let parameters = || element.children_named("Parameters").flat_map(Element::children);
        if super::partial_exports::is_interface(element) {
            // Without its parameters nothing is known of its calls.
            if !parameters().any(|p| ident_of(p).is_some_and(|name| name.text.eq_ignore_ascii_case("EnableIn"))) {
                self.protected.insert(key(&name.text));
                return;
            }
            // Its routines EnableInFalse and Prescan are not known, so each call executes.
            self.disabled.insert(key(&name.text));
            self.prescanned.insert(key(&name.text));
        }
        let locals = element.children_named("LocalTags").flat_map(Element::children);
        let shapes = parameters().chain(locals).filter_map(|m| Some((key(&ident_of(m)?.text), shape_of(m)?))).collect();
        self.types.insert(key(&name.text), shapes);
        let is_on = attribute(element, "ExecuteEnableInFalse").as_deref() == Some("true");
        self.disabled.extend(is_on.then(|| key(&name.text)));
        let routines = || element.children_named("Routines").flat_map(Element::children);
        let is_prescanned = attribute(element, "ExecutePrescan").as_deref() == Some("true")
            || routines().any(|routine| attribute(routine, "Type").is_none_or(|ty| ty != "ST"))
            || element.descendants().any(|e| e.name() == "Line" && e.text().contains("[:="));
        self.prescanned.extend(is_prescanned.then(|| key(&name.text)));
        let is_alias = |p: Element<'_>| {
            let has = |name: &str, value: &str| attribute(p, name).is_some_and(|text| text.eq_ignore_ascii_case(value));
            has("TagType", "Alias") && has("Usage", "Input")
        };
        self.aliased.extend(parameters().any(is_alias).then(|| key(&name.text)));
        let required = parameters().filter(|p| attribute(*p, "Required").as_deref() == Some("true"));
        let required = required.filter_map(|p| Some(Required { name: ident_of(p)?.text, usage: attribute(p, "Usage")? }));
        self.required.insert(key(&name.text), required.collect());
    }

    /// Returns whether an Add-On Instruction has a routine for calls whose EnableIn is FALSE.
    pub(super) fn runs_disabled(&self, instruction: &str) -> bool {
        self.disabled.contains(&key(instruction))
    }

    /// Returns the parameters that a call of an Add-On Instruction gives, behind its instance.
    pub(super) fn required(&self, instruction: &str) -> Option<&[Required]> {
        self.required.get(&key(instruction)).map(Vec::as_slice)
    }

    /// Returns the members of a structured type.
    pub(super) fn members(&self, ty: &str) -> Option<&Members> {
        self.types.get(&key(ty))
    }

    /// Replaces the members of a type, once the shapes of its aliases are known.
    pub(super) fn set_members(&mut self, ty: &str, members: Members) {
        self.types.insert(key(ty), members);
    }

    /// Adds the types that Logix defines, so that paths into them have shapes.
    pub(super) fn add_predefined(&mut self) {
        self.layouts.add_predefined();
        for (name, members) in PREDEFINED.iter().chain(OF_LIBRARY).chain(blocks::MEMBERS) {
            let shape = |ty: &str, n: u64| Shape { ty: ty.to_owned(), dimensions: (n != 0).then_some(n).into_iter().collect() };
            let members = members.iter().map(|(member, ty, n)| (key(member), shape(ty, *n))).collect();
            self.types.entry((*name).to_owned()).or_insert(members);
        }
    }

    /// Returns the shape of a path, as far as the file tells.
    pub(super) fn of(&self, scope: &Members, name: &Name) -> Option<Shape> {
        let mut shape = scope.get(&key(&name.root.text))?.clone();
        for element in &name.path {
            match element {
                NameElem::Field(field) if shape.dimensions.is_empty() => {
                    let members = self.members(&shape.ty).or_else(|| self.stubs.get(&key(&shape.ty)))?;
                    shape = members.get(&key(&field.text))?.clone();
                }
                NameElem::Index(indices, _) if indices.len() == shape.dimensions.len() => shape.dimensions.clear(),
                // The bit of a number by its position.
                NameElem::Index(indices, _) if indices.len() == 1 && is_integer(&shape) => {
                    shape = Shape { ty: "BOOL".to_owned(), dimensions: Vec::new() };
                }
                NameElem::Bits { width: 1, .. } => shape = Shape { ty: "BOOL".to_owned(), dimensions: Vec::new() },
                NameElem::Field(_) | NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => {
                    return None;
                }
            }
        }
        Some(shape)
    }
}

impl Reader {
    /// Adds the declaration of a data type.
    pub(super) fn data_type(&mut self, element: Element<'_>) {
        let Some(name) = ident_of(element) else { return };
        let members: Vec<_> = element.children_named("Members").flat_map(Element::children).collect();
        let mut fields = Vec::new();
        for member in members.iter().filter(|m| !is_hidden(**m)) {
            let Some(member_name) = ident_of(*member) else { continue };
            if self.shapes.is_bit_member(&name.text, &member_name.text) {
                continue;
            }
            let ty = self.type_of(*member);
            fields.push(VarDecl::new(member_name, ty, member.tag_span()));
        }
        let name = Ident::new(type_names::declared(&name.text, &self.shapes.structures), name.span);
        self.structure(name, fields, element.tag_span());
    }

    fn structure(&mut self, name: Ident, fields: Vec<VarDecl>, span: Span) {
        let ty = TypeSpec { kind: TypeSpecKind::Struct(fields), span };
        self.unit.items.push(Item::Type(TypeDecl { name, extends: None, ty, init: None, span }));
    }

    /// Returns the declared type of a member, parameter or tag.
    pub(super) fn type_of(&mut self, element: Element<'_>) -> TypeSpec {
        let span = element.tag_span();
        let Some(shape) = shape_of(element) else {
            return TypeSpec { kind: TypeSpecKind::Opaque("type that the export does not state".to_owned()), span };
        };
        // Findings about the type stand at its name.
        let span = element.filled("DataType").map_or(span, |ty| ty.span);
        self.spec(&shape, span)
    }

    /// Returns a type of this shape.
    pub(super) fn spec(&mut self, shape: &Shape, span: Span) -> TypeSpec {
        self.shapes.uses.insert(key(&shape.ty), ());
        if shape.ty.contains(':') {
            return TypeSpec { kind: TypeSpecKind::Opaque(format!("type of the module, {}", shape.ty)), span };
        }
        let element = TypeSpec::named(type_names::declared(&shape.ty, &self.shapes.structures), span);
        if shape.dimensions.is_empty() {
            return element;
        }
        let bounds = shape.dimensions.iter().map(|n| (integer(0, span), integer(i128::from(*n) - 1, span))).collect();
        TypeSpec { kind: TypeSpecKind::Array(bounds, Box::new(element)), span }
    }

    /// Declares the types of Logix that the file uses.
    pub(super) fn predefined_types(&mut self, span: Span) {
        for (name, members) in PREDEFINED {
            if !self.shapes.uses.contains_key(*name) {
                continue;
            }
            let mut fields = Vec::new();
            for (member, ty, n) in *members {
                let dimensions = (*n != 0).then_some(*n).into_iter().collect();
                let ty = self.spec(&Shape { ty: (*ty).to_owned(), dimensions }, span);
                fields.push(VarDecl::new(Ident::new(*member, span), ty, span));
            }
            self.structure(Ident::new(*name, span), fields, span);
        }
    }
}

/// Returns whether a type of the library is a block: its instances are not copied.
pub(super) fn is_block(ty: &str) -> bool {
    OF_LIBRARY.iter().any(|(name, _)| *name != STRING && name.eq_ignore_ascii_case(ty)) || ty.eq_ignore_ascii_case("MODULE")
}

/// Returns whether a shape is that of one number whose bits have positions.
pub(super) fn is_integer(shape: &Shape) -> bool {
    shape.dimensions.is_empty() && super::operands::class_of(&shape.ty) == Some(super::operands::Class::Integer)
}

/// Returns an integer as an expression.
pub(super) fn integer(value: i128, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(None, Literal::Int(value)), span }
}

/// Returns the shape of a member, parameter or tag; `None` for aliases.
pub(super) fn shape_of(element: Element<'_>) -> Option<Shape> {
    let ty = attribute(element, "DataType")?;
    let ty = match ty.to_ascii_uppercase().as_str() {
        "BIT" => "BOOL".to_owned(),
        "STRING" => STRING.to_owned(),
        _ => ty,
    };
    let texts = attribute(element, "Dimensions").or_else(|| attribute(element, "Dimension")).unwrap_or_default();
    let dimensions =
        texts.split(|c: char| c.is_whitespace() || c == ',').filter_map(|n| n.parse().ok()).filter(|n| *n != 0).collect();
    Some(Shape { ty, dimensions })
}

/// Returns whether no program can name a member: it holds the bits of others.
fn is_hidden(member: Element<'_>) -> bool {
    attribute(member, "Hidden").as_deref() == Some("true")
}
