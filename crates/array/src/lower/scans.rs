//! Kernels of scans: see [`crate::scan`] for the order and the forms.

use super::emit::{Buffer, Emit, Rounding, V};
use crate::element::ElementType;
use crate::function::Reduction;
use crate::scan::{CHAINS, CHUNK, Form, LANES, NUMBER_NAMES, NUMBERS, Pass, VECTOR_BYTES, Variant, tile_items};
use affinimath_kernel::dynamic::{BinaryOp, Builder, Query, UnaryOp, Variable};
use affinimath_kernel::{Access, BuildError, Kernel, ScalarType, ValueType};
use std::cell::RefCell;

/// Loads of a work-item under way at once.
const LOADS: usize = 8;

/// Elements of a work-item's chunk, after the first one, that are loaded at once.
const BLOCK: usize = 7;

struct Scan<'e, 'k> {
    e: Emit<'e, 'k>,
    k: Builder<'k>,
    variant: Variant,
    x: Buffer<'k>,
    /// Totals or y.
    y: Buffer<'k>,
    carries: Option<Buffer<'k>>,
    numbers: [V<'k>; NUMBERS],
}

/// A chunk, or the part of one that a work-item has: the first element, the elements, and its number in the pencil.
#[derive(Clone, Copy)]
struct Chunk<'k> {
    start: V<'k>,
    length: V<'k>,
    number: V<'k>,
}

/// The carry of a chunk, and true if it has one.
type Carry<'k> = Option<(V<'k>, V<'k>)>;

impl Variant {
    /// The kernel. Its buffers are those of the pass, and the numbers of the launch follow.
    ///
    /// # Errors
    /// [`BuildError`] for an element type without sums and products.
    pub fn kernel(self) -> Result<Kernel, BuildError> {
        let error = RefCell::new(None);
        let kernel = Kernel::build_dynamic(self.pass.name(), |k| {
            let scan = Scan::new(Emit::new(k, &error, Rounding::Native), k, self)?;
            match self.form {
                Form::Tiles => scan.tiles(),
                Form::Columns => scan.columns(),
                Form::Chains => scan.units(|unit| scan.chains(unit)),
                Form::Rows => scan.units(|unit| scan.rows(unit)),
            }
            Ok(())
        });
        match error.into_inner() {
            Some(error) => Err(error),
            None => kernel,
        }
    }

    const fn has_results(self) -> bool {
        !matches!(self.pass, Pass::Totals)
    }

    /// The type of an element in memory: a complex one is a vector of its parts, and signed integers are taken as
    /// unsigned ones, which wrap.
    fn value_type(self) -> ValueType {
        let scalar = match self.element.part() {
            ElementType::Bool => ScalarType::Bool,
            ElementType::U8 => ScalarType::U8,
            ElementType::I32 | ElementType::U32 => ScalarType::U32,
            ElementType::I64 => ScalarType::U64,
            ElementType::F32 | ElementType::C32 => ScalarType::F32,
            ElementType::F64 | ElementType::C64 => ScalarType::F64,
        };
        if self.element.is_complex() { ValueType { scalar, lanes: 2 } } else { ValueType::scalar(scalar) }
    }
}

impl<'e, 'k> Scan<'e, 'k> {
    fn new(e: Emit<'e, 'k>, k: Builder<'k>, variant: Variant) -> Result<Self, BuildError> {
        let element = variant.value_type();
        let x = k.buffer("x", element, Access::Read)?;
        let y = k.buffer(if variant.has_results() { "y" } else { "totals" }, element, Access::Write)?;
        let carries = match variant.pass {
            Pass::Chunks => Some(k.buffer("carries", element, Access::Read)?),
            _ => None,
        };
        let index = if variant.is_wide { ScalarType::I64 } else { ScalarType::I32 };
        let numbers = NUMBER_NAMES.map(|name| e.argument(name, index));
        Ok(Scan { e, k, variant, x, y, carries, numbers })
    }

    fn index(&self, number: usize) -> V<'k> {
        let index = if self.variant.is_wide { ScalarType::I64 } else { ScalarType::I32 };
        self.e.whole(index, number as i64, 1)
    }

    fn query(&self, query: Query) -> V<'k> {
        self.e.convert(self.e.query(query, 0), self.e.scalar(self.index(0)))
    }

    fn op(&self, op: BinaryOp, a: V<'k>, b: V<'k>) -> V<'k> {
        self.e.binary(op, a, b)
    }

    fn add(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.op(BinaryOp::Add, a, b)
    }

    fn sub(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.op(BinaryOp::Sub, a, b)
    }

    fn mul(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.op(BinaryOp::Mul, a, b)
    }

    fn min(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.op(BinaryOp::Min, a, b)
    }

    fn less(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        self.op(BinaryOp::Lt, a, b)
    }

    fn divide(&self, a: V<'k>, b: V<'k>) -> (V<'k>, V<'k>) {
        (self.op(BinaryOp::Div, a, b), self.op(BinaryOp::Rem, a, b))
    }

    fn divide_up(&self, a: V<'k>, b: usize) -> V<'k> {
        self.op(BinaryOp::Div, self.add(a, self.index(b - 1)), self.index(b))
    }

    fn load(&self, buffer: Buffer<'k>, index: V<'k>) -> V<'k> {
        self.e.load(buffer, index, self.variant.value_type().lanes, true)
    }

    fn load_x(&self, index: V<'k>) -> V<'k> {
        self.load(self.x, self.add(self.numbers[0], index))
    }

    fn store_y(&self, index: V<'k>, value: V<'k>) {
        self.e.store(self.y, self.add(self.numbers[1], index), value, true);
    }

    /// `a` joined with `b`. The products of complex numbers are rounded as the planner expands them.
    fn join(&self, a: V<'k>, b: V<'k>) -> V<'k> {
        let e = self.e;
        if self.variant.reduction == Reduction::Sum {
            return self.add(a, b);
        }
        if !self.variant.element.is_complex() {
            return self.mul(a, b);
        }
        let [ar, ai, br, bi] = [(a, 0), (a, 1), (b, 0), (b, 1)].map(|(value, lane)| e.lane(value, lane));
        let minus = self.mul(e.unary(UnaryOp::Neg, ai), bi);
        e.gather(&[e.fma(ar, br, minus), e.fma(ar, bi, self.mul(ai, br))])
    }

    /// The result of an element: the running value joined with the carry.
    fn result(&self, carry: Carry<'k>, running: V<'k>) -> V<'k> {
        match carry {
            Some((carry, is_joined)) => self.e.select(is_joined, self.join(carry, running), running),
            None => running,
        }
    }

    /// The carry of a chunk whose total has a number.
    fn carry(&self, total: V<'k>, chunk: V<'k>) -> Carry<'k> {
        let carries = self.carries?;
        let is_joined = self.less(self.index(0), chunk);
        let inner = self.numbers[3];
        // The first chunk reads an element too, and does not use it.
        let before = self.e.select(is_joined, self.sub(total, inner), self.index(0));
        Some((self.load(carries, before), is_joined))
    }

    /// The chunk of a total.
    fn chunk_of(&self, total: V<'k>) -> Chunk<'k> {
        let [_, _, length, inner, chunks, ..] = self.numbers;
        let (row, pencil) = self.divide(total, inner);
        let (outer, number) = self.divide(row, chunks);
        let first = self.mul(number, self.index(CHUNK));
        let start = self.add(self.mul(self.add(self.mul(outer, length), first), inner), pencil);
        Chunk { start, length: self.min(self.sub(length, first), self.index(CHUNK)), number }
    }

    /// Scans the elements of a chunk, which `load` reads and `store` takes, in blocks of loads; returns its total.
    fn scan(
        &self,
        chunk: Chunk<'k>,
        carry: Carry<'k>,
        load: impl Fn(V<'k>) -> V<'k>,
        store: impl Fn(V<'k>, V<'k>),
    ) -> V<'k> {
        let (e, inner) = (self.e, self.numbers[3]);
        let running = e.variable("running", load(chunk.start));
        let finish = |at: V<'k>| {
            if self.variant.has_results() {
                store(at, self.result(carry, e.get(running)));
            }
        };
        finish(chunk.start);
        let elements = |first: V<'k>, count: usize| {
            let at = |k: usize| self.add(chunk.start, self.mul(self.add(first, self.index(k)), inner));
            let values: Vec<V<'k>> = (0..count).map(|k| load(at(k))).collect();
            for (k, value) in values.into_iter().enumerate() {
                e.set(running, self.join(e.get(running), value));
                finish(at(k));
            }
        };
        let one = self.index(1);
        let (blocks, _) = self.divide(self.sub(chunk.length, one), self.index(BLOCK));
        let end = self.add(one, self.mul(blocks, self.index(BLOCK)));
        e.for_each("j", one, end, self.index(BLOCK), |j| elements(j, BLOCK));
        e.for_each("j", end, chunk.length, one, |j| elements(j, 1));
        e.get(running)
    }

    /// A tile of whole chunks, a contiguous range of memory, for each group.
    fn tiles(&self) {
        let e = self.e;
        let [.., count, elements, part] = self.numbers;
        let items = tile_items(self.variant.element);
        let (group, item) = (self.query(Query::GroupId), self.query(Query::LocalId));
        let first = self.mul(group, part);
        let (total, next) = (self.add(first, item), self.add(first, part));
        let start = self.chunk_of(first).start;
        let end = e.select(self.less(next, count), self.chunk_of(next).start, elements);
        let length = self.sub(end, start);
        let Ok(tile) = self.k.local("tile", self.variant.value_type(), items * CHUNK) else { return };
        self.move_in(tile, (item, items), start, length);
        e.barrier(false);
        let is_active = self.op(BinaryOp::And, self.less(item, part), self.less(total, count));
        e.when(is_active, || {
            let chunk = self.chunk_of(total);
            let local = Chunk { start: self.sub(chunk.start, start), ..chunk };
            let carry = self.carry(total, chunk.number);
            let load = |at: V<'k>| self.load(tile, self.bank(at));
            let result = self.scan(local, carry, load, |at, value| e.store(tile, self.bank(at), value, true));
            if !self.variant.has_results() {
                e.store(self.y, total, result, true);
            }
        });
        if self.variant.has_results() {
            e.barrier(false);
            e.for_each("at", item, length, self.index(items), |at| {
                self.store_y(self.add(start, at), self.load(tile, self.bank(at)));
            });
        }
    }

    /// The position of a tile's element: chunks are rotated against each other, so that work-items that read the same
    /// element of neighbouring ones find it in different banks.
    fn bank(&self, at: V<'k>) -> V<'k> {
        let chunk = self.op(BinaryOp::Shr, at, self.index(CHUNK.ilog2() as usize));
        self.op(BinaryOp::Xor, at, self.op(BinaryOp::And, chunk, self.index(super::variant::WARP - 1)))
    }

    fn move_in(&self, tile: Buffer<'k>, (item, items): (V<'k>, usize), start: V<'k>, length: V<'k>) {
        let e = self.e;
        let last = self.sub(length, self.index(1));
        e.for_each("at", item, length, self.index(items * LOADS), |at| {
            let at: Vec<V<'k>> = (0..LOADS).map(|k| self.add(at, self.index(k * items))).collect();
            let load = |at: &V<'k>| self.load_x(self.add(start, self.min(*at, last)));
            let values: Vec<V<'k>> = at.iter().map(load).collect();
            for (at, value) in at.into_iter().zip(values) {
                e.when(self.less(at, length), || e.store(tile, self.bank(at), value, true));
            }
        });
    }

    /// A chunk for each work-item.
    fn columns(&self) {
        let [.., count, _, _] = self.numbers;
        let total = self.query(Query::GlobalId);
        self.e.when(self.less(total, count), || {
            let chunk = self.chunk_of(total);
            self.one(total, chunk);
        });
    }

    /// A chunk in global memory.
    fn one(&self, total: V<'k>, chunk: Chunk<'k>) {
        let carry = self.carry(total, chunk.number);
        let result = self.scan(chunk, carry, |at| self.load_x(at), |at, value| self.store_y(at, value));
        if !self.variant.has_results() {
            self.e.store(self.y, total, result, true);
        }
    }

    /// The units of a CPU's work-item.
    fn units(&self, body: impl FnOnce(V<'k>)) {
        let [.., units, part] = self.numbers;
        let first = self.mul(self.query(Query::GlobalId), part);
        self.e.for_each("unit", first, self.min(self.add(first, part), units), self.index(1), body);
    }

    /// Neighbouring chunks of the pencils side by side.
    fn chains(&self, unit: V<'k>) {
        let e = self.e;
        let [_, _, length, inner, chunks, ..] = self.numbers;
        let (outer, block) = self.divide(unit, self.divide_up(chunks, CHAINS));
        let first = self.mul(block, self.index(CHAINS));
        let end = self.min(self.add(first, self.index(CHAINS)), chunks);
        let is_full = self.op(BinaryOp::Le, self.mul(self.add(first, self.index(CHAINS)), self.index(CHUNK)), length);
        let row = self.mul(outer, length);
        let start = |chunk: V<'k>, pencil: V<'k>| {
            let row = self.add(row, self.mul(chunk, self.index(CHUNK)));
            self.add(self.mul(row, inner), pencil)
        };
        let total =
            |chunk: V<'k>, pencil: V<'k>| self.add(self.mul(self.add(self.mul(outer, chunks), chunk), inner), pencil);
        e.for_each("pencil", self.index(0), inner, self.index(1), |pencil| {
            let together = || {
                let chunks: Vec<_> = (0..CHAINS).map(|k| self.add(first, self.index(k))).collect();
                let of = |chunk: &V<'k>| (start(*chunk, pencil), total(*chunk, pencil), *chunk);
                self.together(&chunks.iter().map(of).collect::<Vec<_>>());
            };
            e.if_else(is_full, together, || {
                e.for_each("chunk", first, end, self.index(1), |chunk| {
                    let rest = self.sub(length, self.mul(chunk, self.index(CHUNK)));
                    let length = self.min(rest, self.index(CHUNK));
                    self.one(total(chunk, pencil), Chunk { start: start(chunk, pencil), length, number: chunk });
                });
            });
        });
    }

    /// Whole chunks, of which each is a start, a total and a number in the pencil: an element of each after the other.
    fn together(&self, chunks: &[(V<'k>, V<'k>, V<'k>)]) {
        let (e, inner) = (self.e, self.numbers[3]);
        let carries: Vec<Carry<'k>> = chunks.iter().map(|(_, total, number)| self.carry(*total, *number)).collect();
        let store = |k: usize, at: V<'k>, value: V<'k>| {
            if self.variant.has_results() {
                self.store_y(at, self.result(carries[k], value));
            }
        };
        let firsts: Vec<V<'k>> = chunks.iter().map(|(start, ..)| self.load_x(*start)).collect();
        let running: Vec<Variable<'k>> = firsts.iter().map(|first| e.variable("running", *first)).collect();
        firsts.iter().zip(chunks).enumerate().for_each(|(k, (first, (start, ..)))| store(k, *start, *first));
        e.for_each("j", self.index(1), self.index(CHUNK), self.index(1), |j| {
            let along = self.mul(j, inner);
            for (k, ((start, ..), running)) in chunks.iter().zip(&running).enumerate() {
                let at = self.add(*start, along);
                e.set(*running, self.join(e.get(*running), self.load_x(at)));
                store(k, at, e.get(*running));
            }
        });
        if !self.variant.has_results() {
            chunks.iter().zip(&running).for_each(|((_, total, _), running)| {
                e.store(self.y, *total, e.get(*running), true);
            });
        }
    }

    /// A chunk of neighbouring pencils: rows of memory, whose running values are in an array.
    fn rows(&self, unit: V<'k>) {
        let e = self.e;
        let [_, _, length, inner, chunks, ..] = self.numbers;
        let (row, block) = self.divide(unit, self.divide_up(inner, LANES));
        let (outer, number) = self.divide(row, chunks);
        let pencil = self.mul(block, self.index(LANES));
        let lanes = self.min(self.sub(inner, pencil), self.index(LANES));
        let first = self.mul(number, self.index(CHUNK));
        let start = self.add(self.mul(self.add(self.mul(outer, length), first), inner), pencil);
        let total = self.add(self.mul(row, inner), pencil);
        let rest = self.min(self.sub(length, first), self.index(CHUNK));
        let Ok(running) = self.k.private("running", self.variant.value_type(), LANES) else { return };
        self.row(running, lanes, (start, total, number), true);
        e.for_each("j", self.index(1), rest, self.index(1), |j| {
            let start = self.add(start, self.mul(j, inner));
            self.row(running, lanes, (start, total, number), false);
        });
        if !self.variant.has_results() {
            self.across(lanes, |i, width| {
                e.store(self.y, self.add(total, i), e.load(running, i, width, false), false);
            });
        }
    }

    /// Joins a row of elements with the running values: those of the first row are its elements.
    fn row(&self, running: Buffer<'k>, lanes: V<'k>, (start, total, number): (V<'k>, V<'k>, V<'k>), is_first: bool) {
        let e = self.e;
        let (is_joined, before) = match self.carries {
            Some(_) => (Some(self.less(self.index(0), number)), self.sub(total, self.numbers[3])),
            None => (None, total),
        };
        self.across(lanes, |i, width| {
            let at = self.add(start, i);
            let value = e.load(self.x, self.add(self.numbers[0], at), width, false);
            let value = if is_first { value } else { self.join(e.load(running, i, width, false), value) };
            e.store(running, i, value, false);
            if !self.variant.has_results() {
                return;
            }
            let at = self.add(self.numbers[1], at);
            let (Some(carries), Some(is_joined)) = (self.carries, is_joined) else {
                return e.store(self.y, at, value, false);
            };
            let joined = || {
                let carry = e.load(carries, self.add(before, i), width, false);
                e.store(self.y, at, self.join(carry, value), false);
            };
            e.if_else(is_joined, joined, || e.store(self.y, at, value, false));
        });
    }

    /// Positions of a row in vectors, and one by one at its end.
    fn across(&self, lanes: V<'k>, body: impl Fn(V<'k>, usize)) {
        let width = VECTOR_BYTES / self.variant.element.bytes();
        let width = width.min(16);
        let (vectors, _) = self.divide(lanes, self.index(width));
        let end = self.mul(vectors, self.index(width));
        self.e.for_each("i", self.index(0), end, self.index(width), |i| body(i, width));
        self.e.for_each("i", end, lanes, self.index(1), |i| body(i, 1));
    }
}
