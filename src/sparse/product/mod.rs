//! Products of a sparse matrix and a vector.

mod dense;
mod narrow;
mod plan;
mod run;
mod space;
#[cfg(test)]
mod tests;

pub(crate) use affinimath_core::sparse::{CsrDenseProduct, CsrProduct};
pub(in crate::sparse) use dense::DenseArguments;
pub(crate) use dense::{Segments, dense_product_on};
pub(crate) use narrow::Narrowing;
pub(crate) use plan::{ProductParameters, ProductPlan};
pub(crate) use run::{MatrixArguments, PreparedProduct, product_on, product_step_on};
pub(crate) use space::class_of;
