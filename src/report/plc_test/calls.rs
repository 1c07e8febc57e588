//! Calls of the program in a test: those of the task, and the connections of a configuration in the cycles in which they run.

use plc_frontend::hir::{Expr, ExprKind, Root, Stmt, StmtKind, walk};
use plc_frontend::interp::{Machine, Recorder};
use plc_frontend::source::Span;

use super::Recorded;
use super::paths::Paths;

/// Statement of the test that runs a part of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The statement.
    pub(super) text: String,
    /// Cycles in which it runs, from 1; `None`: every cycle.
    pub(super) cycles: Option<Vec<usize>>,
}

/// Returns the calls of the program. The error says why a test cannot make them.
pub(super) fn calls(run: &Recorded<'_>, paths: &Paths) -> Result<Vec<Call>, String> {
    let project = run.project;
    let mut all = Vec::new();
    for id in &project.task.runs {
        let pou = &project.pous[project.instances[*id].pou];
        if pou.origin.is_ours() {
            all.extend(scheduled(run, paths, &pou.body)?);
            continue;
        }
        let text = paths.call(id.0 as usize).ok_or_else(|| format!("{} cannot be called", pou.name))?;
        all.push(Call { text, cycles: None });
    }
    Ok(all)
}

/// Returns the calls and connections that the tasks of a configuration make.
fn scheduled(run: &Recorded<'_>, paths: &Paths, body: &[Stmt]) -> Result<Vec<Call>, String> {
    let mut wanted: Vec<(Span, String)> = Vec::new();
    let mut failure = None;
    walk::stmts(body, |stmt| {
        if let StmtKind::CallInstance { instance, .. } = &stmt.kind {
            match instance.root {
                Root::Instance(id) => wanted.extend(paths.call(id.0 as usize).map(|text| (stmt.span, text))),
                Root::Global(_) | Root::Var(_) | Root::This(_) => failure = Some("its tasks call a part of a program"),
            }
        } else if let StmtKind::Assign { target, value } = &stmt.kind
            && !matches!(target.root, Root::Var(_))
        {
            let target = Expr { kind: ExprKind::Read(target.clone()), ty: target.ty, span: target.span };
            wanted.push((stmt.span, format!("{} := {};", paths.condition(&target), paths.condition(value))));
        }
    });
    if let Some(why) = failure {
        return Err(why.to_owned());
    }
    let mut machine = Machine::new(run.project, run.limits);
    let mut ran: Vec<Vec<usize>> = vec![Vec::new(); wanted.len()];
    let (mut n_complete, n) = (0, run.cycles.len());
    for (at, cycle) in run.cycles.iter().enumerate() {
        machine.begin(&cycle.inputs, cycle.dt_ns).map_err(|e| e.to_string())?;
        let mut executed = Executed(Vec::new());
        let is_complete = machine.run(&mut executed).is_ok();
        n_complete += usize::from(is_complete);
        for (row, (span, _)) in ran.iter_mut().zip(&wanted) {
            row.extend(executed.0.contains(span).then_some(at + 1));
        }
        if !is_complete {
            break;
        }
    }
    // A fault ends the last cycle early: a program without the fault goes on there.
    let is_always = |cycles: &[usize]| cycles.len() == n || (n_complete < n && (1..n).all(|cycle| cycles.contains(&cycle)));
    let call = |((_, text), cycles): ((Span, String), Vec<usize>)| {
        let cycles = (!is_always(&cycles)).then_some(cycles);
        Call { text, cycles }
    };
    Ok(wanted
        .into_iter()
        .zip(ran)
        .map(call)
        .filter(|call| call.cycles.as_ref().is_none_or(|cycles| !cycles.is_empty()))
        .collect())
}

/// Statements that ran.
struct Executed(Vec<Span>);

impl Recorder for Executed {
    fn executed(&mut self, stmt: Span) {
        self.0.push(stmt);
    }
}
