//! Sparse matrices from arrays of any content, and products with those that are matrices.

use std::ptr;

use affinimath_ffi::generated::sparse::{affinimathDcsrCreate, affinimathDcsrmv};
use affinimath_ffi::generated::sparse_objects::affinimathCsrDestroy;
use libfuzzer_sys::arbitrary::{Result, Unstructured};

use super::{Claims, Guarded, Memory, OPS, code, factor, size, values};

/// The last row pointer says how many entries there are: what is more is left out.
const MOST_ENTRIES: i32 = 256;

fn pointers(u: &mut Unstructured<'_>, rows: usize) -> Result<Box<[i32]>> {
    let mut last = 0_i32;
    let mut pointers = vec![0];
    for _ in 0..rows {
        last = last.saturating_add(i32::from(u.arbitrary::<u8>()? % 4));
        pointers.push(last);
    }
    if u.ratio(1, 6)? {
        let index = u.choose_index(pointers.len())?;
        pointers[index] = if u.arbitrary()? { u.arbitrary()? } else { u.int_in_range(-3..=30)? };
    }
    Ok(pointers.into_boxed_slice())
}

pub fn csr(u: &mut Unstructured<'_>) -> Result<()> {
    let (rows, columns) = (size(u)?, size(u)?);
    // More row pointers than there are cannot be claimed.
    let counted = usize::try_from(rows).unwrap_or(0);
    if counted > 64 {
        return Ok(());
    }
    let pointers = pointers(u, counted)?;
    let given_pointers = Guarded::new(pointers.len(), |index| pointers[index]);
    let last = pointers[counted];
    if last > MOST_ENTRIES {
        return Ok(());
    }
    let entries = usize::try_from(last).unwrap_or(0);
    let mut indices = vec![0_i32; entries];
    for index in &mut indices {
        let most = columns.clamp(1, 1 << 20) as i32 - 1;
        *index = if u.ratio(1, 200)? { u.arbitrary()? } else { u.int_in_range(0..=most)? };
    }
    let given_indices = Guarded::new(entries, |index| indices[index]);
    let numbers = Guarded::new(entries, values(u)?);
    let mut matrix = ptr::null_mut();
    let given = (given_pointers.start(), given_indices.start(), numbers.start());
    // SAFETY: the arrays have the elements that they claim.
    let status = unsafe { affinimathDcsrCreate(rows, columns, given.0, given.1, given.2, &mut matrix) };
    let ascends = pointers[0] == 0 && pointers.windows(2).all(|pair| pair[0] <= pair[1]);
    let inside = indices.iter().all(|index| *index >= 0 && i64::from(*index) < columns);
    let valid = rows >= 0 && columns >= 0 && ascends && inside;
    if status != 0 {
        assert!((-6..0).contains(&status), "wrong arrays give {status}");
        // Columns are numbered by 32 bits.
        assert!(!valid || columns > i64::from(i32::MAX), "a matrix is refused: {status}: {}", super::last_error());
        assert!(matrix.is_null(), "a matrix was made and refused");
        return Ok(());
    }
    assert!(valid, "rows {rows}, columns {columns}, pointers {pointers:?}, indices {indices:?}");
    product(u, matrix, rows, columns)?;
    // SAFETY: this is the last use of the matrix.
    assert_eq!(unsafe { affinimathCsrDestroy(matrix) }, 0);
    Ok(())
}

fn product(u: &mut Unstructured<'_>, matrix: *const affinimath_ffi::Csr, rows: i64, columns: i64) -> Result<()> {
    let mut claims = Claims::new();
    let trans = code(u, OPS)?;
    let (alpha, beta) = (factor(u)?, factor(u)?);
    claims.require(OPS.contains(&trans));
    let (from, to) = if trans == 112 || trans == 113 { (rows, columns) } else { (columns, rows) };
    let (x, incx) = claims.vector(u, from, alpha != 0.0 && to > 0)?;
    let (y, incy) = claims.vector(u, to, alpha != 0.0 || beta != 1.0)?;
    if claims.skipped() {
        return Ok(());
    }
    let x = Memory::new(&claims, &x, values(u)?);
    let mut y = Memory::new(&claims, &y, values(u)?);
    // SAFETY: the vectors have the sizes that valid arguments claim.
    let status = unsafe { affinimathDcsrmv(trans, alpha, matrix, x.get(), incx, beta, y.get_mut(), incy) };
    claims.check("csrmv", status, 8);
    Ok(())
}
