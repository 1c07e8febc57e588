//! R_EDGE and F_EDGE: inputs that the body of a block sees as TRUE only in the call that finds an edge.
//!
//! Two hidden variables belong to such an input: the edge that the body sees, and the value of the call before. Statements in
//! front of the body set them, as a hidden R_TRIG or F_TRIG would. Callers see the input itself.

use crate::ast;
use crate::dialect::{Dialect, FirstScan};
use crate::hir::{BinOp, Elem, Expr, Init, Place, PouId, Project, Root, Section, Stmt, UnOp, Value, Var, VarId};
use crate::resolve::declare::declarations::{Declarations, placeholder};
use crate::resolve::names::tables::{EdgeInput, Member, Names};
use crate::resolve::types::elementary;
use std::collections::BTreeMap;

impl EdgeInput {
    /// Returns the statements that find the edge of `input`.
    fn detection(&self, input: VarId, place: impl Fn(VarId) -> Place) -> [Stmt; 2] {
        let (now, before) = (Expr::read(place(input)), Expr::read(place(self.last)));
        let span = now.span;
        let not = |e: Expr| Expr::unary(UnOp::Not, e, span);
        let (one, other) = match self.edge {
            ast::Edge::Rising => (now.clone(), not(before)),
            ast::Edge::Falling => (not(now.clone()), before),
        };
        let found = Expr::binary(BinOp::And, one, other, elementary::BOOL, span);
        [Stmt::assign(place(self.seen), found, span), Stmt::assign(place(self.last), now, span)]
    }
}

impl Names {
    /// Adds the hidden variables of the input `id`, which was declared last.
    pub(crate) fn collect_edge(&mut self, dialect: &Dialect, project: &mut Project, pou: PouId, id: VarId, edge: ast::Edge) {
        let (name, span) = (project.pous[pou].vars[id].name.clone(), project.pous[pou].vars[id].span);
        let last = match (edge, dialect.f_trig) {
            (ast::Edge::Rising, _) | (ast::Edge::Falling, FirstScan::Silent) => false,
            (ast::Edge::Falling, FirstScan::Pulse) => true,
        };
        let hidden = |text: String, init: bool| {
            let ident = ast::Ident::new(text, span);
            let init = Init::Scalar(Value::Bool(init));
            Var { ty: elementary::BOOL, init, ..placeholder(&ident, Section::Local) }
        };
        let vars = &mut project.pous[pou].vars;
        let seen = vars.push(hidden(format!("__{name}_edge"), false));
        let last = vars.push(hidden(format!("__{name}_before"), last));
        self.edges.insert((pou, id), EdgeInput { seen, last, edge });
    }
}

impl Declarations<'_> {
    /// Puts the detection of edges in front of the bodies.
    pub(crate) fn find_edges(&self, names: &Names, project: &mut Project) {
        let mut starts: BTreeMap<PouId, Vec<Stmt>> = BTreeMap::new();
        for (&(pou, input), edge) in &names.edges {
            let span = project.pous[pou].vars[input].span;
            let own = |var: VarId| Place::of(Root::Var(var), elementary::BOOL, span);
            starts.entry(pou).or_default().extend(edge.detection(input, own));
            // Bodies for arguments of other types access the block's variables through the instance.
            for (&body, _) in self.copies.bodies.iter().filter(|(_, block)| **block == pou) {
                let inherent = |var: VarId| Place { root: Root::Var(Member::THIS), path: vec![Elem::Member(var)], ..own(var) };
                starts.entry(body).or_default().extend(edge.detection(input, inherent));
            }
        }
        for (pou, stmts) in starts {
            project.pous[pou].body.splice(0..0, stmts);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId;
    use crate::hir::Value;
    use crate::interp::{Limits, Machine, Silent};
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};
    use std::collections::BTreeMap;

    /// Runs a block with an input `x` of this edge, once for each value, and checks the count `n`.
    #[track_caller]
    fn check(dialect: DialectId, input: &str, body: &str, values: &[bool], expected: &[i128]) {
        let text = format!(
            r"FUNCTION_BLOCK B
VAR_INPUT
 x : BOOL {input};
END_VAR
VAR_OUTPUT
 n : INT;
END_VAR
{body}
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
SUPER^();
END_FUNCTION_BLOCK
PROGRAM P
VAR_INPUT
 i : BOOL;
END_VAR
VAR
 b : B; d : D; same : BOOL;
END_VAR
b(x := i); d(x := i); same := b.x = i;
END_PROGRAM
"
        );
        let mut sources = SourceSet::default();
        sources.add("a.st", text.as_str());
        let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let is_known = |gap: &crate::text::Gap| gap.construct.contains("falling edge");
        assert!(parsed.value.ledger.gaps.iter().all(is_known), "{:?}", parsed.value.ledger.gaps);
        let mut machine = Machine::new(&parsed.value.project, Limits::default());
        for (value, n) in values.iter().zip(expected) {
            machine.begin(&BTreeMap::from([("P.i".to_owned(), Value::Bool(*value))]), 1_000_000).unwrap();
            machine.run(&mut Silent).unwrap();
            assert_eq!(machine.leaf("P.b.n"), Some(Value::Int(*n)), "{text}");
            assert_eq!(machine.leaf("P.d.n"), Some(Value::Int(*n)), "{text}");
            assert_eq!(machine.leaf("P.same"), Some(Value::Bool(true)), "the caller sees the input");
        }
    }

    #[test]
    fn bodies_see_edges() {
        let count = "IF x THEN n := n + 1; END_IF;";
        check(DialectId::Iec, "R_EDGE", count, &[true, true, false, true], &[1, 1, 1, 2]);
        check(DialectId::Iec, "R_EDGE", count, &[false, true, true], &[0, 1, 1]);
        check(DialectId::Iec, "F_EDGE", count, &[false, true, false, false], &[1, 1, 2, 2]);
        check(DialectId::Iec, "F_EDGE", count, &[true, false], &[0, 1]);
        // The second edition's trigger pulses at its first call.
        check(DialectId::Codesys, "F_EDGE", count, &[false, false, true, false], &[0, 0, 0, 1]);
        check(DialectId::Iec, "R_EDGE", "IF THIS^.x THEN n := n + 1; END_IF;", &[true, true], &[1, 1]);
        check(
            DialectId::Iec,
            "R_EDGE",
            "METHOD Seen : BOOL\nSeen := x;\nEND_METHOD\nIF Seen() THEN n := n + 1; END_IF;",
            &[true, true],
            &[1, 1],
        );
    }
}
