//! Declarations that several files repeat word for word: the first one counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Item, PouKind, Unit, VarBlock};
use crate::resolve::names::spaces::Spaces;
use crate::text::{Key, SourceSet, Span, key};

/// Kind of other declarations that another file has, too, word for word.
const REPEATED: &str = "repeated declaration";
/// Kind of global variables that another file declares, too, word for word.
pub(crate) const REPEATED_GLOBALS: &str = "repeated global variables";

/// Declaration of a name.
struct Declaration {
    /// Position of its file.
    at: usize,
    span: Span,
    name: Span,
    /// Its sections in other files.
    sections: Vec<Span>,
}

/// Leaves out functions, function blocks and types that repeat an earlier declaration, and notes them as ignored.
///
/// Soundness: the texts are equal but for blanks, and names in them mean the same in one library, so nothing depends on which one counts. Programs are not compared: each may run.
pub(crate) fn merge(units: &mut [Unit], sources: &SourceSet, spaces: &Spaces, differing: &BTreeSet<Key>) {
    let mut by_name: BTreeMap<(usize, Key), Vec<Declaration>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        for item in unit.items.iter().filter(|item| can_repeat(item)) {
            if let Some(name) = item.name() {
                let row = Declaration { at, span: item.span(), name: name.span, sections: sections_elsewhere(item) };
                by_name.entry((spaces.of(unit.file), key(&name.text))).or_default().push(row);
            }
        }
    }
    for declarations in by_name.into_values() {
        let [first, others @ ..] = declarations.as_slice() else { continue };
        if others.is_empty() {
            continue;
        }
        let text = parts(first.name, first.span, &first.sections, sources);
        for other in others {
            if text == parts(other.name, other.span, &other.sections, sources)
                && text.iter().all(|part| !names_one_of(part, differing))
                && let Some(unit) = units.get_mut(other.at)
            {
                leave_out(unit, sources, first.span, other.span, REPEATED);
            }
        }
    }
}

/// Returns the texts of a declaration without the lengths of blanks. What a reader adds stands in no text: then the tag counts for which
/// it is added.
fn parts(name: Span, span: Span, sections: &[Span], sources: &SourceSet) -> Vec<String> {
    if name == span {
        return vec![without_blanks(sources.text(span))];
    }
    std::iter::once(&span).chain(sections).map(|span| without_blanks(sources.declaration_with_pragmas(*span))).collect()
}

/// Leaves out global variables that another loose file declares word for word: one application has one variable of a name. Lists with a
/// name are not compared.
///
/// Soundness: in two applications each would have its own, so answers about them have a condition
/// ([`crate::resolve::controller::repeated_globals`]).
pub(crate) fn merge_globals(units: &mut [Unit], sources: &SourceSet, differing: &BTreeSet<Key>) {
    let mut by_text: BTreeMap<String, Span> = BTreeMap::new();
    for unit in units.iter_mut() {
        let block = |item: &Item| match item {
            Item::Globals(block) => block.list.is_none().then(|| (block.span, text_of_globals(block, sources))),
            Item::Pou(_) | Item::Type(_) | Item::Interface(_) => None,
            Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => None,
        };
        let blocks: Vec<(Span, String)> = unit.items.iter().filter_map(block).collect();
        for (span, text) in blocks {
            let is_clear = differing.is_empty() || !names_one_of(&text, differing);
            let first = *by_text.entry(text).or_insert(span);
            if first.file != span.file && is_clear {
                leave_out(unit, sources, first, span, REPEATED_GLOBALS);
            }
        }
    }
}

/// Returns the text of a declaration with its sections in other files, without the lengths of blanks.
pub(crate) fn text_of(item: &Item, sources: &SourceSet) -> String {
    let parts = match (item, item.name()) {
        (Item::Globals(block), _) => return text_of_globals(block, sources),
        (_, Some(name)) => parts(name.span, item.span(), &sections_elsewhere(item), sources),
        (_, None) => parts(Span::none(), item.span(), &sections_elsewhere(item), sources),
    };
    parts.join(" ")
}

/// Returns the text of global variables, without the lengths of blanks. Those that a reader adds stand in no text: their names count.
fn text_of_globals(block: &VarBlock, sources: &SourceSet) -> String {
    if block.vars.iter().any(|var| var.name.span != block.span) {
        return without_blanks(sources.declaration_with_pragmas(block.span));
    }
    let added = block.vars.iter().map(|var| format!("{} : {}", var.name.text, var.ty.kind.words()));
    std::iter::once(sources.text(block.span).to_owned()).chain(added).collect::<Vec<_>>().join(" ")
}

/// Leaves out a declaration that repeats the first one.
pub(crate) fn leave_out_repeated(unit: &mut Unit, sources: &SourceSet, first: Span, span: Span) {
    leave_out(unit, sources, first, span, REPEATED);
}

fn leave_out(unit: &mut Unit, sources: &SourceSet, first: Span, span: Span, what: &str) {
    let file = sources.files.get(first.file).map_or("", |file| file.name.as_str());
    let why = format!("the same as in {file}, line {}", sources.line_col(first).line);
    unit.items.retain(|item| item.span() != span);
    unit.ignore(span, what, &why);
}

fn can_repeat(item: &Item) -> bool {
    match item {
        Item::Pou(pou) => pou.kind != PouKind::Program && !pou.is_unnamed(),
        Item::Type(_) => true,
        Item::Interface(_)
        | Item::Globals(_)
        | Item::Configuration(_)
        | Item::Namespace(_)
        | Item::Using(_)
        | Item::Unsupported(..) => false,
    }
}

/// Returns the declaration sections of a POU that stand in another file than its statements, as in libraries of B&R.
pub(crate) fn sections_elsewhere(item: &Item) -> Vec<Span> {
    let Item::Pou(pou) = item else { return Vec::new() };
    let result = pou.result.iter().map(|result| result.span);
    pou.vars.iter().map(|block| block.span).chain(result).filter(|span| span.file != pou.span.file).collect()
}

/// Returns whether a text has one of these names as a word.
pub(crate) fn names_one_of(text: &str, names: &BTreeSet<Key>) -> bool {
    !names.is_empty() && text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| names.contains(&key(word)))
}

/// Returns a text without the lengths of blanks. A line with quotes keeps those inside: they may be signs of a string.
fn without_blanks(text: &str) -> String {
    let lines = text.lines().map(|line| match line.contains(['\'', '"']) {
        true => line.trim().to_owned(),
        false => line.split_whitespace().collect::<Vec<_>>().join(" "),
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn equal_declarations_count_once() {
        let errors = |second: &str| {
            let first = "FUNCTION F : INT\nF := 1;\nEND_FUNCTION\nTYPE T : STRUCT a : INT; END_STRUCT END_TYPE\n";
            let mut sources = SourceSet::default();
            sources.add("a.st", format!("{first}PROGRAM Main\nVAR t : T; END_VAR\nt.a := F();\nEND_PROGRAM\n"));
            sources.add("b.st", second);
            let parsed = load(&sources, &LoadOptions::default());
            let codes: Vec<&str> = parsed.diagnostics.iter().map(|d| d.code).collect();
            (codes.join(" "), parsed.value.ledger.ignored.len())
        };
        let (none, duplicate) = (String::new(), "P4002".to_owned());
        assert_eq!(errors("FUNCTION F : INT\n  F := 1;\n\nEND_FUNCTION\n"), (none.clone(), 1));
        assert_eq!(errors("TYPE T : STRUCT a : INT; END_STRUCT END_TYPE\n"), (none, 1));
        assert_eq!(errors("FUNCTION F : INT\nF := 2;\nEND_FUNCTION\n"), (duplicate.clone(), 0));
        assert_eq!(errors("TYPE T : STRUCT a : DINT; END_STRUCT END_TYPE\n"), (duplicate.clone(), 0));
        assert_eq!(errors("{attribute 'pack_mode' := '1'}\nTYPE T : STRUCT a : INT; END_STRUCT END_TYPE\n"), (duplicate, 0));
    }

    #[test]
    fn blanks_of_strings_count() {
        assert_eq!(super::without_blanks("a :=   b;\n\n c ;"), super::without_blanks("a := b;\r\nc ;"));
        assert_ne!(super::without_blanks("LEN('a  b')"), super::without_blanks("LEN('a b')"));
        assert_ne!(
            super::without_blanks("x := 'a'; (* don't *) y := 'a  b'"),
            super::without_blanks("x := 'a'; (* don't *) y := 'a b'")
        );
    }

    /// Declarations in two folders are one if all that they name is one.
    #[test]
    fn equal_texts_with_other_meanings_are_two() {
        let check = |shared: &str, one: &str, two: &str, is_one: bool| {
            let mut sources = SourceSet::default();
            sources.add("a/f.st", shared);
            sources.add("b/f.st", shared);
            sources.add("a/g.st", one);
            sources.add("b/g.st", two);
            sources.add("m/main.st", "PROGRAM Main\nVAR r : INT; END_VAR\nr := F();\nEND_PROGRAM\n");
            let loaded = crate::isolation::load_isolated(&sources, &LoadOptions::default());
            let is_understood = !loaded.has_errors() && loaded.value.left_out.is_empty();
            assert_eq!(is_understood, is_one, "{shared} {one} {two} {:#?} {:#?}", loaded.diagnostics, loaded.value.left_out);
        };
        let of = |body: &str| format!("FUNCTION F : INT\nF := {body};\nEND_FUNCTION\n");
        let g = |value: u8| format!("FUNCTION G : INT\nG := {value};\nEND_FUNCTION\n");
        check(&of("G()"), &g(1), &g(1), true);
        check(&of("G()"), &g(1), &g(2), false);
        let through = format!("{}FUNCTION E : INT\nE := G();\nEND_FUNCTION\n", of("E()"));
        check(&through, &g(1), &g(2), false);
        let constant = |value: u8| format!("VAR_GLOBAL CONSTANT k : INT := {value}; END_VAR\n");
        check(&of("k"), &constant(1), &constant(2), false);
        let modes = |first: &str, second: &str| format!("TYPE T : ({first}, {second}); END_TYPE\n");
        check(&of("TO_INT(Run)"), &modes("Idle", "Run"), &modes("Run", "Idle"), false);
    }
}
