//! Events that start organization blocks of Siemens.
//!
//! Source: Siemens, "Programming Guideline for S7-1200/1500" (organization blocks), and "System Software for S7-300/400" (numbers
//! and names of organization blocks).

use crate::ast::{Assumed, BlockEvent, OrganizationBlock, Pou};
use crate::text::quoted::original;

/// When an organization block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// In every cycle.
    Cycle,
    /// Once, before the first cycle.
    Startup,
    /// Once, before the first cycle of a cold restart.
    ColdRestart,
    /// An interrupt, an error, or a hot restart, which goes on in a cycle: at any time, or never.
    Other,
    /// The file does not tell.
    Unknown,
}

/// Names and titles that the editors of Siemens write, in small letters and without a number behind them.
const WHOLE: &[(&str, Event)] = &[
    ("main", Event::Cycle),
    ("cycl_exc", Event::Cycle),
    ("main program sweep (cycle)", Event::Cycle),
    ("startup", Event::Startup),
    ("restart", Event::Other),
    ("hot restart", Event::Other),
    ("complete_restart", Event::Startup),
    ("complete restart", Event::Startup),
    ("cold_restart", Event::ColdRestart),
    ("cold restart", Event::ColdRestart),
    ("warm restart", Event::Startup),
];

/// Words of names and titles of blocks that an interrupt or an error starts. An answer names each of these blocks.
const INTERRUPTS: &[&str] = &[
    "interrupt",
    "error",
    "failure",
    "time of day",
    "time delay",
    "pull or plug",
    "isochron",
    "synchronous cycle",
    "cyc_int",
    "hw_int",
    "tod_int",
    "del_int",
    "_flt",
    "_err",
];

/// Returns the event of a block with this name and title.
///
/// Soundness: where only a part of a text points to an event, or nothing does, answers name it.
pub(crate) fn event_of(name: &str, title: &str) -> Event {
    let small = |text: &str| original(text).trim().trim_matches(['"', '\'']).trim().to_ascii_lowercase();
    let (name, title) = (small(name), small(title));
    if let Some(number) = written_number(&name) {
        return of_number(number);
    }
    let told = [title.as_str(), name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_')];
    let whole = told.iter().find_map(|text| WHOLE.iter().find(|(known, _)| known == text));
    match whole {
        Some((_, event)) => *event,
        None if INTERRUPTS.iter().any(|word| title.contains(word) || name.contains(word)) => Event::Other,
        None => Event::Unknown,
    }
}

/// Returns the number of a block with this name, if the name tells: `OB123`. TIA Portal and STEP 7 give their names to OB1.
pub(crate) fn number_of(name: &str) -> Option<u32> {
    let name = original(name).trim().to_ascii_lowercase();
    if ["main", "cycl_exc"].contains(&name.as_str()) { Some(1) } else { written_number(&name) }
}

fn written_number(name: &str) -> Option<u32> {
    name.strip_prefix("ob").and_then(|digits| digits.trim().parse().ok())
}

/// Returns the event of a number. S7-1200 and S7-1500 give numbers from 123 on to blocks of any event.
fn of_number(number: u32) -> Event {
    match number {
        1 => Event::Cycle,
        100 => Event::Startup,
        102 => Event::ColdRestart,
        2..=99 | 101 | 103..=122 => Event::Other,
        _ => Event::Unknown,
    }
}

impl Pou {
    /// Returns an organization block that this event starts, with its number if that is known.
    ///
    /// Soundness: what no event of the cycle starts does not run in the cycle. What an interrupt writes has any value there. An unknown
    /// event, and an interrupt in the middle of a cycle, are conditions of each answer.
    pub(crate) fn started_by(mut self, event: Event, number: Option<u32>) -> Pou {
        self.organization_block = Some(OrganizationBlock { number });
        let (span, name) = (self.name.span, &self.name.text);
        let (condition, reason) = match event {
            Event::Cycle => return self,
            Event::Startup => {
                self.event = Some(BlockEvent { is_start_up: true, span });
                return self;
            }
            Event::ColdRestart => {
                self.event = Some(BlockEvent { is_start_up: true, span });
                let condition = format!("`{name}` runs before the first cycle");
                (condition, "only a cold restart runs this organization block")
            }
            Event::Other => {
                self.event = Some(BlockEvent { is_start_up: false, span });
                let condition = format!("`{name}`, which an interrupt or an error starts, runs between two cycles");
                (condition, "that it interrupts a cycle is not verified")
            }
            Event::Unknown => {
                let condition = format!("`{name}` runs in every cycle");
                (condition, "the file does not tell which event starts this organization block")
            }
        };
        self.assumed.push(Assumed { is_cut: false, about: Vec::new(), condition, reason, span });
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
            ("OB101", "", Event::Other),
            ("OB102", "", Event::ColdRestart),
            ("RESTART", "", Event::Other),
            ("Begin", "Cold Restart", Event::ColdRestart),
            ("COMPLETE_RESTART", "", Event::Startup),
            ("Begin", "Complete Restart", Event::Startup),
            ("OB35", "", Event::Other),
            ("CYC_INT5", "", Event::Other),
            ("Cyclic interrupt_1", "", Event::Other),
            ("Startup_1", "", Event::Startup),
            // Words of users point nowhere.
            ("Startup_Sequence", "", Event::Unknown),
            ("Line", "'Restart of the line'", Event::Unknown),
            ("Main_Fast", "", Event::Unknown),
            ("OB121", "", Event::Other),
            ("OB123", "", Event::Unknown),
            ("Line", "", Event::Unknown),
        ] {
            assert_eq!(event_of(name, title), expected, "{name} {title}");
        }
    }
}
