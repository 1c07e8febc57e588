//! Events that start organization blocks of Siemens.
//!
//! Source: Siemens, "Programming Guideline for S7-1200/1500" (organization blocks), and "System Software for S7-300/400" (numbers
//! and names of organization blocks).

use crate::ast::{Assumed, Pou};

/// When an organization block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// In every cycle.
    Cycle,
    /// Once, before the first cycle.
    Startup,
    /// An interrupt, or an error: at any time, or never.
    Other,
    /// The file does not tell.
    Unknown,
}

/// Words of names and titles, without case. The first row with a word in the text counts.
const WORDS: &[(&str, Event)] = &[
    ("program sweep", Event::Cycle),
    ("programcycle", Event::Cycle),
    ("program cycle", Event::Cycle),
    ("restart", Event::Startup),
    ("startup", Event::Startup),
    ("interrupt", Event::Other),
    ("error", Event::Other),
    ("failure", Event::Other),
    ("time of day", Event::Other),
    ("timeofday", Event::Other),
    ("time delay", Event::Other),
    ("pull or plug", Event::Other),
    ("isochron", Event::Other),
    ("synchronous cycle", Event::Other),
    ("cyc_int", Event::Other),
    ("hw_int", Event::Other),
    ("tod_int", Event::Other),
    ("del_int", Event::Other),
    ("_flt", Event::Other),
    ("_err", Event::Other),
    ("mc_", Event::Other),
    ("status", Event::Other),
    ("update", Event::Other),
    ("profile", Event::Other),
];

/// Returns the event of a block with this name and title.
pub(crate) fn event_of(name: &str, title: &str) -> Event {
    let name = name.trim().to_ascii_lowercase();
    if let Some(number) = name.strip_prefix("ob").and_then(|digits| digits.trim().parse::<u32>().ok()) {
        return of_number(number);
    }
    let told = [title.to_ascii_lowercase(), name.clone()];
    let found = told.iter().find_map(|text| WORDS.iter().find(|(word, _)| text.contains(word)));
    match found {
        Some((_, event)) => *event,
        None if name.starts_with("main") || name.starts_with("cycl") => Event::Cycle,
        None => Event::Unknown,
    }
}

/// Returns the event of a number. S7-1200 and S7-1500 give numbers from 123 on to blocks of any event.
fn of_number(number: u32) -> Event {
    match number {
        1 => Event::Cycle,
        100..=102 => Event::Startup,
        2..=99 | 103..=122 => Event::Other,
        _ => Event::Unknown,
    }
}

impl Pou {
    /// Returns an organization block that this event starts.
    ///
    /// Soundness: what no event of the cycle starts does not run in the cycle, and what it writes has any value there. An unknown
    /// event, and an interrupt in the middle of a cycle, are conditions of each answer.
    pub(crate) fn started_by(mut self, event: Event) -> Pou {
        let (span, name) = (self.name.span, &self.name.text);
        let (condition, reason) = match event {
            Event::Cycle => return self,
            Event::Startup => {
                self.event = Some(span);
                return self;
            }
            Event::Other => {
                self.event = Some(span);
                let condition = format!("`{name}`, which an interrupt or an error starts, runs between two cycles");
                (condition, "that it interrupts a cycle is not verified")
            }
            Event::Unknown => {
                let condition = format!("`{name}` runs in every cycle");
                (condition, "the file does not tell which event starts this organization block")
            }
        };
        self.assumed.push(Assumed { is_cut: false, condition, reason, span });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_titles_tell_the_event() {
        for (name, title, expected) in [
            ("OB1", "", Event::Cycle),
            ("Main", "\"Main Program Sweep (Cycle)\"", Event::Cycle),
            ("Line", "\"Main Program Sweep (Cycle)\"", Event::Cycle),
            ("Main_2", "", Event::Cycle),
            ("ob100", "OB100", Event::Startup),
            ("COMPLETE_RESTART", "", Event::Startup),
            ("Begin", "Complete Restart", Event::Startup),
            ("OB35", "", Event::Other),
            ("CYC_INT5", "", Event::Other),
            ("Cyclic interrupt_1", "", Event::Other),
            ("OB121", "", Event::Other),
            ("OB123", "", Event::Unknown),
            ("Line", "", Event::Unknown),
        ] {
            assert_eq!(event_of(name, title), expected, "{name} {title}");
        }
    }
}
