//! Declarations of missing names as text.

use super::facts::{Calls, Facts, Kind, Part, Slot};
use super::missing::is_word;
use super::typing::Ty;
use super::uses::places;
use crate::text::{Key, SourceSet, UNKNOWN, key};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Most uses that a comment lists.
const MOST_USES: usize = 40;

/// Returns the declaration of a missing name. `blocks` are the names of blocks without statements.
pub(super) fn declaration(
    name: &Key,
    facts: &Facts,
    decided: &BTreeMap<Slot, Ty>,
    blocks: &BTreeSet<Key>,
    sources: &SourceSet,
) -> String {
    let writer = Writer { name, facts, decided, blocks };
    let declaration = match facts.kind() {
        Kind::Function => writer.function(),
        Kind::Block => writer.block(),
        Kind::Structure => writer.structure(),
        Kind::Interface => writer.interface(),
        Kind::Alias | Kind::Enumeration => alias(&facts.spelling, &writer.ty(Part::Whole)),
        Kind::Opaque => alias(&facts.spelling, UNKNOWN),
        Kind::Global => writer.global(),
        Kind::List => writer.list(),
    };
    format!("{{attribute 'stub' := 'inferred'}}\n{}{declaration}", comment(facts, sources))
}

fn alias(name: &str, of: &str) -> String {
    format!("TYPE\n    {name} : {of};\nEND_TYPE\n")
}

fn comment(facts: &Facts, sources: &SourceSet) -> String {
    let places = places(&facts.uses, sources);
    let more = places.len().saturating_sub(MOST_USES);
    let mut text = String::from("// No file declares this name. Its parts are taken from its uses:\n");
    for place in places.iter().take(MOST_USES) {
        let place: String = place.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
        let _ = writeln!(text, "// {place}");
    }
    if 0 < more {
        let _ = writeln!(text, "// and {more} more");
    }
    text
}

/// Returns a type in ST.
pub(super) fn to_st(ty: &Ty) -> Option<String> {
    Some(match ty {
        Ty::Named(name) => name.clone(),
        Ty::Text(wide, length) => {
            let word = if *wide { "WSTRING" } else { "STRING" };
            length.map_or_else(|| word.to_owned(), |length| format!("{word}[{length}]"))
        }
        Ty::Array(bounds, elem) => {
            let bounds: Vec<String> = bounds.iter().map(|(low, high)| format!("{low}..{high}")).collect();
            format!("ARRAY [{}] OF {}", bounds.join(", "), to_st(elem)?)
        }
        Ty::Pointer(inner) => format!("POINTER TO {}", to_st(inner)?),
        Ty::Reference(inner) => format!("REFERENCE TO {}", to_st(inner)?),
        Ty::Int | Ty::Real | Ty::Local => return None,
    })
}

/// Declaration of one name.
struct Writer<'f> {
    name: &'f Key,
    facts: &'f Facts,
    decided: &'f BTreeMap<Slot, Ty>,
    blocks: &'f BTreeSet<Key>,
}

/// Variables of one section: names and types.
type Rows = Vec<(String, String)>;

impl Writer<'_> {
    /// Returns the type of a part.
    fn ty(&self, part: Part) -> String {
        let known = self.decided.get(&(self.name.clone(), part)).and_then(to_st);
        known.unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// Returns the variables of these names.
    fn rows<'n>(&self, names: impl IntoIterator<Item = &'n String>, part: impl Fn(Key) -> Part) -> Rows {
        let named = names.into_iter().filter(|name| is_word(name));
        named.map(|name| (name.clone(), self.ty(part(key(name))))).collect()
    }

    /// Returns names for inputs that no call names.
    fn positional(&self, method: Option<&Key>, n: usize) -> Rows {
        let types = (0..n).map(|at| self.ty(Part::At(method.cloned(), at)));
        types.enumerate().map(|(at, ty)| (format!("in{}", at + 1), ty)).collect()
    }

    /// Returns the sections of a function or method. Of calls in two forms, those that do not suit are gaps.
    fn parameters(&self, method: Option<&Key>, calls: &Calls) -> String {
        let named = |name: Key| Part::Named(method.cloned(), name);
        let mut inputs = if calls.inputs.is_empty() { self.positional(method, calls.n_positional) } else { Rows::new() };
        inputs.extend(self.rows(&calls.inputs, named));
        let outputs = self.rows(calls.outputs.iter().filter(|name| !calls.has(true, name)), named);
        section("VAR_INPUT", &inputs) + &section("VAR_OUTPUT", &outputs)
    }

    /// Returns the type of a result as the head of a declaration has it.
    fn result(&self, method: Option<&Key>, calls: &Calls) -> String {
        let part = Part::Result(method.cloned());
        let is_known = self.decided.contains_key(&(self.name.clone(), part.clone()));
        if is_known || calls.has_value { format!(" : {}", self.ty(part)) } else { String::new() }
    }

    fn function(&self) -> String {
        let calls = self.facts.function.clone().unwrap_or_default();
        let (result, parameters) = (self.result(None, &calls), self.parameters(None, &calls));
        format!("FUNCTION {}{result}\n{parameters}END_FUNCTION\n", self.facts.spelling)
    }

    /// Returns the methods of a block or interface.
    fn methods(&self) -> String {
        let mut text = String::new();
        for (name, (spelling, calls)) in self.facts.methods.iter().filter(|(_, row)| is_word(&row.0)) {
            let (result, parameters) = (self.result(Some(name), calls), self.parameters(Some(name), calls));
            let _ = write!(text, "\nMETHOD {spelling}{result}\n{parameters}END_METHOD\n");
        }
        text
    }

    /// Returns a property of a block or interface.
    fn property(&self, name: &Key, spelling: &str, is_written: bool) -> String {
        let set = if is_written { "SET\nEND_SET\n" } else { "" };
        format!("\nPROPERTY {spelling} : {}\nGET\nEND_GET\n{set}END_PROPERTY\n", self.ty(Part::Member(name.clone())))
    }

    /// Returns the parts behind a dot that are neither parameters nor methods.
    fn other_members(&self) -> impl Iterator<Item = (&Key, &str, bool)> {
        let body = self.facts.body.as_ref();
        let is_parameter = move |name: &Key| body.is_some_and(|body| body.has(true, name) || body.has(false, name));
        let members = self.facts.members.iter().filter(move |(name, _)| !is_parameter(name));
        let members = members.filter(|(name, row)| !self.facts.methods.contains_key(*name) && is_word(&row.0));
        members.map(|(name, (spelling, is_written))| (name, spelling.as_str(), *is_written))
    }

    fn block(&self) -> String {
        let facts = self.facts;
        let body = facts.body.clone().unwrap_or_default();
        let mut inputs = if body.inputs.is_empty() { self.positional(None, body.n_positional) } else { Rows::new() };
        let given = body.inputs.iter().filter(|name| !body.has(false, name));
        let (instances, values): (Vec<&String>, Vec<&String>) = given.partition(|name| self.is_instance(&body, &key(name)));
        inputs.extend(self.rows(values, Part::Member));
        let mut outputs = self.rows(&body.outputs, Part::Member);
        let mut properties = String::new();
        for (name, spelling, is_written) in self.other_members() {
            // Without calls of the body, something has to compute the values: properties do.
            if facts.initialised.contains(name) {
                inputs.push((spelling.to_owned(), self.ty(Part::Member(name.clone()))));
            } else if facts.body.is_none() {
                properties += &self.property(name, spelling, is_written);
            } else {
                let rows = if is_written { &mut inputs } else { &mut outputs };
                rows.push((spelling.to_owned(), self.ty(Part::Member(name.clone()))));
            }
        }
        let mut text = format!("FUNCTION_BLOCK {}\n", facts.spelling);
        text += &section("VAR_IN_OUT", &self.rows(instances, Part::Member));
        text += &section("VAR_INPUT", &inputs);
        text += &section("VAR_OUTPUT", &outputs);
        text + &self.methods() + &properties + "END_FUNCTION_BLOCK\n"
    }

    /// Returns whether an input gets an instance in each call, and is used nowhere else.
    ///
    /// Soundness: behind a call the instance has any value if it is a VAR_IN_OUT. So all behaviours of a copy or a reference count, too.
    fn is_instance(&self, body: &Calls, name: &Key) -> bool {
        let facts = self.facts;
        let is_called_only = facts.methods.is_empty() && !facts.has_heirs && !facts.has_constructor;
        let is_named_elsewhere = facts.members.contains_key(name) || facts.initialised.contains(name);
        let ty = self.decided.get(&(self.name.clone(), Part::Member(name.clone())));
        let is_block = matches!(ty, Some(Ty::Named(ty)) if key(ty) != *self.name && self.blocks.contains(&key(ty)));
        is_block && is_called_only && !is_named_elsewhere && body.always_gives(name)
    }

    fn interface(&self) -> String {
        let properties: String =
            self.other_members().map(|(name, spelling, is_written)| self.property(name, spelling, is_written)).collect();
        format!("INTERFACE {}\n{}{properties}END_INTERFACE\n", self.facts.spelling, self.methods())
    }

    /// Returns the fields of a structure, or of a list; one without known fields has one of which nothing is known.
    fn fields(&self) -> String {
        let mut fields = self.rows(self.facts.members.values().map(|(spelling, _)| spelling), Part::Member);
        if fields.is_empty() {
            fields.push(("unknown".to_owned(), UNKNOWN.to_owned()));
        }
        fields.iter().map(|(name, ty)| format!("        {name} : {ty};\n")).collect()
    }

    fn structure(&self) -> String {
        format!("TYPE\n    {} : STRUCT\n{}    END_STRUCT;\nEND_TYPE\n", self.facts.spelling, self.fields())
    }

    fn list(&self) -> String {
        let head = self.head_of_globals();
        format!("{head}\n    {} : STRUCT\n{}    END_STRUCT;\nEND_VAR\n", self.facts.spelling, self.fields())
    }

    fn global(&self) -> String {
        let ty = match &self.facts.external {
            Some((ty, _)) => ty.clone(),
            None if self.facts.members.is_empty() && self.facts.methods.is_empty() => self.ty(Part::Whole),
            None => UNKNOWN.to_owned(),
        };
        format!("{}\n    {} : {ty};\nEND_VAR\n", self.head_of_globals(), self.facts.spelling)
    }

    fn head_of_globals(&self) -> &'static str {
        if self.facts.keeps_value() { "VAR_GLOBAL CONSTANT" } else { "VAR_GLOBAL" }
    }
}

fn section(word: &str, rows: &Rows) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows: String = rows.iter().map(|(name, ty)| format!("    {name} : {ty};\n")).collect();
    format!("{word}\n{rows}END_VAR\n")
}
