//! Declaration sections, types, initial values.

use super::{Writer, inside};
use crate::ast::{
    Access, Edge, Expr, ExprKind, Initializer, InitializerKind, Literal, Section, TypeDecl, TypeSpec, TypeSpecKind, VarBlock,
    VarDecl,
};
use crate::hir::Retain;
use crate::hir::printer::address_text;
use crate::lang::st::decl::SECTION_WORDS;
use crate::lang::st::pou::ACCESS;

impl Writer<'_> {
    pub(super) fn block(&mut self, block: &VarBlock) {
        if let Some(list) = &block.list {
            self.cannot("a named list of global variables", list.name.span);
        }
        let mut head = word(block.section).to_owned();
        head.push_str(if block.constant { " CONSTANT" } else { "" });
        head.push_str(match block.retain {
            Retain::Unspecified => "",
            Retain::Retain => " RETAIN",
            Retain::NonRetain => " NON_RETAIN",
        });
        if block.access != Access::Unspecified {
            head.push(' ');
            head.push_str(access(block.access));
        }
        self.line(&head);
        self.indent += 1;
        for var in &block.vars {
            self.before(var.span.start);
            self.var(var, block.section);
        }
        self.before(inside(block.span));
        self.end("END_VAR");
    }

    fn var(&mut self, var: &VarDecl, section: Section) {
        self.start();
        self.put(if var.stopwatch { "{stopwatch} " } else { "" });
        // A variable without a name is known by its address.
        let is_named = !var.name.text.starts_with('%');
        self.put(if is_named { &var.name.text } else { "" });
        if let Some((address, span)) = &var.address {
            self.put(if is_named { " AT " } else { "AT " });
            let written = self.sources.text(*span);
            let text = if written.starts_with('%') { written.to_owned() } else { address_text(address) };
            self.put(&text);
        }
        if let Some(base) = &var.view_of {
            self.put(" AT ");
            self.put(&base.text);
        }
        self.put(" : ");
        if let (Section::Access, Some(Initializer { kind: InitializerKind::Expr(path), .. })) = (section, &var.init) {
            self.expr(path);
            self.put(" : ");
            self.type_spec(&var.ty);
        } else {
            self.type_spec(&var.ty);
            if !var.args.is_empty() {
                self.args(&var.args);
            }
            self.put(match var.edge {
                None => "",
                Some(Edge::Rising) => " R_EDGE",
                Some(Edge::Falling) => " F_EDGE",
            });
            let sign = if matches!(var.ty.kind, TypeSpecKind::Reference(_)) { "REF=" } else { ":=" };
            self.init(sign, var.init.as_ref());
        }
        self.put(";\n");
    }

    pub(super) fn type_decl(&mut self, decl: &TypeDecl) {
        self.start();
        self.put(&decl.name.text);
        if let Some(base) = &decl.extends {
            self.put(" EXTENDS ");
            self.name(base);
        }
        self.put(" : ");
        self.type_spec(&decl.ty);
        self.init(":=", decl.init.as_ref());
        self.put(";\n");
    }

    pub(super) fn type_spec(&mut self, ty: &TypeSpec) {
        match &ty.kind {
            TypeSpecKind::Name(name) => self.put(&name.text),
            TypeSpecKind::Subrange(base, low, high) => {
                self.put(&format!("{} (", base.text));
                self.range(low, high);
                self.put(")");
            }
            TypeSpecKind::Array(bounds, element) => {
                self.put("ARRAY [");
                self.list(bounds, |w, (low, high)| w.range(low, high));
                self.put("] OF ");
                self.type_spec(element);
            }
            TypeSpecKind::OpenArray(n, element) => {
                self.put(&format!("ARRAY [{}] OF ", vec!["*"; *n].join(", ")));
                self.type_spec(element);
            }
            TypeSpecKind::Struct(fields) => self.fields("STRUCT", fields, ty),
            TypeSpecKind::Union(fields) => self.fields("UNION", fields, ty),
            TypeSpecKind::Enum(variants, base) => {
                self.put("(");
                self.list(variants, |w, (name, value)| {
                    w.put(&name.text);
                    if let Some(value) = value {
                        w.put(" := ");
                        w.expr(value);
                    }
                });
                self.put(")");
                if let Some(base) = base {
                    self.put(&format!(" {}", base.text));
                }
            }
            TypeSpecKind::String { wide, length } => {
                self.put(if *wide { "WSTRING" } else { "STRING" });
                if let Some(length) = length {
                    self.put("[");
                    self.expr(length);
                    self.put("]");
                }
            }
            TypeSpecKind::Pointer(target) => self.target("POINTER TO ", target),
            TypeSpecKind::RefTo(target) => self.target("REF_TO ", target),
            TypeSpecKind::Reference(target) => self.target("REFERENCE TO ", target),
            TypeSpecKind::Opaque(words) => self.cannot(words, ty.span),
            TypeSpecKind::Error => self.cannot("a type that could not be read", ty.span),
        }
    }

    fn target(&mut self, words: &str, target: &TypeSpec) {
        self.put(words);
        self.type_spec(target);
    }

    fn fields(&mut self, word: &str, fields: &[VarDecl], ty: &TypeSpec) {
        self.put(&format!("{word}\n"));
        self.indent += 1;
        for field in fields {
            self.before(field.span.start);
            self.var(field, Section::Var);
        }
        self.before(inside(ty.span));
        self.indent -= 1;
        self.start();
        self.put(&format!("END_{word}"));
    }

    fn range(&mut self, low: &Expr, high: &Expr) {
        self.expr(low);
        self.put("..");
        self.expr(high);
    }

    fn init(&mut self, sign: &str, init: Option<&Initializer>) {
        if let Some(init) = init {
            self.put(&format!(" {sign} "));
            self.initializer(init);
        }
    }

    fn initializer(&mut self, init: &Initializer) {
        match &init.kind {
            InitializerKind::Expr(value) => self.expr(value),
            InitializerKind::Array(items) => {
                self.put("[");
                self.list(items, |w, (count, value)| match count {
                    None => w.initializer(value),
                    Some(count) => {
                        w.count(count);
                        w.put("(");
                        w.initializer(value);
                        w.put(")");
                    }
                });
                self.put("]");
            }
            InitializerKind::Struct(fields) => {
                self.put("(");
                self.list(fields, |w, (name, value)| {
                    w.put(&format!("{} := ", name.text));
                    w.initializer(value);
                });
                self.put(")");
            }
        }
    }

    /// Writes the number of repetitions of a value: text has numbers only.
    fn count(&mut self, count: &Expr) {
        if !matches!(count.kind, ExprKind::Literal(_, Literal::Int(_))) {
            self.cannot("a repetition that is no number", count.span);
        }
        self.expr(count);
    }
}

fn word(section: Section) -> &'static str {
    SECTION_WORDS.iter().find(|(_, known)| *known == section).map_or("", |(keyword, _)| keyword.spelling())
}

pub(super) fn access(access: Access) -> &'static str {
    ACCESS.iter().find(|(_, known)| *known == access).map_or("", |(word, _)| word)
}
