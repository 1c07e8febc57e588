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
    pub(super) fn block(&mut self, block: &VarBlock) -> &mut Self {
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
            head += &format!(" {}", access(block.access));
        }
        self.line(&head);
        self.indent += 1;
        for var in &block.vars {
            self.before(var.span.start).var(var, block.section);
        }
        self.before(inside(block.span)).end("END_VAR")
    }

    fn var(&mut self, var: &VarDecl, section: Section) {
        self.start().put(if var.stopwatch { "{stopwatch} " } else { "" });
        // A variable without a name is known by its address.
        let is_named = !var.name.text.starts_with('%');
        if is_named {
            self.ident(&var.name);
        }
        if let Some((address, span)) = &var.address {
            self.put(if is_named { " AT " } else { "AT " });
            let written = self.sources.text(*span);
            let text = if written.starts_with('%') { written.to_owned() } else { address_text(address) };
            self.put(&text);
        }
        if let Some(base) = &var.view_of {
            self.put(" AT ").ident(base);
        }
        self.put(" : ");
        if let (Section::Access, Some(Initializer { kind: InitializerKind::Expr(path), .. })) = (section, &var.init) {
            self.expr(path).put(" : ").type_spec(&var.ty);
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
        self.start().put(&decl.name.text);
        if let Some(base) = &decl.extends {
            self.put(" EXTENDS ").name(base);
        }
        self.put(" : ").type_spec(&decl.ty).init(":=", decl.init.as_ref()).put(";\n");
    }

    pub(super) fn type_spec(&mut self, ty: &TypeSpec) -> &mut Self {
        match &ty.kind {
            TypeSpecKind::Name(name) => self.put(&name.text),
            TypeSpecKind::Subrange(base, range) => self.put(&base.text).put(" (").range(&range.0, &range.1).put(")"),
            TypeSpecKind::Array(bounds, element) => {
                self.put("ARRAY [").list(bounds, |w, (low, high)| w.range(low, high)).put("] OF ").type_spec(element)
            }
            TypeSpecKind::OpenArray(bounds, element) => {
                self.put(&format!("ARRAY [{}] OF ", vec!["*"; bounds.n_dims].join(", "))).type_spec(element)
            }
            TypeSpecKind::Struct(fields) => self.fields("STRUCT", fields, ty),
            TypeSpecKind::Union(fields) => self.fields("UNION", fields, ty),
            TypeSpecKind::Enum(variants, base) => {
                self.put("(");
                self.list(variants, |w, (name, value)| match value {
                    Some(value) => w.put(&name.text).put(" := ").expr(value),
                    None => w.put(&name.text),
                });
                self.put(")");
                if let Some(base) = base { self.put(" ").put(&base.text) } else { self }
            }
            TypeSpecKind::String { wide, length } => {
                self.put(if *wide { "WSTRING" } else { "STRING" });
                if let Some(length) = length { self.put("[").expr(length).put("]") } else { self }
            }
            TypeSpecKind::Pointer(target) => self.put("POINTER TO ").type_spec(target),
            TypeSpecKind::RefTo(target) => self.put("REF_TO ").type_spec(target),
            TypeSpecKind::Reference(target) => self.put("REFERENCE TO ").type_spec(target),
            TypeSpecKind::Opaque(words) => self.cannot(words, ty.span),
            TypeSpecKind::Error => self.cannot("a type that could not be read", ty.span),
        }
    }

    fn fields(&mut self, word: &str, fields: &[VarDecl], ty: &TypeSpec) -> &mut Self {
        self.put(&format!("{word}\n"));
        self.indent += 1;
        for field in fields {
            self.before(field.span.start).var(field, Section::Var);
        }
        self.before(inside(ty.span));
        self.indent -= 1;
        self.start().put(&format!("END_{word}"))
    }

    pub(super) fn range(&mut self, low: &Expr, high: &Expr) -> &mut Self {
        self.expr(low).put("..").expr(high)
    }

    fn init(&mut self, sign: &str, init: Option<&Initializer>) -> &mut Self {
        if let Some(init) = init { self.put(&format!(" {sign} ")).initializer(init) } else { self }
    }

    fn initializer(&mut self, init: &Initializer) -> &mut Self {
        match &init.kind {
            InitializerKind::Expr(value) => self.expr(value),
            InitializerKind::Array(items) => {
                self.put("[");
                self.list(items, |w, (count, value)| match count {
                    None => w.initializer(value),
                    Some(count) => w.count(count).put("(").initializer(value).put(")"),
                });
                self.put("]")
            }
            InitializerKind::Struct(fields) => {
                self.put("(").list(fields, |w, (name, value)| w.ident(name).put(" := ").initializer(value)).put(")")
            }
            InitializerKind::Elements(_) => {
                self.cannot("initial values of some elements of an array", init.span);
                self
            }
        }
    }

    /// Writes the number of repetitions of a value: a text allows only numbers there.
    fn count(&mut self, count: &Expr) -> &mut Self {
        if !matches!(count.kind, ExprKind::Literal(_, Literal::Int(_))) {
            self.cannot("a repetition that is no number", count.span);
        }
        self.expr(count)
    }
}

fn word(section: Section) -> &'static str {
    SECTION_WORDS.iter().find(|(_, known)| *known == section).map_or("", |(keyword, _)| keyword.spelling())
}

pub(super) fn access(access: Access) -> &'static str {
    ACCESS.iter().find(|(_, known)| *known == access).map_or("", |(word, _)| word)
}
