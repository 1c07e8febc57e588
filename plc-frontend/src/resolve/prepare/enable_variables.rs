//! EN and ENO as variables of function blocks, for dialects in which a call with EN = FALSE assigns inputs and skips the body
//! only: each block gets an input EN, TRUE at first, and an output ENO, which any code may read.
//!
//! Runs on the syntax tree, behind the standard blocks and before names are resolved. Programs that mention neither EN nor ENO
//! stay as they are: no state is added to them.

use crate::ast::walk::{self, Node};
use crate::ast::{
    Arg, Body, Expr, Ident, Initializer, Item, NameElem, Pou, PouKind, Section, Stmt, StmtKind, TypeSpec, TypeSpecKind, Unit,
    VarBlock, VarDecl, build,
};
use crate::resolve::classes::inheritance::last_name;
use crate::resolve::names::tables::key;
use crate::text::Span;
use std::collections::BTreeSet;

/// Adds EN and ENO to every function block with instances, if some code of the program mentions them. A block without instances
/// can only be the entry, which runs in every cycle.
pub(crate) fn add_enable(units: &mut [Unit]) {
    if !units.iter().any(mentions_enable) {
        return;
    }
    let used = used_types(units);
    let pous = units.iter_mut().flat_map(|unit| unit.pous_mut());
    pous.filter(|pou| pou.kind == PouKind::FunctionBlock && used.contains(&key(&pou.name.text))).for_each(add_to);
}

/// Returns the names of types, and of blocks that others inherit from; without hidden blocks.
fn used_types(units: &[Unit]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for unit in units {
        walk::unit(unit, &mut |node| match node {
            Node::Type(TypeSpec { kind: TypeSpecKind::Name(name), .. }) => used.extend([key(&name.text)]),
            Node::Item(Item::Pou(Pou { extends: Some(base), .. })) => used.extend([key(&last_name(base).text)]),
            Node::Item(_) | Node::Type(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
    }
    used.retain(|name| !name.starts_with("__"));
    used
}

fn is_enable(name: &str) -> bool {
    name.eq_ignore_ascii_case("EN") || name.eq_ignore_ascii_case("ENO")
}

/// Returns whether some call or path of the unit names EN or ENO.
fn mentions_enable(unit: &Unit) -> bool {
    let mut found = false;
    walk::unit(unit, &mut |node| {
        found |= match node {
            Node::Stmt(Stmt { kind: StmtKind::Call(_, args), .. }) => args.iter().any(|arg| match arg {
                Arg::Input(name, _) | Arg::Output { name, .. } => is_enable(&name.text),
                Arg::Positional(_) => false,
            }),
            Node::Name(name) => name.path.iter().any(|elem| matches!(elem, NameElem::Field(field) if is_enable(&field.text))),
            Node::Block(block) => block.vars.iter().any(|var| is_enable(&var.name.text)),
            Node::Item(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) => false,
        };
    });
    found
}

/// Declares EN and ENO unless the block does, and makes its body depend on EN.
fn add_to(pou: &mut Pou) {
    let at = pou.name.span;
    let Body::Statements(body) = &mut pou.body else { return };
    for (name, section) in [("EN", Section::Input), ("ENO", Section::Output)] {
        let declared = pou.vars.iter().flat_map(|block| &block.vars).any(|var| var.name.text.eq_ignore_ascii_case(name));
        // An heir inherits EN and ENO.
        if !declared && pou.extends.is_none() {
            pou.vars.push(VarBlock::new(section, vec![truth_variable(name, at)], at));
        }
    }
    let variable = |name: &str| Expr::variable(Ident::new(name, at));
    let statements = std::mem::take(body);
    let has_labels = statements.iter().any(|stmt| matches!(stmt.kind, StmtKind::Label(..)));
    body.push(Stmt::assign(variable("ENO"), variable("EN"), at));
    if has_labels {
        // A jump cannot lead into a statement.
        body.push(Stmt::when(build::not(variable("EN")), vec![Stmt { kind: StmtKind::Return, span: at }], at));
        body.extend(statements);
    } else if !statements.is_empty() {
        body.push(Stmt::when(variable("EN"), statements, at));
    }
}

/// Returns `name : BOOL := TRUE`.
fn truth_variable(name: &str, span: Span) -> VarDecl {
    let init = Some(Initializer::value(Expr::truth(true, span)));
    VarDecl { init, ..VarDecl::new(Ident::new(name, span), TypeSpec::named("BOOL", span), span) }
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId::{self, Iec, Matiec};
    use crate::text::SourceSet;
    use crate::{LoadOptions, Loaded, load};

    #[track_caller]
    fn read(dialect: DialectId, entry: Option<&str>, text: &str) -> Loaded {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let options = LoadOptions { dialect: Some(dialect), entry: entry.map(str::to_owned), ..LoadOptions::default() };
        let loaded = load(&sources, &options);
        assert!(!loaded.has_errors(), "{text}: {:#?}", loaded.diagnostics);
        loaded.value
    }

    /// Returns the names of all variables of a POU.
    fn names(loaded: &Loaded, pou: &str) -> Vec<String> {
        let pou = loaded.project.pous.iter().find(|p| p.name == pou).unwrap();
        pou.vars.iter().map(|var| var.name.clone()).collect()
    }

    const BLOCKS: &str = "FUNCTION_BLOCK Inner VAR_INPUT a : INT; END_VAR END_FUNCTION_BLOCK
        FUNCTION_BLOCK Outer VAR_INPUT go : BOOL; END_VAR VAR i : Inner; END_VAR CALL END_FUNCTION_BLOCK
        PROGRAM Main VAR o : Outer; END_VAR o(go := TRUE); END_PROGRAM";

    #[test]
    fn only_programs_that_mention_them_have_them() {
        let loaded = read(Matiec, None, &BLOCKS.replace("CALL", "i(a := 1);"));
        assert_eq!(names(&loaded, "Inner"), ["a"]);
        for call in ["i(EN := go, a := 1);", "i(a := 1, ENO => go);", "go := i.ENO;"] {
            let loaded = read(Matiec, None, &BLOCKS.replace("CALL", call));
            assert_eq!(names(&loaded, "Inner"), ["a", "EN", "ENO"], "{call}");
            assert_eq!(names(&loaded, "Outer"), ["go", "i", "EN", "ENO"], "{call}");
        }
        let loaded = read(Iec, None, &BLOCKS.replace("CALL", "i(EN := go, a := 1);"));
        assert_eq!(names(&loaded, "Inner"), ["a"]);
    }

    #[test]
    fn the_entry_has_none() {
        let text = BLOCKS.replace("CALL", "i(EN := go, a := 1);");
        let (blocks, _) = text.split_once("PROGRAM Main").unwrap();
        let loaded = read(Matiec, Some("Outer"), blocks);
        assert_eq!(names(&loaded, "Outer"), ["go", "i"]);
        assert_eq!(names(&loaded, "Inner"), ["a", "EN", "ENO"]);
    }

    #[test]
    fn blocks_that_declare_en_keep_their_own() {
        let text = "FUNCTION_BLOCK B VAR_INPUT EN : BOOL; END_VAR VAR n : INT; END_VAR n := n + 1; END_FUNCTION_BLOCK
            PROGRAM Main VAR b : B; END_VAR b(); END_PROGRAM";
        assert_eq!(names(&read(Matiec, None, text), "B"), ["EN", "n", "ENO"]);
    }

    #[test]
    fn positional_arguments_stay_what_they_are() {
        let text = BLOCKS.replace("CALL", "i(7); go := i.ENO;");
        assert_eq!(names(&read(Matiec, None, &text), "Inner"), ["a", "EN", "ENO"]);
    }
}
