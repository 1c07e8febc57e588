//! Memory at addresses that code beside the run has variables at.
//!
//! Soundness: the meaning of a number differs between controllers: it counts bytes, words, or units of its own size. Two variables may
//! share memory if they do under one of these meanings, or if their addresses cannot be compared.

use std::collections::{BTreeMap, BTreeSet};

use super::accesses::member_of;
use super::usage::{blocks, share};
use crate::hir::{Address, AddressArea, AddressSize, Leaf, Project, Root, Type, TypeId, Var};

/// Meanings of the numbers of addresses.
const MEANINGS: [Meaning; 3] = [Meaning::Units, Meaning::Bytes, Meaning::Words];

#[derive(Clone, Copy)]
enum Meaning {
    Units,
    Bytes,
    Words,
}

/// Memory of one variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Memory {
    address: Address,
    /// Its length in bits; `None`: not known.
    bits: Option<u64>,
}

impl Memory {
    /// Returns the memory of a variable with an address that is no input.
    pub(super) fn of(project: &Project, var: &Var) -> Option<Memory> {
        let address = var.address.as_ref().filter(|address| address.area != AddressArea::Input)?;
        let bits = bits(project, var.ty).map(|bits| bits.max(address.size.bits().into()));
        Some(Memory { address: address.clone(), bits })
    }

    /// Returns whether two variables may share memory.
    fn may_share(&self, other: &Memory) -> bool {
        if self.address.area != other.address.area {
            return false;
        }
        let depths = [self, other].map(|memory| extent(memory, Meaning::Units).map(|(prefix, ..)| prefix.len()));
        let is_known = depths[0].is_some() && depths[0] == depths[1];
        !is_known || MEANINGS.into_iter().any(|meaning| overlap(extent(self, meaning), extent(other, meaning)))
    }
}

/// Leading numbers, first bit, one past the last bit.
type Extent<'m> = (&'m [u32], u64, u64);

fn overlap(a: Option<Extent<'_>>, b: Option<Extent<'_>>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.0 == b.0 && a.1 < b.2 && b.1 < a.2)
}

/// Returns the extent of memory under one meaning; `None` for an incomplete address.
fn extent(memory: &Memory, meaning: Meaning) -> Option<Extent<'_>> {
    let (last, before) = memory.address.path.split_last()?;
    let last = u64::from(*last);
    let (prefix, start) = match (memory.address.size, before.split_last()) {
        (AddressSize::Bit, Some((byte, prefix))) => {
            let bits = match meaning {
                Meaning::Units | Meaning::Bytes => 8,
                Meaning::Words => 16,
            };
            (prefix, u64::from(*byte) * bits + last)
        }
        (AddressSize::Bit, None) => (before, last),
        (size @ (AddressSize::Byte | AddressSize::Word | AddressSize::DWord | AddressSize::LWord), _) => {
            let bits = match meaning {
                Meaning::Bytes => 8,
                Meaning::Units | Meaning::Words => size.bits().into(),
            };
            (before, last * bits)
        }
    };
    Some((prefix, start, memory.bits.map_or(u64::MAX, |bits| start.saturating_add(bits))))
}

/// Returns the length of a scalar type in bits, at least.
fn bits(project: &Project, ty: TypeId) -> Option<u64> {
    match &project.types[ty].ty {
        Type::Bool => Some(1),
        Type::Int(int) => Some(u64::from(int.bits)),
        Type::Bits(bits) => Some(u64::from(*bits)),
        Type::Real(_) | Type::Time | Type::LTime | Type::Date(_) | Type::Char(_) | Type::Enum { .. } | Type::Subrange { .. } => {
            Some(64)
        }
        Type::Array { .. } | Type::Struct { .. } | Type::FunctionBlock(_) | Type::Opaque(_) => None,
    }
}

/// Returns for each leaf whether it may share memory with one of these variables.
///
/// Cost: linear in the leaves, and in the addresses of both times each other.
pub(super) fn shared(project: &Project, leaves: &[Leaf], others: &BTreeSet<Memory>) -> Vec<bool> {
    let mut known: BTreeMap<Memory, bool> = BTreeMap::new();
    let mut is_shared = |var: &Var| {
        let Some(memory) = Memory::of(project, var) else { return false };
        // Parts of shared memory have no address; the variables there have.
        if memory.address.path.is_empty() && var.name.starts_with("__") {
            return false;
        }
        *known.entry(memory).or_insert_with_key(|memory| others.iter().any(|other| memory.may_share(other)))
    };
    let mut found: Vec<bool> = Vec::with_capacity(leaves.len());
    for leaf in leaves.iter().filter(|_| !others.is_empty()) {
        let global = if let Root::Global(global) = leaf.root { Some(&project.globals[global]) } else { None };
        let of_block = |block| member_of(block, &leaf.path).map(|(var, _)| &project.pous[block.pou].vars[var]);
        let vars = global.into_iter().chain(blocks(project, leaf).into_iter().filter_map(of_block));
        found.push(vars.into_iter().any(&mut is_shared));
    }
    found.resize(leaves.len(), false);
    share(leaves, &mut found, |a, b| a || b);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::common::address::address;

    #[test]
    fn addresses_share_memory_under_some_meaning() {
        let check = |a: &str, b: &str, expected: bool| {
            let memory = |text: &str| {
                let address = address(text).unwrap();
                let bits = Some(u64::from(address.size.bits()));
                Memory { address, bits }
            };
            assert_eq!(memory(a).may_share(&memory(b)), expected, "{a} {b}");
            assert_eq!(memory(b).may_share(&memory(a)), expected, "{b} {a}");
        };
        check("%MW0", "%MX0.1", true);
        check("%MW0", "%MX1.7", true);
        check("%MW0", "%MX2.0", false);
        check("%MW1", "%MX2.0", true);
        check("%MW1", "%MX1.0", true);
        check("%MW1", "%MX1.15", true);
        check("%MW4", "%MW5", true);
        check("%MW4", "%MW6", false);
        check("%MW4", "%QW4", false);
        check("%QX0.0", "%QX5.1", false);
        check("%QX0.0", "%QX0.0", true);
        check("%MD0", "%MW3", true);
        check("%MW1.0", "%MW0", true);
        check("%M*", "%MW7", true);
    }
}
