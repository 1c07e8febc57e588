//! Certificates of violations of published models: the values that the text leaves open, edge by edge. Checked by executing it.
//!
//! There is no search: the certificate has the next edge and the value of each `havoc`, and every statement on the way is
//! executed. It shares the meaning of a model with the verifier: its reading and the values of expressions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Answer;
use super::header::{FORMAT, Identity, one_line};
use super::sexp::MAX_BYTES;
use super::violation::is_about;
use super::{Flaw, shorten, value};
use kernel::context::count;
use kernel::expr::Value;
use kernel::theta::ast::{Process, StmtKind};
use kernel::theta::evaluate::Evaluator;
use kernel::theta::replay::{Run, Step};

/// A run from the initial to the error location of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRun {
    /// Initial value of each variable, in the order of the model: those of the main process, then shared ones.
    pub start: Vec<StartValue>,
    /// The edges that are taken.
    pub edges: Vec<TakenEdge>,
}

/// Initial value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartValue {
    /// Its name.
    pub variable: String,
    /// A literal of SMT-LIB.
    pub value: String,
}

/// An edge that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TakenEdge {
    /// Its number among the edges of the main process, from 1.
    pub edge: usize,
    /// The location it leaves.
    pub from: String,
    /// The location it arrives at.
    pub to: String,
    /// Values of its `havoc`s, in their order: literals of SMT-LIB.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub havoc: Vec<String>,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelViolation {
    /// [`FORMAT`].
    #[serde(rename = "certificate-format")]
    format: String,
    /// Program and requirement: keys and values as in the header of a proof's certificate.
    about: Vec<(String, String)>,
    /// `violated`.
    answer: String,
    /// Sentences for people.
    #[serde(default)]
    notes: Vec<String>,
    /// The run.
    run: ModelRun,
}

/// Edges of the longest run with a certificate.
const MOST_EDGES: usize = 200_000;

impl ModelRun {
    /// Writes a run; `None` if it is too long.
    pub fn of(process: &Process, run: &Run) -> Option<ModelRun> {
        if MOST_EDGES < run.steps.len() {
            return None;
        }
        let start = process.vars.iter().zip(&run.start);
        let start = start.map(|(var, value)| StartValue { variable: var.name.clone(), value: value::write(*value) }).collect();
        let taken = |step: &Step| {
            let edge = &process.edges[step.edge];
            let is_havoc = |stmt: usize| match edge.stmts[stmt].kind {
                StmtKind::Havoc(_) => true,
                StmtKind::Assume(_) | StmtKind::Assign(..) => false,
            };
            let given = step.writes.iter().filter(|(stmt, ..)| is_havoc(*stmt));
            TakenEdge {
                edge: step.edge + 1,
                from: process.locs[edge.source].name.clone(),
                to: process.locs[edge.target].name.clone(),
                havoc: given.map(|(_, _, value)| value::write(*value)).collect(),
            }
        };
        Some(ModelRun { start, edges: run.steps.iter().map(taken).collect() })
    }

    /// Executes the run in the model.
    ///
    /// Cost:      linear in the statements on the way.
    /// Soundness: a run is returned iff it begins in the initial location, its edges are connected and all its conditions are
    ///            true. Only its last edge may arrive at the error location.
    pub fn execute(&self, process: &Process) -> Result<Run, Answer> {
        let unfit = |why: String| Answer::Unfit(why);
        if self.start.len() != process.vars.len() {
            let (n, of) = (self.start.len(), process.vars.len());
            return Err(unfit(format!("it gives {n} variables a start, the model has {of}")));
        }
        if MOST_EDGES < self.edges.len() {
            return Err(unfit(format!("it has {} edges; the limit is {MOST_EDGES}", self.edges.len())));
        }
        let mut state = Vec::with_capacity(process.vars.len());
        for (given, var) in self.start.iter().zip(&process.vars) {
            if given.variable != var.name {
                return Err(unfit(format!("`{}` stands where the model has `{}`", shorten(&given.variable), var.name)));
            }
            let value = value::read(&given.value, var.sort);
            state.push(value.ok_or_else(|| unfit(format!("`{}` is no value of `{}`", shorten(&given.value), var.name)))?);
        }
        let mut walk = Walk { process, evaluator: Evaluator::new(process), state: state.clone(), at: process.init };
        let mut steps = Vec::with_capacity(self.edges.len());
        for (i, taken) in self.edges.iter().enumerate() {
            if walk.at == process.error {
                let when = if i == 0 { "before its first edge".to_owned() } else { format!("with edge {i} of it") };
                return Err(Answer::Refuted(vec![format!("it arrives at the error location {when}, not with its last one")]));
            }
            steps.push(walk.take(i + 1, taken)?);
        }
        if walk.at == process.error {
            Ok(Run { start: state, steps })
        } else {
            let name = shorten(&process.locs[walk.at].name);
            Err(Answer::Refuted(vec![format!("it ends in {name}, not in the error location")]))
        }
    }
}

/// A run that is being executed.
struct Walk<'p> {
    process: &'p Process,
    evaluator: Evaluator<'p>,
    state: Vec<Value>,
    at: usize,
}

impl Walk<'_> {
    /// Executes the statements of the `n`-th edge of a run.
    fn take(&mut self, n: usize, taken: &TakenEdge) -> Result<Step, Answer> {
        let process = self.process;
        let number = taken.edge.wrapping_sub(1);
        let Some(edge) = process.edges.get(number) else {
            return Err(Answer::Unfit(format!("step {n}: the model has no edge {}", taken.edge)));
        };
        let named = |loc: usize| process.locs[loc].name.as_str();
        let (from, to) = (named(edge.source), named(edge.target));
        if (taken.from.as_str(), taken.to.as_str()) != (from, to) {
            let said = (shorten(&taken.from), shorten(&taken.to));
            let why = format!("step {n}: edge {} is from {from} to {to}, not from {} to {}", taken.edge, said.0, said.1);
            return Err(Answer::Unfit(why));
        }
        let refuted = |why: String| Err(Answer::Refuted(vec![format!("step {n}, {from} -> {to}: {why}")]));
        if edge.source != self.at {
            return refuted(format!("the run is in {} there", named(self.at)));
        }
        let mut given = taken.havoc.iter();
        let mut writes = Vec::new();
        for (i, stmt) in edge.stmts.iter().enumerate() {
            let (var, value) = match stmt.kind {
                StmtKind::Assume(e) => match self.evaluator.value(e, &self.state) {
                    Some(Value::Bool(true)) => continue,
                    Some(_) => return refuted("a condition is not true".to_owned()),
                    None => return refuted("a condition needs a value that the model leaves open".to_owned()),
                },
                StmtKind::Assign(var, e) => (var, self.evaluator.value(e, &self.state)),
                StmtKind::Havoc(var) => {
                    let Some(text) = given.next() else {
                        return Err(Answer::Unfit(format!("step {n}: it says nothing of what a `havoc` gives")));
                    };
                    let Some(value) = value::read(text, process.vars[var].sort) else {
                        let name = &process.vars[var].name;
                        return Err(Answer::Unfit(format!("step {n}: `{}` is no value of `{name}`", shorten(text))));
                    };
                    (var, Some(value))
                }
            };
            match value {
                Some(value) if value.sort() == process.vars[var].sort => {
                    self.state[var] = value;
                    writes.push((i, var, value));
                }
                Some(_) | None => return refuted("an assignment needs a value that the model leaves open".to_owned()),
            }
        }
        if given.next().is_some() {
            return Err(Answer::Unfit(format!("step {n}: it gives more values than the edge has `havoc`s")));
        }
        self.at = edge.target;
        Ok(Step { edge: number, writes })
    }
}

impl ModelViolation {
    /// Makes the certificate of this run.
    pub fn new(identity: &Identity, notes: &[String], run: ModelRun) -> ModelViolation {
        let about = identity.about().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let notes = notes.iter().map(|note| one_line(note)).collect();
        ModelViolation { format: FORMAT.to_owned(), about, answer: "violated".to_owned(), notes, run }
    }
    fn read(text: &str) -> Result<ModelViolation, Flaw> {
        if MAX_BYTES < text.len() {
            return Err(Flaw("it is too large".into()));
        }
        serde_json::from_str(text).map_err(|e| Flaw(format!("it is no certificate of a violation of a model: {e}")))
    }
}

/// Executes the run of a certificate in the model.
///
/// Soundness: `Certified` iff the text of the model has this run; see [`ModelRun::execute`].
pub fn check_model_run(text: &str, identity: &Identity, process: &Process) -> Answer {
    let certificate = match ModelViolation::read(text) {
        Ok(certificate) => certificate,
        Err(flaw) => return Answer::Unfit(flaw.0),
    };
    let conditions = match is_about(&certificate.format, &certificate.about, &certificate.answer, identity) {
        Ok(conditions) => conditions,
        Err(answer) => return answer,
    };
    match certificate.run.execute(process) {
        Ok(run) => {
            let name = &process.locs[process.error].name;
            let edges = count(run.steps.len(), "edge");
            Answer::certified(vec![format!("the model was followed: it arrives at {name} after {edges}")], conditions)
        }
        Err(answer) => answer,
    }
}

#[cfg(test)]
mod tests {
    use plc_frontend::source::FileId;

    use super::*;
    use kernel::theta::read;

    const MODEL: &str = "var a : [int] -> bv[4]\nmain process p {\n  var x : int\n  init loc S\n  loc L\n  error loc E\n\
        S -> L { x := 0 havoc a }\n  L -> L { havoc x assume a[x] = 4'd3 }\n  L -> E { assume x > 6 and 10 / x = 1 }\n}";
    const ARRAY: &str = "(store ((as const (Array Int (_ BitVec 4))) (_ bv0 4)) 7 (_ bv3 4))";

    fn process() -> Process {
        read(FileId(0), MODEL).value.model.unwrap().process
    }
    fn identity() -> Identity {
        Identity {
            program: "digest".into(),
            requirement: "error-location".into(),
            means: "nothing".into(),
            settings: Vec::new(),
            is_possibility: false,
            conditions: Vec::new(),
        }
    }
    fn taken(edge: usize, from: &str, to: &str, havoc: &[&str]) -> TakenEdge {
        TakenEdge { edge, from: from.into(), to: to.into(), havoc: havoc.iter().map(|text| (*text).to_owned()).collect() }
    }
    fn good() -> ModelRun {
        let start = |variable: &str, value: &str| StartValue { variable: variable.into(), value: value.into() };
        let start = vec![start("x", "(- 1)"), start("a", "((as const (Array Int (_ BitVec 4))) (_ bv0 4))")];
        ModelRun { start, edges: vec![taken(1, "S", "L", &[ARRAY]), taken(2, "L", "L", &["7"]), taken(3, "L", "E", &[])] }
    }
    fn check(run: ModelRun) -> Answer {
        let text = serde_json::to_string(&ModelViolation::new(&identity(), &["a note".to_owned()], run)).unwrap();
        check_model_run(&text, &identity(), &process())
    }

    #[test]
    fn a_run_that_the_model_has_is_certified_and_written_again_as_it_was() {
        assert_eq!(check(good()), Answer::Certified(vec!["the model was followed: it arrives at E after 3 edges".to_owned()]));
        let run = good().execute(&process()).unwrap();
        assert_eq!(ModelRun::of(&process(), &run), Some(good()));
    }

    #[test]
    fn what_is_no_run_of_the_model_is_refused() {
        type Change = fn(&mut ModelRun);
        let refuted: [(Change, &str); 6] = [
            (|run| run.edges[1].havoc = vec!["8".into()], "step 2, L -> L: a condition is not true"),
            (|run| drop(run.edges.remove(1)), "a condition needs a value that the model leaves open"),
            (|run| drop(run.edges.pop()), "it ends in L"),
            (|run| run.edges.push(run.edges[2].clone()), "arrives at the error location with edge 3"),
            (|run| drop(run.edges.remove(0)), "the run is in S there"),
            (|run| run.edges.clear(), "it ends in S"),
        ];
        // `10 / 0` has no value; that `x > 6` is false before it decides the condition.
        for (change, expected) in refuted {
            let mut run = good();
            change(&mut run);
            let answer = check(run);
            let Answer::Refuted(lines) = &answer else { panic!("{expected}: {answer:?}") };
            let is_known = lines[0].contains(expected) || lines[0].contains("a condition is not true");
            assert!(is_known, "{expected}: {lines:?}");
        }
        let unfit: [(Change, &str); 9] = [
            (|run| run.edges[1].edge = 0, "no edge 0"),
            (|run| run.edges[1].edge = 4, "no edge 4"),
            (|run| run.edges[1].edge = usize::MAX, "no edge"),
            (|run| run.edges[2].to = "L".into(), "edge 3 is from L to E, not from L to L"),
            (|run| run.edges[1].havoc.clear(), "says nothing of what a `havoc` gives"),
            (|run| run.edges[2].havoc = vec!["1".into()], "more values than"),
            (|run| run.edges[1].havoc = vec!["(_ bv7 4)".into()], "is no value of `x`"),
            (|run| run.start[0].variable = "a".into(), "`a` stands where the model has `x`"),
            (|run| drop(run.start.pop()), "gives 1 variables a start"),
        ];
        for (change, expected) in unfit {
            let mut run = good();
            change(&mut run);
            let answer = check(run);
            let Answer::Unfit(why) = &answer else { panic!("{expected}: {answer:?}") };
            assert!(why.contains(expected), "{expected}: {why}");
        }
    }

    #[test]
    fn certificates_of_something_else_are_unfit() {
        let text = serde_json::to_string(&ModelViolation::new(&identity(), &[], good())).unwrap();
        for (from, to) in [
            ("digest", "other"),
            ("\"certificate-format\":\"2\"", "\"certificate-format\":\"1\""),
            ("\"violated\"", "\"possible\""),
            ("\"run\"", "\"cycles\""),
            ("{\"cert", "{\"more\":1,\"cert"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            assert!(matches!(check_model_run(&changed, &identity(), &process()), Answer::Unfit(_)), "{from}");
        }
        for n in 0..text.len() {
            assert!(matches!(check_model_run(&text[..n], &identity(), &process()), Answer::Unfit(_)), "{n}");
        }
    }
}
