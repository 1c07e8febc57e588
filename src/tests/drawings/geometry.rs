//! The law of places: what is drawn apart is apart.
//!
//! Wires of different outputs share no piece of a line, no wire runs through an element or a label, no two elements overlap.

use scanproof::report::diagram::{Diagram, Element, Shape};

/// A segment of a wire of one output.
struct Segment {
    net: (usize, usize),
    from: (i32, i32),
    to: (i32, i32),
}

/// Corners of a box: left, top, right, bottom.
type Area = (i32, i32, i32, i32);

/// Checks one drawing; the number of segments.
pub(crate) fn check(diagram: &Diagram) -> usize {
    let mut segments = Vec::new();
    for wire in &diagram.wires {
        assert!(2 <= wire.points.len(), "a wire without a way: {diagram:?}");
        for pair in wire.points.windows(2) {
            let (from, to) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            assert!(from.0 == to.0 || from.1 == to.1, "a wire that is not straight: {wire:?}");
            segments.push(Segment { net: (wire.from, wire.output), from, to });
        }
        let (start, end) = (wire.points[0], wire.points[wire.points.len() - 1]);
        let (a, b) = (&diagram.elements[wire.from], &diagram.elements[wire.to]);
        assert!(start.0 == a.x + a.width && a.y <= start.1 && start.1 <= a.y + a.height, "{wire:?} leaves {a:?}");
        assert!(end.0 == b.x && b.y <= end.1 && end.1 <= b.y + b.height, "{wire:?} ends at {b:?}");
    }
    for (i, a) in segments.iter().enumerate() {
        for b in segments[i + 1..].iter().filter(|b| b.net != a.net) {
            assert!(
                !overlap(a, b),
                "{:?} and {:?} share a line at {:?}-{:?} and {:?}-{:?}: {diagram:?}",
                a.net,
                b.net,
                a.from,
                a.to,
                b.from,
                b.to
            );
        }
    }
    let elements: Vec<&Element> = diagram.elements.iter().collect();
    for (i, e) in elements.iter().enumerate() {
        let areas = [Some((e.x, e.y, e.x + e.width, e.y + e.height)), label(e)];
        for area in areas.into_iter().flatten() {
            for s in &segments {
                assert!(!enters(s, area), "a wire of {:?} at {:?}-{:?} runs through {e:?}: {diagram:?}", s.net, s.from, s.to);
            }
            for other in &elements[i + 1..] {
                let own = (other.x, other.y, other.x + other.width, other.y + other.height);
                let apart = own.2 <= area.0 || area.2 <= own.0 || own.3 <= area.1 || area.3 <= own.1;
                assert!(apart || other.shape == Shape::LeftRail, "{e:?} and {other:?} overlap");
            }
        }
    }
    segments.len()
}

/// Returns the words above an element, as the drawing writes them.
fn label(e: &Element) -> Option<Area> {
    let text = if e.shape == Shape::Block { &e.mark } else { &e.label };
    if text.is_empty() || !matches!(e.shape, Shape::Contact | Shape::Coil | Shape::Block) {
        return None;
    }
    let half = 4 * text.chars().count().min(80) as i32;
    let middle = e.x + e.width / 2;
    Some((middle - half, e.y - 16, middle + half, e.y - 3))
}

fn overlap(a: &Segment, b: &Segment) -> bool {
    let is_level = |s: &Segment| s.from.1 == s.to.1 && s.from.0 < s.to.0;
    let is_upright = |s: &Segment| s.from.0 == s.to.0 && s.from.1 < s.to.1;
    (is_level(a) && is_level(b) && a.from.1 == b.from.1 && a.from.0.max(b.from.0) < a.to.0.min(b.to.0))
        || (is_upright(a) && is_upright(b) && a.from.0 == b.from.0 && a.from.1.max(b.from.1) < a.to.1.min(b.to.1))
}

/// Returns true if a segment goes through the inside of an area.
fn enters(s: &Segment, (left, top, right, bottom): Area) -> bool {
    s.from.0.max(left) < s.to.0.min(right) && top < s.from.1 && s.from.1 < bottom && s.from.1 == s.to.1
        || s.from.0 == s.to.0 && left < s.from.0 && s.from.0 < right && s.from.1.max(top) < s.to.1.min(bottom)
}
