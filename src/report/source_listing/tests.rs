//! Lines of a cycle, files that are cut, and editors of TwinCAT.

use super::*;
use crate::report::example::booster;

fn line(listing: &Listing, n: u32) -> ListedLine {
    let found = listing.texts[0].rows.iter().find_map(|row| match row {
        ListingRow::Line(l) if l.number == n => Some(l.clone()),
        ListingRow::Line(_) | ListingRow::Folded { .. } => None,
    });
    found.unwrap()
}

fn show(l: &ListedLine) -> String {
    let values = l.values.iter().map(|v| {
        let sign = if v.written { ":=" } else { "=" };
        format!(" {}{sign}{}{}", v.name, v.value, v.from.as_ref().map(|f| format!(" ({f})")).unwrap_or_default())
    });
    format!("{:?}{}", l.mark, values.collect::<String>())
}

#[test]
fn each_line_has_the_values_of_its_cycle() {
    let outcome = booster();
    let cex = outcome.results[0].counterexample.as_ref().unwrap();
    let first = listing(&outcome, cex, &cex.cycles[0], false);
    let second = listing(&outcome, cex, &cex.cycles[1], false);
    let check = |l: &Listing, n: u32, expected: &str| assert_eq!(show(&line(l, n)), expected, "line {n}");
    check(&first, 16, "Skipped");
    check(&first, 15, "Executed StartEdge.Q=FALSE ValveOpen=FALSE (from the start)");
    check(&second, 15, "Executed StartEdge.Q=TRUE ValveOpen=TRUE (from cycle 1)");
    check(&second, 16, "Executed RunLatch:=TRUE");
    check(&second, 20, "Skipped");
    check(&second, 21, "Quiet");
    check(&second, 23, "Executed RunLatch=TRUE PumpA:=TRUE");
    assert!(line(&second, 23).cause && !line(&second, 17).cause);
}

#[test]
fn a_long_file_is_cut_to_its_causes() {
    let mut outcome = booster();
    outcome.sources[0].text.push_str(&"// filler\n".repeat(1000));
    let cex = outcome.results[0].counterexample.clone().unwrap();
    let cut = listing(&outcome, &cex, &cex.cycles[1], false);
    let rows = &cut.texts[0].rows;
    assert!(rows.len() < 30 && cut.is_cut, "{}", rows.len());
    assert_eq!(rows.last(), Some(&ListingRow::Folded { from: 28, to: 1024, at: 28, ran: false }));
    assert_eq!(cut.last_cause, Some((0, 23)));
    let whole = listing(&outcome, &cex, &cex.cycles[1], true);
    assert!(rows.len() <= whole.texts[0].rows.len() && !whole.is_cut);
    // Files without a cause are named.
    let mut two = outcome.clone();
    let (mut other, mut step) = (two.sources[0].clone(), cex.cycles[1].steps[0].clone());
    other.name = "other.st".into();
    (step.place.source, step.cause) = (Some(1), false);
    step.values.clear();
    two.sources.push(other);
    let mut more = cex.clone();
    more.cycles[1].steps.push(step);
    let cut = listing(&two, &more, &more.cycles[1], false);
    assert_eq!((cut.texts.len(), cut.others), (1, vec!["other.st".to_owned()]));
    assert_eq!(listing(&two, &more, &more.cycles[1], true).texts.len(), 2);
}

#[test]
fn a_pou_of_twincat_has_the_lines_of_its_editors() {
    let mut outcome = booster();
    let (declaration, body): (Vec<&str>, Vec<&str>) = {
        let lines: Vec<&str> = outcome.sources[0].text.lines().collect();
        (lines[..13].to_vec(), lines[13..23].to_vec())
    };
    let text = format!(
        "<TcPlcObject>\n<POU Name=\"Booster\">\n<Declaration><![CDATA[{}\n]]></Declaration>\n<Implementation>\n<ST><![CDATA[{}\n]]></ST>\n\
         </Implementation></POU></TcPlcObject>",
        declaration.join("\n"),
        body.join("\n")
    );
    (outcome.sources[0].name, outcome.sources[0].text) = ("Booster.TcPOU".into(), text);
    let cex = outcome.results[0].counterexample.as_mut().unwrap();
    // Two lines stand before the declaration, and two between it and the body.
    cex.cycles.iter_mut().flat_map(|c| &mut c.steps).for_each(|step| {
        step.place.line += 4;
        step.place.end_line += 4;
    });
    let cex = cex.clone();
    let shown = listing(&outcome, &cex, &cex.cycles[1], false);
    let titles: Vec<(&str, bool)> = shown.texts.iter().map(|t| (t.title.as_str(), t.is_declaration)).collect();
    assert_eq!(titles, [("the declaration of Booster", true), ("Booster", false)]);
    let ListingRow::Line(line) = &shown.texts[1].rows[9] else { panic!("{shown:?}") };
    assert_eq!((line.at, line.number, show(line).as_str()), (27, 10, "Executed RunLatch=TRUE PumpA:=TRUE"));
    assert!(!format!("{shown:?}").contains("CDATA"));
    // A step outside of the editors: the file is shown as it is.
    let mut odd = cex.clone();
    odd.cycles[1].steps[0].place.line = 1;
    assert!(listing(&outcome, &odd, &odd.cycles[1], false).texts[0].is_markup);
}

#[test]
fn a_place_beyond_the_source_is_no_trouble() {
    let mut outcome = booster();
    let cex = outcome.results[0].counterexample.as_mut().unwrap();
    for step in cex.cycles.iter_mut().flat_map(|c| &mut c.steps) {
        (step.place.line, step.place.end_line) = (u32::MAX, 0);
    }
    let cex = cex.clone();
    let listing = listing(&outcome, &cex, &cex.cycles[0], false);
    assert_eq!(line(&listing, 15).mark, Mark::Skipped);
}
