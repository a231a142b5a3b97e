use affinimath_cpu::gemm::product::{Columns, PACK_ROWS, PACK_ROWS_CONTENDED, Plan, Shape};

#[test]
fn the_plan_copies_only_what_is_slow_to_read_and_read_often() {
    use Columns::{Contiguous, Strided};
    let choose = |m, n, k, b, c| Plan::choose(Shape { m, n, k }, b, c);
    assert_eq!(choose(16, 16, 16, Strided(128), Strided(128)), Plan::Direct);
    assert_eq!(choose(500, 500, 500, Contiguous, Contiguous), Plan::Direct);
    assert_eq!(choose(PACK_ROWS, 500, 500, Strided(4000), Contiguous), Plan::PackedRight);
    assert_eq!(choose(PACK_ROWS - 1, 500, 500, Strided(4000), Contiguous), Plan::Direct);
    assert_eq!(choose(PACK_ROWS_CONTENDED, 512, 512, Strided(4096), Contiguous), Plan::PackedRight);
    assert_eq!(choose(PACK_ROWS_CONTENDED - 1, 512, 512, Strided(4096), Contiguous), Plan::Direct);
    assert_eq!(choose(500, 1, 500, Contiguous, Contiguous), Plan::Direct);
    assert_eq!(choose(500, 1, 500, Strided(4000), Contiguous), Plan::Vector);
    assert_eq!(choose(500, 1, 500, Contiguous, Strided(16)), Plan::Vector);
    assert_eq!(choose(1, 1, 50_000, Contiguous, Contiguous), Plan::Vector);
}
