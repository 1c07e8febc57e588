//! Programs in texts, found without reading them as a whole; and names of tests.

use crate::text::SourceFile;

/// Words that begin a program.
const STARTS: &[&str] = &["PROGRAM", "ORGANIZATION_BLOCK"];
/// Element of a program in exports of TIA Portal.
const BLOCK_OF_TIA: &str = "<SW.Blocks.OB ";
/// Attribute of a program in PLCopen XML.
const POU_OF_PLCOPEN: &str = "pouType=\"program\"";

/// Returns whether a text declares a program.
pub(super) fn has_program(file: &SourceFile) -> bool {
    !names(file).is_empty()
}

/// Returns the names of the programs of a text, in lower case. Programs in comments count, so they may be too many.
pub(super) fn names(file: &SourceFile) -> Vec<String> {
    let text = &file.text;
    let mut names: Vec<String> = text.lines().flat_map(beginnings).filter_map(declared).collect();
    if text.contains(BLOCK_OF_TIA) {
        names.push(last_part(&file.name).to_lowercase());
    }
    for (at, _) in text.match_indices(POU_OF_PLCOPEN) {
        let start = text[..at].rfind('<').unwrap_or(0);
        let element = &text[start..];
        let element = &element[..element.find('>').unwrap_or(element.len())];
        if let Some((_, rest)) = element.split_once(" name=\"") {
            names.push(rest.split('"').next().unwrap_or_default().to_lowercase());
        }
    }
    names
}

/// Returns the texts of a line that may begin a declaration: its own beginning, and those of texts in XML.
fn beginnings(line: &str) -> impl Iterator<Item = &str> {
    let in_xml = ["CDATA[", "<Declaration>"].into_iter().flat_map(|open| line.split(open).skip(1));
    std::iter::once(line.trim_start_matches('\u{feff}')).chain(in_xml)
}

/// Returns the name of the program that a text begins.
fn declared(text: &str) -> Option<String> {
    let line = text.trim_start();
    let starts = |word: &&&str| line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let word = STARTS.iter().find(starts)?;
    let rest = line.get(word.len()..)?;
    if !rest.starts_with(|c: char| c.is_whitespace() || c == '"') {
        return None;
    }
    let rest = rest.trim_start();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
    };
    // A sentence may begin with the word.
    let behind = rest.trim_start_matches('"').get(name.len()..).unwrap_or_default().trim_start_matches('"').trim_start();
    let is_sentence = behind.starts_with(|c: char| c.is_lowercase());
    (!name.is_empty() && !is_sentence).then(|| name.to_lowercase())
}

/// Returns whether a name has the word `Test` in it: `PumpTest`, `Pump_Tests`, `test`; not `Latest`.
pub(super) fn is_test_name(name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let begins = c.is_uppercase() && before.is_some_and(|before| !before.is_uppercase());
        if !c.is_alphanumeric() || c.is_numeric() || begins {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphabetic(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.iter().any(|word| matches!(word.as_str(), "test" | "tests" | "testing" | "unittest" | "unittests"))
}

/// Returns the last part of a path without its ending.
pub(super) fn last_part(name: &str) -> &str {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    last.split_once('.').map_or(last, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Origin;

    #[test]
    fn programs_are_found_by_their_first_words() {
        let check = |text: &str, expected: &[&str]| {
            let file = SourceFile::new("x/Main.xml", text, Origin::User);
            assert_eq!(names(&file), expected, "{text}");
        };
        check("PROGRAM Main\nVAR END_VAR", &["main"]);
        check("(* a *)\n  program p x := 1; END_PROGRAM", &[]);
        check("(* a *)\n  program P\n x := 1; END_PROGRAM", &["p"]);
        check("\u{feff}ORGANIZATION_BLOCK \"Main OB\"\nBEGIN", &["main ob"]);
        check("<Declaration><![CDATA[PROGRAM MAIN VAR END_VAR]]></Declaration><ST><![CDATA[x := 1;]]></ST>", &["main"]);
        check("<SW.Blocks.OB ID=\"0\">", &["main"]);
        check("<pou name=\"PLC_PRG\" pouType=\"program\">", &["plc_prg"]);
        check("program that runs\nPROGRAMS x\nFUNCTION f", &[]);
    }

    #[test]
    fn tests_have_a_word_in_their_names() {
        for name in ["Test", "tests", "PumpTest", "Pump_Tests", "Pump.UnitTests", "TestBench2", "my-test"] {
            assert!(is_test_name(name), "{name}");
        }
        for name in ["Latest", "Contest", "Attestation", "Main", "", "Protest"] {
            assert!(!is_test_name(name), "{name}");
        }
    }
}
