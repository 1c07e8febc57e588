//! Declarations of libraries: their programs do not run, and names of the project are the project's.
//!
//! Each name of a library stays declared, so that no use of it finds another declaration: a standard block, or that of another
//! library.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ast::{Item, PouKind, Unit};
use crate::lang;
use crate::lang::common::lexer::{Asides, Lexer};
use crate::lang::common::token::Tok;
use crate::resolve::{configured_globals, key, shared_names};
use crate::text::{Diagnostic, FileId, Key, SourceSet, Span, codes};

/// Takes from the libraries what the project declares itself, and lets their programs not run. Returns an error for each declaration
/// that mentions such a name.
///
/// Soundness: a library means its own declaration of a name, and the project means the other one. So what mentions the name in the
/// library is left out. Words of strings, and of comments in XML, count.
pub(super) fn limit_libraries(sources: &SourceSet, units: &mut [Unit], libraries: &BTreeSet<FileId>) -> Vec<Diagnostic> {
    let own = units.iter().filter(|unit| !libraries.contains(&unit.file)).flat_map(|unit| &unit.items);
    let own: BTreeSet<Key> = own.filter(|item| !is_open(item)).flat_map(shared_names).collect();
    let mut errors = Vec::new();
    for unit in units.iter_mut().filter(|unit| libraries.contains(&unit.file)) {
        let mut ignored = Vec::new();
        let items = std::mem::take(&mut unit.items);
        unit.items = limited(sources, items, &own, &mut ignored, &mut errors);
        for (span, name, why) in ignored {
            unit.ignore(span, format!("`{name}` of a library"), why);
        }
    }
    errors
}

/// A part of a library without an effect: its place, its name and the reason.
type Ignored = (Span, String, &'static str);

/// Returns the declarations of a library beside a project with these names.
fn limited(
    sources: &SourceSet,
    items: Vec<Item>,
    own: &BTreeSet<Key>,
    ignored: &mut Vec<Ignored>,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Item> {
    let mut kept = Vec::new();
    for mut item in items {
        let (span, name) = (item.span(), item.name().map(|name| name.text.clone()).unwrap_or_default());
        if !is_open(&item) && shared_names(&item).iter().any(|name| own.contains(name)) {
            ignored.push((span, name, "the project declares this name itself"));
            continue;
        }
        if let Item::Namespace(space) = &mut item {
            space.items = limited(sources, std::mem::take(&mut space.items), own, ignored, errors);
        } else if !is_open(&item) && mentions(&code_of(sources, span), own) {
            let message = format!("`{name}` of a library names something that the project declares itself");
            let error = Diagnostic::error(codes::NAME_OF_PROJECT, span, message, "declared in the library");
            errors.push(error.help("rename one of the two declarations"));
        }
        match item {
            Item::Configuration(configuration) => {
                ignored.push((span, name, NOT_RUN));
                kept.extend(configured_globals(&configuration).cloned().map(Item::Globals));
            }
            Item::Pou(mut pou) if pou.kind == PouKind::Program => {
                ignored.push((span, name, NOT_RUN));
                // The name stays declared, and nothing runs a block without an instance.
                pou.kind = PouKind::FunctionBlock;
                kept.push(Item::Pou(pou));
            }
            Item::Pou(_)
            | Item::Type(_)
            | Item::Interface(_)
            | Item::Globals(_)
            | Item::Namespace(_)
            | Item::Using(_)
            | Item::Unsupported(..) => {
                kept.push(item);
            }
        }
    }
    kept
}

/// Reason for which a program of a library has no effect.
const NOT_RUN: &str = "the programs of libraries do not run";

/// Returns the text of a declaration without its comments, if the file is text and all of it is understood.
fn code_of(sources: &SourceSet, span: Span) -> Cow<'_, str> {
    let whole = sources.text(span);
    let Some(file) = sources.files.get(span.file).filter(|file| !lang::is_markup(&file.text)) else { return whole.into() };
    let Some(flavour) = lang::flavour_of(file) else { return whole.into() };
    let span = sources.whole_characters(span);
    let mut lexer = Lexer::new(span.file, &file.text, span.start as usize, span.end as usize).flavoured(flavour);
    let (mut asides, mut code) = (Asides::default(), String::new());
    loop {
        let token = lexer.next(&mut asides);
        if token.kind == Tok::End {
            break;
        }
        code.push(' ');
        code.push_str(file.text.get(token.start as usize..token.end as usize).unwrap_or_default());
    }
    if !asides.findings.is_empty() {
        return whole.into();
    }
    for aside in asides.assertions.iter().chain(&asides.pragmas) {
        code.push(' ');
        code.push_str(sources.text(*aside));
    }
    code.into()
}

/// Returns whether a text has one of these names as a word.
fn mentions(text: &str, names: &BTreeSet<Key>) -> bool {
    !names.is_empty()
        && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| !word.is_empty() && names.contains(&key(word)))
}

/// Returns whether several files may declare an item together.
fn is_open(item: &Item) -> bool {
    matches!(item, Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..))
}
