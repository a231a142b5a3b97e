//! Rates of fused array kernels on this machine, beside hand-written loops.
//!
//! `cargo run --release -p affinimath-cpu --example fused_arrays`

use std::hint::black_box;
use std::time::Instant;

use affinimath_array::function::{Binary, Unary};
use affinimath_array::fused::{
    Access, AccessClass, Arguments, Effect, Instruction, Phase, ReductionOrder, Slot, Structure, View,
};
use affinimath_array::{Element, ElementType, Value};
use affinimath_core::threads;
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::dispatch;
use pulp::{Simd, WithSimd};

const SIZES: [usize; 5] = [1_000, 4_096, 1 << 16, 1 << 20, 1 << 22];

/// Elements that a thread takes at once in the hand-written loop.
const PART: usize = 16 * 1024;

fn main() {
    println!("kernel, n: ns a call, of the hand-written loop; elements/ns");
    for n in SIZES {
        compare::<f64>("D", n, Value::F64(2.5), |x, y| 2.5f64.mul_add(x, y.abs().sqrt()));
        compare::<f32>("S", n, Value::F32(2.5), |x, y| 2.5f32.mul_add(x, y.abs().sqrt()));
    }
    for n in SIZES {
        sum::<f64>("sum D", n);
        sum::<f32>("sum S", n);
    }
    for function in [Unary::Exp, Unary::Ln, Unary::Sin, Unary::Erfc, Unary::Tanh] {
        one_function::<f64>(function);
        one_function::<f32>(function);
    }
    for n in SIZES {
        black_scholes::<f64>(n, 0.01);
        black_scholes::<f32>(n, 0.01);
    }
}

trait Real: Element + From<f32> + Sync {
    fn value(x: f64) -> Value;
}

impl Real for f32 {
    fn value(x: f64) -> Value {
        Value::F32(x as f32)
    }
}

impl Real for f64 {
    fn value(x: f64) -> Value {
        Value::F64(x)
    }
}

/// The least time of a call, in ns.
fn time(n: usize, mut call: impl FnMut()) -> f64 {
    let repeats = (1 << 20) / n + 1;
    call();
    let rounds = (0..30).map(|_| {
        let start = Instant::now();
        (0..repeats).for_each(|_| call());
        start.elapsed().as_nanos() as f64 / repeats as f64
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn kernel(element: ElementType, inputs: usize, scalars: usize, code: Vec<Instruction>, results: &[usize]) -> Program {
    let access = |is_read| Access { element, class: AccessClass::Contiguous, is_read, is_written: !is_read };
    let store = |(i, &value): (usize, &usize)| Effect::Store { access: inputs + i, value, imaginary: None };
    let structure = Structure {
        rank: 1,
        parallel: 1,
        accesses: (0..inputs + results.len()).map(|i| access(i < inputs)).collect(),
        scalars: vec![element; scalars],
        phases: vec![Phase { is_loop: true, code, effects: results.iter().enumerate().map(store).collect() }],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    Program::new(&structure).expect("a consistent kernel")
}

fn arguments(n: usize, views: usize, scalars: Vec<Value>) -> Arguments {
    let view = View { offset: 0, strides: vec![1], extents: vec![n] };
    Arguments { extents: vec![n], views: vec![view; views], scalars }
}

fn data<T: Real>(n: usize, seed: usize, low: f32, high: f32) -> Vec<T> {
    let fraction = |i: usize| ((i + seed).wrapping_mul(2_654_435_761) >> 8 & 0xffff) as f32 / 65_536.0;
    (0..n).map(|i| T::from(low + (high - low) * fraction(i))).collect()
}

/// 2.5 x + sqrt|y| by a loop over slices.
struct Loop<'a, T, F>(&'a [T], &'a [T], &'a mut [T], F);

impl<T: Copy, F: Fn(T, T) -> T> WithSimd for &mut Loop<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let (x, y) = (self.0, self.1);
        for ((z, x), y) in self.2.iter_mut().zip(x).zip(y) {
            *z = (self.3)(*x, *y);
        }
    }
}

fn compare<T: Real>(name: &str, n: usize, scalar: Value, f: impl Fn(T, T) -> T + Sync + Copy) {
    let code = vec![
        Instruction::Load(0),
        Instruction::Load(1),
        Instruction::Scalar(0),
        Instruction::Unary(Unary::Abs, 1),
        Instruction::Unary(Unary::Sqrt, 3),
        Instruction::Fma(2, 0, 4),
    ];
    let program = kernel(T::TYPE, 2, 1, code, &[5]);
    let arguments = arguments(n, 3, vec![scalar]);
    let (x, y, mut z) = (data::<T>(n, 1, -1.0, 1.0), data::<T>(n, 2, -1.0, 1.0), data::<T>(n, 3, 0.0, 1.0));
    let fused = time(n, || {
        let operands = [Operand::read(&x), Operand::read(&y), Operand::write(&mut z)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    });
    let at = z.as_mut_ptr().addr();
    let by_hand = time(n, || {
        threads::for_each(n.div_ceil(PART), |part| {
            let range = part * PART..n.min((part + 1) * PART);
            let z = std::ptr::with_exposed_provenance_mut::<T>(at).wrapping_add(range.start);
            // SAFETY: parts are within the vector, and each is one thread's.
            let z = unsafe { std::slice::from_raw_parts_mut(z, range.len()) };
            dispatch(&mut Loop(&x[range.clone()], &y[range], black_box(z), f));
        });
    });
    println!("2.5 x + sqrt|y| {name}, {n}: {fused:.0}, {:.2} of the loop; {:.2}", by_hand / fused, n as f64 / fused);
}

fn sum<T: Real>(name: &str, n: usize) {
    let access = |class, is_read| Access { element: T::TYPE, class, is_read, is_written: !is_read };
    let structure = Structure {
        rank: 1,
        parallel: 0,
        accesses: vec![access(AccessClass::Contiguous, true), access(AccessClass::Uniform, false)],
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
        slots: vec![Slot { reduction: affinimath_array::function::Reduction::Sum, element: T::TYPE }],
        order: ReductionOrder { lanes: 64, chunk: 4096 },
    };
    let program = Program::new(&structure).expect("a consistent kernel");
    let mut arguments = arguments(n, 2, vec![]);
    arguments.views[1].strides = vec![0];
    let (x, mut total) = (data::<T>(n, 1, 0.0, 1.0), data::<T>(1, 1, 0.0, 1.0));
    let fused = time(n, || {
        let operands = [Operand::read(&x), Operand::write(&mut total)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    });
    println!("{name} of squares, {n}: {fused:.0}; {:.2}", n as f64 / fused);
}

fn one_function<T: Real>(function: Unary) {
    let n = 4096;
    let program = kernel(T::TYPE, 1, 0, vec![Instruction::Load(0), Instruction::Unary(function, 0)], &[1]);
    let arguments = arguments(n, 2, vec![]);
    let (x, mut y) = (data::<T>(n, 1, 0.1, 2.0), data::<T>(n, 1, 0.0, 1.0));
    let fused = time(n, || {
        let operands = [Operand::read(&x), Operand::write(&mut y)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    });
    println!("{function:?} {}, {n}: {fused:.0}; {:.3}", T::TYPE, n as f64 / fused);
}

/// Prices of European calls and puts: spot, strike and time in, both prices out.
fn black_scholes<T: Real>(n: usize, rate: f64) {
    use Instruction as I;
    let constant = |x: f64| I::Constant(T::TYPE, T::value(x).bits());
    let code = vec![
        I::Load(0),
        I::Load(1),
        I::Load(2),
        I::Scalar(0),
        I::Scalar(1),
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
    ];
    let program = kernel(T::TYPE, 3, 2, code, &[23, 25]);
    let arguments = arguments(n, 5, vec![T::value(rate), T::value(0.2)]);
    let inputs = [data::<T>(n, 1, 50.0, 150.0), data::<T>(n, 2, 50.0, 150.0), data::<T>(n, 3, 0.1, 2.0)];
    let (mut call, mut put) = (data::<T>(n, 1, 0.0, 1.0), data::<T>(n, 1, 0.0, 1.0));
    let fused = time(n, || {
        let [s, k, t] = &inputs;
        let operands =
            [Operand::read(s), Operand::read(k), Operand::read(t), Operand::write(&mut call), Operand::write(&mut put)];
        program.run(&arguments, black_box(&operands)).expect("operands of the kernel");
    });
    println!("Black-Scholes {}, {n}: {fused:.0}; {:.3}", T::TYPE, n as f64 / fused);
}
