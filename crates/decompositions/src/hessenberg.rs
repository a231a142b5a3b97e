//! The Hessenberg form.

use affinimath_core::Scalar;
use affinimath_macros::instances;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::hessenberg::{hessenberg_in_place, hessenberg_in_place_scratch};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, MatMut, Par};

/// A = Z H Zᴴ with an upper Hessenberg H in A's place, by Householder reflectors. Z is overwritten.
///
/// # Panics
/// If A is not square, or Z is not of its order.
#[instances]
pub fn reduce<T: Scalar>(a: MatMut<'_, T>, z: Option<MatMut<'_, T>>, par: Par) {
    let (mut a, mut z) = (a, z);
    let n = a.nrows();
    if let Some(z) = &mut z {
        z.fill(T::ZERO);
        (0..n).for_each(|i| z[(i, i)] = T::ONE);
    }
    if n <= 2 {
        return;
    }
    let block = recommended_block_size::<T>(n - 1, n - 1);
    let mut factors = Mat::<T>::zeros(block, n - 1);
    let workspace = hessenberg_in_place_scratch::<T>(n, block, par, Default::default())
        .or(householder::apply_block_householder_sequence_on_the_right_in_place_scratch::<T>(n - 1, block, n - 1));
    let mut memory = MemBuffer::new(workspace);
    let stack = MemStack::new(&mut memory);
    hessenberg_in_place(a.as_mut(), factors.as_mut(), par, stack, Default::default());
    if let Some(z) = z {
        householder::apply_block_householder_sequence_on_the_right_in_place_with_conj(
            a.as_ref().submatrix(1, 0, n - 1, n - 1),
            factors.as_ref(),
            Conj::No,
            z.submatrix_mut(1, 1, n - 1, n - 1),
            par,
            stack,
        );
    }
    for j in 0..n {
        (j + 2..n).for_each(|i| a[(i, j)] = T::ZERO);
    }
}
