//! How systems lay out variables that share memory: addresses, the order of bytes, the places of parts.
//!
//! CODESYS: its manual ("Addresses", "Memory position") leaves to the device whether `%MW1` is the second word or the word at
//! byte 1, and whether the first number of `%MX1.3` counts bytes or words. TwinCAT counts bytes everywhere; a BOOL takes a
//! byte unless it is declared at a bit (Infosys, "Addresses"). Siemens: `%MW0` is made of `%MB0`, the high byte, and `%MB1`
//! (manual of STEP 7, "Addressing"); BOOLs are packed into bits, everything longer than a byte stands at an even byte, and
//! arrays and structures begin and end at one (manual of SCL, "AT"). The standard decides none of this. MATIEC makes a C variable of each located
//! address (`generate_location_list.cc`), and the code that OpenPLC and Beremiz add copies each of them by itself.

use super::DialectId;

/// How variables lie in memory.
#[derive(Debug, PartialEq, Eq)]
pub struct Memory {
    /// The meanings that the number of an address may have.
    pub numbers: &'static [Numbering],
    /// Which byte of a longer value comes first.
    pub order: ByteOrder,
    /// Whether the order of bytes is that of every controller of this system.
    pub order_is_sure: bool,
    /// Arrays and structures.
    pub packing: Packing,
}

/// What the number of an address counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// `%QW1` is the second word, `%QX1.0` is in the second byte.
    Units,
    /// `%QW1` is the word at byte 1, `%QX1.0` is in that byte.
    Bytes,
    /// `%QW1` is the second word, `%QX1.0` is in it.
    Words,
    /// Nothing: each address is a variable of its own, whatever its number and size.
    Apart,
}

/// Which byte of a longer value comes first in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest: Intel, ARM.
    LowFirst,
    /// The highest: Siemens.
    HighFirst,
}

/// Where the parts of arrays and structures are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Everybody's own decision: only what leaves no choice is known, and no BOOL.
    Unknown,
    /// A BOOL takes a byte; only what has no gaps at natural alignment is the same for every controller.
    Bytes,
    /// A BOOL takes a bit; what is longer than a byte stands at an even byte.
    Siemens,
}

const OPEN: &[Numbering] = &[Numbering::Units, Numbering::Bytes, Numbering::Words];
const IEC: Memory = Memory { numbers: OPEN, order: ByteOrder::LowFirst, order_is_sure: false, packing: Packing::Unknown };
const MATIEC: Memory = Memory { numbers: &[Numbering::Apart], ..IEC };
const CODESYS: Memory = Memory { packing: Packing::Bytes, ..IEC };
const TWINCAT: Memory = Memory { numbers: &[Numbering::Bytes], order_is_sure: true, ..CODESYS };
const SIEMENS: Memory =
    Memory { numbers: &[Numbering::Bytes], order: ByteOrder::HighFirst, order_is_sure: true, packing: Packing::Siemens };

impl DialectId {
    /// How its variables lie in memory.
    pub fn memory(self) -> &'static Memory {
        match self {
            DialectId::Iec => &IEC,
            DialectId::Matiec => &MATIEC,
            DialectId::Codesys => &CODESYS,
            DialectId::Twincat => &TWINCAT,
            DialectId::SiemensClassic | DialectId::SiemensTia => &SIEMENS,
        }
    }
}
