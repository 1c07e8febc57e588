//! Progress messages of engines.

/// A progress message for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The engine's name.
    pub engine: &'static str,
    /// Steps (cycles) from the start in which no violation exists, if known.
    pub safe_cycles: Option<u32>,
    /// One line.
    pub text: String,
}

impl Progress {
    /// Returns the message without its safe cycles, for a question about some of the runs only.
    #[must_use]
    pub fn about_some_runs(self) -> Progress {
        let text = format!("looking at some runs only: {}", self.text);
        Progress { safe_cycles: None, text, ..self }
    }
}

/// Returns a number with its noun: `1 frame`, `2 frames`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
