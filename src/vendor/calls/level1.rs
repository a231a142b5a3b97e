//! Level 1.

use crate::blas::level1::Elementwise;
use crate::blas::level1::reduction::Reduction;
use crate::scalar::Scalar;
use crate::vendor::request::{Access, Request, Returns, Vector, read, write};
use crate::vendor::routine::Routine;

/// The operations on the elements of one or two vectors.
pub(crate) fn elementwise<T: Scalar>(
    request: &mut Request<T>,
    operation: &Elementwise<T>,
    x: Option<Vector<T>>,
    y: Vector<T>,
) -> Option<()> {
    let none = |_: &mut Request<T>| ();
    match (*operation, x) {
        (Elementwise::Scal(alpha), None) => scal(request, Routine::Scal, |call| call.factor(alpha), y),
        (Elementwise::ScalReal(alpha), None) => scal(request, Routine::ScalReal, |call| call.real(alpha), y),
        (Elementwise::Copy, Some(x)) => pair(request, Routine::Copy, none, (x, read(true)), (y, write(false))),
        (Elementwise::Swap, Some(x)) => pair(request, Routine::Swap, none, (x, write(true)), (y, write(true))),
        (Elementwise::Axpy(alpha), Some(x)) => {
            pair(request, Routine::Axpy, |call| call.factor(alpha), (x, read(true)), (y, write(true)))
        }
        (Elementwise::Axpby(alpha, beta), Some(x)) => {
            request.begin(Routine::Axpby);
            request.size(y.length)?;
            request.factor(alpha);
            request.vector(x, read(true))?;
            request.factor(beta);
            request.vector(y, write(true))
        }
        (Elementwise::Rotate([c, s, minus_s, same_c]), Some(x)) if c == same_c && minus_s == -s => {
            pair(request, Routine::Rot, none, (x, write(true)), (y, write(true)))?;
            request.real(c);
            request.real(s);
            Some(())
        }
        (Elementwise::Rotate(factors), Some(x)) if !T::KIND.is_complex() => {
            pair(request, Routine::Rotm, none, (x, write(true)), (y, write(true)))?;
            let [h11, h12, h21, h22] = factors.map(|factor| T::from_parts(factor.re(), 0.0));
            request.parameters([-T::ONE, h11, h21, h12, h22]);
            Some(())
        }
        _ => None,
    }
}

/// A vector that is multiplied.
fn scal<T: Scalar>(
    request: &mut Request<T>,
    routine: Routine,
    factor: impl FnOnce(&mut Request<T>),
    x: Vector<T>,
) -> Option<()> {
    request.begin(routine);
    request.size(x.length)?;
    factor(request);
    request.vector(forward(x), write(true))
}

/// Two vectors.
fn pair<T: Scalar>(
    request: &mut Request<T>,
    routine: Routine,
    factor: impl FnOnce(&mut Request<T>),
    (x, x_access): (Vector<T>, Access),
    (y, y_access): (Vector<T>, Access),
) -> Option<()> {
    request.begin(routine);
    request.size(y.length)?;
    factor(request);
    request.vector(x, x_access)?;
    request.vector(y, y_access)
}

/// The same elements from the lowest address on: where their order means nothing, and BLAS does nothing with them from
/// the highest.
fn forward<T: Scalar>(x: Vector<T>) -> Vector<T> {
    let increment = x.increment.unsigned_abs() as isize;
    Vector { increment, ..x }
}

/// The reductions of one vector, or of two.
pub(crate) fn reduction<T: Scalar>(
    request: &mut Request<T>,
    reduction: &Reduction,
    x: Vector<T>,
    y: Option<Vector<T>>,
) -> Option<()> {
    let (routine, returns) = match reduction {
        Reduction::Dot { conjugate: false } => (Routine::Dot, Returns::Element),
        Reduction::Dot { conjugate: true } => (Routine::Dotc, Returns::Element),
        Reduction::Dsdot => (Routine::Dsdot, Returns::Double),
        Reduction::Sdsdot(_) => (Routine::Sdsdot, Returns::Real),
        Reduction::Asum => (Routine::Asum, Returns::Real),
        Reduction::Nrm2 => (Routine::Nrm2, Returns::Real),
        Reduction::Iamax => (Routine::Iamax, Returns::Index),
        Reduction::Iamin => (Routine::Iamin, Returns::Index),
    };
    if returns == Returns::Index && x.increment < 0 {
        return None; // BLAS gives the index 0 of no element for these.
    }
    request.begin(routine);
    request.size(x.length)?;
    if let Reduction::Sdsdot(start) = *reduction {
        request.real(T::RealScalar::from_parts(f64::from(start), 0.0));
    }
    match y {
        None => request.vector(forward(x), read(true))?,
        Some(y) => {
            request.vector(x, read(true))?;
            request.vector(y, read(true))?;
        }
    }
    request.gives(returns);
    Some(())
}
