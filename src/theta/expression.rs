//! Expressions, with the precedence of Theta's grammar. Long chains are loops; only parentheses nest, up to a limit.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::ast::{Binary, BvOperator, BvRelation, Expr, Node, NodeKind, Unary};
use super::lex::Kind;
use super::parse::Parser;
use crate::expr::{Rounding, Value};

/// Parentheses and brackets in each other.
const DEEPEST: usize = 200;

/// Words that are no names.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "iff", "imply", "forall", "exists", "or", "and", "xor", "not", "mod", "rem", "true", "false",
    "default", "var", "main", "process", "init", "final", "error", "loc", "assume", "havoc", "return",
];

impl Parser<'_, '_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Option<Expr> {
        let first = self.nodes.len();
        let root = self.expr()?;
        Some(Expr { first, root })
    }
    fn node(&mut self, kind: NodeKind, span: Span) -> usize {
        self.nodes.push(Node { kind, span });
        self.nodes.len() - 1
    }
    fn binary(&mut self, op: Binary, a: usize, b: usize) -> usize {
        let span = self.nodes[a].span.to(self.nodes[b].span);
        self.node(NodeKind::Binary(op, a, b), span)
    }
    fn expr(&mut self) -> Option<usize> {
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
    /// `if c then a else if d then b else e`
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
    /// `(x : int) -> …` or `() -> …`
    fn begins_function(&self) -> bool {
        self.peek() == Kind::Symbol("(")
            && match self.peek_behind(1) {
                Kind::Word(_) => self.peek_behind(2) == Kind::Symbol(":"),
                Kind::Symbol(")") => true,
                Kind::Symbol(_) | Kind::Number(_) | Kind::Bits(..) | Kind::End => false,
            }
    }
    /// Operands between which one operator stands that groups to the right.
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
    /// Operands between which operators stand that group to the left.
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
            |p| p.word_operator(&[("bvor", Binary::BvOp(BvOperator::Or))]),
            |p| {
                p.grouped_left(
                    |p| p.word_operator(&[("bvxor", Binary::BvOp(BvOperator::Xor))]),
                    |p| p.grouped_left(|p| p.word_operator(&[("bvand", Binary::BvOp(BvOperator::And))]), Self::shift),
                )
            },
        )
    }
    fn shift(&mut self) -> Option<usize> {
        const SHIFTS: &[(&str, Binary)] = &[
            ("bvshl", Binary::BvOp(BvOperator::Shl)),
            ("bvashr", Binary::BvOp(BvOperator::Ashr)),
            ("bvlshr", Binary::BvOp(BvOperator::Lshr)),
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
            _ => self.word_operator(&[("bvadd", Binary::BvOp(BvOperator::Add)), ("bvsub", Binary::BvOp(BvOperator::Sub))]),
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
                ("bvmul", Binary::BvOp(BvOperator::Mul)),
                ("bvudiv", Binary::BvOp(BvOperator::Udiv)),
                ("bvsdiv", Binary::BvOp(BvOperator::Sdiv)),
                ("bvsmod", Binary::BvOp(BvOperator::Smod)),
                ("bvurem", Binary::BvOp(BvOperator::Urem)),
                ("bvsrem", Binary::BvOp(BvOperator::Srem)),
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
    fn unary(&mut self) -> Option<usize> {
        let mut ops = Vec::new();
        loop {
            let span = self.here();
            let op = match self.text() {
                "+" | "bvpos" => Unary::Plus,
                "-" => Unary::Minus,
                "bvneg" => Unary::BvNeg,
                "bvnot" => Unary::BvNot,
                "fpabs" => Unary::FpAbs,
                "fpisnan" => Unary::FpIsNan,
                "fppos" => {
                    self.operator_rounding()?;
                    ops.push((Unary::Plus, span));
                    continue;
                }
                "fpneg" => {
                    self.operator_rounding()?;
                    ops.push((Unary::FpNeg, span));
                    continue;
                }
                "fpsqrt" => {
                    ops.push((Unary::FpSqrt(self.operator_rounding()?), span));
                    continue;
                }
                "fproundtoint" => {
                    ops.push((Unary::FpRound(self.operator_rounding()?), span));
                    continue;
                }
                "fptofp" => {
                    self.at += 1;
                    let sort = self.float_format()?;
                    ops.push((Unary::FpToFp(sort, self.rounding()?), span));
                    continue;
                }
                "fpfrombv" => {
                    self.at += 1;
                    let sort = self.float_format()?;
                    self.expect("[")?;
                    let signed = self.signedness()?;
                    self.expect("]")?;
                    ops.push((Unary::FpFromBv { sort, signed, rounding: self.rounding()? }, span));
                    continue;
                }
                "fptobv" => {
                    self.at += 1;
                    let start = self.here();
                    self.expect("[")?;
                    let width = self.number("a number of bits")?;
                    let width = self.checked_width(width, start)?;
                    self.expect("'")?;
                    let signed = self.signedness()?;
                    self.expect("]")?;
                    ops.push((Unary::FpToBv { width, signed, rounding: self.rounding()? }, span));
                    continue;
                }
                _ => break,
            };
            self.at += 1;
            ops.push((op, span));
        }
        let mut e = self.accessed()?;
        for (op, span) in ops.into_iter().rev() {
            let span = span.to(self.nodes[e].span);
            e = self.node(NodeKind::Unary(op, e), span);
        }
        Some(e)
    }
    fn signedness(&mut self) -> Option<bool> {
        let signed = match self.text() {
            "s" => true,
            "u" => false,
            _ => {
                self.expected("`u` (unsigned) or `s` (signed)");
                return None;
            }
        };
        self.at += 1;
        Some(signed)
    }
    /// The operator's word, and how it rounds.
    fn operator_rounding(&mut self) -> Option<Rounding> {
        self.at += 1;
        self.rounding()
    }
    /// `[RNE]`; to nearest even if nothing is written.
    fn rounding(&mut self) -> Option<Rounding> {
        let (Kind::Symbol("["), Kind::Word(mode), Kind::Symbol("]")) = (self.peek(), self.peek_behind(1), self.peek_behind(2))
        else {
            return Some(Rounding::NearestEven);
        };
        let rounding = match mode {
            "RNE" => Rounding::NearestEven,
            "RNA" => Rounding::NearestAway,
            "RTP" => Rounding::TowardPositive,
            "RTN" => Rounding::TowardNegative,
            "RTZ" => Rounding::TowardZero,
            _ => {
                self.at += 1;
                self.expected("RNE, RNA, RTP, RTN or RTZ");
                return None;
            }
        };
        self.at += 3;
        Some(rounding)
    }
    fn accessed(&mut self) -> Option<usize> {
        let mut e = self.primary()?;
        loop {
            let start = self.nodes[e].span;
            let here = self.here();
            match (self.peek(), self.peek_behind(1), self.peek_behind(2)) {
                (Kind::Symbol("'"), _, _) => {
                    self.refuse(here, "a primed expression", "a model of edges says with `:=` what is next");
                    return None;
                }
                (Kind::Symbol("("), _, _) => {
                    self.refuse(here, "a function", "write out what the function does");
                    return None;
                }
                (Kind::Symbol("["), Kind::Number(until), Kind::Symbol(":")) => {
                    self.at += 3;
                    let Kind::Number(from) = self.peek() else {
                        self.expected("the number of the lowest bit");
                        return None;
                    };
                    self.at += 1;
                    self.expect("]")?;
                    let span = self.since(start);
                    let (Ok(until), Ok(from)) = (until.parse(), from.parse()) else {
                        self.report(Diagnostic::error("P6004", span, "no bit vector has so many bits", "this part"));
                        return None;
                    };
                    e = self.node(NodeKind::Slice { of: e, until, from }, span);
                }
                (Kind::Symbol("["), _, _) => {
                    self.at += 1;
                    let index = self.expr()?;
                    let written = if self.eat("<-") { Some(self.expr()?) } else { None };
                    self.expect("]")?;
                    let span = self.since(start);
                    e = match written {
                        Some(element) => self.node(NodeKind::Write(e, index, element), span),
                        None => self.node(NodeKind::Read(e, index), span),
                    };
                }
                _ => return Some(e),
            }
        }
    }
    fn primary(&mut self) -> Option<usize> {
        let span = self.here();
        match self.peek() {
            Kind::Word(word @ ("true" | "false")) => {
                self.at += 1;
                Some(self.node(NodeKind::Bool(word == "true"), span))
            }
            Kind::Number(digits) => {
                self.at += 1;
                if self.peek() == Kind::Symbol("%") {
                    self.refuse(span, "a rational number", "use `int` or a float");
                    return None;
                }
                match digits.parse() {
                    Ok(v) => Some(self.node(NodeKind::Int(v), span)),
                    Err(_) => {
                        self.refuse(span, "an integer of more than 127 bits", "use smaller ones");
                        None
                    }
                }
            }
            Kind::Bits(..) => {
                let (width, bits) = self.bits()?;
                if !self.eat(".") {
                    return Some(self.node(NodeKind::Bits(width, bits), span));
                }
                let (fraction_width, fraction) = self.bits()?;
                let sort = self.checked_format(width.into(), u32::from(fraction_width) + 1, span)?;
                let span = self.since(span);
                Some(self.node(NodeKind::Float(sort, (bits << fraction_width) | fraction), span))
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let e = self.expr()?;
                self.expect(")")?;
                Some(e)
            }
            Kind::Symbol("[") => self.array(),
            Kind::Word(name) if !KEYWORDS.contains(&name) => {
                self.at += 1;
                Some(self.node(NodeKind::Var(name.to_owned(), None), span))
            }
            Kind::Word(_) | Kind::Symbol(_) | Kind::End => {
                self.expected("an expression");
                None
            }
        }
    }
    /// Width and bits of a literal.
    fn bits(&mut self) -> Option<(u16, u128)> {
        let span = self.here();
        let Kind::Bits(width, base, digits) = self.peek() else {
            self.expected("the bits of the significand (`23'd0`)");
            return None;
        };
        self.at += 1;
        let width = self.checked_width(width.parse().unwrap_or(u32::MAX), span)?;
        let limit = Value::bv(width, u128::MAX).as_unsigned()?;
        let (negative, magnitude) = match digits.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, digits.strip_prefix('+').unwrap_or(digits)),
        };
        // As many digits as are written, not as many as they need: leading zeros count in Theta for binary and hexadecimal.
        let (radix, written) = match base {
            'b' => (2, digits.len()),
            'x' => (16, digits.len().saturating_mul(4)),
            _ => (10, 0),
        };
        let value = u128::from_str_radix(magnitude, radix).ok();
        let fits = value.filter(|v| match negative {
            false => *v <= limit && written <= usize::from(width),
            true => *v <= 1 << (width - 1),
        });
        match fits {
            Some(v) => Some((width, if negative { v.wrapping_neg() & limit } else { v })),
            None => {
                let message = format!("the literal does not fit into {width} bits");
                self.report(Diagnostic::error("P6004", span, message, "this one"));
                None
            }
        }
    }
    /// `[0 <- a, 1 <- b, <int> default <- c]`
    fn array(&mut self) -> Option<usize> {
        let start = self.here();
        self.expect("[")?;
        let (mut entries, mut index) = (Vec::new(), None);
        loop {
            if self.eat("<") {
                index = Some(self.sort()?);
                self.expect(">")?;
                self.expect_word("default")?;
                break;
            }
            if self.eat_word("default") {
                break;
            }
            let at = self.expr()?;
            self.expect("<-")?;
            let element = self.expr()?;
            self.expect(",")?;
            entries.push((at, element));
        }
        self.expect("<-")?;
        let default = self.expr()?;
        self.expect("]")?;
        let span = self.since(start);
        if entries.is_empty() && index.is_none() {
            let finding = Diagnostic::error("P6004", span, "the type of the indices is not known", "of this array");
            self.report(finding.help("write it before `default`: `[<int> default <- 0]`"));
            return None;
        }
        Some(self.node(NodeKind::Array { entries, index, default }, span))
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
