//! Calls on host memory that several devices of the process share.

mod batched;
mod cost;
mod lapack;
mod level3;
mod shared;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(super) use shared::share;

use super::RouteChoice;
use super::settings::{DeviceChoice, indices};
use crate::context::{ContextParts, DeviceContext, TransferLimits};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::options::{Diag, Op, Side, Triangle};
use crate::scalar::Scalar;
use crate::spread::{TileSize, columns};
use crate::view::{BatchMut, BatchRef, MatrixMut, MatrixRef, Memory, View};

/// Several devices that share calls on the host's memory.
///
/// Its methods are the library's routines of level 3 and the factorisations, for operands in the host's memory. They
/// are cut into tiles, which the devices take as they become free, and the result is there on return. Matrices may be
/// larger than all devices' memory together. `AFFINIMATH_DEVICE=all`, or a list, has the library's functions do the
/// same where it pays.
///
/// The cuts depend on sizes and on the smallest device's memory. So results have the same bits on any number of equal
/// devices.
///
/// # Example
/// ```
/// use affinimath::{Context, Device, DeviceSet, Layout, MatrixMut, MatrixRef, MatrixShape, Op};
///
/// let shape = MatrixShape::new(Layout::RowMajor, 2, 2, 0, 2)?;
/// let (a, b, mut c) = ([1.0_f32, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0, 1.0], [0.0; 4]);
/// if let Ok(devices) = DeviceSet::select("all") {
///     let (a, b) = (MatrixRef::from_slice(&a, shape)?, MatrixRef::from_slice(&b, shape)?);
///     devices.gemm(Op::NoTrans, Op::NoTrans, 1.0, a, b, 0.0, MatrixMut::from_slice(&mut c, shape)?)?;
///     assert_eq!(c, [3.0, 2.0, 7.0, 4.0]);
/// }
/// // The same of chosen contexts.
/// let contexts = Device::all().unwrap_or_default().iter().map(Context::open).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(DeviceSet::new(&contexts).is_ok(), !contexts.is_empty());
/// # Ok::<(), affinimath::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceSet {
    contexts: Vec<Arc<DeviceContext>>,
    /// Order of tiles, and width of block columns, in tests.
    part: Option<usize>,
}

impl DeviceSet {
    /// The devices of some contexts.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is none, one is the host, or one is there twice.
    pub fn new(contexts: &[Context]) -> Result<Self> {
        let of_device = |context: &Context| {
            context.on_device().cloned().ok_or_else(|| Error::argument("contexts", "the host is no device of a set"))
        };
        let contexts = contexts.iter().map(of_device).collect::<Result<Vec<_>>>()?;
        let repeats = |(index, context): (usize, &Arc<DeviceContext>)| {
            contexts[..index].iter().any(|other| Arc::ptr_eq(other, context))
        };
        if contexts.iter().enumerate().any(repeats) {
            return Err(Error::argument("contexts", "a device is in the set twice"));
        }
        if contexts.is_empty() {
            return Err(Error::argument("contexts", "a set has at least one device"));
        }
        Ok(DeviceSet { contexts, part: None })
    }

    /// The devices that a text names, in the spelling of `AFFINIMATH_DEVICE`: `all`, or numbers and parts of names
    /// between commas. `all` is every GPU, or every device where there is no GPU.
    ///
    /// # Errors
    /// [`Error::UnknownDevice`], [`Error::NoDevice`]; [`Error::InvalidSetting`] for a list that names a device twice;
    /// [`Error::InvalidArgument`] for `host`.
    pub fn select(devices: &str) -> Result<Self> {
        let all = Device::all()?;
        let chosen = indices(&DeviceChoice::parse(devices), RouteChoice::Device, all)?;
        Self::new(&chosen.into_iter().map(|index| Context::open(&all[index])).collect::<Result<Vec<_>>>()?)
    }

    /// The contexts of the devices.
    pub fn contexts(&self) -> Vec<Context> {
        self.contexts.iter().cloned().map(Context::of).collect()
    }

    /// The number of devices, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a set has at least one device")]
    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// The same devices, with tiles of this order and block columns of this width: for tests with many of them.
    #[cfg_attr(not(feature = "inner"), allow(dead_code))]
    #[doc(hidden)]
    pub fn with_parts(self, order: usize) -> Self {
        DeviceSet { part: Some(order.max(1)), ..self }
    }

    /// The same of contexts that may belong to one device.
    #[cfg(test)]
    pub(crate) const fn of_contexts(contexts: Vec<Arc<DeviceContext>>, part: usize) -> Self {
        DeviceSet { contexts, part: Some(part) }
    }

    fn limits(&self) -> impl Iterator<Item = &TransferLimits> {
        self.contexts.iter().map(|context| context.transfers())
    }

    /// Order of the tiles of a result with this longer side.
    fn tile<T: Scalar>(&self, longer: usize) -> usize {
        self.part.unwrap_or_else(|| TileSize::choose(longer, size_of::<T>(), self.limits()).0)
    }

    /// Width of the block columns of a matrix.
    fn width<T: Scalar>(&self, size: [usize; 2]) -> usize {
        self.part.unwrap_or_else(|| columns::width(size, size_of::<T>(), self.limits()))
    }
}

/// Start of a view's memory, which must be the host's.
fn start<'a, T: 'a>(view: &impl View<'a, T>, name: &'static str) -> Result<*mut T> {
    match view.memory() {
        Memory::Host(start, _) => Ok(start),
        Memory::Device(_) => {
            Err(Error::argument(name, "it lies in a device's memory; several devices share the host's"))
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the operands of BLAS")]
impl DeviceSet {
    /// C := alpha op(A) op(B) + beta C: [`crate::gemm`].
    ///
    /// # Errors
    /// Those of that function, and [`Error::InvalidArgument`] for a matrix in a device's memory. After what a device
    /// reports, some tiles of C may be written.
    pub fn gemm<T: Scalar>(
        &self,
        op_a: Op,
        op_b: Op,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::gemm(self, op_a, op_b, alpha, a, b, beta, c)
    }

    /// C := alpha A B + beta C or alpha B A + beta C with a symmetric A: [`crate::symm()`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn symm<T: Scalar>(
        &self,
        side: Side,
        triangle: Triangle,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::symm(self, side, triangle, alpha, a, b, beta, c)
    }

    /// The same with a Hermitian A: [`crate::hemm`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn hemm<T: Scalar>(
        &self,
        side: Side,
        triangle: Triangle,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::hemm(self, side, triangle, alpha, a, b, beta, c)
    }

    /// A triangle of C := alpha op(A) op(A)ᵀ + beta C: [`crate::syrk`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn syrk<T: Scalar>(
        &self,
        triangle: Triangle,
        op: Op,
        alpha: T,
        a: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::syrk(self, triangle, op, alpha, a, beta, c)
    }

    /// A triangle of C := alpha op(A) op(A)ᴴ + beta C: [`crate::herk`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn herk<T: Scalar>(
        &self,
        triangle: Triangle,
        op: Op,
        alpha: T::RealScalar,
        a: MatrixRef<'_, T>,
        beta: T::RealScalar,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::herk(self, triangle, op, alpha, a, beta, c)
    }

    /// A triangle of C := alpha op(A) op(B)ᵀ + alpha op(B) op(A)ᵀ + beta C: [`crate::syr2k`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn syr2k<T: Scalar>(
        &self,
        triangle: Triangle,
        op: Op,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixRef<'_, T>,
        beta: T,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::syr2k(self, triangle, op, alpha, a, b, beta, c)
    }

    /// A triangle of C := alpha op(A) op(B)ᴴ + conj(alpha) op(B) op(A)ᴴ + beta C: [`crate::her2k`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn her2k<T: Scalar>(
        &self,
        triangle: Triangle,
        op: Op,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixRef<'_, T>,
        beta: T::RealScalar,
        c: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::her2k(self, triangle, op, alpha, a, b, beta, c)
    }

    /// B := alpha op(A) B or alpha B op(A) with a triangular A: [`crate::trmm`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn trmm<T: Scalar>(
        &self,
        side: Side,
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::trmm(self, side, triangle, op, diagonal, alpha, a, b)
    }

    /// X, which overwrites B, where op(A) X = alpha B or X op(A) = alpha B: [`crate::trsm`].
    ///
    /// # Errors
    /// The errors of [`DeviceSet::gemm`].
    pub fn trsm<T: Scalar>(
        &self,
        side: Side,
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        alpha: T,
        a: MatrixRef<'_, T>,
        b: MatrixMut<'_, T>,
    ) -> Result<()> {
        level3::trsm(self, side, triangle, op, diagonal, alpha, a, b)
    }

    /// P A = L U with partial pivoting: [`crate::getrf`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn getrf<T: Scalar>(&self, a: MatrixMut<'_, T>, pivots: &mut [i32]) -> Result<()> {
        lapack::getrf(self, a, pivots)
    }

    /// A = L Lᴴ or Uᴴ U: [`crate::potrf`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn potrf<T: Scalar>(&self, triangle: Triangle, a: MatrixMut<'_, T>) -> Result<()> {
        lapack::potrf(self, triangle, a)
    }

    /// A = Q R: [`crate::geqrf`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn geqrf<T: Scalar>(&self, a: MatrixMut<'_, T>, tau: &mut [T]) -> Result<()> {
        lapack::geqrf(self, a, tau)
    }

    /// C := alpha op(A) op(B) + beta C for each matrix of a batch: [`crate::gemm_batched`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn gemm_batched<T: Scalar>(
        &self,
        op_a: Op,
        op_b: Op,
        alpha: T,
        a: BatchRef<'_, T>,
        b: BatchRef<'_, T>,
        beta: T,
        c: BatchMut<'_, T>,
    ) -> Result<()> {
        batched::gemm(self, op_a, op_b, alpha, a, b, beta, c)
    }

    /// X, which overwrites B, where op(A) X = alpha B or X op(A) = alpha B, for each matrix of a batch:
    /// [`crate::trsm_batched`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn trsm_batched<T: Scalar>(
        &self,
        side: Side,
        triangle: Triangle,
        op: Op,
        diagonal: Diag,
        alpha: T,
        a: BatchRef<'_, T>,
        b: BatchMut<'_, T>,
    ) -> Result<()> {
        batched::trsm(self, side, triangle, op, diagonal, alpha, a, b)
    }

    /// P A = L U for each matrix of a batch: [`crate::getrf_batched`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn getrf_batched<T: Scalar>(
        &self,
        a: BatchMut<'_, T>,
        pivots: &mut [i32],
        pivot_stride: usize,
        info: &mut [i32],
    ) -> Result<()> {
        batched::getrf(self, a, pivots, pivot_stride, info)
    }

    /// A = L Lᴴ or Uᴴ U for each matrix of a batch: [`crate::potrf_batched`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn potrf_batched<T: Scalar>(&self, triangle: Triangle, a: BatchMut<'_, T>, info: &mut [i32]) -> Result<()> {
        batched::potrf(self, triangle, a, info)
    }

    /// A = Q R for each matrix of a batch: [`crate::geqrf_batched`].
    ///
    /// # Errors
    /// The errors of that function and of [`DeviceSet::gemm`].
    pub fn geqrf_batched<T: Scalar>(&self, a: BatchMut<'_, T>, tau: &mut [T], tau_stride: usize) -> Result<()> {
        batched::geqrf(self, a, tau, tau_stride)
    }
}
