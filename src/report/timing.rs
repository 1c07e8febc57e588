//! The timing diagram of a counterexample as SVG: Booleans as waves, other values as labelled buses, the violated moment marked.
//!
//! The same data stands in the table beside it; colours come from the style sheet, shapes and words say the same without.

use askama::Template;

use super::cycle_columns::Column;
use super::outcome::Counterexample;

/// Part of a counterexample that is drawn.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The variables, one row each, in this order.
    pub names: Vec<&'a str>,
    /// The columns, a window of those there are.
    pub columns: &'a [Column],
    /// Position of the cycle that is looked at.
    pub current: usize,
    /// Pixels that the cycles may take together; more if they are many.
    pub width: usize,
    /// The run shows what a requirement asks for: its end is no violation.
    pub is_goal: bool,
}

#[derive(Template)]
#[template(path = "report/timing.svg")]
struct Drawing {
    width: usize,
    height: usize,
    rows: Vec<RowDrawing>,
    columns: Vec<Head>,
    /// The window and the column of the current cycle.
    current: Option<(usize, usize)>,
    /// Position of the violation or of what was asked for, if it is in the window.
    end: Option<usize>,
    is_goal: bool,
    /// Right end of the names.
    name_end: usize,
    top: usize,
    bottom: usize,
    /// Height of a wave.
    wave: usize,
    description: String,
}

struct RowDrawing {
    name: String,
    label: String,
    y: usize,
    /// Points of the waves, for Booleans: one, or the parts of it that are in view.
    waves: Vec<String>,
    /// Areas in which a Boolean is TRUE: x, width.
    high: Vec<(usize, usize)>,
    /// For everything else.
    buses: Vec<Bus>,
    top: usize,
}

struct Bus {
    points: String,
    x: usize,
    y: usize,
    label: String,
    value: String,
}

struct Head {
    x: usize,
    middle: usize,
    text: String,
    folded: bool,
}

/// Shortest column of names; longer names make it wider, up to [`NAME_CHARS`].
const NAME_WIDTH: usize = 150;
const NAME_CHARS: usize = 32;
const ROW_HEIGHT: usize = 34;
const TOP: usize = 30;
const WAVE: usize = 18;
const CHAR_WIDTH: usize = 8;

/// Returns the diagram.
pub fn timing(cex: &Counterexample, view: &View<'_>) -> String {
    let n = view.columns.len();
    // Wide while there is room, never so narrow that TRUE and FALSE cannot be told apart.
    let column = (view.width / n.max(1)).clamp(36, 180);
    let longest = view.names.iter().map(|name| name.chars().count().min(NAME_CHARS)).max().unwrap_or(0);
    let left = NAME_WIDTH.max(longest * CHAR_WIDTH + 16);
    let x = |i: usize| left + i * column;
    let rows: Vec<RowDrawing> =
        view.names.iter().enumerate().map(|(r, name)| row(cex, name, TOP + r * ROW_HEIGHT, view, (left, column))).collect();
    let bottom = TOP + rows.len() * ROW_HEIGHT;
    let ends = cex.cycles.len().checked_sub(1);
    let columns = view.columns.iter().enumerate().map(|(i, c)| Head {
        x: x(i),
        middle: x(i) + column / 2,
        text: if n < 6 && matches!(c, Column::One(_)) { format!("cycle {}", c.label(&cex.cycles)) } else { c.label(&cex.cycles) },
        folded: !matches!(c, Column::One(_)),
    });
    let columns: Vec<Head> = columns.collect();
    let current = view.columns.iter().position(|c| *c == Column::One(view.current)).map(|i| (x(i), column));
    let end = view.columns.last().filter(|c| Some(c.ends().1) == ends).map(|_| x(n) - 3);
    let number = |at: Option<usize>| at.and_then(|at| cex.cycles.get(at)).map_or(0, |c| c.number);
    let (from, to) = (number(view.columns.first().map(|c| c.ends().0)), number(view.columns.last().map(|c| c.ends().1)));
    let end_words = match (end, view.is_goal) {
        (None, _) => "",
        (Some(_), false) => " The requirement is broken at the end of the last one.",
        (Some(_), true) => " The last one reaches what the requirement asks for.",
    };
    let description = format!("{} over cycles {from} to {to}.{end_words} The table has the same values.", view.names.join(", "));
    let (width, height) = (x(n) + 12, bottom + 26);
    let (is_goal, name_end) = (view.is_goal, left - 8);
    let drawing =
        Drawing { width, height, rows, columns, current, end, is_goal, name_end, top: TOP, bottom, wave: WAVE, description };
    // Writing to a string cannot fail.
    drawing.render().unwrap_or_default()
}

/// Returns a row; the columns begin at `left` and are as wide as `column`.
fn row(cex: &Counterexample, name: &str, top: usize, view: &View<'_>, (left, column): (usize, usize)) -> RowDrawing {
    let values: Vec<Option<String>> = view.columns.iter().map(|c| c.value(&cex.cycles, name)).collect();
    let is_bool = values.iter().flatten().all(|v| v == "TRUE" || v == "FALSE");
    let (high, low) = (top + 6, top + 6 + WAVE);
    let x = |i: usize| left + i * column;
    let mut drawing = RowDrawing {
        name: name.to_string(),
        label: shorten(name, NAME_CHARS),
        y: top + 6 + WAVE / 2 + 5,
        waves: Vec::new(),
        high: Vec::new(),
        buses: Vec::new(),
        top: high,
    };
    if is_bool {
        let level = |v: &str| if v == "TRUE" { high } else { low };
        // Where cycles are out of view the wave has a gap.
        let mut points: Vec<String> = Vec::new();
        for (i, value) in values.iter().enumerate() {
            match value {
                Some(v) => points.extend([(x(i), level(v)), (x(i + 1), level(v))].map(|(x, y)| format!("{x},{y}"))),
                None => drawing.waves.extend((!points.is_empty()).then(|| std::mem::take(&mut points).join(" "))),
            }
        }
        drawing.waves.extend((!points.is_empty()).then(|| points.join(" ")));
        let is_high = |v: &Option<String>| v.as_deref() == Some("TRUE");
        drawing.high = values.iter().enumerate().filter(|(_, v)| is_high(v)).map(|(i, _)| (x(i), column)).collect();
        return drawing;
    }
    let mut start = 0;
    while start < values.len() {
        let end = (start..values.len()).find(|&i| values[i] != values[start]).unwrap_or(values.len());
        if let Some(value) = &values[start] {
            drawing.buses.push(bus(x(start), x(end), high, low, value));
        }
        start = end;
    }
    drawing
}

/// Returns a hexagon from `left` to `right`.
fn bus(left: usize, right: usize, high: usize, low: usize, value: &str) -> Bus {
    let (a, b, middle) = (left + 5, right - 5, (high + low) / 2);
    let points = [(left, middle), (a, high), (b, high), (right, middle), (b, low), (a, low)];
    Bus {
        points: points.map(|(x, y)| format!("{x},{y}")).join(" "),
        x: (left + right) / 2,
        y: middle + 5,
        label: shorten(value, (right - left).saturating_sub(10) / CHAR_WIDTH),
        value: value.to_string(),
    }
}

/// Shortens a text to a number of characters with `…`, which stands at the front of dotted names.
fn shorten(text: &str, chars: usize) -> String {
    let n = text.chars().count();
    if n <= chars {
        return text.to_string();
    }
    match chars {
        0 | 1 => "…".into(),
        _ if text.contains('.') => format!("…{}", text.chars().skip(n - (chars - 1)).collect::<String>()),
        _ => format!("{}…", text.chars().take(chars - 1).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    fn draw(names: &[&str], current: usize) -> String {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        timing(
            cex,
            &View { names: names.to_vec(), columns: &[Column::One(0), Column::One(1)], current, width: 560, is_goal: false },
        )
    }

    #[test]
    fn booleans_are_waves_and_numbers_are_buses() {
        let svg = draw(&["StartCmd", "Starts"], 1);
        // Low in cycle 1, high in cycle 2.
        assert!(svg.contains("points=\"150,54 330,54 330,36 510,36\""), "{svg}");
        assert_eq!(svg.matches("<polygon").count(), 2, "{svg}");
        assert!(svg.contains(">0<title>") && svg.contains(">1<title>"), "{svg}");
        assert!(svg.contains("role=\"img\"") && svg.contains("<title") && svg.contains("broken"), "{svg}");
    }

    #[test]
    fn a_run_that_reaches_what_was_asked_for_is_not_broken() {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        let columns = [Column::One(0), Column::One(1)];
        let svg = timing(cex, &View { names: vec!["PumpA"], columns: &columns, current: 1, width: 560, is_goal: true });
        assert!(svg.contains("✔ reached here") && !svg.contains("broken"), "{svg}");
    }

    #[test]
    fn names_have_room_and_end_before_the_waves() {
        let mut outcome = booster();
        let cex = outcome.results[0].counterexample.as_mut().unwrap();
        for (name, left) in [("Short", 150), ("FB_VendorScale.Out (at call)", 28 * 8 + 16), (&*"n".repeat(90), 32 * 8 + 16)] {
            cex.cycles[0].values[0].name = name.into();
            let svg =
                timing(cex, &View { names: vec![name], columns: &[Column::One(0)], current: 0, width: 560, is_goal: false });
            assert!(svg.contains(&format!("x=\"{}\"", left - 8)) && svg.contains(&format!("\"{left},")), "{svg}");
        }
    }

    #[test]
    fn a_window_without_the_end_has_no_mark() {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        let svg = timing(cex, &View { names: vec!["PumpA"], columns: &[Column::One(0)], current: 0, width: 560, is_goal: false });
        assert!(!svg.contains("broken"), "{svg}");
    }

    #[test]
    fn a_folded_stretch_has_one_column_and_cycles_out_of_view_leave_a_gap() {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        let folded = Column::Folded { from: 0, to: 1, changing: vec!["Starts".into()] };
        let columns = [folded, Column::Skipped { from: 0, to: 0 }, Column::One(1)];
        let svg =
            timing(cex, &View { names: vec!["Starts", "StopCmd"], columns: &columns, current: 1, width: 560, is_goal: false });
        assert!(svg.contains(">1–2</text>") && svg.contains("0 … 1<title>"), "{svg}");
        assert_eq!(svg.matches("<polyline class=\"wave\"").count(), 2, "{svg}");
    }

    #[test]
    fn names_and_values_are_only_text() {
        let mut outcome = booster();
        let cex = outcome.results[0].counterexample.as_mut().unwrap();
        cex.cycles[0].values[0].name = "<script>alert(1)</script>".into();
        cex.cycles[0].values[0].value = "'\"><svg onload=alert(1)>'".into();
        let svg = timing(
            cex,
            &View {
                names: vec!["<script>alert(1)</script>"],
                columns: &[Column::One(0), Column::One(1)],
                current: 0,
                width: 560,
                is_goal: false,
            },
        );
        assert!(!svg.contains("<script") && !svg.contains("<svg onload"), "{svg}");
    }

    #[test]
    fn labels_are_cut_where_they_say_least() {
        let check = |text: &str, chars, expected: &str| assert_eq!(shorten(text, chars), expected);
        check("PumpA", 5, "PumpA");
        check("PumpAB", 5, "Pump…");
        check("Line.Station.Pump", 8, "…on.Pump");
        check("12345", 1, "…");
        check("äöüß", 3, "äö…");
    }

    #[test]
    fn nothing_to_draw_is_no_trouble() {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        assert!(timing(cex, &View { names: vec![], columns: &[], current: 0, width: 560, is_goal: false }).contains("<svg"));
        assert!(draw(&["none"], 9).contains("<svg"));
    }
}
