//! The heat map: configurations × categories, as Figs. 9–14 of the paper.

use super::super::tally::{Merger, Tally};
use super::{escape, megabytes, open, seconds};

const WIDTH: f64 = 116.0;
const HEIGHT: f64 = 38.0;
const TOP: f64 = 44.0;
/// Of one character of a name.
const CHARACTER: f64 = 7.9;
/// Longer names are cut in the picture; the table has them whole.
const LONGEST_NAME: usize = 34;

/// Draws cells with the number of solved cases, their time and their peak of memory; the deeper the colour the more of
/// them. Last column: all categories. Last row: of each case the best configuration.
pub fn draw(merger: &Merger<'_>) -> String {
    let configs = &merger.campaign.configs;
    let columns = merger.columns();
    let mut rows: Vec<(String, Vec<Tally>)> = (0..configs.len())
        .map(|config| (configs[config].name.clone(), columns.iter().map(|(column, _)| merger.tally(config, *column)).collect()))
        .collect();
    if 1 < configs.len() {
        rows.push(("virtual best".to_owned(), columns.iter().map(|(column, _)| merger.best(*column)).collect()));
    }
    let left = rows.iter().map(|(name, _)| name.chars().count().min(LONGEST_NAME)).max().unwrap_or(0) as f64 * CHARACTER + 16.0;
    let width = left + WIDTH * columns.len() as f64 + 2.0;
    let height = TOP + HEIGHT * rows.len() as f64 + 2.0;
    let mut svg = open(width, height, "Success rates by category and configuration");
    for (at, (column, n)) in columns.iter().enumerate() {
        let x = left + WIDTH * (at as f64 + 0.5);
        let name = escape(&cut(column.unwrap_or("all"), 14));
        svg.push_str(&format!(
            r#"<text class="head" x="{x:.1}" y="18">{name}</text><text class="sub" x="{x:.1}" y="34">{n}</text>"#
        ));
    }
    for (row, (name, tallies)) in rows.iter().enumerate() {
        let y = TOP + HEIGHT * row as f64;
        let label = escape(&cut(name, LONGEST_NAME));
        svg.push_str(&format!(r#"<text class="row" x="{:.1}" y="{:.1}">{label}</text>"#, left - 10.0, y + HEIGHT / 2.0 + 4.0));
        for (at, tally) in tallies.iter().enumerate() {
            svg.push_str(&cell(left + WIDTH * at as f64, y, tally, &format!("{name}, {}", columns[at].0.unwrap_or("all"))));
        }
    }
    svg.push_str("</svg>");
    svg
}

fn cell(x: f64, y: f64, tally: &Tally, what: &str) -> String {
    let (w, h) = (WIDTH - 2.0, HEIGHT - 2.0);
    let middle = x + w / 2.0;
    let Tally { total, solved, wrong, cpu, peak_bytes } = *tally;
    let (time, memory) = (seconds(cpu), megabytes(peak_bytes));
    let told = match (total, wrong) {
        (0, _) => "not measured".to_owned(),
        (_, 0) => format!("{solved} of {total} solved in {time}, at most {memory}"),
        (_, _) => format!("{solved} of {total} solved, {wrong} wrong"),
    };
    let (first, second) = match (total, solved, wrong) {
        (0, _, _) => ("–".to_owned(), String::new()),
        (_, _, 1..) => (format!("{solved}, {wrong} WRONG"), String::new()),
        (_, 0, _) => ("0".to_owned(), String::new()),
        (_, _, 0) => (solved.to_string(), format!("{time} · {memory}")),
    };
    let class = if 0 < wrong { "cell wrong" } else { "cell" };
    let depth = if 0 < wrong { 1.0 } else { tally.rate() * 0.62 };
    let lower = if second.is_empty() { 4.0 } else { -2.0 };
    let (at_first, at_second) = (y + h / 2.0 + lower, y + h / 2.0 + 12.0);
    format!(
        r#"<g><title>{}</title><rect class="back" x="{x:.1}" y="{y:.1}" width="{w}" height="{h}"/><rect class="{class}" x="{x:.1}" y="{y:.1}" width="{w}" height="{h}" fill-opacity="{depth:.2}"/><text class="number" x="{middle:.1}" y="{at_first:.1}">{first}</text><text class="sub" x="{middle:.1}" y="{at_second:.1}">{second}</text></g>"#,
        escape(&format!("{what}: {told}")),
    )
}

/// Returns a name of at most `most` characters.
fn cut(name: &str, most: usize) -> String {
    if most < name.chars().count() { name.chars().take(most - 1).chain(['…']).collect() } else { name.to_owned() }
}
