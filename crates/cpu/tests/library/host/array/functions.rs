//! Functions of `affinimath_math`: vectors give the bits of one lane, for each function that the host has.

use affinimath_array::function::{Binary, Unary};
use affinimath_array::fused::{AccessClass, Arguments, Effect, Instruction};
use affinimath_array::testing::Random;
use affinimath_array::{ElementType, Value};
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::instruction_sets;
use affinimath_math::{Functions, Scalar, binary_functions, unary_functions};

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
