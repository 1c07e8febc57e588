//! Located variables that share memory.
//!
//! The meaning of an address differs between controllers: `%QW1` is the second word, or the word at byte 1. Of the meanings that
//! a dialect allows, those are left out that the project's own addresses contradict: if two addresses of one size would overlap
//! with numbers as bytes, the project is assumed not to count bytes. Memory shared in the same way under all remaining meanings
//! is known; the rest is not. The assumption is a guess, because a program may let addresses overlap on purpose or by mistake.
//! So the ledger names the memory that would be shared otherwise.

use crate::dialect::Numbering;
use crate::hir::{Address, AddressArea, AddressSize};
use crate::resolve::names::tables::VarRef;
use std::collections::{BTreeMap, BTreeSet};

/// A located variable with its extent in bits.
pub(crate) struct Located {
    pub(crate) var: VarRef,
    pub(crate) address: Address,
    pub(crate) bits: u64,
}

/// Shared memory of located variables.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlaps {
    /// Groups that are connected by common bits: positions in the list of located variables, each with its first bit.
    pub(crate) groups: Vec<Vec<(usize, u64)>>,
    /// Pairs that share memory under some meanings only.
    pub(crate) unclear: Vec<(usize, usize)>,
    /// Pairs that would share memory otherwise if numbers counted bytes; they are assumed not to. The pairs describe the whole
    /// difference.
    pub(crate) by_bytes: Vec<ByBytes>,
}

/// Two located variables that share memory in another way if numbers count bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ByBytes {
    /// Positions in the list of located variables.
    pub(crate) rows: (usize, usize),
    /// The first bit of each as it is read.
    pub(crate) read: (u64, u64),
    /// The first bit of each if bytes are counted.
    pub(crate) counted: (u64, u64),
    /// They have common bits if bytes are counted.
    pub(crate) overlap: bool,
    /// They have no common bits in their present reading.
    pub(crate) apart: bool,
}

/// Area and leading numbers, first bit, one past the last bit.
type Extent<'l> = ((AddressArea, &'l [u32]), u64, u64);

/// A group with the first bits relative to its own first one.
type Group = Vec<(usize, u64)>;

/// Finds the memory that variables share, certainly or possibly.
///
/// Cost: n log n for each meaning.
pub(crate) fn find(located: &[Located], numberings: &[Numbering]) -> Overlaps {
    if numberings == [Numbering::Apart] {
        return Overlaps { groups: same_address(located), ..Overlaps::default() };
    }
    let readings = admissible(located, numberings);
    let mut found = Overlaps { by_bytes: by_bytes(located, numberings, &readings), ..Overlaps::default() };
    let mut shared: Option<Vec<(Group, u64)>> = None;
    for reading in &readings {
        let groups = groups(located, *reading);
        let Some(known) = &mut shared else {
            shared = Some(groups);
            continue;
        };
        let (here, there): (BTreeMap<Group, u64>, BTreeMap<Group, u64>) =
            (groups.into_iter().collect(), known.drain(..).collect());
        for group in here.keys().filter(|g| !there.contains_key(*g)).chain(there.keys().filter(|g| !here.contains_key(*g))) {
            for (row, _) in group {
                let other = if *row == group[0].0 { group[1].0 } else { group[0].0 };
                found.unclear.push((*row, other));
            }
        }
        *known = there.into_iter().filter(|(group, _)| here.contains_key(group)).collect();
    }
    found.unclear.extend(other_depths(located));
    found.unclear.sort_unstable();
    found.unclear.dedup_by_key(|pair| pair.0);
    let is_unclear = |group: &Group| group.iter().any(|(row, _)| found.unclear.binary_search_by_key(row, |pair| pair.0).is_ok());
    let (unclear, clear): (Vec<_>, Vec<_>) = shared.unwrap_or_default().into_iter().partition(|(group, _)| is_unclear(group));
    found.groups = clear.into_iter().map(|(group, first)| group.iter().map(|(row, at)| (*row, first + at)).collect()).collect();
    // A part of a group would be incomplete.
    let rest =
        unclear.iter().flat_map(|(group, _)| group.iter().map(|(row, _)| (*row, group[usize::from(*row == group[0].0)].0)));
    found.unclear.extend(rest);
    found.unclear.sort_unstable();
    found.unclear.dedup_by_key(|pair| pair.0);
    found
}

/// Returns groups of equal addresses, for dialects in which each address is a variable of its own.
fn same_address(located: &[Located]) -> Vec<Vec<(usize, u64)>> {
    let mut groups: BTreeMap<&Address, Vec<(usize, u64)>> = BTreeMap::new();
    for (row, l) in located.iter().enumerate() {
        groups.entry(&l.address).or_default().push((row, 0));
    }
    groups.into_values().filter(|group| 1 < group.len()).collect()
}

/// Returns the meanings of numbers that the project's addresses allow.
fn admissible(located: &[Located], numberings: &[Numbering]) -> Vec<Numbering> {
    // A bit above 7 exists only if bits are counted in words; it says nothing if all controllers count bytes.
    let wide = |l: &Located| l.address.size == AddressSize::Bit && 1 < l.address.path.len() && l.address.path.last() > Some(&7);
    if numberings.contains(&Numbering::Words) && located.iter().any(wide) {
        return vec![Numbering::Words];
    }
    let sizes = [AddressSize::Byte, AddressSize::Word, AddressSize::DWord, AddressSize::LWord];
    let counts_bytes = sizes.into_iter().all(|size| {
        let mut different: Vec<&Located> = located.iter().filter(|l| l.address.size == size).collect();
        different.sort_by_key(|l| (l.address.area, &l.address.path));
        different.dedup_by_key(|l| (l.address.area, &l.address.path));
        let mut extents: Vec<Extent<'_>> = different.iter().map(|l| extent(l, Numbering::Bytes)).collect();
        extents.sort();
        extents.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1)
    });
    let fits = |n: &&Numbering| **n != Numbering::Bytes || counts_bytes || numberings.len() == 1;
    numberings.iter().filter(fits).copied().collect()
}

/// Returns the difference between counted bytes and the present reading, if the dialect allows bytes and only the project's
/// addresses contradict them.
///
/// Neighbours connect each group; if the relative positions of all of them are the same under both meanings, so are the groups.
fn by_bytes(located: &[Located], numberings: &[Numbering], readings: &[Numbering]) -> Vec<ByBytes> {
    let (Some(&reading), true) = (readings.first(), numberings.contains(&Numbering::Bytes)) else { return Vec::new() };
    if readings.contains(&Numbering::Bytes) {
        return Vec::new();
    }
    // No byte has a bit above 7: such bits have a certain place then.
    let bits_are_sure = readings == [Numbering::Words];
    let is_open = |l: &Located| l.address.size != AddressSize::Bit || !bits_are_sure;
    let mut pairs = neighbours(located, Numbering::Bytes, is_open);
    pairs.extend(neighbours(located, reading, is_open));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (a, b) in pairs {
        let (read, counted) =
            ([a, b].map(|row| extent(&located[row], reading)), [a, b].map(|row| extent(&located[row], Numbering::Bytes)));
        let place = |[a, b]: &[Extent<'_>; 2]| have_common(a, b).then(|| i128::from(b.1) - i128::from(a.1));
        if place(&read) != place(&counted) && seen.insert((a.min(b), a.max(b))) {
            let (overlap, apart) = (have_common(&counted[0], &counted[1]), !have_common(&read[0], &read[1]));
            let (read, counted) = ((read[0].1, read[1].1), (counted[0].1, counted[1].1));
            found.push(ByBytes { rows: (a, b), read, counted, overlap, apart });
        }
    }
    found
}

/// Returns pairs with common bits that connect each group under one meaning, in the order of addresses.
fn neighbours(located: &[Located], reading: Numbering, is_open: impl Fn(&Located) -> bool) -> Vec<(usize, usize)> {
    let rows = located.iter().enumerate().filter(|(_, l)| is_open(l));
    let mut rows: Vec<(Extent<'_>, usize)> = rows.map(|(i, l)| (extent(l, reading), i)).collect();
    rows.sort();
    let mut found = Vec::new();
    let mut furthest: Option<(Extent<'_>, usize)> = None;
    for (here, row) in rows {
        let before = furthest.filter(|(before, _)| have_common(before, &here));
        found.extend(before.map(|(_, other)| (other, row)));
        furthest = Some(before.filter(|(before, _)| here.2 <= before.2).unwrap_or((here, row)));
    }
    found
}

fn have_common(a: &Extent<'_>, b: &Extent<'_>) -> bool {
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2
}

/// Returns the groups of two or more under one meaning, each with its first bit.
fn groups(located: &[Located], reading: Numbering) -> Vec<(Group, u64)> {
    let mut rows: Vec<(Extent<'_>, usize)> = located.iter().enumerate().map(|(i, l)| (extent(l, reading), i)).collect();
    rows.sort();
    let mut found: Vec<(Extent<'_>, Group)> = Vec::new();
    for (here, row) in rows {
        match found.last_mut() {
            Some((all, group)) if all.0 == here.0 && here.1 < all.2 => {
                group.push((row, here.1 - all.1));
                all.2 = all.2.max(here.2);
            }
            Some(_) | None => found.push((here, vec![(row, 0)])),
        }
    }
    found.retain(|(_, group)| 1 < group.len());
    found.iter_mut().for_each(|(_, group)| group.sort_unstable());
    found.into_iter().map(|(all, group)| (group, all.1)).collect()
}

fn extent(l: &Located, reading: Numbering) -> Extent<'_> {
    let path = &l.address.path;
    let last = u64::from(path.last().copied().unwrap_or(0));
    let before = |n: usize| &path[..path.len().saturating_sub(n)];
    let (prefix, start) = match (l.address.size, reading) {
        (AddressSize::Bit, _) if path.len() < 2 => (before(1), last),
        (AddressSize::Bit, reading) => {
            let unit = u64::from(path[path.len() - 2]);
            let bits = match reading {
                Numbering::Units | Numbering::Bytes | Numbering::Apart => 8,
                Numbering::Words => 16,
            };
            (before(2), unit * bits + last)
        }
        (AddressSize::Byte, _) | (_, Numbering::Bytes) => (before(1), last * 8),
        (
            size @ (AddressSize::Word | AddressSize::DWord | AddressSize::LWord),
            Numbering::Units | Numbering::Words | Numbering::Apart,
        ) => (before(1), last * u64::from(size.bits())),
    };
    ((l.address.area, prefix), start, start.saturating_add(l.bits))
}

/// Returns the addresses with more leading numbers than another of their area, with that one: they cannot be compared.
fn other_depths(located: &[Located]) -> Vec<(usize, usize)> {
    let depth = |l: &Located| extent(l, Numbering::Units).0.1.len();
    let mut shallowest: BTreeMap<AddressArea, usize> = BTreeMap::new();
    for (row, l) in located.iter().enumerate() {
        let first = shallowest.entry(l.address.area).or_insert(row);
        if depth(l) < depth(&located[*first]) {
            *first = row;
        }
    }
    let mut found = Vec::new();
    for (row, l) in located.iter().enumerate() {
        if let Some(&first) = shallowest.get(&l.address.area)
            && depth(&located[first]) < depth(l)
        {
            found.extend([(row, first), (first, row)]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DialectId;
    use crate::hir::GlobalId;
    use crate::lang::common::address::address;

    fn all(texts: &str) -> Vec<Located> {
        let located = texts.split_whitespace().enumerate().map(|(i, text)| {
            let address = address(text).unwrap();
            let bits = u64::from(address.size.bits());
            Located { var: VarRef::Global(GlobalId(i as u32)), address, bits }
        });
        located.collect()
    }

    /// Checks the groups as `first bit: positions`, and the positions that are unclear.
    fn check(dialect: DialectId, texts: &str, groups: &[(u64, &[usize])], unclear: &[usize]) {
        let found = find(&all(texts), dialect.row().memory.numbers);
        let first = |group: &[(usize, u64)]| group.iter().map(|(_, at)| *at).min().unwrap();
        let rows: Vec<(u64, Vec<usize>)> =
            found.groups.iter().map(|g| (first(g), g.iter().map(|(row, _)| *row).collect())).collect();
        let expected: Vec<(u64, Vec<usize>)> = groups.iter().map(|(at, rows)| (*at, rows.to_vec())).collect();
        assert_eq!(rows, expected, "{texts}");
        assert_eq!(found.unclear.iter().map(|pair| pair.0).collect::<Vec<_>>(), unclear, "{texts}");
    }

    #[test]
    fn what_counted_bytes_would_change_is_named() {
        let check = |texts: &str, pairs: &[(usize, usize, bool)]| {
            for (dialect, expected) in [
                (DialectId::Iec, pairs),
                (DialectId::Codesys, pairs),
                (DialectId::Twincat, &[]),
                (DialectId::SiemensTia, &[]),
                (DialectId::SiemensClassic, &[]),
            ] {
                let found = find(&all(texts), dialect.row().memory.numbers);
                let found: Vec<_> = found.by_bytes.iter().map(|b| (b.rows.0, b.rows.1, b.overlap)).collect();
                assert_eq!(found, expected, "{texts} {dialect:?}");
            }
        };
        // Nothing overlaps under either meaning.
        check("%IX0.0 %IX0.1 %IX1.0 %QX0.0 %MX0.0", &[]);
        check("%MW0 %MW2 %MW4 %MD8", &[]);
        check("%MB0 %MB1 %MB2 %QW0 %IW1", &[]);
        check("%MW0 %MW0", &[]);
        check("%MW1.0 %MW2.1", &[]);
        check("%IX0.0 %IX0.15 %IX1.0", &[]);
        // It is a gap: bytes may be counted.
        check("%MW0 %MX1.3", &[]);
        check("%MD0 %MW1", &[]);
        // They overlap only if bytes are counted: words are assumed.
        check("%MW0 %MW1", &[(0, 1, true)]);
        check("%MW1 %MW0", &[(1, 0, true)]);
        check("%QW0 %QW1 %IX0.0", &[(0, 1, true)]);
        check("%MD0 %MD2", &[(0, 1, true)]);
        check("%ML0 %ML7", &[(0, 1, true)]);
        check("%MW3.0 %MW3.1", &[(0, 1, true)]);
        check("%MW0 %MW2 %MW1", &[(0, 2, true), (2, 1, true)]);
        // They overlap in another way.
        check("%MD0 %MW0 %MW1", &[(0, 2, true)]);
        check("%MW0 %MW1 %MD2 %MW4", &[(0, 1, true), (1, 2, true), (2, 3, true)]);
        // They do not overlap.
        check("%MW0 %MW1 %MB20 %MW10", &[(0, 1, true), (2, 3, false)]);
        check("%IW0 %IW1 %IX2.0", &[(0, 1, true), (1, 2, true)]);
        // The bits are counted in words; so, presumably, are the other addresses.
        check("%IX0.15 %IX1.0 %IW0", &[]);
        check("%IX0.15 %IW0 %IW1", &[(1, 2, true)]);
    }

    #[test]
    fn variables_that_share_memory_are_found() {
        let check = |texts, groups: &[(u64, &[usize])], unclear: &[usize]| check(DialectId::Iec, texts, groups, unclear);
        check("%IX0.0 %IX0.1 %QX0.0 %MX0.0", &[], &[]);
        check("%IX0.0 %IX0.0", &[(0, &[0, 1])], &[]);
        check("%IW0 %IX0.3 %IX8.0", &[(0, &[0, 1])], &[]);
        check("%IW0 %IX0.3 %IX1.3", &[], &[0, 1, 2]);
        check("%IW0 %IX0.3 %IX1.9", &[(0, &[0, 1])], &[]);
        check("%IW1 %IX0.3 %IX1.9", &[(16, &[0, 2])], &[]);
        check("%IW0 %IW1 %IW2", &[], &[]);
        check("%IW0 %IW2 %IX4.0", &[], &[1, 2]);
        check("%IW0 %IW1 %IX2.0", &[], &[1, 2]);
        check("%MB0 %MW0 %MD8", &[(0, &[0, 1])], &[]);
        check("%IX0.0 %IX1.2.3", &[], &[0, 1]);
        check("%IX1.0.0 %IX2.0.0", &[], &[]);
        check("%IX0.0 %IX0.15 %IX1.0", &[], &[]);
    }

    #[test]
    fn addresses_are_variables_of_their_own_in_matiec() {
        let check = |texts, groups: &[(u64, &[usize])]| check(DialectId::Matiec, texts, groups, &[]);
        check("%QW0 %QX0.0 %QB0", &[]);
        check("%MW0 %MW1 %MD0 %ML0 %MX1.3", &[]);
        check("%QX0.0 %QX0.0 %IX0.0", &[(0, &[0, 1])]);
        check("%QW1 %QX0.3 %QW1 %QX0.3", &[(0, &[1, 3]), (0, &[0, 2])]);
    }

    #[test]
    fn bytes_are_bytes_where_all_controllers_count_them() {
        let check = |texts, groups: &[(u64, &[usize])], unclear: &[usize]| {
            check(DialectId::SiemensTia, texts, groups, unclear);
            check(DialectId::Twincat, texts, groups, unclear);
        };
        check("%MW0 %MX1.3 %MB1 %MX2.0", &[(0, &[0, 1, 2])], &[]);
        check("%MW0 %MW1 %MW2", &[(0, &[0, 1, 2])], &[]);
        check("%MD4 %MW6 %MX7.7 %MB8", &[(32, &[0, 1, 2])], &[]);
        check("%MW0 %MW1 %MX4.9", &[(0, &[0, 1])], &[]);
    }
}
