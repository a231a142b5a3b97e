//! hesv: sysv of a Hermitian matrix.

/// The arguments of `affinimath*hesv`.
pub type Call<T, F> = super::sysv::OfTriangle<T, F, true>;
