//! The two forms of every routine: operands behind host pointers, or in memory objects on a queue.
//!
//! A routine's C side is written once, generic over its [`Form`]. It checks its arguments in their order, each under
//! its own name, and makes [`Operand`]s of those in memory. Then it opens these and calls the library on their views.

use std::ptr;

use affinimath::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, DeviceBuffer, Element, Event, InPlace, Layout, MatrixMut,
    MatrixRef, MatrixShape, PackedMut, PackedRef, PackedShape, Queue, Result, Scalar, VectorMut, VectorRef,
    VectorShape, route,
};
use tracing::level_filters::LevelFilter;

use crate::arguments;
use crate::opencl::{self, ClEvent, ClMem, ClQueue};

macro_rules! names {
    ($memory:literal) => {
        names!($memory, "")
    };
    ($memory:literal, $step:literal) => {
        $crate::form::Names { memory: $memory, offset: concat!("off", $memory), step: concat!($step, $memory) }
    };
}
pub(crate) use names;

/// The memory that a routine's operands lie in.
pub trait Form {
    /// C's description of an operand: a pointer, or a memory object and an offset.
    type Location<T>: Location<T>;

    /// No operand: null.
    fn null<T>() -> Self::Location<T>;

    /// The session of one call.
    ///
    /// # Safety
    /// The queue must be null or a live command queue, the event pointer null or valid for a write.
    unsafe fn begin(self) -> Result<Session>;
}

/// A routine's arguments, which it checks and runs on.
pub trait Run<F: Form> {
    /// Checks the arguments in their order, and runs the routine.
    ///
    /// # Safety
    /// Handles, memory objects and the event pointer must be null or valid. Host pointers must be null or valid for the
    /// elements that sizes, increments and leading dimensions describe. Nothing else may access elements that are
    /// written during the call.
    unsafe fn run(&self, form: F) -> Result<()>;

    /// Runs a call whose checks, route and threads would cost more than its work. It runs on the host: the caller knows
    /// that no other route is demanded.
    ///
    /// False for a call that is not small, or wrong: then nothing was changed.
    ///
    /// # Safety
    /// The contract of [`run`](Self::run).
    #[inline]
    unsafe fn run_small(&self) -> bool {
        false
    }

    /// LAPACK's info of a call that has succeeded, where the info is no error of [`run`](Self::run).
    ///
    /// # Safety
    /// The contract of [`run`](Self::run), which must have returned.
    #[inline]
    unsafe fn unreported(&self) -> Unreported {
        Unreported::Nothing
    }
}

/// LAPACK's info of a call that has set all of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreported {
    /// Info 0.
    Nothing,
    /// -i, where argument i has this name: a value that the routine cannot use, such as a norm that is NaN.
    Argument(&'static str),
    /// A positive info, which LAPACK's names alone have.
    Info(i64),
    /// A positive info that is the status of the library's own functions, too.
    Status(i64),
}

/// Runs a small call where no other route is demanded, and tells whether it did. It is two loads and the call's own
/// checks, inlined into the exported function.
///
/// The first call of a process goes the general way, which reads the settings. So does every call while calls are
/// logged.
///
/// # Safety
/// The contract of [`Run::run`].
#[inline(always)]
pub unsafe fn run_small<F: Form, C: Run<F>>(call: &C) -> bool {
    // SAFETY: this function has `Run::run`'s contract.
    route::small_on_host() && LevelFilter::current() < LevelFilter::DEBUG && unsafe { call.run_small() }
}

/// Operands behind host pointers.
pub struct Host;

/// Operands behind host pointers under BLAS's standard names: addresses wrap around, as the reference's do.
///
/// An increment counts modulo 2^64 bytes. A caller that divides a negative stride by the element's size without its
/// sign, such as NumPy, gives 2^61 - 2 for two doubles backwards.
pub struct Standard;

/// Operands in memory objects, on a queue.
pub struct Device {
    /// The queue.
    pub queue: *mut ClQueue,
    /// The pointer that receives the event, or null.
    pub event: *mut *mut ClEvent,
}

/// Operands in memory objects on a queue, with LAPACK's info in a memory object.
pub struct DeviceWithInfo {
    /// The queue.
    pub queue: *mut ClQueue,
    /// The pointer that receives the event, or null.
    pub event: *mut *mut ClEvent,
    /// The memory object that receives the info.
    pub info: DeviceLocation,
}

impl Form for Host {
    type Location<T> = HostLocation<T>;

    fn null<T>() -> HostLocation<T> {
        HostLocation(ptr::null_mut())
    }

    #[inline]
    unsafe fn begin(self) -> Result<Session> {
        Ok(Session { queue: None, event: ptr::null_mut(), info: None })
    }
}

impl Form for Standard {
    type Location<T> = StandardLocation<T>;

    fn null<T>() -> StandardLocation<T> {
        StandardLocation(ptr::null_mut())
    }

    unsafe fn begin(self) -> Result<Session> {
        // SAFETY: there are no handles.
        unsafe { Host.begin() }
    }
}

impl Form for Device {
    type Location<T> = DeviceLocation;

    fn null<T>() -> DeviceLocation {
        DeviceLocation { memory: ptr::null_mut(), offset: 0 }
    }

    unsafe fn begin(self) -> Result<Session> {
        // SAFETY: `Form::begin` requires a queue that is null or live.
        let queue = unsafe { opencl::queue(self.queue)? };
        // A caller without an event pointer does not pay for an event.
        let queue = if self.event.is_null() { queue.unsignaled() } else { queue };
        Ok(Session { queue: Some(queue), event: self.event, info: None })
    }
}

impl Form for DeviceWithInfo {
    type Location<T> = DeviceLocation;

    fn null<T>() -> DeviceLocation {
        DeviceLocation { memory: ptr::null_mut(), offset: 0 }
    }

    unsafe fn begin(self) -> Result<Session> {
        let DeviceWithInfo { queue, event, info } = self;
        // SAFETY: `Form::begin` requires the same of `Device`'s fields.
        Ok(Session { info: Some(info), ..unsafe { Device { queue, event }.begin()? } })
    }
}

/// The queue, event pointer and info of one call.
pub struct Session {
    queue: Option<Queue>,
    event: *mut *mut ClEvent,
    info: Option<DeviceLocation>,
}

impl Session {
    /// The queue, in the device form.
    pub const fn queue(&self) -> Option<&Queue> {
        self.queue.as_ref()
    }

    /// The operand that receives LAPACK's info; none in the host form.
    pub fn info(&self) -> Result<Option<Operand<DeviceLocation, VectorShape>>> {
        self.info.map(|location| arguments::numbers::<i32, _>(names!("info"), 1, location)).transpose()
    }

    /// Ends the call: the host form waits for the result, the device form gives its event to the caller.
    #[inline]
    pub fn finish(self, event: Event) -> Result<()> {
        match &self.queue {
            None => event.wait(),
            // SAFETY: `Form::begin` requires an event pointer that is null or valid for a write.
            Some(queue) => unsafe { opencl::give_event(queue, event, self.event) },
        }
    }
}

/// An operand in memory, in C's terms.
pub trait Location<T>: Copy {
    /// True for a null pointer or memory object.
    fn is_null(self) -> bool;

    /// The pointer, in the host form.
    #[inline(always)]
    fn pointer(self) -> Option<*mut T> {
        None
    }

    /// The memory object's address, or 0 for the host, and bytes from its start. Operands in the same memory may
    /// overlap.
    fn position(self) -> (usize, usize);

    /// The operand and increment of a vector of `n` elements. Increments that wrap around are reduced, and the start is
    /// moved.
    #[inline]
    fn vector(self, n: usize, increment: i64) -> (Self, i64) {
        let _ = n;
        (self, increment)
    }

    /// Elements from the memory's start to the operand; `name` is the argument in errors.
    fn offset(self, name: &'static str) -> Result<usize>;

    /// The memory. An operand with `needed` false gets a placeholder.
    ///
    /// # Safety
    /// A memory object must be null or live, a host pointer null or valid for the operand.
    unsafe fn open(self, session: &Session, name: &'static str, needed: bool) -> Result<Memory<T>>;
}

/// A pointer to host memory; `$methods` replace the trait's defaults.
macro_rules! pointer {
    ($(#[$meta:meta])* $name:ident { $($methods:tt)* }) => {
        $(#[$meta])*
        pub struct $name<T>(pub *mut T);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}

        impl<T> From<*mut T> for $name<T> {
            fn from(pointer: *mut T) -> Self {
                $name(pointer)
            }
        }

        impl<T> From<*const T> for $name<T> {
            fn from(pointer: *const T) -> Self {
                $name(pointer.cast_mut())
            }
        }

        impl<T> Location<T> for $name<T> {
            fn is_null(self) -> bool {
                self.0.is_null()
            }

            #[inline(always)]
            fn pointer(self) -> Option<*mut T> {
                Some(self.0)
            }

            fn position(self) -> (usize, usize) {
                (0, self.0.addr())
            }

            fn offset(self, _name: &'static str) -> Result<usize> {
                Ok(0)
            }

            unsafe fn open(self, _session: &Session, _name: &'static str, _needed: bool) -> Result<Memory<T>> {
                Ok(Memory::Host(self.0))
            }

            $($methods)*
        }
    };
}

pointer!(
    /// A host pointer.
    HostLocation {}
);
pointer!(
    /// A host pointer under a standard name: increments wrap around.
    StandardLocation {
        fn vector(self, n: usize, increment: i64) -> (Self, i64) {
            let reduced = reduced_increment::<T>(increment);
            let reach = (n as isize).wrapping_sub(1).wrapping_mul(reduced as isize);
            // BLAS's vectors begin at their lowest address. A sign that changes in the reduction moves that address.
            let start = match (increment < 0, reduced < 0) {
                (false, true) => self.0.wrapping_offset(reach),
                (true, false) => self.0.wrapping_offset(reach.wrapping_neg()),
                _ => self.0,
            };
            (StandardLocation(start), reduced)
        }
    }
);

/// The increment of least magnitude with the same addresses: its bytes are a signed 64-bit value.
#[inline]
pub const fn reduced_increment<T>(increment: i64) -> i64 {
    // An element's size is a power of two, so the division is exact.
    const { assert!(size_of::<T>().is_power_of_two()) };
    increment.wrapping_mul(size_of::<T>() as i64) / size_of::<T>() as i64
}

/// A memory object and an offset.
#[derive(Clone, Copy)]
pub struct DeviceLocation {
    /// The memory object.
    pub memory: *mut ClMem,
    /// Elements from its start.
    pub offset: i64,
}

impl<T> Location<T> for DeviceLocation {
    fn is_null(self) -> bool {
        self.memory.is_null()
    }

    fn position(self) -> (usize, usize) {
        (self.memory.addr(), usize::try_from(self.offset).unwrap_or(0).saturating_mul(size_of::<T>()))
    }

    fn offset(self, name: &'static str) -> Result<usize> {
        arguments::size(name, self.offset)
    }

    unsafe fn open(self, session: &Session, name: &'static str, needed: bool) -> Result<Memory<T>> {
        let queue = session.queue().expect("the device form has a queue");
        if !needed {
            return Ok(Memory::Device(DeviceBuffer::placeholder(queue)?));
        }
        // SAFETY: `Location::open` requires a memory object that is null or live.
        Ok(Memory::Device(unsafe { opencl::memory(queue, name, self.memory)? }))
    }
}

/// The memory of an operand.
pub enum Memory<T> {
    /// The host's, from a pointer on.
    Host(*mut T),
    /// A device's.
    Device(DeviceBuffer),
}

/// Names of an operand's arguments, in errors.
#[derive(Clone, Copy)]
pub struct Names {
    /// The pointer or the memory object.
    pub memory: &'static str,
    /// The device form's offset.
    pub offset: &'static str,
    /// The leading dimension or the increment.
    pub step: &'static str,
}

/// Names of a matrix a.
pub const A: Names = names!("a", "ld");
/// Names of a matrix b.
pub const B: Names = names!("b", "ld");
/// Names of a matrix c.
pub const C: Names = names!("c", "ld");
/// Names of a vector x.
pub const X: Names = names!("x", "inc");
/// Names of a vector y.
pub const Y: Names = names!("y", "inc");
pub(crate) const RESULT: Names = names!("result");

/// An operand whose arguments were checked. One with `needed` false is not accessed and may be null.
#[derive(Clone, Copy)]
pub struct Operand<P, S> {
    name: &'static str,
    location: P,
    shape: S,
    needed: bool,
}

impl<P, S: Copy> Operand<P, S> {
    /// An operand of a checked shape.
    pub const fn new(name: &'static str, location: P, shape: S, needed: bool) -> Self {
        Operand { name, location, shape, needed }
    }

    /// Its shape.
    pub const fn shape(&self) -> &S {
        &self.shape
    }

    /// True if the call accesses the memory.
    pub const fn is_needed(&self) -> bool {
        self.needed
    }

    /// The memory.
    ///
    /// # Safety
    /// The location must be null or valid for the shape while the result and its views are used. Nothing else may
    /// access elements that are written through them.
    #[inline]
    pub unsafe fn open<T>(&self, session: &Session) -> Result<Opened<T, S>>
    where
        P: Location<T>,
    {
        // SAFETY: `Location::open` and this function have the same contract.
        let memory = unsafe { self.location.open(session, self.name, self.needed)? };
        Ok(Opened { name: self.name, memory, shape: self.shape, needed: self.needed })
    }
}

/// An operand with its memory, from which views are made.
pub struct Opened<T, S> {
    name: &'static str,
    memory: Memory<T>,
    shape: S,
    needed: bool,
}

impl<T: Copy> Opened<T, VectorShape> {
    /// Elements behind a host pointer.
    pub fn get<const COUNT: usize>(&self) -> [T; COUNT] {
        let start = self.host_numbers(COUNT);
        // SAFETY: `host_numbers` checked COUNT, and `Operand::open` requires memory for the shape.
        std::array::from_fn(|i| unsafe { start.add(i).read() })
    }

    /// Writes elements behind a host pointer.
    pub fn set<const COUNT: usize>(&self, numbers: [T; COUNT]) {
        let start = self.host_numbers(COUNT);
        for (i, number) in numbers.into_iter().enumerate() {
            // SAFETY: `host_numbers` checked COUNT, and `Operand::open` requires exclusive access to written elements.
            unsafe { start.add(i).write(number) };
        }
    }

    /// Writes a call's only result behind a host pointer, and returns the complete event.
    pub fn complete(&self, number: T) -> Event {
        self.set([number]);
        Event::Complete
    }

    /// Copies of the elements behind a host pointer, in their order.
    pub fn gather(&self) -> Vec<T> {
        let Memory::Host(start) = self.memory else { unreachable!("the elements of the host form") };
        let (first, increment) = (self.shape.first() as isize, self.shape.increment());
        let element = |i: usize| start.wrapping_offset(first + i as isize * increment);
        // SAFETY: these are the shape's elements, and `Operand::open` requires memory for the shape.
        (0..self.shape.length()).map(|i| unsafe { element(i).read() }).collect()
    }

    /// Adjacent elements behind a host pointer.
    pub fn slice(&self) -> &[T] {
        if self.shape.length() == 0 {
            return &[];
        }
        // SAFETY: `host_numbers` checked the length, and `Operand::open` requires memory for the shape.
        unsafe { std::slice::from_raw_parts(self.host_numbers(self.shape.length()), self.shape.length()) }
    }

    /// Adjacent elements behind a host pointer, to write.
    pub fn slice_mut(&mut self) -> &mut [T] {
        if self.shape.length() == 0 {
            return &mut [];
        }
        // SAFETY: `host_numbers` checked the length, and `Operand::open` requires exclusive access to written elements.
        unsafe { std::slice::from_raw_parts_mut(self.host_numbers(self.shape.length()), self.shape.length()) }
    }

    fn host_numbers(&self, count: usize) -> *mut T {
        assert!(self.needed && self.shape.length() == count && self.shape.increment() == 1);
        match self.memory {
            Memory::Host(start) => start,
            Memory::Device(_) => unreachable!("the numbers of the host form"),
        }
    }
}

macro_rules! views {
    ($shape:ident of $bound:ident: $($view:ident as $method:ident),+) => {
        impl<T: $bound> Opened<T, $shape> {
            $(
                /// A view of the operand.
                #[inline]
                pub fn $method(&self) -> Result<$view<'_, T>> {
                    match &self.memory {
                        // SAFETY: `Operand::open` requires memory for the shape where the call touches it.
                        Memory::Host(start) => Ok(unsafe { $view::from_host_raw(*start, self.shape) }),
                        Memory::Device(buffer) if self.needed => $view::from_device(buffer, self.shape, self.name),
                        // SAFETY: `needed` is false, so that the call does not touch the memory.
                        Memory::Device(buffer) => Ok(unsafe { $view::unread(buffer, self.shape) }),
                    }
                }
            )+
        }
    };
}

views!(VectorShape of Element: VectorRef as read, VectorMut as write);
views!(MatrixShape of Element: MatrixRef as read, MatrixMut as write);
views!(PackedShape of Scalar: PackedRef as read, PackedMut as write);
views!(BandShape of Scalar: BandRef as read);

impl<T: Scalar> Opened<T, MatrixShape> {
    /// The matrix with as many rows as its memory object and leading dimension allow.
    pub fn with_all_rows(self) -> Result<Self> {
        let Memory::Device(buffer) = &self.memory else { return Ok(self) };
        let (columns, leading, offset) = (self.shape.columns(), self.shape.leading_dimension(), self.shape.offset());
        let room = (buffer.bytes() / size_of::<T>()).saturating_sub(offset);
        let rows = match self.shape.layout() {
            Layout::ColumnMajor => room.saturating_sub(columns.saturating_sub(1) * leading).min(leading),
            Layout::RowMajor => room.checked_sub(columns).map_or(0, |rest| rest / leading + 1),
        };
        // A memory object too small for the given rows is refused when the view is made.
        let rows = rows.min(i32::MAX as usize).max(self.shape.rows());
        let shape = MatrixShape::new(self.shape.layout(), rows, columns, offset, leading)?;
        Ok(Opened { shape, ..self })
    }

    /// A view of the matrix before and after an operation in place.
    pub fn in_place(&self, after: &Self) -> Result<InPlace<'_, T>> {
        match &self.memory {
            // SAFETY: `Operand::open` requires memory for either shape.
            Memory::Host(start) => Ok(unsafe { InPlace::from_host_raw(*start, self.shape, after.shape) }),
            Memory::Device(buffer) => InPlace::from_device(buffer, self.shape, after.shape, self.name),
        }
    }
}

macro_rules! batch_views {
    ($($view:ident as $method:ident),+) => {
        impl<T: Scalar> Opened<T, MatrixShape> {
            $(
                /// A view of the batch whose first matrix this is.
                pub fn $method<'o>(
                    &'o self,
                    batch: impl FnOnce(MatrixShape) -> Result<BatchShape<'o>>,
                ) -> Result<$view<'o, T>> {
                    let shape = batch(self.shape)?;
                    match &self.memory {
                        // SAFETY: `Operand::open` requires memory for the batch where the call touches it.
                        Memory::Host(start) => unsafe { $view::from_host_raw(*start, shape) },
                        Memory::Device(buffer) if self.needed => $view::from_device(buffer, shape, self.name),
                        // SAFETY: `needed` is false, so that the call does not touch the memory.
                        Memory::Device(buffer) => Ok(unsafe { $view::unread(buffer, shape) }),
                    }
                }
            )+
        }
    };
}

batch_views!(BatchRef as read_batch, BatchMut as write_batch);

#[cfg(test)]
mod host {
    use super::*;
    use crate::arguments::vector;

    /// The reference's addresses, modulo 2^64. They start at the first element, which for a negative increment has the
    /// highest address.
    fn addresses<T>(location: StandardLocation<T>, n: usize, increment: i64) -> Vec<usize> {
        let start = if increment < 0 { (1 - n as i64).wrapping_mul(increment) } else { 0 };
        let element = |i: i64| start.wrapping_add(i.wrapping_mul(increment)).wrapping_mul(size_of::<T>() as i64);
        (0..n as i64).map(|i| location.0.addr().wrapping_add(element(i) as usize)).collect()
    }

    fn check<T>() {
        let modulus = (1_i128 << 64) / size_of::<T>() as i128;
        let location = StandardLocation::<T>(std::ptr::without_provenance_mut(1 << 40));
        for small in [-7_i128, -2, -1, 1, 2, 7] {
            for given in [small - modulus, small, small + modulus] {
                let Ok(given) = i64::try_from(given) else { continue };
                for n in [1, 2, 5] {
                    let operand = vector(X, n, location, given, true).unwrap();
                    let (shape, start) = (operand.shape(), operand.location.0.addr());
                    assert_eq!(shape.increment() as i128, small);
                    let element = |i: usize| shape.first() as isize + i as isize * shape.increment();
                    let found = (0..n).map(|i| start.wrapping_add_signed(element(i) * size_of::<T>() as isize));
                    assert_eq!(found.collect::<Vec<_>>(), addresses(location, n, given), "{given}, {n}");
                }
            }
        }
    }

    #[test]
    fn increments_wrap_to_the_addresses_of_the_reference() {
        check::<f32>();
        check::<f64>();
        check::<affinimath::Complex32>();
        check::<affinimath::Complex64>();
    }

    #[test]
    fn only_the_standard_names_take_increments_that_wrap() {
        let wraps = (1 << 61) - 2;
        assert!(vector(X, 3, StandardLocation::<f64>(std::ptr::without_provenance_mut(1 << 40)), wraps, true).is_ok());
        assert!(vector(X, 3, HostLocation::<f64>(std::ptr::without_provenance_mut(1 << 40)), wraps, true).is_err());
        assert_eq!(reduced_increment::<f64>(1 << 61), 0);
    }
}
