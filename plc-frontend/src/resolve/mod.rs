//! Names, types, constants and instances: the AST of all files becomes one [`Project`].
//!
//! In reading order: `collect` gives ids to declarations, `types`, `vars`, `init` and `constant` resolve them
//! when first needed, `stmt`, `control`, `jump` and `call` the bodies, `expr`, `operator`, `loose`, `literal`, `standard` and
//! `convert` the expressions, `place` and `address` the variables in them, `entry` what runs, `condition` what is
//! asked about the result.
//!
//! Knows the AST and the HIR, no language's syntax. **Invariant:** an expression that is wrong is reported
//! once and has no further findings; what is read but not modelled becomes a gap with an entry in the ledger.

mod calls;
mod classes;
mod condition;
mod controller;
mod declare;
mod exprs;
mod memory;
mod names;
mod places;
mod prepare;
mod resolver;
mod startup;
mod stmts;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod types;
mod variables;

pub use condition::condition;
pub use names::suggest::nearest;
pub(crate) use names::tables::{Declared, Space, key};
pub(crate) use prepare::applications::{home_of, homes, names as shared_names};
pub(crate) use prepare::declaration_order::configured_globals;
pub(crate) use types::specs::MAX_SCALARS;

use std::collections::{BTreeMap, BTreeSet};

use crate::ast;
use crate::dialect::{Dialect, DialectId, Enable};
use crate::hir::{GlobalId, Init, Project, Type, TypeDef};
use crate::rule::{CheckedProgram, RULES};
use crate::text::codes;
use crate::text::diagnostic::{Diagnostic, Parsed, Severity};
use crate::text::ledger::Ledger;
use crate::text::source::{Origin, SourceFile, SourceSet, Span};
use names::tables::Names;
use resolver::Resolver;

/// What is chosen about a program besides its text.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The PROGRAM or FUNCTION_BLOCK that runs each cycle; all PROGRAMs if absent.
    pub entry: Option<String>,
    /// The dialect that the files are written in, whose rules are enforced; detected and tolerant if absent.
    pub dialect: Option<DialectId>,
    /// How many findings of names and types are listed; enough for a reader if absent.
    pub most_findings: Option<usize>,
}

/// A program that was read, with what became of its text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program. Only without errors may it be run or verified.
    pub project: Project,
    /// What was modelled, and what was not.
    pub ledger: Ledger,
    /// The user's files, then the standard function blocks in use, then conditions.
    pub sources: SourceSet,
    /// How the text was understood where dialects differ.
    pub dialect: DialectId,
    /// The tick of the tasks of a configuration (the interval of the only one), in nanoseconds: what one cycle is, unless a user says otherwise.
    pub interval_ns: Option<i128>,
    /// The user named the entry, or it is a block: other POUs of the project run elsewhere.
    pub entry_is_chosen: bool,
    names: Names,
}

impl Loaded {
    /// All names of each global variable, in lower case: its own, and those with the list that declares it.
    pub fn names_of_globals(&self) -> BTreeMap<GlobalId, BTreeSet<String>> {
        let mut names: BTreeMap<GlobalId, BTreeSet<String>> = BTreeMap::new();
        for (name, id) in &self.names.globals {
            names.entry(*id).or_default().insert(name.to_string());
        }
        names
    }
}

/// Reads all files as one program. Never fails: what is wrong is in the diagnostics.
pub fn load(sources: &SourceSet, options: &LoadOptions) -> Parsed<Loaded> {
    let mut diagnostics = Vec::new();
    let mut units: Vec<ast::Unit> = Vec::new();
    let excluded = crate::lang::excluded(sources);
    diagnostics.extend(excluded.findings);
    for (id, file) in sources.files.iter_enumerated() {
        let parsed = match excluded.files.get(&id) {
            Some(why) => crate::lang::without_meaning(id, "file that is not compiled", why),
            None => crate::lang::parse(id, file),
        };
        units.push(parsed.value);
        diagnostics.extend(parsed.diagnostics);
    }
    load_units(sources.clone(), units, diagnostics, options, None)
}

/// The same for files that are parsed already; `diagnostics` is what was wrong with them, `detected` the dialect if it is
/// known already.
pub(crate) fn load_units(
    mut sources: SourceSet,
    mut units: Vec<ast::Unit>,
    mut diagnostics: Vec<Diagnostic>,
    options: &LoadOptions,
    detected: Option<DialectId>,
) -> Parsed<Loaded> {
    let dialect = options.dialect.or(detected).unwrap_or_else(|| crate::dialect::detect(&sources, &units));
    if let Some(chosen) = options.dialect {
        diagnostics.extend(units.iter().flat_map(|unit| crate::dialect::forbidden(unit, chosen.row())));
    }
    let rules = crate::lang::sfc::Rules { final_scan: dialect.row().final_scan, order: dialect.row().chart_order };
    let mut first_calls = Vec::new();
    for unit in &mut units {
        crate::lang::sfc::draw(unit, sources.files.get(unit.file).map_or("", |f| &f.text));
        first_calls.extend(crate::lang::sfc::lower(unit, rules, &mut diagnostics));
    }
    prepare::applications::choose(&mut units, options.entry.as_deref(), &mut diagnostics);
    prepare::unmodelled::mark(&mut units);
    if diagnostics.is_empty() && units.iter().all(|unit| unit.items.is_empty()) {
        let message = "none of these files is a program";
        let diagnostic = Diagnostic::error("P0003", Span::none(), message, "the first file starts here");
        diagnostics.push(diagnostic.help("upload the sources that hold `PROGRAM name … END_PROGRAM`"));
    }
    let meant = names::namespaces::find(&units, &mut diagnostics);
    add_standard_blocks(&mut sources, &mut units, &mut diagnostics, dialect.row(), &meant);
    if dialect.row().enable == Enable::SkipsBody {
        prepare::enable_variables::add_enable(&mut units);
    }

    let mut resolver = Resolver::new(dialect.row());
    resolver.names.meant = meant;
    resolver.most_findings = options.most_findings.unwrap_or(resolver::MAX_FINDINGS);
    resolver.collect(&units, &sources);
    resolver.note_unmodelled(&units, &sources);
    resolver.note_assumed(&sources);
    resolver.note_open_blocks(&units, &sources);
    resolver.note_open_charts(&first_calls);
    resolver.declare_addresses(&units);
    resolver.finish_vars();
    let (named, called) = resolver.named_programs(&units);
    if options.entry.is_some() || !resolver.configured(&units) {
        resolver.choose_entry(options, &called, diagnostics.is_empty());
    }
    resolver.alias_programs();
    resolver.hold_programs(named);
    resolver.share_addresses();
    resolver.references.ready = true;
    resolver.bodies(&units);
    resolver.note_inputs_apart();
    resolver.note_open_bodies();
    resolver.find_starts();
    resolver.check_classes();
    resolver.find_edges();
    resolver.forget_temporaries(&sources);
    let unbounded = run_rules(&mut resolver);
    diagnostics.extend(resolver.take_diagnostics());
    for label in diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
        label.span = sources.whole_characters(label.span);
    }
    diagnostics.sort_by_key(|d| (d.span(), d.code));
    resolver.ledger.ignored = units.iter().flat_map(|unit| unit.ignored.iter().cloned()).collect();
    let interval_ns = resolver.interval;
    if !unbounded && diagnostics.iter().all(|d| d.severity != Severity::Error) {
        resolver.configure(&units, &sources);
        resolver.start();
    }
    let (mut project, ledger, names) = (resolver.project, resolver.ledger, resolver.names);
    if unbounded {
        forget_state(&mut project);
    }
    // A block never runs alone: what calls it may run the other POUs, too.
    let is_block =
        |id: &crate::hir::InstanceId| project.pous[project.instances[*id].pou].kind == crate::hir::PouKind::FunctionBlock;
    let entry_is_chosen = options.entry.is_some() || project.task.runs.iter().any(is_block);
    if !unbounded && diagnostics.iter().all(|d| d.severity != Severity::Error) {
        project.environment = crate::environment::defaults(&project, entry_is_chosen);
    }
    let loaded = Loaded { project, ledger, sources, dialect, interval_ns, entry_is_chosen, names };
    Parsed { value: loaded, diagnostics }
}

/// Parses the standard function blocks that declarations name, and those that these name.
fn add_standard_blocks(
    sources: &mut SourceSet,
    units: &mut Vec<ast::Unit>,
    diagnostics: &mut Vec<Diagnostic>,
    dialect: &Dialect,
    meant: &names::namespaces::Meant,
) {
    let times_vary = crate::stdlib::varies(units);
    loop {
        let (used, declared) = prepare::standard_blocks::type_names(units, meant);
        let missing =
            crate::stdlib::SOURCES.iter().filter(|(name, _)| used.contains(&key(name)) && !declared.contains(&key(name)));
        let missing: Vec<&(&str, &str)> = missing.collect();
        if missing.is_empty() {
            return;
        }
        for (name, text) in missing {
            let text = crate::stdlib::of_dialect(name, text, dialect, times_vary);
            let file = SourceFile { name: format!("{name}.st"), text: text.into_owned(), origin: Origin::Stdlib };
            let id = sources.files.push(file.clone());
            let parsed = crate::lang::parse(id, &file);
            units.push(parsed.value);
            diagnostics.extend(parsed.diagnostics);
        }
    }
}

/// Runs all rules; whether one says that the state is not bounded.
fn run_rules(resolver: &mut Resolver<'_>) -> bool {
    let mut findings = Vec::new();
    let mut unbounded = false;
    for rule in RULES {
        let before = findings.len();
        (rule.check)(&CheckedProgram { project: &resolver.project, declared: &resolver.decls.declared }, &mut findings);
        unbounded |= rule.bounds_state && before < findings.len();
    }
    for finding in findings {
        // Many libraries of these dialects do it, and what it means is clear.
        let usual = finding.code == codes::CONTROL_ASSIGNED && resolver.narrows();
        resolver.report(if usual { finding.warning() } else { finding });
    }
    unbounded
}

/// Makes a project whose state is not bounded safe to look at: nothing runs, and globals have no parts.
fn forget_state(project: &mut Project) {
    project.instances = crate::ids::IndexVec::new();
    project.task.runs.clear();
    let unknown = Type::Opaque("a type without bounds".to_owned());
    let unknown = project.types.push(TypeDef { name: None, ty: unknown, span: Span::none() });
    for global in project.globals.iter_mut() {
        global.ty = unknown;
        global.init = Init::Default;
    }
}

impl Resolver<'_> {
    /// Names of declarations that are read but not modelled, and user's names that hide standard ones.
    fn note_unmodelled(&mut self, units: &[ast::Unit], sources: &SourceSet) {
        for item in prepare::declaration_order::all(units) {
            match item {
                ast::Item::Unsupported(_, span) => {
                    let head = sources.text(*span).chars().take(200).collect::<String>();
                    let words = head.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
                    self.names.unmodelled.extend(words.take(4).map(key));
                }
                ast::Item::Pou(pou) if self.names.full(&pou.name) != pou.name.text => {}
                ast::Item::Pou(pou) => self.note_standard_name(pou, sources),
                ast::Item::Type(_)
                | ast::Item::Globals(_)
                | ast::Item::Interface(_)
                | ast::Item::Configuration(_)
                | ast::Item::Namespace(_)
                | ast::Item::Using(_) => {}
            }
        }
    }

    fn note_standard_name(&mut self, pou: &ast::Pou, sources: &SourceSet) {
        let name = &pou.name.text;
        let is_users = sources.files.get(pou.span.file).is_some_and(|f| f.origin == Origin::User);
        let is_block = crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(name));
        let is_function = pou.kind == ast::PouKind::Function && calls::standard_table::is_standard(name);
        if is_users && (is_block || is_function) {
            let message =
                format!("`{name}` is also the name of a standard {}", if is_block { "function block" } else { "function" });
            let finding = Diagnostic::error(codes::STANDARD_NAME_TAKEN, pou.name.span, message, "this one is used");
            self.report(finding.warning().help("rename it if the standard one is meant"));
        }
    }
}
