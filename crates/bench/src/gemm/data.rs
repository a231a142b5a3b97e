//! The operands of a product, random and the same for every contender, and the check of what they make of them.

use affinimath::{Complex64, Op, Scalar, ScalarKind};

use crate::contender::Accuracy;
use crate::error::BenchError;
use crate::memory;
use crate::random::Random;

/// C := op(A) op(B), for m x k op(A) and k x n op(B); column-major, without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmCase {
    /// The element type.
    pub kind: ScalarKind,
    /// Op of A.
    pub op_a: Op,
    /// Op of B.
    pub op_b: Op,
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// The inner dimension.
    pub k: usize,
}

impl GemmCase {
    /// Rows and columns of A as it is stored.
    pub const fn stored_a(&self) -> (usize, usize) {
        if self.op_a.transposes() { (self.k, self.m) } else { (self.m, self.k) }
    }

    /// Rows and columns of B as it is stored.
    pub const fn stored_b(&self) -> (usize, usize) {
        if self.op_b.transposes() { (self.n, self.k) } else { (self.k, self.n) }
    }

    /// Real operations: 2mnk, and 8mnk for complex numbers.
    pub fn operations(&self) -> f64 {
        self.kind.multiply_add_operations() as f64 * self.m as f64 * self.n as f64 * self.k as f64
    }

    /// Bytes of A, B and `results` times C, unless that overflows.
    fn bytes(&self, results: usize) -> Option<u64> {
        let elements = |rows: usize, columns: usize| (rows as u64).checked_mul(columns as u64);
        let c = elements(self.m, self.n)?.checked_mul(results as u64)?;
        let sum = elements(self.m, self.k)?.checked_add(elements(self.k, self.n)?)?.checked_add(c)?;
        sum.checked_mul(self.kind.bytes() as u64)
    }
}

/// The operands, and some elements of the product.
#[derive(Debug)]
pub struct GemmData<T> {
    /// The sizes.
    pub case: GemmCase,
    /// A as it is stored.
    pub a: Vec<T>,
    /// B as it is stored.
    pub b: Vec<T>,
    samples: Vec<Sample>,
}

/// One element of the product, computed in `f64`.
#[derive(Clone, Copy, Debug)]
struct Sample {
    index: usize,
    value: Complex64,
    /// The element of |A| |B|.
    magnitude: f64,
}

/// Elements of the product that are checked, and its corners in addition.
const SAMPLES: usize = 28;

impl<T: Scalar> GemmData<T> {
    /// Random operands, for `contenders` that each have a result of their own.
    ///
    /// # Errors
    /// [`BenchError::Memory`].
    pub fn random(case: &GemmCase, contenders: usize) -> Result<Self, BenchError> {
        let needed = case.bytes(contenders).unwrap_or(u64::MAX);
        // No limit where the system does not tell.
        let available = memory::available().unwrap_or(u64::MAX);
        if needed > available {
            let what = format!("gemm of {}x{}x{} in {:?}", case.m, case.n, case.k, case.kind);
            return Err(BenchError::Memory { what, needed, available });
        }
        let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
        let [a, b] = [case.stored_a(), case.stored_b()].map(|(rows, columns)| random.elements(rows * columns));
        let mut data = GemmData { case: *case, a, b, samples: Vec::new() };
        let corners = [(0, 0), (case.m - 1, 0), (0, case.n - 1), (case.m - 1, case.n - 1)];
        let anywhere = (0..SAMPLES).map(|_| (random.below(case.m), random.below(case.n)));
        data.samples = corners.into_iter().chain(anywhere).map(|(i, j)| data.sample(i, j)).collect();
        Ok(data)
    }

    /// A C for one contender: random too, so that one that writes nothing is found out.
    pub fn random_c(&self) -> Vec<T> {
        Random::new(0xD1B5_4A32_D192_ED03).elements(self.case.m * self.case.n)
    }

    /// Error of a product at the samples.
    ///
    /// The bound is the one of the error analysis, c (k + 2) eps |A| |B|, with c = 2, and 4 for complex numbers.
    pub fn accuracy(&self, c: &[T]) -> Accuracy {
        let errors = self.samples.iter().map(|sample| {
            let difference = Complex64::new(c[sample.index].re(), c[sample.index].im()) - sample.value;
            difference.norm() / sample.magnitude
        });
        // Not f64::max, which drops a NaN: a NaN must not pass, wherever it comes.
        let error = errors.fold(0.0, |worst: f64, error| if worst.is_nan() || error <= worst { worst } else { error });
        let factor = if T::KIND.is_complex() { 4.0 } else { 2.0 };
        Accuracy { error, bound: factor * (self.case.k as f64 + 2.0) * T::EPSILON }
    }

    fn sample(&self, i: usize, j: usize) -> Sample {
        let GemmCase { op_a, op_b, m, k, .. } = self.case;
        let (lda, ldb) = (self.case.stored_a().0, self.case.stored_b().0);
        let element = |data: &[T], op: Op, row: usize, column: usize, ld: usize| {
            let value = if op.transposes() { data[column + row * ld] } else { data[row + column * ld] };
            Complex64::new(value.re(), if op.conjugates() { -value.im() } else { value.im() })
        };
        let (mut value, mut magnitude) = (Complex64::new(0.0, 0.0), 0.0);
        for p in 0..k {
            let (a, b) = (element(&self.a, op_a, i, p, lda), element(&self.b, op_b, p, j, ldb));
            value += a * b;
            magnitude += a.norm() * b.norm();
        }
        Sample { index: i + j * m, value, magnitude }
    }
}

#[cfg(test)]
mod tests {
    use affinimath::Complex32;

    use super::*;

    fn case(kind: ScalarKind, op_a: Op, op_b: Op) -> GemmCase {
        GemmCase { kind, op_a, op_b, m: 3, n: 2, k: 4 }
    }

    #[test]
    fn a_right_product_passes_and_a_wrong_element_does_not() {
        let data = GemmData::<Complex32>::random(&case(ScalarKind::C, Op::ConjTrans, Op::Trans), 1).unwrap();
        assert_eq!((data.a.len(), data.b.len()), (12, 8));
        let mut c = vec![Complex32::ZERO; 6];
        for i in 0..3 {
            for j in 0..2 {
                c[i + 3 * j] =
                    (0..4).fold(Complex32::ZERO, |sum, p| sum + data.a[p + 4 * i].conj() * data.b[j + 2 * p]);
            }
        }
        assert!(data.accuracy(&c).holds(), "{:?}", data.accuracy(&c));
        assert!(!data.accuracy(&data.random_c()).holds());
        c[5] = Complex32::new(f32::NAN, 0.0);
        assert!(!data.accuracy(&c).holds());
    }

    #[test]
    fn complex_products_count_four_times() {
        assert_eq!(case(ScalarKind::D, Op::NoTrans, Op::NoTrans).operations(), 48.0);
        assert_eq!(case(ScalarKind::Z, Op::NoTrans, Op::NoTrans).operations(), 192.0);
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_made() {
        let huge = GemmCase { m: 1 << 40, n: 1 << 40, ..case(ScalarKind::S, Op::NoTrans, Op::NoTrans) };
        let refused = GemmData::<f32>::random(&huge, 2).unwrap_err().to_string();
        assert!(refused.contains("choose smaller sizes"), "{refused}");
    }
}
