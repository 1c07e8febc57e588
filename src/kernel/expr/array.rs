//! Concrete arrays: finitely many entries and a default, each array once for the life of the process.
//!
//! **Invariant:** canonical. Two `ArrayRef`s are equal iff they are the same function, so no entry equals the default. If the
//! index sort has so few values that several defaults are possible, the default is the most frequent element. A run is one
//! process, so interned arrays are freed at its end; an array has at most [`MOST_ENTRIES`] entries.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::float::FloatSort;
use super::sort::{Scalar, Sort, Value, mask};

/// Arrays with more entries are not built: their value is unknown.
pub const MOST_ENTRIES: usize = 512;

/// An array, shared and never freed. Equality compares addresses; the order is that of the contents.
#[derive(Clone, Copy, Debug)]
pub struct ArrayRef(&'static Contents);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Contents {
    index: Scalar,
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl ArrayRef {
    /// Returns the array that has `element` everywhere, which must be a scalar.
    pub fn constant(index: Scalar, element: Value) -> ArrayRef {
        intern(Contents { index, default: element, entries: BTreeMap::new() })
    }
    /// Returns the sort of its indices.
    pub fn index_sort(self) -> Scalar {
        self.0.index
    }
    /// Returns the sort of its elements.
    pub fn element_sort(self) -> Scalar {
        match self.0.default.sort().scalar() {
            Some(scalar) => scalar,
            None => unreachable!("the elements of an array are scalars"),
        }
    }
    /// Returns the element at every index that has no entry.
    pub fn default(self) -> Value {
        self.0.default
    }
    /// Returns the indices with another element, ascending.
    pub fn entries(self) -> impl ExactSizeIterator<Item = (Value, Value)> {
        self.0.entries.iter().map(|(index, element)| (*index, *element))
    }
    /// Returns the element at `index`; `None` if the sort is wrong.
    pub fn select(self, index: Value) -> Option<Value> {
        if index.sort() != Sort::from(self.0.index) {
            return None;
        }
        Some(self.0.entries.get(&index.canonical()).copied().unwrap_or(self.0.default))
    }
    /// Returns the array with another element at `index`; `None` if a sort is wrong or it would have too many entries.
    pub fn store(self, index: Value, element: Value) -> Option<ArrayRef> {
        let (index, element) = (index.canonical(), element.canonical());
        let Contents { index: sort, default, ref entries } = *self.0;
        if index.sort() != Sort::from(sort) || element.sort() != default.sort() {
            return None;
        }
        let mut entries = entries.clone();
        if element == default {
            entries.remove(&index);
        } else {
            entries.insert(index, element);
        }
        if MOST_ENTRIES < entries.len() {
            return None;
        }
        let contents = Contents { index: sort, default, entries };
        Some(intern(match cardinality(sort) {
            // Fewer than half of all indices have an entry: the default is the most frequent element already.
            Some(n) if n <= 2 * contents.entries.len() => majority(contents),
            Some(_) | None => contents,
        }))
    }
}

/// Returns the contents with the most frequent element as the default; of equally frequent ones the least.
fn majority(contents: Contents) -> Contents {
    let Contents { index, default, entries } = contents;
    let all: BTreeMap<Value, Value> =
        values(index).into_iter().map(|i| (i, entries.get(&i).copied().unwrap_or(default))).collect();
    let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
    for element in all.values() {
        *counts.entry(*element).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let default = counts.into_iter().find(|(_, n)| *n == most).map_or(default, |(element, _)| element);
    Contents { index, default, entries: all.into_iter().filter(|(_, element)| *element != default).collect() }
}

/// Returns the number of values of an index, if they are so few that it matters here.
fn cardinality(sort: Scalar) -> Option<usize> {
    let few = |n: u32| (n <= 13).then(|| 1usize << n);
    match sort {
        Scalar::Bool => Some(2),
        Scalar::BitVec(width) => few(width.into()),
        Scalar::Float(float) => {
            let (exponent, significand) = float.bits();
            // All NaNs are one value, so small formats have far fewer values than bit patterns. Counting patterns would only call
            // an array canonical too early.
            few(exponent + significand).map(|_| values(Scalar::Float(float)).len())
        }
        Scalar::Int => None,
    }
}

/// Returns all values of a sort that has few.
fn values(sort: Scalar) -> BTreeSet<Value> {
    match sort {
        Scalar::Bool => [false, true].map(Value::Bool).into(),
        Scalar::BitVec(width) => (0..=mask(width)).map(|bits| Value::bv(width, bits)).collect(),
        Scalar::Float(float) => all_floats(float),
        Scalar::Int => BTreeSet::new(),
    }
}

fn all_floats(float: FloatSort) -> BTreeSet<Value> {
    let (exponent, significand) = float.bits();
    (0..=mask((exponent + significand) as u16)).map(|bits| Value::float(float, bits)).collect()
}

/// Returns the one copy of an array.
fn intern(contents: Contents) -> ArrayRef {
    static ALL: OnceLock<Mutex<BTreeSet<&'static Contents>>> = OnceLock::new();
    // A poisoned table is still consistent: an insertion is one step.
    let mut all = ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    match all.get(&contents) {
        Some(known) => ArrayRef(known),
        None => {
            let new: &'static Contents = Box::leak(Box::new(contents));
            all.insert(new);
            ArrayRef(new)
        }
    }
}

impl PartialEq for ArrayRef {
    fn eq(&self, other: &ArrayRef) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for ArrayRef {}

impl PartialOrd for ArrayRef {
    fn partial_cmp(&self, other: &ArrayRef) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ArrayRef {
    fn cmp(&self, other: &ArrayRef) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.cmp(other.0) }
    }
}

impl Hash for ArrayRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.default.hash(state);
        self.0.entries.len().hash(state);
        if let Some((index, element)) = self.0.entries.first_key_value() {
            (index, element).hash(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(width: u16, v: u128) -> Value {
        Value::bv(width, v)
    }

    #[test]
    fn the_same_function_is_the_same_array() {
        let zeros = ArrayRef::constant(Scalar::Int, Value::Int(0));
        let one = zeros.store(Value::Int(5), Value::Int(1)).unwrap();
        assert_ne!(one, zeros);
        assert_eq!(one.store(Value::Int(5), Value::Int(0)), Some(zeros));
        assert_eq!(one.select(Value::Int(5)), Some(Value::Int(1)));
        assert_eq!(one.select(Value::Int(6)), Some(Value::Int(0)));
        assert_eq!(one.select(Value::Bool(true)), None);
        assert_eq!(one.store(Value::Int(1), Value::Bool(true)), None);
        assert_eq!(Value::Array(one).to_string(), "[5 <- 1, default <- 0]");
    }

    #[test]
    fn few_indices_leave_no_choice_of_the_default() {
        // Built from every default, in every order: one array.
        for index in [Scalar::Bool, Scalar::BitVec(1), Scalar::BitVec(2)] {
            let all: Vec<Value> = values(index).into_iter().collect();
            let mut same = BTreeSet::new();
            for default in 0..4 {
                for reversed in [false, true] {
                    let mut array = ArrayRef::constant(index, bits(8, default));
                    let order: Vec<usize> = if reversed { (0..all.len()).rev().collect() } else { (0..all.len()).collect() };
                    for i in order {
                        array = array.store(all[i], bits(8, (i % 2) as u128)).unwrap();
                    }
                    same.insert(array);
                }
            }
            assert_eq!(same.len(), 1, "{index:?}");
        }
        let float = Scalar::Float(FloatSort::new(2, 2).unwrap());
        // Sixteen patterns, two of which are NaN.
        assert_eq!(cardinality(float), Some(15));
    }

    #[test]
    fn too_many_entries_are_unknown() {
        let mut array = ArrayRef::constant(Scalar::BitVec(64), Value::Bool(false));
        for i in 0..MOST_ENTRIES {
            array = array.store(bits(64, i as u128), Value::Bool(true)).unwrap();
        }
        assert_eq!(array.store(bits(64, 1 << 40), Value::Bool(true)), None);
    }
}
