//! Members of the tags of function blocks, and of steps and actions of charts.

use super::types::Member;

/// Types of the library, with the members that programs may name.
pub(super) const MEMBERS: &[(&str, &[Member])] = &[
    (
        "SFC_STEP",
        &[
            ("X", "BOOL", 0),
            ("FS", "BOOL", 0),
            ("SA", "BOOL", 0),
            ("LS", "BOOL", 0),
            ("DN", "BOOL", 0),
            ("PRE", "DINT", 0),
            ("T", "DINT", 0),
        ],
    ),
    ("SFC_ACTION", &[("A", "BOOL", 0), ("Q", "BOOL", 0), ("PRE", "DINT", 0), ("T", "DINT", 0)]),
    ("SFC_STOP", &[("X", "BOOL", 0)]),
    (
        "FBD_MATH",
        &[("EnableIn", "BOOL", 0), ("SourceA", "REAL", 0), ("SourceB", "REAL", 0), ("EnableOut", "BOOL", 0), ("Dest", "REAL", 0)],
    ),
    ("FBD_MATH_ADVANCED", &[("EnableIn", "BOOL", 0), ("Source", "REAL", 0), ("EnableOut", "BOOL", 0), ("Dest", "REAL", 0)]),
    (
        "FBD_COMPARE",
        &[("EnableIn", "BOOL", 0), ("SourceA", "REAL", 0), ("SourceB", "REAL", 0), ("EnableOut", "BOOL", 0), ("Dest", "BOOL", 0)],
    ),
    (
        "FBD_LOGICAL",
        &[("EnableIn", "BOOL", 0), ("SourceA", "DINT", 0), ("SourceB", "DINT", 0), ("EnableOut", "BOOL", 0), ("Dest", "DINT", 0)],
    ),
    (
        "FBD_LIMIT",
        &[
            ("EnableIn", "BOOL", 0),
            ("LowLimit", "REAL", 0),
            ("Test", "REAL", 0),
            ("HighLimit", "REAL", 0),
            ("EnableOut", "BOOL", 0),
            ("Dest", "BOOL", 0),
        ],
    ),
    (
        "SELECT",
        &[
            ("EnableIn", "BOOL", 0),
            ("In1", "REAL", 0),
            ("In2", "REAL", 0),
            ("SelectorIn", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("Out", "REAL", 0),
        ],
    ),
    (
        "FBD_BOOLEAN_AND",
        &[
            ("EnableIn", "BOOL", 0),
            ("In1", "BOOL", 0),
            ("In2", "BOOL", 0),
            ("In3", "BOOL", 0),
            ("In4", "BOOL", 0),
            ("In5", "BOOL", 0),
            ("In6", "BOOL", 0),
            ("In7", "BOOL", 0),
            ("In8", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("Out", "BOOL", 0),
        ],
    ),
    (
        "FBD_BOOLEAN_OR",
        &[
            ("EnableIn", "BOOL", 0),
            ("In1", "BOOL", 0),
            ("In2", "BOOL", 0),
            ("In3", "BOOL", 0),
            ("In4", "BOOL", 0),
            ("In5", "BOOL", 0),
            ("In6", "BOOL", 0),
            ("In7", "BOOL", 0),
            ("In8", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("Out", "BOOL", 0),
        ],
    ),
    (
        "FBD_BOOLEAN_XOR",
        &[("EnableIn", "BOOL", 0), ("In1", "BOOL", 0), ("In2", "BOOL", 0), ("EnableOut", "BOOL", 0), ("Out", "BOOL", 0)],
    ),
    ("FBD_BOOLEAN_NOT", &[("EnableIn", "BOOL", 0), ("In", "BOOL", 0), ("EnableOut", "BOOL", 0), ("Out", "BOOL", 0)]),
    (
        "DOMINANT_SET",
        &[
            ("EnableIn", "BOOL", 0),
            ("Set", "BOOL", 0),
            ("Reset", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("Out", "BOOL", 0),
            ("OutNot", "BOOL", 0),
        ],
    ),
    (
        "DOMINANT_RESET",
        &[
            ("EnableIn", "BOOL", 0),
            ("Set", "BOOL", 0),
            ("Reset", "BOOL", 0),
            ("EnableOut", "BOOL", 0),
            ("Out", "BOOL", 0),
            ("OutNot", "BOOL", 0),
        ],
    ),
];
