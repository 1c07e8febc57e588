//! The quantile plot: how many cases each configuration solves, each within which time.

use std::time::Duration;

use super::super::tally::Merger;
use super::axis::TimeAxis;
use super::{escape, open, seconds};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 880.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 330.0;
/// Colours of the style sheet; with more configurations than these, lines are dashed beside.
const N_COLOURS: usize = 8;
/// Height of a row of the legend.
const LEGEND: f64 = 20.0;
/// Configurations beside each other in the legend.
const COLUMNS: usize = 3;

/// Draws a line for each configuration; its points are the solved cases, the quickest first.
pub fn draw(merger: &Merger<'_>) -> String {
    let configs = &merger.campaign.configs;
    let times: Vec<Vec<Duration>> = (0..configs.len()).map(|config| merger.quantiles(config)).collect();
    let most = times.iter().map(Vec::len).max().unwrap_or(0).max(2);
    let x = |n: usize| LEFT + (RIGHT - LEFT) * n as f64 / most as f64;
    let y = TimeAxis::new(merger.campaign.limits.longest(), BOTTOM, TOP);
    let height = HEIGHT + LEGEND * configs.len().div_ceil(COLUMNS) as f64;
    let mut svg = open(WIDTH, height, "Processor time of the n-th quickest case that is solved");
    for (at, name) in y.ticks() {
        let low = at + 4.0;
        svg.push_str(&format!(
            r#"<path class="grid" d="M{LEFT} {at:.1}H{RIGHT}"/><text class="tick end" x="{:.1}" y="{low:.1}">{name}</text>"#,
            LEFT - 8.0
        ));
    }
    let every = most.div_ceil(10);
    for n in (0..=most).step_by(every) {
        svg.push_str(&format!(r#"<text class="tick" x="{:.1}" y="{:.1}">{n}</text>"#, x(n), BOTTOM + 18.0));
    }
    let label = "cases that are solved, the quickest first";
    svg.push_str(&format!(r#"<text class="tick" x="{:.1}" y="{:.1}">{label}</text>"#, (LEFT + RIGHT) / 2.0, BOTTOM + 36.0));
    for (config, times) in times.iter().enumerate() {
        let class = style(config);
        let name = escape(&configs[config].name);
        let points: Vec<String> =
            times.iter().enumerate().map(|(n, time)| format!("{:.1} {:.1}", x(n + 1), y.at(*time))).collect();
        let slowest = times.last().map_or_else(String::new, |last| format!(", the slowest in {}", seconds(*last)));
        if !points.is_empty() {
            svg.push_str(&format!(
                r#"<path class="line {class}" d="M{}"><title>{name}: {} solved{slowest}</title></path>"#,
                points.join("L"),
                times.len()
            ));
        }
        let (left, top) = (
            LEFT + (RIGHT - LEFT) / COLUMNS as f64 * (config % COLUMNS) as f64,
            BOTTOM + 58.0 + LEGEND * (config / COLUMNS) as f64,
        );
        svg.push_str(&format!(
            r#"<path class="line {class}" d="M{left:.1} {top:.1}h34"/><text class="legend" x="{:.1}" y="{:.1}">{name} ({})</text>"#,
            left + 42.0,
            top + 4.0,
            times.len()
        ));
    }
    svg.push_str("</svg>");
    svg
}

/// Returns the colour and dashes of a configuration.
fn style(config: usize) -> String {
    format!("c{} d{}", config % N_COLOURS, config / N_COLOURS % 3)
}
