//! Pragmas that change runs: attributes about initialisation, and conditional text.
//! None is modelled, so every answer names them as assumptions.

use crate::lang::common::pragma::chooses_text;
use crate::lang::pragmas::{Pragmas, declared_behind};
use crate::resolve::findings::Findings;
use crate::resolve::startup::call_after_init::is_after_init;
use crate::text::source::{FileId, Origin, SourceFile, SourceSet, Span};
use std::collections::BTreeSet;

/// Attributes, in lower case, with their constructs in the ledger.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("call_after_global_init_slot", AFTER_SLOT),
    ("global_init_slot", "no effect of the order in `global_init_slot`"),
    ("no_init", "initial value of the variable with `no_init`"),
    ("no-init", "initial value of the variable with `no_init`"),
    ("noinit", "initial value of the variable with `no_init`"),
    ("tcinitsymbol", "initial value of the variable with `TcInitSymbol`"),
];

/// Construct of the attribute of a function or method that the controller calls before the first cycle.
const AFTER_SLOT: &str = "no effect of the function with `call_after_global_init_slot`";

/// Construct of a pragma that chooses text.
const CONDITIONAL: &str = "conditional text whose names are undefined";

/// Pragmas that later phases need.
#[derive(Default)]
pub(crate) struct Noted {
    /// Attributes `call_after_init`, with the beginnings of the declarations behind them.
    pub(crate) after_init: Vec<(Span, u32)>,
    /// Places of conditions that are about all variables.
    pub(crate) anywhere: Vec<Span>,
    /// Files with the attribute `linkalways`.
    pub(crate) linked: BTreeSet<FileId>,
}

/// Enters the pragmas of the user's texts that change runs into the ledger, each construct once a file.
///
/// Soundness: conditional text may hold any code, also code that does not run here. Only the first one of a file is told, so it
/// stands for all of them. A function that the controller calls before the first cycle may write any variable.
pub(crate) fn note_pragmas(
    findings: &mut Findings,
    sources: &SourceSet,
    pragmas: &Pragmas,
    compiled: &BTreeSet<FileId>,
) -> Noted {
    let mut noted = Noted::default();
    let is_read = |id: FileId, file: &SourceFile| file.origin == Origin::User && compiled.contains(&id);
    for (id, file) in sources.files.iter_enumerated().filter(|(id, file)| is_read(*id, file)) {
        let mut known = BTreeSet::new();
        for (span, words) in pragmas.in_file(id, file).iter() {
            if is_after_init(words) {
                noted.after_init.push((*span, declared_behind(&file.text, *span)));
                continue;
            }
            if attribute(words).is_some_and(|name| name.eq_ignore_ascii_case("linkalways")) {
                noted.linked.insert(id);
            }
            let construct = meaning(words);
            for construct in construct.into_iter().filter(|construct| known.insert(*construct)) {
                findings.assume(*span, construct);
                noted.anywhere.extend([CONDITIONAL, AFTER_SLOT].contains(&construct).then_some(*span));
            }
        }
    }
    noted
}

/// Returns the construct of a pragma that is not modelled.
fn meaning(words: &str) -> Option<&'static str> {
    if chooses_text(words) {
        return Some(CONDITIONAL);
    }
    let name = attribute(words)?;
    ATTRIBUTES.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, construct)| *construct)
}

/// Returns the name of an attribute.
fn attribute(words: &str) -> Option<&str> {
    let (first, rest) = words.split_once(|c: char| c.is_whitespace() || c == '\'')?;
    let name = rest.trim_start().trim_start_matches('\'').split('\'').next()?;
    first.eq_ignore_ascii_case("attribute").then(|| name.trim())
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
        check(&block("METHOD FB_Init : BOOL\nk := 3; FB_Init := TRUE;\nEND_METHOD"), &["FB_init of the entry"]);
        check("(* {attribute 'call_after_init'} *)\n// {attribute 'no_init'}\nPROGRAM P\nEND_PROGRAM", &[]);
        check("PROGRAM P\nVAR {attribute 'no_init'} z : INT; END_VAR\nz := z;\nEND_PROGRAM", &["no_init"]);
        check("PROGRAM P\nVAR {attribute 'TcInitSymbol'} z : INT; END_VAR\nz := z;\nEND_PROGRAM", &["TcInitSymbol"]);
        check("PROGRAM P\nVAR z : INT; END_VAR\n{IF defined (X)}\nz := 1;\n{END_IF}\nEND_PROGRAM", &["conditional text"]);
        check("PROGRAM P\nVAR z : INT; END_VAR\n{IF(defined(X))}\nz := 1;\n{END_IF}\nEND_PROGRAM", &["conditional text"]);
        check("PROGRAM P\nVAR z : INT; END_VAR\n{IF}\nz := 1;\n{END_IF}\nEND_PROGRAM", &["conditional text"]);
        let heirs = "FUNCTION_BLOCK B\nVAR n : INT; END_VAR\nn := 1;\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK D EXTENDS B\nn := 2;\nEND_FUNCTION_BLOCK\n\
            PROGRAM P\nVAR d : D; b : B; r : REFERENCE TO B; END_VAR\nr REF= b;\nd();\n";
        check(&format!("{heirs}b();\nEND_PROGRAM"), &[]);
        check(&format!("{heirs}r();\nEND_PROGRAM"), &["called through a reference"]);
    }
}
