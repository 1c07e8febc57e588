//! Start values of single elements of arrays, also inside of arrays of structures: `<Subelement Path="0,3">`.
//!
//! A path lists the indices of all arrays around the value, from the outermost one to the innermost one.

use super::{Reader, ident};
use crate::ast::{Expr, ExprKind, Ident, Initializer, InitializerKind, Literal};
use crate::lang::xml::Element;
use crate::text::{Span, key};

/// One step from the outermost array to a value.
#[derive(Clone)]
enum Step {
    Field(Ident),
    /// An element; the number of its indices.
    Element(usize),
}

/// Start values by the parts that they belong to.
#[derive(Default)]
struct Values {
    value: Option<Initializer>,
    fields: Vec<(Ident, Values)>,
    elements: Vec<(Vec<i128>, Span, Values)>,
}

/// A path that does not fit its arrays.
struct Misfit;

/// Returns the number of dimensions of a member that is an array.
pub(super) fn dimensions(member: Element<'_>) -> Option<usize> {
    let datatype = member.attribute("Datatype")?;
    let upper = datatype.text.trim().to_ascii_uppercase();
    let bounds = upper.strip_prefix("ARRAY")?.split(']').next()?;
    Some(bounds.matches("..").count())
}

/// Returns the members directly inside of a member: of a structure in place, or of a named type.
pub(super) fn inner_members<'d>(member: Element<'d>) -> Vec<Element<'d>> {
    let of_type = member.child("Sections").into_iter().flat_map(|sections| sections.children());
    member.children_named("Member").chain(of_type.flat_map(|section| section.children_named("Member"))).collect()
}

impl Reader<'_> {
    /// Returns the values of single elements of an array; `Err` where a path has not one index for each dimension around its value.
    pub(super) fn elements(&mut self, member: Element<'_>) -> Result<Option<Initializer>, ()> {
        let Some(n_dims) = dimensions(member) else { return Ok(None) };
        let mut values = Values::default();
        let mut open = vec![(member, vec![Step::Element(n_dims)])];
        while let Some((inner, steps)) = open.pop() {
            self.add_elements(inner, &steps, &mut values).map_err(|Misfit| ())?;
            for part in inner_members(inner) {
                let Some(name) = part.attribute("Name") else { continue };
                let field = Step::Field(ident(name.text.trim(), name.span));
                let dims = dimensions(part).map(Step::Element);
                open.push((part, steps.iter().cloned().chain([field]).chain(dims).collect()));
            }
        }
        let span = member.tag_span();
        Ok((!values.is_empty()).then(|| values.initializer(span)))
    }

    fn add_elements(&mut self, member: Element<'_>, steps: &[Step], values: &mut Values) -> Result<(), Misfit> {
        for part in member.children_named("Subelement") {
            let Some(value) = part.child("StartValue") else { continue };
            let path = part.attribute("Path").ok_or(Misfit)?;
            let indices: Option<Vec<i128>> = path.text.split(',').map(|text| text.trim().parse().ok()).collect();
            let n_indices: usize = steps.iter().map(|step| if let Step::Element(n) = step { *n } else { 0 }).sum();
            let indices = indices.filter(|indices| indices.len() == n_indices).ok_or(Misfit)?;
            if let Some(value) = self.value(value) {
                values.at(steps, &indices, path.span).value = Some(value);
            }
        }
        Ok(())
    }
}

impl Values {
    fn is_empty(&self) -> bool {
        self.value.is_none() && self.fields.is_empty() && self.elements.is_empty()
    }

    /// Returns the slot of a part. Cost: linear in the parts on the way that have values.
    fn at(&mut self, steps: &[Step], indices: &[i128], span: Span) -> &mut Values {
        let Some((first, steps)) = steps.split_first() else { return self };
        match first {
            Step::Field(name) => {
                let known = self.fields.iter().position(|(other, _)| key(&other.text) == key(&name.text));
                let at = known.unwrap_or(self.fields.len());
                if at == self.fields.len() {
                    self.fields.push((name.clone(), Values::default()));
                }
                self.fields[at].1.at(steps, indices, span)
            }
            Step::Element(n_dims) => {
                let (own, indices) = indices.split_at((*n_dims).min(indices.len()));
                // Elements of one array come one behind the other.
                let known = self.elements.iter().rposition(|(other, ..)| other == own);
                let at = known.unwrap_or(self.elements.len());
                if at == self.elements.len() {
                    self.elements.push((own.to_vec(), span, Values::default()));
                }
                self.elements[at].2.at(steps, indices, span)
            }
        }
    }

    fn initializer(self, span: Span) -> Initializer {
        if let Some(value) = self.value {
            return value;
        }
        let number = |index: i128, span| Expr { kind: ExprKind::Literal(None, Literal::Int(index)), span };
        let kind = if self.fields.is_empty() {
            let elements = self.elements.into_iter().map(|(indices, span, values)| {
                (indices.into_iter().map(|index| number(index, span)).collect(), values.initializer(span))
            });
            InitializerKind::Elements(elements.collect())
        } else {
            let fields = self.fields.into_iter().map(|(name, values)| {
                let span = name.span;
                (name, values.initializer(span))
            });
            InitializerKind::Struct(fields.collect())
        };
        Initializer { kind, span }
    }
}
