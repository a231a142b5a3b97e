//! BLAS level 2: matrices and vectors. Products, updates and solves have a file each; this one has their common
//! arguments.

mod product;
mod solve;
mod update;

use super::Access::{Read, Write};
use super::{Argument, Element, Family, Kind, Number, TypeVariant, argument};

pub(super) const FAMILY: Family = Family {
    path: "blas/level2",
    home: "affinimath_abi",
    title: "BLAS level 2: matrices and vectors",
    routines: &[
        product::GEMV,
        product::GBMV,
        product::SYMV,
        product::SBMV,
        product::SPMV,
        product::HEMV,
        product::HBMV,
        product::HPMV,
        product::TRMV,
        product::TBMV,
        product::TPMV,
        solve::TRSV,
        solve::TBSV,
        solve::TPSV,
        update::GER,
        update::GERU,
        update::GERC,
        update::SYR,
        update::SPR,
        update::HER,
        update::HPR,
        update::SYR2,
        update::SPR2,
        update::HER2,
        update::HPR2,
    ],
};

/// The complex types.
const CZ: &[TypeVariant] =
    &[TypeVariant { letters: "C", element: Element::C32 }, TypeVariant { letters: "Z", element: Element::C64 }];
/// The real types.
const SD: &[TypeVariant] =
    &[TypeVariant { letters: "S", element: Element::F32 }, TypeVariant { letters: "D", element: Element::F64 }];

const LAYOUT: Argument = argument("layout", Kind::Layout, "how the matrix lies in memory");
const TRANS: Argument = argument("trans", Kind::Op, "op of A");
const UPLO: Argument = argument("uplo", Kind::Triangle, "the triangle that is stored");
const DIAG: Argument = argument("diag", Kind::Diagonal, "whether the diagonal is stored, or is all ones and not read");
const M: Argument = argument("m", Kind::Size, "rows of A");
const N_COLUMNS: Argument = argument("n", Kind::Size, "columns of A");
const N: Argument = argument("n", Kind::Size, "rows and columns of A");
const K: Argument = argument("k", Kind::Size, "diagonals beside the main one");
const ALPHA: Argument = argument("alpha", Kind::Scalar(Number::Element), "factor of the product");
const BETA: Argument = argument("beta", Kind::Scalar(Number::Element), "factor of y before the product is added");
const SQUARE_READ: Argument = argument("a", Kind::Matrix(Read), "A, n by n, of which one triangle is read");
const BAND_TRIANGLE_READ: Argument =
    argument("a", Kind::Matrix(Read), "the stored triangle's band, k + 1 by n (n by k + 1, in row-major layout)");
const LDA: Argument = argument("lda", Kind::LeadingDimension, "leading dimension of A");
const AP_READ: Argument = argument("ap", Kind::Packed(Read), "the packed triangle, n (n + 1) / 2 elements");
const X_READ: Argument = argument("x", Kind::Vector(Read, Number::Element), "the vector x");
const Y_READ: Argument = argument("y", Kind::Vector(Read, Number::Element), "the vector y");
const X_WRITE: Argument = argument("x", Kind::Vector(Write, Number::Element), "the vector x");
const INCX: Argument = argument("incx", Kind::Increment, "increment of x");
const Y_WRITE: Argument = argument("y", Kind::Vector(Write, Number::Element), "the vector y");
const INCY: Argument = argument("incy", Kind::Increment, "increment of y");
