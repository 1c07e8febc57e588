//! No two labels of a CASE match the same value. The second label would never get this value.
//!
//! ```st
//! CASE Step OF
//!     1..3: x := 1;
//!     3:    x := 2;   (* P4007: 3 is matched above *)
//! END_CASE;
//! ```

use super::CheckedProgram;
use crate::hir::{CaseArm, StmtKind, walk};
use crate::text::{Diagnostic, Span, codes::DUPLICATE_LABEL};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    for pou in program.project.pous.iter() {
        walk::stmts(&pou.body, |stmt| {
            if let StmtKind::Case { arms, .. } = &stmt.kind {
                overlaps(arms, findings);
            }
        });
    }
}

fn overlaps(arms: &[CaseArm], findings: &mut Vec<Diagnostic>) {
    let mut labels: Vec<(i128, i128, Span)> =
        arms.iter().flat_map(|arm| arm.labels.iter().map(|&(low, high)| (low, high, arm.span))).collect();
    labels.sort();
    // Label with the greatest upper end so far.
    let mut furthest: Option<(i128, i128, Span)> = None;
    for label in labels {
        match furthest {
            Some(before) if label.0 <= before.1 => {
                let (first, second) = if before.2 <= label.2 { (before.2, label.2) } else { (label.2, before.2) };
                let message = format!("two labels of this CASE match {}", label.0);
                let finding = Diagnostic::error(DUPLICATE_LABEL, second, message, "matches it again");
                findings.push(finding.label(first, "matches it first").help("remove the value from one of them"));
                if before.1 < label.1 {
                    furthest = Some(label);
                }
            }
            Some(_) | None => furthest = Some(label),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_body;

    #[test]
    fn labels_differ() {
        let check = |body: &str, expected: &str| check_body("VAR\n i : INT; e : (Red, Green);\nEND_VAR", body, expected);
        check("CASE i OF\n1, 2: ;\n3..5: ;\nELSE ;\nEND_CASE;", "");
        check("CASE i OF\n1..3: ;\n3: ;\nEND_CASE;", "P4007@3:1");
        check("CASE i OF\n3: ;\n1..9: ;\n5: ;\nEND_CASE;", "P4007@3:1 P4007@4:1");
        check("CASE i OF\n1, 1: ;\nEND_CASE;", "P4007@2:1");
        check("CASE e OF\nRed: ;\nGreen: ;\nRed: ;\nEND_CASE;", "P4007@4:1");
    }
}
