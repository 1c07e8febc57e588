//! The check `dead_code`: statements that no run executes.
//!
//! Simulated runs execute most statements. Each block that they do not execute is a requirement of its own, "it can be executed":
//! a run shows it, or a proof refutes it.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{PouId, Stmt, StmtKind, walk};
use plc_frontend::ids::Id;
use plc_frontend::ledger::GapId;
use plc_frontend::source::{Origin, Span, is_export};

use super::simulated::Simulated;
use super::{Asked, Check, CheckKind, too_many};
use crate::property::claim::Claim;
use crate::property::requirements::ResolvedRequirement;

pub(super) const ROW: Check = Check {
    name: "dead_code",
    kind: CheckKind::DeadCode,
    text: "Every statement can be executed.",
    condition: None,
    mistake: None,
    meaning: "Of every statement of the POUs that run, some run comes to it. Simulated runs strike off most; each block that they \
              do not come to is a requirement of its own: a run shows that it is executed, or it is proved that it never is.",
    requirements,
};

/// Consecutive statements of one list: a run that executes the first executes the others.
struct Block {
    first: Span,
    last: Span,
}

/// Returns the requirements that every statement can be executed; the error is the reason why there are none.
fn requirements(check: &Check, asked: &mut Asked<'_>) -> Result<Vec<ResolvedRequirement>, String> {
    let (loaded, simulated) = asked.simulated();
    let loaded = &*loaded;
    let mut search = Search { loaded, simulated, executed: BTreeSet::new(), idle: Vec::new() };
    // The statements of a stub stand for code that is not in the project.
    for pou in reached(loaded).into_iter().filter(|pou| !loaded.project.stubs.contains_key(pou)) {
        search.list(&loaded.project.pous[pou].body);
    }
    let Search { executed, mut idle, .. } = search;
    let n_executed = executed.len();
    idle.sort_by_key(|block| (block.first, block.last));
    // A statement that is resolved several times, for several types or heirs, is one statement for the user.
    idle.dedup_by_key(|block| block.first);
    let checked = |id: String, text: String, meaning: String, place: Span| ResolvedRequirement {
        id,
        text,
        meaning,
        pattern: check.name,
        claim: Claim::Executed(vec![place]),
        place: Some(place),
    };
    if unmodelled(loaded).is_some() && idle.is_empty() {
        return Ok(Vec::new());
    }
    if let (true, Some(last)) = (idle.is_empty(), simulated.last) {
        let text = format!("Every statement can be executed: simulated runs came to all {n_executed} of them.");
        let meaning = format!("The last one that they came to is at {}; a run shows it.", place(loaded, last));
        return Ok(vec![checked(check.id(), text, meaning, last)]);
    }
    too_many(idle.len())?;
    let n_others = format!("Simulated runs came to {n_executed} other statements.");
    let question = |(i, block): (usize, &Block)| {
        let text = if place(loaded, block.first) == place(loaded, block.last) {
            format!("Some run executes {}: `{}`", place(loaded, block.first), excerpt(loaded, block.first))
        } else {
            let places = between(&place(loaded, block.first), &loaded.sources.line_words(block.last));
            format!("Some run executes {places}: `{}` …", excerpt(loaded, block.first))
        };
        let meaning = format!("Some run comes to this statement. {n_others}");
        checked(format!("{}-{}", check.id(), i + 1), text, meaning, block.first)
    };
    Ok(idle.iter().enumerate().map(question).collect())
}

/// Returns the reason why the check leaves statements out: one of them is not modelled.
pub(super) fn unmodelled(loaded: &Loaded) -> Option<String> {
    let mut first: Option<(Span, GapId)> = None;
    for pou in reached(loaded) {
        walk::stmts(&loaded.project.pous[pou].body, |stmt| {
            if let StmtKind::Gap(gap) = stmt.kind
                && first.is_none_or(|(span, _)| stmt.span < span)
            {
                first = Some((stmt.span, gap));
            }
        });
    }
    let gap = loaded.ledger.gaps.get(first?.1.0 as usize)?;
    let (place, construct) = (place(loaded, gap.span), &gap.construct);
    Some(format!("{place}: {construct} is not modelled; it and the statements behind it are left out"))
}

/// Returns the POUs that the task runs, with all that they call.
fn reached(loaded: &Loaded) -> Vec<PouId> {
    let project = &loaded.project;
    let mut seen = vec![false; project.pous.len()];
    let mut todo: Vec<PouId> = project.task.runs.iter().map(|run| project.instances[*run].pou).collect();
    let mut reached = Vec::new();
    while let Some(pou) = todo.pop() {
        if !std::mem::replace(&mut seen[pou.index()], true) {
            reached.push(pou);
            walk::calls(&project.pous[pou].body, |callee| todo.push(callee));
        }
    }
    reached
}

struct Search<'a> {
    loaded: &'a Loaded,
    simulated: &'a Simulated,
    executed: BTreeSet<Span>,
    idle: Vec<Block>,
}

impl Search<'_> {
    fn list(&mut self, stmts: &[Stmt]) {
        let mut lists = vec![stmts];
        while let Some(stmts) = lists.pop() {
            let mut open: Option<Block> = None;
            for stmt in stmts {
                if !self.is_written(stmt) {
                    self.idle.extend(open.take());
                } else if self.simulated.executed.contains(&stmt.span) {
                    self.executed.insert(stmt.span);
                    self.idle.extend(open.take());
                } else {
                    let first = open.take().map_or(stmt.span, |block| block.first);
                    open = Some(Block { first, last: stmt.span });
                }
                let inner = stmt.bodies();
                // Control may leave the list here, so the following statements are a block of their own.
                if !inner.is_empty() || leaves(stmt) {
                    self.idle.extend(open.take());
                }
                lists.extend(inner);
            }
            self.idle.extend(open);
        }
    }
    /// Returns whether the user wrote this statement, and it has an effect and is modelled.
    fn is_written(&self, stmt: &Stmt) -> bool {
        let is_users = self.loaded.sources.files.get(stmt.span.file).is_some_and(|file| file.origin == Origin::User);
        // The condition of an instruction in a rung has no text.
        is_users
            && stmt.span.start < stmt.span.end
            && !matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Assert { .. } | StmtKind::Gap(_))
    }
}

fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Goto(_) | StmtKind::Gap(_))
}

/// Returns `line 12`, or `main.st:12` of several files, or `rung 3 of P.Main`.
fn place(loaded: &Loaded, span: Span) -> String {
    let words = loaded.sources.line_words(span);
    let n_files = loaded.sources.files.iter().filter(|file| file.origin == Origin::User).count();
    match (loaded.sources.files.get(span.file), words.strip_prefix("line ")) {
        (Some(file), Some(line)) if 1 < n_files && !is_export(&file.name) => format!("{}:{line}", file.name),
        _ => words,
    }
}

/// Returns `line 12 to 14`, or `rung 3 to 5 of P.Main` within one routine.
fn between(first: &str, last: &str) -> String {
    let number = |words: &str| words.rsplit(' ').next().unwrap_or(words).to_owned();
    match (first.split_once(" of "), last.split_once(" of ")) {
        (Some((from, home)), Some((to, other))) if home == other => format!("{from} to {} of {home}", number(to)),
        (Some(_), _) | (_, Some(_)) => format!("{first} to {last}"),
        (None, None) => format!("{first} to {}", number(last)),
    }
}

/// Returns the beginning of a statement.
fn excerpt(loaded: &Loaded, span: Span) -> String {
    let line = loaded.sources.text(span).lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line.to_owned(),
    }
}
