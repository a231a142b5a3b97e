//! Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011).

use pulp::Arch;

use crate::array::machine::{Call, GRANULE, Loop, LoopFn, Machine, entry};

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

type Words = [u32; GRANULE];

/// The loop of all four words, from counter, stream and key.
pub fn philox(arch: Arch) -> LoopFn {
    entry::<Philox>(arch)
}

struct Philox;

/// Both halves of a product with a multiplier.
#[inline(always)]
fn product(multiplier: u32, x: &Words) -> [Words; 2] {
    let (mut high, mut low) = ([0; GRANULE], [0; GRANULE]);
    for lane in 0..GRANULE {
        let wide = x[lane] as u64 * multiplier as u64;
        high[lane] = (wide >> 32) as u32;
        low[lane] = wide as u32;
    }
    [high, low]
}

#[inline(always)]
fn xor(a: &Words, b: &Words, c: &Words) -> Words {
    let mut result = *a;
    for lane in 0..GRANULE {
        result[lane] ^= b[lane] ^ c[lane];
    }
    result
}

/// A granule of an operand.
///
/// # Safety
/// The operand has integers of 64 bits from `i` on.
#[inline(always)]
unsafe fn granule(call: &Call, operand: usize, i: usize) -> [u64; GRANULE] {
    let source = call.from[operand];
    // SAFETY: by contract: the elements.
    unsafe { source.at.cast::<u64>().add(i * source.step).cast::<[u64; GRANULE]>().read_unaligned() }
}

/// The lower and the upper halves of 64-bit numbers.
#[inline(always)]
fn halves(x: &[u64; GRANULE]) -> [Words; 2] {
    let (mut low, mut high) = ([0; GRANULE], [0; GRANULE]);
    for lane in 0..GRANULE {
        low[lane] = x[lane] as u32;
        high[lane] = (x[lane] >> 32) as u32;
    }
    [low, high]
}

impl Loop for Philox {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        for i in (0..call.n).step_by(GRANULE) {
            // SAFETY: by contract: three operands of 64-bit integers.
            let (counter, stream, key) = unsafe { (granule(call, 0, i), granule(call, 1, i), granule(call, 2, i)) };
            let [mut c0, mut c1] = halves(&counter);
            let [mut c2, mut c3] = halves(&stream);
            let [mut k0, mut k1] = halves(&key);
            for _ in 0..ROUNDS {
                let ([high0, low0], [high1, low1]) = (product(MULTIPLIERS[0], &c0), product(MULTIPLIERS[1], &c2));
                (c0, c1, c2, c3) = (xor(&high1, &c1, &k0), low1, xor(&high0, &c3, &k1), low0);
                for lane in 0..GRANULE {
                    k0[lane] = k0[lane].wrapping_add(WEYL[0]);
                    k1[lane] = k1[lane].wrapping_add(WEYL[1]);
                }
            }
            for (to, word) in call.to.into_iter().zip([c0, c1, c2, c3]) {
                // SAFETY: by contract: four results of 32-bit integers.
                unsafe { to.cast::<u32>().add(i).cast::<Words>().write_unaligned(word) };
            }
        }
    }
}
