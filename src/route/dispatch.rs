//! One way for every routine: where its operands lie, and for operands in the host's memory, where the work is done.
//!
//! A routine on its operands is a value, a [`Call`]: it shows its operands, and does the work on the host, on a device,
//! or tells a vendor's library about it. [`run`] checks that all operands lie in one memory, decides, and brings them
//! to the device and back. It is compiled once, and not for every routine. [`dispatch`] makes a call of a tuple of
//! views and of closures that take such a tuple.

use std::ptr::NonNull;

use tracing::level_filters::LevelFilter;

use super::host_only::any_on_device;
use super::{Family, Route, Work, decide, decide_without_vendors, small_on_host, without_vendors};
use crate::context::{DeviceBuffer, Event, MemoryExt, Queue, QueueParts};
use crate::error::{Error, Result};
use crate::host;
use crate::scalar::{Element, Scalar, ScalarKind};
use crate::transfer::{BandOnDevice, BatchOnDevice, OnDevice, PackedOnDevice, Staging, Uploader, VectorOnDevice};
use crate::vendor::{Answer, Number, Request};
use crate::view::{
    BandRef, BatchMut, BatchRef, BatchShape, MatrixMut, MatrixRef, Memory, PackedMut, PackedRef, VectorMut, VectorRef,
    View,
};

/// A routine with its operands.
pub(super) trait Call {
    /// Shows each operand, and whether its elements are read before they are written.
    fn operands(&mut self, visit: &mut Visit<'_>) -> Result<()>;
    /// Does the work on the host, where the operands lie in its memory.
    fn host(&mut self);
    /// Enqueues the work, where the operands lie in the memory of the queue's context.
    fn enqueue(&mut self, queue: &Queue) -> Result<Event>;
}

/// A routine that libraries of vendors may have.
pub(super) trait VendorCall<T: Scalar>: Call {
    /// Tells the library what to do; `None` where no such library can do it.
    fn describe(&mut self, request: &mut Request<T>) -> Option<()>;
}

/// Takes an operand, and whether its elements are read before they are written.
pub(super) type Visit<'v> = dyn FnMut(&mut dyn Operand, bool) -> Result<()> + 'v;

/// The cost of a routine, for the decision where to run it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// The family that it costs like.
    pub(super) family: Family,
    /// Real operations.
    pub(super) operations: u64,
    /// Columns that are eliminated one after another; 0 for a routine of BLAS.
    pub(super) steps: usize,
}

/// Location of the operands of a call, taken together.
enum Location {
    Host {
        bytes_to: u64,
        bytes_from: u64,
    },
    /// In the memory of the queue's context.
    Device(Queue),
}

impl Location {
    fn of(call: &mut dyn Call) -> Result<Self> {
        let (mut hosts, mut bytes_to, mut bytes_from, mut queue) = (0, 0_u64, 0_u64, None);
        let mut devices = 0;
        call.operands(&mut |operand, read| {
            let bytes = operand.bytes();
            bytes_to = bytes_to.saturating_add(if read { bytes } else { 0 });
            bytes_from = bytes_from.saturating_add(if operand.is_written() { bytes } else { 0 });
            match operand.device() {
                None => hosts += 1,
                Some(buffer) => {
                    devices += 1;
                    if queue.is_none() {
                        queue = Some(Queue::new(buffer.context())?.unsignaled());
                    }
                }
            }
            Ok(())
        })?;
        match (hosts, devices, queue) {
            (0, _, Some(queue)) => Ok(Location::Device(queue)),
            (_, 0, _) => Ok(Location::Host { bytes_to, bytes_from }),
            _ => Err(mixed()),
        }
    }
}

#[cold]
fn mixed() -> Error {
    Error::MixedMemory("some operands lie in the host's memory, some in a device's".to_owned())
}

/// Runs a routine where its operands lie: on the device that holds them, or for the host's memory, where the route
/// decides; then the result is there on return.
///
/// Quick returns come before it: it is not called for operations that change nothing.
#[inline(never)]
pub(super) fn run<T: Scalar>(cost: Cost, call: &mut dyn VendorCall<T>) -> Result<(Event, Number<T>)> {
    let (bytes_to, bytes_from) = match Location::of(call)? {
        Location::Device(queue) => return Ok((call.enqueue(&queue)?, Number::None)),
        Location::Host { bytes_to, bytes_from } => (bytes_to, bytes_from),
    };
    let work = work_of(T::KIND, cost, bytes_to, bytes_from);
    let mut route = decide(&work)?;
    if let Route::Vendor(vendor) = route {
        // SAFETY: the views hold valid memory, and those to write are exclusive; the copies of them end with the call.
        match unsafe { vendor.run(&mut |request| call.describe(request))? } {
            Answer::Done(number) => return Ok((Event::Complete, number)),
            Answer::Refused(reason) => route = without_vendors(&work, vendor, reason)?,
        }
    }
    run_by(route, call)?;
    Ok((Event::Complete, Number::None))
}

/// [`run`] for a routine that no vendor's library is asked for.
#[inline(never)]
pub(super) fn run_without_vendors(kind: ScalarKind, cost: Cost, call: &mut dyn Call) -> Result<Event> {
    match Location::of(call)? {
        Location::Device(queue) => call.enqueue(&queue),
        Location::Host { bytes_to, bytes_from } => {
            run_by(decide_without_vendors(&work_of(kind, cost, bytes_to, bytes_from))?, call)?;
            Ok(Event::Complete)
        }
    }
}

fn work_of(kind: ScalarKind, cost: Cost, bytes_to: u64, bytes_from: u64) -> Work {
    let Cost { family, operations, steps } = cost;
    Work { family, kind, operations, steps: steps as u64, bytes_to, bytes_from }
}

/// Runs a call on operands in the host's memory, by a decision.
fn run_by(route: Route, call: &mut dyn Call) -> Result<()> {
    match route {
        Route::Device(context) => stage_and_run(&Queue::new(&context)?, call),
        Route::Host | Route::Vendor(_) => {
            host::on_living_thread(|| call.host());
            Ok(())
        }
    }
}

fn stage_and_run(queue: &Queue, call: &mut dyn Call) -> Result<()> {
    queue.lending_memory(|| {
        let mut all = Vec::new();
        let staging = Staging::new(queue);
        // SAFETY: the views hold valid memory; they are borrowed until this function returns, and it returns, also on
        // an error, only after the queue is done with them. What is staged outlives the call's use of it.
        unsafe {
            call.operands(&mut |operand, read| {
                let is_written = operand.is_written();
                all.push((operand.stage(&staging, read)?, is_written));
                Ok(())
            })?;
            staging.send()?;
        }
        call.enqueue(queue)?.wait()?;
        let written = all.into_iter().filter(|(_, is_written)| *is_written);
        written.map(|(staged, _)| staged).try_for_each(|staged| staged.write_back(queue))
    })
}

/// Real operations of a call up to which deciding where it runs takes longer than it saves: no device pays for its
/// launch and its transfers in the time that the host needs for them.
const SMALL: u64 = 1 << 17;

/// True if a call of so many real operations on the host's memory runs on the host for certain, and no log is wanted.
#[inline(always)]
pub(super) fn is_small(operations: u64) -> bool {
    operations <= SMALL && small_on_host() && !any_on_device() && LevelFilter::current() < LevelFilter::DEBUG
}

/// Runs a routine of so many real `operations` on a tuple of views, by closures that take the tuple: one does the work
/// on the host, one enqueues it, and one describes it for a vendor's library.
#[inline(always)]
pub(super) fn dispatch<T: Scalar, O: Operands>(
    family: Family,
    operations: u64,
    operands: O,
    on_host: impl FnOnce(O::Views),
    on_device: impl FnOnce(&Queue, O::Views) -> Result<Event>,
    describe: impl FnOnce(&mut Request<T>, O::Views) -> Option<()>,
) -> Result<Event> {
    dispatch_number(family, operations, operands, on_host, on_device, describe).map(|(event, _)| event)
}

/// The same for a routine that gives a number, which a vendor's library gives in its own way.
#[inline(always)]
pub(super) fn dispatch_number<T: Scalar, O: Operands>(
    family: Family,
    operations: u64,
    operands: O,
    on_host: impl FnOnce(O::Views),
    on_device: impl FnOnce(&Queue, O::Views) -> Result<Event>,
    describe: impl FnOnce(&mut Request<T>, O::Views) -> Option<()>,
) -> Result<(Event, Number<T>)> {
    if is_small(operations) && operands.are_on_host() {
        host::on_living_thread(|| on_host(operands.views()));
        return Ok((Event::Complete, Number::None));
    }
    let cost = Cost { family, operations, steps: 0 };
    run(cost, &mut Closures::new(operands, on_host, on_device, describe))
}

/// [`dispatch`] for a routine of LAPACK.
#[inline(always)]
pub(super) fn dispatch_lapack<O: Operands>(
    kind: ScalarKind,
    cost: Cost,
    operands: O,
    on_host: impl FnOnce(O::Views),
    on_device: impl FnOnce(&Queue, O::Views) -> Result<Event>,
) -> Result<()> {
    if is_small(cost.operations) && operands.are_on_host() {
        host::on_living_thread(|| on_host(operands.views()));
        return Ok(());
    }
    run_without_vendors(kind, cost, &mut Closures::new(operands, on_host, on_device, ()))?.wait()
}

/// [`dispatch`] for elements that are only stored in their type, and computed with in another one: no vendor's library
/// is asked. `decide` gets the bytes that go to a device and back.
pub(super) fn dispatch_stored<O: Operands>(
    operands: O,
    decide: impl FnOnce(u64, u64) -> Result<Route>,
    on_host: impl FnOnce(O::Views),
    on_device: impl FnOnce(&Queue, O::Views) -> Result<Event>,
) -> Result<Event> {
    let mut call = Closures::new(operands, on_host, on_device, ());
    match Location::of(&mut call)? {
        Location::Device(queue) => call.enqueue(&queue),
        Location::Host { bytes_to, bytes_from } => {
            run_by(decide(bytes_to, bytes_from)?, &mut call)?;
            Ok(Event::Complete)
        }
    }
}

/// A call is described at most once, and then runs once.
const ONCE: &str = "the operands of a call are given away once";

/// A call of a tuple of views and closures.
struct Closures<O, H, D, V> {
    /// None once they are given away.
    operands: Option<O>,
    on_host: Option<H>,
    on_device: Option<D>,
    describe: Option<V>,
}

impl<O, H, D, V> Closures<O, H, D, V> {
    fn new(operands: O, on_host: H, on_device: D, describe: V) -> Self {
        Closures {
            operands: Some(operands),
            on_host: Some(on_host),
            on_device: Some(on_device),
            describe: Some(describe),
        }
    }
}

impl<O, H, D, V> Call for Closures<O, H, D, V>
where
    O: Operands,
    H: FnOnce(O::Views),
    D: FnOnce(&Queue, O::Views) -> Result<Event>,
{
    fn operands(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        self.operands.as_mut().map_or(Ok(()), |operands| operands.visit(visit))
    }
    fn host(&mut self) {
        let (work, operands) = (self.on_host.take(), self.operands.take());
        work.expect(ONCE)(operands.expect(ONCE).views());
    }
    fn enqueue(&mut self, queue: &Queue) -> Result<Event> {
        let (work, operands) = (self.on_device.take(), self.operands.take());
        work.expect(ONCE)(queue, operands.expect(ONCE).views())
    }
}

impl<T, O, H, D, V> VendorCall<T> for Closures<O, H, D, V>
where
    T: Scalar,
    O: Operands,
    H: FnOnce(O::Views),
    D: FnOnce(&Queue, O::Views) -> Result<Event>,
    V: FnOnce(&mut Request<T>, O::Views) -> Option<()>,
{
    fn describe(&mut self, request: &mut Request<T>) -> Option<()> {
        let describe = self.describe.take().expect(ONCE);
        // SAFETY: a library that is told of them is done with them before anybody else uses them.
        describe(request, unsafe { self.operands.as_ref().expect(ONCE).again() })
    }
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

/// Start of a view's memory, in a closure for the host.
pub(super) fn host_start<T>(memory: Memory<'_, T>) -> *mut T {
    match memory {
        Memory::Host(start, _) => start,
        Memory::Device(_) => unreachable!("the host works on the host's memory"),
    }
}

/// A view, whatever its shape and its elements.
pub(super) trait Operand {
    /// Bytes of its elements.
    fn bytes(&self) -> u64;
    /// True if it may be written.
    fn is_written(&self) -> bool;
    /// Its memory on a device; `None` on the host.
    fn device(&self) -> Option<&DeviceBuffer>;
    /// Brings it from the host to the queue's device, and becomes the view of it there. What is neither read nor
    /// written stays, and only memory that stands for it is made.
    ///
    /// # Safety
    /// The view's memory must be valid, and untouched by anybody else, until what was enqueued is done. The view must
    /// not be used once the result is dropped.
    unsafe fn stage(&mut self, staging: &Staging<'_>, read: bool) -> Result<Owner>;
}

/// An operand on a device.
pub(super) trait Staged {
    /// Waits for what was enqueued, and brings back what was written.
    fn write_back(self: Box<Self>, queue: &Queue) -> Result<()>;
}

/// The owner of an operand on a device, to which views of it point.
pub(super) struct Owner(NonNull<dyn Staged>);

impl Owner {
    /// Takes over `staged`, and gives a pointer for the views.
    fn of<S: Staged + 'static>(staged: S) -> (Self, NonNull<S>) {
        let pointer = NonNull::from(Box::leak(Box::new(staged)));
        (Owner(pointer), pointer)
    }

    /// Waits for what was enqueued, and brings back what was written.
    fn write_back(self, queue: &Queue) -> Result<()> {
        let pointer = std::mem::ManuallyDrop::new(self).0;
        // SAFETY: the pointer is a leaked box's, which nobody else takes back.
        unsafe { Box::from_raw(pointer.as_ptr()) }.write_back(queue)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: as in `write_back`.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Staged for DeviceBuffer {
    fn write_back(self: Box<Self>, _queue: &Queue) -> Result<()> {
        Ok(())
    }
}

macro_rules! staged {
    ($($staged:ty: $bound:ident),+) => {
        $(impl<T: $bound> Staged for $staged {
            fn write_back(self: Box<Self>, queue: &Queue) -> Result<()> {
                (*self).write_back(queue)
            }
        })+
    };
}

staged!(
    OnDevice<T>: Element,
    VectorOnDevice<T>: Scalar,
    BandOnDevice<T>: Scalar,
    PackedOnDevice<T>: Scalar,
    BatchOnDevice<'static, T>: Scalar
);

/// The same memory for longer.
///
/// # Safety
/// It must not be used once it is gone.
unsafe fn with_lifetime<'a, T>(memory: Memory<'_, T>) -> Memory<'a, T> {
    // SAFETY: only the lifetime differs.
    unsafe { std::mem::transmute(memory) }
}

/// The same shape for longer, of a batch: its offsets are the caller's.
///
/// # Safety
/// The offsets that it borrows must live as long.
unsafe fn shape_for<S, K>(shape: S) -> K {
    // SAFETY: the types differ in their lifetimes alone.
    unsafe { std::mem::transmute_copy(&shape) }
}

macro_rules! operand {
    ($view:ident<$bound:ident>, $staged:ty, $access:ident, |$shape:ident| $elements:expr) => {
        impl<'a, T: $bound> Operand for $view<'a, T> {
            fn bytes(&self) -> u64 {
                let $shape = self.shape();
                ($elements as u64).saturating_mul(size_of::<T>() as u64)
            }
            fn is_written(&self) -> bool {
                operand!(@written $access)
            }
            fn device(&self) -> Option<&DeviceBuffer> {
                self.memory().buffer()
            }
            unsafe fn stage(&mut self, staging: &Staging<'_>, read: bool) -> Result<Owner> {
                let Memory::Host(start, _) = self.memory() else { return Err(mixed()) };
                if !read && !operand!(@written $access) {
                    let (owner, placeholder) = Owner::of(DeviceBuffer::placeholder(staging.queue())?);
                    // SAFETY: the arguments say that it is not touched, and the caller keeps the memory as long.
                    *self = unsafe {
                        let unread = $view::<T>::unread(placeholder.as_ref(), *self.shape());
                        $view::from_parts(with_lifetime(unread.memory()), *self.shape())
                    };
                    return Ok(owner);
                }
                // SAFETY: by the contract of `stage`, the memory of the view is valid until what was enqueued is done.
                let staged = unsafe { <$staged>::new(staging, start, &shape_for(*self.shape()), read)? };
                let (owner, copy) = Owner::of(staged);
                // SAFETY: the caller keeps the copy as long as the view of it.
                *self = unsafe {
                    let view = operand!(@view $access copy);
                    $view::from_parts(with_lifetime(view.memory()), shape_for(*view.shape()))
                };
                Ok(owner)
            }
        }

        impl<'a, T: $bound> Operands for Used<$view<'a, T>> {
            type Views = $view<'a, T>;

            fn visit(&mut self, visit: &mut Visit<'_>) -> Result<()> {
                visit(&mut self.view, self.read)
            }
            #[inline(always)]
            fn are_on_host(&self) -> bool {
                matches!(self.view.memory(), Memory::Host(..))
            }
            #[inline(always)]
            fn views(self) -> $view<'a, T> {
                self.view
            }
            unsafe fn again(&self) -> $view<'a, T> {
                $view::from_parts(self.view.memory(), *self.view.shape())
            }
        }

        impl<'a, T: $bound> Operands for $view<'a, T> {
            type Views = $view<'a, T>;

            fn visit(&mut self, visit: &mut Visit<'_>) -> Result<()> {
                visit(self, true)
            }
            #[inline(always)]
            fn are_on_host(&self) -> bool {
                matches!(self.memory(), Memory::Host(..))
            }
            #[inline(always)]
            fn views(self) -> $view<'a, T> {
                self
            }
            unsafe fn again(&self) -> $view<'a, T> {
                $view::from_parts(self.memory(), *self.shape())
            }
        }
    };
    (@written read) => {
        false
    };
    (@written write) => {
        true
    };
    (@view read $copy:ident) => {
        { $copy }.as_ref().as_ref("an operand")?
    };
    (@view write $copy:ident) => {
        { $copy }.as_mut().as_mut("an operand")?
    };
}

operand!(MatrixRef<Element>, OnDevice<T>, read, |shape| shape.rows() * shape.columns());
operand!(MatrixMut<Element>, OnDevice<T>, write, |shape| shape.rows() * shape.columns());
operand!(VectorRef<Scalar>, VectorOnDevice<T>, read, |shape| shape.length());
operand!(VectorMut<Scalar>, VectorOnDevice<T>, write, |shape| shape.length());
operand!(BandRef<Scalar>, BandOnDevice<T>, read, |shape| shape.memory().rows() * shape.memory().columns());
operand!(PackedRef<Scalar>, PackedOnDevice<T>, read, |shape| shape.length());
operand!(PackedMut<Scalar>, PackedOnDevice<T>, write, |shape| shape.length());
operand!(BatchRef<Scalar>, BatchOnDevice<'static, T>, read, |shape| elements_of_batch(shape));
operand!(BatchMut<Scalar>, BatchOnDevice<'static, T>, write, |shape| elements_of_batch(shape));

fn elements_of_batch(shape: &BatchShape<'_>) -> u64 {
    let (rows, columns) = (shape.matrix().rows() as u64, shape.matrix().columns() as u64);
    (shape.count() as u64).saturating_mul(rows).saturating_mul(columns)
}

/// Operands that closures take: a view, or a tuple of them.
pub(super) trait Operands {
    /// The views, wherever they lie.
    type Views;

    /// Shows each of them.
    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<()>;
    /// True if all of them lie in the host's memory.
    fn are_on_host(&self) -> bool;
    /// The views.
    fn views(self) -> Self::Views;
    /// The same views once more.
    ///
    /// # Safety
    /// Memory that they write must not be touched through both.
    unsafe fn again(&self) -> Self::Views;
}

/// An operand of which the arguments say whether its elements are read before they are written. What is neither read
/// nor written stays where it is.
pub(super) struct Used<V> {
    view: V,
    read: bool,
}

/// An operand that is read only if `read` says so: A with alpha = 0, C with beta = 0.
pub(super) const fn used<V>(view: V, read: bool) -> Used<V> {
    Used { view, read }
}

/// An operand that a call may lack.
impl<O: Operands> Operands for Option<O> {
    type Views = Option<O::Views>;

    fn visit(&mut self, visit: &mut Visit<'_>) -> Result<()> {
        self.as_mut().map_or(Ok(()), |operand| operand.visit(visit))
    }
    #[inline(always)]
    fn are_on_host(&self) -> bool {
        self.as_ref().is_none_or(Operands::are_on_host)
    }
    #[inline(always)]
    fn views(self) -> Self::Views {
        self.map(Operands::views)
    }
    unsafe fn again(&self) -> Self::Views {
        // SAFETY: the caller keeps to the one or the other.
        self.as_ref().map(|operand| unsafe { operand.again() })
    }
}

macro_rules! tuple {
    ($($operand:ident $name:ident),+) => {
        impl<$($operand: Operands),+> Operands for ($($operand,)+) {
            type Views = ($($operand::Views,)+);

            fn visit(&mut self, visit: &mut Visit<'_>) -> Result<()> {
                let ($($name,)+) = self;
                $($name.visit(visit)?;)+
                Ok(())
            }
            #[inline(always)]
            fn are_on_host(&self) -> bool {
                let ($($name,)+) = self;
                $($name.are_on_host())&&+
            }
            #[inline(always)]
            fn views(self) -> Self::Views {
                let ($($name,)+) = self;
                ($($name.views(),)+)
            }
            unsafe fn again(&self) -> Self::Views {
                let ($($name,)+) = self;
                // SAFETY: the caller keeps to the one or the other.
                unsafe { ($($name.again(),)+) }
            }
        }
    };
}

tuple!(A a);
tuple!(A a, B b);
tuple!(A a, B b, C c);
