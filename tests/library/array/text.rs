//! Text expressions: their values, and operands in the host's memory that they write.

use super::values;
use affinimath::array::{
    AnyArray, Array, DeviceOperand, ElementType, Expression, HostOperand, LentMemory, Number, Shape, Strides, Value,
};
use affinimath::{Context, DeviceBuffer, DeviceVector};

/// Everything that is checked on a context.
pub fn check(context: &Context) {
    values_are_those_of_loops(context);
    triangles_are_solved(context);
    results_stay_expressions(context);
    operands_of_the_host_are_written(context);
    overlapping_operands_mean_what_they_held(context);
    later_runs_have_operands_of_their_own(context);
    what_does_not_fit_is_an_error_and_changes_nothing(context);
    operands_of_a_device_are_written_in_the_queue_s_order(context);
    arrays_are_printed_and_explained(context);
    numbers_take_the_types_of_arrays(context);
    numbers_of_a_call_take_the_types_of_arrays(context);
    assigned_parts_make_arrays(context);
    parts_are_assigned_one_after_the_other(context);
    lent_memory_is_the_arrays_own(context);
}

fn numbers_of_a_call_take_the_types_of_arrays(context: &Context) {
    let x = array(context, &[3], &[1.0, 2.0, 4.0]);
    let text = Expression::parse("a*x + b**2").unwrap();
    for (a, b) in [(0.5, 3), (-0.0, 0), (0.0, 0)] {
        let numbers = [("a", Number::Real(Value::F64(a))), ("b", Number::Real(Value::I64(b)))];
        let results = text.apply_with(context, &[("x", &x)], &numbers).unwrap();
        let found = results[0].1.to_expr::<f32>().expect("single precision stays").to_vec().unwrap();
        assert_eq!(found, [1.0, 2.0, 4.0].map(|x| a as f32 * x + (b * b) as f32));
    }
    if !has_doubles(context) {
        return;
    }
    // The same operands with other numbers, of which zeros differ by their sign.
    let (mut x, mut y) = (vec![1.0, 2.0, 4.0], vec![0.0; 3]);
    let operands = [operand("x", &[3], &[1], x.as_mut_ptr()), operand("", &[3], &[1], y.as_mut_ptr())];
    let text = Expression::parse("a*x").unwrap();
    for a in [2.0, 2.0, -0.0, 0.0, f64::NAN, -0.0] {
        // SAFETY: the operands describe vectors that outlive the call.
        unsafe { text.run_with(context, &operands, &[("a", Number::Real(Value::F64(a)))]).unwrap() };
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let wanted: Vec<f64> = x.iter().map(|x| a * x).collect();
        assert!(a.is_nan() && y.iter().all(|y| y.is_nan()) || bits(&y) == bits(&wanted), "{a}: {y:?}");
    }
    let shape = text.value_with(&operands[..1], &[("a", Number::Real(Value::I64(1)))]).unwrap();
    assert_eq!(shape, Some((ElementType::F64, Shape::new(&[3]).unwrap())));
    assert!(text.value_of(&operands[..1]).unwrap_err().to_string().contains("no operand is called \"a\""));
}

fn assigned_parts_make_arrays(context: &Context) {
    let elements: Vec<f32> = (0..20).map(|i| i as f32).collect();
    let x = array(context, &[4, 5], &elements);
    let text = Expression::parse("x[1:-1, ::-2] = x[:2, ::2]; s = sum(x); x[3] = 7").unwrap();
    let results = text.apply(context, &[("x", &x)]).unwrap();
    let [(Some(s), sum), (Some(name), new)] = &results[..] else { panic!("two results") };
    let mut expected = elements.clone();
    for (row, column) in [(0, 0), (0, 2), (0, 4), (1, 0), (1, 2), (1, 4)] {
        expected[5 * (row + 1) + 4 - column] = elements[5 * row + column];
    }
    let total: f32 = expected.iter().sum();
    expected[15..].fill(7.0);
    assert_eq!((s.as_str(), name.as_str()), ("s", "x"));
    assert_eq!(sum.to_expr::<f32>().unwrap().to_vec().unwrap(), [total]);
    assert_eq!(new.to_expr::<f32>().unwrap().to_vec().unwrap(), expected);
    assert_eq!(x.to_expr::<f32>().unwrap().to_vec().unwrap(), elements, "the operand has changed");
    // Steps, single indices, new axes and empty parts.
    for (text, indices) in [
        ("x[::3, 1::3] = -1", vec![1, 4, 16, 19]),
        ("x[-1, 4:0:-3] = -1", vec![19, 16]),
        ("x[2, 2] = -1", vec![12]),
        ("x[None, 1, ..., 3:] = -1", vec![8, 9]),
        ("x[3:1] = -1", vec![]),
        ("x[:] = -1", (0..20).collect()),
    ] {
        let mut expected: Vec<f64> = elements.iter().map(|x| f64::from(*x)).collect();
        indices.iter().for_each(|&index: &usize| expected[index] = -1.0);
        assert_eq!(value(context, text, &[("x", &x)]), expected, "{text}");
    }
    let refused = Expression::parse("x[:, 0] = x").unwrap().apply(context, &[("x", &x)]);
    assert!(refused.err().unwrap().to_string().contains("[4, 5]"));
}

fn parts_are_assigned_one_after_the_other(context: &Context) {
    if !has_doubles(context) {
        return;
    }
    for (text, expected) in [
        ("x[:4] = 9; x[2:] = -1", [9.0, 9.0, -1.0, -1.0, -1.0, -1.0]),
        ("x[2:] = -1; x[:4] = 9", [9.0, 9.0, 9.0, 9.0, -1.0, -1.0]),
        ("x[::2] = 9; x[::3] = -1; x[1::2] = 5", [-1.0, 5.0, 9.0, 5.0, 9.0, 5.0]),
        ("x[0] = 8; x[-1] = x[0] + 1; x[1] = x[5] + x[4]", [8.0, 13.0, 2.0, 3.0, 4.0, 9.0]),
        ("x[1:] = x[:-1]; x[1:] = x[:-1]", [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]),
    ] {
        let mut x: Vec<f64> = (0..6).map(f64::from).collect();
        run(context, text, &[operand("x", &[6], &[1], x.as_mut_ptr())]).unwrap();
        assert_eq!(x, expected, "{text}");
    }
}

fn lent_memory_is_the_arrays_own(context: &Context) {
    let x = array(context, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (read, again) = (x.lend(false).unwrap(), x.lend(false).unwrap());
    assert!(read.is_same(&again), "memory that is read is not copied");
    drop((read, again));
    let sum = Expression::parse("x + 1").unwrap().apply(context, &[("x", &x)]).unwrap();
    let first = x.lend(true).unwrap();
    let second = x.lend(true).unwrap();
    assert!(!first.is_same(&second), "memory that is lent is copied");
    drop(first);
    match second.memory().unwrap() {
        // SAFETY: the array has 6 elements, and nothing else uses its memory.
        LentMemory::Host(start) => unsafe { start.cast::<f32>().write(9.0) },
        LentMemory::Device(buffer) => {
            let queue = context.own_queue().unwrap().unwrap();
            let (shape, strides) = (Shape::new(&[6]).unwrap(), Strides::new(&[1]).unwrap());
            let element = ElementType::F32;
            let operand = DeviceOperand { name: "m", element, shape, strides, memory: Some(buffer), offset: 0 };
            drop(Expression::parse("m[0] = 9").unwrap().run_on(&queue, &[operand]).unwrap());
        }
    }
    drop(second);
    assert_eq!(x.to_expr::<f32>().unwrap().to_vec().unwrap(), [9.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // The expression means what the array held when it was written.
    assert_eq!(sum[0].1.to_expr::<f32>().unwrap().to_vec().unwrap(), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let transposed = Expression::parse("x.T").unwrap().apply(context, &[("x", &x)]).unwrap();
    let lent = transposed[0].1.lend(false).unwrap();
    assert!(!lent.is_same(&x.lend(false).unwrap()), "lent elements have row-major order");
}

fn array(context: &Context, shape: &[usize], elements: &[f32]) -> AnyArray {
    AnyArray::new(context, Array::from_slice(context, shape, elements).unwrap().node().clone()).unwrap()
}

#[track_caller]
fn value(context: &Context, text: &str, operands: &[(&str, &AnyArray)]) -> Vec<f64> {
    let parsed = Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let results = parsed.apply(context, operands).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (_, last) = results.last().unwrap();
    // Generated elements alone name no context, as the result does.
    AnyArray::evaluate_all(&[last]).unwrap_or_else(|error| panic!("{text}: {error}"));
    match last.element() {
        ElementType::F32 => last.to_expr::<f32>().unwrap().cast::<f64>().to_vec(),
        ElementType::I64 => last.to_expr::<i64>().unwrap().cast::<f64>().to_vec(),
        ElementType::Bool => last.to_expr::<bool>().unwrap().cast::<f64>().to_vec(),
        other => panic!("{text}: {other}"),
    }
    .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A function of two elements.
type Function = fn(f32, f32) -> f32;

fn triangles_are_solved(context: &Context) {
    let a = array(context, &[3, 3], &[2.0, 9.0, -4.0, 1.0, 4.0, 7.0, -2.0, 6.0, 8.0]);
    let b = array(context, &[3], &[2.0, 5.0, 4.0]);
    let triangles = [("lower=True", "tril(a)"), ("lower=False", "triu(a)")];
    for (argument, triangle) in triangles {
        for (trans, product) in
            [("0", triangle.to_owned()), ("1", format!("{triangle}.T")), ("2", format!("{triangle}.T"))]
        {
            let text = format!("{product} @ solve_triangular(a, b, {trans}, {argument}) - b");
            let residual = value(context, &text, &[("a", &a), ("b", &b)]);
            assert!(residual.iter().all(|x| x.abs() <= 64.0 * f64::from(f32::EPSILON)), "{text}: {residual:?}");
        }
    }
    // The structure of the values is found.
    let found = value(context, "t = tril(a); t @ solve(t, b) - b", &[("a", &a), ("b", &b)]);
    assert!(found.iter().all(|x| x.abs() <= 64.0 * f64::from(f32::EPSILON)), "{found:?}");
    let unit = value(context, "solve_triangular(a, b, lower=True, unit_diagonal=True)", &[("a", &a), ("b", &b)]);
    assert_eq!(unit, [2.0, 3.0, -10.0]);
    let wrong = Expression::parse("solve_triangular(a, b, 3)").unwrap().apply(context, &[("a", &a), ("b", &b)]);
    assert!(wrong.err().unwrap().to_string().contains("trans is 0, 1 or 2"));
}

fn values_are_those_of_loops(context: &Context) {
    let (rows, columns) = (5, 7);
    let (a, b) = (values(rows * columns, 21), values(rows * columns, 22));
    let (x, y) = (array(context, &[rows, columns], &a), array(context, &[rows, columns], &b));
    let map = |function: Function| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| f64::from(function(*a, *b))).collect() };
    let table: &[(&str, Function)] = &[
        ("2.5*x + sqrt(abs(y))", |a, b| 2.5_f32.mul_add(a, b.abs().sqrt())),
        ("d = x - y; where(d > 0, d, -d)", |a, b| (a - b).abs()),
        ("x // y", |a, b| {
            ((a - (a % b + if a % b != 0.0 && (a % b < 0.0) != (b < 0.0) { b } else { 0.0 })) / b).round()
        }),
        ("x**2 - y", |a, b| a * a - b),
        ("maximum(x, y) * 2", |a, b| a.max(b) * 2.0),
        ("float32((x > 0) & ~(y > 0))", |a, b| f32::from(u8::from(a > 0.0 && b <= 0.0))),
        ("clip(x, -1, 1)", |a, _| a.clamp(-1.0, 1.0)),
        ("-x", |a, _| -a),
    ];
    for (text, function) in table {
        let found = value(context, text, &[("x", &x), ("y", &y)]);
        let expected = map(*function);
        let is_near =
            found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 4.0 * f64::from(f32::EPSILON) * y.abs());
        assert!(is_near && found.len() == expected.len(), "{text}: {found:?} instead of {expected:?}");
    }
    let operands = [("x", &x)];
    assert_eq!(value(context, "x[1:-1, ::-2]", &operands).len(), (rows - 2) * columns.div_ceil(2));
    assert_eq!(value(context, "x[2, 3]", &operands), [f64::from(a[2 * columns + 3])]);
    let largest = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert_eq!(value(context, "max(x)", &operands), [f64::from(largest)]);
    let position = a.iter().position(|x| *x == largest).unwrap();
    assert_eq!(value(context, "argmax(x)", &operands), [position as f64]);
    assert_eq!(value(context, "count_nonzero(x > 0)", &operands), [a.iter().filter(|x| **x > 0.0).count() as f64]);
    assert_eq!(value(context, "arange(3) ** arange(3)", &[]), [1.0, 1.0, 4.0]);
    assert_eq!(value(context, "-7 % arange(1, 4)", &[]), [0.0, 1.0, 2.0]);
    assert_eq!(value(context, "-7 // arange(1, 4)", &[]), [-7.0, -4.0, -3.0]);
}

fn results_stay_expressions(context: &Context) {
    let x = array(context, &[4], &[1.0, 2.0, 3.0, 4.0]);
    let text = Expression::parse("y = x + 1; y * y").unwrap();
    let results = text.apply(context, &[("x", &x)]).unwrap();
    let [(Some(name), y), (None, square)] = &results[..] else { panic!("two results") };
    assert_eq!((name.as_str(), y.shape()[..].to_vec()), ("y", vec![4]));
    AnyArray::evaluate_all(&[y, square]).unwrap();
    assert_eq!(square.to_expr::<f32>().unwrap().to_vec().unwrap(), [4.0, 9.0, 16.0, 25.0]);
    assert!(square.to_expr::<f64>().is_none());
}

fn operand<'a>(name: &'a str, shape: &[usize], strides: &[i64], start: *mut f64) -> HostOperand<'a> {
    let (shape, strides) = (Shape::new(shape).unwrap(), Strides::new(strides).unwrap());
    HostOperand { name, element: ElementType::F64, shape, strides, start: start.cast() }
}

fn run(context: &Context, text: &str, operands: &[HostOperand<'_>]) -> affinimath::Result<()> {
    // SAFETY: the tests' operands describe vectors that outlive the call.
    unsafe { Expression::parse(text)?.run(context, operands) }
}

/// True for the host and devices with double precision.
fn has_doubles(context: &Context) -> bool {
    context.device().is_none_or(|device| device.info().fp64)
}

fn operands_of_the_host_are_written(context: &Context) {
    if !has_doubles(context) {
        return;
    }
    let mut x: Vec<f64> = (0..12).map(f64::from).collect();
    let (mut y, mut z) = (vec![0.0; 12], vec![0.0; 24]);
    let start = x.as_mut_ptr();
    let transposed = operand("x", &[4, 3], &[1, 4], start);
    let every_other = operand("", &[4, 3], &[6, 2], z.as_mut_ptr());
    run(context, "y = 2*x; y + 1", &[transposed, operand("y", &[4, 3], &[3, 1], y.as_mut_ptr()), every_other]).unwrap();
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let element = (i + 4 * j) as f64;
        assert_eq!((y[3 * i + j], z[6 * i + 2 * j], z[6 * i + 2 * j + 1]), (2.0 * element, 2.0 * element + 1.0, 0.0));
    }
    // Without a value of its own a text has the one that it assigned last.
    let result = operand("", &[12], &[1], y.as_mut_ptr());
    run(context, "t = 3*x; x[1:2] = t[1:2]", &[operand("x", &[12], &[1], start), result]).unwrap();
    assert_eq!((x[1], x[2], y[2], y[11]), (3.0, 2.0, 6.0, 33.0));
    run(context, "x[1:2] = 1; 0", &[operand("x", &[12], &[1], start), operand("", &[], &[], z.as_mut_ptr())]).unwrap();
    run(context, "x[1:-1:3] = -1", &[operand("x", &[12], &[1], start)]).unwrap();
    assert_eq!(x, [0.0, -1.0, 2.0, 3.0, -1.0, 5.0, 6.0, -1.0, 8.0, 9.0, -1.0, 11.0]);
    let backward = operand("x", &[12], &[-1], x[11..].as_mut_ptr());
    run(context, "x", &[backward, operand("", &[12], &[1], y.as_mut_ptr())]).unwrap();
    assert_eq!(y[..3], [11.0, -1.0, 9.0]);
    run(context, "sum(x)", &[operand("x", &[12], &[1], x.as_mut_ptr()), operand("", &[], &[], z.as_mut_ptr())])
        .unwrap();
    assert_eq!(z[0], x.iter().sum::<f64>());
}

fn overlapping_operands_mean_what_they_held(context: &Context) {
    if !has_doubles(context) {
        return;
    }
    let mut x: Vec<f64> = (0..1000).map(f64::from).collect();
    let start = x.as_mut_ptr();
    let [front, back] = [0, 1].map(|first| start.wrapping_add(first));
    run(context, "a", &[operand("a", &[999], &[1], front), operand("", &[999], &[1], back)]).unwrap();
    assert_eq!((x[0], x[1], x[999]), (0.0, 0.0, 998.0));
}

/// A text keeps runs for operands of one form: later ones differ in addresses, in form, or overlap.
fn later_runs_have_operands_of_their_own(context: &Context) {
    if !has_doubles(context) {
        return;
    }
    let text = Expression::parse("2*x + y").unwrap();
    // SAFETY: the operands describe vectors that outlive the call.
    let run = |operands: &[HostOperand<'_>]| unsafe { text.run(context, operands) };
    let operands = |x, y, z, stride| {
        [operand("x", &[50], &[stride], x), operand("y", &[50], &[1], y), operand("", &[50], &[1], z)]
    };
    for round in 0..6 {
        let mut x: Vec<f64> = (0..50).map(|i| f64::from(i * round)).collect();
        let (mut y, mut z) = (vec![f64::from(round); 50], vec![f64::NAN; 50]);
        run(&operands(x.as_mut_ptr(), y.as_mut_ptr(), z.as_mut_ptr(), 1)).unwrap();
        assert!((0..50).all(|i| z[i] == 2.0 * x[i] + y[i]), "round {round}");
        run(&operands(x[49..].as_mut_ptr(), y.as_mut_ptr(), z.as_mut_ptr(), -1)).unwrap();
        assert!((0..50).all(|i| z[i] == 2.0 * x[49 - i] + y[i]), "backward, round {round}");
    }
    let mut x: Vec<f64> = (0..101).map(f64::from).collect();
    let mut y = vec![1.0; 50];
    let (before, start) = (x.clone(), x.as_mut_ptr());
    // x and the result share 49 elements.
    run(&operands(start, y.as_mut_ptr(), start.wrapping_add(1), 1)).unwrap();
    assert!((0..50).all(|i| x[i + 1] == 2.0 * before[i] + 1.0) && x[51..] == before[51..]);
    run(&operands(start, start, start.wrapping_add(50), 1)).unwrap();
    assert!((0..50).all(|i| x[i + 50] == 3.0 * x[i]));
    for wrong in [std::ptr::null_mut(), y.as_mut_ptr().cast::<u8>().wrapping_add(4).cast()] {
        let error = run(&operands(wrong, y.as_mut_ptr(), start, 1)).unwrap_err().to_string();
        assert!(error.contains("null or not aligned"), "{error}");
    }
    // Another order of the operands, and another name, are other runs.
    let [a, b, c] = operands(start, y.as_mut_ptr(), start.wrapping_add(50), 1);
    run(&[c, b, a]).unwrap();
    assert!((0..50).all(|i| x[i + 50] == 2.0 * x[i] + 1.0));
    assert!(run(&[HostOperand { name: "w", ..a }, b, c]).is_err());
}

fn what_does_not_fit_is_an_error_and_changes_nothing(context: &Context) {
    if !has_doubles(context) {
        return;
    }
    let (mut x, mut y) = (vec![1.0; 6], vec![7.0; 4]);
    let (a, b) = (x.as_mut_ptr(), y.as_mut_ptr());
    let operands = [operand("x", &[6], &[1], a), operand("", &[4], &[1], b)];
    for (text, reason) in [
        ("x + 1", "does not broadcast"),
        ("x, x", "has 2 values"),
        ("x + w", "no operand is called \"w\""),
        ("x[9]", "index 9 is outside"),
    ] {
        let error = run(context, text, &operands).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    let error = run(context, "x", &operands[..1]).unwrap_err().to_string();
    assert!(error.contains("receives the value"), "{error}");
    let other = HostOperand { element: ElementType::F32, ..operand("y", &[2], &[1], a) };
    assert!(run(context, "x + y", &[operands[0], other]).unwrap_err().to_string().contains("overlap"));
    assert_eq!((x, y), (vec![1.0; 6], vec![7.0; 4]));
}

fn numbers_take_the_types_of_arrays(context: &Context) {
    let x = array(context, &[3], &[1.0, 2.0, 4.0]);
    let text = Expression::parse("n*x").unwrap().with_number("n", "-pi/4").unwrap();
    assert_eq!(text.names(), ["x"]);
    let results = text.apply(context, &[("x", &x)]).unwrap();
    let expected = [1.0, 2.0, 4.0].map(|x| -std::f32::consts::FRAC_PI_4 * x);
    assert_eq!(results[0].1.to_expr::<f32>().unwrap().to_vec().unwrap(), expected);
}

fn arrays_are_printed_and_explained(context: &Context) {
    let x = array(context, &[2, 2], &[1.0, 2.5, -3.0, 0.25]);
    assert_eq!(x.to_text().unwrap(), "[[ 1.    2.5 ]\n [-3.    0.25]]");
    let text = Expression::parse("y = x + 1; sum(y)").unwrap();
    let results = text.apply(context, &[("x", &x)]).unwrap();
    let arrays: Vec<&AnyArray> = results.iter().map(|(_, array)| array).collect();
    let plan = AnyArray::explain_all(&arrays).unwrap();
    assert!(plan.contains("output 0: f32 [2, 2]") && plan.contains("output 1: f32 []"), "{plan}");
    assert_eq!(results[1].1.to_text().unwrap(), "4.75");
    // Memory of the host that no context has is an operand like others.
    let of_host = affinimath::array::from_vec(3, vec![1_i64, 2, 3]);
    let of_host = AnyArray::new(context, of_host.node().clone()).unwrap();
    assert_eq!(of_host.to_text().unwrap(), "[1 2 3]");
}

/// Elements of a memory object, from the one with this index on.
fn on_device<'a>(
    name: &'a str,
    shape: &[usize],
    strides: &[i64],
    (memory, offset): (&'a DeviceBuffer, usize),
) -> DeviceOperand<'a> {
    let (shape, strides) = (Shape::new(shape).unwrap(), Strides::new(strides).unwrap());
    DeviceOperand { name, element: ElementType::F32, shape, strides, memory: Some(memory), offset }
}

fn operands_of_a_device_are_written_in_the_queue_s_order(context: &Context) {
    let Some(queue) = context.own_queue().unwrap() else { return };
    let (x, y) = (values(1000, 31), vec![-7.0_f32; 1002]);
    let (from, to) = (context.upload(&x).unwrap(), context.upload(&y).unwrap());
    let (from_view, to_view) = (from.vector().unwrap(), to.vector().unwrap());
    let (from_memory, to_memory) = (from_view.device_memory().unwrap(), to_view.device_memory().unwrap());
    let operands = [on_device("x", &[1000], &[-1], (from_memory, 999)), on_device("", &[1000], &[1], (to_memory, 1))];
    Expression::parse("2*x + 1").unwrap().run_on(&queue, &operands).unwrap().wait().unwrap();
    let found = to.download().unwrap();
    assert!(x.iter().rev().zip(&found[1..]).all(|(x, found)| 2.0_f32.mul_add(*x, 1.0) == *found));
    assert_eq!((found[0], found[1001]), (-7.0, -7.0));
    let shifted = [on_device("x", &[999], &[1], (from_memory, 0)), on_device("x1", &[999], &[1], (from_memory, 1))];
    Expression::parse("x1 = x").unwrap().run_on(&queue, &shifted).unwrap().wait().unwrap();
    assert_eq!(from.download().unwrap(), [&x[..1], &x[..999]].concat());
    let too_long = [on_device("", &[1000], &[1], (from_memory, 1))];
    let error = Expression::parse("0").unwrap().run_on(&queue, &too_long).unwrap_err();
    assert!(matches!(error, affinimath::Error::ViewTooLarge { needed: 1001, available: 1000, .. }), "{error}");
    let other = DeviceOperand { element: ElementType::I32, ..operands[0] };
    let both = [on_device("", &[1000], &[1], (from_memory, 0)), other];
    let error = Expression::parse("x").unwrap().run_on(&queue, &both).unwrap_err().to_string();
    assert!(error.contains("have the same type"), "{error}");
}
