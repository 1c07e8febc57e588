//! Columns of tables and timing diagrams: equal stretches of a run folded, a window around one cycle, the last cycle always in view.

use super::outcome::{Counterexample, Cycle, NamedValue};

/// A column; cycles by their positions in the counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// One cycle.
    One(usize),
    /// Cycles in each of which the same variables change, or none.
    Folded {
        /// The first.
        from: usize,
        /// The last.
        to: usize,
        /// Names of the variables that change.
        changing: Vec<String>,
    },
    /// Cycles out of view.
    Skipped {
        /// The first.
        from: usize,
        /// The last.
        to: usize,
    },
}

impl Column {
    /// Returns the first and the last position.
    pub fn ends(&self) -> (usize, usize) {
        match self {
            Column::One(at) => (*at, *at),
            Column::Folded { from, to, .. } | Column::Skipped { from, to } => (*from, *to),
        }
    }

    /// Returns `7`, `4–29`, `…`
    pub fn label(&self, cycles: &[Cycle]) -> String {
        let number = |at: usize| cycles.get(at).map_or(0, |c| c.number);
        match self {
            Column::One(at) => number(*at).to_string(),
            Column::Folded { from, to, .. } => format!("{}–{}", number(*from), number(*to)),
            Column::Skipped { .. } => "…".to_owned(),
        }
    }

    /// Returns the value of a variable at the end of these cycles: one, or the first and the last of a folded stretch; `None` out of view.
    pub fn value(&self, cycles: &[Cycle], name: &str) -> Option<String> {
        self.text(cycles, name, |v| v.value.to_string())
    }

    /// Returns the same, with the values that were given at the start where the program changed them.
    pub fn told(&self, cycles: &[Cycle], name: &str) -> Option<String> {
        self.text(cycles, name, NamedValue::told)
    }

    fn text(&self, cycles: &[Cycle], name: &str, text: impl Fn(&NamedValue) -> String) -> Option<String> {
        let at = |i: usize| cycles.get(i).and_then(|c| c.values.iter().find(|v| v.name == name)).map(&text);
        match self {
            Column::One(i) => at(*i),
            Column::Folded { from, to, .. } => match (at(*from)?, at(*to)?) {
                (first, last) if first == last => Some(first),
                (first, last) => Some(format!("{first} … {last}")),
            },
            Column::Skipped { .. } => None,
        }
    }
}

/// Fewer cycles than this are not folded.
const SHORTEST: usize = 3;

/// Returns the columns around `current`, at most `most` and those at the ends.
///
/// Shape:     every cycle is in exactly one column; the one of `current` and the last one are `One`.
/// Cost:      linear in the cycles, times `names`.
pub fn columns(cex: &Counterexample, names: &[&str], current: usize, most: usize) -> Vec<Column> {
    let folded = fold(cex, names, current);
    let here = folded.iter().position(|c| *c == Column::One(current)).unwrap_or(0);
    let start = here.saturating_sub(most / 2).min(folded.len().saturating_sub(most));
    let end = (start + most).min(folded.len());
    let mut window: Vec<Column> = Vec::new();
    let skipped = |columns: &[Column]| Some(Column::Skipped { from: columns.first()?.ends().0, to: columns.last()?.ends().1 });
    window.extend(skipped(&folded[..start]));
    window.extend(folded[start..end].iter().cloned());
    if let [between @ .., last] = &folded[end..] {
        window.extend(skipped(between));
        window.push(last.clone());
    }
    window
}

fn fold(cex: &Counterexample, names: &[&str], current: usize) -> Vec<Column> {
    let n = cex.cycles.len();
    let Some(first) = cex.cycles.first() else { return Vec::new() };
    let places: Vec<(usize, &str)> = first
        .values
        .iter()
        .enumerate()
        .filter(|(_, v)| names.contains(&v.name.as_str()))
        .map(|(i, v)| (i, v.name.as_str()))
        .collect();
    // Variables that change in a cycle; `None` where something happens that has to be seen.
    let changing = |at: usize| -> Option<Vec<&str>> {
        if at == 0 || at == current || at + 1 == n {
            return None;
        }
        let mut changing = Vec::new();
        for (place, name) in &places {
            let value = cex.cycles[at].values.get(*place).filter(|v| v.name == *name)?;
            // Given values may differ in cycles that end alike.
            let before = cex.cycles[at - 1].values.get(*place);
            if value.changed || before.is_none_or(|before| before.given != value.given) {
                let is_truth = value.value == "TRUE" || value.value == "FALSE";
                changing.push((!is_truth).then_some(*name)?);
            }
        }
        Some(changing)
    };
    let mut columns = Vec::new();
    let mut at = 0;
    while at < n {
        let own = changing(at);
        let mut end = at + 1;
        if own.is_some() {
            while end < n && changing(end) == own {
                end += 1;
            }
        }
        match own {
            Some(own) if SHORTEST <= end - at => {
                let changing = own.into_iter().map(str::to_owned).collect();
                columns.push(Column::Folded { from: at, to: end - 1, changing });
            }
            Some(_) | None => columns.extend((at..end).map(Column::One)),
        }
        at = end;
    }
    columns
}

/// Returns sentences about the folded stretches: ``cycles 4–29: only `t.ET` changes``.
pub fn sentences(columns: &[Column], cycles: &[Cycle]) -> Vec<(String, Vec<String>)> {
    let folded = columns.iter().filter_map(|column| match column {
        Column::Folded { changing, .. } => Some((column.label(cycles), changing.clone())),
        Column::One(_) | Column::Skipped { .. } => None,
    });
    folded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a run of `n` cycles in which `t` grows, `x` rises in cycle `rises` and nothing else happens.
    fn run(n: u32, rises: u32) -> Counterexample {
        let cycle = |number: u32| {
            let value =
                |name: &str, value: String, changed| NamedValue { name: name.into(), value: value.into(), changed, given: None };
            let x = if number < rises { "FALSE" } else { "TRUE" };
            let values = vec![value("x", x.into(), number == rises), value("t", number.to_string(), true)];
            Cycle { number, dt_ms: 100.0, values, steps: Vec::new(), networks: Vec::new() }
        };
        Counterexample { cycles: (1..=n).map(cycle).collect(), ..Counterexample::default() }
    }

    fn show(cex: &Counterexample, names: &[&str], current: usize, most: usize) -> String {
        let columns = columns(cex, names, current, most);
        columns.iter().map(|c| c.label(&cex.cycles)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stretches_fold_around_what_happens_and_where_one_looks() {
        let cex = run(30, 20);
        assert_eq!(show(&cex, &["x", "t"], 29, 16), "1 2–19 20 21–29 30");
        assert_eq!(show(&cex, &["x", "t"], 9, 16), "1 2–9 10 11–19 20 21–29 30");
        assert_eq!(show(&cex, &["t"], 29, 16), "1 2–29 30");
        assert_eq!(show(&run(4, 9), &["x", "t"], 3, 16), "1 2 3 4");
        let fold = &columns(&cex, &["x", "t"], 29, 16)[1];
        assert_eq!(fold.value(&cex.cycles, "t").as_deref(), Some("2 … 19"));
        assert_eq!(fold.value(&cex.cycles, "x").as_deref(), Some("FALSE"));
        assert_eq!(sentences(&columns(&cex, &["x", "t"], 29, 16), &cex.cycles)[0], ("2–19".into(), vec!["t".into()]));
    }

    #[test]
    fn the_last_cycle_is_in_view_wherever_one_looks() {
        let mut cex = run(1000, 2000);
        for cycle in &mut cex.cycles {
            cycle.values[0].changed = true;
        }
        assert_eq!(show(&cex, &["x"], 0, 4), "1 2 3 4 … 1000");
        assert_eq!(show(&cex, &["x"], 499, 4), "… 498 499 500 501 … 1000");
        assert_eq!(show(&cex, &["x"], 999, 4), "… 997 998 999 1000");
    }

    #[test]
    fn every_cycle_has_one_column() {
        for n in 1..40 {
            let cex = run(n, 7);
            for current in 0..n as usize {
                let mut next = 0;
                for column in columns(&cex, &["x", "t"], current, 3) {
                    let (from, to) = column.ends();
                    assert!(from == next && from <= to);
                    next = to + 1;
                }
                assert_eq!(next, n as usize);
            }
        }
    }
}
