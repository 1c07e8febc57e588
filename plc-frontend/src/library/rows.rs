//! The table of libraries. A library is one row, and one folder of texts.

use super::Library;
use crate::dialect::DialectId;

const CODESYS: &[DialectId] = &[DialectId::Codesys];
const TWINCAT: &[DialectId] = &[DialectId::Twincat];
const BOTH: &[DialectId] = &[DialectId::Codesys, DialectId::Twincat];

/// All libraries. Those without texts have standard blocks only: programs write their names before the blocks.
pub const LIBRARIES: &[Library] = &[
    Library {
        id: "Standard",
        title: "Standard, Standard64, Tc2_Standard",
        names: &["Standard", "Standard64", "Tc2_Standard", "StringUtils"],
        dialects: BOTH,
        is_referenced: false,
        documentation: "IEC 61131-3: blocks of the standard",
        texts: &[],
    },
    Library {
        id: "TwinCAT",
        title: "TwinCAT 3: types of the system",
        names: &[],
        dialects: TWINCAT,
        is_referenced: false,
        documentation: "Beckhoff Information System, TwinCAT 3 PLC, data types",
        texts: &[include_str!("system/types.st")],
    },
    Library {
        id: "System",
        title: "CODESYS: types of the system",
        names: &["__SYSTEM"],
        dialects: BOTH,
        is_referenced: false,
        documentation: "CODESYS online help, TYPE_CLASS and AnyType",
        texts: &[include_str!("system/any.st")],
    },
    Library {
        id: "Tc2_System",
        title: "Tc2_System",
        names: &["Tc2_System"],
        dialects: TWINCAT,
        is_referenced: false,
        documentation: "Beckhoff Information System, PLC library Tc2_System",
        texts: &[
            include_str!("tc2_system/types.st"),
            include_str!("tc2_system/files.st"),
            include_str!("tc2_system/ads.st"),
            include_str!("tc2_system/log.st"),
            include_str!("tc2_system/math.st"),
            include_str!("tc2_system/random.st"),
        ],
    },
    Library {
        id: "Tc2_Utilities",
        title: "Tc2_Utilities",
        names: &["Tc2_Utilities"],
        dialects: TWINCAT,
        is_referenced: false,
        documentation: "Beckhoff Information System, PLC library Tc2_Utilities",
        texts: &[include_str!("tc2_utilities/time.st"), include_str!("tc2_utilities/buffers.st")],
    },
    // Other libraries for motion have blocks of the same names with other interfaces.
    Library {
        id: "Tc2_MC2",
        title: "Tc2_MC2",
        names: &["Tc2_MC2"],
        dialects: TWINCAT,
        is_referenced: true,
        documentation: "Beckhoff Information System, PLC library Tc2_MC2",
        texts: &[include_str!("tc2_mc2/axis.st"), include_str!("tc2_mc2/blocks.st")],
    },
    Library {
        id: "Util",
        title: "CODESYS Util",
        names: &["Util"],
        dialects: CODESYS,
        is_referenced: false,
        documentation: "CODESYS online help, library Util",
        texts: &[include_str!("util/blocks.st")],
    },
    Library {
        id: "SysTime",
        title: "CODESYS SysTimeCore",
        names: &["SysTime", "SysTimeCore"],
        dialects: CODESYS,
        is_referenced: false,
        documentation: "CODESYS online help, library SysTimeCore",
        texts: &[include_str!("systime/functions.st")],
    },
    // The documentation states no values of ACCESS_MODE; the interfaces of files are inferred from their uses.
    Library {
        id: "SysFile",
        title: "CODESYS SysFile, SysDir, SysTypes2, CmpErrors",
        names: &["SysFile", "SysDir", "SysTypes", "CmpErrors"],
        dialects: BOTH,
        is_referenced: false,
        documentation: "CODESYS online help, libraries SysFile, SysTypes2 and CmpErrors2",
        texts: &[include_str!("sysfile/types.st")],
    },
    Library {
        id: "Siemens",
        title: "STEP 7 (TIA Portal): instructions",
        names: &[],
        dialects: &[DialectId::SiemensTia],
        is_referenced: false,
        documentation: "S7-1200 system manual",
        texts: &[include_str!("siemens/clock.st"), include_str!("siemens/identifiers.st"), include_str!("siemens/control.st")],
    },
    Library {
        id: "Siemens300",
        title: "STEP 7: clock of S7-300 and S7-400",
        names: &[],
        dialects: &[DialectId::SiemensClassic, DialectId::SiemensTia],
        is_referenced: false,
        documentation: "System Software for S7-300/400, System and Standard Functions",
        texts: &[include_str!("siemens/classic.st")],
    },
    Library {
        id: "Matiec",
        title: "MATIEC (OpenPLC, Beremiz): example blocks",
        names: &[],
        dialects: &[DialectId::Matiec],
        is_referenced: false,
        documentation: "IEC 61131-3, second edition, annex F",
        texts: &[include_str!("matiec/blocks.st")],
    },
    Library {
        id: "SvgHmi",
        title: "Beremiz: types of SVGHMI",
        names: &[],
        dialects: &[DialectId::Iec, DialectId::Matiec],
        is_referenced: false,
        documentation: "Beremiz, data types of the extension SVGHMI",
        texts: &[include_str!("svghmi/types.st")],
    },
    Library {
        id: "Logix",
        title: "Studio 5000: instructions",
        names: &[],
        dialects: &[DialectId::Logix],
        is_referenced: false,
        documentation: "Rockwell Automation, 1756-RM003N-EN-P",
        texts: &[
            include_str!("logix/timers.st"),
            include_str!("logix/blocks.st"),
            include_str!("logix/numbers.st"),
            include_str!("logix/charts.st"),
            include_str!("logix/diagrams.st"),
        ],
    },
];
