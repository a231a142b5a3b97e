//! Fused array kernels compared with hand-written loops over the same vectors and functions.
//!
//! `cargo run --release -p affinimath-cpu --example fused_arrays [part of a name]`
//!
//! Both sides run in turn in short rounds, and the least time of each counts: so the ratio holds on a machine that
//! others use too. `AFFINIMATH_NUM_THREADS=1` leaves out the hand-over to threads.

use std::hint::black_box;
use std::marker::PhantomData;
use std::time::Instant;

use affinimath_array::function::{Binary, ComplexUnary, Reduction, Unary};
use affinimath_array::fused::{
    Access, AccessClass, Arguments, Effect, Instruction, Phase, ReductionOrder, Slot, Structure, View,
};
use affinimath_array::{Element, ElementType, Value};
use affinimath_core::threads;
use affinimath_cpu::array::machine::{Call, Loop, LoopFn, Machine, Precision, Source, Vectors, entry};
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::dispatch;
use affinimath_math::{Functions, Lanes, unary_functions};
use pulp::{Arch, Simd, WithSimd};

const SIZES: [usize; 4] = [1_000, 4_096, 1 << 16, 1 << 20];

/// Elements that a thread takes at once in a hand-written loop.
const PART: usize = 16 * 1024;

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let is_wanted = |name: &str| name.contains(&wanted);
    println!("kernel, n: ns a call, ns of the hand-written loop, ratio; elements/ns");
    for n in SIZES {
        elementwise::<f64>(n, &is_wanted);
        elementwise::<f32>(n, &is_wanted);
        others(n, &is_wanted);
    }
    for (rows, columns) in [(4096, 16), (1024, 64), (64, 1024), (1, 1 << 20)] {
        row_sums(rows, columns, &is_wanted);
    }
    transposed(1024, &is_wanted);
    if is_wanted("function") {
        functions::<f64>();
        functions::<f32>();
    }
}

/// A precision.
trait Real: Element + Precision + Functions + Default {
    fn constant(x: f64) -> Self;
    fn value(x: f64) -> Value;
}

macro_rules! real {
    ($($real:ident $value:ident;)+) => {
        $(impl Real for $real {
            fn constant(x: f64) -> $real {
                x as $real
            }
            fn value(x: f64) -> Value {
                Value::$value(x as $real)
            }
        })+
    };
}

real!(f32 F32; f64 F64;);

/// The least times of a call of each side, in ns.
fn times(n: usize, mut fused: impl FnMut(), mut by_hand: impl FnMut()) -> [f64; 2] {
    let repeats = (1 << 14) / n + 1;
    let mut least = [f64::INFINITY; 2];
    let mut side = |index: usize, call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeats).for_each(|_| call());
        least[index] = least[index].min(start.elapsed().as_nanos() as f64 / repeats as f64);
    };
    for _ in 0..((1 << 24) / n).clamp(40, 1000) {
        side(0, &mut fused);
        side(1, &mut by_hand);
    }
    least
}

fn report(name: &str, n: usize, [fused, by_hand]: [f64; 2]) {
    println!("{name}, {n}: {fused:.0}, {by_hand:.0}, {:.2}; {:.2}", by_hand / fused, n as f64 / fused);
}

/// An elementwise kernel with contiguous results.
fn structure(
    inputs: &[(ElementType, AccessClass)],
    rank: usize,
    code: Vec<Instruction>,
    results: &[usize],
) -> Structure {
    let mut structure = Structure {
        rank,
        parallel: rank,
        accesses: inputs.iter().map(|&(element, class)| access(element, class, true)).collect(),
        scalars: vec![],
        phases: vec![Phase { is_loop: true, code, effects: vec![] }],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    let types = structure.types(0).expect("a consistent kernel");
    for (i, &value) in results.iter().enumerate() {
        structure.accesses.push(access(types[value], AccessClass::Contiguous, false));
        structure.phases[0].effects.push(Effect::Store { access: inputs.len() + i, value, imaginary: None });
    }
    structure
}

fn access(element: ElementType, class: AccessClass, is_read: bool) -> Access {
    Access { element, class, is_read, is_written: !is_read }
}

fn contiguous(n: usize) -> View {
    View { offset: 0, strides: vec![1], extents: vec![n] }
}

fn data<T: Real>(n: usize, seed: usize, low: f64, high: f64) -> Vec<T> {
    let fraction = |i: usize| ((i + seed).wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f64 / 65_536.0;
    (0..n).map(|i| T::constant(low + (high - low) * fraction(i))).collect()
}

/// A vector function of four operands, with two results at most.
trait Formula {
    const RESULTS: usize;
    fn apply<L: Lanes<Real: Functions>>(l: L, x: [L::F; 4], constant: impl Fn(f64) -> L::F) -> [L::F; 2];
}

macro_rules! formulas {
    ($($name:ident $results:literal |$l:ident, $x:pat, $c:ident| $value:expr;)+) => {
        $(struct $name;
        impl Formula for $name {
            const RESULTS: usize = $results;
            #[inline(always)]
            fn apply<L: Lanes<Real: Functions>>($l: L, $x: [L::F; 4], $c: impl Fn(f64) -> L::F) -> [L::F; 2] {
                $value
            }
        })+
    };
}

formulas! {
    Axpy 1 |l, [x, y, ..], c| { let r = l.fma(c(2.5), x, y); [r, r] };
    Root 1 |l, [x, y, ..], c| { let r = l.fma(c(2.5), x, l.sqrt(l.abs(y))); [r, r] };
    Products 1 |l, [x, y, z, w], _c| { let r = l.mul(l.mul(l.add(x, y), l.sub(z, w)), l.add(x, w)); [r, r] };
    Choice 1 |l, [x, y, ..], c| { let r = l.select(l.lt(y, x), l.mul(x, c(2.5)), y); [r, r] };
    Exponential 1 |l, [x, y, ..], _c| { let r = l.add(<L::Real as Functions>::exp(l, x), y); [r, r] };
    BlackScholes 2 |l, [s, k, t, _], c| {
        let (rate, volatility) = (c(0.01), c(0.2));
        let deviation = l.mul(volatility, l.sqrt(t));
        let drift = l.fma(c(0.5), l.mul(volatility, volatility), rate);
        let d1 = l.div(l.fma(drift, t, <L::Real as Functions>::ln(l, l.div(s, k))), deviation);
        let d2 = l.sub(d1, deviation);
        let discounted = l.mul(k, <L::Real as Functions>::exp(l, l.neg(l.mul(rate, t))));
        let (n1, n2) = (<L::Real as Functions>::normcdf(l, d1), <L::Real as Functions>::normcdf(l, d2));
        let call = l.fma(s, n1, l.neg(l.mul(discounted, n2)));
        [call, l.add(call, l.sub(discounted, s))]
    };
}

struct Fused<F, R>(PhantomData<(F, R)>);

impl<F: Formula, R: Real> Loop for Fused<F, R> {
    #[inline(always)]
    unsafe fn run<M: Machine>(machine: M, call: &Call) {
        let l = <R as Precision>::of(machine);
        for i in (0..call.n).step_by(<R::Of<M> as Vectors>::WIDTH) {
            // SAFETY: the operands and the results have `n` elements, a multiple of the width.
            unsafe {
                let x = call.from.map(|from| l.load(from.at.cast::<R>().add(i)));
                let results = F::apply(l, x, |x| l.splat(R::constant(x)));
                for (to, result) in call.to.into_iter().zip(results).take(F::RESULTS) {
                    l.store(to.cast::<R>().add(i), result);
                }
            }
        }
    }
}

/// Compares a kernel of contiguous operands with its formula.
fn compare<F: Formula, R: Real>(name: &str, n: usize, range: [f64; 2], inputs: usize, code: Vec<Instruction>) {
    let results: Vec<usize> = if F::RESULTS == 2 { vec![code.len() - 3, code.len() - 1] } else { vec![code.len() - 1] };
    let program = Program::new(&structure(&vec![(R::TYPE, AccessClass::Contiguous); inputs], 1, code, &results))
        .expect("a consistent kernel");
    let arguments = Arguments { extents: vec![n], views: vec![contiguous(n); inputs + F::RESULTS], scalars: vec![] };
    // A vector more than the loop by hand needs.
    let operands: Vec<Vec<R>> = (0..inputs).map(|seed| data(n + 16, seed, range[0], range[1])).collect();
    let mut outputs = vec![vec![R::default(); n + 16]; F::RESULTS];
    let mut outputs_by_hand = outputs.clone();
    let run: LoopFn = entry::<Fused<F, R>>(Arch::new());
    let call = Addresses {
        from: std::array::from_fn(|i| operands[i.min(inputs - 1)].as_ptr().addr()),
        to: std::array::from_fn(|i| {
            outputs_by_hand.get_mut(i).map_or(0, |output| output.as_mut_ptr().expose_provenance())
        }),
    };
    operands.iter().for_each(|operand| _ = operand.as_ptr().expose_provenance());
    let fused = || {
        let reads = operands.iter().map(|x| Operand::read(&x[..n]));
        let all: Vec<_> = reads.chain(outputs.iter_mut().map(|x| Operand::write(&mut x[..n]))).collect();
        program.run(&arguments, black_box(&all)).expect("operands of the kernel");
    };
    let by_hand = || match n.div_ceil(PART) {
        1 => call.part::<R>(run, 0, n),
        parts => threads::for_each(parts, |part| call.part::<R>(run, part * PART, n.min((part + 1) * PART))),
    };
    report(&format!("{name} {}", R::TYPE), n, times(n, fused, by_hand));
    for (output, by_hand) in outputs.iter().zip(&outputs_by_hand) {
        assert!(output[..n] == by_hand[..n], "{name}: the results differ");
    }
}

/// Addresses of operands and results, for threads.
struct Addresses {
    from: [usize; 4],
    to: [usize; 4],
}

impl Addresses {
    fn part<R>(&self, run: LoopFn, start: usize, end: usize) {
        let at = |address: usize| std::ptr::with_exposed_provenance_mut::<R>(address).wrapping_add(start).cast::<u8>();
        let from = self.from.map(|address| Source { at: at(address), step: 1 });
        let call = Call { n: (end - start).next_multiple_of(16), to: self.to.map(at), from };
        // SAFETY: the vectors have a granule more than the part, and each part is one thread's.
        unsafe { run(black_box(&call)) };
    }
}

fn elementwise<R: Real>(n: usize, is_wanted: &impl Fn(&str) -> bool) {
    use Instruction as I;
    let constant = |x: f64| I::Constant(R::TYPE, <R as Real>::value(x).bits());
    let loads = |count: usize| (0..count).map(I::Load).collect::<Vec<_>>();
    let with = |count: usize, more: &[I]| [loads(count), more.to_vec()].concat();
    if is_wanted("2.5 x + y") {
        compare::<Axpy, R>("2.5 x + y", n, [-1.0, 1.0], 2, with(2, &[constant(2.5), I::Fma(2, 0, 1)]));
    }
    if is_wanted("2.5 x + sqrt|y|") {
        let code = with(2, &[constant(2.5), I::Unary(Unary::Abs, 1), I::Unary(Unary::Sqrt, 3), I::Fma(2, 0, 4)]);
        compare::<Root, R>("2.5 x + sqrt|y|", n, [-1.0, 1.0], 2, code);
    }
    if is_wanted("(x + y) (z - w) (x + w)") {
        let code = with(
            4,
            &[
                I::Binary(Binary::Add, 0, 1),
                I::Binary(Binary::Sub, 2, 3),
                I::Binary(Binary::Mul, 4, 5),
                I::Binary(Binary::Add, 0, 3),
                I::Binary(Binary::Mul, 6, 7),
            ],
        );
        compare::<Products, R>("(x + y) (z - w) (x + w)", n, [-1.0, 1.0], 4, code);
    }
    if is_wanted("x > y ? 2.5 x : y") {
        let code =
            with(2, &[constant(2.5), I::Binary(Binary::Gt, 0, 1), I::Binary(Binary::Mul, 0, 2), I::Select(3, 4, 1)]);
        compare::<Choice, R>("x > y ? 2.5 x : y", n, [-1.0, 1.0], 2, code);
    }
    if is_wanted("exp(x) + y") {
        let code = with(2, &[I::Unary(Unary::Exp, 0), I::Binary(Binary::Add, 2, 1)]);
        compare::<Exponential, R>("exp(x) + y", n, [-1.0, 1.0], 2, code);
    }
    if is_wanted("Black-Scholes") {
        compare::<BlackScholes, R>("Black-Scholes", n, [0.5, 1.5], 3, black_scholes::<R>());
    }
}

/// Prices of European calls and puts: spot, strike and time in, both prices out.
fn black_scholes<R: Real>() -> Vec<Instruction> {
    use Instruction as I;
    let constant = |x: f64| I::Constant(R::TYPE, <R as Real>::value(x).bits());
    vec![
        I::Load(0),
        I::Load(1),
        I::Load(2),
        constant(0.01),
        constant(0.2),
        I::Unary(Unary::Sqrt, 2),
        I::Binary(Binary::Mul, 4, 5), // 6: v sqrt(t)
        I::Binary(Binary::Div, 0, 1),
        I::Unary(Unary::Ln, 7), // 8: ln(s/k)
        constant(0.5),
        I::Binary(Binary::Mul, 4, 4),
        I::Fma(9, 10, 3), // 11: r + v²/2
        I::Fma(11, 2, 8),
        I::Binary(Binary::Div, 12, 6), // 13: d1
        I::Binary(Binary::Sub, 13, 6), // 14: d2
        I::Binary(Binary::Mul, 3, 2),
        I::Unary(Unary::Neg, 15),
        I::Unary(Unary::Exp, 16),
        I::Binary(Binary::Mul, 1, 17), // 18: k e^(-r t)
        I::Unary(Unary::Normcdf, 13),
        I::Unary(Unary::Normcdf, 14),
        I::Binary(Binary::Mul, 18, 20),
        I::Unary(Unary::Neg, 21),
        I::Fma(0, 19, 22), // 23: call
        I::Binary(Binary::Sub, 18, 0),
        I::Binary(Binary::Add, 23, 24), // 25: put
    ]
}

/// A loop over slices, on the processor's vectors.
struct Each<'a, A, B, T, F>(&'a [A], &'a [B], &'a mut [T], F);

impl<A: Copy, B: Copy, T, F: Fn(A, B) -> T> WithSimd for Each<'_, A, B, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for ((z, x), y) in self.2.iter_mut().zip(self.0).zip(self.1) {
            *z = (self.3)(*x, *y);
        }
    }
}

/// Compares a kernel of two operands, which may be strided, with a loop on one thread.
fn compare_types<A: Element, B: Element, T: Element>(
    name: &str,
    (x, y): (Vec<A>, Vec<B>),
    stride: usize,
    code: Vec<Instruction>,
    by_hand: impl Fn(&[A], &[B], &mut [T]),
) {
    let n = y.len();
    let class = if stride == 1 { AccessClass::Contiguous } else { AccessClass::Strided };
    let inputs = [(A::TYPE, class), (B::TYPE, AccessClass::Contiguous)];
    let last = code.len() - 1;
    let program = Program::new(&structure(&inputs, 1, code, &[last])).expect("a consistent kernel");
    let strided = View { offset: 0, strides: vec![stride as i64], extents: vec![n] };
    let arguments = Arguments { extents: vec![n], views: vec![strided, contiguous(n), contiguous(n)], scalars: vec![] };
    let (mut z, mut w) = (vec![T::default(); n], vec![T::default(); n]);
    let fused = || {
        let operands = [Operand::read(&x), Operand::read(&y), Operand::write(&mut z)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    };
    let times = times(n, fused, || by_hand(black_box(&x), black_box(&y), black_box(&mut w)));
    report(name, n, times);
}

fn others(n: usize, is_wanted: &impl Fn(&str) -> bool) {
    use Instruction as I;
    let sum = |f| vec![I::Load(0), I::Load(1), I::Binary(f, 0, 1)];
    let integers = |seed| data::<f64>(n, seed, -1e6, 1e6).into_iter().map(|x| x as i32).collect::<Vec<_>>();
    if is_wanted("i32 x y + y") {
        let code = [sum(Binary::Mul), vec![I::Binary(Binary::Add, 2, 1)]].concat();
        compare_types("i32 x y + y", (integers(1), integers(2)), 1, code, |x, y, z| {
            dispatch(Each(x, y, z, |x: i32, y: i32| x.wrapping_mul(y).wrapping_add(y)));
        });
    }
    if is_wanted("f64(i32) y") {
        let code = vec![I::Load(0), I::Load(1), I::Convert(ElementType::F64, 0), I::Binary(Binary::Mul, 2, 1)];
        compare_types("f64(i32) y", (integers(1), data::<f64>(n, 1, 0.0, 1.0)), 1, code, |x, y, z| {
            dispatch(Each(x, y, z, |x: i32, y: f64| f64::from(x) * y));
        });
    }
    if is_wanted("x[::2] + y") {
        let operands = (data::<f64>(2 * n, 1, 0.0, 1.0), data::<f64>(n, 2, 0.0, 1.0));
        compare_types("x[::2] + y", operands, 2, sum(Binary::Add), |x: &[f64], y, z| {
            z.iter_mut().zip(x.chunks_exact(2)).zip(y).for_each(|((z, x), y)| *z = x[0] + y);
        });
    }
}

/// Sums of rows, with as many accumulators by hand as the kernel has.
struct RowSums<'a>(&'a [f64], usize, &'a mut [f64]);

impl WithSimd for RowSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for (row, sum) in self.0.chunks_exact(self.1).zip(self.2) {
            let mut lanes = [0.0; 16];
            for chunk in row.chunks_exact(16) {
                (0..16).for_each(|lane| lanes[lane] += chunk[lane] * chunk[lane]);
            }
            *sum = lanes.iter().sum();
        }
    }
}

fn row_sums(rows: usize, columns: usize, is_wanted: &impl Fn(&str) -> bool) {
    if !is_wanted("sums of rows") {
        return;
    }
    let element = ElementType::F64;
    let structure = Structure {
        rank: 2,
        parallel: 1,
        accesses: vec![
            access(element, AccessClass::Contiguous, true),
            access(element, AccessClass::InnerUniform, false),
        ],
        scalars: vec![],
        phases: vec![
            Phase {
                is_loop: true,
                code: vec![Instruction::Load(0), Instruction::Unary(Unary::Square, 0)],
                effects: vec![Effect::Reduce { slot: 0, value: 1 }],
            },
            Phase {
                is_loop: false,
                code: vec![Instruction::Slot(0)],
                effects: vec![Effect::Store { access: 1, value: 0, imaginary: None }],
            },
        ],
        slots: vec![Slot { reduction: Reduction::Sum, element }],
        order: ReductionOrder { lanes: columns.min(64), chunk: 4096 },
    };
    let program = Program::new(&structure).expect("a consistent kernel");
    let view = |strides: [i64; 2]| View { offset: 0, strides: strides.to_vec(), extents: vec![rows, columns] };
    let views = vec![view([columns as i64, 1]), view([1, 0])];
    let arguments = Arguments { extents: vec![rows, columns], views, scalars: vec![] };
    let x = data::<f64>(rows * columns, 1, 0.0, 1.0);
    let (mut sums, mut by_hand) = (vec![0.0; rows], vec![0.0; rows]);
    let fused = || {
        let operands = [Operand::read(&x), Operand::write(&mut sums)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    };
    let times = times(x.len(), fused, || dispatch(RowSums(black_box(&x), columns, black_box(&mut by_hand))));
    report(&format!("sums of rows of {columns}"), x.len(), times);
}

/// A matrix with the transposed of another, by hand in tiles.
fn transposed(n: usize, is_wanted: &impl Fn(&str) -> bool) {
    if !is_wanted("x + y^T") {
        return;
    }
    let code = vec![Instruction::Load(0), Instruction::Load(1), Instruction::Binary(Binary::Add, 0, 1)];
    let inputs = [(ElementType::F64, AccessClass::Contiguous), (ElementType::F64, AccessClass::Strided)];
    let program = Program::new(&structure(&inputs, 2, code, &[2])).expect("a consistent kernel");
    let view = |strides: [i64; 2]| View { offset: 0, strides: strides.to_vec(), extents: vec![n, n] };
    let (row_major, column_major) = (view([n as i64, 1]), view([1, n as i64]));
    let views = vec![row_major.clone(), column_major, row_major];
    let arguments = Arguments { extents: vec![n, n], views, scalars: vec![] };
    let (x, y) = (data::<f64>(n * n, 1, 0.0, 1.0), data::<f64>(n * n, 2, 0.0, 1.0));
    let (mut z, mut w) = (vec![0.0; n * n], vec![0.0; n * n]);
    let fused = || {
        let operands = [Operand::read(&x), Operand::read(&y), Operand::write(&mut z)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    };
    let by_hand = || {
        const TILE: usize = 16;
        for i in (0..n).step_by(TILE) {
            for j in (0..n).step_by(TILE) {
                for row in i..i + TILE {
                    for column in j..j + TILE {
                        w[row * n + column] = x[row * n + column] + y[column * n + row];
                    }
                }
            }
        }
        black_box(&mut w);
    };
    report("x + y^T", n * n, times(n * n, fused, by_hand));
}

macro_rules! named {
    ({} $($variant:ident $function:ident,)*) => {
        vec![$((stringify!($function), Unary::$variant)),*]
    };
}

/// Kernels of one function of two operands each.
fn all_functions() -> Vec<(String, Vec<Instruction>)> {
    let with = |more: &[Instruction]| [vec![Instruction::Load(0), Instruction::Load(1)], more.to_vec()].concat();
    let unary = unary_functions!(named).into_iter();
    let unary = unary.map(|(name, function)| (name.to_owned(), with(&[Instruction::Unary(function, 0)])));
    let binary = [Binary::Pow, Binary::Hypot, Binary::Atan2];
    let binary = binary.map(|function| (format!("{function:?}"), with(&[Instruction::Binary(function, 0, 1)])));
    let complex = [ComplexUnary::Exp, ComplexUnary::Ln, ComplexUnary::Sqrt, ComplexUnary::Recip].map(|function| {
        let parts = [Instruction::ComplexReal(function, 0, 1), Instruction::ComplexImaginary(function, 0, 1)];
        (format!("complex {function:?}"), with(&[&parts[..], &[Instruction::Binary(Binary::Add, 2, 3)]].concat()))
    });
    unary.chain(binary).chain(complex).collect()
}

/// Times of all functions of operands in the first cache.
fn functions<R: Real>() {
    let n = 2048;
    for (name, code) in all_functions() {
        let last = code.len() - 1;
        let inputs = [(R::TYPE, AccessClass::Contiguous); 2];
        let program = Program::new(&structure(&inputs, 1, code, &[last])).expect("a consistent kernel");
        let arguments = Arguments { extents: vec![n], views: vec![contiguous(n); 3], scalars: vec![] };
        for (range, low, high) in [("small", 0.1, 0.9), ("large", 1e12, 1e13)] {
            let (x, y, mut z) = (data::<R>(n, 1, low, high), data::<R>(n, 2, low, high), vec![R::default(); n]);
            let fused = || {
                let operands = [Operand::read(&x), Operand::read(&y), Operand::write(&mut z)];
                program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
            };
            let [fused, _] = times(n, fused, || ());
            println!("function {name} {} of {range} arguments: {:.2} ns an element", R::TYPE, fused / n as f64);
        }
    }
}
