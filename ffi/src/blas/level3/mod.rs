//! BLAS level 3.

pub(crate) mod batched;
pub(crate) mod gemm;
pub(crate) mod gemmt;
mod rank_k;
pub(crate) mod symm;
pub(crate) mod trmm;
pub(crate) mod trsm;

/// The routines on Hermitian matrices: the arguments of those on symmetric ones, some of them real.
pub(crate) mod hemm {
    pub(crate) type Call<T, F> = super::symm::Symmetric<T, F, true>;
}
pub(crate) mod syrk {
    pub(crate) type Call<T, F> = super::rank_k::RankK<T, T, F, false>;
}
pub(crate) mod herk {
    pub(crate) type Call<T, F> = super::rank_k::RankK<T, <T as affinimath::Scalar>::RealScalar, F, true>;
}
pub(crate) mod syr2k {
    pub(crate) type Call<T, F> = super::rank_k::Rank2K<T, T, F, false>;
}
pub(crate) mod her2k {
    pub(crate) type Call<T, F> = super::rank_k::Rank2K<T, <T as affinimath::Scalar>::RealScalar, F, true>;
}
