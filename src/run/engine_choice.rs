//! Check of a run's strategy before anything starts.

use super::job::Strategy;
use search::engine::configurations::Configuration;
use search::engine::{Absent, ENGINES, EngineInfo, OptionInfo, Values};
use utoipa::openapi::schema::{AdditionalProperties, AnyOf, Object, ObjectBuilder, Schema, Type};

/// Checks a choice before anything runs. The error is one sentence that names the engine or the option.
pub fn validate(strategy: &Strategy) -> Result<(), String> {
    strategy.agent.check()?;
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
                Values::Text(_) => "TEXT".into(),
                Values::Number { low, high, words } => std::iter::once(format!("{low}..{high}"))
                    .chain(words.iter().map(|w| w.to_string()))
                    .collect::<Vec<_>>()
                    .join("|"),
            };
            lines.push(format!("  --option {}={values}  (default {})", option.name, option.default));
            lines.push(format!("      {}", option.help));
        }
        if let Some(row) = Configuration::of(engine.name) {
            lines.push(format!("  {row}"));
            lines.extend((!row.note.is_empty()).then(|| format!("      {}", row.note)));
        }
        for Absent { name, source, why } in engine.absent {
            lines.push(format!("  absent: {name} ({source})"));
            lines.push(format!("      {why}"));
        }
    }
    lines.join("\n")
}

/// Returns the schema of the choice: `default` or the name of an engine.
pub(super) fn engine_schema() -> Object {
    let names = std::iter::once("default").chain(ENGINES.iter().map(|engine| engine.name));
    let description = "`default`: several engines side by side; otherwise one engine, alone.";
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).description(Some(description)).build()
}

/// Returns the schema of options: those of one engine.
pub(super) fn options_schema() -> Schema {
    let engines = ENGINES.iter().map(options_of);
    AnyOf { items: engines.map(|object| Schema::from(object).into()).collect(), ..AnyOf::default() }.into()
}

fn options_of(engine: &EngineInfo) -> Object {
    let all = ObjectBuilder::new()
        .title(Some(format!("options of {}", engine.name)))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)));
    engine.options.iter().fold(all, |all, option| all.property(option.name, values_of(option))).build()
}

fn values_of(option: &OptionInfo) -> Object {
    let value =
        ObjectBuilder::new().schema_type(Type::String).description(Some(option.help)).default(Some(option.default.into()));
    match option.values {
        Values::OneOf(words) => value.enum_values(Some(words.iter().copied())),
        Values::Number { words, .. } => {
            let number = std::iter::once("-?[0-9]+").chain(words.iter().copied());
            value.pattern(Some(format!("^({})$", number.collect::<Vec<_>>().join("|"))))
        }
        Values::Text(form) => value.description(Some(format!("{} A text: {form}.", option.help))),
    }
    .build()
}
