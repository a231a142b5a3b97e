use super::*;
use crate::function::{Binary, Unary};
use crate::fused::{Access, AccessClass, ReductionOrder, Slot};

fn bytes(values: &[Value]) -> Vec<u8> {
    let mut all = Vec::new();
    for &value in values {
        let mut one = vec![0; value.element_type().bytes()];
        write(value, &mut one);
        all.extend(one);
    }
    all
}

fn phase(is_loop: bool, code: Vec<Instruction>, effects: Vec<Effect>) -> Phase {
    Phase { is_loop, code, effects }
}

fn access(element: ElementType, class: AccessClass, is_read: bool) -> Access {
    Access { element, class, is_read, is_written: !is_read }
}

/// An instruction on scalars of an elementwise kernel of one point.
fn value_of(scalars: &[Value], result: ElementType, code: impl FnOnce() -> Instruction) -> Value {
    let mut all: Vec<Instruction> = (0..scalars.len()).map(Instruction::Scalar).collect();
    all.push(code());
    let structure = Structure {
        rank: 1,
        parallel: 1,
        accesses: vec![access(result, AccessClass::Contiguous, false)],
        scalars: scalars.iter().map(|s| s.element_type()).collect(),
        phases: vec![phase(true, all, vec![Effect::Store { access: 0, value: scalars.len(), imaginary: None }])],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    let view = View { offset: 0, strides: vec![1], extents: vec![1] };
    let arguments = Arguments { extents: vec![1], views: vec![view], scalars: scalars.to_vec() };
    let mut out = vec![0; result.bytes()];
    run(&structure, &arguments, &mut [Memory::Write(&mut out)]).unwrap();
    read(result, &out).unwrap()
}

#[test]
fn integers_wrap_and_have_quotients_for_zero() {
    let binary = |function, x, y| {
        value_of(&[Value::I32(x), Value::I32(y)], ElementType::I32, || Instruction::Binary(function, 0, 1))
    };
    assert_eq!(binary(Binary::Add, i32::MAX, 1), Value::I32(i32::MIN));
    assert_eq!(binary(Binary::Div, i32::MIN, -1), Value::I32(i32::MIN));
    assert_eq!(binary(Binary::Div, 7, 0), Value::I32(0));
    assert_eq!(binary(Binary::Rem, -7, 2), Value::I32(-1));
    assert_eq!(binary(Binary::Rem, i32::MIN, -1), Value::I32(0));
    assert_eq!(binary(Binary::Shr, -8, 33), Value::I32(-4));
    assert_eq!(binary(Binary::Shl, 1, -1), Value::I32(i32::MIN));
}

#[test]
fn extrema_take_nan_and_the_second_zero() {
    let binary = |function, x, y| {
        let scalars = [Value::F64(x), Value::F64(y)];
        value_of(&scalars, ElementType::F64, || Instruction::Binary(function, 0, 1)).bits()
    };
    for function in [Binary::Min, Binary::Max] {
        assert!(f64::from_bits(binary(function, f64::NAN, 1.0)).is_nan());
        assert!(f64::from_bits(binary(function, 1.0, f64::NAN)).is_nan());
        assert_eq!(binary(function, 0.0, -0.0), (-0.0f64).to_bits());
        assert_eq!(binary(function, -0.0, 0.0), 0.0f64.to_bits());
    }
}

#[test]
fn conversions_are_those_of_rust() {
    let convert = |to, x| value_of(&[x], to, || Instruction::Convert(to, 0));
    assert_eq!(convert(ElementType::U8, Value::F32(300.0)), Value::U8(255));
    assert_eq!(convert(ElementType::U8, Value::I32(300)), Value::U8(44));
    assert_eq!(convert(ElementType::I32, Value::F64(f64::NAN)), Value::I32(0));
    assert_eq!(convert(ElementType::Bool, Value::F64(f64::NAN)), Value::Bool(true));
    assert_eq!(convert(ElementType::Bool, Value::F64(-0.0)), Value::Bool(false));
    assert_eq!(convert(ElementType::F32, Value::Bool(true)), Value::F32(1.0));
    assert_eq!(convert(ElementType::F32, Value::I64(16_777_217)), Value::F32(16_777_216.0));
}

#[test]
fn signs_and_roundings() {
    let unary = |function, x| value_of(&[Value::F32(x)], ElementType::F32, || Instruction::Unary(function, 0)).bits();
    assert_eq!(unary(Unary::Sign, -3.0), (-1.0f32).to_bits() as u64);
    assert_eq!(unary(Unary::Sign, -0.0), (-0.0f32).to_bits() as u64);
    assert_eq!(unary(Unary::Round, 2.5), 2.0f32.to_bits() as u64);
    assert_eq!(unary(Unary::Ceil, -0.5), (-0.0f32).to_bits() as u64);
    assert_eq!(unary(Unary::Recip, 3.0), (1.0f32 / 3.0).to_bits() as u64);
}

#[test]
fn every_function_has_a_value() {
    let options = crate::testing::Options { max_points: 64, ..Default::default() };
    for seed in 0..300 {
        let case = crate::testing::Case::random(seed, &options);
        case.reference().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// Softmax of the rows of a reversed matrix: views, three loops and two slots.
#[test]
fn rows_run_phase_by_phase() {
    let exp = |code: &mut Vec<Instruction>| {
        code.extend([
            Instruction::Load(0),
            Instruction::Slot(0),
            Instruction::Binary(Binary::Sub, 0, 1),
            Instruction::Unary(Unary::Exp, 2),
        ]);
    };
    let (mut second, mut third) = (vec![], vec![]);
    exp(&mut second);
    exp(&mut third);
    third.extend([Instruction::Slot(1), Instruction::Binary(Binary::Div, 3, 4)]);
    let structure = Structure {
        rank: 2,
        parallel: 1,
        accesses: vec![
            access(ElementType::F64, AccessClass::Strided, true),
            access(ElementType::F64, AccessClass::Contiguous, false),
        ],
        scalars: vec![],
        phases: vec![
            phase(true, vec![Instruction::Load(0)], vec![Effect::Reduce { slot: 0, value: 0 }]),
            phase(true, second, vec![Effect::Reduce { slot: 1, value: 3 }]),
            phase(true, third, vec![Effect::Store { access: 1, value: 5, imaginary: None }]),
        ],
        slots: vec![
            Slot { reduction: Reduction::Max, element: ElementType::F64 },
            Slot { reduction: Reduction::Sum, element: ElementType::F64 },
        ],
        order: ReductionOrder { lanes: 1, chunk: 64 },
    };
    let extents = vec![2, 3];
    let arguments = Arguments {
        extents: extents.clone(),
        views: vec![
            View { offset: 5, strides: vec![-3, -1], extents: extents.clone() },
            View { offset: 0, strides: vec![3, 1], extents },
        ],
        scalars: vec![],
    };
    let x = [1.0, 2.0, 3.0, 6.0, 5.0, 4.0];
    let data = bytes(&x.map(Value::F64));
    let mut out = vec![0; 48];
    run(&structure, &arguments, &mut [Memory::Read(&data), Memory::Write(&mut out)]).unwrap();
    let softmax = |row: [f64; 3]| {
        let max = row.into_iter().fold(f64::MIN, f64::max);
        let powers = row.map(|x| (x - max).exp());
        let sum = powers[0] + powers[1] + powers[2];
        powers.map(|p| p / sum)
    };
    let expected = [softmax([4.0, 5.0, 6.0]), softmax([3.0, 2.0, 1.0])].concat();
    for (i, &e) in expected.iter().enumerate() {
        let Some(Value::F64(y)) = read(ElementType::F64, &out[8 * i..]) else { panic!() };
        assert!((y - e).abs() < 4.0 * f64::EPSILON, "{y} {e}");
    }
}

#[test]
fn arg_reductions_find_the_first_and_nan() {
    let arg = |reduction, row: &[f32], lanes| {
        let structure = Structure {
            rank: 1,
            parallel: 0,
            accesses: vec![
                access(ElementType::F32, AccessClass::Contiguous, true),
                access(ElementType::I64, AccessClass::Uniform, false),
            ],
            scalars: vec![],
            phases: vec![
                phase(true, vec![Instruction::Load(0)], vec![Effect::Reduce { slot: 0, value: 0 }]),
                phase(false, vec![Instruction::Slot(0)], vec![Effect::Store { access: 1, value: 0, imaginary: None }]),
            ],
            slots: vec![Slot { reduction, element: ElementType::F32 }],
            order: ReductionOrder { lanes, chunk: 4 },
        };
        let view = |stride| View { offset: 0, strides: vec![stride], extents: vec![row.len()] };
        let arguments = Arguments { extents: vec![row.len()], views: vec![view(1), view(0)], scalars: vec![] };
        let data = bytes(&row.iter().map(|&x| Value::F32(x)).collect::<Vec<_>>());
        let mut out = vec![0; 8];
        run(&structure, &arguments, &mut [Memory::Read(&data), Memory::Write(&mut out)]).unwrap();
        let Some(Value::I64(index)) = read(ElementType::I64, &out) else { panic!() };
        index
    };
    let nan = f32::NAN;
    for lanes in [1, 2, 4] {
        assert_eq!(arg(Reduction::ArgMin, &[3.0, 1.0, 2.0, 1.0, 1.0], lanes), 1);
        assert_eq!(arg(Reduction::ArgMax, &[3.0, 1.0, 3.0, 0.0, 3.0], lanes), 0);
        assert_eq!(arg(Reduction::ArgMax, &[0.0, -0.0, 0.0], lanes), 0);
        assert_eq!(arg(Reduction::ArgMin, &[3.0, 0.0, 2.0, 1.0, nan, nan], lanes), 4);
    }
}

#[test]
fn gathers_clamp_their_indices() {
    let structure = Structure {
        rank: 1,
        parallel: 1,
        accesses: vec![
            access(ElementType::C32, AccessClass::Indexed, true),
            access(ElementType::C32, AccessClass::Contiguous, false),
        ],
        scalars: vec![ElementType::I64],
        phases: vec![phase(
            true,
            vec![
                Instruction::Coordinate(0),
                Instruction::Scalar(0),
                Instruction::Binary(Binary::Sub, 0, 1),
                Instruction::LoadAt { access: 0, indices: vec![2], imaginary: false },
                Instruction::LoadAt { access: 0, indices: vec![2], imaginary: true },
            ],
            vec![Effect::Store { access: 1, value: 3, imaginary: Some(4) }],
        )],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    let arguments = Arguments {
        extents: vec![5],
        views: vec![
            View { offset: 0, strides: vec![2], extents: vec![2] },
            View { offset: 0, strides: vec![1], extents: vec![5] },
        ],
        scalars: vec![Value::I64(1)],
    };
    let data = bytes(&[1.0, 2.0, 0.0, 0.0, 5.0, 6.0].map(Value::F32));
    let mut out = vec![0; 40];
    run(&structure, &arguments, &mut [Memory::Read(&data), Memory::Write(&mut out)]).unwrap();
    let expected = [1.0, 2.0, 1.0, 2.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0];
    assert_eq!(out, bytes(&expected.map(Value::F32)));
}

#[test]
fn read_only_memory_is_not_written() {
    let structure = Structure {
        rank: 1,
        parallel: 1,
        accesses: vec![access(ElementType::U8, AccessClass::Contiguous, false)],
        scalars: vec![],
        phases: vec![phase(
            true,
            vec![Instruction::Constant(ElementType::U8, 1)],
            vec![Effect::Store { access: 0, value: 0, imaginary: None }],
        )],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    let view = View { offset: 0, strides: vec![1], extents: vec![1] };
    let arguments = Arguments { extents: vec![1], views: vec![view], scalars: vec![] };
    assert!(run(&structure, &arguments, &mut [Memory::Read(&[0])]).is_err());
}
