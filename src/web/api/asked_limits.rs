//! Limits that a client of the API asks for: all, one or none of them.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::run::limits::Limits;

/// Limits that a client asks for. What it leaves out has the service's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(super) struct AskedLimits {
    /// Wall-clock seconds for the whole run.
    wall_s: Option<u32>,
    /// Memory of the worker (resident) in MiB.
    memory_mb: Option<u32>,
}

impl AskedLimits {
    /// Returns what is asked for, completed from `default`.
    pub(super) fn or(self, default: Limits) -> Limits {
        Limits { wall_s: self.wall_s.unwrap_or(default.wall_s), memory_mb: self.memory_mb.unwrap_or(default.memory_mb) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_the_default_of_the_service() {
        let default = Limits { wall_s: 30, memory_mb: 1000 };
        for (text, wall_s, memory_mb) in [
            ("{}", 30, 1000),
            (r#"{"wall_s": 5}"#, 5, 1000),
            (r#"{"memory_mb": 700}"#, 30, 700),
            (r#"{"wall_s": 5, "memory_mb": null}"#, 5, 1000),
            (r#"{"wall_s": 5, "memory_mb": 700}"#, 5, 700),
        ] {
            let asked: AskedLimits = serde_json::from_str(text).unwrap();
            assert_eq!(asked.or(default), Limits { wall_s, memory_mb }, "{text}");
        }
        assert!(serde_json::from_str::<AskedLimits>(r#"{"wall": 5}"#).is_err());
    }
}
