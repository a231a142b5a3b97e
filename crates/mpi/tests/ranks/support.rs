//! Matrices of the tests, and references of one process.

use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, Scalar};
use affinimath_mpi::{DistMatrix, Grid, MatrixLayout};

/// An element between -1 and 1, by its indices and a seed: SplitMix64.
pub fn element<T: Scalar>(seed: usize) -> impl Fn(usize, usize) -> T {
    move |i, j| {
        let unit = |stream: u64| {
            let mut z = (seed as u64)
                .wrapping_mul(0x9e37_79b9)
                .wrapping_add((i as u64) << 32 | j as u64)
                .wrapping_add(stream.wrapping_mul(0x5851_f42d_4c95_7f2d))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 40) as f64 / (1_u64 << 23) as f64 - 1.0
        };
        T::from_parts(unit(0), unit(1))
    }
}

/// A matrix in memory of one process, by columns.
#[derive(Clone)]
pub struct Full<T> {
    pub m: usize,
    pub n: usize,
    pub data: Vec<T>,
}

impl<T: Scalar> Full<T> {
    pub fn from_fn(m: usize, n: usize, element: impl Fn(usize, usize) -> T) -> Self {
        Full { m, n, data: (0..m * n).map(|k| element(k % m, k / m)).collect() }
    }

    pub fn at(&self, i: usize, j: usize) -> T {
        self.data[i + j * self.m]
    }

    fn shape(&self) -> MatrixShape {
        MatrixShape::new(Layout::ColumnMajor, self.m, self.n, 0, self.m.max(1)).unwrap()
    }

    pub fn view(&self) -> MatrixRef<'_, T> {
        MatrixRef::from_slice(&self.data, self.shape()).unwrap()
    }

    pub fn view_mut(&mut self) -> MatrixMut<'_, T> {
        let shape = self.shape();
        MatrixMut::from_slice(&mut self.data, shape).unwrap()
    }

    /// op(A) in memory.
    pub fn turned(&self, op: Op) -> Self {
        let value = |i, j| if op.conjugates() { self.at(i, j).conjugate() } else { self.at(i, j) };
        if op.transposes() {
            Full::from_fn(self.n, self.m, |i, j| value(j, i))
        } else {
            Full::from_fn(self.m, self.n, value)
        }
    }

    /// A B, summed in double precision.
    pub fn times(&self, b: &Self) -> Full<T> {
        Full::from_fn(self.m, b.n, |i, j| {
            let (mut re, mut im) = (0.0, 0.0);
            for k in 0..self.n {
                let (x, y) = (self.at(i, k), b.at(k, j));
                re += x.re() * y.re() - x.im() * y.im();
                im += x.re() * y.im() + x.im() * y.re();
            }
            T::from_parts(re, im)
        })
    }

    pub fn largest(&self) -> f64 {
        self.data.iter().fold(0.0, |largest: f64, value| largest.max(value.modulus()))
    }
}

/// The distributed matrix of a full one that all ranks have.
pub fn distribute<T: Scalar>(grid: &Grid, full: &Full<T>, blocks: (usize, usize), source: usize) -> DistMatrix<T> {
    let source = (source % grid.rows(), source % grid.columns());
    let layout = MatrixLayout::at(grid, (full.m, full.n), blocks, source).unwrap();
    DistMatrix::from_fn(grid, layout, |i, j| full.at(i, j)).unwrap()
}

/// All of a matrix on every rank.
pub fn collect<T: Scalar>(a: &DistMatrix<T>) -> Full<T> {
    let (m, n) = (a.rows(), a.columns());
    let mut full = Full { m, n, data: Vec::new() };
    for root in 0..a.grid().size() {
        if let Some(data) = a.gather(root).unwrap() {
            full.data = data;
        }
    }
    full
}

/// Compares two matrices within a bound on each element; NaN are equal.
#[track_caller]
pub fn assert_close<T: Scalar>(found: &Full<T>, expected: &Full<T>, bound: f64) {
    assert_eq!((found.m, found.n), (expected.m, expected.n));
    for j in 0..found.n {
        for i in 0..found.m {
            let (x, y) = (found.at(i, j), expected.at(i, j));
            let same = (x - y).modulus() <= bound || (!x.finite() && !y.finite());
            assert!(same, "element ({i}, {j}) is {x:?} and not {y:?}, within {bound:e}");
        }
    }
}

/// NaN.
pub fn nan<T: Scalar>() -> T {
    T::from_parts(f64::NAN, f64::NAN)
}

/// A real number of the type.
pub fn real<T: Scalar>(value: f64) -> T {
    T::from_parts(value, 0.0)
}
