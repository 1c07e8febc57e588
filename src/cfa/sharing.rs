//! Variables that share memory behave alike in the interpreter and in the automaton, in every cycle and for every input.

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::law::{CYCLES, Numbers, behave_alike, inputs};
use super::{ModelOptions, build};

/// Runs a program some times, each to its end.
#[track_caller]
fn agree(dialect: DialectId, text: &str) {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    let project = parsed.value.project;
    let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(model.gaps.is_empty(), "{text}\n{:#?}", parsed.value.ledger.gaps);
    for seed in 0..5 {
        let inputs = inputs(&project, &model, &mut Numbers(seed));
        assert_eq!(behave_alike(&project, &model, &inputs, text), CYCLES, "{text}");
    }
}

fn main_with(vars: &str, body: &str) -> String {
    format!(
        "FUNCTION Twice : WORD\nVAR_IN_OUT\n io : WORD;\nEND_VAR\nVAR_INPUT\n x : WORD;\nEND_VAR\nio := SHL(io, 1); Twice := io OR x;\nEND_FUNCTION\n\
         FUNCTION_BLOCK Keep\nVAR_INPUT\n on : BOOL;\nEND_VAR\nVAR_OUTPUT\n n : WORD;\nEND_VAR\nIF on THEN n := ROL(n, 1) XOR 1; END_IF;\nEND_FUNCTION_BLOCK\n\
         PROGRAM Main\nVAR_INPUT\n a : INT; v : WORD; on : BOOL; k : UINT;\nEND_VAR\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
    )
}

#[test]
fn what_shares_memory_behaves_alike() {
    let flags = "w AT %MW0 : WORD; f0 AT %MX0.0 : BOOL; f3 AT %MX0.3 : BOOL; f9 AT %MX1.1 : BOOL; hi AT %MB1 : BYTE; \
                 i AT %MW0 : INT; d AT %MD0 : DWORD; keep : Keep; n : INT; x, y : WORD;";
    let bytes = "q AT %MB0 : ARRAY [0..7] OF BYTE; p AT %MB2 : ARRAY [0..7] OF BYTE; w AT %MW4 : ARRAY [0..2] OF WORD; \
                 l AT %ML0 : LWORD; x : WORD;";
    let reals = "x AT %MD0 : REAL; z AT %ML0 : LREAL; d AT %MD0 : DWORD; b AT %MB3 : BYTE; s AT %MX3.7 : BOOL; n : DINT;";
    for dialect in [DialectId::Twincat, DialectId::SiemensTia] {
        let check = |vars: &str, body: &str| agree(dialect, &main_with(vars, body));
        check(flags, "w := v; f0 := on; n := i; w := SHL(w, 1); hi.2 := f3; IF f9 THEN i := a; END_IF;");
        check(flags, "x := Twice(io := w, x := v); w.5 := on; y := Twice(io := x, x := w); d.17 := f0; d := ROL(d, 3);");
        check(flags, "keep(on := f0, n => w); f0 := NOT on; keep(on := f9); x := keep.n; w := x XOR v;");
        check(flags, "FOR i := 0 TO 5 DO f3 := on; n := n + 1; IF n > 5 THEN EXIT; END_IF; END_FOR; f9 := f3 AND f0;");
        check(bytes, "w[k MOD 3] := v; q[k MOD 8] := WORD_TO_BYTE(v); p := q; q[1].3 := on; x := w[(k + 1) MOD 3];");
        check(
            bytes,
            "q := p; p[(k + 3) MOD 8] := q[k MOD 8]; l := ROL(l, 5) XOR WORD_TO_LWORD(v); x := Twice(io := w[k MOD 3], x := w[0]);",
        );
        check(reals, "x := INT_TO_REAL(a); s := on; n := REAL_TO_DINT(x * 2.0); b.0 := FALSE;");
        check(reals, "x := INT_TO_REAL(a) / 7.0; IF on THEN z := x; z := z * z; END_IF; d.0 := on; b := b AND 16#BF;");
    }
}

#[test]
fn inputs_and_outputs_that_overlap_behave_alike() {
    let vars = "iw AT %IW0 : WORD; i0 AT %IX0.0 : BOOL; ib AT %IB1 : BYTE; qd AT %QD0 : DWORD; q0 AT %QX0.0 : BOOL; \
                qw AT %QW2 : INT; x : WORD;";
    for dialect in [DialectId::Twincat, DialectId::SiemensTia] {
        agree(dialect, &main_with(vars, "x := iw; q0 := i0; qw := a; IF ib.7 THEN qd := qd XOR WORD_TO_DWORD(iw); END_IF;"));
    }
    agree(DialectId::Codesys, &main_with(vars, "x := iw; q0 := i0; qd.31 := on;").replace("%QW2", "%QW1"));
}
