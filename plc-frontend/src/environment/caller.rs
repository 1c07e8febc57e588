//! Parts of an entry that its caller reaches. An entry that is a block is an instance that other code calls.
//!
//! The caller may call public members of the entry at any time between two cycles. It may use instances inside of the entry that
//! inputs and outputs hold, or to which inputs, outputs and members refer: call their bodies and public members, and write their
//! inputs. The same is true for instances inside of those, and for variables to which arguments of methods of interfaces and of stubs
//! refer: code that is not here may keep them.
//!
//! Soundness: a part that the caller reaches in some program is among these. The converse need not hold. Calls and uses have no order
//! and no condition.

use std::collections::BTreeSet;

use super::accesses::block_of;
use super::summary::{Access, Base, Mode, Step, of_place};
use crate::hir::{Elem, InstanceId, Parts, Place, Pou, PouId, PouKind, Project, Root, Section, TypeId, VarId, Visit, walk};

/// Parts of one entry that its caller reaches.
#[derive(Clone, Debug)]
pub(crate) struct CallerAccess {
    /// Block of the entry.
    pub(crate) entry: PouId,
    /// Members of the entry, and bodies and members of instances inside, that the caller may call.
    pub(crate) calls: BTreeSet<PouId>,
    /// The entry, and blocks of instances inside that the caller reaches.
    pub(crate) blocks: BTreeSet<PouId>,
    /// Accesses of the variables of blocks.
    pub(super) uses: Vec<(PouId, Access)>,
}

impl CallerAccess {
    /// Returns the parts of each entry that is a block.
    pub(crate) fn of_entries(project: &Project) -> Vec<CallerAccess> {
        let is_block = |id: &InstanceId| project.pous[project.instances[*id].pou].kind == PouKind::FunctionBlock;
        project.task.runs.iter().filter(|id| is_block(id)).map(|id| Search::of(project, *id)).collect()
    }
}

/// Returns whether a member is the method that the system calls before the first cycle.
pub(super) fn is_fb_init(project: &Project, member: PouId) -> bool {
    project.pous[member].name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("FB_init"))
}

struct Search<'p> {
    project: &'p Project,
    instance: InstanceId,
    found: CallerAccess,
    /// Blocks whose parts are not looked at yet.
    waiting: Vec<PouId>,
    /// Types of references that the caller gets.
    references: BTreeSet<TypeId>,
}

impl<'p> Search<'p> {
    fn of(project: &'p Project, instance: InstanceId) -> CallerAccess {
        let entry = project.instances[instance].pou;
        let blocks = BTreeSet::from([entry]);
        let found = CallerAccess { entry, calls: BTreeSet::new(), blocks, uses: Vec::new() };
        let mut search = Search { project, instance, found, waiting: vec![entry], references: BTreeSet::new() };
        search.arguments();
        while let Some(block) = search.waiting.pop() {
            search.block(block);
        }
        search.found
    }

    /// Adds what references lead to that code which is not here may get: a method of an interface, or a POU without statements.
    fn arguments(&mut self) {
        let project = self.project;
        for (id, pou) in project.pous.iter_enumerated() {
            let is_hidden = pou.origin.is_ours() && pou.member_of.is_none();
            let target = pou.vars.iter().next().filter(|var| is_hidden && var.section == Section::Input);
            let is_dispatcher = target.is_some_and(|var| project.references.contains_key(&var.ty));
            if is_dispatcher || project.stubs.contains_key(&id) {
                let given = pou.vars.iter().skip(usize::from(is_dispatcher));
                given.filter(|var| matches!(var.section, Section::Input | Section::InOut)).for_each(|var| self.refer(var.ty));
            }
        }
    }

    /// Adds the parts of a block that its callers reach.
    fn block(&mut self, block: PouId) {
        let project = self.project;
        for (var, row) in project.pous[block].vars.iter_enumerated() {
            if matches!(row.section, Section::Input | Section::Output | Section::InOut) {
                let is_input = row.section == Section::Input && block == self.found.entry;
                let is_given = is_input && self.has_references(row.ty) && !is_set(project, block, var);
                self.show(block, Base::Own(Some(var)), Vec::new(), row.ty, !is_given);
            }
        }
        let members: Vec<PouId> = project.pous.ids().filter(|pou| block_of(project, *pou) == Some(block)).collect();
        for member in members {
            let row = &project.pous[member];
            if !row.is_public || is_fb_init(project, member) {
                continue;
            }
            self.found.calls.insert(member);
            for var in row.vars.iter().skip(1) {
                if matches!(var.section, Section::Output | Section::InOut | Section::Result) {
                    self.refer(var.ty);
                }
            }
        }
    }

    fn has_references(&self, ty: TypeId) -> bool {
        self.project.types_inside(ty).any(|ty| self.project.references.contains_key(&ty))
    }

    /// Adds the instances in a variable of this type. References in it count if the caller does not set them.
    fn show(&mut self, owner: PouId, base: Base, path: Vec<Step>, ty: TypeId, with_references: bool) {
        let project = self.project;
        match project.types[ty].ty.parts() {
            Parts::Elements(_, elem) => {
                self.show(owner, base, [path, vec![Step::AnyElement]].concat(), elem, with_references);
            }
            Parts::Fields(fields) => {
                for (at, field) in fields.iter().enumerate() {
                    self.show(owner, base, [path.as_slice(), &[Step::Field(at as u32)]].concat(), field.ty, with_references);
                }
            }
            Parts::Variables(block) => {
                for (var, row) in project.pous[block].vars.iter_enumerated() {
                    if row.section == Section::Input {
                        let path = [path.as_slice(), &[Step::Member(var)]].concat();
                        self.found.uses.push((owner, (base, path, Mode::Write)));
                    }
                }
                self.found.uses.push((owner, (base, path, Mode::Run)));
                self.found.calls.insert(block);
                if self.found.blocks.insert(block) {
                    self.waiting.push(block);
                }
            }
            Parts::Scalar if with_references => self.refer(ty),
            Parts::Scalar => {}
        }
    }

    /// Adds the targets inside of the entry of the references in a type.
    fn refer(&mut self, ty: TypeId) {
        let project = self.project;
        for ty in project.types_inside(ty) {
            if !self.references.insert(ty) {
                continue;
            }
            for target in project.references.get(&ty).into_iter().flatten() {
                let place = &target.place;
                if place.root != Root::Instance(self.instance) || place.path.is_empty() {
                    continue;
                }
                let Some((base, path)) = of_place(project, place) else { continue };
                if project.block_of(place.ty).is_none() {
                    self.found.uses.push((self.found.entry, (base, path.clone(), Mode::Write)));
                }
                self.show(self.found.entry, base, path, place.ty, true);
            }
        }
    }
}

/// Returns whether a block or one of its members may write an input of the block: else its caller knows the value.
fn is_set(project: &Project, block: PouId, var: VarId) -> bool {
    let is_part = |pou: &PouId| *pou == block || block_of(project, *pou) == Some(block);
    project.pous.ids().filter(is_part).any(|pou| {
        let mut writes = Writes { is_body: pou == block, var, found: false };
        writes.body(&project.pous[pou].body);
        writes.found
    })
}

/// Looks for writes of one variable of a block, in its body or one of its members.
struct Writes {
    is_body: bool,
    var: VarId,
    found: bool,
}

impl<'h> Visit<'h> for Writes {
    fn place(&mut self, place: &'h Place, access: walk::Access) {
        let is_own = place.root == Root::Var(self.var) && self.is_body;
        let is_this = matches!(place.root, Root::This(_)) || (place.root == Root::Var(Pou::THIS) && !self.is_body);
        let is_member = is_this && matches!(place.path.first(), Some(Elem::Member(var)) if *var == self.var);
        self.found |= (is_own || is_member) && access != walk::Access::Read;
        self.place_parts(place);
    }
}
