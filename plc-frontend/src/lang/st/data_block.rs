//! Data blocks of SCL: global variables, whose initial values stand behind BEGIN.

use std::collections::BTreeMap;

use super::decl::ListEnd;
use super::parser::Parser;
use super::stmt::NEXT;
use crate::ast::{Ident, Initializer, InitializerKind, Name, NameElem, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::lang::common::token::{Set, Tok};
use crate::text::{Diagnostic, Span, key};

/// Tokens that end a data block at the latest.
pub(super) const BEHIND_DATA: Set = Set::of(&[Tok::Program, Tok::FunctionBlock, Tok::Function, Tok::Type, Tok::EndNamespace]);

impl Parser<'_> {
    /// Reads `DATA_BLOCK "name" … BEGIN x := 1; END_DATA_BLOCK`: a global variable.
    pub(super) fn data_block(&mut self) -> Option<VarBlock> {
        let frame = self.open_frame("DATA_BLOCK", Tok::EndDataBlock);
        let name = self.name("the name of a data block");
        self.end_of_header();
        self.eat(Tok::Colon);
        let ty = self.data_type();
        self.eat(Tok::Semicolon);
        self.header_lines();
        self.begin();
        let mut values = Values::default();
        while !self.at(Tok::End) && !self.at(Tok::EndDataBlock) && !self.at_set(BEHIND_DATA) && !self.at_scl_item() {
            if self.is_lost() {
                self.skip_to(NEXT.or(Set::of(&[Tok::EndDataBlock])));
                self.eat(Tok::Semicolon);
                self.found_again();
            } else if !self.eat(Tok::Semicolon) {
                self.initial_assignment(&mut values);
            }
        }
        self.found_again();
        self.end_of_frame(frame);
        let span = self.since(frame.opener);
        let init = (!values.fields.is_empty()).then(|| values.initializer(span));
        let var = VarDecl { init, ..VarDecl::new(name?, ty, span) };
        Some(VarBlock::new(Section::Global, vec![var], span))
    }

    /// Reads the type of a data block: STRUCT, declaration sections, or the name of a block or type.
    fn data_type(&mut self) -> TypeSpec {
        let start = self.here();
        if self.at(Tok::Var) {
            let mut fields = Vec::new();
            while self.at(Tok::Var) {
                let opener = self.here();
                self.bump();
                self.qualifiers();
                fields.extend(self.declarations(ListEnd { end: Tok::EndVar, opener, what: "section", section: None }));
                self.eat(Tok::Semicolon);
            }
            return TypeSpec { kind: TypeSpecKind::Struct(fields), span: self.since(start) };
        }
        self.type_spec()
    }

    /// Reads `a.b := value;` behind BEGIN.
    fn initial_assignment(&mut self, values: &mut Values) {
        if !self.at(Tok::Word) {
            self.expected("an initial value", "initial values are written `name := value;`");
            self.bump();
            return;
        }
        let path = self.path().node;
        if !self.expect(Tok::Assign, "initial values are written `name := value;`") {
            return;
        }
        let value = Initializer::value(self.expression());
        if self.is_lost() {
            return;
        }
        self.semicolon("this initial value");
        let Some(fields) = fields_of(&path) else {
            let message = "the initial value of a part of an array cannot be read here";
            let diagnostic = Diagnostic::error("P1037", path.span, message, "an element of an array");
            self.report(diagnostic.help("write it where the array is declared: `a : ARRAY [0..2] OF INT := [1, 2, 3];`"));
            return;
        };
        values.put(&fields, value);
    }
}

/// Returns the fields of a path without indices.
fn fields_of(path: &Name) -> Option<Vec<Ident>> {
    /// Structures in structures.
    const DEEPEST: usize = 64;
    let mut fields = vec![path.root.clone()];
    for elem in path.path.iter().take(DEEPEST + 1) {
        let NameElem::Field(field) = elem else { return None };
        fields.push(field.clone());
    }
    (fields.len() <= DEEPEST).then_some(fields)
}

/// Initial values by the fields that they belong to.
#[derive(Default)]
struct Values {
    fields: Vec<(Ident, Value)>,
    by_name: BTreeMap<String, usize>,
}

enum Value {
    Whole(Initializer),
    Parts(Values, Span),
}

impl Values {
    /// Gives the part at the path `fields` its value; the last assignment counts.
    fn put(&mut self, fields: &[Ident], value: Initializer) {
        let Some((first, rest)) = fields.split_first() else { return };
        let place = first.span.to(value.span);
        let next = self.fields.len();
        let at = *self.by_name.entry(key(&first.text)).or_insert(next);
        if at == next {
            self.fields.push((first.clone(), Value::Parts(Values::default(), place)));
        }
        let Some((_, slot)) = self.fields.get_mut(at) else { return };
        if rest.is_empty() {
            *slot = Value::Whole(value);
            return;
        }
        if let Value::Whole(_) = slot {
            *slot = Value::Parts(Values::default(), place);
        }
        if let Value::Parts(inner, span) = slot {
            *span = span.to(place);
            inner.put(rest, value);
        }
    }

    fn initializer(self, span: Span) -> Initializer {
        let fields = self.fields.into_iter().map(|(name, value)| match value {
            Value::Whole(init) => (name, init),
            Value::Parts(inner, span) => (name, inner.initializer(span)),
        });
        Initializer { kind: InitializerKind::Struct(fields.collect()), span }
    }
}
