//! Check of a run's strategy before anything starts.

use super::job::Strategy;
use search::engine::{ENGINES, Values};

/// Checks a choice before anything runs. The error is one sentence that names the engine or the option.
pub fn validate(strategy: &Strategy) -> Result<(), String> {
    answer::decide::validate(strategy.engine.as_deref(), &strategy.options)
}

/// Returns the engines and their options, for people.
pub fn engines() -> String {
    let mut lines = vec!["Without --engine a strategy that needs no choice is used: several engines side by side.".to_owned()];
    for engine in ENGINES {
        lines.push(format!("{:<14}{}", engine.name, engine.title));
        for option in engine.options {
            let values = match option.values {
                Values::OneOf(words) => words.join("|"),
                Values::Number { low, high, words } => std::iter::once(format!("{low}..{high}"))
                    .chain(words.iter().map(|w| w.to_string()))
                    .collect::<Vec<_>>()
                    .join("|"),
            };
            lines.push(format!("  --option {}={values}  (default {})", option.name, option.default));
            lines.push(format!("      {}", option.help));
        }
    }
    lines.join("\n")
}
