//! Random numbers of Philox 4x32-10 (Salmon et al. 2011), a counter-based generator.
//!
//! An element's number depends on the seed, the stream and the element's row-major index alone: it is the same on each
//! machine, and needs no memory before it is used. The index is the lower half of the counter, the stream the upper
//! half, the seed the key.

use super::element::{ElementType, Number, Value};
use super::error::ErrorKind;
use super::expr::Expr;
use super::function::{Binary, Unary};
use super::node::Node;
use super::shape::{IntoShape, Shape};
use super::types::{Integer, Real};
use std::ops::Range;

/// A seed and a stream of random numbers.
///
/// ```
/// use affinimath_array::random::Random;
///
/// let random = Random::new(42).stream(1);
/// let sample = 3.0 + 0.5 * random.normal::<f64>([1000]);
/// assert_eq!(sample.shape(), &[1000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Random {
    seed: u64,
    stream: u64,
}

/// Uniform in [0, 1), of stream 0.
#[track_caller]
pub fn uniform<T: Real>(seed: u64, shape: impl IntoShape) -> Expr<T> {
    Random::new(seed).uniform(shape)
}

/// Of the standard normal distribution, of stream 0.
#[track_caller]
pub fn normal<T: Real>(seed: u64, shape: impl IntoShape) -> Expr<T> {
    Random::new(seed).normal(shape)
}

/// Of the exponential distribution with mean 1, of stream 0.
#[track_caller]
pub fn exponential<T: Real>(seed: u64, shape: impl IntoShape) -> Expr<T> {
    Random::new(seed).exponential(shape)
}

/// Integers of the range, of stream 0.
#[track_caller]
pub fn integers<T: Integer>(seed: u64, shape: impl IntoShape, range: Range<T>) -> Expr<T> {
    Random::new(seed).integers(shape, range)
}

impl Random {
    /// Stream 0 of the seed.
    pub const fn new(seed: u64) -> Self {
        Random { seed, stream: 0 }
    }

    /// Another stream: its numbers are independent of those of other streams.
    #[must_use]
    pub const fn stream(self, stream: u64) -> Self {
        Random { stream, ..self }
    }

    /// Uniform in [0, 1): multiples of 2^-24 (`f32`) or 2^-53 (`f64`).
    #[track_caller]
    pub fn uniform<T: Real>(self, shape: impl IntoShape) -> Expr<T> {
        match shape.into_shape() {
            Ok(shape) => Expr::new(self.fraction(&shape, T::TYPE, 0)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// Of the standard normal distribution, by the cosine of Box and Muller (1958).
    #[track_caller]
    pub fn normal<T: Real>(self, shape: impl IntoShape) -> Expr<T> {
        let shape = match shape.into_shape() {
            Ok(shape) => shape,
            Err(kind) => return Expr::failed(kind),
        };
        let real = |value: f64| Node::scalar(Number::of_real(value, T::TYPE));
        let radius = self.exponential_node(&shape, T::TYPE).binary(Binary::Mul, &real(2.0)).unary(Unary::Sqrt);
        let turns = self.fraction(&shape, T::TYPE, 1);
        let cosine = turns.binary(Binary::Mul, &real(2.0)).unary(Unary::CosPi);
        Expr::new(radius.binary(Binary::Mul, &cosine))
    }

    /// Of the exponential distribution with mean 1: -ln(u) of a uniform u in (0, 1].
    #[track_caller]
    pub fn exponential<T: Real>(self, shape: impl IntoShape) -> Expr<T> {
        match shape.into_shape() {
            Ok(shape) => Expr::new(self.exponential_node(&shape, T::TYPE)),
            Err(kind) => Expr::failed(kind),
        }
    }

    /// Integers of the range, which is not empty: the upper half of the product of 64 random bits and the range's
    /// length (Lemire 2019). A value's probability differs from 1/length by less than 2^-64.
    #[track_caller]
    pub fn integers<T: Integer>(self, shape: impl IntoShape, range: Range<T>) -> Expr<T> {
        let shape = match shape.into_shape() {
            Ok(shape) => shape,
            Err(kind) => return Expr::failed(kind),
        };
        let (start, end) = (as_i64(range.start.number()), as_i64(range.end.number()));
        if start >= end {
            let reason = format!("the range {start}..{end} is empty");
            return Expr::failed(ErrorKind::Argument { operation: "integers", reason });
        }
        let length = end.wrapping_sub(start) as u64;
        let bits = [0, 1].map(|word| self.word(&shape, word).convert(ElementType::I64));
        let offset = high_product(&bits, length);
        Expr::new(offset.binary(Binary::Add, &integer(start)).convert(T::TYPE))
    }

    /// Word 0 to 3 of each element, a `U32`.
    #[track_caller]
    fn word(self, shape: &Shape, word: u8) -> Node {
        Node::iota(shape).philox(&integer(self.stream as i64), &integer(self.seed as i64), word)
    }

    /// Uniform in [0, 1): of `f32` from one word, of `f64` from two. There are numbers 0 and 1.
    #[track_caller]
    fn fraction(self, shape: &Shape, element: ElementType, number: u8) -> Node {
        let real = |value: f64| Node::scalar(Number::of_real(value, element));
        if element == ElementType::F32 {
            let bits = self.word(shape, number).binary(Binary::Shr, &Node::scalar(Number::Real(Value::U32(8))));
            return bits.convert(element).binary(Binary::Mul, &real(2f64.powi(-24)));
        }
        let bits = self.bits(shape, number);
        bits.convert(element).binary(Binary::Mul, &real(2f64.powi(-53)))
    }

    /// 53 bits of the words `2 number` and `2 number + 1`, an `I64`.
    #[track_caller]
    fn bits(self, shape: &Shape, number: u8) -> Node {
        let low = self.word(shape, 2 * number).convert(ElementType::I64).binary(Binary::Shr, &integer(11));
        let high = self.word(shape, 2 * number + 1).convert(ElementType::I64).binary(Binary::Shl, &integer(21));
        high.binary(Binary::Or, &low)
    }

    /// -ln(u) of the first number, in (0, 1]. Of `f32` it has 32 bits, so that the tail reaches as far as 22.
    #[track_caller]
    fn exponential_node(self, shape: &Shape, element: ElementType) -> Node {
        let real = |value: f64| Node::scalar(Number::of_real(value, element));
        let (bits, unit) = match element {
            ElementType::F32 => (self.word(shape, 0), 2f64.powi(-32)),
            _ => (self.bits(shape, 0), 2f64.powi(-53)),
        };
        // 2 `bits` + 1 half units, rounded: 0 is not met, and 1 is the largest value.
        let uniform = bits.convert(element).binary(Binary::Add, &real(0.5)).binary(Binary::Mul, &real(unit));
        uniform.unary(Unary::Ln).unary(Unary::Neg)
    }
}

#[track_caller]
fn integer(value: i64) -> Node {
    Node::scalar(Number::Real(Value::I64(value)))
}

/// The value of an integer type, all of which fit.
fn as_i64(number: Number) -> i64 {
    match number {
        Number::Real(Value::U8(value)) => value.into(),
        Number::Real(Value::I32(value)) => value.into(),
        Number::Real(Value::U32(value)) => value.into(),
        Number::Real(Value::I64(value)) => value,
        _ => unreachable!("`Integer` is sealed: it has these types"),
    }
}

/// The upper 64 bits of the product of `bits` (lower and upper 32 bits, as `I64`) and `length`, all unsigned.
///
/// Products of 32 by 32 bits fit the 64 bits of an `I64` taken as unsigned; `Shr` is arithmetic, so that masks follow.
#[track_caller]
fn high_product([low, high]: &[Node; 2], length: u64) -> Node {
    let mask = integer(u32::MAX.into());
    let [length_low, length_high] = [length & u64::from(u32::MAX), length >> 32].map(|half| integer(half as i64));
    let upper = |value: &Node| value.binary(Binary::Shr, &integer(32)).binary(Binary::And, &mask);
    let carry = upper(&low.binary(Binary::Mul, &length_low));
    let middle = high.binary(Binary::Mul, &length_low).binary(Binary::Add, &carry);
    let crossed = low.binary(Binary::Mul, &length_high).binary(Binary::Add, &middle.binary(Binary::And, &mask));
    let product = high.binary(Binary::Mul, &length_high);
    product.binary(Binary::Add, &upper(&middle)).binary(Binary::Add, &upper(&crossed))
}
