//! Memory of generalised eigenvalues alpha / beta: three vectors of real types, two of complex types.

use affinimath::{DeviceQuotients, Quotients, Result, Scalar, VectorShape};

use super::{ALPHA, ALPHAI, ALPHAR, BETA};
use crate::arguments::array;
use crate::form::{Location, Opened, Operand, Session};

/// Locations of eigenvalues.
#[derive(Clone, Copy)]
pub(super) enum QuotientLocations<P, R> {
    Parts(R, R, R),
    Elements(P, P),
}

/// Eigenvalues whose arguments were checked.
pub(super) enum CheckedQuotients<P, R> {
    Parts([Operand<R, VectorShape>; 3]),
    Elements([Operand<P, VectorShape>; 2]),
}

/// Eigenvalues with their memory.
pub(super) enum OpenedQuotients<T: Scalar> {
    Parts([Opened<T::RealScalar, VectorShape>; 3]),
    Elements([Opened<T, VectorShape>; 2]),
}

impl<P, R> QuotientLocations<P, R> {
    /// Checks the pointers to n eigenvalues.
    pub(super) fn check<T: Scalar>(self, n: usize) -> Result<CheckedQuotients<P, R>>
    where
        P: Location<T>,
        R: Location<T::RealScalar>,
    {
        Ok(match self {
            QuotientLocations::Parts(alphar, alphai, beta) => {
                CheckedQuotients::Parts([array(ALPHAR, n, alphar)?, array(ALPHAI, n, alphai)?, array(BETA, n, beta)?])
            }
            QuotientLocations::Elements(alpha, beta) => {
                CheckedQuotients::Elements([array(ALPHA, n, alpha)?, array(BETA, n, beta)?])
            }
        })
    }
}

impl<P, R> CheckedQuotients<P, R> {
    /// Opens the memory.
    ///
    /// # Safety
    /// The locations must be null or valid for the eigenvalues. Nothing else may access them.
    pub(super) unsafe fn open<T: Scalar>(&self, session: &Session) -> Result<OpenedQuotients<T>>
    where
        P: Location<T>,
        R: Location<T::RealScalar>,
    {
        // SAFETY: this function has the contract of `Operand::open`.
        unsafe {
            Ok(match self {
                CheckedQuotients::Parts([alphar, alphai, beta]) => {
                    OpenedQuotients::Parts([alphar.open(session)?, alphai.open(session)?, beta.open(session)?])
                }
                CheckedQuotients::Elements([alpha, beta]) => {
                    OpenedQuotients::Elements([alpha.open(session)?, beta.open(session)?])
                }
            })
        }
    }
}

impl<T: Scalar> OpenedQuotients<T> {
    /// Views in a device's memory.
    pub(super) fn on_device(&self) -> Result<DeviceQuotients<'_, T>> {
        Ok(match self {
            OpenedQuotients::Parts([alphar, alphai, beta]) => {
                DeviceQuotients::Parts(alphar.write()?, alphai.write()?, beta.write()?)
            }
            OpenedQuotients::Elements([alpha, beta]) => DeviceQuotients::Elements(alpha.write()?, beta.write()?),
        })
    }

    /// Runs work that writes n eigenvalues on the host. They are written where some of them converged, too; nothing is
    /// where sizes or memory were wrong.
    pub(super) fn on_host<V>(
        &mut self,
        n: usize,
        work: impl FnOnce(Quotients<'_, T::RealScalar>) -> Result<V>,
    ) -> Result<V> {
        match self {
            OpenedQuotients::Parts([alphar, alphai, beta]) => {
                work(Quotients { alphar: alphar.slice_mut(), alphai: alphai.slice_mut(), beta: beta.slice_mut() })
            }
            OpenedQuotients::Elements([alpha, beta]) => {
                let zeros = || vec![T::RealScalar::default(); n];
                let (mut re, mut im, mut divisors) = (zeros(), zeros(), zeros());
                let result = work(Quotients { alphar: &mut re, alphai: &mut im, beta: &mut divisors });
                if result.as_ref().err().is_none_or(|error| error.status() > 0) {
                    for (alpha, (re, im)) in alpha.slice_mut().iter_mut().zip(re.iter().zip(&im)) {
                        *alpha = T::from_parts(re.re(), im.re());
                    }
                    for (beta, divisor) in beta.slice_mut().iter_mut().zip(&divisors) {
                        *beta = T::from_parts(divisor.re(), 0.0);
                    }
                }
                result
            }
        }
    }
}
