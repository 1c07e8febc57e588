//! Strings: their functions, exactly as `hir::Builtin` lists them, and conversions from and to them.

use super::arith::holds;
use super::exec::Exec;
use super::fault::Fault;
use super::reading;
use crate::hir::{Builtin, Expr, IntType, Project, Type, TypeId, Value, value_to_st};

impl Exec<'_, '_> {
    /// Evaluates a string expression; returns its characters up to its end.
    fn text(&mut self, expr: &Expr) -> Result<Vec<u16>, Fault> {
        Ok(content(&self.eval_all(expr)?))
    }

    /// Evaluates a string function with a string as result; returns all its slots.
    pub(super) fn text_function(&mut self, f: Builtin, args: &[Expr], expr: &Expr) -> Result<Vec<Value>, Fault> {
        let (texts, numbers) = self.text_arguments(args)?;
        let result = changed(f, &texts, &numbers);
        self.spend(1 + result.len() as u64 / 16, expr.span)?;
        Ok(slots(&result, self.machine.project.text(expr.ty).map_or(0, |text| text.length)))
    }

    /// Evaluates a string function with a number or a truth value as result.
    pub(super) fn text_value(&mut self, f: Builtin, args: &[Expr], expr: &Expr) -> Result<Value, Fault> {
        let (texts, _) = self.text_arguments(args)?;
        if let (Builtin::Find, [text, part]) = (f, texts.as_slice()) {
            self.spend(1 + (text.len() * part.len()) as u64 / 64, expr.span)?;
        }
        Ok(number(f, self.machine.project.int_type(expr.ty), &texts))
    }

    /// Evaluates all arguments, left to right. Returns the strings and the numbers in separate lists.
    fn text_arguments(&mut self, args: &[Expr]) -> Result<(Vec<Vec<u16>>, Vec<i128>), Fault> {
        let (mut texts, mut numbers) = (Vec::new(), Vec::new());
        for arg in args {
            match self.machine.project.text(arg.ty) {
                Some(_) => texts.push(self.text(arg)?),
                None => numbers.push(self.eval(arg)?.as_int().unwrap_or(0)),
            }
        }
        Ok((texts, numbers))
    }

    /// Converts another string, a character or a number to a string.
    pub(super) fn convert_to_text(&mut self, operand: &Expr, expr: &Expr) -> Result<Vec<Value>, Fault> {
        let project = self.machine.project;
        let length = project.text(expr.ty).map_or(0, |text| text.length);
        if project.text(operand.ty).is_some() {
            let mut values = self.eval_all(operand)?;
            values.resize(length, Value::Int(0));
            return Ok(values);
        }
        let value = self.eval(operand)?;
        let chars = match (&project.types[operand.ty].ty, value) {
            (Type::Char(_), Value::Int(code)) => vec![code as u16],
            (_, value) => decimal(project, operand.ty, value).encode_utf16().collect(),
        };
        Ok(slots(&chars, length))
    }

    /// Converts a string to a value; `None` if the result is not known.
    pub(super) fn convert_text(&mut self, operand: &Expr, ty: TypeId) -> Result<Option<Value>, Fault> {
        let text = self.text(operand)?;
        let project = self.machine.project;
        if let Type::Char(_) = &project.types[ty].ty {
            return Ok(Some(Value::Int(text.first().map_or(0, |code| i128::from(*code)))));
        }
        Ok(reading::value(project, ty, &text))
    }
}

/// Returns the characters before the first 0.
fn content(values: &[Value]) -> Vec<u16> {
    values.iter().map_while(|value| value.as_int().and_then(|c| u16::try_from(c).ok()).filter(|c| *c != 0)).collect()
}

/// Returns the slots of a string: its characters, cut off or padded with 0.
fn slots(chars: &[u16], length: usize) -> Vec<Value> {
    let mut values: Vec<Value> = content(&chars.iter().map(|c| Value::Int(i128::from(*c))).collect::<Vec<_>>())
        .into_iter()
        .take(length)
        .map(|c| Value::Int(i128::from(c)))
        .collect();
    values.resize(length, Value::Int(0));
    values
}

/// Returns `n`, but at least 0 and at most `most`.
fn clamped(n: i128, most: usize) -> usize {
    usize::try_from(n.max(0)).unwrap_or(usize::MAX).min(most)
}

/// Computes a string function with a number or a truth value as result; `int` is the type of the number.
pub(crate) fn number(f: Builtin, int: Option<IntType>, texts: &[Vec<u16>]) -> Value {
    let number = |n: usize| Value::Int(int.map_or(0, |int| int.wrap(n as i128)));
    match (f, texts) {
        (Builtin::Len, [text]) => number(text.len()),
        (Builtin::Find, [text, part]) => {
            let begins = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(part));
            let found = if part.is_empty() { None } else { (0..text.len()).find(begins) };
            number(found.map_or(0, |at| at + 1))
        }
        (Builtin::Compare(op), [a, b]) => Value::Bool(holds(op, Some(a.cmp(b)))),
        (f, texts) => unreachable!("{f:?} has no value for {} strings", texts.len()),
    }
}

/// Computes a string function with a string as result.
pub(crate) fn changed(f: Builtin, texts: &[Vec<u16>], numbers: &[i128]) -> Vec<u16> {
    match (f, texts, numbers) {
        (Builtin::Left, [text], [l]) => text[..clamped(*l, text.len())].to_vec(),
        (Builtin::Right, [text], [l]) => text[text.len() - clamped(*l, text.len())..].to_vec(),
        (Builtin::Mid, [text], [l, p]) => {
            let rest = &text[clamped(p - 1, text.len())..];
            rest[..clamped(*l, rest.len())].to_vec()
        }
        (Builtin::Concat, texts, []) => texts.concat(),
        (Builtin::Insert, [text, part], [p]) => {
            let (before, after) = text.split_at(clamped(*p, text.len()));
            [before, part, after].concat()
        }
        (Builtin::Delete, [text], [l, p]) => {
            let (before, after) = text.split_at(clamped(p - 1, text.len()));
            [before, &after[clamped(*l, after.len())..]].concat()
        }
        (Builtin::Replace, [text, part], [l, p]) => {
            let (before, after) = text.split_at(clamped(p - 1, text.len()));
            [before, part, &after[clamped(*l, after.len())..]].concat()
        }
        (f, texts, numbers) => unreachable!("{f:?} has no meaning for {} strings and {numbers:?}", texts.len()),
    }
}

/// Returns a value as X_TO_STRING writes it: numbers in decimal, everything else like a literal.
fn decimal(project: &Project, ty: TypeId, value: Value) -> String {
    match (&project.types[ty].ty, value) {
        (Type::Bits(_), Value::Int(i)) => i.to_string(),
        (Type::Enum { .. }, Value::Int(i)) => i.to_string(),
        _ => value_to_st(project, ty, value),
    }
}
