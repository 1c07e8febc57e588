//! Requirements that are not checked: with mistakes, or about statements behind one that is not modelled. The others are still
//! checked.

use std::collections::BTreeSet;

use super::check::{CHECKS, CheckKind};
use super::requirements::{ResolvedRequirement, ResolvedSpecification, SpecProblem};
use super::spec::{Requirement, Specification};

/// Requirement that is not checked.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// Unique in the run.
    pub id: String,
    /// The user's words, or the written keys.
    pub text: String,
    /// `requirement`, `assertion`, or the check's name.
    pub pattern: &'static str,
    /// Number of checked requirements in front of it.
    pub at: usize,
    /// Reason, as a clause.
    pub why: String,
    /// Mistakes in its statement.
    pub problems: Vec<SpecProblem>,
}

impl Rejected {
    /// Returns the rejection of a requirement of the file.
    pub(super) fn of(requirement: &Requirement, id: String, at: usize, problems: Vec<SpecProblem>) -> Rejected {
        let written = requirement.keys().into_iter().filter_map(|(key, text)| Some(format!("{key}: {}", text.as_ref()?.trim())));
        let pattern = requirement.pattern.iter().map(|id| format!("{id}: {}", requirement.params.join(", ")));
        let text = requirement.text.clone().unwrap_or_else(|| written.chain(pattern).collect::<Vec<_>>().join(", "));
        let why = problems.first().map_or_else(String::new, |problem| problem.message.clone());
        Rejected { id, text, pattern: "requirement", at, why, problems }
    }
}

impl ResolvedSpecification {
    /// Returns the checked requirement of this id. The error is a sentence that names the ids there are.
    pub fn find(&self, id: &str) -> Result<&ResolvedRequirement, String> {
        if let Some(found) = self.requirements.iter().find(|c| c.id == id) {
            return Ok(found);
        }
        if let Some(rejected) = self.rejected.iter().find(|r| r.id == id) {
            return Err(format!("the requirement `{id}` cannot be checked: {}", rejected.why));
        }
        Err(unknown(id, &self.ids()))
    }

    /// Keeps the requirements of these ids only. An unknown id changes nothing.
    pub fn keep_only(&mut self, wanted: &[String]) -> Result<(), String> {
        let ids = self.ids();
        if let Some(id) = wanted.iter().find(|id| !ids.contains(&id.as_str())) {
            return Err(unknown(id, &ids));
        }
        let is_wanted = |id: &String| wanted.contains(id);
        let kept_before = |at: usize| self.requirements[..at].iter().filter(|c| is_wanted(&c.id)).count();
        let places: Vec<usize> = self.rejected.iter().map(|r| kept_before(r.at)).collect();
        for (rejected, at) in self.rejected.iter_mut().zip(places) {
            rejected.at = at;
        }
        self.rejected.retain(|r| is_wanted(&r.id));
        self.requirements.retain(|c| is_wanted(&c.id));
        Ok(())
    }

    /// Returns the ids of all requirements, assertions and checks.
    fn ids(&self) -> Vec<&str> {
        self.requirements.iter().map(|c| c.id.as_str()).chain(self.rejected.iter().map(|r| r.id.as_str())).collect()
    }

    /// Rejects the checks that only apply to statements behind one that is not modelled. `why` names that statement.
    pub fn reject_behind_gap(&mut self, spec: &Specification, hidden: &[CheckKind], why: &str) {
        let at = self.requirements.len();
        for check in CHECKS.iter().filter(|check| hidden.contains(&check.kind) && spec.wants(check)) {
            self.rejected.push(check.rejected(at, why.to_owned()));
        }
    }

    /// Rejects requirements with the id of an earlier one: their answers could not be distinguished.
    pub(super) fn reject_duplicates(&mut self) {
        let mut taken: BTreeSet<String> = self.rejected.iter().map(|r| r.id.clone()).collect();
        let mut kept: Vec<ResolvedRequirement> = Vec::new();
        for checked in std::mem::take(&mut self.requirements) {
            if taken.insert(checked.id.clone()) {
                kept.push(checked);
                continue;
            }
            let problem = SpecProblem::new(
                "/requirements".into(),
                format!("something else has the id `{}`", checked.id),
                Some("Give each requirement and each assertion a name of its own.".into()),
            );
            let free = (2..).map(|n| format!("{} ({n})", checked.id)).find(|id| !taken.contains(id)).unwrap_or_default();
            taken.insert(free.clone());
            let ResolvedRequirement { text, pattern, .. } = checked;
            let (at, why) = (kept.len(), problem.message.clone());
            self.rejected.push(Rejected { id: free, text, pattern, at, why, problems: vec![problem] });
        }
        self.requirements = kept;
        self.rejected.sort_by_key(|r| r.at);
    }
}

/// Returns a sentence about an unknown id, with the most similar known one.
pub fn unknown(id: &str, ids: &[&str]) -> String {
    let near = plc_frontend::nearest(id, ids.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    if id.contains(": ") {
        return format!(
            "there is no requirement with the id `{id}`; state it as a requirement of its own (`never: …`, or on the command line `--never`)"
        );
    }
    let all = ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    if ids.is_empty() {
        format!("there is no requirement `{id}`, and no other")
    } else {
        format!("there is no requirement `{id}` (there are: {all}){near}")
    }
}
