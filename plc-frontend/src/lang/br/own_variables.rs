//! Variables of programs of Automation Studio that hide global ones of the same name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::folder;
use crate::ast::Item;
use crate::lang::{C_ENDINGS, has_ending};
use crate::text::{FileId, SourceFile, SourceSet};

const LISTS: &[&str] = &["prg"];
const DECLARATIONS: &[&str] = &["var"];
/// Word of C that refers to a global variable whatever the program declares.
const GLOBAL: &str = "_GLOBAL";

/// Returns the text of a file of another program. Names that it only reads are blanks, and variables that only that program has.
pub(crate) fn others_writes<'s>(sources: &SourceSet, file: &'s SourceFile) -> Cow<'s, str> {
    let text = without_own_variables(sources, file);
    match super::reads::without_reads(&file.name, &text) {
        Some(written) => Cow::Owned(written),
        None => text,
    }
}

/// Returns the text of a file with blanks for the variables that only its program has.
///
/// Soundness: names count as they are written. Parts of paths, names behind `::`, and variables with an address stay.
fn without_own_variables<'s>(sources: &SourceSet, file: &'s SourceFile) -> Cow<'s, str> {
    let home = folder(&file.name);
    let beside = || sources.files.iter().filter(|other| folder(&other.name) == home);
    let is_program = beside().any(|other| has_ending(&other.name, LISTS));
    if !is_program || (has_ending(&file.name, C_ENDINGS) && file.text.contains(GLOBAL)) {
        return Cow::Borrowed(&file.text);
    }
    let own: BTreeSet<String> =
        beside().filter(|other| has_ending(&other.name, DECLARATIONS)).flat_map(|other| declared(&other.text)).collect();
    if own.is_empty() { Cow::Borrowed(&file.text) } else { Cow::Owned(blanked(&file.text, &own)) }
}

/// Returns the names that a file of variables declares without an address.
fn declared(text: &str) -> Vec<String> {
    let unit = crate::lang::st::part(FileId(0), text).value;
    let blocks = unit.items.iter().filter_map(|item| if let Item::Globals(block) = item { Some(block) } else { None });
    let vars = blocks.flat_map(|block| &block.vars).filter(|var| var.address.is_none());
    vars.map(|var| var.name.text.clone()).collect()
}

fn blanked(text: &str, own: &BTreeSet<String>) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(is_part).unwrap_or(rest.len());
        let (gap, behind) = rest.split_at(start);
        found.push_str(gap);
        let end = behind.find(|c| !is_part(c)).unwrap_or(behind.len());
        let (word, behind) = behind.split_at(end);
        let before = found.trim_end();
        let is_path = before.ends_with('.') || before.ends_with("::") || before.ends_with("->");
        if own.contains(word) && !is_path {
            found.extend(std::iter::repeat_n(' ', word.len()))
        } else {
            found.push_str(word)
        }
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_variables_are_no_names_of_others() {
        let check = |name: &str, text: &str, expected: &str| {
            let mut sources = SourceSet::default();
            sources.add("L/B/IEC.prg", "<?AutomationStudio?>");
            sources.add("L/B/B.var", "VAR\n\tn, m : INT;\n(* g: the\n N: other *)\n\tk AT %QW0 : INT;\nEND_VAR\n");
            sources.add(name, text);
            let file = sources.files.iter().last().unwrap();
            assert_eq!(without_own_variables(&sources, file), expected, "{name}: {text}");
        };
        check("L/B/Main.st", "n := g.n + ::m + N; k := m;", "  := g.n + ::m + N; k :=  ;");
        check("L/Main.st", "n := 1;", "n := 1;");
        check("L/B/Main.c", "n = 1; p->n = m;", "  = 1; p->n =  ;");
        check("L/B/Main.c", "_GLOBAL short n; n = 1;", "_GLOBAL short n; n = 1;");
    }
}
