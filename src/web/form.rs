//! The requirement form: a user's entries so far, however incomplete, and their way to a specification.
//!
//! No entry is lost: every answer to a posted form is the form again, filled, with the mistakes beside
//! the fields. Rows are added by buttons that send the form, so it works without JavaScript.

use plc_frontend::dialect::DIALECTS;

use crate::report::outcome::Problem;
use crate::run::limits::Limits;
use kernel::property::check::{ALL, CHECKS};
use kernel::property::lines::Lines;
use kernel::property::pattern::by_id;
use kernel::property::spec::{Assumption, CycleTime, CycleTimeText, Specification};

mod action;
mod builder;
mod environment;
mod experts;
mod field;
mod requirement;
mod suggestions;

pub(crate) use action::Action;
use action::action;
pub(crate) use builder::{Builder, JOINS};
pub(crate) use environment::{Environment, KINDS};
pub(crate) use experts::Experts;
pub(crate) use field::Field;
pub(crate) use requirement::RequirementRow;
use requirement::{blank, row};
pub(crate) use suggestions::{Suggestion, suggestions};

/// Longest times of a run.
pub(crate) const THOROUGHNESS: [(&str, &str, u32); 3] = [
    ("quick", "Quick: at most 1 minute", 60),
    ("standard", "Standard: at most 10 minutes", 600),
    ("overnight", "Overnight: at most 8 hours", 28_800),
];

/// An assumption as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AssumptionRow {
    pub(crate) text: Field,
    pub(crate) expr: Field,
    pub(crate) fresh: bool,
}

/// Everything that was entered.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// The text area instead of the fields.
    pub(crate) as_yaml: bool,
    pub(crate) yaml: Field,
    pub(crate) entry: Field,
    /// The project that runs, where the upload holds several; empty: the only one that can be meant.
    pub(crate) project: Field,
    /// Name of a row of the dialects; empty: the detected one.
    pub(crate) dialect: Field,
    pub(crate) cycle: Field,
    pub(crate) cycle_to: Field,
    pub(crate) environment: Environment,
    pub(crate) assumptions: Vec<AssumptionRow>,
    pub(crate) requirements: Vec<RequirementRow>,
    /// Sentence that is being built and is no requirement yet.
    pub(crate) builder: Builder,
    /// One per automatic check.
    pub(crate) checks: Vec<bool>,
    /// Assertions in the program text are checked.
    pub(crate) assertions: bool,
    /// Small changes of the program are tried afterwards.
    pub(crate) mutants: bool,
    pub(crate) thorough: String,
    /// The engine and its options.
    pub(crate) experts: Experts,
    /// Mistakes that belong to no field.
    pub(crate) errors: Vec<String>,
    /// The errors are those of a run that left these requirements unchecked.
    pub(crate) is_of_a_run: bool,
    /// The last assumption is suggested by a counterexample.
    pub(crate) is_suggested: bool,
    /// Number of the file whose text is shown beside the form, from 1.
    pub(crate) source: Option<usize>,
    /// Origin of the requirements as a sentence, if the user did not give them here.
    pub(crate) stated_in: Option<String>,
}

/// Rows of each kind.
const MAX_ROWS: usize = 300;

impl Form {
    /// Returns the form of a specification; as YAML where the fields cannot show it.
    pub(crate) fn from_specification(spec: &Specification) -> Form {
        let rows: Vec<Option<RequirementRow>> = spec.requirements.iter().map(row).collect();
        let as_yaml = rows.iter().any(Option::is_none);
        let is_name = |name: &String| name == ALL || CHECKS.iter().any(|c| c.name == name);
        let strange_checks = spec.checks.as_ref().is_some_and(|checks| !checks.iter().all(is_name));
        let environment = Environment::from_specification(spec);
        // Rows beyond the last one that is read back would be lost.
        let is_long = MAX_ROWS < spec.requirements.len().max(spec.assumptions.len()) || MAX_ROWS < environment.rows.len();
        let (cycle, cycle_to) = match spec.cycle.map(CycleTimeText::from) {
            None => (String::new(), String::new()),
            Some(CycleTimeText::Milliseconds(ms)) => (format!("{ms}ms"), String::new()),
            Some(CycleTimeText::Exact(time)) => (time, String::new()),
            Some(CycleTimeText::Range { min, max }) => (min, max),
        };
        let assumption = |a: &Assumption| AssumptionRow {
            text: Field::of(a.text.clone().unwrap_or_default()),
            expr: Field::of(&a.expr),
            fresh: false,
        };
        Form {
            as_yaml: as_yaml || strange_checks || is_long,
            yaml: Field::of(spec.to_yaml()),
            entry: Field::of(spec.entry.clone().unwrap_or_default()),
            project: Field::of(spec.project.clone().unwrap_or_default()),
            dialect: Field::of(spec.dialect.map(|id| id.row().name).unwrap_or_default()),
            cycle: Field::of(cycle),
            cycle_to: Field::of(cycle_to),
            environment,
            assumptions: spec.assumptions.iter().map(assumption).collect(),
            requirements: rows.into_iter().flatten().collect(),
            builder: Builder::first(),
            checks: CHECKS.iter().map(|c| spec.wants(c)).collect(),
            assertions: spec.assertions != Some(false),
            mutants: spec.mutants,
            thorough: "standard".into(),
            experts: Experts::default(),
            errors: Vec::new(),
            is_of_a_run: false,
            is_suggested: false,
            source: None,
            stated_in: None,
        }
    }

    /// Reads the posted fields and the button that was pressed.
    pub(crate) fn read(fields: &[(String, String)]) -> (Form, Action) {
        let find = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, v)| v.replace("\r\n", "\n"));
        let get = |name: &str| Field::of(find(name).unwrap_or_default());
        let mut form = Form::from_specification(&Specification::default());
        form.as_yaml = find("mode").as_deref() == Some("yaml");
        (form.yaml, form.entry, form.cycle, form.cycle_to) = (get("yaml"), get("entry"), get("cycle"), get("cycle-to"));
        (form.project, form.dialect) = (get("project"), get("dialect"));
        form.thorough = find("thorough").unwrap_or_else(|| form.thorough.clone());
        (form.mutants, form.assertions) = (find("mutants").is_some(), find("no-assertions").is_none());
        (form.environment, form.experts) = (Environment::read(&find), Experts::read(fields));
        form.builder = Builder::read(&find);
        form.checks = CHECKS.iter().map(|c| find(&format!("check-{}", c.name)).is_some()).collect();
        for n in 0..MAX_ROWS {
            if let Some(expr) = find(&format!("a{n}-expr")) {
                form.assumptions.push(AssumptionRow { text: get(&format!("a{n}-text")), expr: Field::of(expr), fresh: false });
            }
            let kind = find(&format!("r{n}-kind")).and_then(|id| by_id(&id));
            if let Some(kind) = kind {
                let parts = (0..kind.keys.len()).map(|i| get(&format!("r{n}-part{i}"))).collect();
                let (id, text) = (get(&format!("r{n}-id")), get(&format!("r{n}-text")));
                form.requirements.push(RequirementRow { kind, id, text, parts, error: None, fresh: false });
            }
        }
        let action = find("action").and_then(|a| action(&a)).unwrap_or(Action::Start);
        (form, action)
    }

    /// Returns the limits that were chosen.
    pub(crate) fn limits(&self, default: Limits) -> Limits {
        let wall_s = THOROUGHNESS.iter().find(|(name, _, _)| *name == self.thorough).map_or(default.wall_s, |(_, _, s)| *s);
        Limits { wall_s, ..default }
    }

    /// Returns the number of chosen automatic checks.
    pub(crate) fn n_checks(&self) -> usize {
        self.checks.iter().filter(|chosen| **chosen).count()
    }

    /// Adds or removes a row.
    pub(crate) fn edit(&mut self, action: &Action) {
        match action {
            Action::AddAssumption if self.assumptions.len() < MAX_ROWS => {
                self.assumptions.push(AssumptionRow { fresh: true, ..AssumptionRow::default() });
            }
            Action::AddBlank if self.requirements.len() < MAX_ROWS => self.requirements.push(blank(self.builder.kind)),
            Action::AddBuilt if self.requirements.len() < MAX_ROWS => self.add_built(),
            Action::Choose => self.builder.is_fresh = true,
            Action::Suggest(kind, expression) if self.requirements.len() < MAX_ROWS => {
                self.requirements.push(RequirementRow { parts: vec![Field::of(expression)], ..blank(kind) });
            }
            Action::AddAssumption | Action::AddBlank | Action::AddBuilt | Action::Suggest(..) => {
                self.errors.push(format!("A form has at most {MAX_ROWS} rows; use a requirement file."))
            }
            Action::DropAssumption(n) if *n < self.assumptions.len() => drop(self.assumptions.remove(*n)),
            Action::DropRequirement(n) if *n < self.requirements.len() => drop(self.requirements.remove(*n)),
            Action::DropAssumption(_)
            | Action::DropRequirement(_)
            | Action::Start
            | Action::Keep
            | Action::Enter
            | Action::Filter
            | Action::Preview
            | Action::ShowYaml
            | Action::ShowFields => {}
        }
    }

    /// Adds the sentence of the builder as a requirement, if it is complete.
    fn add_built(&mut self) {
        if let Some(row) = self.built() {
            self.requirements.push(RequirementRow { fresh: true, ..row });
            self.builder = Builder::new(self.builder.kind);
        }
    }

    /// Returns the sentence of the builder as a row; `None` if it is incomplete, which the builder then says.
    pub(crate) fn built(&mut self) -> Option<RequirementRow> {
        let expressions = self.builder.expressions()?;
        let parts = expressions.into_iter().map(Field::of).collect();
        Some(RequirementRow { parts, fresh: false, ..blank(self.builder.kind) })
    }

    /// Returns whether a sentence waits in the builder, and says so: nothing that was entered is left out silently.
    pub(crate) fn is_waiting(&mut self) -> bool {
        let waits = !self.as_yaml && !self.builder.is_blank();
        if waits {
            self.errors.push("The sentence below is no requirement yet: add it, or empty it.".to_owned());
        }
        waits
    }

    /// Returns the specification; `None` with errors beside the fields. Blank rows state nothing.
    pub(crate) fn specification(&mut self) -> Option<Specification> {
        if self.as_yaml {
            return match Specification::from_yaml(&self.yaml.value) {
                Ok(spec) => Some(spec),
                Err(e) => {
                    self.yaml.error = Some(e.to_string());
                    None
                }
            };
        }
        let cycle = match (self.cycle.text(), self.cycle_to.text()) {
            (None, None) => None,
            (Some(exact), None) => Some(CycleTimeText::Exact(exact)),
            (_, Some(max)) => Some(CycleTimeText::Range { min: self.cycle.value.clone(), max }),
        };
        let cycle = match cycle.map(CycleTime::try_from).transpose() {
            Ok(cycle) => cycle,
            Err(message) => {
                self.cycle.error = Some(message);
                return None;
            }
        };
        let dialect = match self.dialect.text().map(|name| (DIALECTS.iter().find(|row| row.name == name), name)) {
            None => None,
            Some((Some(row), _)) => Some(row.id),
            Some((None, name)) => {
                let names: Vec<&str> = DIALECTS.iter().map(|row| row.name).collect();
                self.dialect.error = Some(format!("there is no dialect `{name}`; there are {}", names.join(", ")));
                return None;
            }
        };
        let assumptions = self.assumptions.iter().filter(|a| !a.is_blank());
        let requirements = self.requirements.iter().filter(|r| !r.is_blank());
        let mut specification = Specification {
            entry: self.entry.text(),
            project: self.project.text(),
            dialect,
            cycle,
            assumptions: assumptions.map(|a| Assumption { text: a.text.text(), expr: a.expr.value.clone() }).collect(),
            requirements: requirements.map(RequirementRow::requirement).collect(),
            checks: Some(CHECKS.iter().zip(&self.checks).filter(|(_, on)| **on).map(|(c, _)| c.name.to_string()).collect()),
            assertions: (!self.assertions).then_some(false),
            mutants: self.mutants,
            ..Specification::default()
        };
        self.environment.write(&mut specification).then_some(specification)
    }

    /// Returns the environment, assumptions and cycle as entered so far; `None` with a mistake in them.
    pub(crate) fn surroundings(&self) -> Option<Specification> {
        let stated = self.clone().specification()?;
        Some(Specification {
            requirements: Vec::new(),
            checks: Some(Vec::new()),
            assertions: Some(false),
            mutants: false,
            ..stated
        })
    }

    /// Puts the mistakes that a worker found beside their fields.
    pub(crate) fn complain(&mut self, problems: &[Problem]) {
        let lines = Lines::of(&self.yaml.value);
        for problem in problems {
            let words = (problem.message.clone(), problem.help.clone());
            let parts: Vec<&str> = problem.pointer.split('/').skip(1).collect();
            let number = parts.get(1).and_then(|n| n.parse::<usize>().ok());
            let field = match (self.as_yaml, parts.as_slice(), number) {
                (true, _, _) => None,
                (false, ["entry", ..], _) => Some(&mut self.entry),
                (false, ["project", ..], _) => Some(&mut self.project),
                (false, ["dialect", ..], _) => Some(&mut self.dialect),
                (false, ["cycle", ..], _) => Some(&mut self.cycle),
                (false, ["assumptions", _, rest @ ..], Some(n)) => {
                    let row = self.assumptions.iter_mut().filter(|a| !a.is_blank()).nth(n);
                    row.map(|row| if rest == ["text"] { &mut row.text } else { &mut row.expr })
                }
                (false, ["requirements", _, rest @ ..], Some(n)) => {
                    let row = self.requirements.iter_mut().filter(|r| !r.is_blank()).nth(n);
                    match row {
                        Some(row) => match row.field(rest) {
                            Some(at) => row.parts.get_mut(at),
                            None if rest == ["id"] => Some(&mut row.id),
                            None => {
                                row.error = Some(problem.message.clone());
                                continue;
                            }
                        },
                        None => None,
                    }
                }
                (false, [key @ ("inputs" | "parameters" | "memory" | "frozen"), ..], Some(n)) => self.environment.field(key, n),
                (false, _, _) => None,
            };
            match field {
                Some(field) => (field.error, field.help) = (Some(words.0), words.1),
                None => {
                    let place = match (self.as_yaml, lines.find(&problem.pointer)) {
                        (true, Some(line)) => format!("line {line}: "),
                        (true, None) => format!("{}: ", problem.pointer),
                        (false, _) => String::new(),
                    };
                    let help = words.1.map(|h| format!(" {h}")).unwrap_or_default();
                    self.errors.push(format!("{place}{}{help}", words.0));
                }
            }
        }
    }

    /// Returns the number of mistakes.
    pub(crate) fn n_errors(&self) -> usize {
        let rows = self.assumptions.iter().flat_map(|a| [&a.text, &a.expr]);
        let parts = self.requirements.iter().flat_map(|r| r.parts.iter().chain([&r.id, &r.text]));
        let fields = [&self.yaml, &self.entry, &self.dialect, &self.cycle, &self.cycle_to].into_iter().chain(rows).chain(parts);
        let whole_rows = self.requirements.iter().filter(|r| r.error.is_some()).count();
        let experts = usize::from(self.experts.error.is_some()) + self.environment.n_errors() + self.builder.n_errors();
        fields.filter(|f| f.error.is_some()).count() + whole_rows + experts + self.errors.len()
    }
}

impl AssumptionRow {
    fn is_blank(&self) -> bool {
        self.text.is_blank() && self.expr.is_blank()
    }
}

#[cfg(test)]
mod tests;
