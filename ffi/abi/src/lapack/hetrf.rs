//! hetrf: sytrf of a Hermitian matrix.

/// The arguments of `affinimath*hetrf`.
pub type Call<T, F> = super::sytrf::OfTriangle<T, F, true>;
