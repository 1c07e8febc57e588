//! The monitor of outputs that two statements write in one cycle.
//!
//! Each output remembers which statement gave it a computed value last in this cycle, and which value. Another one that gives it
//! a different one overwrites what the first has decided: two coils of one output, of which the second wins. What a constant
//! has put over it in between decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Project, Role, Type};
use plc_frontend::source::Span;

use super::instrument::Monitor;
use crate::cfa::model::CoilLoc;
use crate::cfa::{LocId, LocKind, Op};
use crate::expr::{ExprId, Sort, Value, VarId};

impl Monitor<'_, '_> {
    /// The error is reached where a statement overwrites what another one has computed in this cycle.
    pub(super) fn no_double_write(&mut self, project: &Project) {
        let is_bool = |ty| project.types[ty].ty == Type::Bool;
        let outputs = self.model.leaves.iter().filter(|(leaf, _)| leaf.role == Role::Output && is_bool(leaf.ty));
        let outputs: BTreeSet<VarId> = outputs.map(|(_, var)| *var).collect();
        let mut written: BTreeMap<VarId, Vec<&CoilLoc>> = BTreeMap::new();
        for coil in self.model.coils.iter().filter(|coil| outputs.contains(&coil.var)) {
            written.entry(coil.var).or_default().push(coil);
        }
        let mut guards: BTreeMap<LocId, (ExprId, [(VarId, ExprId); 2])> = BTreeMap::new();
        for (output, coils) in written {
            let mut writers: Vec<Span> = coils.iter().map(|coil| coil.span).collect();
            writers.sort();
            writers.dedup();
            if writers.len() < 2 {
                continue;
            }
            let width = (usize::BITS - writers.len().leading_zeros()) as u16;
            let name = format!("#writer of {}", self.pool.var_decl(output).name);
            let writer = self.pool.new_var(name, Sort::BitVec(width));
            let nobody = Value::bv(width, 0);
            self.initial.push((writer, nobody));
            let computed = self.memory(&format!("#computed for {}", self.pool.var_decl(output).name));
            let nobody = self.pool.constant(nobody);
            self.begin = self.flat.step(self.begin, Op::Assign(writer, nobody));
            for coil in coils {
                let number = writers.binary_search(&coil.span).map_or(0, |at| at as u128 + 1);
                let own = self.pool.constant(Value::bv(width, number));
                let (before, last) = (self.pool.var(writer), self.pool.var(computed));
                let (written, other) = (self.pool.ne(before, nobody), self.pool.ne(before, own));
                let (by_other, differs) = (self.pool.and(written, other), self.pool.ne(last, coil.value));
                let bad = self.pool.and(by_other, differs);
                self.flat.edge(coil.loc, self.model.cfa.error, Op::Assume(bad), Some(coil.span));
                guards.insert(coil.loc, (self.pool.not(bad), [(writer, own), (computed, coil.value)]));
            }
        }
        let error = self.model.cfa.error;
        for at in 0..self.flat.edges.len() {
            let source = self.flat.edges[at].source;
            if let Some((fine, [(writer, own), (computed, value)])) = guards.get(&source).copied()
                && self.flat.edges[at].target != error
            {
                let (noted, kept) = (self.flat.loc(LocKind::Inner), self.flat.loc(LocKind::Inner));
                let target = std::mem::replace(&mut self.flat.edges[at].target, noted);
                self.flat.edges[at].op = Op::Assume(fine);
                self.flat.edge(noted, kept, Op::Assign(writer, own), None);
                self.flat.edge(kept, target, Op::Assign(computed, value), None);
            }
        }
    }
}
