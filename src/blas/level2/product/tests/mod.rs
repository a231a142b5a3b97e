//! Every product, on the host and by every family of kernels on every device, against sums in doubles that are exact.
//!
//! The bound of each element is that of its roundings: |y - y_ref| <= 4 (k + 3) eps (|alpha| |A| |x| + |beta| |y|) for
//! sums of k terms.

mod matrices;
mod plans;

use std::sync::Arc;

use super::run::execute;
use super::*;
use crate::context::{BufferParts, DeviceBuffer, DeviceContext};
use crate::device::DeviceInfo;
use crate::options::Layout;
use crate::scalar::Complex64;
use crate::testing::{assert_close, for_each_type, modulus, sum_tolerance};
use matrices::{Described, Form, Meaning, Strided, narrow, number, wide};

/// Backend of a product.
#[derive(Clone)]
enum Backend {
    Host,
    /// A device, with kernels of a family and the parts of a device with that many units, or with its own plan.
    Device(Arc<DeviceContext>, Option<(ProductFamily, usize)>),
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Backend::Host => f.write_str("the host"),
            Backend::Device(context, family) => write!(f, "{}, {family:?}", context.device().info().name),
        }
    }
}

/// The devices that compute in the type.
fn devices<T: Scalar>() -> Vec<Arc<DeviceContext>> {
    let able = crate::testing::devices().iter().filter(|device| device.info().supports(T::KIND));
    able.map(|device| DeviceContext::for_device(device).unwrap()).collect()
}

/// The host, and each device with each family that runs there.
fn backends<T: Scalar>(units: usize) -> Vec<Backend> {
    let mut backends = vec![Backend::Host];
    for context in devices::<T>() {
        backends.push(Backend::Device(context.clone(), None));
        for family in [ProductFamily::Portable, ProductFamily::Gpu, ProductFamily::Cpu] {
            if family != ProductFamily::Gpu || context.device().info().max_work_group_size >= 128 {
                backends.push(Backend::Device(context.clone(), Some((family, units))));
            }
        }
    }
    backends
}

#[derive(Clone, Copy, Debug)]
struct Case {
    matrix: Described,
    increments: (isize, isize),
    /// Kinds of alpha and beta: 0, 1 or a general value.
    factors: (usize, usize),
}

fn factor(which: usize) -> Complex64 {
    [Complex64::ZERO, Complex64::ONE, Complex64::new(-0.75, 0.5)][which]
}

/// The product, from views of memory that `view` makes.
macro_rules! product_of {
    ($case:expr, $a:expr, $x:expr, $y:expr, $alpha:expr, $beta:expr,
     $matrix:ident, $band:ident, $packed:ident, $vector:ident, $vector_mut:ident) => {{
        let matrix = &$case.matrix;
        let (alpha, beta) = ($alpha, $beta);
        match (matrix.meaning, matrix.form) {
            (Meaning::General(op), Form::Full) => {
                Product::gemv(op, alpha, $matrix($a, matrix.matrix_shape()), $vector($x), beta, $vector_mut($y))
            }
            (Meaning::General(op), _) => {
                Product::gbmv(op, alpha, $band($a, matrix.band_shape()), $vector($x), beta, $vector_mut($y))
            }
            (Meaning::Symmetric(symmetry, triangle), Form::Full) => {
                let a = $matrix($a, matrix.matrix_shape());
                Product::symv(symmetry, triangle, alpha, a, $vector($x), beta, $vector_mut($y))
            }
            (Meaning::Symmetric(symmetry, triangle), Form::Band(..)) => {
                let a = $band($a, matrix.band_shape());
                Product::sbmv(symmetry, triangle, alpha, a, $vector($x), beta, $vector_mut($y))
            }
            (Meaning::Symmetric(symmetry, _), Form::Packed) => {
                let a = $packed($a, matrix.packed_shape());
                Product::spmv(symmetry, alpha, a, $vector($x), beta, $vector_mut($y))
            }
            (Meaning::Triangular(triangle, op, diagonal), Form::Full) => {
                Product::trmv(triangle, op, diagonal, $matrix($a, matrix.matrix_shape()), $vector_mut($y))
            }
            (Meaning::Triangular(triangle, op, diagonal), Form::Band(..)) => {
                Product::tbmv(triangle, op, diagonal, $band($a, matrix.band_shape()), $vector_mut($y))
            }
            (Meaning::Triangular(_, op, diagonal), Form::Packed) => {
                Product::tpmv(op, diagonal, $packed($a, matrix.packed_shape()), $vector_mut($y))
            }
        }
        .unwrap()
    }};
}

fn view<T: Scalar>(vector: &Strided<T>) -> VectorRef<'_, T> {
    VectorRef::from_slice(&vector.data, vector.shape).unwrap()
}

fn view_mut<T: Scalar>(vector: &mut Strided<T>) -> VectorMut<'_, T> {
    VectorMut::from_slice(&mut vector.data, vector.shape).unwrap()
}

fn on_host<T: Scalar>(case: &Case, a: &[T], x: &Strided<T>, y: &mut Strided<T>) {
    let matrix = |a, shape| MatrixRef::from_slice(a, shape).unwrap();
    let band = |a, shape| BandRef::from_slice(a, shape).unwrap();
    let packed = |a, shape| PackedRef::from_slice(a, shape).unwrap();
    let (alpha, beta) = (narrow(factor(case.factors.0)), narrow(factor(case.factors.1)));
    crate::host::level2::product(&product_of!(case, a, x, y, alpha, beta, matrix, band, packed, view, view_mut));
}

fn on_device<T: Scalar>(
    case: &Case,
    context: &Arc<DeviceContext>,
    family: Option<(ProductFamily, usize)>,
    a: &[T],
    x: &Strided<T>,
    y: &mut Strided<T>,
) {
    let queue = Queue::new(context).unwrap();
    let upload = |data: &[T]| {
        let buffer = DeviceBuffer::new(context, size_of_val(data), "a test").unwrap();
        if !data.is_empty() {
            buffer.write(&queue, data).unwrap();
        }
        buffer
    };
    let (a, x_memory, y_memory) = (upload(a), upload(&x.data), upload(&y.data));
    let matrix = |a, shape| MatrixRef::<T>::from_device(a, shape, "a").unwrap();
    let band = |a, shape| BandRef::<T>::from_device(a, shape, "a").unwrap();
    let packed = |a, shape| PackedRef::<T>::from_device(a, shape, "a").unwrap();
    let vector = |shape| VectorRef::<T>::from_device(&x_memory, shape, "x").unwrap();
    let vector_mut = |shape| VectorMut::<T>::from_device(&y_memory, shape, "y").unwrap();
    let (alpha, beta) = (narrow(factor(case.factors.0)), narrow(factor(case.factors.1)));
    let product = product_of!(case, &a, x.shape, y.shape, alpha, beta, matrix, band, packed, vector, vector_mut);
    let event = match family {
        Some((family, units)) if !product.changes_nothing() && product.alpha != T::ZERO => {
            let device_info = DeviceInfo { compute_units: units, ..context.device().info().clone() };
            let plan = match family {
                ProductFamily::Portable => None,
                ProductFamily::Gpu => ProductPlan::gpu(&product.problem, &device_info, 1000),
                ProductFamily::Cpu => ProductPlan::cpu(&product.problem, &device_info, 1000),
            };
            let plan = plan.unwrap_or_else(|| ProductPlan::portable(&product.problem, &device_info));
            execute(&queue, &product, &plan)
        }
        _ => product_on(&queue, &product),
    };
    event.unwrap().wait().unwrap();
    y_memory.read(&queue, &mut y.data).unwrap();
}

/// Exact elements of the result, and the sums of the moduli of their terms.
fn expected<T: Scalar>(case: &Case, x: &Strided<T>, y: &Strided<T>) -> Vec<(Complex64, f64)> {
    let (rows, columns) = case.matrix.size();
    let in_place = matches!(case.matrix.meaning, Meaning::Triangular(..));
    let [alpha, beta] = [case.factors.0, case.factors.1].map(|which| wide(narrow::<T>(factor(which))));
    let (alpha, beta) = if in_place { (Complex64::ONE, Complex64::ZERO) } else { (alpha, beta) };
    (0..rows)
        .map(|i| {
            let (mut sum, mut size) = (Complex64::ZERO, 0.0);
            for j in 0..columns {
                if let Some(a) = case.matrix.element::<T>(i, j) {
                    let x = if in_place { y.element(j) } else { x.element(j) };
                    sum += a * x;
                    size += modulus(a) * modulus(x);
                }
            }
            let (mut value, mut size) =
                if alpha == Complex64::ZERO { (alpha, 0.0) } else { (alpha * sum, alpha.norm() * size) };
            if beta != Complex64::ZERO {
                value += beta * y.element(i);
                size += beta.norm() * y.element(i).norm();
            }
            (value, size)
        })
        .collect()
}

fn check<T: Scalar>(case: &Case, backends: &[Backend]) {
    let (rows, columns) = case.matrix.size();
    let nan = Complex64::new(f64::NAN, f64::NAN);
    let empty = rows == 0 || columns == 0;
    let a = case.matrix.memory::<T>();
    let x_unread = case.factors.0 == 0;
    let in_place = matches!(case.matrix.meaning, Meaning::Triangular(..));
    let x = Strided::<T>::new(columns, case.increments.0, |i| if x_unread { nan } else { number(i, 1) });
    // BLAS: with beta = 0, y is not read.
    let y_unread = case.factors.1 == 0 && !in_place && !empty;
    let y = Strided::<T>::new(rows, case.increments.1, |i| if y_unread { nan } else { number(i, 2) });
    let expected = if empty { (0..rows).map(|i| (y.element(i), 0.0)).collect() } else { expected(case, &x, &y) };
    for backend in backends {
        let mut result = y.clone();
        match backend {
            Backend::Host => on_host(case, &a, &x, &mut result),
            Backend::Device(context, family) => on_device(case, context, *family, &a, &x, &mut result),
        }
        for (i, (value, size)) in expected.iter().enumerate() {
            let tolerance = sum_tolerance::<T>(columns + 3, *size);
            assert_close!(result.element(i), *value, tolerance, "{:?} {i}: {case:?} on {backend:?}", T::KIND);
        }
        assert!(result.canaries_live(), "{:?} canaries: {case:?} on {backend:?}", T::KIND);
    }
}

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const SYMMETRIES: [Symmetry; 2] = [Symmetry::Symmetric, Symmetry::Hermitian];
const DIAGONALS: [Diag; 2] = [Diag::NonUnit, Diag::Unit];
const INCREMENTS: &[(isize, isize)] = &[(1, 1), (-1, 1), (2, -3), (1, -1), (-2, 2), (3, 1)];
/// With factors that are not 0 or 1, beta = 0, beta = 1, and alpha = 0.
const FACTORS: &[(usize, usize)] = &[(2, 2), (2, 0), (1, 1), (2, 1), (1, 2), (0, 2), (1, 0), (0, 0), (0, 1)];

/// All structures of a square matrix, with every option.
fn meanings() -> Vec<Meaning> {
    let mut meanings: Vec<Meaning> = Op::ALL.iter().map(|op| Meaning::General(*op)).collect();
    for triangle in Triangle::ALL {
        meanings.extend(SYMMETRIES.map(|symmetry| Meaning::Symmetric(symmetry, *triangle)));
        for op in Op::ALL {
            meanings.extend(DIAGONALS.map(|diagonal| Meaning::Triangular(*triangle, *op, diagonal)));
        }
    }
    meanings
}

/// Every meaning in every form and layout, each with another mix of increments, factors and gaps.
fn cases(orders: &[usize], bands: &[(usize, usize)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &order in orders {
        for meaning in meanings() {
            let packed = (!matches!(meaning, Meaning::General(_))).then_some(Form::Packed);
            let bands = bands.iter().map(|(lower, upper)| Form::Band(*lower, *upper));
            for form in [Form::Full].into_iter().chain(packed).chain(bands) {
                for layout in LAYOUTS {
                    let mix = cases.len() + cases.len() / 7;
                    let matrix = Described { meaning, form, layout, rows: order, columns: order, gap: [0, 3][mix % 2] };
                    let (increments, factors) = (INCREMENTS[mix % INCREMENTS.len()], FACTORS[mix % FACTORS.len()]);
                    cases.push(Case { matrix, increments, factors });
                }
            }
        }
    }
    cases
}

/// General matrices of other shapes than squares.
fn oblong_cases(sizes: &[(usize, usize)], bands: &[(usize, usize)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &(rows, columns) in sizes {
        for op in Op::ALL {
            let forms = bands.iter().map(|(lower, upper)| Form::Band(*lower, *upper)).chain([Form::Full]);
            for form in forms {
                for layout in LAYOUTS {
                    let mix = cases.len() + cases.len() / 5;
                    let (meaning, gap) = (Meaning::General(*op), [0, 3][mix % 2]);
                    let matrix = Described { meaning, form, layout, rows, columns, gap };
                    let (increments, factors) = (INCREMENTS[mix % INCREMENTS.len()], FACTORS[mix % FACTORS.len()]);
                    cases.push(Case { matrix, increments, factors });
                }
            }
        }
    }
    cases
}

fn check_cases<T: Scalar>(cases: &[Case], step: usize) {
    // With few units sums are undivided, with many they are split into parts.
    let backends = [backends::<T>(1), backends::<T>(60)];
    // Each type has its own share of the cases when they are not all taken.
    let skip = T::KIND as usize % step;
    cases.iter().skip(skip).step_by(step).enumerate().for_each(|(i, case)| check::<T>(case, &backends[i / 3 % 2]));
}

fn check_increments<T: Scalar>() {
    let backends = backends::<T>(4);
    let all = [-3, -1, 1, 2];
    let meanings = [
        Meaning::General(Op::NoTrans),
        Meaning::General(Op::ConjTrans),
        Meaning::Symmetric(Symmetry::Hermitian, Triangle::Lower),
        Meaning::Triangular(Triangle::Upper, Op::Trans, Diag::Unit),
    ];
    for meaning in meanings {
        for incx in all {
            for incy in all {
                let matrix =
                    Described { meaning, form: Form::Full, layout: Layout::ColumnMajor, rows: 70, columns: 70, gap: 1 };
                check::<T>(&Case { matrix, increments: (incx, incy), factors: (2, 2) }, &backends);
            }
        }
    }
}

fn check_infinity<T: Scalar>() {
    // Infinite elements of x meet stored elements only: an element of y that has none of theirs stays finite.
    let (n, infinite) = (150, 75);
    let band = Form::Band(3, 3);
    for meaning in [Meaning::General(Op::NoTrans), Meaning::Symmetric(Symmetry::Symmetric, Triangle::Upper)] {
        for form in [band, Form::Band(40, 40)] {
            let matrix = Described { meaning, form, layout: Layout::ColumnMajor, rows: n, columns: n, gap: 0 };
            let case = Case { matrix, increments: (1, 1), factors: (1, 0) };
            let reach = matrix.diagonals().0.max(matrix.diagonals().1);
            let x = Strided::<T>::new(n, 1, |i| {
                if i == infinite { Complex64::new(f64::INFINITY, 0.0) } else { Complex64::ONE }
            });
            for backend in backends::<T>(4) {
                let mut y = Strided::<T>::new(n, 1, |_| Complex64::ZERO);
                match &backend {
                    Backend::Host => on_host(&case, &matrix.memory(), &x, &mut y),
                    Backend::Device(context, family) => {
                        on_device(&case, context, *family, &matrix.memory(), &x, &mut y)
                    }
                }
                for i in 0..n {
                    let met = i.abs_diff(infinite) <= reach;
                    assert!(met || y.element(i).is_finite(), "{i} of {case:?} on {backend:?}");
                }
            }
        }
    }
}

mod host {
    use super::*;

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        let shape = |rows, columns| crate::view::MatrixShape::new(Layout::RowMajor, rows, columns, 0, columns).unwrap();
        let (data, mut y) = ([1.0_f32; 12], [0.0_f32; 4]);
        let vector = |n| crate::view::VectorShape::new(n, 0, 1).unwrap();
        let mut gemv = |op, x: usize, y_length: usize| {
            let a = MatrixRef::from_slice(&data, shape(3, 4)).unwrap();
            let x = VectorRef::from_slice(&data, vector(x)).unwrap();
            let y = VectorMut::from_slice(&mut y, vector(y_length)).unwrap();
            Product::gemv(op, 1.0, a, x, 0.0, y).map(|product| product.problem.x.length())
        };
        assert_eq!(gemv(Op::NoTrans, 4, 3).unwrap(), 4);
        assert_eq!(gemv(Op::ConjTrans, 3, 4).unwrap(), 3);
        for (op, x, y) in [(Op::NoTrans, 3, 3), (Op::NoTrans, 4, 4), (Op::Trans, 4, 3)] {
            assert!(matches!(gemv(op, x, y), Err(crate::Error::ShapeMismatch(_))));
        }
        let a = MatrixRef::from_slice(&data, shape(3, 4)).unwrap();
        let x = VectorMut::from_slice(&mut y, vector(3)).unwrap();
        let result = Product::trmv(Triangle::Upper, Op::NoTrans, Diag::NonUnit, a, x);
        assert!(matches!(result.err(), Some(crate::Error::ShapeMismatch(_))));
    }
}

mod device {
    use super::*;

    #[test]
    fn square_matrices_give_exact_sums() {
        let cases = cases(&[1, 2, 17, 33, 130], &[(0, 0), (3, 2), (12, 40), (200, 140)]);
        for_each_type!(check_cases(&cases, 1));
    }

    #[test]
    fn oblong_matrices_give_exact_sums() {
        let sizes = [(0, 5), (5, 0), (1, 9), (9, 1), (7, 140), (140, 7), (129, 65), (40, 300)];
        let cases = oblong_cases(&sizes, &[(0, 0), (3, 1), (1, 60), (45, 20), (400, 0)]);
        for_each_type!(check_cases(&cases, 1));
    }

    /// Orders beyond a tile, a chunk and a slice of every family.
    #[test]
    fn large_matrices_give_exact_sums() {
        let cases = cases(&[700, 1100], &[(70, 90)]);
        for_each_type!(check_cases(&cases, 23));
        let cases = oblong_cases(&[(5000, 12), (12, 5000), (2100, 300)], &[(100, 70)]);
        for_each_type!(check_cases(&cases, 5));
    }

    #[test]
    fn increments_of_both_signs_walk_as_blas_has_it() {
        for_each_type!(check_increments());
    }

    #[test]
    fn what_is_not_stored_is_not_multiplied() {
        for_each_type!(check_infinity());
    }
}

mod device_small {
    use super::*;

    #[test]
    fn square_matrices_give_exact_sums() {
        let cases = cases(&[5, 19], &[(2, 1), (0, 0)]);
        for_each_type!(check_cases(&cases, 13));
    }

    #[test]
    fn oblong_matrices_give_exact_sums() {
        let cases = oblong_cases(&[(3, 17), (17, 3), (1, 1)], &[(2, 1), (30, 0)]);
        for_each_type!(check_cases(&cases, 7));
    }
}
