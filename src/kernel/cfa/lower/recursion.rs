//! Functions that call themselves.
//!
//! Each call has variables of its own, so a caller cannot write the inputs of the callee into its variables: they may be those of
//! the caller. Inputs, outputs and the result are passed by variables that belong to no call. The body copies its inputs from
//! there first, and its outputs and its result to there last.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{self, PouId, Project, Section, walk};

use super::Builder;
use crate::cfa::model::ModelError;
use crate::cfa::network::Procedure;
use crate::expr::{ExprPool, VarId};

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
        self.graph.exit = self.here;
    }
    fn copy(&mut self, pou: &hir::Pou, is_meant: impl Fn(Section) -> bool, order: impl Fn(VarId, VarId) -> (VarId, VarId)) {
        let Some(proc) = self.own else { return };
        let header = &self.cx.headers[proc];
        let rows = header.passed.iter().filter(|(id, _)| is_meant(pou.vars[**id].section));
        let pairs: Vec<(VarId, VarId)> = rows
            .flat_map(|(id, passed)| header.vars[*id].iter().copied().zip(passed.iter().copied()))
            .map(|(own, passed)| order(own, passed))
            .collect();
        for (to, from) in pairs {
            let value = self.pool.var(from);
            self.assign(to, value);
        }
    }
}
