//! Text → instructions: one on a line, except that the arguments in the parentheses of a call may stand on several.

use std::ops::Range;

use crate::ast::Ident;
use crate::hir::BinOp;
use crate::lang::common::findings::Findings;
use crate::lang::common::lexer::{Asides, Lexer};
use crate::lang::common::token::{Tok, Token};
use crate::text::{Diagnostic, FileId, Span};

/// Dependence of an instruction on the current result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cond {
    Always,
    IfTrue,
    IfFalse,
}

/// Operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Load {
        negated: bool,
    },
    Store {
        negated: bool,
    },
    Set,
    Reset,
    Not,
    Binary {
        op: BinOp,
        negated: bool,
    },
    Jump(Cond),
    Call(Cond),
    Return(Cond),
    /// `IN x`: assigns an input and calls.
    Input,
    /// `MAX x`: takes the current result as its first argument.
    Function,
    /// `LIMIT(MN := …)`
    FormalFunction,
    Label,
    /// `)`
    Close,
    /// `//#ASSERT`
    Assert,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub(super) op: Op,
    /// The operator's bytes; a label's or an assertion's.
    pub(super) word: Ident,
    /// `AND(`: the operation waits for the closing parenthesis.
    pub(super) opens: bool,
    pub(super) operands: Vec<Range<usize>>,
    pub(super) span: Span,
}

const fn binary(op: BinOp) -> Op {
    Op::Binary { op, negated: false }
}
const fn negated(op: BinOp) -> Op {
    Op::Binary { op, negated: true }
}

const OPERATORS: &[(&str, Op)] = &[
    ("LD", Op::Load { negated: false }),
    ("LDN", Op::Load { negated: true }),
    ("ST", Op::Store { negated: false }),
    ("STN", Op::Store { negated: true }),
    ("S", Op::Set),
    ("R", Op::Reset),
    ("NOT", Op::Not),
    ("AND", binary(BinOp::And)),
    ("&", binary(BinOp::And)),
    ("ANDN", negated(BinOp::And)),
    ("OR", binary(BinOp::Or)),
    ("ORN", negated(BinOp::Or)),
    ("XOR", binary(BinOp::Xor)),
    ("XORN", negated(BinOp::Xor)),
    ("ADD", binary(BinOp::Add)),
    ("SUB", binary(BinOp::Sub)),
    ("MUL", binary(BinOp::Mul)),
    ("DIV", binary(BinOp::Div)),
    ("MOD", binary(BinOp::Mod)),
    ("GT", binary(BinOp::Gt)),
    ("GE", binary(BinOp::Ge)),
    ("EQ", binary(BinOp::Eq)),
    ("NE", binary(BinOp::Ne)),
    ("LE", binary(BinOp::Le)),
    ("LT", binary(BinOp::Lt)),
    ("JMP", Op::Jump(Cond::Always)),
    ("JMPC", Op::Jump(Cond::IfTrue)),
    ("JMPCN", Op::Jump(Cond::IfFalse)),
    ("CAL", Op::Call(Cond::Always)),
    ("CALC", Op::Call(Cond::IfTrue)),
    ("CALCN", Op::Call(Cond::IfFalse)),
    ("RET", Op::Return(Cond::Always)),
    ("RETC", Op::Return(Cond::IfTrue)),
    ("RETCN", Op::Return(Cond::IfFalse)),
    ("S1", Op::Input),
    ("R1", Op::Input),
    ("CLK", Op::Input),
    ("CU", Op::Input),
    ("CD", Op::Input),
    ("PV", Op::Input),
    ("IN", Op::Input),
    ("PT", Op::Input),
];

/// The instructions of a text with their findings.
pub(super) struct List {
    pub(super) instructions: Vec<Instruction>,
    pub(super) findings: Findings,
}

/// Reads the instructions up to the first token that `ends`; also returns that token's place.
pub(super) fn instructions(file: FileId, text: &str, range: Range<usize>, ends: impl Fn(Tok) -> bool) -> (List, usize) {
    let mut lexer = Lexer::new(file, text, range.start, range.end);
    let mut asides = Asides::default();
    let mut tokens = Vec::new();
    let end = loop {
        let token = lexer.next(&mut asides);
        if token.kind == Tok::End || ends(token.kind) {
            break token.start as usize;
        }
        tokens.push(token);
    };
    let mut reader = Reader { file, text, tokens, pos: 0, instructions: Vec::new(), findings: asides.findings };
    while let Some(token) = reader.token(0) {
        reader.assertions(&mut asides.assertions, token.start);
        reader.instruction(token);
    }
    reader.assertions(&mut asides.assertions, end as u32);
    (List { instructions: reader.instructions, findings: reader.findings }, end)
}

struct Reader<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    pos: usize,
    instructions: Vec<Instruction>,
    findings: Findings,
}

impl Reader<'_> {
    fn token(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.pos + ahead).copied()
    }
    fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }
    fn text_of(&self, token: Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }
    /// Returns whether the current token stands on the line of the one before it.
    fn is_on_line(&self) -> bool {
        let before = self.pos.checked_sub(1).and_then(|before| self.tokens.get(before));
        match (before, self.token(0)) {
            (Some(before), Some(token)) => {
                !self.text.get(before.end as usize..token.start as usize).unwrap_or("\n").contains('\n')
            }
            (None, _) | (_, None) => false,
        }
    }
    /// Returns whether the current token is of this kind and on the line.
    fn at_on_line(&self, kind: Tok) -> bool {
        self.token(0).is_some_and(|token| token.kind == kind) && self.is_on_line()
    }

    fn assertions(&mut self, waiting: &mut std::collections::VecDeque<Span>, before: u32) {
        while let Some(place) = waiting.front().copied().filter(|place| place.start < before) {
            waiting.pop_front();
            if self.text.get(place.start as usize..place.end as usize).is_some_and(|text| text.starts_with("{{")) {
                let message = "code in C is not read in an instruction list";
                self.findings.push(Diagnostic::error("P1010", place, message, "code in C"));
                continue;
            }
            let range = place.start as usize..place.end as usize;
            let word = Ident { text: "//#ASSERT".to_owned(), span: place };
            self.instructions.push(Instruction { op: Op::Assert, word, opens: false, operands: vec![range], span: place });
        }
    }

    fn instruction(&mut self, first: Token) {
        let word = Ident { text: self.text_of(first).to_uppercase(), span: self.span(first) };
        let next = self.token(1).map(|token| token.kind);
        self.pos += 1;
        if first.kind == Tok::Semicolon {
            return;
        }
        if first.kind == Tok::RParen {
            return self.push(Op::Close, word, false, Vec::new());
        }
        if first.kind == Tok::Word && next == Some(Tok::Colon) {
            self.pos += 1;
            let word = Ident { text: self.text_of(first).to_owned(), ..word };
            return self.push(Op::Label, word, false, Vec::new());
        }
        let known = OPERATORS.iter().find(|(name, _)| *name == word.text).map(|(_, op)| *op);
        match known {
            Some(Op::Call(cond)) => self.call(Op::Call(cond), word),
            Some(op @ Op::Binary { .. }) if self.at_on_line(Tok::LParen) => {
                self.pos += 1;
                let operands = if self.at_on_line(Tok::RParen) { Vec::new() } else { self.operands() };
                self.push(op, word, true, operands);
            }
            Some(op) => {
                let operands = self.operands();
                self.push(op, word, false, operands);
            }
            None if first.kind == Tok::Word => {
                let word = Ident { text: self.text_of(first).to_owned(), ..word };
                if self.at_on_line(Tok::LParen) {
                    self.pos -= 1;
                    return self.call(Op::FormalFunction, word);
                }
                let operands = self.operands();
                self.push(Op::Function, word, false, operands);
            }
            None => self.unknown(first),
        }
    }

    fn unknown(&mut self, first: Token) {
        let message = format!("`{}` starts no instruction", self.text_of(first));
        let finding = Diagnostic::error("P1210", self.span(first), message, "neither an operator nor a label");
        self.findings.push(finding.help("write one instruction on a line: an operator, then its operands"));
        while self.is_on_line() {
            self.pos += 1;
        }
    }

    fn push(&mut self, op: Op, word: Ident, opens: bool, operands: Vec<Range<usize>>) {
        let last = self.pos.checked_sub(1).and_then(|last| self.tokens.get(last));
        let end = last.map_or(word.span.end, |token| token.end.max(word.span.end));
        let span = Span { end, ..word.span };
        self.instructions.push(Instruction { op, word, opens, operands, span });
    }

    /// Returns the operands up to the end of the line, separated by commas; brackets may extend over several lines.
    fn operands(&mut self) -> Vec<Range<usize>> {
        let mut operands: Vec<Range<usize>> = Vec::new();
        let mut open: Option<Range<usize>> = None;
        let mut depth = 0_usize;
        while let Some(token) = self.token(0) {
            let ends = depth == 0 && (!self.is_on_line() || matches!(token.kind, Tok::Semicolon | Tok::RParen));
            if ends {
                break;
            }
            self.pos += 1;
            if token.kind == Tok::Comma && depth == 0 {
                operands.push(open.take().unwrap_or(token.start as usize..token.start as usize));
                continue;
            }
            if matches!(token.kind, Tok::LParen | Tok::LBracket) {
                depth += 1;
            } else if matches!(token.kind, Tok::RParen | Tok::RBracket) {
                depth = depth.saturating_sub(1);
            }
            let start = open.map_or(token.start as usize, |range| range.start);
            open = Some(start..token.end as usize);
        }
        operands.extend(open);
        operands
    }

    /// Reads a call as one operand: `instance`, `instance(…)` or `function(…)`.
    fn call(&mut self, op: Op, word: Ident) {
        let start = self.pos;
        let is_function = op == Op::FormalFunction;
        let mut depth = 0_usize;
        let mut opener = None;
        while let Some(token) = self.token(0) {
            let first = is_function && self.pos == start;
            if depth == 0 && !first && (!self.is_on_line() || token.kind == Tok::Semicolon || opener.is_some()) {
                break;
            }
            self.pos += 1;
            if token.kind == Tok::LParen {
                opener = opener.or(Some(token));
                depth += 1;
            } else if token.kind == Tok::RParen {
                depth = depth.saturating_sub(1);
            }
        }
        if let (Some(opener), true) = (opener, 0 < depth) {
            let finding = Diagnostic::error("P1012", self.span(opener), "this parenthesis has no partner", "opens here");
            self.findings.push(finding.help("end the arguments of the call with `)`"));
        }
        let range = match (self.tokens.get(start), self.pos.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if start < self.pos => Some(first.start as usize..last.end as usize),
            (None | Some(_), _) => None,
        };
        self.push(op, word, false, range.into_iter().collect());
    }
}
