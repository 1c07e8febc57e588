//! `scanproof verify --explain DIR`: the exploration by the engines, as one page with a folder of graphs for each requirement.

use askama::Template;

use super::outcome::RequirementResult;
use super::timeline::part;
use super::verification::ProgramReport;
use kernel::draw::{Embedding, Picture};

/// A file to be written, by its path below the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// `index.html`, `r3/arg-2.svg`.
    pub path: String,
    /// Its content.
    pub text: String,
}

#[derive(Template)]
#[template(path = "report/explain.html")]
struct Page<'r> {
    style: &'static str,
    tool: &'static str,
    rows: Vec<ExplainedResult<'r>>,
}

struct ExplainedResult<'r> {
    program: &'r str,
    result: &'r RequirementResult,
    id: String,
    part: Option<String>,
}

/// Returns the page and the graphs of all results.
pub fn files(reports: &[ProgramReport]) -> Vec<File> {
    let results = reports.iter().flat_map(|report| {
        let results = report.outcome.iter().flat_map(|outcome| &outcome.results);
        results.map(|result| (report.name.as_str(), result))
    });
    let (mut files, mut rows) = (Vec::new(), Vec::new());
    for (n, (program, result)) in results.enumerate() {
        let id = format!("r{}", n + 1);
        let part = result.exploration.as_ref().map(|exploration| part(exploration, &id, &format!("{id}/")));
        if let Some(exploration) = &result.exploration {
            let graphs = exploration.iterations.iter().filter_map(|s| Some((format!("arg-{}", s.number), s.graph.as_ref()?)));
            let automaton = exploration.automaton.iter().map(|automaton| ("cfa".to_owned(), automaton));
            graphs.chain(automaton).for_each(|(name, graph)| files.extend(forms(&format!("{id}/{name}"), graph)));
        }
        rows.push(ExplainedResult { program, result, id, part });
    }
    let page = Page { style: include_str!("../../static/style.css"), tool: env!("CARGO_PKG_VERSION"), rows };
    // A template over plain data has no way to fail.
    files.push(File { path: "index.html".to_owned(), text: page.render().unwrap_or_default() });
    files
}

/// Returns a graph in every form there is.
fn forms(stem: &str, graph: &Picture) -> Vec<File> {
    let file = |ending: &str, text: String| File { path: format!("{stem}.{ending}"), text };
    let mut forms = vec![file("dot", graph.to_dot()), file("json", graph.to_json().to_string())];
    forms.extend(graph.to_svg(Embedding::Alone).map(|svg| file("svg", svg)));
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::exploration::{Exploration, ExplorationStep};
    use kernel::draw::{Node, NodeKind};

    #[test]
    fn the_page_links_every_file_and_every_file_is_there() {
        let mut outcome = crate::report::example::booster();
        outcome.results.truncate(1);
        let node = Node { id: 0, name: "n0 at l1".into(), text: "x < 3".into(), kind: NodeKind::Start };
        let graph = Picture { title: "ARG".into(), nodes: vec![node], ..Picture::default() };
        let step = |number| ExplorationStep { number, nodes: 1, graph: Some(graph.clone()), ..ExplorationStep::default() };
        outcome.results[0].exploration = Some(Exploration {
            engine: "cegar".into(),
            iterations: vec![step(1), step(2)],
            automaton: Some(graph.clone()),
            ..Exploration::default()
        });
        let report = ProgramReport { name: "a <b>.st".into(), outcome: Some(outcome), ..ProgramReport::default() };
        let files = files(&[report]);
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), 3 * 3 + 1);
        let page = &files.last().unwrap().text;
        for path in &paths[..9] {
            assert!(page.contains(&format!("href=\"{path}\"")), "{path}\n{page}");
        }
        assert!(page.contains("a &#60;b&#62;.st") || page.contains("a &lt;b&gt;.st"), "{page}");
        assert!(page.contains("x &lt; 3") && !page.contains("src="), "one page without anything from elsewhere");
    }
}
