//! Pictures: no box overlaps, none is lost, none is outside.

use super::*;

fn node(id: u32, text: &str, kind: NodeKind) -> Node {
    Node { id, name: format!("n{id}"), text: text.into(), kind }
}

fn edge(from: u32, to: u32, text: &str, covers: bool) -> Edge {
    Edge { from, to, text: text.into(), covers }
}

fn loop_of(n: u32) -> Picture {
    let nodes = (0..n).map(|id| node(id, "x = 1 and y = 2", NodeKind::Plain)).collect();
    let edges =
        (1..n).map(|id| edge((id - 1) / 2, id, "x := x + 1", false)).chain([edge(n - 1, 0, "", false), edge(n - 2, 1, "", true)]);
    Picture { title: "A <loop>".into(), nodes, edges: edges.collect(), n_left_out: 0 }
}

/// Returns the numbers of an attribute of all elements of a kind.
fn numbers(svg: &str, element: &str, attribute: &str) -> Vec<f64> {
    let elements = svg.split('<').filter(|e| e.starts_with(element) && !e.contains("op-back"));
    elements.filter_map(|e| e.split(&format!(" {attribute}=\"")).nth(1)?.split('"').next()?.parse().ok()).collect()
}

#[test]
fn boxes_do_not_overlap() {
    for n in [2, 3, 7, 50, 300] {
        let svg = loop_of(n).to_svg(Embedding::InPage).unwrap();
        let [x, y, w, h] = ["x", "y", "width", "height"].map(|attribute| numbers(&svg, "rect", attribute));
        assert_eq!(x.len(), n as usize);
        for i in 0..x.len() {
            for j in 0..i {
                let apart = x[i] + w[i] <= x[j] || x[j] + w[j] <= x[i] || y[i] + h[i] <= y[j] || y[j] + h[j] <= y[i];
                assert!(apart, "boxes {i} and {j} of {n}");
            }
        }
    }
}

#[test]
fn too_many_nodes_are_no_drawing() {
    assert_eq!(loop_of(301).to_svg(Embedding::InPage), None);
    assert_eq!(Picture::default().to_svg(Embedding::Alone), None);
    let cut = loop_of(301).within(100, 5);
    assert_eq!((cut.nodes.len(), cut.n_left_out), (100, 201));
    assert_eq!(cut.nodes[3].text, "x = 1…");
    assert!(cut.edges.iter().all(|edge| edge.from < 100 && edge.to < 100));
    assert_eq!(cut.to_svg(Embedding::Alone), None);
}

#[test]
fn what_is_written_is_only_text() {
    let text = "a < b & \"c\" \\ </text><script>";
    let picture = Picture {
        title: text.into(),
        nodes: vec![node(0, text, NodeKind::Start), node(1, "", NodeKind::Error)],
        edges: vec![edge(0, 1, text, false), edge(1, 1, "", false), edge(0, 7, "nowhere", false)],
        n_left_out: 0,
    };
    let svg = picture.to_svg(Embedding::Alone).unwrap();
    assert!(!svg.contains("<script") && svg.contains("a &lt; b &amp; &quot;c&quot;"), "{svg}");
    let dot = picture.to_dot();
    assert!(dot.contains("  n0 [label=\"n0\\na < b & \\\"c\\\" \\\\ </text><script>\", shape=oval];"), "{dot}");
    assert!(dot.contains("  n1 [label=\"n1\", style=filled, fillcolor=salmon];"), "{dot}");
    assert_eq!(picture.to_json()["edges"][0], serde_json::json!({ "from": 0, "to": 1, "text": text, "covers": false }));
    let back: Picture = serde_json::from_value(picture.to_json()).unwrap();
    assert_eq!(back, picture);
}

#[test]
fn a_covered_node_is_dashed_in_every_form() {
    let picture = Picture {
        title: "Covered".into(),
        nodes: vec![node(0, "x = 0", NodeKind::Plain), node(1, "x = 0", NodeKind::Covered)],
        edges: vec![edge(0, 1, "", false), edge(1, 0, "", true)],
        n_left_out: 0,
    };
    assert!(picture.to_dot().contains("n1 -> n0 [label=\"\", style=dashed, constraint=false];"));
    let svg = picture.to_svg(Embedding::InPage).unwrap();
    // The service's policy allows no style sheet in a file of its own: there colours are attributes.
    let alone = picture.to_svg(Embedding::Alone).unwrap();
    assert!(!alone.contains("<style") && !alone.contains("style="), "{alone}");
    for element in ["<rect", "<path", "<text"] {
        let all = alone.split(element).skip(1).filter_map(|rest| rest.split('>').next());
        assert!(all.clone().count() > 0 && all.clone().all(|attributes| attributes.contains(" fill=")), "{element}: {alone}");
    }
    assert!(svg.contains("<g class=\"covered\">") && svg.contains("class=\"covers\"") && !svg.contains("<style>"), "{svg}");
}

#[test]
fn long_chains_and_wide_fans_are_drawn_quickly() {
    let nodes = || (0..300).map(|id| node(id, "", NodeKind::Plain)).collect();
    let chain = (1..300).flat_map(|id| [edge(id - 1, id, "", false), edge(0, id, "", false)]).collect();
    let fan = (1..300).map(|id| edge(0, id, "", false)).collect();
    let all = (0..300).flat_map(|a| (0..10).map(move |b| edge(a, (a * 7 + b * 31) % 300, "go", false))).collect();
    for edges in [chain, fan, all] {
        let picture = Picture { title: String::new(), nodes: nodes(), edges, n_left_out: 0 };
        let begin = std::time::Instant::now();
        assert!(picture.to_svg(Embedding::InPage).is_some());
        assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    }
}
