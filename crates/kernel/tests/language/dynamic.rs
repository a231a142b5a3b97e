//! Kernels of run-time types, and their refusals.

use affinimath_kernel::dynamic::{Alignment, AtomicOp, BinaryOp, Builder, Query, StoreMode, UnaryOp};
use affinimath_kernel::{Access, BuildError, Constant, ForeignBody, Kernel, ScalarType, ValueType};

use super::targets::{Buffer, run};

type Result<V> = std::result::Result<V, BuildError>;

const F32: ValueType = ValueType::scalar(ScalarType::F32);
const I32: ValueType = ValueType::scalar(ScalarType::I32);

fn refusal(construct: impl for<'k> FnOnce(Builder<'k>) -> Result<()>) -> String {
    Kernel::build_dynamic("refused", construct).unwrap_err().to_string()
}

/// y := max(x, 0)^2 + c over n elements, in vectors of `lanes`, with what is left one by one.
fn squares(scalar: ScalarType, lanes: usize) -> Kernel {
    Kernel::build_dynamic("squares", |k| {
        let element = ValueType::scalar(scalar);
        let (x, y) = (k.buffer("x", element, Access::Read)?, k.buffer("y", element, Access::ReadWrite)?);
        let n = k.buffer("n", ValueType::scalar(ScalarType::I64), Access::Read)?.load(k.index(0))?;
        let (zero, c) = (k.integer(scalar, 0)?, k.integer(scalar, 3)?);
        let square = k.function("square", &[scalar], |p| p[0].binary(BinaryOp::Mul, p[0]))?;
        let width = k.index(lanes as i64);
        let from = k.query(Query::GlobalId, 0)?.binary(BinaryOp::Mul, width)?;
        let whole = from.binary(BinaryOp::Add, width)?.binary(BinaryOp::Le, n)?;
        k.if_else(
            whole,
            || {
                let value = x.load_vector(from, lanes, Alignment::Vector)?;
                let positive = value.binary(BinaryOp::Gt, zero)?.select(value, zero)?;
                let result = positive.binary(BinaryOp::Mul, positive)?.binary(BinaryOp::Add, c)?;
                y.store_with(from, result, StoreMode { alignment: Alignment::Vector, streaming: true })
            },
            || {
                k.range("i", [from, n, k.index(1)], |i| {
                    let value = x.load(i)?.binary(BinaryOp::Max, zero)?;
                    y.store(i, square.call(&[value])?.binary(BinaryOp::Add, c)?)
                })
            },
        )
    })
    .unwrap()
}

#[test]
fn one_program_makes_kernels_of_many_types() {
    for lanes in [1, 2, 4, 8, 16] {
        let x = [-2, 3, 0, 5, -1, 7, 2, 9, 4, -6, 1];
        let expected = x.map(|x: i32| x.max(0) * x.max(0) + 3);
        let n = vec![x.len() as i64];
        macro_rules! check {
            ($($type:ident $scalar:ident),*) => { $(
                let (x, expected) = (x.map(|x| x as $type), expected.map(|y| y as $type));
                let buffers = [x.to_vec().into(), vec![0 as $type; x.len()].into(), n.clone().into()];
                let results = run(&squares(ScalarType::$scalar, lanes), x.len().div_ceil(lanes), &buffers);
                assert_eq!(results[1], Buffer::from(expected.to_vec()), "{lanes} lanes of {}", stringify!($type));
            )* };
        }
        check!(i16 I16, i32 I32, f32 F32, f64 F64);
    }
}

#[test]
fn control_flow_variables_and_memory_of_run_time_types() {
    let kernel = Kernel::build_dynamic("control", |k| {
        let (x, y) = (k.buffer("x", I32, Access::Read)?, k.buffer("y", I32, Access::ReadWrite)?);
        let i = k.query(Query::LocalId, 0)?;
        let (shared, own) = (k.local("shared", I32, 4)?, k.private("own", I32, 2)?);
        shared.store(i, x.load(i)?)?;
        k.barrier(false);
        let neighbour = i.binary(BinaryOp::Add, k.index(1))?.binary(BinaryOp::Rem, k.index(4))?;
        own.store(k.index(1), shared.load(neighbour)?)?;
        let left = k.variable("left", own.load(k.index(1))?);
        let count = k.variable("count", k.integer(ScalarType::I32, 0)?);
        let one = k.integer(ScalarType::I32, 1)?;
        k.repeat_while(
            || left.get().binary(BinaryOp::Gt, one),
            || {
                left.set(left.get().binary(BinaryOp::Shr, one)?)?;
                count.set(count.get().binary(BinaryOp::Add, one)?)
            },
        )?;
        k.switch(count.get(), &[&[0], &[1, 2]], |arm| match arm {
            Some(number) => y.store(i, k.integer(ScalarType::I32, number as i128)?),
            None => y.store(i, count.get()),
        })?;
        let even = i.binary(BinaryOp::And, k.index(1))?.convert(ScalarType::Bool)?.unary(UnaryOp::Not)?;
        k.when(even, || y.atomic(AtomicOp::Add, k.index(4), &[one]).map(|_| ()))
    })
    .unwrap();
    let buffers = [vec![1, 5, 100, 3].into(), vec![0; 5].into()];
    assert_eq!(run(&kernel, 4, &buffers)[1], Buffer::I32(vec![1, 6, 1, 0, 2]));
}

#[test]
fn typed_and_dynamic_values_mix() {
    let kernel = Kernel::build("mixed", |k| {
        let (x, y) = (k.input::<f32>("x"), k.in_out::<f32>("y"));
        let value: affinimath_kernel::dynamic::Value<'_> = (x.at(0) + 1.0).into();
        let half = Builder::from(k).number(ScalarType::F32, 0.5).unwrap();
        y.store(0, value.mul_add(half, half).unwrap().typed::<f32>().unwrap());
        assert!(value.typed::<f64>().is_err());
    })
    .unwrap();
    assert_eq!(run(&kernel, 1, &[vec![2.0_f32].into(), vec![0.0_f32].into()])[1], Buffer::F32(vec![2.0]));
}

#[test]
fn foreign_functions_are_called_by_their_texts() {
    let kernel = Kernel::build_dynamic("foreign", |k| {
        let (x, y) = (k.buffer("x", F32, Access::Read)?, k.buffer("y", F32, Access::Write)?);
        let body = ForeignBody {
            opencl: "const float square = a * a;\nreturn square - b;",
            cuda: "return __fsub_rn(__fmul_rn(a, a), b);",
            c99: "return a * a - b;",
            fortran: Some("result = (a * a) - b"),
        };
        let parameters = [("a", ScalarType::F32), ("b", ScalarType::F32)];
        let evaluate = |values: &[Constant]| match values {
            [Constant::F32(a), Constant::F32(b)] => (f32::from_bits(*a).powi(2) - f32::from_bits(*b)).into(),
            _ => 0.0_f32.into(),
        };
        let f = k.foreign("f", &parameters, ScalarType::F32, body, evaluate)?;
        let i = k.query(Query::GlobalId, 0)?;
        y.store(i, f.call(&[x.load(i)?, k.number(ScalarType::F32, 1.0)?])?)
    })
    .unwrap();
    let buffers = [vec![2.0_f32, 3.0].into(), vec![0.0_f32; 2].into()];
    assert_eq!(run(&kernel, 2, &buffers)[1], Buffer::F32(vec![3.0, 8.0]));
    let text = kernel.cuda();
    assert!(text.contains("float f(const float a, const float b) {\n    return __fsub_rn"), "{text}");
}

#[test]
fn operands_of_wrong_types_are_errors() {
    let two = |k: Builder<'_>, op, a, b| k.integer(a, 1)?.binary(op, k.integer(b, 2)?).map(|_| ());
    use ScalarType::{Bool, F16, F32, F64, I8, I32, I64, U32};
    assert_eq!(refusal(|k| two(k, BinaryOp::Add, F32, F64)), "Add does not take f32, f64");
    assert_eq!(refusal(|k| two(k, BinaryOp::Shl, F32, F32)), "Shl does not take f32, f32");
    assert_eq!(refusal(|k| two(k, BinaryOp::Lt, Bool, Bool)), "Lt does not take bool, bool");
    assert_eq!(refusal(|k| two(k, BinaryOp::Ldexp, F32, I64)), "Ldexp does not take f32, i64");
    assert_eq!(refusal(|k| k.integer(U32, -1).map(|_| ())), "u32 does not hold -1");
    assert_eq!(refusal(|k| k.number(I8, 0.5).map(|_| ())), "i8 does not hold 0.5");
    assert_eq!(refusal(|k| k.number(F16, 0.5).map(|_| ())), "a constant cannot be of type f16");
    assert_eq!(refusal(|k| k.argument("a", Bool).map(|_| ())), "the argument 'a' cannot be of type bool");
    assert_eq!(refusal(|k| k.index(1).bitcast(I32).map(|_| ())), "a bitcast to i32 does not take i64");
    assert_eq!(refusal(|k| k.index(1).splat(3).map(|_| ())), "a vector cannot be of type i64x3");
    assert_eq!(refusal(|k| k.index(1).lane(1).map(|_| ())), "lane 1 does not take i64");
    assert_eq!(refusal(|k| k.when(k.index(1), || Ok(()))), "a condition cannot be of type i64");
    assert_eq!(refusal(|k| k.query(Query::GlobalId, 3).map(|_| ())), BuildError::Dimension(3).to_string());
    let wide = |k: Builder<'_>| k.index(1).splat(2)?.binary(BinaryOp::Add, k.index(1).splat(4)?).map(|_| ());
    assert_eq!(refusal(wide), "an operation lane by lane does not take i64x2, i64x4");
}

#[test]
fn memory_functions_and_switches_are_checked() {
    let written = |k: Builder<'_>| k.buffer("x", F32, Access::Write)?.load(k.index(0)).map(|_| ());
    assert_eq!(refusal(written), "the buffer 'x' is declared for Write");
    let read = |k: Builder<'_>| k.buffer("x", F32, Access::Read)?.store(k.index(0), k.number(ScalarType::F32, 1.0)?);
    assert_eq!(refusal(read), "the buffer 'x' is declared for Read");
    let other = |k: Builder<'_>| k.buffer("x", F32, Access::Write)?.store(k.index(0), k.index(0));
    assert_eq!(refusal(other), "a stored value cannot be of type i64");
    let halves = ValueType::vector(ScalarType::F16, 4);
    assert_eq!(refusal(|k| k.local("h", halves, 4).map(|_| ())), "an element of 'h' cannot be of type f16x4");
    let misaligned =
        |k: Builder<'_>| k.buffer("x", F32, Access::Read)?.load_vector(k.index(6), 4, Alignment::Vector).map(|_| ());
    let error = BuildError::Misaligned { name: "x".to_owned(), index: 6, lanes: 4 };
    assert_eq!(refusal(misaligned), error.to_string());
    let repeated = |k: Builder<'_>| k.switch(k.index(0), &[&[1, 2], &[2]], |_| Ok(()));
    assert_eq!(refusal(repeated), "a switch has two cases for I64(2)");
    assert_eq!(refusal(|k| k.switch(k.index(0), &[&[]], |_| Ok(()))), "a case of a switch has no value");
    let arguments = |k: Builder<'_>| k.function("f", &[ScalarType::F32], |p| Ok(p[0]))?.call(&[]).map(|_| ());
    assert_eq!(refusal(arguments), "the function 'f' has 1 parameters: 0 arguments or names are given");
}
