//! Needs of a run that some agents of a fleet meet: a label, and cores. Its memory limit is one, too.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Most characters of a label.
const MOST_CHARS: usize = 64;

/// Needs of a run. Without a fleet no run has any.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct AgentNeeds {
    /// Label that the agent has: letters, digits, `-` and `_`, at most 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_-]{1,64}$")]
    pub label: Option<String>,
    /// Fewest processor cores of its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub cores: Option<u32>,
}

impl AgentNeeds {
    /// Returns whether every agent meets them.
    pub fn is_empty(&self) -> bool {
        *self == AgentNeeds::default()
    }

    /// Returns whether an agent with so many cores and these labels meets them.
    pub fn is_met_by(&self, cores: u32, labels: &[String]) -> bool {
        self.cores.is_none_or(|least| least <= cores) && self.label.as_ref().is_none_or(|label| labels.contains(label))
    }

    /// Checks that an agent may meet them. The error is one sentence.
    pub fn check(&self) -> Result<(), String> {
        self.label.as_deref().map_or(Ok(()), |label| read_label(label).map(|_| ()))
    }

    /// Returns them as words: `label press-shop, 8 cores`.
    pub fn words(&self) -> String {
        let label = self.label.iter().map(|label| format!("label {label}"));
        label.chain(self.cores.iter().map(|n| format!("{n} cores"))).collect::<Vec<_>>().join(", ")
    }
}

/// Reads a label; the error is one sentence.
pub fn read_label(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || MOST_CHARS < text.len() || !text.chars().all(is_plain) {
        return Err(format!("a label has letters, digits, - and _, at most {MOST_CHARS}: `{text}`"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_meets_a_label_and_cores_or_not() {
        let needs = |label: Option<&str>, cores| AgentNeeds { label: label.map(str::to_owned), cores };
        let labels = ["press-shop".to_owned(), "fast".to_owned()];
        let check = |needs: AgentNeeds, is_met| assert_eq!(needs.is_met_by(4, &labels), is_met, "{needs:?}");
        check(needs(None, None), true);
        check(needs(Some("fast"), Some(4)), true);
        check(needs(Some("fast"), Some(5)), false);
        check(needs(Some("Fast"), None), false);
        check(needs(Some("press"), Some(1)), false);
        assert!(!needs(None, Some(4)).is_met_by(3, &[]) && !needs(Some("fast"), None).is_met_by(64, &[]));
        assert_eq!(needs(Some("fast"), Some(8)).words(), "label fast, 8 cores");
        for label in ["", "a b", "a.b", "\u{e4}", &"x".repeat(65)] {
            assert!(needs(Some(label), None).check().is_err(), "{label}");
        }
        assert!(needs(Some("press-shop_2"), Some(1)).check().is_ok());
    }
}
