//! Differences of strings, charts and memory.

use super::{BASE, Difference};
use plc_frontend::dialect::DialectId::{Codesys, Iec, Matiec, SiemensClassic, SiemensTia, Twincat};

const LONG: &str = "s := '0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\
                    012345678901234567890123456789'; x := LEN(s);";

pub(super) const DIFFERENCES: &[Difference] = &[
    // Strings
    Difference {
        id: "string-length",
        vars: "x : INT; s : STRING;",
        body: LONG,
        values: &[(Iec, &["130"]), (Codesys, &["80"]), (SiemensTia, &["130"]), (Matiec, &["126"])],
        ..BASE
    },
    Difference {
        id: "mid-position",
        vars: "x : INT; s : STRING := 'abc';",
        body: "x := LEN(MID(s, 2, n));",
        values: &[(Iec, &["2"]), (Codesys, &["0"])],
        ..BASE
    },
    Difference {
        id: "insert-position",
        vars: "x : INT; s : STRING := 'abc';",
        body: "x := LEN(INSERT(s, 'XY', 5));",
        values: &[(Iec, &["5"]), (Codesys, &["3"])],
        ..BASE
    },
    Difference {
        id: "replace-position",
        vars: "x : INT; s : STRING := 'abc';",
        body: "x := LEN(REPLACE(s, 'XY', 1, n));",
        values: &[(Iec, &["4"]), (Codesys, &["5"])],
        ..BASE
    },
    // Charts
    Difference {
        id: "chart-first-call",
        vars: "x : INT;",
        body: "INITIAL_STEP A: END_STEP\nSTEP B: Count(N); END_STEP\nTRANSITION FROM A TO B := TRUE; END_TRANSITION\n\
               ACTION Count: x := x + 1; END_ACTION",
        inputs: &[0, 0],
        values: &[(Iec, &["0", "1"]), (SiemensTia, &["0", "1"]), (Matiec, &["1", "2"])],
        ..BASE
    },
    Difference {
        id: "chart-order",
        vars: "x : INT;",
        body: "INITIAL_STEP A: END_STEP\nSTEP B: Count(N); END_STEP\nTRANSITION FROM A TO B := n > 0; END_TRANSITION\n\
               ACTION Count: x := x + 1; END_ACTION",
        inputs: &[0, 1, 0],
        values: &[(Iec, &["0", "1", "2"]), (Codesys, &["0", "0", "1"]), (Twincat, &["0", "0", "1"]), (Matiec, &["0", "1", "2"])],
        ..BASE
    },
    Difference {
        id: "chart-order-of-actions",
        vars: "x : INT;",
        body: "INITIAL_STEP A: Second(N); Third(N); First(N); END_STEP\nACTION Third: x := x * 10 + 3; END_ACTION\n\
               ACTION First: x := x * 10 + 1; END_ACTION\nACTION Second: x := x * 10 + 2; END_ACTION",
        values: &[(Iec, &["231"]), (Codesys, &["123"]), (Matiec, &["312"])],
        ..BASE
    },
    Difference {
        id: "chart-last-time",
        vars: "x : INT;",
        body: "INITIAL_STEP A: Count(N); END_STEP\nSTEP B: END_STEP\nTRANSITION FROM A TO B := n > 0; END_TRANSITION\n\
               ACTION Count: x := x + 1; END_ACTION",
        inputs: &[0, 1, 0],
        values: &[(Iec, &["1", "2", "2"]), (SiemensTia, &["1", "1", "1"]), (Matiec, &["1", "1", "1"])],
        ..BASE
    },
    Difference {
        id: "chart-branches",
        vars: "x : INT;",
        body: "INITIAL_STEP A: END_STEP\nSTEP B: One(N); END_STEP\nSTEP C: Ten(N); END_STEP\n\
               TRANSITION FROM A TO B := n > 0; END_TRANSITION\nTRANSITION FROM A TO C := n > 0; END_TRANSITION\n\
               ACTION One: x := x + 1; END_ACTION\nACTION Ten: x := x + 10; END_ACTION",
        inputs: &[0, 1],
        values: &[(Iec, &["0", "1"]), (SiemensTia, &["0", "1"]), (Matiec, &["0", "11"])],
        ..BASE
    },
    Difference {
        id: "chart-resets",
        vars: "x : BOOL;",
        body: "INITIAL_STEP A: x(N); END_STEP\nSTEP B: x(N); END_STEP\n\
               TRANSITION FROM A TO B := n > 0; END_TRANSITION\nTRANSITION FROM B TO A := n < 0; END_TRANSITION",
        inputs: &[0, 1, -1, 0],
        values: &[(Iec, &["TRUE", "TRUE", "TRUE", "TRUE"]), (Matiec, &["TRUE", "TRUE", "FALSE", "TRUE"])],
        ..BASE
    },
    Difference {
        id: "chart-first-pulse",
        vars: "x : INT;",
        body: "INITIAL_STEP A: Count(P1); END_STEP\nACTION Count: x := x + 1; END_ACTION",
        inputs: &[0, 0],
        values: &[(Iec, &["1", "1"]), (Codesys, &["1", "1"]), (Matiec, &["0", "0"])],
        ..BASE
    },
    // Memory
    Difference {
        id: "shared-addresses",
        vars: "x : WORD; w AT %MW0 : WORD; b AT %MX0.3 : BOOL;",
        body: "b := TRUE; x := w;",
        values: &[(Iec, &["16#0008"]), (Twincat, &["16#0008"]), (Matiec, &["16#0000"])],
        ..BASE
    },
    Difference {
        id: "address-numbers",
        vars: "x : WORD; w0 AT %MW0 : WORD; w1 AT %MW1 : WORD;",
        body: "w1 := 16#FFFF; x := w0;",
        values: &[
            (Iec, &["16#0000"]),
            (Codesys, &["16#0000"]),
            (Twincat, &["16#FF00"]),
            (SiemensTia, &["16#00FF"]),
            (Matiec, &["16#0000"]),
        ],
        ..BASE
    },
    Difference {
        id: "byte-order",
        vars: "x : BYTE; w AT %MW0 : WORD; b AT %MB0 : BYTE;",
        body: "w := 16#1234; x := b;",
        values: &[(Twincat, &["16#34"]), (SiemensClassic, &["16#12"]), (SiemensTia, &["16#12"]), (Matiec, &["16#00"])],
        ..BASE
    },
];
