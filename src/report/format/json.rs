//! The outcome as JSON, by its published schema.

use super::{Content, ReportFormat};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "json",
    title: "JSON",
    media_type: "application/json",
    content: Content::Run { ending: "json", render: |outcome| serde_json::to_string(outcome).map_err(|e| e.to_string()) },
};
