//! Factorisations and inverses.

use affinimath_array::plan::Operand;

use super::stack::Stack;
use super::write_values;
use crate::array::steps::Run;
use crate::error::{Error, Result};
use crate::options::Triangle;
use crate::route::lapack::{geqrf, getrf, getrf_batched, getri, orgqr, potrf};
use crate::scalar::Scalar;

/// P A = L U: the rows of A in the order of P A, the factors, the determinant of P.
pub(super) fn lu<T: Scalar>(
    run: &Run<'_>,
    a: &Operand,
    rows: &Operand,
    factors: &Operand,
    sign: &Operand,
) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    let (count, order) = (stack.count, stack.rows.min(stack.columns));
    let mut pivots = vec![0; count * order];
    if order > 0 && count > 0 {
        factorise(&mut stack, &mut pivots)?;
        stack.store(run, factors)?;
    }
    let (mut permutations, mut signs) = (Vec::with_capacity(count * stack.rows), Vec::with_capacity(count));
    for index in 0..count {
        let mut permutation: Vec<i64> = (0..stack.rows as i64).collect();
        let mut is_odd = false;
        for (row, pivot) in pivots[index * order..][..order].iter().enumerate() {
            let other = *pivot as usize - 1;
            permutation.swap(row, other);
            is_odd ^= other != row;
        }
        permutations.extend(permutation);
        signs.push(if is_odd { -T::ONE } else { T::ONE });
    }
    write_values(run, &permutations, rows)?;
    write_values(run, &signs, sign)
}

/// A singular matrix has factors too.
fn factorise<T: Scalar>(stack: &mut Stack<T>, pivots: &mut [i32]) -> Result<()> {
    let (count, order) = (stack.count, stack.rows.min(stack.columns));
    match count {
        1 => match getrf(stack.matrix(0)?, pivots) {
            Err(Error::ZeroPivot { .. }) => Ok(()),
            result => result,
        },
        _ => getrf_batched(stack.all()?, pivots, order, &mut vec![0; count]),
    }
}

/// A = Q R: Q's first min(m, n) columns, and a matrix of A's size with R in its upper triangle.
pub(super) fn qr<T: Scalar>(run: &Run<'_>, a: &Operand, q: &Operand, r: &Operand) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    let order = stack.rows.min(stack.columns);
    if order == 0 {
        return Ok(()); // Neither factor has elements.
    }
    let mut tau = vec![T::ZERO; stack.count * order];
    for (index, tau) in tau.chunks_mut(order).enumerate() {
        geqrf(stack.matrix(index)?, tau)?;
    }
    stack.store(run, r)?;
    for (index, tau) in tau.chunks(order).enumerate() {
        orgqr(stack.first_columns(index, order)?, tau)?;
    }
    stack.store(run, q)
}

/// The Cholesky factor in the triangle that is read.
pub(super) fn cholesky<T: Scalar>(run: &Run<'_>, triangle: Triangle, a: &Operand, factor: &Operand) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    for index in 0..stack.count {
        potrf(triangle, stack.matrix(index)?)?;
    }
    stack.store(run, factor)
}

/// The inverses.
pub(super) fn inverse<T: Scalar>(run: &Run<'_>, a: &Operand, inverse: &Operand) -> Result<()> {
    let mut stack = Stack::<T>::of(run, a)?;
    let mut pivots = vec![0; stack.rows];
    for index in 0..stack.count {
        getrf(stack.matrix(index)?, &mut pivots)?;
        getri(stack.matrix(index)?, &pivots)?;
    }
    stack.store(run, inverse)
}
