//! Dialects as data: what the engineering systems do differently with the same text.
//!
//! The grammar knows no dialect: it reads the union of all. What a text *means* may depend on the row that is
//! chosen or detected here; the resolver reads the properties, and the report says which row a result rests on.

mod detect;
mod memory;
mod rows;

use serde::{Deserialize, Serialize};

pub use detect::detect;
pub use memory::{ByteOrder, Memory, Numbering, Packing};
pub use rows::DIALECTS;

/// A row of [`DIALECTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DialectId {
    /// The standard.
    #[default]
    Iec,
    /// CODESYS 3 and the systems built on it; CoDeSys 2.3.
    Codesys,
    /// Beckhoff TwinCAT 3.
    Twincat,
    /// Siemens STEP 7 classic: S7-300, S7-400.
    SiemensClassic,
    /// Siemens TIA Portal and SIMATIC AX: S7-1200, S7-1500.
    SiemensTia,
    /// MATIEC, the compiler of OpenPLC and Beremiz.
    Matiec,
}

/// How a system reads and runs programs.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Which.
    pub id: DialectId,
    /// How it is written in requirement files.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The width that integers are computed at.
    pub arithmetic: Arithmetic,
    /// Whether BYTE, WORD … are numbers.
    pub bit_strings: BitStrings,
    /// What REAL_TO_DWORD and the like take from a REAL.
    pub real_bits: RealBits,
    /// Which conversions need no function.
    pub conversions: Conversions,
    /// The number of characters of a STRING without a length.
    pub string_length: u32,
    /// The number of characters that STRING[n] may have at most.
    pub longest_string: u32,
    /// TIME.
    pub time: TimeKind,
    /// What the sign of `-a ** b` belongs to.
    pub sign: Sign,
    /// F_TRIG.
    pub f_trig: FirstScan,
    /// Bistables and counters.
    pub blocks: Blocks,
    /// When a timer takes its time.
    pub preset: Preset,
    /// When the time of a timer whose PT is zero is over.
    pub zero_time: ZeroTime,
    /// Calls with EN = FALSE.
    pub enable: Enable,
    /// AND and OR of truth values.
    pub logic: Logic,
    /// Unit of the numbers that TIME_TO_DINT and the like give.
    pub time_numbers: TimeNumbers,
    /// Where X.5 goes in a conversion to an integer.
    pub halves: Halves,
    /// What a shift shifts, and by how much.
    pub shifts: Shifts,
    /// When a FOR computes its last value and its step.
    pub loops: Loops,
    /// String functions at positions that the string does not have.
    pub positions: Positions,
    /// Whether the statements of a chart's action run once more in the call in which it has ended.
    pub final_scan: bool,
    /// What one call of a chart does first.
    pub chart_order: ChartOrder,
    /// Whether access modifiers are enforced and vendors' constructs are mistakes, when it is chosen explicitly.
    pub forbids: &'static [Construct],
}

/// The width that integers are computed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// At the width of the wider operand.
    OfOperands,
    /// At 32 bits, or at the width of the wider operand if that is more.
    AtLeast32,
}

/// Whether BYTE, WORD, DWORD, LWORD take part in arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitStrings {
    /// They are sets of bits: only AND, OR, XOR, NOT, shifts and comparisons for equality.
    Bits,
    /// They are unsigned numbers too.
    Numbers,
}

/// What conversions between REAL and DWORD, LREAL and LWORD do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealBits {
    /// The bits are the same (the standard's table of conversions; STEP 7).
    Transferred,
    /// The number is the same, rounded (CODESYS's help on conversions of REAL: REAL_TO_DWORD(1.234) is 1).
    Converted,
}

/// Which conversions an assignment does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversions {
    /// Those that lose nothing.
    Widening,
    /// Also those that may lose something: the value is cut to the target's width, with a note.
    Narrowing,
}

/// TIME as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeKind {
    /// Whether it can be negative.
    pub signed: bool,
    /// Its width.
    pub bits: u32,
    /// The length of its unit.
    pub unit_ns: u64,
}

/// How `-a ** b` is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `(-a) ** b`: in the standard's table and grammar a sign binds more than `**`.
    OfBase,
    /// `-(a ** b)`: in the tables of Siemens and CODESYS a power binds more than a sign.
    OfPower,
}

/// What F_TRIG says in its first call if CLK is FALSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstScan {
    /// Nothing has fallen.
    Silent,
    /// Q is TRUE for one call: its memory starts as FALSE, as the standard writes it.
    Pulse,
}

/// Inputs and types of bistables and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// S1, R, LD; counters of integers, which may be negative.
    Integers,
    /// SET1, RESET, LOAD; counters of WORD, which end at 0.
    Words,
    /// S1, R, LD; counters of integers that move between 0 and PV only.
    WithinPreset,
}

/// When a timer takes its PT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// At every call.
    EachCall,
    /// When its time begins.
    AtStart,
}

/// When the time of a timer whose PT is zero is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroTime {
    /// In the call in which it begins.
    AtOnce,
    /// In the next call: the call in which it begins compares nothing.
    NextCall,
}

/// Calls with EN = FALSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enable {
    /// Nothing happens: inputs keep their values, and so does the target of an assignment.
    SkipsCall,
    /// Inputs are assigned and the body is skipped; a function returns the initial value of its type. EN is a variable of the
    /// instance, which keeps its value.
    SkipsBody,
}

/// The right side of AND and OR of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// It is always computed.
    Full,
    /// It is skipped where it cannot change the result.
    Short,
    /// Controllers may do either; it is computed.
    Open,
}

/// Unit of conversions between TIME and numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeNumbers {
    /// TIME_TO_DINT(T#2s) is 2000.
    Milliseconds,
    /// TIME_TO_DINT(T#2s) is 2.
    Seconds,
}

/// Where X.5 goes when a REAL becomes an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// To the even neighbour.
    ToEven,
    /// Away from zero.
    AwayFromZero,
}

/// What SHL and SHR do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shifts {
    /// They shift at the operand's width; a count of the width or more shifts everything out.
    AtWidth,
    /// They shift as arithmetic computes, at 32 bits or more, by the lowest 5 or 6 bits of the count.
    Promoted,
}

/// When a FOR computes its last value and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// Once, before the first round.
    Once,
    /// Before every round.
    EachRound,
}

/// What string functions do at positions that the string does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// They take the nearest one that it has.
    Nearest,
    /// They take and insert nothing.
    Nothing,
}

/// What one call of a chart does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartOrder {
    /// Transitions fire, then what is active acts.
    EvolveThenAct,
    /// What is active acts, then transitions fire: new steps act in the next call.
    ActThenEvolve,
    /// Transitions fire, also in the first call; then each step in turn sets and resets the states of its actions.
    StepByStep,
}

/// Something that not all dialects have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Construct {
    /// METHOD, CLASS, INTERFACE, EXTENDS.
    ObjectOrientation,
    /// PROPERTY
    Property,
    /// ACTION outside of a chart.
    Action,
    /// POINTER TO
    Pointer,
    /// REFERENCE TO, REF=
    Reference,
    /// REF_TO
    RefTo,
    /// UNION
    Union,
    /// S=, R=
    SetReset,
    /// a := b := c
    ChainedAssignment,
    /// GOTO, JMP, labels.
    Goto,
    /// VAR_STAT, VAR_INST
    StaticSection,
    /// NAMESPACE, USING
    Namespace,
    /// CONFIGURATION
    Configuration,
    /// AND_THEN, OR_ELSE
    ShortCircuit,
    /// `x;`
    ValueStatement,
}

impl Dialect {
    /// Returns whether programs become C code, with its own limits of arithmetic, shifts, loops and strings.
    pub fn compiles_to_c(&self) -> bool {
        self.id == DialectId::Matiec
    }
    /// What a result rests on because the program was read in this dialect; nothing for the standard.
    pub fn rests_on(&self) -> Option<String> {
        if self.id == DialectId::Iec {
            return Some(
                "The program is read as the standard says: integers are computed at the width of their operands.".to_owned(),
            );
        }
        let mut parts = vec![match self.arithmetic {
            Arithmetic::OfOperands => "integers are computed at the width of their operands",
            Arithmetic::AtLeast32 => "integers are computed at 32 bits or more",
        }];
        if self.bit_strings == BitStrings::Numbers {
            parts.push("BYTE, WORD and their like are numbers too");
        }
        if self.real_bits == RealBits::Converted {
            parts.push("REAL_TO_DWORD and DWORD_TO_REAL convert the number, not its bits");
        }
        if self.conversions == Conversions::Narrowing {
            parts.push("assignments cut values to the width of their target");
        }
        if self.halves == Halves::AwayFromZero {
            parts.push("REAL_TO_INT and the like round X.5 away from zero");
        }
        if self.zero_time == ZeroTime::NextCall {
            parts.push("a timer looks at PT from the call after its start on");
        }
        if self.chart_order == ChartOrder::StepByStep {
            parts.push("charts evaluate their transitions in the first call, too");
        }
        if self.id.memory().numbers == [Numbering::Apart] {
            parts.push("each address is a variable of its own");
        }
        if self.preset == Preset::AtStart {
            parts.push(
                "Q and ET of IEC timers change at calls only (an S7-1200 or S7-1500 also brings them up to date when they are read)",
            );
        }
        let length = self.string_length;
        Some(format!(
            "The program is read as {}: {}; a STRING without a length holds {length} characters.",
            self.title,
            parts.join(", ")
        ))
    }
}

impl DialectId {
    /// Its row.
    pub fn row(self) -> &'static Dialect {
        match self {
            DialectId::Iec => &DIALECTS[0],
            DialectId::Codesys => &DIALECTS[1],
            DialectId::Twincat => &DIALECTS[2],
            DialectId::SiemensClassic => &DIALECTS[3],
            DialectId::SiemensTia => &DIALECTS[4],
            DialectId::Matiec => &DIALECTS[5],
        }
    }
    /// Checks that `"name"` is a name, not a string.
    pub fn quotes_names(self) -> bool {
        matches!(self, DialectId::SiemensClassic | DialectId::SiemensTia)
    }
    /// The dialect with this name, in any case.
    pub fn named(name: &str) -> Option<DialectId> {
        DIALECTS.iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| row.id)
    }
}

#[cfg(test)]
mod tests;
