//! Constants of many variables at many locations.

use std::collections::BTreeMap;

use crate::cfa::compose::columns::Columns;
use crate::expr::Value;

/// Number of an unknown value.
const UNKNOWN: u32 = 0;

/// A partial assignment of values, by number (see [`Values`]).
#[derive(Clone)]
pub(super) struct ConstantValues(Columns);

/// Values with a number each, from 1.
#[derive(Default)]
pub(super) struct Values {
    table: Vec<Value>,
    number: BTreeMap<Value, u32>,
}

impl Values {
    fn number(&mut self, value: Option<Value>) -> u32 {
        let Some(value) = value else { return UNKNOWN };
        let table = &mut self.table;
        *self.number.entry(value).or_insert_with(|| {
            table.push(value);
            table.len() as u32
        })
    }
    fn value(&self, number: u32) -> Option<Value> {
        self.table.get((number as usize).checked_sub(1)?).copied()
    }
}

impl ConstantValues {
    pub(super) fn new(values: &mut Values, all: impl Iterator<Item = Option<Value>>) -> ConstantValues {
        let numbers: Vec<u32> = all.map(|v| values.number(v)).collect();
        ConstantValues(Columns::new(&numbers, UNKNOWN))
    }
    pub(super) fn get(&self, values: &Values, column: usize) -> Option<Value> {
        values.value(self.0.get(column)?)
    }
    pub(super) fn set(&mut self, values: &mut Values, column: usize, value: Option<Value>) {
        self.0.set(column, values.number(value));
    }
    /// Returns the constants of both; `None` if they are all that `self` has.
    pub(super) fn join(&self, other: &ConstantValues) -> Option<ConstantValues> {
        self.0.merged(&other.0, |_, _| UNKNOWN).map(ConstantValues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_keeps_what_both_know() {
        let mut values = Values::default();
        let row = |n: Option<i128>| n.map(|n| Value::int(8, n));
        let (a, b) = ([Some(1), Some(2), None, Some(4)], [Some(1), Some(3), Some(3), None]);
        let a = ConstantValues::new(&mut values, a.into_iter().map(row));
        let b = ConstantValues::new(&mut values, b.into_iter().map(row));
        let joined = a.join(&b).unwrap();
        let read = |known: &ConstantValues| (0..4).map(|i| known.get(&values, i)).collect::<Vec<_>>();
        assert_eq!(read(&joined), [row(Some(1)), None, None, None]);
        assert!(joined.join(&a).is_none());
        assert!(joined.join(&b).is_none());
        assert_eq!(a.get(&values, 200), None);
    }
}
