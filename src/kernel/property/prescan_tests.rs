//! Tests of the condition about values before the prescan of Studio 5000.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::requirements::requirements;
use super::spec::Specification;

/// Returns whether a requirement about the input `a` and the bits `x` and `y` has the condition.
fn is_told(requirement: &str) -> bool {
    let tag = |name: &str, usage: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\"{usage}/>");
    let text = format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content TargetType=\"Program\"><Controller Use=\"Context\" Name=\"C\"><Programs>\
         <Program Use=\"Target\" Name=\"P\" MainRoutineName=\"Main\"><Tags>{}{}{}</Tags><Routines><Routine Name=\"Main\" Type=\"RLL\">\
         <RLLContent><Rung Number=\"0\" Type=\"N\"><Text><![CDATA[XIC(a)OTE(x)OTE(y);]]></Text></Rung></RLLContent></Routine></Routines>\
         </Program></Programs></Controller></RSLogix5000Content>",
        tag("a", " Usage=\"Input\""),
        tag("x", ""),
        tag("y", "")
    );
    let mut sources = SourceSet::default();
    sources.add("p.L5X", text);
    let mut loaded = load(&sources, &LoadOptions::default()).value;
    let spec = Specification::from_yaml(&format!("requirements: [{{ {requirement} }}]")).unwrap();
    let stated = requirements(&spec, &[], &mut loaded, &[]);
    assert!(stated.rejected.is_empty(), "{:?}", stated.rejected);
    loaded.ledger.gaps.iter().any(|gap| gap.construct.starts_with("values at the beginning of the first scan"))
}

#[test]
fn requirements_about_the_beginning_of_a_scan_have_a_condition() {
    assert!(is_told("at_start: x, then: y"));
    assert!(is_told("if: y, started: x"));
    assert!(!is_told("at_start: a, then: y"));
    assert!(!is_told("if: y, then: x"));
}
