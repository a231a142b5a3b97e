//! BLAS level 1: vectors.

use super::Access::{Read, Write};
use super::standard::blas;
use super::{Argument, Element, Family, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/level1",
    home: "affinimath_abi",
    title: "BLAS level 1: vectors",
    routines: &[
        COPY, SWAP, SCAL, SCAL_REAL, AXPY, AXPBY, DOT, DSDOT, SDSDOT, DOTU, DOTC, NRM2, ASUM, IAMAX, IAMIN, ROT,
        ROT_REAL, ROTM, ROTG, ROTMG,
    ],
};

/// The complex types with real factors.
const CS_ZD: &[TypeVariant] =
    &[TypeVariant { letters: "Cs", element: Element::C32 }, TypeVariant { letters: "Zd", element: Element::C64 }];

/// The real types.
const SD: &[TypeVariant] = &[SDCZ[0], SDCZ[1]];

/// The complex types.
const CZ: &[TypeVariant] = &[SDCZ[2], SDCZ[3]];

/// The types of routines with a real result, whose letter precedes the elements'.
const REAL_RESULTS: &[TypeVariant] = &[
    SDCZ[0],
    SDCZ[1],
    TypeVariant { letters: "Sc", element: Element::C32 },
    TypeVariant { letters: "Dz", element: Element::C64 },
];

/// The types of routines with an index as the result.
const INDICES: &[TypeVariant] = &[
    TypeVariant { letters: "Is", element: Element::F32 },
    TypeVariant { letters: "Id", element: Element::F64 },
    TypeVariant { letters: "Ic", element: Element::C32 },
    TypeVariant { letters: "Iz", element: Element::C64 },
];

const N: Argument = argument("n", Kind::Length, "elements of each vector");
const X_READ: Argument = argument("x", Kind::Vector(Read, Number::Element), "the vector x");
const X_WRITE: Argument = argument("x", Kind::Vector(Write, Number::Element), "the vector x");
const INCX: Argument = argument("incx", Kind::Increment, "increment of x");
const Y_READ: Argument = argument("y", Kind::Vector(Read, Number::Element), "the vector y");
const Y_WRITE: Argument = argument("y", Kind::Vector(Write, Number::Element), "the vector y");
const INCY: Argument = argument("incy", Kind::Increment, "increment of y");

const DISTINCT: &str = "x and y must not overlap.";
const FORWARD_ONLY: &str = "As BLAS has it, nothing is done when incx is negative.";

const COPY: Routine = Routine {
    name: "copy",
    module: "copy",
    types: SDCZ,
    summary: "Copies a vector: y := x.",
    notes: &[DISTINCT],
    source: "BLAS xCOPY",
    arguments: &[N, X_READ, INCX, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("copy")],
};

const SWAP: Routine = Routine {
    name: "swap",
    module: "swap",
    types: SDCZ,
    summary: "Exchanges two vectors: x <-> y.",
    notes: &[DISTINCT],
    source: "BLAS xSWAP",
    arguments: &[N, X_WRITE, INCX, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("swap")],
};

const SCALED_NAN: &str = "NaN and Inf in x stay what they make of alpha: with alpha = 0 they give NaN (as in the \
    reference BLAS 3.12). With alpha = 1 nothing is done.";

const SCAL: Routine = Routine {
    name: "scal",
    module: "scal",
    types: SDCZ,
    summary: "Scales a vector: x := alpha * x.",
    notes: &[SCALED_NAN, FORWARD_ONLY],
    source: "BLAS xSCAL",
    arguments: &[N, argument("alpha", Kind::Scalar(Number::Element), "the factor"), X_WRITE, INCX],
    forms: Forms::BOTH,
    standard: &[blas("scal")],
};

const SCAL_REAL: Routine = Routine {
    name: "scal",
    module: "scal_real",
    types: CS_ZD,
    summary: "Scales a complex vector by a real number: x := alpha * x.",
    notes: &[SCALED_NAN, FORWARD_ONLY],
    source: "BLAS CSSCAL, ZDSCAL",
    arguments: &[N, argument("alpha", Kind::Scalar(Number::Real), "the factor"), X_WRITE, INCX],
    forms: Forms::BOTH,
    standard: &[blas("scal")],
};

const AXPY: Routine = Routine {
    name: "axpy",
    module: "axpy",
    types: SDCZ,
    summary: "Adds a multiple of a vector: y := alpha * x + y.",
    notes: &["When alpha is 0 nothing is done, and no pointer is looked at.", DISTINCT],
    source: "BLAS xAXPY",
    arguments: &[N, argument("alpha", Kind::Scalar(Number::Element), "factor of x"), X_READ, INCX, Y_WRITE, INCY],
    forms: Forms::BOTH,
    standard: &[blas("axpy")],
};

const AXPBY: Routine = Routine {
    name: "axpby",
    module: "axpby",
    types: SDCZ,
    summary: "Adds multiples of two vectors: y := alpha * x + beta * y.",
    notes: &[
        "When beta is 0, y is written without being read: it may hold anything, NaN too.",
        "When alpha is 0, x is not read and may be null. When beta is 1 too, nothing is done.",
        DISTINCT,
    ],
    source: "BLAS extension xAXPBY (BLAS Technical Forum)",
    arguments: &[
        N,
        argument("alpha", Kind::Scalar(Number::Element), "factor of x"),
        X_READ,
        INCX,
        argument("beta", Kind::Scalar(Number::Element), "factor of y before the product is added"),
        Y_WRITE,
        INCY,
    ],
    forms: Forms::BOTH,
    standard: &[blas("axpby")],
};

const SAME_BITS: &str = "The result has the same bits in every run on the same device.";
const EMPTY_IS_0: &str = "With n <= 0 the result is 0, and x and y are not looked at.";

const DOT: Routine = Routine {
    name: "dot",
    module: "dot",
    types: SD,
    summary: "Computes a dot product: the sum of x_i * y_i.",
    notes: &[EMPTY_IS_0, SAME_BITS],
    source: "BLAS SDOT, DDOT",
    arguments: &[N, X_READ, INCX, Y_READ, INCY, argument("result", Kind::Result(Number::Element), "gets the sum")],
    forms: Forms::BOTH,
    standard: &[blas("dot").with_sub()],
};

const DSDOT: Routine = Routine {
    name: "dot",
    module: "dsdot",
    types: &[TypeVariant { letters: "Ds", element: Element::F32 }],
    summary: "Computes a dot product of floats in doubles: the sum of x_i * y_i.",
    notes: &[EMPTY_IS_0, SAME_BITS],
    source: "BLAS DSDOT",
    arguments: &[N, X_READ, INCX, Y_READ, INCY, argument("result", Kind::Result(Number::F64), "gets the sum")],
    forms: Forms::BOTH,
    standard: &[blas("dot").with_sub()],
};

const SDSDOT: Routine = Routine {
    name: "dot",
    module: "sdsdot",
    types: &[TypeVariant { letters: "Sds", element: Element::F32 }],
    summary: "Computes sb and a dot product of floats in doubles: sb + the sum of x_i * y_i, rounded to float.",
    notes: &["With n <= 0 the result is sb, and x and y are not looked at.", SAME_BITS],
    source: "BLAS SDSDOT",
    arguments: &[
        N,
        argument("sb", Kind::Scalar(Number::Element), "what the sum is added to"),
        X_READ,
        INCX,
        Y_READ,
        INCY,
        argument("result", Kind::Result(Number::Element), "gets the sum"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("dot").with_sub()],
};

const DOTU: Routine = Routine {
    name: "dotu",
    module: "dotu",
    types: CZ,
    summary: "Computes a dot product without conjugation: the sum of x_i * y_i.",
    notes: &[EMPTY_IS_0, SAME_BITS],
    source: "BLAS CDOTU, ZDOTU",
    arguments: &[N, X_READ, INCX, Y_READ, INCY, argument("result", Kind::Result(Number::Element), "gets the sum")],
    forms: Forms::BOTH,
    standard: &[blas("dotu").with_sub()],
};

const DOTC: Routine = Routine {
    name: "dotc",
    module: "dotc",
    types: CZ,
    summary: "Computes a dot product: the sum of conj(x_i) * y_i.",
    notes: &[EMPTY_IS_0, SAME_BITS],
    source: "BLAS CDOTC, ZDOTC",
    arguments: &[N, X_READ, INCX, Y_READ, INCY, argument("result", Kind::Result(Number::Element), "gets the sum")],
    forms: Forms::BOTH,
    standard: &[blas("dotc").with_sub()],
};

const NRM2: Routine = Routine {
    name: "nrm2",
    module: "nrm2",
    types: REAL_RESULTS,
    summary: "Computes the Euclidean norm: the square root of the sum of |x_i|^2.",
    notes: &[
        "Nothing overflows or underflows on the way: floats are squared in doubles, doubles are kept in Blue's three \
         sums.",
        EMPTY_IS_0,
        SAME_BITS,
    ],
    source: "BLAS SNRM2, DNRM2, SCNRM2, DZNRM2",
    arguments: &[N, X_READ, INCX, argument("result", Kind::Result(Number::Real), "gets the norm")],
    forms: Forms::BOTH,
    standard: &[blas("nrm2").with_sub()],
};

const BACKWARD_IS_0: &str = "As BLAS has it, the result is 0 too when incx is negative.";

const ASUM: Routine = Routine {
    name: "asum",
    module: "asum",
    types: REAL_RESULTS,
    summary: "Computes the sum of |re(x_i)| + |im(x_i)|.",
    notes: &[EMPTY_IS_0, BACKWARD_IS_0, SAME_BITS],
    source: "BLAS SASUM, DASUM, SCASUM, DZASUM",
    arguments: &[N, X_READ, INCX, argument("result", Kind::Result(Number::Real), "gets the sum")],
    forms: Forms::BOTH,
    standard: &[blas("asum").with_sub()],
};

const PASSED_OVER: &str = "A comparison with NaN is false: a NaN is passed over, but in the first place, where nothing \
     replaces it and the index is 0.";
const FROM_0: &str = "Indices count from 0, as in CBLAS.";

const IAMAX: Routine = Routine {
    name: "amax",
    module: "iamax",
    types: INDICES,
    summary: "Finds the first element with the largest |re(x_i)| + |im(x_i)|.",
    notes: &[FROM_0, PASSED_OVER, EMPTY_IS_0, BACKWARD_IS_0],
    source: "BLAS ISAMAX, IDAMAX, ICAMAX, IZAMAX",
    arguments: &[N, X_READ, INCX, argument("result", Kind::Result(Number::I64), "gets the index")],
    forms: Forms::BOTH,
    standard: &[blas("amax").with_sub()],
};

const IAMIN: Routine = Routine {
    name: "amin",
    module: "iamin",
    types: INDICES,
    summary: "Finds the first element with the smallest |re(x_i)| + |im(x_i)|.",
    notes: &[FROM_0, PASSED_OVER, EMPTY_IS_0, BACKWARD_IS_0],
    source: "BLAS extension ISAMIN, IDAMIN, ICAMIN, IZAMIN",
    arguments: &[N, X_READ, INCX, argument("result", Kind::Result(Number::I64), "gets the index")],
    forms: Forms::BOTH,
    standard: &[blas("amin")],
};

const COSINE: Argument = argument("c", Kind::Scalar(Number::Real), "the cosine");

const ROT: Routine = Routine {
    name: "rot",
    module: "rot",
    types: SDCZ,
    summary: "Rotates pairs: x := c * x + s * y, y := c * y - conj(s) * x.",
    notes: &[DISTINCT],
    source: "BLAS SROT, DROT; LAPACK CROT, ZROT",
    arguments: &[N, X_WRITE, INCX, Y_WRITE, INCY, COSINE, argument("s", Kind::Scalar(Number::Element), "the sine")],
    forms: Forms::BOTH,
    standard: &[blas("rot").lapack_complex()],
};

const ROT_REAL: Routine = Routine {
    name: "rot",
    module: "rot_real",
    types: CS_ZD,
    summary: "Rotates pairs of complex numbers by a real sine: x := c * x + s * y, y := c * y - s * x.",
    notes: &[DISTINCT],
    source: "BLAS CSROT, ZDROT",
    arguments: &[N, X_WRITE, INCX, Y_WRITE, INCY, COSINE, argument("s", Kind::Scalar(Number::Real), "the sine")],
    forms: Forms::BOTH,
    standard: &[blas("rot")],
};

const PARAMETERS: &str = "The parameters are a flag, then h11, h21, h12, h22. The flag is -1 where all four are given, \
    0 where h11 = h22 = 1, 1 where h12 = 1 and h21 = -1, and -2 where H is the identity.";

const ROTM: Routine = Routine {
    name: "rotm",
    module: "rotm",
    types: SD,
    summary: "Applies a modified rotation to pairs: x := h11 * x + h12 * y, y := h21 * x + h22 * y.",
    notes: &[PARAMETERS, "What the flag implies is not used, and with flag -2 nothing is changed.", DISTINCT],
    source: "BLAS SROTM, DROTM",
    arguments: &[
        N,
        X_WRITE,
        INCX,
        Y_WRITE,
        INCY,
        argument("param", Kind::Scalars(Read, Number::Element, 5), "the five parameters"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("rotm")],
};

const ROTG: Routine = Routine {
    name: "rotg",
    module: "rotg",
    types: SDCZ,
    summary: "Makes the rotation that takes (a, b) to (r, 0): c * a + s * b = r, c * b - conj(s) * a = 0.",
    notes: &[
        "For the real types r has the sign of a or b, whichever is larger in modulus, and b becomes z, from which c \
         and s can be had again: s where |a| > |b|, else 1 / c, or 1 where c is 0.",
        "For the complex types r has the argument of a, or is |b| where a is 0, and b stays.",
        "Nothing overflows or underflows but a result that does not fit itself.",
    ],
    source: "BLAS SROTG, DROTG, CROTG, ZROTG",
    arguments: &[
        argument("a", Kind::Scalars(Write, Number::Element, 1), "a, which becomes r"),
        argument("b", Kind::Scalars(Write, Number::Element, 1), "b, which becomes z for the real types"),
        argument("c", Kind::Scalars(Write, Number::Real, 1), "gets the cosine"),
        argument("s", Kind::Scalars(Write, Number::Element, 1), "gets the sine"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("rotg")],
};

const ROTMG: Routine = Routine {
    name: "rotmg",
    module: "rotmg",
    types: SD,
    summary: "Makes the modified rotation that takes (x1, y1), whose squares weigh d1 and d2, to (x1, 0).",
    notes: &[
        PARAMETERS,
        "What the flag implies is not written. The weights are kept between 4096^-2 and 4096^2 in modulus.",
        "With d2 * y1 = 0 the flag is -2 and nothing else is changed. With d1 < 0 there is no such rotation: d1, d2, \
         x1 and H become 0.",
    ],
    source: "BLAS SROTMG, DROTMG",
    arguments: &[
        argument("d1", Kind::Scalars(Write, Number::Element, 1), "the weight of x1, which becomes that after it"),
        argument("d2", Kind::Scalars(Write, Number::Element, 1), "the weight of y1, which becomes that after it"),
        argument("x1", Kind::Scalars(Write, Number::Element, 1), "x1, which becomes that after it"),
        argument("y1", Kind::Scalars(Read, Number::Element, 1), "y1"),
        argument("param", Kind::Scalars(Write, Number::Element, 5), "gets the five parameters"),
    ],
    forms: Forms::BOTH,
    standard: &[blas("rotmg")],
};
