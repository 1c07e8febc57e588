//! The syntax tree as Structured Text again, for `scanproof fmt`.
//!
//! In reading order: [`trivia`] comments and pragmas, which no tree holds; `decl` `pou` `chart` `stmt` `expr` the parts of the
//! tree. Literals keep their spelling. Wires of networks and results of instruction lists become variables, whose types
//! the resolved program knows. What no text can say is a [`Unwritable`], never left out.

mod chart;
mod decl;
mod expr;
mod pou;
mod stmt;
#[cfg(test)]
mod tests;
mod trivia;

use std::collections::VecDeque;

use self::trivia::Trivium;
use crate::ast::{Ident, Item, Unit};
use crate::hir::{Project, type_to_st};
use crate::lang::common::token::{Spelling, spelling};
use crate::lang::logix;
use crate::text::{SourceSet, Span};

/// Construct without a form as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwritable {
    /// Its kind, in a user's words.
    pub(crate) what: String,
    /// Its place.
    pub(crate) span: Span,
}

/// Writes the declarations of a file. `project` is the program that was made of them.
pub(crate) fn write(unit: &Unit, sources: &SourceSet, project: &Project) -> Result<String, Unwritable> {
    let file = sources.files.get(unit.file);
    let text = file.map_or("", |file| &file.text);
    let is_logix = file.is_some_and(|file| [&logix::LANGUAGE, &logix::L5K].iter().any(|language| (language.accepts)(file)));
    // In XML the text between the words is not part of the program.
    let is_xml = is_logix || text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
    let trivia = if is_xml { VecDeque::new() } else { trivia::all(text) };
    let mut writer =
        Writer { sources, project, is_xml, is_logix, trivia, out: String::new(), indent: 0, n_breaks: 0, unwritable: None };
    for assumed in unit.assumed.iter().filter(|_| is_logix) {
        // An operand may look like the end of a comment.
        let words = assumed.condition.replace("*)", "* )").replace("(*", "( *");
        writer.start().put(&format!("(* Taken for granted: {words} *)\n"));
    }
    writer.items(&unit.items);
    writer.before(u32::MAX);
    match writer.unwritable {
        None => Ok(writer.out),
        Some(unwritable) => Err(unwritable),
    }
}

/// Returns whether a word behind VAR belongs to the block.
fn is_attribute(word: &str) -> bool {
    ["CONSTANT", "RETAIN", "NON_RETAIN", "PERSISTENT"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

struct Writer<'a> {
    sources: &'a SourceSet,
    project: &'a Project,
    /// Places are those of the XML, not those of the text that is written.
    is_xml: bool,
    /// The text of an instruction means another thing in Structured Text, or nothing.
    is_logix: bool,
    /// Comments and pragmas that are not written yet.
    trivia: VecDeque<Trivium<'a>>,
    out: String,
    indent: usize,
    /// Empty lines before the next line.
    n_breaks: usize,
    /// The first construct without a form as text.
    unwritable: Option<Unwritable>,
}

impl<'a> Writer<'a> {
    fn items(&mut self, items: &[Item]) {
        let mut types_open = false;
        for item in items {
            let is_type = matches!(item, Item::Type(_));
            if types_open && !is_type {
                self.end("END_TYPE");
                self.separate();
            }
            if is_type && !types_open {
                self.before(item.span().start);
                self.line("TYPE");
                self.indent += 1;
            }
            types_open = is_type;
            self.item(item);
        }
        if types_open {
            self.end("END_TYPE");
            self.separate();
        }
    }

    fn item(&mut self, item: &Item) {
        let span = item.span();
        self.before(span.start);
        match item {
            Item::Type(decl) => return self.type_decl(decl),
            Item::Pou(pou) => self.pou(pou),
            Item::Globals(block) => self.block(block),
            Item::Interface(interface) => self.interface(interface),
            Item::Configuration(configuration) => self.configuration(configuration),
            Item::Namespace(namespace) => {
                self.start().put("NAMESPACE ").name(&namespace.name).put("\n");
                self.items(&namespace.items);
                self.before(inside(span)).line("END_NAMESPACE")
            }
            Item::Using(name) => self.start().put("USING ").name(name).put(";\n"),
            // A rule that is taken for granted: the program has its effect. A comment stands right above what follows it.
            Item::Unsupported(what, _) if what.contains(": ") => {
                self.start().put(&format!("(* Taken for granted: {what} *)\n"));
                return;
            }
            Item::Unsupported(what, span) => self.cannot(what, *span),
        };
        self.separate();
    }

    /// Puts an empty line before the next line.
    fn separate(&mut self) {
        self.n_breaks = 1;
    }

    /// Starts a line.
    fn start(&mut self) -> &mut Self {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        if std::mem::take(&mut self.n_breaks) > 0 && !self.out.is_empty() {
            self.out.push('\n');
        }
        let indent = "    ".repeat(self.indent);
        self.put(&indent)
    }

    /// Writes a whole line.
    fn line(&mut self, text: &str) -> &mut Self {
        self.start().put(text).put("\n")
    }

    /// Writes the last line of a construct whose inside is indented.
    fn end(&mut self, text: &str) -> &mut Self {
        self.n_breaks = 0;
        self.indent = self.indent.saturating_sub(1);
        self.line(text)
    }

    fn put(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// Writes a name; one that is a keyword stands in backticks if it did so, or if Studio 5000 has it.
    fn ident(&mut self, ident: &Ident) -> &mut Self {
        let is_escaped = self.sources.text(ident.span).starts_with('`');
        if is_escaped || (self.is_logix && (spelling(&ident.text) != Spelling::Name || is_attribute(&ident.text))) {
            self.out.push('`');
            self.out.push_str(&ident.text);
            self.out.push('`');
            return self;
        }
        self.put(&ident.text)
    }

    /// Writes `items`, each written by `each`, with commas between them.
    fn list<T, F>(&mut self, items: impl IntoIterator<Item = T>, mut each: F) -> &mut Self
    where
        F: for<'s> FnMut(&'s mut Self, T) -> &'s mut Self,
    {
        for (i, item) in items.into_iter().enumerate() {
            each(self.put(if i == 0 { "" } else { ", " }), item);
        }
        self
    }

    /// Notes a construct that no text can express.
    fn cannot(&mut self, what: &str, span: Span) -> &mut Self {
        self.unwritable.get_or_insert_with(|| Unwritable { what: what.to_owned(), span });
        self
    }

    /// Returns the type that the resolver gave to a hidden variable of this POU or of its members.
    fn hidden_type(&self, pou: &str, var: &str) -> Option<String> {
        let is_part = |name: &str| {
            let head = name.get(..pou.len()).is_some_and(|head| head.eq_ignore_ascii_case(pou));
            head && (name.len() == pou.len() || name[pou.len()..].starts_with('.'))
        };
        let pous = self.project.pous.iter().filter(|p| is_part(&p.name));
        let mut types = pous.flat_map(|p| p.vars.iter()).filter(|v| v.name == var).map(|v| v.ty);
        let first = types.next()?;
        types.all(|ty| ty == first).then(|| type_to_st(self.project, first))
    }
}

/// Returns a place before the last word of a construct.
fn inside(span: Span) -> u32 {
    span.end.saturating_sub(1)
}
