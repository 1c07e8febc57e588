//! Invariants as sorted terms over variables of the model's state: made from a proof, or read from a file
//! ([`crate::certificate`]). A solver sees only text of this module.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Flaw;
use super::script::{LONG, Sorts, Text};
use super::smtlib::{applied, clean, foreign, head};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, VarId};

/// A term of a [`Predicate`].
pub(crate) type TermId = usize;

/// One term.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The text before the operands; the whole text of a variable or a literal.
    pub(crate) head: String,
    pub(crate) operands: Vec<TermId>,
    pub(crate) sort: Sort,
}

/// Symbols of a model's state: each variable has its own.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    of_var: BTreeMap<VarId, (String, Sort)>,
    by_name: BTreeMap<String, VarId>,
}

impl Symbols {
    /// Makes symbols that may stand between bars, with an `@` at their end that no operator has. Of variables with the same name,
    /// all but the first get a number.
    pub(crate) fn new(pool: &ExprPool, vars: &[VarId]) -> Symbols {
        let mut symbols = Symbols { of_var: BTreeMap::new(), by_name: BTreeMap::new() };
        for var in vars {
            let decl = pool.var_decl(*var);
            let mut name = format!("{}@", clean(&decl.name));
            if symbols.by_name.contains_key(&name) {
                // No other variable has this number.
                name = format!("{} {var}@", clean(&decl.name));
            }
            symbols.by_name.insert(name.clone(), *var);
            symbols.of_var.insert(*var, (name, decl.sort));
        }
        symbols
    }
    /// Returns the variable of a symbol without bars.
    pub(crate) fn var(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }
    /// Returns symbol (without bars) and sort of a variable.
    pub(crate) fn of(&self, var: VarId) -> Option<(&str, Sort)> {
        self.of_var.get(&var).map(|(name, sort)| (name.as_str(), *sort))
    }
    /// Returns the symbol of a variable in the frame of this name.
    pub(super) fn in_frame(&self, var: VarId, frame: &str) -> String {
        self.of(var).map_or_else(String::new, |(name, _)| format!("|{name}{frame}|"))
    }
}

/// A Bool over some variables of the state.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    /// Operands come before their terms.
    pub(crate) terms: Vec<Term>,
    /// Its variables, ascending.
    pub(crate) params: Vec<VarId>,
    pub(crate) body: TermId,
}

impl Predicate {
    /// Returns TRUE.
    pub(crate) fn yes() -> Predicate {
        let yes = Term { head: "true".to_owned(), operands: Vec::new(), sort: Sort::Bool };
        Predicate { terms: vec![yes], params: Vec::new(), body: 0 }
    }
    /// Returns whether it is the word TRUE.
    pub(crate) fn is_true(&self) -> bool {
        self.terms[self.body].head == "true"
    }
    /// Makes one of an expression of the model's pool.
    ///
    /// Cost: linear in the distinct nodes below it.
    pub(crate) fn of_expr(pool: &ExprPool, e: ExprId, symbols: &Symbols) -> Result<Predicate, Flaw> {
        let (mut terms, mut done) = (Vec::new(), BTreeMap::new());
        let mut params = BTreeSet::new();
        for node in pool.uses(e).into_keys() {
            let (expr, sort) = (pool.expr(node), pool.sort(node));
            let term = if let Expr::Var(var) = expr {
                let (name, _) = symbols.of(var).ok_or_else(|| foreign(pool, var))?;
                params.insert(var);
                Term { head: format!("|{name}|"), operands: Vec::new(), sort }
            } else {
                Term { head: head(pool, expr), operands: expr.children().map(|child| done[&child]).collect(), sort }
            };
            terms.push(term);
            done.insert(node, terms.len() - 1);
        }
        Ok(Predicate { terms, params: params.into_iter().collect(), body: done[&e] })
    }

    /// Returns the conjunction of predicates. Equal terms are one.
    ///
    /// Cost: linear in the predicates.
    pub(crate) fn all<'p>(parts: impl IntoIterator<Item = &'p Predicate>) -> Predicate {
        let mut all = Predicate { terms: Vec::new(), params: Vec::new(), body: 0 };
        let mut known: BTreeMap<(&str, Vec<TermId>), TermId> = BTreeMap::new();
        let (mut params, mut bodies) = (BTreeSet::new(), Vec::new());
        for part in parts {
            let mut numbers = Vec::with_capacity(part.terms.len());
            for Term { head, operands, sort } in &part.terms {
                let operands: Vec<TermId> = operands.iter().map(|operand| numbers[*operand]).collect();
                numbers.push(*known.entry((head, operands.clone())).or_insert_with(|| {
                    all.terms.push(Term { head: head.clone(), operands, sort: *sort });
                    all.terms.len() - 1
                }));
            }
            params.extend(&part.params);
            bodies.push(numbers[part.body]);
        }
        all.body = match bodies.as_slice() {
            [] => return Predicate::yes(),
            [one] => *one,
            [..] => {
                all.terms.push(Term { head: "and".to_owned(), operands: bodies, sort: Sort::Bool });
                all.terms.len() - 1
            }
        };
        Predicate { params: params.into_iter().collect(), ..all }
    }

    /// Returns the parts whose conjunction it is.
    pub(crate) fn conjuncts(&self) -> Vec<TermId> {
        let (mut parts, mut todo, mut seen) = (Vec::new(), vec![self.body], BTreeSet::new());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.terms[id].head.as_str() {
                "and" => todo.extend(self.terms[id].operands.iter().rev()),
                _ => parts.push(id),
            }
        }
        parts
    }

    /// Returns a part as a predicate of its own.
    ///
    /// Cost: linear in the part.
    pub(crate) fn part(&self, id: TermId, symbols: &Symbols) -> Predicate {
        let (mut below, mut todo) = (BTreeSet::from([id]), vec![id]);
        while let Some(id) = todo.pop() {
            todo.extend(self.terms[id].operands.iter().filter(|operand| below.insert(**operand)));
        }
        let numbers: BTreeMap<TermId, TermId> = below.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let mut params = BTreeSet::new();
        let terms = below.iter().map(|old| {
            let Term { head, operands, sort } = &self.terms[*old];
            params.extend(symbols.var(head.trim_matches('|')).filter(|_| operands.is_empty()));
            Term { head: head.clone(), operands: operands.iter().map(|operand| numbers[operand]).collect(), sort: *sort }
        });
        let terms = terms.collect();
        Predicate { terms, params: params.into_iter().collect(), body: numbers[&id] }
    }

    /// Returns its text for these values of its variables.
    pub(super) fn of_values(&self, symbols: &Symbols, sorts: &mut Sorts, value: impl Fn(VarId) -> Option<Text>) -> String {
        let value = |head: &str| symbols.var(head.trim_matches('|')).and_then(&value);
        self.text(sorts, value).trim_start().to_owned()
    }

    /// Returns a `define-fun` of this name; `(name value…)` is the predicate of a state.
    pub(crate) fn definition(&self, name: &str, symbols: &Symbols, sorts: &mut Sorts) -> String {
        let param = |var: &VarId| symbols.of(*var).map(|(name, sort)| format!("(|{name}| {sort})")).unwrap_or_default();
        let params: Vec<String> = self.params.iter().map(param).collect();
        format!("(define-fun {name} ({}) Bool{})", params.join(" "), self.text(sorts, |_| None))
    }

    /// Returns a hash of its text without names: a polynomial over the bytes, with the power of its length.
    #[cfg(test)]
    pub(crate) fn shape(&self) -> (u64, u64) {
        const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
        let join = |a: (u64, u64), b: (u64, u64)| (a.0.wrapping_mul(b.1).wrapping_add(b.0), a.1.wrapping_mul(b.1));
        let of = |text: &str| text.bytes().fold((0, 1), |all, byte| join(all, (u64::from(byte) + 1, BASE)));
        let mut shapes: Vec<(u64, u64)> = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let head = of(&term.head);
            let operands = term.operands.iter().fold(head, |all, operand| join(join(all, of(" ")), shapes[*operand]));
            shapes.push(if term.operands.is_empty() { head } else { join(join(of("("), operands), of(")")) });
        }
        shapes[self.body]
    }

    /// Returns the text of the body. Shared and long parts have names; independent ones are defined side by side.
    ///
    /// `value`: text in place of a leaf.
    fn text(&self, sorts: &mut Sorts, value: impl Fn(&str) -> Option<Text>) -> String {
        let mut uses = vec![0_usize; self.terms.len()];
        uses[self.body] = 1;
        // Operands come before their terms.
        for id in (0..self.terms.len()).rev() {
            if 0 < uses[id] {
                self.terms[id].operands.iter().for_each(|operand| uses[*operand] += 1);
            }
        }
        let mut texts: Vec<Option<(Text, usize)>> = vec![None; self.terms.len()];
        let mut levels: BTreeMap<usize, Vec<(Text, String)>> = BTreeMap::new();
        let mut n_names = 0;
        for (id, term) in self.terms.iter().enumerate().filter(|(id, _)| 0 < uses[*id]) {
            sorts.note(term.sort);
            let mut operands = Vec::with_capacity(term.operands.len());
            let mut level = 0;
            for (text, depth) in term.operands.iter().filter_map(|operand| texts[*operand].as_ref()) {
                operands.push(text.clone());
                level = level.max(*depth);
            }
            let given = if term.operands.is_empty() { value(&term.head) } else { None };
            let text = given.map_or_else(|| applied(&term.head, &operands), |text| text.to_string());
            let is_short = term.operands.is_empty() || (uses[id] == 1 && text.len() < LONG);
            texts[id] = Some(if is_short || id == self.body {
                (text.into(), level)
            } else {
                n_names += 1;
                let name: Text = format!("?{n_names}").into();
                levels.entry(level).or_default().push((name.clone(), text));
                (name, level + 1)
            });
        }
        let mut out = String::new();
        for level in levels.values() {
            out.push_str("\n  (let (");
            for (i, (name, text)) in level.iter().enumerate() {
                let _ = write!(out, "{}({name} {text})", if i == 0 { "" } else { "\n        " });
            }
            out.push(')');
        }
        let body = texts[self.body].as_ref().map_or("false", |(text, _)| text);
        let _ = write!(out, "\n  {body}{}", ")".repeat(levels.len()));
        out
    }
}
