//! What of a program never does anything: statements that no run executes, outputs that have one value only.
//!
//! Simulated runs answer for most of it. What they leave open becomes one requirement for each, "it can be executed", "it
//! can change": a run shows it, or a proof refutes it.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{PouId, Stmt, StmtKind, Value};
use plc_frontend::ids::Id;
use plc_frontend::ledger::GapId;
use plc_frontend::source::{Origin, Span};

use super::claim::Claim;
use super::formula::Formula;
use super::requirements::Checked;
use super::tried::{Output, Tried};
use crate::cfa::lower::{Seen, visit};

/// Requirements that one check may make of a program; more would be answered by nobody.
const MOST_QUESTIONS: usize = 300;

/// Statements of one list that stand behind each other: whoever comes to the first comes to the others.
struct Block {
    first: Span,
    last: Span,
}

/// Requirements that every statement can be executed, as `check` makes them; the error says why it cannot be made.
pub(super) fn statements(loaded: &Loaded, tried: &Tried, check: &'static str) -> Result<Vec<Checked>, String> {
    let mut walk = Walk { loaded, tried, executed: BTreeSet::new(), idle: Vec::new() };
    for pou in reached(loaded) {
        walk.list(&loaded.project.pous[pou].body);
    }
    let Walk { executed, mut idle, .. } = walk;
    let n_executed = executed.len();
    idle.sort_by_key(|block| (block.first, block.last));
    // What is resolved several times, for several types or heirs, is one statement to people.
    idle.dedup_by_key(|block| block.first);
    let checked = |id: String, text: String, meaning: String, place: Span| Checked {
        id,
        text,
        meaning,
        pattern: check,
        claim: Claim::Executed(vec![place]),
        place: Some(place),
    };
    if left_out(loaded).is_some() && idle.is_empty() {
        return Ok(Vec::new());
    }
    if let (true, Some(last)) = (idle.is_empty(), tried.last) {
        let text = format!("Every statement can be executed: simulated runs came to all {n_executed} of them.");
        let meaning = format!("The last one that they came to is at {}; a run shows it.", place(loaded, last));
        return Ok(vec![checked(format!("check-{check}"), text, meaning, last)]);
    }
    few(idle.len())?;
    let n_others = format!("Simulated runs came to {n_executed} other statements.");
    let question = |(i, block): (usize, &Block)| {
        let text = match place(loaded, block.first) == place(loaded, block.last) {
            true => format!("Some run executes {}: `{}`", place(loaded, block.first), excerpt(loaded, block.first)),
            false => {
                let (first, last) = (place(loaded, block.first), loaded.sources.line_col(block.last).line);
                format!("Some run executes {first} to {last}: `{}` …", excerpt(loaded, block.first))
            }
        };
        let meaning = format!("Some run comes to this statement. {n_others}");
        checked(format!("check-{check}-{}", i + 1), text, meaning, block.first)
    };
    Ok(idle.iter().enumerate().map(question).collect())
}

/// Returns why a check of all statements leaves some out: one of them is not modelled.
pub(super) fn left_out(loaded: &Loaded) -> Option<String> {
    let mut lists: Vec<&[Stmt]> = reached(loaded).into_iter().map(|pou| loaded.project.pous[pou].body.as_slice()).collect();
    let mut first: Option<(Span, GapId)> = None;
    while let Some(stmts) = lists.pop() {
        for stmt in stmts {
            lists.extend(bodies(stmt));
            if let StmtKind::Gap(gap) = stmt.kind
                && first.is_none_or(|(span, _)| stmt.span < span)
            {
                first = Some((stmt.span, gap));
            }
        }
    }
    let gap = loaded.ledger.gaps.get(first?.1.0 as usize)?;
    let (place, construct) = (place(loaded, gap.span), &gap.construct);
    Some(format!("{place}: {construct} is not modelled; it and the statements behind it are left out"))
}

fn few(n_questions: usize) -> Result<(), String> {
    match n_questions <= MOST_QUESTIONS {
        true => Ok(()),
        false => Err(format!("it would ask {n_questions} questions, at most {MOST_QUESTIONS} are asked")),
    }
}

/// Requirements that every output can change, as `check` makes them; the error says why it cannot be made.
pub(super) fn outputs(loaded: &mut Loaded, tried: &Tried, check: &'static str) -> Result<Vec<Checked>, String> {
    let mut checked = Vec::new();
    let idle: Vec<&Output> = tried.outputs.iter().filter(|output| !output.changed).collect();
    few(idle.len())?;
    if let (true, Some(output)) = (idle.is_empty(), tried.outputs.last()) {
        let n = tried.outputs.len();
        checked.push(Checked {
            id: format!("check-{check}"),
            text: format!("Every output can change: in simulated runs each of the {n} had different values."),
            meaning: format!("For `{}` a run shows it.", output.name),
            pattern: check,
            claim: Claim::Reachable(another_value(loaded, output)?),
            place: output.leaves.first().map(|leaf| leaf.span),
        });
    }
    for (i, output) in idle.iter().enumerate() {
        let name = &output.name;
        let value = only_value(loaded, output);
        checked.push(Checked {
            id: format!("check-{check}-{}", i + 1),
            text: format!("Output `{name}` can change."),
            meaning: format!("At the end of some cycle `{name}` is not {value}, the value that it had in all simulated runs."),
            pattern: check,
            claim: Claim::Reachable(another_value(loaded, output)?),
            place: output.leaves.first().map(|leaf| leaf.span),
        });
    }
    Ok(checked)
}

fn only_value(loaded: &Loaded, output: &Output) -> String {
    output.only_to_st(&loaded.project).unwrap_or_default()
}

/// The output has not the value that it had first.
fn another_value(loaded: &mut Loaded, output: &Output) -> Result<Formula, String> {
    let name = output.name.clone();
    let is_nan = match output.only().as_slice() {
        [Value::Real(bits)] => f32::from_bits(*bits).is_nan(),
        [Value::LReal(bits)] => f64::from_bits(*bits).is_nan(),
        _ => false,
    };
    let text = match is_nan {
        true => format!("{name} = {name}"),
        false => format!("{name} <> {}", only_value(loaded, output)),
    };
    let parsed = plc_frontend::condition(loaded, &format!("`{name}` changes"), &text);
    parsed.value.map(Formula::Now).ok_or_else(|| format!("`{name}` cannot be asked about"))
}

/// The POUs that the task runs, with all that they call.
fn reached(loaded: &Loaded) -> Vec<PouId> {
    let project = &loaded.project;
    let mut seen = vec![false; project.pous.len()];
    let mut todo: Vec<PouId> = project.task.runs.iter().map(|run| project.instances[*run].pou).collect();
    let mut reached = Vec::new();
    while let Some(pou) = todo.pop() {
        if !std::mem::replace(&mut seen[pou.index()], true) {
            reached.push(pou);
            visit(&project.pous[pou].body, &mut |seen| match seen {
                Seen::Call(callee) => todo.push(callee),
                Seen::Assigned { .. } | Seen::Referenced(_) | Seen::Input(..) | Seen::Jump(_) => {}
            });
        }
    }
    reached
}

struct Walk<'a> {
    loaded: &'a Loaded,
    tried: &'a Tried,
    executed: BTreeSet<Span>,
    idle: Vec<Block>,
}

impl Walk<'_> {
    fn list(&mut self, stmts: &[Stmt]) {
        let mut lists = vec![stmts];
        while let Some(stmts) = lists.pop() {
            let mut open: Option<Block> = None;
            for stmt in stmts {
                if !self.is_written(stmt) {
                    self.idle.extend(open.take());
                } else if self.tried.executed.contains(&stmt.span) {
                    self.executed.insert(stmt.span);
                    self.idle.extend(open.take());
                } else {
                    let first = open.take().map_or(stmt.span, |block| block.first);
                    open = Some(Block { first, last: stmt.span });
                }
                let inner = bodies(stmt);
                // Whether control comes behind what may leave the list is a question of its own.
                if !inner.is_empty() || leaves(stmt) {
                    self.idle.extend(open.take());
                }
                lists.extend(inner);
            }
            self.idle.extend(open);
        }
    }
    /// Whether the user wrote this statement, as one that does something and is modelled.
    fn is_written(&self, stmt: &Stmt) -> bool {
        let is_users = self.loaded.sources.files.get(stmt.span.file).is_some_and(|file| file.origin == Origin::User);
        is_users && !matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Assert { .. } | StmtKind::Gap(_))
    }
}

fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Goto(_) | StmtKind::Gap(_))
}

/// The lists of statements in a statement.
pub fn bodies(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If { branches, otherwise } => {
            branches.iter().map(|(_, body)| body.as_slice()).chain([otherwise.as_slice()]).collect()
        }
        StmtKind::Case { arms, otherwise, .. } => {
            arms.iter().map(|arm| arm.body.as_slice()).chain([otherwise.as_slice()]).collect()
        }
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => vec![body],
        StmtKind::Assign { .. }
        | StmtKind::Exit
        | StmtKind::Continue
        | StmtKind::Return
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::CallInstance { .. }
        | StmtKind::Eval(_)
        | StmtKind::Assert { .. }
        | StmtKind::Gap(_) => Vec::new(),
    }
}

/// `line 12`, or `main.st:12` of several files.
fn place(loaded: &Loaded, span: Span) -> String {
    let line = loaded.sources.line_col(span).line;
    let n_files = loaded.sources.files.iter().filter(|file| file.origin == Origin::User).count();
    match loaded.sources.files.get(span.file) {
        Some(file) if 1 < n_files => format!("{}:{line}", file.name),
        Some(_) | None => format!("line {line}"),
    }
}

/// The beginning of a statement.
fn excerpt(loaded: &Loaded, span: Span) -> String {
    let line = loaded.sources.text(span).lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line.to_owned(),
    }
}
