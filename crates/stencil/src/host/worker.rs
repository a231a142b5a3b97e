//! The execution of a program on the strips of a row, by one thread.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

use affinimath_math::machine::{GRANULE, prefetch};

use super::code::{Instruction, Program, Slot};
use super::fold;
use super::loops::{AHEAD, ChainCall, MapCall};
use super::lower::bits;
use super::memory::Binding;
use super::space::{CAPACITY, Space, Strip};
use crate::bound::Parameters;
use crate::definition::{MAX_AXES, Type};
use crate::reduce::STRIP;

/// Bytes of a uniform value's copies.
const UNIFORM: usize = GRANULE * 8;

/// Bytes of a line of the caches.
const LINE_BYTES: usize = 64;

/// A pass at a moment of a run.
pub(super) struct Pass<'a> {
    pub(super) program: &'a Program,
    pub(super) space: &'a Space,
    pub(super) bindings: Vec<Binding>,
    pub(super) time: i64,
    pub(super) parameters: &'a Parameters,
    /// The number of the first point at which the pass fails.
    pub(super) failure: AtomicU64,
    /// Where reductions go: partial results of strips, or values of all points of a sweep in colours.
    pub(super) sinks: Vec<*mut u64>,
    pub(super) strip: usize,
    /// The next row is fetched.
    pub(super) fetches: bool,
}

// SAFETY: strips write different elements of grids and sinks.
unsafe impl Sync for Pass<'_> {}

/// Memory of a thread: the table of addresses, and what lies there.
pub(super) struct Worker<'p> {
    pass: &'p Pass<'p>,
    table: Vec<*mut u8>,
    /// The first point of the last row, and the addresses of accesses in place there.
    cell: [i64; MAX_AXES],
    rows: Vec<InPlace>,
    /// Addresses that the next row fetches from, and those that the next chain does.
    ahead: [*const u8; AHEAD],
    fetched: Cell<[*const u8; AHEAD]>,
    /// Owner of uniform values and registers, which are written before they are read.
    _memory: Box<[MaybeUninit<Line>]>,
}

/// An access whose addresses the table has.
struct InPlace {
    access: usize,
    /// The address at the last row's first point.
    address: *mut u8,
    strides: [isize; MAX_AXES],
}

/// A line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code, reason = "read through addresses alone")] [u64; 8]);

/// Calls back with the type of a number of bytes.
macro_rules! by_size {
    ($bytes:expr, $T:ident => $result:expr) => {
        match $bytes {
            1 => {
                type $T = u8;
                $result
            }
            4 => {
                type $T = u32;
                $result
            }
            _ => {
                type $T = u64;
                $result
            }
        }
    };
}

/// The bits of an element of 1, 4 or 8 bytes.
///
/// # Safety
/// The element must be valid and aligned.
unsafe fn element_bits(from: *const u8, bytes: usize) -> u64 {
    // SAFETY: this function's condition.
    unsafe {
        match bytes {
            1 => from.read().into(),
            4 => from.cast::<u32>().read().into(),
            _ => from.cast::<u64>().read(),
        }
    }
}

impl<'p> Worker<'p> {
    /// The memory, with constants and what is the same in the whole pass.
    pub(super) fn new(pass: &'p Pass<'p>) -> Self {
        let program = pass.program;
        let bytes = program.uniforms * UNIFORM + program.strips * CAPACITY * 8;
        let mut memory = Box::new_uninit_slice(bytes.div_ceil(size_of::<Line>()));
        let start: *mut u8 = memory.as_mut_ptr().cast();
        let mut table = vec![std::ptr::null_mut(); program.accesses.len()];
        table.extend((0..program.uniforms).map(|number| start.wrapping_add(number * UNIFORM)));
        let strips = start.wrapping_add(program.uniforms * UNIFORM);
        table.extend((0..program.strips).map(|number| strips.wrapping_add(number * CAPACITY * 8)));
        let cell = pass.space.lower;
        let rows = program.in_place.iter().map(|&access| {
            let binding = &pass.bindings[access];
            InPlace { access, address: binding.address(&cell), strides: binding.strides }
        });
        let rows = rows.collect();
        let none = [std::ptr::null(); AHEAD];
        let worker = Worker { pass, table, cell, rows, ahead: none, fetched: Cell::new(none), _memory: memory };
        for &(slot, bits, kind) in &program.constants {
            worker.fill(slot, kind.bytes(), bits, GRANULE);
        }
        let everywhere = Strip { cell: pass.space.first_point().unwrap_or(pass.space.lower), n: GRANULE };
        worker.run(&program.pass, &everywhere, 0);
        worker
    }

    /// Positions of a row.
    pub(super) fn row(&mut self, row: usize, positions: (usize, usize)) {
        self.row_at(self.pass.space.cell(row), row, positions);
    }

    /// The same with the row's first point.
    pub(super) fn row_at(&mut self, cell: [i64; MAX_AXES], row: usize, positions: (usize, usize)) {
        let pass = self.pass;
        if !pass.program.row.is_empty() {
            let mut first = cell;
            first[pass.space.axis] += positions.0 as i64;
            pass.space.move_to_parity(&mut first);
            if first[pass.space.axis] >= pass.space.lower[pass.space.axis] + pass.space.row() as i64 {
                return;
            }
            self.run(&pass.program.row, &Strip { cell: first, n: GRANULE }, row);
        }
        self.move_to(cell);
        let (axis, first) = (pass.space.axis, cell[pass.space.axis]);
        let next_axis = (0..MAX_AXES).find(|&other| other != axis && pass.space.lengths[other] > 1).unwrap_or(axis);
        let ahead = std::mem::replace(&mut self.ahead, [std::ptr::null(); AHEAD]);
        let element = self.rows.first().map_or(0, |own| own.strides[axis]);
        pass.space.for_each_strip(cell, positions, pass.strip, |strip| {
            let position = (strip.cell[axis] - first) as isize;
            for own in &self.rows {
                let offset = position.wrapping_mul(own.strides[axis]);
                self.table[own.access] = own.address.wrapping_offset(offset);
            }
            let by = (position - positions.0 as isize).wrapping_mul(element);
            self.fetched.set(ahead.map(|from| if from.is_null() { from } else { from.wrapping_offset(by) }));
            if pass.fetches {
                self.fetch_next_row(next_axis, strip.n);
            }
            self.run(&pass.program.strip, &strip, row);
        });
    }

    /// The addresses of accesses in place follow to the first point of a row: mostly a neighbour of the last one.
    fn move_to(&mut self, cell: [i64; MAX_AXES]) {
        for (axis, (to, from)) in cell.into_iter().zip(self.cell).enumerate() {
            let by = to.wrapping_sub(from) as isize;
            if by != 0 {
                for own in &mut self.rows {
                    own.address = own.address.wrapping_offset(by.wrapping_mul(own.strides[axis]));
                }
            }
        }
        self.cell = cell;
    }

    /// The next row of what a strip reads first comes to the caches: with the strip's first chain, or before it.
    fn fetch_next_row(&self, next_axis: usize, n: usize) {
        let mut with_chain = [std::ptr::null(); AHEAD];
        for (number, &access) in self.pass.program.ahead.iter().enumerate() {
            let strides = &self.pass.bindings[access].strides;
            let next = self.table[access].wrapping_offset(strides[next_axis]).cast_const();
            if let Some(own) = with_chain.get_mut(number) {
                *own = next;
                continue;
            }
            let bytes = strides[self.pass.space.axis].unsigned_abs() * n;
            (0..bytes).step_by(LINE_BYTES).for_each(|byte| prefetch(next.wrapping_add(byte)));
        }
        self.fetched.set(with_chain);
    }

    /// The addresses of what a row reads first, and of its results, at a position.
    pub(super) fn leading(&self, mut cell: [i64; MAX_AXES], position: usize) -> impl Iterator<Item = *const u8> {
        cell[self.pass.space.axis] += position as i64;
        let pass = self.pass;
        pass.program.ahead.iter().map(move |&access| pass.bindings[access].address(&cell).cast_const())
    }

    /// The next row brings as many bytes as it has from here to the caches.
    pub(super) fn fetch_with_next_row(&mut self, from: *const u8) {
        self.ahead[0] = from;
    }

    fn run(&self, instructions: &[Instruction], strip: &Strip, row: usize) {
        for instruction in instructions {
            self.instruction(instruction, strip, row);
        }
    }

    fn at(&self, slot: Slot) -> *mut u8 {
        self.table[slot as usize]
    }

    /// Copies of a value.
    fn fill(&self, slot: Slot, bytes: usize, value: u64, n: usize) {
        // SAFETY: a uniform value has a granule's room, and a strip its capacity.
        by_size!(bytes, T => unsafe {
            std::slice::from_raw_parts_mut(self.at(slot).cast::<T>(), n).fill(value as T)
        });
    }

    /// The first element of a slot.
    fn first(&self, slot: Slot, bytes: usize) -> u64 {
        // SAFETY: every value has an element.
        unsafe { element_bits(self.at(slot), bytes) }
    }

    fn instruction(&self, instruction: &Instruction, strip: &Strip, row: usize) {
        let (pass, n) = (self.pass, strip.n);
        match *instruction {
            Instruction::Chain { entry, start, is_start_uniform, first, count, to, is_streamed } => {
                let call = ChainCall {
                    n,
                    table: self.table.as_ptr(),
                    start,
                    is_start_uniform,
                    micros: pass.program.micros[first..first + count].as_ptr(),
                    count,
                    to: self.at(to),
                    is_streamed,
                    ahead: self.fetched.replace([std::ptr::null(); AHEAD]),
                };
                // SAFETY: the compiler of the program keeps types, and the table has the strip's elements.
                unsafe { entry(&call) };
            }
            Instruction::Map { entry, from, operands, to } => {
                let mut addresses = [std::ptr::null(); 3];
                for (address, &slot) in addresses.iter_mut().zip(&from).take(operands) {
                    *address = self.at(slot).cast_const();
                }
                // SAFETY: as above; the result has a slot of its own.
                unsafe { entry(&MapCall { n, from: addresses, to: self.at(to) }) };
            }
            Instruction::Time { to } => self.fill(to, 8, pass.time as u64, GRANULE),
            Instruction::Coordinate { axis, to } => self.fill(to, 8, strip.cell[axis] as u64, GRANULE),
            Instruction::Ramp { to } => self.ramp(to, strip),
            Instruction::Spread { bytes, from, to } => self.fill(to, bytes, self.first(from, bytes), CAPACITY),
            Instruction::Gather { access, bytes, to } => self.gather(access, bytes, to, strip),
            Instruction::Scatter { access, bytes, from } => self.scatter(access, bytes, from, strip),
            Instruction::Broadcast { access, bytes, to } => {
                let from = pass.bindings[access].address(&strip.cell);
                // SAFETY: the access is within memory at all points of the pass.
                let value = unsafe { element_bits(from, bytes) };
                self.fill(to, bytes, value, GRANULE);
            }
            Instruction::Checked { access, bytes, is_uniform, to } => {
                self.checked(access, bytes, is_uniform, to, strip);
            }
            Instruction::IsInside { access, is_uniform, to } => self.is_inside(access, is_uniform, to, strip),
            Instruction::Element { parameter, kind, ref indices, to } => {
                self.element(parameter, kind, indices, to, n);
            }
            Instruction::IsElement { parameter, ref indices, to } => {
                for i in 0..n {
                    let element = self.parameter(parameter, indices, i);
                    // SAFETY: a condition's strip has a byte for each point.
                    unsafe { self.at(to).add(i).write(u8::from(element.is_some())) };
                }
            }
            Instruction::Check { from, is_uniform } => self.check(from, is_uniform, strip),
            Instruction::Reduce { number, from } => self.reduce(number, from, strip, row),
        }
    }

    fn ramp(&self, to: Slot, strip: &Strip) {
        let (first, step) = (strip.cell[self.pass.space.axis], self.pass.space.step() as i64);
        // SAFETY: a register has the capacity of a strip.
        let to = unsafe { std::slice::from_raw_parts_mut(self.at(to).cast::<i64>(), strip.n) };
        for (i, coordinate) in to.iter_mut().enumerate() {
            *coordinate = first + i as i64 * step;
        }
    }

    /// Bytes from a point of a strip to the next.
    fn stride(&self, access: usize) -> isize {
        self.pass.bindings[access].strides[self.pass.space.axis].wrapping_mul(self.pass.space.step() as isize)
    }

    fn gather(&self, access: usize, bytes: usize, to: Slot, strip: &Strip) {
        let (from, stride) = (self.pass.bindings[access].address(&strip.cell), self.stride(access));
        // SAFETY: the access is within memory at all points, and the register has as many elements.
        by_size!(bytes, T => unsafe {
            let to = self.at(to).cast::<T>();
            for i in 0..strip.n {
                to.add(i).write(from.wrapping_offset(stride * i as isize).cast::<T>().read());
            }
        });
    }

    fn scatter(&self, access: usize, bytes: usize, from: Slot, strip: &Strip) {
        let (to, stride) = (self.pass.bindings[access].address(&strip.cell), self.stride(access));
        // SAFETY: the access is within memory at all points, which no other strip writes.
        by_size!(bytes, T => unsafe {
            let from = self.at(from).cast::<T>();
            for i in 0..strip.n {
                to.wrapping_offset(stride * i as isize).cast::<T>().write(from.add(i).read());
            }
        });
    }

    /// The point of a strip.
    fn point(&self, strip: &Strip, i: usize) -> [i64; MAX_AXES] {
        let mut cell = strip.cell;
        cell[self.pass.space.axis] += (i * self.pass.space.step()) as i64;
        cell
    }

    fn checked(&self, access: usize, bytes: usize, is_uniform: bool, to: Slot, strip: &Strip) {
        let binding = &self.pass.bindings[access];
        let read = |i| {
            let cell = self.point(strip, i);
            let from = binding.address(&cell);
            // SAFETY: the access is within memory.
            if binding.is_inside(&cell) { unsafe { element_bits(from, bytes) } } else { 0 }
        };
        if is_uniform {
            return self.fill(to, bytes, read(0), GRANULE);
        }
        for i in 0..strip.n {
            // SAFETY: the register has the strip's elements.
            by_size!(bytes, T => unsafe { self.at(to).cast::<T>().add(i).write(read(i) as T) });
        }
    }

    fn is_inside(&self, access: usize, is_uniform: bool, to: Slot, strip: &Strip) {
        let binding = &self.pass.bindings[access];
        for i in 0..strip.n {
            let is_inside = binding.is_inside(&self.point(strip, if is_uniform { 0 } else { i }));
            // SAFETY: the slot has the strip's elements, or a granule.
            unsafe { self.at(to).add(i).write(u8::from(is_inside)) };
        }
    }

    /// The element of a parameter at the indices of a point.
    fn parameter(&self, parameter: usize, indices: &[Slot], i: usize) -> Option<crate::value::Value> {
        let mut found = [0i64; 16];
        if indices.len() <= found.len() {
            for (index, &slot) in found.iter_mut().zip(indices) {
                // SAFETY: indices have the strip's elements.
                *index = unsafe { self.at(slot).cast::<i64>().add(i).read() };
            }
            return self.pass.parameters.element(parameter, &found[..indices.len()]);
        }
        // SAFETY: as above.
        let found: Vec<i64> =
            indices.iter().map(|&slot| unsafe { self.at(slot).cast::<i64>().add(i).read() }).collect();
        self.pass.parameters.element(parameter, &found)
    }

    fn element(&self, parameter: usize, kind: Type, indices: &[Slot], to: Slot, n: usize) {
        for i in 0..n {
            let value = self.parameter(parameter, indices, i).map_or(0, bits);
            // SAFETY: the slot has the strip's elements, or a granule.
            by_size!(kind.bytes(), T => unsafe { self.at(to).cast::<T>().add(i).write(value as T) });
        }
    }

    fn check(&self, from: Slot, is_uniform: bool, strip: &Strip) {
        // SAFETY: conditions have the strip's elements, or a granule.
        let holds = unsafe { std::slice::from_raw_parts(self.at(from), if is_uniform { 1 } else { strip.n }) };
        if let Some(i) = holds.iter().position(|&holds| holds == 0) {
            let number = self.pass.space.number(&self.point(strip, i));
            self.pass.failure.fetch_min(number, Ordering::Relaxed);
        }
    }

    fn reduce(&self, number: usize, from: Slot, strip: &Strip, row: usize) {
        let (space, reduced) = (self.pass.space, &self.pass.program.reduced[number]);
        let position = (strip.cell[space.axis] - space.lower[space.axis]) as usize;
        let sink = self.pass.sinks[number];
        if space.parity.is_none() {
            let strips = row * space.row().div_ceil(STRIP) + position / STRIP;
            // SAFETY: the sink has a result for each strip, and the slot the strip's elements.
            unsafe { fold::strips(reduced.reduction, reduced.kind, self.at(from), strip.n, sink.add(strips)) };
            return;
        }
        // SAFETY: the sink has an element for each point.
        by_size!(reduced.kind.bytes(), T => unsafe {
            let to = sink.cast::<T>().add(row * space.row() + position);
            for i in 0..strip.n {
                to.add(2 * i).write(self.at(from).cast::<T>().add(i).read());
            }
        });
    }
}
