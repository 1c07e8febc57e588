//! The invariants of a certificate as sorted terms: read from a file, or made from a proof; written again in one form.
//!
//! What is read is nothing but operators of SMT-LIB's theories over variables of the model's state, each applied to operands of
//! the right sorts: a solver that is asked later sees only text that was written here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Flaw;
use super::operators::{Applied, apply, literal, sort_of};
use super::sexp::{Sexp, SexpId, Sexps, shorten};
use super::text::{LONG, Sorts, Text, applied, clean, foreign, head};
use kernel::expr::{Expr, ExprId, ExprPool, Sort, VarId};

/// A term of a [`Predicate`].
type TermId = usize;

/// One term.
#[derive(Clone, Debug)]
struct Term {
    /// What stands before the operands; the whole text of a variable or a literal.
    head: String,
    operands: Vec<TermId>,
    sort: Sort,
}

/// The symbols of a model's state: each variable has one that no other has.
#[derive(Clone, Debug)]
pub(super) struct Symbols {
    of_var: BTreeMap<VarId, (String, Sort)>,
    by_name: BTreeMap<String, VarId>,
}

impl Symbols {
    /// Names of variables as they may stand between bars, with an `@` at their end that no operator has; of several with one
    /// name all but the first get a number. In a frame the frame's number follows.
    pub(super) fn new(pool: &ExprPool, vars: &[VarId]) -> Symbols {
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
    /// The variable of a symbol without bars.
    pub(super) fn var(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }
    /// Symbol (without bars) and sort of a variable.
    pub(super) fn of(&self, var: VarId) -> Option<(&str, Sort)> {
        self.of_var.get(&var).map(|(name, sort)| (name.as_str(), *sort))
    }
}

/// A Bool over some variables of the state.
#[derive(Clone, Debug)]
pub(super) struct Predicate {
    terms: Vec<Term>,
    /// Its variables, ascending.
    pub(super) params: Vec<VarId>,
    body: TermId,
}

impl Predicate {
    /// An expression of the model's pool.
    ///
    /// Cost: linear in the distinct nodes below it.
    pub(super) fn of_expr(pool: &ExprPool, e: ExprId, symbols: &Symbols) -> Result<Predicate, Flaw> {
        let mut uses: BTreeMap<ExprId, usize> = BTreeMap::new();
        let mut todo = vec![e];
        while let Some(node) = todo.pop() {
            let n = uses.entry(node).or_insert(0);
            *n += 1;
            if *n == 1 {
                todo.extend(pool.expr(node).children());
            }
        }
        let (mut terms, mut done) = (Vec::new(), BTreeMap::new());
        let mut params = BTreeSet::new();
        for node in uses.keys() {
            let (expr, sort) = (pool.expr(*node), pool.sort(*node));
            let term = if let Expr::Var(var) = expr {
                let (name, _) = symbols.of(var).ok_or_else(|| foreign(pool, var))?;
                params.insert(var);
                Term { head: format!("|{name}|"), operands: Vec::new(), sort }
            } else {
                Term { head: head(pool, expr), operands: expr.children().map(|child| done[&child]).collect(), sort }
            };
            terms.push(term);
            done.insert(*node, terms.len() - 1);
        }
        Ok(Predicate { terms, params: params.into_iter().collect(), body: done[&e] })
    }

    /// The parameters and the body of a `define-fun`.
    ///
    /// Cost: linear in the text, but for long chains of names in one scope. No recursion.
    pub(super) fn read(sexps: &Sexps<'_>, params: SexpId, body: SexpId, symbols: &Symbols) -> Result<Predicate, Flaw> {
        let not_one = |id| Flaw(format!("`{}` is not a variable with its sort", sexps.show(id)));
        let mut reading = Reading { sexps, terms: Vec::new(), scope: BTreeMap::new() };
        let mut vars = BTreeSet::new();
        for param in sexps.list(params).ok_or_else(|| not_one(params))? {
            let Some([name, sort]) = sexps.list(*param) else { return Err(not_one(*param)) };
            let name = sexps.atom(*name).ok_or_else(|| not_one(*param))?;
            let Some(var) = symbols.by_name.get(name) else {
                return Err(Flaw(format!("`{}` is not a variable of the model", shorten(name))));
            };
            let (_, expected) = symbols.of_var[var];
            if sort_of(sexps, *sort)? != expected {
                return Err(Flaw(format!("`{}` is of sort {expected} in the model", shorten(name))));
            }
            if !vars.insert(*var) {
                return Err(Flaw(format!("`{}` is named twice", shorten(name))));
            }
            let term = reading.term(format!("|{name}|"), Vec::new(), expected);
            reading.scope.insert(name, term);
        }
        let body = reading.body(body)?;
        let sort = reading.terms[body].sort;
        if sort != Sort::Bool {
            return Err(Flaw(format!("an invariant is Bool, this one is of sort {sort}")));
        }
        Ok(Predicate { terms: reading.terms, params: vars.into_iter().collect(), body })
    }

    /// Number of terms; operands come before what they are operands of.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }
    /// What stands before the operands, the operands, and the sort.
    pub(super) fn term(&self, id: TermId) -> (&str, &[TermId], Sort) {
        let Term { head, operands, sort } = &self.terms[id];
        (head, operands, *sort)
    }
    /// The parts whose conjunction it is.
    pub(super) fn conjuncts(&self) -> Vec<TermId> {
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

    /// A `define-fun` of this name; `(name value…)` is the predicate of a state.
    pub(super) fn definition(&self, name: &str, symbols: &Symbols, sorts: &mut Sorts) -> String {
        let param = |var: &VarId| symbols.of(*var).map(|(name, sort)| format!("(|{name}| {sort})")).unwrap_or_default();
        let params: Vec<String> = self.params.iter().map(param).collect();
        format!("(define-fun {name} ({}) Bool{})", params.join(" "), self.text(sorts))
    }

    /// A number for its text without names: a polynomial over the bytes, with the power of its length.
    #[cfg(test)]
    pub(super) fn shape(&self) -> (u64, u64) {
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

    /// The body: parts that are shared or long have names, those that do not need each other side by side.
    fn text(&self, sorts: &mut Sorts) -> String {
        let mut uses = vec![0_usize; self.terms.len()];
        uses[self.body] = 1;
        // Operands are made before what they are operands of.
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
            let text = applied(&term.head, &operands);
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

struct Reading<'s, 't> {
    sexps: &'s Sexps<'t>,
    terms: Vec<Term>,
    /// What each name stands for here. A name that is taken cannot be given again.
    scope: BTreeMap<&'t str, TermId>,
}

/// What is to be done next.
enum Task<'t> {
    Read(SexpId),
    /// Applies the operator of this list to so many terms.
    Apply(SexpId, Applied),
    /// Gives the last terms these names, and reads the body.
    Bind(Vec<&'t str>, SexpId),
    /// The names end here.
    Forget(Vec<&'t str>),
}

impl<'t> Reading<'_, 't> {
    fn term(&mut self, head: String, operands: Vec<TermId>, sort: Sort) -> TermId {
        self.terms.push(Term { head, operands, sort });
        self.terms.len() - 1
    }

    fn body(&mut self, body: SexpId) -> Result<TermId, Flaw> {
        let mut todo = vec![Task::Read(body)];
        let mut made: Vec<TermId> = Vec::new();
        while let Some(task) = todo.pop() {
            match task {
                Task::Read(id) => self.visit(id, &mut todo, &mut made)?,
                Task::Apply(id, operator) => {
                    let from = made.len().saturating_sub(operator.n_operands);
                    let operands = made.split_off(from);
                    let sorts: Vec<Sort> = operands.iter().map(|operand| self.terms[*operand].sort).collect();
                    let Some(sort) = apply(&operator, &sorts) else {
                        let shown: Vec<String> = sorts.iter().take(4).map(Sort::to_string).collect();
                        let operator = self.sexps.show(id);
                        return Err(Flaw(format!("`{operator}` cannot be applied to {}", shown.join(" and "))));
                    };
                    let term = self.term(operator.head, operands, sort);
                    made.push(term);
                }
                Task::Bind(names, body) => {
                    let from = made.len().saturating_sub(names.len());
                    for (name, term) in names.iter().zip(made.split_off(from)) {
                        if self.scope.insert(name, term).is_some() {
                            return Err(Flaw(format!("the name `{}` is given twice", shorten(name))));
                        }
                    }
                    todo.push(Task::Forget(names));
                    todo.push(Task::Read(body));
                }
                Task::Forget(names) => {
                    for name in names {
                        self.scope.remove(name);
                    }
                }
            }
        }
        made.pop().ok_or_else(|| Flaw("an invariant has no body".into()))
    }

    fn visit(&mut self, id: SexpId, todo: &mut Vec<Task<'t>>, made: &mut Vec<TermId>) -> Result<(), Flaw> {
        let sexps = self.sexps;
        if let Sexp::Atom(word) = sexps.get(id)
            && let Some(term) = self.scope.get(word)
        {
            made.push(*term);
            return Ok(());
        }
        if let Some((text, sort)) = literal(sexps, id)? {
            let term = self.term(text, Vec::new(), sort);
            made.push(term);
            return Ok(());
        }
        let Some(list) = sexps.list(id) else {
            return Err(Flaw(format!("`{}` is neither a variable of the invariant nor a literal", sexps.show(id))));
        };
        if let [word, bindings, body] = list
            && sexps.atom(*word) == Some("let")
        {
            let unreadable = || Flaw("a `let` without names".to_owned());
            let mut names = Vec::new();
            let mut values = Vec::new();
            for binding in sexps.list(*bindings).ok_or_else(unreadable)? {
                let Some([name, value]) = sexps.list(*binding) else { return Err(unreadable()) };
                names.push(sexps.atom(*name).ok_or_else(unreadable)?);
                values.push(*value);
            }
            todo.push(Task::Bind(names, *body));
            todo.extend(values.into_iter().rev().map(Task::Read));
            return Ok(());
        }
        let operator = Applied::read(sexps, list)?;
        let operands = list[list.len() - operator.n_operands..].to_vec();
        todo.push(Task::Apply(id, operator));
        todo.extend(operands.into_iter().rev().map(Task::Read));
        Ok(())
    }
}
