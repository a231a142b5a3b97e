//! Tridiagonal and bidiagonal forms, their factors, and the iterations on them.

mod bidiagonal;
mod tridiagonal;

use super::{check_length, check_vector};
use crate::context::Queue;
use crate::error::Result;
use crate::options::Side;
use crate::route::lapack::staged::{Adjacent, adjacent, adjacent_of};
use crate::scalar::{Element, Scalar};
use crate::view::{MatrixMut, VectorMut, VectorRef};

pub use bidiagonal::{BidiagonalVectors, bdsqr, bdsqr_on, gebrd, gebrd_on, orgbr, orgbr_on, ormbr, ormbr_on};
pub use tridiagonal::{
    TridiagonalMethod, TridiagonalVectors, hetrd, hetrd_on, orgtr, orgtr_on, ormtr, ormtr_on, stevr, stevr_on,
    tridiagonal_eigen, tridiagonal_eigen_on,
};

/// A vector of a device's memory with its copy on the host.
struct Copied<'a, V> {
    memory: Adjacent<'a>,
    values: Vec<V>,
}

impl<'a, V: Element> Copied<'a, V> {
    fn of(queue: &Queue, name: &'static str, vector: &VectorMut<'a, V>, length: usize) -> Result<Self> {
        check_vector(name, vector, length)?;
        let memory = adjacent(queue, vector, name)?;
        Ok(Copied { values: memory.read(queue, length)?, memory })
    }

    fn write(&self, queue: &Queue) -> Result<()> {
        self.memory.write(queue, &self.values)
    }
}

/// The elements of a vector that is read.
fn read_of<T: Element>(queue: &Queue, vector: &VectorRef<'_, T>, length: usize) -> Result<Vec<T>> {
    check_length("tau", vector.length(), length)?;
    adjacent_of(queue, vector, "tau")?.read(queue, length)
}

const fn off_diagonal(n: usize) -> usize {
    n.saturating_sub(1)
}

/// The size of C that a factor on this side has.
const fn order_of<T: Scalar>(side: Side, c: &MatrixMut<'_, T>) -> usize {
    match side {
        Side::Left => c.rows(),
        Side::Right => c.columns(),
    }
}
