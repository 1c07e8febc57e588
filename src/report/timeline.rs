//! The timeline of an exploration: one row per iteration, a bar from when it began to when it ended, in the colours of its
//! phases; and the graphs around it as a part of a page.

use askama::Template;

use super::exploration::{Exploration, ExplorationStep};
use kernel::draw::Embedding;

/// Part of a page about an exploration: the timeline, the numbers, the last graph, the automaton.
#[derive(Template)]
#[template(path = "report/exploration.html")]
struct Part<'e> {
    exploration: &'e Exploration,
    bars: String,
    steps: Vec<&'e ExplorationStep>,
    graphs: Vec<Drawn>,
    /// Begins ids and links, so that several parts fit on a page.
    prefix: &'e str,
    /// The address before the names of graphs.
    files: &'e str,
}

/// A graph to look at.
struct Drawn {
    title: String,
    /// The name of its files, without the ending.
    name: String,
    svg: Option<String>,
    n_nodes: usize,
    open: bool,
}

/// Rows of the drawing at most; of more iterations the first and the last ones are drawn.
const MOST_ROWS: usize = 40;

/// Returns the part of a page; `prefix` makes its ids unique there, `files` is the address before the names of graphs.
pub fn part(exploration: &Exploration, prefix: &str, files: &str) -> String {
    let graphs = exploration.iterations.iter().filter_map(|step| step.graph.as_ref().map(|graph| (step.number, graph)));
    let last = exploration.last_graph().map(|(number, _)| number);
    let mut drawn: Vec<Drawn> = graphs
        .map(|(number, graph)| Drawn {
            title: match exploration.iterations.len() {
                1 => graph.title.clone(),
                n => format!("{} after iteration {number} of {n}", graph.title),
            },
            name: format!("arg-{number}"),
            svg: graph.to_svg(Embedding::InPage),
            n_nodes: graph.nodes.len() + graph.n_left_out,
            open: Some(number) == last && graph.nodes.len() <= 40,
        })
        .collect();
    drawn.reverse();
    drawn.extend(exploration.automaton.iter().map(|automaton| Drawn {
        title: "Automaton that was explored".to_owned(),
        name: "cfa".to_owned(),
        svg: automaton.to_svg(Embedding::InPage),
        n_nodes: automaton.nodes.len() + automaton.n_left_out,
        open: false,
    }));
    let steps = shown(&exploration.iterations);
    let part = Part { exploration, bars: bars(exploration, &steps), steps, graphs: drawn, prefix, files };
    // A template over plain data has no way to fail.
    part.render().unwrap_or_default()
}

fn shown(steps: &[ExplorationStep]) -> Vec<&ExplorationStep> {
    let n = steps.len();
    let half = MOST_ROWS / 2;
    steps.iter().enumerate().filter(|(i, _)| n <= MOST_ROWS || *i < half || n - half <= *i).map(|(_, step)| step).collect()
}

const NAME: f64 = 110.0;
const ROW: f64 = 22.0;
const WIDTH: f64 = 620.0;

/// Returns the bars.
fn bars(exploration: &Exploration, steps: &[&ExplorationStep]) -> String {
    use std::fmt::Write as _;
    let total = exploration.total_ms().max(0.001);
    let scale = WIDTH / total;
    let height = 30.0 + ROW * (steps.len() + 1) as f64;
    let mut svg = format!(
        "<svg class=\"bars\" role=\"img\" width=\"{0:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {0:.0} {height:.0}\">\n\
         <title>When each iteration began and what it spent its time on; the table below has the same numbers</title>\n",
        NAME + WIDTH + 210.0
    );
    for i in 0..=4 {
        let x = NAME + WIDTH * f64::from(i) / 4.0;
        let _ = writeln!(svg, "<line class=\"grid\" x1=\"{x:.1}\" y1=\"22\" x2=\"{x:.1}\" y2=\"{height:.0}\"/>");
        let _ = writeln!(svg, "<text class=\"axis\" x=\"{x:.1}\" y=\"14\">{}</text>", time(total * f64::from(i) / 4.0));
    }
    let mut begins = std::collections::BTreeMap::new();
    let mut at = 0.0;
    for step in &exploration.iterations {
        begins.insert(step.number, at);
        at += step.total_ms();
    }
    let mut y = 26.0;
    for step in steps {
        let _ =
            writeln!(svg, "<text class=\"row\" x=\"{:.0}\" y=\"{:.1}\">iteration {}</text>", NAME - 10.0, y + 14.0, step.number);
        let mut x = NAME + begins.get(&step.number).copied().unwrap_or(0.0) * scale;
        for (class, ms) in [("abstract", step.abstract_ms), ("concretise", step.concretise_ms), ("refine", step.refine_ms)] {
            let width = ms * scale;
            let _ = writeln!(svg, "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"16\"/>");
            x += width;
        }
        let _ = writeln!(
            svg,
            "<text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">{} states{}</text>",
            x + 6.0,
            y + 13.0,
            step.nodes,
            if 0 < step.tracked { format!(", {} tracked", step.tracked) } else { String::new() }
        );
        y += ROW;
    }
    if exploration.certify_ms <= 0.0 {
        svg.push_str("</svg>\n");
        return svg;
    }
    let x = NAME + at * scale;
    let width = exploration.certify_ms * scale;
    let _ = writeln!(svg, "<text class=\"row\" x=\"{:.0}\" y=\"{:.1}\">certificate</text>", NAME - 10.0, y + 14.0);
    let _ = writeln!(svg, "<rect class=\"certify\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"16\"/>");
    let _ = writeln!(
        svg,
        "<text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        x + width + 6.0,
        y + 13.0,
        time(exploration.certify_ms)
    );
    svg.push_str("</svg>\n");
    svg
}

/// Returns milliseconds for people.
fn time(ms: f64) -> String {
    match ms {
        _ if ms <= 0.0 => "0".to_owned(),
        _ if ms < 10.0 => format!("{ms:.1} ms"),
        _ if ms < 1_000.0 => format!("{ms:.0} ms"),
        _ => format!("{:.1} s", ms / 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::exploration::ExploredBlock;

    #[test]
    fn every_phase_has_its_bar_and_every_number_stands_in_the_table() {
        let step = |number, nodes| ExplorationStep {
            number,
            nodes,
            tracked: 2,
            counterexamples: 1,
            length: Some(7),
            abstract_ms: 3.0,
            concretise_ms: 1.0,
            refine_ms: 4.0,
            graph: None,
        };
        let steps = vec![step(1, 5), step(2, 17)];
        let exploration = Exploration { engine: "cegar".into(), iterations: steps, certify_ms: 4.0, ..Exploration::default() };
        let html = part(&exploration, "r1", "/x/");
        for words in
            ["iteration 2", "17 states, 2 tracked", "class=\"refine\"", "certificate", "20 ms", "<td class=\"number\">17</td>"]
        {
            assert!(html.contains(words), "{words}\n{html}");
        }
        // The second iteration begins where the first one ended.
        assert!(html.contains("<rect class=\"abstract\" x=\"358.0\""), "{html}");
    }

    #[test]
    fn every_number_of_a_block_stands_in_the_table() {
        let block = ExploredBlock {
            name: "loop in <T>".into(),
            places: 31,
            entered: 62,
            known: 58,
            images_asked: 93,
            images_computed: 5,
        };
        let exploration = Exploration { blocks: vec![block], ..Exploration::default() };
        let html = part(&exploration, "r1", "/x/");
        for number in [31, 62, 58, 93, 5] {
            assert!(html.contains(&format!("<td class=\"number\">{number}</td>")), "{number}\n{html}");
        }
        assert!(html.contains("loop in &#60;T&#62;") && !part(&Exploration::default(), "r1", "/x/").contains("Places"), "{html}");
    }

    #[test]
    fn of_many_iterations_the_first_and_the_last_are_drawn() {
        let steps: Vec<ExplorationStep> =
            (1..=100).map(|number| ExplorationStep { number, ..ExplorationStep::default() }).collect();
        let numbers: Vec<u32> = shown(&steps).iter().map(|step| step.number).collect();
        assert_eq!((numbers.len(), numbers[19], numbers[20]), (40, 20, 81));
    }
}
