//! Running sums and products along an axis: the order in which elements are joined, and its kernels.
//!
//! Pencils are cut into chunks of [`CHUNK`] elements. Each chunk is scanned from its first element on; the chunks'
//! last results are scanned in the same way; and each chunk but the first joins the result of those before it, as the
//! left operand. The order follows from the shape alone, so that hosts and devices give the same bits.

use affinimath_kernel::dynamic::{BinaryOp, Builder, Query, Value};
use affinimath_kernel::{Access, BuildError, Kernel, ScalarType, ValueType};

use super::element::ElementType;
use super::function::Reduction;

/// Elements of a chunk.
pub const CHUNK: usize = 64;

/// An axis of a row-major array: element `j` of a pencil is element `(o length + j) inner + i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pencils {
    /// The product of the extents before the axis.
    pub outer: usize,
    /// The extent of the axis.
    pub length: usize,
    /// The product of the extents after the axis.
    pub inner: usize,
}

impl Pencils {
    /// The pencils of an array along an axis.
    pub fn new(extents: &[usize], axis: usize) -> Self {
        let product = |extents: &[usize]| extents.iter().product();
        Pencils { outer: product(&extents[..axis]), length: extents[axis], inner: product(&extents[axis + 1..]) }
    }

    /// The pencils of the chunks' last results.
    pub const fn totals(&self) -> Self {
        Pencils { length: self.length.div_ceil(CHUNK), ..*self }
    }

    /// Elements of the array.
    pub const fn len(&self) -> usize {
        self.outer * self.length * self.inner
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if each pencil is one chunk.
    pub const fn is_one_chunk(&self) -> bool {
        self.length <= CHUNK
    }
}

/// `x`, `y`, `totals`, `length`, `inner`, `chunks`, `count`: work-item `g < count` scans a chunk of x
/// to y, and stores its last result as element `g` of the totals.
///
/// # Errors
/// [`BuildError`] for an element type without sums and products.
pub fn chunks_kernel(element: ElementType, reduction: Reduction) -> Result<Kernel, BuildError> {
    Kernel::build_dynamic("scan_chunks", |k| {
        let x = k.buffer("x", value_type(element), Access::Read)?;
        let y = k.buffer("y", value_type(element), Access::Write)?;
        let totals = k.buffer("totals", value_type(element), Access::Write)?;
        let [length, inner, chunks, count] = sizes(k)?;
        let item = k.query(Query::GlobalId, 0)?;
        k.when(item.binary(BinaryOp::Lt, count)?, || {
            let chunk = item.binary(BinaryOp::Div, inner)?.binary(BinaryOp::Rem, chunks)?;
            let outer = item.binary(BinaryOp::Div, inner.binary(BinaryOp::Mul, chunks)?)?;
            let first = chunk.binary(BinaryOp::Mul, k.index(CHUNK as i64))?;
            let rows = outer.binary(BinaryOp::Mul, length)?.binary(BinaryOp::Add, first)?;
            let start = rows.binary(BinaryOp::Mul, inner)?;
            let start = start.binary(BinaryOp::Add, item.binary(BinaryOp::Rem, inner)?)?;
            let rest = length.binary(BinaryOp::Sub, first)?.binary(BinaryOp::Min, k.index(CHUNK as i64))?;
            let result = k.variable("result", x.load(start)?);
            y.store(start, result.get())?;
            k.range("j", [k.index(1), rest, k.index(1)], |j| {
                let at = start.binary(BinaryOp::Add, j.binary(BinaryOp::Mul, inner)?)?;
                result.set(join(k, element, reduction, result.get(), x.load(at)?)?)?;
                y.store(at, result.get())
            })?;
            totals.store(item, result.get())
        })
    })
}

/// `carries`, `y`, `length`, `inner`, `chunks`, `count`: work-item `g < count` joins element `g` of y to
/// the scanned total of the chunks before its own.
///
/// # Errors
/// As [`chunks_kernel`].
pub fn carries_kernel(element: ElementType, reduction: Reduction) -> Result<Kernel, BuildError> {
    Kernel::build_dynamic("scan_carries", |k| {
        let carries = k.buffer("carries", value_type(element), Access::Read)?;
        let y = k.buffer("y", value_type(element), Access::ReadWrite)?;
        let [length, inner, chunks, count] = sizes(k)?;
        let item = k.query(Query::GlobalId, 0)?;
        k.when(item.binary(BinaryOp::Lt, count)?, || {
            let row = item.binary(BinaryOp::Div, inner)?;
            let chunk = row.binary(BinaryOp::Rem, length)?.binary(BinaryOp::Div, k.index(CHUNK as i64))?;
            k.when(chunk.binary(BinaryOp::Gt, k.index(0))?, || {
                let outer = row.binary(BinaryOp::Div, length)?;
                let before = outer.binary(BinaryOp::Mul, chunks)?.binary(BinaryOp::Add, chunk)?;
                let before = before.binary(BinaryOp::Sub, k.index(1))?.binary(BinaryOp::Mul, inner)?;
                let before = before.binary(BinaryOp::Add, item.binary(BinaryOp::Rem, inner)?)?;
                y.store(item, join(k, element, reduction, carries.load(before)?, y.load(item)?)?)
            })
        })
    })
}

fn sizes(k: Builder<'_>) -> Result<[Value<'_>; 4], BuildError> {
    let argument = |name| k.argument(name, ScalarType::I64);
    Ok([argument("length")?, argument("inner")?, argument("chunks")?, argument("count")?])
}

/// The type of an element in memory; a complex one is a vector of its parts.
fn value_type(element: ElementType) -> ValueType {
    let scalar = match element.part() {
        ElementType::Bool | ElementType::U8 => ScalarType::U8,
        ElementType::I32 => ScalarType::I32,
        ElementType::U32 => ScalarType::U32,
        ElementType::I64 => ScalarType::I64,
        ElementType::F32 | ElementType::C32 => ScalarType::F32,
        ElementType::F64 | ElementType::C64 => ScalarType::F64,
    };
    if element.is_complex() { ValueType { scalar, lanes: 2 } } else { ValueType::scalar(scalar) }
}

/// `a` joined with `b`. Signed integers wrap: they are joined as unsigned ones.
fn join<'k>(
    k: Builder<'k>,
    element: ElementType,
    reduction: Reduction,
    a: Value<'k>,
    b: Value<'k>,
) -> Result<Value<'k>, BuildError> {
    let op = if reduction == Reduction::Product { BinaryOp::Mul } else { BinaryOp::Add };
    let unsigned = match element {
        ElementType::I32 => ScalarType::U32,
        ElementType::I64 => ScalarType::U64,
        _ if element.is_complex() && op == BinaryOp::Mul => {
            let [ar, ai, br, bi] = [a.lane(0)?, a.lane(1)?, b.lane(0)?, b.lane(1)?];
            let minus = ai.unary(affinimath_kernel::dynamic::UnaryOp::Neg)?.binary(BinaryOp::Mul, bi)?;
            return k.gather(&[ar.mul_add(br, minus)?, ar.mul_add(bi, ai.binary(BinaryOp::Mul, br)?)?]);
        }
        _ => return a.binary(op, b),
    };
    let signed = a.value_type().scalar;
    a.bitcast(unsigned)?.binary(op, b.bitcast(unsigned)?)?.bitcast(signed)
}
