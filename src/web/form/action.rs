//! Buttons of the form.

use kernel::property::pattern::{Pattern, by_id};

/// Button that was pressed.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Start,
    /// Makes a project of the program and the form.
    Keep,
    AddAssumption,
    /// Adds a requirement of the chosen sentence with empty blanks.
    AddBlank,
    /// Adds the sentence of the builder.
    AddBuilt,
    /// Shows the blanks of the chosen sentence.
    Choose,
    /// Shows how the sentences are read.
    Preview,
    /// Adds a suggested requirement with its expression.
    Suggest(&'static Pattern, String),
    DropAssumption(usize),
    DropRequirement(usize),
    /// The Enter key: filters the variables if the filter was changed, else starts.
    Enter,
    /// Shows other variables of the environment.
    Filter,
    ShowYaml,
    ShowFields,
}

/// Returns the button of this value.
pub(super) fn action(value: &str) -> Option<Action> {
    Some(match value.split_once(':') {
        None => match value {
            "start" => Action::Start,
            "keep" => Action::Keep,
            "enter" => Action::Enter,
            "filter" => Action::Filter,
            "add-blank" => Action::AddBlank,
            "add-built" => Action::AddBuilt,
            "choose" => Action::Choose,
            "preview" => Action::Preview,
            "yaml" => Action::ShowYaml,
            "fields" => Action::ShowFields,
            _ => return None,
        },
        Some(("add", "assumption")) => Action::AddAssumption,
        Some(("suggest", rest)) => {
            let (id, expression) = rest.split_once(':')?;
            Action::Suggest(by_id(id).filter(|kind| kind.keys.len() == 1)?, expression.to_owned())
        }
        Some(("drop-assumption", n)) => Action::DropAssumption(n.parse().ok()?),
        Some(("drop", n)) => Action::DropRequirement(n.parse().ok()?),
        Some(_) => return None,
    })
}
