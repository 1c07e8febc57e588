//! Functions that call themselves.
//!
//! Each call has variables of its own, so a caller cannot write the inputs of the callee into its variables: they may be those of
//! the caller. Inputs, outputs and the result are passed by variables that belong to no call. The body copies its inputs from
//! there first, and its outputs and its result to there last.
//!
//! Such a variable is zero while nothing is passed by it: outputs and result where the body begins, inputs where it ends. Without
//! that, the result of a call would be state that the next call begins with. A summary may then speak of it, and the question about
//! the last of N calls has all calls in it.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{self, PouId, Project, Section, walk};

use super::Builder;
use crate::cfa::model::ModelError;
use crate::cfa::network::{ProcId, Procedure};
use crate::expr::{ExprPool, Value, VarId};

/// Returns the POUs among these that call themselves, also by way of others.
///
/// Cost: one walk over each body, and one over the calls of each POU in or between circles.
pub(super) fn recursive(project: &Project, pous: &[PouId]) -> BTreeSet<PouId> {
    let mut calls: BTreeMap<PouId, BTreeSet<PouId>> = BTreeMap::new();
    for pou in pous {
        let called = calls.entry(*pou).or_default();
        walk::calls(&project.pous[*pou].body, |callee| {
            called.insert(callee);
        });
    }
    // What calls nothing that is left is in no circle.
    loop {
        let ends: Vec<PouId> =
            calls.iter().filter(|(_, to)| to.iter().all(|to| !calls.contains_key(to))).map(|(pou, _)| *pou).collect();
        if ends.is_empty() {
            break;
        }
        ends.iter().for_each(|pou| drop(calls.remove(pou)));
    }
    let reaches_itself = |pou: &PouId| {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<PouId> = calls[pou].iter().copied().collect();
        while let Some(next) = waiting.pop() {
            if calls.contains_key(&next) && seen.insert(next) {
                waiting.extend(&calls[&next]);
            }
        }
        seen.contains(pou)
    };
    calls.keys().copied().filter(reaches_itself).collect()
}

/// Gives a procedure the variables that pass its inputs, outputs and result.
pub(super) fn pass_by_variables(project: &Project, pool: &mut ExprPool, procedure: &mut Procedure) -> Result<(), ModelError> {
    let pou = &project.pous[procedure.pou];
    if !project.views_of(procedure.pou).is_empty() {
        let what = format!("variables of `{}` that share memory, since it calls itself", pou.name);
        return Err(ModelError::unsupported(what, pou.span));
    }
    for (id, _) in pou.vars.iter_enumerated().filter(|(_, var)| is_passed(var.section)) {
        let own = procedure.vars[id].clone();
        let passed = own.into_iter().map(|var| {
            let decl = pool.var_decl(var).clone();
            pool.new_var(format!("{} passed", decl.name), decl.sort)
        });
        procedure.passed.insert(id, passed.collect());
    }
    procedure.is_recursive = true;
    Ok(())
}

fn is_passed(section: Section) -> bool {
    match section {
        Section::Input | Section::Output | Section::Result => true,
        Section::InOut | Section::Local | Section::Temp | Section::Global => false,
    }
}

impl Builder<'_, '_> {
    /// Adds the copies of the inputs, at the beginning of the body.
    pub(super) fn take_inputs(&mut self, pou: &hir::Pou) {
        self.copy(pou, |section| section == Section::Input, |own, passed| (own, passed));
    }
    /// Adds the copies of outputs and result behind the body; the exit moves behind them.
    pub(super) fn give_results(&mut self, pou: &hir::Pou) {
        self.copy(pou, |section| section != Section::Input, |own, passed| (passed, own));
        if let Some(proc) = self.own {
            self.clear(proc, pou, |section| section == Section::Input);
        }
        self.graph.exit = self.here;
    }
    /// Gives the variables that pass outputs and result no value of an earlier call, before a call.
    pub(super) fn clear_results(&mut self, proc: ProcId, pou: &hir::Pou) {
        self.clear(proc, pou, |section| section != Section::Input);
    }
    fn copy(&mut self, pou: &hir::Pou, is_meant: impl Fn(Section) -> bool, order: impl Fn(VarId, VarId) -> (VarId, VarId)) {
        let Some(proc) = self.own else { return };
        for (own, passed) in self.passed(proc, pou, is_meant) {
            let (to, from) = order(own, passed);
            let value = self.pool.var(from);
            self.assign(to, value);
        }
    }
    fn clear(&mut self, proc: ProcId, pou: &hir::Pou, is_meant: impl Fn(Section) -> bool) {
        for (_, passed) in self.passed(proc, pou, is_meant) {
            let zero = Value::zero(self.pool.var_decl(passed).sort);
            let zero = self.pool.constant(zero);
            self.assign(passed, zero);
        }
    }
    /// Returns the variables of a procedure, each with the one that passes its value; none where no call is recursive.
    fn passed(&self, proc: ProcId, pou: &hir::Pou, is_meant: impl Fn(Section) -> bool) -> Vec<(VarId, VarId)> {
        let header = &self.cx.headers[proc];
        let rows = header.passed.iter().filter(|(id, _)| is_meant(pou.vars[**id].section));
        rows.flat_map(|(id, passed)| header.vars[*id].iter().copied().zip(passed.iter().copied())).collect()
    }
}
