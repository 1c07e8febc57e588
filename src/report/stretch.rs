//! Width of drawings whose labels need more room than the file gives them.

use plc_frontend::hir;

/// Returns the factor by which labels beside each other widen the drawing.
pub(super) fn stretch(elements: &[hir::DrawnElement]) -> f64 {
    const WIDEST: f64 = 2.5;
    let mut row: Vec<&hir::DrawnElement> = elements.iter().filter(|e| 0 < label_width(e)).collect();
    row.sort_by_key(|e| (e.y, e.x));
    let mut stretch: f64 = 1.0;
    for pair in row.windows(2) {
        let [a, b] = pair else { continue };
        let (distance, needed) = (b.x.saturating_sub(a.x), (label_width(a) + label_width(b)) / 2 + 12);
        if a.y == b.y && 0 < distance {
            stretch = stretch.max(f64::from(needed) / f64::from(distance));
        }
    }
    stretch.min(WIDEST)
}

/// Pixels of a label that stands above its element.
#[expect(clippy::wildcard_enum_match_arm, reason = "other shapes have their labels inside")]
pub(super) fn label_width(e: &hir::DrawnElement) -> i32 {
    const CHARACTER: i32 = 8;
    let text = match e.shape {
        hir::Shape::Contact | hir::Shape::Coil => &e.label,
        hir::Shape::Block => &e.mark,
        _ => return 0,
    };
    CHARACTER * text.chars().take(80).count() as i32
}
