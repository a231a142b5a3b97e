//! Packed and rectangular full packed storage: results are those of full matrices, on the host and in a device's
//! memory.

use super::*;
use crate::options::{Diag, Norm, Op, Side, Triangle};
use crate::testing::{filled, for_each_type};
use crate::view::{MatrixMut, MatrixRef, MatrixShape, PackedMut, PackedRef, PackedShape};
use crate::{Error, Result};

const ORDERS: [usize; 8] = [0, 1, 2, 3, 6, 7, 16, 37];
const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const COLUMNS: usize = 3;

/// A matrix by columns.
#[derive(Clone, Debug, PartialEq)]
struct Dense<T> {
    data: Vec<T>,
    rows: usize,
    columns: usize,
}

impl<T: Scalar> Dense<T> {
    fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Self {
        let data = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| element(i, j)).collect();
        Dense { data, rows, columns }
    }

    fn shape(&self) -> MatrixShape {
        MatrixShape::new(Layout::ColumnMajor, self.rows, self.columns, 0, self.rows.max(1)).unwrap()
    }

    fn view(&self) -> MatrixRef<'_, T> {
        MatrixRef::from_slice(&self.data, self.shape()).unwrap()
    }

    fn view_mut(&mut self) -> MatrixMut<'_, T> {
        let shape = self.shape();
        MatrixMut::from_slice(&mut self.data, shape).unwrap()
    }
}

/// The triangle's elements in BLAS's order, from the textbook formula.
fn packed<T: Scalar>(layout: Layout, triangle: Triangle, full: &Dense<T>) -> Vec<T> {
    let n = full.rows;
    let mut elements = vec![T::ZERO; n * (n + 1) / 2];
    for j in 0..n {
        for i in 0..n {
            if if triangle == Triangle::Upper { i > j } else { i < j } {
                continue;
            }
            // By columns; a row-major triangle is its transpose's by columns.
            let ((i, j), triangle, (row, column)) = match layout {
                Layout::ColumnMajor => ((i, j), triangle, (i, j)),
                Layout::RowMajor => ((j, i), triangle.transposed(), (i, j)),
            };
            let index = match triangle {
                Triangle::Upper => i + j * (j + 1) / 2,
                Triangle::Lower => i + j * (2 * n - j - 1) / 2,
            };
            elements[index] = full.data[row + column * n];
        }
    }
    elements
}

/// A Hermitian (or complex symmetric) matrix, positive definite where its diagonal is shifted.
fn symmetric<T: Scalar>(n: usize, is_hermitian: bool, shift: f64) -> Dense<T> {
    let random = filled::<T>(n, n, 5);
    Dense::from_fn(n, n, |i, j| {
        let mirrored = if is_hermitian { random[(j, i)].conjugate() } else { random[(j, i)] };
        let sum = random[(i, j)] + mirrored;
        if i == j { sum + T::from_parts(shift, 0.0) } else { sum }
    })
}

fn right_hand_sides<T: Scalar>(n: usize) -> Dense<T> {
    let random = filled::<T>(n, COLUMNS, 9);
    Dense::from_fn(n, COLUMNS, |i, j| random[(i, j)])
}

fn shape_of(layout: Layout, triangle: Triangle, n: usize) -> PackedShape {
    PackedShape::new(layout, triangle, n, 0).unwrap()
}

fn info_of(result: Result<()>) -> i32 {
    result.map_or_else(|error| error.status(), |()| 0)
}

/// `transr` of a type.
fn transposed<T: Scalar>() -> Op {
    if T::KIND.is_complex() { Op::ConjTrans } else { Op::Trans }
}

fn each_triangle(mut check: impl FnMut(usize, Layout, Triangle)) {
    for n in ORDERS {
        for layout in LAYOUTS {
            Triangle::ALL.iter().for_each(|&triangle| check(n, layout, triangle));
        }
    }
}

mod host {
    use super::*;

    #[test]
    fn definite_matrices_have_the_factors_of_full_ones() {
        fn check<T: Scalar>() {
            each_triangle(|n, layout, triangle| {
                for shift in [2.0 * n as f64 + 1.0, -0.5] {
                    let (full, b, shape) =
                        (symmetric::<T>(n, true, shift), right_hand_sides::<T>(n), shape_of(layout, triangle, n));
                    let (mut factor, mut ap) = (full.clone(), packed(layout, triangle, &full));
                    let info = info_of(crate::potrf(triangle, factor.view_mut()));
                    assert_eq!(info_of(crate::pptrf(PackedMut::from_slice(&mut ap, shape).unwrap())), info);
                    assert_eq!(ap, packed(layout, triangle, &factor));
                    let (mut at_once, mut x, mut expected) = (packed(layout, triangle, &full), b.clone(), b.clone());
                    let solved = crate::ppsv(PackedMut::from_slice(&mut at_once, shape).unwrap(), x.view_mut());
                    assert_eq!(info_of(solved), info);
                    let _ = crate::posv(triangle, full.clone().view_mut(), expected.view_mut());
                    assert_eq!((&at_once, &x), (&ap, &expected));
                    if info != 0 {
                        assert_eq!(x, b);
                        continue;
                    }
                    let read = || PackedRef::from_slice(&ap, shape).unwrap();
                    let mut y = b.clone();
                    crate::pptrs(read(), y.view_mut()).unwrap();
                    assert_eq!(y, x);
                    let anorm = T::RealScalar::from_parts(3.0, 0.0);
                    assert_eq!(
                        crate::ppcon(read(), anorm).unwrap(),
                        crate::pocon(triangle, factor.view(), anorm).unwrap()
                    );
                    crate::potri(triangle, factor.view_mut()).unwrap();
                    crate::pptri(PackedMut::from_slice(&mut ap, shape).unwrap()).unwrap();
                    assert_eq!(ap, packed(layout, triangle, &factor));
                }
            });
        }
        for_each_type!(check());
    }

    #[test]
    fn indefinite_matrices_have_the_factors_of_full_ones() {
        fn check<T: Scalar>() {
            each_triangle(|n, layout, triangle| {
                for is_hermitian in [false, true] {
                    let shape = shape_of(layout, triangle, n);
                    let (mut full, b) = (symmetric::<T>(n, is_hermitian, 0.0), right_hand_sides::<T>(n));
                    let mut ap = packed(layout, triangle, &full);
                    let (mut pivots, mut expected) = (vec![0; n], vec![0; n]);
                    let (mut x, mut y) = (b.clone(), b.clone());
                    let a = PackedMut::from_slice(&mut ap, shape).unwrap();
                    let infos = if is_hermitian {
                        let of_full = crate::hesv(triangle, full.view_mut(), &mut expected, y.view_mut());
                        [crate::hpsv(a, &mut pivots, x.view_mut()), of_full]
                    } else {
                        let of_full = crate::sysv(triangle, full.view_mut(), &mut expected, y.view_mut());
                        [crate::spsv(a, &mut pivots, x.view_mut()), of_full]
                    };
                    assert_eq!(infos.map(info_of), [0, 0]);
                    assert_eq!((&ap, &pivots, &x), (&packed(layout, triangle, &full), &expected, &y));
                    let a = PackedRef::from_slice(&ap, shape).unwrap();
                    let mut z = b.clone();
                    if is_hermitian {
                        crate::hptrs(a, &pivots, z.view_mut()).unwrap();
                        crate::hetri(triangle, full.view_mut(), &pivots).unwrap();
                        crate::hptri(PackedMut::from_slice(&mut ap, shape).unwrap(), &pivots).unwrap();
                    } else {
                        crate::sptrs(a, &pivots, z.view_mut()).unwrap();
                        crate::sytri(triangle, full.view_mut(), &pivots).unwrap();
                        crate::sptri(PackedMut::from_slice(&mut ap, shape).unwrap(), &pivots).unwrap();
                    }
                    assert_eq!((&z, &ap), (&x, &packed(layout, triangle, &full)));
                }
            });
        }
        for_each_type!(check());
    }

    #[test]
    fn triangles_are_inverted_and_solved_with() {
        fn check<T: Scalar>() {
            each_triangle(|n, layout, triangle| {
                for diagonal in [Diag::NonUnit, Diag::Unit] {
                    let shape = shape_of(layout, triangle, n);
                    let (full, b) = (symmetric::<T>(n, true, 2.0 * n as f64), right_hand_sides::<T>(n));
                    let mut ap = packed(layout, triangle, &full);
                    for op in [Op::NoTrans, Op::Trans, Op::ConjTrans] {
                        let (mut x, mut y) = (b.clone(), b.clone());
                        crate::tptrs(op, diagonal, PackedRef::from_slice(&ap, shape).unwrap(), x.view_mut()).unwrap();
                        crate::trtrs(triangle, op, diagonal, full.view(), y.view_mut()).unwrap();
                        assert_eq!(x, y);
                    }
                    let mut inverse = full.clone();
                    crate::trtri(triangle, diagonal, inverse.view_mut()).unwrap();
                    crate::tptri(diagonal, PackedMut::from_slice(&mut ap, shape).unwrap()).unwrap();
                    assert_eq!(ap, packed(layout, triangle, &inverse));
                    for norm in [Norm::Max, Norm::One, Norm::Infinity, Norm::Frobenius] {
                        let read = || PackedRef::from_slice(&ap, shape).unwrap();
                        assert_eq!(
                            crate::lansp(norm, read()).unwrap(),
                            crate::lansy(norm, triangle, inverse.view()).unwrap()
                        );
                        assert_eq!(
                            crate::lanhp(norm, read()).unwrap(),
                            crate::lanhe(norm, triangle, inverse.view()).unwrap()
                        );
                        let of_triangle = crate::lantr(norm, triangle, diagonal, inverse.view()).unwrap();
                        assert_eq!(crate::lantp(norm, diagonal, read()).unwrap(), of_triangle);
                    }
                    if diagonal == Diag::NonUnit && n > 2 {
                        let zero = full.data.iter().enumerate().map(|(k, e)| if k == 2 + 2 * n { T::ZERO } else { *e });
                        let singular = Dense { data: zero.collect(), rows: n, columns: n };
                        let mut ap = packed(layout, triangle, &singular);
                        let before = ap.clone();
                        let inverted = crate::tptri(diagonal, PackedMut::from_slice(&mut ap, shape).unwrap());
                        assert!(matches!(inverted, Err(Error::ZeroPivot { index: 3 })));
                        assert_eq!(ap, before);
                    }
                }
            });
        }
        for_each_type!(check());
    }

    #[test]
    fn eigenvalues_are_those_of_full_matrices() {
        fn check<T: Scalar>() {
            each_triangle(|n, layout, triangle| {
                let shape = shape_of(layout, triangle, n);
                let (full, definite) = (symmetric::<T>(n, true, 0.0), symmetric::<T>(n, true, 2.0 * n as f64 + 1.0));
                let (ap, bp) = (packed(layout, triangle, &full), packed(layout, triangle, &definite));
                let a = || PackedRef::from_slice(&ap, shape).unwrap();
                let (mut w, mut expected) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
                let (mut vectors, mut z) = (full.clone(), Dense::from_fn(n, n, |_, _| T::ZERO));
                crate::heev(triangle, vectors.view_mut(), &mut expected, true).unwrap();
                crate::hpev(a(), &mut w, Some(z.view_mut())).unwrap();
                assert_eq!((&w, &z), (&expected, &vectors));
                for pencil in [crate::Pencil::Quotient, crate::Pencil::Product, crate::Pencil::ReversedProduct] {
                    let (mut vectors, mut factor, mut bp) = (full.clone(), definite.clone(), bp.clone());
                    crate::hegv(pencil, triangle, vectors.view_mut(), factor.view_mut(), &mut expected, true).unwrap();
                    let b = PackedMut::from_slice(&mut bp, shape).unwrap();
                    crate::hpgv(pencil, a(), b, &mut w, Some(z.view_mut())).unwrap();
                    assert_eq!((&w, &z, &bp), (&expected, &vectors, &packed(layout, triangle, &factor)));
                }
                let mut negative = bp.iter().map(|element| T::ZERO - *element).collect::<Vec<_>>();
                let b = PackedMut::from_slice(&mut negative, shape).unwrap();
                let failed = info_of(crate::hpgv(crate::Pencil::Quotient, a(), b, &mut w, None));
                assert_eq!(failed, if n == 0 { 0 } else { n as i32 + 1 });
            });
        }
        for_each_type!(check());
    }

    #[test]
    fn rectangles_hold_what_packed_triangles_do() {
        fn check<T: Scalar>() {
            each_triangle(|n, layout, triangle| {
                for transr in [Op::NoTrans, transposed::<T>()] {
                    let shape = shape_of(layout, triangle, n);
                    let length = shape.length();
                    let (full, b) = (symmetric::<T>(n, true, 2.0 * n as f64 + 1.0), right_hand_sides::<T>(n));
                    let ap = packed(layout, triangle, &full);
                    // Round trips.
                    let mut arf = vec![T::ZERO; length];
                    crate::trttf(transr, full.view(), PackedMut::from_slice(&mut arf, shape).unwrap()).unwrap();
                    let (mut from_packed, mut back) = (vec![T::ZERO; length], vec![T::ZERO; length]);
                    let target = PackedMut::from_slice(&mut from_packed, shape).unwrap();
                    crate::tpttf(transr, PackedRef::from_slice(&ap, shape).unwrap(), target).unwrap();
                    let target = PackedMut::from_slice(&mut back, shape).unwrap();
                    crate::tfttp(transr, PackedRef::from_slice(&arf, shape).unwrap(), target).unwrap();
                    assert_eq!((&from_packed, &back), (&arf, &ap));
                    let nan = T::from_parts(f64::NAN, f64::NAN);
                    let (mut a, mut c) = (Dense::from_fn(n, n, |_, _| nan), Dense::from_fn(n, n, |_, _| nan));
                    crate::tfttr(transr, PackedRef::from_slice(&arf, shape).unwrap(), a.view_mut()).unwrap();
                    crate::tpttr(PackedRef::from_slice(&ap, shape).unwrap(), c.view_mut()).unwrap();
                    for j in 0..n {
                        for i in 0..n {
                            let inside = if triangle == Triangle::Upper { i <= j } else { i >= j };
                            for matrix in [&a, &c] {
                                let found = matrix.data[i + j * n];
                                assert!(if inside { found == full.data[i + j * n] } else { found.re().is_nan() });
                            }
                        }
                    }
                    let mut ap_of_full = vec![T::ZERO; length];
                    crate::trttp(full.view(), PackedMut::from_slice(&mut ap_of_full, shape).unwrap()).unwrap();
                    assert_eq!(ap_of_full, ap);
                    for norm in [Norm::Max, Norm::One, Norm::Infinity, Norm::Frobenius] {
                        let read = || PackedRef::from_slice(&arf, shape).unwrap();
                        assert_eq!(
                            crate::lansf(norm, transr, read()).unwrap(),
                            crate::lansy(norm, triangle, full.view()).unwrap()
                        );
                        assert_eq!(
                            crate::lanhf(norm, transr, read()).unwrap(),
                            crate::lanhe(norm, triangle, full.view()).unwrap()
                        );
                    }
                    // Factors, solutions and inverses.
                    let in_rectangle = |full: &Dense<T>| {
                        let mut arf = vec![T::ZERO; length];
                        crate::trttf(transr, full.view(), PackedMut::from_slice(&mut arf, shape).unwrap()).unwrap();
                        arf
                    };
                    let (mut factor, mut x, mut y) = (full.clone(), b.clone(), b.clone());
                    crate::posv(triangle, factor.view_mut(), y.view_mut()).unwrap();
                    crate::pftrf(transr, PackedMut::from_slice(&mut arf, shape).unwrap()).unwrap();
                    assert_eq!(arf, in_rectangle(&factor));
                    crate::pftrs(transr, PackedRef::from_slice(&arf, shape).unwrap(), x.view_mut()).unwrap();
                    assert_eq!(x, y);
                    for (side, op) in [(Side::Left, Op::NoTrans), (Side::Right, transposed::<T>())] {
                        let random = filled::<T>(
                            if side == Side::Left { n } else { 4 },
                            if side == Side::Left { 4 } else { n },
                            3,
                        );
                        let start = Dense::from_fn(random.nrows(), random.ncols(), |i, j| random[(i, j)]);
                        let (mut x, mut y, alpha) = (start.clone(), start, T::from_parts(0.5, 0.25));
                        let a = PackedRef::from_slice(&arf, shape).unwrap();
                        crate::tfsm(transr, side, op, Diag::NonUnit, alpha, a, x.view_mut()).unwrap();
                        let a = factor.view();
                        crate::trsm(side, triangle, op, Diag::NonUnit, alpha, a, y.view_mut()).unwrap().wait().unwrap();
                        assert_eq!(x, y);
                    }
                    let (mut inverse, mut triangular) = (factor.clone(), arf.clone());
                    crate::trtri(triangle, Diag::NonUnit, inverse.view_mut()).unwrap();
                    let a = PackedMut::from_slice(&mut triangular, shape).unwrap();
                    crate::tftri(transr, Diag::NonUnit, a).unwrap();
                    assert_eq!(triangular, in_rectangle(&inverse));
                    crate::potri(triangle, factor.view_mut()).unwrap();
                    crate::pftri(transr, PackedMut::from_slice(&mut arf, shape).unwrap()).unwrap();
                    assert_eq!(arf, in_rectangle(&factor));
                    // Updates.
                    let (k, op) = (5, transposed::<T>());
                    let random = filled::<T>(k, n, 8);
                    let a = Dense::from_fn(k, n, |i, j| random[(i, j)]);
                    for beta in [0.0, 0.5] {
                        let (mut c, mut expected) = (in_rectangle(&full), full.clone());
                        let [alpha, beta] = [1.5, beta].map(|value| T::RealScalar::from_parts(value, 0.0));
                        let target = PackedMut::from_slice(&mut c, shape).unwrap();
                        crate::hfrk(transr, op, alpha, a.view(), beta, target).unwrap();
                        let updated = expected.view_mut();
                        crate::herk(triangle, op, alpha, a.view(), beta, updated).unwrap().wait().unwrap();
                        assert_eq!(c, in_rectangle(&expected));
                        if !T::KIND.is_complex() {
                            let (mut c, mut expected) = (in_rectangle(&full), full.clone());
                            let [alpha, beta] = [alpha, beta].map(|value| T::ONE.scaled(value));
                            let target = PackedMut::from_slice(&mut c, shape).unwrap();
                            crate::sfrk(transr, op, alpha, a.view(), beta, target).unwrap();
                            let updated = expected.view_mut();
                            crate::syrk(triangle, op, alpha, a.view(), beta, updated).unwrap().wait().unwrap();
                            assert_eq!(c, in_rectangle(&expected));
                        }
                    }
                }
            });
        }
        for_each_type!(check());
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let shape = shape_of(Layout::ColumnMajor, Triangle::Lower, 3);
        let (mut ap, mut b) = ([crate::Complex64::new(2.0, 0.0); 6], right_hand_sides::<crate::Complex64>(2));
        let before = (ap, b.clone());
        let solved = crate::ppsv(PackedMut::from_slice(&mut ap, shape).unwrap(), b.view_mut());
        assert!(matches!(solved, Err(Error::ShapeMismatch(_))), "{solved:?}");
        for transr in [Op::Trans, Op::ConjNoTrans] {
            let factorised = crate::pftrf(transr, PackedMut::from_slice(&mut ap, shape).unwrap());
            assert!(matches!(factorised, Err(Error::InvalidArgument { name: "transr", .. })), "{factorised:?}");
        }
        let factorised = crate::sptrf(PackedMut::from_slice(&mut ap, shape).unwrap(), &mut [0; 2]);
        assert!(matches!(factorised, Err(Error::ShapeMismatch(_))), "{factorised:?}");
        let pivots = [1, 2, 7];
        let a = PackedRef::from_slice(&ap, shape).unwrap();
        let solved = crate::sptrs(a, &pivots, right_hand_sides::<crate::Complex64>(3).view_mut());
        assert!(matches!(solved, Err(Error::InvalidArgument { name: "pivots", .. })), "{solved:?}");
        assert_eq!((ap, b), before);
    }
}

mod device_small {
    use super::*;
    use crate::view::VectorShape;

    /// A device's memory with a triangle from element 2 on, and canaries on both sides.
    fn triangle_on<T: Scalar>(context: &Context, shape: PackedShape, elements: &[T]) -> (Buffer<T>, PackedShape) {
        let mut data = vec![T::from_parts(-77.0, 0.0); elements.len() + 4];
        data[2..2 + elements.len()].copy_from_slice(elements);
        let shape = PackedShape::new(shape.layout(), shape.triangle(), shape.order(), 2).unwrap();
        (context.upload(&data).unwrap(), shape)
    }

    /// The triangle, whose neighbours are as they were.
    fn elements<T: Scalar>(memory: &Buffer<T>) -> Vec<T> {
        let data = memory.download().unwrap();
        let (inner, canary) = (2..data.len() - 2, T::from_parts(-77.0, 0.0));
        assert!(data[..2].iter().chain(&data[inner.end..]).all(|element| *element == canary));
        data[inner].to_vec()
    }

    #[test]
    fn a_devices_triangles_have_the_hosts_results() {
        fn check<T: Scalar>() {
            for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
                let queue = context.queue().unwrap();
                let one = VectorShape::new(1, 0, 1).unwrap();
                for layout in LAYOUTS {
                    for &triangle in Triangle::ALL {
                        let n = 5;
                        let shape = shape_of(layout, triangle, n);
                        let (full, b) = (symmetric::<T>(n, true, 11.0), right_hand_sides::<T>(n));
                        let ap = packed(layout, triangle, &full);
                        let mut info = context.upload(&[-5]).unwrap();
                        // Definite: factor, solution and inverse.
                        let (mut memory, at) = triangle_on(&context, shape, &ap);
                        let mut of_b = context.upload(&b.data).unwrap();
                        let (mut host, mut x) = (ap.clone(), b.clone());
                        crate::ppsv(PackedMut::from_slice(&mut host, shape).unwrap(), x.view_mut()).unwrap();
                        let (a, of_info) = (memory.packed_view_mut(at).unwrap(), info.vector_view_mut(one).unwrap());
                        crate::ppsv_on(&queue, a, of_b.view_mut(b.shape()).unwrap(), of_info).unwrap().wait().unwrap();
                        assert_eq!((elements(&memory), of_b.download().unwrap()), (host.clone(), x.data.clone()));
                        assert_eq!(info.download().unwrap(), [0]);
                        let mut again = context.upload(&b.data).unwrap();
                        let factor = memory.packed_view(at).unwrap();
                        crate::pptrs_on(&queue, factor, again.view_mut(b.shape()).unwrap()).unwrap().wait().unwrap();
                        assert_eq!(again.download().unwrap(), x.data);
                        crate::pptri(PackedMut::from_slice(&mut host, shape).unwrap()).unwrap();
                        let (a, of_info) = (memory.packed_view_mut(at).unwrap(), info.vector_view_mut(one).unwrap());
                        crate::pptri_on(&queue, a, of_info).unwrap().wait().unwrap();
                        assert_eq!(elements(&memory), host);
                        // Indefinite, with pivots there.
                        let negative: Vec<T> = packed(layout, triangle, &symmetric::<T>(n, true, 0.0));
                        let (mut memory, at) = triangle_on(&context, shape, &negative);
                        let mut pivots = context.upload(&[0; 5]).unwrap();
                        let all = VectorShape::new(n, 0, 1).unwrap();
                        let (mut host, mut rows) = (negative.clone(), vec![0; n]);
                        crate::hptrf(PackedMut::from_slice(&mut host, shape).unwrap(), &mut rows).unwrap();
                        let (a, of_info) = (memory.packed_view_mut(at).unwrap(), info.vector_view_mut(one).unwrap());
                        let of_pivots = pivots.vector_view_mut(all).unwrap();
                        crate::hptrf_on(&queue, a, of_pivots, of_info).unwrap().wait().unwrap();
                        assert_eq!((elements(&memory), pivots.download().unwrap()), (host, rows));
                        // Eigenvalues and vectors.
                        let (memory, at) = triangle_on(&context, shape, &negative);
                        let mut w = context.upload(&vec![T::RealScalar::default(); n]).unwrap();
                        let mut z = context.upload(&vec![T::ZERO; n * n]).unwrap();
                        let (mut values, mut vectors) = (vec![T::RealScalar::default(); n], full.clone());
                        let a = PackedRef::from_slice(&negative, shape).unwrap();
                        crate::hpev(a, &mut values, Some(vectors.view_mut())).unwrap();
                        let (of_w, of_z) = (w.vector_view_mut(all).unwrap(), z.view_mut(full.shape()).unwrap());
                        let (a, of_info) = (memory.packed_view(at).unwrap(), info.vector_view_mut(one).unwrap());
                        crate::hpev_on(&queue, a, of_w, Some(of_z), of_info).unwrap().wait().unwrap();
                        assert_eq!((w.download().unwrap(), z.download().unwrap()), (values, vectors.data));
                        // A failure: the info, and B as it was.
                        let minus: Vec<T> = ap.iter().map(|element| T::ZERO - *element).collect();
                        let (mut memory, at) = triangle_on(&context, shape, &minus);
                        let mut of_b = context.upload(&b.data).unwrap();
                        let (a, of_info) = (memory.packed_view_mut(at).unwrap(), info.vector_view_mut(one).unwrap());
                        crate::ppsv_on(&queue, a, of_b.view_mut(b.shape()).unwrap(), of_info).unwrap().wait().unwrap();
                        assert_eq!((info.download().unwrap(), of_b.download().unwrap()), (vec![1], b.data.clone()));
                        // From packed storage to a rectangle, and back.
                        let (memory, at) = triangle_on(&context, shape, &ap);
                        let (mut rectangle, of_rectangle) = triangle_on(&context, shape, &vec![T::ZERO; ap.len()]);
                        let (mut back, of_back) = triangle_on(&context, shape, &vec![T::ZERO; ap.len()]);
                        let (from, to) =
                            (memory.packed_view(at).unwrap(), rectangle.packed_view_mut(of_rectangle).unwrap());
                        crate::tpttf_on(&queue, transposed::<T>(), from, to).unwrap().wait().unwrap();
                        let (from, to) =
                            (rectangle.packed_view(of_rectangle).unwrap(), back.packed_view_mut(of_back).unwrap());
                        crate::tfttp_on(&queue, transposed::<T>(), from, to).unwrap().wait().unwrap();
                        assert_eq!(elements(&back), ap);
                        // One operand on the host.
                        let mut x = b.clone();
                        let mixed = crate::pptrs_on(&queue, memory.packed_view(at).unwrap(), x.view_mut());
                        assert!(matches!(mixed, Err(Error::MixedMemory(_))), "{mixed:?}");
                    }
                }
            }
        }
        for_each_type!(check());
    }
}
