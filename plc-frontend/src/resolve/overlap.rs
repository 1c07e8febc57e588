//! Which located variables share memory.
//!
//! What an address means differs between controllers: `%QW1` is the second word, or the word at byte 1.
//! Two variables overlap if they do under a reading that the project's own addresses allow: where two
//! addresses of one size would overlap when numbers are bytes, the project does not count in bytes.

use std::collections::BTreeMap;

use super::address::{text_of, unit_bits};
use super::names::VarRef;
use crate::hir::{Address, AddressArea, AddressSize};

/// A located variable with its extent in bits.
pub(crate) struct Located {
    pub(crate) var: VarRef,
    pub(crate) address: Address,
    pub(crate) bits: u64,
}

/// How the numbers of an address are read.
#[derive(Clone, Copy)]
enum Reading {
    /// `%QW1` is the second word.
    Units,
    /// `%QW1` is the word at byte 1.
    Bytes,
}

/// Area and leading numbers, first bit, one past the last bit.
type Extent<'l> = ((AddressArea, &'l [u32]), u64, u64);

/// Each variable that shares memory with another one: with its address and the other.
pub(crate) fn all(located: &[Located]) -> Vec<(VarRef, String, VarRef)> {
    // Controllers with 16-bit channels number bits to 15.
    let wide_bits = located
        .iter()
        .any(|l| l.address.size == AddressSize::Bit && 1 < l.address.path.len() && l.address.path.last() > Some(&7));
    let bit_unit = if wide_bits { 16 } else { 8 };
    let sizes = [AddressSize::Byte, AddressSize::Word, AddressSize::DWord, AddressSize::LWord];
    let counts_bytes = sizes.into_iter().all(|size| {
        let mut different: Vec<&Located> = located.iter().filter(|l| l.address.size == size).collect();
        different.sort_by_key(|l| (l.address.area, &l.address.path));
        different.dedup_by_key(|l| (l.address.area, &l.address.path));
        pairs(&different, Reading::Bytes, bit_unit).is_empty()
    });
    let every: Vec<&Located> = located.iter().collect();
    let mut found = pairs(&every, Reading::Units, bit_unit);
    if counts_bytes {
        found.extend(pairs(&every, Reading::Bytes, bit_unit));
    }
    found.extend(other_depths(&every));
    let mut marked: BTreeMap<VarRef, (String, VarRef)> = BTreeMap::new();
    for (a, b) in found {
        for (one, other) in [(a, b), (b, a)] {
            marked.entry(one.var).or_insert((text_of(&one.address), other.var));
        }
    }
    marked.into_iter().map(|(var, (text, other))| (var, text, other)).collect()
}

/// Overlapping pairs, so that each variable that overlaps any other is in one.
fn pairs<'l>(located: &[&'l Located], reading: Reading, bit_unit: u64) -> Vec<(&'l Located, &'l Located)> {
    let mut rows: Vec<(Extent<'l>, &'l Located)> = located.iter().map(|l| (extent(l, reading, bit_unit), *l)).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    let mut found = Vec::new();
    // The variable that reaches furthest so far: whoever overlaps an earlier one overlaps this one too.
    let mut furthest: Option<(Extent<'l>, &'l Located)> = None;
    for (here, row) in rows {
        match furthest {
            Some((there, other)) if there.0 == here.0 => {
                if here.1 < there.2 {
                    found.push((other, row));
                }
                if there.2 < here.2 {
                    furthest = Some((here, row));
                }
            }
            Some(_) | None => furthest = Some((here, row)),
        }
    }
    found
}

fn extent<'l>(l: &'l Located, reading: Reading, bit_unit: u64) -> Extent<'l> {
    let path = &l.address.path;
    let last = u64::from(path.last().copied().unwrap_or(0));
    let before = |n: usize| &path[..path.len().saturating_sub(n)];
    let (prefix, start) = match (l.address.size, reading) {
        (AddressSize::Bit, _) if path.len() < 2 => (before(1), last),
        (AddressSize::Bit, _) => {
            let unit = u64::from(path[path.len() - 2]);
            (before(2), unit * bit_unit + last)
        }
        (AddressSize::Byte, _) | (_, Reading::Bytes) => (before(1), last * 8),
        (size @ (AddressSize::Word | AddressSize::DWord | AddressSize::LWord), Reading::Units) => {
            (before(1), last * u64::from(unit_bits(size)))
        }
    };
    ((l.address.area, prefix), start, start.saturating_add(l.bits))
}

/// Addresses with more leading numbers than others of their area cannot be compared with these.
fn other_depths<'l>(located: &[&'l Located]) -> Vec<(&'l Located, &'l Located)> {
    let depth = |l: &Located| extent(l, Reading::Units, 8).0.1.len();
    let mut shallowest: BTreeMap<AddressArea, &'l Located> = BTreeMap::new();
    for l in located {
        let first = shallowest.entry(l.address.area).or_insert(l);
        if depth(l) < depth(first) {
            *first = l;
        }
    }
    let deeper =
        |l: &&'l Located| shallowest.get(&l.address.area).filter(|first| depth(first) < depth(l)).map(|first| (*first, *l));
    located.iter().filter_map(deeper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::GlobalId;
    use crate::lang::common::address::address;

    #[test]
    fn variables_that_share_memory_are_found() {
        let check = |texts: &str, expected: &[u32]| {
            let located: Vec<Located> = (texts.split_whitespace().enumerate())
                .map(|(i, text)| {
                    let address = address(text).unwrap();
                    let bits = u64::from(unit_bits(address.size));
                    Located { var: VarRef::Global(GlobalId(i as u32)), address, bits }
                })
                .collect();
            let expected: Vec<VarRef> = expected.iter().map(|&i| VarRef::Global(GlobalId(i))).collect();
            assert_eq!(all(&located).into_iter().map(|row| row.0).collect::<Vec<_>>(), expected, "{texts}");
        };
        check("%IX0.0 %IX0.1 %QX0.0 %MX0.0", &[]);
        check("%IX0.0 %IX0.0", &[0, 1]);
        check("%IW0 %IX0.3 %IX8.0", &[0, 1]);
        check("%IW0 %IW1 %IW2", &[]);
        check("%IW0 %IW2 %IX4.0", &[1, 2]);
        check("%IW0 %IW1 %IX2.0", &[1, 2]);
        check("%IW0 %IW2 %IX2.0", &[1, 2]);
        check("%MD0 %MW1 %MB3 %MX4.0", &[0, 1, 2]);
        check("%MB0 %MW0 %MD8", &[0, 1]);
        check("%IX0.0 %IX1.2.3", &[0, 1]);
        check("%IX1.0.0 %IX2.0.0", &[]);
        check("%IX0.0 %IX0.15 %IX1.0", &[]);
    }
}
