//! Operands: prefixes, accesses to arrays and bits, literals, names.

use plc_frontend::diagnostic::Diagnostic;

use super::ast::{NodeKind, Unary};
use super::lex::Kind;
use super::parse::Parser;
use crate::expr::{Rounding, Value};

/// Words that are no names.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "iff", "imply", "forall", "exists", "or", "and", "xor", "not", "mod", "rem", "true", "false",
    "default", "var", "main", "process", "init", "final", "error", "loc", "assume", "havoc", "return",
];

impl Parser<'_, '_> {
    pub(super) fn unary(&mut self) -> Option<usize> {
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
    /// Reads the rounding mode behind an operator's word.
    pub(super) fn operator_rounding(&mut self) -> Option<Rounding> {
        self.at += 1;
        self.rounding()
    }
    /// Reads `[RNE]`; without one it is to nearest even.
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
    /// Returns the width and bits of a literal.
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
        // Written digits count: leading zeros are significant in Theta for binary and hexadecimal.
        let (radix, written) = match base {
            'b' => (2, digits.len()),
            'x' => (16, digits.len().saturating_mul(4)),
            _ => (10, 0),
        };
        let value = u128::from_str_radix(magnitude, radix).ok();
        let fits = value.filter(|v| if negative { *v <= 1 << (width - 1) } else { *v <= limit && written <= usize::from(width) });
        match fits {
            Some(v) => Some((width, if negative { v.wrapping_neg() & limit } else { v })),
            None => {
                let message = format!("the literal does not fit into {width} bits");
                self.report(Diagnostic::error("P6004", span, message, "this one"));
                None
            }
        }
    }
    /// Reads `[0 <- a, 1 <- b, <int> default <- c]`.
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
}
