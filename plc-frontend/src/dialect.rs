//! Dialects as data: what the engineering systems do differently with the same text.
//!
//! The grammar knows no dialect: it reads the union of all. What a text *means* may depend on the row that is
//! chosen or detected here; the resolver reads the properties, and the report says which row a result rests on.

mod memory;

use serde::{Deserialize, Serialize};

pub use memory::{ByteOrder, Memory, Numbering, Packing};

use crate::ast::walk::{self, Node};
use crate::ast::{Item, RefAssign, Section, StmtKind, TypeSpecKind, Unit};
use crate::source::{Origin, SourceSet};

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
    /// F_TRIG.
    pub f_trig: FirstScan,
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

/// What F_TRIG says in its first call if CLK is FALSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstScan {
    /// Nothing has fallen (third edition).
    Silent,
    /// Q is TRUE for one call (second edition).
    Pulse,
}

/// What one call of a chart does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartOrder {
    /// Transitions fire, then what is active acts.
    EvolveThenAct,
    /// What is active acts, then transitions fire: new steps act in the next call.
    ActThenEvolve,
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

const TIME_MS: TimeKind = TimeKind { signed: true, bits: 32, unit_ns: 1_000_000 };

/// All dialects; the first is the one of plain ST without vendors' words.
pub const DIALECTS: &[Dialect] = &[
    Dialect {
        id: DialectId::Iec,
        name: "iec",
        title: "IEC 61131-3",
        arithmetic: Arithmetic::OfOperands,
        bit_strings: BitStrings::Bits,
        real_bits: RealBits::Transferred,
        conversions: Conversions::Widening,
        string_length: 254,
        longest_string: 65_535,
        time: TIME_MS,
        f_trig: FirstScan::Silent,
        final_scan: true,
        chart_order: ChartOrder::EvolveThenAct,
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
    },
    Dialect {
        id: DialectId::Codesys,
        name: "codesys",
        title: "CODESYS",
        arithmetic: Arithmetic::AtLeast32,
        bit_strings: BitStrings::Numbers,
        real_bits: RealBits::Converted,
        conversions: Conversions::Narrowing,
        string_length: 80,
        longest_string: 65_535,
        time: TimeKind { signed: false, ..TIME_MS },
        f_trig: FirstScan::Pulse,
        final_scan: true,
        chart_order: ChartOrder::ActThenEvolve,
        forbids: &[Construct::RefTo, Construct::Configuration, Construct::Namespace],
    },
    Dialect {
        id: DialectId::Twincat,
        name: "twincat",
        title: "TwinCAT 3",
        arithmetic: Arithmetic::AtLeast32,
        bit_strings: BitStrings::Numbers,
        real_bits: RealBits::Converted,
        conversions: Conversions::Narrowing,
        string_length: 80,
        longest_string: 65_535,
        time: TimeKind { signed: false, ..TIME_MS },
        f_trig: FirstScan::Pulse,
        final_scan: true,
        chart_order: ChartOrder::ActThenEvolve,
        forbids: &[Construct::RefTo, Construct::Configuration, Construct::Namespace],
    },
    Dialect {
        id: DialectId::SiemensClassic,
        name: "siemens-classic",
        title: "Siemens STEP 7 classic",
        arithmetic: Arithmetic::OfOperands,
        bit_strings: BitStrings::Bits,
        real_bits: RealBits::Transferred,
        conversions: Conversions::Widening,
        string_length: 254,
        longest_string: 254,
        time: TIME_MS,
        f_trig: FirstScan::Silent,
        final_scan: false,
        chart_order: ChartOrder::EvolveThenAct,
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
    },
    Dialect {
        id: DialectId::SiemensTia,
        name: "siemens-tia",
        title: "Siemens TIA Portal and AX",
        arithmetic: Arithmetic::OfOperands,
        bit_strings: BitStrings::Bits,
        real_bits: RealBits::Transferred,
        conversions: Conversions::Widening,
        string_length: 254,
        longest_string: 254,
        time: TIME_MS,
        f_trig: FirstScan::Silent,
        final_scan: false,
        chart_order: ChartOrder::EvolveThenAct,
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
    },
];

impl Dialect {
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
        if self.f_trig == FirstScan::Pulse {
            parts.push("F_TRIG pulses at its first call if CLK is FALSE");
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
        }
    }
    /// The dialect with this name, in any case.
    pub fn named(name: &str) -> Option<DialectId> {
        DIALECTS.iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| row.id)
    }
}

/// Endings of files that only one system writes.
const ENDINGS: &[(&str, DialectId)] = &[
    ("tcpou", DialectId::Twincat),
    ("tcdut", DialectId::Twincat),
    ("tcgvl", DialectId::Twincat),
    ("tcio", DialectId::Twincat),
    ("plcproj", DialectId::Twincat),
    ("exp", DialectId::Codesys),
    ("scl", DialectId::SiemensTia),
    ("udt", DialectId::SiemensTia),
    ("db", DialectId::SiemensTia),
    ("awl", DialectId::SiemensClassic),
];

/// Words of a text that only one system writes; each is too special to stand in a comment by chance.
const MARKS: &[(&str, DialectId)] = &[
    ("{attribute '", DialectId::Codesys),
    ("(* @PATH := '", DialectId::Codesys),
    ("(* @NESTEDCOMMENTS := '", DialectId::Codesys),
    ("http://www.3s-software.com/", DialectId::Codesys),
    ("{ S7_Optimized_Access", DialectId::SiemensTia),
    ("{S7_Optimized_Access", DialectId::SiemensTia),
    ("<SW.Blocks.", DialectId::SiemensTia),
];

/// The dialect of the user's files: by their endings, by marks of the systems that wrote them, by what they use.
pub fn detect(sources: &SourceSet, units: &[Unit]) -> DialectId {
    let files = || sources.files.iter().filter(|file| file.origin == Origin::User);
    let by_ending = files().find_map(|file| {
        let (_, ending) = file.name.rsplit_once('.')?;
        ENDINGS.iter().find(|(e, _)| ending.eq_ignore_ascii_case(e)).map(|(_, id)| *id)
    });
    let by_mark = || {
        let mark = |text: &str| MARKS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, id)| *id);
        files().find_map(|file| mark(&file.text))
    };
    let by_use = || {
        let is_users = |unit: &&Unit| sources.files.get(unit.file).is_some_and(|f| f.origin == Origin::User);
        units.iter().filter(is_users).any(uses_codesys).then_some(DialectId::Codesys)
    };
    by_ending.or_else(by_mark).or_else(by_use).unwrap_or_default()
}

/// Whether the unit uses something that only CODESYS and its relatives have.
fn uses_codesys(unit: &Unit) -> bool {
    let mut found = false;
    walk::unit(unit, &mut |node| {
        found |= match node {
            Node::Type(ty) => matches!(ty.kind, TypeSpecKind::Pointer(_) | TypeSpecKind::Reference(_) | TypeSpecKind::Union(_)),
            Node::Stmt(stmt) => matches!(stmt.kind, StmtKind::RefAssign(RefAssign::Reference, ..)),
            Node::Item(item) => matches!(item, Item::Pou(pou) if !pou.properties.is_empty()),
            Node::Block(block) => block.section == Section::Inst,
            // `THIS^` and `SUPER^` are pointers there; the standard writes them without a caret.
            Node::Name(name) => {
                let own = ["THIS", "SUPER"].iter().any(|word| name.root.text.eq_ignore_ascii_case(word));
                own && matches!(name.path.first(), Some(crate::ast::NameElem::Deref(_)))
            }
            Node::Method(_) | Node::Expr(_) => false,
        };
    });
    found
}

#[cfg(test)]
mod tests;
