use faer::{MatMut, MatRef};

use affinimath_core::Half;
use affinimath_cpu::gemm::half::{FloatLayout, Floats, PARALLEL_MIN, in_blocks, round};

/// Small integers, whose sums are exact in floats.
fn values(count: usize, seed: usize) -> Vec<Half> {
    (0..count).map(|index| Half::from_f32(((index * 7 + seed) % 9) as f32 - 4.0)).collect()
}

/// Blocks of any size give the product that is rounded once.
#[test]
fn blocks_are_exact() {
    let (m, n, k) = (13, 9, 17);
    let (a, b, before) = (values(m * k, 1), values(k * n, 2), values(m * n, 3));
    for case in 0..24 {
        let size = [4, 8, 13, 100][case % 4];
        let beta = [0.0, 1.0, -0.5][case % 3];
        let by_rows = [case % 2 == 0, case / 2 % 2 == 0, case / 4 % 2 == 0];
        let matrix = |data, rows, columns, by_rows| match by_rows {
            true => MatRef::from_row_major_slice(data, rows, columns),
            false => MatRef::from_column_major_slice(data, rows, columns),
        };
        let (a, b) = (matrix(&a, m, k, by_rows[0]), matrix(&b, k, n, by_rows[1]));
        let old = matrix(&before, m, n, by_rows[2]);
        let mut c = if beta == 0.0 { vec![Half::NAN; m * n] } else { before.clone() };
        let target = match by_rows[2] {
            true => MatMut::from_row_major_slice_mut(&mut c, m, n),
            false => MatMut::from_column_major_slice_mut(&mut c, m, n),
        };
        in_blocks(3.0, a, b, beta, target, size);
        let c = matrix(&c, m, n, by_rows[2]);
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            let sum: f32 = (0..k).map(|p| a[(i, p)].to_f32() * b[(p, j)].to_f32()).sum();
            let old = if beta == 0.0 { 0.0 } else { beta * old[(i, j)].to_f32() };
            assert_eq!(c[(i, j)], Half::from_f32(3.0 * sum + old), "({i}, {j}) of case {case}");
        }
    }
}

/// Enough elements for several threads, in lines that they do not share evenly.
#[test]
fn threads_convert_all_vectors() {
    let (rows, columns) = (1001, 531);
    let data = values(rows * columns, 5);
    let matrix = MatRef::from_column_major_slice(&data, rows, columns);
    let layout = FloatLayout::of(&matrix);
    assert!(layout.elements() > PARALLEL_MIN);
    let mut memory = vec![f32::NAN; layout.elements()];
    let mut block = Floats::new(&mut memory);
    let floats = block.of((0, 0), matrix);
    assert!((0..columns).all(|j| (0..rows).all(|i| floats[(i, j)] == matrix[(i, j)].to_f32())));
    let accumulators: Vec<f32> = memory.iter().map(|x| 2.0 * x).collect();
    let mut c = data.clone();
    round(&accumulators, -1.0, MatMut::from_column_major_slice_mut(&mut c, rows, columns));
    assert_eq!(c, data);
}
