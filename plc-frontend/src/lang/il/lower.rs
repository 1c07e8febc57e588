//! Instructions → statements. The current result is carried along as an expression.

use std::collections::BTreeSet;

use super::read::{Cond, Instruction, Op};
use super::result::{Current, Tree, not};
use crate::ast::build;
use crate::ast::{Expr, Ident, Notation, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::lang::common::findings::Findings;
use crate::text::{Diagnostic, FileId, Span, key};

/// Statements of the instructions.
pub(super) struct Lowered {
    pub(super) stmts: Vec<Stmt>,
    pub(super) findings: Findings,
}

pub(super) fn lower(file: FileId, text: &str, instructions: Vec<Instruction>, findings: Findings) -> Lowered {
    let targets = targets(text, &instructions);
    let live = live(&instructions, &targets);
    let mut lowering = Lowering {
        file,
        text,
        targets,
        current: Current::Nothing,
        waiting: Vec::new(),
        n_hidden: 0,
        out: Lowered { stmts: Vec::new(), findings },
    };
    for (instruction, live) in instructions.iter().zip(live) {
        lowering.instruction(instruction, live);
    }
    for waiting in std::mem::take(&mut lowering.waiting) {
        let finding = Diagnostic::error("P1012", waiting.span, "this parenthesis has no partner", "opens here");
        lowering.out.findings.push(finding.help("end the instructions in parentheses with a line `)`"));
    }
    lowering.spill();
    lowering.out
}

/// Returns the labels of jumps.
fn targets(text: &str, instructions: &[Instruction]) -> BTreeSet<String> {
    let jumps = instructions.iter().filter(|i| matches!(i.op, Op::Jump(_)));
    jumps.flat_map(|i| &i.operands).filter_map(|range| text.get(range.clone())).map(|label| key(label.trim())).collect()
}

/// Returns whether the current result is used behind each instruction.
fn live(instructions: &[Instruction], targets: &BTreeSet<String>) -> Vec<bool> {
    let mut live = vec![false; instructions.len()];
    let mut behind = false;
    for (instruction, live) in instructions.iter().zip(&mut live).rev() {
        *live = behind;
        #[expect(clippy::wildcard_enum_match_arm, reason = "a result that is kept for nothing changes nothing")]
        let is_used = match instruction.op {
            Op::Load { .. } | Op::FormalFunction | Op::Jump(Cond::Always) | Op::Return(Cond::Always) => false,
            Op::Label if targets.contains(&key(&instruction.word.text)) => false,
            Op::Label | Op::Call(Cond::Always) | Op::Assert => behind,
            _ => true,
        };
        behind = is_used;
    }
    live
}

/// An operation that waits for its closing parenthesis. Without a left operand, a finding was reported.
pub(super) struct Waiting {
    op: BinOp,
    negated: bool,
    pub(super) left: Option<Tree>,
    span: Span,
}

pub(super) struct Lowering<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) targets: BTreeSet<String>,
    pub(super) current: Current,
    pub(super) waiting: Vec<Waiting>,
    pub(super) n_hidden: usize,
    pub(super) out: Lowered,
}

impl Lowering<'_> {
    fn instruction(&mut self, instruction: &Instruction, live: bool) {
        let span = instruction.span;
        match instruction.op {
            Op::Load { negated } => {
                self.spill();
                if let Some(value) = self.operand(instruction).map(|value| Tree { value, height: 1 }) {
                    self.current = Current::Value(if negated { not(value) } else { value });
                }
            }
            Op::Store { negated } => {
                let Some(target) = self.operand(instruction) else { return };
                let Some(value) = self.take(instruction, live) else { return };
                self.push(StmtKind::Assign(target, if negated { build::not(value) } else { value }), span);
            }
            Op::Set | Op::Reset => {
                let Some(target) = self.operand(instruction) else { return };
                let assignment = Stmt::assign(target, Expr::truth(instruction.op == Op::Set, span), span);
                self.conditionally(Cond::IfTrue, assignment, instruction, live);
            }
            Op::Not => {
                self.no_operand(instruction);
                if let Some(value) = self.value(instruction) {
                    self.current = Current::Value(not(value));
                }
            }
            Op::Binary { op, negated } if instruction.opens => self.open_parenthesis(op, negated, instruction),
            Op::Binary { op, negated } => {
                let Some(right) = self.operand(instruction).map(|value| Tree { value, height: 1 }) else { return };
                let Some(left) = self.value(instruction) else { return };
                self.combine(op, left, if negated { not(right) } else { right });
            }
            Op::Close => self.close_parenthesis(instruction),
            Op::Jump(cond) => self.jump(cond, instruction, live),
            Op::Return(cond) => {
                self.no_operand(instruction);
                self.transfer(cond, Stmt { kind: StmtKind::Return, span }, instruction, live);
            }
            Op::Call(cond) => self.call(cond, instruction, live),
            Op::Input => self.input(instruction, live),
            Op::Function => self.function(instruction),
            Op::FormalFunction => self.formal_function(instruction),
            Op::Label => self.label(instruction),
            Op::Assert => self.assertion(instruction, live),
        }
    }

    // -- parentheses ------------------------------------------------------------------------------

    fn open_parenthesis(&mut self, op: BinOp, negated: bool, instruction: &Instruction) {
        const DEEPEST: usize = 64;
        let mut left = self.value(instruction);
        if DEEPEST < self.waiting.len() {
            let finding = Diagnostic::error("P1020", instruction.span, "parentheses are nested too deeply", "one level too many");
            self.out.findings.push(finding.help("store parts of the result in variables"));
            left = None;
        }
        self.current = if left.is_some() { Current::Nothing } else { Current::Wrong };
        self.waiting.push(Waiting { op, negated, left, span: instruction.span });
        if !instruction.operands.is_empty()
            && let Some(value) = self.operand(instruction)
        {
            self.set(value, 1);
        }
    }

    fn close_parenthesis(&mut self, instruction: &Instruction) {
        let Some(waiting) = self.waiting.pop() else {
            let finding = Diagnostic::error("P1012", instruction.span, "`)` has no partner", "closes nothing that is open");
            self.out.findings.push(finding.help("remove it, or add the opening bracket"));
            return;
        };
        let right = self.value(instruction);
        if let (Some(left), Some(right)) = (waiting.left, right) {
            self.combine(waiting.op, left, if waiting.negated { not(right) } else { right });
        } else {
            self.current = Current::Wrong;
        }
    }

    // -- control ----------------------------------------------------------------------------------

    /// Adds a statement that depends on the current result.
    pub(super) fn conditionally(&mut self, cond: Cond, stmt: Stmt, instruction: &Instruction, live: bool) {
        let span = instruction.span;
        let value = match cond {
            Cond::Always => {
                if live {
                    self.keep();
                } else {
                    self.spill();
                }
                self.keep_waiting();
                self.out.stmts.push(stmt);
                return;
            }
            Cond::IfTrue => self.take(instruction, live),
            Cond::IfFalse => self.take(instruction, live).map(build::not),
        };
        if let Some(value) = value {
            self.push(StmtKind::If(vec![(value, vec![stmt])], Vec::new()), span);
        }
    }

    /// Adds a jump or return; behind an unconditional one there is no current result.
    fn transfer(&mut self, cond: Cond, stmt: Stmt, instruction: &Instruction, live: bool) {
        self.conditionally(cond, stmt, instruction, live && cond != Cond::Always);
    }

    fn jump(&mut self, cond: Cond, instruction: &Instruction, live: bool) {
        self.outside_parentheses(instruction);
        let Some(place) = self.one_operand(instruction) else { return };
        let text = self.text.get(place.clone()).unwrap_or("").trim().to_owned();
        let label = Ident { text, span: Span::new(self.file, place.start, place.end) };
        self.transfer(cond, Stmt { kind: StmtKind::Goto(label, Notation::Other), span: instruction.span }, instruction, live);
    }

    fn label(&mut self, instruction: &Instruction) {
        self.outside_parentheses(instruction);
        if self.targets.contains(&key(&instruction.word.text)) {
            self.spill();
            self.current = Current::Unclear;
        } else {
            self.keep();
        }
        self.push(StmtKind::Label(instruction.word.clone(), Notation::Other), instruction.word.span);
    }

    fn outside_parentheses(&mut self, instruction: &Instruction) {
        if let Some(open) = self.waiting.first() {
            let message = format!("{} cannot stand in parentheses", instruction.word.text);
            let finding = Diagnostic::error("P1012", instruction.span, message, "between `(` and `)`");
            self.out.findings.push(finding.label(open.span, "opens here").help("end the parentheses first"));
            self.waiting.clear();
            self.current = Current::Wrong;
        }
    }
}
