//! hetrs: sytrs of a Hermitian matrix.

/// The arguments of `affinimath*hetrs`.
pub type Call<T, F> = super::sytrs::OfTriangle<T, F, true>;
