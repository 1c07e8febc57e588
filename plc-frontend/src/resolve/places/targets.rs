//! Targets of references: variables that exist once for the whole run.

use crate::hir::{Conversion, Elem, Expr, ExprKind, Place, PouId, PouKind, Project, Root, Section, Type, TypeId, Value};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Member, Names};
use crate::resolve::places::references::References;
use crate::resolve::resolver::Scope;
use crate::resolve::types::elementary;
use crate::text::source::Span;
use std::collections::BTreeMap;

/// Parts of the state that are looked at for instances.
const MAX_LOOKED_AT: usize = 200_000;

impl References {
    /// Returns a place as it is reached from anywhere; a gap if it is not one place for the whole run.
    pub(crate) fn fixed(&self, names: &Names, project: &Project, scope: Scope, place: &Place) -> Res<Place> {
        let not_one = |why: &str| {
            let effect = "what it refers to is not known before the program runs: nothing after this statement is verified";
            unsupported(place.span, format!("reference to {why}"), effect)
        };
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
                    return Err(not_one("a variable of a block with several instances, or none"));
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
    fn persists_in(&self, pou: PouId, var: crate::hir::VarId) -> bool {
        let is_function = matches!(self.pous[pou].kind, PouKind::Function(_));
        match self.pous[pou].vars[var].section {
            Section::Input | Section::Output | Section::Local | Section::Global => !is_function,
            Section::InOut | Section::Temp | Section::Result => false,
        }
    }

    /// Returns whether a fixed place is, or lies in, a CONSTANT or a variable at an address.
    fn is_constant(&self, place: &Place) -> bool {
        let mut path = place.path.iter();
        let mut ty = match place.root {
            Root::Global(id) if self.globals[id].constant => return true,
            Root::Global(id) => self.globals[id].ty,
            Root::Instance(id) => match path.next() {
                Some(Elem::Member(var)) => {
                    let row = &self.pous[self.instances[id].pou].vars[*var];
                    if row.constant {
                        return true;
                    }
                    row.ty
                }
                Some(_) | None => return false,
            },
            Root::Var(_) | Root::This(_) => return false,
        };
        for elem in path {
            ty = match (elem, &self.types[ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => fields[*k as usize].ty,
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    let row = &self.pous[*pou].vars[*var];
                    if row.constant {
                        return true;
                    }
                    row.ty
                }
                (Elem::Index(_), Type::Array { elem, .. }) => *elem,
                (_, _) => return false,
            };
        }
        false
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
                // Too large to know: no block has one home.
                return BTreeMap::new();
            }
            let step = |elem: Elem, ty: TypeId| {
                let mut path = at.path.clone();
                path.push(elem);
                Place { root: at.root, path, ty, span: Span::none() }
            };
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
                    // An array has several unless it has one element; two are as good as many.
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
        let mut path = place.path.iter();
        let (mut text, mut ty) = match place.root {
            Root::Global(id) => (self.globals[id].name.clone(), Some(self.globals[id].ty)),
            Root::Instance(id) => {
                let instance = &self.instances[id];
                match path.next() {
                    Some(Elem::Member(var)) => {
                        let row = &self.pous[instance.pou].vars[*var];
                        (format!("{}.{}", instance.name, row.name), Some(row.ty))
                    }
                    Some(_) | None => (instance.name.clone(), None),
                }
            }
            Root::Var(_) | Root::This(_) => (String::new(), None),
        };
        for elem in path {
            ty = match (elem, ty.map(|ty| &self.types[ty].ty)) {
                (Elem::Field(k), Some(Type::Struct { fields })) => fields.get(*k as usize).map(|f| {
                    text.push_str(&format!(".{}", f.name));
                    f.ty
                }),
                (Elem::Member(var), Some(Type::FunctionBlock(pou))) => self.pous[*pou].vars.get(*var).map(|row| {
                    text.push_str(&format!(".{}", row.name));
                    row.ty
                }),
                (Elem::Index(indices), Some(Type::Array { elem, .. })) => {
                    let all: Vec<String> = indices.iter().map(|e| literal_int(e).unwrap_or(0).to_string()).collect();
                    text.push_str(&format!("[{}]", all.join(", ")));
                    Some(*elem)
                }
                (_, _) => None,
            };
        }
        text
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
