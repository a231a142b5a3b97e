//! Functions of `affinimath_math`: vectors give the bits of one lane.

use affinimath_array::function::{Binary, ComplexUnary, Unary};
use affinimath_array::fused::{AccessClass, Arguments, Effect, Instruction, View};
use affinimath_array::testing::Random;
use affinimath_array::{ElementType, Value};
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::instruction_sets;
use affinimath_math::{Functions, Scalar, binary_functions, complex, unary_functions};

use super::{access, elementwise, row_major};

/// Elements: one more than a block's granules.
const N: usize = 1001;

/// A precision.
trait Real: Functions + affinimath_array::Element {
    const ZERO: Self;
    /// True for equal bits, or two NaN.
    fn is_same(self, other: Self) -> bool;
    fn random(random: &mut Random) -> Self;
}

macro_rules! real {
    ($real:ident $element:ident) => {
        impl Real for $real {
            const ZERO: $real = 0.0;
            fn is_same(self, other: $real) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
            fn random(random: &mut Random) -> $real {
                let Value::$element(value) = random.value(ElementType::$element) else { panic!() };
                // Small, moderate and huge arguments.
                let scales = [1.0, 1.0, 1e-10, 50.0, 1e6, 1e20];
                value * random.choose(&scales)
            }
        }
    };
}

real!(f32 F32);
real!(f64 F64);

fn run<R: Real>(code: Vec<Instruction>, operands: &[&[R]]) -> Vec<R> {
    let mut accesses = vec![access(R::TYPE, AccessClass::Contiguous, true, false); operands.len()];
    accesses.push(access(R::TYPE, AccessClass::Contiguous, false, true));
    let effects = vec![Effect::Store { access: operands.len(), value: code.len() - 1, imaginary: None }];
    let program = Program::new(&elementwise(1, accesses, code, effects)).unwrap();
    let views = vec![row_major(&[N]); operands.len() + 1];
    let arguments = Arguments { extents: vec![N], views, scalars: vec![] };
    let mut results = vec![R::ZERO; N];
    let mut memory: Vec<Operand<'_>> = operands.iter().map(|x| Operand::read(x)).collect();
    memory.push(Operand::write(&mut results));
    program.run(&arguments, &memory).unwrap();
    drop(memory);
    results
}

macro_rules! check_unary {
    ({ $real:ident } $($variant:ident $function:ident,)*) => {
        $(
            let mut random = Random::new(1);
            let x: Vec<$real> = (0..N).map(|_| Real::random(&mut random)).collect();
            let found = run(vec![Instruction::Load(0), Instruction::Unary(Unary::$variant, 0)], &[&x]);
            for (&x, found) in x.iter().zip(found) {
                let expected = <$real as Functions>::$function(Scalar::<$real>::new(), x);
                assert!(found.is_same(expected), "{}({x:e}) is {found:e}, not {expected:e}", stringify!($function));
            }
        )*
    };
}

macro_rules! check_binary {
    ({ $real:ident } $($variant:ident $function:ident,)*) => {
        let mut random = Random::new(2);
        let x: Vec<$real> = (0..N).map(|_| Real::random(&mut random)).collect();
        let y: Vec<$real> = (0..N).map(|_| Real::random(&mut random)).collect();
        let _ = (&x, &y);
        $(
            let code = vec![Instruction::Load(0), Instruction::Load(1), Instruction::Binary(Binary::$variant, 0, 1)];
            let found = run(code, &[&x, &y]);
            for ((&x, &y), found) in x.iter().zip(&y).zip(found) {
                let expected = <$real as Functions>::$function(Scalar::<$real>::new(), x, y);
                assert!(found.is_same(expected), "{}({x:e}, {y:e}): {found:e}, {expected:e}", stringify!($function));
            }
        )*
    };
}

#[test]
fn vectors_give_the_bits_of_one_lane_in_single_precision() {
    instruction_sets::for_each(|| {
        unary_functions!(check_unary f32);
        binary_functions!(check_binary f32);
    });
}

#[test]
fn vectors_give_the_bits_of_one_lane_in_double_precision() {
    instruction_sets::for_each(|| {
        unary_functions!(check_unary f64);
        binary_functions!(check_binary f64);
    });
}

/// The parts of f(z) for each z. The real parts and the imaginary parts are operands with the given step.
fn run_complex<R: Real>(function: ComplexUnary, x: &[R], y: &[R], step: usize) -> (Vec<R>, Vec<R>) {
    let class = if step == 1 { AccessClass::Contiguous } else { AccessClass::Strided };
    let accesses = vec![
        access(R::TYPE, class, true, false),
        access(R::TYPE, class, true, false),
        access(R::TYPE, AccessClass::Contiguous, false, true),
        access(R::TYPE, AccessClass::Contiguous, false, true),
    ];
    let code = vec![
        Instruction::Load(0),
        Instruction::Load(1),
        Instruction::ComplexReal(function, 0, 1),
        Instruction::ComplexImaginary(function, 0, 1),
    ];
    let store = |access, value| Effect::Store { access, value, imaginary: None };
    let program = Program::new(&elementwise(1, accesses, code, vec![store(2, 2), store(3, 3)])).unwrap();
    let n = x.len() / step;
    let strided = View { offset: 0, strides: vec![step as i64], extents: vec![n] };
    let views = vec![strided.clone(), strided, row_major(&[n]), row_major(&[n])];
    let (mut re, mut im) = (vec![R::ZERO; n], vec![R::ZERO; n]);
    let memory = [Operand::read(x), Operand::read(y), Operand::write(&mut re), Operand::write(&mut im)];
    program.run(&Arguments { extents: vec![n], views, scalars: vec![] }, &memory).unwrap();
    (re, im)
}

macro_rules! check_complex {
    ($real:ident $($variant:ident $function:ident,)*) => {
        let mut random = Random::new(3);
        let specials = [0.0, -0.0, 1.0, -1.0, $real::INFINITY, -$real::INFINITY, $real::NAN, $real::MAX];
        let mut part = |special: usize| match specials.get(special) {
            Some(&special) => special,
            None => Real::random(&mut random),
        };
        // All pairs of special values come first.
        let x: Vec<$real> = (0..N).map(|i| part(if i < 64 { i / 8 } else { i })).collect();
        let y: Vec<$real> = (0..N).map(|i| part(if i < 64 { i % 8 } else { i })).collect();
        $(for step in [1, 2] {
            let (re, im) = run_complex(ComplexUnary::$variant, &x, &y, step);
            for (i, (re, im)) in re.into_iter().zip(im).enumerate() {
                let (x, y) = (x[i * step], y[i * step]);
                let expected = complex::$function(Scalar::<$real>::new(), x, y);
                assert!(
                    re.is_same(expected.0) && im.is_same(expected.1),
                    "{}({x:e}, {y:e}): ({re:e}, {im:e}), {expected:?}", stringify!($function)
                );
            }
        })*
    };
}

#[test]
fn vectors_give_the_bits_of_one_lane_for_complex_numbers() {
    instruction_sets::for_each(|| {
        check_complex!(f32 Exp exp, Ln ln, Sqrt sqrt, Recip recip,);
        check_complex!(f64 Exp exp, Ln ln, Sqrt sqrt, Recip recip,);
    });
}
