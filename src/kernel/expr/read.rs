//! Reads expressions from SMT-LIB 2 text: the other direction of what certificates are written in.
//!
//! Knows definitions without parameters, Bool, bit vectors, floats and integers; no arrays, no `let`, no quantifiers.
//! The text may come from anywhere: what is not understood, not declared or not well-sorted is an error, never a panic.

use std::collections::BTreeMap;

use super::{
    BvBin, BvCmp, BvUn, ExprId, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort, Value, VarId,
};

/// Reason why a text is not read; one clause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// Meanings of symbols: variables of the pool, and definitions.
pub struct Reader<'p> {
    pool: &'p mut ExprPool,
    symbols: BTreeMap<String, ExprId>,
}

/// Lists nest no deeper than this in what we write.
const MAX_DEPTH: usize = 1_000;

/// A part of a list that is being read.
#[derive(Clone, Debug)]
enum Item<'t> {
    /// A symbol or a numeral, not looked up yet.
    Atom(&'t str),
    /// An expression.
    Term(ExprId),
    /// An operator with numbers: `(_ extract 7 0)`.
    Indexed(&'t str, Vec<u32>),
    /// `()`, a sort, a definition: of no further interest.
    Nothing,
}

impl<'p> Reader<'p> {
    /// A reader that knows variables by their names. A name that two of them have means neither.
    pub fn new(pool: &'p mut ExprPool, vars: impl IntoIterator<Item = VarId>) -> Reader<'p> {
        let mut symbols: BTreeMap<String, Option<VarId>> = BTreeMap::new();
        for var in vars {
            let name = pool.var_decl(var).name.clone();
            symbols.entry(name).and_modify(|known| *known = None).or_insert(Some(var));
        }
        let symbols = symbols.into_iter().filter_map(|(name, var)| Some((name, pool.var(var?)))).collect();
        Reader { pool, symbols }
    }

    /// Reads `(define-fun name () Sort term)`, any number of times.
    ///
    /// Cost: linear in the text.
    pub fn definitions(&mut self, text: &str) -> Result<(), Unreadable> {
        match self.read(text)?.iter().all(|item| matches!(item, Item::Nothing)) {
            true => Ok(()),
            false => Err(Unreadable("something other than definitions stands among them".into())),
        }
    }

    /// Reads one term.
    pub fn term(&mut self, text: &str) -> Result<ExprId, Unreadable> {
        match self.read(text)?.as_slice() {
            [item] => self.operand(item),
            [] => Err(Unreadable("a term is missing".into())),
            [_, ..] => Err(Unreadable("one term is expected".into())),
        }
    }

    fn read<'t>(&mut self, text: &'t str) -> Result<Vec<Item<'t>>, Unreadable> {
        let mut open: Vec<Vec<Item<'t>>> = vec![Vec::new()];
        let mut rest = text;
        while let Some((token, after)) = next(rest)? {
            rest = after;
            let item = match token {
                "(" if MAX_DEPTH <= open.len() => return Err(Unreadable("parentheses nest too deeply".into())),
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => match open.pop() {
                    Some(list) if !open.is_empty() => self.list(&list, open.len())?,
                    Some(_) | None => return Err(Unreadable("a parenthesis closes what was not opened".into())),
                },
                atom => Item::Atom(atom),
            };
            if let Some(list) = open.last_mut() {
                list.push(item);
            }
        }
        match (open.pop(), open.is_empty()) {
            (Some(items), true) => Ok(items),
            (_, _) => Err(Unreadable("a parenthesis is not closed".into())),
        }
    }

    /// Reads a complete list. `depth` counts the lists around it and the text.
    fn list<'t>(&mut self, list: &[Item<'t>], depth: usize) -> Result<Item<'t>, Unreadable> {
        match list {
            [] => Ok(Item::Nothing),
            [Item::Atom("define-fun"), Item::Atom(name), Item::Nothing, sort, term] if depth == 1 => {
                let term = self.operand(term)?;
                match sort {
                    Item::Nothing => {}
                    Item::Atom("Bool") if self.pool.sort(term) == Sort::Bool => {}
                    Item::Atom("Int") if self.pool.sort(term) == Sort::Int => {}
                    Item::Atom(_) | Item::Term(_) | Item::Indexed(..) => {
                        return Err(Unreadable(format!("`{name}` is not of the sort that is said")));
                    }
                }
                match self.symbols.insert(unquoted(name).to_owned(), term) {
                    None => Ok(Item::Nothing),
                    Some(_) => Err(Unreadable(format!("`{name}` is defined twice"))),
                }
            }
            [Item::Atom("_"), rest @ ..] => self.indexed(rest),
            [Item::Atom("fp"), rest @ ..] => {
                let mut bits = Vec::new();
                for item in rest {
                    bits.push(self.operand(item)?);
                }
                match bits.as_slice() {
                    [sign, exponent, fraction] => self.float(*sign, *exponent, *fraction).map(Item::Term),
                    [..] => Err(Unreadable("`fp` takes three bit vectors".into())),
                }
            }
            [Item::Atom(op), operands @ ..] => self.application(op, &[], operands).map(Item::Term),
            [Item::Indexed(op, numbers), operands @ ..] => self.application(op, numbers, operands).map(Item::Term),
            [Item::Term(_) | Item::Nothing, ..] => Err(Unreadable("a list begins with no operator".into())),
        }
    }

    /// `(_ name numbers)`.
    fn indexed<'t>(&mut self, items: &[Item<'t>]) -> Result<Item<'t>, Unreadable> {
        let [Item::Atom(name), numbers @ ..] = items else { return Err(Unreadable("`_` stands alone".into())) };
        let number = |item: &Item<'t>| match item {
            Item::Atom(digits) => digits.parse::<u32>().ok(),
            Item::Term(_) | Item::Indexed(..) | Item::Nothing => None,
        };
        let numbers: Option<Vec<u32>> = numbers.iter().map(number).collect();
        let Some(numbers) = numbers else { return Err(Unreadable(format!("`{name}` has something else than numbers"))) };
        if let (Some(bits), [width @ 1..=128]) = (name.strip_prefix("bv").and_then(|d| d.parse::<u128>().ok()), &numbers[..]) {
            let width = *width as u16;
            let value = Value::bv(width, bits);
            return match value.as_unsigned() {
                Some(kept) if kept == bits => Ok(Item::Term(self.pool.constant(value))),
                Some(_) | None => Err(Unreadable(format!("`{name}` does not fit into {width} bits"))),
            };
        }
        match (*name, &numbers[..]) {
            ("BitVec" | "FloatingPoint", _) => Ok(Item::Nothing),
            ("NaN", [e, s]) => {
                let sort = format_of(*e, *s)?;
                Ok(Item::Term(self.pool.constant(Value::float(sort, sort.nan()))))
            }
            (_, _) => Ok(Item::Indexed(name, numbers)),
        }
    }

    fn float(&mut self, sign: ExprId, exponent: ExprId, fraction: ExprId) -> Result<ExprId, Unreadable> {
        let parts = [sign, exponent, fraction].map(|e| self.pool.as_const(e));
        let [Some(sign @ Value::BitVec { width: 1, .. }), Some(exponent), Some(fraction)] = parts else {
            return Err(Unreadable("`fp` takes three constants".into()));
        };
        let (Value::BitVec { width: e, bits: high }, Value::BitVec { width: f, bits: low }) = (exponent, fraction) else {
            return Err(Unreadable("`fp` takes three bit vectors".into()));
        };
        let sort = format_of(u32::from(e), u32::from(f) + 1)?;
        let sign = sign.as_unsigned().unwrap_or_default();
        let bits = (sign << (e + f)) | (high << f) | low;
        Ok(self.pool.constant(Value::float(sort, bits)))
    }

    fn operand(&mut self, item: &Item<'_>) -> Result<ExprId, Unreadable> {
        let atom = match item {
            Item::Term(e) => return Ok(*e),
            Item::Atom(atom) => *atom,
            Item::Indexed(name, _) => return Err(Unreadable(format!("`{name}` has no operands"))),
            Item::Nothing => return Err(Unreadable("a term is missing".into())),
        };
        if let Some(digits) = atom.strip_prefix("#b") {
            let width = digits.len();
            return match u128::from_str_radix(digits, 2) {
                Ok(bits) if (1..=128).contains(&width) && !digits.starts_with('+') => {
                    Ok(self.pool.constant(Value::bv(width as u16, bits)))
                }
                Ok(_) | Err(_) => Err(Unreadable("a binary numeral is none".into())),
            };
        }
        match atom {
            "true" => return Ok(self.pool.bool(true)),
            "false" => return Ok(self.pool.bool(false)),
            _ => {}
        }
        if atom.starts_with(|c: char| c.is_ascii_digit()) {
            let number = atom.parse::<i128>().map_err(|_| Unreadable(format!("`{atom}` is no number that fits")))?;
            return Ok(self.pool.int_const(number));
        }
        let known = self.symbols.get(unquoted(atom)).copied();
        known.ok_or_else(|| Unreadable(format!("`{}` is not known", unquoted(atom))))
    }

    fn application(&mut self, op: &str, numbers: &[u32], operands: &[Item<'_>]) -> Result<ExprId, Unreadable> {
        let (mode, operands) = match operands {
            [Item::Atom(mode), rest @ ..] if rounding(mode).is_some() => (rounding(mode), rest),
            [..] => (None, operands),
        };
        let mut args = Vec::with_capacity(operands.len());
        for item in operands {
            args.push(self.operand(item)?);
        }
        let sorts: Vec<Sort> = args.iter().map(|e| self.pool.sort(*e)).collect();
        let built = match (&args[..], &sorts[..]) {
            ([a], [sort]) => self.unary(op, numbers, mode, (*a, *sort)),
            ([a, b], [left, right]) => match left == right {
                true => self.binary(op, numbers, mode, (*a, *b), *left),
                false => self.uneven(op, (*a, *b), (*left, *right)),
            },
            ([c, a, b], [Sort::Bool, left, right]) if op == "ite" && left == right => Some(self.pool.ite(*c, *a, *b)),
            (_, _) => None,
        };
        built.ok_or_else(|| {
            let sorts: Vec<String> = sorts.iter().map(Sort::to_string).collect();
            Unreadable(format!("`{op}` is not known for operands of the sorts {}", sorts.join(", ")))
        })
    }

    fn unary(&mut self, op: &str, numbers: &[u32], mode: Option<Rounding>, (a, sort): (ExprId, Sort)) -> Option<ExprId> {
        let pool = &mut *self.pool;
        Some(match (op, numbers, mode, sort) {
            ("not", [], None, Sort::Bool) => pool.not(a),
            ("bvneg", [], None, Sort::BitVec(_)) => pool.bv_un(BvUn::Neg, a),
            ("bvnot", [], None, Sort::BitVec(_)) => pool.bv_un(BvUn::Not, a),
            ("extract", [high, low], None, Sort::BitVec(width)) if low <= high && *high < u32::from(width) => {
                pool.extract(*high as u16, *low as u16, a)
            }
            ("zero_extend", [by], None, Sort::BitVec(width)) if *by <= 128 - u32::from(width) => {
                pool.zero_extend(width + *by as u16, a)
            }
            ("sign_extend", [by], None, Sort::BitVec(width)) if *by <= 128 - u32::from(width) => {
                pool.sign_extend(width + *by as u16, a)
            }
            ("fp.neg", [], None, Sort::Float(_)) => pool.fp_un(FpUn::Neg, a),
            ("fp.abs", [], None, Sort::Float(_)) => pool.fp_un(FpUn::Abs, a),
            ("fp.sqrt", [], Some(mode), Sort::Float(_)) => pool.fp_un(FpUn::Sqrt(mode), a),
            ("fp.roundToIntegral", [], Some(mode), Sort::Float(_)) => pool.fp_un(FpUn::Integral(mode), a),
            ("fp.isNaN", [], None, Sort::Float(_)) => pool.fp_test(FpTest::IsNan, a),
            ("fp.isInfinite", [], None, Sort::Float(_)) => pool.fp_test(FpTest::IsInfinite, a),
            ("to_fp", [e, s], Some(mode), Sort::Float(_)) => pool.fp_to_fp_rounded(format_of(*e, *s).ok()?, mode, a),
            ("to_fp", [e, s], Some(mode), Sort::BitVec(_)) => pool.bv_to_fp_rounded(true, format_of(*e, *s).ok()?, mode, a),
            ("to_fp_unsigned", [e, s], Some(mode), Sort::BitVec(_)) => {
                pool.bv_to_fp_rounded(false, format_of(*e, *s).ok()?, mode, a)
            }
            ("to_fp", [e, s], None, Sort::BitVec(width)) => {
                let format = format_of(*e, *s).ok().filter(|format| format.width() == width)?;
                pool.bits_to_fp(format, a)
            }
            ("fp.to_sbv", [width @ 1..=128], Some(mode), Sort::Float(_)) => pool.fp_to_bv(true, *width as u16, mode, a),
            ("fp.to_ubv", [width @ 1..=128], Some(mode), Sort::Float(_)) => pool.fp_to_bv(false, *width as u16, mode, a),
            ("-", [], None, Sort::Int) => pool.int_neg(a),
            (_, _, _, _) => return None,
        })
    }

    /// Two operands of one sort.
    fn binary(
        &mut self,
        op: &str,
        numbers: &[u32],
        mode: Option<Rounding>,
        (a, b): (ExprId, ExprId),
        sort: Sort,
    ) -> Option<ExprId> {
        if !numbers.is_empty() {
            return None;
        }
        let pool = &mut *self.pool;
        match (op, mode, sort) {
            ("=", None, _) => Some(pool.eq(a, b)),
            ("and", None, Sort::Bool) => Some(pool.and(a, b)),
            ("or", None, Sort::Bool) => Some(pool.or(a, b)),
            ("concat", None, Sort::BitVec(_)) => self.uneven(op, (a, b), (sort, sort)),
            (_, None, Sort::BitVec(_)) => match (bv_bin(op), bv_cmp(op)) {
                (Some(op), _) => Some(pool.bv(op, a, b)),
                (None, Some(op)) => Some(pool.bv_cmp(op, a, b)),
                (None, None) => None,
            },
            (_, Some(mode), Sort::Float(_)) => fp_bin(op).map(|op| pool.fp_rounded(op, mode, a, b)),
            (_, None, Sort::Float(_)) => fp_cmp(op).map(|op| pool.fp_cmp(op, a, b)),
            (_, None, Sort::Int) => match (int_bin(op), op) {
                (Some(op), _) => Some(pool.int(op, a, b)),
                (None, "<") => Some(pool.int_cmp(IntCmp::Lt, a, b)),
                (None, "<=") => Some(pool.int_cmp(IntCmp::Le, a, b)),
                (None, _) => None,
            },
            (_, _, _) => None,
        }
    }

    fn uneven(&mut self, op: &str, (a, b): (ExprId, ExprId), sorts: (Sort, Sort)) -> Option<ExprId> {
        match (op, sorts) {
            ("concat", (Sort::BitVec(high), Sort::BitVec(low))) if high + low <= 128 => Some(self.pool.concat(a, b)),
            (_, _) => None,
        }
    }
}

/// The next token and what follows it. Comments are white space.
fn next(text: &str) -> Result<Option<(&str, &str)>, Unreadable> {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, after)| after).trim_start();
    }
    let end = match rest.chars().next() {
        None => return Ok(None),
        Some('(' | ')') => 1,
        Some('|') => match rest[1..].find('|') {
            Some(at) => at + 2,
            None => return Err(Unreadable("a quoted symbol does not end".into())),
        },
        Some(_) => rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | ';')).unwrap_or(rest.len()),
    };
    Ok(Some(rest.split_at(end)))
}

fn unquoted(symbol: &str) -> &str {
    symbol.strip_prefix('|').and_then(|s| s.strip_suffix('|')).unwrap_or(symbol)
}

fn format_of(exponent: u32, significand: u32) -> Result<FloatSort, Unreadable> {
    FloatSort::new(exponent, significand)
        .ok_or_else(|| Unreadable(format!("there is no float of {exponent} and {significand} bits")))
}

fn rounding(text: &str) -> Option<Rounding> {
    Some(match text {
        "RNE" => Rounding::NearestEven,
        "RNA" => Rounding::NearestAway,
        "RTP" => Rounding::TowardPositive,
        "RTN" => Rounding::TowardNegative,
        "RTZ" => Rounding::TowardZero,
        _ => return None,
    })
}

fn bv_bin(op: &str) -> Option<BvBin> {
    Some(match op {
        "bvadd" => BvBin::Add,
        "bvsub" => BvBin::Sub,
        "bvmul" => BvBin::Mul,
        "bvudiv" => BvBin::Udiv,
        "bvurem" => BvBin::Urem,
        "bvsdiv" => BvBin::Sdiv,
        "bvsrem" => BvBin::Srem,
        "bvand" => BvBin::And,
        "bvor" => BvBin::Or,
        "bvxor" => BvBin::Xor,
        "bvshl" => BvBin::Shl,
        "bvlshr" => BvBin::Lshr,
        "bvashr" => BvBin::Ashr,
        _ => return None,
    })
}

fn bv_cmp(op: &str) -> Option<BvCmp> {
    Some(match op {
        "bvult" => BvCmp::Ult,
        "bvule" => BvCmp::Ule,
        "bvslt" => BvCmp::Slt,
        "bvsle" => BvCmp::Sle,
        _ => return None,
    })
}

fn fp_bin(op: &str) -> Option<FpBin> {
    Some(match op {
        "fp.add" => FpBin::Add,
        "fp.sub" => FpBin::Sub,
        "fp.mul" => FpBin::Mul,
        "fp.div" => FpBin::Div,
        _ => return None,
    })
}

fn fp_cmp(op: &str) -> Option<FpCmp> {
    Some(match op {
        "fp.eq" => FpCmp::Eq,
        "fp.lt" => FpCmp::Lt,
        "fp.leq" => FpCmp::Le,
        _ => return None,
    })
}

fn int_bin(op: &str) -> Option<IntBin> {
    Some(match op {
        "+" => IntBin::Add,
        "-" => IntBin::Sub,
        "*" => IntBin::Mul,
        "div" => IntBin::Div,
        "mod" => IntBin::Mod,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> (ExprPool, Vec<VarId>) {
        let mut pool = ExprPool::new();
        let sorts = [Sort::BitVec(8), Sort::Bool, Sort::Float(FloatSort::F32), Sort::Int];
        let vars = ["Main.x", "b", "f", "i"].iter().zip(sorts).map(|(name, sort)| pool.new_var(*name, sort)).collect();
        (pool, vars)
    }

    #[test]
    fn terms_are_read_over_what_is_defined_before() {
        let (mut pool, vars) = pool();
        let x = pool.var(vars[0]);
        let (one, seven) = (pool.constant(Value::bv(8, 1)), pool.constant(Value::bv(8, 7)));
        let sum = pool.bv(BvBin::Add, x, one);
        let less = pool.bv_cmp(BvCmp::Ult, sum, seven);
        let mut reader = Reader::new(&mut pool, vars);
        reader.definitions("(define-fun |t@1| () (_ BitVec 8) (bvadd |Main.x| (_ bv1 8))) ; a comment)\n").unwrap();
        assert_eq!(reader.term("(bvult |t@1| #b00000111)"), Ok(less));
        for (term, sort) in [
            ("(concat ((_ extract 7 4) Main.x) ((_ zero_extend 4) |Main.x|))", Sort::BitVec(16)),
            ("(ite b (fp.add RNE f f) (fp #b0 #b00000000 #b00000000000000000000000))", Sort::Float(FloatSort::F32)),
            ("((_ fp.to_sbv 16) RTZ f)", Sort::BitVec(16)),
            ("((_ to_fp 11 53) RNE f)", Sort::Float(FloatSort::F64)),
            ("((_ to_fp 8 24) RNE Main.x)", Sort::Float(FloatSort::F32)),
            ("(fp.leq f (_ NaN 8 24))", Sort::Bool),
            ("(- (+ i 3))", Sort::Int),
        ] {
            let e = reader.term(term).unwrap();
            assert_eq!(reader.pool.sort(e), sort, "{term}");
        }
    }

    #[test]
    fn what_is_not_a_term_is_refused() {
        let deep = format!("{}b{}", "(not ".repeat(100_000), ")".repeat(100_000));
        let (mut pool, vars) = pool();
        let twice = pool.new_var("twice", Sort::Bool);
        let again = pool.new_var("twice", Sort::Bool);
        let mut reader = Reader::new(&mut pool, vars.into_iter().chain([twice, again]));
        for text in [
            "",
            "b b",
            "(",
            ")",
            "(not b",
            "(not b))",
            "()",
            "(b)",
            "(not)",
            "(not b b)",
            "(not Main.x)",
            "(and b f)",
            "unknown",
            "|b",
            "twice",
            "(bvadd Main.x (_ bv1 9))",
            "(_ bv256 8)",
            "(_ bv1 0)",
            "(_ bv1 129)",
            "(_ bv1)",
            "((_ extract 8 0) Main.x)",
            "((_ extract 0 1) Main.x)",
            "((_ zero_extend 121) Main.x)",
            "((_ zero_extend 4294967295) Main.x)",
            "(fp #b0 #b1 #b1)",
            "(fp b b b)",
            "(_ NaN 0 0)",
            "((_ to_fp 8 24) Main.x)",
            "((_ fp.to_sbv 0) RNE f)",
            "#b",
            "#b2",
            "#b+1",
            "#bü",
            "99999999999999999999999999999999999999999",
            "(let ((a b)) a)",
            "(forall ((a Bool)) a)",
            "(define-fun a () Bool b)",
            "(ite b f Main.x)",
            "RNE",
            "(fp.add RNE RNE f)",
            "(_ )",
            "ü",
            deep.as_str(),
        ] {
            assert!(reader.term(text).is_err(), "{text}");
        }
        for text in [
            "b",
            "(define-fun a () Bool Main.x)",
            "(define-fun a () Int b)",
            "(define-fun a Bool b)",
            "(define-fun b () Bool b)",
            "(assert b)",
            "(and (define-fun a () Bool b) b)",
        ] {
            assert!(reader.definitions(text).is_err(), "{text}");
        }
    }
}
