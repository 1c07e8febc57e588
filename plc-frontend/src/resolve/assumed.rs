//! What changes a program's runs without being a statement: attributes that initialise or do not, conditional text,
//! temporary variables that keep garbage. Nothing of it is modelled, so every proof says that it is taken for granted.

use super::resolver::Resolver;
use crate::ledger::{Gap, Treatment};
use crate::source::{FileId, Origin, SourceSet, Span};

/// A mark in the text: what it is written like, what must stand before or behind it, what it means.
struct Mark {
    word: &'static str,
    before: &'static str,
    behind: &'static str,
    construct: &'static str,
}

const fn attribute(word: &'static str, construct: &'static str) -> Mark {
    Mark { word, before: "attribute", behind: "", construct }
}

/// In lower case.
const MARKS: &[Mark] = &[
    attribute("'call_after_init'", "method that is called before the first cycle (call_after_init)"),
    attribute("'call_after_global_init_slot'", "function that is called before the first cycle (call_after_global_init_slot)"),
    attribute("'global_init_slot'", "order of initialisation (global_init_slot)"),
    attribute("'no_init'", "variable that is not initialised (no_init)"),
    attribute("'no-init'", "variable that is not initialised (no_init)"),
    attribute("'noinit'", "variable that is not initialised (no_init)"),
    Mark { word: "{if", before: "", behind: "defined", construct: "conditional text: its names are taken as undefined" },
    Mark {
        word: "s7_optimized_access",
        before: "",
        behind: "'false'",
        construct: "VAR_TEMP of a block without optimized access: it is taken as initialised",
    },
];

/// How far away what belongs to a mark may stand, in bytes.
const NEAR: usize = 60;

impl Resolver<'_> {
    /// Enters what the user's texts hold of [`MARKS`] into the ledger, each mark once a file.
    pub(crate) fn note_assumed(&mut self, sources: &SourceSet) {
        for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User) {
            let text = file.text.to_ascii_lowercase();
            for mark in MARKS {
                self.note_mark(id, text.as_bytes(), mark);
            }
        }
    }

    fn note_mark(&mut self, file: FileId, text: &[u8], mark: &Mark) {
        let holds = |part: &[u8], word: &str| word.is_empty() || part.windows(word.len()).any(|w| w == word.as_bytes());
        let found = text.windows(mark.word.len()).enumerate().filter(|(_, w)| *w == mark.word.as_bytes()).find(|(at, _)| {
            let end = at + mark.word.len();
            let before = text.get(at.saturating_sub(NEAR)..*at).unwrap_or(&[]);
            let behind = text.get(end..(end + NEAR).min(text.len())).unwrap_or(&[]);
            holds(before, mark.before) && holds(behind, mark.behind)
        });
        if let Some((at, _)) = found {
            self.assume(Span::new(file, at, at + mark.word.len()), mark.construct);
        }
    }

    /// Enters something into the ledger that may change any run.
    pub(crate) fn assume(&mut self, span: Span, construct: &str) {
        let effect = "it is not modelled: what it would do is not verified".to_owned();
        self.record(Gap { span, construct: construct.to_owned(), treatment: Treatment::Assumed, effect });
    }
}

#[cfg(test)]
mod tests {
    use crate::ledger::Treatment;
    use crate::source::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn what_is_no_statement_and_changes_runs_is_in_the_ledger() {
        let check = |text: &str, expected: &[&str]| {
            let mut sources = SourceSet::default();
            sources.add("p.st", text);
            let loaded = load(&sources, &LoadOptions::default()).value;
            let assumed = loaded.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed);
            let constructs: Vec<&str> = assumed.map(|gap| gap.construct.as_str()).collect();
            assert_eq!(constructs.len(), expected.len(), "{text}: {constructs:?}");
            for (construct, words) in constructs.iter().zip(expected) {
                assert!(construct.contains(words), "{text}: {construct}");
            }
        };
        let block = |inside: &str| format!("FUNCTION_BLOCK F\nVAR k : INT; END_VAR\n{inside}\nEND_FUNCTION_BLOCK\n");
        check(&block("k := 1;"), &[]);
        check(
            &block("{attribute 'call_after_init'}\nMETHOD After : BOOL\nk := 3; After := TRUE;\nEND_METHOD"),
            &["call_after_init"],
        );
        check(&block("METHOD FB_Init : BOOL\nk := 3; FB_Init := TRUE;\nEND_METHOD"), &["FB_init"]);
        check("PROGRAM P\nVAR {attribute 'no_init'} z : INT; END_VAR\nz := z;\nEND_PROGRAM", &["no_init"]);
        check("PROGRAM P\nVAR z : INT; END_VAR\n{IF defined (X)}\nz := 1;\n{END_IF}\nEND_PROGRAM", &["conditional text"]);
        let heirs = "FUNCTION_BLOCK B\nVAR n : INT; END_VAR\nn := 1;\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK D EXTENDS B\nn := 2;\nEND_FUNCTION_BLOCK\n\
            PROGRAM P\nVAR d : D; b : B; r : REFERENCE TO B; END_VAR\nr REF= b;\nd();\n";
        check(&format!("{heirs}b();\nEND_PROGRAM"), &[]);
        check(&format!("{heirs}r();\nEND_PROGRAM"), &["called through a reference"]);
    }
}
