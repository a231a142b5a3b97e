//! The kernel language as a machine of `affinimath-math`: its functions are lowered from their one text.

use super::emit::{Emit, V};
use affinimath_kernel::dynamic::{BinaryOp, UnaryOp};
use affinimath_kernel::{Constant, ScalarType};
use affinimath_math::{Lanes, Real};
use std::marker::PhantomData;

/// Values of `lanes` reals of a kernel under construction. Integers are kept as unsigned ones, which wrap.
pub struct Machine<'e, 'k, R> {
    emit: Emit<'e, 'k>,
    lanes: usize,
    precision: PhantomData<R>,
}

impl<R> Clone for Machine<'_, '_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Machine<'_, '_, R> {}

impl<'e, 'k, R> Machine<'e, 'k, R> {
    pub const fn new(emit: Emit<'e, 'k>, lanes: usize) -> Self {
        Machine { emit, lanes, precision: PhantomData }
    }
}

/// Selects from a table by the bits of the index.
fn pick<'k>(emit: Emit<'_, 'k>, unsigned: ScalarType, table: &[V<'k>], index: V<'k>) -> V<'k> {
    let mut values = table.to_vec();
    let mut bit = 1_i64;
    while values.len() > 1 {
        let is_odd = {
            let [zero, bit] = [0, bit].map(|number| emit.whole(unsigned, number, 1));
            emit.binary(BinaryOp::Ne, emit.binary(BinaryOp::And, index, bit), zero)
        };
        let pairs = values.chunks(2).map(|pair| match *pair {
            [even, odd] => emit.select(is_odd, odd, even),
            _ => pair[0],
        });
        values = pairs.collect();
        bit *= 2;
    }
    values[0]
}

macro_rules! machine {
    ($real:ident $int:ident $float:ident $signed:ident $unsigned:ident) => {
        impl<'k> Machine<'_, 'k, $real> {
            fn signed(self, a: V<'k>) -> V<'k> {
                self.emit.bitcast(a, ScalarType::$signed)
            }

            fn unsigned(self, a: V<'k>) -> V<'k> {
                self.emit.bitcast(a, ScalarType::$unsigned)
            }

            fn binary(self, op: BinaryOp, a: V<'k>, b: V<'k>) -> V<'k> {
                self.emit.binary(op, a, b)
            }

            fn unary(self, op: UnaryOp, a: V<'k>) -> V<'k> {
                self.emit.unary(op, a)
            }
        }

        impl<'k> Lanes for Machine<'_, 'k, $real> {
            type Real = $real;
            type F = V<'k>;
            type I = V<'k>;
            type M = V<'k>;

            fn splat(self, value: $real) -> V<'k> {
                self.emit.constant(Constant::$float(value.to_bits()), self.lanes)
            }
            fn neg(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Neg, a)
            }
            fn abs(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Abs, a)
            }
            fn add(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Add, a, b)
            }
            fn sub(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Sub, a, b)
            }
            fn mul(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Mul, a, b)
            }
            fn div(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.emit.divide(a, b)
            }
            fn sqrt(self, a: V<'k>) -> V<'k> {
                self.emit.square_root(a)
            }
            fn fma(self, a: V<'k>, b: V<'k>, c: V<'k>) -> V<'k> {
                self.emit.fma(a, b, c)
            }
            fn round(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Rint, a)
            }
            fn floor(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Floor, a)
            }
            fn trunc(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Trunc, a)
            }
            fn lt(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Lt, a, b)
            }
            fn le(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Le, a, b)
            }
            fn eq(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Eq, a, b)
            }
            fn ne(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Ne, a, b)
            }
            fn select(self, mask: V<'k>, a: V<'k>, b: V<'k>) -> V<'k> {
                self.emit.select(mask, a, b)
            }
            fn int(self, value: $int) -> V<'k> {
                self.unsigned(self.emit.constant(Constant::$signed(value), self.lanes))
            }
            fn int_add(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Add, a, b)
            }
            fn int_sub(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Sub, a, b)
            }
            fn int_mul(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Mul, a, b)
            }
            fn int_mul_hi_unsigned(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::MulHigh, a, b)
            }
            fn int_and(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::And, a, b)
            }
            fn int_or(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Or, a, b)
            }
            fn int_xor(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Xor, a, b)
            }
            fn int_shl(self, a: V<'k>, count: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Shl, a, count)
            }
            fn int_shr(self, a: V<'k>, count: V<'k>) -> V<'k> {
                self.unsigned(self.binary(BinaryOp::Shr, self.signed(a), self.signed(count)))
            }
            fn int_shr_unsigned(self, a: V<'k>, count: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Shr, a, count)
            }
            fn int_lt(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Lt, self.signed(a), self.signed(b))
            }
            fn int_eq(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Eq, a, b)
            }
            fn int_select(self, mask: V<'k>, a: V<'k>, b: V<'k>) -> V<'k> {
                self.emit.select(mask, a, b)
            }
            fn and(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::And, a, b)
            }
            fn or(self, a: V<'k>, b: V<'k>) -> V<'k> {
                self.binary(BinaryOp::Or, a, b)
            }
            fn not(self, a: V<'k>) -> V<'k> {
                self.unary(UnaryOp::Not, a)
            }
            fn to_bits(self, a: V<'k>) -> V<'k> {
                self.unsigned(a)
            }
            fn from_bits(self, a: V<'k>) -> V<'k> {
                self.emit.bitcast(a, ScalarType::$float)
            }
            fn to_int(self, a: V<'k>) -> V<'k> {
                // Conversions out of range have no value in the kernel language, but with saturation.
                self.unsigned(self.emit.convert_saturating(a, ScalarType::$signed))
            }
            fn to_real(self, a: V<'k>) -> V<'k> {
                self.emit.convert(self.signed(a), ScalarType::$float)
            }
            fn lookup(self, table: &'static [$real], index: V<'k>) -> V<'k> {
                let values: Vec<_> = table.iter().map(|value| self.splat(*value)).collect();
                pick(self.emit, ScalarType::$unsigned, &values, index)
            }
            fn int_lookup(self, table: &'static [<$real as Real>::Int], index: V<'k>) -> V<'k> {
                let values: Vec<_> = table.iter().map(|value| self.int(*value)).collect();
                pick(self.emit, ScalarType::$unsigned, &values, index)
            }
            fn replace_if_any(self, mask: V<'k>, usual: V<'k>, rare: impl FnOnce(Self) -> V<'k>) -> V<'k> {
                let result = self.emit.variable("result", usual);
                self.emit.when(self.emit.any(mask), || {
                    let rare = rare(self);
                    self.emit.set(result, self.emit.select(mask, rare, usual));
                });
                self.emit.get(result)
            }
        }
    };
}

machine!(f32 i32 F32 I32 U32);
machine!(f64 i64 F64 I64 U64);
