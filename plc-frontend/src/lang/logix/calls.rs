//! Instructions of Structured Text: calls of routines and Add-On Instructions, and instructions with an exact form.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::Aliases;
use super::counters::{STATUS, member};
use super::operands::{Class, call_at};
use super::types::{Members, Required, Shapes, integer};
use super::{expressions, gaps, key, select};
use crate::ast::build::binary;
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Name, RefAssign, Stmt, StmtKind};
use crate::hir::{BinOp, ZERO_DIVISOR};
use crate::text::Span;

/// Returns the text with white space for the arguments of SSV, and with `Class_ . Attribute` for the first three of GSV.
///
/// Soundness: nothing is removed that may hold a statement or a mark of a comment.
pub(super) fn without_words_of_the_system(plain: &str) -> String {
    let mut text = plain.to_owned();
    for word in ["GSV", "SSV"] {
        let starts: Vec<usize> = plain.match_indices(word).map(|(at, _)| at + word.len()).collect();
        for start in starts {
            let rest = plain.get(start..).unwrap_or("");
            let Some(inside) = rest.strip_prefix('(').and_then(|r| r.lines().next()?.split_once(')')) else { continue };
            if ["//", "/*", "*/", "(", "*", ";", "'"].iter().any(|mark| inside.0.contains(mark)) {
                continue;
            }
            let replaced = if word == "SSV" { Some(" ".repeat(inside.0.len())) } else { asked(inside.0) };
            if let Some(replaced) = replaced {
                text.replace_range(start + 1..start + 1 + replaced.len(), &replaced);
            }
        }
    }
    text
}

/// Returns the class and the attribute among the arguments of GSV as one path of the same length.
fn asked(args: &str) -> Option<String> {
    let commas: Vec<usize> = args.match_indices(',').map(|(at, _)| at).take(2).collect();
    let [first, second] = commas.as_slice() else { return None };
    let (class, instance) = (args.get(..*first)?, args.get(first + 1..*second)?);
    let attribute = args.get(second + 1..)?.split(',').next()?;
    // A class may be a word of the language, so it gets a mark behind it.
    let blanks = " ".repeat(class.len() - class.trim_end().len() + instance.len());
    Some(format!("{}_{blanks}.{attribute}", class.trim_end()))
}

/// Names that the statements of a POU may use.
pub(super) struct Scope<'s> {
    pub(super) shapes: &'s Shapes,
    pub(super) variables: Members,
    /// Parameters that stand for a tag of the caller, whose size may be another.
    pub(super) references: BTreeSet<String>,
    /// Routines of the program, with the names of their actions.
    pub(super) routines: BTreeMap<String, String>,
    pub(super) aliases: Aliases,
    /// The tags are those of an Add-On Instruction: its instance holds them all.
    pub(super) is_instruction: bool,
}

impl Scope<'_> {
    /// Gives calls and operators the form of the other languages.
    pub(super) fn statements(&self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            self.shapes.assumed.at(Some(stmt.span));
            self.statement(stmt);
            self.shapes.assumed.at(None);
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
        if let StmtKind::RefAssign(RefAssign::Attempt, target, value) = &stmt.kind {
            self.shapes.cleared.borrow_mut().push(target.clone());
            stmt.kind = StmtKind::Assign(target.clone(), value.clone());
        }
        if let StmtKind::Assign(target, value) = &mut stmt.kind {
            self.note_fraction(target, value);
            self.fit(target, value);
            if self.is_status(target) {
                stmt.kind = StmtKind::Unsupported(STATUS.into());
            } else if self.position(target).is_some() {
                stmt.kind = StmtKind::Unsupported("write of a bit by its position".into());
            } else if matches!(value.kind, ExprKind::Literal(None, Literal::String { .. })) {
                let stmts = self.text(target, value, stmt.span);
                stmt.kind = stmts.map_or(StmtKind::Unsupported("assignment of a text".into()), |list| block_of(list, stmt.span));
            }
        }
        self.operations(stmt);
    }

    /// Gives the operations of a statement the form of the other languages, with assertions about divisors before each use.
    fn operations(&self, stmt: &mut Stmt) {
        if let StmtKind::If(branches, rest) = &mut stmt.kind {
            self.nest(branches, rest);
        }
        self.shapes.divisors.borrow_mut().clear();
        self.shapes.before.borrow_mut().clear();
        expressions::of_statement(stmt, &mut |e| self.exact_operation(e));
        let divisors = std::mem::take(&mut *self.shapes.divisors.borrow_mut());
        let mut list = std::mem::take(&mut *self.shapes.before.borrow_mut());
        if divisors.is_empty() && list.is_empty() {
            return;
        }
        if !divisors.is_empty() {
            self.shapes.divides.set(true);
        }
        list.extend(not_zero(divisors));
        // The condition is computed behind each round.
        if let StmtKind::Repeat(body, _) = &mut stmt.kind {
            return body.append(&mut list);
        } else if let StmtKind::While(_, body) = &mut stmt.kind {
            body.extend(list.iter().cloned());
        }
        let span = stmt.span;
        let kind = std::mem::replace(&mut stmt.kind, StmtKind::Empty);
        list.push(Stmt { kind, span });
        stmt.kind = block_of(list, span);
    }

    /// Puts branches behind the first one into its ELSE where one of their conditions divides or compares texts: it is computed there.
    fn nest(&self, branches: &mut Vec<(Expr, Vec<Stmt>)>, rest: &mut Vec<Stmt>) {
        let has_statements = |condition: &Expr| {
            let mut found = false;
            expressions::inside(&mut condition.clone(), &mut |e| {
                let ExprKind::Binary(op, left, right) = &e.kind else { return };
                let is_test = matches!(op, BinOp::Eq | BinOp::Ne) && self.are_texts(left, right);
                found |= is_test || matches!(op, BinOp::Div | BinOp::Mod);
            });
            found
        };
        if branches.iter().skip(1).any(|(condition, _)| has_statements(condition)) {
            let later = branches.split_off(1);
            if let Some(span) = later.first().map(|(condition, _)| condition.span) {
                let otherwise = std::mem::take(rest);
                *rest = vec![Stmt { kind: StmtKind::If(later, otherwise), span }];
            }
        }
    }

    /// Gives the numbers 0 and 1 the type of a truth value, where the target has it.
    fn fit(&self, target: &Expr, value: &mut Expr) {
        if self.shape(target).is_some_and(|shape| shape.eq("BOOL")) {
            truth(value);
        }
        let plain = std::mem::replace(value, Expr::error(value.span));
        *value = self.converted(target, plain);
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
            return self.enabled(&instruction, required, args);
        }
        let exact = match instruction.as_str() {
            "JSR" => {
                return Some(self.jump(args, name.span).map_or_else(unsupported, |list| block_of(list, name.span)));
            }
            "RET" | "TND" => return Some(StmtKind::Return),
            "COP" | "CPS" | "FLL" => self.copy(name, args),
            "TONR" => self.block_call("TONR", args),
            "TOFR" => self.block_call("TOFR", args),
            "RTOR" => self.block_call("RTOR", args),
            "CTUD" => self.block_call("CTUD", args),
            "OSRI" => self.block_call("OSRI", args),
            "OSFI" => self.block_call("OSFI", args),
            "ESEL" => self.select(args),
            "SWPB" => self.swap(args),
            "GSV" => self.system_call(args, name.span),
            "CONCAT" | "MID" | "DELETE" | "DTOS" | "INSERT" | "FIND" | "STOD" | "UPPER" | "LOWER" => {
                self.text_call(&instruction, args, name.span)
            }
            "SSV" | "UID" | "UIE" | "EVENT" => self.without_effect(&instruction, args.len()).then_some(StmtKind::Empty),
            "SIZE" => self.size(args),
            _ => self.stub_call(&instruction, args),
        };
        exact.or_else(|| self.without_model(&instruction, args, name.span))
    }

    /// Returns the statement for an instruction without a model; `None` for calls of unknown names.
    fn without_model(&self, instruction: &str, args: &[Arg], span: Span) -> Option<StmtKind> {
        let words = gaps::words_of(instruction)?;
        let operands = args.iter().map(|arg| plain(arg).cloned()).collect::<Option<Vec<_>>>().unwrap_or_default();
        let why = match (instruction, operands.as_slice()) {
            ("COP" | "CPS" | "FLL", [source, target, length]) => self.why_not_copied(instruction, (source, target, length)),
            ("SWPB", _) => "operands other than INT and DINT, or an unknown order".to_owned(),
            ("SIZE", _) => "its first operand is no array with this dimension".to_owned(),
            _ => String::new(),
        };
        let words = if why.is_empty() { words.to_owned() } else { format!("{instruction}: {why}") };
        let stmts = self.unmodelled_call(instruction, &operands, &words, span);
        Some(stmts.map_or_else(|| StmtKind::Unsupported(words.into()), |stmts| block_of(stmts, span)))
    }

    /// Returns the call of a routine of the program.
    pub(super) fn call_of(&self, routine: &str, span: Span) -> Option<StmtKind> {
        let action = self.routines.get(&key(routine))?;
        Some(StmtKind::Call(Name::plain(Ident::new(action.clone(), span)), Vec::new()))
    }

    /// Returns whether a path begins with a parameter that stands for a tag of the caller.
    pub(super) fn is_reference(&self, e: &Expr) -> bool {
        name_in(e).is_some_and(|name| self.references.contains(&key(&name.root.text)))
    }

    fn block_call(&self, name: &'static str, args: &[Arg]) -> Option<StmtKind> {
        let [block] = args else { return None };
        let block = plain(block)?;
        let stmts = self.block(name, block, block.span)?;
        Some(block_of(stmts, block.span))
    }

    fn select(&self, args: &[Arg]) -> Option<StmtKind> {
        let [block] = args else { return None };
        let tag = plain(block)?;
        if self.shape(tag).as_deref() != Some(select::TYPE) {
            return None;
        }
        self.assume(select::MEMORY);
        Some(block_of(select::enhanced(tag, tag.span), tag.span))
    }

    fn stub_call(&self, instruction: &str, args: &[Arg]) -> Option<StmtKind> {
        let [block] = args else { return None };
        let tag = plain(block)?;
        self.stub_block(instruction, tag, tag.span).map(|stmt| stmt.kind)
    }

    fn text_call(&self, instruction: &str, args: &[Arg], span: Span) -> Option<StmtKind> {
        let operands = args.iter().map(|arg| plain(arg).cloned()).collect::<Option<Vec<_>>>()?;
        Some(block_of(self.text_instruction(instruction, &operands, span)?, span))
    }

    fn system_call(&self, args: &[Arg], span: Span) -> Option<StmtKind> {
        let operands = args.iter().map(|arg| plain(arg).cloned()).collect::<Option<Vec<_>>>()?;
        let stmts = self.system_value(&operands, span);
        Some(stmts.map_or_else(unsupported, |stmts| block_of(stmts, span)))
    }

    fn swap(&self, args: &[Arg]) -> Option<StmtKind> {
        let [source, order, target] = args else { return None };
        let (source, target) = (plain(source)?, plain(target)?);
        let order = plain(order)?;
        let order = match name_in(order) {
            Some(name) if name.path.is_empty() => name.root.text.clone(),
            Some(_) => return None,
            None => number_in(order)?.to_string(),
        };
        Some(StmtKind::Assign(target.clone(), self.swapped(source, &order, target)?))
    }

    /// Returns the copy of elements as one statement.
    fn copy(&self, name: &Name, args: &[Arg]) -> Option<StmtKind> {
        let [source, target, length] = args else { return None };
        let operands = (plain(source)?, plain(target)?, plain(length)?);
        let stmts = self.copied(&key(&name.root.text), operands, name.span)?;
        Some(block_of(stmts, name.span))
    }

    /// Returns the assignment of an array's length.
    pub(super) fn size(&self, args: &[Arg]) -> Option<StmtKind> {
        let [array, dimension, target] = args else { return None };
        let (array, target) = (plain(array)?, plain(target)?);
        let ExprKind::Literal(None, Literal::Int(dimension)) = plain(dimension)?.kind else { return None };
        let name = name_in(array)?;
        let is_reference = name.path.is_empty() && self.references.contains(&key(&name.root.text));
        let shape = self.shapes.of(&self.variables, name)?;
        let length = shape.dimensions.get(usize::try_from(dimension).ok()?)?;
        if is_reference {
            // Only the call knows it.
            let last = call_at("UPPER_BOUND", vec![array.clone(), integer(dimension + 1, array.span)], array.span);
            let length = binary(BinOp::Add, last, integer(1, array.span), array.span);
            return Some(StmtKind::Assign(target.clone(), length));
        }
        Some(StmtKind::Assign(target.clone(), integer(i128::from(*length), array.span)))
    }

    /// Returns the call of an Add-On Instruction in Structured Text, where EnableIn is always TRUE.
    fn enabled(&self, instruction: &str, required: &[Required], args: &[Arg]) -> Option<StmtKind> {
        let mut kind = self.add_on(required, args)?;
        if let StmtKind::Call(instance, args) = &mut kind
            && self.shapes.runs_disabled(instruction)
        {
            let name = Ident::new("EnableIn", instance.span);
            args.push(Arg::Input(name, Expr::truth(true, instance.span)));
        }
        let StmtKind::Call(instance, args) = kind else { return Some(kind) };
        let span = instance.span;
        let mut stmts = self.call_and_outputs(instance, args, span);
        if 1 < stmts.len() { Some(block_of(stmts, span)) } else { stmts.pop().map(|stmt| stmt.kind) }
    }

    /// Returns the call of an Add-On Instruction, and assignments of those outputs whose tags have another type.
    pub(super) fn call_and_outputs(&self, instance: Name, args: Vec<Arg>, span: Span) -> Vec<Stmt> {
        let tag = Expr { kind: ExprKind::Name(instance.clone()), span };
        let is_plain = |arg: &Arg| {
            let Arg::Output { name, target: Some(target), .. } = arg else { return true };
            let output = member(&tag, &name.text, span);
            let are_numbers = [&output, target].iter().all(|e| matches!(self.class(e), Some(Class::Integer | Class::Real)));
            !are_numbers || self.shape(&output) == self.shape(target)
        };
        let (args, apart): (Vec<Arg>, Vec<Arg>) = args.into_iter().partition(is_plain);
        let assigned = apart.iter().filter_map(|arg| {
            let Arg::Output { name, target: Some(target), .. } = arg else { return None };
            Some(Stmt::assign(target.clone(), self.converted(target, member(&tag, &name.text, span)), span))
        });
        let outputs: Vec<Stmt> = assigned.collect();
        if !apart.is_empty() {
            self.shapes.outputs.borrow_mut().insert(instance.span, apart);
        }
        let call = Stmt { kind: StmtKind::Call(instance, args), span };
        std::iter::once(call).chain(outputs).collect()
    }

    /// Returns the call of an Add-On Instruction: its instance, then its required parameters in their order.
    pub(super) fn add_on(&self, required: &[Required], args: &[Arg]) -> Option<StmtKind> {
        let (instance, values) = args.split_first()?;
        let instance = name_in(plain(instance)?)?.clone();
        if values.len() != required.len() {
            return Some(StmtKind::Unsupported("call of an Add-On Instruction with missing arguments".into()));
        }
        let members = self.shapes.of(&self.variables, &instance).and_then(|shape| self.shapes.members(&shape.ty));
        let mut named = Vec::new();
        for (parameter, value) in required.iter().zip(values) {
            let mut value = plain(value)?.clone();
            let name = Ident::new(parameter.name.clone(), value.span);
            if members.and_then(|m| m.get(&key(&name.text))).is_some_and(|shape| shape.ty.eq_ignore_ascii_case("BOOL")) {
                truth(&mut value);
            }
            if let Some(shape) = members.and_then(|m| m.get(&key(&name.text))).filter(|_| parameter.usage == "Input") {
                value = self.as_type(&shape.ty, value);
            }
            named.push(match parameter.usage.as_str() {
                "Output" => Arg::Output { name, target: Some(value), negated: false },
                _ => Arg::Input(name, value),
            });
        }
        Some(StmtKind::Call(instance, named))
    }
}

/// Returns statements as one.
pub(super) fn block_of(stmts: Vec<Stmt>, span: Span) -> StmtKind {
    StmtKind::If(vec![(Expr::truth(true, span), stmts)], Vec::new())
}

/// Returns assertions that divisors are not zero: a minor fault, after which the controller goes on.
pub(super) fn not_zero(divisors: Vec<Expr>) -> Vec<Stmt> {
    let assertion = |divisor: Expr| {
        let span = divisor.span;
        let condition = binary(BinOp::Ne, divisor, integer(0, span), span);
        Stmt { kind: StmtKind::Assert(condition, Some(Ident::new(ZERO_DIVISOR, span))), span }
    };
    divisors.into_iter().map(assertion).collect()
}

pub(super) fn plain(arg: &Arg) -> Option<&Expr> {
    if let Arg::Positional(e) = arg { Some(e) } else { None }
}

pub(super) fn name_in(e: &Expr) -> Option<&Name> {
    if let ExprKind::Name(name) = &e.kind { Some(name) } else { None }
}

/// Returns the number that a literal is.
pub(super) fn number_in(e: &Expr) -> Option<i128> {
    if let ExprKind::Literal(None, Literal::Int(number)) = e.kind { Some(number) } else { None }
}

/// Makes a truth value of 0 and 1.
fn truth(e: &mut Expr) {
    if let ExprKind::Literal(None, Literal::Int(number @ (0 | 1))) = e.kind {
        *e = Expr::truth(number == 1, e.span);
    }
}

fn unsupported(words: &'static str) -> StmtKind {
    StmtKind::Unsupported(words.into())
}
