//! Writes of BOOL outputs that the monitor of `double_write` does not observe. If there are any, a lack of violations proves
//! nothing.
//!
//! The monitor knows the outputs in statements and distinguishes statements by their places. The analysis over-approximates: a
//! place may be an output, a statement may be executed more than once.

use std::collections::BTreeMap;

use plc_frontend::hir::{Elem, ExprKind, Leaf, Place, PouId, Project, Role, Root, Section, VarId};
use plc_frontend::ids::Id;
use plc_frontend::source::{SourceSet, Span};

use super::body::{Body, Call, executions};
use super::named::Named;
use super::outputs::Outputs;

/// Write of an output that the monitor does not observe.
pub(in crate::property::check) struct UnobservedWrite {
    /// Written variable.
    name: String,
    /// Way of writing: "through an index".
    how: &'static str,
    /// Its place.
    span: Span,
}

impl UnobservedWrite {
    /// Returns the reason why the check proves nothing, as a sentence.
    pub(in crate::property::check) fn sentence(&self, sources: &SourceSet) -> String {
        let line = sources.line_col(self.span).line;
        format!("`{}` is written {} (line {line}), which this check does not look at", self.name, self.how)
    }
}

/// Returns the first write of a BOOL output that the monitor does not observe.
pub(in crate::property::check) fn unobserved_write(project: &Project) -> Option<UnobservedWrite> {
    let leaves = project.leaves();
    let bodies: Vec<Body<'_>> = project.pous.iter_enumerated().map(|(id, pou)| Body::new(id, &pou.body)).collect();
    let mut named = Named::new(project);
    for body in &bodies {
        body.places.iter().for_each(|place| named.add(body.pou, place));
    }
    // A view without statements of its own is not written itself; the leaves of its memory are observed by their own names.
    let shared = leaves.iter().find(|leaf| shares_an_output(project, leaf, &leaves) && named.may_be(project, leaf));
    if let Some(leaf) = shared {
        return Some(UnobservedWrite { name: leaf.name.clone(), how: "through memory that variables share", span: leaf.span });
    }
    let writes = writes(project, &bodies);
    // A copied statement has the place of its original: for the monitor they are one statement.
    let mut executed: BTreeMap<Span, u8> = BTreeMap::new();
    for write in &writes {
        let times = executed.entry(write.span).or_default();
        *times = times.saturating_add(write.times);
    }
    let twice = |write: &&Write| executed.get(&write.span).is_some_and(|times| 1 < *times);
    let may_meet = |write: &Write| {
        let others = writes.iter().filter(|other| other.span != write.span);
        write.of.is_none() || others.into_iter().any(|other| other.of.is_none() || other.of == write.of)
    };
    let found = writes.iter().find(|write| write.how.is_some() && (twice(write) || may_meet(write)));
    let found = found.or_else(|| writes.iter().find(twice))?;
    let how = found.how.unwrap_or("by one statement that may be executed several times in a cycle");
    Some(UnobservedWrite { name: found.name.clone(), how, span: found.span })
}

/// Returns whether no statement that is executed may give a BOOL output a computed value.
pub(super) fn writes_nothing(project: &Project) -> bool {
    let bodies: Vec<Body<'_>> = project.pous.iter_enumerated().map(|(id, pou)| Body::new(id, &pou.body)).collect();
    writes(project, &bodies).is_empty()
}

/// Returns the statements and calls that may give BOOL outputs computed values, of the bodies that are executed.
fn writes(project: &Project, bodies: &[Body<'_>]) -> Vec<Write> {
    let times = executions(project, bodies);
    let outputs = Outputs::new(project, bodies);
    let mut writes = Vec::new();
    for body in bodies.iter().filter(|body| 0 < times[body.pou.index()]) {
        outputs.writes(body, times[body.pou.index()], &mut writes);
    }
    writes
}

fn shares_an_output(project: &Project, leaf: &Leaf, leaves: &[Leaf]) -> bool {
    let is_output = |leaf: &Leaf| leaf.role == Role::Output || project.is_coil_output(leaf);
    leaf.view
        .as_ref()
        .is_some_and(|view| is_output(leaf) || view.parts.iter().any(|part| leaves.get(part.of).is_some_and(is_output)))
}

/// Variable that only its name, or an unknown place, refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrittenVariable {
    Global(usize),
    Own(PouId, VarId),
}

/// Statement or call that may give a BOOL output a computed value.
struct Write {
    /// Its variable; `None`: any output.
    of: Option<WrittenVariable>,
    name: String,
    /// Way of writing; `None`: the monitor observes it.
    how: Option<&'static str>,
    times: u8,
    span: Span,
}

impl Outputs<'_> {
    /// Adds the writes of the body, which is executed `times` times.
    fn writes(&self, body: &Body<'_>, times: u8, writes: &mut Vec<Write>) {
        let matters = |place: &Place| self.holds_bool(place.ty) && self.may_be(body.pou, place);
        let mut inputs = Vec::new();
        let mut add = |place: &Place, how: Option<&'static str>, times: u8| {
            let (of, name) = self.named(body.pou, place);
            writes.push(Write { of, name, how, times, span: place.span });
        };
        for (target, value, stmt, looped) in &body.assigned {
            if !matches!(value.kind, ExprKind::Literal(_)) && matters(target) {
                let how =
                    if stmt.coil(self.project).is_some() { None } else { Some(how(target).unwrap_or("as a part of a whole")) };
                add(target, how, times * body.rounds(*looped));
            }
        }
        for Call { callee, instance, args, looped } in &body.calls {
            for (_, place) in args.outputs.iter().filter(|(_, place)| matters(place)) {
                add(place, Some("as an output of a call"), times * body.rounds(*looped));
            }
            // The monitor observes a place that is passed by name; otherwise the block may write it any number of times.
            for (_, place) in args.in_outs.iter().filter(|(_, place)| matters(place)) {
                if how(place).is_some() {
                    add(place, Some("as a VAR_IN_OUT of a call"), 2);
                }
            }
            for place in instance.iter().filter(|place| how(place).is_some() && self.instances_hold(place.ty)) {
                add(place, Some("by an instance that is called otherwise than by its name"), 2);
            }
            for (input, value) in &args.inputs {
                let var = &self.project.pous[*callee].vars[*input];
                if Outputs::is_at_output(var) && self.holds_bool(var.ty) {
                    let how = Some("as an input of a call");
                    inputs.push(Write { of: None, name: var.name.clone(), how, times: 2, span: value.span });
                }
            }
        }
        writes.append(&mut inputs);
    }

    /// Returns the variable that a place is a part of, and its name.
    fn named(&self, pou: PouId, place: &Place) -> (Option<WrittenVariable>, String) {
        let project = self.project;
        let is_plain = place.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Index(_) | Elem::Bits { .. }));
        let (of, name) = match place.root {
            Root::Var(id) => {
                let var = &project.pous[pou].vars[id];
                let is_own = var.section != Section::InOut;
                (is_own.then_some(WrittenVariable::Own(pou, id)), var.name.clone())
            }
            Root::Global(id) => (Some(WrittenVariable::Global(id.index())), project.globals[id].name.clone()),
            Root::This(_) => (None, project.pous[pou].name.clone()),
            Root::Instance(id) => (None, project.instances[id].name.clone()),
        };
        (of.filter(|_| is_plain), name)
    }
}

/// Returns the way of writing a place, unless it is by names alone.
fn how(place: &Place) -> Option<&'static str> {
    place.path.iter().find_map(|elem| match elem {
        Elem::Index(_) => Some("through an index"),
        Elem::Deref(_) => Some("through a reference"),
        Elem::Bits { .. } => Some("bit by bit"),
        Elem::Field(_) | Elem::Member(_) => None,
    })
}
