//! Arrays with too many values to be kept: each read of an element gives any value, a write has no effect on anything else.
//!
//! The project has one unmodelled scalar in the place of such an array. Elements of it stand in bodies until this pass, which
//! keeps the checks of their indices:
//!
//! ```st
//! x := a[i];      (* becomes x := MUX(SEL(1 <= i AND i <= 200000, 1, 0), <any value>) *)
//! a[i] := x;      (* becomes the evaluations of x and of MUX(SEL(1 <= i AND i <= 200000, 1, 0), 0) *)
//! ```
//!
//! Soundness: no statement behind this pass names an element. References to one, calls of one, a VAR_IN_OUT and a part of an instance
//! make their statement a gap. No run goes past it.

use crate::hir::walk::{Access, VisitMut};
use crate::hir::{
    Address, AddressArea, AddressSize, BinOp, Builtin, Elem, Expr, ExprKind, Place, PouId, Project, Root, Section, Stmt,
    StmtKind, Type, TypeId, Var,
};
use crate::resolve::findings::Findings;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::table::TypeTable;
use crate::text::{Gap, GapId, Span, Treatment};

/// Most scalars of the inputs that give reads their values; behind them, runs through a read are not replayed.
const MOST_GIVEN: usize = 2_000;

impl Resolver<'_> {
    /// Takes the elements of arrays that are not kept out of all bodies.
    pub(crate) fn replace_large_elements(&mut self) {
        if !self.types.has_large() {
            return;
        }
        let mut n_given = 0;
        let mut n_reads = 0;
        for pou in self.project.pous.ids() {
            let mut body = std::mem::take(&mut self.project.pous[pou].body);
            let (project, findings, types) = (&mut self.project, &mut self.findings, &self.types);
            let mut pass = Replacement { project, findings, types, pou, trouble: None, n_given, n_reads };
            pass.body(&mut body);
            (n_given, n_reads) = (pass.n_given, pass.n_reads);
            self.project.pous[pou].body = body;
        }
    }
}

impl Findings {
    /// Enters an array that is not kept into the ledger.
    pub(crate) fn record_large(&mut self, name: &str, ty: &str, span: Span) {
        let construct = format!("variable `{name}` of type {ty}: too many values to be kept");
        let effect = "each read of an element gives any value of its type; indices are checked".to_owned();
        self.record(Gap { span, construct, treatment: Treatment::OverApproximated, effect });
    }
}

/// Pass over the body of a POU.
struct Replacement<'r> {
    project: &'r mut Project,
    findings: &'r mut Findings,
    types: &'r TypeTable,
    pou: PouId,
    /// Reason why the current statement is not modelled.
    trouble: Option<GapId>,
    /// Scalars of the inputs so far.
    n_given: usize,
    /// Reads so far.
    n_reads: usize,
}

/// Index of an element with the bounds of its dimension.
type Check = (Expr, (i64, i64));

/// Place of an element of an array that is not kept.
enum Element {
    /// All indices on the way are known to be checked without other effects.
    Checked(Vec<Check>),
    /// The way leads over references, or an index has effects.
    Entangled,
}

impl<'h> VisitMut<'h> for Replacement<'_> {
    fn body(&mut self, body: &'h mut Vec<Stmt>) {
        let around = self.trouble.take();
        let mut rewritten = Vec::with_capacity(body.len());
        for mut stmt in std::mem::take(body) {
            let span = stmt.span;
            let checks = self.statement(&mut stmt);
            match (self.trouble.take(), checks) {
                (Some(gap), _) => rewritten.push(Stmt { kind: StmtKind::Gap(gap), span }),
                (None, Some(checks)) => rewritten.extend(written(self.project, stmt, checks)),
                (None, None) => rewritten.push(stmt),
            }
        }
        *body = rewritten;
        self.trouble = around;
    }

    fn expr(&mut self, e: &'h mut Expr) {
        let mut place = None;
        if let ExprKind::Read(read) = &mut e.kind {
            // Indices first: one of them may be an element itself.
            self.place_parts(read);
            place = Some(&*read);
        }
        match place.map(|place| (self.element(place), place.clone())) {
            Some((Some(Element::Checked(checks)), place)) => self.read(e, checks, &place),
            Some((Some(Element::Entangled), place)) => self.stop(&place),
            Some((None, _)) => {}
            None => self.expr_parts(e),
        }
    }

    fn place(&mut self, place: &'h mut Place, _access: Access) {
        self.place_parts(place);
        if self.element(place).is_some() {
            let place = place.clone();
            self.stop(&place);
        }
    }
}

impl Replacement<'_> {
    /// Rewrites the parts of a statement. Returns the checks of its target, if that is an element.
    fn statement(&mut self, stmt: &mut Stmt) -> Option<Vec<Check>> {
        let StmtKind::Assign { target, value } = &mut stmt.kind else {
            self.stmt_parts(stmt);
            return None;
        };
        self.expr(value);
        self.place_parts(target);
        match self.element(target) {
            Some(Element::Checked(checks)) if self.is_plain(target.ty) => Some(checks),
            Some(Element::Checked(_) | Element::Entangled) => {
                let target = target.clone();
                self.stop(&target);
                None
            }
            None => None,
        }
    }

    /// Makes the current statement a gap.
    fn stop(&mut self, place: &Place) {
        let construct = "use of an element of an array that is too large to be kept".to_owned();
        let effect = "only reads and writes of its values are modelled: nothing after this statement in the cycle is verified";
        let gap = self.findings.record_unsupported(place.span, construct, effect);
        self.trouble.get_or_insert(gap);
    }

    fn is_plain(&self, ty: TypeId) -> bool {
        !self.project.holds_instance(ty) && !self.project.holds_opaque(ty)
    }

    /// Makes a read of an element any value behind the checks of its indices.
    fn read(&mut self, e: &mut Expr, checks: Vec<Check>, place: &Place) {
        if !self.is_plain(e.ty) {
            return self.stop(place);
        }
        let (ty, span) = (e.ty, e.span);
        let concrete = self.given(ty, span).map(|place| Box::new(Expr::read(place)));
        let construct = "element of an array that is too large to be kept".to_owned();
        let effect = "the model lets each read give any value of its type".to_owned();
        let gap = self.findings.record(Gap { span, construct, treatment: Treatment::OverApproximated, effect });
        let construct = "the array that is too large to be kept can hold the values of the run".to_owned();
        let effect = "the run takes any value from it; the program may never write this value".to_owned();
        self.findings.record(Gap { span, construct, treatment: Treatment::AssumedByRuns, effect });
        let any = Expr::new(ExprKind::Arbitrary { gap, concrete }, ty, span);
        *e = behind(self.project, checks, any);
    }

    /// Returns a new input that gives a read its values.
    fn given(&mut self, ty: TypeId, span: Span) -> Option<Place> {
        let size = self.types.size(ty);
        if MOST_GIVEN < self.n_given + size {
            return None;
        }
        self.n_given += size;
        self.n_reads += 1;
        let name = format!("{} (element {} read)", self.project.pous[self.pou].name, self.n_reads);
        let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
        let global = self.project.globals.push(Var { address, ..Var::new(name, ty, Section::Global, span) });
        self.project.at_call.insert(global);
        Some(Place::of(Root::Global(global), ty, span))
    }

    /// Returns the way to an element of an array that is not kept; `None` if the place is none.
    fn element(&self, place: &Place) -> Option<Element> {
        let (project, types) = (&*self.project, self.types);
        let mut path = place.path.iter();
        let mut ty = match place.root {
            Root::Var(var) => project.pous[self.pou].vars[var].ty,
            Root::Global(id) => project.globals[id].ty,
            Root::This(ty) => ty,
            Root::Instance(id) => match path.next()? {
                Elem::Member(var) => project.pous[project.instances[id].pou].vars[*var].ty,
                Elem::Field(_) | Elem::Index(_) | Elem::Deref(_) | Elem::Bits { .. } => return None,
            },
        };
        let (mut is_large, mut is_entangled, mut checks) = (false, false, Vec::new());
        for elem in path {
            match (elem, &project.types[ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => ty = fields.get(*k as usize)?.ty,
                (Elem::Member(var), Type::FunctionBlock(pou)) => ty = project.pous[*pou].vars.get(*var)?.ty,
                (Elem::Deref(view), _) => (ty, is_entangled) = (*view, true),
                (Elem::Index(indices), known) => {
                    let (dims, elem) = match (known, types.large(ty)) {
                        (Type::Array { dims, elem }, _) => (dims, *elem),
                        (_, Some(large)) => {
                            is_large = true;
                            (&large.dims, large.elem)
                        }
                        (_, None) => return None,
                    };
                    for (index, bounds) in indices.iter().zip(dims) {
                        is_entangled |= !is_repeatable(index) || (!checks.is_empty() && may_end(index));
                        checks.push((index.clone(), *bounds));
                    }
                    ty = elem;
                }
                (Elem::Bits { .. }, _) => break,
                (Elem::Field(_) | Elem::Member(_), _) => return None,
            }
        }
        match (is_large, is_entangled) {
            (true, true) => Some(Element::Entangled),
            (true, false) => Some(Element::Checked(checks)),
            (false, _) => None,
        }
    }
}

/// Returns whether two evaluations of an index have the effects and value of one.
fn is_repeatable(index: &Expr) -> bool {
    let mut all = true;
    crate::hir::walk::exprs_of(index, |e| all &= !matches!(e.kind, ExprKind::Call(..) | ExprKind::Arbitrary { .. }));
    all
}

/// Returns whether the evaluation of an index may end the run. The check of the index before it comes first then.
fn may_end(index: &Expr) -> bool {
    let mut may = false;
    crate::hir::walk::exprs_of(index, |e| {
        may |= match &e.kind {
            ExprKind::Literal(_) | ExprKind::Unary(..) | ExprKind::Convert(crate::hir::Conversion::Widen, _) => false,
            ExprKind::Read(place) => place.path.iter().any(|elem| matches!(elem, Elem::Index(_) | Elem::Deref(_))),
            ExprKind::Binary(op, ..) => !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
            ExprKind::Text(_)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => true,
        };
    });
    may
}

/// Returns a value behind the checks of indices.
fn behind(project: &Project, checks: Vec<Check>, value: Expr) -> Expr {
    let (ty, span) = (value.ty, value.span);
    checks.into_iter().rev().fold(value, |value, (index, bounds)| {
        let selector = selector(project, index, bounds);
        Expr::new(ExprKind::Builtin(Builtin::Mux, vec![selector, value]), ty, span)
    })
}

/// Returns 0 if an index is within its bounds, else 1, which selects no input of a MUX.
fn selector(project: &Project, index: Expr, (low, high): (i64, i64)) -> Expr {
    let span = index.span;
    let (low, high) = (i128::from(low), i128::from(high));
    let format = project.int_type(index.ty);
    let truth = |value: bool| Expr::literal(crate::hir::Value::Bool(value), elementary::BOOL, span);
    let compare =
        |op: BinOp, bound: i128| Expr::binary(op, index.clone(), Expr::int(bound, index.ty, span), elementary::BOOL, span);
    let from = match format {
        Some(format) if low <= format.min() => truth(true),
        Some(format) if format.max() < low => truth(false),
        Some(_) | None => compare(BinOp::Ge, low),
    };
    let to = match format {
        Some(format) if format.max() <= high => truth(true),
        Some(format) if high < format.min() => truth(false),
        Some(_) | None => compare(BinOp::Le, high),
    };
    // Both bounds may hold for the type alone; the index is evaluated all the same.
    let inside = match (&from.kind, &to.kind) {
        (ExprKind::Literal(_), ExprKind::Literal(_)) => {
            let own = compare(BinOp::Eq, 0);
            let either =
                Expr::binary(BinOp::Or, own.clone(), Expr::unary(crate::hir::UnOp::Not, own, span), elementary::BOOL, span);
            let both = Expr::binary(BinOp::And, from, to, elementary::BOOL, span);
            Expr::binary(BinOp::And, either, both, elementary::BOOL, span)
        }
        (_, _) => Expr::binary(BinOp::And, from, to, elementary::BOOL, span),
    };
    let number = |n: i128| Expr::int(n, elementary::DINT, span);
    Expr::new(ExprKind::Builtin(Builtin::Sel, vec![inside, number(1), number(0)]), elementary::DINT, span)
}

/// Returns the statements of an assignment to an element: its value and the checks of its indices.
fn written(project: &Project, stmt: Stmt, checks: Vec<Check>) -> Vec<Stmt> {
    let span = stmt.span;
    let StmtKind::Assign { value, .. } = stmt.kind else { return vec![stmt] };
    let checked = behind(project, checks, Expr::int(0, elementary::DINT, span));
    [value, checked].map(|e| Stmt { kind: StmtKind::Eval(e), span }).into()
}

#[cfg(test)]
mod tests {
    use crate::LoadOptions;
    use crate::text::SourceSet;

    /// Returns the statements of a program as they are resolved, and the constructs in its ledger.
    fn resolved(declarations: &str, vars: &str, body: &str) -> (String, Vec<String>) {
        let text = format!("{declarations}PROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
        let mut sources = SourceSet::default();
        sources.add("main.st", text.as_str());
        let loaded = crate::load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
        let constructs = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect();
        (loaded.value.project.to_st(), constructs)
    }

    #[track_caller]
    fn check(vars: &str, body: &str, expected: &[&str]) {
        let (text, constructs) = resolved("", vars, body);
        for part in expected {
            assert!(text.contains(part) || constructs.iter().any(|c| c.contains(part)), "{part}\n{text}\n{constructs:#?}");
        }
    }

    #[test]
    fn elements_become_any_value_behind_the_check_of_their_index() {
        let vars = "a : ARRAY [1..200000] OF INT; i : DINT; x : INT;";
        check(vars, "x := a[i];", &["MUX(SEL(i >= 1 AND i <= 200000", "element of an array"]);
        check(vars, "a[i] := x;", &["MUX(SEL(i >= 1 AND i <= 200000"]);
        check(vars, "x := SIZEOF(a);", &["400000"]);
    }

    #[test]
    fn other_uses_are_gaps() {
        const STOP: &str = "use of an element of an array that is too large to be kept";
        check("t : ARRAY [1..200000] OF TON; i : DINT;", "t[i](IN := TRUE);", &[STOP]);
        check("a : ARRAY [1..200000] OF DINT; i : DINT;", "i := a[a[i]];", &[STOP]);
        check("a : ARRAY [1..200000] OF DINT; i : DINT;", "FOR a[3] := 1 TO 4 DO i := i + 1; END_FOR", &[STOP]);
    }
}
