//! Declarations that no file has, as plain data.

use plc_frontend::Inferred;
use plc_frontend::source::SourceSet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Place;
use super::place::place;

/// Most uses of a declaration that are listed.
const MOST_USES: usize = 100;

/// A declaration that is made from the uses of a name that no file declares: a condition of answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InferredSummary {
    /// The name.
    pub name: String,
    /// The declaration in ST.
    pub text: String,
    /// Places of the name and of its parts, the first hundred.
    pub uses: Vec<Place>,
}

/// Returns an inferred declaration as plain data.
pub(super) fn inferred(sources: &SourceSet, row: &Inferred) -> InferredSummary {
    let uses = row.uses.iter().take(MOST_USES).map(|span| place(sources, *span)).collect();
    InferredSummary { name: row.name.clone(), text: row.text.clone(), uses }
}
