//! Conditions of requirements and assumptions: BOOL expressions over the whole state.

use super::Loaded;
use super::names::tables::{Local, key};
use super::types::elementary;
use crate::ast::walk::Node;
use crate::ast::{self, Name};
use crate::hir::{Expr, ExprKind, PouId, TypeId, walk};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::rule::side_effect;
use crate::text::{Diagnostic, Key, Origin, Parsed, SourceFile, codes};

/// S:FS of Logix as conditions are read.
const FIRST_SCAN: &str = "S__F";

/// Reads a condition called `name` and adds its text to the sources.
///
/// A condition sees global variables and the variables of program instances: `Main.Level`, or `Level` if only one program has it.
/// It also sees the variables of function block instances at any depth: `Main.Timer.Q`. It may have no side effect.
///
/// Returns `None` if the condition has an error.
pub fn condition(loaded: &mut Loaded, name: &str, text: &str) -> Parsed<Option<Expr>> {
    let read = read(loaded, name, text);
    match read.value {
        Some(written) => resolved(loaded, None, &written, read.diagnostics),
        None => Parsed { value: None, diagnostics: read.diagnostics },
    }
}

/// Parses the text of a condition; `None` where it has an error, or a name that may mean another variable than the reader thinks.
pub(super) fn read(loaded: &mut Loaded, name: &str, text: &str) -> Parsed<Option<ast::Expr>> {
    let file = SourceFile::new(name, text, Origin::Condition);
    let id = loaded.sources.files.push(file);
    let read = crate::lang::as_read(text, loaded.dialect, |name| loaded.names.means_global(&loaded.project, name));
    let mut parsed = crate::lang::parse_condition(id, &read, loaded.dialect);
    let Some(written) = &mut parsed.value else { return parsed };
    loaded.names.put_targets(&loaded.project, written);
    let hidden = hidden(loaded, written, text);
    if !hidden.is_empty() {
        parsed.diagnostics.extend(hidden);
        parsed.value = None;
    }
    parsed
}

/// Resolves a condition, which sees the variables of `owner`, too. Findings stand behind `diagnostics`.
pub(super) fn resolved(
    loaded: &mut Loaded,
    owner: Option<PouId>,
    written: &ast::Expr,
    mut diagnostics: Vec<Diagnostic>,
) -> Parsed<Option<Expr>> {
    let (project, ledger, names) =
        (std::mem::take(&mut loaded.project), std::mem::take(&mut loaded.ledger), std::mem::take(&mut loaded.names));
    // The ledger counts the constructs of the program; a condition adds only its own gaps.
    let (n_gaps, modelled) = (ledger.gaps.len(), ledger.modelled.clone());
    let mut resolver = Resolver::on(loaded.dialect.row(), project, names, ledger);
    let scope = Scope { owner, uses: Uses::Condition };
    let result = resolver.expr_as(scope, written, elementary::BOOL, "the condition");
    let value = match result.and_then(|e| resolver.follows_no_stub(owner, e)) {
        Ok(e) => match side_effect(&resolver.project, &e) {
            Some(finding) => {
                resolver.findings.report(finding);
                None
            }
            None => Some(e),
        },
        Err(Bad::Reported) => None,
        Err(Bad::Gap(gap)) => {
            let message = format!("this condition depends on something that is not modelled: {}", gap.construct);
            let finding = Diagnostic::error(codes::NOT_MODELLED, gap.span, message, "not modelled");
            resolver.findings.report(finding.help("state it with variables that are modelled"));
            None
        }
    };
    diagnostics.extend(resolver.findings.take_diagnostics());
    (loaded.project, loaded.ledger, loaded.names) = (resolver.project, resolver.findings.ledger, resolver.names);
    loaded.ledger.modelled = modelled;
    if value.is_none() {
        loaded.ledger.gaps.truncate(n_gaps);
    }
    Parsed { value, diagnostics }
}

impl Resolver<'_> {
    /// Returns a condition, or the gap of a reference in a variable of a stub: the model does not know where it leads.
    fn follows_no_stub(&self, owner: Option<PouId>, e: Expr) -> Res<Expr> {
        if self.project.stubs.is_empty() {
            return Ok(e);
        }
        let named = self.project.named_by_code();
        let mut bad = None;
        walk::exprs_of(&e, |part| {
            let ExprKind::Read(place) = &part.kind else { return };
            let in_stub = self.project.members_on(owner, place).iter().any(|(pou, _)| self.project.stubs.contains_key(pou));
            let is_kept = |ty: &TypeId| self.names.is_reference(*ty) && (in_stub || !named.types.contains(ty));
            if self.project.types_on(owner, place).iter().any(is_kept) {
                bad = Some(unsupported(place.span, "reference that a stub sets", "where it leads is not known"));
            }
        });
        bad.map_or(Ok(e), Err)
    }
}

/// Returns the name of a program that runs and declares a variable or an alias of this name.
fn with_own<'l>(loaded: &'l Loaded, name: &Key) -> Option<&'l str> {
    let has_own = |pou: PouId| {
        let is_alias = || loaded.names.has_alias(&loaded.project.pous[pou].name, name);
        matches!(loaded.names.locals[pou.0 as usize].get(name), Some(Local::Var(_) | Local::Broken)) || is_alias()
    };
    loaded.project.instances.iter().find(|instance| has_own(instance.pou)).map(|instance| instance.name.as_str())
}

/// Returns errors for names of a condition that may mean another variable than the reader thinks: a local name (`#x`) that is also the
/// name of a global variable, or a name behind that of a library.
fn hidden(loaded: &Loaded, written: &ast::Expr, text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    ast::walk::expr(written, &mut |node| {
        let Node::Name(Name { root, path, .. }) = node else { return };
        // Which declaration such a name means is known for code only.
        let name = key(&root.text);
        if !path.is_empty() && loaded.names.libraries.is_any_qualifier(&name) && !loaded.names.globals.contains_key(&name) {
            let message = format!("`{}` is a library, and a condition cannot say which of its variables it means", root.text);
            let finding = Diagnostic::error(codes::NOT_MODELLED, root.span, message, "a library");
            found.push(finding.help("copy the value to a variable of the project, and name that one"));
        }
        if loaded.project.tags_are_outputs && name == key(FIRST_SCAN) && !loaded.names.globals.contains_key(&name) {
            let message = "no routine reads `S:FS`, so the model does not have it";
            let finding = Diagnostic::error(codes::UNKNOWN_NAME, root.span, message, "not in the model");
            found.push(finding.help("read it in a rung, such as `XIC(S:FS)NOP();`"));
        }
        let sign_at = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).copied();
        let start = root.span.start as usize;
        let sign = sign_at(Some(start));
        // Sources of Siemens have signs for local and for global names; `\X` is a tag of the controller in Logix.
        let is_local = sign == Some(b'#');
        let is_of_controller = loaded.project.tags_are_outputs && sign_at(start.checked_sub(1)) == Some(b'\\');
        let is_global = sign == Some(b'"') || is_of_controller;
        if is_local && loaded.names.globals.contains_key(&key(&root.text)) {
            let message = format!("`#{}` is local, and a global variable has the same name", root.text);
            let finding = Diagnostic::error("P1037", root.span, message, "the global one would be read");
            found.push(finding.help(format!("write it with its block: `Block.{}`", root.text)));
        } else if !is_global && let Some(program) = loaded.names.globals.get(&name).and_then(|_| with_own(loaded, &name)) {
            let message = format!("`{}` is a global variable, and `{program}` has a variable of this name", root.text);
            let finding = Diagnostic::error(codes::AMBIGUOUS_NAME, root.span, message, "which one?");
            let name = &root.text;
            let other = if loaded.project.tags_are_outputs {
                format!("`\\{name}` that of the controller")
            } else {
                "the global one needs its list, or another name".to_owned()
            };
            found.push(finding.help(format!("`{program}.{name}` is that of the program; {other}")));
        }
    });
    found
}
