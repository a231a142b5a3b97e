//! Affinimath: dense linear algebra on any OpenCL device, and on the host where there is none.
//!
//! The library is built in floors: a file uses only the floors below it (`docs/src/architecture.md`).

pub mod blas;
pub mod context;
pub mod device;
pub mod error;
pub mod host;
mod launch;
pub mod memory;
pub mod options;
pub mod program;
pub mod route;
pub mod scalar;
pub mod sparse;
#[cfg(test)]
mod testing;
mod transfer;
pub mod view;

pub use blas::level1::{axpby_on, axpy_on, copy_on, scal_on, scal_real_on, swap_on};
pub use blas::level2::{
    gbmv_on, gemv_on, hbmv_on, hemv_on, hpmv_on, sbmv_on, spmv_on, symv_on, tbmv_on, tpmv_on, trmv_on,
};
pub use blas::level3::batched::{gemm_batched_on, trsm_batched_on};
pub use blas::level3::gemm::gemm_on;
pub use blas::level3::trsm::trsm_on;
pub use blas::movement::{imatcopy_on, omatadd_on, omatcopy_on};
pub use context::{DeviceBuffer, DeviceContext, Event, Queue};
pub use device::{Device, DeviceClass, DeviceFacts};
pub use error::{Error, Result};
pub use memory::{Buffer, Context};
pub use options::{Diagonal, Layout, Op, Side, Symmetry, Triangle};
pub use route::{
    axpby, axpy, copy, gbmv, gemm, gemv, hbmv, hemv, hpmv, sbmv, scal, scal_real, spmv, swap, symv, tbmv, tpmv, trmv,
};
pub use route::{gemm_batched, imatcopy, omatadd, omatcopy, trsm, trsm_batched};
pub use scalar::{Complex32, Complex64, Scalar, ScalarKind};
pub use view::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, InPlace, MatrixMut, MatrixRef, MatrixShape, PackedMut,
    PackedRef, PackedShape, Spacing, VectorMut, VectorRef, VectorShape,
};
