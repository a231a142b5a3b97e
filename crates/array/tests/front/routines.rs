//! Routines: outputs, sharing of one call, shapes, errors.

use crate::eager::values;
use affinimath_array::build::routine;
use affinimath_array::library::{LibraryCall, MatrixProperties, MatrixStructure};
use affinimath_array::node::Routine;
use affinimath_array::plan::Output;
use affinimath_array::{
    ElementType, ErrorKind, Expr, IntoExpr, Limits, Node, Op, Plan, PlanCache, Shape, System, eval, from_vec, iota,
    ones, solve, zeros,
};
use affinimath_core::{Complex64, Diag, Triangle};
use std::sync::Arc;

/// Eigenvalues and eigenvectors of a square matrix.
struct Eigen;

impl Routine for Eigen {
    fn name(&self) -> &'static str {
        "eigen"
    }

    fn hash_parameters(&self, _: &mut dyn std::hash::Hasher) {}

    fn outputs(&self, inputs: &[(ElementType, Shape)]) -> Result<Vec<(ElementType, Shape)>, ErrorKind> {
        let (element, shape) = inputs[0];
        if shape.rank() != 2 || shape[0] != shape[1] {
            return Err(ErrorKind::Argument { operation: "eigen", reason: "the matrix is not square".into() });
        }
        Ok(vec![(element, Shape::new(&shape[..1])?), (element, shape)])
    }
}

#[test]
fn outputs_have_their_shapes_and_share_one_call() {
    let a = ones::<f64>([3, 3]).exp();
    let call: Arc<dyn Routine> = Arc::new(Eigen);
    let outputs = routine(call.clone(), &[a.node().clone()], ElementType::F64);
    let shapes: Vec<Vec<usize>> = outputs.iter().map(|node| node.shape().to_vec()).collect();
    assert_eq!(shapes, [vec![3], vec![3, 3]]);
    for (index, node) in outputs.iter().enumerate() {
        let Op::Routine { routine, output } = node.op() else { panic!("{node:?}") };
        assert!(Arc::ptr_eq(routine, &call));
        assert_eq!((*output, node.operands()[0].id()), (index, a.node().id()));
    }
    assert_ne!(outputs[0].hash(), outputs[1].hash());
    let again = routine(call, &[a.node().clone()], ElementType::F64);
    assert!(outputs[0].is_same_operation(&again[0]));
}

#[test]
fn errors_of_operands_and_of_the_routine_become_those_of_outputs() {
    let wrong = routine(Arc::new(Eigen), &[ones::<f64>([3, 4]).node().clone()], ElementType::F64);
    assert_eq!(wrong.len(), 1);
    let error = wrong[0].error().unwrap();
    assert!(error.location.file().ends_with("routines.rs"), "{error}");
    assert!(error.to_string().contains("not square"), "{error}");
    let failed: Node = ones::<f64>([3, 3]).sum(5).node().clone();
    let outputs = routine(Arc::new(Eigen), std::slice::from_ref(&failed), ElementType::F64);
    assert!(matches!(outputs[0].error().unwrap().kind, ErrorKind::Axis { axis: 5, .. }));
}

#[test]
fn routines_are_one_by_name_and_parameters() {
    let (a, b) = (ones::<f64>([3, 3]).exp(), ones::<f64>([3]));
    let (first, again) = (solve(&a, &b), solve(&a, &b));
    assert_eq!(first.node().hash(), again.node().hash());
    let lower = solve(a.triangular(Triangle::Lower, Diag::NonUnit), &b);
    let unit = solve(a.triangular(Triangle::Lower, Diag::Unit), &b);
    assert_ne!(lower.node().hash(), unit.node().hash());
    assert_ne!(lower.node().hash(), first.node().hash());
}

fn plan(cache: &mut PlanCache, outputs: &[Node]) -> String {
    let outputs: Vec<_> = outputs.iter().map(|node| Output { node: node.clone(), target: None }).collect();
    let (plan, bindings) = cache.plan(&outputs, |_| false).unwrap();
    let lines: Vec<_> = bindings.calls.iter().map(|location| location.file()).collect();
    assert!(!lines.is_empty() && lines.iter().all(|file| file.ends_with("routines.rs")), "{lines:?}");
    plan.explain()
}

#[test]
fn a_repeated_call_finds_its_plan() {
    let mut cache = PlanCache::new(Limits::default(), 8);
    for seed in [1.0, 2.0] {
        let a = from_vec([2, 2], vec![seed, 1.0, 0.0, seed]);
        let text = plan(&mut cache, &[(solve(&a, ones([2])) * 2.0).sum(..).node().clone()]);
        assert!(text.contains("solve of operand 0 (f64 [2, 2]), "), "{text}");
    }
    assert_eq!(cache.len(), 1);
    let a = from_vec([2, 2], vec![1.0, 1.0, 0.0, 1.0]);
    plan(&mut cache, &[(solve(a.positive_definite(Triangle::Lower), ones([2])) * 2.0).sum(..).node().clone()]);
    assert_eq!(cache.len(), 2);
}

#[test]
fn outputs_of_equal_routines_are_one_call() {
    let a = from_vec([3, 3], vec![4.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 2.0]);
    let ((p, l, u), det) = (a.lu(), a.det());
    let mut cache = PlanCache::new(Limits::default(), 8);
    let nodes = [p.node(), l.node(), u.node(), det.node()].map(Node::clone);
    let text = plan(&mut cache, &nodes);
    assert_eq!(text.matches("lu of operand 0").count(), 1, "{text}");
    // The factors and the sign are temporaries; the rows are an array.
    assert!(text.contains("to array 0 (i64 [3]), temporary 0 (f64 [3, 3]), temporary 1 (f64 [])"), "{text}");
}

fn shape_of<T: affinimath_array::Element>(expr: &Expr<T>) -> Vec<usize> {
    assert!(expr.error().is_none(), "{expr:?}");
    expr.shape().to_vec()
}

#[test]
fn solutions_have_the_columns_shape() {
    let a = ones::<f64>([3, 3]);
    assert_eq!(shape_of(&solve(&a, ones([3]))), [3]);
    assert_eq!(shape_of(&solve(&a, ones([3, 2]))), [3, 2]);
    assert_eq!(shape_of(&solve(&a, ones([5, 4, 3, 2]))), [5, 4, 3, 2]);
    assert_eq!(shape_of(&solve(ones::<f64>([4, 3, 3]), ones([5, 1, 3, 2]))), [5, 4, 3, 2]);
    assert_eq!(shape_of(&solve(ones::<f64>([4, 5, 3]), ones([5]))), [4, 3]);
    assert_eq!(shape_of(&solve(ones::<f64>([3, 5]), ones([3, 2]))), [5, 2]);
    assert_eq!(shape_of(&solve(a.diagonal(), ones([7, 3, 2]))), [7, 3, 2]);
    assert_eq!(shape_of(&solve(zeros::<f64>([0, 0]), ones([0]))), [0]);
}

#[test]
fn factors_have_their_shapes() {
    for (m, n) in [(4, 3), (3, 4), (3, 3), (0, 2), (2, 0)] {
        let a = ones::<Complex64>([2, m, n]);
        let ((p, l, u), (q, r), k) = (a.lu(), a.qr(), m.min(n));
        assert_eq!(shape_of(&p), [2, m]);
        assert_eq!((shape_of(&l), shape_of(&u)), (vec![2, m, k], vec![2, k, n]));
        assert_eq!((shape_of(&q), shape_of(&r)), (vec![2, m, k], vec![2, k, n]));
    }
    assert_eq!(shape_of(&ones::<f32>([5, 3, 3]).det()), [5]);
    assert_eq!(shape_of(&ones::<f32>([3, 3]).cholesky(Triangle::Upper)), [3, 3]);
    assert_eq!(shape_of(&ones::<f32>([5, 3, 3]).inverse()), [5, 3, 3]);
    let (w, z) = ones::<Complex64>([5, 3, 3]).eigh(Triangle::Lower);
    assert_eq!((shape_of(&w), shape_of(&z)), (vec![5, 3], vec![5, 3, 3]));
    assert_eq!(w.node().element(), ElementType::F64);
    assert_eq!(shape_of(&ones::<Complex64>([3, 3]).eigvalsh(Triangle::Upper)), [3]);
    for (m, n) in [(4, 3), (3, 4), (0, 2), (2, 0)] {
        let a = ones::<f32>([2, m, n]);
        let ((u, s, vh), k) = (a.svd(false), m.min(n));
        assert_eq!((shape_of(&u), shape_of(&s), shape_of(&vh)), (vec![2, m, k], vec![2, k], vec![2, k, n]));
        let (u, _, vh) = a.svd(true);
        assert_eq!((shape_of(&u), shape_of(&vh), shape_of(&a.svdvals())), (vec![2, m, m], vec![2, n, n], vec![2, k]));
    }
}

#[test]
fn factors_know_their_structure() {
    let (_, l, u) = ones::<f64>([3, 3]).lu();
    for (factor, expected) in [
        (&l, MatrixStructure::Triangular(Triangle::Lower, Diag::Unit)),
        (&u, MatrixStructure::Triangular(Triangle::Upper, Diag::NonUnit)),
    ] {
        let x = solve(factor, ones([3, 1]));
        let Op::Routine { routine, .. } = x.node().op() else { panic!("{x:?}") };
        let call: &dyn std::any::Any = &**routine;
        assert_eq!(call.downcast_ref(), Some(&LibraryCall::Solve(expected.into())));
    }
}

#[test]
fn structured_matrices_have_zeros_elsewhere() {
    let a = iota([4, 4]) + 1;
    let a: Expr<f64> = a.cast();
    let expected = |keep: fn(i64, i64) -> bool| -> Vec<f64> {
        (0..16).map(|k| if keep(k / 4, k % 4) { (k + 1) as f64 } else { 0.0 }).collect()
    };
    assert_eq!(values(&a.banded(2, 0)), expected(|i, j| (0..=2).contains(&(i - j))));
    assert_eq!(values(&a.banded(0, 1)), expected(|i, j| (0..=1).contains(&(j - i))));
    assert_eq!(values(&a.banded(usize::MAX, 9)), expected(|_, _| true));
    assert_eq!(values(&a.tridiagonal()), expected(|i, j| (i - j).abs() <= 1));
    assert_eq!(values(&a.general()), expected(|_, _| true));
    assert!(message(&solve(ones::<f64>([3, 4]).banded(1, 1), ones([3]))).contains("3 x 4, and not square"));
    assert!(message(&solve(ones::<f64>([3, 4]).tridiagonal(), ones([3]))).contains("not square"));
    assert!(message(&solve(ones::<f64>([3, 4]).general(), ones([3]))).contains("not square"));
}

#[test]
fn a_system_has_a_report_beside_its_solution() {
    let system = System::new(ones::<f64>([5, 3, 3]).banded(1, 1), ones([3, 2]));
    assert_eq!(shape_of(&system.solution()), [5, 3, 2]);
    assert_eq!(shape_of(&system.clone().mixed(true).solution()), [5, 3, 2]);
    assert_ne!(system.solution().node().hash(), system.mixed(true).solution().node().hash());
}

/// The properties of matrices, by the evaluation of their expression.
fn properties<T: affinimath_array::Element>(a: &Expr<T>) -> MatrixProperties {
    let words = values(&Expr::<i64>::from_node(MatrixProperties::expression(a.node())));
    MatrixProperties::from_words(words.try_into().unwrap())
}

#[test]
fn properties_of_values_are_found() {
    let a: Expr<f64> = (iota([6, 6]) + 1).cast();
    let dense = properties(&a);
    let expected =
        MatrixProperties { lower: 5, upper: 5, is_symmetric: false, is_hermitian: false, has_positive_diagonal: true };
    assert_eq!(dense, expected);
    assert_eq!(properties(&a.banded(2, 1)), MatrixProperties { lower: 2, upper: 1, ..expected });
    assert_eq!(properties(&a.banded(0, 3)), MatrixProperties { lower: 0, upper: 3, ..expected });
    let symmetric = MatrixProperties { is_symmetric: true, is_hermitian: true, ..expected };
    assert_eq!(properties(&a.symmetric(Triangle::Upper)), symmetric);
    assert_eq!(
        properties(&-a.symmetric(Triangle::Upper).into_expr()),
        MatrixProperties { has_positive_diagonal: false, ..symmetric }
    );
    assert_eq!(properties(&a.diagonal()), MatrixProperties { lower: 0, upper: 0, ..symmetric });
    // Of a batch, those that hold for all; a NaN equals nothing.
    let batch = affinimath_array::stack(0, [&a.banded(1, 0).into_expr(), &a.banded(0, 2).into_expr()]);
    assert_eq!(properties(&batch), MatrixProperties { lower: 1, upper: 2, ..expected });
    let one: Expr<f64> = ones([1, 1]);
    assert_eq!(properties(&one), MatrixProperties { lower: 0, upper: 0, ..symmetric });
    assert!(!properties(&(one * f64::NAN)).is_symmetric);
}

#[test]
fn properties_are_one_reduction() {
    let a = from_vec([64, 64], vec![1.0; 4096]);
    let outputs = [Output { node: MatrixProperties::expression(a.node()), target: None }];
    let text = Plan::new(&outputs, &Limits::default()).unwrap().0.explain();
    assert!(text.contains("1 steps") && text.contains("kernel over rows [], each of [64, 64]"), "{text}");
}

#[test]
fn transforms_have_their_shapes() {
    let x = ones::<f64>([2, 3, 4, 5, 6]);
    assert_eq!(shape_of(&x.fft()), [2, 3, 4, 5, 6]);
    assert_eq!(shape_of(&x.fft_axes(..)), [2, 3, 4, 5, 6]);
    assert_eq!(shape_of(&x.rfft()), [2, 3, 4, 5, 4]);
    assert_eq!(shape_of(&x.rfft_axes([0, 2])), [2, 3, 3, 5, 6]);
    assert_eq!(shape_of(&x.rfft_axes(..)), [2, 3, 4, 5, 4]);
    assert_eq!(shape_of(&x.rfft_axes(..).irfft_axes(.., 6)), [2, 3, 4, 5, 6]);
    assert_eq!(shape_of(&x.rfft().irfft(7)), [2, 3, 4, 5, 7]);
    assert_eq!(shape_of(&ones::<f64>([0, 3]).fft()), [0, 3]);
}

fn message<T: affinimath_array::Element>(expr: &Expr<T>) -> String {
    let error = expr.error().unwrap_or_else(|| panic!("{expr:?} is legal"));
    assert!(error.location.file().ends_with("routines.rs"), "{error}");
    error.to_string()
}

#[test]
fn what_is_not_legal_is_an_error_of_the_callers_line() {
    let a = ones::<f64>([3, 4]);
    assert!(message(&solve(&a, ones([4]))).contains("[3, 4] and [4]"));
    assert!(message(&solve(ones::<f64>([3]), ones([3]))).contains("[3]"));
    assert!(message(&solve(ones::<f64>([3, 3]), 1.0)).contains("columns"));
    assert!(message(&solve(ones::<f64>([2, 3, 3]), ones([4, 3, 1]))).contains("broadcast"));
    assert!(message(&solve(a.positive_definite(Triangle::Lower), ones([3]))).contains("3 x 4, and not square"));
    assert!(message(&solve(a.triangular(Triangle::Lower, Diag::Unit), ones([3]))).contains("not square"));
    assert!(message(&a.diagonal()).contains("not square"));
    assert!(message(&a.hermitian(Triangle::Lower)).contains("not square"));
    assert!(message(&a.det()).contains("not square"));
    assert!(message(&a.inverse()).contains("not square"));
    assert!(message(&a.cholesky(Triangle::Lower)).contains("not square"));
    assert!(message(&a.eigh(Triangle::Lower).1).contains("not square"));
    assert!(message(&ones::<f64>([3]).svd(true).0).contains("2 axes"));
    assert!(message(&ones::<f64>([3]).lu().0).contains("2 axes"));
    assert!(message(&ones::<f64>([3]).qr().1).contains("2 axes"));
    assert!(message(&ones::<f64>([3]).det()).contains("2 axes"));
    assert!(message(&a.fft_axes(2)).contains("axis 2"));
    assert!(message(&ones::<f64>([]).fft()).contains("axis -1"));
    assert!(message(&ones::<f64>([3, 0]).fft()).contains("no elements"));
    assert!(message(&ones::<Complex64>([3, 4]).irfft(8)).contains("8 elements has 5 values here, not 4"));
    assert!(message(&ones::<Complex64>([3, 4]).irfft(0)).contains("no elements"));
    let failed = a.sum(7);
    assert!(message(&failed.lu().2).contains("axis 7"));
    assert!(message(&solve(ones::<f64>([3, 3]), &failed)).contains("axis 7"));
    assert!(eval((solve(&a, ones([4])), a.det())).is_err());
}
