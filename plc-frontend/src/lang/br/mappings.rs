//! Files that map variables to inputs and outputs (`.iom`), and to each other (`.vvm`).
//!
//! A file of the first kind is a VAR_CONFIG of IEC 61131-3: `::Start AT %IX."DI".Input1;`, `Task:Lamp AT %QX."DO".Output1;`. No public
//! manual describes the second kind.
//!
//! Soundness: an input changes between two cycles, and an output does not change its variable. Of a line in another form each name
//! counts as an input.

use crate::lang::has_ending;
use crate::text::SourceFile;

const ENDINGS: &[&str] = &["iom", "vvm"];

/// Returns whether a file maps variables, by its name.
pub fn is_mapping(name: &str) -> bool {
    has_ending(name, ENDINGS)
}

/// Returns a text with the names of the variables that may change between two cycles.
pub(crate) fn mapped(file: &SourceFile) -> String {
    let variable = |line: &str| {
        let upper = line.to_ascii_uppercase();
        match upper.find(" AT %").or_else(|| upper.find("\tAT %")) {
            Some(at) if upper.get(at..).is_some_and(|rest| rest.contains("AT %Q")) => None,
            Some(at) => line.get(..at).map(str::to_owned),
            None => Some(line.replace('%', " ")),
        }
    };
    // `Task:Variable` names the variable of a program, as a point does elsewhere.
    file.text.lines().filter_map(variable).collect::<Vec<_>>().join("\n").replace(':', ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Origin;

    #[test]
    fn inputs_and_lines_in_other_forms_name_variables() {
        let check = |text: &str, expected: &str| {
            assert_eq!(mapped(&SourceFile::new("IoMap.iom", text, Origin::User)).trim(), expected, "{text}");
        };
        check("\t::Start AT %IX.\"DI\".Input1;", "..Start");
        check("Task:Level\tat %iw.IF6.ST2.Input1;", "Task.Level");
        check("::Lamp AT %QX.\"DO\".Output1;", "");
        check("::a CONNECTS ::b %X", "..a CONNECTS ..b  X");
        assert!(is_mapping("Physical/C/IoMap.iom") && is_mapping("PvMap.VVM") && !is_mapping("Cpu.sw"));
    }
}
