//! Products of sparse matrices and vectors.

use affinimath::sparse::CsrMatrix;
use affinimath::{Buffer, Complex64, Context, Device, Op, Result, Scalar};
use affinimath_bench::Random;
use affinimath_tuner::space::Configuration;

use super::Workload;

/// The distribution of row lengths of a matrix.
#[derive(Clone, Copy)]
enum Rows {
    /// Five entries near the diagonal, as of a stencil on a grid.
    Stencil,
    /// 48 entries anywhere.
    Long,
    /// Two entries, but for every 256th row, which has 768.
    Uneven,
}

impl Rows {
    const ALL: [Rows; 3] = [Rows::Stencil, Rows::Long, Rows::Uneven];

    const fn entries(self, row: usize) -> usize {
        match self {
            Rows::Stencil => 5,
            Rows::Long => 48,
            Rows::Uneven => {
                if row.is_multiple_of(256) {
                    768
                } else {
                    2
                }
            }
        }
    }

    fn column(self, row: usize, entry: usize, order: usize, random: &mut Random) -> usize {
        let side = order.isqrt();
        match self {
            Rows::Stencil => (row + [0, 1, order - 1, side, order - side][entry]) % order,
            Rows::Long | Rows::Uneven => random.below(order),
        }
    }
}

struct Sparse<T> {
    order: usize,
    arrays: (Vec<i32>, Vec<i32>, Vec<T>),
    matrix: CsrMatrix<T, i32>,
    x: Buffer<T>,
    y: Buffer<T>,
    /// The results in doubles, and the sums of the products' moduli.
    expected: Vec<(Complex64, f64)>,
}

/// Products with matrices whose rows are short, long, and uneven. All of a size have about as many entries.
pub struct SparseProducts<T> {
    context: Context,
    matrices: Vec<Sparse<T>>,
}

impl<T: Scalar> SparseProducts<T> {
    pub fn new(device: &Device, sizes: &[usize]) -> Result<Self> {
        let context = Context::open(device)?;
        let mut random = Random::new(3);
        let mut matrices = Vec::new();
        for &size in sizes {
            for rows in Rows::ALL {
                // About as many entries as the stencil's.
                let order = if matches!(rows, Rows::Long) { (size * 5 / 48).max(1) } else { size };
                matrices.push(Sparse::new(&context, &mut random, rows, order)?);
            }
        }
        Ok(SparseProducts { context, matrices })
    }
}

impl<T: Scalar> Sparse<T> {
    fn new(context: &Context, random: &mut Random, rows: Rows, order: usize) -> Result<Self> {
        let (mut row_ptr, mut col_indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..order {
            let mut columns: Vec<usize> =
                (0..rows.entries(row)).map(|entry| rows.column(row, entry, order, random)).collect();
            columns.sort_unstable();
            columns.dedup();
            values.extend(columns.iter().map(|_| random.element::<T>()));
            col_indices.extend(columns.into_iter().map(|column| column as i32));
            row_ptr.push(col_indices.len() as i32);
        }
        let x: Vec<T> = random.elements(order);
        let wide = |x: T| Complex64::new(x.re(), x.im());
        let expected = (0..order).map(|row| {
            let entries = row_ptr[row] as usize..row_ptr[row + 1] as usize;
            let products = entries.map(|entry| wide(values[entry]) * wide(x[col_indices[entry] as usize]));
            products.fold((Complex64::ZERO, 0.0), |(sum, moduli), product| (sum + product, moduli + product.norm()))
        });
        let expected = expected.collect();
        let matrix = CsrMatrix::new(context, order, order, &row_ptr, &col_indices, &values)?;
        let arrays = (row_ptr, col_indices, values);
        Ok(Sparse { order, arrays, matrix, x: context.upload(&x)?, y: context.zeros(order)?, expected })
    }

    fn run(&mut self, repetitions: u32) -> Result<()> {
        for repetition in 1..=repetitions {
            let event = self.matrix.multiply(Op::NoTrans, T::ONE, self.x.vector()?, T::ZERO, self.y.vector_mut()?)?;
            if repetition == repetitions {
                event.wait()?;
            }
        }
        Ok(())
    }

    /// The largest error against |y - y_ref| <= c (n + 2) eps |A| |x| for rows of n entries, with c = 4 for complex
    /// products of four real ones.
    fn error(&mut self, context: &Context) -> Result<f64> {
        self.y = context.upload(&vec![T::from_parts(f64::NAN, f64::NAN); self.order])?;
        self.run(1)?;
        let factor = if T::KIND.is_complex() { 4.0 } else { 1.0 } * T::EPSILON;
        let row_ptr = &self.arrays.0;
        let errors =
            self.y.download()?.into_iter().zip(&self.expected).enumerate().map(|(row, (y, (expected, moduli)))| {
                let entries = f64::from(row_ptr[row + 1] - row_ptr[row]);
                let bound = factor * (entries + 2.0) * moduli + f64::MIN_POSITIVE;
                (Complex64::new(y.re(), y.im()) - expected).norm() / bound
            });
        Ok(errors.fold(0.0, |largest, error| if error <= largest { largest } else { error }))
    }
}

impl<T: Scalar> Workload for SparseProducts<T> {
    fn cases(&self) -> usize {
        self.matrices.len()
    }

    /// A matrix keeps the plan of its products: another one is made.
    fn prepare(&mut self, _: Option<&Configuration>) -> Result<()> {
        for sparse in &mut self.matrices {
            let (row_ptr, col_indices, values) = &sparse.arrays;
            sparse.matrix = CsrMatrix::new(&self.context, sparse.order, sparse.order, row_ptr, col_indices, values)?;
        }
        Ok(())
    }

    fn run(&mut self, case: usize, repetitions: u32) -> Result<()> {
        self.matrices[case].run(repetitions)
    }

    fn error(&mut self) -> Result<f64> {
        let mut largest = 0.0;
        for sparse in &mut self.matrices {
            let error = sparse.error(&self.context)?;
            largest = if error <= largest { largest } else { error };
        }
        Ok(largest)
    }
}
