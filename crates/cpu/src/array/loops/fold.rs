//! Reductions of rows in the order of `ReductionOrder`.

use std::marker::PhantomData;

use affinimath_array::ElementType;
use affinimath_array::function::Reduction;
use affinimath_array::fused::Slot;
use pulp::Arch;

use super::Map2;
use super::integer::{And, Or};
use super::number::{Greatest, Least, Number, Plus, Times};
use crate::array::machine::{Call, GRANULE, Loop, LoopFn, Machine, entry};

/// Accumulators that are joined in registers.
const COLUMN: usize = 32;

/// Groups of many lanes that are joined before the next ones: their elements lie near each other in memory.
const GROUPS: usize = 4;

/// The state of a reduction of one row, which is joined in pieces.
#[derive(Clone, Copy, Debug)]
pub struct Fold {
    /// Accumulators of a chunk.
    pub lanes: usize,
    /// Elements of a chunk.
    pub chunk: usize,
    /// Elements of the present chunk that are joined.
    pub joined: usize,
    /// Memory of the accumulators.
    pub accumulators: *mut u8,
    /// The results of chunks, in turn: one more than the row's complete chunks at most.
    pub results: *mut u8,
    /// Chunks whose results are written.
    pub chunks: usize,
}

impl Default for Fold {
    fn default() -> Self {
        let none = std::ptr::null_mut();
        Fold { lanes: 1, chunk: 1, joined: 0, accumulators: none, results: none, chunks: 0 }
    }
}

/// The state of a search for the index of an extreme element. Pieces of a row are searched in turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extreme {
    /// True once there is an element.
    pub is_some: bool,
    /// Bits of the extreme element.
    pub value: u64,
    /// Its index.
    pub index: i64,
    /// The index of the next element.
    pub next: i64,
}

/// Loops of a reduction. A call's operand is a piece of a row, its first result the state.
#[derive(Clone, Copy, Debug)]
pub struct Folds {
    /// Joins a piece of any length to a [`Fold`], or to an [`Extreme`] of a search.
    pub piece: LoopFn,
    /// Joins rows of `n` elements to those of the result, in place: the second operand's step is the number of rows,
    /// the third one's the elements from one to the next, as a wrapped signed number.
    pub across: LoopFn,
    /// Joins rows of a chunk at most, whose length is the state's chunk, to the state's results, one a row.
    pub rows: LoopFn,
    /// Completes the last chunk of a [`Fold`]; joins an [`Extreme`] of later elements, the operand, to an earlier one.
    pub finish: LoopFn,
}

/// The loops of a slot's reduction.
pub fn fold(arch: Arch, slot: Slot) -> Option<Folds> {
    Some(match (slot.reduction, slot.element) {
        (Reduction::Any, ElementType::Bool) => folds::<Or<u8>>(arch),
        (Reduction::All, ElementType::Bool) => folds::<And<u8>>(arch),
        (_, ElementType::U8) => of_type::<u8>(arch, slot.reduction)?,
        (_, ElementType::I32) => of_type::<i32>(arch, slot.reduction)?,
        (_, ElementType::U32) => of_type::<u32>(arch, slot.reduction)?,
        (_, ElementType::I64) => of_type::<i64>(arch, slot.reduction)?,
        (_, ElementType::F32) => of_type::<f32>(arch, slot.reduction)?,
        (_, ElementType::F64) => of_type::<f64>(arch, slot.reduction)?,
        _ => return None,
    })
}

fn of_type<T: Number>(arch: Arch, reduction: Reduction) -> Option<Folds> {
    Some(match reduction {
        Reduction::Sum => folds::<Plus<T>>(arch),
        Reduction::Product => folds::<Times<T>>(arch),
        Reduction::Min => folds::<Least<T>>(arch),
        Reduction::Max => folds::<Greatest<T>>(arch),
        Reduction::ArgMin => search::<Least<T>>(arch),
        Reduction::ArgMax => search::<Greatest<T>>(arch),
        Reduction::Any | Reduction::All => return None,
    })
}

/// An operation that joins two elements.
pub trait Join: Map2<A = Self::T, B = Self::T, R = Self::T> {
    /// The elements.
    type T: Copy;
}

impl<J: Map2<A = T, B = T, R = T>, T: Copy> Join for J {
    type T = T;
}

fn folds<J: Join>(arch: Arch) -> Folds {
    Folds {
        piece: entry::<Piece<J>>(arch),
        across: entry::<Across<J>>(arch),
        rows: entry::<Rows<J>>(arch),
        finish: entry::<Finish<J>>(arch),
    }
}

fn search<J: Join<T: Number>>(arch: Arch) -> Folds {
    // Rows are searched one by one, and along them.
    let piece = entry::<Search<J>>(arch);
    Folds { piece, across: piece, rows: piece, finish: entry::<Later<J>>(arch) }
}

struct Piece<J>(PhantomData<J>);
struct Across<J>(PhantomData<J>);
struct Rows<J>(PhantomData<J>);
struct Finish<J>(PhantomData<J>);
struct Search<J>(PhantomData<J>);
struct Later<J>(PhantomData<J>);

impl<J: Join> Loop for Piece<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: a state and a piece of the type.
        unsafe {
            let state = &mut *call.to[0].cast::<Fold>();
            let (mut from, mut left) = (call.from[0].at.cast::<J::T>(), call.n);
            let accumulators = state.accumulators.cast::<J::T>();
            while left > 0 {
                let lane = state.joined % state.lanes;
                let in_chunk = left.min(state.chunk - state.joined);
                let taken = if state.joined < state.lanes {
                    let taken = in_chunk.min(state.lanes - lane);
                    accumulators.add(lane).copy_from_nonoverlapping(from, taken);
                    taken
                } else if lane > 0 || in_chunk < state.lanes {
                    let taken = in_chunk.min(state.lanes - lane);
                    for i in 0..taken {
                        join_into::<J>(accumulators.add(lane + i), from.add(i));
                    }
                    taken
                } else {
                    let groups = in_chunk / state.lanes;
                    join_groups::<J>(accumulators, from, state.lanes, groups);
                    groups * state.lanes
                };
                state.joined += taken;
                from = from.add(taken);
                left -= taken;
                if state.joined == state.chunk {
                    finish::<J>(state);
                }
            }
        }
    }
}

impl<J: Join> Loop for Across<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        let (accumulators, from) = (call.to[0].cast::<J::T>(), call.from[0].at.cast::<J::T>());
        let (rows, stride) = (call.from[1].step, call.from[2].step as isize);
        let whole = call.n / COLUMN * COLUMN;
        for row in (0..rows).step_by(GROUPS) {
            let from = from.wrapping_offset(row as isize * stride);
            let rows = GROUPS.min(rows - row);
            // SAFETY: by contract: elements of the type; accumulators are apart from operands.
            unsafe {
                for i in (0..whole).step_by(COLUMN) {
                    let mut sums = accumulators.add(i).cast::<[J::T; COLUMN]>().read_unaligned();
                    for row in 0..rows as isize {
                        let from = from.wrapping_offset(row * stride + i as isize);
                        let elements = from.cast::<[J::T; COLUMN]>().read_unaligned();
                        for lane in 0..COLUMN {
                            sums[lane] = J::apply(sums[lane], elements[lane]);
                        }
                    }
                    accumulators.add(i).cast::<[J::T; COLUMN]>().write_unaligned(sums);
                }
                for i in whole..call.n {
                    for row in 0..rows as isize {
                        join_into::<J>(accumulators.add(i), from.wrapping_offset(row * stride + i as isize));
                    }
                }
            }
        }
    }
}

impl<J: Join> Loop for Rows<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: a state and rows of the type, and memory for a result of each.
        unsafe {
            let state = &*call.to[0].cast::<Fold>();
            let (from, length) = (call.from[0].at.cast::<J::T>(), state.chunk);
            let results = state.results.cast::<J::T>();
            let rows = call.n / length;
            match state.lanes {
                lanes if lanes > length => {
                    let mut copy = Fold { joined: 0, chunks: 0, ..*state };
                    for row in 0..rows {
                        let accumulators = copy.accumulators.cast::<J::T>();
                        accumulators.copy_from_nonoverlapping(from.add(row * length), length);
                        copy.joined = length;
                        finish::<J>(&mut copy);
                    }
                }
                1 => join_rows::<J, 1>(from, length, results, rows),
                2 => join_rows::<J, 2>(from, length, results, rows),
                4 => join_rows::<J, 4>(from, length, results, rows),
                8 => join_rows::<J, 8>(from, length, results, rows),
                16 => join_rows::<J, 16>(from, length, results, rows),
                32 => join_rows::<J, 32>(from, length, results, rows),
                _ => {
                    let mut copy = Fold { joined: 0, chunks: 0, ..*state };
                    for row in 0..rows {
                        let (accumulators, from) = (copy.accumulators.cast::<J::T>(), from.add(row * length));
                        // The first groups come from registers: most rows have no others.
                        let groups = length / copy.lanes - 1;
                        let first = groups.min(GROUPS);
                        for lane in (0..copy.lanes).step_by(COLUMN) {
                            begin_column::<J, COLUMN>(accumulators.add(lane), from.add(lane), copy.lanes, first);
                        }
                        let next = from.add((first + 1) * copy.lanes);
                        join_groups::<J>(accumulators, next, copy.lanes, groups - first);
                        let whole = (groups + 1) * copy.lanes;
                        (whole..length).for_each(|i| join_into::<J>(accumulators.add(i - whole), from.add(i)));
                        copy.joined = length;
                        finish::<J>(&mut copy);
                    }
                }
            }
        }
    }
}

/// Joins each row of `length` elements, at least `N` of them, with `N` accumulators.
///
/// # Safety
/// The elements of the rows are there, and memory for the results.
#[inline(always)]
unsafe fn join_rows<J: Join, const N: usize>(from: *const J::T, length: usize, results: *mut J::T, rows: usize) {
    for row in 0..rows {
        // SAFETY: by contract: elements and results.
        unsafe {
            let from = from.add(row * length);
            let mut sums = from.cast::<[J::T; N]>().read_unaligned();
            let whole = length / N * N;
            for first in (N..whole).step_by(N) {
                let elements = from.add(first).cast::<[J::T; N]>().read_unaligned();
                for (sum, element) in sums.iter_mut().zip(elements) {
                    *sum = J::apply(*sum, element);
                }
            }
            for (sum, index) in sums.iter_mut().zip(whole..length) {
                *sum = J::apply(*sum, *from.add(index));
            }
            results.add(row).write(halve::<J, N>(sums));
        }
    }
}

/// Joins accumulators by halving.
#[inline(always)]
fn halve<J: Join, const N: usize>(mut accumulators: [J::T; N]) -> J::T {
    let mut half = N / 2;
    while half > 0 {
        for lane in 0..half {
            accumulators[lane] = J::apply(accumulators[lane], accumulators[lane + half]);
        }
        half /= 2;
    }
    accumulators[0]
}

/// Joins an element to an accumulator.
///
/// # Safety
/// Both are there.
#[inline(always)]
unsafe fn join_into<J: Join>(accumulator: *mut J::T, element: *const J::T) {
    // SAFETY: by contract: both.
    unsafe { *accumulator = J::apply(*accumulator, *element) }
}

/// Joins `groups` groups of `lanes` elements to the accumulators.
///
/// # Safety
/// The accumulators and the elements are there.
#[inline(always)]
unsafe fn join_groups<J: Join>(accumulators: *mut J::T, from: *const J::T, lanes: usize, groups: usize) {
    // SAFETY: columns are within the lanes.
    unsafe {
        match lanes {
            1 => join_column::<J, 1>(accumulators, from, lanes, groups),
            2 => join_column::<J, 2>(accumulators, from, lanes, groups),
            4 => join_column::<J, 4>(accumulators, from, lanes, groups),
            8 => join_column::<J, 8>(accumulators, from, lanes, groups),
            16 => join_column::<J, 16>(accumulators, from, lanes, groups),
            _ => {
                for first in (0..groups).step_by(GROUPS) {
                    let (from, groups) = (from.add(first * lanes), GROUPS.min(groups - first));
                    for lane in (0..lanes).step_by(COLUMN) {
                        join_column::<J, COLUMN>(accumulators.add(lane), from.add(lane), lanes, groups);
                    }
                }
            }
        }
    }
}

/// Sets `N` accumulators to the elements of a group, joined with those of the next groups.
///
/// # Safety
/// There is memory for the accumulators, and the elements are there.
#[inline(always)]
unsafe fn begin_column<J: Join, const N: usize>(
    accumulators: *mut J::T,
    from: *const J::T,
    lanes: usize,
    groups: usize,
) {
    // SAFETY: by contract: accumulators and elements.
    unsafe {
        let mut sums = from.cast::<[J::T; N]>().read_unaligned();
        for group in 1..=groups {
            let elements = from.add(group * lanes).cast::<[J::T; N]>().read_unaligned();
            for lane in 0..N {
                sums[lane] = J::apply(sums[lane], elements[lane]);
            }
        }
        accumulators.cast::<[J::T; N]>().write_unaligned(sums);
    }
}

/// Joins each group's elements of `N` lanes.
///
/// # Safety
/// The accumulators and the elements are there.
#[inline(always)]
unsafe fn join_column<J: Join, const N: usize>(
    accumulators: *mut J::T,
    from: *const J::T,
    lanes: usize,
    groups: usize,
) {
    // SAFETY: by contract: accumulators and elements.
    unsafe {
        let mut sums = accumulators.cast::<[J::T; N]>().read_unaligned();
        for group in 0..groups {
            let elements = from.add(group * lanes).cast::<[J::T; N]>().read_unaligned();
            for lane in 0..N {
                sums[lane] = J::apply(sums[lane], elements[lane]);
            }
        }
        accumulators.cast::<[J::T; N]>().write_unaligned(sums);
    }
}

/// Joins the accumulators by halving, writes the chunk's result and begins the next chunk.
///
/// # Safety
/// The accumulators are those of the state, and there is memory for the result.
#[inline(always)]
unsafe fn finish<J: Join>(state: &mut Fold) {
    let accumulators = state.accumulators.cast::<J::T>();
    let mut count = state.joined.min(state.lanes);
    // SAFETY: lanes below the count were written; by contract: the result.
    unsafe {
        // Complete halves of many accumulators are joined by vectors.
        while count > COLUMN && count.is_power_of_two() {
            count /= 2;
            for lane in (0..count).step_by(COLUMN) {
                join_column::<J, COLUMN>(accumulators.add(lane), accumulators.add(lane + count), 0, 1);
            }
        }
        if count == COLUMN {
            let all = accumulators.cast::<[J::T; COLUMN]>().read_unaligned();
            (*accumulators, count) = (halve::<J, COLUMN>(all), 1);
        }
        while count > 1 {
            // The least power of two that is not below half of them; above it, no pair is complete.
            let half = count.next_power_of_two() / 2;
            for lane in 0..count - half {
                join_into::<J>(accumulators.add(lane), accumulators.add(lane + half));
            }
            count = half;
        }
        state.results.cast::<J::T>().add(state.chunks).write(*accumulators);
    }
    state.chunks += 1;
    state.joined = 0;
}

impl<J: Join> Loop for Finish<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: the state.
        let state = unsafe { &mut *call.to[0].cast::<Fold>() };
        if state.joined > 0 {
            // SAFETY: the state's memory is there.
            unsafe { finish::<J>(state) };
        }
    }
}

/// True if the later of two elements is to be chosen: it is the only NaN, or the more extreme one.
#[inline(always)]
fn is_better<J: Join<T: Number>>(earlier: J::T, later: J::T) -> bool {
    let chosen = J::apply(earlier, later);
    !earlier.is_nan() && (later.is_nan() || chosen != earlier)
}

impl<J: Join<T: Number>> Loop for Search<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        let from = call.from[0].at.cast::<J::T>();
        // SAFETY: by contract: a state and a piece of the type.
        unsafe {
            let state = &mut *call.to[0].cast::<Extreme>();
            let mut best = (&raw const state.value).cast::<J::T>().read();
            if !state.is_some {
                (best, state.is_some, state.index) = (*from, true, state.next);
            }
            // Only a piece with a better element is searched for the first one.
            let extreme = extreme_of::<J>(best, from, call.n);
            if is_better::<J>(best, extreme) {
                let mut i = 0;
                while !(*from.add(i) == extreme || (extreme.is_nan() && (*from.add(i)).is_nan())) {
                    i += 1;
                }
                (best, state.index) = (*from.add(i), state.next + i as i64);
            }
            (&raw mut state.value).cast::<J::T>().write(best);
            state.next += call.n as i64;
        }
    }
}

/// The extreme of a first element and `n` others.
///
/// # Safety
/// The elements are there.
#[inline(always)]
unsafe fn extreme_of<J: Join>(first: J::T, from: *const J::T, n: usize) -> J::T {
    let mut lanes = [first; GRANULE];
    let whole = n / GRANULE * GRANULE;
    // SAFETY: by contract: the elements.
    unsafe {
        for i in (0..whole).step_by(GRANULE) {
            let elements = from.add(i).cast::<[J::T; GRANULE]>().read_unaligned();
            for lane in 0..GRANULE {
                lanes[lane] = J::apply(lanes[lane], elements[lane]);
            }
        }
        for i in whole..n {
            lanes[0] = J::apply(lanes[0], *from.add(i));
        }
    }
    let mut extreme = lanes[0];
    for lane in &lanes[1..] {
        extreme = J::apply(extreme, *lane);
    }
    extreme
}

impl<J: Join<T: Number>> Loop for Later<J> {
    #[inline(always)]
    unsafe fn run<M: Machine>(_machine: M, call: &Call) {
        // SAFETY: by contract: two states of the type.
        unsafe {
            let (state, other) = (&mut *call.to[0].cast::<Extreme>(), &*call.from[0].at.cast::<Extreme>());
            let element = |state: &Extreme| (&raw const state.value).cast::<J::T>().read();
            if other.is_some && (!state.is_some || is_better::<J>(element(state), element(other))) {
                *state = *other;
            }
        }
    }
}
