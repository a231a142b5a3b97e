//! Sparse matrices that C holds: C's arguments, in C's order, to the library's matrices and views.
//!
//! A handle of C has no static type: each typed function checks for its own ([`handle`]). A matrix stays in the context
//! of the function that made it. Operations that change or make matrices run on the library's own queue of that
//! context, in the order of the caller's queue ([`handle::in_order`]). Products and triangular solves run on the
//! caller's queue itself.

mod arrays;
pub(crate) mod code;
pub(crate) mod convert;
mod create;
pub(crate) mod factors;
pub(crate) mod handle;
mod operator;
pub(crate) mod preconditioner;
mod product;
mod scale;
pub(crate) mod solve;

pub use factors::Factors;
pub use handle::Csr;
pub use operator::{History, Operator, OperatorCl};
pub use preconditioner::Preconditioner;

pub(crate) use crate::generated::sparse_objects::{SolveOptions, SolveOutcome};

/// The modules that shims name, each with the arguments of one function.
macro_rules! calls {
    ($($(#[$meta:meta])* $module:ident: $($call:tt)::+ [$($parameter:tt),*];)+) => {
        $(
            pub(crate) mod $module {
                /// The arguments of the function.
                pub(crate) type Call<T, F> = calls!(@ $($call)::+ [$($parameter),*] T F);
            }
        )+
    };
    (@ $($call:tt)::+ [] $t:ident $f:ident) => { crate::sparse::$($call)::+<$t, $f> };
    (@ $($call:tt)::+ [$parameter:tt] $t:ident $f:ident) => { crate::sparse::$($call)::+<$t, $f, $parameter> };
}

calls! {
    csr_create: create::Arrays[i32];
    csr_create64: create::Arrays[i64];
    csr_from_coo: create::List[i32];
    csr_from_coo64: create::List[i64];
    csr_from_dense: create::Dense[i32];
    csr_from_dense64: create::Dense[i64];
    csr_read: create::File[i32];
    csr_read64: create::File[i64];
    csr_download: arrays::Download[i32];
    csr_download64: arrays::Download[i64];
    csr_to_dense: convert::ToDense[];
    csr_diagonal: arrays::Diagonal[];
    csr_set_values: arrays::SetValues[];
    csr_scale: scale::Scale[];
    csr_scale_rows: scale::ScaleLines[true];
    csr_scale_columns: scale::ScaleLines[false];
    csr_sum: convert::Sum[];
    csrmv: product::Csrmv[];
    csrmm: product::Csrmm[];
    csrsv: product::Csrsv[];
    cg: solve::Solve[0];
    minres: solve::Solve[1];
    bicgstab: solve::Solve[2];
    gmres: solve::Solve[3];
    lsqr: solve::Solve[4];
    lsmr: solve::Solve[5];
    cg_operator: solve::SolveOperator[0];
    minres_operator: solve::SolveOperator[1];
    bicgstab_operator: solve::SolveOperator[2];
    gmres_operator: solve::SolveOperator[3];
    lsqr_operator: solve::SolveRectangular[4];
    lsmr_operator: solve::SolveRectangular[5];
    preconditioner_create: preconditioner::Create[];
    sparse_factors_solve: factors::Solve[];
}
