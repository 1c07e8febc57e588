//! Statements of blocks: values go into the members of their tags, then the instruction executes.

use super::sheets::Block;
use super::{Gap, Typed};
use crate::ast::build::{binary, joined, not};
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::lang::logix::calls::{Scope, not_zero};
use crate::lang::logix::counters::member;
use crate::lang::logix::gaps::words_of;
use crate::lang::logix::operands::{Class, call_at, class_of, rounded};
use crate::lang::logix::select;
use crate::text::Span;

/// Statements of an instruction on its tag.
type Run = fn(&Parts<'_>) -> Vec<Stmt>;

/// Instructions with the types of their tags; numbers of blocks are REAL, those of logical blocks DINT.
const BLOCKS: &[(&str, &str, Run)] = &[
    ("ADD", "FBD_MATH", |b| b.dest(b.of_sources(BinOp::Add))),
    ("SUB", "FBD_MATH", |b| b.dest(b.of_sources(BinOp::Sub))),
    ("MUL", "FBD_MATH", |b| b.dest(b.of_sources(BinOp::Mul))),
    ("DIV", "FBD_MATH", |b| b.dest(b.of_sources(BinOp::Div))),
    ("EQU", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Eq))),
    ("NEQ", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Ne))),
    ("LES", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Lt))),
    ("GRT", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Gt))),
    ("LEQ", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Le))),
    ("GEQ", "FBD_COMPARE", |b| b.dest(b.of_sources(BinOp::Ge))),
    ("AND", "FBD_LOGICAL", |b| b.dest(b.of_words(BinOp::And))),
    ("OR", "FBD_LOGICAL", |b| b.dest(b.of_words(BinOp::Or))),
    ("XOR", "FBD_LOGICAL", |b| b.dest(b.of_words(BinOp::Xor))),
    ("ABS", "FBD_MATH_ADVANCED", |b| b.dest(call_at("ABS", vec![b.of("Source")], b.span))),
    ("NEG", "FBD_MATH_ADVANCED", |b| b.dest(b.minus("Source"))),
    ("LIM", "FBD_LIMIT", |b| b.dest(b.limits())),
    ("SEL", "SELECT", |b| vec![b.either("SelectorIn", ("Out", b.of("In2")), ("Out", b.of("In1")))]),
    ("ESEL", select::TYPE, |b| select::enhanced(b.tag, b.span)),
    ("BAND", "FBD_BOOLEAN_AND", |b| vec![b.set("Out", b.of_bits(BinOp::And))]),
    ("BOR", "FBD_BOOLEAN_OR", |b| vec![b.set("Out", b.of_bits(BinOp::Or))]),
    ("BXOR", "FBD_BOOLEAN_XOR", |b| vec![b.set("Out", binary(BinOp::Xor, b.of("In1"), b.of("In2"), b.span))]),
    ("BNOT", "FBD_BOOLEAN_NOT", |b| vec![b.set("Out", not(b.of("In")))]),
    ("SETD", "DOMINANT_SET", |b| b.flip_flop("Set")),
    ("RESD", "DOMINANT_RESET", |b| b.flip_flop("Reset")),
];

/// Returns the statements of a block; `wired` has the values at its pins.
pub(super) fn execute(block: &Block, wired: Vec<(&str, Typed)>, scope: &Scope<'_>, span: Span) -> Result<Vec<Stmt>, Gap> {
    if block.is_add_on {
        return add_on(block, wired, scope, span);
    }
    if let Some(call) = scope.stub_block(&block.name, &block.tag, span) {
        let set = |(pin, value): (&str, Typed)| {
            let target = member(&block.tag, pin, span);
            Ok(Stmt::assign(target.clone(), fit(&target, value, scope, span)?, span))
        };
        let stmts = wired.into_iter().map(set).collect::<Result<Vec<_>, Gap>>();
        return stmts.map(|stmts| stmts.into_iter().chain([call]).collect());
    }
    let row = BLOCKS.iter().find(|(name, ..)| *name == block.name);
    if row.is_none() && !matches!(block.name.as_str(), "TONR" | "RTOR") {
        return Err((words_of(&block.name).unwrap_or("block that is not known"), span));
    }
    let shape = scope.shape(&block.tag);
    let is_enabled = wired.iter().any(|(pin, _)| pin.eq_ignore_ascii_case("EnableIn"));
    let mut stmts = Vec::new();
    for (pin, value) in wired {
        let target = member(&block.tag, pin, span);
        let value = fit(&target, value, scope, span)?;
        stmts.push(Stmt::assign(target, value, span));
    }
    if let (Some("FBD_TIMER"), "TONR" | "RTOR") = (shape.as_deref(), block.name.as_str()) {
        if is_enabled {
            return Err(("timer of a diagram that is not always enabled", span));
        }
        let name = if block.name == "TONR" { "TONR" } else { "RTOR" };
        stmts.extend(scope.block(name, &block.tag, span).ok_or(("timer of a diagram", span))?);
        return Ok(stmts);
    }
    let (_, ty, run) = row.ok_or((words_of(&block.name).unwrap_or("block that is not known"), span))?;
    if shape.as_deref() != Some(*ty) {
        return Err(("tag of a block that is of another type", span));
    }
    let parts = Parts { tag: &block.tag, span };
    let mut enabled = Vec::new();
    if block.name == "DIV" {
        scope.shapes.divides.set(true);
        enabled.extend(not_zero(vec![parts.of("SourceB")]));
    }
    if *ty == select::TYPE {
        scope.assume(select::MEMORY);
    }
    enabled.extend(run(&parts));
    enabled.push(parts.set("EnableOut", Expr::truth(true, span)));
    let disabled = vec![parts.set("EnableOut", Expr::truth(false, span))];
    stmts.push(Stmt { kind: StmtKind::If(vec![(parts.of("EnableIn"), enabled)], disabled), span });
    Ok(stmts)
}

/// Returns a value in the type of its target; numbers and bits are not mixed.
pub(super) fn fit(target: &Expr, typed: Typed, scope: &Scope<'_>, span: Span) -> Result<Expr, Gap> {
    let ty = scope.shape(target).ok_or(("pin of a diagram that is not known", span))?;
    let Typed { value, class } = typed;
    let wanted = class_of(&ty).ok_or(("pin of a diagram that is not known", span))?;
    Ok(match (wanted, class) {
        (Class::Bit, Class::Bit) | (Class::Integer, Class::Integer) | (Class::Real, Class::Real) => value,
        (Class::Integer, Class::Real) => rounded(&ty, Expr { span, ..value }),
        (Class::Real, Class::Integer) => call_at("DINT_TO_REAL", vec![value], span),
        (Class::Bit, Class::Integer) if is_bit(&value) => {
            Expr::truth(matches!(value.kind, ExprKind::Literal(None, Literal::Int(1))), span)
        }
        (Class::Bit, _) | (_, Class::Bit) => return Err(("wire of a diagram between values of different types", span)),
    })
}

fn is_bit(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Literal(None, Literal::Int(0 | 1)))
}

/// Returns the call of an Add-On Instruction.
fn add_on(block: &Block, wired: Vec<(&str, Typed)>, scope: &Scope<'_>, span: Span) -> Result<Vec<Stmt>, Gap> {
    let ExprKind::Name(instance) = block.tag.kind.clone() else { return Err(("tag of a block", span)) };
    if scope.shapes.required(&block.name).is_none() || scope.shape(&block.tag) != Some(block.name.to_ascii_uppercase()) {
        return Err(("tag of a block that is of another type", span));
    }
    let mut args = Vec::new();
    let mut enable = None;
    for (pin, value) in wired {
        let value = fit(&member(&block.tag, pin, span), value, scope, span)?;
        if pin.eq_ignore_ascii_case("EnableIn") {
            enable = Some(value);
        } else {
            args.push(Arg::Input(Ident::new(pin, span), value));
        }
    }
    args.extend(block.references.iter().map(|(name, value)| Arg::Input(Ident::new(name.clone(), span), value.clone())));
    if scope.shapes.runs_disabled(&block.name) {
        let enable = enable.take().unwrap_or_else(|| Expr::truth(true, span));
        args.push(Arg::Input(Ident::new("EnableIn", span), enable));
    }
    let call = Stmt { kind: StmtKind::Call(instance, args), span };
    let Some(enable) = enable else { return Ok(vec![call]) };
    scope.shapes.skips.set(true);
    let mut rest: Vec<Stmt> = scope.shapes.not_enabled(&block.name, &block.tag, span).into_iter().collect();
    rest.push(Stmt::assign(member(&block.tag, "EnableOut", span), Expr::truth(false, span), span));
    Ok(vec![Stmt { kind: StmtKind::If(vec![(enable, vec![call])], rest), span }])
}

/// Members of the tag of a block.
struct Parts<'b> {
    tag: &'b Expr,
    span: Span,
}

impl Parts<'_> {
    fn of(&self, pin: &str) -> Expr {
        member(self.tag, pin, self.span)
    }

    fn set(&self, pin: &str, value: Expr) -> Stmt {
        Stmt::assign(self.of(pin), value, self.span)
    }

    fn dest(&self, value: Expr) -> Vec<Stmt> {
        vec![self.set("Dest", value)]
    }

    fn of_sources(&self, op: BinOp) -> Expr {
        binary(op, self.of("SourceA"), self.of("SourceB"), self.span)
    }

    fn of_words(&self, op: BinOp) -> Expr {
        let word = |pin: &str| call_at("DINT_TO_DWORD", vec![self.of(pin)], self.span);
        call_at("DWORD_TO_DINT", vec![binary(op, word("SourceA"), word("SourceB"), self.span)], self.span)
    }

    fn of_bits(&self, op: BinOp) -> Expr {
        let bits = (1..=8).map(|n| self.of(&format!("In{n}"))).collect();
        joined(op, bits, |_| self.span).unwrap_or_else(|| Expr::truth(false, self.span))
    }

    fn minus(&self, pin: &str) -> Expr {
        Expr { kind: ExprKind::Unary(crate::hir::UnOp::Neg, Box::new(self.of(pin))), span: self.span }
    }

    /// Returns whether Test is in the range; outside of it where the limits are the other way round.
    fn limits(&self) -> Expr {
        let test = |op, limit: &str| binary(op, self.of("Test"), self.of(limit), self.span);
        let inside = binary(BinOp::And, test(BinOp::Ge, "LowLimit"), test(BinOp::Le, "HighLimit"), self.span);
        let outside = binary(BinOp::Or, test(BinOp::Ge, "LowLimit"), test(BinOp::Le, "HighLimit"), self.span);
        let is_range = binary(BinOp::Le, self.of("LowLimit"), self.of("HighLimit"), self.span);
        let inner = binary(BinOp::And, is_range.clone(), inside, self.span);
        binary(BinOp::Or, inner, binary(BinOp::And, not(is_range), outside, self.span), self.span)
    }

    fn either(&self, bit: &str, then: (&str, Expr), otherwise: (&str, Expr)) -> Stmt {
        let (then, otherwise) = (self.set(then.0, then.1), self.set(otherwise.0, otherwise.1));
        Stmt { kind: StmtKind::If(vec![(self.of(bit), vec![then])], vec![otherwise]), span: self.span }
    }

    /// Returns the statements of a flip-flop one of whose inputs wins.
    fn flip_flop(&self, winner: &str) -> Vec<Stmt> {
        let kept = binary(BinOp::And, self.of("Out"), not(self.of("Reset")), self.span);
        let set = binary(BinOp::Or, self.of("Set"), kept, self.span);
        let value = if winner == "Set" {
            set
        } else {
            binary(BinOp::And, binary(BinOp::Or, self.of("Set"), self.of("Out"), self.span), not(self.of("Reset")), self.span)
        };
        vec![self.set("Out", value), self.set("OutNot", not(self.of("Out")))]
    }
}
