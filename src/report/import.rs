//! Import of a program: the front end's tables as plain data.

use plc_frontend::Loaded;
use plc_frontend::codes;
use plc_frontend::diagnostic::{Diagnostic, Severity};
use plc_frontend::hir::{Leaf, PouKind, Project, Role, Stmt, Type, TypeId, Value, type_to_st, value_to_st, walk};
use plc_frontend::ledger::{Gap, Ignored, Treatment};
use plc_frontend::render;
use plc_frontend::source::{Origin, SourceSet};

use answer::certificate::sha256;

use super::inferred::inferred;
use super::left_out::{entries, is_left_out, left_out};
use super::names::Names;
use super::outcome::{Finding, GapSummary, IgnoredSummary, Import, PouSummary, Source, VariableRole, VariableSummary};
use super::place::place;

/// Longest list of variables; more are neither readable nor fit on a page.
const MAX_VARIABLES: usize = 5_000;

/// Returns the user's sources with their hashes.
pub fn sources(set: &SourceSet) -> Vec<Source> {
    let user = set.files.iter().filter(|f| f.origin == Origin::User);
    user.map(|f| Source { name: f.name.clone(), sha256: sha256(&f.text), text: f.text.clone() }).collect()
}

/// Returns POUs, interface, ledger and findings.
pub fn import(loaded: &Loaded, diagnostics: &[Diagnostic]) -> Import {
    let project = &loaded.project;
    let pous = project.pous.iter().filter(|p| p.origin == Origin::User);
    let lacks_program = diagnostics.iter().any(|finding| finding.code == codes::MISSING_PROGRAM);
    Import {
        pous: pous
            .map(|p| PouSummary {
                kind: match (p.member_of, p.kind) {
                    (Some(_), _) => "member",
                    (None, PouKind::Program) => "PROGRAM",
                    (None, PouKind::FunctionBlock) => "FUNCTION_BLOCK",
                    (None, PouKind::Function(_)) => "FUNCTION",
                }
                .to_string(),
                name: p.name.clone(),
                place: place(&loaded.sources, p.span),
                n_statements: count(&p.body),
            })
            .collect(),
        runs: project.task.runs.iter().filter_map(|i| project.instances.get(*i)).map(|i| i.name.clone()).collect(),
        variables: variables(project),
        modelled: loaded.ledger.modelled.iter().map(|(kind, n)| (kind.to_string(), *n)).collect(),
        gaps: gaps(loaded),
        ignored: ignored(loaded),
        diagrams: super::diagram::diagrams(loaded, &Names::new(project)),
        diagnostics: diagnostics
            .iter()
            .map(|d| Finding { left_out: is_left_out(loaded, d), ..finding(&loaded.sources, d) })
            .collect(),
        left_out: loaded.left_out.iter().map(|part| left_out(&loaded.sources, part)).collect(),
        inferred: loaded.inferred.iter().map(|row| inferred(&loaded.sources, row)).collect(),
        entries: if loaded.left_out.is_empty() && loaded.inferred.is_empty() && !lacks_program {
            Vec::new()
        } else {
            entries(loaded)
        },
    }
}

/// Returns the constructs that are not modelled exactly, in the order of the ledger. Requirements that are resolved later add theirs.
pub fn gaps(loaded: &Loaded) -> Vec<GapSummary> {
    let treatment = |gap: &Gap| match gap.treatment {
        Treatment::Modelled => "modelled",
        Treatment::OverApproximated => "over_approximated",
        Treatment::Unsupported => "unsupported",
        Treatment::Assumed => "assumed",
        Treatment::AssumedByRuns => "assumed_by_runs",
    };
    let summary = |gap: &Gap| GapSummary {
        construct: gap.construct.clone(),
        treatment: treatment(gap).to_owned(),
        effect: gap.effect.clone(),
        place: place(&loaded.sources, gap.span),
    };
    loaded.ledger.gaps.iter().map(summary).collect()
}

fn ignored(loaded: &Loaded) -> Vec<IgnoredSummary> {
    let summary =
        |i: &Ignored| IgnoredSummary { what: i.what.clone(), why: i.why.clone(), place: place(&loaded.sources, i.span) };
    loaded.ledger.ignored.iter().map(summary).collect()
}

/// Returns one finding with its excerpt.
pub fn finding(sources: &SourceSet, diagnostic: &Diagnostic) -> Finding {
    Finding {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
        .to_string(),
        code: diagnostic.code.to_string(),
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        place: place(sources, diagnostic.span()),
        rendered: render::plain(sources, std::slice::from_ref(diagnostic)),
        left_out: false,
    }
}

/// Returns the interface: one row per scalar or string, without hidden ones and constants.
pub fn variables(project: &Project) -> Vec<VariableSummary> {
    let names = Names::new(project);
    let mut n_rows = 0;
    // Leaves behind the last row are not kept: there may be a million.
    let is_shown = |leaf: &Leaf| {
        n_rows += usize::from(project.character(leaf).is_none_or(|(_, at, _)| at == 0));
        n_rows <= MAX_VARIABLES
    };
    let leaves = project.leaves().into_iter().filter(|l| !l.hidden && !l.constant).take_while(is_shown);
    let mut leaves: Vec<Leaf> = leaves.collect();
    leaves.shrink_to_fit();
    let rows = project.shown(&leaves).into_iter().take(MAX_VARIABLES);
    rows.map(|row| {
        let leaf = &leaves[row.leaves.start];
        VariableSummary {
            name: names.show(&row.name),
            ty: match row.text {
                Some(wide) => format!("{}STRING[{}]", if wide { "W" } else { "" }, row.leaves.len()),
                None => type_to_st(project, leaf.ty),
            },
            role: match leaf.role {
                Role::Input => VariableRole::Input,
                Role::Parameter => VariableRole::Parameter,
                Role::Output => VariableRole::Output,
                Role::Memory => VariableRole::Memory,
            },
            values: if row.text.is_some() { Vec::new() } else { values(project, leaf.ty) },
        }
    })
    .collect()
}

/// Most values of an enumeration that are listed.
const MAX_VALUES: usize = 64;

/// Returns the values of an enumeration with a name; none for other types, and for an enumeration that is too long to list.
fn values(project: &Project, ty: TypeId) -> Vec<String> {
    let Type::Enum { variants, .. } = &project.types[ty].ty else { return Vec::new() };
    if MAX_VALUES < variants.len() {
        return Vec::new();
    }
    variants.iter().map(|(_, number)| value_to_st(project, ty, Value::Int(*number))).collect()
}

fn count(body: &[Stmt]) -> usize {
    let mut n = 0;
    walk::stmts(body, |_| n += 1);
    n
}
