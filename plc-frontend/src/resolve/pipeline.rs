//! The phases of a resolution in their order, with the reason for the place of each.

use crate::ast;
use crate::dialect::{Dialect, DialectId, Enable};
use crate::environment::{Mentions, NotRead};
use crate::hir::{Extent, Init, InstanceId, PouKind, Project, Type, TypeDef};
use crate::lang::is_markup;
use crate::lang::pragmas::Pragmas;
use crate::lang::sfc;
use crate::library::DeclaredNames;
use crate::resolve::controller::outside_writers::OutsideWriter;
use crate::resolve::findings::MAX_FINDINGS;
use crate::resolve::memory::shared;
use crate::resolve::names::guesses::Guesses;
use crate::resolve::names::namespaces;
use crate::resolve::names::spaces::Spaces;
use crate::resolve::names::tables::Meanings;
use crate::resolve::prepare::{
    applications, configured_addresses, enable_variables, idle_tasks, initial_calls, libraries, pin_names, standard_blocks,
    unmodelled,
};
use crate::resolve::resolver::Resolver;
use crate::resolve::settle::{Beside, cut_pous, first_methods, settle, with_arguments};
use crate::resolve::startup::fb_init::Starts;
use crate::resolve::startup::intervals::Tick;
use crate::resolve::startup::task_programs::TaskPrograms;
use crate::resolve::{LoadOptions, Loaded, controller, declare};
use crate::rule::{CheckedProgram, RULES, is_too_large, largest_to_keep};
use crate::stub::{Marks, marks};
use crate::text::{Diagnostic, FileId, Parsed, Severity, SourceSet, Span, codes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Knowledge about the files besides their syntax trees.
#[derive(Default)]
pub(crate) struct Given {
    /// The dialect, if it is known already.
    pub(crate) detected: Option<DialectId>,
    /// Names in declarations that are left out. Statements with errors are left out, too; `None` where an error stops everything.
    pub(crate) mentions: Option<Mentions>,
    /// Names that the files declare, or may declare, besides those in their syntax trees.
    pub(crate) declared: DeclaredNames,
    /// Systems of the files, where many resolutions share the files.
    pub(crate) systems: Option<Arc<Systems>>,
    /// Names in programs that are not read and run beside this one on its controller.
    pub(crate) elsewhere: Mentions,
    /// The project and its libraries.
    pub(crate) spaces: Arc<Spaces>,
    /// Place of the name of the entry, if several declarations have its name.
    pub(crate) entry: Option<Span>,
    /// Pragmas of the files, where many resolutions share the files.
    pub(crate) pragmas: Arc<Pragmas>,
}

/// Resolves parsed files; `diagnostics` are the findings of the parsers.
pub(crate) fn load_units(
    mut sources: SourceSet,
    mut units: Vec<ast::Unit>,
    mut diagnostics: Vec<Diagnostic>,
    options: &LoadOptions,
    given: Given,
) -> Parsed<Loaded> {
    let dialect = options
        .dialect
        .or(given.detected)
        .unwrap_or_else(|| crate::dialect::detect(&sources, &units, crate::lang::dialects(&sources)));
    let row = dialect.row();

    let first_calls = finish_trees(&mut units, &sources, options, row, &mut diagnostics);
    if diagnostics.is_empty() && units.iter().all(|unit| unit.items.is_empty()) {
        diagnostics.push(no_program());
    }
    // Standard blocks are added for the names that mean them; namespaces decide which names these are.
    let meant = namespaces::find(&units, &sources, &given.spaces, &mut diagnostics);
    // Blocks of libraries may have standard blocks inside.
    let n_declarations = libraries::add(&mut sources, &mut units, &mut diagnostics, dialect, &given);
    standard_blocks::add(&mut sources, &mut units, &mut diagnostics, row, &meant.units);
    pin_names::give(&mut units); // all declarations are there, and none has EN yet
    if row.enable == Enable::SkipsBody {
        enable_variables::add_enable(&mut units);
    }

    // Declarations and bodies. A state that is too large is resolved again without its largest arrays.
    let files = Files { sources: &sources, pragmas: &given.pragmas, entry: given.entry };
    let mut most_values = options.largest_array;
    let (mut resolver, resolved, is_bounded) = loop {
        let mut resolver = Resolver::new(row);
        resolver.types.most_values = most_values;
        resolver.names.libraries = Arc::clone(&given.spaces);
        resolver.findings.most = options.most_findings.unwrap_or(MAX_FINDINGS);
        resolver.findings.left_out = given.mentions.is_some().then(Vec::new);
        (0..n_declarations).for_each(|_| resolver.findings.ledger.count("declaration of a library"));
        let complain = diagnostics.is_empty();
        let declarations = declarations(&mut resolver, &units, &files, meant.clone(), &first_calls, options, complain);
        if let Some(fewer) = smaller_arrays(&resolver, most_values) {
            most_values = Some(fewer);
            continue;
        }
        let resolved = bodies(&mut resolver, &units, &files, declarations);
        let is_bounded = check_rules(&mut resolver);
        // Bodies have instances and addresses of their own.
        match smaller_arrays(&resolver, most_values) {
            Some(fewer) => most_values = Some(fewer),
            None => break (resolver, resolved, is_bounded),
        }
    };

    resolver.note_needed_files(&sources, &units, &systems(&sources, options, given.systems));
    // The parsers' findings and the resolver's are listed together.
    diagnostics.extend(resolver.findings.take_diagnostics());
    for label in diagnostics.iter_mut().flat_map(|d| &mut d.labels) {
        label.span = sources.whole_characters(label.span);
    }
    diagnostics.sort_by_key(|d| (d.span(), d.code));
    resolver.findings.ledger.ignored = units.iter().flat_map(|unit| unit.ignored.iter().cloned()).collect();

    // Only a program without errors runs: only then are there an environment and a state before the first cycle.
    let runs = is_bounded && diagnostics.iter().all(|d| d.severity != Severity::Error);
    if runs {
        // VAR_CONFIG comes first: FB_init sees its values.
        resolver.configure(&units, &sources);
        resolver.start(&resolved.starts);
        resolver.note_other_starts(&units);
        resolver.note_enabled_entry();
    }
    let not_read = not_read(&resolver, &units, &resolved.starts);
    let left_out = resolver.findings.left_out.take().unwrap_or_default();
    let (mut project, mut ledger, names) = resolver.finish();
    // The trees are not needed any more, and what follows is large itself.
    drop(units);
    if !is_bounded {
        forget_state(&mut project);
    }
    // A block never runs alone: its caller may run the other POUs, too.
    let is_block = |id: &InstanceId| project.pous[project.instances[*id].pou].kind == PouKind::FunctionBlock;
    let mut entry_is_chosen = options.entry.is_some()
        || given.elsewhere.exist()
        || !project.events.is_empty()
        || project.task.runs.iter().any(is_block);
    if runs {
        let leaves_out = given.mentions.is_some();
        let mut mentions = given.mentions.unwrap_or_default();
        mentions.join_programs(&given.elsewhere);
        let (first, checks_indices) = (first_methods(&resolved.starts), row.checks_indices());
        let beside = Beside { mentions, leaves_out, not_read, first, checks_indices, others: resolved.beside };
        settle(&mut project, &mut ledger, &names, &sources, beside, &mut entry_is_chosen);
    }
    let (interval_ns, inferred) = (resolved.interval_ns, Vec::new());
    let loaded = Loaded { project, ledger, sources, dialect, interval_ns, entry_is_chosen, left_out, inferred, runs, names };
    Parsed { value: loaded, diagnostics }
}

/// Engineering systems of files.
type Systems = BTreeMap<FileId, DialectId>;

/// Returns the engineering systems whose files there are; none where the dialect is chosen.
fn systems(sources: &SourceSet, options: &LoadOptions, given: Option<Arc<Systems>>) -> Arc<Systems> {
    match given {
        _ if options.dialect.is_some() => Arc::default(),
        Some(systems) => systems,
        None => Arc::new(crate::dialect::systems(sources, crate::lang::dialects(sources))),
    }
}

/// Gives syntax trees their final form, which every later phase reads; returns the first calls of charts.
fn finish_trees(
    units: &mut Vec<ast::Unit>,
    sources: &SourceSet,
    options: &LoadOptions,
    row: &'static Dialect,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<sfc::FirstCall> {
    if options.dialect.is_some() {
        let is_xml = |unit: &ast::Unit| sources.files.get(unit.file).is_some_and(|file| is_markup(&file.text));
        diagnostics.extend(units.iter().flat_map(|unit| crate::dialect::forbidden(unit, row, is_xml(unit))));
    }
    // Charts become statements first, so that all other phases see one kind of body.
    let rules = sfc::Rules { final_scan: row.final_scan, order: row.chart_order };
    let mut first_calls = Vec::new();
    for unit in &mut *units {
        sfc::draw(unit, sources.files.get(unit.file).map_or("", |f| &f.text));
        first_calls.extend(sfc::lower(unit, rules, diagnostics));
    }
    if !row.files_end_pous {
        units.iter_mut().flat_map(ast::Unit::pous_mut).for_each(end_with_gap);
    }
    initial_calls::move_to_bodies(units);
    applications::choose(units, sources, options, diagnostics);
    // Of the chosen application only.
    idle_tasks::note(units, sources, options.entry.is_some());
    configured_addresses::settle(units);
    unmodelled::mark(units);
    first_calls
}

/// Adds a gap behind the last statement of a POU that the file ends: more statements may have stood there.
fn end_with_gap(pou: &mut ast::Pou) {
    if let ast::Body::Statements(stmts) = &mut pou.body
        && pou.assumed.iter().any(|assumed| assumed.is_cut)
    {
        let end = stmts.last().map_or(pou.span, |last| Span { start: last.span.end, ..last.span });
        stmts.push(ast::Stmt::unsupported("file without END_PROGRAM or its like, as only CODESYS writes them,", end));
    }
}

/// Results of the phases that later ones need besides the resolver's tables.
struct Resolved {
    starts: Starts,
    beside: (Vec<OutsideWriter>, TaskPrograms),
    interval_ns: Option<i128>,
}

/// Texts of the program.
struct Files<'f> {
    sources: &'f SourceSet,
    pragmas: &'f Pragmas,
    /// Place of the name of the entry.
    entry: Option<Span>,
}

/// Results of declarations that bodies need.
struct Declarations {
    marks: Marks,
    after_init: Vec<(Span, u32)>,
    /// Clients that may write, and programs of tasks.
    beside: (Vec<OutsideWriter>, TaskPrograms),
    /// Of the tasks.
    tick: Tick,
}

/// Returns the files of the program, without those that its project does not compile.
fn compiled(units: &[ast::Unit]) -> BTreeSet<FileId> {
    let is_compiled = |unit: &&ast::Unit| unit.ignored.iter().all(|row| row.what != crate::lang::NOT_COMPILED);
    units.iter().filter(is_compiled).map(|unit| unit.file).collect()
}

/// Resolves declarations. Without `complain`, a missing entry is no finding.
fn declarations<'a>(
    resolver: &mut Resolver<'a>,
    units: &'a [ast::Unit],
    &Files { sources, pragmas, entry }: &Files<'_>,
    meant: Meanings,
    charts: &[sfc::FirstCall],
    options: &LoadOptions,
    complain: bool,
) -> Declarations {
    // Ids for all declarations before any is resolved, so that the order of files and declarations cannot matter.
    let marks = marks(sources, pragmas);
    resolver.names.guesses = Guesses::find(units, &marks, sources);
    resolver.names.meanings = meant;
    resolver.collect(units, sources);
    declare::unmodelled_names::note(&mut resolver.names, &mut resolver.findings, units, sources);
    // Entries of the ledger that need declarations only come first: they are listed in this order.
    let compiled = compiled(units);
    let noted = controller::pragmas::note_pragmas(&mut resolver.findings, sources, pragmas, &compiled);
    resolver.project.beside.extend(noted.anywhere.into_iter().map(|span| (span, Extent::All)));
    resolver.decls.linked = noted.linked;
    let after_init = noted.after_init;
    let mut writers = controller::outside_writers::note(&mut resolver.findings, sources, pragmas, &compiled);
    writers.extend(controller::outside_writers::note_types(&mut resolver.findings, units, sources));
    resolver.note_blocks(units, sources);
    resolver.note_first_parts(units);
    resolver.note_files(units);
    resolver.dialect.note_charts(&mut resolver.findings, charts);
    // Direct addresses in bodies are variables, too; their types are resolved with all others.
    resolver.names.declare_addresses(&mut resolver.project, units);
    resolver.finish_vars();
    // Pointers change their types before any body uses them.
    resolver.find_byte_pointers(units);
    // Intervals and priorities of tasks are constants, so tasks come behind the variables.
    let (named, called) = resolver.names.named_programs(&resolver.project, units);
    let configured = if options.entry.is_some() { None } else { resolver.configured(units) };
    if configured.is_none() {
        resolver.choose_entry(options, entry, &called, complain);
        if options.entry.is_none() {
            resolver.note_programs_without_cycle(units, &called);
        }
    }
    // The entry is known, and no body is resolved yet.
    resolver.inherit_for_callers();
    let mut of_tasks = options.entry.as_ref().map(|_| resolver.note_task_programs(units, &called)).unwrap_or_default();
    let listed = resolver.note_listed_programs(sources);
    of_tasks.interrupts = of_tasks.interrupts.or(listed);
    let tick = configured.or_else(|| options.entry.as_ref().map(|name| resolver.tick_of(units, name)));
    let tick = tick.filter(|tick| tick.0.is_some()).unwrap_or_else(|| resolver.tick_of_classes(sources));
    resolver.names.alias_programs(&resolver.project);
    resolver.types.hold_programs(&mut resolver.names, &mut resolver.project, named);
    Declarations { marks, after_init, beside: (writers, of_tasks), tick }
}

/// Resolves bodies, and what needs them.
fn bodies<'a>(
    resolver: &mut Resolver<'a>,
    units: &'a [ast::Unit],
    &Files { sources, .. }: &Files<'_>,
    Declarations { marks, after_init, beside, tick }: Declarations,
) -> Resolved {
    // Variables at one address share it if their programs run; references refer to variables that exist once.
    let inputs_apart = resolver.share_addresses();
    resolver.find_homes();
    let starts = resolver.bodies(units, after_init);
    resolver.stop_overloads();

    // Passes over finished bodies: first the ledger, then the statements in front of the bodies, which no ledger shows.
    if let Some(gap) = inputs_apart {
        let gap = shared::inputs_apart(gap, &resolver.project);
        resolver.findings.record(gap);
    }
    // Indices of arrays that are not kept are looked at behind it.
    resolver.call_implicit_checks(sources);
    resolver.note_bodies();
    resolver.fill_stubs(sources, &marks);
    resolver.check_classes();
    resolver.decls.find_edges(&resolver.names, &mut resolver.project);
    // Stubs may write strings that they are given.
    resolver.forget_tails();
    // No pass behind this one finds elements of arrays that are not kept.
    resolver.replace_large_elements();
    // Last, because the reads before writes depend on all statements.
    resolver.uninitialise(sources);
    Resolved { starts, beside, interval_ns: tick.0 }
}

/// Returns the POUs whose bodies are not read as a whole.
fn not_read(resolver: &Resolver<'_>, units: &[ast::Unit], starts: &Starts) -> NotRead {
    let open = resolver.project.pous.ids().filter(|pou| resolver.is_open(*pou)).collect();
    NotRead { cut: cut_pous(units).collect(), with_arguments: with_arguments(starts), open }
}

fn no_program() -> Diagnostic {
    let message = "none of these files is a program";
    let diagnostic = Diagnostic::error("P0003", Span::none(), message, "the first file starts here");
    diagnostic.help("upload the sources that hold `PROGRAM name … END_PROGRAM`")
}

/// Returns the program as rules see it.
fn checked<'r>(resolver: &'r Resolver<'_>) -> CheckedProgram<'r> {
    CheckedProgram {
        project: &resolver.project,
        declared: &resolver.decls.declared,
        recursion: resolver.dialect.recursion,
        read_only_arguments: &resolver.decls.read_only_arguments,
    }
}

/// Checks all rules; returns whether the state is bounded.
fn check_rules(resolver: &mut Resolver<'_>) -> bool {
    let mut findings = Vec::new();
    let mut is_bounded = true;
    for rule in RULES {
        let before = findings.len();
        (rule.check)(&checked(resolver), &mut findings);
        is_bounded &= !rule.bounds_state || before == findings.len();
    }
    for finding in findings {
        // Many libraries of these dialects do so, and the meaning is clear.
        let usual = finding.code == codes::CONTROL_ASSIGNED && resolver.dialect.narrows();
        resolver.findings.report(if usual { finding.warning() } else { finding });
    }
    is_bounded
}

/// Returns the number of values of the largest array to keep in another resolution; `None` if the state fits, or arrays are not
/// the reason why it does not.
fn smaller_arrays(resolver: &Resolver<'_>, now: Option<usize>) -> Option<usize> {
    let is_smaller = |most: &usize| now.is_none_or(|now| *most < now);
    largest_to_keep(&checked(resolver)).filter(is_smaller).or_else(|| {
        // Strings, too, may be the reason.
        let needs_smaller = resolver.findings.needs_smaller_arrays || is_too_large(&checked(resolver));
        SMALLER_ARRAYS.iter().copied().filter(|_| needs_smaller).find(is_smaller)
    })
}

/// Numbers of values to try where the sizes of arrays alone do not tell which of them to keep.
const SMALLER_ARRAYS: &[usize] = &[20_000, 4_000, 800, 160, 32];

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
