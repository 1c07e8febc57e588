//! Laws of arrays that are not kept: both readings agree about them, and what holds with any value in them holds with their values.
//!
//! `PROGRAMS=2000 cargo test --release -p testgen --test laws what_holds_without_an_array` is the long version.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use kernel::cfa::ModelOptions;
use kernel::cfa::model::build;
use proptest::prelude::*;
use testgen::programs::{Given, Moment, Size, Tiny, program, tiny};
use testgen::readings::{Numbers, behave_alike, inputs};
use testgen::stated::Stated;

use crate::fewer;
use crate::stubs::is_proved;
use crate::verdicts::{Truth, explore};

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn arrays_that_are_not_kept_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>(), most in 0usize..8) {
        let size = Size { objects: seed.is_multiple_of(2), ..Size::default() };
        let text = program(seed, size);
        let mut sources = SourceSet::default();
        sources.add("random.st", text.as_str());
        let parsed = load(&sources, &LoadOptions { largest_array: Some(most), ..LoadOptions::default() });
        prop_assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let project = parsed.value.project;
        let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for run in 0..3 {
            behave_alike(&project, &model, &inputs(&project, &model, &mut Numbers(seed ^ run)), &text);
        }
    }
}

/// Returns the program with the number `n0` as an element of an array, at an index that is an expression.
fn with_array(tiny: &Tiny) -> Option<String> {
    let declared = tiny.program.lines().find_map(|line| line.trim_start().strip_prefix("n0 : "))?;
    let at = tiny.program.find(&format!("n0 : {declared}"))?;
    let (before, after) = tiny.program.split_at(at);
    let after = after.strip_prefix(&format!("n0 : {declared}"))?.replace("n0", "row[one + 1]");
    let ty = declared.split([' ', ';', ':']).next()?;
    let array = format!("row : ARRAY [1..2] OF {ty};\n    one : DINT;");
    let text = format!("{before}{array}{after}");
    (!tiny.requirement.contains("n0") && !before.contains("n0")).then_some(text)
}

#[test]
fn what_holds_without_an_array_holds_with_it() {
    let wanted: u32 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let (mut n_tried, mut n_proved) = (0, 0);
    for seed in 0.. {
        let tiny = tiny(seed);
        let Some(text) = with_array(&tiny) else { continue };
        n_tried += 1;
        let requirement = format!("requirements: [{}]", tiny.requirement);
        let engine = if seed.is_multiple_of(2) { "pdr" } else { "k-induction" };
        if is_proved(&Stated::without_arrays(&text, &requirement), engine, &text) {
            n_proved += 1;
            let given =
                |leaf: &String| Given { leaf: leaf.clone(), values: vec![0, 1], is_bool: true, moment: Moment::EveryCycle };
            let given: Vec<Given> = tiny.inputs.iter().map(given).collect();
            let truth = explore(&Stated::new(&text, &requirement), &given);
            assert!(!matches!(truth, Truth::Unsafe(_)), "{truth:?}\n{text}\n{requirement}");
        }
        if wanted <= n_tried {
            break;
        }
    }
    eprintln!("{n_proved} of {n_tried} proved without the array");
    assert!(wanted < 50 || n_tried < 20 * n_proved, "{n_proved} of {n_tried}");
}
