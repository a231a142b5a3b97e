//! potri: potrf's arguments.

/// The arguments of `affinimath*potri`.
pub type Call<T, F> = super::potrf::OnTriangle<T, F, { super::potrf::INVERT }>;
