//! Layout of variables that share memory: addresses, the order of bytes, the places of parts.
//!
//! CODESYS: the manual ("Addresses", "Memory position") leaves to the device the meaning of `%MW1`, the second word or the word
//! at byte 1. The same holds for the first number of `%MX1.3`, which counts bytes or words. TwinCAT counts bytes everywhere; a
//! BOOL takes a byte unless it is declared at a bit (Infosys, "Addresses"). Siemens: `%MW0` consists of `%MB0`, the high byte,
//! and `%MB1` (manual of STEP 7, "Addressing"). BOOLs are packed into bits, and values longer than a byte stand at an even
//! byte. Arrays and structures begin and end at an even byte (manual of SCL, "AT"). The standard decides none of this. MATIEC
//! makes a C variable of each located address (`generate_location_list.cc`); the code that OpenPLC and Beremiz add copies each
//! of them by itself.

/// Layout of variables in memory.
#[derive(Debug, PartialEq, Eq)]
pub struct Memory {
    /// Possible meanings of the number of an address.
    pub numbers: &'static [Numbering],
    /// On some controllers, addresses of different sizes are variables of their own.
    pub may_keep_sizes_apart: bool,
    /// Order of the bytes of a longer value.
    pub order: ByteOrder,
    /// All controllers of this system have that order.
    pub order_is_sure: bool,
    /// Places of the parts of arrays and structures.
    pub packing: Packing,
}

/// Unit that the number of an address counts.
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

/// First byte of a longer value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest: Intel, ARM.
    LowFirst,
    /// The highest: Siemens.
    HighFirst,
}

/// Places of the parts of arrays and structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Each controller decides: only layouts without a choice are known, none with a BOOL.
    Unknown,
    /// A BOOL takes a byte; only layouts without gaps at natural alignment are the same on every controller.
    Bytes,
    /// A BOOL takes a bit; values longer than a byte stand at an even byte.
    Siemens,
}

const ANY_UNIT: &[Numbering] = &[Numbering::Units, Numbering::Bytes, Numbering::Words];
pub(super) const IEC_MEMORY: Memory = Memory {
    numbers: ANY_UNIT,
    may_keep_sizes_apart: true,
    order: ByteOrder::LowFirst,
    order_is_sure: false,
    packing: Packing::Unknown,
};
pub(super) const MATIEC_MEMORY: Memory = Memory { numbers: &[Numbering::Apart], may_keep_sizes_apart: false, ..IEC_MEMORY };
pub(super) const CODESYS_MEMORY: Memory = Memory { packing: Packing::Bytes, may_keep_sizes_apart: false, ..IEC_MEMORY };
pub(super) const TWINCAT_MEMORY: Memory = Memory { numbers: &[Numbering::Bytes], order_is_sure: true, ..CODESYS_MEMORY };
pub(super) const SIEMENS_MEMORY: Memory = Memory {
    numbers: &[Numbering::Bytes],
    may_keep_sizes_apart: false,
    order: ByteOrder::HighFirst,
    order_is_sure: true,
    packing: Packing::Siemens,
};
