//! Methods and functions that share a name and differ in their parameters, as in SIMATIC AX. Calls of them are gaps.

use crate::ast;
use crate::hir::{PouId, Stmt, StmtKind};
use crate::resolve::classes::member_table::FoundMember;
use crate::resolve::findings::{Res, unsupported};
use crate::resolve::names::tables::{Key, key};
use crate::resolve::resolver::Resolver;
use crate::text::Span;
use std::collections::{BTreeMap, BTreeSet};

const EFFECT: &str = "the one that is called is not chosen by its arguments: nothing after the call in the cycle is verified";

impl Resolver<'_> {
    /// Finds the methods that other methods overload. In dialects where numbers mix, all methods of one name replace each other.
    pub(crate) fn find_overloads(&mut self) {
        if self.dialect.mixes() {
            return;
        }
        for (index, decl) in self.decls.pous.iter().enumerate() {
            let id = PouId(index as u32);
            let mut seen: BTreeSet<Key> = BTreeSet::new();
            for method in &decl.methods {
                let name = key(&method.name.text);
                let is_other = !method.modifiers.is_override;
                let inherited = self.names.chain(id).iter().skip(1).any(|base| {
                    let methods = &self.decls.pous[base.0 as usize].methods;
                    let mut others = methods.iter().filter(|other| key(&other.name.text) == name);
                    let differs = is_other && others.clone().any(|other| parameters(&other.vars) != parameters(&method.vars));
                    differs || others.nth(1).is_some()
                });
                if !seen.insert(name.clone()) || inherited {
                    self.decls.members.overloaded.insert((id, name));
                }
            }
        }
    }

    /// Finds functions that share a name and differ in their parameters; they are no duplicates then.
    pub(crate) fn find_overloaded_functions(&mut self) {
        if self.dialect.mixes() {
            return;
        }
        let mut by_name: BTreeMap<Key, Vec<&ast::Pou>> = BTreeMap::new();
        for pou in self.decls.pous.iter().filter(|pou| pou.kind == ast::PouKind::Function) {
            by_name.entry(self.names.meant(&pou.name)).or_default().push(pou);
        }
        for (name, pous) in by_name {
            let forms: BTreeSet<Vec<(Key, String)>> = pous.iter().map(|pou| parameters(&pou.vars)).collect();
            if pous.len() < 2 || forms.len() < pous.len() {
                continue;
            }
            let others: BTreeSet<Span> = pous.iter().skip(1).map(|pou| pou.name.span).collect();
            self.decls.declared.retain(|declared| !others.contains(&declared.span));
            self.decls.overloaded_functions.insert(name);
        }
    }

    /// Returns a gap for a call of an overloaded function.
    pub(crate) fn check_overloaded_function(&self, ident: &ast::Ident) -> Res<()> {
        if self.decls.overloaded_functions.contains(&self.names.meant(ident)) {
            return Err(unsupported(ident.span, format!("call of `{}`, which is overloaded", ident.text), EFFECT));
        }
        Ok(())
    }

    /// Returns a gap for a call of an overloaded method.
    pub(crate) fn check_overloads(&self, found: &FoundMember<'_>, ident: &ast::Ident) -> Res<()> {
        if self.decls.members.overloaded.contains(&(found.definer, key(&ident.text))) {
            return Err(unsupported(ident.span, format!("call of `{}`, which is overloaded", ident.text), EFFECT));
        }
        Ok(())
    }

    /// Makes the bodies of overloaded methods gaps: calls through references reach them, too.
    pub(crate) fn stop_overloads(&mut self) {
        let is_overloaded =
            |(_, definer, name, _): &(PouId, PouId, Key, _)| self.decls.members.overloaded.contains(&(*definer, name.clone()));
        let ids: Vec<PouId> = self.decls.members.ids.iter().filter(|(site, _)| is_overloaded(site)).map(|(_, id)| *id).collect();
        for id in ids {
            let (span, name): (Span, String) = (self.project.pous[id].span, self.project.pous[id].name.clone());
            let gap = self.findings.record_unsupported(span, format!("overloaded method `{name}`"), EFFECT);
            self.project.pous[id].body = vec![Stmt { kind: StmtKind::Gap(gap), span }];
        }
    }
}

/// Returns the names and types of parameters.
fn parameters(blocks: &[ast::VarBlock]) -> Vec<(Key, String)> {
    let is_parameter =
        |block: &&ast::VarBlock| matches!(block.section, ast::Section::Input | ast::Section::Output | ast::Section::InOut);
    let vars = blocks.iter().filter(is_parameter).flat_map(|block| &block.vars);
    vars.map(|var| (key(&var.name.text), var.ty.kind.words())).collect()
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::loaded;

    #[test]
    fn calls_of_overloaded_methods_are_gaps() {
        let class = |methods: &str| {
            format!(
                "CLASS Box\nVAR PUBLIC w : INT; END_VAR\nMETHOD PUBLIC Put\nVAR_INPUT a : INT; END_VAR\nw := a;\nEND_METHOD\n{methods}\
                 END_CLASS\nPROGRAM Main\nVAR b : Box; END_VAR\nb.Put(a := 1);\nEND_PROGRAM"
            )
        };
        let gaps = |text: &str| {
            let loaded = loaded(text);
            assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
            loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains("overloaded")).count()
        };
        assert_eq!(gaps(&class("")), 0);
        assert_eq!(gaps(&class("METHOD PUBLIC Put\nVAR_INPUT a, b : INT; END_VAR\nw := a + b;\nEND_METHOD\n")), 2);
    }
}
