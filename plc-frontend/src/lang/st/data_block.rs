//! Data blocks of SCL: global variables, whose initial values stand behind BEGIN.

use std::collections::BTreeMap;

use super::decl::ListEnd;
use super::parser::Parser;
use super::stmt::NEXT;
use crate::ast::{Expr, Ident, Initializer, InitializerKind, Name, NameElem, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
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
        let init = (!values.parts.is_empty()).then(|| values.initializer(span));
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
        let ty = self.type_spec();
        // An array data block: its only member is the array `THIS`.
        if self.is_scl() && matches!(ty.kind, TypeSpecKind::Array(..)) {
            let (span, member) = (ty.span, Ident::new("THIS", ty.span));
            return TypeSpec { kind: TypeSpecKind::Struct(vec![VarDecl::new(member, ty, span)]), span };
        }
        ty
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
        let Some(steps) = steps_of(&path) else {
            let message = "the initial value of a part like this cannot be read here";
            let diagnostic = Diagnostic::error("P1037", path.span, message, "neither a field nor an element");
            self.report(diagnostic.help("write it where the variable is declared: `a : INT := 3;`"));
            return;
        };
        if !values.put(&steps, value, self.text) {
            let diagnostic =
                Diagnostic::error("P1037", path.span, "this part has fields and elements", "one of the two is wrong");
            self.report(diagnostic.help("a structure has fields, an array has elements"));
        }
    }
}

/// One step of the path to a part.
#[derive(Clone)]
enum Step {
    Field(Ident),
    /// The element, and the place of its indices.
    Element(Vec<Expr>, Span),
}

impl Step {
    fn span(&self) -> Span {
        match self {
            Step::Field(name) => name.span,
            Step::Element(_, span) => *span,
        }
    }

    /// Returns a text that is the same for the same part.
    fn key(&self, text: &str) -> String {
        match self {
            Step::Field(name) => key(&name.text).to_string(),
            Step::Element(_, span) => text.get(span.start as usize..span.end as usize).unwrap_or("").split_whitespace().collect(),
        }
    }
}

/// Returns the steps of a path through fields and elements.
fn steps_of(path: &Name) -> Option<Vec<Step>> {
    /// Structures in structures.
    const DEEPEST: usize = 64;
    let mut steps = vec![Step::Field(path.root.clone())];
    for elem in path.path.iter().take(DEEPEST + 1) {
        match elem {
            NameElem::Field(field) => steps.push(Step::Field(field.clone())),
            NameElem::Index(indices, span) => steps.push(Step::Element(indices.clone(), *span)),
            NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => return None,
        }
    }
    (steps.len() <= DEEPEST).then_some(steps)
}

/// Initial values by the parts that they belong to.
#[derive(Default)]
struct Values {
    parts: Vec<(Step, Value)>,
    by_key: BTreeMap<String, usize>,
}

enum Value {
    Whole(Initializer),
    Parts(Values, Span),
}

impl Values {
    /// Gives the part at the path `steps` its value; the last assignment counts. `false`: a part on the way has fields and elements.
    fn put(&mut self, steps: &[Step], value: Initializer, text: &str) -> bool {
        let Some((first, rest)) = steps.split_first() else { return true };
        if self.parts.first().is_some_and(|(other, _)| matches!(other, Step::Field(_)) != matches!(first, Step::Field(_))) {
            return false;
        }
        let place = first.span().to(value.span);
        let next = self.parts.len();
        let at = *self.by_key.entry(first.key(text)).or_insert(next);
        if at == next {
            self.parts.push((first.clone(), Value::Parts(Values::default(), place)));
        }
        let Some((_, slot)) = self.parts.get_mut(at) else { return true };
        if rest.is_empty() {
            *slot = Value::Whole(value);
            return true;
        }
        if let Value::Whole(_) = slot {
            *slot = Value::Parts(Values::default(), place);
        }
        if let Value::Parts(inner, span) = slot {
            *span = span.to(place);
            return inner.put(rest, value, text);
        }
        true
    }

    /// Returns the values as one.
    fn initializer(self, span: Span) -> Initializer {
        let (mut fields, mut elements) = (Vec::new(), Vec::new());
        for (step, value) in self.parts {
            let init = match value {
                Value::Whole(init) => init,
                Value::Parts(inner, span) => inner.initializer(span),
            };
            match step {
                Step::Field(name) => fields.push((name, init)),
                Step::Element(indices, _) => elements.push((indices, init)),
            }
        }
        let kind = if fields.is_empty() { InitializerKind::Elements(elements) } else { InitializerKind::Struct(fields) };
        Initializer { kind, span }
    }
}
