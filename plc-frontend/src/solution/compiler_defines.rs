//! Names that a project defines for conditional text: `<CompilerDefines>SIM,DEBUG</CompilerDefines>` of TwinCAT.
//!
//! Soundness: conditional text is read as if no name were defined. Where the project defines one, the controller compiles another
//! text, so the pragma is an error.

use std::collections::BTreeMap;

use crate::text::{Diagnostic, Key, Origin, SourceSet, codes, key};

/// Element with the names.
const ELEMENT: &str = "CompilerDefines";
/// Endings of the files that have it.
const ENDINGS: &[&str] = &["plcproj", "tsproj", "tspproj", "xti"];

/// Makes errors of the warnings about conditional text that asks for a name which a project of the upload defines.
pub(super) fn refuse(sources: &SourceSet, findings: &mut [Diagnostic]) {
    let mut conditions = findings.iter_mut().filter(|finding| finding.code == codes::CONDITIONAL_TEXT).peekable();
    if conditions.peek().is_none() {
        return;
    }
    let defined = defined(sources);
    for finding in conditions {
        let text = sources.text(finding.span());
        let Some((name, file)) = words(text).find_map(|word| Some((word, defined.get(&key(word))?))) else { continue };
        let message = format!("`{name}` is defined in `{file}`, so the controller compiles another branch");
        let refused = Diagnostic::error(finding.code, finding.span(), message, "this pragma chooses which text is compiled");
        *finding = refused.help("upload the text that the controller runs, without {IF …}");
    }
}

/// Returns the names that files of projects define, in lower case, with the file of each.
fn defined(sources: &SourceSet) -> BTreeMap<Key, &str> {
    let users = sources.files.iter().filter(|file| file.origin == Origin::User);
    let mut found = BTreeMap::new();
    for file in users.filter(|file| crate::lang::has_ending(&file.name, ENDINGS)) {
        let (open, close) = (format!("<{ELEMENT}>"), format!("</{ELEMENT}>"));
        for list in file.text.split(&open).skip(1).filter_map(|rest| rest.split_once(&close)) {
            // A value may stand behind the name: `LEVEL:=2`.
            let names = list.0.split([',', ';']).filter_map(|part| words(part).next());
            found.extend(names.map(|name| (key(name), file.name.as_str())));
        }
    }
    found
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::load_isolated;
    use crate::resolve::LoadOptions;
    use crate::text::Severity;

    #[test]
    fn a_branch_that_the_project_does_not_choose_stops_the_program() {
        let check = |defines: &str, condition: &str, expected: &[&str]| {
            let project = format!(
                "<Project><PropertyGroup><Name>App</Name><CompilerDefines>{defines}</CompilerDefines></PropertyGroup><ItemGroup>\
                 <Compile Include=\"MAIN.TcPOU\"/></ItemGroup></Project>"
            );
            let pou = format!(
                "<TcPlcObject><POU Name=\"MAIN\"><Declaration><![CDATA[PROGRAM MAIN\nVAR\n o, z : BOOL;\nEND_VAR]]></Declaration>\
                 <Implementation><ST><![CDATA[z := TRUE;\n{{IF {condition}}}\no := TRUE;\n{{END_IF}}]]></ST></Implementation></POU>\
                 </TcPlcObject>"
            );
            let mut sources = SourceSet::default();
            sources.add("App/App.plcproj", project);
            sources.add("App/MAIN.TcPOU", pou);
            let loaded = load_isolated(&sources, &LoadOptions::default());
            let errors = loaded.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
            let errors: Vec<&str> = errors.map(|finding| finding.message.split(' ').next().unwrap_or_default()).collect();
            assert_eq!(errors, expected, "{defines} {condition}");
            assert_eq!(loaded.value.runs, expected.is_empty(), "{defines} {condition}");
        };
        check("SIM", "defined (SIM)", &["`SIM`"]);
        check("DEBUG, Sim:=2", "NOT defined (SIM) AND defined (y)", &["`SIM`"]);
        check("SIMULATION", "defined (SIM)", &[]);
        check("", "defined (SIM)", &[]);
    }
}
