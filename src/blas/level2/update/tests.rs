//! Every update, on the host and on every device, with every plan.
//!
//! All values have few bits, so that every product and sum is exact in every type: results are compared for equality.

use super::*;
use crate::blas::level2::testing::{Form, Matrix, Vector, download, queues, same, upload, wide};
use crate::error::Error;
use crate::options::{Layout, Symmetry, Triangle};
use crate::route;
use crate::scalar::Complex64;
use crate::testing::for_each_type;
use crate::view::{MatrixMut, MatrixShape, PackedMut, VectorRef, VectorShape};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Routine {
    Ger,
    Gerc,
    Syr,
    Her,
    Syr2,
    Her2,
    Spr,
    Hpr,
    Spr2,
    Hpr2,
}
use Routine::*;

const GENERAL: [Routine; 2] = [Ger, Gerc];
const TRIANGLES: [Routine; 8] = [Syr, Her, Syr2, Her2, Spr, Hpr, Spr2, Hpr2];
const INCREMENTS: &[(isize, isize)] = &[(1, 1), (2, -1), (-3, 2), (-1, -2)];

impl Routine {
    fn packed(self) -> bool {
        matches!(self, Spr | Hpr | Spr2 | Hpr2)
    }

    fn hermitian(self) -> bool {
        matches!(self, Her | Her2 | Hpr | Hpr2)
    }

    /// Expected increase of element (i, j).
    fn growth(
        self,
        alpha: Complex64,
        x: impl Fn(usize) -> Complex64,
        y: impl Fn(usize) -> Complex64,
        (i, j): (usize, usize),
    ) -> Complex64 {
        match self {
            Ger => alpha * x(i) * y(j),
            Gerc => alpha * x(i) * y(j).conj(),
            Syr | Spr => alpha * x(i) * x(j),
            Her | Hpr => alpha.re * x(i) * x(j).conj(),
            Syr2 | Spr2 => alpha * x(i) * y(j) + alpha * y(i) * x(j),
            Her2 | Hpr2 => alpha * x(i) * y(j).conj() + alpha.conj() * y(i) * x(j).conj(),
        }
    }
}

/// A multiple of 1/16 between -2 and 2.
fn number<T: Scalar>(i: usize, j: usize, seed: usize) -> T {
    let part = |k: usize| ((k * 7919 + i * 104_729 + j * 1_299_709 + seed * 15_485_863) % 65) as f64 / 16.0 - 2.0;
    T::from_parts(part(1), part(2))
}

/// Backend of an operation: the host, a device by its own plan, or a device by a given one.
enum Backend<'a> {
    Host,
    Device(&'a Queue),
    Planned(&'a Queue, UpdatePlan),
}

macro_rules! call {
    ($backend:expr, $route:ident, $update:expr, ($($argument:expr),*)) => {
        match $backend {
            Backend::Host | Backend::Device(_) => route::$route($($argument),*).and_then(|event| event.wait()),
            Backend::Planned(queue, plan) => execute(queue, &$update?, plan).and_then(|event| event.wait()),
        }
    };
}

fn general<T: Scalar>(
    backend: &Backend<'_>,
    routine: Routine,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<()> {
    match routine {
        Ger => call!(backend, ger, Update::ger(false, alpha, x, y, a), (alpha, x, y, a)),
        _ => call!(backend, gerc, Update::ger(true, alpha, x, y, a), (alpha, x, y, a)),
    }
}

fn triangle<T: Scalar>(
    backend: &Backend<'_>,
    routine: Routine,
    t: Triangle,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: MatrixMut<'_, T>,
) -> Result<()> {
    let real = T::RealScalar::from_parts(alpha.re(), 0.0);
    let one = |symmetry, alpha, a| Update::syr(symmetry, t, alpha, x, a);
    let two = |symmetry, a| Update::syr2(symmetry, t, alpha, x, y, a);
    match routine {
        Syr => call!(backend, syr, one(Symmetry::Symmetric, alpha, a), (t, alpha, x, a)),
        Her => call!(backend, her, one(Symmetry::Hermitian, T::ONE.scaled(real), a), (t, real, x, a)),
        Syr2 => call!(backend, syr2, two(Symmetry::Symmetric, a), (t, alpha, x, y, a)),
        _ => call!(backend, her2, two(Symmetry::Hermitian, a), (t, alpha, x, y, a)),
    }
}

fn packed<T: Scalar>(
    backend: &Backend<'_>,
    routine: Routine,
    alpha: T,
    x: VectorRef<'_, T>,
    y: VectorRef<'_, T>,
    a: PackedMut<'_, T>,
) -> Result<()> {
    let real = T::RealScalar::from_parts(alpha.re(), 0.0);
    let one = |symmetry, alpha, a| Update::spr(symmetry, alpha, x, a);
    let two = |symmetry, a| Update::spr2(symmetry, alpha, x, y, a);
    match routine {
        Spr => call!(backend, spr, one(Symmetry::Symmetric, alpha, a), (alpha, x, a)),
        Hpr => call!(backend, hpr, one(Symmetry::Hermitian, T::ONE.scaled(real), a), (real, x, a)),
        Spr2 => call!(backend, spr2, two(Symmetry::Symmetric, a), (alpha, x, y, a)),
        _ => call!(backend, hpr2, two(Symmetry::Hermitian, a), (alpha, x, y, a)),
    }
}

/// The memory of A after the routine.
fn result<T: Scalar>(
    backend: &Backend<'_>,
    routine: Routine,
    t: Triangle,
    alpha: T,
    x: &Vector<T>,
    y: &Vector<T>,
    a: &Matrix<T>,
) -> Result<Vec<T>> {
    let queue = match backend {
        Backend::Host => {
            let mut data = a.data.clone();
            let (x, y) = (VectorRef::from_slice(&x.data, x.shape)?, VectorRef::from_slice(&y.data, y.shape)?);
            match a.form {
                Form::Full(shape) if GENERAL.contains(&routine) => {
                    general(backend, routine, alpha, x, y, MatrixMut::from_slice(&mut data, shape)?)?;
                }
                Form::Full(shape) => {
                    triangle(backend, routine, t, alpha, x, y, MatrixMut::from_slice(&mut data, shape)?)?
                }
                Form::Packed(shape) => packed(backend, routine, alpha, x, y, PackedMut::from_slice(&mut data, shape)?)?,
                Form::Band(_) => unreachable!("no update is of a band"),
            }
            return Ok(data);
        }
        Backend::Device(queue) | Backend::Planned(queue, _) => queue,
    };
    let (x_memory, y_memory, memory) = (upload(queue, &x.data), upload(queue, &y.data), upload(queue, &a.data));
    let (x, y) = (VectorRef::from_device(&x_memory, x.shape, "x")?, VectorRef::from_device(&y_memory, y.shape, "y")?);
    match a.form {
        Form::Full(shape) if GENERAL.contains(&routine) => {
            general(backend, routine, alpha, x, y, MatrixMut::from_device(&memory, shape, "A")?)?;
        }
        Form::Full(shape) => triangle(backend, routine, t, alpha, x, y, MatrixMut::from_device(&memory, shape, "A")?)?,
        Form::Packed(shape) => packed(backend, routine, alpha, x, y, PackedMut::from_device(&memory, shape, "A")?)?,
        Form::Band(_) => unreachable!("no update is of a band"),
    }
    Ok(download(queue, &memory, a.data.len()))
}

#[derive(Clone, Copy, Debug)]
struct Case {
    routine: Routine,
    layout: Layout,
    triangle: Triangle,
    rows: usize,
    columns: usize,
    increments: (isize, isize),
}

fn check<T: Scalar>(backend: &Backend<'_>, case: Case) {
    let Case { routine, layout, rows, columns, .. } = case;
    let form =
        if routine.packed() { Form::packed(layout, case.triangle, rows) } else { Form::full(layout, rows, columns) };
    let a = Matrix::<T>::new(form, (rows, columns), |i, j| {
        let stored = GENERAL.contains(&routine) || if case.triangle == Triangle::Upper { i <= j } else { i >= j };
        let value: T = number(i, j, 1);
        // The imaginary part of a Hermitian diagonal is not read.
        let value = if routine.hermitian() && i == j { T::from_parts(value.re(), f64::NAN) } else { value };
        stored.then_some(value)
    });
    let (x, y) = (
        Vector::new(rows, case.increments.0, |i| number(i, 0, 2)),
        Vector::new(columns, case.increments.1, |i| number(i, 0, 3)),
    );
    let alpha = T::from_parts(-0.75, 0.5);
    let what = || {
        let backend = match backend {
            Backend::Host => "the host".to_owned(),
            Backend::Device(queue) => queue.context().device().info().name.clone(),
            Backend::Planned(queue, plan) => format!("{} by {plan:?}", queue.context().device().info().name),
        };
        format!("{case:?} of {} on {backend}", T::KIND.letter())
    };
    let after = result(backend, routine, case.triangle, alpha, &x, &y, &a).unwrap();
    let found = Matrix { data: after, ..a.clone() };
    for &(i, j) in &a.stored {
        let growth = routine.growth(wide(alpha), |i| wide(x.element(i)), |i| wide(y.element(i)), (i, j));
        let mut expected = wide(a.element(i, j)) + growth;
        if routine.hermitian() && i == j {
            expected.im = 0.0;
        }
        assert!(
            wide(found.element(i, j)) == expected,
            "{}: ({i}, {j}) is {:?} for {expected}",
            what(),
            found.element(i, j)
        );
    }
    assert!(a.surroundings_equal(&found.data), "{}: what surrounds A", what());
}

/// All routines with all options.
fn check_all<T: Scalar>(backends: &[Backend<'_>], general: &[(usize, usize)], orders: &[usize]) {
    let mut cases = Vec::new();
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        let sizes = general.iter().flat_map(|size| GENERAL.map(|routine| (routine, *size)));
        let squares = orders.iter().flat_map(|n| TRIANGLES.map(|routine| (routine, (*n, *n))));
        for (index, (routine, (rows, columns))) in sizes.chain(squares).enumerate() {
            for (case_index, triangle) in Triangle::ALL.iter().enumerate() {
                let increments = INCREMENTS[(index + case_index) % INCREMENTS.len()];
                cases.push(Case { routine, layout, triangle: *triangle, rows, columns, increments });
            }
        }
    }
    for backend in backends {
        cases.iter().for_each(|case| check::<T>(backend, *case));
    }
}

/// On the host, on every device by its own plan, and by small plans of every class with several groups.
fn check_sizes<T: Scalar>(general: &[(usize, usize)], orders: &[usize]) {
    let queues = queues::<T>();
    let mut all = vec![Backend::Host];
    for queue in &queues {
        all.push(Backend::Device(queue));
        all.push(Backend::Planned(queue, UpdatePlan::Columns { groups: 3, parts: 2 }));
        all.push(Backend::Planned(queue, UpdatePlan::Tiles { threads: [8, 2], run: 4 }));
    }
    check_all::<T>(&all, general, orders);
}

fn check_nothing<T: Scalar>() {
    let queues = queues::<T>();
    let all: Vec<_> = std::iter::once(Backend::Host).chain(queues.iter().map(Backend::Device)).collect();
    let nan = |_| T::from_parts(f64::NAN, f64::NAN);
    for backend in &all {
        for routine in GENERAL.into_iter().chain(TRIANGLES) {
            for (n, alpha) in [(4, T::ZERO), (0, T::ONE)] {
                let form = if routine.packed() {
                    Form::packed(Layout::ColumnMajor, Triangle::Upper, n)
                } else {
                    Form::full(Layout::ColumnMajor, n, n)
                };
                // BLAS: with alpha = 0 not even the diagonal is touched, and NaN in the vectors does no harm.
                let a = Matrix::<T>::new(form, (n, n), |i, j| (i <= j).then(|| number(i, j, 1)));
                let (x, y) = (Vector::new(n, 1, nan), Vector::new(n, 1, nan));
                let after = result(backend, routine, Triangle::Upper, alpha, &x, &y, &a).unwrap();
                assert!(a.data.iter().zip(after).all(|(before, after)| same(*before, after)), "{routine:?}");
            }
        }
    }
}

mod host {
    use super::*;

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let shape = |rows, columns| MatrixShape::new(Layout::ColumnMajor, rows, columns, 0, rows).unwrap();
        let vector = |n: usize| VectorShape::new(n, 0, 1).unwrap();
        let (four, three, mut data) = ([1.0_f64; 4], [1.0_f64; 3], [1.0_f64; 16]);
        let x = VectorRef::from_slice(&four, vector(4)).unwrap();
        let y = VectorRef::from_slice(&three, vector(3)).unwrap();
        let refused = |result: Result<Event>| assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
        refused(route::ger(1.0, y, x, MatrixMut::from_slice(&mut data, shape(4, 3)).unwrap()));
        refused(route::gerc(1.0, x, x, MatrixMut::from_slice(&mut data, shape(4, 3)).unwrap()));
        refused(route::syr(Triangle::Upper, 1.0, x, MatrixMut::from_slice(&mut data, shape(4, 3)).unwrap()));
        refused(route::her(Triangle::Upper, 1.0, x, MatrixMut::from_slice(&mut data, shape(3, 3)).unwrap()));
        refused(route::syr2(Triangle::Lower, 1.0, x, y, MatrixMut::from_slice(&mut data, shape(4, 4)).unwrap()));
        assert_eq!(data, [1.0; 16]);
    }
}

mod device {
    use super::*;

    #[test]
    fn updates_are_exact() {
        for_each_type!(check_sizes(&[(70, 33), (33, 300), (300, 3)], &[2, 33, 130, 300]));
    }

    /// Sizes beyond the switches of the plans: a CPU's parts of rows, a GPU's higher tiles.
    #[test]
    fn large_updates_are_exact() {
        let queues = queues::<f32>();
        let all: Vec<_> = std::iter::once(Backend::Host).chain(queues.iter().map(Backend::Device)).collect();
        for (routine, rows, columns) in
            [(Ger, 40_000, 2), (Ger, 4100, 37), (Gerc, 2, 9000), (Spr2, 4100, 4100), (Syr, 1500, 1500)]
        {
            for triangle in Triangle::ALL {
                let case =
                    Case { routine, layout: Layout::RowMajor, triangle: *triangle, rows, columns, increments: (1, -1) };
                all.iter().for_each(|backend| check::<f32>(backend, case));
            }
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn updates_are_exact() {
        for_each_type!(check_sizes(&[(1, 1), (5, 3), (2, 40)], &[1, 7, 37]));
    }

    #[test]
    fn updates_with_nothing_to_do_change_nothing() {
        for_each_type!(check_nothing());
    }
}
