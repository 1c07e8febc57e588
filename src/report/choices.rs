//! Choices of a program: what each branch may write, so that a run can be told what a branch not taken would have written.
//!
//! Knows the HIR; nothing of runs. Loops are branches too: their body may not run.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{
    CallArgs, Elem, Expr, ExprKind, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Target, Type, TypeId, Value,
    VarId,
};
use plc_frontend::source::Span;

use super::seen::Seen;

/// Variable that a branch may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    root: Root,
    /// The path from the root, as far as it is the same in every run.
    path: String,
    /// The value, if the branch writes a literal and all of the path is known.
    value: Option<Value>,
}

/// Variable that a branch not taken would have written.
#[derive(Clone, Debug)]
pub(super) struct Untaken {
    /// Its name; names of its parts begin with it.
    pub(super) name: String,
    /// The value, if it is known.
    pub(super) value: Option<Value>,
    /// The condition that kept the branch from being taken, if one did alone.
    pub(super) decides: Option<Span>,
}

/// Branches of one statement.
#[derive(Clone, Debug, Default)]
struct Branches {
    /// By the condition, as recorders are told of it; `None` for ELSE.
    bodies: BTreeMap<Option<Span>, Vec<Written>>,
    /// Some of the bodies may leave the list of statements that the choice stands in.
    leaves: bool,
    /// It is a loop.
    repeats: bool,
}

/// Body of a POU that runs: what its variables are called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Activation {
    pub(super) pou: PouId,
    /// Name of the instance; `None` for functions.
    pub(super) instance: Option<String>,
    /// Names of what its VAR_IN_OUT refer to.
    pub(super) references: BTreeMap<VarId, String>,
}

/// All choices of a project.
pub(super) struct Choices<'p> {
    project: &'p Project,
    of: BTreeMap<(PouId, Span), Branches>,
    /// All that a body writes; for those that a branch leaves early.
    bodies: BTreeMap<PouId, Vec<Written>>,
    /// Conditions of IF by the first one, and values of assignments by the statement; `None` where several stand at one place.
    conditions: BTreeMap<(PouId, Span), Option<Vec<&'p Expr>>>,
    values: BTreeMap<(PouId, Span), Option<&'p Expr>>,
    /// Arguments of calls by their places, where recorders see them written.
    arguments: BTreeMap<(PouId, Span), &'p Expr>,
}

/// Variables of one branch; more of them are told apart by nobody.
const MOST: usize = 400;

impl<'p> Choices<'p> {
    /// Of all POUs.
    ///
    /// Cost: one reading of each body for each level of nesting in it.
    pub(super) fn new(project: &'p Project) -> Choices<'p> {
        let mut choices = Choices {
            project,
            of: BTreeMap::new(),
            bodies: BTreeMap::new(),
            conditions: BTreeMap::new(),
            values: BTreeMap::new(),
            arguments: BTreeMap::new(),
        };
        for (id, pou) in project.pous.iter_enumerated() {
            let all = choices.written(id, &pou.body);
            choices.bodies.insert(id, all);
            choices.collect(id, &pou.body);
        }
        choices
    }

    /// Returns whether some branch of the statement with this first condition may leave the statements around.
    pub(super) fn leaves(&self, pou: PouId, first: Span) -> bool {
        self.of.get(&(pou, first)).is_some_and(|branches| branches.leaves)
    }

    /// Returns whether the statement is a loop.
    pub(super) fn repeats(&self, pou: PouId, first: Span) -> bool {
        self.of.get(&(pou, first)).is_some_and(|branches| branches.repeats)
    }

    /// Variables that the branches not taken would have written.
    pub(super) fn untaken(&self, run: &Activation, first: Span, taken: Option<Span>) -> Vec<Untaken> {
        let Some(branches) = self.of.get(&(run.pou, first)) else { return Vec::new() };
        let order = self.conditions.get(&(run.pou, first)).and_then(Option::as_ref);
        let position = |of: Span| order.and_then(|order| order.iter().position(|condition| condition.span == of));
        let held = taken.and_then(position);
        let mut all = Vec::new();
        for (condition, written) in branches.bodies.iter().filter(|(condition, _)| **condition != taken) {
            // A condition behind the one that held was not tested: the one that held kept its branch from being taken.
            let own = condition.and_then(position).filter(|at| held.is_none_or(|held| *at < held));
            let decides = if own.is_some() { *condition } else { taken };
            all.extend(written.iter().map(|written| (written, decides)));
        }
        let behind = self.bodies.get(&run.pou).filter(|_| branches.leaves && taken.is_some()).into_iter().flatten();
        all.extend(behind.map(|written| (written, taken)));
        let named = |(written, decides): (&Written, Option<Span>)| {
            Some(Untaken { name: self.name(run, written)?, value: written.value, decides })
        };
        all.into_iter().take(MOST).filter_map(named).collect()
    }

    /// Expressions that decide what a statement does: the conditions of an IF up to the one that held, or the value of an
    /// assignment. Of conditions those in `only`, if there are any. `None` if there is more to it.
    pub(super) fn decisive(&self, pou: PouId, seen: &Seen, only: &BTreeSet<Span>) -> Option<Vec<&'p Expr>> {
        let Some(choice) = seen.choice else {
            return self.values.get(&(pou, seen.stmt)).copied().flatten().filter(|_| !seen.compound).map(|value| vec![value]);
        };
        let all = self.conditions.get(&(pou, choice.first)).cloned().flatten()?;
        let n = all.iter().position(|condition| Some(condition.span) == choice.taken).map_or(all.len(), |at| at + 1);
        let is_meant = |condition: &&&Expr| only.is_empty() || only.contains(&condition.span);
        Some(all[..n].iter().filter(is_meant).copied().collect()).filter(|_| !choice.repeats)
    }

    /// The argument of a call that stands there.
    pub(super) fn argument(&self, pou: PouId, at: Span) -> Option<&'p Expr> {
        self.arguments.get(&(pou, at)).copied()
    }

    /// The name of a scalar variable, if it is the same in every run of the body.
    pub(super) fn place(&self, run: &Activation, place: &Place) -> Option<String> {
        let is_part = place.path.iter().any(|elem| matches!(elem, Elem::Bits { .. }));
        let (path, true) = self.path(run.pou, place) else { return None };
        self.name(run, &Written { root: place.root, path, value: None }).filter(|_| !is_part)
    }

    fn name(&self, run: &Activation, written: &Written) -> Option<String> {
        let base = match written.root {
            Root::Global(id) => self.project.globals[id].name.clone(),
            Root::This(_) => run.instance.clone()?,
            Root::Instance(id) => self.project.instances[id].name.clone(),
            Root::Var(var) => match (run.references.get(&var), &run.instance) {
                (Some(name), _) => name.clone(),
                (None, Some(instance)) if self.persists(run.pou, var) => {
                    format!("{instance}.{}", self.project.pous[run.pou].vars[var].name)
                }
                (None, _) => format!("{}.{}", self.project.pous[run.pou].name, self.project.pous[run.pou].vars[var].name),
            },
        };
        Some(base + &written.path)
    }

    fn persists(&self, pou: PouId, var: VarId) -> bool {
        let pou = &self.project.pous[pou];
        !matches!(pou.kind, PouKind::Function(_)) && pou.vars[var].section != Section::Temp
    }

    fn collect(&mut self, pou: PouId, body: &'p [Stmt]) {
        for stmt in body {
            self.arguments(pou, stmt);
            let arms: Vec<(Option<Span>, &[Stmt])> = match &stmt.kind {
                StmtKind::If { branches, otherwise } => {
                    let arms = branches.iter().map(|(condition, body)| (Some(condition.span), body.as_slice()));
                    arms.chain([(None, otherwise.as_slice())]).collect()
                }
                StmtKind::Case { selector: _, arms, otherwise } => {
                    let arms = arms.iter().map(|arm| (Some(arm.span), arm.body.as_slice()));
                    arms.chain([(None, otherwise.as_slice())]).collect()
                }
                StmtKind::For { body, .. } => vec![(Some(stmt.span), body.as_slice())],
                StmtKind::While { condition, body } => vec![(Some(condition.span), body.as_slice())],
                // Its body runs in any case.
                StmtKind::Repeat { body, until } => {
                    self.collect(pou, body);
                    vec![(Some(until.span), &[])]
                }
                StmtKind::Assign { target, value } => {
                    // An index that is computed is one more thing to it.
                    let alone = self.path(pou, target).1.then_some(value);
                    self.values.entry((pou, stmt.span)).and_modify(|found| *found = None).or_insert(alone);
                    continue;
                }
                StmtKind::Exit
                | StmtKind::Continue
                | StmtKind::Return
                | StmtKind::Label(_)
                | StmtKind::Goto(_)
                | StmtKind::CallInstance { .. }
                | StmtKind::Eval(_)
                | StmtKind::Assert { .. }
                | StmtKind::Gap(_) => continue,
            };
            if let Some(&(Some(first), _)) = arms.first() {
                if let StmtKind::If { branches, .. } = &stmt.kind {
                    let tested: Vec<&'p Expr> = branches.iter().map(|(condition, _)| condition).collect();
                    // Two statements with one condition that stands at one place, as transitions have them, read the same.
                    let is_same = |found: &Option<Vec<&Expr>>| found.as_ref() == Some(&tested);
                    let found = self.conditions.entry((pou, first)).or_insert_with(|| Some(tested.clone()));
                    if !is_same(found) {
                        *found = None;
                    }
                }
                let leaves = leaves(std::slice::from_ref(stmt), false);
                let written: Vec<_> = arms.iter().map(|(condition, body)| (*condition, self.written(pou, body))).collect();
                let branches = self.of.entry((pou, first)).or_default();
                branches.leaves |= leaves;
                branches.repeats |= matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. });
                for (condition, written) in written {
                    branches.bodies.entry(condition).or_default().extend(written);
                }
            }
            arms.iter().for_each(|(_, body)| self.collect(pou, body));
        }
    }

    /// Notes the arguments of the calls in a statement, but not in those inside of it.
    fn arguments(&mut self, pou: PouId, stmt: &'p Stmt) {
        let mut waiting: Vec<&'p Expr> = Vec::new();
        let mut given: Vec<&'p CallArgs> = Vec::new();
        match &stmt.kind {
            StmtKind::Assign { value, .. } | StmtKind::Eval(value) => waiting.push(value),
            StmtKind::If { branches, .. } => waiting.extend(branches.iter().map(|(condition, _)| condition)),
            StmtKind::CallInstance { args, .. } => given.push(args),
            StmtKind::Case { selector: test, .. }
            | StmtKind::While { condition: test, .. }
            | StmtKind::Repeat { until: test, .. } => waiting.push(test),
            StmtKind::For { .. }
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Assert { .. }
            | StmtKind::Gap(_) => {}
        }
        loop {
            for (_, value) in given.drain(..).flat_map(|args| &args.inputs) {
                self.arguments.insert((pou, value.span), value);
                waiting.push(value);
            }
            let Some(expr) = waiting.pop() else { break };
            match &expr.kind {
                ExprKind::Unary(_, operand) | ExprKind::Convert(_, operand) => waiting.push(operand),
                ExprKind::Binary(_, left, right) => waiting.extend([&**left, &**right]),
                ExprKind::Builtin(_, operands) => waiting.extend(operands),
                ExprKind::Call(_, args) => given.push(args),
                ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Read(_) | ExprKind::Arbitrary { .. } => {}
            }
        }
    }

    /// All that statements may write.
    fn written(&mut self, pou: PouId, body: &[Stmt]) -> Vec<Written> {
        let mut all = Vec::new();
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign { target, value } => {
                    self.of_expr(pou, value, &mut all);
                    let literal = if let ExprKind::Literal(value) = value.kind { Some(value) } else { None };
                    self.of_place(pou, target, literal, &mut all);
                }
                StmtKind::If { branches, otherwise } => {
                    for (condition, body) in branches {
                        self.of_expr(pou, condition, &mut all);
                        all.extend(self.written(pou, body));
                    }
                    all.extend(self.written(pou, otherwise));
                }
                StmtKind::Case { selector, arms, otherwise } => {
                    self.of_expr(pou, selector, &mut all);
                    arms.iter().for_each(|arm| all.extend(self.written(pou, &arm.body)));
                    all.extend(self.written(pou, otherwise));
                }
                StmtKind::For { control, body, .. } => {
                    self.of_place(pou, control, None, &mut all);
                    all.extend(self.written(pou, body));
                }
                StmtKind::While { condition: test, body } | StmtKind::Repeat { body, until: test } => {
                    self.of_expr(pou, test, &mut all);
                    all.extend(self.written(pou, body));
                }
                StmtKind::CallInstance { instance, pou: block, args } => {
                    self.of_call((pou, *block), Some(instance), args, &mut all);
                    for (var, _) in &args.inputs {
                        let name = format!(".{}", self.project.pous[*block].vars[*var].name);
                        self.of_part(pou, instance, &name, None, &mut all);
                    }
                }
                StmtKind::Eval(value) => self.of_expr(pou, value, &mut all),
                StmtKind::Exit
                | StmtKind::Continue
                | StmtKind::Return
                | StmtKind::Label(_)
                | StmtKind::Goto(_)
                | StmtKind::Assert { .. }
                | StmtKind::Gap(_) => {}
            }
            if MOST < all.len() {
                all.truncate(MOST);
                break;
            }
        }
        all
    }

    fn of_expr(&mut self, pou: PouId, expr: &Expr, all: &mut Vec<Written>) {
        match &expr.kind {
            ExprKind::Unary(_, operand) | ExprKind::Convert(_, operand) => self.of_expr(pou, operand, all),
            ExprKind::Binary(_, left, right) => {
                self.of_expr(pou, left, all);
                self.of_expr(pou, right, all);
            }
            ExprKind::Builtin(_, operands) => operands.iter().for_each(|operand| self.of_expr(pou, operand, all)),
            ExprKind::Call(called, args) => {
                args.inputs.iter().for_each(|(_, value)| self.of_expr(pou, value, all));
                self.of_call((pou, *called), None, args, all);
            }
            ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Read(_) | ExprKind::Arbitrary { .. } => {}
        }
    }

    /// Adds what a call writes, in terms of the caller.
    fn of_call(&mut self, (pou, block): (PouId, PouId), instance: Option<&Place>, args: &CallArgs, all: &mut Vec<Written>) {
        if !self.bodies.contains_key(&block) {
            // No POU calls itself; an empty row ends the search all the same.
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

    /// A part of a variable.
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
        let written = match whole {
            true => Written { root: place.root, path: path + part, value },
            false => Written { root: place.root, path, value: None },
        };
        if !all.contains(&written) {
            all.push(written);
        }
    }

    /// Targets of the first reference on the way to a place; `true` if nothing follows it.
    fn referred(&self, pou: PouId, place: &Place) -> Option<(&'p [Target], bool)> {
        let at = place.path.iter().position(|elem| matches!(elem, Elem::Deref(_)))?;
        let ty = match (at, place.root) {
            (0, Root::Var(var)) => self.project.pous[pou].vars[var].ty,
            (0, Root::Global(id)) => self.project.globals[id].ty,
            (0, Root::This(_) | Root::Instance(_)) => return None,
            // The last step before it says what it is.
            (_, _) => self.type_of(place.path.get(at - 1)?, pou, place, at - 1)?,
        };
        let targets = self.project.references.get(&ty)?;
        Some((targets, at + 1 == place.path.len()))
    }

    /// The type of the part that a step of a path leads to, where the step alone says it.
    fn type_of(&self, step: &Elem, pou: PouId, place: &Place, at: usize) -> Option<TypeId> {
        let (Elem::Member(var), true) = (step, at == 0) else { return None };
        let owner = match place.root {
            Root::Var(of) => self.project.pous[pou].vars[of].ty,
            Root::Global(of) => self.project.globals[of].ty,
            Root::This(ty) => ty,
            Root::Instance(id) => return Some(self.project.pous[self.project.instances[id].pou].vars[*var].ty),
        };
        let Type::FunctionBlock(block) = self.project.types[owner].ty else { return None };
        Some(self.project.pous[block].vars[*var].ty)
    }

    /// The path as text, up to what differs from run to run; `false` if it stops there.
    fn path(&self, pou: PouId, place: &Place) -> (String, bool) {
        let mut text = String::new();
        let (mut ty, mut of) = match place.root {
            Root::Var(var) => (Some(self.project.pous[pou].vars[var].ty), None),
            Root::Global(id) => (Some(self.project.globals[id].ty), None),
            Root::This(ty) => (Some(ty), None),
            Root::Instance(id) => (None, Some(self.project.instances[id].pou)),
        };
        for elem in &place.path {
            let inside = ty.map(|ty| &self.project.types[ty].ty);
            match (elem, inside) {
                (Elem::Bits { .. }, _) => {}
                (Elem::Field(field), Some(Type::Struct { fields })) => {
                    let field = &fields[*field as usize];
                    (text, ty) = (format!("{text}.{}", field.name), Some(field.ty));
                }
                (Elem::Member(var), inside) => {
                    let owner = match inside {
                        Some(Type::FunctionBlock(block)) => Some(*block),
                        Some(_) | None => of.take(),
                    };
                    let Some(owner) = owner else { return (text, false) };
                    let var = &self.project.pous[owner].vars[*var];
                    (text, ty) = (format!("{text}.{}", var.name), Some(var.ty));
                }
                (Elem::Index(indices), Some(Type::Array { elem, .. })) => {
                    let literal =
                        |e: &Expr| if let ExprKind::Literal(Value::Int(i)) = e.kind { Some(i.to_string()) } else { None };
                    let Some(indices) = indices.iter().map(literal).collect::<Option<Vec<String>>>() else {
                        return (text, false);
                    };
                    (text, ty) = (format!("{text}[{}]", indices.join(", ")), Some(*elem));
                }
                (Elem::Deref(_) | Elem::Field(_) | Elem::Index(_), _) => return (text, false),
            }
        }
        (text, true)
    }
}

/// Returns whether a jump leads out of these statements; EXIT and CONTINUE stay inside of their loop.
fn leaves(body: &[Stmt], in_loop: bool) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return | StmtKind::Goto(_) => true,
        StmtKind::Exit | StmtKind::Continue => !in_loop,
        StmtKind::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| leaves(body, in_loop)) || leaves(otherwise, in_loop)
        }
        StmtKind::Case { arms, otherwise, .. } => arms.iter().any(|arm| leaves(&arm.body, in_loop)) || leaves(otherwise, in_loop),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => leaves(body, true),
        StmtKind::Assign { .. }
        | StmtKind::Label(_)
        | StmtKind::CallInstance { .. }
        | StmtKind::Eval(_)
        | StmtKind::Assert { .. }
        | StmtKind::Gap(_) => false,
    })
}
