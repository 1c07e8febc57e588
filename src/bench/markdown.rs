//! The heat map as a table for documents: configurations × categories.

use super::configs::Config;
use super::plot::seconds;
use super::tally::{Merger, Par2, Tally};

/// Returns one row for each configuration, one column for each category, and all together; last the virtual best configuration.
pub fn table(merger: &Merger<'_>) -> String {
    let columns = merger.columns();
    let head = columns.iter().map(|(column, n)| format!("{} ({n})", plain(column.unwrap_or("all"))));
    let head: Vec<String> = head.chain(["PAR-2, wall".to_owned(), "PAR-2, CPU".to_owned()]).collect();
    let mut lines = vec![format!("| configuration | {} |", head.join(" | ")), format!("|---|{}", "--:|".repeat(head.len()))];
    let mut row = |name: &str, tallies: Vec<Tally>, par2: Option<Par2>| {
        let penalised = par2.map_or(["–".to_owned(), "–".to_owned()], |par2| [seconds(par2.wall), seconds(par2.cpu)]);
        let cells: Vec<String> = tallies.iter().map(cell).chain(penalised).collect();
        lines.push(format!("| {} | {} |", plain(name), cells.join(" | ")));
    };
    for (config, Config { name, .. }) in merger.campaign.configs.iter().enumerate() {
        row(
            &format!("`{name}`"),
            columns.iter().map(|(column, _)| merger.tally(config, *column)).collect(),
            Some(merger.par2(config)),
        );
    }
    if 1 < merger.campaign.configs.len() {
        row("*virtual best*", columns.iter().map(|(column, _)| merger.best(*column)).collect(), None);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn cell(tally: &Tally) -> String {
    match (tally.total, tally.solved, tally.wrong) {
        (0, _, _) => "–".to_owned(),
        (_, solved, 1..) => format!("{solved}, **{} wrong**", tally.wrong),
        (_, 0, 0) => "0".to_owned(),
        (_, solved, 0) => format!("{solved} · {}", seconds(tally.cpu)),
    }
}

/// Replaces characters that would end a cell.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c == '|' || c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::campaign::Status;
    use super::super::tally::tests::campaign;
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_each_category() {
        use Status::{False, Timeout, True};
        let one: &[(Status, u64)] = &[(True, 50), (Timeout, 10_000)];
        let two: &[(Status, u64)] = &[(False, 20), (True, 1_500)];
        let campaign = campaign(&[("x|y", Some(true)), ("z", Some(true))], &[&[one], &[two]]);
        let table = table(&Merger::new(&campaign));
        let expected = "| configuration | x y (1) | z (1) | all (2) | PAR-2, wall | PAR-2, CPU |\n\
                        |---|--:|--:|--:|--:|--:|\n\
                        | `C0` | 1 · 50 ms | 0 | 1 · 50 ms | 20.1 s | 20.1 s |\n\
                        | `C1` | 0, **1 wrong** | 1 · 1.50 s | 1, **1 wrong** | 21.5 s | 21.5 s |\n\
                        | *virtual best* | 1 · 50 ms | 1 · 1.50 s | 2 · 1.55 s | – | – |\n";
        assert_eq!(table, expected);
    }
}
