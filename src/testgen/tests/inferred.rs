//! Laws of inferred declarations: what holds with one holds with each declaration that the uses allow, and both readings of a program
//! agree.
//!
//! `PROGRAMS=2000 cargo test --release -p testgen --test laws what_holds_with_an_inferred` is the long version.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load_isolated};

use kernel::cfa::ModelOptions;
use kernel::cfa::model::build;
use proptest::prelude::*;
use testgen::programs::rng::Rng;
use testgen::programs::{Given, Moment, Size, Tiny, program, tiny};
use testgen::readings::{Numbers, behave_alike, inputs};
use testgen::stated::Stated;

use crate::fewer;
use crate::stubs::{BODIES, is_proved};
use crate::verdicts::{Truth, explore};

/// Returns a program without one of its blocks or functions; `None` if it has none.
fn without_one(text: &str, rng: &mut Rng) -> Option<String> {
    let kind = *rng.pick(&["FUNCTION_BLOCK", "FUNCTION"]);
    let starts: Vec<usize> = text.match_indices(&format!("\n{kind} ")).map(|(at, _)| at + 1).collect();
    if starts.is_empty() {
        return None;
    }
    let start = *rng.pick(&starts);
    let end = format!("\nEND_{kind}\n");
    let length = text[start..].find(&end)? + end.len();
    Some(format!("{}{}", &text[..start], &text[start + length..]))
}

proptest! {
    #![proptest_config(fewer())]
    #[test]
    fn programs_with_inferred_declarations_behave_alike_in_the_interpreter_and_in_the_cfa(seed in any::<u64>()) {
        let size = Size { objects: seed.is_multiple_of(2), ..Size::default() };
        if let Some(text) = without_one(&program(seed, size), &mut Rng::new(seed ^ 0x1f)) {
            let mut sources = SourceSet::default();
            sources.add("random.st", text.as_str());
            let loaded = load_isolated(&sources, &LoadOptions::default()).value;
            if loaded.runs {
                let project = &loaded.project;
                let model = build(project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
                for run in 0..3 {
                    behave_alike(project, &model, &inputs(project, &model, &mut Numbers(seed ^ run)), &text);
                }
            }
        }
    }
}

/// A form in which a program uses something that no file declares.
struct Form {
    /// Declarations in place of that of the trigger.
    vars: &'static str,
    /// Beginning of the call, up to the argument CLK.
    call: &'static str,
    /// End of the call.
    end: &'static str,
    /// Value in place of the trigger's output.
    output: &'static str,
    /// The declaration behind it, with `BODY` and `TYPE`.
    declaration: &'static str,
    /// Variables of the body in place of `Q` and `io`.
    names: (&'static str, &'static str),
}

const FORMS: [Form; 13] = [
    Form {
        vars: "rise : Own;",
        call: "rise(io := n0, CLK := ",
        end: ");",
        output: "rise.Q",
        declaration: "FUNCTION_BLOCK Own\nVAR_INPUT CLK : BOOL; END_VAR\nVAR_IN_OUT io : TYPE; END_VAR\nVAR_OUTPUT Q : BOOL; END_VAR\n\
            VAR M : BOOL; END_VAR\nBODY\nEND_FUNCTION_BLOCK\n",
        names: ("Q", "io"),
    },
    Form {
        vars: "riseQ : BOOL;",
        call: "riseQ := Own(io := n0, CLK := ",
        end: ");",
        output: "riseQ",
        declaration: "FUNCTION Own : BOOL\nVAR_INPUT CLK : BOOL; END_VAR\nVAR_IN_OUT io : TYPE; END_VAR\nVAR M : BOOL; END_VAR\n\
            BODY\nEND_FUNCTION\n",
        names: ("Own", "io"),
    },
    Form {
        vars: "riseQ : BOOL; rise : Own;",
        call: "riseQ := rise.Step(n0, ",
        end: ");",
        output: "riseQ",
        declaration: "FUNCTION_BLOCK Own\nVAR M : BOOL; END_VAR\nMETHOD Step : BOOL\nVAR_IN_OUT io : TYPE; END_VAR\n\
            VAR_INPUT CLK : BOOL; END_VAR\nBODY\nEND_METHOD\nEND_FUNCTION_BLOCK\n",
        names: ("Step", "io"),
    },
    Form {
        vars: "rise : Own;",
        call: "rise(p := ADR(n0), CLK := ",
        end: ");",
        output: "rise.Q",
        declaration: "FUNCTION_BLOCK Own\nVAR_INPUT CLK : BOOL; p : POINTER TO TYPE; END_VAR\nVAR_OUTPUT Q : BOOL; END_VAR\n\
            VAR M : BOOL; END_VAR\nBODY\nEND_FUNCTION_BLOCK\n",
        names: ("Q", "p^"),
    },
    Form {
        vars: "rise : Own;",
        call: "rise.Step(io := n0, CLK := ",
        end: ");",
        output: "rise.Q",
        declaration: "FUNCTION_BLOCK Own\nVAR M, S : BOOL; END_VAR\nMETHOD Step\nVAR_IN_OUT io : TYPE; END_VAR\n\
            VAR_INPUT CLK : BOOL; END_VAR\nBODY\nEND_METHOD\nPROPERTY Q : BOOL\nGET\nQ := S; M := NOT M;\nEND_GET\nEND_PROPERTY\n\
            END_FUNCTION_BLOCK\n",
        names: ("S", "io"),
    },
    Form {
        vars: "riseQ : BOOL; rise : Own;",
        call: "rise(io := n0, CLK := ",
        end: ", Q => riseQ);",
        output: "riseQ",
        declaration: "FUNCTION_BLOCK Own\nVAR_INPUT CLK : BOOL; END_VAR\nVAR_IN_OUT io : TYPE; END_VAR\nVAR_OUTPUT Q : BOOL; END_VAR\n\
            VAR M : BOOL; END_VAR\nBODY\nEND_FUNCTION_BLOCK\n",
        names: ("Q", "io"),
    },
    // Taken for an interface.
    Form {
        vars: "riseQ : BOOL; rise : I_Own;",
        call: "riseQ := rise.Step(io := n0, CLK := ",
        end: ");",
        output: "riseQ",
        declaration: "FUNCTION_BLOCK I_Own\nVAR M : BOOL; END_VAR\nMETHOD Step : BOOL\nVAR_IN_OUT io : TYPE; END_VAR\n\
            VAR_INPUT CLK : BOOL; END_VAR\nBODY\nEND_METHOD\nEND_FUNCTION_BLOCK\n",
        names: ("Step", "io"),
    },
    Form {
        vars: "rise : E_Own;",
        call: "rise := SEL(",
        end: ", E_Own.Off, E_Own.On);",
        output: "(rise = E_Own.On)",
        declaration: "type E_Own : (Off := 1, On := 2); end_type\n",
        names: ("", ""),
    },
    // Labels of a CASE.
    Form {
        vars: "rise : E_Own; riseQ : BOOL;",
        call: "CASE rise OF E_Own.Off: riseQ := FALSE; rise := E_Own.On; E_Own.On: riseQ := TRUE; ELSE riseQ := ",
        end: "; END_CASE;",
        output: "riseQ",
        declaration: "type E_Own : (Off := 1, On := 2, Other := 0); end_type\n",
        names: ("", ""),
    },
    Form {
        vars: "riseQ : BOOL;",
        call: "riseQ := OWN_FLAG XOR ",
        end: ";",
        output: "riseQ",
        declaration: "VAR_GLOBAL CONSTANT OWN_FLAG : BOOL := TRUE; END_VAR\n",
        names: ("", ""),
    },
    Form {
        vars: "riseQ : BOOL;",
        call: "GVL_Own.Enable := NOT GVL_Own.Enable; riseQ := GVL_Own.Enable AND ",
        end: ";",
        output: "riseQ",
        declaration: "type ST_List : struct Enable : BOOL := TRUE; end_struct; end_type\nVAR_GLOBAL GVL_Own : ST_List; END_VAR\n",
        names: ("", ""),
    },
    Form {
        vars: "riseQ : BOOL;",
        call: "Notify(); riseQ := ",
        end: ";",
        output: "riseQ",
        declaration: "FUNCTION Notify\nVAR M : BOOL; END_VAR\nM := TRUE;\nEND_FUNCTION\n",
        names: ("", ""),
    },
    // A type of which nothing is known.
    Form {
        vars: "riseQ : BOOL; riseA, riseB : T_Own;",
        call: "riseQ := ",
        end: "; riseA := riseB;",
        output: "riseQ",
        declaration: "type T_Own : struct a : BOOL; end_struct; end_type\n",
        names: ("", ""),
    },
];

/// Returns a program that uses something, and its declaration; `None` if the program has no place for it.
fn with_use(tiny: &Tiny, rng: &mut Rng) -> Option<(String, String)> {
    let declared = tiny.program.lines().find_map(|line| line.trim_start().strip_prefix("n0 : "))?;
    let ty = declared.split(' ').next()?;
    if !tiny.program.contains("rise(CLK := ") {
        return None;
    }
    let form = rng.pick(&FORMS);
    let line = |line: &str| match line.trim_start().strip_prefix("rise(CLK := ").and_then(|rest| rest.strip_suffix(");")) {
        Some(clk) => format!("{}{clk}{}\n", form.call, form.end),
        None => format!("{}\n", line.replace("rise : R_TRIG;", form.vars).replace("rise.Q", form.output)),
    };
    let main: String = tiny.program.lines().map(line).collect();
    let words = |body: &str| {
        let named = body.replace("io", "\u{1}").replace('Q', form.names.0).replace('\u{1}', form.names.1);
        form.declaration.replace("BODY", &named).replace("TYPE", ty)
    };
    let body: &&str = rng.pick(&BODIES);
    Some((main, words(body)))
}

#[test]
fn what_holds_with_an_inferred_declaration_holds_with_the_real_one() {
    let wanted: u32 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let (mut n_tried, mut n_proved) = (0, 0);
    for seed in 0.. {
        let tiny = tiny(seed);
        let Some((main, declaration)) = with_use(&tiny, &mut Rng::new(seed ^ 0x1f_ab)) else { continue };
        n_tried += 1;
        let requirement = format!("requirements: [{}]", tiny.requirement);
        let stated = Stated::inferred(&main, &requirement);
        assert!(!stated.loaded.inferred.is_empty() && stated.loaded.left_out.is_empty(), "{main}\n{:#?}", stated.loaded.left_out);
        let engine = if seed.is_multiple_of(2) { "pdr" } else { "k-induction" };
        if is_proved(&stated, engine, &main) {
            n_proved += 1;
            let given =
                |leaf: &String| Given { leaf: leaf.clone(), values: vec![0, 1], is_bool: true, moment: Moment::EveryCycle };
            let given: Vec<Given> = tiny.inputs.iter().map(given).collect();
            let whole = format!("{main}{declaration}");
            let truth = explore(&Stated::new(&whole, &requirement), &given);
            assert!(!matches!(truth, Truth::Unsafe(_)), "{truth:?}\n{whole}\n{requirement}");
        }
        if wanted <= n_tried {
            break;
        }
    }
    eprintln!("{n_proved} of {n_tried} proved with an inferred declaration");
    // The law is not empty.
    assert!(wanted < 50 || n_tried < 20 * n_proved, "{n_proved} of {n_tried}");
}
