//! Blocks that extend others, and the members of POUs: methods, properties, actions.
//!
//! A block that EXTENDS another has its variables first, then its own. Each member becomes a POU of its own for every block that
//! has it, with the instance as its first parameter. So `THIS^.m()`, `m()` and `SUPER^.m()` have one target each, and later
//! passes know nothing of inheritance.

use crate::ast;
use crate::hir::{Pou, PouId, PouKind, Section, VarId};
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, MemberSignature, Part};
use crate::resolve::classes::members::is_public;
use crate::resolve::declare::declarations;
use crate::resolve::declare::declarations::{Declarations, VarSite};
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Class, Key, Local, Member, NameSet, Names, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::text::{Span, codes, suggestion};
use std::collections::BTreeMap;

/// Most variables that heirs and members take over from their blocks.
const MAX_COPIED: usize = 200_000;
/// Most blocks in a chain of EXTENDS.
const MAX_ANCESTORS: usize = 64;

impl<'a> Resolver<'a> {
    /// Finds the blocks that each block extends, once all POUs have ids.
    pub(crate) fn collect_classes(&mut self) {
        let n_pous = self.decls.pous.len();
        let mut bases: Vec<Option<PouId>> = Vec::with_capacity(n_pous);
        for index in 0..n_pous {
            bases.push(self.base_of(PouId(index as u32)));
        }
        for index in 0..n_pous {
            let id = PouId(index as u32);
            let mut chain = vec![id];
            while let Some(Some(base)) = chain.last().and_then(|last| bases.get(last.0 as usize)) {
                if chain.contains(base) || MAX_ANCESTORS <= chain.len() {
                    let decl = self.decls.pous[index];
                    let (name, span) = (&decl.name.text, decl.extends.as_ref().map_or(decl.name.span, |e| e.span));
                    let message = if chain.contains(base) {
                        format!("`{name}` extends itself, by way of others")
                    } else {
                        format!("`{name}` has more than {MAX_ANCESTORS} ancestors")
                    };
                    self.findings.error(codes::BAD_EXTENDS, span, message, "leads back or too far");
                    chain = vec![id];
                    break;
                }
                chain.push(*base);
            }
            self.names.extended.extend(chain.iter().skip(1));
            let is_abstract = self.decls.pous[index].modifiers.is_abstract;
            self.names.classes.push(Class { chain, is_abstract });
            let members = self.decls.index_members(id);
            self.decls.members.by_name.push(members);
        }
        self.find_overloads();
    }

    fn base_of(&mut self, id: PouId) -> Option<PouId> {
        let decl = self.decls.pous[id.0 as usize];
        let base = decl.extends.as_ref()?;
        let ident = last_name(base);
        let found = self.names.pous.get(&self.names.meant(ident)).copied();
        match found.map(|found| (found, self.project.pous[found].kind)) {
            Some((found, PouKind::FunctionBlock)) if decl.kind == ast::PouKind::FunctionBlock => {
                if self.decls.pous[found.0 as usize].modifiers.is_final {
                    let message = format!("`{}` is FINAL: nothing may extend it", ident.text);
                    self.findings.error(codes::BAD_EXTENDS, base.span, message, "a FINAL block");
                }
                Some(found)
            }
            Some(_) => {
                let message = "only a FUNCTION_BLOCK extends another FUNCTION_BLOCK";
                self.findings.error(codes::BAD_EXTENDS, base.span, message, "not two function blocks");
                None
            }
            None => {
                let known = self.project.pous.iter().map(|p| p.name.as_str());
                let help = suggestion(&ident.text, known).unwrap_or_else(|| "upload the file that declares it".to_owned());
                let message = format!("there is no function block `{}` to extend", ident.text);
                self.findings.error_with_help(codes::UNKNOWN_TYPE, base.span, message, "not declared in any file", Some(help));
                self.decls.members.orphans.insert(id);
                None
            }
        }
    }

    /// Makes a POU of each member for the block that declares it.
    pub(crate) fn collect_members(&mut self) {
        for index in 0..self.decls.pous.len() {
            let (id, decl) = (PouId(index as u32), self.decls.pous[index]);
            let methods = decl.methods.iter().map(|m| ("method", &m.name, MemberDecl::Method(m), &[Part::Method][..]));
            let properties = decl.properties.iter();
            let properties = properties.map(|p| ("property", &p.name, MemberDecl::Property(p), &[Part::Get, Part::Set][..]));
            let actions = decl.actions.iter().map(|a| ("action", &a.name, MemberDecl::Action(a), &[Part::Action][..]));
            for (kind, name, decl, parts) in methods.chain(properties).chain(actions) {
                if kind != "method" || !self.decls.members.overloaded.contains(&(id, key(&name.text))) {
                    self.decls.declare(kind, NameSet::Pou(id), name);
                }
                for part in parts {
                    self.member_pou(id, FoundMember { definer: id, decl }, *part);
                }
            }
        }
    }

    /// Returns the POU of a member for instances of `block`; `None` for a half that a property does not have.
    pub(crate) fn member_pou(&mut self, block: PouId, found: FoundMember<'a>, part: Part) -> Option<PouId> {
        let found = self.decls.with_half(&self.names, found, part);
        let id = self.pou_of_member(block, found.definer, part, found.decl.signature(part)?);
        self.project.pous[id].is_public = is_public(&found);
        Some(id)
    }

    /// Returns the POU of an ancestor's body for instances of `block`.
    pub(crate) fn body_pou(&mut self, block: PouId, ancestor: PouId) -> PouId {
        let decl = self.decls.pous[ancestor.0 as usize];
        let (name, body) = (&decl.name, Some(&decl.body));
        let signature = MemberSignature { name, result: None, value: None, vars: &[], body, span: decl.span };
        self.pou_of_member(block, ancestor, Part::Body, signature)
    }

    fn pou_of_member(&mut self, block: PouId, definer: PouId, part: Part, signature: MemberSignature<'a>) -> PouId {
        let site = (block, definer, key(&signature.name.text), part);
        if let Some(&id) = self.decls.members.ids.get(&site) {
            return id;
        }
        let owner = &self.project.pous[block];
        let mut name = format!("{}.{}", owner.name, signature.name.text);
        if block != definer && part != Part::Body {
            let own = self.decls.members.by_name.get(block.0 as usize).is_some_and(|m| m.contains_key(&site.2));
            if own {
                name = format!("{}.{}.{}", owner.name, self.project.pous[definer].name, signature.name.text);
            }
        }
        let (origin, n_inherited) = (owner.origin, owner.vars.len());
        let result = signature.result.map(|_| VarId(1));
        let empty = Pou::hidden(name, PouKind::Function(result), crate::ids::IndexVec::new(), signature.span);
        let id = self.project.pous.push(Pou { member_of: Some(block), origin, ..empty });
        self.names.locals.push(BTreeMap::new());
        self.decls.members.ids.insert(site, id);
        self.names.members.insert(id, Member { block, definer, lent: BTreeMap::new() });

        let this = ast::Ident::new("THIS", signature.name.span);
        let ty = self.types.block(&mut self.project, block);
        let this = declarations::placeholder(&this, Section::InOut);
        self.project.pous[id].vars.push(crate::hir::Var { ty, ..this });
        if let Some(result) = signature.result {
            let var = declarations::placeholder(signature.name, Section::Result);
            self.collect_var(Some(id), var, VarSite { ty: result, init: None, owner: Some(id) });
            self.decls.declare("result", NameSet::Pou(id), signature.name);
        }
        if let Some(value) = signature.value {
            let var = declarations::placeholder(signature.name, Section::Input);
            self.collect_var(Some(id), var, VarSite { ty: value, init: None, owner: Some(id) });
        }
        let n_externals = self.decls.externals.len();
        for vars in signature.vars {
            self.collect_block(Some(id), vars);
        }
        for i in n_externals..self.decls.externals.len() {
            let (pou, decl) = self.decls.externals[i];
            self.names.collect_external(&self.project, &mut self.findings, pou, decl);
        }
        self.lend(id, block, n_inherited, part);
        if let Some(body) = signature.body {
            self.decls.members.bodies.insert(id, body);
        }
        self.decls.members.waiting.push(id);
        if self.decls.members.settled {
            self.settle(id);
        }
        id
    }

    /// Gives a member references to the variables in the call of its block's body: VAR_IN_OUT, for actions also VAR_TEMP.
    fn lend(&mut self, id: PouId, block: PouId, n_vars: usize, part: Part) {
        for index in 0..n_vars {
            let var = VarId(index as u32);
            let lent = match (self.project.pous[block].vars[var].section, part) {
                (Section::InOut, _) | (Section::Temp, Part::Action | Part::Body) => true,
                (Section::Temp, Part::Method | Part::Get | Part::Set)
                | (Section::Input | Section::Output | Section::Local | Section::Result | Section::Global, _) => false,
            };
            if !lent || !self.decls.allow_copies(&mut self.findings, 1, self.project.pous[id].span) {
                continue;
            }
            let row = self.project.pous[block].vars[var].clone();
            let row = crate::hir::Var { section: Section::InOut, address: None, ..row };
            let name = key(&row.name);
            let own = self.project.pous[id].vars.push(row);
            self.names.locals[id.0 as usize].entry(name).or_insert(Local::Var(own));
            if let Some(site) = self.decls.vars.get(&VarRef::Local(block, var)).copied() {
                self.decls.vars.insert(VarRef::Local(id, own), site);
                self.decls.note_open_parameter(&self.project, id, own, site.ty);
            }
            if let Some(member) = self.names.members.get_mut(&id) {
                member.lent.insert(var, own);
            }
        }
    }
}

impl<'a> Declarations<'a> {
    fn index_members(&mut self, id: PouId) -> BTreeMap<Key, MemberDecl<'a>> {
        let decl = self.pous[id.0 as usize];
        let methods = decl.methods.iter().map(|m| (&m.name, MemberDecl::Method(m)));
        let properties = decl.properties.iter().map(|p| (&p.name, MemberDecl::Property(p)));
        let actions = decl.actions.iter().map(|a| (&a.name, MemberDecl::Action(a)));
        let mut found = BTreeMap::new();
        for (name, member) in methods.chain(properties).chain(actions) {
            self.members.names.insert(key(&name.text));
            found.entry(key(&name.text)).or_insert(member);
        }
        found
    }

    /// Returns the member of a name for instances of `block`, searching from `from` (the block, or an ancestor) upwards.
    pub(crate) fn find_member(&self, names: &Names, from: PouId, name: &str) -> Option<FoundMember<'a>> {
        let name = key(name);
        if !self.members.names.contains(&name) {
            return None;
        }
        names.chain(from).iter().find_map(|&definer| {
            let decl = *self.members.by_name.get(definer.0 as usize)?.get(&name)?;
            Some(FoundMember { definer, decl })
        })
    }

    /// Returns the property of a base that has a half which a member lacks: an heir may replace one half alone. Else the member.
    pub(crate) fn with_half(&self, names: &Names, found: FoundMember<'a>, part: Part) -> FoundMember<'a> {
        let MemberDecl::Property(property) = found.decl else { return found };
        let name = key(&property.name.text);
        let of = |definer: &PouId| self.members.by_name.get(definer.0 as usize)?.get(&name).copied();
        let all =
            names.chain(found.definer).iter().filter_map(|definer| Some(FoundMember { definer: *definer, decl: of(definer)? }));
        let mut properties = all.take_while(|member| matches!(member.decl, MemberDecl::Property(_)));
        properties.find(|member| member.decl.signature(part).is_some()).unwrap_or(found)
    }

    /// Allows `count` more variables to be copied; the first one too many is an error at `span`.
    pub(crate) fn allow_copies(&mut self, findings: &mut Findings, count: usize, span: Span) -> bool {
        let before = self.members.n_copied;
        self.members.n_copied = before.saturating_add(count);
        if before <= MAX_COPIED && MAX_COPIED < self.members.n_copied {
            let message = format!("blocks that extend others, and methods, share more than {MAX_COPIED} variables");
            findings.error(codes::TOO_LARGE, span, message, "too many from here on");
        }
        self.members.n_copied <= MAX_COPIED
    }

    /// Returns whether a block that `block` extends is missing: names unknown in it may be declared there.
    pub(crate) fn is_orphan(&self, names: &Names, block: PouId) -> bool {
        names.chain(block).iter().any(|pou| self.members.orphans.contains(pou))
    }
}

/// Returns the last identifier of a name; those before it are namespaces.
pub(crate) fn last_name(name: &ast::Name) -> &ast::Ident {
    let last = name.path.iter().rev().find_map(|elem| match elem {
        ast::NameElem::Field(ident) => Some(ident),
        ast::NameElem::Index(..) | ast::NameElem::Bits { .. } | ast::NameElem::Deref(_) | ast::NameElem::Call(..) => None,
    });
    last.unwrap_or(&name.root)
}
