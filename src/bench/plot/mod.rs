//! Pictures as SVG: no script, no font of their own, colours from the style sheet of the page around them.
//!
//! [`heat`]: success rates by category and configuration. [`quantile`]: numbers of solved cases by time.
//! [`scatter`]: two configurations case by case. [`axis`]: the axis of the last two.

mod axis;
pub mod heat;
pub mod quantile;
pub mod scatter;

use std::time::Duration;

/// Escapes text for places between tags and for attributes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a time with three digits, as in the paper.
pub(super) fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    match s {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 99.95 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// Returns memory in whole megabytes.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// Returns the opening tag of a picture of this size; `title` describes it.
fn open(width: f64, height: f64, title: &str) -> String {
    let title = escape(title);
    format!(
        r#"<svg viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" role="img" aria-label="{title}" xmlns="http://www.w3.org/2000/svg">"#
    )
}

#[cfg(test)]
mod tests {
    use super::super::campaign::{Campaign, Status};
    use super::super::tally::Merger;
    use super::super::tally::tests::campaign;
    use super::*;

    /// Checks that every open tag of `svg` is closed, and that no text breaks out of its place.
    fn check(svg: &str) {
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"), "{svg}");
        for tag in ["svg", "g", "text", "title", "rect", "path", "circle"] {
            let opened = svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
            let closed = svg.matches(&format!("</{tag}>")).count();
            let alone = svg.split('<').filter(|s| s.starts_with(&format!("{tag} ")) && s.contains("/>")).count();
            assert_eq!(opened, closed + alone, "{tag}: {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(!svg.contains("<script"), "{svg}");
    }

    fn some() -> Campaign {
        use Status::{False, Timeout, True};
        let one: &[(Status, u64)] = &[(True, 50), (Timeout, 10_000), (True, 0)];
        let two: &[(Status, u64)] = &[(Timeout, 10_000), (False, 70), (False, 2_000)];
        let mut campaign = campaign(&[("<script>", Some(true)), ("y", Some(false)), ("y", None)], &[&[one], &[two]]);
        campaign.configs[0].name = "<script>&\"".to_owned();
        campaign
    }

    #[test]
    fn pictures_are_whole_with_anything_in_them() {
        let (some, nothing) = (some(), Campaign::default());
        let only_cases = Campaign { cells: Vec::new(), ..some.clone() };
        for campaign in [&some, &nothing, &only_cases] {
            let merger = Merger::new(campaign);
            check(&heat::draw(&merger));
            check(&quantile::draw(&merger));
            check(&scatter::draw(&merger, 0, 1));
        }
        let heat = heat::draw(&Merger::new(&some));
        assert!(heat.contains("virtual best"), "{heat}");
        let scatter = scatter::draw(&Merger::new(&some), 0, 1);
        assert_eq!(scatter.matches("<circle").count(), 3, "{scatter}");
    }

    #[test]
    fn numbers_have_three_digits() {
        let check = |ms: u64, text: &str| assert_eq!(seconds(Duration::from_millis(ms)), text);
        check(0, "0 ms");
        check(7, "7 ms");
        check(1_234, "1.23 s");
        check(12_345, "12.3 s");
        check(123_456, "123 s");
        assert_eq!(megabytes(1), "1 MB");
    }
}
