//! Errors come out of `eval` with the caller's line, and change nothing.

use affinimath::Context;
use affinimath::array::{self, Array, s};
use affinimath_core::error::status;

pub fn check(context: &Context) {
    shapes_and_axes_are_named_with_the_line(context);
    a_failed_assignment_changes_nothing(context);
    expressions_without_memory_need_a_context(context);
    arrays_that_nobody_has_memory_for_are_errors(context);
}

/// The error of an evaluation names this file and the line.
#[track_caller]
fn assert_names_line(error: &affinimath::Error, line: u32) {
    let text = error.to_string();
    assert!(text.contains(&format!("failures.rs:{line}:")), "line {line}: {text}");
}

fn shapes_and_axes_are_named_with_the_line(context: &Context) {
    let (x, y) = (Array::<f32>::ones(context, [2, 3]).unwrap(), Array::<f32>::ones(context, [4]).unwrap());
    let (sum, line) = (&x + &y, line!());
    let later = (2.0 * sum).exp().sum(..);
    assert_names_line(&later.eval().unwrap_err(), line);
    assert_names_line(&later.value().unwrap_err(), line);
    assert_names_line(&array::eval((&x, &later)).unwrap_err(), line);
    let (reduced, line) = (x.max(2), line!());
    assert_names_line(&reduced.to_vec().unwrap_err(), line);
    let (sliced, line) = (x.at(s![5]), line!());
    assert_names_line(&sliced.eval().unwrap_err(), line);
    let (product, line) = (x.matmul(&y), line!());
    assert_names_line(&product.eval().unwrap_err(), line);
    let (shaped, line) = (x.reshape([7]), line!());
    assert_names_line(&shaped.eval_on(context).unwrap_err(), line);
    assert!(x.value().unwrap_err().to_string().contains("6 elements"));
}

fn a_failed_assignment_changes_nothing(context: &Context) {
    let mut x = Array::<i32>::from_slice(context, [4], &[1, 2, 3, 4]).unwrap();
    let index = Array::<i64>::from_slice(context, [4], &[0, 1, 2, 4]).unwrap();
    let out_of_range = x.index(&index);
    assert!(x.at_mut(s![..]).assign(out_of_range).is_err());
    let wrong = Array::<i32>::zeros(context, [3]).unwrap();
    assert!(x.at_mut(s![..]).assign(&wrong).is_err());
    assert!(x.at_mut(s![7]).assign(5).is_err());
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3, 4]);
    x.at_mut(s![1..3]).assign(9).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1, 9, 9, 4]);
}

fn expressions_without_memory_need_a_context(context: &Context) {
    let generated = array::iota([3]) + 1;
    assert!(generated.eval().unwrap_err().to_string().contains("eval_on"));
    assert_eq!(generated.eval_on(context).unwrap().to_vec().unwrap(), [1, 2, 3]);
}

fn arrays_that_nobody_has_memory_for_are_errors(context: &Context) {
    let x = Array::<u8>::ones(context, [1]).unwrap();
    let large = x.broadcast_to([1 << 46]) + 1;
    let error = large.eval().unwrap_err();
    let is_memory = [status::OUT_OF_HOST_MEMORY, status::OUT_OF_DEVICE_MEMORY].contains(&error.status());
    assert!(is_memory, "{error}");
    // The context works on.
    assert_eq!((&x + 1).to_vec().unwrap(), [2]);
}

/// Arrays of two contexts in one expression.
pub fn operands_of_two_contexts_are_an_error(context: &Context, other: &Context) {
    let (x, y) = (Array::<f32>::ones(context, [3]).unwrap(), Array::<f32>::ones(other, [3]).unwrap());
    let (sum, line) = (&x + &y, line!());
    let error = sum.eval().unwrap_err();
    assert_eq!(error.status(), status::MIXED_MEMORY);
    assert_names_line(&error, line);
    assert_eq!(array::eval((&x + 1.0, &y + 1.0)).unwrap_err().status(), status::MIXED_MEMORY);
    assert_eq!(x.eval_on(other).map(|_| ()).unwrap_err().status(), status::MIXED_MEMORY);
    assert_eq!((&x + &y.to(context).unwrap()).to_vec().unwrap(), [2.0; 3]);
}

/// Under `AFFINIMATH_ARRAY=eager`.
pub fn each_operation_is_a_step(context: &Context) {
    let x = Array::<f32>::ones(context, [10]).unwrap();
    let plan = (2.5 * &x + x.abs().sqrt()).explain();
    assert!(plan.lines().any(|line| line.starts_with("3 steps:")), "abs, sqrt and fma:\n{plan}");
}

/// Under a setting that is not understood.
pub fn the_setting_is_an_error(context: &Context) {
    let x = Array::<f32>::from_slice(context, [2], &[1.0, 2.0]).unwrap();
    for _ in 0..2 {
        let error = (&x + 1.0).eval().unwrap_err();
        assert_eq!(error.status(), status::INVALID_SETTING);
        assert!(error.to_string().contains("AFFINIMATH_ARRAY='lazy'"), "{error}");
    }
}
