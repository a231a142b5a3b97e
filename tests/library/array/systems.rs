//! Linear systems by the structure of their matrices, on any context: solutions, and the methods that gave them.

use super::routines::{Dense, Sample, assert_solves, cause, dominant, random, values};
use affinimath::array::{
    self, Array, Expr, IntoMatrix, SolveMethod as Method, SolveReport, StructuredMatrix, System, s, solve,
};
use affinimath::{Complex32, Complex64, Context, Diag, Error, Refinement, Scalar, ScalarKind, Symmetry, Triangle};
use affinimath_array::node::Complex;
use affinimath_testing::covers;
use std::ops::Deref;

/// Everything, in the host's memory.
pub fn check_on_host() {
    check_with(&Context::host(), &[1, 2, 5, 33, 100]);
}

/// Everything that is checked on a context, with few sizes.
pub fn check(context: &Context) {
    check_with(context, &[1, 33]);
}

fn check_with(context: &Context, sizes: &[usize]) {
    let has_doubles = context.device().is_none_or(|device| device.info().fp64);
    let kinds: Vec<ScalarKind> = [ScalarKind::S, ScalarKind::D, ScalarKind::C, ScalarKind::Z]
        .into_iter()
        .filter(|kind| has_doubles || !kind.is_double())
        .collect();
    for &kind in kinds.iter().filter(|kind| covers(**kind, &kinds)) {
        match kind {
            ScalarKind::S => check_type::<f32>(context, sizes),
            ScalarKind::D => check_type::<f64>(context, sizes),
            ScalarKind::C => check_type::<Complex32>(context, sizes),
            _ => check_type::<Complex64>(context, sizes),
        }
    }
    errors_name_the_callers_line(context);
    empty_systems_have_a_report(context);
}

fn check_type<T: Sample>(context: &Context, sizes: &[usize]) {
    for &n in sizes {
        named_structures_choose_their_method::<T>(context, n);
        found_structures_have_small_residuals::<T>(context, n);
        other_elements_are_not_read::<T>(context, n);
        mixed_precision_gives_the_same_solution::<T>(context, n);
    }
    found_structures_choose_their_method::<T>(context);
    matrices_that_are_not_definite_fall_back::<T>(context);
    batches_share_a_method::<T>(context);
    singular_matrices_of_any_structure_are_errors::<T>(context);
    elements_that_are_not_finite_are_named::<T>(context);
}

fn is_host(context: &Context) -> bool {
    context.device().is_none()
}

/// The method for a matrix that is not definite.
fn indefinite(context: &Context, symmetry: Symmetry, triangle: Triangle) -> Method {
    if is_host(context) { Method::Indefinite(symmetry, triangle) } else { Method::Lu }
}

/// Solves for one and for three columns, in both orders of the matrix; the report of the last.
fn solved<T: Sample>(context: &Context, name: &str, matrix: &StructuredMatrix<T>) -> SolveReport {
    let n = matrix.shape()[0];
    let (vector, columns) = (random::<T>(context, &[n], 41), random::<T>(context, &[n, 3], 42));
    let elements = Dense::of(matrix);
    let (x, first) = System::new(matrix, &vector).eval().unwrap();
    assert_solves(name, &elements, &x, &Dense::of(&vector));
    let (x, report) = System::new(matrix, &columns).eval_on(context).unwrap();
    assert_solves(name, &elements, &x, &Dense::of(&columns));
    assert_eq!(first, report, "{name}, n = {n}");
    // A dense factorisation gives the same solution: these matrices are well conditioned.
    let reference = solve(matrix.deref().general(), &columns).eval().unwrap();
    let (x, reference) = (Dense::of(&x), Dense::of(&reference));
    let bound = 512.0 * n as f64 * T::EPSILON * reference.largest();
    assert!(x.distance(&reference) <= bound, "{name}, n = {n}: {} > {bound}", x.distance(&reference));
    report
}

/// The method of a matrix whose structure is in its values alone.
fn found<T: Sample>(context: &Context, name: &str, matrix: &Expr<T>) -> SolveReport {
    let in_rows = matrix.eval_on(context).unwrap();
    let in_columns = matrix.t().eval_on(context).unwrap();
    let report = solved(context, name, &(&in_rows).into_matrix());
    assert_eq!(solved(context, name, &in_columns.t().into_matrix()), report, "{name}");
    report
}

fn named_structures_choose_their_method<T: Sample>(context: &Context, n: usize) {
    let a = dominant::<T>(context, n, 31);
    let check = |name: &str, matrix: StructuredMatrix<T>, expected: Method| {
        let report = solved(context, name, &matrix);
        assert_eq!((report.method, report.fallback, report.refinement), (expected, None, None), "{name}, n = {n}");
    };
    let last = n - 1;
    check("general", a.general(), Method::Lu);
    check("diagonal", a.diagonal(), Method::Division);
    check("tridiagonal", a.tridiagonal(), if n == 1 { Method::Division } else { Method::Tridiagonal });
    check("banded", a.banded(2, 1), Method::Band { lower: last.min(2), upper: last.min(1) });
    check("wide", a.banded(usize::MAX, n), Method::Band { lower: last, upper: last });
    check("transposed", a.t().banded(0, 3), Method::Band { lower: 0, upper: last.min(3) });
    for triangle in [Triangle::Lower, Triangle::Upper] {
        check("triangular", a.triangular(triangle, Diag::NonUnit), Method::Substitution(triangle, Diag::NonUnit));
        check("definite", a.positive_definite(triangle), Method::Cholesky(triangle));
        check("Hermitian", a.hermitian(triangle), Method::Cholesky(triangle));
        check("transposed", a.t().hermitian(triangle), Method::Cholesky(triangle));
        let expected = indefinite(context, Symmetry::Hermitian, triangle);
        check("not positive", (-&a).hermitian(triangle), expected);
        if T::KIND.is_complex() {
            check("symmetric", a.symmetric(triangle), indefinite(context, Symmetry::Symmetric, triangle));
        } else {
            check("symmetric", a.symmetric(triangle), Method::Cholesky(triangle));
        }
    }
    // Conjugates of memory are views.
    let conjugate = conjugate(&a);
    check("conjugated", conjugate.banded(1, 1), Method::Band { lower: last.min(1), upper: last.min(1) });
    check("conjugated", conjugate.general(), Method::Lu);
    check("conjugated", conjugate.diagonal(), Method::Division);
}

/// The conjugate of complex elements.
fn conjugate<T: Sample>(a: &Expr<T>) -> Expr<T> {
    match T::KIND.is_complex() {
        true => Expr::from_node(a.node().complex(Complex::Conj)),
        false => a.clone(),
    }
}

/// Matrices of each structure, as values.
fn samples<T: Sample>(context: &Context, n: usize) -> Vec<(&'static str, Expr<T>)> {
    let a = dominant::<T>(context, n, 32);
    let hermitian = a.hermitian(Triangle::Upper);
    vec![
        ("a diagonal", a.diagonal().deref().clone()),
        ("a lower triangle", a.triangular(Triangle::Lower, Diag::NonUnit).deref().clone()),
        ("an upper triangle", a.triangular(Triangle::Upper, Diag::NonUnit).deref().clone()),
        ("three diagonals", a.tridiagonal().deref().clone()),
        ("a band", a.banded(2, 1).deref().clone()),
        ("a definite band", hermitian.banded(2, 2).deref().clone()),
        ("a definite matrix", hermitian.deref().clone()),
        ("an indefinite matrix", -hermitian.deref()),
        ("a symmetric matrix", -a.symmetric(Triangle::Lower).deref()),
        ("a conjugate", conjugate(&a)),
        ("a general matrix", a.deref().clone()),
    ]
}

fn found_structures_have_small_residuals<T: Sample>(context: &Context, n: usize) {
    for (name, matrix) in samples::<T>(context, n) {
        let report = found(context, name, &matrix);
        assert_eq!((report.fallback, report.refinement), (None, None), "{name}, n = {n}");
        if n == 1 {
            assert_eq!(report.method, Method::Division, "{name}");
        }
    }
    // Every other row and column of a larger matrix.
    let large = dominant::<T>(context, 2 * n, 33).tridiagonal().eval_on(context).unwrap();
    let part = large.at(s![..;2, ..;2]);
    let report = solved(context, "a view", &part.into_matrix());
    assert_eq!(report.method, Method::Division, "n = {n}");
}

fn found_structures_choose_their_method<T: Sample>(context: &Context) {
    let n = 33;
    let last = n - 1;
    let expected = [
        Method::Division,
        Method::Substitution(Triangle::Lower, Diag::NonUnit),
        Method::Substitution(Triangle::Upper, Diag::NonUnit),
        Method::Tridiagonal,
        Method::Band { lower: 2, upper: 1 },
        Method::BandCholesky { width: 2 },
        Method::Cholesky(Triangle::Lower),
        indefinite(context, Symmetry::Hermitian, Triangle::Lower),
        match T::KIND.is_complex() {
            true => indefinite(context, Symmetry::Symmetric, Triangle::Lower),
            false => indefinite(context, Symmetry::Hermitian, Triangle::Lower),
        },
        Method::Lu,
        Method::Lu,
    ];
    for ((name, matrix), expected) in samples::<T>(context, n).into_iter().zip(expected) {
        assert_eq!(found(context, name, &matrix).method, expected, "{name}");
    }
    // A band that is too wide to pay.
    let wide = dominant::<T>(context, n, 34).banded(last, last - 1).deref().clone();
    assert_eq!(found(context, "a wide band", &wide).method, Method::Lu);
    let report = System::new(random::<T>(context, &[7, 3], 35), random::<T>(context, &[7], 36)).eval().unwrap().1;
    assert_eq!(report.method, Method::LeastSquares);
}

fn other_elements_are_not_read<T: Sample>(context: &Context, n: usize) {
    let (a, b) = (dominant::<T>(context, n, 37), random::<T>(context, &[n, 2], 38));
    let nan = T::from_parts(f64::NAN, f64::NAN);
    let (row, column) = (array::coordinates([n, n], 0), array::coordinates([n, n], 1));
    let below = &row - &column;
    let check = |name: &str, whole: StructuredMatrix<T>, stored: StructuredMatrix<T>| {
        assert_solves(name, &Dense::of(&whole), &solve(&stored, &b), &Dense::of(&b));
    };
    let band = below.le(2) & below.ge(-1);
    check("a band", a.banded(2, 1), band.select(&a, nan).banded(2, 1));
    let three = below.le(1) & below.ge(-1);
    check("three diagonals", a.tridiagonal(), three.select(&a, nan).tridiagonal());
    check("a diagonal", a.diagonal(), below.equal(0).select(&a, nan).diagonal());
    let lower = below.ge(0).select(&a, nan);
    check("a Hermitian half", a.hermitian(Triangle::Lower), lower.hermitian(Triangle::Lower));
    check("a symmetric half", a.symmetric(Triangle::Lower), lower.symmetric(Triangle::Lower));
    let negative = -lower;
    check("an indefinite half", (-&a).hermitian(Triangle::Lower), negative.hermitian(Triangle::Lower));
}

fn mixed_precision_gives_the_same_solution<T: Sample>(context: &Context, n: usize) {
    let (a, b) = (dominant::<T>(context, n, 43), random::<T>(context, &[n, 2], 44));
    for (matrix, expected) in [
        (a.general(), Method::Lu),
        (a.positive_definite(Triangle::Upper), Method::Cholesky(Triangle::Upper)),
        (a.hermitian(Triangle::Lower), Method::Cholesky(Triangle::Lower)),
    ] {
        let (x, report) = System::new(&matrix, &b).mixed(true).eval().unwrap();
        assert_solves("mixed", &Dense::of(&matrix), &x, &Dense::of(&b));
        assert_eq!((report.method, report.fallback), (expected, None));
        match T::KIND.is_double() {
            true => assert!(matches!(report.refinement, Some(Refinement::Converged { .. })), "{report:?}"),
            false => assert_eq!(report.refinement, None),
        }
    }
    // Beyond single precision: factors in double precision.
    if T::KIND.is_double() {
        let large = &a * T::from_parts(1e200, 0.0);
        let (x, report) = System::new(large.general(), &b).mixed(true).eval().unwrap();
        assert_solves("beyond single precision", &Dense::of(&large), &x, &Dense::of(&b));
        assert_eq!(report.refinement, Some(Refinement::Overflow));
    }
}

/// A Hermitian matrix with a positive diagonal that is not definite: its elements off the diagonal are larger.
fn saddle<T: Sample>(context: &Context, n: usize, width: usize) -> Expr<T> {
    let mut elements = vec![T::ZERO; n * n];
    for i in 0..n {
        elements[i * n + i] = T::ONE;
        for j in i.saturating_sub(width)..i {
            let value = T::from_parts(4.0 / (i - j) as f64, if T::KIND.is_complex() { 1.0 } else { 0.0 });
            elements[i * n + j] = value;
        }
    }
    let lower = Array::from_slice(context, [n, n], &elements).unwrap();
    lower.hermitian(Triangle::Lower).deref().clone()
}

fn matrices_that_are_not_definite_fall_back<T: Sample>(context: &Context) {
    let n = 40;
    let b = random::<T>(context, &[n, 2], 45);
    let check = |name: &str, matrix: StructuredMatrix<T>, is_mixed: bool, expected: Method, fallback: Method| {
        let (x, report) = System::new(&matrix, &b).mixed(is_mixed).eval().unwrap();
        assert_solves(name, &Dense::of(&matrix), &x, &Dense::of(&b));
        assert_eq!((report.method, report.fallback, report.fallbacks), (expected, Some(fallback), 1), "{name}");
        assert_eq!(report.refinement, None, "{name}");
    };
    let dense = saddle::<T>(context, n, n);
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let other = indefinite(context, Symmetry::Hermitian, triangle);
        for is_mixed in [false, true] {
            check("a Hermitian matrix", dense.hermitian(triangle), is_mixed, Method::Cholesky(triangle), other);
        }
    }
    let other = indefinite(context, Symmetry::Hermitian, Triangle::Lower);
    check("Hermitian values", (&dense).into_matrix(), false, Method::Cholesky(Triangle::Lower), other);
    let band = saddle::<T>(context, n, 2).into_matrix();
    let (width, lower, upper) = (2, 2, 2);
    check("a band", band, false, Method::BandCholesky { width }, Method::Band { lower, upper });
    // A promise is not doubted.
    let error = solve(dense.positive_definite(Triangle::Lower), &b).eval().unwrap_err();
    assert!(matches!(cause(&error), Error::NotPositiveDefinite { index: 2 }), "{error}");
}

fn batches_share_a_method<T: Sample>(context: &Context) {
    let (n, count) = (19, 3);
    let one = |seed| dominant::<T>(context, n, seed);
    let b = random::<T>(context, &[count, n, 2], 50);
    let check = |name: &str, a: &Expr<T>, mixed: bool| {
        let (x, report) = System::new(a, &b).mixed(mixed).eval().unwrap();
        for k in 0..count as i64 {
            assert_solves(name, &Dense::of(&a.at(s![k])), &x.at(s![k]), &Dense::of(&b.at(s![k])));
        }
        report
    };
    let general = array::stack(0, [one(51), one(52), one(53)]).eval().unwrap();
    let tridiagonal = general.tridiagonal().eval().unwrap();
    assert_eq!(check("general", &general, false).method, Method::Lu);
    assert_eq!(check("tridiagonal", &tridiagonal, false).method, Method::Tridiagonal);
    let bands = general.banded(3, 2).eval().unwrap();
    assert_eq!(check("bands", &bands, false).method, Method::Band { lower: 3, upper: 2 });
    assert_eq!(check("diagonal", &general.diagonal().eval().unwrap(), false).method, Method::Division);
    let refined = check("mixed", &general, true).refinement;
    assert_eq!(refined.is_some(), T::KIND.is_double());
    let (x, report) = System::new(general.banded(3, 2), &b).eval().unwrap();
    assert_eq!(report.method, Method::Band { lower: 3, upper: 2 });
    let whole = general.at(s![2]).banded(3, 2);
    assert_solves("a band of a batch", &Dense::of(&whole), &x.at(s![2]), &Dense::of(&b.at(s![2])));
    // One of three is not definite.
    let hermitian = |seed| one(seed).hermitian(Triangle::Lower).deref().clone();
    let mixed = array::stack(0, [hermitian(54), saddle::<T>(context, n, n), hermitian(55)]).eval().unwrap();
    let report = check("definite but one", &mixed, false);
    assert_eq!((report.method, report.fallbacks), (Method::Cholesky(Triangle::Lower), 1));
    assert_eq!(report.fallback, Some(indefinite(context, Symmetry::Hermitian, Triangle::Lower)));
    // Columns of a batch for one matrix are columns of one system.
    let (x, report) = System::new(tridiagonal.at(s![1]), &b).eval().unwrap();
    assert_eq!(report.method, Method::Tridiagonal);
    assert_solves("columns", &Dense::of(&tridiagonal.at(s![1])), &x.at(s![2]), &Dense::of(&b.at(s![2])));
}

fn singular_matrices_of_any_structure_are_errors<T: Sample>(context: &Context) {
    let n = 21;
    let b = random::<T>(context, &[n, 2], 60);
    // The last row and the last column are zero.
    let mut elements = values::<T>(n * n, 61);
    for i in 0..n {
        elements[i * n + i] += T::from_parts(2.0 * n as f64, 0.0);
        (elements[i * n + n - 1], elements[(n - 1) * n + i]) = (T::ZERO, T::ZERO);
    }
    let a = Array::from_slice(context, [n, n], &elements).unwrap();
    for (name, matrix) in [
        ("general", a.general()),
        ("tridiagonal", a.tridiagonal()),
        ("banded", a.banded(3, 1)),
        ("Hermitian", a.hermitian(Triangle::Lower)),
        ("symmetric", (-&a).symmetric(Triangle::Upper)),
        ("unknown", (&a).into_matrix()),
        ("a diagonal in values", a.diagonal().deref().clone().into_matrix()),
        ("three diagonals in values", a.tridiagonal().deref().clone().into_matrix()),
        ("a triangle in values", a.triangular(Triangle::Lower, Diag::NonUnit).deref().clone().into_matrix()),
        ("a symmetric matrix in values", (-a.hermitian(Triangle::Upper).deref()).into_matrix()),
        ("a definite band in values", a.hermitian(Triangle::Upper).banded(2, 2).deref().clone().into_matrix()),
    ] {
        let error = solve(matrix, &b).eval().unwrap_err();
        assert!(matches!(cause(&error), Error::ZeroPivot { .. }), "{name}: {error}");
        assert!(error.to_string().contains("systems.rs"), "{name}: {error}");
    }
    // Singular but for roundings: there is a solution, of whatever size, or an error.
    let near = &a + T::from_parts(T::EPSILON, 0.0);
    for matrix in [near.general(), near.into_matrix()] {
        match System::new(matrix, &b).eval() {
            Ok((x, _)) => assert!(x.to_vec().unwrap().into_iter().all(|x| Scalar::re(x).is_finite())),
            Err(error) => assert!(error.to_string().contains("singular"), "{error}"),
        }
    }
}

fn elements_that_are_not_finite_are_named<T: Sample>(context: &Context) {
    let n = 9;
    let with = |mut elements: Vec<T>, index: usize, value: f64| {
        elements[index] = T::from_parts(value, 0.0);
        elements
    };
    let a = dominant::<T>(context, n, 62);
    let b = random::<T>(context, &[n, 2], 63);
    let nan = Array::from_slice(context, [n, n], &with(a.to_vec().unwrap(), 3 * n + 2, f64::NAN)).unwrap();
    let infinite = Array::from_slice(context, [n, 2], &with(b.to_vec().unwrap(), 2 * 4 + 1, f64::INFINITY)).unwrap();
    let check = |name: &str, matrix: StructuredMatrix<T>, b: &Array<T>, expected: (&str, usize, usize)| {
        let error = solve(matrix, b).eval().unwrap_err();
        let Error::NotFinite { what, row, column, .. } = cause(&error) else { panic!("{name}: {error}") };
        assert_eq!((*what, *row, *column), expected, "{name}");
    };
    let of_b = ("B", 5, 2);
    for (name, matrix, of_a) in [
        ("unknown", (&nan).into_matrix(), ("A", 4, 3)),
        ("general", nan.general(), ("A", 4, 3)),
        ("tridiagonal", nan.tridiagonal(), ("A", 4, 3)),
        ("banded", nan.banded(1, 0), ("A", 4, 3)),
        ("Hermitian", nan.hermitian(Triangle::Lower), ("A", 4, 3)),
        ("definite", nan.positive_definite(Triangle::Lower), ("A", 4, 3)),
        ("triangular", nan.triangular(Triangle::Lower, Diag::NonUnit), ("A", 4, 3)),
    ] {
        check(name, matrix.clone(), &b, of_a);
        check(name, matrix, &infinite, of_b);
    }
    check("a finite matrix", (&a).into_matrix(), &infinite, of_b);
    check("a finite triangle", a.triangular(Triangle::Upper, Diag::NonUnit), &infinite, of_b);
    let rectangle = random::<T>(context, &[n + 3, n], 64);
    let right = Array::from_slice(context, [n + 3], &with(values(n + 3, 65), 1, f64::NAN)).unwrap();
    check("least squares", (&rectangle).into_matrix(), &right, ("B", 2, 1));
    // A solution that overflows.
    let small = (array::eye::<T>([n, n], 0) * T::from_parts(1e-30, 0.0)).eval_on(context).unwrap();
    let large = (&b * T::ZERO + T::from_parts(if T::KIND.is_double() { 1e300 } else { 1e30 }, 0.0)).eval().unwrap();
    check("an overflow", small.triangular(Triangle::Lower, Diag::NonUnit), &large, ("the solution", 1, 1));
}

fn errors_name_the_callers_line(context: &Context) {
    let zero = Array::<f32>::zeros(context, [3, 3]).unwrap();
    let line = line!() + 1;
    let error = System::new(zero.banded(1, 1), &zero).eval().unwrap_err().to_string();
    assert!(error.contains(&format!("tests/library/array/systems.rs:{line}")), "{error}");
    let line = line!() + 1;
    let error = System::new(zero.tridiagonal(), &zero).mixed(true).eval_on(context).unwrap_err().to_string();
    assert!(error.contains(&format!("tests/library/array/systems.rs:{line}")), "{error}");
    let line = line!() + 1;
    let x = System::new(&zero, &zero).solution();
    let error = (x + 1.0).eval().unwrap_err().to_string();
    assert!(error.contains(&format!("tests/library/array/systems.rs:{line}")), "{error}");
    let wrong = Array::<f32>::zeros(context, [4]).unwrap();
    let error = System::new(zero.tridiagonal(), &wrong).eval().unwrap_err().to_string();
    assert!(error.contains("[3, 3] and [4]") && error.contains("systems.rs"), "{error}");
}

fn empty_systems_have_a_report(context: &Context) {
    let zeros = |shape: &[usize]| Array::<f32>::zeros(context, shape).unwrap();
    for (a, b, len) in [([0, 0], vec![0], 0), ([3, 3], vec![3, 0], 0), ([0, 0], vec![0, 2], 0)] {
        let (a, b) = (zeros(&a), zeros(&b));
        let (general, _) = System::new(&a, &b).eval().unwrap();
        assert_eq!(general.len(), len);
        for matrix in [a.banded(1, 1), a.tridiagonal(), a.hermitian(Triangle::Lower), a.general()] {
            let (x, report) = System::new(matrix, &b).eval().unwrap();
            assert_eq!((x.len(), report.fallback, report.refinement), (len, None, None));
        }
    }
    let (x, report) = System::new(zeros(&[0, 3]), zeros(&[0])).eval().unwrap();
    assert_eq!((x.to_vec().unwrap(), report.method), (vec![0.0; 3], Method::LeastSquares));
}
