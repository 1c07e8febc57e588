//! Agents whose workers say what a test wants.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use scanproof::fleet::agent::AgentSettings;
use scanproof::fleet::message::Build;
use scanproof::fleet::settings::BrokerSettings;
use scanproof::report::outcome::RequirementResult;
use scanproof::run::protocol::{Line, encode};

use super::process::TOKEN;

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A result under another id.
pub(super) trait WithId {
    fn with_id(self, id: &str) -> Self;
}

impl WithId for RequirementResult {
    fn with_id(self, id: &str) -> Self {
        RequirementResult { id: id.to_owned(), ..self }
    }
}

/// Returns the lines of a worker with these results.
pub(super) fn says(results: Vec<RequirementResult>) -> Vec<Line> {
    let mut lines = vec![Line::Understood { outcome: Box::default(), pending: results.clone() }];
    lines.extend(results.into_iter().map(|result| Line::Result { result: Box::new(result) }));
    lines.push(Line::Done);
    lines
}

/// Returns the settings of an agent whose workers execute `first` in a shell and then say these lines, whatever they are asked.
pub(super) fn scripted_agent(folder: &Path, name: &str, url: &str, lines: &[Line], first: &str) -> AgentSettings {
    let text: Vec<String> = lines.iter().map(|line| encode(line).unwrap()).collect();
    let lines = folder.join(format!("{name}.lines"));
    std::fs::write(&lines, text.join("\n") + "\n").unwrap();
    let program = folder.join(name);
    std::fs::write(&program, format!("#!/bin/sh\n{first}\nexec /bin/cat {}\n", lines.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    AgentSettings {
        name: name.into(),
        broker: BrokerSettings::new(url, TOKEN, Duration::from_secs(2)).unwrap(),
        program,
        slots: 1,
        memory_mb: 16_384,
        cache: folder.join(format!("cache-{name}")),
        cache_bytes: 1 << 20,
        build: Build::own(),
        binary: String::new(),
        labels: Vec::new(),
    }
}
