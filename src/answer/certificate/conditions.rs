//! Conditions of an answer: those that a certificate names against those that the program has.
//!
//! A certificate shows the answer, never its conditions. So it must name all of them.

use super::check::Answer;
use super::header::{CONDITION, one_line};

/// Returns all conditions of an answer: those of the program in its words, then those that only the file names.
///
/// Stops:         `Refuted` where the file leaves out a condition of the program: it claims more than it shows.
/// Soundness: the words behind a condition of the program, in parentheses, are the file's and are not repeated.
pub(super) fn agreed(of_program: &[String], said: &[(&str, String)]) -> Result<Vec<String>, Answer> {
    let said: Vec<&str> = said.iter().filter(|(key, _)| *key == CONDITION).map(|(_, value)| value.as_str()).collect();
    let mut conditions: Vec<String> = of_program.iter().map(|condition| one_line(condition)).collect();
    let missing: Vec<&String> = conditions.iter().filter(|condition| !said.iter().any(|said| names(said, condition))).collect();
    if !missing.is_empty() {
        let left_out = |condition: &&String| format!("the certificate leaves out a condition: {condition}");
        return Err(Answer::Refuted(missing.iter().map(left_out).collect()));
    }
    let more = said.iter().filter(|said| !conditions.iter().any(|condition| names(said, condition)));
    let more: Vec<String> = more.map(|said| (*said).to_owned()).collect();
    conditions.extend(more);
    Ok(conditions)
}

/// Returns the conditions that a file names: those that the run found, then further ones of the program.
pub fn named(of_program: &[String], found: Vec<String>) -> Vec<String> {
    let is_found = |condition: &&String| found.iter().any(|found| names(&one_line(found), &one_line(condition)));
    let more: Vec<&String> = of_program.iter().filter(|condition| !is_found(condition)).collect();
    let more: Vec<String> = more.into_iter().map(|condition| format!("{condition} (not shown by this certificate)")).collect();
    found.into_iter().chain(more).collect()
}

/// Checks that words of a file name a condition of the program: by its text, with or without an addition in parentheses.
fn names(said: &str, condition: &str) -> bool {
    said.strip_prefix(condition).is_some_and(|rest| rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(of_program: &[&str], said: &[&str]) -> Result<Vec<String>, Answer> {
        let of_program: Vec<String> = of_program.iter().map(|text| (*text).to_owned()).collect();
        let said: Vec<(&str, String)> = said.iter().map(|text| (CONDITION, (*text).to_owned())).collect();
        agreed(&of_program, &said)
    }

    #[test]
    fn a_condition_that_the_file_leaves_out_refutes_it() {
        let refuted = |of_program: &[&str], said: &[&str], missing: &str| {
            let expected = format!("the certificate leaves out a condition: {missing}");
            assert_eq!(agree(of_program, said), Err(Answer::Refuted(vec![expected])));
        };
        refuted(&["no overflow"], &[], "no overflow");
        refuted(&["`k` keeps its initial value 5", "b"], &["b"], "`k` keeps its initial value 5");
        refuted(&["`k` keeps its initial value 5"], &["`k` keeps its initial value 57"], "`k` keeps its initial value 5");
        refuted(&["a"], &["a (b) is no matter"], "a");
    }

    #[test]
    fn conditions_of_the_program_stand_in_its_words_and_those_of_the_file_behind_them() {
        assert_eq!(
            agree(&["a", "b"], &["b", "a (proved, you may trust me)", "c (d)"]),
            Ok(["a", "b", "c (d)"].map(String::from).into())
        );
        assert_eq!(agree(&[], &[]), Ok(Vec::new()));
        let of_program = ["a", "b"].map(String::from);
        let file = named(&of_program, vec!["b (can happen)".to_owned(), "c".to_owned()]);
        assert_eq!(file, ["b (can happen)", "c", "a (not shown by this certificate)"]);
        assert_eq!(
            agree(&["a", "b"], &file.iter().map(String::as_str).collect::<Vec<_>>()),
            Ok(["a", "b", "c"].map(String::from).into())
        );
        assert_eq!(agree(&["two\nlines"], &["two lines"]), Ok(vec!["two lines".to_owned()]));
    }
}
