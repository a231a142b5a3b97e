//! Triangular solves on the host and on every device, with every plan.
//!
//! The bound holds for substitution in any order (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 8.5):
//! |op(A) x - b| <= c (n + 2) eps |op(A)| |x| for each equation. c is 1 for real and 4 for complex types, whose
//! products are sums of two. The residual is computed in twice the precision of doubles.

use super::*;
use crate::blas::level2::testing::{Form, Matrix, Vector, download, queues, same, upload, wide};
use crate::error::Error;
use crate::options::Layout;
use crate::route;
use crate::scalar::Complex64;
use crate::testing::{for_each_type, is_close, modulus};
use crate::view::VectorShape;

/// A sum in about twice the precision of doubles (Ogita, Rump and Oishi, 2005).
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.high + value;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (value - part);
        self.high = sum;
    }

    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.low += a.mul_add(b, -product);
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Storage {
    Full,
    Band(usize),
    Packed,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    storage: Storage,
    n: usize,
    layout: Layout,
    triangle: Triangle,
    op: Op,
    diagonal: Diag,
    increment: isize,
    /// Rows and columns differ in scale by many powers of two.
    graded: bool,
}

/// Backend of a solve: the host, a device by its own plan, or a device by a given one.
enum Backend<'a> {
    Host,
    Device(&'a Queue),
    Planned(&'a Queue, SolvePlan),
}

impl Backend<'_> {
    /// Simulated devices, and rusticl's compiler, are slow: they run every seventh or third case, a different one for
    /// each type and plan.
    fn stride(&self) -> usize {
        let (Backend::Device(queue) | Backend::Planned(queue, _)) = self else { return 1 };
        match queue.context().device().info().platform.as_str() {
            "Oclgrind" => 7,
            "rusticl" => 3,
            _ => 1,
        }
    }
}

macro_rules! call {
    ($backend:expr, $route:ident, $solve:expr, ($($argument:expr),*)) => {
        match $backend {
            Backend::Host | Backend::Device(_) => route::$route($($argument),*).and_then(|event| event.wait()),
            Backend::Planned(queue, plan) => execute(queue, &$solve?, plan).and_then(|event| event.wait()),
        }
    };
}

impl Case {
    fn form(&self) -> Form {
        match self.storage {
            Storage::Full => Form::full(self.layout, self.n, self.n),
            Storage::Band(reach) => Form::band(self.layout, self.triangle, self.n, reach),
            Storage::Packed => Form::packed(self.layout, self.triangle, self.n),
        }
    }

    /// True if element (i, j) of A can be nonzero.
    fn has(&self, i: usize, j: usize) -> bool {
        let reach = if let Storage::Band(reach) = self.storage { reach } else { self.n };
        if self.triangle == Triangle::Upper { i <= j && j - i <= reach } else { i >= j && i - j <= reach }
    }

    /// A well-conditioned triangle, graded or not, with canaries in place of a unit diagonal.
    fn matrix<T: Scalar>(&self) -> Matrix<T> {
        let reach = if let Storage::Band(reach) = self.storage { reach.min(self.n) } else { self.n };
        let grade = |k: usize| if self.graded { 2.0_f64.powi((k * 7 % 17) as i32 - 8) } else { 1.0 };
        Matrix::new(self.form(), (self.n, self.n), |i, j| {
            let (re, im) = (unit(2 * (i * 2003 + j)), unit(2 * (i * 2003 + j) + 1));
            let (size, unit_diagonal) = (grade(i) * grade(j + 3), self.diagonal == Diag::Unit);
            let value = match i == j {
                true if unit_diagonal => T::from_parts(f64::NAN, f64::NAN),
                true => T::from_parts(size * (2.0 + re), size * (1.0 + im)),
                // A unit diagonal does not grow with a graded matrix.
                false if unit_diagonal => T::from_parts(re / reach as f64, im / reach as f64),
                false => T::from_parts(2.0 * size * re / reach as f64, 2.0 * size * im / reach as f64),
            };
            self.has(i, j).then_some(value)
        })
    }

    /// The memory of x after the solve.
    fn solve<T: Scalar>(&self, backend: &Backend<'_>, a: &Matrix<T>, x: &Vector<T>) -> Result<Vec<T>> {
        let Case { triangle, op, diagonal, .. } = *self;
        let mut data = x.data.clone();
        let memory = match backend {
            Backend::Host => None,
            Backend::Device(queue) | Backend::Planned(queue, _) => {
                Some((*queue, upload(queue, &a.data), upload(queue, &data)))
            }
        };
        let x = match &memory {
            None => VectorMut::from_slice(&mut data, x.shape)?,
            Some((_, _, x_memory)) => VectorMut::from_device(x_memory, x.shape, "x")?,
        };
        let a_memory = memory.as_ref().map(|(_, a_memory, _)| a_memory);
        match a.form {
            Form::Full(shape) => {
                let from = |memory| MatrixRef::from_device(memory, shape, "A");
                let a = a_memory.map_or_else(|| MatrixRef::from_slice(&a.data, shape), from)?;
                call!(backend, trsv, Solve::full(triangle, op, diagonal, a, x), (triangle, op, diagonal, a, x))?;
            }
            Form::Band(shape) => {
                let from = |memory| BandRef::from_device(memory, shape, "A");
                let a = a_memory.map_or_else(|| BandRef::from_slice(&a.data, shape), from)?;
                call!(backend, tbsv, Solve::band(triangle, op, diagonal, a, x), (triangle, op, diagonal, a, x))?;
            }
            Form::Packed(shape) => {
                let from = |memory| PackedRef::from_device(memory, shape, "A");
                let a = a_memory.map_or_else(|| PackedRef::from_slice(&a.data, shape), from)?;
                call!(backend, tpsv, Solve::packed(op, diagonal, a, x), (op, diagonal, a, x))?;
            }
        }
        Ok(match &memory {
            None => data,
            Some((queue, _, x_memory)) => download(queue, x_memory, data.len()),
        })
    }

    /// Element (i, j) of op(A).
    fn op_element<T: Scalar>(&self, a: &Matrix<T>, i: usize, j: usize) -> Complex64 {
        let (i, j) = if self.op.transposes() { (j, i) } else { (i, j) };
        let value = match i == j {
            true if self.diagonal == Diag::Unit => Complex64::ONE,
            _ if self.has(i, j) => wide(a.element(i, j)),
            _ => Complex64::ZERO,
        };
        if self.op.conjugates() { value.conj() } else { value }
    }
}

/// A number in (-1, 1).
fn unit(k: usize) -> f64 {
    ((k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / (1 << 23) as f64 - 1.0
}

fn check<T: Scalar>(backend: &Backend<'_>, case: Case) {
    let what = || {
        let backend = match backend {
            Backend::Host => "the host".to_owned(),
            Backend::Device(queue) => queue.context().device().info().name.clone(),
            Backend::Planned(queue, plan) => format!("{} by {plan:?}", queue.context().device().info().name),
        };
        format!("{case:?} of {} on {backend}", T::KIND.letter())
    };
    let a = case.matrix::<T>();
    let b = Vector::<T>::new(case.n, case.increment, |i| T::from_parts(unit(7 * i + 1), unit(7 * i + 4)));
    let x = Vector { data: case.solve(backend, &a, &b).unwrap(), shape: b.shape };
    assert!(b.surroundings_equal(&x.data), "{}: what surrounds x", what());
    let factor = if T::KIND.is_complex() { 4.0 } else { 1.0 };
    for i in 0..case.n {
        let (mut re, mut im, mut size) = (Sum::default(), Sum::default(), 0.0);
        re.add(-b.element(i).re());
        im.add(-b.element(i).im());
        for j in 0..case.n {
            let (a, x) = (case.op_element(&a, i, j), wide(x.element(j)));
            if a == Complex64::ZERO {
                continue;
            }
            re.add_product(a.re, x.re);
            re.add_product(-a.im, x.im);
            im.add_product(a.re, x.im);
            im.add_product(a.im, x.re);
            size += modulus(a) * modulus(x);
        }
        let residual = re.value().hypot(im.value());
        let bound = factor * (case.n + 2) as f64 * T::EPSILON * size;
        assert!(residual <= bound, "{}: equation {i} is off by {residual}, more than {bound}", what());
    }
}

/// All options of all storages, each with an increment and a grading by turns.
fn cases(orders: &[usize], bands: impl Fn(usize) -> Vec<usize>) -> Vec<Case> {
    let mut cases = Vec::new();
    for &n in orders {
        let storages = [Storage::Full, Storage::Packed].into_iter().chain(bands(n).into_iter().map(Storage::Band));
        for storage in storages {
            for layout in [Layout::ColumnMajor, Layout::RowMajor] {
                for triangle in Triangle::ALL {
                    for op in Op::ALL {
                        for diagonal in Diag::ALL {
                            let case_index = cases.len() + cases.len() / 16;
                            let (increment, graded) = ([1, -1, 3, -2][case_index % 4], case_index % 3 == 0);
                            let (triangle, op, diagonal) = (*triangle, *op, *diagonal);
                            cases.push(Case { storage, n, layout, triangle, op, diagonal, increment, graded });
                        }
                    }
                }
            }
        }
    }
    cases
}

fn check_all<T: Scalar>(cases: &[Case], planned: bool) {
    let queues = queues::<T>();
    let mut backends = vec![Backend::Host];
    for queue in &queues {
        backends.push(Backend::Device(queue));
        if planned {
            // Small blocks of every class, so that there are many of them.
            backends.push(Backend::Planned(queue, SolvePlan::Vectors { block: 8 }));
            backends.push(Backend::Planned(queue, SolvePlan::Group { block: 16, threads: 32 }));
        }
    }
    for (case_index, backend) in backends.iter().enumerate() {
        let stride = backend.stride();
        let first = (case_index + T::KIND as usize) % stride;
        cases.iter().skip(first).step_by(stride).for_each(|case| check::<T>(backend, *case));
    }
}

fn check_exact<T: Scalar>() {
    let case = Case {
        storage: Storage::Full,
        n: 3,
        layout: Layout::ColumnMajor,
        triangle: Triangle::Lower,
        op: Op::NoTrans,
        diagonal: Diag::NonUnit,
        increment: 1,
        graded: false,
    };
    let queues = queues::<T>();
    let real = |value: f64| T::from_parts(value, 0.0);
    let mut backends = vec![Backend::Host];
    for queue in &queues {
        backends.push(Backend::Device(queue));
        backends.push(Backend::Planned(queue, SolvePlan::Vectors { block: 8 }));
        backends.push(Backend::Planned(queue, SolvePlan::Group { block: 16, threads: 32 }));
    }
    let solve = |backend: &Backend<'_>, diagonal: [f64; 3], b: [f64; 3]| {
        let a = Matrix::new(case.form(), (3, 3), |i, j| (i >= j).then(|| real(if i == j { diagonal[i] } else { 1.0 })));
        let x = Vector::new(3, 1, |i| real(b[i]));
        let x = Vector { data: case.solve(backend, &a, &x).unwrap(), shape: x.shape };
        [0, 1, 2].map(|i| x.element(i))
    };
    for backend in &backends {
        // Quotients are exact but for the 2.5 ulp that OpenCL allows a division of floats, also where the divisor's
        // reciprocal is no number.
        let near = |found: [T; 3], expected: [f64; 3]| {
            let close = |(x, value): (T, f64)| is_close(x.re(), value, 4.0 * T::EPSILON * value) && x.im() == 0.0;
            assert!(found.into_iter().zip(expected).all(close), "{found:?}, not {expected:?}");
        };
        near(solve(backend, [3.0, 7.0, 49.0], [6.0, 23.0, 152.0]), [2.0, 3.0, 3.0]);
        let (tiny, huge) = (2.0_f64.powi(-120), 2.0_f64.powi(120));
        near(solve(backend, [tiny, huge, 1.0], [3.0 * tiny, 3.0 + huge, 7.0]), [3.0, 1.0, 3.0]);
        // BLAS: singular or not, it is divided. Infinity times one is subtracted from what follows.
        let [x, y, z] = solve(backend, [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]);
        assert!(!x.finite() && !y.finite() && !z.finite(), "{x:?} {y:?} {z:?}");
        // A nonfinite unknown only affects those that depend on it.
        let [x, y, z] = solve(backend, [1.0, 1.0, 0.0], [1.0, 3.0, 5.0]);
        assert!(x == real(1.0) && y == real(2.0) && !z.finite(), "{x:?} {y:?} {z:?}");
    }
}

mod host {
    use super::*;

    #[test]
    fn small_empty_and_misfitting_operands_are_told_apart() {
        let mut none: [f32; 0] = [];
        let empty = VectorShape::new(0, 0, 1).unwrap();
        let shape = |n| crate::view::MatrixShape::new(Layout::ColumnMajor, n, n, 0, n.max(1)).unwrap();
        let x = VectorMut::from_slice(&mut none, empty).unwrap();
        route::trsv(Triangle::Upper, Op::NoTrans, Diag::NonUnit, MatrixRef::from_slice(&[], shape(0)).unwrap(), x)
            .unwrap()
            .wait()
            .unwrap();
        let (data, mut x) = ([1.0_f32; 9], [1.0_f32; 2]);
        let a = MatrixRef::from_slice(&data, shape(3)).unwrap();
        let short = VectorMut::from_slice(&mut x, VectorShape::new(2, 0, 1).unwrap()).unwrap();
        let result = route::trsv(Triangle::Upper, Op::NoTrans, Diag::NonUnit, a, short);
        assert!(matches!(result, Err(Error::ShapeMismatch(_))) && same(x[0], 1.0), "{result:?}");
    }
}

mod device {
    use super::*;

    /// Orders and bands on both sides of the blocks of each class.
    #[test]
    fn triangles_are_solved_with() {
        for_each_type!(check_all(&cases(&[2, 17, 150], |n| vec![1, 2, 9, 15, 16, 17, n + 3]), true));
    }

    #[test]
    fn triangles_of_several_blocks_are_solved_with() {
        fn check_case<T: Scalar>() {
            // Every third one: all options of all storages come up in some type.
            let cases = cases(&[700], |_| vec![3, 130, 520]).into_iter().skip(T::KIND as usize % 3).step_by(3);
            check_all::<T>(&cases.collect::<Vec<_>>(), false);
        }
        for_each_type!(check_case());
    }

    /// The plan that GPUs get, on every device.
    #[test]
    fn triangles_are_solved_with_as_on_a_gpu() {
        fn check_group<T: Scalar>() {
            for queue in &queues::<T>() {
                let plan = SolvePlan::group(T::KIND, queue.context().device().info());
                let cases = cases(&[300], |_| vec![5, 127, 128, 129, 200]);
                // Every third one: all options of all storages come up in some type.
                let first = T::KIND as usize % 3;
                cases.iter().skip(first).step_by(3).for_each(|case| check::<T>(&Backend::Planned(queue, plan), *case));
            }
        }
        for_each_type!(check_group());
    }
}

mod device_small {
    use super::*;

    #[test]
    fn triangles_are_solved_with() {
        for_each_type!(check_all(&cases(&[1, 37], |n| vec![0, n / 3]), true));
    }

    #[test]
    fn quotients_are_those_of_blas() {
        for_each_type!(check_exact());
    }

    /// A zero on the diagonal of a band spoils what depends on it, and nothing else.
    #[test]
    fn bands_keep_infinities_within_reach() {
        let mut case = Case {
            storage: Storage::Band(2),
            n: 40,
            layout: Layout::ColumnMajor,
            triangle: Triangle::Lower,
            op: Op::NoTrans,
            diagonal: Diag::NonUnit,
            increment: 1,
            graded: false,
        };
        let queues = queues::<f32>();
        let mut backends = vec![Backend::Host];
        for queue in &queues {
            backends.push(Backend::Device(queue));
            backends.push(Backend::Planned(queue, SolvePlan::Vectors { block: 8 }));
            backends.push(Backend::Planned(queue, SolvePlan::Group { block: 16, threads: 32 }));
        }
        for backend in &backends {
            for op in [Op::NoTrans, Op::Trans] {
                case.op = op;
                // Unknown 20 is infinite. Those after it (before it, in the transpose) see it through zeros only.
                let a = Matrix::<f32>::new(case.form(), (40, 40), |i, j| {
                    let value = if i == j {
                        if i == 20 { 0.0 } else { 2.0 }
                    } else if i / 21 == j / 21 {
                        1.0
                    } else {
                        0.0
                    };
                    case.has(i, j).then_some(value)
                });
                let b = Vector::new(40, 1, |_| 1.0);
                let x = Vector { data: case.solve(backend, &a, &b).unwrap(), shape: b.shape };
                let untouched = if op == Op::NoTrans { (0..20).chain(23..23) } else { (21..40).chain(0..0) };
                untouched.for_each(|i| assert!(x.element(i).is_finite(), "{op:?}: {i}"));
                assert!(!x.element(20).is_finite());
            }
        }
    }
}
