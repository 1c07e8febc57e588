//! Aliases of conditions: other names of tags, in whose place their targets stand.
//!
//! Soundness: a program copies the target of an alias at its end. The tag may have changed since, so a condition reads the tag.

use crate::ast::{Alias, Expr, ExprKind, Ident, Name, NameElem, VarDecl, edit};
use crate::hir::{InstanceId, PouKind as HirKind, Project};
use crate::resolve::names::tables::{Key, Names, key};
use crate::text::Span;

/// Ending of the name of a program of Logix whose name something else has here.
pub(crate) const RENAMED: &str = "_Program";

impl Names {
    /// Notes a declaration of an alias; `program` is that of a local one.
    pub(crate) fn collect_alias(&mut self, program: Option<&str>, decl: &VarDecl) {
        let Some(target) = &decl.alias_of else { return };
        let name = match program {
            Some(program) => format!("{program}.{}", decl.name.text),
            None => decl.name.text.clone(),
        };
        self.aliases.insert(key(&name), target.clone());
    }

    /// Notes an alias without a variable of its own.
    pub(crate) fn collect_other_name(&mut self, alias: &Alias) {
        let name = match &alias.program {
            Some(program) => format!("{program}.{}", alias.name.text),
            None => alias.name.text.clone(),
        };
        self.aliases.entry(key(&name)).or_insert_with(|| alias.target.clone());
    }

    /// Returns whether a program has an alias of this name.
    pub(crate) fn has_alias(&self, program: &str, name: &Key) -> bool {
        self.aliases.contains_key(&key(&format!("{program}.{name}")))
    }

    /// Returns whether a name is that of a global variable or alias, and of no program.
    pub(crate) fn means_global(&self, project: &Project, name: &str) -> bool {
        let wanted = key(name);
        let is_program = |pou: &crate::hir::Pou| {
            let own = key(&pou.name);
            pou.kind == HirKind::Program && (own == wanted || own == key(&format!("{name}{RENAMED}")))
        };
        (self.globals.contains_key(&wanted) || self.aliases.contains_key(&wanted)) && !project.pous.iter().any(is_program)
    }

    /// Puts the targets of aliases for their names in a condition.
    pub(crate) fn put_targets(&self, project: &Project, condition: &mut Expr) {
        if self.aliases.is_empty() && !project.tags_are_outputs {
            return;
        }
        edit::names_of_expr(condition, &mut |name| {
            if let edit::NameMut::Path(path) = name {
                self.put_target(project, path);
            }
        });
    }

    /// Makes a path of `Program__tag`, as the tag of a program of Logix is read that users write as `\\Program.tag`.
    fn put_program(&self, project: &Project, path: &mut Name) {
        let Some((program, tag)) = path.root.text.split_once("__") else { return };
        let of = |name: &str| self.instances.get(&key(name)).map(|id| project.instances[*id].name.clone());
        // A program with the name of a tag has another one here.
        let Some(program) = of(&format!("{program}{RENAMED}")).or_else(|| of(program)) else { return };
        let span = path.root.span;
        let tag = NameElem::Field(Ident::new(tag, span));
        path.root = Ident::new(program, span);
        path.path.insert(0, tag);
    }

    /// Puts the name of a program here for its written one, which a data type has here.
    fn put_renamed(&self, project: &Project, path: &mut Name) {
        let root = key(&path.root.text);
        let is_local = |id: InstanceId| self.locals[project.instances[id].pou.0 as usize].contains_key(&root);
        if path.path.is_empty() || self.instances.contains_key(&root) || project.instances.ids().any(is_local) {
            return;
        }
        if let Some(id) = self.instances.get(&key(&format!("{}{RENAMED}", path.root.text))) {
            path.root = Ident::new(project.instances[*id].name.clone(), path.root.span);
        }
    }

    fn put_target(&self, project: &Project, path: &mut Name) {
        let root = key(&path.root.text);
        if project.tags_are_outputs && !self.globals.contains_key(&root) {
            self.put_program(project, path);
            self.put_renamed(project, path);
        }
        let root = key(&path.root.text);
        let pou = |id: InstanceId| project.instances[id].pou;
        let of = |id: InstanceId, name: &Key| self.aliases.get(&key(&format!("{}.{name}", project.pous[pou(id)].name)));
        let is_local = |id: InstanceId, name: &Key| self.locals[pou(id).0 as usize].contains_key(name) || of(id, name).is_some();
        if self.globals.contains_key(&root) || self.aliases.contains_key(&root) {
            if let Some(target) = self.aliases.get(&root) {
                *path = joined(None, target, path, 0);
            }
            return;
        }
        let (owner, name, skipped) = match (self.instances.get(&root), path.path.first()) {
            (Some(id), Some(NameElem::Field(field))) => (*id, key(&field.text), 1),
            (Some(_), _) => return,
            (None, _) => {
                let mut owners = project.instances.ids().filter(|id| is_local(*id, &root));
                let (Some(only), None) = (owners.next(), owners.next()) else { return };
                (only, root, 0)
            }
        };
        let Some(target) = of(owner, &name) else { return };
        let program = Some(project.instances[owner].name.as_str()).filter(|_| is_local(owner, &key(&target.root.text)));
        *path = joined(program, target, path, skipped);
    }
}

/// Returns the target of an alias with the rest of a path behind it, at the place of the path.
fn joined(program: Option<&str>, target: &Name, path: &Name, skipped: usize) -> Name {
    let span = path.root.span;
    let root = Ident::new(target.root.text.clone(), span);
    let mut whole = match program {
        Some(program) => Name { root: Ident::new(program, span), path: vec![NameElem::Field(root)], span: path.span },
        None => Name { root, path: Vec::new(), span: path.span },
    };
    whole.path.extend(target.path.iter().map(|element| moved(element, span)));
    whole.path.extend(path.path.iter().skip(skipped).cloned());
    whole
}

/// Returns an element of a target, whose indices are numbers, at a place of a condition.
fn moved(element: &NameElem, span: Span) -> NameElem {
    match element {
        NameElem::Field(field) => NameElem::Field(Ident::new(field.text.clone(), span)),
        NameElem::Index(indices, _) => {
            let index = |index: &Expr| {
                if let ExprKind::Literal(..) = index.kind { Expr { kind: index.kind.clone(), span } } else { index.clone() }
            };
            NameElem::Index(indices.iter().map(index).collect(), span)
        }
        NameElem::Bits { number, width, .. } => NameElem::Bits { number: *number, width: *width, span },
        other @ (NameElem::Deref(_) | NameElem::Call(..)) => other.clone(),
    }
}
