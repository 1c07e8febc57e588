//! Assumptions of a specification: conditions of the start of each cycle, and of the values that calls of stubs give.

use plc_frontend::Loaded;
use plc_frontend::diagnostic::Severity;
use plc_frontend::hir::{Expr, ExprKind, Value};

use super::environment::Range;
use super::mentions;
use super::requirements::{ResolvedSpecification, SpecProblem, formula, looks_back};
use super::spec::Specification;

/// An assumption whose names are resolved.
#[derive(Clone, Debug)]
pub struct ResolvedAssumption {
    /// The user's words, or the expression.
    pub text: String,
    /// Must hold at the beginning of every cycle, when the inputs are new. TRUE if the assumption says nothing of that moment: it is
    /// about calls of a stub, and the bodies of the program have it.
    pub condition: Expr,
}

/// Resolves the assumptions and the ranges of a specification.
///
/// Assumptions about stubs change the program: they hold behind calls, too.
pub(super) fn assumptions(spec: &Specification, ranges: &[Range], loaded: &mut Loaded, stated: &mut ResolvedSpecification) {
    for (i, assumption) in spec.assumptions.iter().enumerate() {
        let pointer = format!("/assumptions/{i}/expr");
        let name = format!("assumption {}", i + 1);
        let text = assumption.text.clone().unwrap_or_else(|| assumption.expr.clone());
        if let Some(parsed) = loaded.assume_of_stub(&name, &assumption.expr) {
            let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            stated.problems.extend(errors.map(|error| SpecProblem::of(error, &pointer, loaded)));
            stated.assumes_of_calls |= parsed.value.is_some();
            stated.assumptions.extend(parsed.value.map(|condition| ResolvedAssumption { text, condition }));
            continue;
        }
        let Some(mut condition) = condition(loaded, &name, &pointer, &assumption.expr, &mut stated.problems) else { continue };
        match loaded.assume_behind_calls(&condition) {
            Ok(true) => {
                stated.assumes_of_calls = true;
                // Between two calls other code may write the variables: at the start of each cycle the assumption would end runs silently.
                if !mentions::is_about_start(&condition, &loaded.project) {
                    condition.kind = ExprKind::Literal(Value::Bool(true));
                }
            }
            Ok(false) if mentions::only_other_than_inputs(&condition, &loaded.project) => {
                stated.problems.push(not_about_inputs(pointer, &assumption.expr));
            }
            Ok(false) => {}
            Err((message, help)) => stated.problems.push(SpecProblem::new(pointer, message, Some(help))),
        }
        stated.assumptions.push(ResolvedAssumption { text, condition });
    }
    for range in ranges {
        for (i, text) in range.conditions().iter().enumerate() {
            let name = if i == 0 { format!("range of {}", range.path) } else { format!("range of {} ({})", range.path, i + 1) };
            let condition = condition(loaded, &name, &range.pointer, text, &mut stated.problems);
            stated.assumptions.extend(condition.map(|condition| ResolvedAssumption { text: range.text(), condition }));
        }
    }
}

/// Returns the problem of an assumption about values that the program computes. It would end the runs with other values.
fn not_about_inputs(pointer: String, expr: &str) -> SpecProblem {
    SpecProblem::new(
        pointer,
        format!("`{}` speaks of no input: an assumption restricts what the plant does", expr.trim()),
        Some("If the program has to ensure it, state it as a requirement: `always: …`.".into()),
    )
}

fn condition(loaded: &mut Loaded, name: &str, pointer: &str, text: &str, problems: &mut Vec<SpecProblem>) -> Option<Expr> {
    let formula = formula(loaded, name, pointer, text, problems)?;
    if formula.as_now().is_none() {
        problems.push(looks_back(pointer.to_owned(), "restricts the inputs of one cycle and cannot look back"));
    }
    formula.as_now().cloned()
}

#[cfg(test)]
mod tests {
    use super::super::environment::apply;
    use super::super::requirements::requirements;
    use super::*;
    use plc_frontend::LoadOptions;
    use plc_frontend::source::SourceSet;

    const PROGRAM: &str = "{attribute 'stub'}\nFUNCTION_BLOCK FB_V\nVAR_INPUT c : BOOL; END_VAR\nVAR_OUTPUT Level : INT := 5; END_VAR\n\
        END_FUNCTION_BLOCK\nPROGRAM Main\nVAR v : FB_V; n : INT; END_VAR\nv();\nn := v.Level;\nEND_PROGRAM\n";

    /// Returns whether the program has assumptions behind calls, and the problems.
    fn read(yaml: &str) -> (bool, Vec<SpecProblem>) {
        let mut sources = SourceSet::default();
        sources.add("p.st", PROGRAM);
        let mut loaded = plc_frontend::load(&sources, &LoadOptions::default()).value;
        let spec = Specification::from_yaml(yaml).unwrap();
        let (ranges, mut problems) = apply(&spec, &mut loaded);
        let stated = requirements(&spec, &ranges, &mut loaded, &[]);
        problems.extend(stated.problems);
        assert_eq!(stated.assumes_of_calls, loaded.project.assumes_of_calls(), "{yaml}");
        (stated.assumes_of_calls, problems)
    }

    #[test]
    fn assumptions_about_stubs_stand_behind_their_calls() {
        let check = |expr: &str, expected: bool| {
            let yaml = format!("assumptions: [{{ expr: '{expr}' }}]");
            let (behind, problems) = read(&yaml);
            assert_eq!((behind, problems), (expected, Vec::new()), "{expr}");
        };
        check("v.Level >= 0", true);
        check("FB_V.Level >= 0", true);
        check("FB_V.Level (at call) >= 0", true);
        let check = |yaml: &str, pointer: &str, words: &str| {
            let (behind, problems) = read(yaml);
            let [problem] = problems.as_slice() else { panic!("{yaml}: {problems:?}") };
            let help = problem.help.clone().unwrap_or_default();
            assert!(!behind && problem.pointer == pointer, "{problem:?}");
            assert!(problem.message.contains(words) || help.contains(words), "{problem:?}");
        };
        check("assumptions: [{ expr: n >= 0 }]", "/assumptions/0/expr", "speaks of no input");
        check("assumptions: [{ expr: FB_V.Levle >= 0 }]", "/assumptions/0/expr", "it has `c`, `Level`");
        check(
            "inputs: ['FB_V.Level (at call)': 0..100]",
            "/inputs/0",
            "under `assumptions`: `FB_V.Level >= 0 AND FB_V.Level <= 100`",
        );
    }
}
