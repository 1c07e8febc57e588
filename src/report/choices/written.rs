//! Variables that statements may write, in terms of the body that they stand in.

use plc_frontend::hir::{Access, CallArgs, Elem, Expr, ExprKind, Place, PouId, Root, Stmt, StmtKind, Value, Visit};

use super::{Choices, MOST, Written};

/// Collects the variables that the statements of a POU may write.
struct Writes<'c, 'p> {
    choices: &'c mut Choices<'p>,
    pou: PouId,
    all: Vec<Written>,
}

impl Visit<'_> for Writes<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if MOST < self.all.len() {
            return;
        }
        if let StmtKind::Assign { target, value } = &stmt.kind {
            self.expr(value);
            let literal = if let ExprKind::Literal(value) = value.kind { Some(value) } else { None };
            self.choices.of_place(self.pou, target, literal, &mut self.all);
        } else if let StmtKind::CallInstance { instance, pou: block, args } = &stmt.kind {
            self.choices.of_call(self.pou, *block, Some(instance), args, &mut self.all);
            for (var, _) in &args.inputs {
                let name = format!(".{}", self.choices.project.pous[*block].vars[*var].name);
                self.choices.of_part(self.pou, instance, &name, None, &mut self.all);
            }
        } else {
            self.stmt_parts(stmt);
        }
    }
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Call(called, args) = &e.kind {
            args.inputs.iter().for_each(|(_, value)| self.expr(value));
            self.choices.of_call(self.pou, *called, None, args, &mut self.all);
        } else {
            self.expr_parts(e);
        }
    }
    fn place(&mut self, place: &Place, access: Access) {
        if access == Access::Write {
            self.choices.of_place(self.pou, place, None, &mut self.all);
        }
    }
}

impl Choices<'_> {
    /// Returns the variables that statements may write, at most about [`MOST`].
    pub(super) fn written(&mut self, pou: PouId, body: &[Stmt]) -> Vec<Written> {
        let mut writes = Writes { choices: self, pou, all: Vec::new() };
        writes.body(body);
        writes.all.truncate(MOST);
        writes.all
    }

    /// Adds the writes of a call, in terms of the caller.
    fn of_call(&mut self, pou: PouId, block: PouId, instance: Option<&Place>, args: &CallArgs, all: &mut Vec<Written>) {
        if !self.bodies.contains_key(&block) {
            // An empty row ends the search in a function that calls itself.
            self.bodies.insert(block, Vec::new());
            let body = &self.project.pous[block].body;
            let written = self.written(block, body);
            self.bodies.insert(block, written);
        }
        let inside = self.bodies.get(&block).cloned().unwrap_or_default();
        for Written { root, path, value } in inside {
            match root {
                Root::Var(var) => {
                    let given = args.in_outs.iter().find(|(of, _)| *of == var);
                    let name = &self.project.pous[block].vars[var].name;
                    match (given, instance) {
                        (Some((_, place)), _) => self.of_part(pou, place, &path, value, all),
                        (None, Some(instance)) if self.persists(block, var) => {
                            self.of_part(pou, instance, &format!(".{name}{path}"), value, all);
                        }
                        (None, _) => {}
                    }
                }
                Root::This(_) => {
                    if let Some(instance) = instance {
                        self.of_part(pou, instance, &path, value, all);
                    }
                }
                Root::Global(_) | Root::Instance(_) => all.push(Written { root, path, value }),
            }
        }
        for (_, place) in &args.outputs {
            self.of_part(pou, place, "", None, all);
        }
    }

    fn of_place(&mut self, pou: PouId, place: &Place, value: Option<Value>, all: &mut Vec<Written>) {
        let is_part = place.path.iter().any(|elem| matches!(elem, Elem::Bits { .. }));
        self.of_part(pou, place, "", value.filter(|_| !is_part), all);
    }

    /// Adds a part of a variable.
    fn of_part(&mut self, pou: PouId, place: &Place, part: &str, value: Option<Value>, all: &mut Vec<Written>) {
        if let Some((targets, is_last)) = self.referred(pou, place) {
            for target in targets {
                let (path, whole) = self.path(pou, &target.place);
                let part = if is_last && whole { part } else { "" };
                all.push(Written { root: target.place.root, path: path + part, value: None });
            }
            return;
        }
        let (path, whole) = self.path(pou, place);
        let written = if whole {
            Written { root: place.root, path: path + part, value }
        } else {
            Written { root: place.root, path, value: None }
        };
        if !all.contains(&written) {
            all.push(written);
        }
    }
}
