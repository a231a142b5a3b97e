//! dotc: dot with x conjugated.

/// The arguments of `affinimathCdotc` and `affinimathZdotc`.
pub type Call<T, F> = super::dot::Product<T, F, true>;
