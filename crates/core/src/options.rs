//! Options of BLAS and LAPACK, with CBLAS's codes.

macro_rules! option {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $code:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name { $($(#[$vmeta])* $variant = $code),+ }

        impl $name {
            /// Every value, in the order of the codes.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The value that CBLAS gives this code, if it is one.
            #[inline]
            pub const fn from_code(code: i32) -> Option<Self> {
                match code { $($code => Some($name::$variant),)+ _ => None }
            }

            /// CBLAS's code for the value.
            #[inline]
            pub const fn code(self) -> i32 { self as i32 }
        }
    };
}

option! {
    /// How a matrix lies in memory.
    Layout {
        /// The elements of a row are adjacent (C).
        RowMajor = 101,
        /// The elements of a column are adjacent (Fortran).
        ColumnMajor = 102,
    }
}

option! {
    /// Operation on a matrix operand: op(A).
    Op {
        /// A itself: BLAS's `N`.
        NoTrans = 111,
        /// The transpose: `T`.
        Trans = 112,
        /// The conjugate transpose: `C`.
        ConjTrans = 113,
        /// The conjugate without transposing: OpenBLAS's and MKL's `R`.
        ConjNoTrans = 114,
    }
}

impl Op {
    /// True for the transpose and the conjugate transpose.
    #[inline]
    pub const fn transposes(self) -> bool {
        matches!(self, Op::Trans | Op::ConjTrans)
    }

    /// True if elements are conjugated.
    #[inline]
    pub const fn conjugates(self) -> bool {
        matches!(self, Op::ConjTrans | Op::ConjNoTrans)
    }

    /// The operation whose result is the conjugate transpose of this one's.
    #[inline]
    pub const fn adjoint(self) -> Self {
        match self {
            Op::NoTrans => Op::ConjTrans,
            Op::Trans => Op::ConjNoTrans,
            Op::ConjTrans => Op::NoTrans,
            Op::ConjNoTrans => Op::Trans,
        }
    }

    /// The operation that does this one's work on the transpose of the stored matrix: op(A) = transposed(op)(Aᵀ).
    #[inline]
    pub const fn transposed(self) -> Self {
        match self {
            Op::NoTrans => Op::Trans,
            Op::Trans => Op::NoTrans,
            Op::ConjTrans => Op::ConjNoTrans,
            Op::ConjNoTrans => Op::ConjTrans,
        }
    }
}

option! {
    /// Which triangle of a symmetric, Hermitian or triangular matrix is stored and read.
    Triangle {
        /// The upper one: `U`.
        Upper = 121,
        /// The lower one: `L`.
        Lower = 122,
    }
}

impl Triangle {
    /// The triangle of the transpose.
    #[inline]
    pub const fn transposed(self) -> Self {
        match self {
            Triangle::Upper => Triangle::Lower,
            Triangle::Lower => Triangle::Upper,
        }
    }
}

option! {
    /// Diagonal of a triangular matrix: stored, or all ones.
    Diag {
        /// Stored and read: `N`.
        NonUnit = 131,
        /// All ones, and not read: `U`.
        Unit = 132,
    }
}

option! {
    /// On which side of the other operand the special matrix stands.
    Side {
        /// A X: `L`.
        Left = 141,
        /// X A: `R`.
        Right = 142,
    }
}

impl Side {
    /// The side in the transposed equation.
    #[inline]
    pub const fn transposed(self) -> Self {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

option! {
    /// Which norm of a matrix: the numbers are those of the BLAS Technical Forum's standard.
    Norm {
        /// The largest sum of moduli of a column: LAPACK's `1` or `O`.
        One = 171,
        /// The square root of the sum of squared moduli: `F` or `E`.
        Frobenius = 174,
        /// The largest sum of moduli of a row: `I`.
        Infinity = 175,
        /// The largest modulus of an element, which is no norm that is consistent with products: `M`.
        Max = 177,
    }
}

impl Norm {
    /// The norm of the transpose that is this one.
    #[inline]
    pub const fn transposed(self) -> Self {
        match self {
            Norm::One => Norm::Infinity,
            Norm::Infinity => Norm::One,
            other => other,
        }
    }
}

/// How the triangle that is not stored follows from the one that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// A = Aᵀ.
    Symmetric,
    /// A = Aᴴ. The diagonal is real: imaginary parts stored there are not read, and written as zeros.
    Hermitian,
}

impl Symmetry {
    /// The operation whose result is op(A)ᵀ, or op(A)ᴴ for a Hermitian product.
    #[inline]
    pub const fn turned(self, op: Op) -> Op {
        match self {
            Symmetry::Symmetric => op.transposed(),
            Symmetry::Hermitian => op.adjoint(),
        }
    }
}

/// The order in which interchanges are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PivotOrder {
    /// From the first to the last: P A.
    Forward,
    /// From the last to the first: Pᵀ A.
    Backward,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_cblas() {
        for layout in Layout::ALL {
            assert_eq!(Layout::from_code(layout.code()), Some(*layout));
        }
        assert_eq!(Op::from_code(113), Some(Op::ConjTrans));
        assert_eq!(Op::from_code(110), None);
        assert_eq!(Triangle::from_code(122), Some(Triangle::Lower));
        assert_eq!(Diag::from_code(131), Some(Diag::NonUnit));
        assert_eq!(Side::from_code(142), Some(Side::Right));
        assert_eq!(Norm::from_code(175), Some(Norm::Infinity));
    }
}
