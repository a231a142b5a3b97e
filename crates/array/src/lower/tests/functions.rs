//! Elementary functions, against their own text on scalars.

use super::interpret;
use super::kernels::{Kernel, store};
use crate::element::{ElementType, Value};
use crate::function::{Binary, ComplexUnary, Unary};
use crate::fused::{AccessClass, Instruction};
use crate::lower::functions::{own_binary, own_complex, own_unary};
use crate::lower::{DeviceClass, lower};
use crate::testing::{Case, Random};
use affinimath_math::complex::Precision;
use affinimath_math::{Functions, Lanes, Scalar};

/// A kernel that applies a function to `x`, or to `x` and `y`.
fn function_case(element: ElementType, instruction: Instruction, operands: [Vec<Value>; 2]) -> Case {
    let n = operands[0].len();
    let kernel = (0..3).fold(Kernel::new(&[n], 1, (1, 2)), |kernel, access| {
        kernel.access(element, AccessClass::Contiguous, access == 2, 0, &[1])
    });
    let code = vec![Instruction::Load(0), Instruction::Load(1), instruction];
    let Kernel { structure, arguments } = kernel.phase(true, code, vec![store(2, 2)]);
    let bytes = |values: &[Value]| {
        let mut bytes = vec![0; n * element.bytes()];
        let parts = bytes.chunks_mut(element.bytes()).zip(values);
        parts.for_each(|(part, value)| crate::reference::write(*value, part));
        bytes
    };
    let memory = vec![bytes(&operands[0]), bytes(&operands[1]), vec![0; n * element.bytes()]];
    Case { structure, arguments, memory }
}

/// Arguments between 2^-40 and 2^40 of both signs, small whole numbers, halves, and special values.
fn arguments(element: ElementType, seed: u64) -> Vec<Value> {
    let mut random = Random::new(seed);
    let mut values = Vec::new();
    for i in 0..300 {
        let sign = if random.chance(50) { -1.0 } else { 1.0 };
        let scale = if i % 3 == 0 { 40 } else { 3 };
        let exponent = random.below(2 * scale + 1) as i32 - scale as i32;
        let x = sign * (1.0 + random.below(1 << 30) as f64 / f64::from(1 << 30)) * 2.0_f64.powi(exponent);
        values.push(if element == ElementType::F32 { Value::F32(x as f32) } else { Value::F64(x) });
    }
    values.extend((0..101).map(|_| random.value(element)));
    values
}

/// The function of scalars.
fn scalar(instruction: &Instruction, x: Value, y: Value) -> Option<Value> {
    match (x, y) {
        (Value::F32(x), Value::F32(y)) => apply(Scalar::<f32>::new(), instruction, x, y).map(Value::F32),
        (Value::F64(x), Value::F64(y)) => apply(Scalar::<f64>::new(), instruction, x, y).map(Value::F64),
        _ => None,
    }
}

fn apply<L: Lanes<Real: Precision + Functions>>(l: L, instruction: &Instruction, x: L::F, y: L::F) -> Option<L::F> {
    match *instruction {
        Instruction::Unary(function, _) => own_unary(l, function, x),
        Instruction::Binary(function, ..) => own_binary(l, function, x, y),
        Instruction::ComplexReal(function, ..) => Some(own_complex(l, function, x, y).0),
        Instruction::ComplexImaginary(function, ..) => Some(own_complex(l, function, x, y).1),
        _ => None,
    }
}

#[test]
fn functions_give_the_bits_of_the_scalar_machine() {
    let unary = [
        Unary::Cbrt,
        Unary::Exp,
        Unary::Exp2,
        Unary::Expm1,
        Unary::Ln,
        Unary::Log2,
        Unary::Log10,
        Unary::Log1p,
        Unary::Sin,
        Unary::Cos,
        Unary::Tan,
        Unary::Asin,
        Unary::Acos,
        Unary::Atan,
        Unary::Sinh,
        Unary::Cosh,
        Unary::Tanh,
        Unary::Erf,
        Unary::Erfc,
        Unary::Normcdf,
        Unary::Gamma,
        Unary::Lgamma,
        Unary::SinPi,
        Unary::CosPi,
    ];
    let functions = unary.map(|function| Instruction::Unary(function, 0)).into_iter();
    let binary = [Binary::Pow, Binary::Atan2, Binary::Hypot].map(|function| Instruction::Binary(function, 0, 1));
    let complex = [ComplexUnary::Exp, ComplexUnary::Ln, ComplexUnary::Sqrt, ComplexUnary::Recip];
    let real = complex.map(|function| Instruction::ComplexReal(function, 0, 1));
    let imaginary = complex.map(|function| Instruction::ComplexImaginary(function, 0, 1));
    for (seed, instruction) in functions.chain(binary).chain(real).chain(imaginary).enumerate() {
        for element in [ElementType::F32, ElementType::F64] {
            let operands = [arguments(element, seed as u64), arguments(element, seed as u64 + 100)];
            let apply = |(x, y): (&Value, &Value)| scalar(&instruction, *x, *y);
            let results: Option<Vec<Value>> = operands[0].iter().zip(&operands[1]).map(apply).collect();
            let Some(results) = results else { panic!("{instruction:?} is no function of affinimath-math") };
            let case = function_case(element, instruction.clone(), operands);
            let expected = function_case(element, instruction.clone(), [results.clone(), results]).memory;
            for device in [DeviceClass::gpu(1), DeviceClass::cpu(1)] {
                let (memory, _) =
                    interpret(&case, &device).unwrap_or_else(|e| panic!("{instruction:?} {element:?}: {e}"));
                let found = [memory[0].clone(), memory[1].clone(), memory[2].clone()];
                let expected = [case.memory[0].clone(), case.memory[1].clone(), expected[0].clone()];
                let compared = case.compare(&expected, &found);
                compared.unwrap_or_else(|e| panic!("{instruction:?} {element:?} {:?}: {e}", device.kind));
            }
        }
    }
}

/// The text of a kernel that stores registers to arrays, for a GPU.
fn text(code: Vec<Instruction>, stored: &[usize]) -> String {
    let access =
        |kernel: Kernel, is_written| kernel.access(ElementType::F32, AccessClass::Contiguous, is_written, 0, &[1]);
    let kernel = stored.iter().fold(access(Kernel::new(&[64], 1, (1, 2)), false), |kernel, _| access(kernel, true));
    let effects = stored.iter().enumerate().map(|(k, register)| store(k + 1, *register)).collect();
    let Kernel { structure, arguments } = kernel.phase(true, code, effects);
    let lowered = lower(&structure, &DeviceClass::gpu(1)).unwrap();
    lowered.kernel(lowered.launch(&arguments).launches[0].variant).unwrap().opencl()
}

#[test]
fn normcdf_of_both_signs_has_the_tail_in_common() {
    let normcdf = |register| Instruction::Unary(Unary::Normcdf, register);
    let one = text(vec![Instruction::Load(0), normcdf(0)], &[1]);
    let negative = Instruction::Unary(Unary::Neg, 0);
    let two = text(vec![Instruction::Load(0), normcdf(0), negative, normcdf(2)], &[1, 3]);
    let count = |text: &str| text.matches("fma(").count();
    assert!(count(&one) > 20);
    assert_eq!(count(&one), count(&two));
}

#[test]
fn functions_of_the_device_include_normcdf() {
    let device = DeviceClass { functions: crate::lower::Functions::Library, ..DeviceClass::gpu(1) };
    for element in [ElementType::F32, ElementType::F64] {
        let x: Vec<f64> = (-30..=30).map(|k| f64::from(k) / 8.0).collect();
        let value = |x: f64| if element == ElementType::F32 { Value::F32(x as f32) } else { Value::F64(x) };
        let operands = x.iter().map(|x| value(*x)).collect::<Vec<_>>();
        let case = function_case(element, Instruction::Unary(Unary::Normcdf, 0), [operands.clone(), operands]);
        let (memory, _) = interpret(&case, &device).unwrap();
        for (x, bytes) in x.iter().zip(memory[2].chunks(element.bytes())) {
            let (found, epsilon) = match element {
                ElementType::F32 => (f64::from(f32::from_ne_bytes(bytes.try_into().unwrap())), f64::from(f32::EPSILON)),
                _ => (f64::from_ne_bytes(bytes.try_into().unwrap()), f64::EPSILON),
            };
            let expected = <f64 as Functions>::normcdf(Scalar::<f64>::new(), *x);
            // Four roundings, and that of x/√2 times x².
            let bound = (4.0 + x * x) * epsilon;
            assert!((found - expected).abs() <= bound * expected, "normcdf({x}) = {found}, not {expected}");
        }
    }
}
