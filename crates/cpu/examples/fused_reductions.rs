//! Reductions of fused array kernels compared with hand-written loops over the same matrix, on one thread.
//!
//! `AFFINIMATH_NUM_THREADS=1 cargo run --release -p affinimath-cpu --example fused_reductions`
//!
//! Both sides run in turn, and the least time of each counts. The order of joining is that of array expressions.

use std::hint::black_box;
use std::time::Instant;

use affinimath_array::ElementType;
use affinimath_array::function::{Binary, Reduction, Unary};
use affinimath_array::fused::{
    Access, AccessClass, Arguments, Effect, Instruction, Phase, ReductionOrder, Slot, Structure, View,
};
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::dispatch;
use pulp::{Simd, WithSimd};

const F64: ElementType = ElementType::F64;

fn main() {
    println!("kernel, rows x columns: ns a call, ns of the hand-written loop, ratio; elements/ns");
    for (rows, columns) in [(4096, 16), (1024, 64), (64, 1024), (1024, 1024), (4096, 4096)] {
        row_sums(rows, columns, false);
        row_sums(rows, columns, true);
        column_sums(rows, columns);
        softmax(rows, columns);
    }
}

fn times(n: usize, mut fused: impl FnMut(), mut by_hand: impl FnMut()) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..((1 << 26) / n).clamp(8, 1000) {
        let start = Instant::now();
        fused();
        least[0] = least[0].min(start.elapsed().as_nanos() as f64);
        let start = Instant::now();
        by_hand();
        least[1] = least[1].min(start.elapsed().as_nanos() as f64);
    }
    least
}

fn report(name: &str, (rows, columns): (usize, usize), [fused, by_hand]: [f64; 2]) {
    let rate = (rows * columns) as f64 / fused;
    println!("{name}, {rows} x {columns}: {fused:.0}, {by_hand:.0}, {:.2}; {rate:.2}", by_hand / fused);
}

fn matrix(rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|i| (i.wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f64 / 65_536.0).collect()
}

/// The order of array expressions for rows along the last axis.
fn order(length: usize) -> ReductionOrder {
    match length {
        ..32 => ReductionOrder { lanes: 1, chunk: 256 },
        32..1024 => ReductionOrder { lanes: 32, chunk: 16_384 },
        _ => ReductionOrder { lanes: 256, chunk: 16_384 },
    }
}

fn access(class: AccessClass, is_read: bool) -> Access {
    Access { element: F64, class, is_read, is_written: !is_read }
}

fn reduce(slot: usize, value: usize) -> Effect {
    Effect::Reduce { slot, value }
}

/// A kernel of a matrix, which stores results of rows, or of elements if `phases` end with a loop.
fn structure(classes: [AccessClass; 2], phases: Vec<Phase>, slots: &[Reduction], order: ReductionOrder) -> Structure {
    let slots = slots.iter().map(|&reduction| Slot { reduction, element: F64 }).collect();
    let accesses = vec![access(classes[0], true), access(classes[1], false)];
    Structure { rank: 2, parallel: 1, accesses, scalars: vec![], phases, slots, order }
}

fn result(code: Vec<Instruction>, value: usize, is_loop: bool) -> Phase {
    Phase { is_loop, code, effects: vec![Effect::Store { access: 1, value, imaginary: None }] }
}

fn loop_of(code: Vec<Instruction>, slot: usize) -> Phase {
    let value = code.len() - 1;
    Phase { is_loop: true, code, effects: vec![reduce(slot, value)] }
}

/// Times a kernel of a matrix of `extents` at strides, whose results are `results` elements at others.
fn compare(
    name: &str,
    structure: &Structure,
    extents: [usize; 2],
    strides: [[i64; 2]; 2],
    results: usize,
    by_hand: impl Fn(&[f64], &mut [f64]),
) {
    let program = Program::new(structure).expect("a consistent kernel");
    let view = |strides: [i64; 2]| View { offset: 0, strides: strides.to_vec(), extents: extents.to_vec() };
    let arguments = Arguments { extents: extents.to_vec(), views: strides.map(view).to_vec(), scalars: vec![] };
    let x = matrix(extents[0], extents[1]);
    let (mut y, mut z) = (vec![0.0; results], vec![0.0; results]);
    let fused = || {
        let operands = [Operand::read(&x), Operand::write(&mut y)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    };
    let times = times(x.len(), fused, || by_hand(black_box(&x), black_box(&mut z)));
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs();
    assert!(y.iter().zip(&z).all(close), "{name}: the results differ");
    let shown = if strides[0][0] == 1 { (extents[1], extents[0]) } else { (extents[0], extents[1]) };
    report(name, shown, times);
}

/// Sums of rows or of their squares, with 32 accumulators.
struct RowSums<'a>(&'a [f64], usize, &'a mut [f64], bool);

impl WithSimd for RowSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for (row, sum) in self.0.chunks_exact(self.1).zip(self.2) {
            let mut lanes = [0.0; 32];
            for chunk in row.chunks_exact(32) {
                match self.3 {
                    true => (0..32).for_each(|lane| lanes[lane] += chunk[lane] * chunk[lane]),
                    false => (0..32).for_each(|lane| lanes[lane] += chunk[lane]),
                }
            }
            let rest = row.chunks_exact(32).remainder().iter();
            *sum = lanes.iter().sum::<f64>() + rest.map(|x| if self.3 { x * x } else { *x }).sum::<f64>();
        }
    }
}

fn row_sums(rows: usize, columns: usize, has_squares: bool) {
    let mut code = vec![Instruction::Load(0)];
    if has_squares {
        code.push(Instruction::Unary(Unary::Square, 0));
    }
    let phases = vec![loop_of(code, 0), result(vec![Instruction::Slot(0)], 0, false)];
    let classes = [AccessClass::Contiguous, AccessClass::InnerUniform];
    let structure = structure(classes, phases, &[Reduction::Sum], order(columns));
    let name = if has_squares { "squares of rows" } else { "rows" };
    compare(name, &structure, [rows, columns], [[columns as i64, 1], [1, 0]], rows, |x, sums| {
        dispatch(RowSums(x, columns, sums, has_squares));
    });
}

/// Sums of columns, row by row.
struct ColumnSums<'a>(&'a [f64], &'a mut [f64]);

impl WithSimd for ColumnSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.1.fill(0.0);
        for row in self.0.chunks_exact(self.1.len()) {
            self.1.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }
}

fn column_sums(rows: usize, columns: usize) {
    let phases = vec![loop_of(vec![Instruction::Load(0)], 0), result(vec![Instruction::Slot(0)], 0, false)];
    let classes = [AccessClass::Strided, AccessClass::InnerUniform];
    let structure = structure(classes, phases, &[Reduction::Sum], ReductionOrder { lanes: 1, chunk: 256 });
    compare("columns", &structure, [columns, rows], [[1, columns as i64], [1, 0]], columns, |x, sums| {
        dispatch(ColumnSums(x, sums));
    });
}

/// exp(x - max) / sum along rows, with the standard library's exponential.
fn softmax(rows: usize, columns: usize) {
    use Instruction as I;
    let exponential = || vec![I::Load(0), I::Slot(0), I::Binary(Binary::Sub, 0, 1), I::Unary(Unary::Exp, 2)];
    let quotient = [exponential(), vec![I::Slot(1), I::Binary(Binary::Div, 3, 4)]].concat();
    let phases = vec![loop_of(vec![I::Load(0)], 0), loop_of(exponential(), 1), result(quotient, 5, true)];
    let classes = [AccessClass::Contiguous; 2];
    let structure = structure(classes, phases, &[Reduction::Max, Reduction::Sum], order(columns));
    let strides = [[columns as i64, 1]; 2];
    compare("softmax of rows", &structure, [rows, columns], strides, rows * columns, |x, y| {
        for (x, y) in x.chunks_exact(columns).zip(y.chunks_exact_mut(columns)) {
            let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            y.iter_mut().zip(x).for_each(|(y, x)| *y = (x - max).exp());
            let sum: f64 = y.iter().sum();
            y.iter_mut().for_each(|y| *y /= sum);
        }
    });
}
