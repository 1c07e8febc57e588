//! A fast hasher for ids and nodes. No attacker chooses the keys. Maps with it are never iterated, so no result depends on their
//! order.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map for look-ups by id or node.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;
/// A set for look-ups by id or node.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<FastHasher>>;

/// Multiply and rotate, word by word.
#[derive(Clone, Copy, Debug, Default)]
pub struct FastHasher(u64);

/// An odd constant with well-spread bits (2^64 divided by the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl FastHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.add(u64::from(byte));
        }
    }
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }
    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    fn write_u128(&mut self, word: u128) {
        self.add(word as u64);
        self.add((word >> 64) as u64);
    }
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }
    fn finish(&self) -> u64 {
        // The table takes its bucket from the low bits and its tag from the high ones; the high bits of a product are better
        // mixed.
        self.0 ^ (self.0 >> 32)
    }
}
