// python3 crates/math/derive/derive.py hyperbolic
//! Constants of hyperbolic functions.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// sinh r - r over r³ in r², on |r| <= ln 2 / 2, relative to sinh r. Error 2^-34.3.
    pub const SINH: [f32; 3] = [0.16666667, 0.008333175, 0.00019974087];

    /// cosh r - 1 over r² in r², on |r| <= ln 2 / 2, relative to cosh r. Error 2^-31.9.
    pub const COSH: [f32; 3] = [0.5, 0.041666575, 0.0013924887];
}

/// For `f64`.
pub mod double {
    /// sinh r - r over r³ in r², on |r| <= ln 2 / 2, relative to sinh r. Error 2^-61.7.
    pub const SINH: [f64; 5] = [
        0.16666666666666677,
        0.008333333333321378,
        0.00019841269886857068,
        2.7557243394293665e-6,
        2.5109345315827763e-8,
    ];

    /// cosh r - 1 over r² in r², on |r| <= ln 2 / 2, relative to cosh r. Error 2^-58.1.
    pub const COSH: [f64; 5] =
        [0.5000000000000012, 0.041666666666519296, 0.0013888888946092292, 2.4801490827665213e-5, 2.76309843154632e-7];
}
