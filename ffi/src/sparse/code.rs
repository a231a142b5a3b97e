//! C's codes of symmetries and of reasons.

use std::ffi::c_int;

use affinimath::sparse::{Mirror, Reason};

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
