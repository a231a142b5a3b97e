//! Products in blocks, and both conversions, on every device, against products in doubles.

use std::sync::Arc;

use super::*;
use crate::context::{BufferParts, DeviceBuffer, DeviceContext};
use crate::testing::devices;

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];

/// A matrix between NaNs.
struct Matrix {
    data: Vec<Half>,
    shape: MatrixShape,
}

impl Matrix {
    fn new(layout: Layout, [rows, columns]: [usize; 2], gap: usize, number: impl Fn(usize, usize) -> f32) -> Self {
        let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
        let shape = MatrixShape::new(layout, rows, columns, gap, adjacent + gap).unwrap();
        let mut matrix = Matrix { data: vec![Half::NAN; shape.end() + gap], shape };
        for (i, j) in matrix.offsets() {
            let index = matrix.index(i, j);
            matrix.data[index] = Half::from_f32(number(i, j));
        }
        matrix
    }

    fn offsets(&self) -> Vec<(usize, usize)> {
        (0..self.shape.columns()).flat_map(|j| (0..self.shape.rows()).map(move |i| (i, j))).collect()
    }

    fn index(&self, i: usize, j: usize) -> usize {
        let (row_stride, column_stride) = self.shape.strides();
        self.shape.offset() + i * row_stride + j * column_stride
    }

    fn element(&self, op: Op, i: usize, j: usize) -> f64 {
        let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
        self.data[self.index(i, j)].to_f64()
    }

    fn upload(&self, context: &Arc<DeviceContext>) -> DeviceBuffer {
        let buffer = DeviceBuffer::new(context, size_of_val(self.data.as_slice()), "a test").unwrap();
        buffer.write(&Queue::new(context).unwrap(), &self.data).unwrap();
        buffer
    }
}

fn contexts() -> Vec<Arc<DeviceContext>> {
    devices().iter().map(|device| DeviceContext::for_device(device).unwrap()).collect()
}

/// Small integers, whose products and sums are exact in floats, and most of them in fp16.
fn number(seed: usize) -> impl Fn(usize, usize) -> f32 {
    move |i, j| ((i * 7 + j * 13 + i * j * seed + seed) % 9) as f32 - 4.0
}

/// Algorithm that a test runs.
#[derive(Clone, Copy, Debug)]
enum Way {
    Blocks([usize; 3]),
    /// Streamed by the plan for a device of the class.
    Stream,
}

/// Checks products of integers, which are exact except for the last rounding, and everything around C.
fn check(context: &Arc<DeviceContext>, class: DeviceClass, case: usize, [m, n, k]: [usize; 3], way: Way) {
    let beta = [0.0, 1.0, -0.5][case % 3];
    let ops = [[Op::NoTrans, Op::Trans][case % 2], [Op::NoTrans, Op::ConjTrans][case / 2 % 2]];
    let gap = [0, 3][case % 2];
    let layouts = [LAYOUTS[case / 2 % 2], LAYOUTS[case / 4 % 2], LAYOUTS[case % 2]];
    let stored = |op: Op, rows, columns| if op.transposes() { [columns, rows] } else { [rows, columns] };
    let a = Matrix::new(layouts[0], stored(ops[0], m, k), gap, number(1));
    let b = Matrix::new(layouts[1], stored(ops[1], k, n), gap, number(2));
    let before = Matrix::new(layouts[2], [m, n], gap, number(3));
    // beta = 0 must not read C.
    let c = Matrix::new(layouts[2], [m, n], gap, |i, j| if beta == 0.0 { f32::NAN } else { number(3)(i, j) });
    let queue = Queue::new(context).unwrap();
    let device_info = context.device().info();
    let (a_memory, b_memory, c_memory) = (a.upload(context), b.upload(context), c.upload(context));
    let call = Fp16Gemm {
        queue: &queue,
        conversion: Conversion::of(&DeviceInfo { class, ..device_info.clone() }),
        ops,
        alpha: 2.0,
        a: (&a_memory, a.shape),
        b: (&b_memory, b.shape),
        beta,
        c: (&c_memory, c.shape),
    };
    let limits = Limits::of(context);
    let event = match way {
        Way::Blocks(block) => call.multiply(&Fp16Plan { block }, &limits),
        Way::Stream => {
            let device = DeviceInfo { class, ..device_info.clone() };
            call.stream(&call.stream_plan(k, &device, &limits).unwrap().expect("a skinny product"))
        }
    };
    event.unwrap().wait().unwrap();
    let mut result = c.data.clone();
    c_memory.read(&queue, &mut result).unwrap();
    let mut inside = vec![false; result.len()];
    for (i, j) in c.offsets() {
        let index = c.index(i, j);
        inside[index] = true;
        let sum: f64 = (0..k).map(|p| a.element(ops[0], i, p) * b.element(ops[1], p, j)).sum();
        let old = if beta == 0.0 { 0.0 } else { f64::from(beta) * before.element(Op::NoTrans, i, j) };
        assert_eq!(result[index], Half::from_f64(2.0 * sum + old), "({i}, {j}), case {case} {way:?}");
    }
    assert!(inside.iter().zip(&result).all(|(inside, x)| *inside || x.is_nan()), "something beside C was written");
}

mod host {
    use super::*;

    #[test]
    fn a_product_that_fits_is_one_block() {
        let size = [1000, 300, 4000];
        let whole = Fp16Plan::choose(size, 4 * (1000 * 4000 + 4000 * 300 + 300 * 1000 + 3 * 128));
        assert_eq!(whole.block, size);
    }

    #[test]
    fn blocks_fit_into_the_memory_and_are_about_as_long_as_wide() {
        for size in [[10_000, 10_000, 10_000], [1 << 20, 100, 3000], [5, 7, 1 << 30], [1 << 33, 1, 1]] {
            for bytes in [1 << 20, 1 << 28] {
                let plan = Fp16Plan::choose(size, bytes);
                assert!(Fp16Plan::bytes(plan.block) <= bytes, "{plan:?}");
                assert!(plan.block.iter().zip(size).all(|(side, whole)| (1..=whole).contains(side)), "{plan:?}");
                // A quarter of it is used, at least.
                assert!(4 * Fp16Plan::bytes(plan.block) >= bytes, "{plan:?}");
            }
        }
        assert_eq!(Fp16Plan::choose([10_000; 3], 12 << 24).block, [5120, 2560, 2560]);
        // No workspace at all.
        assert_eq!(Fp16Plan::choose([300; 3], 1).block, [1; 3]);
    }

    #[test]
    fn a_matrix_without_gaps_is_one_vector() {
        let vectors = |layout, leading| Vectors::of(&MatrixShape::new(layout, 4, 6, 2, leading).unwrap());
        let (whole, gaps) = (vectors(Layout::ColumnMajor, 4), vectors(Layout::ColumnMajor, 5));
        assert_eq!(whole, Vectors { offset: 2, length: 4, pitch: 4, count: 6 });
        assert_eq!(whole.merged_like(&whole), Vectors { offset: 2, length: 24, pitch: 4, count: 1 });
        assert_eq!((whole.merged_like(&gaps), gaps.merged_like(&whole)), (whole, gaps));
        assert_eq!(vectors(Layout::RowMajor, 7), Vectors { offset: 2, length: 6, pitch: 7, count: 4 });
    }

    #[test]
    fn floats_fit_in_either_layout() {
        for [rows, columns] in [[1, 1], [1, 1001], [1001, 1], [33, 31], [129, 130], [128, 128]] {
            let elements = floats_of([rows, columns]);
            for layout in LAYOUTS {
                let whole = MatrixShape::new(layout, rows, columns, 0, rows.max(columns)).unwrap();
                assert!(
                    packed(&whole, (0, rows), (0, columns), 0).unwrap().end() <= elements,
                    "{rows} x {columns} {layout:?}"
                );
            }
        }
    }

    /// Tensor cores look at the first 11 bits of a float, and at its whole exponent.
    #[test]
    fn a_tensor_core_takes_fp16_exactly() {
        for half in (0..=u16::MAX).map(Half::from_bits).filter(|half| half.is_finite()) {
            let float = half.to_f32();
            assert_eq!(float.to_bits() & 0x1fff, 0, "{half} has bits that a tensor core drops");
            assert!(float == 0.0 || float.is_normal(), "{half} is too small for a float");
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn blocks_and_conversions_are_exact() {
        for context in contexts() {
            for (case, block) in
                [[16, 8, 8], [37, 21, 43], [20, 21, 5], [37, 6, 43]].into_iter().cycle().take(8).enumerate()
            {
                for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
                    check(&context, class, case, [37, 21, 43], Way::Blocks(block));
                }
            }
        }
    }

    #[test]
    fn skinny_products_stream_fp16() {
        for context in contexts() {
            for (case, size) in [[37, 1, 70], [1, 40, 33], [50, 3, 9], [6, 75, 66], [16, 131, 20], [9, 9, 30]]
                .into_iter()
                .cycle()
                .take(18)
                .enumerate()
            {
                for class in [DeviceClass::Cpu, DeviceClass::Gpu] {
                    check(&context, class, case, size, Way::Stream);
                }
            }
        }
    }

    /// Partial sums over k are not rounded to fp16, in which 2048 + 1 is 2048.
    #[test]
    fn partial_sums_over_k_are_floats() {
        for context in contexts() {
            let queue = Queue::new(&context).unwrap();
            let a = Matrix::new(Layout::ColumnMajor, [1, 3], 0, |_, j| [2048.0, 1.0, 1.0][j]);
            let b = Matrix::new(Layout::ColumnMajor, [3, 1], 0, |_, _| 1.0);
            let c = Matrix::new(Layout::ColumnMajor, [1, 1], 0, |_, _| f32::NAN);
            let (a_memory, b_memory, c_memory) = (a.upload(&context), b.upload(&context), c.upload(&context));
            let call = Fp16Gemm {
                queue: &queue,
                conversion: Conversion::of(context.device().info()),
                ops: [Op::NoTrans; 2],
                alpha: 1.0,
                a: (&a_memory, a.shape),
                b: (&b_memory, b.shape),
                beta: 0.0,
                c: (&c_memory, c.shape),
            };
            call.multiply(&Fp16Plan { block: [1, 1, 1] }, &Limits::of(&context)).unwrap().wait().unwrap();
            let mut result = [Half::NAN];
            c_memory.read(&queue, &mut result).unwrap();
            assert_eq!(result[0].to_f32(), 2050.0);
        }
    }
}
