//! posv: potrs's arguments.

/// The arguments of `affinimath*posv`.
pub type Call<T, F> = super::potrs::Definite<T, F, true>;
