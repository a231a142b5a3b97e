//! lauum: potrf's arguments.

/// The arguments of `affinimath*lauum`.
pub type Call<T, F> = super::potrf::OnTriangle<T, F, { super::potrf::MULTIPLY }>;
