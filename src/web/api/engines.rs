//! Engines with their options, from the table that `--engine help` and the form use.

use std::collections::BTreeMap;

use axum::Json;
use search::engine::configurations::Configuration;
use search::engine::{Absent, ENGINES, EngineInfo, OptionInfo, Values};
use serde::Serialize;
use utoipa::ToSchema;

/// The engines. Without a choice several of them work side by side.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Engines {
    /// Each with its options.
    engines: Vec<EngineView>,
}

/// An engine.
#[derive(Debug, Serialize, ToSchema)]
struct EngineView {
    /// Name in `strategy.engine` and in results.
    name: &'static str,
    /// Title.
    title: &'static str,
    /// Papers.
    source: &'static str,
    /// Its options.
    options: Vec<OptionView>,
    /// Options that the papers name and that the engine lacks.
    absent: Vec<AbsentView>,
    /// Row of the table that compares approaches with predicates and a solver, if the engine runs one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<ConfigurationView>,
}

/// Row of the table of configurations (Beyer, Dangl, Wendler, JAR 2018, Table 1).
#[derive(Debug, Serialize, ToSchema)]
struct ConfigurationView {
    /// Name of the approach.
    approach: &'static str,
    /// Columns with their values.
    columns: BTreeMap<&'static str, &'static str>,
    /// Difference between the engine and the row; empty if there is none.
    note: &'static str,
}

/// Option of an engine.
#[derive(Debug, Serialize, ToSchema)]
struct OptionView {
    /// Name in `strategy.options`.
    name: &'static str,
    /// One sentence.
    help: &'static str,
    /// Value where none is given.
    default: &'static str,
    /// Words that are values.
    words: &'static [&'static str],
    /// Smallest number, if numbers are values.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<i32>,
    /// Largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<i32>,
    /// Form of a text, if texts are values.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'static str>,
}

/// Option that a paper names and that the engine lacks.
#[derive(Debug, Serialize, ToSchema)]
struct AbsentView {
    /// Its name, or `name=value`.
    name: &'static str,
    /// Paper and section.
    source: &'static str,
    /// Reason.
    why: &'static str,
}

/// The engines and their options.
#[utoipa::path(get, path = "/api/v1/engines", tag = "operation", responses((status = 200, description = "All of them", body = Engines)))]
pub(crate) async fn list() -> Json<Engines> {
    Json(Engines { engines: ENGINES.iter().map(engine).collect() })
}

fn engine(info: &EngineInfo) -> EngineView {
    EngineView {
        name: info.name,
        title: info.title,
        source: info.source,
        options: info.options.iter().map(option).collect(),
        absent: info.absent.iter().map(|Absent { name, source, why }| AbsentView { name, source, why }).collect(),
        configuration: Configuration::of(info.name).map(configuration),
    }
}

fn configuration(row: &'static Configuration) -> ConfigurationView {
    ConfigurationView { approach: row.approach, columns: row.columns().into_iter().collect(), note: row.note }
}

fn option(info: &OptionInfo) -> OptionView {
    let (words, range, text): (&[&str], _, _) = match info.values {
        Values::OneOf(words) => (words, None, None),
        Values::Number { low, high, words } => (words, Some((low, high)), None),
        Values::Text(form) => (&[], None, Some(form)),
    };
    OptionView {
        name: info.name,
        help: info.help,
        default: info.default,
        words,
        minimum: range.map(|(low, _)| low),
        maximum: range.map(|(_, high)| high),
        text,
    }
}
