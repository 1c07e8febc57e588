//! Whole numbers and truth values as strings, built from functions on strings and numbers: the digits one by one, behind a sign.

use crate::dialect::{BitStrings, NumberTexts};
use crate::hir::{BinOp, Builtin, Conversion, Expr, ExprKind, Project, TypeId, UnOp};
use crate::resolve::exprs::expr;
use crate::resolve::exprs::operators::node;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, family};
use crate::resolve::types::table::TypeTable;

/// Most parts of an argument: it is computed once for each digit.
const MOST_PARTS: usize = 8;

impl Resolver<'_> {
    /// Returns `e` as a string of type `to`; `None` if its form depends on the controller, or it would be too large.
    pub(crate) fn number_text(&mut self, e: &Expr, to: TypeId) -> Option<Expr> {
        let wide = self.project.text(to)?.bits == 16;
        let is_known = self.dialect.number_texts == NumberTexts::Plain;
        if !is_known || !expr::repeatable(e) || MOST_PARTS < parts(e) {
            return None;
        }
        let family = family(&self.project, e.ty);
        let is_number = family == Family::Int || family == Family::Bits && self.dialect.bit_strings == BitStrings::Numbers;
        let spelled = if family == Family::Bool {
            self.types.truth_text(&mut self.project, e, wide)
        } else if is_number {
            self.types.decimal_text(&mut self.project, e, wide)?
        } else {
            return None;
        };
        self.project.as_text(spelled, to).ok()
    }
}

impl TypeTable {
    /// Returns `'TRUE'` or `'FALSE'`.
    fn truth_text(&mut self, project: &mut Project, e: &Expr, wide: bool) -> Expr {
        let span = e.span;
        let holds = convert(e.clone(), elementary::INT);
        let fails = node(BinOp::Sub, int(1, elementary::INT, e), holds.clone(), span);
        let length = |n: Expr, of: i128| node(BinOp::Mul, n, int(of, elementary::INT, e), span);
        let parts =
            vec![self.first(project, "TRUE", length(holds, 4), wide), self.first(project, "FALSE", length(fails, 5), wide)];
        self.joined(project, Builtin::Concat, parts, 5, wide)
    }

    /// Returns a number in decimal, with a sign before a negative one.
    fn decimal_text(&mut self, project: &mut Project, e: &Expr, wide: bool) -> Option<Expr> {
        let span = e.span;
        let ty = base(project, e.ty);
        let number = project.int_type(ty)?;
        let n_digits: u32 = match number.bits {
            8 => 3,
            16 => 5,
            32 => 10,
            64 if number.signed => 19,
            64 => 20,
            _ => return None,
        };
        let own =
            if ty == e.ty { e.clone() } else { Expr::new(ExprKind::Convert(Conversion::Widen, Box::new(e.clone())), ty, span) };
        let unsigned = elementary::unsigned(number.bits);
        let (negative, size) = if number.signed {
            let negative = node(BinOp::Lt, own.clone(), int(0, ty, e), span);
            let opposite = Expr::new(ExprKind::Unary(UnOp::Neg, Box::new(own.clone())), ty, span);
            let sizes = vec![negative.clone(), convert(own, unsigned), convert(opposite, unsigned)];
            (Some(negative), Expr::new(ExprKind::Builtin(Builtin::Sel, sizes), unsigned, span))
        } else {
            (None, convert(own, unsigned))
        };
        let power = |k: u32| int(10i128.pow(k), unsigned, e);
        // Pieces of nine digits each fit 32 bits: a division of 64 bits is costly.
        let split = number.bits == 64;
        let (group, part) = if split { (9, elementary::UDINT) } else { (n_digits, unsigned) };
        let groups = (0..n_digits.div_ceil(group)).map(|g| {
            let above = if g == 0 { size.clone() } else { node(BinOp::Div, size.clone(), power(g * group), span) };
            if !split {
                return above;
            }
            let is_last = n_digits <= (g + 1) * group;
            convert(if is_last { above } else { node(BinOp::Mod, above, power(group), span) }, part)
        });
        let groups: Vec<Expr> = groups.collect();
        let small = |k: u32| int(10i128.pow(k), part, e);
        let character = if wide { elementary::WCHAR } else { elementary::CHAR };
        let one = self.text(project, wide, 1, span);
        let digits = (0..n_digits).rev().map(|k| {
            let of = groups.get((k / group) as usize).unwrap_or(&size).clone();
            let rest = if k % group == 0 { of } else { node(BinOp::Div, of, small(k % group), span) };
            let digit = node(BinOp::Mod, rest, small(1), span);
            let code = node(BinOp::Add, digit, int(i128::from(b'0'), part, e), span);
            Expr::new(ExprKind::Convert(Conversion::Widen, Box::new(convert(code, character))), one, span)
        });
        let digits = digits.collect();
        let all = self.joined(project, Builtin::Concat, digits, n_digits as usize, wide);
        let more = |k: u32| convert(node(BinOp::Ge, size.clone(), power(k), span), elementary::INT);
        let count = (1..n_digits).fold(int(1, elementary::INT, e), |sum, k| node(BinOp::Add, sum, more(k), span));
        let written = self.joined(project, Builtin::Right, vec![all, count], n_digits as usize, wide);
        let Some(negative) = negative else { return Some(written) };
        let sign = self.first(project, "-", convert(negative, elementary::INT), wide);
        Some(self.joined(project, Builtin::Concat, vec![sign, written], n_digits as usize + 1, wide))
    }

    /// Returns the first characters of a word.
    fn first(&mut self, project: &mut Project, word: &str, count: Expr, wide: bool) -> Expr {
        let chars: Vec<u16> = word.encode_utf16().collect();
        let (length, span) = (chars.len(), count.span);
        let text = Expr::new(ExprKind::Text(chars), self.text(project, wide, length, span), span);
        self.joined(project, Builtin::Left, vec![text, count], length, wide)
    }

    /// Returns a call of a string function with a result of this length.
    fn joined(&mut self, project: &mut Project, f: Builtin, args: Vec<Expr>, length: usize, wide: bool) -> Expr {
        let span = args.first().map_or(crate::text::Span::none(), |arg| arg.span);
        Expr::new(ExprKind::Builtin(f, args), self.text(project, wide, length, span), span)
    }
}

fn int(value: i128, ty: TypeId, at: &Expr) -> Expr {
    Expr::int(value, ty, at.span)
}

fn convert(e: Expr, ty: TypeId) -> Expr {
    e.converted(Conversion::Convert, ty)
}

/// Returns the number of operators, functions and operands of an expression without calls.
fn parts(e: &Expr) -> usize {
    1 + e.operands().into_iter().map(parts).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId;
    use crate::interp::{Limits, Machine, Silent};
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    /// Checks `s` after one cycle, in a program of a dialect; gaps are named instead.
    #[track_caller]
    fn check(dialect: DialectId, vars: &str, value: &str, expected: &str) {
        let text = format!("PROGRAM P\nVAR\n{vars}\nEND_VAR\ns := {value};\nEND_PROGRAM\n");
        let mut sources = SourceSet::default();
        sources.add("a.st", text.as_str());
        let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        if let Some(gap) = parsed.value.ledger.gaps.first() {
            return assert_eq!(format!("gap {}", gap.construct), expected, "{text}");
        }
        let project = &parsed.value.project;
        let mut machine = Machine::new(project, Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 0).unwrap();
        machine.run(&mut Silent).unwrap();
        let leaves: Vec<_> = project.leaves().into_iter().filter(|leaf| leaf.name.starts_with("P.s[")).collect();
        let codes = leaves.iter().map_while(|leaf| machine.leaf(&leaf.name).and_then(|v| v.as_int()).filter(|code| *code != 0));
        let found: String = codes.map(|code| char::from_u32(code as u32).unwrap()).collect();
        assert_eq!(found, expected, "{text}");
        // The printed program means the same in the standard's dialect.
        let mut sources = SourceSet::default();
        sources.add("b.st", project.to_st());
        let again = load(&sources, &LoadOptions { dialect: Some(DialectId::Iec), ..LoadOptions::default() });
        assert!(!again.has_errors(), "{:#?}\n{}", again.diagnostics, project.to_st());
        assert_eq!(again.value.project.to_st(), project.to_st());
    }

    #[test]
    fn whole_numbers_and_truth_values_are_spelled() {
        let iec =
            |vars: &str, value: &str, expected: &str| check(DialectId::Iec, &format!("s : STRING; {vars}"), value, expected);
        for (ty, n) in [
            ("INT", 0i64),
            ("INT", 7),
            ("INT", -7),
            ("INT", 10),
            ("INT", 32767),
            ("INT", -32768),
            ("SINT", -128),
            ("SINT", 100),
            ("USINT", 255),
            ("UINT", 65535),
            ("UINT", 9999),
            ("DINT", -2_147_483_648),
            ("DINT", 1_000_000_000),
            ("UDINT", 4_294_967_295),
            ("LINT", 0),
            ("LINT", 1_000_000_000),
            ("LINT", 999_999_999_999_999_999),
            ("LINT", -1_000_000_000_000_000_001),
            ("LINT", i64::MAX),
            ("LINT", i64::MIN),
            ("ULINT", 9_223_372_036_854_775_807),
        ] {
            iec(&format!("n : {ty} := {n};"), &format!("{ty}_TO_STRING(n)"), &n.to_string());
        }
        iec("n : ULINT := 18446744073709551615;", "ULINT_TO_STRING(n)", "18446744073709551615");
        iec("n : ULINT := 10000000000000000000;", "ULINT_TO_STRING(n)", "10000000000000000000");
        iec("b : BOOL := TRUE;", "BOOL_TO_STRING(b)", "TRUE");
        iec("b : BOOL;", "BOOL_TO_STRING(b)", "FALSE");
        iec("n : INT (0..9) := 4; a : ARRAY [1..2] OF INT := [5, 66];", "CONCAT(INT_TO_STRING(n), INT_TO_STRING(a[2]))", "466");
        // Characters beyond the length are cut off.
        check(DialectId::Iec, "s : STRING[2]; n : INT := -123;", "INT_TO_STRING(n)", "-1");
        check(DialectId::Iec, "s : WSTRING[9]; n : INT := -123;", "INT_TO_WSTRING(n)", "-123");
        check(DialectId::Codesys, "s : STRING; n : BYTE := 200;", "BYTE_TO_STRING(n)", "200");
        check(DialectId::Codesys, "s : STRING; n : INT := 200;", "TO_STRING(n)", "200");
    }

    #[test]
    fn what_nobody_says_stays_open() {
        check(DialectId::Iec, "s : STRING; n : BYTE;", "BYTE_TO_STRING(n)", "gap BYTE_TO_STRING");
        check(DialectId::SiemensClassic, "s : STRING; n : DINT;", "DINT_TO_STRING(n)", "gap DINT_TO_STRING");
        check(DialectId::SiemensTia, "s : STRING; n : INT;", "INT_TO_STRING(n)", "gap INT_TO_STRING");
        check(DialectId::Iec, "s : STRING; n : INT;", "INT_TO_STRING(n + n + n + n + n)", "gap INT_TO_STRING");
    }
}
