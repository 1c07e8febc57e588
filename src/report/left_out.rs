//! Parts of a project that are left out because of errors, and the POUs that can be verified.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::hir::{Pou, PouKind};
use plc_frontend::isolation::{ENTRY, reachable_gaps};
use plc_frontend::ledger::GapId;
use plc_frontend::source::{Origin, SourceSet};
use plc_frontend::{LeftOut, PartKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Place;
use super::place::place;

/// A part of the project that is left out because of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeftOutSummary {
    /// statement, body, variable, type, member, pou, tasks or text.
    pub kind: String,
    /// Its name; of a statement or body the name of its POU.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// Code of the error.
    pub code: String,
    /// The error in a sentence.
    pub message: String,
    /// Step that mends it, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl LeftOutSummary {
    /// Returns the kind in words that stand in front of the name.
    pub fn kind_words(&self) -> &'static str {
        match self.kind.as_str() {
            "statement" => "statement of",
            "body" => "body of",
            "variable" => "variable",
            "type" => "type",
            "member" => "method, property or action",
            "pou" => "POU",
            "tasks" => "tasks of",
            _ => "text outside of any declaration",
        }
    }
}

/// A POU that can be the entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EntrySummary {
    /// PROGRAM or FUNCTION_BLOCK.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Statements that are not modelled and that a run of it may meet.
    pub n_gaps: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_gap: Option<Place>,
}

/// Returns whether a finding is an error of a part that is left out.
pub(super) fn is_left_out(loaded: &Loaded, finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error && !loaded.left_out.is_empty() && !ENTRY.contains(&finding.code)
}

/// Returns a left-out part as plain data.
pub(super) fn left_out(sources: &SourceSet, part: &LeftOut) -> LeftOutSummary {
    LeftOutSummary {
        kind: match part.kind {
            PartKind::Statement => "statement",
            PartKind::Body => "body",
            PartKind::Variable => "variable",
            PartKind::Type => "type",
            PartKind::Member => "member",
            PartKind::Pou => "pou",
            PartKind::Tasks => "tasks",
            PartKind::Text => "text",
        }
        .to_owned(),
        name: part.name.clone(),
        place: place(sources, part.error.span()),
        code: part.error.code.to_owned(),
        message: part.error.message.clone(),
        help: part.error.help.clone(),
    }
}

/// Returns the POUs that can be the entry: PROGRAMs first, those that are understood as a whole before the others.
pub(super) fn entries(loaded: &Loaded) -> Vec<EntrySummary> {
    let gaps = reachable_gaps(&loaded.project);
    let rows = loaded.project.pous.iter().zip(gaps).filter(|(pou, _)| pou.origin == Origin::User && pou.member_of.is_none());
    let entry = |(pou, gaps): (&Pou, BTreeSet<GapId>)| {
        let kind = match pou.kind {
            PouKind::Program => "PROGRAM",
            PouKind::FunctionBlock => "FUNCTION_BLOCK",
            PouKind::Function(_) => return None,
        };
        let first = gaps.first().and_then(|gap| loaded.ledger.gaps.get(gap.0 as usize));
        Some(EntrySummary {
            kind: kind.to_owned(),
            name: pou.name.clone(),
            n_gaps: gaps.len(),
            first_gap: first.map(|gap| place(&loaded.sources, gap.span)),
        })
    };
    let mut entries: Vec<EntrySummary> = rows.filter_map(entry).collect();
    entries.sort_by_key(|entry| (entry.kind != "PROGRAM", entry.first_gap.is_some()));
    entries
}
