//! Requirements that names and types of a program suggest: offered beside the form, and stated only by the user.

use std::collections::BTreeSet;

use kernel::property::pattern::{Pattern, by_id};

use crate::report::outcome::{VariableRole, VariableSummary};

/// Suggested requirement: a pattern with one expression.
#[derive(Clone, Debug)]
pub(crate) struct Suggestion {
    pub(crate) kind: &'static Pattern,
    pub(crate) expression: String,
    /// Reason for the guess.
    pub(crate) why: &'static str,
}

impl Suggestion {
    /// Returns the requirement as a sentence.
    pub(crate) fn sentence(&self) -> String {
        self.kind.sentence(&[&self.expression])
    }
    /// Returns the value of its button.
    pub(crate) fn action(&self) -> String {
        format!("suggest:{}:{}", self.kind.id, self.expression)
    }
}

/// Words for movements that exclude each other.
const OPPOSITES: &[(&str, &str)] = &[
    ("open", "close"),
    ("opening", "closing"),
    ("up", "down"),
    ("left", "right"),
    ("forward", "reverse"),
    ("forward", "backward"),
    ("fwd", "rev"),
    ("fill", "drain"),
    ("heat", "cool"),
    ("heating", "cooling"),
    ("extend", "retract"),
    ("raise", "lower"),
    ("lock", "unlock"),
    ("cw", "ccw"),
];
/// Words for states that stay until a reset.
const LATCHED: &[&str] = &["fault", "alarm", "error", "trip"];
/// Words for resets.
const RESETS: &[&str] = &["reset", "ack", "acknowledge", "quit"];
/// Most values of an enumeration in a suggestion.
const MOST_VALUES: usize = 12;
/// Most suggestions on a page.
const MOST: usize = 12;

/// Returns the suggestions of a program's variables.
///
/// Cost: the number of variables times that of the words above.
pub(crate) fn suggestions(variables: &[VariableSummary]) -> Vec<Suggestion> {
    let (Some(never), Some(always)) = (by_id("pattern-forbidden"), by_id("pattern-invariant")) else { return Vec::new() };
    let names: BTreeSet<String> = booleans(variables, &[VariableRole::Output]).map(|v| v.name.to_lowercase()).collect();
    let mut all = Vec::new();
    for variable in booleans(variables, &[VariableRole::Output]) {
        for (one, other) in OPPOSITES {
            let Some(opposite) = replaced(&variable.name, one, other) else { continue };
            if names.contains(&opposite.to_lowercase()) {
                let found =
                    variables.iter().find(|v| v.name.eq_ignore_ascii_case(&opposite)).map_or(opposite.as_str(), |v| &v.name);
                let expression = format!("{} AND {found}", variable.name);
                all.push(Suggestion { kind: never, expression, why: "two outputs whose names are opposites" });
            }
        }
    }
    let inputs: Vec<&VariableSummary> = booleans(variables, &[VariableRole::Input]).collect();
    let reset = inputs.iter().find(|v| has_word(&v.name, RESETS));
    if let Some(reset) = reset {
        for latch in booleans(variables, &[VariableRole::Output, VariableRole::Memory]).filter(|v| has_word(&v.name, LATCHED)) {
            let expression = format!("PREVIOUS({}) AND NOT {} AND NOT {}", latch.name, latch.name, reset.name);
            all.push(Suggestion { kind: never, expression, why: "a fault that ends without a reset" });
        }
    }
    for variable in variables.iter().filter(|v| matches!(v.role, VariableRole::Output | VariableRole::Memory)) {
        if let Some((low, high)) = range(&variable.ty) {
            let expression = format!("{low} <= {} AND {} <= {high}", variable.name, variable.name);
            all.push(Suggestion { kind: always, expression, why: "a variable of a subrange, which controllers do not enforce" });
        }
    }
    let enumerations = variables.iter().filter(|v| (2..=MOST_VALUES).contains(&v.values.len()));
    for variable in enumerations.filter(|v| matches!(v.role, VariableRole::Output | VariableRole::Memory)) {
        let values: Vec<String> = variable.values.iter().map(|value| format!("{} = {value}", variable.name)).collect();
        let why = "a variable of an enumeration, which controllers do not enforce";
        all.push(Suggestion { kind: always, expression: values.join(" OR "), why });
    }
    all.truncate(MOST);
    all
}

/// Returns the Boolean variables of these roles.
fn booleans<'v>(variables: &'v [VariableSummary], roles: &'v [VariableRole]) -> impl Iterator<Item = &'v VariableSummary> {
    variables.iter().filter(|v| v.ty == "BOOL" && roles.contains(&v.role))
}

/// Returns the bounds of a type `INT (0..100)`.
fn range(ty: &str) -> Option<(i64, i64)> {
    let (low, high) = ty.strip_suffix(')')?.split_once('(')?.1.split_once("..")?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
}

/// Returns whether the last part of a name has one of these words.
fn has_word(name: &str, wanted: &[&str]) -> bool {
    let own = words(name.rsplit('.').next().unwrap_or(name));
    own.iter()
        .any(|(start, end)| wanted.contains(&part(name.rsplit('.').next().unwrap_or(name), *start, *end).to_lowercase().as_str()))
}

/// Returns a name with another word instead of this one, in the same spelling; `None` if it has no such word.
fn replaced(name: &str, word: &str, by: &str) -> Option<String> {
    let at = name.rfind('.').map_or(0, |dot| dot + 1);
    let (before, last) = name.split_at(at);
    let (start, end) = words(last).into_iter().find(|(start, end)| part(last, *start, *end).eq_ignore_ascii_case(word))?;
    let old = part(last, start, end);
    let is_upper = 1 < old.len() && old.chars().all(char::is_uppercase);
    let is_title = old.starts_with(char::is_uppercase);
    let new = match (is_upper, is_title) {
        (true, _) => by.to_uppercase(),
        (false, true) => by[..1].to_uppercase() + &by[1..],
        (false, false) => by.to_owned(),
    };
    Some(format!("{before}{}{new}{}", part(last, 0, start), part(last, end, last.len())))
}

fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Returns the words of a name by their bounds: `ValveOpen_2` has `Valve`, `Open` and `2`.
fn words(name: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut last: Option<char> = None;
    for (at, c) in name.char_indices() {
        let begins = match last {
            None => true,
            Some(last) => {
                !last.is_alphanumeric() || (last.is_lowercase() && c.is_uppercase()) || last.is_numeric() != c.is_numeric()
            }
        };
        if c.is_alphanumeric() {
            match found.last_mut() {
                Some(word) if !begins => word.1 = at + c.len_utf8(),
                Some(_) | None => found.push((at, at + c.len_utf8())),
            }
        }
        last = Some(c);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_suggest_requirements_and_nothing_else_does() {
        use VariableRole::{Input, Memory, Output};
        let of = |name: &str, ty: &str, role: VariableRole, values: &[&str]| VariableSummary {
            name: name.into(),
            ty: ty.into(),
            role,
            values: values.iter().map(|value| (*value).into()).collect(),
        };
        let variable = |name: &str, ty: &str, role: VariableRole| of(name, ty, role, &[]);
        let all = suggestions(&[
            variable("Main.ValveOpen", "BOOL", Output),
            variable("Main.ValveClose", "BOOL", Output),
            variable("Main.motor_UP", "BOOL", Output),
            variable("Main.motor_DOWN", "BOOL", Output),
            variable("Main.Supply", "BOOL", Output),
            variable("Main.upDoor", "BOOL", Input),
            variable("Main.Reset", "BOOL", Input),
            variable("Main.Pump_Fault", "BOOL", Memory),
            variable("Main.Default", "BOOL", Memory),
            variable("Main.Speed", "INT (0..100)", Output),
            variable("Main.Level", "INT", Output),
            of("Main.Phase", "Phase", Memory, &["Phase#Idle", "Phase#Fill"]),
            of("Main.Wanted", "Phase", Input, &["Phase#Idle", "Phase#Fill"]),
            of("Main.Only", "One", Memory, &["One#A"]),
        ]);
        let expressions: Vec<&str> = all.iter().map(|one| one.expression.as_str()).collect();
        assert_eq!(
            expressions,
            [
                "Main.ValveOpen AND Main.ValveClose",
                "Main.motor_UP AND Main.motor_DOWN",
                "PREVIOUS(Main.Pump_Fault) AND NOT Main.Pump_Fault AND NOT Main.Reset",
                "0 <= Main.Speed AND Main.Speed <= 100",
                "Main.Phase = Phase#Idle OR Main.Phase = Phase#Fill",
            ]
        );
        assert!(all[0].sentence().contains("Main.ValveOpen AND Main.ValveClose"), "{}", all[0].sentence());
        assert_eq!(suggestions(&[]).len(), 0);
    }
}
