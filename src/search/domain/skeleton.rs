//! The Boolean skeleton of a formula: a decision diagram over atoms.
//!
//! If-then-else inside terms is lifted: a term becomes a few cases (condition, branch-free term). So every atom is branch-free
//! and canonical. `<` and `<=` in both directions become thresholds `x < c`, and so do sums with a constant against constants.
//! The diagram removes Boolean redundancy: an atom that does not matter is not in it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet};

use super::bdd;
use kernel::expr::{BvBin, BvCmp, Expr, ExprId, ExprPool, FastMap, IntCmp, Sort, Value};

/// The diagram or a term's cases became too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooBig;

/// A term as cases: conditions that exclude each other and cover everything, with branch-free terms.
type Cases = Rc<[(Bdd, ExprId)]>;

/// Diagrams over one growing set of atoms.
pub(crate) struct Skeleton {
    set: &'static BddVariableSet,
    variables: Vec<BddVariable>,
    atoms: Vec<ExprId>,
    index: FastMap<ExprId, BddVariable>,
    formulas: FastMap<ExprId, Bdd>,
    terms: FastMap<ExprId, Cases>,
}

/// Largest number of nodes of a useful diagram.
const MAX_NODES: usize = 4_000;
/// A term with more cases than this is left as it is.
const MAX_CASES: usize = 48;

impl Skeleton {
    pub(crate) fn new() -> Skeleton {
        let set = bdd::variables();
        Skeleton {
            variables: set.variables(),
            set,
            atoms: Vec::new(),
            index: FastMap::default(),
            formulas: FastMap::default(),
            terms: FastMap::default(),
        }
    }
    /// Returns the diagram of a Bool expression.
    pub(crate) fn formula(&mut self, pool: &mut ExprPool, e: ExprId) -> Result<Bdd, TooBig> {
        // Operands have lower ids than their node: ascending ids are bottom-up.
        let mut todo = BTreeSet::new();
        pool.visit(&[e], |e| !self.formulas.contains_key(&e) && !self.terms.contains_key(&e) && todo.insert(e));
        for e in todo {
            if pool.sort(e) == Sort::Bool {
                let bdd = self.node(pool, e)?;
                self.formulas.insert(e, bdd);
            } else {
                let cases = self.term(pool, e);
                self.terms.insert(e, cases);
            }
        }
        Ok(self.formulas[&e].clone())
    }
    /// Returns the formula of a diagram.
    pub(crate) fn to_expr(&self, pool: &mut ExprPool, bdd: &Bdd) -> ExprId {
        bdd::to_expr(pool, bdd, |_, var| self.atoms[var.to_index()])
    }
    /// Returns the atoms on which a diagram depends.
    pub(crate) fn support(&self, bdd: &Bdd) -> BTreeMap<BddVariable, ExprId> {
        let mut support = BTreeMap::new();
        for node in bdd.pointers().skip(2) {
            let var = bdd.var_of(node);
            support.insert(var, self.atoms[var.to_index()]);
        }
        support
    }
    /// Returns the diagram with each atom of `by` replaced by a diagram, all at once.
    pub(crate) fn compose(&self, bdd: &Bdd, by: &BTreeMap<BddVariable, Bdd>) -> Result<Bdd, TooBig> {
        let mut done: Vec<Bdd> = Vec::with_capacity(bdd.size());
        for node in bdd.pointers() {
            let replaced = match node.as_bool() {
                Some(true) => self.set.mk_true(),
                Some(false) => self.set.mk_false(),
                None => {
                    let var = bdd.var_of(node);
                    let (low, high) = (&done[bdd.low_link_of(node).to_index()], &done[bdd.high_link_of(node).to_index()]);
                    match by.get(&var) {
                        Some(condition) => capped(Bdd::if_then_else(condition, high, low))?,
                        None => capped(Bdd::if_then_else(&self.set.mk_var(var), high, low))?,
                    }
                }
            };
            done.push(replaced);
        }
        Ok(done.swap_remove(bdd.root_pointer().to_index()))
    }
    /// Returns the conjunction.
    pub(crate) fn conjoin(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, TooBig> {
        capped(a.and(b))
    }
    /// Returns the diagram of TRUE.
    pub(crate) fn yes(&self) -> Bdd {
        self.set.mk_true()
    }
    fn constant(&self, value: bool) -> Bdd {
        if value { self.set.mk_true() } else { self.set.mk_false() }
    }
    /// Returns the diagram of a Bool node whose operands have diagrams.
    fn node(&mut self, pool: &mut ExprPool, e: ExprId) -> Result<Bdd, TooBig> {
        let expr = pool.expr(e);
        #[expect(clippy::wildcard_enum_match_arm, reason = "the other operators give no Bool")]
        let bdd = match expr {
            Expr::Const(value) => self.constant(value == Value::Bool(true)),
            Expr::Var(_) => self.atom(pool, e)?,
            Expr::Not(a) => self.formulas[&a].not(),
            Expr::And(a, b) => self.formulas[&a].and(&self.formulas[&b]),
            Expr::Or(a, b) => self.formulas[&a].or(&self.formulas[&b]),
            Expr::Eq(a, b) if pool.sort(a) == Sort::Bool => self.formulas[&a].iff(&self.formulas[&b]),
            Expr::Ite(c, a, b) => Bdd::if_then_else(&self.formulas[&c], &self.formulas[&a], &self.formulas[&b]),
            Expr::Eq(..) | Expr::BvCmp(..) | Expr::FpCmp(..) | Expr::FpTest(..) | Expr::IntCmp(..) | Expr::Select(..) => {
                let mut holds = self.set.mk_false();
                for (condition, leaf) in self.combine(pool, expr) {
                    let atom = self.leaf(pool, leaf)?;
                    holds = capped(holds.or(&condition.and(&atom)))?;
                }
                holds
            }
            _ => unreachable!("{e} is not a Bool"),
        };
        capped(bdd)
    }
    /// Returns the cases of a term whose operands have cases.
    fn term(&mut self, pool: &mut ExprPool, e: ExprId) -> Cases {
        let expr = pool.expr(e);
        let mut cases: BTreeMap<ExprId, Bdd> = BTreeMap::new();
        let mut add = |condition: Bdd, leaf: ExprId| {
            if condition.is_false() {
                return;
            }
            match cases.entry(leaf) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(condition);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let either = entry.get().or(&condition);
                    entry.insert(either);
                }
            }
        };
        if let Expr::Ite(c, a, b) = expr {
            let c = &self.formulas[&c];
            for (condition, leaf) in self.terms[&a].iter() {
                add(c.and(condition), *leaf);
            }
            for (condition, leaf) in self.terms[&b].iter() {
                add(condition.and_not(c), *leaf);
            }
        } else {
            for (condition, leaf) in self.combine(pool, expr) {
                add(condition, leaf);
            }
        }
        let n_nodes: usize = cases.values().map(Bdd::size).sum();
        if MAX_CASES < cases.len() || MAX_NODES < n_nodes {
            // Left as it is: an atom with branches inside is still an atom.
            return Rc::new([(self.set.mk_true(), e)]);
        }
        cases.into_iter().map(|(leaf, condition)| (condition, leaf)).collect()
    }
    /// Returns a node over every combination of its operands' cases. Operands that are Bool (of arrays) have two.
    fn combine(&self, pool: &mut ExprPool, expr: Expr) -> Vec<(Bdd, ExprId)> {
        let mut rows: Vec<(Bdd, Vec<ExprId>)> = vec![(self.set.mk_true(), Vec::new())];
        for child in expr.children() {
            let truth: Cases;
            let cases = if pool.sort(child) == Sort::Bool {
                let holds = &self.formulas[&child];
                truth = Rc::new([(holds.clone(), pool.bool(true)), (holds.not(), pool.bool(false))]);
                &truth
            } else {
                &self.terms[&child]
            };
            let as_it_is = MAX_CASES * 4 < rows.len() * cases.len();
            let single: Cases = Rc::new([(self.set.mk_true(), child)]);
            let cases = if as_it_is { &single } else { cases };
            let mut longer = Vec::new();
            for (condition, leaves) in &rows {
                for (also, leaf) in cases.iter() {
                    let both = condition.and(also);
                    if !both.is_false() {
                        let mut leaves = leaves.clone();
                        leaves.push(*leaf);
                        longer.push((both, leaves));
                    }
                }
            }
            rows = longer;
        }
        rows.into_iter()
            .map(|(condition, leaves)| {
                let mut leaves = leaves.into_iter();
                // As many leaves as operands.
                let node = expr.map_children(|child| leaves.next().unwrap_or(child));
                (condition, pool.rebuild(node))
            })
            .collect()
    }
    /// Returns the diagram of a Bool over branch-free terms. Simplification may have turned it into any form.
    fn leaf(&mut self, pool: &mut ExprPool, e: ExprId) -> Result<Bdd, TooBig> {
        if let Some(bdd) = self.formulas.get(&e) {
            return Ok(bdd.clone());
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "the other operators give no Bool")]
        let bdd = match pool.expr(e) {
            Expr::Const(value) => self.constant(value == Value::Bool(true)),
            Expr::Not(inner) => self.leaf(pool, inner)?.not(),
            Expr::Eq(a, _) if pool.sort(a) != Sort::Bool => self.equality(pool, e)?,
            Expr::BvCmp(op, a, b) => self.comparison(pool, op, a, b)?,
            Expr::IntCmp(op, a, b) => self.int_comparison(pool, op, a, b)?,
            Expr::Var(_) | Expr::FpCmp(..) | Expr::FpTest(..) | Expr::Select(..) => self.atom(pool, e)?,
            // A comparison that became a combination of smaller ones.
            Expr::And(..) | Expr::Or(..) | Expr::Eq(..) | Expr::Ite(..) => self.formula(pool, e)?,
            _ => unreachable!("{e} is not a Bool"),
        };
        let bdd = capped(bdd)?;
        self.formulas.insert(e, bdd.clone());
        Ok(bdd)
    }
    fn atom(&mut self, pool: &ExprPool, e: ExprId) -> Result<Bdd, TooBig> {
        debug_assert_eq!(pool.sort(e), Sort::Bool);
        if let Some(&var) = self.index.get(&e) {
            return Ok(self.set.mk_var(var));
        }
        let &var = self.variables.get(self.atoms.len()).ok_or(TooBig)?;
        self.atoms.push(e);
        self.index.insert(e, var);
        Ok(self.set.mk_var(var))
    }
    /// Returns the diagram of an equation; x + c = d is x = d - c.
    fn equality(&mut self, pool: &mut ExprPool, e: ExprId) -> Result<Bdd, TooBig> {
        let Expr::Eq(a, b) = pool.expr(e) else { return self.atom(pool, e) };
        let (term, constant) = if pool.as_const(a).is_some() { (b, a) } else { (a, b) };
        match (pool.as_const(constant), offset(pool, term)) {
            (Some(d), Some((x, c))) => {
                let (Some(d), Some(c)) = (d.as_unsigned(), c.as_unsigned()) else { return self.atom(pool, e) };
                let moved = pool.constant(Value::bv(pool.width(x), d.wrapping_sub(c)));
                let moved = pool.eq(x, moved);
                self.leaf(pool, moved)
            }
            (Some(_) | None, _) => self.atom(pool, e),
        }
    }
    /// Returns a comparison as thresholds. The only atoms are `a < b` with `b` constant or neither constant.
    fn comparison(&mut self, pool: &mut ExprPool, op: BvCmp, a: ExprId, b: ExprId) -> Result<Bdd, TooBig> {
        let (signed, strict) = match op {
            BvCmp::Ult => (false, true),
            BvCmp::Ule => (false, false),
            BvCmp::Slt => (true, true),
            BvCmp::Sle => (true, false),
        };
        // a <= b is ¬(b < a).
        let (a, b, positive) = if strict { (a, b, true) } else { (b, a, false) };
        let width = pool.width(a);
        let holds = match (pool.as_const(a).and_then(Value::as_unsigned), pool.as_const(b).and_then(Value::as_unsigned)) {
            (Some(c), None) => {
                // c < b is ¬(b < c + 1), or nothing at all if c is the greatest.
                let greatest = if signed { smallest(width, true).wrapping_sub(1) & bits(width) } else { bits(width) };
                if c == greatest { self.set.mk_false() } else { self.below(pool, signed, b, c.wrapping_add(1))?.not() }
            }
            (None, Some(c)) => self.below(pool, signed, a, c)?,
            (None, None) | (Some(_), Some(_)) => self.strict(pool, signed, a, b)?,
        };
        Ok(if positive { holds } else { holds.not() })
    }
    /// Returns a comparison of integers. The only atoms are `a < b` with `b` constant or neither constant.
    fn int_comparison(&mut self, pool: &mut ExprPool, op: IntCmp, a: ExprId, b: ExprId) -> Result<Bdd, TooBig> {
        let constant = |pool: &ExprPool, e| pool.as_const(e).and_then(Value::as_int);
        let moved = |pool: &mut ExprPool, c: i128| {
            let c = c.checked_add(1)?;
            Some(pool.int_const(c))
        };
        // a <= c is a < c + 1, c < b is ¬(b < c + 1), a <= b is ¬(b < a).
        match (op, constant(pool, a), constant(pool, b)) {
            (IntCmp::Le, None, Some(c)) => match moved(pool, c) {
                Some(c) => self.int_strict(pool, a, c),
                None => Ok(self.int_strict(pool, b, a)?.not()),
            },
            (IntCmp::Lt, Some(c), None) => match moved(pool, c) {
                Some(c) => Ok(self.int_strict(pool, b, c)?.not()),
                None => self.int_strict(pool, a, b),
            },
            (IntCmp::Lt, ..) => self.int_strict(pool, a, b),
            (IntCmp::Le, ..) => Ok(self.int_strict(pool, b, a)?.not()),
        }
    }
    /// Returns a < b: as an atom, or as the form that simplification gives it.
    fn int_strict(&mut self, pool: &mut ExprPool, a: ExprId, b: ExprId) -> Result<Bdd, TooBig> {
        let e = pool.int_cmp(IntCmp::Lt, a, b);
        if pool.expr(e) == Expr::IntCmp(IntCmp::Lt, a, b) { self.atom(pool, e) } else { self.leaf(pool, e) }
    }
    /// Returns term < c. A sum x + k < c is an arc of the circle of values: x lies in [min - k, c - k).
    fn below(&mut self, pool: &mut ExprPool, signed: bool, term: ExprId, c: u128) -> Result<Bdd, TooBig> {
        let width = pool.width(term);
        let (min, c) = (smallest(width, signed), c & bits(width));
        let Some((x, k)) = offset(pool, term) else { return self.threshold(pool, signed, term, c) };
        let k = k.as_unsigned().unwrap_or(0);
        if c == min {
            return Ok(self.set.mk_false());
        }
        let (from, to) = (min.wrapping_sub(k) & bits(width), c.wrapping_sub(k) & bits(width));
        let below_from = self.threshold(pool, signed, x, from)?;
        let below_to = self.threshold(pool, signed, x, to)?;
        // Distances from the least value order the circle. An arc that ends where numbering starts does not wrap.
        let distance = |v: u128| v.wrapping_sub(min) & bits(width);
        Ok(if distance(from) < distance(to) { below_to.and_not(&below_from) } else { below_to.or(&below_from.not()) })
    }
    /// Returns the atom x < c.
    fn threshold(&mut self, pool: &mut ExprPool, signed: bool, x: ExprId, c: u128) -> Result<Bdd, TooBig> {
        let constant = pool.constant(Value::bv(pool.width(x), c));
        self.strict(pool, signed, x, constant)
    }
    /// Returns a < b: as an atom, or as the form that simplification gives it.
    fn strict(&mut self, pool: &mut ExprPool, signed: bool, a: ExprId, b: ExprId) -> Result<Bdd, TooBig> {
        let op = if signed { BvCmp::Slt } else { BvCmp::Ult };
        let e = pool.bv_cmp(op, a, b);
        if pool.expr(e) == Expr::BvCmp(op, a, b) { self.atom(pool, e) } else { self.leaf(pool, e) }
    }
}

/// Returns the sum of an expression and a constant, if `e` is one.
fn offset(pool: &ExprPool, e: ExprId) -> Option<(ExprId, Value)> {
    let Expr::BvBin(op, a, b) = pool.expr(e) else { return None };
    // A constant operand of a sum stands second.
    let c = pool.as_const(b)?;
    if op == BvBin::Add {
        return Some((a, c));
    }
    if op == BvBin::Sub { Some((a, Value::bv(pool.width(a), c.as_unsigned()?.wrapping_neg()))) } else { None }
}

/// Returns all bits of a width.
fn bits(width: u16) -> u128 {
    if 128 <= width { u128::MAX } else { (1 << width) - 1 }
}

/// Returns the least value of a width.
fn smallest(width: u16, signed: bool) -> u128 {
    if signed { 1 << (width - 1) } else { 0 }
}

fn capped(bdd: Bdd) -> Result<Bdd, TooBig> {
    if MAX_NODES < bdd.size() { Err(TooBig) } else { Ok(bdd) }
}
