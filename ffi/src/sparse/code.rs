//! C's codes of symmetries and of reasons.

use std::ffi::c_int;

use affinimath::sparse::{Mirror, Reason, SparseMethod};

macro_rules! codes {
    ($($name:ident: $code:literal, $what:ident::$variant:ident;)+) => {
        $(
            /// C's code, and its meaning.
            pub(crate) const $name: (c_int, $what) = ($code, $what::$variant);
        )+
    };
}

codes! {
    SYMMETRIC: 331, Mirror::Symmetric;
    HERMITIAN: 332, Mirror::Hermitian;
    SKEW_SYMMETRIC: 333, Mirror::SkewSymmetric;
    CONVERGED: 341, Reason::Converged;
    STAGNATED: 342, Reason::Stagnated;
    BREAKDOWN: 343, Reason::Breakdown;
    NOT_POSITIVE_DEFINITE: 344, Reason::NotPositiveDefinite;
    LIMIT: 345, Reason::Limit;
    LEAST_SQUARES: 346, Reason::LeastSquares;
}

/// Mirror across the diagonal, by C's code.
pub(crate) fn mirror(code: c_int) -> Option<Mirror> {
    [SYMMETRIC, HERMITIAN, SKEW_SYMMETRIC].into_iter().find(|(known, _)| *known == code).map(|(_, mirror)| mirror)
}

/// C's code of a reason.
pub(crate) fn reason(reason: Reason) -> Option<c_int> {
    let all = [CONVERGED, STAGNATED, BREAKDOWN, NOT_POSITIVE_DEFINITE, LIMIT, LEAST_SQUARES];
    all.into_iter().find(|(_, known)| *known == reason).map(|(code, _)| code)
}

/// Codes of factorisations.
pub(crate) const FACTORS_AUTO: c_int = 351;
pub(crate) const FACTORS_CHOLESKY: c_int = 352;
pub(crate) const FACTORS_LDL: c_int = 353;
pub(crate) const FACTORS_LU: c_int = 354;
pub(crate) const FACTORS_QR: c_int = 355;

/// A factorisation by C's code, or the one that suits the matrix.
pub(crate) fn sparse_method(code: c_int) -> Option<Option<SparseMethod>> {
    Some(match code {
        FACTORS_AUTO => None,
        FACTORS_CHOLESKY => Some(SparseMethod::Cholesky),
        FACTORS_LDL => Some(SparseMethod::Ldl),
        FACTORS_LU => Some(SparseMethod::Lu),
        FACTORS_QR => Some(SparseMethod::Qr),
        _ => return None,
    })
}

/// C's code of a factorisation.
pub(crate) const fn of_sparse_method(method: SparseMethod) -> c_int {
    match method {
        SparseMethod::Cholesky => FACTORS_CHOLESKY,
        SparseMethod::Ldl => FACTORS_LDL,
        SparseMethod::Lu => FACTORS_LU,
        SparseMethod::Qr => FACTORS_QR,
    }
}
