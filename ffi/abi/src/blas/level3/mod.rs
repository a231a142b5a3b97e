//! BLAS level 3.

pub mod batched;
pub mod gemm;
pub mod gemmt;
pub mod hgemm;
mod rank_k;
pub mod symm;
pub mod trmm;
pub mod trsm;

/// Routines on Hermitian matrices have the arguments of those on symmetric ones; some scalars are real.
pub mod hemm {
    pub type Call<T, F> = super::symm::Symmetric<T, F, true>;
}
pub mod syrk {
    pub type Call<T, F> = super::rank_k::RankK<T, T, F, false>;
}
pub mod herk {
    pub type Call<T, F> = super::rank_k::RankK<T, <T as affinimath::Scalar>::RealScalar, F, true>;
}
pub mod syr2k {
    pub type Call<T, F> = super::rank_k::Rank2K<T, T, F, false>;
}
pub mod her2k {
    pub type Call<T, F> = super::rank_k::Rank2K<T, <T as affinimath::Scalar>::RealScalar, F, true>;
}
