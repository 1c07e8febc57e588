//! `{attribute 'call_after_init'}`: a method of a block that is called before the first cycle, after all instances are
//! initialised. The block has the attribute, too.
//!
//! No manual defines it for blocks that extend each other: there it is assumed to change nothing.

use crate::ast;
use crate::hir::{PouId, PouKind};
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, Part};
use crate::resolve::resolver::Resolver;
use crate::text::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Assumption if such a method is not called.
pub(crate) const AFTER: &str = "method that is called before the first cycle (call_after_init)";

impl<'a> Resolver<'a> {
    /// Returns the methods to call, by their blocks; other declarations with the attribute are assumptions.
    pub(crate) fn find_after(&mut self, attributes: Vec<(Span, u32)>) -> BTreeMap<PouId, PouId> {
        let marked: BTreeSet<(FileId, u32)> = attributes.iter().map(|(span, at)| (span.file, *at)).collect();
        let (mut found, mut used) = (BTreeMap::new(), BTreeSet::new());
        if marked.is_empty() {
            return found;
        }
        let is_marked = |span: Span| marked.contains(&(span.file, span.start));
        for index in 0..self.decls.pous.len() {
            let (block, decl): (PouId, &'a ast::Pou) = (PouId(index as u32), self.decls.pous[index]);
            let is_block = self.project.pous[block].kind == PouKind::FunctionBlock && is_marked(decl.span);
            let is_alone = decl.extends.is_none() && !self.names.has_heirs(block);
            let methods: Vec<&'a ast::Method> = decl.methods.iter().filter(|m| is_marked(m.span)).collect();
            let ([method], true) = (methods.as_slice(), is_block && is_alone) else { continue };
            let member = FoundMember { definer: block, decl: MemberDecl::Method(method) };
            if let Some(pou) = self.member_pou(block, member, Part::Method) {
                found.insert(block, pou);
                used.extend([decl.span, method.span].map(|span| (span.file, span.start)));
            }
        }
        let mut named: BTreeSet<FileId> = BTreeSet::new();
        for (span, at) in attributes {
            if !used.contains(&(span.file, at)) && named.insert(span.file) {
                self.findings.assume(span, AFTER);
            }
        }
        found
    }
}

/// Returns whether a pragma is this attribute.
pub(crate) fn is_after_init(words: &str) -> bool {
    let Some((first, rest)) = words.split_once(|c: char| c.is_whitespace() || c == '\'') else { return false };
    let name = rest.trim_start().trim_start_matches('\'').split('\'').next().unwrap_or("");
    first.eq_ignore_ascii_case("attribute") && name.trim().eq_ignore_ascii_case("call_after_init")
}
