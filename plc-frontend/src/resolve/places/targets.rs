//! Targets of references: variables that exist once for the whole run.

use crate::hir::{Conversion, Elem, Expr, ExprKind, Place, PouId, Project, Root, Type, TypeId, Value, Var, VarId};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Member, Names, Slot, VarRef};
use crate::resolve::places::reference_table::References;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::{Gap, Span};
use std::collections::BTreeMap;

/// Most parts of the state that are searched for instances.
const MAX_LOOKED_AT: usize = 200_000;

/// The variable of a place, or a part on its path.
struct PathPart<'p> {
    elem: Option<&'p Elem>,
    name: &'p str,
    constant: bool,
    ty: TypeId,
}

impl Place {
    /// Returns the value whose bits a place may be.
    fn without_bits(&self) -> Place {
        let mut place = self.clone();
        place.path.retain(|elem| !matches!(elem, Elem::Bits { .. }));
        place
    }
}

/// Target of a reference whose POU does not exist exactly once.
const WITHOUT_HOME: &str = "a variable of a block with several instances, or none";

impl PathPart<'_> {
    fn member(&self) -> Option<VarId> {
        if let Some(Elem::Member(var)) = self.elem { Some(*var) } else { None }
    }
}

impl Resolver<'_> {
    /// Notes that the initial value of a variable has to wait for the places of blocks, if that is why it is a gap.
    pub(crate) fn wait_for_homes(&mut self, var: VarRef, gap: &Gap) {
        let waits = !self.references.knows_homes && gap.construct.strip_prefix("reference to ") == Some(WITHOUT_HOME);
        self.vars.late.extend(waits.then_some(var));
    }

    /// Finds the places of blocks that exist once, and resolves the initial values that wait for them.
    pub(crate) fn find_homes(&mut self) {
        self.references.homes = self.project.find_homes();
        self.references.knows_homes = true;
        for var in std::mem::take(&mut self.vars.late) {
            // A pointer to bytes has another type by now.
            let ty = self.project.var(var).ty;
            if !matches!(self.vars.types.get(&var), Some(Slot::Done(typed)) if typed.ty == ty) {
                continue;
            }
            self.names.unusable.remove(&var);
            self.vars.inits.remove(&var);
            let _reported = self.var_init(var);
        }
    }
}

impl References {
    /// Returns a place as it is reached from any POU; a gap if it is not one place for the whole run.
    pub(crate) fn fixed(&self, names: &Names, project: &Project, scope: Scope, place: &Place) -> Res<Place> {
        let not_one = |why: &str| {
            let effect = "what it refers to is not known before the program runs: nothing after this statement is verified";
            unsupported(place.span, format!("reference to {why}"), effect)
        };
        if place.path.iter().any(|elem| matches!(elem, Elem::Index(_))) && project.path_parts(scope.owner, place).is_none() {
            return Err(not_one("an element of an array that is too large to be kept"));
        }
        let mut path = Vec::new();
        let mut rest = place.path.as_slice();
        let root = match place.root {
            Root::Global(_) | Root::Instance(_) => place.root,
            Root::Var(_) | Root::This(_) => {
                let Some(owner) = scope.owner else { return Err(Bad::Reported) };
                let block = names.block_of(owner);
                let is_member = block != owner;
                match (place.root, rest.split_first()) {
                    (Root::Var(Member::THIS), _) if is_member => {}
                    (Root::Var(var), _) if !is_member && project.persists_in(block, var) => path.push(Elem::Member(var)),
                    (Root::This(_), _) => {}
                    (Root::Var(_) | Root::Global(_) | Root::Instance(_), _) => {
                        return Err(not_one("a variable that does not outlive the call"));
                    }
                }
                let Some(home) = self.home_of(block) else {
                    return Err(not_one(WITHOUT_HOME));
                };
                let mut whole = home.path;
                whole.append(&mut path);
                path = whole;
                home.root
            }
        };
        while let Some((elem, after)) = rest.split_first() {
            rest = after;
            path.push(match elem {
                Elem::Field(_) | Elem::Member(_) => elem.clone(),
                Elem::Index(indices) => {
                    let fixed: Option<Vec<Expr>> = indices.iter().map(literal).collect();
                    match fixed {
                        Some(indices) => Elem::Index(indices),
                        None => return Err(not_one("an element with a variable index")),
                    }
                }
                Elem::Deref(_) => return Err(not_one("a part of what another reference refers to")),
                Elem::Bits { .. } => return Err(not_one("single bits")),
            });
        }
        let fixed = Place { root, path, ty: place.ty, span: Span::none() };
        if project.is_constant(&fixed) {
            return Err(not_one("a CONSTANT"));
        }
        Ok(fixed)
    }

    /// Returns the place of a block's only instance.
    fn home_of(&self, block: PouId) -> Option<Place> {
        self.homes.get(&block).filter(|home| home.0 == 1).map(|home| home.1.clone())
    }
}

impl Project {
    /// Returns whether a fixed place is, or lies in, a CONSTANT.
    fn is_constant(&self, place: &Place) -> bool {
        self.path_parts(None, place).is_some_and(|parts| parts.iter().any(|part| part.constant))
    }

    /// Returns the number of instances of each block, and the place of the first.
    #[expect(clippy::wildcard_enum_match_arm, reason = "scalars hold no instances")]
    pub(crate) fn find_homes(&self) -> BTreeMap<PouId, (usize, Place)> {
        let mut homes: BTreeMap<PouId, (usize, Place)> = BTreeMap::new();
        let place = |root, ty| Place::of(root, ty, Span::none());
        let mut waiting: Vec<Place> = self.globals.iter_enumerated().map(|(id, v)| place(Root::Global(id), v.ty)).collect();
        for (id, instance) in self.instances.iter_enumerated() {
            homes.insert(instance.pou, (1, place(Root::Instance(id), elementary::BOOL)));
            for (var, row) in self.pous[instance.pou].vars.iter_enumerated() {
                if self.persists_in(instance.pou, var) {
                    waiting.push(Place { path: vec![Elem::Member(var)], ..place(Root::Instance(id), row.ty) });
                }
            }
        }
        let mut looked_at = 0;
        while let Some(at) = waiting.pop() {
            looked_at += 1;
            if MAX_LOOKED_AT < looked_at || 100 < at.path.len() {
                // The state is too large for the search: no block has a single place.
                return BTreeMap::new();
            }
            let step = |elem: Elem, ty: TypeId| at.part(elem, ty);
            match &self.types[at.ty].ty {
                Type::FunctionBlock(pou) => {
                    let home = homes.entry(*pou).or_insert_with(|| (0, at.clone()));
                    home.0 += 1;
                    for (var, row) in self.pous[*pou].vars.iter_enumerated() {
                        if self.persists_in(*pou, var) && self.holds_instance(row.ty) {
                            waiting.push(step(Elem::Member(var), row.ty));
                        }
                    }
                }
                Type::Struct { fields } => {
                    let parts = fields.iter().enumerate().filter(|(_, f)| self.holds_instance(f.ty));
                    waiting.extend(parts.map(|(k, f)| step(Elem::Field(k as u32), f.ty)));
                }
                Type::Array { dims, elem } if self.holds_instance(*elem) => {
                    // Only an array of one element has one instance; for others, two stand for all further ones.
                    let first = dims.iter().map(|(low, _)| int(i128::from(*low))).collect();
                    waiting.push(step(Elem::Index(first), *elem));
                    if dims.iter().any(|(low, high)| low != high) {
                        let last = dims.iter().map(|(_, high)| int(i128::from(*high))).collect();
                        waiting.push(step(Elem::Index(last), *elem));
                    }
                }
                _ => {}
            }
        }
        homes
    }

    /// Returns the canonical name of a fixed place.
    pub(crate) fn canonical_name(&self, place: &Place) -> String {
        let mut text = if let Root::Instance(id) = place.root { self.instances[id].name.clone() } else { String::new() };
        for part in self.path_parts(None, place).unwrap_or_default() {
            if let Some(Elem::Index(indices)) = part.elem {
                let all: Vec<String> = indices.iter().map(|e| literal_int(e).unwrap_or(0).to_string()).collect();
                text.push_str(&format!("[{}]", all.join(", ")));
            } else {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(part.name);
            }
        }
        text
    }

    /// Returns the type of a place in a scope.
    pub(crate) fn type_of(&self, scope: Scope, place: &Place) -> Option<TypeId> {
        self.path_parts(scope.owner, place)?.last().map(|part| part.ty)
    }

    /// Returns the variables of instances that a place names on its path, with their blocks. Some places have types that cannot
    /// be followed: then all variables of this number.
    pub(crate) fn members_on(&self, owner: Option<PouId>, place: &Place) -> Vec<(PouId, VarId)> {
        let place = &place.without_bits();
        let Some(parts) = self.path_parts(owner, place) else {
            let members = place.path.iter().filter_map(|elem| if let Elem::Member(var) = elem { Some(*var) } else { None });
            return members.flat_map(|var| self.pous.ids().map(move |pou| (pou, var))).collect();
        };
        let pairs = parts.iter().zip(parts.iter().skip(1));
        pairs.filter_map(|(outer, part)| Some((self.block_of(outer.ty)?, part.member()?))).collect()
    }

    /// Returns the types of a place and of the parts on its path. If the path cannot be followed: all types of references.
    pub(crate) fn types_on(&self, owner: Option<PouId>, place: &Place) -> Vec<TypeId> {
        let place = &place.without_bits();
        match self.path_parts(owner, place) {
            Some(parts) => parts.iter().map(|part| part.ty).collect(),
            None => self.references.keys().copied().chain([place.ty]).collect(),
        }
    }

    /// Returns the variable of a place and the parts on its path; `owner` has the local variables.
    fn path_parts<'p>(&'p self, owner: Option<PouId>, place: &'p Place) -> Option<Vec<PathPart<'p>>> {
        let of_var = |elem, var: &'p Var| PathPart { elem, name: &var.name, constant: var.constant, ty: var.ty };
        let mut path = place.path.iter();
        let first = match place.root {
            Root::Var(var) => of_var(None, &self.pous[owner?].vars[var]),
            Root::Global(id) => of_var(None, &self.globals[id]),
            Root::This(ty) => PathPart { elem: None, name: "", constant: false, ty },
            Root::Instance(id) => {
                let elem = path.next()?;
                let Elem::Member(var) = elem else { return None };
                of_var(Some(elem), &self.pous[self.instances[id].pou].vars[*var])
            }
        };
        let mut parts = vec![first];
        for elem in path {
            let of = |name, ty| PathPart { elem: Some(elem), name, constant: false, ty };
            parts.push(match (elem, &self.types[parts.last()?.ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => of(&fields.get(*k as usize)?.name, fields.get(*k as usize)?.ty),
                (Elem::Member(var), Type::FunctionBlock(pou)) => of_var(Some(elem), self.pous[*pou].vars.get(*var)?),
                (Elem::Index(_), Type::Array { elem, .. }) => of("", *elem),
                (Elem::Deref(view), _) => of("", *view),
                (_, _) => return None,
            });
        }
        Some(parts)
    }
}

fn int(value: i128) -> Expr {
    Expr::literal(Value::Int(value), elementary::LINT, Span::none())
}

fn literal_int(e: &Expr) -> Option<i128> {
    let mut e = e;
    while let ExprKind::Convert(Conversion::Widen, inner) = &e.kind {
        e = inner;
    }
    if let ExprKind::Literal(Value::Int(value)) = &e.kind { Some(*value) } else { None }
}

fn literal(e: &Expr) -> Option<Expr> {
    literal_int(e).map(int)
}
