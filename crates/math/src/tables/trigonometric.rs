// python3 crates/math/derive/derive.py trigonometric
//! Constants of sines and cosines.

#![allow(clippy::approx_constant)]

/// For `f32`.
pub mod single {
    /// 2/π.
    pub const TWO_OVER_PI: f32 = 0.63661975;

    /// π/2 as a sum.
    pub const HALF_PI: [f32; 3] = [1.5707964, -4.371139e-8, -1.7151245e-15];

    /// π as a sum.
    pub const PI: [f32; 2] = [3.1415927, -8.742278e-8];

    /// 2/π in binary, 32 bits in an integer. The first one has weight 1.
    pub const TWO_OVER_PI_WORDS: [i32; 8] =
        [0, -1560706194, 1313084713, -64530479, -181084736, -614296167, 1011060801, -28220501];

    /// sin r - r over r³ in r², relative to sin r. Error 2^-32.5.
    pub const SIN: [f32; 4] = [-0.16666667, 0.0083333785, -0.0001985256, 2.8262912e-6];

    /// cos r - 1 + r²/2 over r⁴ in r², relative to cos r. Error 2^-32.8.
    pub const COS: [f32; 3] = [0.041666646, -0.0013887299, 2.4430306e-5];
}

/// For `f64`.
pub mod double {
    /// 2/π.
    pub const TWO_OVER_PI: f64 = 0.6366197723675814;

    /// π/2 as a sum.
    pub const HALF_PI: [f64; 3] = [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33];

    /// π as a sum.
    pub const PI: [f64; 2] = [3.141592653589793, 1.2246467991473532e-16];

    /// 2/π in binary, 64 bits in an integer. The first one has weight 1.
    pub const TWO_OVER_PI_WORDS: [i64; 20] = [
        0,
        -6703182060581546711,
        -277156292786332224,
        -2638381946312093631,
        -121206125134887583,
        -5249950069107600672,
        452944820249399836,
        -135693905287338178,
        -1692731182770600828,
        -1613291254968254911,
        4148332274289687028,
        -7168499653074671557,
        2303758334597371919,
        -1211730484530615009,
        7869616827067468215,
        5712322887342352941,
        8441921394348257659,
        4397547296490951402,
        7780917995555872008,
        6197850593633725355,
    ];

    /// sin r - r over r³ in r², relative to sin r. Error 2^-57.8.
    pub const SIN: [f64; 6] = [
        -0.16666666666666627,
        0.00833333333332111,
        -0.00019841269828749388,
        2.755731332023773e-6,
        -2.505069928700644e-8,
        1.589335189555779e-10,
    ];

    /// cos r - 1 + r²/2 over r⁴ in r², relative to cos r. Error 2^-63.7.
    pub const COS: [f64; 6] = [
        0.04166666666666659,
        -0.0013888888888872047,
        2.4801587288150096e-5,
        -2.755731396083931e-7,
        2.0875669428703544e-9,
        -1.135683624325791e-11,
    ];
}
