//! Types: `int`, `bv[8]`, `fp[8:24]`, `[int] -> bool`. Others are refused by name.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::lex::Kind;
use super::parse::Parser;
use crate::expr::{FloatSort, Sort};

impl Parser<'_, '_> {
    /// Reads a type; `None` after a finding about it.
    pub(super) fn sort(&mut self) -> Option<Sort> {
        let start = self.here();
        if self.eat("[") {
            let index = self.sort()?;
            self.expect("]")?;
            self.expect("->")?;
            let element = self.sort()?;
            let span = self.since(start);
            return match (index.scalar(), element.scalar()) {
                (Some(index), Some(element)) => Some(Sort::Array(index, element)),
                (_, _) => {
                    self.refuse(span, "an array of arrays", "use an array for each row, or one with wider indices");
                    None
                }
            };
        }
        if self.peek() == Kind::Symbol("(") {
            self.refuse(start, "a function type", "write out what the function does");
            return None;
        }
        match self.peek() {
            Kind::Word("bool") => {
                self.at += 1;
                Some(Sort::Bool)
            }
            Kind::Word("int") => {
                self.at += 1;
                Some(Sort::Int)
            }
            Kind::Word("rat") => {
                self.refuse(start, "a rational number", "use `int` or a float");
                None
            }
            Kind::Word("bv") => {
                self.at += 1;
                Some(Sort::BitVec(self.bv_width()?))
            }
            Kind::Word("fp") => {
                self.at += 1;
                Some(Sort::Float(self.float_format()?))
            }
            Kind::Word(_) | Kind::Number(_) | Kind::Bits(..) | Kind::Symbol(_) | Kind::End => {
                self.expected("a type (`bool`, `int`, `bv[8]`, `fp[8:24]`, `[int] -> int`)");
                None
            }
        }
    }
    /// Reads `[8]` of a bit vector.
    pub(super) fn bv_width(&mut self) -> Option<u16> {
        let start = self.here();
        self.expect("[")?;
        let width = self.number("a number of bits")?;
        self.expect("]")?;
        self.checked_width(width, start)
    }
    pub(super) fn checked_width(&mut self, width: u32, start: Span) -> Option<u16> {
        match width {
            1..=128 => Some(width as u16),
            0 => {
                let finding = Diagnostic::error("P6004", self.since(start), "a bit vector has at least one bit", "this has none");
                self.report(finding);
                None
            }
            _ => {
                let span = self.since(start);
                self.refuse(span, "a bit vector of more than 128 bits", "use several narrower ones");
                None
            }
        }
    }
    /// Reads `[8:24]` or `[8,24]` of a float.
    pub(super) fn float_format(&mut self) -> Option<FloatSort> {
        let start = self.here();
        self.expect("[")?;
        let exponent = self.number("the number of exponent bits")?;
        if !self.eat(":") && !self.eat(",") {
            self.expected("`:`");
            return None;
        }
        let significand = self.number("the number of significand bits")?;
        self.expect("]")?;
        self.checked_format(exponent, significand, start)
    }
    pub(super) fn checked_format(&mut self, exponent: u32, significand: u32, start: Span) -> Option<FloatSort> {
        let format = FloatSort::new(exponent, significand);
        if format.is_none() {
            let span = self.since(start);
            let limits = "2 to 30 bits of exponent, 2 to 113 of significand (with the hidden one), 128 in all";
            self.refuse(span, "a float of this format", limits);
        }
        format
    }
}
