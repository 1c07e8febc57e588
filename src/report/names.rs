//! Names for people: a single program needs no prefix.

use plc_frontend::hir::Project;

/// Display of canonical leaf names: without the instance's name if only one instance runs.
#[derive(Clone, Debug)]
pub struct Names {
    prefix: Option<String>,
}

impl Names {
    /// Returns names of a project.
    pub fn new(project: &Project) -> Names {
        let mut instances = project.instances.iter();
        match (instances.next(), instances.next()) {
            (Some(only), None) => Names { prefix: Some(format!("{}.", only.name)) },
            (None | Some(_), None | Some(_)) => Names { prefix: None },
        }
    }
    /// Returns the name as users see it.
    pub fn show(&self, canonical: &str) -> String {
        match &self.prefix {
            Some(prefix) => canonical.strip_prefix(prefix.as_str()).unwrap_or(canonical).to_string(),
            None => canonical.to_string(),
        }
    }
}
