//! Assertions in the program text, `//#ASSERT`, as requirements.

use plc_frontend::Loaded;
use plc_frontend::hir::{AssertId, Project, SURVIVED, Stmt, StmtKind, walk};
use plc_frontend::ledger::Ledger;
use plc_frontend::source::Span;

use super::claim::Claim;
use super::rejected::Rejected;
use super::requirements::{ResolvedRequirement, ResolvedSpecification};

/// One `//#ASSERT` of a POU.
struct Assertion {
    id: AssertId,
    name: String,
    span: Span,
    /// Mistake in it.
    mistake: Option<String>,
}

/// Adds the `//#ASSERT`s of the POUs, one requirement per name. One with a mistake is rejected.
pub(super) fn assertions(loaded: &Loaded, stated: &mut ResolvedSpecification) {
    let mut found: Vec<Assertion> = Vec::new();
    for pou in loaded.project.pous.iter() {
        collect(&pou.body, &loaded.project, &loaded.ledger, &mut found);
    }
    // Checks decide these.
    found.retain(|assertion| SURVIVED.iter().all(|(name, _)| *name != assertion.name));
    found.sort_by_key(|assertion| assertion.id);
    let mut names: Vec<String> = Vec::new();
    for assertion in &found {
        if !names.contains(&assertion.name) {
            names.push(assertion.name.clone());
        }
    }
    for name in names {
        let mine: Vec<&Assertion> = found.iter().filter(|assertion| assertion.name == name).collect();
        let line = |assertion: &Assertion| loaded.sources.line_words(assertion.span);
        let texts: Vec<String> = mine.iter().map(|assertion| text(loaded, assertion.span)).collect();
        let (id, text) = (name.replace(char::is_control, " "), texts.join(" · "));
        let wrong = mine.iter().find_map(|assertion| Some(format!("{}: {}", line(assertion), assertion.mistake.as_ref()?)));
        if let Some(why) = wrong {
            let at = stated.requirements.len();
            stated.rejected.push(Rejected { id, text, pattern: "assertion", at, why, problems: Vec::new() });
            continue;
        }
        let places: Vec<String> = mine.iter().map(|assertion| line(assertion)).collect();
        stated.requirements.push(ResolvedRequirement {
            id,
            text,
            meaning: format!("Whenever it is reached ({}), the assertion is TRUE.", places.join(", ")),
            pattern: "assertion",
            claim: Claim::Assert(mine.iter().map(|assertion| assertion.id).collect()),
            place: mine.first().map(|assertion| assertion.span),
        });
    }
}

/// Returns the assertion's condition as written.
fn text(loaded: &Loaded, span: Span) -> String {
    let text = loaded.sources.text(span).trim();
    let text = text.strip_prefix("//").map_or(text, str::trim_start);
    let text = text.strip_prefix("#ASSERT").map_or(text, str::trim);
    text.rsplit_once(':').map_or(text, |(condition, _)| condition).trim().to_string()
}

fn collect(body: &[Stmt], project: &Project, ledger: &Ledger, into: &mut Vec<Assertion>) {
    walk::stmts(body, |stmt| {
        if let StmtKind::Assert { id, name, .. } = &stmt.kind {
            let gap = project.wrong_assertions.get(id).and_then(|gap| ledger.gaps.get(gap.0 as usize));
            let mistake = gap.map(|gap| gap.effect.clone());
            into.push(Assertion { id: *id, name: name.clone(), span: stmt.span, mistake });
        }
    });
}

#[cfg(test)]
mod tests {
    use plc_frontend::LoadOptions;
    use plc_frontend::source::SourceSet;

    use super::super::requirements::requirements;
    use super::super::spec::Specification;

    /// One wrong assertion stops neither the program nor the other assertions.
    #[test]
    fn assertions_with_mistakes_are_rejected() {
        let mut set = SourceSet::default();
        let text = "PROGRAM P\nVAR n : INT; END_VAR\nn := 1;\n//#ASSERT n = 1 : good\n//#ASSERT nowhere > 1 : typo\n\
            //#ASSERT n > > 1 : lost\n//#ASSERT n + 1 : number\nEND_PROGRAM\n";
        set.add("p.st", text);
        let parsed = plc_frontend::load(&set, &LoadOptions::default());
        assert!(!parsed.has_errors() && parsed.diagnostics.len() == 3, "{:?}", parsed.diagnostics);
        let mut loaded = parsed.value;
        let stated = requirements(&Specification::default(), &[], &mut loaded, &[]);
        let rejected: Vec<String> = stated.rejected.iter().map(|r| format!("{} {}", r.id, r.why)).collect();
        assert_eq!(stated.requirements.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["good"]);
        assert_eq!(
            rejected,
            [
                "typo line 5: there is no variable `nowhere` here",
                "assert-3 line 6: the assertion cannot be read",
                "number line 7: the assertion is of type BOOL, but this is of type INT"
            ]
        );
    }
}
