// python3 crates/math/derive/derive.py error
//! Constants of error functions.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// erf x - x over x in x² on [0, 7/8], relative to erf x. Error 2^-26.7.
    pub const ERF_SMALL: [f32; 6] = [0.12837917, -0.37612575, 0.11282642, -0.026797105, 0.005039587, -0.00062385126];

    /// ln(1 - erf x) on [7/8, 4], with the error of erf x. Error 2^-29.1.
    pub const ERF_LARGE: [f32; 7] =
        [-0.00014437623, -1.1278887, -0.63682187, -0.104249135, 0.02238053, -0.0030818798, 0.00019989119];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f32 = 2.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f32 = 0.14268494;

    /// Results underflow from here on.
    pub const ERFC_END: f32 = 10.2;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-27.9.
    pub const ERFC: [f32; 11] = [
        0.77460665, 1.8914341, 3.44157, 3.7130296, -0.6855914, -9.191208, -6.8487067, 30.542986, 12.713461, -93.85097,
        75.19043,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f32; 2] = [0.99731445, 2.625];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f32 = 4.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f32 = 0.10193443;

    /// Results underflow from here on.
    pub const NORMCDF_END: f32 = 14.5;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-26.7.
    pub const NORMCDF: [f32; 10] =
        [0.6551914, 3.8608534, 18.924541, 74.177536, 213.08836, 335.73996, -362.6485, -3499.3076, -743.0183, 17897.736];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f32; 2] = [0.7011719, 9.421875];
}

/// For `f64`.
pub mod double {
    /// erf x - x over x in x² on [0, 7/8], relative to erf x. Error 2^-56.3.
    pub const ERF_SMALL: [f64; 12] = [
        0.1283791670955126,
        -0.3761263890318413,
        0.11283791670974287,
        -0.026866170648923996,
        0.005223977663977849,
        -0.0008548329304905772,
        0.00012055416873923321,
        -1.4927615833880806e-5,
        1.649121235677428e-6,
        -1.662322096164658e-7,
        1.5945858045883656e-8,
        -1.2966789534664271e-9,
    ];

    /// ln(1 - erf x) on [7/8, 6], with the error of erf x. Error 2^-55.4.
    pub const ERF_LARGE: [f64; 18] = [
        -2.0618515480113109e-7,
        -1.1283769399896175,
        -0.6366309148240743,
        -0.10273838497364447,
        0.01905646687698729,
        0.0003185617207276682,
        -0.0018190150823264603,
        0.0006916448492641203,
        -8.459707245298743e-5,
        -4.565806483478062e-5,
        3.2891086805946716e-5,
        -1.1794900155606174e-5,
        2.8874771149750045e-6,
        -5.101918080566653e-7,
        6.465678455847224e-8,
        -5.608587713131362e-9,
        2.9913184490751633e-10,
        -7.407821455177421e-12,
    ];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f64 = 4.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f64 = 0.10280227661132812;

    /// Results underflow from here on.
    pub const ERFC_END: f64 = 27.3;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-57.8.
    pub const ERFC: [f64; 23] = [
        0.9442334696541529,
        5.971837965980281,
        34.49436495219035,
        180.74591824702335,
        850.8389661454722,
        3546.3703969696703,
        12788.81468188333,
        38283.72067934947,
        86822.77984037176,
        107164.6896631939,
        -152715.86393533702,
        -1146886.0335495025,
        -2172863.666048916,
        2816733.50483057,
        23569093.61997308,
        27333240.126763083,
        -152791534.72603458,
        -529630038.5095716,
        802978152.0011238,
        6504632011.718676,
        -9875755305.885225,
        -36465373984.45296,
        79309055962.12366,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f64; 2] = [0.550048828125, 13.05078125];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f64 = 4.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f64 = 0.07932662963867188;

    /// Results underflow from here on.
    pub const NORMCDF_END: f64 = 38.7;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-58.8.
    pub const NORMCDF: [f64; 24] = [
        0.5767750928143109,
        3.1095077523466577,
        14.507273450449112,
        56.67308100673343,
        173.76276664165437,
        351.197491501529,
        87.65465901080744,
        -2276.1872260553064,
        -6656.020174984038,
        5727.837557628594,
        78896.11957990525,
        70335.44815622988,
        -840643.1404718461,
        -1862848.9489969767,
        9717940.344036732,
        33288143.06061231,
        -131070580.35991572,
        -618179895.9133173,
        2630496275.998401,
        12413223449.504639,
        -116160373824.48277,
        374706195210.4641,
        -598008722191.1704,
        398109666606.30084,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f64; 2] = [0.827392578125, 8.6171875];
}
