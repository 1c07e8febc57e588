//! Types of paths: fields, elements, targets of pointers, results of methods.

use super::facts::Part;
use super::typing::{Found, Shape, Ty};
use super::uses::Collector;
use crate::ast::unnamed_pin::is_unnamed;
use crate::ast::{Ident, Name, NameElem, TypeSpecKind};
use crate::text::key;

impl<'a> Collector<'a, '_> {
    /// Returns the type of a path; `path` is a beginning of the name's.
    pub(super) fn path(&mut self, name: &'a Name, path: &'a [NameElem]) -> Found<'a> {
        let mut steps = path.iter().peekable();
        let mut found = self.root(&name.root);
        if let (Found::Unknown, Some(NameElem::Field(field))) = (&found, steps.peek())
            && let Some(qualified) = self.qualified(&name.root, field)
        {
            found = qualified;
            steps.next();
        }
        if let Found::Unknown = found {
            found = self.value_root(&name.root, matches!(steps.peek(), Some(NameElem::Field(_))));
        }
        while let Some(step) = steps.next() {
            found = match step {
                NameElem::Field(field) if is_unnamed(&field.text) => Found::Unknown,
                NameElem::Field(field) => match steps.peek() {
                    Some(NameElem::Call(args, _)) => {
                        steps.next();
                        self.call_member(found, field, args, true)
                    }
                    Some(_) | None => self.field(found, field),
                },
                NameElem::Index(indices, _) => {
                    indices.iter().for_each(|index| {
                        self.value(index, Some(&Ty::Int));
                    });
                    self.inside(&found)
                }
                NameElem::Deref(_) => match found {
                    Found::Block(pou) => Found::Block(pou),
                    // SUPER^ of a missing block.
                    Found::Slot((missing, Part::Whole)) => Found::Slot((missing, Part::Whole)),
                    found => self.inside(&found),
                },
                NameElem::Bits { width, .. } => Found::Ty(Ty::named(match width {
                    1 => "BOOL",
                    8 => "BYTE",
                    16 => "WORD",
                    _ => "DWORD",
                })),
                NameElem::Call(args, _) => {
                    self.arguments_of_unknown(args);
                    Found::Unknown
                }
            };
        }
        found
    }

    /// Returns the type of a variable of a list, or of a value of an enumeration.
    fn qualified(&self, root: &Ident, field: &Ident) -> Option<Found<'a>> {
        let (root, field) = (key(&root.text), key(&field.text));
        if self.tables.is_list(&root) {
            return Some(self.tables.in_list(&root, &field).map_or(Found::Unknown, |var| self.of_spec(&var.ty)));
        }
        let decl = self.tables.type_decl(&root)?;
        matches!(decl.ty.kind, TypeSpecKind::Enum(..)).then(|| Found::Ty(Ty::named(&decl.name.text)))
    }

    fn inside(&self, found: &Found<'a>) -> Found<'a> {
        match self.shape(found) {
            Shape::Elements(spec) | Shape::Behind(spec) => self.of_spec(spec),
            Shape::Inside(ty) => Found::Ty(ty),
            Shape::Missing(_) | Shape::Block(_) | Shape::Fields(_) | Shape::Interface(_) | Shape::Other => Found::Unknown,
        }
    }

    /// Returns the type of a part behind a dot.
    fn field(&mut self, found: Found<'a>, field: &Ident) -> Found<'a> {
        let name = key(&field.text);
        match self.shape(&found) {
            Shape::Missing(missing) => self.member(&missing, field),
            Shape::Fields(fields) => {
                let field = fields.into_iter().find(|var| key(&var.name.text) == name);
                field.map_or(Found::Unknown, |var| self.of_spec(&var.ty))
            }
            Shape::Block(pou) => match (self.tables.variable(pou, &name), self.tables.property(pou, &name)) {
                (Some(var), _) => self.of_spec(&var.ty),
                (None, Some(property)) => self.of_spec(&property.ty),
                (None, None) => self.inherited_part(pou, field),
            },
            Shape::Interface(interface) => {
                let property = interface.properties.iter().find(|property| key(&property.name.text) == name);
                property.map_or(Found::Unknown, |property| self.of_spec(&property.ty))
            }
            // A REFERENCE is followed without a sign.
            Shape::Behind(_) | Shape::Inside(_) => {
                let inner = self.inside(&found);
                match self.shape(&inner) {
                    Shape::Behind(_) | Shape::Inside(_) | Shape::Other => Found::Unknown,
                    _ => self.field(inner, field),
                }
            }
            Shape::Elements(_) | Shape::Other => Found::Unknown,
        }
    }
}
