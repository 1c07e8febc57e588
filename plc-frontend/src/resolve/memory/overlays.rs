//! Variables that share the memory of another one: `bits AT w : ARRAY [0..15] OF BOOL` of SCL, and UNION.
//!
//! One of the variables keeps the memory: a bit of the others is one of its bits. It must keep bits, so a REAL never does.

use crate::ast;
use crate::dialect::{ByteOrder, Dialect, Packing};
use crate::hir::{Field, LocalView, Part, PouId, PouKind, Project, Section, Type, TypeId, VarId, View};
use crate::resolve::findings::{Bad, Findings, Res};
use crate::resolve::memory::layout::LaidScalar;
use crate::resolve::names::tables::{Local, Typed, Unusable, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::types::specs::{SpecSite, plain};
use crate::text::{Span, codes};
use std::collections::BTreeMap;

/// Position of a variable, position of its scalar, and the view of that scalar.
type PlacedView = (usize, usize, View<usize>);

/// Most variables that are tried as the one that keeps the memory.
const MAX_TRIED: usize = 16;

/// The scalars of one variable.
struct Whole {
    id: VarId,
    laid: Vec<LaidScalar>,
}

impl Resolver<'_> {
    /// Gives variables that are declared at others their memory.
    pub(crate) fn overlay(&mut self, pou: PouId) {
        let Some(rows) = self.decls.overlays.get(&pou).cloned() else { return };
        let mut groups: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
        let mut base_of: BTreeMap<VarId, VarId> = BTreeMap::new();
        for (view, base) in rows {
            match self.names.locals[pou.0 as usize].get(&key(&base.text)) {
                Some(&Local::Var(id)) if id < view => {
                    // A variable declared at an overlay begins at that overlay's base.
                    let root = base_of.get(&id).copied().unwrap_or(id);
                    base_of.insert(view, root);
                    groups.entry(root).or_default().push(view);
                }
                Some(_) | None => {
                    let message = format!("`{}` is no variable that is declared above in the same block", base.text);
                    self.findings.error(codes::UNKNOWN_NAME, base.span, message, "not declared before");
                    self.names.unusable.insert(VarRef::Local(pou, view), Unusable::Broken);
                }
            }
        }
        for (base, views) in groups {
            match self.overlaid(pou, base, &views) {
                Ok(rows) => self.project.local_views.entry(pou).or_default().extend(rows),
                Err(why) => {
                    for view in views {
                        let vars = &self.project.pous[pou].vars;
                        let construct = format!("`{}` at the memory of `{}`", vars[view].name, vars[base].name);
                        let effect = format!("not modelled, because {why}: nothing after a statement that uses it is verified");
                        self.names.unusable.entry(VarRef::Local(pou, view)).or_insert(Unusable::Gap { construct, effect });
                    }
                }
            }
        }
    }

    /// Returns the views of the scalars of a variable and of those declared at it.
    fn overlaid(&mut self, pou: PouId, base: VarId, views: &[VarId]) -> Result<Vec<LocalView>, String> {
        let section = self.project.pous[pou].vars[base].section;
        let is_function = matches!(self.project.pous[pou].kind, PouKind::Function(_));
        if matches!(section, Section::InOut | Section::Result | Section::Global) {
            return Err("the variable is somewhere else at each call".to_owned());
        }
        let mut wholes = Vec::new();
        for &id in [base].iter().chain(views) {
            let var = &self.project.pous[pou].vars[id];
            if var.constant || var.stopwatch || var.address.is_some() || self.names.edges.contains_key(&(pou, id)) {
                return Err(format!("`{}` is no ordinary variable", var.name));
            }
            if self.names.unusable.contains_key(&VarRef::Local(pou, id)) {
                return Err(format!("`{}` is not modelled", var.name));
            }
            let has_init = self.decls.vars.get(&VarRef::Local(pou, id)).is_some_and(|site| site.init.is_some());
            if has_init && id != base {
                return Err(format!("`{}` has an initial value of its own", var.name));
            }
            let laid = self.layout(var.ty, &var.init, None).map_err(|why| format!("of `{}`: {why}", var.name))?.0;
            wholes.push(Whole { id, laid });
        }
        let size = extent(&wholes[0].laid);
        if let Some(large) = wholes.iter().find(|whole| size < extent(&whole.laid)) {
            return Err(format!("`{}` is larger", self.project.pous[pou].vars[large.id].name));
        }
        // The argument of a function's input is stored in the first variable: the others begin with it.
        let fixed = is_function && section == Section::Input || wholes[0].laid.iter().any(|laid| laid.initial_bits() != 0);
        let order = self.dialect.memory.order;
        let laid: Vec<&[LaidScalar]> = wholes.iter().map(|whole| whole.laid.as_slice()).collect();
        let candidates = 0..if fixed { 1 } else { wholes.len() };
        let (root, made) = self.project.root_of(&laid, candidates, order)?;
        let root = wholes[root].id;
        let rows = made.into_iter().map(|(whole, at, view)| Some(((wholes[whole].id, at), view.map(|of| Some((root, *of)))?)));
        let rows: Vec<LocalView> = rows.flatten().collect();
        // They are no parameters: the argument of the call is in the first one.
        let own = if section == Section::Temp { Section::Temp } else { Section::Local };
        let vars = &mut self.project.pous[pou].vars;
        views.iter().for_each(|view| vars[*view].section = if *view == root { section } else { own });
        Ok(rows)
    }

    /// Resolves `UNION … END_UNION`: a structure whose fields are views of one of them.
    pub(crate) fn union(&mut self, at: SpecSite<'_>, members: &[ast::VarDecl]) -> Res<Typed> {
        let mut ty = self.structure(at, members)?.ty;
        let span = at.span;
        let Type::Struct { fields } = self.project.types[ty].ty.clone() else { return Err(Bad::Reported) };
        let views = match self.union_views(&fields) {
            Ok(views) => views,
            Err(why) => return Ok(plain(self.types.anonymous(&mut self.project, Type::Opaque(format!("UNION ({why})")), span))),
        };
        if at.name.is_none() {
            // The structure with these fields is another type.
            let shape = format!("UNION {fields:?}");
            let size = self.types.size(ty);
            ty = self.types.of_form(&mut self.project, shape, Type::Struct { fields }, span);
            self.types.set_size(ty, size);
        }
        self.dialect.note_union(&self.project, &mut self.findings, ty, &views, span);
        self.project.type_views.insert(ty, views);
        Ok(plain(ty))
    }

    /// Returns the views of the members of a UNION: one of them keeps the memory.
    fn union_views(&self, members: &[Field]) -> Result<Vec<(usize, View<usize>)>, String> {
        let mut wholes = Vec::new();
        let mut first = 0;
        for member in members {
            let laid = self.layout(member.ty, &member.init, None)?.0;
            if laid.iter().any(|laid| laid.initial_bits() != 0) {
                return Err("a member has an initial value".to_owned());
            }
            let n = laid.len();
            wholes.push((first, laid));
            first += n;
        }
        let size = wholes.iter().map(|(_, laid)| extent(laid)).max().unwrap_or(0);
        // The candidate with the smallest parts comes first: a read of a part depends on nothing else.
        let mut candidates: Vec<usize> = (0..wholes.len()).filter(|i| extent(&wholes[*i].1) == size).collect();
        candidates.sort_by_key(|i| (usize::MAX - wholes[*i].1.len(), *i));
        let laid: Vec<&[LaidScalar]> = wholes.iter().map(|(_, laid)| laid.as_slice()).collect();
        let (root, made) = self.project.root_of(&laid, candidates.into_iter(), self.dialect.memory.order)?;
        let start = wholes[root].0;
        let views = made.into_iter().map(|(whole, at, view)| Some((wholes[whole].0 + at, view.map(|of| Some(start + of))?)));
        let mut views: Vec<(usize, View<usize>)> = views.flatten().collect();
        views.sort_by_key(|(at, _)| *at);
        Ok(views)
    }
}

impl Project {
    /// Returns the first candidate that keeps all bits of all others, and the views of these.
    fn root_of(
        &self,
        wholes: &[&[LaidScalar]],
        candidates: impl Iterator<Item = usize>,
        order: ByteOrder,
    ) -> Result<(usize, Vec<PlacedView>), String> {
        let mut why = "none of them keeps all the bits as bits".to_owned();
        'next: for root in candidates.filter(|i| wholes[*i].iter().all(|laid| laid.keeps_bits(self))).take(MAX_TRIED) {
            let mut all = Vec::new();
            for (i, laid) in wholes.iter().enumerate().filter(|(i, _)| *i != root) {
                match made_of(laid, wholes[root], order) {
                    Ok(made) => all.extend(made.into_iter().enumerate().map(|(at, view)| (i, at, view))),
                    Err(hole) => {
                        why = hole;
                        continue 'next;
                    }
                }
            }
            return Ok((root, all));
        }
        Err(why)
    }
}

impl Dialect {
    /// Notes the assumptions of answers about a UNION.
    fn note_union(&self, project: &Project, findings: &mut Findings, ty: TypeId, views: &[(usize, View<usize>)], span: Span) {
        let is_split = |(_, view): &(usize, View<usize>)| 1 < view.parts.len() || view.parts.iter().any(|part| part.low != 0);
        let of_order = !self.memory.order_is_sure && views.iter().any(is_split);
        let of_bool = self.memory.packing == Packing::Bytes && project.holds_bool(ty);
        let notes = [
            (of_order, "the lowest byte comes first in a UNION", "that the lowest byte comes first in memory"),
            (of_bool, "a BOOL in a UNION is TRUE unless its byte is 0", "that it is TRUE unless its byte is 0"),
        ];
        for (_, construct, effect) in notes.into_iter().filter(|note| note.0) {
            let effect = format!("{effect} is taken for granted");
            findings.record_assumed(span, construct, effect);
        }
    }
}

/// Returns the bit behind the last one that is used.
fn extent(laid: &[LaidScalar]) -> u64 {
    laid.iter().map(LaidScalar::end).max().unwrap_or(0)
}

/// Returns scalars as parts of other scalars, by the positions of these. Both lie in the same memory, one behind the other.
fn made_of(laid: &[LaidScalar], cells: &[LaidScalar], order: ByteOrder) -> Result<Vec<View<usize>>, String> {
    let mut made = Vec::with_capacity(laid.len());
    for scalar in laid {
        let first = cells.partition_point(|cell| cell.end() <= scalar.at);
        let mut pieces = Vec::new();
        let mut n_bits = 0;
        for (at, cell) in cells.iter().enumerate().skip(first).take_while(|(_, cell)| cell.at < scalar.end()) {
            let range = (cell.at.max(scalar.at), cell.end().min(scalar.end()));
            let width = range.1 - range.0;
            n_bits += width;
            pieces.push((range, Part { of: at, low: cell.value_bit(range, order) as u8, width: width as u8 }));
        }
        if n_bits != u64::from(scalar.bits) {
            return Err("parts of it lie where nothing is kept".to_owned());
        }
        made.push(scalar.view(&pieces, order));
    }
    Ok(made)
}
