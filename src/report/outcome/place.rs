//! Places in the sources of an outcome.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A place in a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// Position in `sources`; `None` for our standard function blocks.
    pub source: Option<usize>,
    /// Name of the file.
    pub file: String,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// 1-based line of the end.
    pub end_line: u32,
    /// The line as the engineering system shows it, for a file that holds several texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub editor: Option<EditorLine>,
}

/// A line in an editor of an engineering system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct EditorLine {
    /// The editor: `FB_Valve.Open`, `the declaration of FB_Valve`.
    pub title: String,
    /// 1-based.
    pub line: u32,
    /// The title alone is the place: `rung 3 of P.Main`, `tag P.Motor`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_whole: bool,
}

impl Place {
    /// Returns the line in words: `line 33`, `line 7 of FB_Valve.Open`, `rung 3 of P.Main`.
    pub fn line_words(&self) -> String {
        match &self.editor {
            Some(EditorLine { title, is_whole: true, .. }) => title.clone(),
            Some(EditorLine { title, line, .. }) => format!("line {line} of {title}"),
            None => format!("line {}", self.line),
        }
    }

    /// Returns whether a name is the place, not a line.
    pub fn is_named(&self) -> bool {
        self.editor.as_ref().is_some_and(|editor| editor.is_whole)
    }

    /// Returns the place as compilers write it: `main.st:33`, `plant.L5X:82 (rung 3 of P.Main)`.
    pub fn pointer(&self) -> String {
        match &self.editor {
            Some(EditorLine { title, is_whole: true, .. }) if self.source.is_none() => title.clone(),
            Some(EditorLine { title, is_whole: true, .. }) => format!("{}:{} ({title})", self.file, self.line),
            _ => format!("{}:{}", self.file, self.line),
        }
    }

    /// Returns the place in words: `main.st, line 33`.
    pub fn words(&self) -> String {
        if self.source.is_none() && self.is_named() {
            return self.line_words();
        }
        format!("{}, {}", self.file, self.line_words())
    }
}
