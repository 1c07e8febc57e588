//! The type table: rows of anonymous types, and the sizes of types.

use crate::hir::{Field, PouId, Project, Type, TypeDef, TypeId};
use crate::resolve::findings::{Findings, Res};
use crate::resolve::types::elementary;
use crate::resolve::types::type_values::CalledValue;
use crate::text::{Span, codes};
use std::collections::BTreeMap;

/// Most levels of structures and arrays in a type.
const MAX_TYPE_LEVELS: usize = 50;

/// Facts about the rows of [`Project::types`] that only the resolver needs.
#[derive(Debug, Default)]
pub(crate) struct TypeTable {
    /// Anonymous types by their form, as printed for debugging.
    by_form: BTreeMap<String, TypeId>,
    /// Levels of structures and arrays in each type.
    levels: BTreeMap<TypeId, usize>,
    /// Number of scalars of each type; instances count as one.
    sizes: BTreeMap<TypeId, usize>,
    /// Arrays with too many values to be kept; the project has an unmodelled type in the place of each.
    large: BTreeMap<TypeId, LargeArray>,
    /// Most values of an array that is kept; `None` for the limit of all types.
    pub(crate) most_values: Option<usize>,
    /// Inherited fields of the structure that is being declared.
    pub(crate) inherited_fields: Vec<Field>,
    /// Initial values of fields that call functions, by structure and position.
    pub(crate) values: BTreeMap<(TypeId, usize), CalledValue>,
    /// Those of the inherited fields of the structure that is being declared.
    pub(crate) inherited_values: BTreeMap<usize, CalledValue>,
}

/// Array with too many values to be kept.
#[derive(Clone, Debug)]
pub(crate) struct LargeArray {
    /// Bounds of the dimensions.
    pub(crate) dims: Vec<(i64, i64)>,
    /// Type of the elements.
    pub(crate) elem: TypeId,
}

impl LargeArray {
    /// Returns the number of elements.
    pub(crate) fn n_elements(&self) -> u64 {
        let count = |(low, high): &(i64, i64)| u64::try_from(i128::from(*high) - i128::from(*low) + 1).unwrap_or(u64::MAX);
        self.dims.iter().map(count).fold(1, u64::saturating_mul)
    }
}

impl TypeTable {
    /// Returns the row of an anonymous type; two types of one form share it.
    pub(crate) fn anonymous(&mut self, project: &mut Project, ty: Type, span: Span) -> TypeId {
        self.of_form(project, format!("{ty:?}"), ty, span)
    }

    /// Returns the row of an anonymous type with a form of its own.
    pub(crate) fn of_form(&mut self, project: &mut Project, form: String, ty: Type, span: Span) -> TypeId {
        *self.by_form.entry(form).or_insert_with(|| project.types.push(TypeDef { name: None, ty, span }))
    }

    /// Returns the type of instances of a block.
    pub(crate) fn block(&mut self, project: &mut Project, pou: PouId) -> TypeId {
        let span = project.pous[pou].span;
        self.anonymous(project, Type::FunctionBlock(pou), span)
    }

    /// Returns the type STRING[length] or WSTRING[length].
    pub(crate) fn text(&mut self, project: &mut Project, wide: bool, length: usize, span: Span) -> TypeId {
        let elem = if wide { elementary::TEXT16 } else { elementary::TEXT8 };
        let length = length.max(1);
        let ty = self.anonymous(project, Type::Array { dims: vec![(1, length as i64)], elem }, span);
        self.sizes.insert(ty, length);
        ty
    }

    /// Returns the type that stands for an array with too many values.
    pub(crate) fn large_array(&mut self, project: &mut Project, dims: Vec<(i64, i64)>, elem: TypeId, span: Span) -> TypeId {
        let bounds: Vec<String> = dims.iter().map(|(low, high)| format!("{low}..{high}")).collect();
        let words = format!("ARRAY [{}] OF {}", bounds.join(", "), project.type_name(elem));
        let form = format!("large {dims:?} {elem:?}");
        let ty = self.of_form(project, form, Type::Opaque(words), span);
        self.large.insert(ty, LargeArray { dims, elem });
        ty
    }

    /// Returns the array that an unmodelled type stands for.
    pub(crate) fn large(&self, ty: TypeId) -> Option<&LargeArray> {
        self.large.get(&ty)
    }

    /// Returns whether arrays with too many values are the only parts of a type that are not modelled.
    pub(crate) fn lacks_large_only(&self, project: &Project, ty: TypeId) -> bool {
        let mut opaque = project.types_inside(ty).filter(|ty| matches!(project.types[*ty].ty, Type::Opaque(_)));
        opaque.all(|ty| self.large.contains_key(&ty))
    }

    /// Returns whether some array has too many values to be kept.
    pub(crate) fn has_large(&self) -> bool {
        !self.large.is_empty()
    }

    /// Returns the number of scalars in a type; instances count as one until their blocks are known.
    pub(crate) fn size(&self, ty: TypeId) -> usize {
        self.sizes.get(&ty).copied().unwrap_or(1)
    }

    /// Sets the number of scalars in a type.
    pub(crate) fn set_size(&mut self, ty: TypeId, scalars: usize) {
        self.sizes.insert(ty, scalars);
    }

    /// Returns the initial values of the fields of a structure that call functions.
    pub(crate) fn values_of(&self, ty: TypeId) -> BTreeMap<usize, CalledValue> {
        let all = (ty, 0)..=(ty, usize::MAX);
        self.values.range(all).map(|((_, at), value)| (*at, value.clone())).collect()
    }

    /// Returns whether a variable of this type has a field whose initial value calls a function.
    pub(crate) fn holds_called_value(&self, project: &Project, ty: TypeId) -> bool {
        let mut inside = project.types_inside(ty);
        !self.values.is_empty() && inside.any(|ty| self.values.range((ty, 0)..=(ty, usize::MAX)).next().is_some())
    }

    /// Returns the levels of structures and arrays in a type.
    pub(crate) fn levels(&self, ty: TypeId) -> usize {
        self.levels.get(&ty).copied().unwrap_or(0)
    }

    /// Sets the levels of a type that holds `inside` others; too many are an error at `span`.
    pub(crate) fn set_levels(&mut self, findings: &mut Findings, ty: TypeId, inside: usize, span: Span) -> Res<()> {
        self.levels.insert(ty, inside + 1);
        if inside < MAX_TYPE_LEVELS {
            return Ok(());
        }
        let message = format!("more than {MAX_TYPE_LEVELS} structures and arrays stand in each other here");
        Err(findings.error(codes::TOO_DEEP, span, message, "too deep"))
    }
}
