//! Variables that share memory behave alike in the interpreter and in the automaton, in every cycle and for every input.

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use kernel::cfa::{ModelOptions, build};
use testgen::readings::{CYCLES, Numbers, behave_alike, inputs};

/// Runs a program several times, each to its end.
#[track_caller]
fn agree(dialect: DialectId, text: &str) {
    agree_in("main.st", LoadOptions { dialect: Some(dialect), ..LoadOptions::default() }, text);
}

#[track_caller]
fn agree_in(file: &str, options: LoadOptions, text: &str) {
    let mut sources = SourceSet::default();
    sources.add(file, text);
    let parsed = load(&sources, &options);
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
    agree(
        DialectId::Codesys,
        &main_with(vars, "x := iw; q0 := i0; qd.31 := on;").replace("%QW2", "%QW0").replace("%IB1", "%IB0"),
    );
}

#[test]
fn members_of_unions_behave_alike() {
    let check = |vars: &str, body: &str| {
        let types = "TYPE U : UNION w : WORD; b : ARRAY [0..1] OF BYTE; i : INT; END_UNION END_TYPE\n\
                     TYPE F : UNION x : REAL; d : DWORD; t : BOOL; u : ARRAY [0..1] OF UINT; END_UNION END_TYPE\n\
                     FUNCTION Turn : U\nVAR_INPUT\n u : U; k : UINT;\nEND_VAR\nVAR\n v : F;\nEND_VAR\n\
                     v.u[k MOD 2] := u.w; Turn.w := v.u[0] XOR u.b[1]; Turn.b[k MOD 2] := 5;\nEND_FUNCTION\n\
                     FUNCTION Raise : BOOL\nVAR_IN_OUT\n u : U; b : BYTE;\nEND_VAR\nu.w := u.w + 1; b := b + 1; Raise := u.b[0] > 3;\nEND_FUNCTION\n\
                     FUNCTION_BLOCK Hold\nVAR_INPUT\n u : U;\nEND_VAR\nVAR_OUTPUT\n v : U;\nEND_VAR\nVAR\n f : F;\nEND_VAR\n\
                     f.d := f.d * 3 + u.w; f.t := NOT f.t; v.w := f.u[1]; v.b[0] := u.b[1];\nEND_FUNCTION_BLOCK\n";
        agree(DialectId::Codesys, &format!("{types}{}", main_with(vars, body)));
    };
    check("u, w : U; x : BYTE; n : INT;", "u.w := v; u.b[k MOD 2] := 7; w := u; w.i := w.i + a; x := u.b[1]; n := w.i;");
    check(
        "q : ARRAY [0..2] OF U; x : BOOL;",
        "q[k MOD 3].w := v; q[(k + 1) MOD 3] := q[0]; x := Raise(u := q[k MOD 3], b := q[1].b[0]);",
    );
    check(
        "u : U; h : Hold; g : ARRAY [0..1] OF Hold; n : INT;",
        "u.w := v; u := Turn(u, k); h(u := u, v => u); g[k MOD 2](u := h.v); n := g[0].v.i;",
    );
    check(
        "f, g : F; n : DINT; x : BOOL;",
        "f.x := INT_TO_REAL(a) / 3.0; g := f; IF on THEN g.u[1] := 16#4040; END_IF; x := g.x > 1.0; f.t := x; n := f.d;",
    );
}

#[test]
fn views_of_scl_behave_alike() {
    let text = "FUNCTION \"Split\" : DINT\n{ S7_Optimized_Access := 'FALSE' }\nVAR_INPUT\n d : DWORD; b AT d : ARRAY [0..3] OF BYTE; f AT d : ARRAY [0..31] OF BOOL;\nEND_VAR\n\
        VAR_OUTPUT\n o : WORD; low AT o : STRUCT hi, lo : BYTE; END_STRUCT;\nEND_VAR\nVAR_TEMP\n k : INT;\nEND_VAR\nBEGIN\n\
        o := 0; low.hi := b[0]; FOR k := 0 TO 31 DO IF f[k] THEN low.lo := low.lo XOR INT_TO_BYTE(k); END_IF; END_FOR; b[1] := 7; \"Split\" := DWORD_TO_DINT(d);\nEND_FUNCTION\n\
        FUNCTION_BLOCK \"Main\"\n{ S7_Optimized_Access := 'FALSE' }\nVAR_INPUT\n a : WORD; n AT a : ARRAY [0..1] OF SINT; on : BOOL; x : REAL;\nEND_VAR\n\
        VAR\n w : WORD; r : DINT; y : REAL; bits AT y : DWORD; s : STRUCT f, g : BOOL; b : BYTE; n : INT; END_STRUCT; v AT s : DWORD;\nEND_VAR\n\
        VAR_TEMP\n t : WORD; h AT t : ARRAY [0..15] OF BOOL;\nEND_VAR\nBEGIN\n\
        r := \"Split\"(d := DW#16#01020300 OR WORD_TO_DWORD(a), o => w); y := x; IF on THEN bits := bits AND 16#7FFF_FFFF; END_IF;\n\
        t := w; h[3] := on; w := ROL(t, 2); s.n := n[1]; s.g := h[12]; v := v XOR 16#0100_0001; r := r + n[0] + s.n;\nEND_FUNCTION_BLOCK\n";
    agree_in("main.scl", LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() }, text);
}
