//! Time between two cycles in a specification.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::written_form::text_or_number;

/// Time between two cycles, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CycleTimeText", into = "CycleTimeText")]
pub struct CycleTime {
    /// Shortest time; at least 1.
    pub min_ms: u32,
    /// Longest time.
    pub max_ms: u32,
}

impl Default for CycleTime {
    fn default() -> CycleTime {
        CycleTime { min_ms: 100, max_ms: 100 }
    }
}

/// Written cycle time: `100ms`, `2s`, `5ms..20ms`, a number of milliseconds, or a range of such.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "cycle: write `100ms`, a number of milliseconds, `5ms..20ms`, or `{ min: 5ms, max: 20ms }`"
)]
pub enum CycleTimeText {
    /// Exactly this many milliseconds.
    Milliseconds(u32),
    /// Exactly this time, or `min..max`.
    Exact(String),
    /// Any time between the ends.
    Range {
        /// Lower end.
        #[serde(deserialize_with = "text_or_number")]
        min: String,
        /// Upper end.
        #[serde(deserialize_with = "text_or_number")]
        max: String,
    },
}

impl TryFrom<CycleTimeText> for CycleTime {
    type Error = String;
    fn try_from(text: CycleTimeText) -> Result<CycleTime, String> {
        let (min_ms, max_ms) = match text {
            CycleTimeText::Milliseconds(ms) => {
                let ms = milliseconds(&ms.to_string())?;
                (ms, ms)
            }
            CycleTimeText::Exact(t) => match t.split_once("..") {
                Some((min, max)) => (milliseconds(min)?, milliseconds(max)?),
                None => {
                    let ms = milliseconds(&t)?;
                    (ms, ms)
                }
            },
            CycleTimeText::Range { min, max } => (milliseconds(&min)?, milliseconds(&max)?),
        };
        if max_ms < min_ms {
            return Err(format!("cycle time: the lower end {min_ms} ms is above the upper end {max_ms} ms"));
        }
        Ok(CycleTime { min_ms, max_ms })
    }
}

impl From<CycleTime> for CycleTimeText {
    fn from(c: CycleTime) -> CycleTimeText {
        if c.min_ms == c.max_ms {
            CycleTimeText::Exact(format!("{}ms", c.min_ms))
        } else {
            CycleTimeText::Range { min: format!("{}ms", c.min_ms), max: format!("{}ms", c.max_ms) }
        }
    }
}

/// Returns `100ms`, `2s`, `1500` (milliseconds); 1 ms to 1 h.
fn milliseconds(text: &str) -> Result<u32, String> {
    let t = text.trim().to_ascii_lowercase();
    let (digits, factor) = match (t.strip_suffix("ms"), t.strip_suffix('s')) {
        (Some(d), _) => (d, 1),
        (None, Some(d)) => (d, 1000),
        (None, None) => (t.as_str(), 1),
    };
    match digits.trim().parse::<u32>().ok().and_then(|n| n.checked_mul(factor)) {
        Some(ms) if 1 <= ms && ms <= 3_600_000 => Ok(ms),
        Some(_) | None => Err(format!(
            "cycle time `{text}`: write a whole number of milliseconds from 1ms to 1h, as in `100ms`, `2s` or `5ms..20ms`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycle_time_is_read_with_units() {
        let check = |text: &str, expected: Result<u32, ()>| assert_eq!(milliseconds(text).map_err(|_| ()), expected, "{text}");
        check("100ms", Ok(100));
        check(" 2 s ", Ok(2000));
        check("7", Ok(7));
        check("0ms", Err(()));
        check("1.5s", Err(()));
        check("5000s", Err(()));
        check("99999999999s", Err(()));
        check("", Err(()));
    }
}
