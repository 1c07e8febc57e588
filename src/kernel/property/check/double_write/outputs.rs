//! Places that may be BOOL outputs.

use std::collections::BTreeSet;

use plc_frontend::hir::{AddressArea, Elem, Parts, Place, PouId, Project, Root, Section, Type, TypeId, Var, VarId};

use super::body::{Body, Call};

/// Variables that may be outputs.
pub(super) struct Outputs<'p> {
    pub(super) project: &'p Project,
    /// POUs whose VAR_OUTPUT are outputs.
    entries: BTreeSet<PouId>,
    /// VAR_IN_OUT that may refer to outputs.
    through: BTreeSet<(PouId, VarId)>,
    /// TRUE if a reference may refer to an output.
    referenced: bool,
}

impl<'p> Outputs<'p> {
    pub(super) fn new(project: &'p Project, bodies: &[Body<'p>]) -> Outputs<'p> {
        let entries = project.instances.iter().map(|instance| instance.pou).collect();
        let mut outputs = Outputs { project, entries, through: BTreeSet::new(), referenced: false };
        loop {
            let before = (outputs.through.len(), outputs.referenced);
            let mut targets = project.references.values().flatten();
            outputs.referenced = outputs.referenced || targets.any(|target| outputs.may_be(PouId(0), &target.place));
            for body in bodies {
                for Call { callee, args, .. } in &body.calls {
                    let formals = args.in_outs.iter().filter(|(_, place)| outputs.may_be(body.pou, place));
                    let formals: Vec<(PouId, VarId)> = formals.map(|(formal, _)| (*callee, *formal)).collect();
                    outputs.through.extend(formals);
                }
            }
            if before == (outputs.through.len(), outputs.referenced) {
                return outputs;
            }
        }
    }

    pub(super) fn is_at_output(var: &Var) -> bool {
        var.address.as_ref().is_some_and(|address| address.area == AddressArea::Output)
    }

    fn variable(&self, pou: PouId, id: VarId) -> bool {
        let var = &self.project.pous[pou].vars[id];
        let is_terminal = var.section == Section::Output && self.entries.contains(&pou);
        let is_tag = self.entries.contains(&pou) && self.project.is_tag(var);
        is_terminal || is_tag || Outputs::is_at_output(var) || self.through.contains(&(pou, id))
    }

    /// Returns whether a place in the body of `pou` may be an output, a part of one, or contain one.
    pub(super) fn may_be(&self, pou: PouId, place: &Place) -> bool {
        let project = self.project;
        let is_entry = |ty: TypeId| self.instances_hold(ty);
        let (mut is, mut ty) = match place.root {
            Root::Var(id) => (self.variable(pou, id), Some(project.pous[pou].vars[id].ty)),
            Root::Global(id) => {
                let var = &project.globals[id];
                (Outputs::is_at_output(var) || project.is_tag(var), Some(var.ty))
            }
            Root::This(ty) => (false, Some(ty)),
            Root::Instance(_) => (false, None),
        };
        let mut instance = match place.root {
            Root::Instance(id) => Some(project.instances[id].pou),
            Root::Var(_) | Root::Global(_) | Root::This(_) => None,
        };
        for elem in &place.path {
            let here = ty.map(|ty| &project.types[ty].ty);
            match (elem, here) {
                (Elem::Member(id), Some(Type::FunctionBlock(block))) => {
                    (is, ty) = (self.variable(*block, *id), Some(project.pous[*block].vars[*id].ty));
                }
                (Elem::Member(id), _) => match instance.take() {
                    Some(block) => (is, ty) = (self.variable(block, *id), Some(project.pous[block].vars[*id].ty)),
                    None => return true,
                },
                (Elem::Field(nth), Some(Type::Struct { fields })) => match fields.get(*nth as usize) {
                    Some(field) => ty = Some(field.ty),
                    None => return true,
                },
                (Elem::Index(_), Some(Type::Array { elem, .. })) => ty = Some(*elem),
                (Elem::Deref(seen_as), _) => (is, ty) = (self.referenced, Some(*seen_as)),
                (Elem::Bits { .. }, _) => ty = Some(place.ty),
                (Elem::Field(_) | Elem::Index(_), _) => return true,
            }
        }
        is || instance.is_some() || ty.is_none_or(is_entry)
    }

    /// Returns whether an instance in a value of this type has an output.
    pub(super) fn instances_hold(&self, ty: TypeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match self.project.types[ty].ty.parts() {
                Parts::Variables(pou) => {
                    let vars = &self.project.pous[pou].vars;
                    if vars.iter_enumerated().any(|(id, _)| self.variable(pou, id)) {
                        return true;
                    }
                    todo.extend(vars.iter().map(|var| var.ty));
                }
                Parts::Elements(_, elem) => todo.push(elem),
                Parts::Fields(fields) => todo.extend(fields.iter().map(|field| field.ty)),
                Parts::Scalar => {}
            }
        }
        false
    }

    /// Returns whether a value of this type may hold a BOOL.
    pub(super) fn holds_bool(&self, ty: TypeId) -> bool {
        let ty = &self.project.types[ty].ty;
        match ty.parts() {
            Parts::Variables(_) => true,
            Parts::Elements(_, elem) => self.holds_bool(elem),
            Parts::Fields(fields) => fields.iter().any(|field| self.holds_bool(field.ty)),
            Parts::Scalar => *ty == Type::Bool,
        }
    }
}
