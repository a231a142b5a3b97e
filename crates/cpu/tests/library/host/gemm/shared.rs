use affinimath_core::ScalarKind;
use affinimath_cpu::gemm::product::Shape;
use affinimath_cpu::gemm::shared::{MIN_PART_K, Tile, pays_for_threads, split_k};

#[test]
fn threads_are_used_if_there_is_enough_work() {
    let pays = |kind, m, n, k| pays_for_threads(kind, Shape { m, n, k });
    assert!(!pays(ScalarKind::D, 100, 100, 100));
    assert!(pays(ScalarKind::D, 512, 512, 512));
    assert!(pays(ScalarKind::Z, 100, 100, 100));
    assert!(pays(ScalarKind::S, 2000, 1, 2000));
    assert!(pays(ScalarKind::Z, usize::MAX, usize::MAX, usize::MAX));
}

#[test]
fn the_inner_dimension_is_shared_where_c_is_too_small_to_be() {
    let parts = |m, n, k, threads| split_k(Shape { m, n, k }, threads);
    assert_eq!(parts(16, 16, 100_000, 4), 4);
    assert_eq!(parts(16, 16, 3 * MIN_PART_K, 4), 3);
    assert_eq!(parts(16, 16, MIN_PART_K, 4), 1);
    assert_eq!(parts(16, 16, 100_000, 1), 1);
    assert_eq!(parts(1000, 1000, 100_000, 4), 1);
}

#[test]
fn tiles_are_enough_for_all_threads_and_not_too_small() {
    for threads in [2, 3, 16, 128] {
        for (m, n) in [(1, 1), (97, 65), (500, 500), (5000, 4), (4, 5000), (4096, 4096), (100_000, 1)] {
            for (k, per_thread) in [(1, 1), (100_000, Tile::PER_THREAD)] {
                let tile = Tile::choose(Shape { m, n, k }, threads);
                let tiles = m.div_ceil(tile.rows) * n.div_ceil(tile.columns);
                let most = m.div_ceil(Tile::MIN_ROWS) * n.div_ceil(Tile::MIN_COLUMNS);
                assert!(tiles >= most.min(per_thread * threads), "{m}x{n}x{k} on {threads}: {tile:?}");
                assert!(tile.rows >= m.min(Tile::MIN_ROWS) && tile.columns >= n.min(Tile::MIN_COLUMNS));
            }
        }
    }
}
