//! Elementwise operations as instructions. Complex ones are expanded in one form:
//!
//! ```text
//! (a + i b)(c + i d)   re = fma(a, c, -(b d))    im = fma(a, d, b c)
//! r (c + i d)          re = r c                  im = r d
//! z / w                z (1/w), with 1/w of the math crate; z / r by parts
//! r - (c + i d)        re = r - c                im = -d
//! |z|                  hypot(a, b)               |z|² = fma(a, a, b b)
//! r e^(i φ)            re = r cos φ              im = r sin φ
//! ```

use super::code::{Code, Parts};
use super::graph::{MulAdd, Term, TermOp};
use crate::element::{ElementType, Number, Value};
use crate::function::{Binary, ComplexUnary, Unary};
use crate::fused::Instruction;
use crate::node::{Complex, Op};

/// The value of an elementwise term.
pub(super) fn elementwise(code: &mut Code, term: &Term, args: &[Parts]) -> Parts {
    match &term.op {
        TermOp::MulAdd(form) => {
            let (a, b, c) = (args[0].re, args[1].re, args[2].re);
            Parts::real(match form {
                MulAdd::Add => code.fma(a, b, c),
                MulAdd::Sub => {
                    let c = code.neg(c);
                    code.fma(a, b, c)
                }
                MulAdd::SubFrom => {
                    let a = code.neg(a);
                    code.fma(a, b, c)
                }
            })
        }
        TermOp::Op(Op::Unary(function)) => unary(code, *function, args[0]),
        TermOp::Op(Op::Binary(function)) => binary(code, *function, args[0], args[1]),
        TermOp::Op(Op::Complex(function)) => complex(code, *function, args),
        TermOp::Op(Op::Fma) => Parts::real(code.fma(args[0].re, args[1].re, args[2].re)),
        TermOp::Op(Op::Convert) => convert(code, term.element, args[0]),
        TermOp::Op(Op::Select) => {
            let (mask, a, b) = (args[0].re, args[1], args[2]);
            let re = code.select(mask, a.re, b.re);
            let im = match (a.im, b.im) {
                (Some(x), Some(y)) => Some(code.select(mask, x, y)),
                _ => None,
            };
            Parts { re, im }
        }
        &TermOp::Op(Op::Philox(word)) => {
            let [counter, stream, key] = [args[0].re, args[1].re, args[2].re];
            Parts::real(code.push(Instruction::Philox { word, counter, stream, key }, ElementType::U32))
        }
        _ => args[0],
    }
}

pub(super) fn constant(code: &mut Code, number: Number) -> Parts {
    match number {
        Number::Real(value) => Parts::real(code.constant(value)),
        Number::Complex(re, im) => {
            let re = code.constant(re);
            Parts::complex(re, code.constant(im))
        }
    }
}

fn unary(code: &mut Code, function: Unary, z: Parts) -> Parts {
    let Some(im) = z.im else { return Parts::real(code.unary(function, z.re)) };
    let each = |code: &mut Code| (code.unary(function, z.re), code.unary(function, im));
    match function {
        Unary::Abs => Parts::real(code.binary(Binary::Hypot, z.re, im)),
        Unary::Square => multiply(code, z, z),
        Unary::Recip => code.complex(ComplexUnary::Recip, z),
        Unary::Sqrt => code.complex(ComplexUnary::Sqrt, z),
        Unary::Exp => code.complex(ComplexUnary::Exp, z),
        Unary::Ln => code.complex(ComplexUnary::Ln, z),
        Unary::IsNan | Unary::IsInfinite => {
            let (x, y) = each(code);
            Parts::real(code.binary(Binary::Or, x, y))
        }
        Unary::IsFinite => {
            let (x, y) = each(code);
            Parts::real(code.binary(Binary::And, x, y))
        }
        _ => {
            let (x, y) = each(code);
            Parts::complex(x, y)
        }
    }
}

fn multiply(code: &mut Code, z: Parts, w: Parts) -> Parts {
    match (z.im, w.im) {
        (None, None) => Parts::real(code.binary(Binary::Mul, z.re, w.re)),
        (None, Some(d)) => {
            let re = code.binary(Binary::Mul, z.re, w.re);
            Parts::complex(re, code.binary(Binary::Mul, z.re, d))
        }
        (Some(b), None) => {
            let re = code.binary(Binary::Mul, z.re, w.re);
            Parts::complex(re, code.binary(Binary::Mul, b, w.re))
        }
        (Some(b), Some(d)) => {
            let bd = code.binary(Binary::Mul, b, d);
            let bc = code.binary(Binary::Mul, b, w.re);
            let bd = code.neg(bd);
            let re = code.fma(z.re, w.re, bd);
            Parts::complex(re, code.fma(z.re, d, bc))
        }
    }
}

fn binary(code: &mut Code, function: Binary, z: Parts, w: Parts) -> Parts {
    if z.im.is_none() && w.im.is_none() {
        return Parts::real(code.binary(function, z.re, w.re));
    }
    match function {
        Binary::Mul => multiply(code, z, w),
        Binary::Div => match (z.im, w.im) {
            (Some(b), None) => {
                let re = code.binary(Binary::Div, z.re, w.re);
                Parts::complex(re, code.binary(Binary::Div, b, w.re))
            }
            _ => {
                let inverse = code.complex(ComplexUnary::Recip, w);
                multiply(code, z, inverse)
            }
        },
        Binary::Eq | Binary::Ne => {
            let re = code.binary(function, z.re, w.re);
            let (Some(x), Some(y)) = (z.im, w.im) else { return Parts::real(re) };
            let im = code.binary(function, x, y);
            Parts::real(code.binary(if function == Binary::Eq { Binary::And } else { Binary::Or }, re, im))
        }
        _ => {
            let re = code.binary(function, z.re, w.re);
            let im = match (z.im, w.im) {
                (Some(b), Some(d)) => code.binary(function, b, d),
                (Some(b), None) => b,
                (None, Some(d)) if function == Binary::Sub => code.neg(d),
                (None, d) => d.unwrap_or(re),
            };
            Parts::complex(re, im)
        }
    }
}

fn complex(code: &mut Code, function: Complex, args: &[Parts]) -> Parts {
    let z = args[0];
    let im = z.im.unwrap_or(z.re);
    match function {
        Complex::FromParts => Parts::complex(z.re, args[1].re),
        Complex::Polar => {
            let (cos, sin) = (code.unary(Unary::Cos, args[1].re), code.unary(Unary::Sin, args[1].re));
            let re = code.binary(Binary::Mul, z.re, cos);
            Parts::complex(re, code.binary(Binary::Mul, z.re, sin))
        }
        Complex::Re => Parts::real(z.re),
        Complex::Im => Parts::real(im),
        Complex::Conj => Parts::complex(z.re, code.neg(im)),
        Complex::Arg => Parts::real(code.binary(Binary::Atan2, im, z.re)),
        Complex::NormSquared => {
            let square = code.binary(Binary::Mul, im, im);
            Parts::real(code.fma(z.re, z.re, square))
        }
    }
}

fn convert(code: &mut Code, to: ElementType, z: Parts) -> Parts {
    let part = to.part();
    let re = code.convert(part, z.re);
    if !to.is_complex() {
        return Parts::real(re);
    }
    let im = match z.im {
        Some(im) => code.convert(part, im),
        None => code.constant(if part == ElementType::F32 { Value::F32(0.0) } else { Value::F64(0.0) }),
    };
    Parts::complex(re, im)
}
