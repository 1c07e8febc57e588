//! Reasons why nothing is heard of a run, for its page and the API.

use std::time::Duration;

use super::course::Course;
use super::{Fleet, lock};
use crate::run::agent_needs::AgentNeeds;

/// Time after a report in which its agent counts as at work: its sign of life may come later.
const JUST: Duration = Duration::from_secs(3);

impl Fleet {
    /// Returns why no agent takes a run, in words; `None` if one takes it.
    pub fn lacks(&self, memory_mb: u32, needs: &AgentNeeds) -> Option<String> {
        // Without a broker nothing is known of agents.
        if let Some(trouble) = self.trouble() {
            return Some(trouble);
        }
        let registry = lock(&self.0.registry);
        if 0 < registry.window(|sign| sign.meets(memory_mb, needs)) {
            return None;
        }
        if registry.window(|_| true) == 0 {
            return Some("no agent gives a sign of life and takes runs".to_owned());
        }
        let needs = if needs.is_empty() { String::new() } else { format!("{}, ", needs.words()) };
        Some(format!("no agent that takes runs has {needs}{memory_mb} MB for a run"))
    }

    /// Returns why nothing is heard of a run that was given to the agents, in words; `None` if an agent works on it, or if the
    /// service does.
    pub fn idles(&self, id: &str, memory_mb: u32, needs: &AgentNeeds) -> Option<String> {
        let is_out = lock(&self.0.waiting).keys().any(|(run, _)| run == id);
        let trouble = self.trouble().filter(|_| is_out);
        let refused = || {
            let refused = lock(&self.0.refused);
            refused.iter().find(|((run, _), _)| run == id).map(|(_, why)| format!("the broker refuses it: {why}"))
        };
        let idle = || {
            let has_begun = *lock(&self.0.idle).get(id)?;
            let free = if has_begun {
                "its agent does not answer, and another one has not begun yet"
            } else {
                "it is at the broker, and no agent has begun it yet"
            };
            Some(self.lacks(memory_mb, needs).unwrap_or_else(|| free.to_owned()))
        };
        trouble.or_else(refused).or_else(idle)
    }
}

impl Course<'_> {
    /// Takes note whether an agent works on this run.
    pub(super) fn look_at_agents(&self) {
        // A report that waits says more.
        let is_recent = self.heard.elapsed() < JUST || !self.inbox.is_empty();
        let parts = std::iter::once(0).chain(self.helpers.keys().copied());
        if is_recent || parts.into_iter().any(|part| self.fleet.works_on(&self.work(part))) {
            self.is_heard_of();
        } else {
            lock(&self.fleet.0.idle).insert(self.start.0.clone(), 0 < self.n_starts);
        }
    }

    /// Takes note that something happens with this run.
    pub(super) fn is_heard_of(&self) {
        lock(&self.fleet.0.idle).remove(&self.start.0);
    }
}
