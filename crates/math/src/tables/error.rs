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

    /// (normcdf x - 1/2) / x in -x²/2 on [-5/8, 5/8]. Error 2^-25.1.
    pub const NORMCDF_SMALL: [f32; 5] = [0.3989423, 0.1329825, 0.03993644, 0.00982076, 0.0025605117];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f32 = 2.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f32 = 0.14268494;

    /// Results underflow from here on.
    pub const ERFC_END: f32 = 10.2;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-27.3.
    pub const ERFC: [f32; 9] =
        [0.77460665, 1.8914341, 3.4415662, 3.7130675, -0.6829591, -9.224065, -7.128165, 37.006115, -25.976349];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f32; 2] = [0.9399414, 2.9111328];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f32 = 3.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f32 = 0.10178566;

    /// Results underflow from here on.
    pub const NORMCDF_END: f32 = 14.5;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-28.2.
    pub const NORMCDF: [f32; 10] =
        [0.56270146, 2.1202466, 6.104263, 11.380885, 4.013583, -44.983162, -89.60614, 229.17104, 573.9069, -1531.8223];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f32; 2] = [0.91845703, 4.6757812];
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

    /// (normcdf x - 1/2) / x in -x²/2 on [-5/8, 5/8]. Error 2^-53.8.
    pub const NORMCDF_SMALL: [f64; 10] = [
        0.3989422804014327,
        0.1329807601338309,
        0.039894228042792836,
        0.009498625859123276,
        0.0018469584644709,
        0.0003022788147815845,
        4.3043195863658904e-5,
        7.352915686399499e-6,
        6.101066298535355e-6,
        6.171323966534573e-6,
    ];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f64 = 3.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f64 = 0.10203361511230469;

    /// Results underflow from here on.
    pub const ERFC_END: f64 = 27.3;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-55.0.
    pub const ERFC: [f64; 20] = [
        0.80455210527263,
        3.2450110134246684,
        11.567679866821177,
        35.58460104289508,
        90.56371199940658,
        174.02971591809924,
        183.46791128437374,
        -190.27020446981098,
        -1192.368473377813,
        -1492.4408986719359,
        3523.7010657061073,
        14113.12972337529,
        -1726.109634584563,
        -95371.60168384426,
        -93942.25121428233,
        692689.3448559765,
        1249744.801873225,
        -8943872.60499682,
        13603436.808012944,
        -5294966.115120712,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f64; 2] = [0.826171875, 6.48046875];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f64 = 4.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f64 = 0.07925033569335938;

    /// Results underflow from here on.
    pub const NORMCDF_END: f64 = 38.7;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-57.0.
    pub const NORMCDF: [f64; 22] = [
        0.576537940618188,
        3.107295107425773,
        14.494308078654921,
        56.62007326027776,
        173.6288031196902,
        351.1570883014967,
        88.86918813626114,
        -2272.1234864171897,
        -6659.931647267977,
        5667.633331512994,
        78836.50342731131,
        71123.73054953568,
        -838860.0021134672,
        -1878784.7770344021,
        9749243.541631086,
        33937684.50122837,
        -146307164.2869053,
        -532158712.0461947,
        3393416660.809599,
        -2128077683.3788753,
        -18722476677.3137,
        35243695092.109985,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f64; 2] = [0.841064453125, 8.3671875];
}
