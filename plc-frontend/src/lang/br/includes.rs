//! Files that code in C includes.
//!
//! A header may hold statements, or macros that change the meaning of the code, so a missing one may write any variable.

use std::collections::{BTreeMap, BTreeSet};

use crate::lang::{C_ENDINGS, has_ending};
use crate::text::{FileId, Origin, SourceSet, Span};

/// Directive that includes a file.
const INCLUDE: &str = "include";
/// Folder of the headers that Automation Studio brings, and the header that it makes of all declarations.
const OF_STUDIO: (&str, &str) = ("bur/", "asdefault.h");
/// Headers of the standard library of C.
const STANDARD: &[&str] = &[
    "assert.h",
    "ctype.h",
    "errno.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "wchar.h",
];
/// Endings of files from which Automation Studio makes the header of a library.
const OF_LIBRARIES: &[&str] = &["fun", "lby"];

/// Files that code in C includes, also through others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Included {
    /// Files that were given.
    pub(crate) files: BTreeSet<FileId>,
    /// Names of those that were not, with the place of the first directive.
    pub(crate) missing: BTreeMap<String, Span>,
}

/// Returns the files that some files include.
///
/// Soundness: of several files with the name, each counts.
/// Cost: linear in the texts, and in the directives times the logarithm of the number of files.
pub(crate) fn included(sources: &SourceSet, from: impl Iterator<Item = FileId>) -> Included {
    let users = || sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User);
    let mut by_name: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
    let mut libraries: BTreeSet<String> = BTreeSet::new();
    for (id, file) in users() {
        let path = file.name.replace('\\', "/").to_lowercase();
        let mut parts = path.rsplit('/');
        let last = parts.next().unwrap_or_default();
        if has_ending(last, OF_LIBRARIES) {
            libraries.extend(parts.next().map(str::to_owned));
        }
        by_name.entry(last.to_owned()).or_default().push(id);
    }
    let mut found = Included::default();
    let mut waiting: Vec<FileId> = from.collect();
    let mut seen: BTreeSet<FileId> = waiting.iter().copied().collect();
    while let Some(id) = waiting.pop() {
        let Some(file) = sources.files.get(id) else { continue };
        for (name, at) in directives(&file.text) {
            let path = name.replace('\\', "/").to_lowercase();
            let last = path.rsplit('/').next().unwrap_or_default();
            let is_known = path.starts_with(OF_STUDIO.0) || path == OF_STUDIO.1 || STANDARD.contains(&&*path);
            let is_of_library = || last.strip_suffix(".h").is_some_and(|stem| libraries.contains(stem));
            match by_name.get(last) {
                Some(files) => {
                    found.files.extend(files);
                    waiting.extend(files.iter().copied().filter(|id| seen.insert(*id)));
                }
                None if is_known || is_of_library() => {}
                None => _ = found.missing.entry(name.to_owned()).or_insert(Span::new(id, at, at + name.len())),
            }
        }
    }
    found
}

/// Returns whether a file holds code in C, by its name.
pub(crate) fn is_in_c(name: &str) -> bool {
    has_ending(name, C_ENDINGS)
}

/// Returns whether a file is a header of C, by its name.
pub fn is_header(name: &str) -> bool {
    has_ending(name, &["h", "hpp"])
}

/// Returns the names in the directives of a text, with their places.
///
/// Soundness: directives in comments count, too.
fn directives(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.match_indices('#').filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?.trim_start_matches([' ', '\t']).strip_prefix(INCLUDE)?;
        let rest = rest.strip_prefix([' ', '\t', '<', '"']).map(|_| rest.trim_start_matches([' ', '\t']))?;
        let line = rest.lines().next().unwrap_or_default();
        let name = match line.chars().next()? {
            '<' => line.get(1..)?.split('>').next()?,
            '"' => line.get(1..)?.split('"').next()?,
            // A macro has the name.
            c if c.is_alphabetic() || c == '_' => line.trim(),
            _ => return None,
        };
        Some((name, name.as_ptr() as usize - text.as_ptr() as usize))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_code_includes() {
        let check = |text: &str, others: &[(&str, &str)], files: &[&str], missing: &[&str]| {
            let mut sources = SourceSet::default();
            let main = sources.add("L/T/main.c", text);
            for (name, text) in others {
                sources.add(*name, *text);
            }
            let found = included(&sources, [main].into_iter());
            let names: Vec<&str> = found.files.iter().map(|id| sources.files[*id].name.as_str()).collect();
            let lost: Vec<&str> = found.missing.keys().map(String::as_str).collect();
            assert_eq!((names, lost), (files.to_vec(), missing.to_vec()), "{text}");
            assert!(found.missing.iter().all(|(name, span)| sources.text(*span) == name));
        };
        check(
            "#include <bur/plctypes.h>\n#ifdef _DEFAULT_INCLUDES\n\t#include <AsDefault.h>\n#endif\n#include <string.h>",
            &[],
            &[],
            &[],
        );
        check("#include \"own.h\"\n# include \"own.h\"\n#include <Lib.h>", &[], &[], &["Lib.h", "own.h"]);
        check("#include \"..\\Own.h\"", &[("L/C/own.h", "#include \"deep.c\"")], &["L/C/own.h"], &["deep.c"]);
        check("#include <Lib.h>", &[("L/Libraries/Lib/Lib.fun", "")], &[], &[]);
        check("#include HEADER\n#included\n#define X 1", &[], &[], &["HEADER"]);
        check("#include \"a.h\"", &[("L/a.h", "#include \"main.c\"")], &["L/T/main.c", "L/a.h"], &[]);
    }
}
