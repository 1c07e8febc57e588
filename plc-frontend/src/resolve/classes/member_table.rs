//! Methods, properties and actions as they are declared, and their POUs.

use crate::ast;
use crate::hir::PouId;
use crate::resolve::names::tables::Key;
use crate::text::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Declaration of a member of a POU.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberDecl<'a> {
    Method(&'a ast::Method),
    Property(&'a ast::Property),
    Action(&'a ast::ActionDecl),
}

/// Part of a member; each is a POU of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Method,
    Get,
    Set,
    Action,
    /// The body of an ancestor, for `SUPER^()`.
    Body,
}

/// A member with the block that declares it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundMember<'a> {
    pub(crate) definer: PouId,
    pub(crate) decl: MemberDecl<'a>,
}

/// The members of all POUs.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    /// By the declared POU's number.
    pub(crate) by_name: Vec<BTreeMap<Key, MemberDecl<'a>>>,
    /// All names that some member has.
    pub(crate) names: BTreeSet<Key>,
    /// Methods with another one of their name and other parameters in their block or above, by the block that declares them.
    pub(crate) overloaded: BTreeSet<(PouId, Key)>,
    /// POU of a member, by the block of its instances, the block that declares it, its name and its part.
    pub(crate) ids: BTreeMap<(PouId, PouId, Key, Part), PouId>,
    /// Bodies of the members' POUs; prototypes have none.
    pub(crate) bodies: BTreeMap<PouId, &'a ast::Body>,
    /// POUs whose bodies are not resolved yet.
    pub(crate) waiting: Vec<PouId>,
    /// The variables of new POUs are resolved at once.
    pub(crate) settled: bool,
    /// Variables that were copied to heirs and members; text grows linearly, copies may not.
    pub(crate) n_copied: usize,
    /// POUs that extend something that does not exist.
    pub(crate) orphans: BTreeSet<PouId>,
}

/// Signature and body of a member.
pub(crate) struct MemberSignature<'a> {
    pub(crate) name: &'a ast::Ident,
    pub(crate) result: Option<&'a ast::TypeSpec>,
    /// Type of the value given to SET.
    pub(crate) value: Option<&'a ast::TypeSpec>,
    pub(crate) vars: &'a [ast::VarBlock],
    pub(crate) body: Option<&'a ast::Body>,
    pub(crate) span: Span,
}

impl<'a> MemberDecl<'a> {
    /// Returns the signature of a part; `None` if the member does not have it.
    pub(crate) fn signature(self, part: Part) -> Option<MemberSignature<'a>> {
        let of = |name, result, value, method: &'a ast::Method| {
            let (vars, body, span) = (method.vars.as_slice(), method.body.as_ref(), method.span);
            MemberSignature { name, result, value, vars, body, span }
        };
        match (self, part) {
            (MemberDecl::Method(m), Part::Method) => Some(of(&m.name, m.result.as_ref(), None, m)),
            (MemberDecl::Property(p), Part::Get) => p.getter.as_ref().map(|half| of(&p.name, Some(&p.ty), None, half)),
            (MemberDecl::Property(p), Part::Set) => p.setter.as_ref().map(|half| of(&p.name, None, Some(&p.ty), half)),
            (MemberDecl::Action(a), Part::Action) => {
                Some(MemberSignature { name: &a.name, result: None, value: None, vars: &[], body: Some(&a.body), span: a.span })
            }
            (_, _) => None,
        }
    }
}
