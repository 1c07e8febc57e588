//! Laws of stubs: they behave alike in the interpreter and in the CFA, and what holds with a stub holds with every block in its
//! place.
//!
//! `PROGRAMS=2000 cargo test --release -p testgen --test laws what_holds_with_a_stub` is the long version.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kernel::cfa::ModelOptions;
use kernel::cfa::model::build;
use kernel::cfa::pass::reduce;
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;
use proptest::prelude::*;
use search::engine::{ENGINES, configure, encoding};
use testgen::programs::rng::Rng;
use testgen::programs::{Given, Moment, Size, Tiny, program, tiny};
use testgen::readings::{Numbers, behave_alike, inputs, read};
use testgen::stated::Stated;

use crate::fewer;
use crate::verdicts::{Truth, explore};

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn stubs_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let size = Size { objects: seed.is_multiple_of(2), ..Size::default() };
        let text = program(seed, size);
        let kinds: &[&str] = if seed.is_multiple_of(3) { &["FUNCTION_BLOCK"] } else { &["FUNCTION_BLOCK", "FUNCTION"] };
        let text = kinds.iter().fold(text, |text, kind| {
            text.replace(&format!("\n{kind} "), &format!("\n{{attribute 'stub'}}\n{kind} "))
        });
        let project = read(&text).project;
        let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for run in 0..3 {
            behave_alike(&project, &model, &inputs(&project, &model, &mut Numbers(seed ^ run)), &text);
        }
    }
}

/// Bodies of a block with an input `CLK`, an output `Q`, a VAR_IN_OUT `io` and a variable `M`.
pub(super) const BODIES: [&str; 6] = [
    "Q := CLK AND NOT M; M := CLK;",
    "IF CLK THEN io := 1; END_IF; Q := NOT Q;",
    "Q := TRUE;",
    "M := NOT M; Q := M AND CLK; IF M THEN io := (io + 1) MOD 4; END_IF;",
    "Q := NOT CLK; io := 0;",
    "",
];

/// Returns a program with a block of its own, and the same program with a stub in its place; `None` if nothing calls the block.
fn with_block(tiny: &Tiny, rng: &mut Rng) -> Option<(String, String)> {
    let declared = tiny.program.lines().find_map(|line| line.trim_start().strip_prefix("n0 : "))?;
    let ty = declared.split(' ').next()?;
    let call = "rise(CLK := ";
    if !tiny.program.contains(call) {
        return None;
    }
    let main = tiny.program.replace("rise : R_TRIG;", "rise : Own;").replace(call, "rise(io := n0, CLK := ");
    let interface = format!(
        "FUNCTION_BLOCK Own\nVAR_INPUT\n CLK : BOOL;\nEND_VAR\nVAR_IN_OUT\n io : {ty};\nEND_VAR\nVAR_OUTPUT\n Q : BOOL;\nEND_VAR\n"
    );
    let body = rng.pick(&BODIES);
    let block = format!("{main}{interface}VAR\n M : BOOL;\nEND_VAR\n{body}\nEND_FUNCTION_BLOCK\n");
    let stub = format!("{main}{{attribute 'stub'}}\n{interface}END_FUNCTION_BLOCK\n");
    Some((block, stub))
}

/// Returns whether an engine proves the requirement.
pub(super) fn is_proved(stated: &Stated, engine: &str, text: &str) -> bool {
    let project = &stated.loaded.project;
    let model = build(project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let question = instrument(project, &model, &stated.claims[0], &stated.assumptions).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = BTreeMap::new();
    let info = ENGINES.iter().find(|info| info.name == engine).unwrap();
    // A place that is not modelled counts as an error.
    let reduced = reduce(&question.pool, &question.strict_cfa(), encoding::wanted(info, &options).unwrap());
    let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
    let within = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(2)), ..Interrupt::default() };
    let mut configured = configure(ENGINES, engine, &options, &solvers).unwrap_or_else(|e| panic!("{e}"));
    match configured.run(&mut Ctx::new(reduced.pool, within, &|_| {}), &reduced.cfa) {
        Ok(Verdict::Safe(_)) => true,
        Ok(Verdict::Unsafe(_) | Verdict::Unknown(_)) | Err(Stop::Reason(_)) => false,
        Err(Stop::Solver(e)) => panic!("{e}\n{text}"),
    }
}

#[test]
fn what_holds_with_a_stub_holds_with_the_block() {
    let wanted: u32 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let (mut n_tried, mut n_proved) = (0, 0);
    for seed in 0.. {
        let tiny = tiny(seed);
        let Some((block, stub)) = with_block(&tiny, &mut Rng::new(seed ^ 0x57ab)) else { continue };
        n_tried += 1;
        let requirement = format!("requirements: [{}]", tiny.requirement);
        let engine = if seed.is_multiple_of(2) { "pdr" } else { "k-induction" };
        if is_proved(&Stated::new(&stub, &requirement), engine, &stub) {
            n_proved += 1;
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
    eprintln!("{n_proved} of {n_tried} proved with a stub");
    // The law is not empty.
    assert!(wanted < 50 || n_tried < 20 * n_proved, "{n_proved} of {n_tried}");
}
