//! Located variables that share memory: the scalars that keep it, and the views of these.
//!
//! The memory of a group is cut where a scalar begins or ends. A piece that is exactly one BOOL or integer is that variable's
//! own; other pieces are hidden variables. So a flag is one bit for every reader, however many words it is part of.

use crate::dialect::{ByteOrder, Dialect};
use crate::hir::printer::address_text;
use crate::hir::{Address, AddressArea, AddressSize, Part, PouId, PouKind, Project, Root, Scalar, Section, Type, TypeId, Var};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::findings::Findings;
use crate::resolve::memory::layout::LaidScalar;
use crate::resolve::memory::overlaps::{self, ByBytes, Located};
use crate::resolve::names::tables::{Names, Unusable, VarRef};
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::table::TypeTable;
use crate::text::{Gap, Treatment};
use std::collections::{BTreeMap, BTreeSet};

/// Most bits of views that are kept together; beyond it, the largest groups are left out.
const MAX_PARTS: usize = 200_000;

/// A scalar of a group: where it is in the project, and in memory.
struct Member {
    of: Scalar,
    laid: LaidScalar,
    var: VarRef,
}

impl Resolver<'_> {
    /// Gives located variables that share memory one memory, and marks those that cannot be modelled. Needs the instances.
    ///
    /// Returns the assumption "input addresses do not overlap", which is final once all writes are known.
    pub(crate) fn share_addresses(&mut self) -> Option<Gap> {
        let vars: Vec<VarRef> = self.names.addresses.values().flatten().copied().collect();
        let mut instances: BTreeMap<PouId, Vec<Root>> = BTreeMap::new();
        for (id, instance) in self.project.instances.iter_enumerated() {
            instances.entry(instance.pou).or_default().push(Root::Instance(id));
        }
        for (id, var) in self.project.globals.iter_enumerated() {
            if let Type::FunctionBlock(pou) = self.project.types[var.ty].ty {
                instances.entry(pou).or_default().push(Root::Global(id));
            }
        }
        let (mut located, mut homes): (Vec<Located>, Vec<(Root, Option<crate::hir::VarId>)>) = (Vec::new(), Vec::new());
        for var in vars {
            let Some(address) = self.project.var(var).address.clone() else { continue };
            let home = match var {
                VarRef::Global(id) => (Root::Global(id), None),
                VarRef::Local(pou, id) => match (self.project.pous[pou].kind, instances.get(&pou).map(Vec::as_slice)) {
                    (PouKind::Program, Some([root])) => (*root, Some(id)),
                    // A program that does not run.
                    (PouKind::Program, None | Some([])) => continue,
                    (PouKind::Program, Some(_)) => {
                        let construct = format!("address {} inside a program with several instances", address_text(&address));
                        self.names.mark(var, construct, "all of them would share it; declare it as VAR_GLOBAL");
                        continue;
                    }
                    (PouKind::FunctionBlock | PouKind::Function(_), _) => {
                        let construct = format!("address {} inside a function block or function", address_text(&address));
                        self.names.mark(var, construct, "all instances would share it; declare it in a PROGRAM or as VAR_GLOBAL");
                        continue;
                    }
                },
            };
            let row = self.project.var(var);
            let laid = self.layout(row.ty, &row.init, Some(address.size));
            let bits = laid.map_or_else(|_| self.types.located_bits(&self.project, row.ty), |(_, bits)| bits);
            located.push(Located { var, address, bits });
            homes.push(home);
        }
        let found = overlaps::find(&located, self.dialect.memory.numbers);
        for (row, other) in &found.unclear {
            let why = "whether writing one changes the other depends on what the numbers of addresses count on the controller";
            self.names.mark_shared(&self.project, &located, (*row, *other), why);
        }
        let inputs_apart = self.note_numbers(&located, &found.by_bytes);
        self.dialect.note_sizes(&self.project, &mut self.findings, &located, &found.groups);
        let mut n_parts = 0;
        for group in &found.groups {
            let shared = self.members(group, &located, &homes).and_then(|members| self.pieces(&members, &located[group[0].0]));
            let Err(why) = shared.and_then(|n| {
                n_parts += n;
                if n_parts <= MAX_PARTS { Ok(()) } else { Err("there are too many such variables".to_owned()) }
            }) else {
                continue;
            };
            for (row, _) in group {
                let other = if *row == group[0].0 { group[1].0 } else { group[0].0 };
                let why = format!("writing one would change the other, and {why}");
                self.names.mark_shared(&self.project, &located, (*row, other), &why);
            }
        }
        inputs_apart
    }

    /// Returns the scalars of a group, or the reason why their places are not known.
    fn members(
        &self,
        group: &[(usize, u64)],
        located: &[Located],
        homes: &[(Root, Option<crate::hir::VarId>)],
    ) -> Result<Vec<Member>, String> {
        let mut members = Vec::new();
        for &(row, first) in group {
            let (l, (root, member)) = (&located[row], homes[row]);
            let var = self.project.var(l.var);
            let (name, is_bit) = (&var.name, l.address.size == AddressSize::Bit);
            if var.constant || var.stopwatch {
                return Err(format!("`{name}` is no ordinary variable"));
            }
            if self.names.unusable.contains_key(&l.var) {
                return Err(format!("`{name}` is not modelled"));
            }
            let (laid, bits) =
                self.layout(var.ty, &var.init, Some(l.address.size)).map_err(|why| format!("of `{name}`: {why}"))?;
            if first % 8 != 0 && 1 < bits || is_bit && 64 < bits {
                return Err(format!("`{name}` does not begin with a byte"));
            }
            for (index, laid) in laid.into_iter().enumerate() {
                let of = Scalar { root, member, index: index as u32 };
                members.push(Member { of, laid: LaidScalar { at: laid.at + first, ..laid }, var: l.var });
            }
        }
        members.sort_by_key(|m| m.of);
        Ok(members)
    }

    /// Cuts the memory of a group into pieces; returns the number of parts of its views.
    fn pieces(&mut self, members: &[Member], first: &Located) -> Result<usize, String> {
        let memory = &self.dialect.memory;
        let mut cuts: BTreeSet<u64> = members.iter().flat_map(|m| [m.laid.at, m.laid.end()]).collect();
        if memory.order == ByteOrder::HighFirst {
            // A piece is a part of one byte, or whole bytes.
            let within: Vec<u64> = cuts.iter().copied().filter(|cut| cut % 8 != 0).collect();
            cuts.extend(within.iter().flat_map(|cut| [cut / 8 * 8, cut.div_ceil(8) * 8]));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let mut owners: BTreeMap<(u64, u64), Scalar> = BTreeMap::new();
        for m in members.iter().filter(|m| m.laid.keeps_bits(&self.project)) {
            let within = cuts.partition_point(|cut| *cut <= m.laid.at);
            if cuts.get(within) == Some(&m.laid.end()) {
                owners.entry((m.laid.at, m.laid.end())).or_insert(m.of);
            }
        }
        let initial = initial(members, memory.order)?;
        let mut n_parts = 0;
        let mut order_matters = None;
        for m in members {
            let from = cuts.partition_point(|cut| *cut < m.laid.at);
            let ranges: Vec<(u64, u64)> =
                cuts[from..].windows(2).map(|w| (w[0], w[1])).take_while(|range| range.1 <= m.laid.end()).collect();
            if let ([range], true) = (ranges.as_slice(), owners.get(&(m.laid.at, m.laid.end())) == Some(&m.of)) {
                let value = number_at(&initial, *range, memory.order);
                self.project.shared_initial.insert(m.of, self.project.of_bits(m.laid.ty, value));
                continue;
            }
            let mut pieces = Vec::new();
            for range in ranges {
                let cell = match owners.get(&range) {
                    Some(owner) => *owner,
                    None => {
                        let (cell, ty) = self.types.hidden_piece(&mut self.project, range, first);
                        owners.insert(range, cell);
                        let value = self.project.of_bits(ty, number_at(&initial, range, memory.order));
                        self.project.shared_initial.insert(cell, value);
                        cell
                    }
                };
                pieces.push((range, Part { of: cell, low: 0, width: (range.1 - range.0) as u8 }));
            }
            n_parts += pieces.len();
            if 1 < pieces.len() && 8 < m.laid.bits {
                order_matters = Some(m.var);
            }
            self.project.views.insert(m.of, m.laid.view(&pieces, memory.order));
        }
        self.project.note_shared(&mut self.findings, members, &initial, order_matters.filter(|_| !memory.order_is_sure));
        Ok(n_parts)
    }

    /// Notes the assumption that the numbers of addresses do not count bytes, if it matters.
    fn note_numbers(&mut self, located: &[Located], pairs: &[ByBytes]) -> Option<Gap> {
        // Inputs that are apart in this reading and overlap in the other have fewer values there.
        let is_apart = |pair: &&ByBytes| pair.apart && located[pair.rows.0].address.area == AddressArea::Input;
        let first = pairs.iter().find(|pair| !is_apart(pair));
        let ByBytes { rows, read, counted, overlap, .. } = first.or(pairs.first())?;
        let span = self.project.var(located[rows.1].var).span;
        let name = |row: usize| {
            let (text, name) = (address_text(&located[row].address), &self.project.var(located[row].var).name);
            if *name == text { text } else { format!("{text} (`{name}`)") }
        };
        let byte = |bit: u64| if bit.is_multiple_of(8) { format!("{}", bit / 8) } else { format!("{}.{}", bit / 8, bit % 8) };
        let more = if pairs.len() == 1 { String::new() } else { format!(", the first of {} such pairs", pairs.len()) };
        let construct = format!("addresses {} and {} count words{more}", name(rows.0), name(rows.1));
        let then = if *overlap { "they overlap there" } else { "they do not overlap there" };
        let effect = format!(
            "that they count words, so that these begin at the bytes {} and {} of memory, is taken for granted; on a controller \
             that counts bytes they begin at the bytes {} and {}, and {then}",
            byte(read.0),
            byte(read.1),
            byte(counted.0),
            byte(counted.1),
        );
        let gap = Gap { span, construct, treatment: Treatment::Assumed, effect };
        if first.is_none() {
            return Some(gap);
        }
        self.findings.record(gap);
        None
    }
}

impl Names {
    fn mark_shared(&mut self, project: &Project, located: &[Located], (row, other): (usize, usize), why: &str) {
        let (l, other) = (&located[row], &located[other]);
        let text = address_text(&l.address);
        let construct =
            format!("`{}` at {text}, which shares memory with `{}`", project.var(l.var).name, project.var(other.var).name);
        self.mark(l.var, construct, why);
    }

    fn mark(&mut self, var: VarRef, construct: String, why: &str) {
        let effect = format!("not modelled, because {why}: nothing after a statement that uses it is verified");
        self.unusable.entry(var).or_insert(Unusable::Gap { construct, effect });
    }
}

impl TypeTable {
    /// Adds a variable for memory that no variable keeps alone.
    fn hidden_piece(&mut self, project: &mut Project, (start, end): (u64, u64), first: &Located) -> (Scalar, TypeId) {
        let width = (end - start) as u8;
        let (span, area) = (project.var(first.var).span, first.address.area);
        let ty = match (width, elementary::bits(width)) {
            (_, Some(ty)) => ty,
            (_, None) => self.anonymous(project, Type::Bits(width), span),
        };
        let letter = match area {
            AddressArea::Input => 'I',
            AddressArea::Output => 'Q',
            AddressArea::Memory => 'M',
        };
        let name = format!("__{letter}{}_{}_{width}_{}", start / 8, start % 8, project.globals.len());
        let address = Some(Address { area, size: AddressSize::Bit, path: Vec::new() });
        let global = project.globals.push(Var { address, ..Var::new(name, ty, Section::Global, span) });
        (Scalar { root: Root::Global(global), member: None, index: 0 }, ty)
    }
}

impl Dialect {
    /// Notes addresses of different sizes that share memory, where on some controllers each is a variable of its own.
    fn note_sizes(&self, project: &Project, findings: &mut Findings, located: &[Located], groups: &[Vec<(usize, u64)>]) {
        if !self.memory.may_keep_sizes_apart {
            return;
        }
        for group in groups {
            let mut rows = group.iter().map(|(row, _)| &located[*row]);
            let Some(first) = rows.next() else { continue };
            for l in rows.filter(|l| l.address != first.address) {
                let [a, b] = [first, l].map(|l| address_text(&l.address));
                // Both are noted: an answer may depend on either.
                for span in [project.var(l.var).span, project.var(first.var).span] {
                    findings.note_behaviour_of(self, Behaviour::SharedAddresses, &format!("{a} and {b}"), span);
                }
            }
        }
    }
}

impl Project {
    /// Notes the assumptions of answers about shared memory.
    fn note_shared(&self, findings: &mut Findings, members: &[Member], initial: &BTreeMap<u64, bool>, order: Option<VarRef>) {
        if let Some(var) = order {
            let (name, span) = (self.var(var).name.clone(), self.var(var).span);
            let construct = format!("the lowest byte of `{name}` comes first in memory");
            let effect = "that the lowest byte comes first in memory is taken for granted".to_owned();
            findings.record_assumed(span, construct, effect);
        }
        let truth = members.iter().find(|m| self.types[m.laid.ty].ty == Type::Bool && 1 < m.laid.bits);
        let differs = members
            .iter()
            .find(|m| m.laid.initial_bits() == 0 && (m.laid.at..m.laid.end()).any(|bit| initial.get(&bit) == Some(&true)));
        let notes = [
            (truth, "a BOOL in shared memory is TRUE unless its byte is 0", "that it is TRUE unless its byte is 0"),
            (differs, "shared memory starts with the value that is not 0", "that the value counts that is not 0"),
        ];
        for (member, construct, effect) in notes {
            let Some(member) = member else { continue };
            findings.record_assumed(self.var(member.var).span, construct, format!("{effect} is taken for granted"));
        }
    }
}

/// Returns the assumption "input addresses do not overlap" after all writes are known.
///
/// If nothing writes inputs, proofs hold for overlapping ones, too.
pub(crate) fn inputs_apart(mut gap: Gap, project: &Project) -> Gap {
    if !crate::rule::writes_inputs(project) {
        gap.treatment = Treatment::AssumedByRuns;
        gap.effect.push_str("; no value of theirs is left out by that, so proofs need it not");
    }
    gap
}

/// Returns the bits of memory with a declared initial value that is not 0; contradicting ones are an error.
fn initial(members: &[Member], order: ByteOrder) -> Result<BTreeMap<u64, bool>, String> {
    let mut bits: BTreeMap<u64, bool> = BTreeMap::new();
    for m in members.iter().filter(|m| m.laid.initial_bits() != 0) {
        let value = m.laid.initial_bits();
        for (i, bit) in memory_bits((m.laid.at, m.laid.end()), order).enumerate() {
            let set = value >> i & 1 == 1;
            if bits.insert(bit, set).is_some_and(|other| other != set) {
                return Err("they are declared with different values".to_owned());
            }
        }
    }
    Ok(bits)
}

/// Returns the number in a piece of memory.
fn number_at(initial: &BTreeMap<u64, bool>, range: (u64, u64), order: ByteOrder) -> u128 {
    let set = |bit: u64| u128::from(initial.get(&bit).copied().unwrap_or(false));
    memory_bits(range, order).enumerate().map(|(i, bit)| set(bit) << i).sum()
}

/// Returns the bits of a part of one byte, or of whole bytes, from the lowest bit of the number there.
fn memory_bits((start, end): (u64, u64), order: ByteOrder) -> impl Iterator<Item = u64> {
    (0..end - start).map(move |i| match order {
        ByteOrder::HighFirst if 8 < end - start => end - 8 - i / 8 * 8 + i % 8,
        ByteOrder::HighFirst | ByteOrder::LowFirst => start + i,
    })
}
