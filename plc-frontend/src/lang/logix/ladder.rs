//! Statements of rungs: each instruction takes the state of its rung and gives one to the next instruction.
//!
//! A level of a branch begins with the state before the branch; the state behind a branch is the OR of its levels.
//! Instructions execute from left to right and from top to bottom, also where their rung is FALSE.

use std::ops::Range;

use super::calls::Scope;
use super::counters::member;
use super::rungs::{self, Part};
use super::{Reader, attribute, gaps};
use crate::ast::build::{binary, joined, not};
use crate::ast::{Arg, Expr, ExprKind, Ident, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Statements of a routine in ladder.
#[derive(Default)]
pub(super) struct Ladder {
    pub(super) stmts: Vec<Stmt>,
    /// Statements of the prescan, before the first cycle.
    pub(super) prescan: Vec<Stmt>,
    /// Routines that it calls.
    pub(super) calls: Vec<String>,
    pub(super) n_states: u32,
}

/// Instruction whose operands are not of a kind that is modelled.
pub(super) const OPERAND: &str = "operand of a rung that is not modelled";

impl Reader {
    /// Reads the rungs of a routine.
    pub(super) fn ladder(&mut self, routine: Element<'_>, scope: &Scope<'_>, plain: &str) -> Ladder {
        let mut ladder = Ladder::default();
        for rung in routine.children_named("RLLContent").flat_map(|content| content.children_named("Rung")) {
            let span = rung.tag_span();
            // Rungs that are being edited online stand twice.
            if attribute(rung, "Type").as_deref().is_some_and(|ty| ty != "N") {
                ladder.stmts.push(Stmt::unsupported("rung with pending edits", span));
                continue;
            }
            let range = rung.child("Text").and_then(Element::text_range);
            let Some(parts) = range.and_then(|range| rungs::read(plain, range)) else {
                ladder.stmts.push(Stmt::unsupported("rung that is not neutral text", span));
                continue;
            };
            for series in parts {
                let mut writer = Writer { file: self.unit.file, scope, plain, ladder: &mut ladder };
                writer.series(&series, Expr::truth(true, span), span);
            }
        }
        ladder
    }
}

pub(super) struct Writer<'w> {
    file: crate::text::FileId,
    pub(super) scope: &'w Scope<'w>,
    plain: &'w str,
    pub(super) ladder: &'w mut Ladder,
}

impl Writer<'_> {
    fn series(&mut self, parts: &[Part], mut state: Expr, span: Span) -> Expr {
        for part in parts {
            state = match part {
                Part::Instruction { name, operands, all } => {
                    let span = Span::new(self.file, all.start, all.end);
                    let next = self.instruction(name, operands, &state, span);
                    next.unwrap_or_else(|words| {
                        self.ladder.stmts.push(Stmt::unsupported(words, span));
                        state
                    })
                }
                Part::Branch(levels) => {
                    let states = levels.iter().map(|level| self.series(level, state.clone(), span)).collect();
                    let any = joined(BinOp::Or, states, |_| span).unwrap_or(state);
                    self.keep(any, span)
                }
            };
        }
        state
    }

    /// Keeps a state in a hidden variable: later instructions do not change it.
    fn keep(&mut self, state: Expr, span: Span) -> Expr {
        self.ladder.n_states += 1;
        let name = Ident::new(format!("_rung{}", self.ladder.n_states), span);
        self.ladder.stmts.push(Stmt { kind: StmtKind::Let(name.clone(), state), span });
        Expr::variable(name)
    }

    pub(super) fn operand(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let parsed = embedded::expression(self.file, self.plain, range.clone());
        parsed.value.filter(|_| parsed.diagnostics.is_empty()).ok_or(OPERAND)
    }

    pub(super) fn when(&mut self, state: &Expr, stmts: Vec<Stmt>, span: Span) {
        self.ladder.stmts.push(Stmt::when(state.clone(), stmts, span));
    }

    /// Writes an instruction; returns the state behind it, or the words of the gap.
    fn instruction(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        if self.scope.shapes.required(name).is_some() {
            return self.add_on(name, texts, state, span);
        }
        if name == "JSR" {
            return self.jump(texts, state, span);
        }
        let gap = || gaps::words_of(name).unwrap_or("instruction that is not known");
        let arity = |n: usize| if texts.len() == n { Ok(()) } else { Err(gap()) };
        let (state, bool) = (state.clone(), |value| Expr::truth(value, span));
        match name {
            "NOP" => Ok(state),
            "AFI" => Ok(bool(false)),
            "XIC" | "XIO" => {
                arity(1)?;
                let bit = self.bit(&texts[0])?;
                let bit = if name == "XIO" { not(bit) } else { bit };
                Ok(self.keep(binary(BinOp::And, state, bit, span), span))
            }
            "OTE" => {
                arity(1)?;
                let bit = self.bit(&texts[0])?;
                self.ladder.prescan.push(Stmt::assign(bit.clone(), bool(false), span));
                self.ladder.stmts.push(Stmt::assign(bit, state.clone(), span));
                Ok(state)
            }
            "OTL" | "OTU" => {
                arity(1)?;
                let set = Stmt::assign(self.bit(&texts[0])?, bool(name == "OTL"), span);
                self.when(&state, vec![set], span);
                Ok(state)
            }
            "ONS" | "OSR" | "OSF" => self.one_shot(name, texts, state, span),
            "CTU" => {
                arity(3)?;
                self.count_up(&texts[0], &state, span)?;
                Ok(state)
            }
            "RES" => {
                arity(1)?;
                self.reset(&texts[0], &state, span)?;
                Ok(state)
            }
            "MOV" => {
                arity(2)?;
                let (source, target) = (self.operand(&texts[0])?, self.number(&texts[1])?);
                self.is_number(&source)?;
                self.when(&state, vec![Stmt::assign(target, source, span)], span);
                Ok(state)
            }
            "ADD" | "SUB" | "MUL" => {
                arity(3)?;
                self.arithmetic(name, texts, &state, span).map_err(|_| gap())?;
                Ok(state)
            }
            _ => match comparison(name) {
                Some(op) => {
                    arity(2)?;
                    let (left, right) = (self.operand(&texts[0])?, self.operand(&texts[1])?);
                    self.is_number(&left).and_then(|()| self.is_number(&right))?;
                    let compared = binary(op, left, right, span);
                    Ok(self.keep(binary(BinOp::And, state, compared, span), span))
                }
                None => Err(gap()),
            },
        }
    }

    /// Returns an operand that is a bit.
    fn bit(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let operand = self.operand(range)?;
        let is_bit = self.scope.shape(&operand).is_some_and(|ty| ty == "BOOL");
        if is_bit { Ok(operand) } else { Err(OPERAND) }
    }

    /// Returns an operand that is a tag of a number.
    fn number(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let operand = self.operand(range)?;
        if self.scope.shape(&operand).is_some_and(|ty| is_small_integer(&ty)) { Ok(operand) } else { Err(OPERAND) }
    }

    /// Checks that an operand is an integer of at most 32 bits or a literal.
    fn is_number(&self, operand: &Expr) -> Result<(), &'static str> {
        let is_literal = matches!(operand.kind, ExprKind::Literal(None, crate::ast::Literal::Int(_)));
        let is_tag = || self.scope.shape(operand).is_some_and(|ty| is_small_integer(&ty));
        if is_literal || is_tag() { Ok(()) } else { Err(OPERAND) }
    }

    fn arithmetic(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<(), &'static str> {
        let (left, right) = (self.operand(&texts[0])?, self.operand(&texts[1])?);
        let target = self.number(&texts[2])?;
        self.is_number(&left).and_then(|()| self.is_number(&right))?;
        let op = match name {
            "ADD" => BinOp::Add,
            "SUB" => BinOp::Sub,
            _ => BinOp::Mul,
        };
        self.when(state, vec![Stmt::assign(target, binary(op, left, right, span), span)], span);
        Ok(())
    }

    /// Writes ONS, OSR and OSF with the storage bit as their first operand.
    fn one_shot(&mut self, name: &str, texts: &[Range<usize>], state: Expr, span: Span) -> Result<Expr, &'static str> {
        let n_operands = if name == "ONS" { 1 } else { 2 };
        if texts.len() != n_operands {
            return Err(OPERAND);
        }
        let storage = self.bit(&texts[0])?;
        let output = texts.get(1).map(|text| self.bit(text)).transpose()?;
        let falls = name == "OSF";
        self.ladder.prescan.push(Stmt::assign(storage.clone(), Expr::truth(!falls, span), span));
        let (now, before) = if falls { (not(state.clone()), storage.clone()) } else { (state.clone(), not(storage.clone())) };
        let pulse = self.keep(binary(BinOp::And, now, before, span), span);
        self.ladder.stmts.push(Stmt::assign(storage, state.clone(), span));
        match output {
            None => Ok(pulse),
            Some(output) => {
                self.ladder.prescan.push(Stmt::assign(output.clone(), Expr::truth(false, span), span));
                self.ladder.stmts.push(Stmt::assign(output, pulse, span));
                Ok(state)
            }
        }
    }

    fn jump(&mut self, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        let words = "instruction JSR with parameters";
        let text = |range: &Range<usize>| self.plain.get(range.clone()).unwrap_or("").trim();
        let (routine, rest) = texts.split_first().ok_or(words)?;
        if !rest.iter().all(|count| text(count) == "0") {
            return Err(words);
        }
        let routine = text(routine).to_owned();
        let kind = self.scope.call_of(&routine, span).ok_or("instruction JSR of an unknown routine")?;
        self.when(state, vec![Stmt { kind, span }], span);
        self.ladder.calls.push(routine);
        Ok(state.clone())
    }

    /// Writes the call of an Add-On Instruction on a rung that is always TRUE.
    fn add_on(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        if !matches!(state.kind, ExprKind::Literal(None, crate::ast::Literal::Bool(true))) {
            return Err("Add-On Instruction behind a condition");
        }
        let args = texts.iter().map(|text| self.operand(text).map(Arg::Positional)).collect::<Result<Vec<_>, _>>()?;
        let required = self.scope.shapes.required(name).ok_or(OPERAND)?;
        let kind = self.scope.add_on(required, &args).ok_or(OPERAND)?;
        let enable = Expr { kind: ExprKind::Name(instance_of(&kind).ok_or(OPERAND)?), span };
        self.ladder.stmts.push(Stmt { kind, span });
        Ok(self.keep(member(&enable, "EnableOut", span), span))
    }
}

/// Returns the instance that a statement calls.
fn instance_of(kind: &StmtKind) -> Option<crate::ast::Name> {
    if let StmtKind::Call(name, _) = kind { Some(name.clone()) } else { None }
}

fn comparison(name: &str) -> Option<BinOp> {
    Some(match name {
        "EQU" | "EQ" => BinOp::Eq,
        "NEQ" | "NE" => BinOp::Ne,
        "LES" | "LT" => BinOp::Lt,
        "GRT" | "GT" => BinOp::Gt,
        "LEQ" | "LE" => BinOp::Le,
        "GEQ" | "GE" => BinOp::Ge,
        _ => return None,
    })
}

/// Returns whether arithmetic with a type has 32 signed bits.
fn is_small_integer(ty: &str) -> bool {
    matches!(ty, "SINT" | "INT" | "DINT")
}
