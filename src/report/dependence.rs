//! Dependence of one answer: frozen variables and controller-dependent behaviour in its cone of influence.
//!
//! Soundness: a frozen variable or a gap that is not named cannot decide whether the requirement is broken. Where the place
//! of a gap says too little, the gap counts.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::dialect::DialectId;
use plc_frontend::environment::{frozen, initial_writes, usage};
use plc_frontend::hir::{Extent, Leaf, LeafElem, PouId, PouKind, Project, Reason, Root, Type, value_to_st};
use plc_frontend::ledger::{EXTENDS_STUB, Gap, KEPT_ADDRESS, NO_FAULT, TIMING_BIT, Treatment, UNSTATED_CYCLE};
use plc_frontend::source::{Origin, Span};

use super::carried;
use super::environment::unwritten;
use super::extended_stubs::extended_stubs;
use super::names::Names;
use super::outcome::Condition;
use super::place::place;
use super::reached_stubs::{called_stubs, in_stubs};
use kernel::cfa::pass::Dependencies;
use kernel::cfa::{Model, Op};
use kernel::expr::VarId;

/// Last words of the condition about a missing callee that gets the control variable of a FOR loop.
const KEPT_CONTROL: &str = "gets the control variable of a FOR loop and does not write it";

/// Parts of a program that no answer says anything about unless it depends on them.
pub struct Dependence {
    /// Leaves that keep their initial values, with their variables.
    frozen: Vec<(Leaf, VarId)>,
    /// Leaves that statements write, but their initial values only.
    initial_only: BTreeSet<String>,
    /// Leaves that statements write, and that others may write too.
    written: Vec<(Leaf, VarId)>,
    /// Instances that no statement calls, by the leaves in them.
    uncalled: BTreeMap<String, String>,
    /// Gaps that answers take for granted, by their number in the ledger.
    gaps: Vec<(usize, Reach)>,
}

/// Part of the program that a gap is about.
enum Reach {
    /// Nothing that runs.
    Nothing,
    /// Anything.
    Everything,
    /// Variables declared there.
    Variables(BTreeSet<VarId>),
    /// Variables inside of a stub, and what its calls give.
    Stub(BTreeSet<VarId>, BTreeSet<Span>),
    /// Steps of statements there.
    Steps(BTreeSet<Span>),
    /// Text of the requirement with this id.
    Requirement(String),
}

/// Step that settles a condition about a frozen variable.
const WAY_OUT: &str = "Name it under `inputs` or `parameters` if the outside may write it, under `frozen` if not.";

/// The same for a variable to which statements write its initial value.
const INITIAL_ONLY: &str = "Only this program writes it, and only this value. Name it under `inputs` if the outside may write it, under \
                    `memory` if not.";

/// Single leaves of one variable that are named; of more the variable is.
const NAMED: usize = 3;

impl Dependence {
    /// Finds the conditions of a program.
    ///
    /// Cost:      linear in the program, and in edges times gaps.
    pub fn new(loaded: &Loaded, model: &Model) -> Dependence {
        let leaves = loaded.project.leaves();
        let kept = frozen(&loaded.project, &leaves, loaded.entry_is_chosen).into_iter();
        let kept: BTreeSet<usize> = kept.filter(|at| !is_constant_tag(loaded, &leaves[*at])).collect();
        // Operators write tags of Logix from their panels.
        let has_tags = loaded.dialect == DialectId::Logix;
        let initial_only = if has_tags { initial_writes(&loaded.project, &leaves, loaded.entry_is_chosen) } else { Vec::new() };
        let is_stated = |leaf: &Leaf| matches!(loaded.project.environment.get(&leaf.name), Some(setting) if matches!(setting.reason, Reason::Stated(_)));
        let initial_only: BTreeSet<String> = initial_only
            .into_iter()
            .map(|at| &leaves[at])
            .filter(|leaf| !is_stated(leaf))
            .map(|leaf| leaf.name.clone())
            .collect();
        let kept_names: BTreeSet<&str> =
            kept.iter().map(|at| leaves[*at].name.as_str()).chain(initial_only.iter().map(String::as_str)).collect();
        let frozen = model.leaves.iter().filter(|(leaf, _)| kept_names.contains(leaf.name.as_str()));
        let frozen = frozen.map(|(leaf, var)| (known(&leaves, leaf).clone(), *var)).collect();
        let is_told = |leaf: &Leaf| is_stated(leaf) || kept_names.contains(leaf.name.as_str());
        let written = carried::written(loaded, model, &leaves, is_told);
        let is_assumed = |treatment| matches!(treatment, Treatment::Assumed | Treatment::AssumedByRuns);
        let gaps = loaded.ledger.gaps.iter().enumerate().filter(|(_, gap)| is_assumed(gap.treatment));
        let steps: BTreeSet<Span> =
            model.cfa.edges.iter().filter(|edge| edge.op != Op::Skip).filter_map(|edge| edge.span).collect();
        let inferred = of_unknown_code(loaded);
        let (called, bases) = (called_stubs(loaded, model), extended_stubs(loaded, &leaves));
        let in_stubs = in_stubs(loaded, model);
        let project = &loaded.project;
        let not_computed = || {
            let started = model.leaves.iter().filter(|(leaf, _)| project.not_computed.contains(&leaf.name));
            Reach::Variables(started.map(|(_, var)| *var).collect())
        };
        let timing_bits = || {
            let bits = model.leaves.iter().filter(|(leaf, _)| leaf.name.to_uppercase().ends_with(".TT"));
            Reach::Variables(bits.map(|(_, var)| *var).collect())
        };
        let written_elsewhere = || {
            let is_input = |name: &str| {
                let reason = project.environment.get(name).map(|setting| &setting.reason);
                matches!(
                    reason,
                    Some(Reason::WrittenElsewhere(_) | Reason::CalledFromOutside(_) | Reason::Mentioned | Reason::SharesAddress)
                )
            };
            let written = model.leaves.iter().filter(|(leaf, _)| is_input(&leaf.name));
            Reach::Variables(written.map(|(_, var)| *var).collect())
        };
        let beside = |span: &Span| match project.beside.get(span) {
            Some(Extent::All) => Reach::Everything,
            Some(Extent::Nameable) => {
                let named = model.leaves.iter().filter(|(leaf, _)| is_nameable(project, leaf));
                Reach::Variables(named.map(|(_, var)| *var).collect())
            }
            Some(Extent::Leaves(names)) => {
                let named = model.leaves.iter().filter(|(leaf, _)| names.contains(&leaf.name));
                Reach::Variables(named.map(|(_, var)| *var).collect())
            }
            Some(Extent::Entry) => {
                let own = model.leaves.iter().filter(|(leaf, _)| matches!(leaf.root, Root::Instance(_)));
                Reach::Variables(own.map(|(_, var)| *var).collect())
            }
            Some(Extent::Time) => Reach::Variables(BTreeSet::from([model.dt])),
            None => Reach::Nothing,
        };
        let widened = |gap: &Gap| match (reach(loaded, model, &steps, gap.span), in_stubs.get(&gap.span)) {
            _ if gap.construct == UNSTATED_CYCLE => Reach::Variables(BTreeSet::from([model.dt])),
            // Methods that run before the first cycle have no steps.
            _ if project.unclear_starts.contains(&gap.span) => Reach::Everything,
            _ if project.beside.contains_key(&gap.span) && !inferred.contains(&gap.span) => beside(&gap.span),
            _ if gap.construct == TIMING_BIT => timing_bits(),
            _ if gap.construct.ends_with(NO_FAULT) => Reach::Everything,
            _ if project.open_starts.contains(&gap.span) => not_computed(),
            _ if project.events.contains(&gap.span) && gap.treatment == Treatment::AssumedByRuns => written_elsewhere(),
            // A call that writes nothing has no steps in a model.
            _ if gap.construct.ends_with(KEPT_CONTROL) => Reach::Everything,
            // A call without values has no steps.
            _ if gap.construct.ends_with(EXTENDS_STUB) && bases.contains(&gap.span) => Reach::Everything,
            _ if called.contains(&gap.span) && (inferred.contains(&gap.span) || gap.construct.ends_with(KEPT_ADDRESS)) => {
                Reach::Everything
            }
            (Reach::Nothing, None) => beside(&gap.span),
            _ if inferred.contains(&gap.span) => Reach::Everything,
            (Reach::Nothing, Some((inside, bodies))) => Reach::Stub(inside.clone(), bodies.clone()),
            (Reach::Variables(vars), Some((inside, bodies))) => {
                Reach::Stub(vars.union(inside).copied().collect(), bodies.clone())
            }
            (Reach::Steps(_) | Reach::Requirement(_), Some(_)) => Reach::Everything,
            (reach, _) => reach,
        };
        let gaps = gaps.map(|(number, gap)| (number, widened(gap))).collect();
        let uses = usage(&loaded.project, &leaves, loaded.entry_is_chosen);
        // Timers of Logix are blocks here, whose statements are methods.
        let is_ours = |leaf: &Leaf| {
            let file = declarations(&loaded.project, leaf).last().and_then(|(span, _)| loaded.sources.files.get(span.file));
            has_tags && file.is_some_and(|file| file.origin.is_ours())
        };
        let uncalled = |at: usize| Some((leaves[at].name.clone(), instance(&leaves[at], uses[at].dormant?)));
        let uncalled = kept.iter().filter(|at| !is_ours(&leaves[**at])).filter_map(|at| uncalled(*at)).collect();
        Dependence { frozen, initial_only, written, uncalled, gaps }
    }

    /// Returns the numbers of the assumed gaps that the answer to a requirement depends on.
    pub fn open_gaps(&self, requirement: &str, on: &Dependencies) -> Vec<usize> {
        let is_open = |reach: &Reach| match reach {
            Reach::Nothing => false,
            Reach::Everything => true,
            Reach::Variables(vars) => vars.iter().any(|var| on.vars.contains(var)),
            Reach::Stub(vars, bodies) => {
                vars.iter().any(|var| on.vars.contains(var)) || bodies.iter().any(|span| on.spans.contains(span))
            }
            Reach::Steps(spans) => spans.iter().any(|span| on.spans.contains(span)),
            Reach::Requirement(id) => id == requirement,
        };
        self.gaps.iter().filter(|(_, reach)| is_open(reach)).map(|(number, _)| *number).collect()
    }

    /// Returns one condition for each frozen variable that the answer depends on, and one for all that only this program may write;
    /// without a cone, for all variables.
    pub fn frozen(&self, loaded: &Loaded, on: Option<&Dependencies>) -> Vec<Condition> {
        let names = Names::new(&loaded.project);
        let mut variables: BTreeMap<(Root, Option<LeafElem>), Vec<&Leaf>> = BTreeMap::new();
        for (leaf, _) in self.frozen.iter().filter(|(_, var)| on.is_none_or(|on| on.vars.contains(var))) {
            let member = leaf.path.first().copied().filter(|_| matches!(leaf.root, Root::Instance(_)));
            variables.entry((leaf.root, member)).or_default().push(leaf);
        }
        let mut conditions = Vec::new();
        let why = unwritten(loaded).replacen('n', "N", 1);
        let detail = |leaf: &Leaf| match self.uncalled.get(&leaf.name) {
            Some(instance) => Some(format!("No statement calls `{}`. {WAY_OUT}", names.show(instance))),
            None if self.initial_only.contains(&leaf.name) => Some(INITIAL_ONLY.to_owned()),
            None => Some(format!("{why}. {WAY_OUT}")),
        };
        for leaves in variables.into_values() {
            let at = |leaf: &Leaf| Some(place(&loaded.sources, leaf.span));
            match leaves.as_slice() {
                [first, ..] if NAMED < leaves.len() => {
                    let name = names.show(variable_of(&first.name, first.root));
                    let text = format!("`{name}` keeps its initial values ({} parts)", leaves.len());
                    conditions.push(Condition { text, detail: detail(first), place: at(first) });
                }
                few => conditions.extend(few.iter().map(|leaf| {
                    let name = names.show(&leaf.name);
                    let text = match leaf.view {
                        Some(_) => format!("the memory that `{name}` shares with no other variable keeps its initial value"),
                        None => format!("`{name}` keeps its initial value {}", initial(&loaded.project, leaf)),
                    };
                    Condition { text, detail: detail(leaf), place: at(leaf) }
                })),
            }
        }
        let carried = self.written.iter().filter(|(_, var)| on.is_none_or(|on| on.carried.contains(var)));
        conditions.extend(carried::condition(loaded, &carried.map(|(leaf, _)| leaf).collect::<Vec<_>>()));
        conditions
    }
}

/// Returns whether a leaf is part of a tag of Logix that is constant: neither programs nor panels write it.
fn is_constant_tag(loaded: &Loaded, leaf: &Leaf) -> bool {
    let Some(file) = loaded.sources.files.get(leaf.span.file).filter(|_| loaded.dialect == DialectId::Logix) else {
        return false;
    };
    let start = file.text.get(..leaf.span.end as usize).and_then(|before| before.rfind('<')).unwrap_or_default();
    let tag = file.text.get(start..).and_then(|rest| rest.split('>').next()).unwrap_or_default();
    tag.starts_with("<Tag ") && tag.contains("Constant=\"true\"")
}

/// Returns whether code outside of the run can name the variable: it is global, in memory with an address, or of a program.
fn is_nameable(project: &Project, leaf: &Leaf) -> bool {
    match leaf.root {
        Root::Global(global) => !project.at_call.contains(&global),
        Root::Instance(instance) => {
            let pou = &project.pous[project.instances[instance].pou];
            let is_located = match leaf.path.first() {
                Some(LeafElem::Member(var)) => pou.vars[*var].address.is_some(),
                _ => false,
            };
            pou.kind == PouKind::Program || is_located || leaf.view.is_some()
        }
        Root::Var(_) | Root::This(_) => false,
    }
}

/// Returns the leaf under a name that people know: memory without a name is told as the variable that shares it.
pub(super) fn known<'l>(leaves: &'l [Leaf], leaf: &'l Leaf) -> &'l Leaf {
    let holds = |other: &&Leaf| {
        let parts = other.view.iter().flat_map(|view| &view.parts);
        !other.hidden && parts.into_iter().any(|part| leaves[part.of].name == leaf.name)
    };
    leaves.iter().filter(|_| leaf.hidden).find(holds).unwrap_or(leaf)
}

/// Returns the name of the variable that a leaf is a part of.
pub(super) fn variable_of(leaf: &str, root: Root) -> &str {
    let from = match root {
        Root::Instance(_) => leaf.find('.').map_or(0, |dot| dot + 1),
        Root::Global(_) | Root::Var(_) | Root::This(_) => 0,
    };
    let end = leaf[from..].find(['.', '[']).map_or(leaf.len(), |at| from + at);
    &leaf[..end]
}

/// Returns the name of the instance that some steps of a leaf's path lead to.
fn instance(leaf: &Leaf, steps: usize) -> String {
    let mut name = leaf.name.as_str();
    for _ in steps..leaf.path.len() {
        name = name.rfind(['.', '[']).map_or(name, |end| &name[..end]);
    }
    name.to_owned()
}

/// Returns the initial value in ST.
pub(super) fn initial(project: &Project, leaf: &Leaf) -> String {
    leaf.init.map_or_else(String::new, |value| value_to_st(project, leaf.ty, value))
}

/// Returns the places of declarations whose conditions concern all answers about a program that uses them.
///
/// A value of another type may take a branch that disappears where no value of the inferred type takes it. A body of the project may
/// write what no step of the stub writes.
fn of_unknown_code(loaded: &Loaded) -> BTreeSet<Span> {
    let project = &loaded.project;
    let stubs = project.stubs.iter().filter(|(_, stub)| stub.interface.may_be_of_project()).map(|(pou, _)| *pou);
    let all = stubs.chain(project.stub_heirs.values().map(|heir| heir.base)).map(|pou| project.pous[pou].span);
    all.chain(project.unknown_globals.keys().map(|id| project.globals[*id].span)).collect()
}

/// Declarations of the variable that a leaf is a part of, and of the instances around it: places and names.
pub(super) fn declarations<'p>(project: &'p Project, leaf: &Leaf) -> Vec<(Span, &'p str)> {
    let (mut pou, mut ty, mut spans) = match leaf.root {
        Root::Global(global) => {
            let global = &project.globals[global];
            (None, Some(global.ty), vec![(global.span, global.name.as_str())])
        }
        Root::Instance(instance) => (Some(project.instances[instance].pou), None, Vec::new()),
        Root::Var(_) | Root::This(_) => return vec![(leaf.span, "")],
    };
    for step in &leaf.path {
        let inside = ty.map(|ty| &project.types[ty].ty);
        ty = match (step, inside) {
            (LeafElem::Member(var), _) => {
                let owner = match (pou.take(), inside) {
                    (Some(pou), _) => pou,
                    (None, Some(Type::FunctionBlock(block))) => *block,
                    (None, _) => break,
                };
                let var = &project.pous[owner].vars[*var];
                spans.push((var.span, var.name.as_str()));
                Some(var.ty)
            }
            (LeafElem::Field(field), Some(Type::Struct { fields })) => Some(fields[*field as usize].ty),
            (LeafElem::Index(_), Some(Type::Array { elem, .. })) => Some(*elem),
            (LeafElem::Field(_) | LeafElem::Index(_), _) => break,
        };
    }
    spans
}

fn reach(loaded: &Loaded, model: &Model, steps: &BTreeSet<Span>, span: Span) -> Reach {
    if let Some(id) = requirement_of(loaded, span) {
        return Reach::Requirement(id);
    }
    let overlap = |a: Span, b: Span| a.file == b.file && a.start < b.end && b.start < a.end;
    let holds = |outer: Span, inner: Span| outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end;
    // A variable of the import has the place of the element that needs it, such as a program. A condition there is not about the
    // variable: its declaration counts only if the text there names it.
    let names = |text: &str, name: &str| text.to_lowercase().contains(&name.to_lowercase());
    let is_declared_at = |(declared, name): (Span, &str)| overlap(declared, span) && names(loaded.sources.text(declared), name);
    let is_there = |leaf: &Leaf| declarations(&loaded.project, leaf).into_iter().any(is_declared_at);
    let declared: BTreeSet<VarId> = model.leaves.iter().filter(|(leaf, _)| is_there(leaf)).map(|(_, var)| *var).collect();
    if !declared.is_empty() {
        return Reach::Variables(declared);
    }
    if is_heading(loaded, span) {
        return of_owners(loaded, model, span);
    }
    let around: Vec<Span> = steps.iter().copied().filter(|step| holds(*step, span)).collect();
    let narrow = around.iter().map(|step| step.end - step.start).min();
    let narrowest = around.into_iter().filter(|step| Some(step.end - step.start) == narrow);
    let inside = steps.iter().copied().filter(|step| holds(span, *step));
    let found: BTreeSet<Span> = narrowest.chain(inside).collect();
    if !found.is_empty() {
        return Reach::Steps(found);
    }
    of_owners(loaded, model, span)
}

/// Returns the id of the requirement in whose text a place is. Assumptions and ranges belong to all.
fn requirement_of(loaded: &Loaded, span: Span) -> Option<String> {
    let file = loaded.sources.files.get(span.file).filter(|file| file.origin == Origin::Condition)?;
    let is_key = |key: &str| key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    file.name.rsplit_once(", ").filter(|(_, key)| is_key(key)).map(|(id, _)| id.to_owned())
}

/// Returns whether a place is the heading of a controller, program or routine of Studio 5000: a condition there is about all of it, and
/// the statements that have this place are those of the import.
fn is_heading(loaded: &Loaded, span: Span) -> bool {
    const HEADINGS: &[&str] = &["RSLOGIX", "CONTROLLER", "PROGRAM", "ROUTINE", "TASK", "ADDONINSTRUCTION", "ADD_ON_INSTRUCTION"];
    let text = loaded.sources.text(span).trim_start_matches('<').to_uppercase();
    loaded.dialect == DialectId::Logix && HEADINGS.iter().any(|heading| text.starts_with(heading))
}

/// Returns the reach of a place that belongs to whole POUs, or to the whole program.
fn of_owners(loaded: &Loaded, model: &Model, span: Span) -> Reach {
    let project = &loaded.project;
    let holds = |outer: Span, inner: Span| outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end;
    let owners: Vec<PouId> = project.pous.iter_enumerated().filter(|(_, pou)| holds(pou.span, span)).map(|(id, _)| id).collect();
    let runs = |id: &PouId| {
        // Methods run under POUs of their own, made for each block.
        model.network.procedure_of(*id).is_some()
            || project
                .pous
                .iter_enumerated()
                .any(|(other, pou)| pou.member_of == Some(*id) && model.network.procedure_of(other).is_some())
    };
    if owners.is_empty() || owners.iter().any(runs) { Reach::Everything } else { Reach::Nothing }
}
