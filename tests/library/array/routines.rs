//! Routines of the library in expressions, on any context: systems by their residuals, transforms by their definition.

use std::f64::consts::PI;
use std::ops::Deref;

use affinimath::array::{self, Array, Expr, Floating, Spectral, StructuredMatrix, s, solve};
use affinimath::{Complex64, Context, Diag, Error, Scalar, ScalarKind, Triangle};
use affinimath_testing::covers;

/// An element type of systems and of transforms.
pub trait Sample: Scalar + Floating<Part: Scalar> + Spectral<Spectrum: Scalar> {}
impl<T: Scalar + Floating<Part: Scalar> + Spectral<Spectrum: Scalar>> Sample for T {}

/// Everything, in the host's memory.
pub fn check_on_host() {
    check_with(&Context::host(), &[1, 2, 5, 33, 130]);
}

/// Everything that is checked on a context, with few sizes.
pub fn check(context: &Context) {
    check_with(context, &[1, 19]);
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
            ScalarKind::C => check_type::<affinimath::Complex32>(context, sizes),
            _ => check_type::<Complex64>(context, sizes),
        }
    }
    parts_of_transforms_are_real(context);
    expressions_stand_around_routines(context);
    routines_name_the_callers_line(context);
    empty_operands_are_legal(context);
}

fn check_type<T: Sample>(context: &Context, sizes: &[usize]) {
    for &n in sizes {
        systems_have_small_residuals::<T>(context, n);
        structures_are_used::<T>(context, n);
        factors_give_the_matrix::<T>(context, n);
        eigenvalues_and_singular_values_give_the_matrix::<T>(context, n);
    }
    batches_are_solved_one_by_one::<T>(context);
    least_squares_have_orthogonal_residuals::<T>(context);
    singular_matrices_are_errors::<T>(context);
    transforms_equal_their_definition::<T>(context);
}

/// `n` values with parts in [-1, 1).
pub(super) fn values<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 23) as f64 - 1.0
    };
    (0..n).map(|_| T::from_parts(next(), next())).collect()
}

pub(super) fn random<T: Sample>(context: &Context, shape: &[usize], seed: u64) -> Array<T> {
    Array::from_slice(context, shape, &values(shape.iter().product(), seed)).unwrap()
}

/// A well conditioned matrix: its diagonal outweighs the rest.
pub(super) fn dominant<T: Sample>(context: &Context, n: usize, seed: u64) -> Array<T> {
    let mut elements = values::<T>(n * n, seed);
    for i in 0..n {
        elements[i * n + i] += T::from_parts(2.0 * n as f64, 0.0);
    }
    Array::from_slice(context, [n, n], &elements).unwrap()
}

/// A matrix in double precision, row by row.
#[derive(Clone)]
pub(super) struct Dense {
    rows: usize,
    columns: usize,
    elements: Vec<Complex64>,
}

impl Dense {
    /// The elements of an expression of rank 1 (a column) or 2.
    pub(super) fn of<T: Sample>(expr: &Expr<T>) -> Self {
        let elements =
            expr.to_vec().unwrap().into_iter().map(|x| Complex64::new(Scalar::re(x), Scalar::im(x))).collect();
        let (rows, columns) = match expr.shape()[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => panic!("{expr:?}"),
        };
        Dense { rows, columns, elements }
    }

    fn at(&self, i: usize, j: usize) -> Complex64 {
        self.elements[i * self.columns + j]
    }

    fn times(&self, other: &Dense) -> Dense {
        assert_eq!(self.columns, other.rows);
        let element = |k: usize| {
            let (i, j) = (k / other.columns, k % other.columns);
            (0..self.columns).map(|p| self.at(i, p) * other.at(p, j)).sum()
        };
        let elements = (0..self.rows * other.columns).map(element).collect();
        Dense { rows: self.rows, columns: other.columns, elements }
    }

    fn adjoint(&self) -> Dense {
        let element = |k: usize| self.at(k % self.rows, k / self.rows).conj();
        let elements = (0..self.elements.len()).map(element).collect();
        Dense { rows: self.columns, columns: self.rows, elements }
    }

    pub(super) fn largest(&self) -> f64 {
        self.elements.iter().map(|x| x.norm()).fold(0.0, f64::max)
    }

    /// The largest difference of two elements.
    pub(super) fn distance(&self, other: &Dense) -> f64 {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        let pairs = self.elements.iter().zip(&other.elements);
        pairs.map(|(a, b)| (a - b).norm()).fold(0.0, |largest, x| if x <= largest { largest } else { x })
    }
}

/// A X = B up to roundings: each residual is a sum of n products, with relative errors of a few units each.
pub(super) fn assert_solves<T: Sample>(name: &str, a: &Dense, x: &Expr<T>, b: &Dense) {
    let x = Dense::of(x);
    let n = a.columns as f64;
    let residual = a.times(&x).distance(b);
    let bound = 32.0 * n * T::EPSILON * (n * a.largest() * x.largest() + b.largest());
    assert!(residual <= bound, "{name}, {:?}, n = {n}: residual {residual} > {bound}", <T as Scalar>::KIND);
}

fn assert_equal<T: Sample>(name: &str, x: &Expr<T>, expected: &Dense) {
    let found = Dense::of(x);
    let bound = 64.0 * (1 + expected.rows.max(expected.columns)) as f64 * T::EPSILON * (1.0 + expected.largest());
    let distance = found.distance(expected);
    assert!(distance <= bound, "{name}, {:?}: {distance} > {bound}", <T as Scalar>::KIND);
}

fn systems_have_small_residuals<T: Sample>(context: &Context, n: usize) {
    let a = dominant::<T>(context, n, 1);
    let (b, c) = (random::<T>(context, &[n], 2), random::<T>(context, &[n, 3], 3));
    assert_solves("a vector", &Dense::of(&a), &solve(&a, &b), &Dense::of(&b));
    assert_solves("columns", &Dense::of(&a), &solve(&a, &c), &Dense::of(&c));
    assert_solves("a transpose", &Dense::of(&a.t()), &solve(a.t(), c.at(s![.., 1])), &Dense::of(&c.at(s![.., 1])));
    let two = T::from_parts(2.0, 0.0);
    let (left, right) = (&a * two, c.reverse(0) * two);
    assert_solves("expressions", &Dense::of(&left), &solve(&left, &right), &Dense::of(&right));
    // Its symmetry is found on the host.
    let hermitian = a.hermitian(Triangle::Lower).deref().clone();
    assert_solves("Hermitian values", &Dense::of(&hermitian), &solve(&hermitian, &b), &Dense::of(&b));
    // Every other row and column of a larger matrix.
    let large = dominant::<T>(context, 2 * n, 4);
    let part = large.at(s![..;2, 1..;2]);
    let part = part + dominant::<T>(context, n, 5);
    assert_solves("a strided matrix", &Dense::of(&part), &solve(&part, &b), &Dense::of(&b));
}

/// The routine's own error.
pub(super) fn cause(error: &Error) -> &Error {
    match error {
        Error::Operation { error, .. } => error,
        other => other,
    }
}

fn structures_are_used<T: Sample>(context: &Context, n: usize) {
    let a = dominant::<T>(context, n, 6);
    let b = random::<T>(context, &[n, 2], 7);
    let check = |name: &str, matrix: StructuredMatrix<T>| {
        assert_solves(name, &Dense::of(&matrix), &solve(&matrix, &b), &Dense::of(&b));
    };
    for triangle in [Triangle::Lower, Triangle::Upper] {
        check("triangular", a.triangular(triangle, Diag::NonUnit));
        check("triangular, transposed", a.t().triangular(triangle, Diag::NonUnit));
        check("hermitian", a.hermitian(triangle));
        check("symmetric", a.symmetric(triangle));
        check("positive definite", a.positive_definite(triangle));
        // Small off the diagonal: the inverse of a triangle of ones grows.
        let small = &a * T::from_parts(0.25 / (n * n) as f64, 0.0);
        check("unit triangular", small.triangular(triangle, Diag::Unit));
        // Not positive definite: a fallback, unless definiteness was promised.
        check("indefinite", (-&a).hermitian(triangle));
        let error = solve((-&a).positive_definite(triangle), &b).eval().unwrap_err();
        assert!(matches!(cause(&error), Error::NotPositiveDefinite { index: 1 }), "{error}");
    }
    check("diagonal", a.diagonal());
    // The other triangle is not read.
    let nan = T::from_parts(f64::NAN, f64::NAN);
    let mask = array::coordinates([n, n], 0).ge(array::coordinates([n, n], 1));
    let (lower, whole) = (mask.select(&a, nan), a.triangular(Triangle::Lower, Diag::NonUnit));
    let x = solve(lower.triangular(Triangle::Lower, Diag::NonUnit), &b);
    assert_solves("one triangle", &Dense::of(&whole), &x, &Dense::of(&b));
    let x = solve(lower.positive_definite(Triangle::Lower), &b);
    assert_solves("one half", &Dense::of(&a.hermitian(Triangle::Lower)), &x, &Dense::of(&b));
}

fn factors_give_the_matrix<T: Sample>(context: &Context, n: usize) {
    for (rows, columns) in [(n, n), (n + 4, n), (n, n + 3)] {
        let a = random::<T>(context, &[rows, columns], 8);
        let (p, l, u) = a.lu();
        let (p, l, u) = array::eval((p, l, u)).unwrap();
        assert_equal("P A = L U", &l.matmul(&u), &Dense::of(&a.index(&p)));
        let (q, r) = a.qr();
        let (q, r) = array::eval((q, r)).unwrap();
        let expected = Dense::of(&a);
        assert_equal("A = Q R", &q.matmul(&r), &expected);
        let q = Dense::of(&q);
        let identity = Dense::of(&array::eye::<T>([q.columns, q.columns], 0).eval_on(context).unwrap());
        let found = q.adjoint().times(&q).distance(&identity);
        assert!(found <= 64.0 * rows as f64 * T::EPSILON, "Qᴴ Q: {found}");
    }
    let a = dominant::<T>(context, n, 9);
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let factor = Dense::of(&a.cholesky(triangle));
        let product = match triangle {
            Triangle::Lower => factor.times(&factor.adjoint()),
            Triangle::Upper => factor.adjoint().times(&factor),
        };
        let expected = Dense::of(&a.hermitian(triangle));
        let bound = 64.0 * n as f64 * T::EPSILON * expected.largest();
        assert!(product.distance(&expected) <= bound, "Cholesky, n = {n}");
    }
    let identity = Dense::of(&array::eye::<T>([n, n], 0).eval_on(context).unwrap());
    assert_equal("A times its inverse", &a.matmul(a.inverse()), &identity);
    // One evaluation that solves by factors of another one's matrix.
    let b = random::<T>(context, &[n], 10);
    let (p, l, u) = a.lu();
    let x = solve(&u, solve(&l, b.index(&p)));
    assert_solves("by factors", &Dense::of(&a), &x, &Dense::of(&b));
    // The determinant of a triangle is the product of its diagonal; that of rows exchanged has the other sign.
    if n <= 5 {
        let scaled = &a * T::from_parts(0.5 / n as f64, 0.0);
        let triangle = scaled.triangular(Triangle::Upper, Diag::NonUnit).deref().clone();
        let elements = Dense::of(&triangle);
        let expected: Complex64 = (0..n).map(|i| elements.at(i, i)).product();
        for (matrix, sign) in
            [(triangle.clone(), 1.0), (triangle.reverse(0), if (n / 2).is_multiple_of(2) { 1.0 } else { -1.0 })]
        {
            let det = matrix.det().value().unwrap();
            let distance = (Complex64::new(Scalar::re(det), Scalar::im(det)) - expected * sign).norm();
            assert!(distance <= 64.0 * n as f64 * T::EPSILON * (1.0 + expected.norm()), "det, n = {n}: {det:?}");
        }
    }
}

/// A times a diagonal matrix.
fn scaled_columns(a: &Dense, diagonal: &[f64]) -> Dense {
    let elements = a.elements.iter().enumerate().map(|(k, x)| x * diagonal[k % a.columns]).collect();
    Dense { elements, ..*a }
}

fn assert_orthonormal<T: Sample>(name: &str, a: &Dense) {
    let gram = a.adjoint().times(a);
    let elements = (0..gram.elements.len()).map(|k| f64::from(u8::from(k % (a.columns + 1) == 0)).into()).collect();
    let distance = gram.distance(&Dense { elements, ..gram });
    assert!(distance <= 64.0 * (1 + a.rows) as f64 * T::EPSILON, "{name}: {distance}");
}

fn reals<R: Scalar + array::Element>(values: &Expr<R>) -> Vec<f64> {
    values.to_vec().unwrap().into_iter().map(Scalar::re).collect()
}

fn eigenvalues_and_singular_values_give_the_matrix<T: Sample>(context: &Context, n: usize) {
    for (count, triangle) in [(1, Triangle::Lower), (3, Triangle::Upper)] {
        let a = random::<T>(context, &[count, n, n], 20);
        let (w, z) = array::eval(a.eigh(triangle)).unwrap();
        let (values, alone) = (reals(&w), reals(&a.eigvalsh(triangle)));
        for k in 0..count {
            let (z, own) = (Dense::of(&z.at(s![k as i64])), &values[k * n..][..n]);
            assert!(own.is_sorted(), "{own:?}");
            assert_orthonormal::<T>("Zᴴ Z", &z);
            let product = scaled_columns(&z, own).times(&z.adjoint());
            let expected = Dense::of(&a.at(s![k as i64]).hermitian(triangle));
            let bound = 64.0 * n as f64 * T::EPSILON * (1.0 + n as f64 * expected.largest());
            assert!(product.distance(&expected) <= bound, "A - Z L Zᴴ, n = {n}, {count}");
            assert!(own.iter().zip(&alone[k * n..]).all(|(w, value)| (w - value).abs() <= bound), "{own:?}");
        }
    }
    for (count, rows, columns, is_full) in [(1, n, n + 3, true), (3, n + 2, n, true), (1, n + 2, n, false)] {
        let a = random::<T>(context, &[count, rows, columns], 21);
        let (u, s, vh) = array::eval(a.svd(is_full)).unwrap();
        let (values, alone, order) = (reals(&s), reals(&a.svdvals()), rows.min(columns));
        for k in 0..count {
            let of = |part: &Array<T>| Dense::of(&part.at(s![k as i64]));
            let (u, vh, own) = (of(&u), of(&vh), &values[k * order..][..order]);
            assert!(own.is_sorted_by(|a, b| a >= b) && own[order - 1] >= 0.0, "{own:?}");
            assert_eq!((u.columns, vh.rows), if is_full { (rows, columns) } else { (order, order) });
            assert_orthonormal::<T>("Uᴴ U", &u);
            assert_orthonormal::<T>("V Vᴴ", &vh.adjoint());
            // Vectors beyond min(m, n) belong to zeros.
            let elements = (0..u.columns * vh.rows).map(|p| {
                let (i, j) = (p / vh.rows, p % vh.rows);
                if i == j && i < order { own[i] } else { 0.0 }.into()
            });
            let middle = Dense { rows: u.columns, columns: vh.rows, elements: elements.collect() };
            let expected = of(&a);
            let bound = 64.0 * (rows + columns) as f64 * T::EPSILON * (1.0 + own[0]);
            assert!(u.times(&middle).times(&vh).distance(&expected) <= bound, "A - U S Vᴴ, {rows} x {columns}");
            assert!(own.iter().zip(&alone[k * order..]).all(|(s, value)| (s - value).abs() <= bound), "{own:?}");
        }
    }
}

fn batches_are_solved_one_by_one<T: Sample>(context: &Context) {
    let n = 7;
    let one = |seed| dominant::<T>(context, n, seed).new_axis(0);
    let a = array::concatenate(0, [one(11), one(12), one(13)]).eval().unwrap();
    let b = random::<T>(context, &[3, n, 2], 14);
    let x = solve(&a, &b).eval().unwrap();
    let definite = solve(a.hermitian(Triangle::Upper), &b).eval().unwrap();
    let triangular = solve(a.triangular(Triangle::Lower, Diag::NonUnit), &b).eval().unwrap();
    let same_columns = solve(&a, b.at(s![0, .., 0])).eval().unwrap();
    let same_matrix = solve(a.at(s![1]), &b).eval().unwrap();
    let (p, l, u) = array::eval(a.lu()).unwrap();
    let inverse = a.inverse().eval().unwrap();
    for k in 0..3_i64 {
        let (matrix, columns) = (a.at(s![k]), b.at(s![k]));
        assert_solves("of a batch", &Dense::of(&matrix), &x.at(s![k]), &Dense::of(&columns));
        let hermitian = matrix.hermitian(Triangle::Upper);
        assert_solves("Hermitian, of a batch", &Dense::of(&hermitian), &definite.at(s![k]), &Dense::of(&columns));
        let triangle = matrix.triangular(Triangle::Lower, Diag::NonUnit);
        assert_solves("triangles of a batch", &Dense::of(&triangle), &triangular.at(s![k]), &Dense::of(&columns));
        let vector = Dense::of(&b.at(s![0, .., 0]));
        assert_solves("the same columns", &Dense::of(&matrix), &same_columns.at(s![k]), &vector);
        assert_solves("the same matrix", &Dense::of(&a.at(s![1])), &same_matrix.at(s![k]), &Dense::of(&columns));
        let rows = matrix.index(p.at(s![k]));
        assert_equal("factors of a batch", &l.at(s![k]).matmul(u.at(s![k])), &Dense::of(&rows));
        let identity = Dense::of(&array::eye::<T>([n, n], 0).eval_on(context).unwrap());
        assert_equal("inverses of a batch", &matrix.matmul(inverse.at(s![k])), &identity);
    }
    let dets = a.det().to_vec().unwrap();
    let last = a.at(s![2]).det().value().unwrap();
    let distance = Complex64::new(Scalar::re(dets[2] - last), Scalar::im(dets[2] - last)).norm();
    assert!(distance <= 64.0 * n as f64 * T::EPSILON * Scalar::modulus(last));
}

fn least_squares_have_orthogonal_residuals<T: Sample>(context: &Context) {
    let (m, n) = (23, 9);
    let a = random::<T>(context, &[m, n], 15);
    let b = random::<T>(context, &[m, 2], 16);
    let x = solve(&a, &b).eval().unwrap();
    let (matrix, columns) = (Dense::of(&a), Dense::of(&b));
    let residual = {
        let product = matrix.times(&Dense::of(&x));
        let elements = product.elements.iter().zip(&columns.elements).map(|(a, b)| a - b).collect();
        Dense { elements, ..product }
    };
    let found = matrix.adjoint().times(&residual).largest();
    let bound = 64.0 * (m * n) as f64 * T::EPSILON * (1.0 + Dense::of(&x).largest());
    assert!(found <= bound, "Aᴴ (A x - b): {found} > {bound}");
    // Of a wide matrix, the solution of least norm is Aᴴ y with A Aᴴ y = b.
    let wide = a.t();
    let c = random::<T>(context, &[n], 17);
    let x = solve(&wide, &c).eval().unwrap();
    assert_solves("a wide matrix", &Dense::of(&wide), &x, &Dense::of(&c));
    let elements = Dense::of(&wide);
    let gram = elements.times(&elements.adjoint());
    let entries: Vec<T> = gram.elements.iter().map(|x| T::from_parts(x.re, x.im)).collect();
    let gram = Array::from_slice(context, [n, n], &entries).unwrap();
    let y = solve(gram.positive_definite(Triangle::Lower), &c).eval().unwrap();
    let expected = elements.adjoint().times(&Dense::of(&y));
    let distance = Dense::of(&x).distance(&expected);
    // The normal equations square the condition, which is moderate here.
    assert!(distance <= 4096.0 * m as f64 * T::EPSILON * (1.0 + expected.largest()), "least norm: {distance}");
}

fn singular_matrices_are_errors<T: Sample>(context: &Context) {
    let zero = Array::from_slice(context, [3, 3], &[T::ZERO; 9]).unwrap();
    let b = random::<T>(context, &[3], 18);
    let error = solve(&zero, &b).eval().unwrap_err();
    assert!(matches!(cause(&error), Error::ZeroPivot { index: 1 }) && error.status() == 1, "{error}");
    let error = solve(zero.triangular(Triangle::Upper, Diag::NonUnit), &b).eval().unwrap_err();
    assert!(matches!(error, Error::Operation { operation: "solve", .. }), "{error}");
    let error = zero.inverse().eval().unwrap_err();
    assert!(matches!(error, Error::Operation { operation: "inverse", .. }), "{error}");
    let error = zero.cholesky(Triangle::Lower).eval().unwrap_err();
    assert!(matches!(error, Error::Operation { operation: "cholesky", .. }), "{error}");
    // A value that is not finite, also in one matrix of a batch.
    let nan = random::<T>(context, &[2, 3, 3], 22).at(s![..]) * T::from_parts(f64::NAN, 0.0);
    for matrix in [nan.at(s![0]), nan.clone()] {
        let (w, z) = matrix.eigh(Triangle::Lower);
        let error = array::eval((w, z)).unwrap_err();
        assert!(matches!(cause(&error), Error::NoConvergence { .. }) && error.status() > 0, "{error}");
        let error = matrix.svdvals().eval().unwrap_err();
        assert!(matches!(cause(&error), Error::NoConvergence { .. }), "{error}");
    }
    // The second matrix of a batch.
    let batch = array::stack(0, [dominant::<T>(context, 3, 19), zero.clone()]).eval().unwrap();
    let error = solve(&batch, &b).eval().unwrap_err();
    assert!(matches!(cause(&error), Error::ZeroPivot { index: 1 }), "{error}");
    // Factors and determinants are legal.
    let (p, l, u) = array::eval(zero.lu()).unwrap();
    assert_equal("factors of zero", &l.matmul(&u), &Dense::of(&zero.index(&p)));
    assert!(zero.det().value().unwrap() == T::ZERO);
}

/// The transform by its definition along one axis, in double precision.
fn definition(x: &[Complex64], shape: &[usize], axis: usize, sign: f64) -> Vec<Complex64> {
    let (n, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let point = |index: usize| {
        let (start, k) = (index - index / inner % n * inner, index / inner % n);
        let term = |j: usize| {
            let angle = sign * 2.0 * PI * (j * k % n) as f64 / n as f64;
            x[start + j * inner] * Complex64::from_polar(1.0, angle)
        };
        (0..n).map(term).sum()
    };
    (0..x.len()).map(point).collect()
}

fn wide<T: Scalar>(x: &[T]) -> Vec<Complex64> {
    x.iter().map(|x| Complex64::new(Scalar::re(*x), Scalar::im(*x))).collect()
}

fn assert_near<T: Scalar>(name: &str, found: &[T], expected: &[Complex64]) {
    let found = wide(found);
    assert_eq!(found.len(), expected.len(), "{name}");
    let largest = expected.iter().map(|x| x.norm()).fold(1.0, f64::max);
    let bound = 64.0 * (2.0 + (expected.len() as f64).log2()) * T::EPSILON * largest;
    for (index, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).norm() <= bound, "{name}, {:?}: element {index} is {x}, not {y}", <T as Scalar>::KIND);
    }
}

fn transforms_equal_their_definition<T: Sample>(context: &Context) {
    let is_host = context.device().is_none();
    let lengths: &[usize] = if is_host { &[1, 2, 3, 8, 12, 17, 60, 97, 128, 131] } else { &[1, 12, 17] };
    for &n in lengths {
        let x = random::<T>(context, &[3, n], 20);
        let expected = definition(&wide(&x.to_vec().unwrap()), &[3, n], 1, -1.0);
        assert_near("fft", &x.fft().to_vec().unwrap(), &expected);
        assert_near("there and back", &x.fft().ifft().to_vec().unwrap(), &wide(&x.to_vec().unwrap()));
        // Along the columns of the transpose.
        let columns = x.t().fft_axes(0).t().to_vec().unwrap();
        assert_near("fft of columns", &columns, &expected);
    }
    let shape = [2, 4, 3];
    let x = random::<T>(context, &shape, 21);
    let elements = wide(&x.to_vec().unwrap());
    let two = definition(&definition(&elements, &shape, 0, -1.0), &shape, 2, -1.0);
    assert_near("two axes", &x.fft_axes([0, 2]).to_vec().unwrap(), &two);
    let three = definition(&two, &shape, 1, -1.0);
    assert_near("all axes", &x.fft_axes(..).to_vec().unwrap(), &three);
    assert_near("the inverse", &x.fft_axes(..).ifft_axes(..).to_vec().unwrap(), &elements);
    // Reversed elements have no layout of a plan.
    let reversed = x.reverse(2);
    let expected = definition(&wide(&reversed.to_vec().unwrap()), &shape, 2, -1.0);
    assert_near("a reversed axis", &reversed.fft().to_vec().unwrap(), &expected);
    if is_host {
        let shape = [2, 3, 2, 2, 3];
        let x = random::<T>(context, &shape, 22);
        let start = wide(&x.to_vec().unwrap());
        let five = (0..5).fold(start.clone(), |x, axis| definition(&x, &shape, axis, -1.0));
        assert_near("five axes", &x.fft_axes(..).to_vec().unwrap(), &five);
        assert_near("five axes back", &x.fft_axes(..).ifft_axes(..).to_vec().unwrap(), &start);
    }
}

fn parts_of_transforms_are_real(context: &Context) {
    for n in [1, 7, 12] {
        let x = random::<f32>(context, &[3, n], 23);
        let all = definition(&wide(&x.to_vec().unwrap()), &[3, n], 1, -1.0);
        let half: Vec<_> = all.chunks(n).flat_map(|row| row[..n / 2 + 1].to_vec()).collect();
        assert_near("rfft", &x.rfft().to_vec().unwrap(), &half);
        assert_near("irfft", &x.rfft().irfft(n).to_vec().unwrap(), &wide(&x.to_vec().unwrap()));
    }
    let x = random::<f32>(context, &[4, 3, 6], 24);
    let half = x.rfft_axes([0, 1]);
    assert_eq!(half.shape(), &[4, 2, 6]);
    assert_near("two axes", &half.irfft_axes([0, 1], 3).to_vec().unwrap(), &wide(&x.to_vec().unwrap()));
    let x = random::<f32>(context, &[2, 3, 2, 5], 25);
    let back = x.rfft_axes(..).irfft_axes(.., 5);
    assert_near("four axes", &back.to_vec().unwrap(), &wide(&x.to_vec().unwrap()));
}

fn expressions_stand_around_routines(context: &Context) {
    let n = 12;
    let (a, b) = (dominant::<f32>(context, n, 26), random::<f32>(context, &[n], 27));
    let sum = (solve(&a, &b) * 2.0 + 1.0).sum(..).value().unwrap();
    let x = Dense::of(&solve(&a, &b));
    let expected: f64 = x.elements.iter().map(|x| 2.0 * x.re + 1.0).sum();
    assert!((f64::from(sum) - expected).abs() <= 16.0 * n as f64 * f64::from(f32::EPSILON), "{sum} {expected}");
    // Several outputs, of which two are of one call; a solution to memory that somebody has.
    let ((p, l, u), x) = (a.lu(), solve(&a, &b));
    let (p, product, solution) = array::eval((p, l.matmul(&u), &x - 1.0)).unwrap();
    assert_equal("P A", &product, &Dense::of(&a.index(&p)));
    assert_equal("x - 1", &(&solution + 1.0), &Dense::of(&x));
    let mut target = Array::<f32>::zeros(context, [3, n]).unwrap();
    target.at_mut(s![1]).assign(solve(&a, &b)).unwrap();
    assert_equal("an assigned row", &target.at(s![1]), &Dense::of(&x));
    assert!(target.at(s![0]).to_vec().unwrap() == [0.0; 12]);
    let mut own = b.clone();
    own.assign(solve(&a, &own)).unwrap();
    assert_equal("in place of b", &own, &Dense::of(&x));
    // A circular convolution by transforms.
    let (x, h) = (random::<f32>(context, &[n], 28), random::<f32>(context, &[n], 29));
    let found = (x.rfft() * h.rfft()).irfft(n).to_vec().unwrap();
    let (x, h) = (x.to_vec().unwrap(), h.to_vec().unwrap());
    for (k, y) in found.iter().enumerate() {
        let expected: f32 = (0..n).map(|j| x[j] * h[(k + n - j) % n]).sum();
        assert!((y - expected).abs() <= 64.0 * n as f32 * f32::EPSILON);
    }
    let text = solve(&a, &b).explain();
    assert!(text.contains("solve of operand 0 (f32 [12, 12]), operand 1 (f32 [12, 1]) to"), "{text}");
    assert!(text.contains("reads 624 B, writes 48 B, 1440 flop"), "{text}");
}

fn routines_name_the_callers_line(context: &Context) {
    let zero = Array::<f32>::zeros(context, [2, 2]).unwrap();
    let line = line!() + 1;
    let x = solve(&zero, &zero);
    let error = (x.sum(..) + 1.0).eval().unwrap_err().to_string();
    let location = format!("tests/library/array/routines.rs:{line}");
    assert!(error.contains("solve: the matrix is singular") && error.contains(&location), "{error}");
    // The plan is one of the call before.
    let line = line!() + 1;
    let x = solve(&zero, &zero);
    let error = (x.sum(..) + 1.0).eval().unwrap_err().to_string();
    assert!(error.contains(&format!("tests/library/array/routines.rs:{line}")), "{error}");
    let error = solve(&zero, Array::<f32>::zeros(context, [3]).unwrap()).eval().unwrap_err().to_string();
    assert!(error.contains("[2, 2] and [3]") && error.contains("tests/library/array/routines.rs"), "{error}");
}

fn empty_operands_are_legal(context: &Context) {
    let zeros = |shape: &[usize]| Array::<f32>::zeros(context, shape).unwrap();
    assert!(solve(zeros(&[0, 0]), zeros(&[0])).to_vec().unwrap().is_empty());
    assert!(solve(zeros(&[0, 3, 3]), zeros(&[0, 3, 2])).to_vec().unwrap().is_empty());
    assert_eq!(solve(zeros(&[3, 3]) + array::eye::<f32>([3, 3], 0), zeros(&[3, 0])).to_vec().unwrap().len(), 0);
    assert_eq!(solve(zeros(&[0, 3]), zeros(&[0])).to_vec().unwrap(), [0.0; 3]);
    assert_eq!(zeros(&[0, 0]).det().value().unwrap(), 1.0);
    assert!(zeros(&[0, 0]).inverse().to_vec().unwrap().is_empty());
    let (p, l, u) = array::eval(zeros(&[3, 0]).lu()).unwrap();
    assert_eq!((p.to_vec().unwrap(), l.len(), u.len()), (vec![0, 1, 2], 0, 0));
    let (q, r) = array::eval(zeros(&[0, 3]).qr()).unwrap();
    assert_eq!((q.len(), r.len()), (0, 0));
    let (w, z) = array::eval(zeros(&[2, 0, 0]).eigh(Triangle::Lower)).unwrap();
    assert_eq!((w.len(), z.len()), (0, 0));
    let (u, s, vh) = array::eval(zeros(&[3, 0]).svd(true)).unwrap();
    assert_eq!((u.to_vec().unwrap(), s.len(), vh.len()), (vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 0, 0));
    assert!(zeros(&[0, 4]).fft().to_vec().unwrap().is_empty());
    assert!(zeros(&[4, 0]).fft().eval().is_err());
}
