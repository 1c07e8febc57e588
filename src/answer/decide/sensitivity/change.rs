//! Small changes of a program like mistakes of programmers: a condition negated, a comparison off by one, AND for OR, a
//! constant off by one, an assignment left out, two branches mixed up.
//!
//! A change is named by its place in the text and its kind. Text that is resolved several times (an inherited method, a function
//! of several types) changes everywhere at once.

use std::collections::BTreeSet;

use plc_frontend::hir::{
    BinOp, Builtin, CallArgs, Expr, ExprKind, PouId, Project, Root, Stmt, StmtKind, Type, TypeId, UnOp, Value, value_to_st, walk,
};
use plc_frontend::source::{Origin, SourceSet, Span};

/// A change of the program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Changed text.
    pub span: Span,
    /// The change in words: `<` becomes `<=`.
    pub what: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A condition of an IF.
    Negated,
    /// A NOT that is left out.
    NotLeftOut,
    Operator(BinOp),
    Extremum,
    Constant(Value),
    /// A statement.
    LeftOut,
    /// The bodies of this branch of an IF or CASE and of the next one.
    Swapped(usize),
}

/// Returns all changes of statements whose places are of interest, in the order of the text. Times are changed by `ms`.
///
/// Cost: one visit of each statement.
pub(super) fn changes(project: &Project, sources: &SourceSet, of_interest: &dyn Fn(Span) -> bool, ms: u32) -> Vec<Change> {
    let mut copy = project.clone();
    let mut found: Vec<Change> = Vec::new();
    for pou in users(project) {
        let mut body = std::mem::take(&mut copy.pous[pou].body);
        let task = Task::List { sources, of_interest, found: &mut found };
        let mut visit = Visit { project, ms, task, here: project.pous[pou].span };
        visit.block(&mut body);
    }
    found.sort_by_key(|change| (change.span.file, change.span.start, change.span.end));
    let mut seen = BTreeSet::new();
    found.retain(|change| seen.insert((change.span, change.what.clone())));
    found
}

impl Change {
    /// Returns the program with this change.
    pub(super) fn applied(&self, project: &Project, ms: u32) -> Project {
        let mut changed = project.clone();
        for pou in users(project) {
            let mut body = std::mem::take(&mut changed.pous[pou].body);
            let mut visit = Visit { project, ms, task: Task::Make(self), here: project.pous[pou].span };
            visit.block(&mut body);
            changed.pous[pou].body = body;
        }
        changed
    }
}

fn users(project: &Project) -> Vec<PouId> {
    let users = project.pous.iter_enumerated().filter(|(_, pou)| pou.origin == Origin::User);
    users.map(|(id, _)| id).collect()
}

/// Returns whether a statement lets the controller restart: no text has it.
fn is_restart(project: &Project, stmt: &Stmt) -> bool {
    let (Some(restart), StmtKind::If { branches, .. }) = (project.restart, &stmt.kind) else { return false };
    let mut found = false;
    for (condition, _) in branches {
        walk::exprs_of(condition, |e| {
            found |= matches!(&e.kind, ExprKind::Read(place) if place.root == Root::Global(restart));
        });
    }
    found
}

enum Task<'t> {
    /// List the changes, without making them.
    List { sources: &'t SourceSet, of_interest: &'t dyn Fn(Span) -> bool, found: &'t mut Vec<Change> },
    /// Make this one.
    Make(&'t Change),
}

/// One walk over the body of a POU.
struct Visit<'t> {
    project: &'t Project,
    ms: u32,
    task: Task<'t>,
    /// Place of the present step: a simple statement, or the condition of a compound one.
    here: Span,
}

impl Visit<'_> {
    /// Lists a change, or returns whether it is the one to make here.
    fn offer(&mut self, span: Span, kind: Kind, what: impl FnOnce(&str) -> String) -> bool {
        match &mut self.task {
            Task::List { sources, of_interest, found } => {
                if of_interest(self.here) {
                    found.push(Change { span, what: what(&excerpt(sources.text(span))), kind });
                }
                false
            }
            Task::Make(change) => change.span == span && change.kind == kind,
        }
    }

    fn block(&mut self, body: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < body.len() {
            let left_out = self.stmt(&mut body[at]);
            if left_out { drop(body.remove(at)) } else { at += 1 }
        }
    }

    /// Visits a statement and returns whether it is left out.
    fn stmt(&mut self, stmt: &mut Stmt) -> bool {
        let span = stmt.span;
        self.here = span;
        if is_restart(self.project, stmt) {
            return false;
        }
        match &mut stmt.kind {
            StmtKind::Assign { value, .. } => {
                if self.offer(span, Kind::LeftOut, |text| format!("{text} is left out")) {
                    return true;
                }
                self.expr(value);
            }
            StmtKind::If { branches, otherwise } => self.branches(span, branches, otherwise),
            StmtKind::Case { selector, arms, otherwise } => {
                self.here = selector.span;
                self.expr(selector);
                for i in 1..arms.len() {
                    self.here = arms[i - 1].span;
                    let what = |_: &str| "the statements of this case and of the next one are swapped".to_owned();
                    if self.offer(arms[i - 1].span, Kind::Swapped(i - 1), what) {
                        let (front, back) = arms.split_at_mut(i);
                        std::mem::swap(&mut front[i - 1].body, &mut back[0].body);
                    }
                }
                arms.iter_mut().for_each(|arm| self.block(&mut arm.body));
                self.block(otherwise);
            }
            StmtKind::For { bounds, body, .. } => {
                self.expr(&mut bounds.from);
                self.expr(&mut bounds.to);
                self.block(body);
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Repeat { body, until } => {
                self.expr(until);
                self.block(body);
            }
            StmtKind::Return => return self.offer(span, Kind::LeftOut, |text| format!("{text} is left out")),
            StmtKind::CallInstance { args, .. } => {
                if self.offer(span, Kind::LeftOut, |text| format!("{text} is left out")) {
                    return true;
                }
                self.args(args);
            }
            StmtKind::Eval(e) => self.expr(e),
            // Assertions and assumptions are no part of the program; jumps are the structure of the text.
            StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Assert { .. }
            | StmtKind::Assume(_)
            | StmtKind::Gap(_) => {}
        }
        false
    }

    fn branches(&mut self, span: Span, branches: &mut [(Expr, Vec<Stmt>)], otherwise: &mut Vec<Stmt>) {
        for (condition, _) in branches.iter_mut() {
            self.here = condition.span;
            self.expr(condition);
            if !says_its_negation(condition) && self.offer(condition.span, Kind::Negated, |text| format!("{text} is negated")) {
                let inner = Box::new(condition.clone());
                condition.kind = ExprKind::Unary(UnOp::Not, inner);
            }
        }
        for i in 1..branches.len() {
            self.here = branches[i - 1].0.span;
            let what = |_: &str| "the statements of this branch and of the next one are swapped".to_owned();
            if self.offer(span, Kind::Swapped(i - 1), what) {
                let (front, back) = branches.split_at_mut(i);
                std::mem::swap(&mut front[i - 1].1, &mut back[0].1);
            }
        }
        branches.iter_mut().for_each(|(_, body)| self.block(body));
        self.block(otherwise);
    }

    fn args(&mut self, args: &mut CallArgs) {
        args.inputs.iter_mut().for_each(|(_, e)| self.expr(e));
    }

    /// Visits an expression. Indices stay: a requirement need not notice one outside of its bounds, and constant ones are checked
    /// before.
    fn expr(&mut self, e: &mut Expr) {
        let span = e.span;
        match &mut e.kind {
            ExprKind::Literal(value) => {
                let was = *value;
                for other in self.near(e.ty, was) {
                    let (project, ty) = (self.project, e.ty);
                    let what =
                        |_: &str| format!("`{}` becomes `{}`", value_to_st(project, ty, was), value_to_st(project, ty, other));
                    if self.offer(span, Kind::Constant(other), what) {
                        e.kind = ExprKind::Literal(other);
                        return;
                    }
                }
            }
            ExprKind::Unary(UnOp::Not, inner) => {
                if self.offer(span, Kind::NotLeftOut, |text| format!("`NOT` is left out of {text}")) {
                    *e = (**inner).clone();
                    return;
                }
                self.expr(inner);
            }
            ExprKind::Unary(UnOp::Neg, inner) | ExprKind::Convert(_, inner) => self.expr(inner),
            ExprKind::Binary(op, a, b) => {
                for other in instead(*op) {
                    let (was, is) = (name(*op), name(*other));
                    if self.offer(span, Kind::Operator(*other), |text| format!("`{was}` becomes `{is}` in {text}")) {
                        *op = *other;
                        return;
                    }
                }
                self.expr(a);
                // A constant divisor is known not to be 0.
                if !matches!(op, BinOp::Div | BinOp::Mod) || !matches!(b.kind, ExprKind::Literal(_)) {
                    self.expr(b);
                }
            }
            ExprKind::Builtin(builtin @ (Builtin::Min | Builtin::Max), args) => {
                let is_min = *builtin == Builtin::Min;
                let (other, change) =
                    if is_min { (Builtin::Max, "`MIN` becomes `MAX`") } else { (Builtin::Min, "`MAX` becomes `MIN`") };
                if self.offer(span, Kind::Extremum, |text| format!("{change} in {text}")) {
                    *builtin = other;
                    return;
                }
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            ExprKind::Builtin(builtin, args) if !builtin.is_text() => args.iter_mut().for_each(|arg| self.expr(arg)),
            ExprKind::Call(_, args) => self.args(args),
            ExprKind::Builtin(..) | ExprKind::Text(_) | ExprKind::Read(_) | ExprKind::Arbitrary { .. } => {}
        }
    }

    /// Returns values beside a constant, of its type.
    fn near(&self, ty: TypeId, value: Value) -> Vec<Value> {
        let ty_here = &self.project.types[ty].ty;
        let step = match () {
            () if *ty_here == Type::Time => i128::from(self.ms),
            () if *ty_here == Type::LTime => i128::from(self.ms) * 1_000_000,
            () => 1,
        };
        let near = match value {
            Value::Bool(b) => vec![Value::Bool(!b)],
            Value::Int(i) => [step, -step].into_iter().filter_map(|step| i.checked_add(step)).map(Value::Int).collect(),
            Value::Real(bits) => vec![Value::real(f32::from_bits(bits) + 1.0)],
            Value::LReal(bits) => vec![Value::lreal(f64::from_bits(bits) + 1.0)],
        };
        near.into_iter().filter(|other| *other != value && self.project.holds(ty, *other)).collect()
    }
}

/// Returns whether another change is the negation of this condition.
fn says_its_negation(condition: &Expr) -> bool {
    matches!(
        condition.kind,
        ExprKind::Unary(UnOp::Not, _) | ExprKind::Binary(BinOp::Eq | BinOp::Ne, ..) | ExprKind::Literal(Value::Bool(_))
    )
}

/// Returns the operators that are easily confused with this one.
fn instead(op: BinOp) -> &'static [BinOp] {
    match op {
        BinOp::Add => &[BinOp::Sub],
        BinOp::Sub => &[BinOp::Add],
        BinOp::And => &[BinOp::Or],
        BinOp::Or | BinOp::Xor => &[BinOp::And],
        BinOp::AndThen => &[BinOp::OrElse],
        BinOp::OrElse => &[BinOp::AndThen],
        BinOp::Eq => &[BinOp::Ne],
        BinOp::Ne => &[BinOp::Eq],
        BinOp::Lt => &[BinOp::Le],
        BinOp::Le => &[BinOp::Lt],
        BinOp::Gt => &[BinOp::Ge],
        BinOp::Ge => &[BinOp::Gt],
        BinOp::Mul | BinOp::Div | BinOp::Mod => &[],
    }
}

fn name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Mod => "MOD",
        BinOp::And => "AND",
        BinOp::Or => "OR",
        BinOp::Xor => "XOR",
        BinOp::AndThen => "AND_THEN",
        BinOp::OrElse => "OR_ELSE",
        BinOp::Eq => "=",
        BinOp::Ne => "<>",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
    }
}

/// Returns the text at a place, cut to a line; elements of drawings have none.
fn excerpt(text: &str) -> String {
    const LONG: usize = 60;
    // Expressions nest: only a prefix of each is read.
    let text = text.char_indices().nth(8 * LONG).map_or(text, |(at, _)| &text[..at]);
    let line = text.split_whitespace().take(LONG).collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(';');
    match line.char_indices().nth(LONG) {
        _ if line.is_empty() || line.starts_with('<') => "what is drawn here".to_owned(),
        Some((at, _)) => format!("`{}…`", &line[..at]),
        None => format!("`{line}`"),
    }
}
