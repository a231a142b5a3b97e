//! Eigenvectors of Schur forms, and condition numbers.

use affinimath_macros::instances;

use super::check_optional;
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Conditions, Sensitivity, Wanted};
use crate::host::on_living_thread;
use crate::route::lapack::spectral::{check_length, check_vector};
use crate::route::lapack::square;
use crate::route::lapack::staged::{adjacent, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// Eigenvectors of a Schur form that are wanted.
pub enum SchurEigenvectors<'s> {
    /// All of them.
    All,
    /// Those of `Z T Zᴴ`: the matrices for vectors have Z at first.
    Product,
    /// Those of the selected eigenvalues, of a real type both of a pair if one is selected. Then of a pair's flags the
    /// first one is set and the second one cleared, as LAPACK has it.
    Selected(&'s mut [bool]),
}

/// Left and right eigenvectors of a Schur form T as columns of VL and VR, where they are wanted (LAPACK: xTREVC,
/// xTREVC3): uᴴ T = lambda uᴴ and T v = lambda v. Gives their number.
///
/// |re| + |im| of each one's largest element is 1. Of a real type, the vector of a pair of complex eigenvalues, of the
/// one with the positive imaginary part, has its real parts in one column and its imaginary parts in the next.
///
/// # Errors
/// [`Error::InvalidArgument`] of `mm` where a matrix has fewer columns than there are vectors.
/// [`Error::ShapeMismatch`] where sizes do not agree, [`Error::MixedMemory`] where the matrices do not lie in one
/// memory; and what a device reports.
#[instances]
pub fn trevc<T: Scalar>(
    t: MatrixRef<'_, T>,
    wanted: SchurEigenvectors<'_>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    substitute(None, t, wanted, vl, vr)
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`trevc`].
#[instances]
pub fn trevc_on<T: Scalar>(
    queue: &Queue,
    t: MatrixRef<'_, T>,
    wanted: SchurEigenvectors<'_>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<(Event, usize)> {
    Ok((Event::Complete, substitute(Some(queue), t, wanted, vl, vr)?))
}

fn substitute<T: Scalar>(
    queue: Option<&Queue>,
    t: MatrixRef<'_, T>,
    wanted: SchurEigenvectors<'_>,
    vl: Option<MatrixMut<'_, T>>,
    vr: Option<MatrixMut<'_, T>>,
) -> Result<usize> {
    let n = square("T", t.rows(), t.columns())?;
    for (name, v) in [("VL", &vl), ("VR", &vr)] {
        check_optional(name, v.as_ref(), n, v.as_ref().map_or(0, |v| v.columns()))?;
    }
    if let SchurEigenvectors::Selected(select) = &wanted {
        check_length("select", select.len(), n)?;
    }
    let columns = [&vl, &vr].into_iter().flatten().map(|v| v.columns()).min();
    let (has_left, mut result) = (vl.is_some(), Ok(0));
    with_copies(queue, vec![t], [vl, vr].into_iter().flatten().collect(), |read, written| {
        let Some(t) = read.into_iter().next() else { return };
        let mut written = written.into_iter();
        let vl = if has_left { written.next() } else { None };
        let vr = written.next();
        on_living_thread(|| {
            let chosen = match &wanted {
                SchurEigenvectors::Selected(select) => host::selected_pairs(t, &select[..n]),
                _ => vec![true; n],
            };
            result = enough(columns, &chosen);
            if result.is_err() {
                return;
            }
            let pairs: Vec<usize> = match &wanted {
                SchurEigenvectors::Selected(_) if !T::KIND.is_complex() => {
                    (1..n).filter(|i| chosen[*i] && t[(*i, *i - 1)] != T::ZERO).collect()
                }
                _ => Vec::new(),
            };
            let what = match &wanted {
                SchurEigenvectors::All => Wanted::All,
                SchurEigenvectors::Product => Wanted::Transformed,
                SchurEigenvectors::Selected(_) => Wanted::Selected(&chosen),
            };
            host::trevc(t, what, vl, vr);
            if let SchurEigenvectors::Selected(select) = wanted {
                for i in pairs {
                    (select[i - 1], select[i]) = (true, false);
                }
            }
        });
    })?;
    result
}

/// The count of chosen eigenvalues, where there are columns or elements for them.
fn enough(available: Option<usize>, chosen: &[bool]) -> Result<usize> {
    let count = chosen.iter().filter(|chosen| **chosen).count();
    match available {
        Some(available) if available < count => {
            Err(Error::argument("mm", format!("{available} is less than {count}, the eigenvalues")))
        }
        _ => Ok(count),
    }
}

/// Reciprocal condition numbers of eigenvalues of a Schur form, and of their right eigenvectors (LAPACK: xTRSNA), of
/// all of them or of the selected ones. Gives their number. T is not changed.
///
/// `of_values` gets |uᴴ v| for left and right eigenvectors of length 1, `of_vectors` estimates of the separation of
/// each eigenvalue from the others.
///
/// # Errors
/// [`Error::InvalidArgument`] of `mm` where a vector is too short. [`Error::ShapeMismatch`] where T is not square, or
/// the selection is too short; and what a device reports.
#[instances]
pub fn trsna<T: Scalar>(
    t: MatrixRef<'_, T>,
    select: Option<&[bool]>,
    of_values: Option<&mut [T::RealScalar]>,
    of_vectors: Option<&mut [T::RealScalar]>,
) -> Result<usize> {
    estimate(None, t, select, (of_values, of_vectors))
}

/// The same for operands in a device's memory.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`trsna`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn trsna_on<T: Scalar>(
    queue: &Queue,
    t: MatrixRef<'_, T>,
    select: Option<&[bool]>,
    of_values: Option<VectorMut<'_, T::RealScalar>>,
    of_vectors: Option<VectorMut<'_, T::RealScalar>>,
) -> Result<(Event, usize)> {
    let mut copies = Vec::new();
    for (name, vector) in [("s", &of_values), ("sep", &of_vectors)] {
        let copy = vector.as_ref().map(|vector| {
            check_vector(name, vector, vector.length())?;
            Ok::<_, Error>((adjacent(queue, vector, name)?, vec![T::RealScalar::default(); vector.length()]))
        });
        copies.push(copy.transpose()?);
    }
    let mut slices = copies.iter_mut().map(|copy| copy.as_mut().map(|(_, numbers)| numbers.as_mut_slice()));
    let (of_values, of_vectors) = (slices.next().flatten(), slices.next().flatten());
    let count = estimate(Some(queue), t, select, (of_values, of_vectors))?;
    for (target, numbers) in copies.iter().flatten() {
        target.write(queue, &numbers[..count])?;
    }
    Ok((Event::Complete, count))
}

fn estimate<T: Scalar>(
    queue: Option<&Queue>,
    t: MatrixRef<'_, T>,
    select: Option<&[bool]>,
    (of_values, of_vectors): Sensitivity<'_, T::RealScalar>,
) -> Result<usize> {
    let n = square("T", t.rows(), t.columns())?;
    select.map_or(Ok(()), |select| check_length("select", select.len(), n))?;
    let available = [of_values.as_ref(), of_vectors.as_ref()].into_iter().flatten().map(|s| s.len()).min();
    let wanted = Conditions { values: of_values.is_some(), subspace: of_vectors.is_some() };
    let mut result = Ok(0);
    with_copies(queue, vec![t], vec![], |read, _| {
        let Some(t) = read.into_iter().next() else { return };
        on_living_thread(|| {
            let chosen = select.map_or_else(|| vec![true; n], |select| host::selected_pairs(t, &select[..n]));
            result = enough(available, &chosen);
            if result.is_err() {
                return;
            }
            let of = |wanted: bool| vec![T::RealScalar::default(); if wanted { n } else { 0 }];
            let (mut s, mut sep) = (of(wanted.values), of(wanted.subspace));
            host::trsna(t, wanted, &mut s, &mut sep);
            for (to, all) in [(of_values, s), (of_vectors, sep)] {
                let Some(to) = to else { continue };
                let chosen_values = all.into_iter().zip(&chosen).filter(|(_, chosen)| **chosen);
                to.iter_mut().zip(chosen_values).for_each(|(to, (value, _))| *to = value);
            }
        });
    })?;
    result
}
