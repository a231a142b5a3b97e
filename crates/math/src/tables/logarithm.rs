// python3 crates/math/derive/derive.py logarithm
//! Constants of logarithms.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// The least mantissa.
    pub const SQRT_HALF: f32 = 0.70710677;

    /// ln 2, with 8 zeros at the end.
    pub const LN_2_HI: f32 = 0.69314575;

    /// ln 2 less its leading part.
    pub const LN_2_LO: f32 = 1.4286068e-6;

    /// ln(1 + f) less its linear term over f², relative to the logarithm. Error 2^-27.8.
    pub const LN: [f32; 9] = [
        -0.49999988,
        0.33333325,
        -0.250016,
        0.20001999,
        -0.16608757,
        0.14181256,
        -0.13244833,
        0.12908046,
        -0.076215416,
    ];

    /// 1/ln 2.
    pub const LOG2_E_HI: f32 = 1.442695;

    /// 1/ln 2 less its leading part.
    pub const LOG2_E_LO: f32 = 1.925963e-8;

    /// log2(1 + f) less its linear term over f², relative to the logarithm. Error 2^-27.7.
    pub const LOG2: [f32; 9] = [
        -0.7213474,
        0.48089826,
        -0.36069417,
        0.28856486,
        -0.23966224,
        0.20466658,
        -0.19081281,
        0.18571277,
        -0.10994186,
    ];

    /// 1/ln 10.
    pub const LOG10_E_HI: f32 = 0.4342945;

    /// 1/ln 10 less its leading part.
    pub const LOG10_E_LO: f32 = -1.010305e-8;

    /// ln 2 / ln 10, with 8 zeros at the end.
    pub const LOG10_2_HI: f32 = 0.30103302;

    /// ln 2 / ln 10 less its leading part.
    pub const LOG10_2_LO: f32 = -3.0243555e-6;

    /// log10(1 + f) less its linear term over f², relative to the logarithm. Error 2^-27.8.
    pub const LOG10: [f32; 9] = [
        -0.2171472,
        0.1447648,
        -0.10857981,
        0.08686695,
        -0.072145015,
        0.06160635,
        -0.057439383,
        0.055928502,
        -0.03312544,
    ];
}

/// For `f64`.
pub mod double {
    /// The least mantissa.
    pub const SQRT_HALF: f64 = 0.7071067811865476;

    /// ln 2, with 11 zeros at the end.
    pub const LN_2_HI: f64 = 0.6931471805598903;

    /// ln 2 less its leading part.
    pub const LN_2_LO: f64 = 5.497923018708371e-14;

    /// ln(1 + f) less its linear term over f², relative to the logarithm. Error 2^-56.8.
    pub const LN: [f64; 20] = [
        -0.5000000000000003,
        0.3333333333333304,
        -0.24999999999976472,
        0.20000000000083765,
        -0.16666666671178382,
        0.14285714279620942,
        -0.12499999614381568,
        0.11111111106572716,
        -0.10000017633278006,
        0.09090927001270846,
        -0.08332869525035355,
        0.07691444594849703,
        -0.07149883929465199,
        0.06685779831670811,
        -0.061946021245791225,
        0.05660030651427826,
        -0.05678180645962158,
        0.06526674900580814,
        -0.06003182522121821,
        0.02616942329879392,
    ];

    /// 1/ln 2.
    pub const LOG2_E_HI: f64 = 1.4426950408889634;

    /// 1/ln 2 less its leading part.
    pub const LOG2_E_LO: f64 = 2.0355273740931033e-17;

    /// log2(1 + f) less its linear term over f², relative to the logarithm. Error 2^-56.4.
    pub const LOG2: [f64; 20] = [
        -0.7213475204444822,
        0.48089834696298334,
        -0.3606737602218784,
        0.28853900817903716,
        -0.24044917354933212,
        0.20609929146654507,
        -0.1803368743902587,
        0.16029944883503153,
        -0.14426976340982775,
        0.13115435966163674,
        -0.12021780832395991,
        0.11096391055823993,
        -0.10315185841528048,
        0.09645779539866287,
        -0.08936563753078824,
        0.08164133819748128,
        -0.08191820048198023,
        0.0942003127681729,
        -0.08664482669768456,
        0.03775689338966365,
    ];

    /// 1/ln 10.
    pub const LOG10_E_HI: f64 = 0.4342944819032518;

    /// 1/ln 10 less its leading part.
    pub const LOG10_E_LO: f64 = 1.098319650216765e-17;

    /// ln 2 / ln 10, with 11 zeros at the end.
    pub const LOG10_2_HI: f64 = 0.30102999566395283;

    /// ln 2 / ln 10 less its leading part.
    pub const LOG10_2_LO: f64 = 2.8363394551044964e-14;

    /// log10(1 + f) less its linear term over f², relative to the logarithm. Error 2^-56.6.
    pub const LOG10: [f64; 20] = [
        -0.21714724095162607,
        0.14476482730108262,
        -0.10857362047570523,
        0.08685889638101985,
        -0.07238241367077841,
        0.06204206881697668,
        -0.05428680852761561,
        0.04825494237575471,
        -0.04342952584275743,
        0.03948139617947212,
        -0.03618917399234008,
        0.033403477183730525,
        -0.031051733215216176,
        0.02903649001232712,
        -0.026901914120930393,
        0.024577843070233956,
        -0.02466127803289287,
        0.028354697616206914,
        -0.026075140441652784,
        0.011360256957686195,
    ];
}
