use affinimath_cpu::fft::planner::Way;

#[test]
fn lengths_find_their_ways() {
    for n in [1, 2, 1024, 1000, 1001, 13 * 40, 31, 17 * 17, 2 * 127] {
        assert_eq!(Way::of(n, true, false), Way::Stockham, "{n}");
    }
    assert_eq!(Way::of(1024, false, false), Way::Plain);
    assert_eq!(Way::of(1000, false, false), Way::Stockham);
    assert_eq!(Way::of(17 * 17, false, false), Way::Stockham);
    assert_eq!(Way::of(1009, true, false), Way::Convolution(2048));
    assert_eq!(Way::of(2 * 10_007, true, false), Way::FourStep(2, 10_007));
    assert_eq!(Way::of(1 << 20, false, true), Way::FourStep(1024, 1024));
}
