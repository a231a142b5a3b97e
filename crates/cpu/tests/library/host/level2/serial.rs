//! Each operation against its definition, element by element, on each instruction set. Elements are small integers, so
//! that sums are exact in any order.

use std::marker::PhantomData;

use affinimath_core::options::{Diag, Layout, Op, Symmetry, Triangle};
use affinimath_core::problem::product::Product as ProductOf;
use affinimath_core::problem::solve::Solve;
use affinimath_core::problem::update::Update as UpdateOf;
use affinimath_core::scalar::Scalar;
use affinimath_core::view::{
    BandRef, BandShape, MatrixMut, MatrixRef, MatrixShape, Memory, PackedMut, PackedRef, PackedShape, VectorMut,
    VectorRef, VectorShape, View,
};
use affinimath_cpu::level2::serial::{Columns, product, solve, update};
use affinimath_cpu::simd::instruction_sets;
use affinimath_testing::for_each_type;

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
/// On both sides of a group of columns, of the vectors of all instruction sets, and beyond.
const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 8, 11, 17, 37];
/// Diagonals of a band besides the main one.
const BANDS: [usize; 3] = [0, 2, 6];

fn number<T: Scalar>(i: usize) -> T {
    T::from_parts((i * 7 % 9) as f64 - 4.0, (i * 5 % 7) as f64 - 3.0)
}

fn not_a_number<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// A vector in memory whose other elements are NaN.
struct Vector<T> {
    memory: Vec<T>,
    shape: VectorShape,
}

impl<T: Scalar> Vector<T> {
    fn new(n: usize, increment: isize, seed: usize) -> Self {
        let shape = VectorShape::new(n, 1, increment).unwrap();
        let mut memory = vec![not_a_number(); shape.end() + 1];
        for i in 0..n {
            memory[Self::index(&shape, i)] = number(i + seed);
        }
        Vector { memory, shape }
    }

    fn index(shape: &VectorShape, i: usize) -> usize {
        (shape.first() as isize + i as isize * shape.increment()) as usize
    }

    fn elements(&self) -> Vec<T> {
        (0..self.shape.length()).map(|i| self.memory[Self::index(&self.shape, i)]).collect()
    }

    fn read(&mut self) -> VectorRef<'_, T> {
        VectorRef::from_parts(Memory::Host(self.memory.as_mut_ptr(), PhantomData), self.shape)
    }

    fn write(&mut self) -> VectorMut<'_, T> {
        VectorMut::from_parts(Memory::Host(self.memory.as_mut_ptr(), PhantomData), self.shape)
    }

    /// True if everything around the elements is NaN.
    fn is_guarded(&self) -> bool {
        self.memory.iter().filter(|value| !value.re().is_nan()).count() == self.shape.length()
    }
}

/// A stored matrix whose other elements in memory are NaN.
#[derive(Clone)]
struct Matrix<T> {
    memory: Vec<T>,
    stored: affinimath_core::problem::Stored,
    by_rows: bool,
}

impl<T: Scalar> Matrix<T> {
    fn new((stored, by_rows): (affinimath_core::problem::Stored, bool), length: usize) -> Self {
        let mut memory = vec![not_a_number(); length];
        for j in 0..stored.columns {
            for i in stored.rows_of(j) {
                memory[stored.offset_of(i, j)] = number(3 * i + 11 * j + 1);
            }
        }
        Matrix { memory, stored, by_rows }
    }

    /// Element (i, j) of the caller's matrix, if it is stored.
    fn get(&self, i: usize, j: usize) -> Option<T> {
        let (i, j) = if self.by_rows { (j, i) } else { (i, j) };
        self.stored.rows_of(j).contains(&i).then(|| self.memory[self.stored.offset_of(i, j)])
    }

    fn memory(&mut self) -> Memory<'_, T> {
        Memory::Host(self.memory.as_mut_ptr(), PhantomData)
    }
}

/// Triangles of order n in all storage forms: full, packed and banded.
enum Shape {
    Full(MatrixShape),
    Packed(PackedShape),
    Band(BandShape),
}

fn triangles<T: Scalar>(n: usize, triangle: Triangle) -> Vec<(Shape, Matrix<T>)> {
    let mut all = Vec::new();
    for layout in LAYOUTS {
        let shape = MatrixShape::new(layout, n, n, 2, n + 1).unwrap();
        let matrix = Matrix::new(affinimath_core::problem::Stored::triangle(&shape, triangle), shape.end() + 1);
        all.push((Shape::Full(shape), matrix));
        let shape = PackedShape::new(layout, triangle, n, 2).unwrap();
        let matrix = Matrix::new(affinimath_core::problem::Stored::packed(&shape), shape.length() + 3);
        all.push((Shape::Packed(shape), matrix));
        for k in BANDS {
            let (lower, upper) = if triangle == Triangle::Lower { (k, 0) } else { (0, k) };
            let shape = BandShape::new(layout, n, n, lower, upper, 2, k + 2).unwrap();
            let stored = affinimath_core::problem::Stored::band_triangle(&shape, triangle);
            all.push((Shape::Band(shape), Matrix::new(stored, (k + 2) * (n + 1) + 3)));
        }
    }
    all
}

fn check_symmetric<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(3.0, 1.0));
    for (n, triangle, symmetry) in forms(&[Symmetry::Symmetric, Symmetry::Hermitian]) {
        for (increment, beta) in [(1, beta), (-2, T::ZERO)] {
            for (shape, mut a) in triangles::<T>(n, triangle) {
                let (mut x, mut y) = (Vector::new(n, increment, 5), Vector::new(n, -increment, 8));
                let hermitian = symmetry == Symmetry::Hermitian;
                let element = |i: usize, j: usize| {
                    let mirrored = || a.get(j, i).map(|a| if hermitian { a.conjugate() } else { a });
                    let value = a.get(i, j).or_else(mirrored).unwrap_or(T::ZERO);
                    if hermitian && i == j { T::from_parts(value.re(), 0.0) } else { value }
                };
                let (before_x, before_y) = (x.elements(), y.elements());
                let expected: Vec<T> = (0..n)
                    .map(|i| {
                        let sum = (0..n).fold(T::ZERO, |sum, j| sum + element(i, j) * before_x[j]);
                        alpha * sum + if beta == T::ZERO { T::ZERO } else { beta * before_y[i] }
                    })
                    .collect();
                let (memory, x, y_view) = (a.memory(), x.read(), y.write());
                product(
                    &match shape {
                        Shape::Full(shape) => ProductOf::symv(
                            symmetry,
                            triangle,
                            alpha,
                            MatrixRef::from_parts(memory, shape),
                            x,
                            beta,
                            y_view,
                        ),
                        Shape::Packed(shape) => {
                            ProductOf::spmv(symmetry, alpha, PackedRef::from_parts(memory, shape), x, beta, y_view)
                        }
                        Shape::Band(shape) => ProductOf::sbmv(
                            symmetry,
                            triangle,
                            alpha,
                            BandRef::from_parts(memory, shape),
                            x,
                            beta,
                            y_view,
                        ),
                    }
                    .unwrap(),
                );
                assert_eq!(y.elements(), expected, "{n} {triangle:?} {symmetry:?}");
                assert!(y.is_guarded());
            }
        }
    }
}

/// Orders, triangles and one of some options.
fn forms<O: Copy>(options: &[O]) -> Vec<(usize, Triangle, O)> {
    let mut all = Vec::new();
    for n in ORDERS {
        for triangle in Triangle::ALL {
            all.extend(options.iter().map(|option| (n, *triangle, *option)));
        }
    }
    all
}

#[test]
fn a_symmetric_product_is_that_of_the_whole_matrix() {
    instruction_sets::for_each(|| {
        for_each_type!(check_symmetric());
    });
}

fn check_triangular<T: Scalar>() {
    for (n, triangle, op) in forms(Op::ALL) {
        for (diagonal, increment) in [(Diag::NonUnit, 1), (Diag::Unit, -2)] {
            for (shape, mut a) in triangles::<T>(n, triangle) {
                if diagonal == Diag::Unit {
                    (0..n).for_each(|j| a.memory[a.stored.offset_of(j, j)] = not_a_number());
                } else {
                    // The quotient of a product is exact.
                    (0..n).for_each(|j| a.memory[a.stored.offset_of(j, j)] = T::from_parts(2.0, 0.0));
                }
                let mut x = Vector::new(n, increment, 5);
                let element = |i: usize, j: usize| {
                    let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
                    let value = a.get(i, j).unwrap_or(T::ZERO);
                    match diagonal {
                        Diag::Unit if i == j => T::ONE,
                        _ if op.conjugates() => value.conjugate(),
                        _ => value,
                    }
                };
                let before = x.elements();
                let expected: Vec<T> =
                    (0..n).map(|i| (0..n).fold(T::ZERO, |sum, j| sum + element(i, j) * before[j])).collect();
                let mut again = a.clone();
                let (memory, view) = (a.memory(), x.write());
                product(
                    &match &shape {
                        Shape::Full(shape) => {
                            ProductOf::trmv(triangle, op, diagonal, MatrixRef::from_parts(memory, *shape), view)
                        }
                        Shape::Packed(shape) => {
                            ProductOf::tpmv(op, diagonal, PackedRef::from_parts(memory, *shape), view)
                        }
                        Shape::Band(shape) => {
                            ProductOf::tbmv(triangle, op, diagonal, BandRef::from_parts(memory, *shape), view)
                        }
                    }
                    .unwrap(),
                );
                assert_eq!(x.elements(), expected, "{n} {triangle:?} {op:?} {diagonal:?}");
                let (memory, view) = (again.memory(), x.write());
                solve(
                    &match shape {
                        Shape::Full(shape) => {
                            Solve::full(triangle, op, diagonal, MatrixRef::from_parts(memory, shape), view)
                        }
                        Shape::Packed(shape) => Solve::packed(op, diagonal, PackedRef::from_parts(memory, shape), view),
                        Shape::Band(shape) => {
                            Solve::band(triangle, op, diagonal, BandRef::from_parts(memory, shape), view)
                        }
                    }
                    .unwrap(),
                );
                assert_eq!(x.elements(), before, "{n} {triangle:?} {op:?} {diagonal:?}");
                assert!(x.is_guarded());
            }
        }
    }
}

#[test]
fn a_triangular_system_has_the_solution_that_its_product_is_made_of() {
    instruction_sets::for_each(|| {
        for_each_type!(check_triangular());
    });
}

fn check_band<T: Scalar>() {
    let (alpha, beta) = (T::from_parts(2.0, -1.0), T::from_parts(3.0, 1.0));
    for (m, n) in [(1, 1), (5, 9), (12, 7), (30, 30)] {
        for (lower, upper) in [(0, 0), (1, 1), (2, 5), (7, 0)] {
            for (layout, op) in LAYOUTS.into_iter().flat_map(|layout| Op::ALL.iter().map(move |op| (layout, *op))) {
                let shape = BandShape::new(layout, m, n, lower, upper, 2, lower + upper + 2).unwrap();
                let length = (lower + upper + 2) * (m.max(n) + 1) + 3;
                let mut a = Matrix::<T>::new(affinimath_core::problem::Stored::band(&shape), length);
                let (rows, columns) = if op.transposes() { (n, m) } else { (m, n) };
                let (mut x, mut y) = (Vector::new(columns, 1, 5), Vector::new(rows, 3, 8));
                let element = |i: usize, j: usize| {
                    let (i, j) = if op.transposes() { (j, i) } else { (i, j) };
                    let value = a.get(i, j).unwrap_or(T::ZERO);
                    if op.conjugates() { value.conjugate() } else { value }
                };
                let (before_x, before_y) = (x.elements(), y.elements());
                let sum = |i| (0..columns).fold(T::ZERO, |sum, j| sum + element(i, j) * before_x[j]);
                let expected: Vec<T> = (0..rows).map(|i| alpha * sum(i) + beta * before_y[i]).collect();
                let band = BandRef::from_parts(a.memory(), shape);
                product(&ProductOf::gbmv(op, alpha, band, x.read(), beta, y.write()).unwrap());
                assert_eq!(y.elements(), expected, "{m} x {n}, {lower} below, {upper} above, {layout:?} {op:?}");
                assert!(y.is_guarded());
            }
        }
    }
}

#[test]
fn a_band_product_is_that_of_the_matrix_with_zeros() {
    instruction_sets::for_each(|| {
        for_each_type!(check_band());
    });
}

fn check_update<T: Scalar>() {
    let in_one_run = |columns: usize| move |work: &(dyn Fn([usize; 2]) + Sync)| work([0, columns]);
    for (n, triangle, symmetry) in forms(&[Symmetry::Symmetric, Symmetry::Hermitian]) {
        let hermitian = symmetry == Symmetry::Hermitian;
        let conjugated = |value: T| if hermitian { value.conjugate() } else { value };
        for (two, increment) in [(false, 1), (true, 1), (true, -2)] {
            for (shape, mut a) in triangles::<T>(n, triangle) {
                let alpha = T::from_parts(2.0, if hermitian && !two { 0.0 } else { -1.0 });
                let (mut x, mut y) = (Vector::<T>::new(n, increment, 5), Vector::<T>::new(n, increment, 8));
                let (of_x, of_y, before) = (x.elements(), y.elements(), a.clone());
                let expected = |i: usize, j: usize, a: T| {
                    let sum = if two {
                        a + alpha * of_x[i] * conjugated(of_y[j]) + conjugated(alpha) * of_y[i] * conjugated(of_x[j])
                    } else {
                        a + alpha * of_x[i] * conjugated(of_x[j])
                    };
                    if hermitian && i == j { T::from_parts(sum.re(), 0.0) } else { sum }
                };
                let memory = a.memory();
                let (x, y) = (x.read(), y.read());
                let of = match (shape, two) {
                    (Shape::Full(shape), false) => {
                        UpdateOf::syr(symmetry, triangle, alpha, x, MatrixMut::from_parts(memory, shape))
                    }
                    (Shape::Full(shape), true) => {
                        UpdateOf::syr2(symmetry, triangle, alpha, x, y, MatrixMut::from_parts(memory, shape))
                    }
                    (Shape::Packed(shape), false) => {
                        UpdateOf::spr(symmetry, alpha, x, PackedMut::from_parts(memory, shape))
                    }
                    (Shape::Packed(shape), true) => {
                        UpdateOf::spr2(symmetry, alpha, x, y, PackedMut::from_parts(memory, shape))
                    }
                    (Shape::Band(_), _) => continue,
                };
                update(&of.unwrap(), in_one_run(n));
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let of_before = before.get(i, j).map(|value| expected(i, j, value));
                    assert_eq!(a.get(i, j), of_before, "{n} {triangle:?} {symmetry:?} ({i}, {j})");
                }
                let numbers = |matrix: &Matrix<T>| matrix.memory.iter().filter(|value| !value.re().is_nan()).count();
                assert_eq!(numbers(&a), numbers(&before));
            }
        }
    }
}

#[test]
fn an_update_adds_the_products_of_its_vectors_to_the_stored_elements() {
    instruction_sets::for_each(|| {
        for_each_type!(check_update());
    });
}

#[test]
fn a_diagonal_block_has_the_elements_of_the_triangle() {
    for triangle in Triangle::ALL {
        for (_, a) in triangles::<f64>(12, *triangle) {
            let columns = Columns { start: a.memory.as_ptr(), stored: a.stored };
            let block = columns.diagonal_block(&(5..11));
            for j in 0..6 {
                for i in block.stored.rows_of(j) {
                    assert!(a.stored.rows_of(5 + j).contains(&(5 + i)));
                    assert_eq!(block.at(i, j), columns.at(5 + i, 5 + j));
                }
            }
        }
    }
}
