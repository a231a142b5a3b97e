// python3 crates/math/derive/derive.py power
//! Constants of x^y and of the cube root.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// 2/ln 2.
    pub const TWO_LOG2_E_HI: f32 = 2.88539;

    /// 2/ln 2 less its leading part.
    pub const TWO_LOG2_E_LO: f32 = 3.851926e-8;

    /// The coefficient of s³ in log2((1 + s)/(1 - s)).
    pub const LOG2_CUBIC_HI: f32 = 0.9617967;

    /// The same less its leading part.
    pub const LOG2_CUBIC_LO: f32 = -2.1714403e-8;

    /// The coefficients of s⁵, s⁷, ...; of all, relative to the logarithm. Error 2^-37.6.
    pub const LOG2_REST: [f32; 3] = [0.5770828, 0.41170937, 0.34015846];

    /// ln 2.
    pub const LN_2: f32 = 0.6931472;

    /// ln 2 less its leading part.
    pub const LN_2_REST: f32 = -1.9046542e-9;

    /// 2^r - 1 - r ln 2 over r² on |r| <= 1/2, relative to 2^r. Error 2^-28.3.
    pub const EXP2_REST: [f32; 5] = [0.24022648, 0.055503625, 0.0096185105, 0.0013390033, 0.0001532438];

    /// The inverse cube root on [1, 2], a first approximation. Error 2^-11.9.
    pub const INVERSE_CBRT: [f32; 4] = [1.5418861, -0.8099586, 0.31775606, -0.04993669];

    /// The cube root of 2.
    pub const CBRT_2: f32 = 1.2599211;

    /// The cube root of 1/2.
    pub const CBRT_HALF: f32 = 0.7937005;
}

/// For `f64`.
pub mod double {
    /// 2/ln 2.
    pub const TWO_LOG2_E_HI: f64 = 2.8853900817779268;

    /// 2/ln 2 less its leading part.
    pub const TWO_LOG2_E_LO: f64 = 4.0710547481862066e-17;

    /// The coefficient of s³ in log2((1 + s)/(1 - s)).
    pub const LOG2_CUBIC_HI: f64 = 0.9617966939259756;

    /// The same less its leading part.
    pub const LOG2_CUBIC_LO: f64 = 5.05776166368052e-17;

    /// The coefficients of s⁵, s⁷, ...; of all, relative to the logarithm. Error 2^-73.5.
    pub const LOG2_REST: [f64; 8] = [
        0.5770780163555851,
        0.4121985831113456,
        0.3205988979128208,
        0.26230819865319394,
        0.22195227066302362,
        0.19240131190954537,
        0.16845168899111007,
        0.17281616824797122,
    ];

    /// ln 2.
    pub const LN_2: f64 = 0.6931471805599453;

    /// ln 2 less its leading part.
    pub const LN_2_REST: f64 = 2.3190468138462996e-17;

    /// 2^r - 1 - r ln 2 over r² on |r| <= 1/2, relative to 2^r. Error 2^-63.5.
    pub const EXP2_REST: [f64; 11] = [
        0.24022650695910072,
        0.05550410866482161,
        0.009618129107628026,
        0.001333355814640996,
        0.00015403530394117102,
        1.525273383861839e-5,
        1.3215486254349608e-6,
        1.0178058159826995e-7,
        7.055088186921392e-9,
        4.45567566294193e-10,
        2.5481388892263347e-11,
    ];

    /// The inverse cube root on [1, 2], a first approximation. Error 2^-14.7.
    pub const INVERSE_CBRT: [f64; 5] =
        [1.6700064936160777, -1.1728797666893862, 0.695482395664011, -0.221237833730071, 0.02859103471535664];

    /// The cube root of 2.
    pub const CBRT_2: f64 = 1.2599210498948732;

    /// The cube root of 1/2.
    pub const CBRT_HALF: f64 = 0.7937005259840998;
}
