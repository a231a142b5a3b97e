//! Sylvester's equation of Schur forms.

use affinimath_macros::instances;

use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack as host;
use crate::host::on_living_thread;
use crate::options::Op;
use crate::route::lapack::square;
use crate::route::lapack::staged::{DeviceInfo, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// The result of [`trsyl`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SylvesterScale {
    /// The factor of C, at most 1, for which X does not overflow.
    pub scale: f64,
    /// True where eigenvalues of A and of -B (or B) are common or close: the solution is that of perturbed ones.
    pub perturbed: bool,
}

/// Solves op(A) X + X op(B) = scale C for X in C's place (Bartels and Stewart 1972; LAPACK: xTRSYL), or, if `minus`,
/// op(A) X - X op(B) = scale C. A and B are Schur forms, quasi-triangular of real types.
///
/// # Errors
/// [`Error::ShapeMismatch`] where sizes do not agree, [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
///
/// # Example
/// ```
/// use affinimath::{Layout, MatrixMut, MatrixRef, MatrixShape, Op, trsyl};
///
/// let one = MatrixShape::new(Layout::RowMajor, 1, 1, 0, 1)?;
/// let (a, b, mut c) = ([2.0_f64], [1.0], [6.0]);
/// let (a, b) = (MatrixRef::from_slice(&a, one)?, MatrixRef::from_slice(&b, one)?);
/// trsyl([Op::NoTrans; 2], false, a, b, MatrixMut::from_slice(&mut c, one)?)?;
/// assert_eq!(c, [2.0]);
/// # Ok::<(), affinimath::Error>(())
/// ```
#[instances]
pub fn trsyl<T: Scalar>(
    ops: [Op; 2],
    minus: bool,
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<SylvesterScale> {
    solve(None, (ops, minus), a, b, c)
}

/// The same for operands in a device's memory, with LAPACK's info there, too: 1 of perturbed eigenvalues.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`trsyl`].
#[instances]
pub fn trsyl_on<T: Scalar>(
    queue: &Queue,
    (ops, minus): ([Op; 2], bool),
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    c: MatrixMut<'_, T>,
    info: VectorMut<'_, i32>,
) -> Result<(Event, SylvesterScale)> {
    let info = DeviceInfo::new(queue, &info)?;
    let result = solve(Some(queue), (ops, minus), a, b, c)?;
    info.write(queue, result.perturbed.then_some(1))?;
    Ok((Event::Complete, result))
}

fn solve<T: Scalar>(
    queue: Option<&Queue>,
    (ops, minus): ([Op; 2], bool),
    a: MatrixRef<'_, T>,
    b: MatrixRef<'_, T>,
    c: MatrixMut<'_, T>,
) -> Result<SylvesterScale> {
    let (m, n) = (square("A", a.rows(), a.columns())?, square("B", b.rows(), b.columns())?);
    if (c.rows(), c.columns()) != (m, n) {
        return Err(Error::ShapeMismatch(format!("C: {} x {}, and not {m} x {n}", c.rows(), c.columns())));
    }
    let sign = if minus { -1.0 } else { 1.0 };
    let mut result = SylvesterScale { scale: 1.0, perturbed: false };
    if m == 0 || n == 0 {
        return Ok(result);
    }
    with_copies(queue, vec![a, b], vec![c], |read, written| {
        let mut read = read.into_iter();
        let (Some(a), Some(b), Some(c)) = (read.next(), read.next(), written.into_iter().next()) else { return };
        on_living_thread(|| {
            let (scale, perturbed) = host::trsyl(ops, sign, a, b, c);
            result = SylvesterScale { scale, perturbed };
        });
    })?;
    Ok(result)
}
