//! Pointers that can be analysed, in groups, with their targets.

use super::{BytePointer, Group, Row};
use crate::ast::walk::{self, Node};
use crate::ast::{self, Arg, Body};
use crate::hir::{Elem, ExprKind, Field, Init, Place, PouId, PouKind, Project, Root, Section, Type, TypeDef, TypeId, VarId};
use crate::hir::{Expr, expr_in_pou_to_st};
use crate::resolve::names::tables::{Key, Local, RefKind, RefType, Slot, Typed, VarRef, key};
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::elementary;
use crate::text::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes of a string: each assignment of it makes as many of its bytes unknown.
const MAX_TEXT: usize = 1_024;
/// Most bytes of an array.
const MAX_ARRAY: i64 = 4_096;
/// Most pointers of a POU.
const MAX_POINTERS: usize = 32;

/// Pointers of one group before their types are known, and the variables whose addresses they get.
#[derive(Default)]
struct Joined<'a> {
    pointers: BTreeSet<Key>,
    targets: Vec<&'a ast::Expr>,
}

impl<'a> Resolver<'a> {
    /// Finds the pointers of all POUs and gives them their types, before any body is resolved.
    pub(crate) fn find_byte_pointers(&mut self, units: &[ast::Unit]) {
        let mut pous = self.project.pous.ids();
        for item in declaration_order::all(units) {
            if let ast::Item::Pou(pou) = item {
                let Some(id) = pous.next() else { return };
                self.find_in(id, pou);
            }
        }
    }

    fn find_in(&mut self, id: PouId, pou: &ast::Pou) {
        let Body::Statements(body) = &pou.body else { return };
        let has_members = !pou.methods.is_empty() || !pou.properties.is_empty() || !pou.actions.is_empty();
        let candidates = if has_members || pou.extends.is_some() { BTreeMap::new() } else { self.candidates(id, pou) };
        if candidates.is_empty() || self.is_open(id) || self.has_heirs(id) || self.project.local_views.contains_key(&id) {
            return;
        }
        let scope = Scope { owner: Some(id), uses: Uses::Code };
        for joined in joined(body, &candidates) {
            let vars: Vec<(VarId, BytePointer)> =
                joined.pointers.iter().filter_map(|name| candidates.get(name).cloned()).collect();
            let is_temporary = vars.iter().all(|(var, _)| self.project.pous[id].vars[*var].section == Section::Temp);
            let mut rows: Vec<Row> = Vec::new();
            for target in joined.targets {
                let place = self.attempt(|r| r.target(scope, target));
                if let Some(row) = place.and_then(|place| self.project.row(id, place, is_temporary))
                    && !rows.iter().any(|known| known.place.root == row.place.root && known.place.path == row.place.path)
                {
                    rows.push(row);
                }
            }
            if rows.is_empty() {
                continue;
            }
            let group = self.declare_group(id, rows);
            for (var, pointer) in vars {
                let ty = self.bodies.byte_pointers.groups[group].ty;
                self.project.pous[id].vars[var].ty = ty;
                self.vars.types.insert(VarRef::Local(id, var), Slot::Done(Typed { ty, init: Init::Default }));
                self.bodies.byte_pointers.pointers.insert((id, var), BytePointer { group, ..pointer });
            }
            self.project.byte_writers.extend(writes_behind(body, &candidates).then_some(id));
        }
    }

    /// Returns the pointers of a POU by their names; groups are not known yet.
    fn candidates(&self, id: PouId, pou: &ast::Pou) -> BTreeMap<Key, (VarId, BytePointer)> {
        let is_own = |block: &&ast::VarBlock| !block.constant && matches!(block.section, ast::Section::Var | ast::Section::Temp);
        let mut found = BTreeMap::new();
        for var in pou.vars.iter().filter(is_own).flat_map(|block| &block.vars) {
            if var.init.is_some() || var.address.is_some() || MAX_POINTERS <= found.len() {
                continue;
            }
            let name = key(&var.name.text);
            let Some(&Local::Var(at)) = self.names.locals[id.0 as usize].get(&name) else { continue };
            let ty = self.project.pous[id].vars[at].ty;
            let Some(RefType { kind: RefKind::Pointer, pointee: Some(pointee), .. }) = self.names.references.get(&ty) else {
                continue;
            };
            let Some((view, bounds)) = self.project.bytes_behind(*pointee) else { continue };
            found.insert(name, (at, BytePointer { group: 0, view, bounds }));
        }
        found
    }

    fn has_heirs(&self, id: PouId) -> bool {
        self.project.pous.ids().any(|other| other != id && self.names.chain(other).contains(&id))
    }

    /// Declares the types of a group; returns its position.
    fn declare_group(&mut self, owner: PouId, rows: Vec<Row>) -> usize {
        let mut variants = vec![("NULL".to_owned(), 0)];
        for (i, row) in rows.iter().enumerate() {
            variants.push((expr_in_pou_to_st(&self.project, Some(owner), &Expr::read(row.place.clone())), i as i128 + 1));
        }
        let span = self.project.pous[owner].span;
        let ty = Type::Enum { base: elementary::UINT, variants };
        let number = self.project.types.push(TypeDef { name: None, ty, span });
        // Nothing is followed by this number alone: to do so is the fault of a reference to nothing.
        self.project.references.insert(number, Vec::new());
        let field = |name: &str, ty: TypeId| Field { name: name.to_owned(), ty, init: Init::Default, address: None };
        let fields = vec![field("target", number), field("offset", elementary::LWORD)];
        let name = Some(format!("pointer of {}", self.project.pous[owner].name));
        let ty = self.project.types.push(TypeDef { name, ty: Type::Struct { fields }, span });
        self.types.set_size(ty, 2);
        self.bodies.byte_pointers.groups.push(Group { owner, ty, number, rows });
        self.bodies.byte_pointers.groups.len() - 1
    }
}

impl Project {
    /// Returns the type of the bytes that a pointer is declared to point to, and the bounds of their array.
    fn bytes_behind(&self, pointee: TypeId) -> Option<(TypeId, Option<(i64, i64)>)> {
        if let (Type::Array { dims, elem }, None) = (&self.types[pointee].ty, self.text(pointee)) {
            let [dim] = dims.as_slice() else { return None };
            return self.is_byte(*elem).then_some((*elem, Some(*dim)));
        }
        self.is_byte(pointee).then_some((pointee, None))
    }

    /// Returns a place as a target; `None` unless it is the same bytes as long as the pointers exist.
    fn row(&self, owner: PouId, place: Place, is_temporary: bool) -> Option<Row> {
        let Root::Var(var) = place.root else { return None };
        let row = &self.pous[owner].vars[var];
        let is_function = matches!(self.pous[owner].kind, PouKind::Function(_));
        let lives = match row.section {
            Section::Local | Section::Input | Section::Output => true,
            Section::Temp => is_function || is_temporary,
            // The next call of a block may have another argument.
            Section::InOut | Section::Result => is_function,
            Section::Global => false,
        };
        let is_shared = !is_function || row.section == Section::InOut;
        let is_fixed = |elem: &Elem| match elem {
            Elem::Field(_) => true,
            Elem::Index(indices) => indices.iter().all(|index| matches!(index.kind, ExprKind::Literal(_))),
            Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => false,
        };
        if !lives || row.constant || row.address.is_some() || !place.path.iter().all(is_fixed) {
            return None;
        }
        if self.types_inside(row.ty).any(|ty| self.type_views.contains_key(&ty)) {
            return None;
        }
        let place = Place { span: Span::none(), ..place };
        if let Some(text) = self.text(place.ty) {
            let is_short = text.bits == 8 && text.length <= MAX_TEXT;
            return is_short.then_some(Row {
                low: 1,
                n: text.length as i64,
                cell: text.character,
                is_text: true,
                is_shared,
                place,
            });
        }
        let Type::Array { dims, elem } = &self.types[place.ty].ty else { return None };
        let [(low, high)] = dims.as_slice() else { return None };
        let n = high - low + 1;
        (self.is_byte(*elem) && n <= MAX_ARRAY).then_some(Row { low: *low, n, cell: *elem, is_text: false, is_shared, place })
    }
}

/// Returns the groups: pointers that an assignment or a comparison names together.
fn joined<'a>(body: &'a [ast::Stmt], candidates: &BTreeMap<Key, (VarId, BytePointer)>) -> Vec<Joined<'a>> {
    let mut groups: Vec<Joined<'a>> = Vec::new();
    let mut add = |exprs: &[&'a ast::Expr]| {
        let mut found = Joined::default();
        exprs.iter().for_each(|e| walk::expr(e, &mut |node| found.see(node, candidates)));
        if found.pointers.is_empty() {
            return;
        }
        let (joined, apart) =
            std::mem::take(&mut groups).into_iter().partition(|g: &Joined<'a>| !g.pointers.is_disjoint(&found.pointers));
        groups = apart;
        // Targets keep the order of the text.
        let mut all = Joined::default();
        for group in Vec::from_iter(joined).into_iter().chain([found]) {
            all.pointers.extend(group.pointers);
            all.targets.extend(group.targets);
        }
        groups.push(all);
    };
    walk::stmts(body, &mut |node| match node {
        Node::Stmt(ast::Stmt { kind: ast::StmtKind::Assign(target, value), .. }) if plain(target, candidates) => {
            add(&[target, value])
        }
        Node::Expr(ast::Expr { kind: ast::ExprKind::Binary(op, left, right), .. }) if op.is_comparison() => add(&[left, right]),
        Node::Stmt(_) | Node::Expr(_) | Node::Name(_) | Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) => {}
    });
    groups
}

/// Returns whether an assignment writes behind one of the pointers.
fn writes_behind(body: &[ast::Stmt], candidates: &BTreeMap<Key, (VarId, BytePointer)>) -> bool {
    let mut writes = false;
    walk::stmts(body, &mut |node| {
        if let Node::Stmt(ast::Stmt { kind: ast::StmtKind::Assign(target, _), .. }) = node
            && let ast::ExprKind::Name(name) = &target.kind
        {
            writes |= !name.path.is_empty() && candidates.contains_key(&key(&name.root.text));
        }
    });
    writes
}

impl<'a> Joined<'a> {
    fn see(&mut self, node: Node<'a>, candidates: &BTreeMap<Key, (VarId, BytePointer)>) {
        match node {
            Node::Name(name) if name.path.is_empty() && candidates.contains_key(&key(&name.root.text)) => {
                self.pointers.insert(key(&name.root.text));
            }
            Node::Expr(e) => self.targets.extend(address_of(e)),
            Node::Name(_) | Node::Stmt(_) | Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) => {}
        }
    }
}

/// Returns the variable in `ADR(variable)`.
pub(super) fn address_of(e: &ast::Expr) -> Option<&ast::Expr> {
    if let ast::ExprKind::Call(name, args) = &e.kind
        && name.path.is_empty()
        && name.root.text.eq_ignore_ascii_case("ADR")
        && let [Arg::Positional(e)] = args.as_slice()
    {
        return Some(e);
    }
    None
}

fn plain(e: &ast::Expr, candidates: &BTreeMap<Key, (VarId, BytePointer)>) -> bool {
    matches!(&e.kind, ast::ExprKind::Name(name) if name.path.is_empty() && candidates.contains_key(&key(&name.root.text)))
}
