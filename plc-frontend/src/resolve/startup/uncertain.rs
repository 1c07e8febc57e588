//! Calls before the first cycle that cannot be computed: what they may write has any value before the first cycle.

use crate::hir::{
    Access, CallArgs, Elem, GlobalId, Leaf, Place, Pou, PouId, Project, Role, Root, Section, Stmt, StmtKind, VarId, Visit,
};
use crate::resolve::startup::called_values::VALUE;
use crate::text::{GapId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A call that is not made, or not as the controller makes it.
pub(crate) struct Uncertain {
    /// Its place: the method, or the declaration with its arguments.
    pub(crate) span: Span,
    pub(crate) construct: &'static str,
    /// Canonical name of the instance, or of the array or structure of several.
    pub(crate) instance: String,
    /// `None`: several methods that are not listed.
    pub(crate) method: Option<PouId>,
}

/// Values before the first cycle that are not known.
///
/// Soundness: an uncertain call writes variables of its instance, and those that the bodies below its method name. Where a body
/// writes through a reference or has a statement that is not modelled, answers name the call.
pub(crate) struct Unknown {
    /// Gaps of stubs.
    pub(crate) gaps: BTreeSet<GapId>,
    /// Leaves of stubs, of undeclared variables, and inputs.
    leaves: BTreeSet<String>,
    /// Instances with an uncertain call, the global variables that it may write, and leaves whose initial values are no constants.
    variables: BTreeSet<String>,
    /// References.
    references: BTreeSet<String>,
    /// Writes of the methods of uncertain calls: many instances share a method.
    effects: BTreeMap<PouId, Effects>,
    /// Calls whose writes are all known.
    pub(crate) modelled: BTreeSet<(Span, &'static str)>,
    /// All others.
    pub(crate) assumed: BTreeSet<(Span, &'static str)>,
}

impl Unknown {
    pub(crate) fn new(project: &Project, leaves: &[Leaf]) -> Unknown {
        let of_stubs = crate::environment::stub_starts(project, leaves).into_keys();
        let is_undeclared = |root: Root| matches!(root, Root::Global(global) if project.unknown_globals.contains_key(&global));
        let others = leaves.iter().filter(|leaf| matches!(leaf.role, Role::Input | Role::Parameter) || is_undeclared(leaf.root));
        let by_declaration = leaves.iter().filter(|leaf| project.unknown_starts.contains(&leaf.span));
        let references = leaves.iter().filter(|leaf| project.references.contains_key(&leaf.ty));
        Unknown {
            references: references.map(|leaf| leaf.name.clone()).collect(),
            gaps: project.stubs.values().map(|stub| stub.gap).collect(),
            leaves: of_stubs.chain(others.map(|leaf| leaf.name.clone())).collect(),
            variables: by_declaration.map(|leaf| leaf.name.clone()).collect(),
            effects: BTreeMap::new(),
            modelled: BTreeSet::new(),
            assumed: BTreeSet::new(),
        }
    }

    /// Adds what a call may write.
    ///
    /// Soundness: a reference that the call may set leads to a variable that is not known, so its writes are a condition.
    pub(crate) fn free(&mut self, project: &Project, call: &Uncertain) {
        self.variables.insert(call.instance.clone());
        let has_references = [".", "["].into_iter().any(|separator| {
            let inside = format!("{}{separator}", call.instance);
            self.references.range(inside.clone()..).next().is_some_and(|name| name.starts_with(&inside))
        });
        let effects = call.method.map(|method| &*self.effects.entry(method).or_insert_with(|| Effects::of(project, method)));
        let row = match effects {
            Some(effects) if !effects.is_unclear && !has_references => &mut self.modelled,
            Some(_) | None => &mut self.assumed,
        };
        row.insert((call.span, call.construct));
        let globals = effects.into_iter().flat_map(|effects| &effects.globals);
        self.variables.extend(globals.map(|global| project.globals[*global].name.clone()));
    }

    /// Adds a leaf whose initial value is the result of a call that is not computed.
    pub(crate) fn start_with_any(&mut self, leaf: &Leaf, call: Span) {
        self.variables.insert(leaf.name.clone());
        self.modelled.insert((call, VALUE));
    }

    /// Returns whether the value of a leaf is not known.
    pub(crate) fn holds(&self, leaf: &str) -> bool {
        self.leaves.contains(leaf) || self.is_free(leaf)
    }

    /// Returns whether a leaf is part of a variable that an uncertain call may write.
    fn is_free(&self, leaf: &str) -> bool {
        let ends = leaf.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| at);
        !self.variables.is_empty() && ends.chain([leaf.len()]).any(|end| self.variables.contains(&leaf[..end]))
    }

    /// Returns the names of all leaves that start with any value.
    ///
    /// Cost: one look-up for each leaf, and one for each part of the names of the variables around them.
    pub(crate) fn starts(&self, leaves: &[Leaf]) -> BTreeSet<String> {
        let mut starts = Vec::new();
        // Neighbours have the same variable around them.
        let mut around: Option<(&str, bool)> = None;
        for leaf in leaves {
            let name = &leaf.name[..leaf.name.rfind(['.', '[']).unwrap_or(0)];
            let is_free = match around {
                Some((before, is_free)) if before == name => is_free,
                Some(_) | None => !name.is_empty() && self.is_free(name),
            };
            around = Some((name, is_free));
            if !is_free && !self.variables.contains(&leaf.name) {
                continue;
            }
            match &leaf.view {
                Some(view) => starts.extend(view.parts.iter().map(|part| leaves[part.of].name.clone())),
                None => starts.push(leaf.name.clone()),
            }
        }
        starts.into_iter().collect()
    }
}

/// Returns whether a method may write more than its own instance.
pub(crate) fn writes_outside(project: &Project, method: PouId) -> bool {
    let effects = Effects::of(project, method);
    effects.is_unclear || !effects.globals.is_empty()
}

/// Writes of a method and of all that it calls, besides those of its own instance.
#[derive(Default)]
struct Effects {
    seen: BTreeSet<PouId>,
    to_see: Vec<PouId>,
    globals: BTreeSet<GlobalId>,
    /// References and VAR_IN_OUT of the POU that is visited: what they lead to is not known.
    passed: BTreeSet<VarId>,
    is_unclear: bool,
}

impl Effects {
    fn of(project: &Project, method: PouId) -> Effects {
        let mut effects = Effects { to_see: vec![method], ..Effects::default() };
        while let Some(pou) = effects.to_see.pop() {
            if effects.seen.insert(pou) {
                let vars = project.pous[pou].vars.iter_enumerated();
                let passed = vars.filter(|(id, var)| var.section == Section::InOut && *id != Pou::THIS);
                effects.passed = passed.map(|(id, _)| id).collect();
                effects.is_unclear |= project.stubs.contains_key(&pou) || project.stub_heirs.contains_key(&pou);
                effects.body(&project.pous[pou].body);
            }
        }
        effects
    }
}

impl Visit<'_> for Effects {
    fn stmt(&mut self, stmt: &Stmt) {
        self.is_unclear |= matches!(stmt.kind, StmtKind::Gap(_));
        self.stmt_parts(stmt);
    }

    fn place(&mut self, place: &Place, access: Access) {
        if access != Access::Read {
            self.is_unclear |= place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
            if let Root::Global(global) = place.root {
                self.globals.insert(global);
            }
            self.is_unclear |= matches!(place.root, Root::Var(var) if self.passed.contains(&var));
        }
        self.place_parts(place);
    }

    fn call(&mut self, callee: PouId, args: &CallArgs) {
        self.to_see.push(callee);
        self.call_parts(args);
    }
}
