//! Dense routines.

use affinimath_ffi::generated::blas_level2::affinimathDgemv;
use affinimath_ffi::generated::blas_level3::{affinimathDgemm, affinimathDtrsm};
use affinimath_ffi::generated::lapack::affinimathDgetrf;
use libfuzzer_sys::arbitrary::{Result, Unstructured};

use super::{Claims, LAYOUTS, Memory, OPS, code, factor, size, values};

fn transposes(op: i32) -> bool {
    op == 112 || op == 113
}

pub fn gemm(u: &mut Unstructured<'_>) -> Result<()> {
    let mut claims = Claims::new();
    let layout = code(u, LAYOUTS)?;
    let (transa, transb) = (code(u, OPS)?, code(u, OPS)?);
    let (m, n, k) = (size(u)?, size(u)?, size(u)?);
    let (alpha, beta) = (factor(u)?, factor(u)?);
    claims.require(LAYOUTS.contains(&layout) && OPS.contains(&transa) && OPS.contains(&transb));
    claims.require(m >= 0 && n >= 0 && k >= 0);
    let reads = m > 0 && n > 0 && k > 0 && alpha != 0.0;
    let stored = |op, rows, columns| if transposes(op) { (columns, rows) } else { (rows, columns) };
    let (a, lda) = claims.matrix(u, layout, stored(transa, m, k), reads)?;
    let (b, ldb) = claims.matrix(u, layout, stored(transb, k, n), reads)?;
    let (c, ldc) = claims.matrix(u, layout, (m, n), reads || beta != 1.0)?;
    if claims.skipped() {
        return Ok(());
    }
    let [a, b] = [Memory::new(&claims, &a, values(u)?), Memory::new(&claims, &b, values(u)?)];
    let mut c = Memory::new(&claims, &c, values(u)?);
    let (a, b, c) = (a.get(), b.get(), c.get_mut());
    // SAFETY: valid arguments have buffers of the sizes that they claim, others must not be looked at.
    let status = unsafe { affinimathDgemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) };
    claims.check("gemm", status, 14);
    Ok(())
}

pub fn gemv(u: &mut Unstructured<'_>) -> Result<()> {
    let mut claims = Claims::new();
    let (layout, trans) = (code(u, LAYOUTS)?, code(u, OPS)?);
    let (m, n) = (size(u)?, size(u)?);
    let (alpha, beta) = (factor(u)?, factor(u)?);
    claims.require(LAYOUTS.contains(&layout) && OPS.contains(&trans) && m >= 0 && n >= 0);
    let reads = m > 0 && n > 0 && alpha != 0.0;
    let writes = m > 0 && n > 0 && (reads || beta != 1.0);
    let (rows, columns) = if transposes(trans) { (n, m) } else { (m, n) };
    let (a, lda) = claims.matrix(u, layout, (m, n), reads)?;
    let (x, incx) = claims.vector(u, columns, reads)?;
    let (y, incy) = claims.vector(u, rows, writes)?;
    if claims.skipped() {
        return Ok(());
    }
    let [a, x] = [Memory::new(&claims, &a, values(u)?), Memory::new(&claims, &x, values(u)?)];
    let mut y = Memory::new(&claims, &y, values(u)?);
    let (a, x, y) = (a.get(), x.get(), y.get_mut());
    // SAFETY: as for gemm.
    let status = unsafe { affinimathDgemv(layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy) };
    claims.check("gemv", status, 12);
    Ok(())
}

pub fn trsm(u: &mut Unstructured<'_>) -> Result<()> {
    const CODES: [&[i32]; 5] = [LAYOUTS, &[141, 142], &[121, 122], OPS, &[131, 132]];
    let mut claims = Claims::new();
    let mut codes = [0; 5];
    for (found, legal) in codes.iter_mut().zip(CODES) {
        *found = code(u, legal)?;
        claims.require(legal.contains(found));
    }
    let [layout, side, uplo, transa, diag] = codes;
    let (m, n) = (size(u)?, size(u)?);
    claims.require(m >= 0 && n >= 0);
    let alpha = factor(u)?;
    let some = m > 0 && n > 0;
    let order = if side == 141 { m } else { n };
    let (a, lda) = claims.matrix(u, layout, (order, order), some && alpha != 0.0)?;
    let (b, ldb) = claims.matrix(u, layout, (m, n), true)?;
    if claims.skipped() {
        return Ok(());
    }
    let a = Memory::new(&claims, &a, values(u)?);
    let mut b = Memory::new(&claims, &b, values(u)?);
    let (a, b) = (a.get(), b.get_mut());
    // SAFETY: as for gemm.
    let status = unsafe { affinimathDtrsm(layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb) };
    claims.check("trsm", status, 12);
    Ok(())
}

pub fn getrf(u: &mut Unstructured<'_>) -> Result<()> {
    let mut claims = Claims::new();
    let layout = code(u, LAYOUTS)?;
    let (m, n) = (size(u)?, size(u)?);
    claims.require(LAYOUTS.contains(&layout) && m >= 0 && n >= 0);
    let (a, lda) = claims.matrix(u, layout, (m, n), true)?;
    let pivots = claims.buffer(u, i128::from(m.min(n)), true)?;
    if claims.skipped() {
        return Ok(());
    }
    let mut a = Memory::new(&claims, &a, values(u)?);
    let mut pivots = Memory::new(&claims, &pivots, |_| 0);
    // SAFETY: as for gemm.
    let status = unsafe { affinimathDgetrf(layout, m, n, a.get_mut(), lda, pivots.get_mut()) };
    claims.check("getrf", status, 6);
    Ok(())
}
