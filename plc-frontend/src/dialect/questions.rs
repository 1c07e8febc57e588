//! Answers to the questions that systems answer differently; each row of [`super::DIALECTS`] holds one of each kind.
//!
//! `ControllerDependent` stands where public text leaves the answer to the controller. Its comment says which answer is
//! modelled; programs that depend on it are told so.

/// Width of integer arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// The width of the wider operand.
    OfOperands,
    /// 32 bits, or the width of the wider operand if that is more.
    AtLeast32,
}

/// Result of integer arithmetic that does not fit its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Its lowest bits.
    Wraps,
    /// No manual states it; its lowest bits are taken.
    Unstated,
}

/// Use of BYTE, WORD, DWORD, LWORD in arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitStrings {
    /// They are sets of bits: only AND, OR, XOR, NOT, shifts and comparisons for equality.
    Bits,
    /// They are unsigned numbers too.
    Numbers,
}

/// Conversions between REAL and DWORD, LREAL and LWORD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealBits {
    /// The bits are the same (the standard's table of conversions; STEP 7).
    Transferred,
    /// The number is the same, rounded (CODESYS's help on conversions of REAL: REAL_TO_DWORD(1.234) is 1).
    Converted,
}

/// Conversions that an assignment does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversions {
    /// Those that lose nothing.
    Widening,
    /// Also LREAL, DINT and UDINT to REAL (TIA Portal without its IEC check).
    Reals,
    /// Also those that may lose something: the value is cut to the target's width, with a note.
    Narrowing,
}

/// Operand of the sign in `-a ** b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `(-a) ** b`: in the standard's table and grammar a sign binds more than `**`.
    OfBase,
    /// `-(a ** b)`: in the tables of Siemens and CODESYS a power binds more than a sign.
    OfPower,
}

/// First call of F_TRIG with CLK = FALSE.
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

/// Moment at which a timer takes its PT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Every call.
    EachCall,
    /// The call in which its time begins.
    AtStart,
    /// Modelled as every call.
    ControllerDependent,
}

/// End of the time of a timer whose PT is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroTime {
    /// The call in which it begins.
    AtOnce,
    /// The next call: the call in which it begins compares nothing.
    NextCall,
    /// Modelled as the call in which it begins.
    ControllerDependent,
}

/// Calls with EN = FALSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enable {
    /// Nothing happens: inputs keep their values, and so does the target of an assignment.
    SkipsCall,
    /// Inputs are assigned and the body is skipped; a function returns the initial value of its type. EN is a variable of the
    /// instance, which keeps its value.
    SkipsBody,
    /// Modelled as a call that is skipped.
    ControllerDependent,
    /// EN and ENO are names of parameters like all others.
    NoMeaning,
}

/// Right side of AND and OR of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// It is always computed.
    Full,
    /// It is skipped where it cannot change the result.
    Short,
    /// Modelled as computed.
    ControllerDependent,
}

/// Unit of conversions between TIME and numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeNumbers {
    /// TIME_TO_DINT(T#2s) is 2000.
    Milliseconds,
    /// TIME_TO_DINT(T#2s) is 2.
    Seconds,
}

/// Rounding of X.5 when a REAL becomes an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// To the even neighbour.
    ToEven,
    /// Away from zero.
    AwayFromZero,
}

/// Width and count of SHL and SHR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shifts {
    /// The operand's width; a count of the width or more shifts everything out.
    AtWidth,
    /// The width of arithmetic, 32 bits or more, by the lowest 5 or 6 bits of the count.
    Promoted,
}

/// Functions that call themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// No POU calls itself, also not by way of others.
    Forbidden,
    /// Functions and methods may. Each call has variables of its own.
    OfFunctions,
}

/// Moment at which a FOR computes its last value and its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// Once, before the first round.
    Once,
    /// Before every round.
    EachRound,
}

/// End of the text of a string.
///
/// Soundness: the model has [`TextEnd::Zero`] everywhere; an answer about a program that sees a difference names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEnd {
    /// Its first character 0.
    Zero,
    /// A stored length, which a write of a character does not change.
    Length,
}

/// String functions at positions that the string does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// They take the nearest one that it has.
    Nearest,
    /// They take and insert nothing.
    Nothing,
}

/// Value of a call whose function or method declares no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoResult {
    /// There is none.
    NoValue,
    /// The value of its first VAR_OUTPUT.
    FirstOutput,
}

/// Numbers that a conversion reads from a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextNumbers {
    /// The whole string is the number; the result for other strings is not known.
    Whole,
    /// The number at the beginning of the string, whatever follows; 0 for a word.
    Beginning,
}

/// Texts of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberTexts {
    /// Digits, with a minus before negative numbers.
    Plain,
    /// Not known: STEP 7 writes a sign before every number, or a blank, or nothing; manuals differ from controller to
    /// controller.
    Unknown,
}

/// Order of one call of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartOrder {
    /// Transitions fire, then active actions run.
    EvolveThenAct,
    /// Active actions run, then transitions fire: new steps act in the next call.
    ActThenEvolve,
    /// Transitions fire, also in the first call; then each step in turn sets and resets the states of its actions.
    StepByStep,
}

/// Initial values of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialValues {
    /// They are constant.
    Constant,
    /// They may name variables that are initialised before.
    OfVariables,
}

/// Visibility of an instance's own variables (VAR) outside of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Only the block and its heirs see them.
    Inside,
    /// All code sees them.
    Everywhere,
}

/// Values of temporary variables at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// They are initialised.
    Cleared,
    /// They hold garbage, unless the block has optimised access.
    Garbage,
    /// The same in sources with these endings. Sources of SIMATIC AX have other endings, and XML of TIA Portal states the
    /// access where it is not the usual one.
    GarbageIn(&'static [&'static str]),
}

/// Source of the retentive variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Declarations state all of them.
    Declared,
    /// The controller keeps others, too, by its settings or by itself.
    Settings,
}

/// Construct that some dialects lack.
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
