//! Against the same operations on views, whose tests have the definitions.

mod forms;

use std::marker::PhantomData;

use affinimath_core::options::{Diag, Layout, Op, Symmetry, Triangle};
use affinimath_core::problem::product::Product as ProductOf;
use affinimath_core::problem::solve::Solve;
use affinimath_core::problem::update::Update as UpdateOf;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{MatrixMut, MatrixRef, MatrixShape, Memory, VectorMut, VectorRef, VectorShape, View};
use affinimath_cpu::level2::serial;
use affinimath_cpu::small::triangles::{StoredTriangle, symv, triangular, update};
use affinimath_testing::for_each_type;

const TEST_ORDERS: [usize; 6] = [1, 2, 4, 5, 9, 20];

/// Small integers, so that all sums are exact in any order; the diagonal is 2.
fn values<T: Scalar>(count: usize, n: usize) -> Vec<T> {
    let value_of = |i: usize| {
        if n > 0 && i.is_multiple_of(n + 2) {
            return T::from_parts(2.0, 0.0);
        }
        T::from_parts((i * 7 % 5) as f64 - 2.0, (i * 5 % 3) as f64 - 1.0)
    };
    (0..count).map(value_of).collect()
}

fn memory<T>(elements: &mut [T]) -> Memory<'_, T> {
    Memory::Host(elements.as_mut_ptr(), PhantomData)
}

fn check<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(3.0, 1.0));
    for (n, by_rows) in TEST_ORDERS.into_iter().flat_map(|n| [(n, false), (n, true)]) {
        let layout = if by_rows { Layout::RowMajor } else { Layout::ColumnMajor };
        let shape = MatrixShape::new(layout, n, n, 0, n + 1).unwrap();
        let vector = VectorShape::new(n, 0, 1).unwrap();
        for (triangle, hermitian) in Triangle::ALL.iter().flat_map(|triangle| [(*triangle, false), (*triangle, true)]) {
            let symmetry = if hermitian { Symmetry::Hermitian } else { Symmetry::Symmetric };
            let (mut a, mut x, mut y) = (values::<T>(n * (n + 1), n), values::<T>(n, 0), values::<T>(n + 3, 0));
            let stored = StoredTriangle::full(a.as_mut_ptr(), n, n + 1, by_rows, triangle);
            let mut expected = y.clone();
            let (a_view, x_view) = (MatrixRef::from_parts(memory(&mut a), shape), memory(&mut x));
            let y_view = VectorMut::from_parts(memory(&mut expected), vector);
            let x_view = VectorRef::from_parts(x_view, vector);
            serial::product(&ProductOf::symv(symmetry, triangle, alpha, a_view, x_view, beta, y_view).unwrap());
            // SAFETY: the triangle and the vectors lie in their memory.
            unsafe { symv(hermitian, alpha, stored, x.as_ptr(), beta, y.as_mut_ptr()) };
            assert_eq!(y, expected, "{n} {layout:?} {triangle:?} {symmetry:?}");
            for two in [false, true] {
                let alpha = if hermitian && !two { T::from_parts(2.0, 0.0) } else { alpha };
                let mut updated = a.clone();
                let a_view = MatrixMut::from_parts(memory(&mut updated), shape);
                let of = |elements| VectorRef::from_parts(memory(elements), vector);
                let (mut x, mut y) = (x.clone(), y.clone());
                let update_of = if two {
                    UpdateOf::syr2(symmetry, triangle, alpha, of(&mut x), of(&mut y), a_view)
                } else {
                    UpdateOf::syr(symmetry, triangle, alpha, of(&mut x), a_view)
                };
                affinimath_cpu::level2::update(&update_of.unwrap());
                let mut own = a.clone();
                let stored = StoredTriangle::full(own.as_mut_ptr(), n, n + 1, by_rows, triangle);
                // SAFETY: as above.
                unsafe { update(hermitian, alpha, x.as_ptr(), two.then_some(y.as_ptr()), stored) };
                assert_eq!(own, updated, "{n} {layout:?} {triangle:?} {symmetry:?} {two}");
            }
            for (op, diagonal) in Op::ALL.iter().flat_map(|op| Diag::ALL.iter().map(|diagonal| (*op, *diagonal))) {
                let (mut own, mut expected) = (x.clone(), x.clone());
                let view = VectorMut::from_parts(memory(&mut expected), vector);
                let a_view = MatrixRef::from_parts(memory(&mut a), shape);
                serial::product(&ProductOf::trmv(triangle, op, diagonal, a_view, view).unwrap());
                let unit = diagonal == Diag::Unit;
                // SAFETY: as above.
                unsafe { triangular::<T, false>(op, unit, stored, own.as_mut_ptr()) };
                assert_eq!(own, expected, "{n} {layout:?} {triangle:?} {op:?} {diagonal:?}");
                let view = VectorMut::from_parts(memory(&mut expected), vector);
                let a_view = MatrixRef::from_parts(memory(&mut a), shape);
                serial::solve(&Solve::full(triangle, op, diagonal, a_view, view).unwrap());
                // SAFETY: as above.
                unsafe { triangular::<T, true>(op, unit, stored, own.as_mut_ptr()) };
                // Both are x: the solution of an integer product is exact.
                assert_eq!(own, expected, "{n} {layout:?} {triangle:?} {op:?} {diagonal:?}");
                assert_eq!(own, x, "{n} {layout:?} {triangle:?} {op:?} {diagonal:?}");
            }
        }
    }
}

#[test]
fn a_small_triangle_is_one_of_any_size() {
    for_each_type!(check());
}
