//! Plans of symm, hemm, syrk, herk, syr2k and her2k.

use super::{A, B, C, Plan, Step, of, sum, tile};
use crate::options::{Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;
use crate::spread::tile::{TileIndex, Tiled};

/// Tile (row, column) off the diagonal of a symmetric or Hermitian matrix of which a triangle is stored.
fn mirrored(matrix: usize, triangle: Triangle, symmetry: Symmetry, row: usize, column: usize) -> (Op, TileIndex) {
    match (is_inside(triangle, row, column), symmetry) {
        (true, _) => (Op::NoTrans, tile(matrix, row, column)),
        (false, Symmetry::Symmetric) => (Op::Trans, tile(matrix, column, row)),
        (false, Symmetry::Hermitian) => (Op::ConjTrans, tile(matrix, column, row)),
    }
}

/// True if a tile is in the triangle, without its diagonal.
fn is_inside(triangle: Triangle, row: usize, column: usize) -> bool {
    match triangle {
        Triangle::Upper => row < column,
        Triangle::Lower => row > column,
    }
}

/// C := alpha A B + beta C with a symmetric or Hermitian A on the left, alpha B A + beta C with it on the right.
pub(crate) fn symm<T: Scalar>(
    options: (Side, Triangle, Symmetry),
    alpha: T,
    matrices: [Tiled<T>; 3],
    beta: T,
) -> Plan<T> {
    let (side, triangle, symmetry) = options;
    let [rows, columns] = matrices[C].grid();
    let product = |row: usize, column: usize, k: usize| {
        move |beta| {
            let left = side == Side::Left;
            let (own, b) = if left { (row, tile(B, k, column)) } else { (column, tile(B, row, k)) };
            if own == k {
                return Step::Symm { of: options, alpha, a: tile(A, k, k), b, beta };
            }
            let plain = (Op::NoTrans, b);
            match side {
                Side::Left => Step::Gemm { alpha, a: mirrored(A, triangle, symmetry, row, k), b: plain, beta },
                Side::Right => Step::Gemm { alpha, a: plain, b: mirrored(A, triangle, symmetry, k, column), beta },
            }
        }
    };
    let order = matrices[A].grid()[0];
    let one = |row: usize, column: usize| {
        sum(tile(C, row, column), (beta, beta != T::ZERO), (0..order).map(|k| product(row, column, k)))
    };
    let groups = (0..columns).map(|column| (0..rows).map(|row| one(row, column)).collect()).collect();
    Plan::new(matrices, groups)
}

/// An update of a triangle of C by products of rank k or 2k.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankUpdate<T> {
    pub(crate) triangle: Triangle,
    pub(crate) symmetry: Symmetry,
    pub(crate) op: Op,
    pub(crate) alpha: T,
    pub(crate) beta: T,
    /// True for rank 2k, with a matrix B.
    pub(crate) two: bool,
}

impl<T: Scalar> RankUpdate<T> {
    /// The plan. A group is a column of tiles of C's triangle.
    pub(crate) fn plan(&self, matrices: [Tiled<T>; 3]) -> Plan<T> {
        let order = matrices[C].grid()[0];
        let [across, down] = matrices[A].grid();
        let inner = if self.op.transposes() { across } else { down };
        let rows = |column: usize| match self.triangle {
            Triangle::Upper => 0..column + 1,
            Triangle::Lower => column..order,
        };
        let one = |row: usize, column: usize| {
            let products = (0..inner).flat_map(|k| self.products(row, column, k));
            // Of a tile on the diagonal the other triangle comes back too.
            sum(tile(C, row, column), (self.beta, self.beta != T::ZERO || row == column), products)
        };
        let groups = (0..order).map(|column| rows(column).map(|row| one(row, column)).collect()).collect();
        Plan::new(matrices, groups)
    }

    fn products(&self, row: usize, column: usize, k: usize) -> Vec<Box<dyn FnOnce(T) -> Step<T>>> {
        let RankUpdate { symmetry, op, alpha, .. } = *self;
        let options = (self.triangle, symmetry, op);
        let (a, b) = (of(op, A, row, k).1, of(op, B, row, k).1);
        let turned = symmetry.turned(op);
        let product = |alpha: T, left: usize, right: usize| -> Box<dyn FnOnce(T) -> Step<T>> {
            Box::new(move |beta| Step::Gemm { alpha, a: of(op, left, row, k), b: of(turned, right, k, column), beta })
        };
        match (row == column, self.two) {
            (true, false) => vec![Box::new(move |beta| Step::RankK { of: options, alpha, a, beta })],
            (true, true) => vec![Box::new(move |beta| Step::Rank2K { of: options, alpha, a, b, beta })],
            (false, false) => vec![product(alpha, A, A)],
            (false, true) => {
                let second = if symmetry == Symmetry::Hermitian { alpha.conjugate() } else { alpha };
                vec![product(alpha, A, B), product(second, B, A)]
            }
        }
    }
}
