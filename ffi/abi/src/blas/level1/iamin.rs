//! iamin: iamax with the smallest element.

/// The arguments of `affinimathI*amin`.
pub type Call<T, F> = super::iamax::Extreme<T, F, true>;
