//! Places in a C file that witnesses refer to: calls for arbitrary values, labels of loops, the error.
//!
//! While the file is written each question carries a mark that no C has; when it is complete, marks become lines and columns.

use std::collections::BTreeMap;

use kernel::cfa::{Cfa, EdgeId, LocId};
use kernel::expr::VarId;

/// A question for an arbitrary value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::export) enum Ask {
    /// The value of a variable at the start.
    Start(VarId),
    /// The value that an edge writes.
    Havoc(EdgeId),
    /// The number of the edge that is taken.
    Choice(LocId),
}

/// Line and column, from 1.
pub(in crate::export) type Spot = (usize, usize);

/// Places of the calls, labels and the error.
#[derive(Clone, Debug, Default)]
pub(in crate::export) struct Marks {
    /// The closing parenthesis of the call that a question is; none of one that needs two calls.
    pub(in crate::export) asks: BTreeMap<Ask, Spot>,
    /// Labels that jumps lead to.
    pub(in crate::export) labels: BTreeMap<LocId, Spot>,
    /// The call of `reach_error`, if there is one.
    pub(in crate::export) error: Option<Spot>,
}

/// Returns the text of a question with its mark.
pub(super) fn mark(asks: &mut Vec<Ask>, ask: Ask, text: String) -> String {
    asks.push(ask);
    format!("{text}\u{1}{}\u{2}", asks.len() - 1)
}

/// Returns the text without marks, and where they stood.
pub(super) fn unmark(text: &str, asks: &[Ask], cfa: &Cfa) -> (String, Marks) {
    const CALL: &str = "__VERIFIER_nondet_";
    let mut marks = Marks::default();
    let mut out = String::with_capacity(text.len());
    let by_label: BTreeMap<String, LocId> = cfa.locs.ids().map(|loc| (format!("{loc}:;"), loc)).collect();
    for (n, line) in text.lines().enumerate() {
        let mut plain = line.to_owned();
        if let Some((before, rest)) = line.split_once('\u{1}')
            && let Some((number, after)) = rest.split_once('\u{2}')
        {
            plain = format!("{before}{after}");
            let ask = number.parse::<usize>().ok().and_then(|i| asks.get(i));
            let call = before.rfind(CALL).and_then(|at| before[at..].find(')').map(|end| at + end));
            if let (Some(ask), Some(end), 1) = (ask, call, before.matches(CALL).count()) {
                marks.asks.insert(*ask, (n + 1, end + 1));
            }
        }
        if let Some(loc) = by_label.get(&plain) {
            marks.labels.insert(*loc, (n + 1, 1));
        }
        if plain == "    reach_error();" {
            marks.error = Some((n + 1, 5));
        }
        out.push_str(&plain);
        out.push('\n');
    }
    (out, marks)
}
