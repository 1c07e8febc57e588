//! The table of libraries. A library is one row, and one folder of texts.

use super::Library;
use crate::dialect::DialectId;

const CODESYS: &[DialectId] = &[DialectId::Codesys, DialectId::Twincat];
const TWINCAT: &[DialectId] = &[DialectId::Twincat];

/// All libraries. Those without texts have standard blocks only: their names may stand before them.
pub const LIBRARIES: &[Library] = &[
    Library {
        id: "Standard",
        title: "Standard, Standard64",
        names: &["Standard", "Standard64", "Tc2_Standard"],
        dialects: CODESYS,
        documentation: "IEC 61131-3; the blocks are in `stdlib`",
        texts: &[],
    },
    Library {
        id: "__SYSTEM",
        title: "TwinCAT 3 system types",
        names: &["__SYSTEM"],
        dialects: TWINCAT,
        documentation: "Beckhoff Information System, TwinCAT 3 PLC, data types",
        texts: &[include_str!("system/types.st")],
    },
    Library {
        id: "Tc2_System",
        title: "TwinCAT 3 Tc2_System",
        names: &["Tc2_System"],
        dialects: TWINCAT,
        documentation: "Beckhoff Information System, TwinCAT 3, PLC library Tc2_System",
        texts: &[include_str!("tc2_system/types.st"), include_str!("tc2_system/files.st"), include_str!("tc2_system/ads.st")],
    },
];
