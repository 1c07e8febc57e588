//! Dialects as data: one row for each engineering system, with its reading of the same text.
//!
//! The grammar knows no dialect: it reads the union of all. The meaning of a text may depend on the row that is chosen or
//! detected; the resolver asks the row, and the report names it. A new dialect is a row of [`DIALECTS`] with its id, a
//! column of `docs/dialects.md` and tests. **Invariant:** only this folder compares a [`DialectId`] with others.

mod detect;
mod forbidden;
mod implicit_checks;
mod memory;
mod questions;
mod rows;

use serde::{Deserialize, Serialize};

pub(crate) use detect::by_mark;
pub use detect::{detect, systems, written_elsewhere};
pub(crate) use forbidden::check as forbidden;
pub(crate) use implicit_checks::{BOUNDS, OTHERS, is_check, is_implicit_check};
pub use memory::{ByteOrder, Memory, Numbering, Packing};
pub use questions::{
    Arithmetic, BitStrings, Blocks, ChartOrder, Construct, Conversions, Enable, FirstScan, Halves, InitialValues, Logic, Loops,
    NoResult, NumberTexts, Overflow, Positions, Preset, RealBits, Recursion, Retention, Shifts, Sign, Stack, TextEnd,
    TextNumbers, TimeNumbers, Visibility, ZeroTime,
};
pub use rows::DIALECTS;

/// Id of a row of [`DIALECTS`].
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
    /// Rockwell Studio 5000: Logix controllers.
    Logix,
}

/// Answers of one system to the questions that systems answer differently.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Id of the row.
    pub id: DialectId,
    /// Name in requirement files and options.
    pub name: &'static str,
    /// Name in sentences.
    pub title: &'static str,
    /// Constructs that are errors when the user names the dialect.
    pub forbids: &'static [Construct],
    /// `"name"` is a name, not a string.
    pub quotes_names: bool,
    /// Width of integer arithmetic.
    pub arithmetic: Arithmetic,
    /// Result of integer arithmetic that does not fit its type.
    pub overflow: Overflow,
    /// Use of BYTE, WORD … in arithmetic.
    pub bit_strings: BitStrings,
    /// Meaning of REAL_TO_DWORD and its like.
    pub real_bits: RealBits,
    /// Conversions that need no function.
    pub conversions: Conversions,
    /// Rounding of X.5 in a conversion to an integer.
    pub halves: Halves,
    /// Width and count of shifts.
    pub shifts: Shifts,
    /// Operand of the sign in `-a ** b`.
    pub sign: Sign,
    /// Evaluation of AND and OR of truth values.
    pub logic: Logic,
    /// TIME can be negative.
    pub signed_time: bool,
    /// Unit of the numbers that TIME_TO_DINT and its like give.
    pub time_numbers: TimeNumbers,
    /// Characters of a STRING without a length.
    pub string_length: u32,
    /// Most characters of a STRING[n].
    pub longest_string: u32,
    /// Most characters of the result of a string function.
    pub longest_result: u32,
    /// Index of the first character in `s[i]`.
    pub first_character: i64,
    /// End of the text of a string.
    pub text_end: TextEnd,
    /// Value of a call whose function or method declares no result.
    pub no_result: NoResult,
    /// String functions at positions that the string does not have.
    pub positions: Positions,
    /// Texts of POUs have no END_PROGRAM and its like: the end of the file ends them.
    pub files_end_pous: bool,
    /// Any BOOL tag may be an output: few are declared so.
    pub tags_are_outputs: bool,
    /// Numbers that STRING_TO_INT and its like read.
    pub text_numbers: TextNumbers,
    /// Texts that INT_TO_STRING and its like write.
    pub number_texts: NumberTexts,
    /// First call of F_TRIG.
    pub f_trig: FirstScan,
    /// Inputs and types of bistables and counters.
    pub blocks: Blocks,
    /// Moment at which a timer takes its PT.
    pub preset: Preset,
    /// End of the time of a timer whose PT is zero.
    pub zero_time: ZeroTime,
    /// Calls with EN = FALSE.
    pub enable: Enable,
    /// Functions that call themselves.
    pub recursion: Recursion,
    /// Moment at which a FOR computes its last value and its step.
    pub loops: Loops,
    /// The statements of a chart's action run once more in the call in which it has ended.
    pub final_scan: bool,
    /// Order of the steps of one call of a chart.
    pub chart_order: ChartOrder,
    /// Initial values that name variables.
    pub initial_values: InitialValues,
    /// Visibility of an instance's own variables.
    pub visibility: Visibility,
    /// Values of temporary variables at a call.
    pub stack: Stack,
    /// Source of the retentive variables.
    pub retention: Retention,
    /// Layout of variables in memory.
    pub memory: Memory,
}

impl Dialect {
    /// Returns whether programs become C code, with its own limits of arithmetic, shifts, loops and strings.
    pub fn compiles_to_c(&self) -> bool {
        self.id == DialectId::Matiec
    }
    /// Returns whether the controller copies simple VAR_IN_OUT, and gives functions their structures by address.
    pub(crate) fn copies_arguments(&self) -> bool {
        matches!(self.id, DialectId::SiemensTia | DialectId::SiemensClassic)
    }
    /// Returns whether the controller checks each index, and writes nothing beside an array.
    ///
    /// Logix: a major fault (1756-PM014). S7-1500: a programming error (OB 121), as the manual of TIA Portal says.
    pub(crate) fn checks_indices(&self) -> bool {
        matches!(self.id, DialectId::Logix | DialectId::SiemensTia)
    }
    /// Returns whether the controller calls functions of the user before operations of a kind.
    pub(crate) fn has_implicit_checks(&self) -> bool {
        matches!(self.id, DialectId::Codesys | DialectId::Twincat)
    }
    /// Returns whether it may call them. Systems without a row of their own are read as the standard says, and some have such checks.
    pub(crate) fn may_have_implicit_checks(&self) -> bool {
        self.has_implicit_checks() || self.id == DialectId::Iec
    }
    /// Returns the sentence about the dialect in a report; `None` if there is nothing to say.
    pub fn rests_on(&self) -> Option<String> {
        if self.id == DialectId::Iec {
            return Some(
                "The program is read as the standard says: integers are computed at the width of their operands.".to_owned(),
            );
        }
        if self.id == DialectId::Logix {
            // STRING is a structure there, with the LEN and DATA of the export.
            let rules = "integers are computed at 32 bits, assignments cut values to the width of their target";
            return Some(format!(
                "The program is read as {}: {rules}; a STRING holds up to 82 characters. Panels and messages write no tag within a scan.",
                self.title
            ));
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
        if self.memory.numbers == [Numbering::Apart] {
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
    /// Returns the row.
    pub fn row(self) -> &'static Dialect {
        &DIALECTS[self as usize]
    }
    /// Returns the dialect with this name, in any case.
    pub fn named(name: &str) -> Option<DialectId> {
        DIALECTS.iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| row.id)
    }
}

#[cfg(test)]
mod tests;
