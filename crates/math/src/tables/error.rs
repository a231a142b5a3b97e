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

    /// (normcdf x - 1/2) / x in -x²/2 on [-5/4, 5/4]. Error 2^-25.1.
    pub const NORMCDF_SMALL: [f32; 6] = [0.3989423, 0.13298115, 0.039895583, 0.009491463, 0.0018046426, 0.00023131067];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f32 = 2.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f32 = 0.25305176;

    /// Results underflow from here on.
    pub const ERFC_END: f32 = 10.2;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-27.9.
    pub const ERFC: [f32; 9] =
        [1.0300126, 2.7759993, 4.4925966, 2.2646406, -5.605471, -6.4382386, 12.700682, 14.982141, -23.718552];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f32; 2] = [0.9399414, 2.9111328];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f32 = 3.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f32 = 0.18153;

    /// Results underflow from here on.
    pub const NORMCDF_END: f32 = 14.5;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-27.3.
    pub const NORMCDF: [f32; 8] =
        [0.7763681, 3.3087223, 8.716142, 9.286988, -17.40479, -49.007244, 75.024086, 296.67807];

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

    /// (normcdf x - 1/2) / x in -x²/2 on [-5/4, 5/4]. Error 2^-53.8.
    pub const NORMCDF_SMALL: [f64; 12] = [
        0.3989422804014327,
        0.13298076013381832,
        0.03989422804051112,
        0.009498625730967956,
        0.0018469550727476711,
        0.00030222941220383584,
        4.262353079759896e-5,
        5.280483151421192e-6,
        5.871887031919642e-7,
        6.260314774924985e-8,
        7.643521471568163e-9,
        9.119725792241426e-10,
    ];

    /// The shift k of t = 1/(x + k).
    pub const ERFC_SHIFT: f64 = 3.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f64 = 0.187591552734375;

    /// Results underflow from here on.
    pub const ERFC_END: f64 = 27.3;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-55.8.
    pub const ERFC: [f64; 20] = [
        1.1948649678597423,
        6.283563122717962,
        25.88378374959777,
        80.92380001117792,
        176.0788167988855,
        193.2980539362716,
        -189.87874426209996,
        -953.2007247570958,
        -287.4255186877013,
        3817.9813989341264,
        3064.0986126984167,
        -17873.361378355115,
        -14737.076802711948,
        99894.57855114844,
        29342.734583396934,
        -643264.4853013548,
        467710.3737068809,
        6723205.9558197195,
        8942118.539719323,
        -742994.0099219657,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f64; 2] = [0.832763671875, 6.390625];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f64 = 4.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f64 = 0.14065933227539062;

    /// Results underflow from here on.
    pub const NORMCDF_END: f64 = 38.7;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-57.4.
    pub const NORMCDF: [f64; 20] = [
        0.8378966090475787,
        5.713271143573663,
        29.635726349447722,
        111.52346119225432,
        262.9278887136216,
        144.4739302377,
        -1261.8634399532352,
        -2872.824916201688,
        6399.855031356722,
        26798.521838028923,
        -49936.07244846391,
        -236826.9722907323,
        596880.4429761212,
        1916904.039099406,
        -8326273.042821491,
        -8584390.083848597,
        121642341.37234154,
        -158793065.90971702,
        -2875026599.939111,
        -5441644437.603215,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f64; 2] = [0.858642578125, 8.03125];
}
