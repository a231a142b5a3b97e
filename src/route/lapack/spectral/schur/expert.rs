//! Eigenvalues of general matrices with a choice of the balancing, and condition numbers.

use affinimath_macros::instances;

use super::{DeviceEigenvalues, Target, check_optional, no_convergence};
use crate::context::{Event, Queue};
use crate::error::{Error, Result};
use crate::host::lapack::{self as host, Balanced, Balancing, Info, Sensitivity};
use crate::host::on_living_thread;
use crate::route::lapack::spectral::{check_length, check_vector};
use crate::route::lapack::square;
use crate::route::lapack::staged::{DeviceInfo, adjacent, with_copies};
use crate::scalar::Scalar;
use crate::view::{MatrixMut, MatrixRef, VectorMut};

/// [`geev`](crate::geev) with a choice of the balancing, and with reciprocal condition numbers of eigenvalues and of
/// right eigenvectors where they are wanted, n of each (LAPACK: xGEEVX). A is not changed.
///
/// `balanced` gets [`gebal`](crate::gebal)'s range and the balanced matrix's 1-norm, `scale` its n factors.
///
/// # Errors
/// The errors of [`geev`](crate::geev).
#[instances]
pub fn geevx<T: Scalar>(
    a: MatrixRef<'_, T>,
    balancing: Balancing,
    values: (&mut [T::RealScalar], &mut [T::RealScalar]),
    vectors: (Option<MatrixMut<'_, T>>, Option<MatrixMut<'_, T>>),
    (balanced, scale): (&mut Balanced, &mut [T::RealScalar]),
    conditions: (Option<&mut [T::RealScalar]>, Option<&mut [T::RealScalar]>),
) -> Result<()> {
    no_convergence(decompose(None, a, balancing, values, vectors, (balanced, scale), conditions)?)
}

/// The same for operands in a device's memory, with the info there, too.
///
/// It waits for what is before it in the queue, and is done when it returns.
///
/// # Errors
/// The errors of [`geevx`]; [`Error::MixedMemory`] where an operand lies in the host's memory.
#[instances]
pub fn geevx_on<T: Scalar>(
    queue: &Queue,
    (a, balancing): (MatrixRef<'_, T>, Balancing),
    values: DeviceEigenvalues<'_, T>,
    vectors: (Option<MatrixMut<'_, T>>, Option<MatrixMut<'_, T>>),
    scale: VectorMut<'_, T::RealScalar>,
    conditions: (Option<VectorMut<'_, T::RealScalar>>, Option<VectorMut<'_, T::RealScalar>>),
    info: VectorMut<'_, i32>,
) -> Result<(Event, Balanced)> {
    let n = square("A", a.rows(), a.columns())?;
    let (target, info) = (Target::of(queue, &values, n)?, DeviceInfo::new(queue, &info)?);
    let mut copies = Vec::new();
    for (name, vector) in
        [("scale", Some(&scale)), ("rconde", conditions.0.as_ref()), ("rcondv", conditions.1.as_ref())]
    {
        let copy = vector.map(|vector| {
            check_vector(name, vector, n)?;
            Ok::<_, Error>((adjacent(queue, vector, name)?, vec![T::RealScalar::default(); n]))
        });
        copies.push(copy.transpose()?);
    }
    let (mut wr, mut wi) = (vec![T::RealScalar::default(); n], vec![T::RealScalar::default(); n]);
    let mut balanced = Balanced { range: 0..n, norm: 0.0 };
    let mut slices = copies.iter_mut().map(|copy| copy.as_mut().map(|(_, numbers)| numbers.as_mut_slice()));
    let scale = slices.next().flatten().unwrap_or_default();
    let conditions = (slices.next().flatten(), slices.next().flatten());
    let found = decompose(Some(queue), a, balancing, (&mut wr, &mut wi), vectors, (&mut balanced, scale), conditions)?;
    target.write::<T>(queue, &wr, &wi)?;
    for (memory, numbers) in copies.iter().flatten() {
        memory.write(queue, numbers)?;
    }
    info.write(queue, found)?;
    Ok((Event::Complete, balanced))
}

fn decompose<T: Scalar>(
    queue: Option<&Queue>,
    a: MatrixRef<'_, T>,
    balancing: Balancing,
    (wr, wi): (&mut [T::RealScalar], &mut [T::RealScalar]),
    (vl, vr): (Option<MatrixMut<'_, T>>, Option<MatrixMut<'_, T>>),
    (balanced, scale): (&mut Balanced, &mut [T::RealScalar]),
    (of_values, of_vectors): Sensitivity<'_, T::RealScalar>,
) -> Result<Info> {
    let n = square("A", a.rows(), a.columns())?;
    for (name, length) in [("wr", wr.len()), ("wi", wi.len()), ("scale", scale.len())] {
        check_length(name, length, n)?;
    }
    for (name, of) in [("rconde", &of_values), ("rcondv", &of_vectors)] {
        of.as_ref().map_or(Ok(()), |of| check_length(name, of.len(), n))?;
    }
    check_optional("VL", vl.as_ref(), n, n)?;
    check_optional("VR", vr.as_ref(), n, n)?;
    let has_left = vl.is_some();
    let mut info = None;
    with_copies(queue, vec![a], [vl, vr].into_iter().flatten().collect(), |read, written| {
        let Some(a) = read.into_iter().next() else { return };
        let mut written = written.into_iter();
        let vl = if has_left { written.next() } else { None };
        let vr = written.next();
        let conditions = (of_values.is_some() || of_vectors.is_some())
            .then(|| (of_values.map(|of| &mut of[..n]), of_vectors.map(|of| &mut of[..n])));
        on_living_thread(|| {
            let values = (&mut wr[..n], &mut wi[..n]);
            (info, *balanced) = host::geevx(a, balancing, values, (vl, vr), &mut scale[..n], conditions);
        });
    })?;
    Ok(info)
}
