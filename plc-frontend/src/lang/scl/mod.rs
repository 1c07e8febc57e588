//! Siemens SCL: sources of STEP 7 classic and TIA Portal, read by the ST parser in a flavour of its own.
//!
//! Knows the AST. In SCL `"x"` names something global and `#x` something local; the AST knows only names, so
//! a name with both readings is an error here, never a guess.

use std::collections::BTreeSet;

use super::common::lexer::Flavour;
use super::{Ending, FileRole, Language};
use crate::ast::walk::{self, Node};
use crate::ast::{Expr, Ident, Initializer, Item, Name, Pou, Section, TypeSpec, Unit, VarBlock, VarDecl};
use crate::dialect::DialectId;
use crate::text::{Diagnostic, FileId, Parsed, SourceFile, key};

/// Siemens SCL.
pub(super) const LANGUAGE: Language = Language {
    name: "Siemens SCL",
    endings: &[
        Ending { text: "scl", role: FileRole::Object, dialect: Some(DialectId::SiemensTia) },
        Ending { text: "udt", role: FileRole::Object, dialect: Some(DialectId::SiemensTia) },
        Ending { text: "db", role: FileRole::Object, dialect: Some(DialectId::SiemensTia) },
        Ending { text: "awl", role: FileRole::OnRequest, dialect: Some(DialectId::SiemensClassic) },
    ],
    flavour: Flavour::Scl,
    accepts: |file| super::detection::is_text_of(&LANGUAGE, file),
    is_object: None,
    parse,
};

/// Most findings about scopes that one block has.
const MOST: usize = 50;

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let mut parsed = super::st::scl_unit(id, &file.text);
    for item in &mut parsed.value.items {
        if let Item::Pou(pou) = item {
            check_scopes(pou, &file.text, &mut parsed.diagnostics);
            declare_eno(pou);
        }
    }
    if super::has_ending(&file.name, STL) {
        tell_stl(&mut parsed.diagnostics);
    }
    parsed.diagnostics.sort_by_key(|d| d.span().start);
    parsed
}

/// Endings of sources that may hold statement lists: `L 5;`.
const STL: &[&str] = &["awl"];

/// Names the language of statements that are instructions of a statement list.
fn tell_stl(findings: &mut [Diagnostic]) {
    for finding in findings {
        if let Some(statement) = finding.message.strip_suffix(" alone is not a statement") {
            finding.message = format!("{statement} is an instruction of STL (AWL), which is not read");
            finding.help = Some("write the block in SCL; what STL writes is not verified".to_owned());
        }
    }
}

/// Form of a name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// `"x"`
    Global,
    /// `#x`
    Local,
    /// `x`
    Plain,
}

fn written(name: &Ident, text: &str) -> Written {
    match text.as_bytes().get(name.span.start as usize) {
        Some(b'"') => Written::Global,
        Some(b'#') => Written::Local,
        Some(_) | None => Written::Plain,
    }
}

fn locals(pou: &Pou) -> BTreeSet<String> {
    pou.vars.iter().flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect()
}

/// Reports names whose scope the resolver would mistake.
fn check_scopes(pou: &Pou, text: &str, diagnostics: &mut Vec<Diagnostic>) {
    if !pou.methods.is_empty() {
        // Methods have variables of their own.
        return;
    }
    let locals = locals(pou);
    let own = key(&pou.name.text);
    let mut found = Vec::new();
    walk::pou(pou, &mut |node| {
        let Node::Name(Name { root, .. }) = node else { return };
        let key = key(&root.text);
        if key == own || MOST <= found.len() {
            return;
        }
        match written(root, text) {
            Written::Global if locals.contains(&key) => {
                let message = format!("`{}` is global here, and a variable of this block has the same name", root.text);
                let diagnostic = Diagnostic::error("P1037", root.span, message, "global");
                found.push(diagnostic.help("rename one of the two: the local one would be read"));
            }
            Written::Local if !locals.contains(&key) => {
                let message = format!("this block has no variable `{}`", root.text);
                let diagnostic = Diagnostic::error("P1037", root.span, message, "local");
                found.push(diagnostic.help("declare it, or write the global name in double quotes"));
            }
            Written::Global | Written::Local | Written::Plain => {}
        }
    });
    diagnostics.append(&mut found);
}

/// Declares ENO, a variable of every block that names it.
fn declare_eno(pou: &mut Pou) {
    let mut uses = false;
    walk::pou(pou, &mut |node| {
        if let Node::Name(Name { root, .. }) = node {
            uses |= root.text.eq_ignore_ascii_case("ENO");
        }
    });
    if !uses || locals(pou).contains("eno") {
        return;
    }
    let span = pou.name.span;
    let init = Some(Initializer::value(Expr::truth(true, span)));
    let var = VarDecl { init, ..VarDecl::new(Ident::new("ENO", span), TypeSpec::named("BOOL", span), span) };
    pou.vars.push(VarBlock::new(Section::Temp, vec![var], span));
}

#[test]
fn instructions_of_statement_lists_are_named() {
    let check = |name: &str, expected: &str| {
        let text = "FUNCTION \"F\" : Void\nBEGIN\n L 5;\nEND_FUNCTION\n";
        let parsed = crate::lang::parse(FileId(0), &SourceFile::new(name, text, crate::text::Origin::User));
        let messages: Vec<&str> = parsed.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(expected)), "{name}: {messages:?}");
    };
    check("F.awl", "is an instruction of STL (AWL), which is not read");
    check("F.scl", "is not a statement");
}
