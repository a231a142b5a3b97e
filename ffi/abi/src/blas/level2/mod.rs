//! BLAS level 2.

pub mod gbmv;
pub mod gemv;
mod symmetric;
pub mod tbmv;
pub mod tbsv;
pub mod tpmv;
pub mod tpsv;
pub mod trmv;
pub mod trsv;
mod update;

/// Products with symmetric and Hermitian matrices share their arguments.
pub mod symv {
    pub type Call<T, F> = super::symmetric::Full<T, F, false>;
}
pub mod hemv {
    pub type Call<T, F> = super::symmetric::Full<T, F, true>;
}
pub mod sbmv {
    pub type Call<T, F> = super::symmetric::Band<T, F, false>;
}
pub mod hbmv {
    pub type Call<T, F> = super::symmetric::Band<T, F, true>;
}
pub mod spmv {
    pub type Call<T, F> = super::symmetric::Packed<T, F, false>;
}
pub mod hpmv {
    pub type Call<T, F> = super::symmetric::Packed<T, F, true>;
}

/// Updates share their arguments, too.
pub mod ger {
    pub type Call<T, F> = super::update::General<T, F, false>;
}
pub mod geru {
    pub type Call<T, F> = super::update::General<T, F, false>;
}
pub mod gerc {
    pub type Call<T, F> = super::update::General<T, F, true>;
}
pub mod syr {
    pub type Call<T, F> = super::update::Syr<T, F>;
}
pub mod her {
    pub type Call<T, F> = super::update::Her<T, F>;
}
pub mod spr {
    pub type Call<T, F> = super::update::Spr<T, F>;
}
pub mod hpr {
    pub type Call<T, F> = super::update::Hpr<T, F>;
}
pub mod syr2 {
    pub type Call<T, F> = super::update::Two<T, F, false>;
}
pub mod her2 {
    pub type Call<T, F> = super::update::Two<T, F, true>;
}
pub mod spr2 {
    pub type Call<T, F> = super::update::TwoPacked<T, F, false>;
}
pub mod hpr2 {
    pub type Call<T, F> = super::update::TwoPacked<T, F, true>;
}

use affinimath::Scalar;

/// Two flags of y := alpha*op(A)*x + beta*y: A and x are read; y changes.
fn needs<T: Scalar>(empty: bool, alpha: T, beta: T) -> (bool, bool) {
    let reads = !empty && alpha != T::ZERO;
    (reads, !empty && (reads || beta != T::ONE))
}
