//! Products of matrices.

use affinimath::{Buffer, Complex64, Context, Device, Op, Result, Scalar, gemm};
use affinimath_bench::Random;
use affinimath_tuner::space::Configuration;
use affinimath_tuner::tuned::ShapeClass;

use super::Workload;

/// A product, and its result in doubles.
struct Product<T> {
    size: [usize; 3],
    /// The operation on both operands, which are stored as it needs them.
    op: Op,
    alpha: T,
    a: Buffer<T>,
    b: Buffer<T>,
    c: Buffer<T>,
    expected: Vec<Complex64>,
    /// 2-norms of op(A)'s rows and of op(B)'s columns.
    norms: [Vec<f64>; 2],
}

/// Products of square matrices that are timed, and one that is not: with edges everywhere, of transposed operands.
pub struct Products<T> {
    context: Context,
    timed: Vec<Product<T>>,
    odd: Product<T>,
}

impl<T: Scalar> Products<T> {
    pub fn new(device: &Device, class: ShapeClass, sizes: &[usize]) -> Result<Self> {
        let context = Context::open(device)?;
        let mut random = Random::new(2);
        let mut timed = Vec::new();
        for &n in sizes {
            timed.push(Product::new(&context, &mut random, [n, n, n], Op::NoTrans, T::ONE)?);
        }
        // More than 48 rows and columns, as fewer are streamed by other kernels, and work of the class.
        let size = match class {
            ShapeClass::Small => [131, 77, 203],
            ShapeClass::Large => [301, 263, 257],
        };
        let odd = Product::new(&context, &mut random, size, Op::Trans, T::from_parts(-0.75, 0.5))?;
        Ok(Products { context, timed, odd })
    }
}

impl<T: Scalar> Product<T> {
    fn new(context: &Context, random: &mut Random, size: [usize; 3], op: Op, alpha: T) -> Result<Self> {
        let [m, n, k] = size;
        let (a, b): (Vec<T>, Vec<T>) = (random.elements(m * k), random.elements(k * n));
        let expected = product(size, op, alpha, &a, &b)?;
        let transposed = op.transposes();
        let square = |x: T| x.re().powi(2) + x.im().powi(2);
        let norm = |lines: usize, element: &dyn Fn(usize, usize) -> T| -> Vec<f64> {
            (0..lines).map(|line| (0..k).map(|p| square(element(line, p))).sum::<f64>().sqrt()).collect()
        };
        let rows = norm(m, &|i, p| if transposed { a[p + i * k] } else { a[i + p * m] });
        let columns = norm(n, &|j, p| if transposed { b[j + p * n] } else { b[p + j * k] });
        Ok(Product {
            size,
            op,
            alpha,
            a: context.upload(&a)?,
            b: context.upload(&b)?,
            c: context.zeros(m * n)?,
            expected,
            norms: [rows, columns],
        })
    }

    fn run(&mut self, repetitions: u32) -> Result<()> {
        let [m, n, k] = self.size;
        let stored = |rows: usize, columns: usize| if self.op.transposes() { [columns, rows] } else { [rows, columns] };
        let ([a_rows, a_columns], [b_rows, b_columns]) = (stored(m, k), stored(k, n));
        for repetition in 1..=repetitions {
            let (a, b) = (self.a.matrix(a_rows, a_columns)?, self.b.matrix(b_rows, b_columns)?);
            let event = gemm(self.op, self.op, self.alpha, a, b, T::ZERO, self.c.matrix_mut(m, n)?)?;
            if repetition == repetitions {
                event.wait()?;
            }
        }
        Ok(())
    }

    /// The largest error against |C - C_ref| <= c (k + 2) eps |alpha| ||a_i|| ||b_j||, with c = 4 for complex products
    /// of four real ones. What was in C is not a number, so that elements that were not computed are found.
    fn error(&mut self, context: &Context) -> Result<f64> {
        let [m, _, k] = self.size;
        self.c = context.upload(&vec![T::from_parts(f64::NAN, f64::NAN); self.expected.len()])?;
        self.run(1)?;
        let factor = if T::KIND.is_complex() { 4.0 } else { 1.0 } * (k + 2) as f64 * T::EPSILON;
        let alpha = self.alpha.re().hypot(self.alpha.im());
        let errors = self.c.download()?.into_iter().zip(&self.expected).enumerate().map(|(index, (c, expected))| {
            let bound = factor * alpha * self.norms[0][index % m] * self.norms[1][index / m];
            (Complex64::new(c.re(), c.im()) - expected).norm() / bound
        });
        // A maximum that a NaN does not get lost in.
        Ok(errors.fold(0.0, |largest, error| if error <= largest { largest } else { error }))
    }
}

/// alpha op(A) op(B), computed in doubles on the host.
fn product<T: Scalar>(size: [usize; 3], op: Op, alpha: T, a: &[T], b: &[T]) -> Result<Vec<Complex64>> {
    let [m, n, k] = size;
    let host = Context::host();
    let wide = |x: &T| Complex64::new(x.re(), x.im());
    let upload = |x: &[T]| host.upload(&x.iter().map(wide).collect::<Vec<_>>());
    let (a, b, mut c) = (upload(a)?, upload(b)?, host.zeros::<Complex64>(m * n)?);
    let stored = |rows: usize, columns: usize| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let ((a_rows, a_columns), (b_rows, b_columns)) = (stored(m, k), stored(k, n));
    let (a, b) = (a.matrix(a_rows, a_columns)?, b.matrix(b_rows, b_columns)?);
    gemm(op, op, wide(&alpha), a, b, Complex64::ZERO, c.matrix_mut(m, n)?)?.wait()?;
    c.download()
}

impl<T: Scalar> Workload for Products<T> {
    fn cases(&self) -> usize {
        self.timed.len()
    }

    fn prepare(&mut self, _: Option<&Configuration>) -> Result<()> {
        Ok(())
    }

    fn run(&mut self, case: usize, repetitions: u32) -> Result<()> {
        self.timed[case].run(repetitions)
    }

    fn error(&mut self) -> Result<f64> {
        let mut largest = self.odd.error(&self.context)?;
        for product in &mut self.timed {
            let error = product.error(&self.context)?;
            largest = if error <= largest { largest } else { error };
        }
        Ok(largest)
    }
}
