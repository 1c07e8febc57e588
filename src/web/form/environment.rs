//! The environment table of the form: one row for each variable that the program shares with the outside.
//!
//! A row states something if its kind differs from the one that the program implies, or if it has a range.

use super::{Field, MAX_ROWS};
use crate::property::shared_variable::{SharedVariable, SharedVariableText};
use crate::property::spec::{RunStart, Specification};
use crate::report::environment::{SharedKind, SharedRow};

/// Kinds that a row may have, with their words.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("input", "input: new in every cycle"),
    ("parameter", "parameter: any value, then constant"),
    ("memory", "memory of the program"),
    ("any", "memory with any start"),
    ("frozen", "frozen at its initial value"),
];

/// A variable as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedVariableRow {
    pub(crate) path: Field,
    /// IEC type; empty for rows that were added.
    pub(crate) ty: String,
    /// One of [`KINDS`].
    pub(crate) kind: String,
    /// The kind that the program implies; empty for rows that were added.
    pub(crate) implied: String,
    /// `lower..upper`.
    pub(crate) range: Field,
    pub(crate) why: String,
}

/// The environment as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    pub(crate) rows: Vec<SharedVariableRow>,
    pub(crate) is_warm: bool,
    /// Part of the names of the variables to show; rows that state something are always shown.
    pub(crate) filter: String,
    /// The filter that the shown rows were made with.
    pub(crate) applied: String,
    /// Variables of the program without a row here.
    pub(crate) n_hidden: usize,
}

impl Environment {
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
        Environment { rows, is_warm: spec.start == Some(RunStart::Warm), ..Environment::default() }
    }

    /// Reads posted fields; rows that state nothing are made again from the program.
    pub(super) fn read(find: &dyn Fn(&str) -> Option<String>) -> Environment {
        let get = |name: String| find(&name).unwrap_or_default();
        let row = |n: usize| {
            let path = find(&format!("e{n}-path"))?;
            Some(SharedVariableRow {
                path: Field::of(path),
                kind: get(format!("e{n}-kind")),
                implied: get(format!("e{n}-implied")),
                range: Field::of(get(format!("e{n}-range"))),
                ..SharedVariableRow::default()
            })
        };
        let rows = (0..MAX_ROWS).filter_map(row).filter(SharedVariableRow::states).collect();
        let is_warm = find("start-kind").as_deref() == Some("warm");
        let (filter, applied) = (get("variables".to_owned()), get("variables-applied".to_owned()));
        Environment { rows, is_warm, filter: filter.trim().to_owned(), applied, n_hidden: 0 }
    }

    /// Writes the rows into a specification. `false`: a range cannot be read; the row says so.
    pub(super) fn write(&mut self, spec: &mut Specification) -> bool {
        spec.start = self.is_warm.then_some(RunStart::Warm);
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
            match row.kind.as_str() {
                "parameter" => spec.parameters.push(shared),
                "memory" | "any" => spec.memory.push(shared),
                "frozen" => spec.frozen.push(shared),
                _ => spec.inputs.push(shared),
            }
        }
        is_fine
    }

    /// The field of the `n`-th row of a key of the specification.
    pub(super) fn field(&mut self, key: &str, n: usize) -> Option<&mut Field> {
        let is_of = |row: &&mut SharedVariableRow| match row.kind.as_str() {
            "parameter" => key == "parameters",
            "memory" | "any" => key == "memory",
            "frozen" => key == "frozen",
            _ => key == "inputs",
        };
        self.rows.iter_mut().filter(is_of).nth(n).map(|row| &mut row.path)
    }

    /// Number of fields with errors.
    pub(super) fn n_errors(&self) -> usize {
        self.rows.iter().flat_map(|row| [&row.path, &row.range]).filter(|field| field.error.is_some()).count()
    }

    /// Returns whether the filter was changed since the rows were made.
    pub(crate) fn is_refiltered(&self) -> bool {
        self.filter != self.applied
    }

    /// Adds a row for each variable of the program that no row states and that the filter lets through, as far as there is room,
    /// and an empty one.
    pub(crate) fn complete(&mut self, shared: &[SharedRow]) {
        let filter = self.filter.to_lowercase();
        self.applied = self.filter.clone();
        for row in shared {
            let is_wanted = row.variable.to_lowercase().contains(&filter);
            let kind = match (row.kind, row.any_start) {
                (SharedKind::Input, _) => "input",
                (SharedKind::Parameter, _) => "parameter",
                (SharedKind::Memory, false) => "memory",
                (SharedKind::Memory, true) => "any",
                (SharedKind::Frozen, _) => "frozen",
            };
            let n_rows = self.rows.len();
            match self.rows.iter_mut().find(|known| known.path.value.eq_ignore_ascii_case(&row.variable)) {
                Some(known) => (known.ty, known.why, known.implied) = (row.ty.clone(), row.why.clone(), kind.to_owned()),
                None if is_wanted && n_rows < MAX_ROWS - 1 => self.rows.push(SharedVariableRow {
                    path: Field::of(&row.variable),
                    ty: row.ty.clone(),
                    kind: kind.to_owned(),
                    implied: kind.to_owned(),
                    range: Field::default(),
                    why: row.why.clone(),
                }),
                None => self.n_hidden += 1,
            }
        }
        // A row that is not read back would be lost.
        if self.rows.len() < MAX_ROWS {
            self.rows.push(SharedVariableRow { kind: "input".to_owned(), ..SharedVariableRow::default() });
        }
    }
}

impl SharedVariableRow {
    /// Returns whether the row says something that the program does not imply.
    fn states(&self) -> bool {
        !self.path.is_blank() && (self.kind != self.implied || !self.range.is_blank())
    }

    /// Returns whether the user adds the row.
    pub(crate) fn is_added(&self) -> bool {
        self.ty.is_empty()
    }

    fn shared(&self) -> Result<SharedVariable, String> {
        let path = self.path.value.trim().to_owned();
        let any_start = self.kind == "any";
        let Some(range) = self.range.text() else { return Ok(SharedVariable { any_start, ..SharedVariable::at(path) }) };
        let pair = SharedVariableText::Pair([(path, range)].into());
        SharedVariable::try_from(pair).map(|shared| SharedVariable { any_start, ..shared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[(&str, &str)]) -> Environment {
        let find = |name: &str| fields.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Environment::read(&find)
    }

    #[test]
    fn rows_that_differ_are_stated_and_read_again() {
        let fields = [
            ("e0-path", "Hmi"),
            ("e0-kind", "memory"),
            ("e0-implied", "input"),
            ("e0-range", ""),
            ("e1-path", "Level"),
            ("e1-kind", "input"),
            ("e1-implied", "input"),
            ("e1-range", "0..1000"),
            ("e2-path", "Go"),
            ("e2-kind", "input"),
            ("e2-implied", "input"),
            ("e2-range", ""),
            ("e3-path", "Total"),
            ("e3-kind", "any"),
            ("e3-implied", ""),
            ("e3-range", "0..9"),
            ("e4-path", " "),
            ("e4-kind", "input"),
            ("e4-implied", ""),
            ("start-kind", "warm"),
        ];
        let mut environment = read(&fields);
        let mut spec = Specification::default();
        assert!(environment.write(&mut spec));
        let expected = "start: warm\ninputs:\n  - { path: \"Level\", range: \"0..1000\" }\nmemory:\n  - Hmi\n  \
                        - { path: \"Total\", range: \"0..9\", start: \"any\" }\n";
        assert!(spec.to_yaml().starts_with(expected), "{}", spec.to_yaml());
        let again = Environment::from_specification(&spec);
        let rows: Vec<(&str, &str)> = again.rows.iter().map(|row| (row.path.value.as_str(), row.kind.as_str())).collect();
        assert_eq!((rows.as_slice(), again.is_warm), (&[("Level", "input"), ("Hmi", "memory"), ("Total", "any")][..], true));
        assert_eq!(environment.field("memory", 1).map(|field| field.value.as_str()), Some("Total"));
    }

    #[test]
    fn a_range_that_is_none_is_told_beside_its_field() {
        let mut environment = read(&[("e0-path", "Level"), ("e0-kind", "input"), ("e0-implied", "input"), ("e0-range", "5")]);
        assert!(!environment.write(&mut Specification::default()));
        assert_eq!(environment.n_errors(), 1);
    }
}
