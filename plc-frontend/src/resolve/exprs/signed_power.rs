//! `-a ** b` without parentheses: the sign belongs to the base on some systems, to the power on others.

use crate::ast::{Arg, Expr, ExprKind, Ident, Name, SIGNED_POWER};
use crate::dialect::{Dialect, Sign};
use crate::hir::UnOp;
use crate::text::Span;

impl Dialect {
    /// Returns a signed power in the reading of the dialect, written with EXPT; `None` for other operands.
    pub(crate) fn signed_power(&self, op: UnOp, operand: &Expr, span: Span) -> Option<Expr> {
        // `-a ** b ** c` is `(-a ** b) ** c`: the outermost power comes first in the tree.
        let mut powers = Vec::new();
        let mut base = operand;
        while let ExprKind::Call(name, args) = &base.kind
            && name.root.text == SIGNED_POWER
            && let [Arg::Positional(inner), Arg::Positional(exponent)] = args.as_slice()
        {
            powers.push((name.span, exponent, base.span));
            base = inner;
        }
        if op != UnOp::Neg || powers.is_empty() {
            return None;
        }
        let minus = |e: Expr| Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(e)), span };
        let raised = |base: Expr| {
            powers.iter().rev().fold(base, |base, (at, exponent, span)| {
                let args = vec![Arg::Positional(base), Arg::Positional((*exponent).clone())];
                Expr { kind: ExprKind::Call(Box::new(Name::plain(Ident::new("EXPT", *at))), args), span: *span }
            })
        };
        Some(match self.sign {
            Sign::OfBase => raised(minus(base.clone())),
            Sign::OfPower => minus(raised(base.clone())),
        })
    }
}
#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::LoadOptions;
    use crate::dialect::DialectId;
    use crate::hir::Value;
    use crate::interp::{Limits, Machine, Silent};
    use crate::text::SourceSet;

    #[test]
    fn a_sign_belongs_to_what_the_dialect_says() {
        let check = |dialect: DialectId, text: &str, expected: f32| {
            let mut sources = SourceSet::default();
            let program =
                format!("PROGRAM Main VAR a : REAL := 3.0; b : REAL := 2.0; r : REAL; END_VAR r := {text}; END_PROGRAM");
            sources.add("p.st", &program);
            let loaded = crate::load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
            let errors = loaded.diagnostics.iter().filter(|d| d.severity == crate::text::Severity::Error);
            assert_eq!(errors.count(), 0, "{text}: {:?}", loaded.diagnostics);
            let mut machine = Machine::new(&loaded.value.project, Limits::default());
            machine.begin(&BTreeMap::new(), 100_000_000).unwrap();
            machine.run(&mut Silent).unwrap();
            assert_eq!(machine.leaf("Main.r"), Some(Value::real(expected)), "{dialect:?}: {text}");
        };
        for (text, base, power) in [
            ("-a ** b", 9.0, -9.0),
            ("-a ** 3.0 ** b", 729.0, -729.0),
            ("- +a ** b", 9.0, -9.0),
            ("1.0 - a ** b", -8.0, -8.0),
            ("-(a ** b)", -9.0, -9.0),
            ("(-a) ** b", 9.0, 9.0),
            ("-(a ** b) ** b", 81.0, -81.0),
            ("-EXPT(a, b)", -9.0, -9.0),
            ("2.0 * -a ** -b", 2.0 / 9.0, -2.0 / 9.0),
        ] {
            check(DialectId::Iec, text, base);
            for dialect in [DialectId::Codesys, DialectId::Twincat, DialectId::SiemensClassic, DialectId::SiemensTia] {
                check(dialect, text, power);
            }
        }
    }
}
