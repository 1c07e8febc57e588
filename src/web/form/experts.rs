//! The part of the form for experts: which engine, and its options. Made from the table of engines.

use std::collections::BTreeMap;

use crate::run::job::Strategy;
use search::engine::{ENGINES, OptionInfo, Values};

/// Choice of engine and options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Experts {
    /// Empty: the default strategy.
    pub(crate) engine: String,
    /// Texts by engine and option; blank is the default.
    entered: BTreeMap<(String, String), String>,
    /// Leaves the answers of an earlier version aside.
    pub(crate) anew: bool,
    /// Mistake in it.
    pub(crate) error: Option<String>,
}

impl Experts {
    /// Returns the choice that a run was started with.
    pub(crate) fn of(strategy: &Strategy) -> Experts {
        let engine = strategy.engine.clone().unwrap_or_default();
        let entered = strategy.options.iter().map(|(name, value)| ((engine.clone(), name.clone()), value.clone())).collect();
        Experts { engine, entered, anew: strategy.anew, error: None }
    }
    /// Reads posted fields: `engine`, `anew`, and `option.bmc.bound` for each option of each engine.
    pub(super) fn read(fields: &[(String, String)]) -> Experts {
        let engine = fields.iter().find(|(name, _)| name == "engine").map(|(_, value)| value.trim().to_owned());
        let entered = fields.iter().filter_map(|(name, value)| {
            let (engine, option) = name.strip_prefix("option.")?.split_once('.')?;
            let value = value.trim();
            (!value.is_empty()).then(|| ((engine.to_owned(), option.to_owned()), value.to_owned()))
        });
        let anew = fields.iter().any(|(name, _)| name == "anew");
        Experts { engine: engine.unwrap_or_default(), entered: entered.collect(), anew, error: None }
    }
    /// Returns the strategy. The error is one sentence; [`crate::run::engine_choice`] checks the values of options.
    pub(crate) fn strategy(&self) -> Result<Strategy, String> {
        let others = self.entered.iter().find(|((engine, _), _)| *engine != self.engine);
        if let Some(((engine, option), _)) = others {
            let chosen =
                if self.engine.is_empty() { "no engine is chosen".into() } else { format!("the engine is `{}`", self.engine) };
            return Err(format!("option `{option}` of the engine `{engine}` is set, but {chosen}"));
        }
        let engine = (!self.engine.is_empty()).then(|| self.engine.clone());
        let options = self.entered.iter().map(|((_, option), value)| (option.clone(), value.clone())).collect();
        Ok(Strategy { engine, options, anew: self.anew, ..Strategy::default() })
    }
    /// Returns the text of an option; blank for the default.
    pub(crate) fn value(&self, engine: &str, option: &OptionInfo) -> &str {
        self.entered.get(&(engine.to_owned(), option.name.to_owned())).map_or("", String::as_str)
    }
    /// Returns the words of an option that is one of several; none for numbers and texts.
    pub(crate) fn words(&self, option: &OptionInfo) -> &'static [&'static str] {
        match option.values {
            Values::OneOf(words) => words,
            Values::Number { .. } | Values::Text(_) => &[],
        }
    }
    /// Returns whether there is something to see.
    pub(crate) fn is_open(&self) -> bool {
        *self != Experts::default()
    }
    /// Returns whether this engine is chosen, or has options entered.
    pub(crate) fn is_used(&self, engine: &str) -> bool {
        self.engine == engine || self.entered.keys().any(|(of, _)| of == engine)
    }
    /// Returns whether the posted engine is one of the table.
    pub(crate) fn is_known(&self) -> bool {
        self.engine.is_empty() || ENGINES.iter().any(|engine| engine.name == self.engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(fields: &[(&str, &str)]) -> Experts {
        Experts::read(&fields.iter().map(|(n, v)| ((*n).to_string(), (*v).to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_blank_is_the_default() {
        let experts = posted(&[("engine", ""), ("option.bmc.bound", " "), ("option.cegar.domain", "")]);
        assert_eq!(experts, Experts::default());
        assert_eq!(experts.strategy(), Ok(Strategy::default()));
        assert!(!experts.is_open());
    }

    #[test]
    fn options_are_those_of_the_engine() {
        let experts = posted(&[("engine", "cegar"), ("option.cegar.domain", "EXPL"), ("option.cegar.nonsense", "1")]);
        let strategy = experts.strategy().unwrap();
        assert_eq!(strategy.engine.as_deref(), Some("cegar"));
        assert_eq!(strategy.options.keys().map(String::as_str).collect::<Vec<_>>(), ["domain", "nonsense"]);
        assert_eq!(Experts::of(&strategy), experts);
        assert!(experts.is_open() && experts.is_used("cegar") && !experts.is_used("bmc"));
    }

    #[test]
    fn options_of_other_engines_are_not_dropped_silently() {
        let error = posted(&[("engine", "bmc"), ("option.cegar.domain", "EXPL")]).strategy().unwrap_err();
        assert_eq!(error, "option `domain` of the engine `cegar` is set, but the engine is `bmc`");
        let error = posted(&[("option.cegar.domain", "EXPL")]).strategy().unwrap_err();
        assert_eq!(error, "option `domain` of the engine `cegar` is set, but no engine is chosen");
    }
}
