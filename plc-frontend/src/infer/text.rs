//! Declarations of missing names as text.

use super::facts::{Calls, Facts, Kind, Part, Slot};
use super::missing::is_word;
use super::typing::Ty;
use super::uses::places;
use crate::text::{Key, SourceSet, key};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Most uses that a comment lists.
const MOST_USES: usize = 40;

/// Returns the declaration of a missing name; `None` if its uses imply none.
pub(super) fn declaration(name: &Key, facts: &Facts, decided: &BTreeMap<Slot, Ty>, sources: &SourceSet) -> Option<String> {
    let writer = Writer { name, facts, decided };
    let declaration = match facts.kind()? {
        Kind::Function => writer.function()?,
        Kind::Block => writer.block(),
        Kind::Structure => writer.structure()?,
        Kind::Alias => {
            format!("TYPE\n    {} : {};\nEND_TYPE\n", facts.spelling, to_st(decided.get(&(name.clone(), Part::Whole))?)?)
        }
    };
    Some(format!("{{attribute 'stub' := 'inferred'}}\n{}{declaration}", comment(facts, sources)))
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
fn to_st(ty: &Ty) -> Option<String> {
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
}

/// Variables of one section: names and types.
type Rows = Vec<(String, String)>;

impl Writer<'_> {
    fn ty(&self, part: Part) -> Option<String> {
        to_st(self.decided.get(&(self.name.clone(), part))?)
    }

    /// Returns the variables whose types are known.
    fn rows<'n>(&self, names: impl IntoIterator<Item = &'n String>, part: impl Fn(Key) -> Part) -> Rows {
        let named = names.into_iter().filter(|name| is_word(name));
        named.filter_map(|name| Some((name.clone(), self.ty(part(key(name)))?))).collect()
    }

    /// Returns names for inputs that no call names, up to the first one without a type.
    fn positional(&self, method: Option<&Key>, n: usize) -> Rows {
        let types = (0..n).map_while(|at| self.ty(Part::At(method.cloned(), at)));
        types.enumerate().map(|(at, ty)| (format!("in{}", at + 1), ty)).collect()
    }

    /// Returns the sections of a function or method; `None` if nothing tells the order of its inputs.
    fn parameters(&self, method: Option<&Key>, calls: &Calls) -> Option<String> {
        if 0 < calls.n_positional && !calls.inputs.is_empty() {
            return None;
        }
        let named = |name: Key| Part::Named(method.cloned(), name);
        let mut inputs = self.positional(method, calls.n_positional);
        inputs.extend(self.rows(&calls.inputs, named));
        let outputs = self.rows(calls.outputs.iter().filter(|name| !calls.has(true, name)), named);
        Some(section("VAR_INPUT", &inputs) + &section("VAR_OUTPUT", &outputs))
    }

    /// Returns the type of a result as the head of a declaration has it; `None` if it is used and not known.
    fn result(&self, method: Option<&Key>, calls: &Calls) -> Option<String> {
        match self.ty(Part::Result(method.cloned())) {
            Some(ty) => Some(format!(" : {ty}")),
            None => (!calls.has_value).then(String::new),
        }
    }

    fn function(&self) -> Option<String> {
        let calls = self.facts.function.as_ref()?;
        let (result, parameters) = (self.result(None, calls)?, self.parameters(None, calls)?);
        Some(format!("FUNCTION {}{result}\n{parameters}END_FUNCTION\n", self.facts.spelling))
    }

    fn block(&self) -> String {
        let facts = self.facts;
        let body = facts.body.clone().unwrap_or_default();
        let mut inputs = if body.inputs.is_empty() { self.positional(None, body.n_positional) } else { Rows::new() };
        inputs.extend(self.rows(body.inputs.iter().filter(|name| !body.has(false, name)), Part::Member));
        let mut outputs = self.rows(&body.outputs, Part::Member);
        let mut properties = String::new();
        for (name, (spelling, is_written)) in &facts.members {
            if body.has(true, name) || body.has(false, name) || facts.methods.contains_key(name) || !is_word(spelling) {
                continue;
            }
            let Some(ty) = self.ty(Part::Member(name.clone())) else { continue };
            // Without calls of the body, something has to compute the values: properties do.
            if facts.body.is_none() {
                let set = if *is_written { "SET\nEND_SET\n" } else { "" };
                let _ = write!(properties, "\nPROPERTY {spelling} : {ty}\nGET\nEND_GET\n{set}END_PROPERTY\n");
            } else if *is_written {
                inputs.push((spelling.clone(), ty));
            } else {
                outputs.push((spelling.clone(), ty));
            }
        }
        let mut text = format!("FUNCTION_BLOCK {}\n", facts.spelling);
        text += &section("VAR_INPUT", &inputs);
        text += &section("VAR_OUTPUT", &outputs);
        for (name, (spelling, calls)) in facts.methods.iter().filter(|(_, row)| is_word(&row.0)) {
            if let Some((result, parameters)) = self.result(Some(name), calls).zip(self.parameters(Some(name), calls)) {
                let _ = write!(text, "\nMETHOD {spelling}{result}\n{parameters}END_METHOD\n");
            }
        }
        text + &properties + "END_FUNCTION_BLOCK\n"
    }

    fn structure(&self) -> Option<String> {
        let fields = self.rows(self.facts.members.values().map(|(spelling, _)| spelling), Part::Member);
        let rows: String = fields.iter().map(|(name, ty)| format!("        {name} : {ty};\n")).collect();
        let text = format!("TYPE\n    {} : STRUCT\n{rows}    END_STRUCT;\nEND_TYPE\n", self.facts.spelling);
        (!fields.is_empty()).then_some(text)
    }
}

fn section(word: &str, rows: &Rows) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows: String = rows.iter().map(|(name, ty)| format!("    {name} : {ty};\n")).collect();
    format!("{word}\n{rows}END_VAR\n")
}
