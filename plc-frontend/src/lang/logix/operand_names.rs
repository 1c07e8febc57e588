//! Names of the operands of instructions, as Studio 5000 shows them in the boxes of rungs.

/// Returns the names that Studio 5000 gives the operands of an instruction.
pub(super) fn names_of(instruction: &str) -> &'static [&'static str] {
    match instruction {
        "TON" | "TOF" | "RTO" => &["Timer"],
        "CTU" | "CTD" => &["Counter"],
        "MOV" | "MOVE" | "NEG" | "ABS" | "NOT" | "SQR" | "SQRT" | "TRN" | "TRUNC" => &["Source", "Dest"],
        "DTOS" | "STOD" | "RTOS" | "STOR" | "UPPER" | "LOWER" | "DEG" | "RAD" | "FRD" | "TOD" => &["Source", "Dest"],
        "ADD" | "SUB" | "MUL" | "DIV" | "MOD" | "AND" | "OR" | "XOR" | "CONCAT" => &["Source A", "Source B", "Dest"],
        "EQU" | "EQ" | "NEQ" | "NE" | "LES" | "LT" | "GRT" | "GT" | "LEQ" | "LE" | "GEQ" | "GE" => &["Source A", "Source B"],
        "LIM" | "LIMIT" => &["Low Limit", "Test", "High Limit"],
        "MEQ" => &["Source", "Mask", "Compare"],
        "MVM" => &["Source", "Mask", "Dest"],
        "BTD" => &["Source", "Source Bit", "Dest", "Dest Bit", "Length"],
        "SWPB" => &["Source", "Order Mode", "Dest"],
        "XPY" | "EXPT" => &["Source X", "Source Y", "Dest"],
        "CPT" => &["Dest", "Expression"],
        "CMP" => &["Expression"],
        "CLR" => &["Dest"],
        "COP" | "CPS" | "FLL" => &["Source", "Dest", "Length"],
        "ONS" => &["Storage Bit"],
        "OSR" | "OSF" => &["Storage Bit", "Output Bit"],
        "BSL" | "BSR" => &["Array", "Control", "Source Bit", "Length"],
        "FFL" => &["Source", "FIFO", "Control", "Length", "Position"],
        "FFU" => &["FIFO", "Dest", "Control", "Length", "Position"],
        "LFL" => &["Source", "LIFO", "Control", "Length", "Position"],
        "LFU" => &["LIFO", "Dest", "Control", "Length", "Position"],
        "SQO" => &["Array", "Mask", "Dest", "Control", "Length", "Position"],
        "SQI" => &["Array", "Mask", "Source", "Control", "Length", "Position"],
        "SQL" => &["Array", "Source", "Control", "Length", "Position"],
        "FAL" => &["Control", "Length", "Position", "Mode", "Dest", "Expression"],
        "FSC" => &["Control", "Length", "Position", "Mode", "Expression"],
        "SIZE" => &["Source", "Dim. To Vary", "Size"],
        "MID" | "DELETE" => &["Source", "Qty", "Start", "Dest"],
        "INSERT" => &["Source A", "Source B", "Start", "Dest"],
        "FIND" => &["Source", "Search", "Start", "Result"],
        "GSV" => &["Class Name", "Instance Name", "Attribute Name", "Dest"],
        "SSV" => &["Class Name", "Instance Name", "Attribute Name", "Source"],
        "JSR" => &["Routine Name"],
        "FOR" => &["Routine Name", "Index", "Initial Value", "Terminal Value", "Step Size"],
        "MSG" => &["Message Control"],
        "EVENT" => &["Task"],
        _ => &[],
    }
}

/// Returns the members that a box shows of its timer, counter or control structure, and the position of that operand.
pub(super) fn members_of(instruction: &str) -> (usize, &'static [&'static str]) {
    match instruction {
        "TON" | "TOF" | "RTO" | "CTU" | "CTD" => (0, &["PRE", "ACC"]),
        "FAL" | "FSC" => (0, &["LEN", "POS"]),
        "BSL" | "BSR" => (1, &["LEN", "POS"]),
        "FFL" | "FFU" | "LFL" | "LFU" | "SQL" => (2, &["LEN", "POS"]),
        "SQO" | "SQI" => (3, &["LEN", "POS"]),
        _ => (0, &[]),
    }
}

/// Returns the operand that an instruction writes.
pub(super) fn written_by(instruction: &str, n_operands: usize) -> Option<usize> {
    match instruction {
        "CPT" => Some(0),
        "FFU" | "LFU" => Some(1),
        "MOV" | "MOVE" | "NEG" | "ABS" | "NOT" | "SQR" | "SQRT" | "TRN" | "TRUNC" | "ADD" | "SUB" | "MUL" | "DIV" | "MOD"
        | "AND" | "OR" | "XOR" | "MVM" | "XPY" | "EXPT" | "CLR" => n_operands.checked_sub(1),
        _ => None,
    }
}
