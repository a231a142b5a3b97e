//! Solves Poisson's equation on a square, whose matrix has five entries a row, and says how well.

use affinimath::sparse::{CooMatrix, CsrMatrix, Jacobi, SolveOptions};
use affinimath::{Context, Op, Result, cg};

/// Points along an edge.
const EDGE: usize = 200;

fn main() -> Result<()> {
    // Context::preferred()? is a GPU, where there is one.
    let context = Context::host();

    // Entries in any order; those that are listed more than once are added.
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut list = |row: usize, column: usize, value: f64| {
        rows.push(row as i32);
        columns.push(column as i32);
        values.push(value);
    };
    for y in 0..EDGE {
        for x in 0..EDGE {
            let here = y * EDGE + x;
            list(here, here, 4.0);
            if x > 0 {
                list(here, here - 1, -1.0);
                list(here - 1, here, -1.0);
            }
            if y > 0 {
                list(here, here - EDGE, -1.0);
                list(here - EDGE, here, -1.0);
            }
        }
    }
    let n = EDGE * EDGE;
    let matrix: CsrMatrix<f64> = CooMatrix::new(&context, n, n, &rows, &columns, &values)?.to_csr()?;

    // multiply may return before the product is done; wait() waits. On the host it is already done.
    let ones = context.upload(&vec![1.0; n])?;
    let mut b = context.zeros::<f64>(n)?;
    matrix.multiply(Op::NoTrans, 1.0, ones.vector()?, 0.0, b.vector_mut()?)?.wait()?;

    // What is reported is the residual of the x that is returned.
    let jacobi = Jacobi::new(&matrix)?;
    let mut x = context.zeros::<f64>(n)?;
    let options = SolveOptions::new().rtol(1e-10).preconditioner(&jacobi);
    let outcome = cg(&matrix, b.vector()?, x.vector_mut()?, &options)?;
    println!("{n} unknowns, {} entries: {outcome}", matrix.nnz());
    let error = x.download()?.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    println!("largest error: {error:.1e}");
    Ok(())
}
