// python3 crates/math/derive/derive.py gamma
//! Constants of the gamma function.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// The difference of y and x.
    pub const SHIFT: f32 = 2.0;

    /// The quotient of gamma x and (y/e)^(x - 1/2) for large x.
    pub const LIMIT: f32 = 0.20575657;

    /// The quotient less its limit, times the divisor and x, on [0, 36], relative to the quotient. Error 2^-25.2.
    pub const NUMERATOR: [f32; 6] = [102.93166, 208.24059, 158.61382, 57.055504, 9.739849, 0.63441664];

    /// (x + 1) ... (x + 5), exactly.
    pub const DIVISOR: [f32; 6] = [1.2e2, 274.0, 225.0, 85.0, 15.0, 1.0];

    /// 1/ln 2 as a sum.
    pub const LOG2_E: [f32; 2] = [1.442695, 1.925963e-8];

    /// ln π.
    pub const LN_PI: f32 = 1.1447299;

    /// ln sqrt(2π) - 1/2.
    pub const STIRLING: f32 = 0.41893855;
}

/// For `f64`.
pub mod double {
    /// The difference of y and x.
    pub const SHIFT: f64 = 5.5;

    /// The quotient of gamma x and (y/e)^(x - 1/2) for large x.
    pub const LIMIT: f64 = 0.006213310291835031;

    /// The quotient less its limit, times the divisor and x, on [0, 172], relative to the quotient. Error 2^-53.4.
    pub const NUMERATOR: [f64; 11] = [
        5161752.023135932,
        8948132.117151856,
        6993546.442244896,
        3240900.060163465,
        984407.3815632215,
        204360.8327839812,
        29301.60405267832,
        2859.3676928474115,
        181.41412388946887,
        6.747272038538161,
        0.11158069732420384,
    ];

    /// (x + 1) ... (x + 10), exactly.
    pub const DIVISOR: [f64; 11] =
        [3.6288e6, 1.062864e7, 12753576.0, 8.4095e6, 3.41693e6, 902055.0, 157773.0, 1.815e4, 1.32e3, 55.0, 1.0];

    /// 1/ln 2 as a sum.
    pub const LOG2_E: [f64; 2] = [1.4426950408889634, 2.0355273740931033e-17];

    /// ln π.
    pub const LN_PI: f64 = 1.1447298858494002;

    /// ln sqrt(2π) - 1/2.
    pub const STIRLING: f64 = 0.4189385332046727;
}
