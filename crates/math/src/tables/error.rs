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
    pub const ERFC_SHIFT: f32 = 3.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f32 = 0.14223862;

    /// Results underflow from here on.
    pub const ERFC_END: f32 = 10.2;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-28.2.
    pub const ERFC: [f32; 10] =
        [0.9562845, 4.373654, 16.857788, 53.175945, 129.32442, 207.07458, 72.472946, -630.058, -1546.7921, 3299.913];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f32; 2] = [0.62841797, 7.736328];

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
    pub const ERFC_SHIFT: f64 = 3.0;

    /// The center of powers of t.
    pub const ERFC_CENTER: f64 = 0.10203361511230469;

    /// Results underflow from here on.
    pub const ERFC_END: f64 = 27.3;

    /// e^(x²) erfc x over t, in t less the center. Error 2^-56.8.
    pub const ERFC: [f64; 23] = [
        0.80455210527263,
        3.2450110134246635,
        11.567679866821226,
        35.58460104292515,
        90.56371199912417,
        174.0297158658298,
        183.46791190208816,
        -190.27016582127635,
        -1192.3690812253383,
        -1492.4539492902632,
        3523.9957798153855,
        14114.494963771096,
        -1796.868711985447,
        -95076.24689735204,
        -86989.68883177797,
        609888.0475187423,
        1329190.7254772705,
        -4436046.07775021,
        -25709773.17166414,
        154211874.5710427,
        -349203903.0986871,
        392975346.0286434,
        -183862793.0986887,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const ERFC_CONDITION: [f64; 2] = [0.78955078125, 6.9765625];

    /// The shift k of t = 1/(x + k).
    pub const NORMCDF_SHIFT: f64 = 4.0;

    /// The center of powers of t.
    pub const NORMCDF_CENTER: f64 = 0.07925033569335938;

    /// Results underflow from here on.
    pub const NORMCDF_END: f64 = 38.7;

    /// e^(x²/2) normcdf -x over t, in t less the center. Error 2^-55.4.
    pub const NORMCDF: [f64; 23] = [
        0.576537940618188,
        3.1072951074257746,
        14.494308078654841,
        56.62007326025925,
        173.62880312019774,
        351.1570883534325,
        88.86918687623098,
        -2272.1235468079744,
        -6659.930043711391,
        5667.664817851235,
        78835.3968167349,
        71119.0146491314,
        -838455.8078892514,
        -1880843.4485582819,
        9682819.535617825,
        34826947.213893466,
        -145383248.69180596,
        -625466031.6460785,
        4099227468.843462,
        -3281910913.795277,
        -29199220951.6856,
        92875424342.09976,
        -89135753213.59744,
    ];

    /// The relative change of the value for one of t, linear in t, to a tenth.
    pub const NORMCDF_CONDITION: [f64; 2] = [0.827392578125, 8.6171875];
}
