//! Names of instructions that are not modelled, as the ledger writes them.

macro_rules! instructions {
    ($($name:literal)*) => {
        &[$(($name, concat!("instruction ", $name))),*]
    };
}

/// Instructions without a model, with their names in the ledger.
const GAPS: &[(&str, &str)] = instructions! {
    "ABL" "ACB" "ACL" "AHL" "ALM" "ALMA" "ALMD" "ARD" "ARL" "AVE" "AWA" "AWT" "BRK" "BSL" "BSR" "BTD" "BTDT" "CMP" "CONCAT"
    "COP" "CPS" "CPT" "CTD" "CTUD" "DDT" "DEG" "DELETE" "DTOS" "DTR" "EOT" "ESEL" "EVENT" "FAL" "FBC" "FFL" "FFU" "FIND"
    "FLL" "FOR" "FRD" "FSC" "GSV" "INSERT" "IOT" "LBL" "JMP" "LFL" "LFU" "LOG" "LOWER" "MCR" "MEQ" "MID" "MSG" "MVM" "MVMT"
    "OSFI" "OSRI" "PID" "PIDE" "RAD" "RET" "RTO" "RTOR" "RTOS" "SBR" "SFP" "SFR" "SIZE" "SQI" "SQL" "SQO" "SRT" "SSV" "STD"
    "STOD" "STOR" "SWPB" "TND" "TOD" "TOF" "TOFR" "TON" "TONR" "TRN" "UID" "UIE" "UPPER" "XPY" "AND" "OR" "XOR" "NOT" "DIV"
    "MOD" "SQR" "ABS" "NEG" "CTU" "RES" "MOV" "ADD" "SUB" "MUL" "LIM"
};

/// Returns the words of the ledger for an instruction that is not modelled; `None` for other names.
pub(super) fn words_of(instruction: &str) -> Option<&'static str> {
    GAPS.iter().find(|(name, _)| name.eq_ignore_ascii_case(instruction)).map(|(_, words)| *words)
}
