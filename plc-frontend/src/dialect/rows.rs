//! The table itself: one row for each dialect; `docs/dialects.md` quotes the public manuals for each answer.
//!
//! A row names the row it is nearest to and states its differences from it.

use super::memory::{CODESYS_MEMORY, IEC_MEMORY, MATIEC_MEMORY, SIEMENS_MEMORY, TWINCAT_MEMORY};
use super::{
    Arithmetic, BitStrings, Blocks, ChartOrder, Construct, Conversions, Dialect, DialectId, Enable, FirstScan, Halves,
    InitialValues, Logic, Loops, NumberTexts, Positions, Preset, RealBits, Recursion, Retention, Shifts, Sign, Stack, TextEnd,
    TextNumbers, TimeNumbers, Visibility, ZeroTime,
};

/// All dialects, in the order of [`DialectId`]; the first is the one of plain ST without vendors' words.
pub const DIALECTS: &[Dialect] = &[IEC, CODESYS, TWINCAT, SIEMENS_CLASSIC, SIEMENS_TIA, MATIEC, LOGIX];

const IEC: Dialect = Dialect {
    id: DialectId::Iec,
    name: "iec",
    title: "IEC 61131-3",
    forbids: &[
        Construct::Property,
        Construct::Pointer,
        Construct::Reference,
        Construct::Union,
        Construct::SetReset,
        Construct::ChainedAssignment,
        Construct::Goto,
        Construct::StaticSection,
        Construct::ShortCircuit,
        Construct::ValueStatement,
    ],
    quotes_names: false,
    arithmetic: Arithmetic::OfOperands,
    bit_strings: BitStrings::Bits,
    real_bits: RealBits::Transferred,
    conversions: Conversions::Widening,
    halves: Halves::ToEven,
    shifts: Shifts::AtWidth,
    sign: Sign::OfBase,
    logic: Logic::ControllerDependent,
    signed_time: true,
    time_numbers: TimeNumbers::Milliseconds,
    string_length: 254,
    longest_string: 65_535,
    longest_result: 255,
    first_character: 1,
    text_end: TextEnd::Zero,
    positions: Positions::Nearest,
    text_numbers: TextNumbers::Whole,
    number_texts: NumberTexts::Plain,
    f_trig: FirstScan::Pulse,
    blocks: Blocks::Integers,
    preset: Preset::ControllerDependent,
    zero_time: ZeroTime::ControllerDependent,
    enable: Enable::ControllerDependent,
    recursion: Recursion::Forbidden,
    loops: Loops::Once,
    final_scan: true,
    chart_order: ChartOrder::EvolveThenAct,
    initial_values: InitialValues::Constant,
    visibility: Visibility::Inside,
    stack: Stack::Cleared,
    retention: Retention::Declared,
    memory: IEC_MEMORY,
};

const CODESYS: Dialect = Dialect {
    id: DialectId::Codesys,
    name: "codesys",
    title: "CODESYS",
    forbids: &[Construct::RefTo, Construct::Configuration, Construct::Namespace],
    arithmetic: Arithmetic::AtLeast32,
    bit_strings: BitStrings::Numbers,
    real_bits: RealBits::Converted,
    conversions: Conversions::Narrowing,
    halves: Halves::AwayFromZero,
    shifts: Shifts::Promoted,
    sign: Sign::OfPower,
    logic: Logic::Full,
    signed_time: false,
    string_length: 80,
    first_character: 0,
    text_end: TextEnd::Zero,
    positions: Positions::Nothing,
    text_numbers: TextNumbers::Beginning,
    f_trig: FirstScan::Silent,
    blocks: Blocks::Words,
    zero_time: ZeroTime::AtOnce,
    enable: Enable::SkipsCall,
    recursion: Recursion::OfFunctions,
    loops: Loops::EachRound,
    chart_order: ChartOrder::ActThenEvolve,
    initial_values: InitialValues::OfVariables,
    visibility: Visibility::Everywhere,
    memory: CODESYS_MEMORY,
    ..IEC
};

const TWINCAT: Dialect =
    Dialect { id: DialectId::Twincat, name: "twincat", title: "TwinCAT 3", memory: TWINCAT_MEMORY, ..CODESYS };

const SIEMENS_CLASSIC: Dialect = Dialect {
    id: DialectId::SiemensClassic,
    name: "siemens-classic",
    title: "Siemens STEP 7 classic",
    forbids: &[
        Construct::ObjectOrientation,
        Construct::Property,
        Construct::Action,
        Construct::Pointer,
        Construct::Reference,
        Construct::RefTo,
        Construct::Union,
        Construct::SetReset,
        Construct::ChainedAssignment,
        Construct::StaticSection,
        Construct::Namespace,
        Construct::Configuration,
        Construct::ShortCircuit,
        Construct::ValueStatement,
    ],
    quotes_names: true,
    sign: Sign::OfPower,
    logic: Logic::Full,
    longest_string: 254,
    longest_result: 254,
    text_end: TextEnd::Length,
    number_texts: NumberTexts::Unknown,
    f_trig: FirstScan::Silent,
    zero_time: ZeroTime::AtOnce,
    enable: Enable::SkipsCall,
    final_scan: false,
    stack: Stack::Garbage,
    retention: Retention::Settings,
    memory: SIEMENS_MEMORY,
    ..IEC
};

const SIEMENS_TIA: Dialect = Dialect {
    id: DialectId::SiemensTia,
    name: "siemens-tia",
    title: "Siemens TIA Portal and AX",
    forbids: &[
        Construct::Property,
        Construct::Action,
        Construct::Pointer,
        Construct::Reference,
        Construct::Union,
        Construct::SetReset,
        Construct::StaticSection,
        Construct::ShortCircuit,
        Construct::ValueStatement,
    ],
    preset: Preset::AtStart,
    recursion: Recursion::OfFunctions,
    stack: Stack::GarbageIn(&["scl", "awl"]),
    ..SIEMENS_CLASSIC
};

const MATIEC: Dialect = Dialect {
    id: DialectId::Matiec,
    name: "matiec",
    title: "MATIEC (OpenPLC, Beremiz)",
    forbids: &[
        Construct::ObjectOrientation,
        Construct::Property,
        Construct::Action,
        Construct::Pointer,
        Construct::Reference,
        Construct::Union,
        Construct::SetReset,
        Construct::ChainedAssignment,
        Construct::Goto,
        Construct::StaticSection,
        Construct::Namespace,
        Construct::ShortCircuit,
        Construct::ValueStatement,
    ],
    real_bits: RealBits::Converted,
    logic: Logic::Short,
    time_numbers: TimeNumbers::Seconds,
    string_length: 126,
    longest_string: 126,
    longest_result: 126,
    f_trig: FirstScan::Silent,
    blocks: Blocks::WithinPreset,
    preset: Preset::EachCall,
    zero_time: ZeroTime::NextCall,
    enable: Enable::SkipsBody,
    loops: Loops::EachRound,
    final_scan: false,
    chart_order: ChartOrder::StepByStep,
    memory: MATIEC_MEMORY,
    ..IEC
};

/// Timers, charts and string functions of the standard do not stand in exports of Logix; their answers are those of IEC.
const LOGIX: Dialect = Dialect {
    id: DialectId::Logix,
    name: "logix",
    title: "Rockwell Studio 5000 (Logix)",
    forbids: &[],
    arithmetic: Arithmetic::AtLeast32,
    bit_strings: BitStrings::Numbers,
    conversions: Conversions::Narrowing,
    halves: Halves::ToEven,
    visibility: Visibility::Everywhere,
    ..IEC
};
