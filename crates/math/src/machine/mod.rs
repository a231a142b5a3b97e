//! The host's instruction sets that loops over blocks are compiled for, and the entry of a loop for each.
//!
//! A [`Loop`] is compiled for every set of instructions. [`entry`] gives the function for the one that the processor
//! has: the compiler of a program asks once, and a block's evaluation calls it without a choice. All that a loop calls
//! is inlined always, so that it has the set's registers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use std::marker::PhantomData;

use crate::{Lanes, Real};
use pulp::Arch;
#[cfg(target_arch = "x86_64")]
use pulp::NullaryFnOnce;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

pub use portable::Portable;

/// Elements that loops take at once: lengths are multiples of it, and uniform operands have as many copies.
pub const GRANULE: usize = 16;

/// An operand of a loop: an array, or [`GRANULE`] copies of one element with the step 0.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The first element.
    pub at: *mut u8,
    /// 1, or 0 for a uniform operand.
    pub step: usize,
}

impl Source {
    /// The element `i`, or for a uniform operand a granule's first copy; `i` is the first element of a vector.
    #[inline(always)]
    pub fn element<T>(&self, i: usize) -> *const T {
        // A mask, as a product is slower than all else of a short loop.
        self.at.cast::<T>().wrapping_add(i & self.step.wrapping_neg()).cast_const()
    }
}

/// A loop's operands and results.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Elements; a multiple of [`GRANULE`] but for reductions.
    pub n: usize,
    /// Results.
    pub to: [*mut u8; 4],
    /// Operands.
    pub from: [Source; 4],
}

/// A loop over a block. C describes its operands and results.
pub trait Loop<C: Copy = Call> {
    /// Computes the block.
    ///
    /// # Safety
    /// Operands and results have the loop's types and the call's length. Results are apart from operands.
    unsafe fn run<M: Machine>(machine: M, call: &C);
}

/// A loop, compiled for one set of instructions.
pub type LoopFn<C = Call> = unsafe fn(&C);

/// Vectors of both precisions.
pub trait Machine: Copy {
    /// Of `f32`.
    type Single: Vectors<Real = f32>;
    /// Of `f64`.
    type Double: Vectors<Real = f64>;

    /// The token of `f32`.
    fn single(self) -> Self::Single;
    /// The token of `f64`.
    fn double(self) -> Self::Double;
}

/// Vectors that are loaded and stored.
pub trait Vectors: Lanes {
    /// Lanes; a divisor of [`GRANULE`].
    const WIDTH: usize;

    /// # Safety
    /// A vector's elements can be read.
    unsafe fn load(self, from: *const Self::Real) -> Self::F;
    /// # Safety
    /// A vector's elements can be written.
    unsafe fn store(self, to: *mut Self::Real, value: Self::F);
    /// The first `n` lanes of a vector, and zeros; n is below [`Vectors::WIDTH`].
    ///
    /// # Safety
    /// `n` elements can be read.
    unsafe fn load_first(self, from: *const Self::Real, n: usize) -> Self::F;
    /// Stores the first `n` lanes; n is below [`Vectors::WIDTH`].
    ///
    /// # Safety
    /// `n` elements can be written.
    unsafe fn store_first(self, to: *mut Self::Real, value: Self::F, n: usize);
    /// A store past the caches, where the machine has one. [`fence`] orders it before later stores.
    ///
    /// # Safety
    /// A vector's elements can be written. The address is a multiple of the vector's bytes.
    unsafe fn stream(self, to: *mut Self::Real, value: Self::F);
}

/// The line of an address comes into the caches, if it can be read.
#[inline(always)]
pub fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address has no effect but on caches.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast())
    };
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Stores past the caches are visible to other threads before later stores.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}

/// A precision's vectors of a machine.
pub trait Precision: Real {
    /// The vectors.
    type Of<M: Machine>: Vectors<Real = Self>;

    /// The token.
    fn of<M: Machine>(machine: M) -> Self::Of<M>;
}

impl Precision for f32 {
    type Of<M: Machine> = M::Single;

    #[inline(always)]
    fn of<M: Machine>(machine: M) -> M::Single {
        machine.single()
    }
}

impl Precision for f64 {
    type Of<M: Machine> = M::Double;

    #[inline(always)]
    fn of<M: Machine>(machine: M) -> M::Double {
        machine.double()
    }
}

/// The function of a loop over arrays for a set of instructions that the processor has.
pub fn entry<L: Loop>(arch: Arch) -> LoopFn {
    entry_of::<L, Call>(arch)
}

/// The function of a loop with operands of its own kind.
pub fn entry_of<L: Loop<C>, C: Copy>(arch: Arch) -> LoopFn<C> {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::V4(_) => enter_v4::<L, C>,
        #[cfg(target_arch = "x86_64")]
        Arch::V3(_) => enter_v3::<L, C>,
        _ => enter_portable::<L, C>,
    }
}

unsafe fn enter_portable<L: Loop<C>, C: Copy>(call: &C) {
    // A copy, which the results of the loop do not alias.
    let call = *call;
    // SAFETY: by contract: the call.
    unsafe { L::run(Portable, &call) }
}

#[cfg(target_arch = "x86_64")]
struct Enter<'a, L, M, C>(M, &'a C, PhantomData<L>);

#[cfg(target_arch = "x86_64")]
impl<L: Loop<C>, M: Machine, C: Copy> NullaryFnOnce for Enter<'_, L, M, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // A copy, which the results of the loop do not alias.
        let call = *self.1;
        // SAFETY: by the contract of the entry.
        unsafe { L::run(self.0, &call) }
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn enter_v3<L: Loop<C>, C: Copy>(call: &C) {
    // SAFETY: `entry` had a token of these instructions.
    let v3 = unsafe { V3::new_unchecked() };
    v3.vectorize(Enter::<L, _, C>(avx2::Avx2(v3), call, PhantomData));
}

#[cfg(target_arch = "x86_64")]
unsafe fn enter_v4<L: Loop<C>, C: Copy>(call: &C) {
    // SAFETY: `entry` had a token of these instructions.
    let v4 = unsafe { V4::new_unchecked() };
    v4.vectorize(Enter::<L, _, C>(avx512::Avx512(v4), call, PhantomData));
}
