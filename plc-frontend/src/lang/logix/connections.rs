//! Copies between tags that no statement of a program writes: connections of parameters, and standard tags mapped to safety tags.
//!
//! Soundness: none of them is modelled, and each is a condition of all answers. So is a program that a task runs and the export lacks.

use super::{Reader, attribute};
use crate::ast::{Assumed, Ident};
use crate::lang::xml::Element;
use crate::text::Span;

/// Most connections with a condition each; more are listed in one.
const MOST: usize = 3;

/// Reason of the condition of a connection.
const CONNECTION: &str = "the controller copies an output to what it is connected with, and an InOut parameter is another name of it; neither is modelled";

/// Reason of the condition of a mapped tag.
const MAP: &str = "the controller copies the standard tag to the safety tag before the safety task runs; this is not modelled";

/// Reason of the condition of a program that is not there.
const MISSING: &str = "tags that it writes can break what holds here; export the whole controller";

impl Reader {
    /// Adds a condition for each connection of parameters, and for each pair of the map of safety tags.
    pub(super) fn connections(&mut self, controller: Element<'_>) {
        let found: Vec<_> = controller.descendants().filter(|element| element.name() == "ParameterConnection").collect();
        let pair = |connection: &Element<'_>| {
            // Text exports may double the mark before the name of a program.
            let end = |name: &str| attribute(*connection, name).map_or("?".to_owned(), |end| end.replace("\\\\", "\\"));
            let [one, other] = ["EndPoint1", "EndPoint2"].map(end);
            format!("`{one}` and `{other}`")
        };
        match found.as_slice() {
            [first, ..] if MOST < found.len() => {
                let pairs: Vec<String> = found.iter().map(pair).collect();
                let pairs = pairs.join(", ");
                let condition =
                    format!("tags are independent of each other, though connections of parameters join them: {pairs}");
                self.assumption(condition, CONNECTION, first.tag_span());
            }
            few => {
                for connection in few {
                    let pair = pair(connection);
                    let condition = format!("{pair} are independent of each other, though a connection of parameters joins them");
                    self.assumption(condition, CONNECTION, connection.tag_span());
                }
            }
        }
        let map = controller.descendants().find(|element| element.name() == "SafetyTagMap");
        let text = map.map(|map| map.text().into_owned()).or_else(|| attribute(controller, "SafetyTagMap")).unwrap_or_default();
        let span = map.unwrap_or(controller).tag_span();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (one, other) = pair.split_once('=').unwrap_or((pair, "?"));
            let (one, other) = (one.trim(), other.trim());
            let condition = format!("`{one}` and `{other}` are independent of each other, though the safety tag map joins them");
            self.assumption(condition, MAP, span);
        }
    }

    /// Adds a condition for a program that a task runs and the export does not hold.
    pub(super) fn missing_program(&mut self, program: &Ident) {
        let condition = format!("`{}`, which a task runs and its export does not hold, writes no tag", program.text);
        self.assumption(condition, MISSING, program.span);
    }

    /// Adds a condition of all answers.
    pub(super) fn assumption(&mut self, condition: String, reason: &'static str, span: Span) {
        self.unit.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason, span });
    }
}
