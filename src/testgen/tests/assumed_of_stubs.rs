//! Laws of assumptions about stubs. Interpreter and CFA exclude the same runs. What holds under an assumption about a stub holds with
//! each block that keeps the assumption.
//!
//! `PROGRAMS=2000 cargo test --release -p testgen --test laws what_holds_under_an_assumption` is the long version.

use kernel::cfa::ModelOptions;
use kernel::cfa::model::build;
use plc_frontend::hir::{PouKind, Project, Section, Type};
use proptest::prelude::*;
use testgen::programs::rng::Rng;
use testgen::programs::{Given, Moment, Size, program, tiny};
use testgen::readings::{Numbers, behave_alike, inputs, read};
use testgen::stated::Stated;

use crate::fewer;
use crate::stubs::is_proved;
use crate::verdicts::{Truth, explore};

/// Returns assumptions about calls of the stubs of a program, each about one of its scalars.
fn assumptions(project: &Project, rng: &mut Rng) -> Vec<String> {
    let mut found = Vec::new();
    let leaves = project.leaves();
    for pou in project.stubs.keys().map(|id| &project.pous[*id]) {
        let is_block = pou.kind == PouKind::FunctionBlock;
        let sections: &[Section] =
            if is_block { &[Section::Output, Section::Local] } else { &[Section::Output, Section::Result] };
        for var in pou.vars.iter().filter(|var| sections.contains(&var.section)) {
            let ty = &project.types[var.ty].ty;
            let compared = match (ty, project.int_type(var.ty)) {
                (Type::Bool, _) => "",
                (_, Some(_)) if !matches!(ty, Type::Enum { .. }) => *rng.pick(&[" >= 0", " <> 1", " < 7"]),
                _ => continue,
            };
            let is_result = var.section == Section::Result;
            let name = if is_result { pou.name.clone() } else { format!("{}.{}", pou.name, var.name) };
            found.push(format!("{name}{compared}"));
            // The same of one instance.
            let ending = format!(".{}", var.name);
            let own = leaves.iter().find(|leaf| is_block && leaf.ty == var.ty && leaf.name.ends_with(&ending));
            found.extend(own.map(|leaf| format!("{}{compared}", leaf.name)));
        }
    }
    found
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn assumptions_about_stubs_exclude_the_same_runs_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let size = Size { objects: seed.is_multiple_of(2), ..Size::default() };
        let text = ["FUNCTION_BLOCK", "FUNCTION"].iter().fold(program(seed, size), |text, kind| {
            text.replace(&format!("\n{kind} "), &format!("\n{{attribute 'stub'}}\n{kind} "))
        });
        let mut rng = Rng::new(seed ^ 0xa55);
        for assumption in assumptions(&read(&text).project, &mut rng) {
            let mut loaded = read(&text);
            if loaded.assume_of_stub("assumption", &assumption).is_none() {
                let condition = plc_frontend::condition(&mut loaded, "assumption", &assumption);
                let Some(condition) = condition.value else { continue };
                prop_assert!(loaded.assume_behind_calls(&condition).is_ok(), "{assumption}\n{text}");
            }
            let project = loaded.project;
            let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{assumption}\n{text}"));
            behave_alike(&project, &model, &inputs(&project, &model, &mut Numbers(seed)), &format!("{assumption}\n{text}"));
        }
    }
}

/// Bodies of a block with an input `CLK`, outputs `Q` and `N`, which keep `N < 3`.
const KEEPING: [&str; 4] = [
    "Q := CLK AND NOT M; M := CLK; N := 2;",
    "Q := NOT Q; IF N < 2 THEN N := N + 1; ELSE N := 0; END_IF;",
    "Q := TRUE;",
    "IF CLK THEN N := 1 - N; IF N < 0 THEN N := 0; END_IF; END_IF; Q := N = 1;",
];

#[test]
fn what_holds_under_an_assumption_holds_with_a_block_that_keeps_it() {
    let wanted: u32 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut n_tried, mut n_proved, mut n_needed) = (0, 0, 0);
    for seed in 0.. {
        let tiny = tiny(seed);
        if !tiny.program.contains("rise(CLK := ") {
            continue;
        }
        n_tried += 1;
        let mut rng = Rng::new(seed ^ 0x57ab);
        let main = tiny.program.replace("rise : R_TRIG;", "rise : Own;");
        let interface = "FUNCTION_BLOCK Own\nVAR_INPUT\n CLK : BOOL;\nEND_VAR\nVAR_OUTPUT\n Q : BOOL; N : INT;\nEND_VAR\n";
        let body = rng.pick(&KEEPING);
        let block = format!("{main}{interface}VAR\n M : BOOL;\nEND_VAR\n{body}\nEND_FUNCTION_BLOCK\n");
        let stub = format!("{main}{{attribute 'stub'}}\n{interface}END_FUNCTION_BLOCK\n");
        let assumption = if seed.is_multiple_of(2) { "Own.N < 3" } else { "rise.N < 3" };
        let claim = if seed.is_multiple_of(3) { tiny.requirement.clone() } else { "{ always: rise.N < 3 }".to_owned() };
        let requirement = format!("requirements: [{claim}]");
        let assumed = format!("assumptions: [{{ expr: {assumption} }}]\n{requirement}");
        let engine = if seed.is_multiple_of(4) { "pdr" } else { "k-induction" };
        let with = Stated::new(&stub, &assumed);
        if is_proved(&with, engine, &stub) {
            n_proved += 1;
            n_needed += u32::from(!is_proved(&Stated::new(&stub, &requirement), engine, &stub));
            let given =
                |leaf: &String| Given { leaf: leaf.clone(), values: vec![0, 1], is_bool: true, moment: Moment::EveryCycle };
            let given: Vec<Given> = tiny.inputs.iter().map(given).collect();
            let truth = explore(&Stated::new(&block, &requirement), &given);
            assert!(!matches!(truth, Truth::Unsafe(_)), "{truth:?}\n{block}\n{requirement}");
        }
        if wanted <= n_tried {
            break;
        }
    }
    eprintln!("{n_proved} of {n_tried} proved under an assumption, {n_needed} need it");
    // The law is not empty.
    assert!(n_tried <= 4 * n_proved && n_tried <= 6 * n_needed, "{n_proved} and {n_needed} of {n_tried}");
}
