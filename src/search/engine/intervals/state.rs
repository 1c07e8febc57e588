//! Known ranges and orders of all variables at a location.

use std::collections::BTreeMap;

use kernel::cfa::compose::columns::Columns;
use kernel::expr::VarId;

use super::orders::Orders;
use super::range::{Range, Reading, Words};

/// Number of a variable of which nothing is known.
const ANY: u32 = 0;

/// Most case distinctions inside of each other: each is visited several times.
const MOST_NESTING: u32 = 2;

/// Ranges with a number each, from 1, and the column of each variable. All states of an analysis share it.
pub(super) struct Table {
    /// Case distinctions at work.
    nesting: u32,
    columns: BTreeMap<VarId, usize>,
    vars: Vec<VarId>,
    ranges: Vec<Range>,
    numbers: BTreeMap<Range, u32>,
}

/// Ranges and orders. A clone only increments reference counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    row: Columns,
    pub(super) orders: Orders,
}

impl Table {
    /// Returns a table for these variables.
    pub(super) fn new(vars: &[VarId]) -> Table {
        let columns = vars.iter().enumerate().map(|(column, var)| (*var, column)).collect();
        Table { nesting: 0, columns, vars: vars.to_vec(), ranges: Vec::new(), numbers: BTreeMap::new() }
    }

    /// Does a case distinction; `None` inside of too many others. What shares its parts would be visited again for each of them.
    pub(super) fn nested<T>(&mut self, distinguish: impl FnOnce(&mut Table) -> T) -> Option<T> {
        if MOST_NESTING <= self.nesting {
            return None;
        }
        self.nesting += 1;
        let found = distinguish(self);
        self.nesting -= 1;
        Some(found)
    }

    /// Returns a state in which nothing is known.
    pub(super) fn any(&self) -> State {
        State { row: Columns::new(&vec![ANY; self.vars.len()], ANY), orders: Orders::default() }
    }

    /// Returns the range of a variable; `None` if nothing is known.
    pub(super) fn get(&self, state: &State, var: VarId) -> Option<Range> {
        self.range(state.row.get(*self.columns.get(&var)?)?)
    }

    /// Sets the range of a variable of the state; `None` for all values.
    pub(super) fn set(&mut self, state: &mut State, var: VarId, range: Option<Range>) {
        if let Some(column) = self.columns.get(&var).copied() {
            let number = self.number(range);
            state.row.set(column, number);
        }
    }

    /// Returns the variables of which something is known, with their ranges.
    pub(super) fn known(&self, state: &State) -> impl Iterator<Item = (VarId, Range)> {
        let all = self.vars.iter().zip(state.row.iter());
        all.filter_map(|(var, number)| Some((*var, self.range(number)?)))
    }

    /// Returns what holds in both states; `None` if that is what `state` says.
    pub(super) fn join(&mut self, state: &State, other: &State) -> Option<State> {
        self.merge(state, other, |a, b| a.join(b))
    }

    /// Returns what holds in both states, or in the only one.
    pub(super) fn either(&mut self, a: Option<State>, b: Option<State>) -> Option<State> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.join(&a, &b).unwrap_or(a)),
            (a, b) => a.or(b),
        }
    }

    /// Returns what holds in both states, with bounds that change moved to the next of the `stops`, or given up without stops.
    pub(super) fn widen(&mut self, state: &State, other: &State, stops: Option<&[i128]>) -> Option<State> {
        self.merge(state, other, |old, new| {
            let joined = old.join(new)?;
            match (old, joined, stops) {
                (Range::Words(old), Range::Words(joined), Some(stops)) => moved(old, joined, stops).known(),
                (Range::Words(old), Range::Words(joined), None) => moved(old, joined, &[]).known(),
                (Range::Truth(_) | Range::Words(_), _, _) => Some(joined),
            }
        })
    }

    fn merge(&mut self, state: &State, other: &State, mut both: impl FnMut(Range, Range) -> Option<Range>) -> Option<State> {
        let row = state.row.merged(&other.row, |a, b| match (self.range(a), self.range(b)) {
            (Some(a), Some(b)) => {
                let merged = both(a, b);
                self.number(merged)
            }
            (_, _) => ANY,
        });
        let orders = state.orders.join(&other.orders);
        if row.is_none() && orders == state.orders {
            return None;
        }
        Some(State { row: row.unwrap_or_else(|| state.row.clone()), orders })
    }

    fn range(&self, number: u32) -> Option<Range> {
        self.ranges.get((number as usize).checked_sub(1)?).copied()
    }

    fn number(&mut self, range: Option<Range>) -> u32 {
        let Some(range) = range else { return ANY };
        let ranges = &mut self.ranges;
        *self.numbers.entry(range).or_insert_with(|| {
            ranges.push(range);
            u32::try_from(ranges.len()).unwrap_or(ANY)
        })
    }
}

/// Returns `joined`, with each bound that is not that of `old` moved on to the next stop.
fn moved(old: Words, joined: Words, stops: &[i128]) -> Words {
    let all = Words::all(old.width);
    let mut widened = all;
    for reading in [Reading::Unsigned, Reading::Signed] {
        let ((was_low, was_high), (low, high)) = (old.of(reading), joined.of(reading));
        let (least, most) = all.of(reading);
        let below = || stops.get(..stops.partition_point(|stop| *stop <= low)).and_then(<[i128]>::last);
        let above = || stops.get(stops.partition_point(|stop| *stop < high));
        let low = if low < was_low { below().copied().unwrap_or(least).max(least) } else { low };
        let high = if was_high < high { above().copied().unwrap_or(most).min(most) } else { high };
        widened = widened.limited(reading, (low, high)).unwrap_or(all);
    }
    // A stop of one reading may cut the other one.
    widened.hull(joined)
}
