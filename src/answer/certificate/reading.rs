//! Reads the invariants of a certificate as sorted terms.
//!
//! Only operators of SMT-LIB's theories over variables of the model's state are read, each applied to operands of the right
//! sorts. So a solver sees nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::operators::{Applied, apply, literal, sort_of};
use super::sexp::{Sexp, SexpId, Sexps};
use super::{Flaw, shorten};
use crate::certify::predicate::{Predicate, Symbols, Term, TermId};
use kernel::expr::Sort;

/// Reads the parameters and the body of a `define-fun`.
///
///
/// Cost: linear in the text, but for long chains of names in one scope. No recursion.
pub(super) fn predicate(sexps: &Sexps<'_>, params: SexpId, body: SexpId, symbols: &Symbols) -> Result<Predicate, Flaw> {
    let not_one = |id| Flaw(format!("`{}` is not a variable with its sort", sexps.show(id)));
    let mut reading = Reading { sexps, terms: Vec::new(), scope: BTreeMap::new() };
    let mut vars = BTreeSet::new();
    for param in sexps.list(params).ok_or_else(|| not_one(params))? {
        let Some([name, sort]) = sexps.list(*param) else { return Err(not_one(*param)) };
        let name = sexps.atom(*name).ok_or_else(|| not_one(*param))?;
        let Some(var) = symbols.var(name) else {
            return Err(Flaw(format!("`{}` is not a variable of the model", shorten(name))));
        };
        let expected = symbols.of(var).map_or(Sort::Bool, |(_, sort)| sort);
        if sort_of(sexps, *sort)? != expected {
            return Err(Flaw(format!("`{}` is of sort {expected} in the model", shorten(name))));
        }
        if !vars.insert(var) {
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

struct Reading<'s, 't> {
    sexps: &'s Sexps<'t>,
    terms: Vec<Term>,
    /// Meaning of each name. A name that is in use cannot be defined again.
    scope: BTreeMap<&'t str, TermId>,
}

/// Pending work.
enum Work<'t> {
    Read(SexpId),
    /// Applies the operator of this list to so many terms.
    Apply(SexpId, Applied),
    /// Binds these names to the last terms, and reads the body.
    Bind(Vec<&'t str>, SexpId),
    /// Ends the scope of these names.
    Forget(Vec<&'t str>),
}

impl<'t> Reading<'_, 't> {
    fn term(&mut self, head: String, operands: Vec<TermId>, sort: Sort) -> TermId {
        self.terms.push(Term { head, operands, sort });
        self.terms.len() - 1
    }

    fn body(&mut self, body: SexpId) -> Result<TermId, Flaw> {
        let mut todo = vec![Work::Read(body)];
        let mut made: Vec<TermId> = Vec::new();
        while let Some(task) = todo.pop() {
            match task {
                Work::Read(id) => self.visit(id, &mut todo, &mut made)?,
                Work::Apply(id, operator) => {
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
                Work::Bind(names, body) => {
                    let from = made.len().saturating_sub(names.len());
                    for (name, term) in names.iter().zip(made.split_off(from)) {
                        if self.scope.insert(name, term).is_some() {
                            return Err(Flaw(format!("the name `{}` is given twice", shorten(name))));
                        }
                    }
                    todo.push(Work::Forget(names));
                    todo.push(Work::Read(body));
                }
                Work::Forget(names) => {
                    for name in names {
                        self.scope.remove(name);
                    }
                }
            }
        }
        made.pop().ok_or_else(|| Flaw("an invariant has no body".into()))
    }

    fn visit(&mut self, id: SexpId, todo: &mut Vec<Work<'t>>, made: &mut Vec<TermId>) -> Result<(), Flaw> {
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
            todo.push(Work::Bind(names, *body));
            todo.extend(values.into_iter().rev().map(Work::Read));
            return Ok(());
        }
        let operator = Applied::read(sexps, list)?;
        let operands = list[list.len() - operator.n_operands..].to_vec();
        todo.push(Work::Apply(id, operator));
        todo.extend(operands.into_iter().rev().map(Work::Read));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
