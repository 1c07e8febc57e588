//! Digest of everything that can decide a requirement: the code in its cone of influence, its environment, and the assumptions.
//!
//! Two versions with equal digests decide the requirement alike. The reverse is not true: a comment changes the digest, too.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::hir::{Expr, Pou, StmtKind, expr_in_pou_to_st, expr_to_st, type_to_st};
use plc_frontend::source::Origin;
use sha2::{Digest, Sha256};

use kernel::cfa::Model;
use kernel::cfa::pass::Dependencies;

/// Returns the digest of a requirement's cone.
///
/// Soundness: a POU counts as a whole as soon as one of its steps can influence the requirement; text outside of POUs always counts.
pub fn digest(loaded: &Loaded, model: &Model, depends: &Dependencies, assumptions: &[Expr]) -> String {
    let project = &loaded.project;
    let mut parts: BTreeSet<String> = BTreeSet::new();
    let mut outside: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for pou in project.pous.iter().filter(|pou| pou.origin == Origin::User) {
        outside.entry(pou.span.file.0 as usize).or_default().push((pou.span.start as usize, pou.span.end as usize));
        if depends.spans.iter().any(|span| is_inside(span, pou)) {
            let text = loaded
                .sources
                .files
                .get(pou.span.file)
                .map_or("", |file| part(&file.text, pou.span.start as usize, pou.span.end as usize));
            parts.insert(format!("pou {}\n{text}", pou.name));
        }
    }
    for (at, file) in loaded.sources.files.iter().enumerate().filter(|(_, file)| file.origin == Origin::User) {
        parts.insert(format!("outside\n{}", without(&file.text, outside.remove(&at).unwrap_or_default())));
    }
    for (leaf, _) in model.leaves.iter().filter(|(_, var)| depends.vars.contains(var)) {
        let ty = type_to_st(project, leaf.ty);
        parts.insert(format!("variable {} {ty} {:?} {:?} {:?} {}", leaf.name, leaf.init, leaf.role, leaf.start, leaf.constant));
    }
    for id in project.stubs.keys() {
        // What a user assumes of its calls.
        let assumed = project.pous[*id].body.iter().filter_map(|stmt| {
            let StmtKind::Assume(assumed) = &stmt.kind else { return None };
            Some(expr_in_pou_to_st(project, Some(*id), &assumed.condition))
        });
        parts.extend(assumed.map(|condition| format!("assumed of {} {condition}", project.pous[*id].name)));
    }
    parts.extend(assumptions.iter().map(|assumed| format!("assumed {}", expr_to_st(project, assumed))));
    parts.insert(format!("cycle {} {}", model.options.dt_min_ms, model.options.dt_max_ms));
    parts.insert(format!("dialect {}", loaded.dialect.row().name));
    let mut hash = Sha256::new();
    for text in parts {
        hash.update(text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_inside(span: &plc_frontend::source::Span, pou: &Pou) -> bool {
    span.file == pou.span.file && pou.span.start <= span.start && span.end <= pou.span.end
}

/// Returns a part of a text; nothing where the bounds are none of characters.
fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// Returns a text without these parts.
fn without(text: &str, mut parts: Vec<(usize, usize)>) -> String {
    parts.sort_unstable();
    let (mut out, mut at) = (String::new(), 0);
    for (start, end) in parts {
        out.push_str(part(text, at, start.max(at)));
        at = at.max(end);
    }
    out.push_str(part(text, at, text.len()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::cfa::model::{ModelOptions, build};
    use testgen::stated::Stated;

    fn digest_of(text: &str) -> String {
        let stated = Stated::new(text, "requirements: [{ never: 'Main.Trip' }]");
        let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
        let depends = answer::decide::cone(&stated.loaded, &model, &stated.claims[0], &stated.assumptions).unwrap();
        digest(&stated.loaded, &model, &depends, &stated.assumptions)
    }

    #[test]
    fn only_code_that_can_decide_counts() {
        let program = "FUNCTION Both : BOOL\nVAR_INPUT a, b : BOOL; END_VAR\nBoth := a AND b;\nEND_FUNCTION\n\
            FUNCTION_BLOCK Lamp\nVAR_INPUT on : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nq := on;\nEND_FUNCTION_BLOCK\n\
            PROGRAM Main\nVAR_INPUT x, y : BOOL; END_VAR\nVAR Trip : BOOL; lamp : Lamp; END_VAR\n\
            Trip := Both(x, y);\nlamp(on := x);\nEND_PROGRAM\n";
        let before = digest_of(program);
        assert_eq!(before, digest_of(program));
        // The lamp decides nothing.
        assert_eq!(before, digest_of(&program.replace("q := on;", "q := NOT on;")));
        for (from, to) in [
            ("a AND b", "a OR b"),
            ("Trip := Both(x, y);", "Trip := Both(y, x);"),
            ("lamp(on := x);", "lamp(on := y);"),
            ("PROGRAM Main", "VAR_GLOBAL g : INT; END_VAR\nPROGRAM Main"),
            ("Trip : BOOL;", "Trip : BOOL := TRUE;"),
        ] {
            let changed = program.replace(from, to);
            assert_ne!(changed, program);
            assert_ne!(before, digest_of(&changed), "{from} -> {to}");
        }
    }
}
