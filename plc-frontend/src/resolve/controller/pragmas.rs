//! What changes a program's runs without being a statement: attributes that initialise or do not, conditional text.
//! Nothing of it is modelled, so every proof says that it is taken for granted.

use std::collections::BTreeSet;

use crate::lang::common::pragma::pragmas;
use crate::resolve::resolver::Resolver;
use crate::text::ledger::{Gap, Treatment};
use crate::text::source::{Origin, SourceSet, Span};

/// Attributes, in lower case, and what they mean.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("call_after_global_init_slot", "no effect of the function with `call_after_global_init_slot`"),
    ("global_init_slot", "no effect of the order in `global_init_slot`"),
    ("no_init", "initial value of the variable with `no_init`"),
    ("no-init", "initial value of the variable with `no_init`"),
    ("noinit", "initial value of the variable with `no_init`"),
];

/// What a pragma that chooses text means.
const CONDITIONAL: &str = "conditional text whose names are undefined";

impl Resolver<'_> {
    /// Enters what the pragmas of the user's texts say into the ledger, each construct once a file.
    pub(crate) fn note_assumed(&mut self, sources: &SourceSet) {
        for (id, file) in sources.files.iter_enumerated().filter(|(_, file)| file.origin == Origin::User) {
            let mut known = BTreeSet::new();
            for (span, words) in pragmas(id, &file.name, &file.text) {
                if crate::resolve::startup::call_after_init::is_after_init(&words) {
                    self.starts_after.push((span, crate::resolve::startup::call_after_init::declared_behind(&file.text, span)));
                    continue;
                }
                let construct = meaning(&words);
                for construct in construct.into_iter().filter(|construct| known.insert(*construct)) {
                    self.assume(span, construct);
                }
            }
        }
    }

    /// Enters something into the ledger that may change any run.
    pub(crate) fn assume(&mut self, span: Span, construct: &str) {
        let effect = "it is not modelled: what it would do is not verified".to_owned();
        self.record(Gap { span, construct: construct.to_owned(), treatment: Treatment::Assumed, effect });
    }
}

/// What a pragma does that is not modelled.
fn meaning(words: &str) -> Option<&'static str> {
    let (first, rest) = words.split_once(|c: char| c.is_whitespace() || c == '\'')?;
    match first.to_ascii_lowercase().as_str() {
        "attribute" => {
            let name = rest.trim_start().trim_start_matches('\'').split('\'').next()?;
            ATTRIBUTES.iter().find(|(word, _)| name.trim().eq_ignore_ascii_case(word)).map(|(_, construct)| *construct)
        }
        "if" | "elsif" => Some(CONDITIONAL),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::text::ledger::Treatment;
    use crate::text::source::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn pragmas_of_xml_count() {
        let text = "<?xml version=\"1.0\"?><TcPlcObject><POU Name=\"F\"><Declaration>{attribute &apos;no_init&apos;}\nFUNCTION_BLOCK F\nVAR k : INT; END_VAR\n</Declaration>\
            <Implementation><ST><![CDATA[k := 1; (* {attribute 'call_after_init'} *)]]></ST></Implementation></POU></TcPlcObject>";
        let mut sources = SourceSet::default();
        sources.add("F.TcPOU", text);
        let loaded = load(&sources, &LoadOptions::default()).value;
        let constructs: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(constructs, ["initial value of the variable with `no_init`"]);
    }

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
        check(&block("METHOD FB_Init : BOOL\nk := 3; FB_Init := TRUE;\nEND_METHOD"), &[]);
        check("(* {attribute 'call_after_init'} *)\n// {attribute 'no_init'}\nPROGRAM P\nEND_PROGRAM", &[]);
        check("PROGRAM P\nVAR {attribute 'no_init'} z : INT; END_VAR\nz := z;\nEND_PROGRAM", &["no_init"]);
        check("PROGRAM P\nVAR z : INT; END_VAR\n{IF defined (X)}\nz := 1;\n{END_IF}\nEND_PROGRAM", &["conditional text"]);
        let heirs = "FUNCTION_BLOCK B\nVAR n : INT; END_VAR\nn := 1;\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK D EXTENDS B\nn := 2;\nEND_FUNCTION_BLOCK\n\
            PROGRAM P\nVAR d : D; b : B; r : REFERENCE TO B; END_VAR\nr REF= b;\nd();\n";
        check(&format!("{heirs}b();\nEND_PROGRAM"), &[]);
        check(&format!("{heirs}r();\nEND_PROGRAM"), &["called through a reference"]);
    }
}
