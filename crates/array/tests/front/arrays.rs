//! Arrays: memory, evaluation, assignment.

use crate::eager::{Eager, array};
use affinimath_array::executor::sole_memories;
use affinimath_array::{Array, Expr, NewAxis, Op, Shape, Strides, eval, eval_on, from_vec, iota, ones, s, uniform};
use affinimath_core::{Error, Layout, error::status};
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[test]
fn an_array_gives_back_its_elements() {
    let context = Eager::new(1);
    let x = array(&context, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((x.shape().to_vec(), x.rank(), x.len(), x.is_contiguous()), (vec![2, 3], 2, 6, true));
    assert_eq!(x.t().to_vec().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let y = Array::from_slice_in(&context, Layout::ColumnMajor, [2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1, 3, 5, 2, 4, 6]);
    assert!(!y.is_contiguous() && y.strides()[..] == [1, 2]);
    assert_eq!(Array::full(&context, [2], true).unwrap().to_vec().unwrap(), [true, true]);
    assert_eq!(Array::<u8>::zeros(&context, 0).unwrap().to_vec().unwrap(), [0u8; 0]);
    assert_eq!(Array::<i64>::ones(&context, []).unwrap().value().unwrap(), 1);
    assert_eq!(Array::linspace(&context, 0.0f32, 1.0, 3).unwrap().to_vec().unwrap(), [0.0, 0.5, 1.0]);
    let error = Array::from_slice(&context, [2, 2], &[1.0]).unwrap_err();
    assert!(error.to_string().contains("1 elements are given for shape [2, 2]"), "{error}");
    let error = x.value().unwrap_err();
    assert!(error.to_string().contains("6 elements"), "{error}");
}

#[test]
fn memory_is_viewed_with_any_strides() {
    let context = Eager::new(1);
    let x = array(&context, &[6], &[0, 1, 2, 3, 4, 5]);
    let storage = x.leaf().storage.clone();
    let shape = Shape::new(&[2, 2]).unwrap();
    let view = |offset, strides: &[i64]| {
        Array::<i32>::from_storage(storage.clone(), offset, shape, Strides::new(strides).unwrap())
    };
    assert_eq!(view(5, &[-3, -1]).unwrap().to_vec().unwrap(), [5, 4, 2, 1]);
    assert!(view(3, &[2, 1]).is_err());
    assert!(Array::<f32>::from_storage(storage.clone(), 0, shape, Strides::row_major(&shape)).is_err());
}

#[test]
fn several_outputs_are_one_evaluation() {
    let context = Eager::new(1);
    let x = array(&context, &[3], &[1.0, 4.0, 9.0]);
    let root = x.sqrt();
    let (a, b, c) = eval((&root, &root + 1.0, root.gt(1.5))).unwrap();
    assert_eq!(context.evaluations.load(Ordering::Relaxed), 1);
    assert_eq!(a.to_vec().unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(b.to_vec().unwrap(), [2.0, 3.0, 4.0]);
    assert_eq!(c.to_vec().unwrap(), [false, true, true]);
    let list = eval(vec![&root * 2.0, &root * 3.0]).unwrap();
    assert_eq!(list[1].to_vec().unwrap(), [3.0, 6.0, 9.0]);
    let [y] = eval([&root]).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn an_array_is_its_own_evaluation() {
    let context = Eager::new(1);
    let x = array(&context, &[3], &[1.0, 4.0, 9.0]);
    let y = x.at(s![1..]).eval().unwrap();
    assert_eq!(context.evaluations.load(Ordering::Relaxed), 0);
    assert_eq!(y.leaf().id(), x.leaf().id());
}

#[test]
fn generated_elements_need_a_context() {
    let context = Eager::new(1);
    let e = uniform::<f64>(1, [3]) * 2.0;
    let error = e.eval().unwrap_err();
    assert!(error.to_string().contains("eval_on"), "{error}");
    assert_eq!(e.eval_on(&context).unwrap().len(), 3);
    let (a, b) = eval_on(&context, (&e, from_vec(2, vec![1, 2]))).unwrap();
    assert_eq!((a.len(), b.to_vec().unwrap()), (3, vec![1, 2]));
}

#[test]
fn contexts_do_not_mix_without_a_copy() {
    let (one, two) = (Eager::new(1), Eager::new(2));
    let (x, y) = (array(&one, &[2], &[1.0, 2.0]), array(&two, &[2], &[3.0, 4.0]));
    assert_eq!((&x + &y).eval().unwrap_err().status(), status::MIXED_MEMORY);
    assert_eq!(eval((&x, &y)).unwrap_err().status(), status::MIXED_MEMORY);
    assert_eq!(x.exp().eval_on(&two).unwrap_err().status(), status::MIXED_MEMORY);
    assert_eq!((&x.to(&two).unwrap() + &y).to_vec().unwrap(), [4.0, 6.0]);
    let mut z = y.clone();
    assert_eq!(z.assign(&x).unwrap_err().status(), status::MIXED_MEMORY);
}

#[test]
fn an_error_comes_out_of_the_evaluation() {
    let context = Eager::new(1);
    let x = array(&context, &[2], &[1.0, 2.0]);
    let line = line!() + 1;
    let e = (&x + ones([3])).exp();
    let error = e.eval().unwrap_err();
    assert_eq!(error.status(), status::SHAPE_MISMATCH);
    assert!(error.to_string().contains(&format!("arrays.rs:{line}:")), "{error}");
    assert!(matches!(x.index(from_vec(1, vec![2])).eval(), Err(Error::InvalidArgument { name: "index", .. })));
}

#[test]
fn an_assignment_reads_what_was_held_before() {
    let context = Eager::new(1);
    let mut u = array(&context, &[5], &[0.0, 1.0, 4.0, 9.0, 16.0]);
    let value = u.at(s![..-2]) - 2.0 * u.at(s![1..-1]) + u.at(s![2..]);
    u.at_mut(s![1..-1]).assign(value).unwrap();
    assert_eq!(u.to_vec().unwrap(), [0.0, 2.0, 2.0, 2.0, 16.0]);
    let value = u.at(s![1..]).at(s![NewAxis, ..]).reshape(4).square().at(s![..1]).sqrt();
    u.assign_at(s![..;-1], value).unwrap();
    assert_eq!(u.to_vec().unwrap(), [2.0; 5]);
    u.assign_at(s![1..], u.at(s![..-1]) + iota(4).cast::<f64>()).unwrap();
    u.assign_at(s![..;-1], u.at(s![..])).unwrap();
    assert_eq!(u.to_vec().unwrap(), [5.0, 4.0, 3.0, 2.0, 2.0]);
    u.at_mut(s![-1]).assign(7.0).unwrap();
    u.at_mut(s![0..2]).assign(from_vec(1, vec![5.0])).unwrap();
    assert_eq!(u.to_vec().unwrap(), [5.0, 5.0, 3.0, 2.0, 7.0]);
    u.assign(0.5).unwrap();
    assert_eq!(u.to_vec().unwrap(), [0.5; 5]);
    // All were made in place.
    assert_eq!(context.evaluations.load(Ordering::Relaxed), 0);
}

#[test]
fn an_assignment_copies_what_others_hold() {
    let context = Eager::new(1);
    let mut u = array(&context, &[3], &[1, 2, 3]);
    let memory = u.leaf().id();
    let (other, pending) = (u.clone(), &u * 10);
    u.at_mut(s![0]).assign(9).unwrap();
    assert_ne!(u.leaf().id(), memory);
    assert_eq!(u.to_vec().unwrap(), [9, 2, 3]);
    assert_eq!(other.to_vec().unwrap(), [1, 2, 3]);
    assert_eq!(pending.to_vec().unwrap(), [10, 20, 30]);
    // A part of the value that somebody else holds is a pending expression too.
    let part = &u + 1;
    let memory = u.leaf().id();
    u.assign(&part * &part).unwrap();
    assert_ne!(u.leaf().id(), memory);
    assert_eq!((u.to_vec().unwrap(), part.to_vec().unwrap()), (vec![100, 9, 16], vec![10, 3, 4]));
    drop(part);
    // So is a method's operand, until the end of the statement that calls it.
    let memory = u.leaf().id();
    u.assign(u.reverse(0).square()).unwrap();
    assert_ne!(u.leaf().id(), memory);
    u.assign(from_vec(3, vec![100, 9, 16])).unwrap();
    // One that reads other memory is not.
    let part = from_vec(3, vec![1, 1, 1]) + 1;
    let memory = u.leaf().id();
    u.assign(u.reverse(0) * &part + u.reverse(0)).unwrap();
    assert_eq!(u.leaf().id(), memory);
    assert_eq!(u.to_vec().unwrap(), [48, 27, 300]);
}

#[test]
fn memory_is_alone_if_only_the_expressions_hold_it() {
    let context = Eager::new(1);
    let new = || array(&context, &[3], &[1, 2, 3]);
    let is_alone = |expr: &Expr<i32>, memory| sole_memories([expr.node()]).contains(&memory);
    let (x, y) = (new(), new());
    let (a, b) = (x.leaf().id(), y.leaf().id());
    let sum = x.reverse(0) * &x + &y;
    assert!(!is_alone(&sum, a), "an array");
    drop(x);
    assert!(is_alone(&sum, a) && !is_alone(&sum, b));
    let part = sum.node().operands()[0].clone();
    assert!(!is_alone(&sum, a), "a part of the expression");
    drop((part, y));
    assert!(is_alone(&sum, a) && is_alone(&sum, b));
    let other = sum.clone();
    assert!(sole_memories([sum.node()]).is_empty(), "the expression itself");
    drop(other);
    let pending = &sum + 1;
    assert!(sole_memories([sum.node()]).is_empty());
    assert_eq!(sole_memories([sum.node(), pending.node()]).len(), 2);
    drop(pending);
    let Op::Leaf(leaf) = sum.node().operands()[1].op() else { panic!() };
    let observer = Arc::downgrade(&leaf.storage);
    assert!(!is_alone(&sum, b), "one who may become a holder");
    drop(observer);
    assert_eq!(sum.into_array().unwrap().to_vec().unwrap(), [4, 6, 6]);
    // The array of an array's expression is that array.
    let x = new();
    let (memory, expr) = (x.leaf().id(), x.reshape([3]));
    drop(x);
    assert_eq!(expr.into_array().unwrap().leaf().id(), memory);
}

#[test]
fn elements_that_share_memory_are_copied_before_an_assignment() {
    let context = Eager::new(1);
    let x = array(&context, &[1], &[3]);
    let shape = Shape::new(&[4]).unwrap();
    let mut u = Array::<i32>::from_storage(x.leaf().storage.clone(), 0, shape, Strides::new(&[0]).unwrap()).unwrap();
    drop(x);
    u.at_mut(s![1]).assign(8).unwrap();
    assert_eq!(u.to_vec().unwrap(), [3, 8, 3, 3]);
}

#[test]
fn bad_assignments_change_nothing() {
    let context = Eager::new(1);
    let mut u = array(&context, &[2, 3], &[0i64; 6]);
    assert_eq!(u.at_mut(s![0]).assign(iota(2)).unwrap_err().status(), status::SHAPE_MISMATCH);
    assert_eq!(u.at_mut(s![0]).assign(iota([2, 3])).unwrap_err().status(), status::SHAPE_MISMATCH);
    assert!(u.at_mut(s![2]).assign(1).is_err());
    assert!(u.assign(iota(3).at(s![3])).is_err());
    u.at_mut(s![2..]).assign(1).unwrap();
    assert_eq!(u.to_vec().unwrap(), [0; 6]);
    assert_eq!(context.assignments.load(Ordering::Relaxed), 0);
}

#[test]
fn arrays_print_their_elements() {
    let context = Eager::new(1);
    let x = array(&context, &[2, 2], &[1.0, 2.5, -3.0, 0.25]);
    assert_eq!(x.to_string(), "[[ 1.    2.5 ]\n [-3.    0.25]]");
    assert_eq!(format!("{x:?}"), "Array(f64 [2, 2], strides [2, 1])");
    let large = iota([40, 50]).eval_on(&context).unwrap();
    let expected = "\
[[   0    1    2 ...   47   48   49]
 [  50   51   52 ...   97   98   99]
 [ 100  101  102 ...  147  148  149]
 ...
 [1850 1851 1852 ... 1897 1898 1899]
 [1900 1901 1902 ... 1947 1948 1949]
 [1950 1951 1952 ... 1997 1998 1999]]";
    assert_eq!(large.to_string(), expected);
}
