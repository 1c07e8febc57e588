//! Calls, assertions and operands of instructions.

use std::ops::Range;

use super::lower::Lowering;
use super::read::{Cond, Instruction};
use super::result::Current;
use crate::ast::{Arg, Expr, ExprKind, Name, Stmt, StmtKind};
use crate::lang::st::embedded;
use crate::text::{Diagnostic, Span};

impl Lowering<'_> {
    pub(super) fn call(&mut self, cond: Cond, instruction: &Instruction, live: bool) {
        let Some(callee) = self.operand(instruction) else { return };
        let kind = match callee.kind {
            ExprKind::Name(name) => StmtKind::Call(name, Vec::new()),
            ExprKind::Call(name, args) => StmtKind::Call(*name, args),
            ExprKind::Error => return,
            ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => {
                let message = "CAL calls an instance of a function block";
                let finding = Diagnostic::error("P1211", callee.span, message, "not an instance");
                self.out.findings.push(finding.help("write CAL instance(input := value)"));
                return;
            }
        };
        self.conditionally(cond, Stmt { kind, span: instruction.span }, instruction, live);
    }

    /// Assigns an input and calls: `IN timer`.
    pub(super) fn input(&mut self, instruction: &Instruction, live: bool) {
        let Some(instance) = self.operand(instruction) else { return };
        let Some(value) = self.take(instruction, live) else { return };
        if let ExprKind::Name(name) = instance.kind {
            let args = vec![Arg::Input(instruction.word.clone(), value)];
            self.push(StmtKind::Call(name, args), instruction.span);
        } else if !matches!(instance.kind, ExprKind::Error) {
            let message = format!("{} is an input of a function block: it needs an instance", instruction.word.text);
            let finding = Diagnostic::error("P1211", instance.span, message, "not an instance");
            self.out.findings.push(finding.help(format!("write {} instance", instruction.word.text)));
        }
    }

    /// Calls a function with the current result: `MAX b` is MAX(result, b).
    pub(super) fn function(&mut self, instruction: &Instruction) {
        let mut args = Vec::new();
        for range in &instruction.operands {
            match self.expression(range.clone()) {
                Some(e) => args.push(Arg::Positional(e)),
                None => {
                    self.current = Current::Wrong;
                    return;
                }
            }
        }
        let Some(first) = self.value(instruction) else { return };
        self.keep_waiting();
        args.insert(0, Arg::Positional(first.value));
        let name = Name::plain(instruction.word.clone());
        self.set(Expr { kind: ExprKind::Call(Box::new(name), args), span: instruction.span }, 1 + first.height);
    }

    pub(super) fn formal_function(&mut self, instruction: &Instruction) {
        self.spill();
        self.keep_waiting();
        let Some(call) = self.operand(instruction) else { return };
        let is_positional = |arg: &Arg| matches!(arg, Arg::Positional(_));
        let has_names = matches!(&call.kind, ExprKind::Call(_, args) if !args.iter().any(is_positional));
        if !has_names && !matches!(call.kind, ExprKind::Error) {
            let message = format!("the arguments of {} in parentheses need names", instruction.word.text);
            let finding = Diagnostic::error("P1211", call.span, message, "by position");
            let help = "write `name := value`, or leave the parentheses out: then the current result is the first argument";
            self.out.findings.push(finding.help(help));
            self.current = Current::Wrong;
            return;
        }
        self.set(call, 1);
    }

    pub(super) fn assertion(&mut self, instruction: &Instruction, live: bool) {
        if live {
            self.keep();
        }
        self.keep_waiting();
        let Some(range) = instruction.operands.first() else { return };
        // The reader of ST needs the assertion from the start of its comment, one word before.
        let line = self.text.get(..range.start).unwrap_or("").rfind("//").unwrap_or(range.start);
        let parsed = embedded::statements(self.file, self.text, line..range.end);
        let stmts = self.out.findings.keep(parsed);
        self.out.stmts.extend(stmts);
    }

    // -- operands ---------------------------------------------------------------------------------

    pub(super) fn push(&mut self, kind: StmtKind, span: Span) {
        self.out.stmts.push(Stmt { kind, span });
    }

    pub(super) fn no_operand(&mut self, instruction: &Instruction) {
        if let Some(range) = instruction.operands.first() {
            let place = Span::new(self.file, range.start, range.end);
            let message = format!("{} has no operand", instruction.word.text);
            let finding = Diagnostic::error("P1211", place, message, "superfluous");
            self.out.findings.push(finding.help("remove it"));
        }
    }

    pub(super) fn one_operand(&mut self, instruction: &Instruction) -> Option<Range<usize>> {
        match instruction.operands.as_slice() {
            [range] => Some(range.clone()),
            several => {
                let (place, here) = match several.get(1) {
                    Some(second) => (Span::new(self.file, second.start, second.end), "a second one"),
                    None => (instruction.word.span, "of what?"),
                };
                let message = format!("{} has one operand", instruction.word.text);
                let finding = Diagnostic::error("P1211", place, message, here);
                self.out.findings.push(finding.help(format!("write {} operand, on one line", instruction.word.text)));
                None
            }
        }
    }

    /// Reads the only operand; without one the current result becomes wrong.
    pub(super) fn operand(&mut self, instruction: &Instruction) -> Option<Expr> {
        let value = self.one_operand(instruction).and_then(|range| self.expression(range));
        if value.is_none() {
            self.current = Current::Wrong;
        }
        value
    }

    pub(super) fn expression(&mut self, range: Range<usize>) -> Option<Expr> {
        let place = Span::new(self.file, range.start, range.end);
        let parsed = embedded::expression(self.file, self.text, range);
        let is_sound = parsed.diagnostics.is_empty();
        let value = self.out.findings.keep(parsed);
        if is_sound && value.is_none() {
            let finding = Diagnostic::error("P1211", place, "an operand is missing", "nothing stands here");
            self.out.findings.push(finding.help("write a value between the commas"));
        }
        value.filter(|_| is_sound)
    }
}
