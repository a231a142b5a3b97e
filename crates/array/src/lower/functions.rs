//! Elementary functions: those of `affinimath-math`, or the device's own.

use super::device::Functions as Source;
use super::emit::V;
use super::generator::Generator;
use super::machine::Machine;
use crate::element::ElementType;
use crate::function::{Binary, ComplexUnary, Unary};
use affinimath_kernel::dynamic::{BinaryOp, UnaryOp};
use affinimath_math::complex::{self, Precision};
use affinimath_math::{Functions, Lanes, binary_functions, unary_functions};

macro_rules! unary_match {
    ({ $l:ident $function:ident $x:ident } $($variant:ident $name:ident,)*) => {
        match $function {
            $(Unary::$variant => Some(<L::Real as Functions>::$name($l, $x)),)*
            _ => None,
        }
    };
}

macro_rules! binary_match {
    ({ $l:ident $function:ident $x:ident $y:ident } $($variant:ident $name:ident,)*) => {
        match $function {
            $(Binary::$variant => Some(<L::Real as Functions>::$name($l, $x, $y)),)*
            _ => None,
        }
    };
}

/// A function of `affinimath-math`.
pub fn own_unary<L: Lanes<Real: Functions>>(l: L, function: Unary, x: L::F) -> Option<L::F> {
    unary_functions!(unary_match l function x)
}

/// A function of `affinimath-math`.
pub fn own_binary<L: Lanes<Real: Functions>>(l: L, function: Binary, x: L::F, y: L::F) -> Option<L::F> {
    binary_functions!(binary_match l function x y)
}

/// The device's function.
const fn library_unary(function: Unary) -> Option<UnaryOp> {
    Some(match function {
        Unary::Cbrt => UnaryOp::Cbrt,
        Unary::Exp => UnaryOp::Exp,
        Unary::Exp2 => UnaryOp::Exp2,
        Unary::Expm1 => UnaryOp::Expm1,
        Unary::Ln => UnaryOp::Log,
        Unary::Log2 => UnaryOp::Log2,
        Unary::Log10 => UnaryOp::Log10,
        Unary::Log1p => UnaryOp::Log1p,
        Unary::Sin => UnaryOp::Sin,
        Unary::Cos => UnaryOp::Cos,
        Unary::Tan => UnaryOp::Tan,
        Unary::Asin => UnaryOp::Asin,
        Unary::Acos => UnaryOp::Acos,
        Unary::Atan => UnaryOp::Atan,
        Unary::Sinh => UnaryOp::Sinh,
        Unary::Cosh => UnaryOp::Cosh,
        Unary::Tanh => UnaryOp::Tanh,
        Unary::Erf => UnaryOp::Erf,
        Unary::Erfc => UnaryOp::Erfc,
        Unary::Gamma => UnaryOp::Tgamma,
        Unary::Lgamma => UnaryOp::Lgamma,
        _ => return None,
    })
}

const fn library_binary(function: Binary) -> Option<BinaryOp> {
    Some(match function {
        Binary::Pow => BinaryOp::Pow,
        Binary::Atan2 => BinaryOp::Atan2,
        Binary::Hypot => BinaryOp::Hypot,
        _ => return None,
    })
}

impl<'k> Generator<'_, 'k> {
    pub(super) fn unary(&self, function: Unary, element: ElementType, x: V<'k>) -> V<'k> {
        if let Some(value) = self.e.exact_unary(function, element, x) {
            return value;
        }
        match (self.lowered.device.functions, library_unary(function)) {
            (Source::Library, Some(op)) => return self.e.unary(op, x),
            (Source::Library, None) if function == Unary::Normcdf => return self.library_normcdf(element, x),
            _ => {}
        }
        let lanes = self.e.lanes(x);
        let own = match element {
            ElementType::F32 => own_unary(Machine::<f32>::new(self.e, lanes), function, x),
            _ => own_unary(Machine::<f64>::new(self.e, lanes), function, x),
        };
        own.unwrap_or_else(|| self.undefined(format!("{function:?}"), x))
    }

    /// erfc(-x/√2)/2 by the device's function: the rounding of x/√2 is a relative error of x²/2 ulp of the result.
    fn library_normcdf(&self, element: ElementType, x: V<'k>) -> V<'k> {
        let number = |value: f64| {
            let bits = if element == ElementType::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
            self.e.bits(element, bits)
        };
        let scaled = self.e.binary(BinaryOp::Mul, x, number(-std::f64::consts::FRAC_1_SQRT_2));
        self.e.binary(BinaryOp::Mul, self.e.unary(UnaryOp::Erfc, scaled), number(0.5))
    }

    pub(super) fn binary(&self, function: Binary, element: ElementType, x: V<'k>, y: V<'k>) -> V<'k> {
        if let Some(value) = self.e.exact_binary(function, element, x, y) {
            return value;
        }
        if let (Source::Library, Some(op)) = (self.lowered.device.functions, library_binary(function)) {
            return self.e.binary(op, x, y);
        }
        let lanes = self.e.lanes(x).max(self.e.lanes(y));
        let [x, y] = [x, y].map(|value| self.e.widen(value, lanes));
        let own = match element {
            ElementType::F32 => own_binary(Machine::<f32>::new(self.e, lanes), function, x, y),
            _ => own_binary(Machine::<f64>::new(self.e, lanes), function, x, y),
        };
        own.unwrap_or_else(|| self.undefined(format!("{function:?}"), x))
    }

    /// The real and the imaginary part.
    pub(super) fn complex(&self, function: ComplexUnary, element: ElementType, x: V<'k>, y: V<'k>) -> (V<'k>, V<'k>) {
        let lanes = self.e.lanes(x).max(self.e.lanes(y));
        let [x, y] = [x, y].map(|value| self.e.widen(value, lanes));
        match element {
            ElementType::F32 => own_complex(Machine::<f32>::new(self.e, lanes), function, x, y),
            _ => own_complex(Machine::<f64>::new(self.e, lanes), function, x, y),
        }
    }

    fn undefined(&self, name: String, x: V<'k>) -> V<'k> {
        self.e.record(affinimath_kernel::BuildError::Operands { operation: name, types: vec![x.value_type()] });
        x
    }
}

/// The parts of a complex function of `affinimath-math`.
pub(super) fn own_complex<L: Lanes<Real: Precision>>(l: L, function: ComplexUnary, x: L::F, y: L::F) -> (L::F, L::F) {
    match function {
        ComplexUnary::Exp => complex::exp(l, x, y),
        ComplexUnary::Ln => complex::ln(l, x, y),
        ComplexUnary::Sqrt => complex::sqrt(l, x, y),
        ComplexUnary::Recip => complex::recip(l, x, y),
    }
}
