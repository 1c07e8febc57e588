//! Expressions, with the precedence of Theta's grammar. Long chains are loops; only parentheses nest, up to a limit.

use plc_frontend::source::Span;

use super::ast::{Binary, BvOperator, BvRelation, Expr, Node, NodeKind, Unary};
use super::lex::Kind;
use super::parse::Parser;
use crate::expr::BvBin;

/// Deepest nesting of parentheses and brackets.
const DEEPEST: usize = 200;

impl Parser<'_, '_> {
    /// Returns a whole expression.
    pub(super) fn expression(&mut self) -> Option<Expr> {
        let first = self.nodes.len();
        let root = self.expr()?;
        Some(Expr { first, root })
    }
    pub(super) fn node(&mut self, kind: NodeKind, span: Span) -> usize {
        self.nodes.push(Node { kind, span });
        self.nodes.len() - 1
    }
    fn binary(&mut self, op: Binary, a: usize, b: usize) -> usize {
        let span = self.nodes[a].span.to(self.nodes[b].span);
        self.node(NodeKind::Binary(op, a, b), span)
    }
    pub(super) fn expr(&mut self) -> Option<usize> {
        if self.depth == DEEPEST {
            let span = self.here();
            self.refuse(span, "an expression with more than 200 parentheses in each other", "give parts of it to variables");
            return None;
        }
        self.depth += 1;
        let e = self.branches();
        self.depth -= 1;
        e
    }
    /// Reads `if c then a else if d then b else e`.
    fn branches(&mut self) -> Option<usize> {
        if self.begins_function() {
            let span = self.here();
            self.refuse(span, "a function", "write out what the function does");
            return None;
        }
        let mut branches = Vec::new();
        while self.eat_word("if") {
            let condition = self.expr()?;
            self.expect_word("then")?;
            let yes = self.expr()?;
            self.expect_word("else")?;
            branches.push((condition, yes));
        }
        let mut e = self.iff()?;
        for (condition, yes) in branches.into_iter().rev() {
            let span = self.nodes[condition].span.to(self.nodes[e].span);
            e = self.node(NodeKind::Ite(condition, yes, e), span);
        }
        Some(e)
    }
    /// Returns whether a function begins here: `(x : int) -> …` or `() -> …`.
    fn begins_function(&self) -> bool {
        self.peek() == Kind::Symbol("(")
            && match self.peek_behind(1) {
                Kind::Word(_) => self.peek_behind(2) == Kind::Symbol(":"),
                Kind::Symbol(")") => true,
                Kind::Symbol(_) | Kind::Number(_) | Kind::Bits(..) | Kind::End => false,
            }
    }
    /// Reads operands with one operator between, which groups to the right.
    fn grouped_right(&mut self, op: Binary, words: &[Kind<'static>], operand: fn(&mut Self) -> Option<usize>) -> Option<usize> {
        let mut operands = vec![operand(self)?];
        while words.contains(&self.peek()) {
            self.at += 1;
            operands.push(operand(self)?);
        }
        let mut e = operands.pop()?;
        while let Some(a) = operands.pop() {
            e = self.binary(op, a, e);
        }
        Some(e)
    }
    /// Reads operands with operators between, which group to the left.
    fn grouped_left(
        &mut self,
        op: fn(&mut Self) -> Option<Option<Binary>>,
        operand: fn(&mut Self) -> Option<usize>,
    ) -> Option<usize> {
        let mut e = operand(self)?;
        while let Some(op) = op(self)? {
            let b = operand(self)?;
            e = self.binary(op, e, b);
        }
        Some(e)
    }
    fn iff(&mut self) -> Option<usize> {
        self.grouped_right(Binary::Iff, &[Kind::Word("iff")], Self::implication)
    }
    fn implication(&mut self) -> Option<usize> {
        self.grouped_right(Binary::Imply, &[Kind::Word("imply"), Kind::Symbol("=>")], Self::quantified)
    }
    fn quantified(&mut self) -> Option<usize> {
        let span = self.here();
        if let Kind::Word(word @ ("forall" | "exists")) = self.peek() {
            self.refuse(span, &format!("a quantifier (`{word}`)"), "write out what it says");
            return None;
        }
        let e = self.grouped_left(|p| p.word_operator(&[("or", Binary::Or)]), Self::exclusive)?;
        if let Kind::Word(word @ ("fpmax" | "fpmin")) = self.peek() {
            let span = self.here();
            self.refuse(span, &format!("`{word}`"), "use `if a < b then a else b`, which says what it gives for zeros");
            return None;
        }
        Some(e)
    }
    fn exclusive(&mut self) -> Option<usize> {
        self.grouped_right(Binary::Xor, &[Kind::Word("xor")], |p| {
            p.grouped_left(|p| p.word_operator(&[("and", Binary::And)]), Self::negation)
        })
    }
    fn negation(&mut self) -> Option<usize> {
        let mut spans = Vec::new();
        while self.peek() == Kind::Word("not") {
            spans.push(self.next().span);
        }
        let mut e = self.grouped_left(
            |p| Some(p.symbol_operator(&[("=", Binary::Eq), ("/=", Binary::Neq)])),
            |p| p.grouped_left(Self::relation, Self::bits_or),
        )?;
        for span in spans.into_iter().rev() {
            let span = span.to(self.nodes[e].span);
            e = self.node(NodeKind::Unary(Unary::Not, e), span);
        }
        Some(e)
    }
    fn relation(&mut self) -> Option<Option<Binary>> {
        let symbol = self.symbol_operator(&[("<", Binary::Lt), ("<=", Binary::Leq), (">", Binary::Gt), (">=", Binary::Geq)]);
        if symbol.is_some() {
            return Some(symbol);
        }
        self.word_operator(&[
            ("bvult", Binary::Bv(BvRelation::Ult)),
            ("bvule", Binary::Bv(BvRelation::Ule)),
            ("bvugt", Binary::Bv(BvRelation::Ugt)),
            ("bvuge", Binary::Bv(BvRelation::Uge)),
            ("bvslt", Binary::Bv(BvRelation::Slt)),
            ("bvsle", Binary::Bv(BvRelation::Sle)),
            ("bvsgt", Binary::Bv(BvRelation::Sgt)),
            ("bvsge", Binary::Bv(BvRelation::Sge)),
        ])
    }
    fn bits_or(&mut self) -> Option<usize> {
        self.grouped_left(
            |p| p.word_operator(&[("bvor", Binary::BvOp(BvOperator::Plain(BvBin::Or)))]),
            |p| {
                p.grouped_left(
                    |p| p.word_operator(&[("bvxor", Binary::BvOp(BvOperator::Plain(BvBin::Xor)))]),
                    |p| {
                        p.grouped_left(
                            |p| p.word_operator(&[("bvand", Binary::BvOp(BvOperator::Plain(BvBin::And)))]),
                            Self::shift,
                        )
                    },
                )
            },
        )
    }
    fn shift(&mut self) -> Option<usize> {
        const SHIFTS: &[(&str, Binary)] = &[
            ("bvshl", Binary::BvOp(BvOperator::Plain(BvBin::Shl))),
            ("bvashr", Binary::BvOp(BvOperator::Plain(BvBin::Ashr))),
            ("bvlshr", Binary::BvOp(BvOperator::Plain(BvBin::Lshr))),
            ("bvrol", Binary::BvOp(BvOperator::Rol)),
            ("bvror", Binary::BvOp(BvOperator::Ror)),
        ];
        self.grouped_left(
            |p| p.word_operator(SHIFTS),
            |p| p.grouped_left(Self::sum, |p| p.grouped_left(Self::product, Self::joined)),
        )
    }
    fn sum(&mut self) -> Option<Option<Binary>> {
        let symbol = self.symbol_operator(&[("+", Binary::Add), ("-", Binary::Sub)]);
        if symbol.is_some() {
            return Some(symbol);
        }
        match self.text() {
            "fpadd" => Some(Some(Binary::FpAdd(self.operator_rounding()?))),
            "fpsub" => Some(Some(Binary::FpSub(self.operator_rounding()?))),
            _ => self.word_operator(&[
                ("bvadd", Binary::BvOp(BvOperator::Plain(BvBin::Add))),
                ("bvsub", Binary::BvOp(BvOperator::Plain(BvBin::Sub))),
            ]),
        }
    }
    fn product(&mut self) -> Option<Option<Binary>> {
        let symbol = self.symbol_operator(&[("*", Binary::Mul), ("/", Binary::Div)]);
        if symbol.is_some() {
            return Some(symbol);
        }
        match self.text() {
            "fpmul" => Some(Some(Binary::FpMul(self.operator_rounding()?))),
            "fpdiv" => Some(Some(Binary::FpDiv(self.operator_rounding()?))),
            "fprem" => {
                let span = self.here();
                self.refuse(span, "`fprem`", "write out how the remainder is found");
                None
            }
            _ => self.word_operator(&[
                ("mod", Binary::Mod),
                ("rem", Binary::Rem),
                ("bvmul", Binary::BvOp(BvOperator::Plain(BvBin::Mul))),
                ("bvudiv", Binary::BvOp(BvOperator::Plain(BvBin::Udiv))),
                ("bvsdiv", Binary::BvOp(BvOperator::Plain(BvBin::Sdiv))),
                ("bvsmod", Binary::BvOp(BvOperator::Smod)),
                ("bvurem", Binary::BvOp(BvOperator::Plain(BvBin::Urem))),
                ("bvsrem", Binary::BvOp(BvOperator::Plain(BvBin::Srem))),
            ]),
        }
    }
    fn joined(&mut self) -> Option<usize> {
        self.grouped_left(|p| Some(p.symbol_operator(&[("++", Binary::Concat)])), Self::extended)
    }
    fn extended(&mut self) -> Option<usize> {
        let e = self.unary()?;
        let signed = match self.text() {
            "bv_zero_extend" => false,
            "bv_sign_extend" => true,
            _ => return Some(e),
        };
        self.at += 1;
        self.expect_word("bv")?;
        let width = self.bv_width()?;
        let span = self.since(self.nodes[e].span);
        Some(self.node(NodeKind::Unary(Unary::Extend { signed, width }, e), span))
    }
    fn word_operator(&mut self, table: &[(&str, Binary)]) -> Option<Option<Binary>> {
        let Kind::Word(word) = self.peek() else { return Some(None) };
        let found = table.iter().find(|(name, _)| *name == word).map(|(_, op)| *op);
        self.at += usize::from(found.is_some());
        Some(found)
    }
    fn symbol_operator(&mut self, table: &[(&str, Binary)]) -> Option<Binary> {
        let Kind::Symbol(symbol) = self.peek() else { return None };
        let found = table.iter().find(|(name, _)| *name == symbol).map(|(_, op)| *op);
        self.at += usize::from(found.is_some());
        found
    }
}
