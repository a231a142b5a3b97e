//! hetri: sytri of a Hermitian matrix.

/// The arguments of `affinimath*hetri`.
pub type Call<T, F> = super::sytri::OfTriangle<T, F, true>;
