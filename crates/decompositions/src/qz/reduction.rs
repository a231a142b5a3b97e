//! Hessenberg-triangular form by rotations (Moler and Stewart 1973; LAPACK: xGGHRD).

use std::ops::Range;

use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_macros::instances;

use super::Pencil;
use crate::rotation::Rotation;

/// Makes A upper Hessenberg and keeps B upper triangular, in the rows and columns of a range outside of which both are
/// triangular. Q and Z are multiplied by the transformations.
///
/// # Panics
/// If sizes or the range do not fit, or if columns are not contiguous.
#[instances]
pub fn reduce<T: Scalar>(pencil: Pencil<'_, T>, range: Range<usize>) {
    let mut pencil = pencil;
    let n = pencil.a.nrows();
    let complex = |x: T| Complex64::new(x.re(), x.im());
    for j in range.start..range.end.saturating_sub(2) {
        for i in (j + 2..range.end).rev() {
            if pencil.a[(i, j)] != T::ZERO {
                let turn = Rotation::of(complex(pencil.a[(i - 1, j)]), complex(pencil.a[(i, j)]));
                pencil.rotate_rows(i - 1, turn, j..n, i - 1..n);
                pencil.a[(i, j)] = T::ZERO;
            }
            if pencil.b[(i, i - 1)] != T::ZERO {
                let turn = Rotation::of_row(complex(pencil.b[(i, i - 1)]), complex(pencil.b[(i, i)]));
                pencil.rotate_columns(i - 1, turn, 0..range.end, 0..i + 1);
                pencil.b[(i, i - 1)] = T::ZERO;
            }
        }
    }
}
