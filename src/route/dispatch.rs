//! One way for every routine: where its operands lie, and for operands in the host's memory, where the work is done.
//!
//! A routine gives its operands as a tuple of views, and three closures: one does the work on such a tuple on the host, one on
//! a device, and one describes it for the library of a vendor. [`dispatch`] checks that all operands lie in one memory,
//! decides, and brings them to the device and back.

use tracing::level_filters::LevelFilter;

use super::{Family, Route, Work, decide, decide_without_vendors, small_on_host, without_vendors};
use crate::context::{DeviceBuffer, Event, Queue};
use crate::context::{MemoryExt, QueueParts};
use crate::error::{Error, Result};
use crate::host;
use crate::scalar::{Element, Scalar};
use crate::transfer::{BandOnDevice, BatchOnDevice, OnDevice, PackedOnDevice, Staging, Uploader, VectorOnDevice};
use crate::vendor::{Answer, Number, Request, Vendor};
use crate::view::View;
use crate::view::{
    BandRef, BandShape, BatchMut, BatchRef, BatchShape, MatrixMut, MatrixRef, MatrixShape, Memory, PackedMut,
    PackedRef, PackedShape, VectorMut, VectorRef, VectorShape,
};

/// Runs a routine of so many real `operations` where its operands lie: on the device that holds them, or for the host's
/// memory, where the route decides; then the result is there on return.
///
/// `describe` tells a vendor's library what to do, or gives `None` where no such library can do it.
///
/// Quick returns come before it: it is not called for operations that change nothing.
#[inline(always)]
pub(super) fn dispatch<T: Scalar, O: Operands<T>>(
    family: Family,
    operations: u64,
    operands: O,
    on_host: impl for<'s> FnOnce(O::Views<'s>),
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
    describe: impl for<'s> FnOnce(&mut Request<T>, O::Views<'s>) -> Option<()>,
) -> Result<Event> {
    dispatch_number(family, operations, operands, on_host, on_device, describe).map(|(event, _)| event)
}

/// Real operations of a call up to which deciding where it runs takes longer than it saves: no device pays for its launch and
/// its transfers in the time that the host needs for them.
const SMALL: u64 = 1 << 17;

/// Whether a call on these operands runs on the host for certain, and nobody wants to be told.
#[inline(always)]
fn is_small<T: Element, O: Operands<T>>(operations: u64, operands: &O) -> bool {
    operations <= SMALL && small_on_host() && LevelFilter::current() < LevelFilter::DEBUG && operands.are_on_host()
}

/// The same for a routine that gives a number, which a vendor's library gives in its own way.
#[inline(always)]
pub(super) fn dispatch_number<T: Scalar, O: Operands<T>>(
    family: Family,
    operations: u64,
    operands: O,
    on_host: impl for<'s> FnOnce(O::Views<'s>),
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
    describe: impl for<'s> FnOnce(&mut Request<T>, O::Views<'s>) -> Option<()>,
) -> Result<(Event, Number<T>)> {
    if is_small(operations, &operands) {
        host::on_living_thread(|| on_host(operands.views()));
        return Ok((Event::Complete, Number::None));
    }
    dispatch_anywhere(family, operations, operands, on_host, on_device, describe)
}

#[inline(never)]
fn dispatch_anywhere<T: Scalar, O: Operands<T>>(
    family: Family,
    operations: u64,
    operands: O,
    on_host: impl for<'s> FnOnce(O::Views<'s>),
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
    describe: impl for<'s> FnOnce(&mut Request<T>, O::Views<'s>) -> Option<()>,
) -> Result<(Event, Number<T>)> {
    let mut tally = Tally::default();
    operands.count(&mut tally);
    let done = (Event::Complete, Number::None);
    match (tally.hosts, tally.devices) {
        (0, _) => {
            let buffer = operands.device().ok_or_else(mixed)?;
            let queue = Queue::of(buffer.context())?.without_events();
            Ok((on_device(&queue, operands.views())?, Number::None))
        }
        (_, 0) => {
            let (kind, bytes_to, bytes_from) = (T::KIND, tally.bytes_to, tally.bytes_from);
            let work = Work { family, kind, operations, steps: 0, bytes_to, bytes_from };
            let mut route = decide(&work)?;
            if let Route::Vendor(vendor) = route {
                match ask(vendor, &operands, describe)? {
                    Answer::Done(number) => return Ok((Event::Complete, number)),
                    Answer::Refused(reason) => route = without_vendors(&work, vendor, reason)?,
                }
            }
            match route {
                Route::Device(context) => stage_and_run(&Queue::of(&context)?, operands, on_device)?,
                Route::Host | Route::Vendor(_) => host::on_living_thread(|| on_host(operands.views())),
            }
            Ok(done)
        }
        _ => Err(mixed()),
    }
}

/// What a routine of LAPACK does, for the decision where to run it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// The family that it costs like.
    pub(super) family: Family,
    /// Real operations.
    pub(super) operations: u64,
    /// Columns that are eliminated one after another.
    pub(super) steps: usize,
}

/// [`dispatch`] for a routine of LAPACK.
pub(super) fn dispatch_lapack<T: Scalar, O: Operands<T>>(
    cost: Cost,
    operands: O,
    on_host: impl for<'s> FnOnce(O::Views<'s>),
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
) -> Result<()> {
    if is_small(cost.operations, &operands) {
        host::on_living_thread(|| on_host(operands.views()));
        return Ok(());
    }
    let mut tally = Tally::default();
    operands.count(&mut tally);
    match (tally.hosts, tally.devices) {
        (0, _) => {
            let buffer = operands.device().ok_or_else(mixed)?;
            on_device(&Queue::of(buffer.context())?.without_events(), operands.views())?.wait()
        }
        (_, 0) => {
            let (kind, bytes_to, bytes_from) = (T::KIND, tally.bytes_to, tally.bytes_from);
            let Cost { family, operations, steps } = cost;
            let work = Work { family, kind, operations, steps: steps as u64, bytes_to, bytes_from };
            match decide_without_vendors(&work)? {
                Route::Device(context) => stage_and_run(&Queue::of(&context)?, operands, on_device),
                Route::Host | Route::Vendor(_) => {
                    host::on_living_thread(|| on_host(operands.views()));
                    Ok(())
                }
            }
        }
        _ => Err(mixed()),
    }
}

/// [`dispatch`] for elements that are only stored in their type, and computed with in another one: no vendor's library is asked. `decide`
/// gets the bytes that go to a device and back.
pub(super) fn dispatch_stored<T: Element, O: Operands<T>>(
    operands: O,
    decide: impl FnOnce(u64, u64) -> Result<Route>,
    on_host: impl for<'s> FnOnce(O::Views<'s>),
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
) -> Result<Event> {
    let mut tally = Tally::default();
    operands.count(&mut tally);
    match (tally.hosts, tally.devices) {
        (0, _) => {
            let buffer = operands.device().ok_or_else(mixed)?;
            on_device(&Queue::of(buffer.context())?.without_events(), operands.views())
        }
        (_, 0) => {
            match decide(tally.bytes_to, tally.bytes_from)? {
                Route::Device(context) => stage_and_run(&Queue::of(&context)?, operands, on_device)?,
                Route::Host | Route::Vendor(_) => host::on_living_thread(|| on_host(operands.views())),
            }
            Ok(Event::Complete)
        }
        _ => Err(mixed()),
    }
}

fn ask<T: Scalar, O: Operands<T>>(
    vendor: Vendor,
    operands: &O,
    describe: impl for<'s> FnOnce(&mut Request<T>, O::Views<'s>) -> Option<()>,
) -> Result<Answer<T>> {
    // SAFETY: the views hold valid memory, and those to write are exclusive; the copies of them end with the call.
    unsafe { vendor.run(|request| describe(request, operands.again())) }
}

fn stage_and_run<T: Element, O: Operands<T>>(
    queue: &Queue,
    operands: O,
    on_device: impl for<'q, 's> FnOnce(&'q Queue, O::Views<'s>) -> Result<Event>,
) -> Result<()> {
    queue.lending_memory(|| {
        // SAFETY: the views hold valid memory; they are borrowed until this function returns, and it returns, also on an error,
        // only after the queue is done with them.
        let mut staged = unsafe {
            let staging = Staging::new(queue);
            let staged = operands.stage(&staging)?;
            staging.send()?;
            staged
        };
        on_device(queue, O::staged_views(&mut staged)?)?.wait()?;
        O::write_back(staged, queue)
    })
}

#[cold]
fn mixed() -> Error {
    Error::MixedMemory("some operands lie in the host's memory, some in a device's".to_owned())
}

/// A matrix of the host as the host backend takes it.
pub(super) fn on_host<T: Element>(matrix: MatrixRef<'_, T>) -> faer::MatRef<'_, T> {
    let (memory, shape) = (matrix.memory(), *matrix.shape());
    let (row_stride, column_stride) = shape.strides();
    let first = host_start(memory).wrapping_add(shape.offset());
    // SAFETY: the view holds a valid matrix of this shape.
    unsafe {
        faer::MatRef::from_raw_parts(first, shape.rows(), shape.columns(), row_stride as isize, column_stride as isize)
    }
}

/// The same for a matrix to write.
pub(super) fn on_host_mut<T: Element>(matrix: MatrixMut<'_, T>) -> faer::MatMut<'_, T> {
    let (memory, shape) = (matrix.memory(), *matrix.shape());
    let (row_stride, column_stride) = shape.strides();
    let first = host_start(memory).wrapping_add(shape.offset());
    // SAFETY: the view is exclusive and holds a valid matrix of this shape.
    unsafe {
        faer::MatMut::from_raw_parts_mut(
            first,
            shape.rows(),
            shape.columns(),
            row_stride as isize,
            column_stride as isize,
        )
    }
}

/// Where a view's memory starts, in a closure for the host.
pub(super) fn host_start<T>(memory: Memory<'_, T>) -> *mut T {
    match memory {
        Memory::Host(start, _) => start,
        Memory::Device(_) => unreachable!("the host works on the host's memory"),
    }
}

/// What the operands are, taken together.
#[derive(Default)]
pub(super) struct Tally {
    hosts: usize,
    devices: usize,
    /// Bytes that go to a discrete device.
    bytes_to: u64,
    /// Bytes that come back.
    bytes_from: u64,
}

impl Tally {
    fn add(&mut self, on_host: bool, bytes: u64, (reads, writes): (bool, bool)) {
        self.hosts += usize::from(on_host);
        self.devices += usize::from(!on_host);
        self.bytes_to = self.bytes_to.saturating_add(if reads { bytes } else { 0 });
        self.bytes_from = self.bytes_from.saturating_add(if writes { bytes } else { 0 });
    }
}

/// A view, or a tuple of them.
pub(super) trait Operands<T: Element>: Sized {
    /// The same operands, wherever they are.
    type Views<'s>;
    /// The operands on a device.
    type Staged;

    fn count(&self, tally: &mut Tally);
    /// Whether all of them lie in the host's memory.
    fn are_on_host(&self) -> bool;
    /// The device's memory of one of them.
    fn device(&self) -> Option<&DeviceBuffer>;
    /// The operands where they lie.
    fn views<'s>(self) -> Self::Views<'s>
    where
        Self: 's;
    /// The same views once more.
    ///
    /// # Safety
    /// What they write must not be touched through both.
    unsafe fn again(&self) -> Self::Views<'_>;
    /// Brings them from the host to the queue's device; large ones once what is staged is sent.
    ///
    /// # Safety
    /// The views' memory must be valid, and untouched by anybody else, until what was enqueued is done.
    unsafe fn stage(self, staging: &Staging<'_>) -> Result<Self::Staged>;
    /// The operands on the device.
    fn staged_views(staged: &mut Self::Staged) -> Result<Self::Views<'_>>;
    /// Waits for what was enqueued and brings back what was written.
    fn write_back(staged: Self::Staged, queue: &Queue) -> Result<()>;
}

/// An operand of which the arguments say whether its elements are read before they are written. What is neither read nor
/// written stays where it is.
pub(super) struct Used<V> {
    view: V,
    read: bool,
}

/// An operand that is read only if `read` says so: A with alpha = 0, C with beta = 0.
pub(super) const fn used<V>(view: V, read: bool) -> Used<V> {
    Used { view, read }
}

/// An operand that is copied to a device, or only stands there for what is not read.
pub(super) enum Staged<S, V> {
    Copied(S),
    Unread(DeviceBuffer, V),
}

macro_rules! operand {
    ($view:ident<$bound:ident>, $shape:ident in $staged:ident, $access:ident, $as:ident, $elements:expr) => {
        impl<T: $bound> Operands<T> for Used<$view<'_, T>> {
            type Views<'s> = $view<'s, T>;
            type Staged = Staged<$staged<T>, $shape>;

            fn count(&self, tally: &mut Tally) {
                let elements: fn(&$shape) -> usize = $elements;
                let bytes = (elements(self.view.shape()) as u64).saturating_mul(size_of::<T>() as u64);
                let on_host = matches!(self.view.memory(), Memory::Host(..));
                tally.add(on_host, bytes, (self.read, operand!(@writes $access)));
            }

            #[inline(always)]
            fn are_on_host(&self) -> bool {
                matches!(self.view.memory(), Memory::Host(..))
            }

            fn device(&self) -> Option<&DeviceBuffer> {
                    self.view.memory().buffer()
                }

            #[inline(always)]
            fn views<'s>(self) -> $view<'s, T>
            where
                Self: 's,
            {
                self.view
            }

            unsafe fn again(&self) -> $view<'_, T> {
                $view::from_parts(self.view.memory(), *self.view.shape())
            }

            unsafe fn stage(self, staging: &Staging<'_>) -> Result<Self::Staged> {
                let Memory::Host(start, _) = self.view.memory() else { return Err(mixed()) };
                if !self.read && !operand!(@writes $access) {
                    return Ok(Staged::Unread(DeviceBuffer::placeholder(staging.queue())?, *self.view.shape()));
                }
                // SAFETY: the caller vouches for the memory.
                Ok(Staged::Copied(unsafe { $staged::new(staging, start, self.view.shape(), self.read)? }))
            }

            fn staged_views(staged: &mut Self::Staged) -> Result<$view<'_, T>> {
                match staged {
                    Staged::Copied(copy) => copy.$as("an operand"),
                    // SAFETY: the arguments say that it is not touched.
                    Staged::Unread(buffer, shape) => Ok(unsafe { $view::unread(buffer, *shape) }),
                }
            }

            fn write_back(staged: Self::Staged, queue: &Queue) -> Result<()> {
                match staged {
                    Staged::Copied(copy) if operand!(@writes $access) => copy.write_back(queue),
                    _ => Ok(()),
                }
            }
        }

        impl<T: $bound> Operands<T> for $view<'_, T> {
            type Views<'s> = $view<'s, T>;
            type Staged = <Used<Self> as Operands<T>>::Staged;

            fn count(&self, tally: &mut Tally) {
                used($view::from_parts(self.memory(), *self.shape()), true).count(tally);
            }
            #[inline(always)]
            fn are_on_host(&self) -> bool {
                matches!(self.memory(), Memory::Host(..))
            }
            fn device(&self) -> Option<&DeviceBuffer> {
                    self.memory().buffer()
                }
            #[inline(always)]
            fn views<'s>(self) -> $view<'s, T>
            where
                Self: 's,
            {
                self
            }
            unsafe fn again(&self) -> $view<'_, T> {
                $view::from_parts(self.memory(), *self.shape())
            }
            unsafe fn stage(self, staging: &Staging<'_>) -> Result<Self::Staged> {
                // SAFETY: the caller vouches for the memory.
                unsafe { used(self, true).stage(staging) }
            }
            fn staged_views(staged: &mut Self::Staged) -> Result<$view<'_, T>> {
                <Used<Self> as Operands<T>>::staged_views(staged)
            }
            fn write_back(staged: Self::Staged, queue: &Queue) -> Result<()> {
                <Used<Self> as Operands<T>>::write_back(staged, queue)
            }
        }
    };
    (@writes read) => {
        false
    };
    (@writes write) => {
        true
    };
}

operand!(MatrixRef<Element>, MatrixShape in OnDevice, read, as_ref, |shape| shape.rows() * shape.columns());
operand!(MatrixMut<Element>, MatrixShape in OnDevice, write, as_mut, |shape| shape.rows() * shape.columns());
operand!(VectorRef<Scalar>, VectorShape in VectorOnDevice, read, as_ref, |shape| shape.length());
operand!(VectorMut<Scalar>, VectorShape in VectorOnDevice, write, as_mut, |shape| shape.length());
operand!(BandRef<Scalar>, BandShape in BandOnDevice, read, as_ref, |shape| shape.memory().rows() * shape.memory().columns());
operand!(PackedRef<Scalar>, PackedShape in PackedOnDevice, read, as_ref, |shape| shape.length());
operand!(PackedMut<Scalar>, PackedShape in PackedOnDevice, write, as_mut, |shape| shape.length());

/// Batches, whose shapes may borrow their offsets.
macro_rules! batch_operand {
    ($view:ident, $writes:literal, $as:ident) => {
        impl<'a, T: Scalar> Operands<T> for Used<$view<'a, T>> {
            type Views<'s> = $view<'s, T>;
            type Staged = Staged<BatchOnDevice<'a, T>, BatchShape<'a>>;

            fn count(&self, tally: &mut Tally) {
                let shape = self.view.shape();
                let elements = (shape.count() as u64)
                    .saturating_mul(shape.matrix().rows() as u64)
                    .saturating_mul(shape.matrix().columns() as u64);
                let on_host = matches!(self.view.memory(), Memory::Host(..));
                tally.add(on_host, elements.saturating_mul(size_of::<T>() as u64), (self.read, $writes));
            }

            #[inline(always)]
            fn are_on_host(&self) -> bool {
                matches!(self.view.memory(), Memory::Host(..))
            }

            fn device(&self) -> Option<&DeviceBuffer> {
                self.view.memory().buffer()
            }

            #[inline(always)]
            fn views<'s>(self) -> $view<'s, T>
            where
                Self: 's,
            {
                self.view
            }

            unsafe fn again(&self) -> $view<'_, T> {
                $view::from_parts(self.view.memory(), *self.view.shape())
            }

            unsafe fn stage(self, staging: &Staging<'_>) -> Result<Self::Staged> {
                let Memory::Host(start, _) = self.view.memory() else { return Err(mixed()) };
                if !self.read && !$writes {
                    return Ok(Staged::Unread(DeviceBuffer::placeholder(staging.queue())?, *self.view.shape()));
                }
                // SAFETY: the caller vouches for the memory.
                Ok(Staged::Copied(unsafe { BatchOnDevice::new(staging, start, self.view.shape(), self.read)? }))
            }

            fn staged_views(staged: &mut Self::Staged) -> Result<$view<'_, T>> {
                match staged {
                    Staged::Copied(copy) => copy.$as("an operand"),
                    // SAFETY: the arguments say that it is not touched.
                    Staged::Unread(buffer, shape) => Ok(unsafe { $view::unread(buffer, *shape) }),
                }
            }

            fn write_back(staged: Self::Staged, queue: &Queue) -> Result<()> {
                match staged {
                    Staged::Copied(copy) if $writes => copy.write_back(queue),
                    _ => Ok(()),
                }
            }
        }
    };
}

batch_operand!(BatchRef, false, as_ref);
batch_operand!(BatchMut, true, as_mut);

macro_rules! tuple {
    ($($operand:ident $name:ident),+) => {
        impl<T: Element, $($operand: Operands<T>),+> Operands<T> for ($($operand,)+) {
            type Views<'s> = ($($operand::Views<'s>,)+);
            type Staged = ($($operand::Staged,)+);

            fn count(&self, tally: &mut Tally) {
                let ($($name,)+) = self;
                $($name.count(tally);)+
            }
            #[inline(always)]
            fn are_on_host(&self) -> bool {
                let ($($name,)+) = self;
                $($name.are_on_host())&&+
            }
            fn device(&self) -> Option<&DeviceBuffer> {
                self.0.device()
            }
            #[inline(always)]
            fn views<'s>(self) -> Self::Views<'s>
            where
                Self: 's,
            {
                let ($($name,)+) = self;
                ($($name.views(),)+)
            }
            unsafe fn again(&self) -> Self::Views<'_> {
                let ($($name,)+) = self;
                // SAFETY: the caller keeps to the one or the other.
                unsafe { ($($name.again(),)+) }
            }
            unsafe fn stage(self, staging: &Staging<'_>) -> Result<Self::Staged> {
                let ($($name,)+) = self;
                // SAFETY: the caller vouches for the memory.
                Ok(unsafe { ($($name.stage(staging)?,)+) })
            }
            fn staged_views(staged: &mut Self::Staged) -> Result<Self::Views<'_>> {
                let ($($name,)+) = staged;
                Ok(($($operand::staged_views($name)?,)+))
            }
            fn write_back(staged: Self::Staged, queue: &Queue) -> Result<()> {
                let ($($name,)+) = staged;
                $($operand::write_back($name, queue)?;)+
                Ok(())
            }
        }
    };
}

tuple!(A a);
tuple!(A a, B b);
tuple!(A a, B b, C c);
