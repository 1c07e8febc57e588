//! Differences of arithmetic, times, standard blocks and statements.

use super::{BASE, Difference};
use plc_frontend::dialect::DialectId::{Codesys, Iec, Matiec, SiemensTia, Twincat};

const NEXT: &str = "VAR_GLOBAL\n g : INT;\nEND_VAR\nFUNCTION Next : BOOL\nVAR_INPUT\n k : INT;\nEND_VAR\ng := g + k;\nNext := g > 0;\nEND_FUNCTION";
const DOWN: &str = r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION_BLOCK Down
VAR_IN_OUT
 last : INT;
END_VAR
VAR_OUTPUT
 rounds : INT;
END_VAR
VAR
 i : INT;
END_VAR
g := 10;
rounds := 0;
FOR i := 1 TO last DO
 g := g - 1;
 rounds := rounds + 1;
END_FOR;
END_FUNCTION_BLOCK";
const HOLD: &str = "FUNCTION_BLOCK Hold\nVAR_INPUT\n a : INT;\nEND_VAR\nEND_FUNCTION_BLOCK";

pub(super) const DIFFERENCES: &[Difference] = &[
    // Arithmetic
    Difference {
        id: "integer-width",
        vars: "x : BOOL; i : INT := 30000;",
        body: "x := i + i > 0;",
        values: &[(Iec, &["FALSE"]), (Codesys, &["TRUE"]), (Twincat, &["TRUE"]), (SiemensTia, &["FALSE"])],
        ..BASE
    },
    Difference {
        id: "negation-width",
        vars: "x : DINT; i : INT := -32768;",
        body: "x := -i;",
        values: &[(Iec, &["-32768"]), (Codesys, &["32768"])],
        ..BASE
    },
    Difference {
        id: "bit-strings",
        vars: "x : BYTE; b : BYTE := 3;",
        body: "x := b + 1;",
        values: &[(Iec, &["P3004"]), (Codesys, &["16#04"]), (SiemensTia, &["P3004"])],
        ..BASE
    },
    Difference {
        id: "mixed-signs",
        vars: "x : BOOL; u : UDINT := 4294967295; d : DINT := -1;",
        body: "x := u = d;",
        values: &[(Iec, &["FALSE"]), (Codesys, &["TRUE"]), (Twincat, &["TRUE"])],
        ..BASE
    },
    Difference {
        id: "no-result",
        before: "FUNCTION Split\nVAR_INPUT\n k : INT;\nEND_VAR\nVAR_OUTPUT\n half : INT;\n rest : INT;\nEND_VAR\n\
                 half := k / 2;\nrest := k MOD 2;\nEND_FUNCTION",
        vars: "x : INT; h : INT;",
        body: "x := Split(n, half => h) * 100 + h;",
        inputs: &[9, 6],
        values: &[(Iec, &["P2009"]), (Codesys, &["P2009"]), (Twincat, &["404", "303"])],
    },
    Difference {
        id: "no-result-of-method",
        before: "FUNCTION_BLOCK Box\nVAR\n n : INT;\nEND_VAR\nMETHOD Next\nVAR_OUTPUT\n o : INT;\nEND_VAR\n\
                 n := n + 1;\no := n;\nEND_METHOD\nEND_FUNCTION_BLOCK",
        vars: "x : INT; b : Box; r : REFERENCE TO Box;",
        body: "r REF= b;\nx := b.Next() * 10 + r.Next();\nb.Next();",
        inputs: &[0, 0],
        values: &[(Codesys, &["P2009"]), (Twincat, &["12", "45"])],
    },
    Difference {
        id: "shift-count",
        vars: "x : DWORD; d : DWORD := 1; c : INT := 33;",
        body: "x := SHL(d, c);",
        values: &[(Iec, &["16#00000000"]), (Codesys, &["16#00000002"]), (SiemensTia, &["16#00000000"])],
        ..BASE
    },
    Difference {
        id: "shift-width",
        vars: "x : WORD; b : BYTE := 1;",
        body: "x := SHL(b, 9);",
        values: &[(Iec, &["16#0000"]), (Codesys, &["16#0200"])],
        ..BASE
    },
    Difference {
        id: "power-of-negative",
        vars: "x : LREAL; a : LREAL := 2.0;",
        body: "x := -a ** 2.0;",
        values: &[(Iec, &["4.0"]), (Matiec, &["4.0"]), (Codesys, &["-4.0"]), (SiemensTia, &["-4.0"])],
        ..BASE
    },
    Difference {
        id: "signed-shift",
        vars: "x : SINT; s : SINT := -128;",
        body: "x := SHR(s, 1);",
        values: &[(Iec, &["P3004"]), (Codesys, &["-64"])],
        ..BASE
    },
    Difference {
        id: "halves",
        vars: "x : INT; r : REAL := 2.5;",
        body: "x := REAL_TO_INT(r);",
        values: &[(Iec, &["2"]), (Codesys, &["3"]), (Twincat, &["3"]), (SiemensTia, &["2"]), (Matiec, &["2"])],
        ..BASE
    },
    Difference {
        id: "real-bits",
        vars: "x : DWORD; r : REAL := 1.0;",
        body: "x := REAL_TO_DWORD(r);",
        values: &[(Iec, &["16#3F800000"]), (Codesys, &["16#00000001"]), (Matiec, &["16#00000001"])],
        ..BASE
    },
    // Times
    Difference {
        id: "time-sign",
        vars: "x : BOOL; a : TIME := T#1s; b : TIME := T#2s;",
        body: "x := a - b > b;",
        values: &[(Iec, &["FALSE"]), (Codesys, &["TRUE"]), (SiemensTia, &["FALSE"])],
        ..BASE
    },
    Difference {
        id: "ltime-sign",
        vars: "x : BOOL; a : LTIME := LTIME#1s; b : LTIME := LTIME#2s;",
        body: "x := a - b > b;",
        values: &[(Iec, &["FALSE"]), (Codesys, &["TRUE"])],
        ..BASE
    },
    Difference {
        id: "time-numbers",
        vars: "x : DINT; t : TIME := T#2500ms;",
        body: "x := TIME_TO_DINT(t);",
        values: &[(Iec, &["2500"]), (Codesys, &["2500"]), (Matiec, &["2"])],
        ..BASE
    },
    Difference {
        id: "numbers-to-time",
        vars: "x : TIME; k : INT := 3;",
        body: "x := INT_TO_TIME(k);",
        values: &[(Iec, &["T#3ms"]), (Matiec, &["T#3s"])],
        ..BASE
    },
    // Standard blocks
    Difference {
        id: "first-fall",
        vars: "x : BOOL; f : F_TRIG;",
        body: "f(CLK := FALSE); x := f.Q;",
        inputs: &[0, 0],
        values: &[
            (Iec, &["TRUE", "FALSE"]),
            (Codesys, &["FALSE", "FALSE"]),
            (SiemensTia, &["FALSE", "FALSE"]),
            (Matiec, &["FALSE", "FALSE"]),
        ],
        ..BASE
    },
    Difference {
        id: "counter-down",
        vars: "x : INT; c : CTD;",
        body: "c(CD := n > 0, PV := 3); x := c.CV;",
        inputs: &[1, 0, 1],
        values: &[(Iec, &["-1", "-1", "-2"]), (Codesys, &["0", "0", "0"]), (Matiec, &["0", "0", "0"])],
        ..BASE
    },
    Difference {
        id: "counter-up",
        vars: "x : INT; c : CTU;",
        body: "c(CU := n > 0, PV := 1); x := c.CV;",
        inputs: &[1, 0, 1],
        values: &[(Iec, &["1", "1", "2"]), (Codesys, &["1", "1", "2"]), (Matiec, &["1", "1", "1"])],
        ..BASE
    },
    Difference {
        id: "preset-change",
        vars: "x : BOOL; p : TIME; t : TON;",
        body: "IF n = 0 THEN p := T#500ms; ELSE p := T#100ms; END_IF; t(IN := TRUE, PT := p); x := t.Q;",
        inputs: &[0, 0, 1, 1],
        values: &[
            (Iec, &["FALSE", "FALSE", "TRUE", "TRUE"]),
            (Codesys, &["FALSE", "FALSE", "TRUE", "TRUE"]),
            (Matiec, &["FALSE", "FALSE", "TRUE", "TRUE"]),
            (SiemensTia, &["FALSE", "FALSE", "FALSE", "FALSE"]),
        ],
        ..BASE
    },
    Difference {
        id: "zero-delay",
        vars: "x : BOOL; t : TON;",
        body: "t(IN := n > 0, PT := T#0s); x := t.Q;",
        inputs: &[0, 1, 1, 0],
        values: &[(Iec, &["FALSE", "TRUE", "TRUE", "FALSE"]), (Matiec, &["FALSE", "FALSE", "TRUE", "FALSE"])],
        ..BASE
    },
    Difference {
        id: "zero-off-delay",
        vars: "x : BOOL; t : TOF;",
        body: "t(IN := n > 0, PT := T#0s); x := t.Q;",
        inputs: &[1, 0, 0],
        values: &[(Iec, &["TRUE", "FALSE", "FALSE"]), (Matiec, &["TRUE", "TRUE", "FALSE"])],
        ..BASE
    },
    Difference {
        id: "zero-pulse",
        vars: "x : BOOL; t : TP;",
        body: "t(IN := n > 0, PT := T#0s); x := t.Q;",
        inputs: &[1, 1, 1],
        values: &[(Iec, &["FALSE", "FALSE", "FALSE"]), (Matiec, &["TRUE", "FALSE", "FALSE"])],
        ..BASE
    },
    Difference {
        id: "semaphore",
        vars: "x : BOOL; s : SEMA;",
        body: "s(CLAIM := n > 0); x := s.BUSY;",
        inputs: &[1, 0],
        values: &[(Iec, &["FALSE", "TRUE"]), (Matiec, &["TRUE", "TRUE"])],
        ..BASE
    },
    // Statements
    Difference {
        id: "short-circuit",
        before: NEXT,
        vars: "x : INT; b : BOOL;",
        body: "b := n > 0 AND Next(1); b := n = 0 OR Next(10); x := g;",
        inputs: &[0, 1],
        values: &[(Iec, &["11", "22"]), (Codesys, &["11", "22"]), (Matiec, &["0", "11"])],
    },
    Difference {
        id: "loop-bounds",
        vars: "x : INT; i, last, stride : INT;",
        body: "x := 0; last := 9; stride := 1; FOR i := 1 TO last BY stride DO x := x + 1; stride := 3; last := 4; END_FOR;",
        values: &[(Iec, &["9"]), (SiemensTia, &["9"]), (Codesys, &["2"]), (Twincat, &["2"]), (Matiec, &["2"])],
        ..BASE
    },
    Difference {
        id: "loop-control",
        vars: "x : INT; i : INT;",
        body: "x := 0; i := 0; FOR i := 0 TO LIMIT(0, i + 1, 3) DO x := x + 1; END_FOR;",
        values: &[(Iec, &["2"]), (SiemensTia, &["2"]), (Codesys, &["4"]), (Twincat, &["4"]), (Matiec, &["4"])],
        ..BASE
    },
    Difference {
        id: "loop-in-out",
        before: DOWN,
        vars: "x : INT; f : Down;",
        body: "f(last := g); x := f.rounds;",
        values: &[(Iec, &["10"]), (SiemensTia, &["10"]), (Codesys, &["5"]), (Twincat, &["5"]), (Matiec, &["5"])],
        ..BASE
    },
    Difference {
        id: "loop-address",
        before: "VAR_GLOBAL\n w AT %MW0 : WORD;\n v AT %MB0 : BYTE;\nEND_VAR",
        vars: "x : UINT; i : UINT;",
        body: "w := 10; x := 0; FOR i := 1 TO WORD_TO_UINT(w) DO v := UINT_TO_BYTE(BYTE_TO_UINT(v) - 1); x := x + 1; END_FOR;",
        values: &[(SiemensTia, &["10"]), (Codesys, &["5"]), (Twincat, &["5"]), (Matiec, &["10"])],
        ..BASE
    },
    Difference {
        id: "disabled-inputs",
        before: HOLD,
        vars: "x : INT; f : Hold;",
        body: "f(EN := n > 0, a := n + 7); x := f.a;",
        inputs: &[0, 1, -1],
        values: &[(Iec, &["0", "8", "8"]), (Codesys, &["0", "8", "8"]), (Matiec, &["7", "8", "6"])],
    },
    Difference {
        id: "disabled-result",
        vars: "x : INT; k : INT := -3;",
        body: "x := 5; x := ABS(EN := n > 0, k);",
        inputs: &[0, 1],
        values: &[(Iec, &["5", "3"]), (Matiec, &["0", "3"])],
        ..BASE
    },
    Difference {
        id: "instance-eno",
        before: HOLD,
        vars: "x : BOOL; f : Hold;",
        body: "f(EN := n > 0, a := 1); x := f.ENO;",
        inputs: &[0, 1],
        values: &[(Iec, &["gap"]), (Matiec, &["FALSE", "TRUE"])],
    },
];
