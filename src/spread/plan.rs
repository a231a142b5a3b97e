//! Plans of level 3: the tiles of the result, and the products that make each of them.
//!
//! A [`Job`] makes one tile by steps in a fixed order. Jobs that read what earlier ones wrote are a chain, which one
//! device computes. Chains stand in groups that share operands; a device goes through a group before it takes another.

mod symmetric;
mod triangular;

use std::collections::VecDeque;

pub(crate) use symmetric::{RankUpdate, symm};
pub(crate) use triangular::{Triangular, trmm, trsm};

use super::tile::{TileIndex, Tiled};
use crate::options::{Diag, Op, Side, Symmetry, Triangle};
use crate::scalar::Scalar;

/// Numbers of the matrices in a plan. A routine whose result overwrites B has no C.
pub(crate) const A: usize = 0;
pub(crate) const B: usize = 1;
pub(crate) const C: usize = 2;

/// A product on tiles, with the tile of the result as C, or as B of a triangular product or system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step<T> {
    /// C := alpha op(A) op(B) + beta C.
    Gemm { alpha: T, a: (Op, TileIndex), b: (Op, TileIndex), beta: T },
    /// C := alpha A B + beta C or alpha B A + beta C with a symmetric or Hermitian A.
    Symm { of: (Side, Triangle, Symmetry), alpha: T, a: TileIndex, b: TileIndex, beta: T },
    /// A triangle of C := alpha op(A) op(A)ᵀ + beta C, or with op(A)ᴴ.
    RankK { of: (Triangle, Symmetry, Op), alpha: T, a: TileIndex, beta: T },
    /// A triangle of C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C, or its Hermitian kin.
    Rank2K { of: (Triangle, Symmetry, Op), alpha: T, a: TileIndex, b: TileIndex, beta: T },
    /// B := alpha op(A) B or alpha B op(A) with a triangular A.
    Trmm { of: (Side, Triangle, Op, Diag), alpha: T, a: TileIndex },
    /// X, which overwrites B, where op(A) X = alpha B or X op(A) = alpha B.
    Trsm { of: (Side, Triangle, Op, Diag), alpha: T, a: TileIndex },
}

impl<T> Step<T> {
    /// The tiles that it reads, apart from the result's.
    pub(super) fn operands(&self) -> [Option<TileIndex>; 2] {
        match self {
            Step::Gemm { a: (_, a), b: (_, b), .. } | Step::Symm { a, b, .. } | Step::Rank2K { a, b, .. } => {
                [Some(*a), Some(*b)]
            }
            Step::RankK { a, .. } | Step::Trmm { a, .. } | Step::Trsm { a, .. } => [Some(*a), None],
        }
    }
}

/// One tile of the result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Job<T> {
    pub(super) target: TileIndex,
    /// True if its old elements are read.
    pub(super) read: bool,
    /// True if later jobs of the chain read it.
    pub(super) is_operand: bool,
    pub(super) steps: Vec<Step<T>>,
}

/// Jobs that one device computes in this order.
pub(super) type Chain<T> = Vec<Job<T>>;

/// A routine on tiles.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    /// The matrices by their numbers; a routine in place repeats B as C.
    pub(super) matrices: [Tiled<T>; 3],
    pub(super) groups: Vec<VecDeque<Chain<T>>>,
}

impl<T: Scalar> Plan<T> {
    fn new(matrices: [Tiled<T>; 3], groups: Vec<VecDeque<Chain<T>>>) -> Self {
        Plan { matrices, groups }
    }
}

const fn tile(matrix: usize, row: usize, column: usize) -> TileIndex {
    TileIndex { matrix, row, column }
}

/// Tile (row, column) of op of a matrix.
const fn of(op: Op, matrix: usize, row: usize, column: usize) -> (Op, TileIndex) {
    (op, if op.transposes() { tile(matrix, column, row) } else { tile(matrix, row, column) })
}

/// A job of a tile of C by products, each with a function of beta: the first one scales C, the others add to it.
fn sum<T: Scalar>(
    target: TileIndex,
    (beta, read): (T, bool),
    products: impl IntoIterator<Item = impl FnOnce(T) -> Step<T>>,
) -> Chain<T> {
    let mut beta = beta;
    let steps = products.into_iter().map(|product| product(std::mem::replace(&mut beta, T::ONE))).collect();
    vec![Job { target, read, is_operand: false, steps }]
}

/// C := alpha op(A) op(B) + beta C. A group is a column of tiles of C.
pub(crate) fn gemm<T: Scalar>(ops: [Op; 2], alpha: T, matrices: [Tiled<T>; 3], beta: T) -> Plan<T> {
    let [rows, columns] = matrices[C].grid();
    let [across, down] = matrices[A].grid();
    let inner = if ops[0].transposes() { across } else { down };
    let one = |row: usize, column: usize| {
        let products = (0..inner)
            .map(|k| move |beta| Step::Gemm { alpha, a: of(ops[0], A, row, k), b: of(ops[1], B, k, column), beta });
        sum(tile(C, row, column), (beta, beta != T::ZERO), products)
    };
    let groups = (0..columns).map(|column| (0..rows).map(|row| one(row, column)).collect()).collect();
    Plan::new(matrices, groups)
}
