//! Choices of a program: the possible writes of each branch, for sentences about branches that were not taken.
//!
//! Knows the HIR; nothing of runs. Loops are branches too: their body may not run.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{
    Access, CallArgs, Elem, Expr, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Value, VarId, Visit,
};
use plc_frontend::source::Span;

use super::seen::Seen;

mod path;
mod skipped;
mod written;

use self::skipped::{OuterStatement, Skipped, repeated, skipped};

/// Variable that a branch may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    root: Root,
    /// The path from the root, as far as it is the same in every run.
    path: String,
    /// The value, if the branch writes a literal and all of the path is known.
    value: Option<Value>,
}

/// Variable that a branch not taken would have written.
#[derive(Clone, Debug)]
pub(super) struct Untaken {
    /// Its name; names of its parts begin with it.
    pub(super) name: String,
    /// The value, if it is known.
    pub(super) value: Option<Value>,
    /// The condition that kept the branch from being taken, if one did alone.
    pub(super) decides: Option<Span>,
}

/// Branches of one statement.
#[derive(Clone, Debug, Default)]
struct Branches {
    /// By the condition, as recorders are told of it; `None` for ELSE.
    bodies: BTreeMap<Option<Span>, Vec<Written>>,
    /// Variables that statements behind the choice may write, by the branch that may skip them.
    skipped: BTreeMap<Option<Span>, Vec<Written>>,
    /// It is a loop.
    repeats: bool,
}

/// Body of a POU that runs, with the names of its variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Activation {
    pub(super) pou: PouId,
    /// Name of the instance; `None` for functions.
    pub(super) instance: Option<String>,
    /// Names of the variables behind its VAR_IN_OUT.
    pub(super) references: BTreeMap<VarId, String>,
}

/// All choices of a project.
pub(super) struct Choices<'p> {
    project: &'p Project,
    of: BTreeMap<(PouId, Span), Branches>,
    /// All that a body writes; for those that a branch leaves early.
    bodies: BTreeMap<PouId, Vec<Written>>,
    /// Conditions of IF by the first one, and values of assignments by the statement; `None` where several stand at one place.
    conditions: BTreeMap<(PouId, Span), Option<Vec<&'p Expr>>>,
    values: BTreeMap<(PouId, Span), Option<&'p Expr>>,
    /// Arguments of calls by their places, where recorders see them written.
    arguments: BTreeMap<(PouId, Span), &'p Expr>,
    /// Places of targets of assignments: one that is an argument, too, belongs to an instruction of a rung.
    targets: BTreeSet<(PouId, Span)>,
    /// Places of calls that take outputs.
    outputs: BTreeSet<(PouId, Span)>,
    /// Branches whose skipped statements were read.
    n_skipped: usize,
}

/// Most variables of one branch.
const MOST: usize = 400;
/// Most branches whose skipped statements are read; others may skip all of their body.
const MOST_SKIPPED: usize = 300;

impl<'p> Choices<'p> {
    /// Collects the choices of all POUs.
    ///
    /// Cost: one reading of each body for each level of nesting in it.
    pub(super) fn new(project: &'p Project) -> Choices<'p> {
        let mut choices = Choices {
            project,
            of: BTreeMap::new(),
            bodies: BTreeMap::new(),
            conditions: BTreeMap::new(),
            values: BTreeMap::new(),
            arguments: BTreeMap::new(),
            targets: BTreeSet::new(),
            outputs: BTreeSet::new(),
            n_skipped: 0,
        };
        for (id, pou) in project.pous.iter_enumerated() {
            let all = choices.written(id, &pou.body);
            choices.bodies.insert(id, all);
            choices.collect(id, &pou.body, None);
        }
        choices
    }

    /// Returns whether some branch of the statement with this first condition may leave the statements around.
    pub(super) fn leaves(&self, pou: PouId, first: Span) -> bool {
        self.of.get(&(pou, first)).is_some_and(|branches| !branches.skipped.is_empty())
    }

    /// Returns whether this branch of the statement may skip statements behind it.
    pub(super) fn skips(&self, pou: PouId, first: Span, taken: Option<Span>) -> bool {
        self.of.get(&(pou, first)).is_some_and(|branches| branches.skipped.contains_key(&taken))
    }

    /// Returns whether the statement is a loop.
    pub(super) fn repeats(&self, pou: PouId, first: Span) -> bool {
        self.of.get(&(pou, first)).is_some_and(|branches| branches.repeats)
    }

    /// Returns variables that the branches not taken would have written.
    pub(super) fn untaken(&self, run: &Activation, first: Span, taken: Option<Span>) -> Vec<Untaken> {
        let Some(branches) = self.of.get(&(run.pou, first)) else { return Vec::new() };
        let order = self.conditions.get(&(run.pou, first)).and_then(Option::as_ref);
        let position = |of: Span| order.and_then(|order| order.iter().position(|condition| condition.span == of));
        let held = taken.and_then(position);
        let mut all = Vec::new();
        for (condition, written) in branches.bodies.iter().filter(|(condition, _)| **condition != taken) {
            // A condition behind the one that held was not tested: the one that held kept its branch from being taken.
            let own = condition.and_then(position).filter(|at| held.is_none_or(|held| *at < held));
            let decides = if own.is_some() { *condition } else { taken };
            all.extend(written.iter().map(|written| (written, decides)));
        }
        let skipped = branches.skipped.get(&taken).into_iter().flatten();
        all.extend(skipped.map(|written| (written, taken)));
        let named = |(written, decides): (&Written, Option<Span>)| {
            Some(Untaken { name: self.name(run, written)?, value: written.value, decides })
        };
        all.into_iter().take(MOST).filter_map(named).collect()
    }

    /// Returns the expressions that decide a statement's choice: the conditions of an IF up to the one that held, or the value
    /// of an assignment. Of conditions those in `only`, if there are any. `None` if other parts decide too.
    pub(super) fn decisive(&self, pou: PouId, seen: &Seen, only: &BTreeSet<Span>) -> Option<Vec<&'p Expr>> {
        let Some(choice) = seen.choice else {
            return self.values.get(&(pou, seen.stmt)).copied().flatten().filter(|_| !seen.compound).map(|value| vec![value]);
        };
        let all = self.conditions.get(&(pou, choice.first)).cloned().flatten()?;
        let n = all.iter().position(|condition| Some(condition.span) == choice.taken).map_or(all.len(), |at| at + 1);
        let is_meant = |condition: &&&Expr| only.is_empty() || only.contains(&condition.span);
        Some(all[..n].iter().filter(is_meant).copied().collect()).filter(|_| !choice.repeats)
    }

    /// Returns the argument of a call that stands there.
    pub(super) fn argument(&self, pou: PouId, at: Span) -> Option<&'p Expr> {
        self.arguments.get(&(pou, at)).copied().filter(|_| !self.targets.contains(&(pou, at)))
    }

    /// Returns whether a call gives an output to the variable that stands there.
    pub(super) fn is_output(&self, pou: PouId, at: Span) -> bool {
        self.outputs.contains(&(pou, at))
    }

    /// Returns the name of a scalar variable, if it is the same in every run of the body.
    pub(super) fn place(&self, run: &Activation, place: &Place) -> Option<String> {
        let is_part = place.path.iter().any(|elem| matches!(elem, Elem::Bits { .. }));
        let (path, true) = self.path(run.pou, place) else { return None };
        self.name(run, &Written { root: place.root, path, value: None }).filter(|_| !is_part)
    }

    fn name(&self, run: &Activation, written: &Written) -> Option<String> {
        let base = match written.root {
            Root::Global(id) => self.project.globals[id].name.clone(),
            Root::This(_) => run.instance.clone()?,
            Root::Instance(id) => self.project.instances[id].name.clone(),
            Root::Var(var) => match (run.references.get(&var), &run.instance) {
                (Some(name), _) => name.clone(),
                (None, Some(instance)) if self.persists(run.pou, var) => {
                    format!("{instance}.{}", self.project.pous[run.pou].vars[var].name)
                }
                (None, _) => format!("{}.{}", self.project.pous[run.pou].name, self.project.pous[run.pou].vars[var].name),
            },
        };
        Some(base + &written.path)
    }

    fn persists(&self, pou: PouId, var: VarId) -> bool {
        let pou = &self.project.pous[pou];
        !matches!(pou.kind, PouKind::Function(_)) && pou.vars[var].section != Section::Temp
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others choose nothing")]
    fn collect(&mut self, pou: PouId, body: &'p [Stmt], outer: Option<&OuterStatement<'_, 'p>>) {
        for (n, stmt) in body.iter().enumerate() {
            Arguments { pou, found: &mut self.arguments, outputs: &mut self.outputs }.stmt(stmt);
            let around = OuterStatement { outer, behind: body.get(n + 1..).unwrap_or_default(), repeated: repeated(stmt) };
            let arms: Vec<(Option<Span>, &[Stmt])> = match &stmt.kind {
                StmtKind::If { branches, otherwise } => {
                    let arms = branches.iter().map(|(condition, body)| (Some(condition.span), body.as_slice()));
                    arms.chain([(None, otherwise.as_slice())]).collect()
                }
                StmtKind::Case { selector: _, arms, otherwise } => {
                    let arms = arms.iter().map(|arm| (Some(arm.span), arm.body.as_slice()));
                    arms.chain([(None, otherwise.as_slice())]).collect()
                }
                StmtKind::For { body, .. } => vec![(Some(stmt.span), body.as_slice())],
                StmtKind::While { condition, body } => vec![(Some(condition.span), body.as_slice())],
                // Its body runs in any case.
                StmtKind::Repeat { body, until } => {
                    self.collect(pou, body, Some(&around));
                    vec![(Some(until.span), &[])]
                }
                StmtKind::Assign { target, value } => {
                    // An index that is computed is one more thing to it.
                    let alone = self.path(pou, target).1.then_some(value);
                    self.targets.insert((pou, target.span));
                    self.values.entry((pou, stmt.span)).and_modify(|found| *found = None).or_insert(alone);
                    continue;
                }
                _ => continue,
            };
            if let Some(&(Some(first), _)) = arms.first() {
                if let StmtKind::If { branches, .. } = &stmt.kind {
                    let tested: Vec<&'p Expr> = branches.iter().map(|(condition, _)| condition).collect();
                    // Two statements with one condition that stands at one place, as transitions have them, read the same.
                    let is_same = |found: &Option<Vec<&Expr>>| found.as_ref() == Some(&tested);
                    let found = self.conditions.entry((pou, first)).or_insert_with(|| Some(tested.clone()));
                    if !is_same(found) {
                        *found = None;
                    }
                }
                let written: Vec<_> = arms.iter().map(|(condition, body)| (*condition, self.written(pou, body))).collect();
                let skips = arms.iter().filter_map(|(condition, body)| Some((*condition, skipped(stmt, body, &around)?)));
                let skipped: Vec<_> = skips.collect();
                let skipped: Vec<_> =
                    skipped.into_iter().map(|(condition, skipped)| (condition, self.written_behind(pou, skipped))).collect();
                let branches = self.of.entry((pou, first)).or_default();
                for (condition, written) in skipped {
                    branches.skipped.entry(condition).or_default().extend(written);
                }
                branches.repeats |= matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. });
                for (condition, written) in written {
                    branches.bodies.entry(condition).or_default().extend(written);
                }
            }
            arms.iter().for_each(|(_, body)| self.collect(pou, body, Some(&around)));
        }
    }

    /// Returns the variables that skipped statements may write.
    fn written_behind(&mut self, pou: PouId, skipped: Skipped<'p>) -> Vec<Written> {
        match skipped {
            Skipped::Lists(lists) if self.n_skipped < MOST_SKIPPED => {
                self.n_skipped += 1;
                lists.into_iter().flat_map(|list| self.written(pou, list)).collect()
            }
            Skipped::Lists(_) | Skipped::Any => self.bodies.get(&pou).cloned().unwrap_or_default(),
        }
    }
}

/// Collects the arguments of the calls in one statement, but not in those inside of it.
struct Arguments<'c, 'p> {
    pou: PouId,
    found: &'c mut BTreeMap<(PouId, Span), &'p Expr>,
    outputs: &'c mut BTreeSet<(PouId, Span)>,
}

impl<'p> Visit<'p> for Arguments<'_, 'p> {
    fn body(&mut self, _body: &'p [Stmt]) {}
    fn place(&mut self, _place: &'p Place, _access: Access) {}
    fn call(&mut self, _callee: PouId, args: &'p CallArgs) {
        self.found.extend(args.inputs.iter().map(|(_, value)| ((self.pou, value.span), value)));
        self.outputs.extend(args.outputs.iter().map(|(_, place)| (self.pou, place.span)));
        self.call_parts(args);
    }
}
