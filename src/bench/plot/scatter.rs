//! The scatter plot: two configurations, case by case.

use std::time::Duration;

use super::super::tally::{Merged, Merger};
use super::axis::TimeAxis;
use super::{escape, open, seconds};

const SIZE: f64 = 520.0;
const LOW: f64 = 92.0;
const HIGH: f64 = 480.0;
/// Distance from the limit to cases without an answer.
const BEYOND: f64 = 16.0;

/// Draws each case as a point: across its time with configuration `first`, upwards with `second`. Cases without an answer stand
/// beyond the limit.
pub fn draw(merger: &Merger<'_>, first: usize, second: usize) -> String {
    let name = |config: usize| escape(merger.campaign.configs.get(config).map_or("", |config| &config.name));
    let (across, upwards) = (name(first), name(second));
    let limit = merger.campaign.limits.longest();
    let (x, y) = (TimeAxis::new(limit, LOW, HIGH), TimeAxis::new(limit, SIZE - LOW, SIZE - HIGH));
    let mut svg = format!(
        r#"{}<path class="grid" d="M{LOW} {:.1}L{HIGH} {:.1}"/>"#,
        open(SIZE, SIZE, "Processor times of two configurations, case by case"),
        SIZE - LOW,
        SIZE - HIGH
    );
    for ((at, time), (up, _)) in x.ticks().into_iter().zip(y.ticks()) {
        let (bottom, top) = (SIZE - LOW, SIZE - HIGH);
        svg.push_str(&format!(
            r#"<path class="grid" d="M{at:.1} {bottom}V{top}M{LOW} {up:.1}H{HIGH}"/><text class="tick" x="{at:.1}" y="{:.1}">{time}</text><text class="tick end" x="{:.1}" y="{:.1}">{time}</text>"#,
            bottom + 18.0,
            LOW - 8.0,
            up + 4.0
        ));
    }
    let middle = SIZE / 2.0;
    svg.push_str(&format!(
        r#"<text class="legend mid" x="{middle}" y="{:.1}">{across}</text><text class="legend mid" x="{middle}" y="18" transform="rotate(-90 {middle} {middle})">{upwards}</text>"#,
        SIZE - 20.0
    ));
    let at = |merged: &Merged<'_>, axis: &TimeAxis, beyond: f64| {
        if merged.is_solved() { axis.at(merged.cpu) } else { axis.at(Duration::MAX) + beyond }
    };
    for (case, told) in merger.campaign.cases.iter().enumerate() {
        let (Some(one), Some(other)) = (merger.at(first, case), merger.at(second, case)) else { continue };
        let (cx, cy) = (at(one, &x, BEYOND), at(other, &y, -BEYOND));
        let words = |merged: &Merged<'_>| format!("{} {}", merged.cell.status, seconds(merged.cpu));
        let title = escape(&format!("{told}: {} · {}", words(one), words(other)));
        let class = match (one.is_solved(), other.is_solved()) {
            (true, true) => "both",
            (false, false) => "none",
            (true, false) | (false, true) => "one",
        };
        svg.push_str(&format!(r#"<circle class="{class}" cx="{cx:.1}" cy="{cy:.1}" r="4.5"><title>{title}</title></circle>"#));
    }
    svg.push_str("</svg>");
    svg
}
