//! BLAS level 1: vectors.

use super::Access::{Read, Write};
use super::{Argument, Element, Family, Forms, Kind, Number, Routine, SDCZ, TypeVariant, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/level1",
    title: "BLAS level 1: vectors",
    routines: &[COPY, SWAP, SCAL, SCAL_REAL, AXPY, AXPBY],
};

/// The complex types where they meet real factors.
const CS_ZD: &[TypeVariant] =
    &[TypeVariant { letters: "Cs", element: Element::C32 }, TypeVariant { letters: "Zd", element: Element::C64 }];

const N: Argument = argument("n", Kind::Length, "elements of each vector");
const X_READ: Argument = argument("x", Kind::Vector(Read, Number::Element), "the vector x");
const X_WRITE: Argument = argument("x", Kind::Vector(Write, Number::Element), "the vector x");
const INCX: Argument = argument("incx", Kind::Increment, "increment of x");
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
};

const SCALED_NAN: &str = "NaN and Inf in x stay what they make of alpha: with alpha = 0 they give NaN (as in the reference BLAS 3.12). With \
     alpha = 1 nothing is done.";

const SCAL: Routine = Routine {
    name: "scal",
    module: "scal",
    types: SDCZ,
    summary: "Scales a vector: x := alpha * x.",
    notes: &[SCALED_NAN, FORWARD_ONLY],
    source: "BLAS xSCAL",
    arguments: &[N, argument("alpha", Kind::Scalar(Number::Element), "the factor"), X_WRITE, INCX],
    forms: Forms::BOTH,
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
};
