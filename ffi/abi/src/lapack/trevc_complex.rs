//! trevc of complex matrices, which does not write the selection.

/// The arguments of `affinimathCtrevc` and `affinimathZtrevc`.
pub type Call<T, F> = super::trevc::Call<T, F>;
