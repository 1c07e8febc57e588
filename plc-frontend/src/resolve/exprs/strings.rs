//! Strings: their types, literals, functions and comparisons.

use crate::ast;
use crate::dialect::{Dialect, Positions};
use crate::hir::printer::op_name;
use crate::hir::{BinOp, Builtin, Expr, ExprKind, Init, Project, Text, Type, TypeId, Value};
use crate::resolve::budget::Budget;
use crate::resolve::calls::standard::builtin;
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::exprs::expr;
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, StandardCall, Want};
use crate::resolve::stmts::stmt;
use crate::resolve::types::families::{Family, family};
use crate::resolve::types::specs::{MAX_ELEMENTS, SpecSite};
use crate::resolve::types::table::TypeTable;
use crate::resolve::types::{elementary, families};
use crate::text::{Span, codes};

/// Most characters for FIND in the model; with more, every result is allowed.
const MAX_FIND: usize = 20_000;

impl Resolver<'_> {
    /// Resolves a string type as written.
    pub(crate) fn text_spec(&mut self, at: SpecSite<'_>, wide: bool, length: Option<&ast::Expr>) -> Res<TypeId> {
        let Some(e) = length else {
            return Ok(self.types.text(&mut self.project, wide, self.dialect.string_length as usize, at.span));
        };
        let length = self.constant_int(at.owner, e, Want::Any)?;
        match usize::try_from(length) {
            Ok(0) => Ok(self.types.anonymous(&mut self.project, Type::Opaque("string of 0 characters".to_owned()), at.span)),
            Ok(length) if 1 <= length && length <= MAX_ELEMENTS => Ok(self.types.text(&mut self.project, wide, length, at.span)),
            Ok(_) | Err(_) => {
                let message = format!("a string of {length} characters cannot be verified");
                let help = Some(format!("the length is a number from 1 to {}", MAX_ELEMENTS));
                Err(self.findings.error_with_help(codes::BAD_BOUNDS, e.span, message, "not a length", help))
            }
        }
    }

    /// Resolves an argument to a string; a character counts as one.
    fn text_operand(&mut self, scope: Scope, e: &ast::Expr, who: &str) -> Res<Expr> {
        let e = self.expr(scope, e, Want::Any)?;
        if self.project.text(e.ty).is_some() {
            return Ok(e);
        }
        if family(&self.project, e.ty) == Family::Char {
            let wide = self.project.int_type(e.ty).is_some_and(|int| int.bits == 16);
            let ty = self.types.text(&mut self.project, wide, 1, e.span);
            return self.project.as_text(e, ty).map_err(|_| Bad::Reported);
        }
        self.require(&e, &[Family::Text], who, "a string")?;
        Ok(e)
    }

    /// Returns a comparison of two strings.
    pub(crate) fn compare_texts(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        let bits = |r: &Self, e: &Expr| r.project.text(e.ty).map(|text| text.bits);
        let one = |r: &mut Self, e: Expr, other: Option<u8>| match (bits(r, &e), other) {
            (None, Some(bits)) => {
                let ty = r.types.text(&mut r.project, bits == 16, 1, e.span);
                r.project.as_text(e, ty)
            }
            (_, _) => Ok(e),
        };
        let (l, r) = (bits(self, &left), bits(self, &right));
        let (left, right) = match (one(self, left, r), one(self, right, l)) {
            (Ok(left), Ok(right)) => (left, right),
            (Ok(left) | Err(left), Ok(right) | Err(right)) => {
                return Err(self.project.no_common_type_of(&mut self.findings, op, &left, &right, span));
            }
        };
        if !op.is_comparison() {
            let message = format!("{} is not defined for strings", op_name(op));
            let help = (op == BinOp::Add).then(|| "join strings with CONCAT(…)".to_owned());
            return Err(self.findings.error_with_help(codes::OPERAND_TYPE, span, message, "not for strings", help));
        }
        if bits(self, &left) != bits(self, &right) {
            return Err(self.project.no_common_type_of(&mut self.findings, op, &left, &right, span));
        }
        Ok(Expr::new(ExprKind::Builtin(Builtin::Compare(op), vec![left, right]), elementary::BOOL, span))
    }

    /// Resolves a call of a string function: `n_texts` strings, then lengths and positions.
    pub(crate) fn text_call(&mut self, call: StandardCall<'_>, f: Builtin, n_texts: usize, args: &[&ast::Expr]) -> Res<Expr> {
        let StandardCall { scope, name, span, .. } = call;
        let mut values = Vec::new();
        let mut bad = None;
        for (i, arg) in args.iter().enumerate() {
            let value = if i < n_texts { self.text_operand(scope, arg, name) } else { self.count_operand(scope, arg, name) };
            match value {
                Ok(value) => values.push(value),
                Err(why) => bad = Some(stmt::worse(bad, why)),
            }
        }
        if let Some(why) = bad {
            return Err(why);
        }
        let texts: Vec<Text> = values.iter().filter_map(|e| self.project.text(e.ty)).collect();
        let Some(first) = texts.first().copied() else { return Err(Bad::Reported) };
        if let Some(other) = values.iter().find(|e| self.project.text(e.ty).is_some_and(|text| text.bits != first.bits)) {
            let message = format!("{name} needs strings of one kind, STRING or WSTRING");
            let here = format!("of type {}", self.project.type_name(other.ty));
            return Err(self.findings.error(codes::NO_COMMON_TYPE, other.span, message, here));
        }
        if self.dialect.compiles_to_c() && (has_position(f) || matches!(f, Builtin::Find | Builtin::Left | Builtin::Right)) {
            self.findings.note_behaviour_of(self.dialect, Behaviour::TextFunction, name, span);
        }
        let sum = texts.iter().map(|text| text.length).sum::<usize>().min(self.dialect.longest_result as usize);
        let joins = matches!(f, Builtin::Concat | Builtin::Insert | Builtin::Replace);
        let ty = if matches!(f, Builtin::Len | Builtin::Find) {
            elementary::INT
        } else {
            self.types.text(&mut self.project, first.bits == 16, if joins { sum } else { first.length }, span)
        };
        let values = match self.dialect.positions {
            Positions::Nearest => values,
            Positions::Nothing if values.iter().all(expr::repeatable) => self.project.at_positions(f, values),
            Positions::Nothing => {
                let value = Expr::new(ExprKind::Builtin(f, values), ty, span);
                return if has_position(f) { self.approximate(call, value) } else { Ok(value) };
            }
        };
        let value = Expr::new(ExprKind::Builtin(f, values), ty, span);
        let work: usize = texts.iter().map(|text| text.length).product();
        if f == Builtin::Find && MAX_FIND < work { self.approximate(call, value) } else { Ok(value) }
    }

    /// Resolves a length or a position.
    fn count_operand(&mut self, scope: Scope, e: &ast::Expr, name: &str) -> Res<Expr> {
        let e = self.expr(scope, e, Want::Any)?;
        if family(&self.project, e.ty) == Family::Bits && self.dialect.mixes() {
            return Ok(e);
        }
        self.require(&e, &[Family::Int], &format!("a length or position of {name}"), "an integer")?;
        Ok(e)
    }
}

impl TypeTable {
    /// Returns a string literal: as the wanted string or character, else with the length of its text.
    pub(crate) fn text_literal(&mut self, project: &mut Project, chars: &[u16], wide: bool, span: Span, want: Want) -> Res<Expr> {
        let wanted = want.ty().map(|ty| (ty, project.text(ty), family(project, ty)));
        let bits = if wide { 16 } else { 8 };
        match (wanted, chars) {
            (Some((ty, _, Family::Char)), [code]) if project.int_type(ty).is_some_and(|int| int.bits >= bits) => {
                Ok(Expr::int(i128::from(*code), ty, span))
            }
            // A wider string takes the characters of a narrow literal.
            (Some((ty, Some(text), _)), _) if text.bits >= bits => {
                let kept = chars.get(..text.length).unwrap_or(chars).to_vec();
                Ok(Expr::new(ExprKind::Text(kept), ty, span))
            }
            (_, _) => {
                let ty = self.text(project, wide, chars.len(), span);
                Ok(Expr::new(ExprKind::Text(chars.to_vec()), ty, span))
            }
        }
    }
}

impl Budget {
    /// Returns a string's initial value: all its characters.
    pub(crate) fn text_init(&mut self, findings: &mut Findings, chars: &[u16], text: Text, span: Span) -> Res<Init> {
        self.allow_initial_values(findings, span, text.length)?;
        let code = |i: usize| chars.get(i).copied().unwrap_or(0);
        Ok(Init::Array((0..text.length).map(|i| Init::Scalar(Value::Int(i128::from(code(i))))).collect()))
    }
}

impl Project {
    /// Returns a string or a character as a string of type `ty`, if their characters have the same width; `e` itself otherwise.
    pub(crate) fn as_text(&self, e: Expr, ty: TypeId) -> Result<Expr, Expr> {
        let Some(to) = self.text(ty) else { return Err(e) };
        let from = match (self.text(e.ty), family(self, e.ty)) {
            (Some(from), _) => Some(from.bits),
            (None, Family::Char) => self.int_type(e.ty).map(|int| int.bits),
            (None, _) => None,
        };
        if from == Some(to.bits) || e.ty == ty { Ok(families::widened(e, ty)) } else { Err(e) }
    }

    /// Adapts the arguments of a string function that takes and inserts nothing at positions outside of the string: a length
    /// becomes 0, or a string empty. REPLACE first takes and then inserts; before the string it inserts.
    fn at_positions(&self, f: Builtin, values: Vec<Expr>) -> Vec<Expr> {
        match (f, <[Expr; 3]>::try_from(values)) {
            (Builtin::Mid | Builtin::Delete, Ok([text, length, position])) => {
                let length = if_at_least_1(&position, length);
                vec![text, length, position]
            }
            (Builtin::Insert, Ok([text, part, position])) => {
                let part = self.unless_beyond(&text, part, &position, 0);
                vec![text, part, position]
            }
            (Builtin::Replace, Err(values)) => match <[Expr; 4]>::try_from(values) {
                Ok([text, part, length, position]) => {
                    let part = self.unless_beyond(&text, part, &position, 1);
                    let length = if_at_least_1(&position, length);
                    vec![text, part, length, position]
                }
                Err(values) => values,
            },
            (_, Ok(values)) => values.into(),
            (_, Err(values)) => values,
        }
    }

    /// Returns `part`, or the empty string if `position - first` is below 0 (unless REPLACE asks) or behind the end of `text`.
    fn unless_beyond(&self, text: &Expr, part: Expr, position: &Expr, first: i128) -> Expr {
        let span = part.span;
        let Some(length) = self.text(part.ty).map(|text| text.length) else { return part };
        let number = |n: i128| Expr::int(n, elementary::LINT, span);
        let position = self.as_number(position.clone(), elementary::LINT);
        let len = Expr::new(ExprKind::Builtin(Builtin::Len, vec![text.clone()]), elementary::INT, span);
        let len = families::widened(len, elementary::LINT);
        let last = if first == 0 { len } else { node(BinOp::Add, len, number(first), span) };
        let mut fits = node(BinOp::Le, position.clone(), last, span);
        if first == 0 {
            fits = node(BinOp::And, node(BinOp::Le, number(0), position, span), fits, span);
        }
        let all = builtin(Builtin::Sel, vec![fits, number(0), number(length as i128)], elementary::LINT, span);
        let ty = part.ty;
        builtin(Builtin::Left, vec![part, all], ty, span)
    }
}

impl Dialect {
    /// Returns the number, from 1, of the character that `s[index]` means.
    pub(crate) fn character_index(&self, index: Expr) -> Expr {
        let shift = 1 - self.first_character;
        if shift == 0 {
            return index;
        }
        let span = index.span;
        if let ExprKind::Literal(Value::Int(i)) = index.kind {
            return Expr::int(i + i128::from(shift), elementary::LINT, span);
        }
        let index = families::widened(index, elementary::LINT);
        node(BinOp::Add, index, Expr::int(i128::from(shift), elementary::LINT, span), span)
    }
}

/// Returns whether a string function has a position among its arguments.
fn has_position(f: Builtin) -> bool {
    matches!(f, Builtin::Mid | Builtin::Insert | Builtin::Delete | Builtin::Replace)
}

/// Returns `length` if the position is at least 1, else 0.
fn if_at_least_1(position: &Expr, length: Expr) -> Expr {
    let (ty, span) = (length.ty, length.span);
    if matches!(position.kind, ExprKind::Literal(Value::Int(i)) if 1 <= i) {
        return length;
    }
    let fits = node(BinOp::Le, Expr::int(1, position.ty, span), position.clone(), span);
    builtin(Builtin::Sel, vec![fits, Expr::int(0, ty, span), length], ty, span)
}
