//! Philox 4x32-10 (Salmon, Moraes, Dror and Shaw 2011: Parallel random numbers: as easy as 1, 2, 3).

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// The four words at a counter.
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut k0, mut k1]) = (counter, key);
    for _ in 0..ROUNDS {
        let p = a as u64 * MULTIPLIERS[0] as u64;
        let q = c as u64 * MULTIPLIERS[1] as u64;
        (a, b, c, d) = ((q >> 32) as u32 ^ b ^ k0, q as u32, (p >> 32) as u32 ^ d ^ k1, p as u32);
        k0 = k0.wrapping_add(WEYL[0]);
        k1 = k1.wrapping_add(WEYL[1]);
    }
    [a, b, c, d]
}

/// The words of a counter and its stream, the counter being the lower half.
pub fn philox64(counter: i64, stream: i64, key: i64) -> [u32; 4] {
    let words = |x: i64| [x as u32, (x as u64 >> 32) as u32];
    let ([a, b], [c, d]) = (words(counter), words(stream));
    philox([a, b, c, d], words(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Known answers of Random123 (kat_vectors).
    #[test]
    fn philox_gives_the_published_words() {
        let ones = u32::MAX;
        assert_eq!(philox([0; 4], [0; 2]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(philox([ones; 4], [ones; 2]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        let counter = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        assert_eq!(philox(counter, [0xa4093822, 0x299f31d0]), [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }

    #[test]
    fn halves_of_i64_are_words_in_order() {
        let counter = 0x85a308d3_243f6a88u64 as i64;
        let words = philox64(counter, 0x03707344_13198a2e, 0x299f31d0_a4093822);
        assert_eq!(words, [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }
}
