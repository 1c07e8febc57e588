//! The environment table of the form: one row for each variable that the program shares with the outside.
//!
//! A row states something if a kind is chosen or if it has a range. Without a kind the variable has its default.

use super::{Field, MAX_ROWS};
use crate::report::environment::{SharedKind, SharedRow};
use kernel::property::shared_variable::{SharedVariable, SharedVariableText};
use kernel::property::spec::{Restarts, RunStart, Sampling, Specification};

/// Kinds that a row may state, with their words.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("input", "input: new in every cycle"),
    ("parameter", "parameter: any value, then constant"),
    ("memory", "memory of the program"),
    ("any", "memory with any start"),
    ("frozen", FROZEN),
];
const FROZEN: &str = "frozen: nothing writes it";
const KEPT: &str = "keeps its initial value (a condition of answers)";

/// A variable as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedVariableRow {
    pub(crate) path: Field,
    /// IEC type; empty for rows that were added.
    pub(crate) ty: String,
    /// One of [`KINDS`]; empty for the default.
    pub(crate) kind: String,
    /// The default: one of [`KINDS`]; empty for rows that were added.
    pub(crate) implied: String,
    /// The default comes from a row with a pattern.
    pub(crate) is_in_pattern: bool,
    /// `lower..upper`.
    pub(crate) range: Field,
    pub(crate) why: String,
}

/// The environment as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) rows: Vec<SharedVariableRow>,
    pub(crate) is_warm: bool,
    /// Inputs change within a cycle.
    pub(crate) is_asynchronous: bool,
    /// The controller may restart before each cycle.
    pub(crate) restarts: bool,
    /// Part of the names of the variables to show; rows that state something are always shown.
    pub(crate) filter: String,
    /// The filter that the shown rows were made with.
    pub(crate) applied: String,
    /// Variables of the program without a row here.
    pub(crate) n_hidden: usize,
}

/// Longest table that is not folded.
const FOLDED: usize = 14;

impl Environment {
    /// Returns whether the table is open: it is short, was asked for, or has a mistake.
    pub(crate) fn is_open(&self) -> bool {
        let has_mistake = |row: &SharedVariableRow| row.path.error.is_some() || row.range.error.is_some();
        self.rows.len() <= FOLDED || !self.filter.is_empty() || self.rows.iter().any(has_mistake)
    }

    /// Returns the number of rows that differ from their defaults.
    pub(crate) fn n_stated(&self) -> usize {
        self.rows.iter().filter(|row| row.states()).count()
    }

    pub(super) fn from_specification(spec: &Specification) -> Environment {
        let lists =
            [("input", &spec.inputs), ("parameter", &spec.parameters), ("memory", &spec.memory), ("frozen", &spec.frozen)];
        let row = |kind: &str, shared: &SharedVariable| SharedVariableRow {
            path: Field::of(&shared.path),
            kind: if shared.any_start { "any" } else { kind }.to_owned(),
            range: Field::of(shared.range.as_ref().map_or(String::new(), |(low, high)| format!("{low}..{high}"))),
            ..SharedVariableRow::default()
        };
        let rows = lists.iter().flat_map(|(kind, list)| list.iter().map(|shared| row(kind, shared))).collect();
        let is_asynchronous = spec.sampling == Some(Sampling::Asynchronous);
        let restarts = spec.restarts == Some(Restarts::Any);
        Environment { rows, is_warm: spec.start == Some(RunStart::Warm), is_asynchronous, restarts, ..Environment::default() }
    }

    /// Reads posted fields; rows that state nothing are made again from the program.
    pub(super) fn read(find: &dyn Fn(&str) -> Option<String>) -> Environment {
        let get = |name: String| find(&name).unwrap_or_default();
        let row = |n: usize| {
            let path = find(&format!("e{n}-path"))?;
            let (chosen, implied) = (get(format!("e{n}-kind")), get(format!("e{n}-implied")));
            let range = Field::of(get(format!("e{n}-range")));
            let kind = match (chosen.as_str(), implied.as_str()) {
                ("", "") => "input".to_owned(),
                // A range states the kind, but nothing states `frozen` unless the user does: that takes a condition away.
                ("", other) if !range.is_blank() && other != "frozen" => implied.clone(),
                (_, _) => chosen,
            };
            Some(SharedVariableRow { path: Field::of(path), kind, implied, range, ..SharedVariableRow::default() })
        };
        let rows = (0..MAX_ROWS).filter_map(row).filter(SharedVariableRow::states).collect();
        let is_warm = find("start-kind").as_deref() == Some("warm");
        let is_asynchronous = find("sampling").as_deref() == Some("asynchronous");
        let restarts = find("restarts").as_deref() == Some("any");
        let (filter, applied) = (get("variables".to_owned()), get("variables-applied".to_owned()));
        Environment { rows, is_warm, is_asynchronous, restarts, filter: filter.trim().to_owned(), applied, n_hidden: 0 }
    }

    /// Writes the rows into a specification. `false`: a range cannot be read; the row says so.
    pub(super) fn write(&mut self, spec: &mut Specification) -> bool {
        spec.start = self.is_warm.then_some(RunStart::Warm);
        spec.sampling = self.is_asynchronous.then_some(Sampling::Asynchronous);
        spec.restarts = self.restarts.then_some(Restarts::Any);
        let mut is_fine = true;
        for row in &mut self.rows {
            let shared = match row.shared() {
                Ok(shared) => shared,
                Err(why) => {
                    row.range.error = Some(why);
                    is_fine = false;
                    continue;
                }
            };
            match row.key() {
                "parameters" => spec.parameters.push(shared),
                "memory" => spec.memory.push(shared),
                "frozen" => spec.frozen.push(shared),
                _ => spec.inputs.push(shared),
            }
        }
        is_fine
    }

    /// Returns the field of the `n`-th row of a key of the specification.
    pub(super) fn field(&mut self, key: &str, n: usize) -> Option<&mut Field> {
        self.rows.iter_mut().filter(|row| row.states() && row.key() == key).nth(n).map(|row| &mut row.path)
    }

    /// Returns the number of fields with errors.
    pub(super) fn n_errors(&self) -> usize {
        self.rows.iter().flat_map(|row| [&row.path, &row.range]).filter(|field| field.error.is_some()).count()
    }

    /// Returns whether the filter was changed since the rows were made.
    pub(crate) fn is_refiltered(&self) -> bool {
        self.filter != self.applied
    }

    /// Adds a row for each variable that no row states and that matches the filter, while there is room. Then adds an
    /// empty one. `shown`: the environment with these rows; `default`: without.
    pub(crate) fn complete(&mut self, shown: &[SharedRow], default: &[SharedRow]) {
        let filter = self.filter.to_lowercase();
        self.applied = self.filter.clone();
        for row in shown {
            let is_wanted = row.variable.to_lowercase().contains(&filter);
            let n_rows = self.rows.len();
            match self.rows.iter_mut().find(|known| known.path.value.trim().eq_ignore_ascii_case(&row.variable)) {
                Some(known) => {
                    let kind = if row.stated { default_kind(default, &row.variable) } else { word(row) };
                    (known.ty, known.why, known.implied) = (row.ty.clone(), row.why.clone(), kind.to_owned());
                }
                None if is_wanted && n_rows < MAX_ROWS - 1 => self.rows.push(SharedVariableRow {
                    path: Field::of(&row.variable),
                    ty: row.ty.clone(),
                    kind: String::new(),
                    implied: word(row).to_owned(),
                    is_in_pattern: row.stated,
                    range: Field::default(),
                    why: row.why.clone(),
                }),
                None => self.n_hidden += 1,
            }
        }
        // A variable that has rows for its parts above.
        for known in self.rows.iter_mut().filter(|known| known.ty.is_empty()) {
            if let Some(row) = default.iter().find(|row| known.path.value.trim().eq_ignore_ascii_case(&row.variable)) {
                (known.ty, known.why, known.implied) = (row.ty.clone(), row.why.clone(), word(row).to_owned());
            }
        }
        // A row that is not read back would be lost.
        if self.rows.len() < MAX_ROWS {
            self.rows.push(SharedVariableRow { kind: "input".to_owned(), ..SharedVariableRow::default() });
        }
    }
}

impl SharedVariableRow {
    /// Returns whether the row says something beside the default.
    fn states(&self) -> bool {
        !self.path.is_blank() && (!self.kind.is_empty() || !self.range.is_blank())
    }

    /// Returns the list of the specification that the row belongs to.
    fn key(&self) -> &'static str {
        match self.kind.as_str() {
            "parameter" => "parameters",
            "memory" | "any" => "memory",
            "frozen" => "frozen",
            _ => "inputs",
        }
    }

    /// Returns the default in words; empty for rows that were added.
    pub(crate) fn default_words(&self) -> String {
        let words = match (self.implied.as_str(), self.is_in_pattern) {
            ("frozen", false) => KEPT,
            (implied, _) => KINDS.iter().find(|(word, _)| *word == implied).map_or("", |(_, words)| words),
        };
        match (words, self.is_in_pattern) {
            ("", _) => String::new(),
            (words, true) => format!("by another row: {words}"),
            (words, false) => format!("default: {words}"),
        }
    }

    /// Returns whether the user adds the row.
    pub(crate) fn is_added(&self) -> bool {
        self.ty.is_empty()
    }

    fn shared(&self) -> Result<SharedVariable, String> {
        let path = self.path.value.trim().to_owned();
        let any_start = self.kind == "any";
        if self.kind.is_empty() {
            return Err("a variable that keeps its initial value has no range; choose another kind".to_owned());
        }
        let Some(range) = self.range.text() else { return Ok(SharedVariable { any_start, ..SharedVariable::at(path) }) };
        let pair = SharedVariableText::Pair([(path, range)].into());
        SharedVariable::try_from(pair).map(|shared| SharedVariable { any_start, ..shared })
    }
}

/// Returns the kind of a row, as one of [`KINDS`].
fn word(row: &SharedRow) -> &'static str {
    match (row.kind, row.any_start) {
        (SharedKind::Input, _) => "input",
        (SharedKind::Parameter, _) => "parameter",
        (SharedKind::Memory, false) => "memory",
        (SharedKind::Memory, true) => "any",
        (SharedKind::Frozen, _) => "frozen",
    }
}

/// Returns the kind of a variable, or of one that it is a part of, in an environment. Without a row it is the program's own.
fn default_kind(default: &[SharedRow], path: &str) -> &'static str {
    let holds = |row: &&SharedRow| {
        let (outer, rest) = (path.get(..row.variable.len()), path.get(row.variable.len()..));
        outer.is_some_and(|outer| outer.eq_ignore_ascii_case(&row.variable))
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    default.iter().filter(holds).max_by_key(|row| row.variable.len()).map_or("memory", word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    fn read(fields: &[(&str, &str)]) -> Environment {
        let find = |name: &str| fields.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Environment::read(&find)
    }

    #[test]
    fn chosen_kinds_and_ranges_are_stated_and_read_again() {
        let row = |n: usize, path: &str, kind: &str, implied: &str, range: &str| {
            let field = |name: &str, value: &str| (format!("e{n}-{name}"), value.to_owned());
            [field("path", path), field("kind", kind), field("implied", implied), field("range", range)]
        };
        let fields = [
            row(0, "Hmi", "memory", "input", ""),
            row(1, "Level", "", "input", "0..1000"),
            row(2, "Go", "", "input", ""),
            row(3, "Total", "any", "", "0..9"),
            row(4, " ", "input", "", ""),
            row(5, "Fan", "input", "input", ""),
            row(6, "r.Step", "frozen", "frozen", ""),
            row(7, "r.Limit", "", "frozen", ""),
        ];
        let fields: Vec<(&str, &str)> = fields.iter().flatten().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut environment = read(&[&fields[..], &[("start-kind", "warm"), ("restarts", "any")]].concat());
        let mut spec = Specification::default();
        assert!(environment.write(&mut spec));
        let expected = "start: warm\nrestarts: any\ninputs:\n  - { path: \"Level\", range: \"0..1000\" }\n  - Fan\nmemory:\n  - Hmi\n  \
                        - { path: \"Total\", range: \"0..9\", start: \"any\" }\nfrozen:\n  - r.Step\n";
        assert!(spec.to_yaml().starts_with(expected), "{}", spec.to_yaml());
        let again = Environment::from_specification(&spec);
        let rows: Vec<(&str, &str)> = again.rows.iter().map(|row| (row.path.value.as_str(), row.kind.as_str())).collect();
        let expected = [("Level", "input"), ("Fan", "input"), ("Hmi", "memory"), ("Total", "any"), ("r.Step", "frozen")];
        assert_eq!((rows.as_slice(), again.is_warm, again.restarts), (&expected[..], true, true));
        assert_eq!(environment.field("memory", 1).map(|field| field.value.as_str()), Some("Total"));
    }

    fn shared(variable: &str, kind: SharedKind, stated: bool) -> SharedRow {
        SharedRow {
            variable: variable.into(),
            ty: "INT".into(),
            kind,
            any_start: false,
            range: None,
            initial: None,
            why: "reason".into(),
            stated,
            place: booster().results[0].counterexample.as_ref().unwrap().cycles[0].steps[0].place.clone(),
        }
    }

    /// Fields as the page posts them.
    fn posted(environment: &Environment) -> Environment {
        let mut fields = Vec::new();
        for (n, row) in environment.rows.iter().enumerate() {
            let parts = [("path", &row.path.value), ("kind", &row.kind), ("implied", &row.implied), ("range", &row.range.value)];
            fields.extend(parts.map(|(name, value)| (format!("e{n}-{name}"), value.clone())));
        }
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        read(&fields)
    }

    #[test]
    fn a_specification_comes_back_from_the_form_as_it_was() {
        let text = "inputs: [Level, {path: P.Setpoint, range: 0..60}]\nparameters: [Limit: 30..60]\nmemory: [Q.*]\n\
                    frozen: [r.Step]\nrequirements: []\n";
        let spec = Specification::from_yaml(text).unwrap();
        let default = [
            shared("Level", SharedKind::Input, false),
            shared("P", SharedKind::Input, false),
            shared("Limit", SharedKind::Frozen, false),
            shared("Q", SharedKind::Input, false),
            shared("r.Step", SharedKind::Frozen, false),
            shared("r.Other", SharedKind::Frozen, false),
        ];
        let shown = [
            shared("Level", SharedKind::Input, true),
            shared("P.Setpoint", SharedKind::Input, true),
            shared("P.Start", SharedKind::Input, false),
            shared("Limit", SharedKind::Parameter, true),
            shared("Q.a", SharedKind::Memory, true),
            shared("r.Step", SharedKind::Frozen, true),
            shared("r.Other", SharedKind::Frozen, false),
        ];
        let mut environment = Environment::from_specification(&spec);
        environment.complete(&shown, &default);
        let row = |path: &str| environment.rows.iter().find(|row| row.path.value == path).unwrap();
        let words = |path: &str| (row(path).ty.as_str(), row(path).kind.as_str(), row(path).default_words());
        assert_eq!(words("P.Setpoint"), ("INT", "input", "default: input: new in every cycle".to_owned()));
        assert_eq!(words("r.Step"), ("INT", "frozen", format!("default: {KEPT}")));
        assert_eq!(words("r.Other"), ("INT", "", format!("default: {KEPT}")));
        assert_eq!(words("Limit"), ("INT", "parameter", format!("default: {KEPT}")));
        assert_eq!(words("Q.a"), ("INT", "", "by another row: memory of the program".to_owned()));
        assert_eq!(words("Q.*"), ("", "memory", String::new()));
        let mut again = Specification { requirements: Vec::new(), ..Specification::default() };
        assert!(posted(&environment).write(&mut again));
        assert_eq!(
            (&again.inputs, &again.parameters, &again.memory, &again.frozen),
            (&spec.inputs, &spec.parameters, &spec.memory, &spec.frozen)
        );
        // The same where the program with these rows cannot be read.
        let mut environment = Environment::from_specification(&spec);
        environment.complete(&default, &default);
        let mut again = Specification::default();
        assert!(posted(&environment).write(&mut again));
        assert_eq!((&again.inputs, &again.frozen), (&spec.inputs, &spec.frozen));
    }

    #[test]
    fn a_range_states_no_variable_as_frozen() {
        let mut environment = read(&[("e0-path", "Limit"), ("e0-kind", ""), ("e0-implied", "frozen"), ("e0-range", "1..5")]);
        let mut spec = Specification::default();
        assert!(!environment.write(&mut spec));
        assert_eq!((environment.n_errors(), spec.frozen.len(), environment.rows[0].kind.as_str()), (1, 0, ""));
    }

    #[test]
    fn a_range_that_is_none_is_told_beside_its_field() {
        let mut environment = read(&[("e0-path", "Level"), ("e0-kind", "input"), ("e0-implied", "input"), ("e0-range", "5")]);
        assert!(!environment.write(&mut Specification::default()));
        assert_eq!(environment.n_errors(), 1);
    }
}
