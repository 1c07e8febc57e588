//! Assignments that stand for one call of a stub: each variable that it may write gets any value.

use crate::hir::at_call::SUFFIX;
use crate::hir::{
    Address, AddressArea, AddressSize, BinOp, Elem, Expr, ExprKind, GlobalId, Parts, Place, PouId, PouKind, Project, Root,
    Section, Stmt, StmtKind, Type, TypeId, Var, VarId, expr_in_pou_to_st, index_text, indices, n_elements,
};
use crate::resolve::names::tables::{Local, Member, Names, RefKind};
use crate::resolve::types::elementary;
use crate::text::{GapId, Span};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Most variables that one call gives values, each a scalar, a string, or a structure without instances.
const MOST_WRITTEN: usize = 1_000;

/// Parts of the state that bodies of other POUs than stubs name.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Variables of blocks: by a path, or for an output (`=>`).
    pub(crate) variables: BTreeSet<(PouId, VarId)>,
    /// Types of places and of the parts on their paths.
    pub(crate) types: BTreeSet<TypeId>,
    /// Names of inputs that calls of stubs have.
    taken: RefCell<Taken>,
}

/// Names among the global variables, without [`SUFFIX`].
#[derive(Debug, Default)]
struct Taken {
    /// Global variables that are looked at.
    n_seen: usize,
    names: BTreeSet<String>,
}

impl Taken {
    /// Returns whether an input of a call has a name. Cost: each global variable is looked at once.
    fn has(&mut self, project: &Project, name: &str) -> bool {
        let fresh = project.globals.iter().skip(self.n_seen).filter_map(|var| var.name.strip_suffix(SUFFIX));
        self.names.extend(fresh.map(str::to_owned));
        self.n_seen = project.globals.len();
        self.names.contains(name)
    }
}

/// The assignments of one call of a stub.
pub(crate) struct Writes<'r> {
    project: &'r mut Project,
    names: &'r Names,
    /// POU whose body they are.
    pou: PouId,
    gap: GapId,
    span: Span,
    pub(crate) body: Vec<Stmt>,
    n_written: usize,
    named: &'r Named,
    /// References may keep their value where they are: no code names the variable around them.
    keeps_references: bool,
}

/// Reason why the variables that a call writes are not known.
pub(crate) type Unlisted = &'static str;

impl<'r> Writes<'r> {
    pub(crate) fn new(project: &'r mut Project, names: &'r Names, named: &'r Named, pou: PouId, gap: GapId) -> Self {
        let span = project.pous[pou].span;
        Writes { project, names, pou, gap, span, body: Vec::new(), n_written: 0, named, keeps_references: false }
    }

    /// Returns the same for a statement of the POU.
    pub(crate) fn at(self, span: Span) -> Self {
        Writes { span, ..self }
    }

    /// Returns the name of a place of the POU, for its input.
    pub(crate) fn name_of(&self, place: &Place) -> String {
        let text = expr_in_pou_to_st(self.project, Some(self.pou), &Expr::read(place.clone()));
        match (place.root, self.names.members.get(&self.pou)) {
            (Root::Var(Member::THIS), Some(member)) => {
                let block = &self.project.pous[member.block].name;
                let part = text.strip_prefix("THIS").unwrap_or(&text).trim_start_matches('^');
                format!("{block}{part}")
            }
            (Root::Var(_), _) => format!("{}.{text}", self.project.pous[self.pou].name),
            (Root::Global(_) | Root::This(_) | Root::Instance(_), _) => text,
        }
    }

    /// Writes everything that a call of the POU may write.
    pub(crate) fn call(&mut self) -> Result<(), Unlisted> {
        let row = self.project.pous[self.pou].clone();
        let is_function = matches!(row.kind, PouKind::Function(_));
        let member = self.names.members.get(&self.pou);
        if member.is_some_and(|member| !member.lent.is_empty()) {
            return Err("a method of a block with VAR_IN_OUT, whose variables it may write");
        }
        // The reference that leads to an unknown block keeps its value.
        let n_kept = usize::from(self.names.dispatchers.contains(&self.pou));
        for (id, var) in row.vars.iter_enumerated().skip(n_kept) {
            let place = Place::of(Root::Var(id), var.ty, self.span);
            let name = if var.section == Section::Result { row.name.clone() } else { format!("{}.{}", row.name, var.name) };
            match var.section {
                Section::InOut if member.is_some() && id == Member::THIS => self.instance(&place, row.name.clone())?,
                Section::Input => {
                    self.behind(&place, &name)?;
                    if !is_function && !self.holds_reference(var.ty) {
                        self.all_of(place, name)?;
                    }
                }
                Section::Local if is_function => {}
                Section::Output | Section::Local if !is_function => self.variable_of(self.pou, id, place, name)?,
                Section::InOut | Section::Output | Section::Result | Section::Local => self.all_of(place, name)?,
                Section::Temp | Section::Global => {}
            }
        }
        for (global, var) in self.named_outside() {
            self.all_of(Place::of(Root::Global(global), var.ty, self.span), var.name)?;
        }
        Ok(())
    }

    /// Returns the variables outside of an instance that the interface names: VAR_STAT and VAR_EXTERNAL of the POU and of its block.
    fn named_outside(&self) -> BTreeMap<GlobalId, Var> {
        let definer = self.names.members.get(&self.pou).map(|member| member.definer);
        let scopes = std::iter::once(self.pou).chain(definer).filter_map(|pou| self.names.locals.get(pou.0 as usize));
        let global = |local: &Local| if let Local::External(global) = local { Some(*global) } else { None };
        let globals = scopes.flat_map(|names| names.values().filter_map(global));
        let globals = globals.map(|global| (global, self.project.globals[global].clone()));
        globals.filter(|(_, var)| !var.constant).collect()
    }

    /// Writes a variable of an instance of a stub.
    ///
    /// Soundness: a reference that no code names keeps its value, because only the stub can follow it. Conditions cannot name it.
    fn variable_of(&mut self, block: PouId, id: VarId, place: Place, name: String) -> Result<(), Unlisted> {
        let outer = self.keeps_references;
        self.keeps_references = !self.named.variables.contains(&(block, id));
        let done = self.all_of(place, name);
        self.keeps_references = outer;
        done
    }

    /// Writes the variables of an instance of a stub, in a call of one of its methods.
    fn instance(&mut self, place: &Place, name: String) -> Result<(), Unlisted> {
        let Some(block) = self.project.block_of(place.ty) else { return Ok(()) };
        // Code of a stub has no name for the variables of a block that extends it.
        let vars = self.project.pous[block].vars.iter_enumerated().filter(|(_, var)| self.project.is_of_stub(block, var));
        let vars: Vec<(VarId, Var)> = vars.map(|(id, var)| (id, var.clone())).collect();
        for (id, var) in vars {
            let part = place.part(Elem::Member(id), var.ty);
            let name = format!("{name}.{}", var.name);
            match var.section {
                Section::Input => {
                    self.behind(&part, &name)?;
                    if !self.holds_reference(var.ty) {
                        self.all_of(part, name)?;
                    }
                }
                Section::Output | Section::Local => self.variable_of(block, id, part, name)?,
                Section::InOut | Section::Temp | Section::Result | Section::Global => {}
            }
        }
        Ok(())
    }

    /// Gives a place and all of its parts any value.
    pub(crate) fn all_of(&mut self, place: Place, name: String) -> Result<(), Unlisted> {
        self.n_written += 1;
        if MOST_WRITTEN < self.n_written {
            return Err("which writes more variables than can be listed");
        }
        if self.is_constant(&place) {
            return Ok(());
        }
        if self.is_plain(place.ty) {
            let value = self.any_value(place.ty, name);
            self.body.push(Stmt::assign(place, value, self.span));
            return Ok(());
        }
        let ty = self.project.types[place.ty].ty.clone();
        match ty.parts() {
            Parts::Elements(dims, elem) => {
                for flat in 0..n_elements(dims).min(MOST_WRITTEN + 1) {
                    let at = indices(dims, flat as i64);
                    let literals = at.into_iter().map(|i| Expr::int(i128::from(i), elementary::LINT, self.span)).collect();
                    let name = format!("{name}[{}]", index_text(dims, flat as i64));
                    self.all_of(place.part(Elem::Index(literals), elem), name)?;
                }
                Ok(())
            }
            Parts::Fields(fields) => {
                if self.project.type_views.contains_key(&place.ty) {
                    return Err("which gets a UNION with parts that are no plain values");
                }
                for (i, field) in fields.iter().enumerate() {
                    self.all_of(place.part(Elem::Field(i as u32), field.ty), format!("{name}.{}", field.name))?;
                }
                Ok(())
            }
            Parts::Variables(block) if self.project.stubs.contains_key(&block) => self.instance(&place, name),
            Parts::Variables(_) => Err("which gets an instance of a block whose code it may run"),
            // Nothing but stubs sees this value.
            Parts::Scalar if self.is_reference(place.ty) && (self.keeps_references || !self.named.types.contains(&place.ty)) => {
                Ok(())
            }
            Parts::Scalar if self.is_reference(place.ty) => Err("which gives a reference a target"),
            // Each use of such a value is a gap of its own.
            Parts::Scalar => Ok(()),
        }
    }

    /// Writes the variable behind an argument that is a reference.
    fn behind(&mut self, place: &Place, name: &str) -> Result<(), Unlisted> {
        if !self.holds_reference(place.ty) {
            return match self.project.holds_instance(place.ty) {
                true => Err("which gets an instance of a block whose code it may run"),
                false => Ok(()),
            };
        }
        let reference = self.names.references.get(&place.ty).copied().ok_or("which gets a reference inside of another value")?;
        let Some(pointee) = reference.pointee.filter(|_| reference.kind != RefKind::Interface) else {
            return Err("which gets a reference to an interface and may call its methods");
        };
        let targets = self.project.references.get(&place.ty).map_or(&[][..], Vec::as_slice);
        // An address of a part is where a longer block of memory begins.
        let is_part = targets.iter().any(|target| matches!(target.place.path.last(), Some(Elem::Index(_) | Elem::Field(_))));
        if is_part {
            return Err("which gets the address of a part of a variable");
        }
        let before = std::mem::take(&mut self.body);
        let done = self.all_of(place.part(Elem::Deref(pointee), pointee), format!("{name}^"));
        let inside = std::mem::replace(&mut self.body, before);
        done?;
        let null = Expr::int(0, place.ty, self.span);
        let refers = Expr::binary(BinOp::Ne, Expr::read(place.clone()), null, elementary::BOOL, self.span);
        let kind = StmtKind::If { branches: vec![(refers, inside)], otherwise: Vec::new() };
        self.body.push(Stmt { kind, span: self.span });
        Ok(())
    }

    /// Returns any value of a type, from an input of its own.
    fn any_value(&mut self, ty: TypeId, name: String) -> Expr {
        let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
        // The two halves of a property have one name.
        let name = match self.named.taken.borrow_mut().has(self.project, &name) {
            true => format!("{name} {}{SUFFIX}", self.project.globals.len()),
            false => format!("{name}{SUFFIX}"),
        };
        let global = self.project.globals.push(Var { address, ..Var::new(name, ty, Section::Global, self.span) });
        self.project.at_call.insert(global);
        let read = Expr::read(Place::of(Root::Global(global), ty, self.span));
        Expr::new(ExprKind::Arbitrary { gap: self.gap, concrete: Some(Box::new(read)) }, ty, self.span)
    }

    /// Returns whether a place is a variable of this POU or of an instance that is CONSTANT or a stopwatch.
    fn is_constant(&self, place: &Place) -> bool {
        let Root::Var(var) = place.root else { return false };
        let own = &self.project.pous[self.pou].vars[var];
        let mut ty = own.ty;
        let mut found = own.constant;
        for elem in &place.path {
            let row = match (elem, &self.project.types[ty].ty) {
                (Elem::Member(id), Type::FunctionBlock(block)) => &self.project.pous[*block].vars[*id],
                (Elem::Field(field), Type::Struct { fields }) => {
                    ty = fields[*field as usize].ty;
                    continue;
                }
                (Elem::Index(_), Type::Array { elem, .. }) => {
                    ty = *elem;
                    continue;
                }
                (Elem::Deref(pointee), _) => {
                    ty = *pointee;
                    continue;
                }
                (_, _) => continue,
            };
            found |= row.constant || row.stopwatch;
            ty = row.ty;
        }
        found
    }

    fn is_plain(&self, ty: TypeId) -> bool {
        !self.project.holds_instance(ty) && !self.project.holds_opaque(ty) && !self.holds_reference(ty)
    }

    fn is_reference(&self, ty: TypeId) -> bool {
        self.names.references.contains_key(&ty)
    }

    fn holds_reference(&self, ty: TypeId) -> bool {
        self.project.types_inside(ty).any(|ty| self.is_reference(ty))
    }
}
