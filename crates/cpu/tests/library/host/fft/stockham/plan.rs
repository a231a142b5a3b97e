use affinimath_cpu::fft::stockham::plan::{LARGEST_PRIME, largest_prime, radices};

#[test]
fn radices_make_up_the_length_and_fill_vectors_of_doubles() {
    for n in (1..=5000).filter(|n| largest_prime(*n) <= LARGEST_PRIME) {
        let radices = radices(n);
        assert_eq!(radices.iter().product::<usize>(), n);
        assert!(radices.len() <= 1 || radices[0] >= 4, "{n}: {radices:?}");
    }
    assert!(radices(1).is_empty());
    assert_eq!(radices(4096), [16, 16, 16]);
    assert_eq!(radices(20), [20]);
    assert_eq!(radices(2 * 127), [127, 2]);
}
