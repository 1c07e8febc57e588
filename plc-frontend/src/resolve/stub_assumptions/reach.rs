//! Reach of an assumption about a stub: blocks that extend the stub, and runs that other variables would end.

use super::{Assumed, Loaded};
use crate::ast;
use crate::hir::{Elem, Expr, ExprKind, Extent, Place, PouId, Root, Section, walk};
use crate::resolve::condition::resolved;
use crate::resolve::names::tables::Member;
use crate::text::{Gap, Treatment};

impl Loaded {
    /// Adds an assumption about a block to the members that its heirs inherit, as far as these hide none of its variables.
    pub(super) fn assume_in_heirs(&mut self, block: PouId, written: &ast::Expr) {
        let is_inherited = |pou: &PouId| self.names.members.get(pou).is_some_and(|it| it.definer == block && it.block != block);
        let inherited: Vec<PouId> = self.project.stubs.keys().copied().filter(is_inherited).collect();
        for pou in inherited {
            let Some(condition) = resolved(self, Some(pou), written, Vec::new()).value else { continue };
            let mut is_hidden = false;
            walk::exprs_of(&condition, |e| {
                is_hidden |= matches!(&e.kind, ExprKind::Read(Place { root: Root::Var(var), .. }) if *var != Member::THIS);
            });
            if !is_hidden {
                self.push_assumed(pou, Assumed { instance: None, condition });
            }
        }
    }

    /// Notes that an assumption which names other variables than those that the call gives may end runs by their values.
    pub(super) fn note_other_variables(&mut self, owner: PouId, condition: &Expr, instance: Option<&Place>) {
        let project = &self.project;
        let is_given = |place: &Place| match (place.root, instance) {
            (Root::Var(var), None) => project.pous[owner].vars[var].section != Section::Input,
            (_, Some(own)) if place.root == own.root && place.path.starts_with(&own.path) => match place.path.get(own.path.len())
            {
                Some(Elem::Member(var)) => project.pous[owner].vars[*var].section != Section::Input,
                _ => true,
            },
            (Root::Global(global), _) => project.globals[global].constant,
            (Root::Var(_) | Root::This(_) | Root::Instance(_), _) => false,
        };
        let mut others = false;
        walk::exprs_of(condition, |e| others |= matches!(&e.kind, ExprKind::Read(place) if !is_given(place)));
        if !others {
            return;
        }
        let text = self.sources.text(condition.span).trim().to_owned();
        let construct = format!("whatever else it names, `{text}` leaves each call of `{}` a value", project.pous[owner].name);
        let effect = "where it leaves none, the run does not count, and nothing behind the call is verified".to_owned();
        self.ledger.gap(Gap { span: condition.span, construct, treatment: Treatment::Assumed, effect });
        self.project.beside.insert(condition.span, Extent::All);
    }
}
