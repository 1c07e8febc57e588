//! Typed indices and the vectors they index: an id of one table cannot index another.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into one table.
pub trait Id: Copy + Eq + Ord {
    /// Returns the id of the `index`-th row.
    fn new(index: usize) -> Self;
    /// Returns the row's number.
    fn index(self) -> usize;
}

/// Declares a typed index.
#[macro_export]
macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
        impl $crate::ids::Id for $name {
            fn new(index: usize) -> Self {
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector indexed by one id type.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    rows: Vec<T>,
    _id: PhantomData<I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// Returns an empty table.
    pub fn new() -> Self {
        IndexVec { rows: Vec::new(), _id: PhantomData }
    }
    /// Appends a row and returns its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::new(self.rows.len());
        self.rows.push(row);
        id
    }
    /// Removes the last row and returns it.
    pub fn pop(&mut self) -> Option<T> {
        self.rows.pop()
    }
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// Returns the row of `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }
    /// Returns all rows in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }
    /// Returns all rows in order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }
    /// Returns all ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.rows.len()).map(I::new)
    }
    /// Returns all ids with their rows.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.rows.iter().enumerate().map(|(i, row)| (I::new(i), row))
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<X: IntoIterator<Item = T>>(iter: X) -> Self {
        IndexVec { rows: iter.into_iter().collect(), _id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I: Id + std::fmt::Debug, T: std::fmt::Debug> std::fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter_enumerated()).finish()
    }
}
