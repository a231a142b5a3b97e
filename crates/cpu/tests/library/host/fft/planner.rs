use affinimath_cpu::fft::planner::Algorithm;

#[test]
fn lengths_choose_their_algorithm() {
    for n in [1, 2, 1024, 1000, 1001, 13 * 40, 31, 17 * 17, 2 * 127] {
        assert_eq!(Algorithm::of(n, true, false), Algorithm::Stockham, "{n}");
    }
    assert_eq!(Algorithm::of(1024, false, false), Algorithm::RustFft);
    assert_eq!(Algorithm::of(1000, false, false), Algorithm::Stockham);
    assert_eq!(Algorithm::of(17 * 17, false, false), Algorithm::Stockham);
    assert_eq!(Algorithm::of(1009, true, false), Algorithm::Bluestein(2048));
    assert_eq!(Algorithm::of(2 * 10_007, true, false), Algorithm::FourStep(2, 10_007));
    assert_eq!(Algorithm::of(1 << 20, false, true), Algorithm::FourStep(1024, 1024));
}
