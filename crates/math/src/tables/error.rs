// python3 crates/math/derive/derive.py error
//! Constants of error functions.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// erf x - x over x in x² on [0, 1], relative to erf x. Error 2^-24.6.
    pub const ERF_SMALL: [f32; 6] = [0.12837912, -0.37612322, 0.112801574, -0.02671097, 0.0049174223, -0.000563169];

    /// ln(1 - erf x) on [1, 4], with the error of erf x. Error 2^-29.8.
    pub const ERF_LARGE: [f32; 7] =
        [-0.00035374353, -1.12704, -0.6382255, -0.10303774, 0.021805618, -0.002939719, 0.00018558984];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f32 = 3.0;

    /// Results underflow from here on.
    pub const ERFC_END: f32 = 10.2;

    /// e^(x²) erfc x over t. Error 2^-28.5.
    pub const ERFC: [f32; 10] = [
        0.5641093,
        1.6980517,
        4.6315923,
        15.520096,
        -0.09230287,
        292.09067,
        -957.47925,
        3498.4932,
        -5729.6094,
        3278.6917,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f32; 2] = [0.6286621, 7.736328];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f32 = 4.25;

    /// Results underflow from here on.
    pub const NORMCDF_END: f32 = 14.5;

    /// e^(x²/2) normcdf -x over t. Error 2^-27.9.
    pub const NORMCDF: [f32; 10] =
        [0.39888296, 1.7012331, 6.564855, 31.428389, -3.0221443, 1205.2573, -5613.764, 28828.512, -66381.37, 53470.227];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f32; 2] = [0.6274414, 10.980469];
}

/// For `f64`.
pub mod double {
    /// erf x - x over x in x² on [0, 1], relative to erf x. Error 2^-28.3.
    pub const ERF_SMALL: [f64; 12] = [
        0.12837916709551256,
        -0.3761263890318334,
        0.1128442203177861,
        -0.027029890169447842,
        0.006884829139778422,
        -0.009756101252558092,
        0.028462994252749972,
        -0.05641952266655622,
        0.07091008025577261,
        -0.0547419379945694,
        0.023699694304881593,
        -0.004406353805685762,
    ];

    /// ln(1 - erf x) on [1, 6], with the error of erf x. Error 2^-43.9.
    pub const ERF_LARGE: [f64; 18] = [
        -5.13235552158498e-7,
        -1.1283721721229356,
        -0.6366597631132765,
        -0.10263978256083602,
        0.018835849348067073,
        0.0006673334465690566,
        -0.00222637185890003,
        0.0010529079537218815,
        -0.000331894568076968,
        8.611858710831432e-5,
        -2.1869142943482683e-5,
        5.870103580632302e-6,
        -1.4852355837496036e-6,
        3.03558182465829e-7,
        -4.543751911614745e-8,
        4.623693816771182e-9,
        -2.872839045687708e-10,
        8.337151040714058e-12,
    ];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f64 = 4.0;

    /// Results underflow from here on.
    pub const ERFC_END: f64 = 27.3;

    /// e^(x²) erfc x over t. Error 2^-6.8.
    pub const ERFC: [f64; 24] = [
        0.564189583564467,
        2.2567583296364164,
        8.744939125848852,
        32.722949724068044,
        117.77713512020081,
        405.54666255027445,
        1331.5427100186662,
        4010.5346144326513,
        13471.657888516029,
        1635.7190392852694,
        465549.22473508713,
        -4362819.30558166,
        42252850.882048234,
        -327914594.40894574,
        2099528983.044386,
        -11031539859.19003,
        48734048487.5803,
        -227161961541.03415,
        1442567921222.897,
        -9198965293215.861,
        41825783408216.625,
        -369443005442441.06,
        2282674391154010.5,
        -4495698868509720.5,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f64; 2] = [0.55029296875, 13.05078125];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f64 = 6.25;

    /// Results underflow from here on.
    pub const NORMCDF_END: f64 = 38.7;

    /// e^(x²/2) normcdf -x over t. Error 2^-11.5.
    pub const NORMCDF: [f64; 24] = [
        0.39894228037280327,
        2.4933892642379485,
        15.184738298015848,
        89.91811877409103,
        516.4098679579837,
        2869.4289633057365,
        15275.736311140518,
        81255.50707786038,
        305144.3784154111,
        3770268.145431738,
        -33876840.31051574,
        744279458.6800517,
        -10111448372.911983,
        121577377810.8222,
        -1192204819880.4395,
        9651507512488.088,
        -63692328207469.055,
        337306671439003.8,
        -1571979168601329.2,
        10438302336013196.0,
        -9.570508108044936e16,
        6.237935073904346e17,
        -2.145257214806317e18,
        2.899614331954399e18,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f64; 2] = [0.442626953125, 22.6875];
}
