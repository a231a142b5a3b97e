//! Level 2's routines.

pub(crate) mod gbmv;
pub(crate) mod gemv;
mod symmetric;
pub(crate) mod tbmv;
pub(crate) mod tbsv;
pub(crate) mod tpmv;
pub(crate) mod tpsv;
pub(crate) mod trmv;
pub(crate) mod trsv;
mod update;

/// The routines on symmetric and Hermitian matrices: the same arguments, and another meaning of the triangle that is not
/// stored.
pub(crate) mod symv {
    pub(crate) type Call<T, F> = super::symmetric::Full<T, F, false>;
}
pub(crate) mod hemv {
    pub(crate) type Call<T, F> = super::symmetric::Full<T, F, true>;
}
pub(crate) mod sbmv {
    pub(crate) type Call<T, F> = super::symmetric::Band<T, F, false>;
}
pub(crate) mod hbmv {
    pub(crate) type Call<T, F> = super::symmetric::Band<T, F, true>;
}
pub(crate) mod spmv {
    pub(crate) type Call<T, F> = super::symmetric::Packed<T, F, false>;
}
pub(crate) mod hpmv {
    pub(crate) type Call<T, F> = super::symmetric::Packed<T, F, true>;
}

/// The updates, which have their arguments in common too.
pub(crate) mod ger {
    pub(crate) type Call<T, F> = super::update::General<T, F, false>;
}
pub(crate) mod geru {
    pub(crate) type Call<T, F> = super::update::General<T, F, false>;
}
pub(crate) mod gerc {
    pub(crate) type Call<T, F> = super::update::General<T, F, true>;
}
pub(crate) mod syr {
    pub(crate) type Call<T, F> = super::update::Syr<T, F>;
}
pub(crate) mod her {
    pub(crate) type Call<T, F> = super::update::Her<T, F>;
}
pub(crate) mod spr {
    pub(crate) type Call<T, F> = super::update::Spr<T, F>;
}
pub(crate) mod hpr {
    pub(crate) type Call<T, F> = super::update::Hpr<T, F>;
}
pub(crate) mod syr2 {
    pub(crate) type Call<T, F> = super::update::Two<T, F, false>;
}
pub(crate) mod her2 {
    pub(crate) type Call<T, F> = super::update::Two<T, F, true>;
}
pub(crate) mod spr2 {
    pub(crate) type Call<T, F> = super::update::TwoPacked<T, F, false>;
}
pub(crate) mod hpr2 {
    pub(crate) type Call<T, F> = super::update::TwoPacked<T, F, true>;
}

use affinimath::Scalar;

/// What y := alpha*op(A)*x + beta*y needs: whether A and x are read, and whether y changes.
fn needs<T: Scalar>(empty: bool, alpha: T, beta: T) -> (bool, bool) {
    let reads = !empty && alpha != T::ZERO;
    (reads, !empty && (reads || beta != T::ONE))
}
