//! Keys of kernels and of plans.

use super::fused::Structure;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A 64-bit hash of a kernel, the same in each run of one version of the library.
pub fn structure_key(structure: &Structure) -> u64 {
    let mut words = Words(Vec::with_capacity(128));
    structure.hash(&mut words);
    hash_words(&words.0)
}

/// A hash of words by folded multiplication (wyhash, Wang Yi).
pub fn hash_words(words: &[u64]) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ words.len() as u64;
    for &word in words {
        let product = u128::from(state ^ word) * 0xA076_1D64_78BD_642F;
        state = (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(31));
    }
    let product = u128::from(state) * 0xE703_7ED1_A0B4_28DB;
    product as u64 ^ (product >> 64) as u64
}

/// Collects hashed data as words.
pub(crate) struct Words(pub(crate) Vec<u64>);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0.push(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.0.push(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.0.push(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0.push(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.0.push(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.0.push(value as u64);
    }

    fn write_i64(&mut self, value: i64) {
        self.0.push(value as u64);
    }

    fn finish(&self) -> u64 {
        hash_words(&self.0)
    }
}

/// A map by addresses and indices, which need little mixing.
pub(crate) type IdMap<T> = HashMap<usize, T, BuildHasherDefault<IdHasher>>;

#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(byte.into());
        }
    }

    fn write_usize(&mut self, value: usize) {
        self.0 = (self.0.rotate_left(5) ^ value as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(32)
    }
}
