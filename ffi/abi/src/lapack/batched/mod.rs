//! LAPACK on batches: many matrices of one shape, a stride apart, in one call.

pub mod gbsv;
pub mod gbtrf;
pub mod gbtrs;
pub mod geqrf;
pub mod gesv;
pub mod gesvd;
pub mod getrf;
pub mod getrs;
pub mod gtsv;
mod numbers;
pub mod posv;
pub mod potrf;
pub mod potrs;
pub mod syev;

use affinimath::MatrixShape;

use crate::blas::level3::batched::Spaced;
use crate::form::{Form, Names, Operand, names};
use numbers::{Location32, PerMatrix};

/// A batch whose arguments were checked.
type Batch<T, F> = Spaced<Operand<<F as Form>::Location<T>, MatrixShape>>;

const INFO: Names = names!("info");

/// The count of matrices; a negative one is reported last, by `arguments::size`.
fn count(batch_count: i64) -> usize {
    usize::try_from(batch_count).unwrap_or(0)
}
