//! Instructions of Structured Text: calls of routines and Add-On Instructions, and instructions with an exact form.

use std::collections::{BTreeMap, BTreeSet};

use super::types::{Members, Required, Shapes, integer};
use super::{gaps, key};
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Name, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;

/// Instructions whose arguments may be words of the system, or empty.
const WITHOUT_ARGUMENTS: &[&str] = &["GSV", "SSV"];

/// Returns the text with white space for the arguments of GSV and SSV, which are not modelled.
///
/// Soundness: nothing is removed that may hold a statement or a mark of a comment.
pub(super) fn without_unmodelled_arguments(plain: &str) -> String {
    let mut text = plain.to_owned();
    for word in WITHOUT_ARGUMENTS {
        let starts: Vec<usize> = plain.match_indices(word).map(|(at, _)| at + word.len()).collect();
        for start in starts {
            let rest = plain.get(start..).unwrap_or("");
            let Some(inside) = rest.strip_prefix('(').and_then(|r| r.lines().next()?.split_once(')')) else { continue };
            let room = start + 1..start + 1 + inside.0.len();
            if !["//", "/*", "*/", "(", "*", ";", "'"].iter().any(|mark| inside.0.contains(mark)) {
                let spaces = " ".repeat(room.len());
                text.replace_range(room, &spaces);
            }
        }
    }
    text
}

/// Names that the statements of a POU may use.
pub(super) struct Scope<'s> {
    pub(super) shapes: &'s Shapes,
    pub(super) variables: Members,
    /// Parameters that stand for a tag of the caller, whose size may be another.
    pub(super) references: BTreeSet<String>,
    /// Routines of the program, with the names of their actions.
    pub(super) routines: BTreeMap<String, String>,
}

impl Scope<'_> {
    /// Gives calls and operators the form of the other languages.
    pub(super) fn statements(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            self.statement(stmt);
            for list in stmt.lists_mut() {
                self.statements(list);
            }
        }
    }

    fn statement(&self, stmt: &mut Stmt) {
        if let StmtKind::Call(name, args) = &stmt.kind
            && let Some(kind) = self.instruction(name, args)
        {
            stmt.kind = kind;
        }
        if let StmtKind::Assign(target, value) = &mut stmt.kind {
            self.fit(target, value);
        }
        expressions(stmt, &mut unmodelled);
    }

    /// Gives the numbers 0 and 1 the type of a truth value, where the target has it.
    fn fit(&self, target: &Expr, value: &mut Expr) {
        if self.shape(target).is_some_and(|shape| shape.eq("BOOL")) {
            truth(value);
        }
    }

    /// Returns the type of an element that a path names.
    pub(super) fn shape(&self, e: &Expr) -> Option<String> {
        let ExprKind::Name(name) = &e.kind else { return None };
        let shape = self.shapes.of(&self.variables, name)?;
        shape.dimensions.is_empty().then(|| key(&shape.ty))
    }

    /// Returns the statement for a call; `None` for calls of unknown names.
    fn instruction(&self, name: &Name, args: &[Arg]) -> Option<StmtKind> {
        if !name.path.is_empty() {
            return None;
        }
        let instruction = key(&name.root.text);
        if let Some(required) = self.shapes.required(&instruction) {
            return self.add_on(required, args);
        }
        let exact = match instruction.as_str() {
            "JSR" => return Some(self.jump(name, args).unwrap_or(StmtKind::Unsupported("instruction JSR with parameters"))),
            "COP" | "CPS" => self.copy(args),
            "SIZE" => self.size(args),
            _ => None,
        };
        exact.or_else(|| gaps::words_of(&instruction).map(StmtKind::Unsupported))
    }

    fn jump(&self, name: &Name, args: &[Arg]) -> Option<StmtKind> {
        let (routine, rest) = args.split_first()?;
        let none = |arg: &Arg| matches!(plain(arg).map(|e| &e.kind), Some(ExprKind::Literal(None, Literal::Int(0))));
        if !rest.iter().all(none) {
            return None;
        }
        self.call_of(&name_in(plain(routine)?)?.root.text, name.span)
    }

    /// Returns the call of a routine of the program.
    pub(super) fn call_of(&self, routine: &str, span: crate::text::Span) -> Option<StmtKind> {
        let action = self.routines.get(&key(routine))?;
        Some(StmtKind::Call(Name::plain(Ident::new(action.clone(), span)), Vec::new()))
    }

    /// Returns the copy of one element to another of the same type; `None` if bytes are copied.
    fn copy(&self, args: &[Arg]) -> Option<StmtKind> {
        let [source, target, count] = args else { return None };
        let (source, target) = (plain(source)?, plain(target)?);
        let is_one = matches!(plain(count)?.kind, ExprKind::Literal(None, Literal::Int(1)));
        let same = self.shape(source).filter(|ty| Some(ty) == self.shape(target).as_ref());
        let is_data = same.is_some_and(|ty| self.shapes.required(&ty).is_none());
        (is_one && is_data).then(|| StmtKind::Assign(target.clone(), source.clone()))
    }

    /// Returns the assignment of an array's length; `None` if only the caller knows it.
    fn size(&self, args: &[Arg]) -> Option<StmtKind> {
        let [array, dimension, target] = args else { return None };
        let (array, target) = (plain(array)?, plain(target)?);
        let ExprKind::Literal(None, Literal::Int(dimension)) = plain(dimension)?.kind else { return None };
        let name = name_in(array)?;
        let is_reference = name.path.is_empty() && self.references.contains(&key(&name.root.text));
        let shape = self.shapes.of(&self.variables, name).filter(|_| !is_reference)?;
        let length = shape.dimensions.get(usize::try_from(dimension).ok()?)?;
        Some(StmtKind::Assign(target.clone(), integer(i128::from(*length), array.span)))
    }

    /// Returns the call of an Add-On Instruction: its instance, then its required parameters in their order.
    pub(super) fn add_on(&self, required: &[Required], args: &[Arg]) -> Option<StmtKind> {
        let (instance, values) = args.split_first()?;
        let instance = name_in(plain(instance)?)?.clone();
        if values.len() != required.len() {
            return Some(StmtKind::Unsupported("call of an Add-On Instruction with missing arguments"));
        }
        let members = self.shapes.of(&self.variables, &instance).and_then(|shape| self.shapes.members(&shape.ty));
        let mut named = Vec::new();
        for (parameter, value) in required.iter().zip(values) {
            let mut value = plain(value)?.clone();
            let name = Ident::new(parameter.name.clone(), value.span);
            if members.and_then(|m| m.get(&key(&name.text))).is_some_and(|shape| shape.ty.eq_ignore_ascii_case("BOOL")) {
                truth(&mut value);
            }
            named.push(match parameter.usage.as_str() {
                "Output" => Arg::Output { name, target: Some(value), negated: false },
                _ => Arg::Input(name, value),
            });
        }
        Some(StmtKind::Call(instance, named))
    }
}

fn plain(arg: &Arg) -> Option<&Expr> {
    if let Arg::Positional(e) = arg { Some(e) } else { None }
}

fn name_in(e: &Expr) -> Option<&Name> {
    if let ExprKind::Name(name) = &e.kind { Some(name) } else { None }
}

/// Makes a truth value of 0 and 1.
fn truth(e: &mut Expr) {
    if let ExprKind::Literal(None, Literal::Int(number @ (0 | 1))) = e.kind {
        *e = Expr::truth(number == 1, e.span);
    }
}

/// Functions whose results outside of their domain or range differ from those of the standard.
const FUNCTIONS: &[&str] = &["SQRT", "TRUNC", "EXPT", "**"];

/// Replaces operations that Logix computes in its own way by a gap: division by zero gives the dividend.
fn unmodelled(e: &mut Expr) {
    if let ExprKind::Call(name, _) = &e.kind
        && FUNCTIONS.contains(&key(&name.root.text).as_str())
    {
        e.kind = ExprKind::Literal(None, Literal::Opaque("function SQRT, TRUNC or power of Logix"));
    }
    if let ExprKind::Binary(BinOp::Div | BinOp::Mod, _, divisor) = &e.kind
        && !is_nonzero(divisor)
    {
        e.kind = ExprKind::Literal(None, Literal::Opaque("division by a value that may be zero"));
    }
}

/// Returns whether an expression is a number other than zero.
fn is_nonzero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Literal(None, Literal::Int(number)) => *number != 0,
        ExprKind::Literal(None, Literal::Real(digits)) => digits.parse::<f32>().is_ok_and(|number| number != 0.0),
        ExprKind::Literal(..)
        | ExprKind::Name(_)
        | ExprKind::Address(_)
        | ExprKind::Call(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Error => false,
    }
}

/// Calls `edit` with each expression of a statement, without those of statements inside.
fn expressions(stmt: &mut Stmt, edit: &mut dyn FnMut(&mut Expr)) {
    match &mut stmt.kind {
        StmtKind::Assign(target, value) | StmtKind::RefAssign(_, target, value) => {
            inside(target, edit);
            inside(value, edit);
        }
        StmtKind::If(branches, _) => branches.iter_mut().for_each(|(condition, _)| inside(condition, edit)),
        StmtKind::Case(e, ..) | StmtKind::While(e, _) | StmtKind::Repeat(_, e) => inside(e, edit),
        StmtKind::For { bounds, .. } => {
            inside(&mut bounds.from, edit);
            inside(&mut bounds.to, edit);
            bounds.by.iter_mut().for_each(|by| inside(by, edit));
        }
        StmtKind::Call(name, args) => {
            of_path(name, edit);
            of_arguments(args, edit);
        }
        StmtKind::Value(e) | StmtKind::Assert(e, _) | StmtKind::Let(_, e) | StmtKind::Keep(_, e) => inside(e, edit),
        StmtKind::Exit
        | StmtKind::Continue
        | StmtKind::Return
        | StmtKind::Label(..)
        | StmtKind::Goto(..)
        | StmtKind::Empty
        | StmtKind::Unsupported(_)
        | StmtKind::Error => {}
    }
}

fn inside(e: &mut Expr, edit: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Name(name) => of_path(name, edit),
        ExprKind::Call(name, args) => {
            of_path(name, edit);
            of_arguments(args, edit);
        }
        ExprKind::Unary(_, operand) => inside(operand, edit),
        ExprKind::Binary(_, left, right) => {
            inside(left, edit);
            inside(right, edit);
        }
        ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => {}
    }
    edit(e);
}

fn of_path(name: &mut Name, edit: &mut dyn FnMut(&mut Expr)) {
    for element in &mut name.path {
        if let NameElem::Index(indices, _) = element {
            indices.iter_mut().for_each(|index| inside(index, edit));
        }
    }
}

fn of_arguments(args: &mut [Arg], edit: &mut dyn FnMut(&mut Expr)) {
    for arg in args {
        if let Arg::Positional(e) | Arg::Input(_, e) | Arg::Output { target: Some(e), .. } = arg {
            inside(e, edit);
        }
    }
}
