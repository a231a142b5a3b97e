//! Products on a device.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::narrow::{CountedColumns, NarrowColumns};
use super::plan::{MERGE_WHOLE, STREAM_WEIGHT, THREADS};
use super::{CsrProduct, Narrowing, ProductParameters, ProductPlan};
use crate::blas::device_buffer;
use crate::blas::level1::elementwise;
use crate::context::{BufferParts, ContextParts, DeviceBuffer, Event, Queue, QueueParts, Workspace};
use crate::error::Result;
use crate::launch::Launch;
use crate::program::{Program, ProgramSource, source};
use crate::scalar::Scalar;
use crate::sparse::{CsrRef, RowPointer, RowStatistics};
use crate::tuning::tuned::Tuned;
use crate::view::View;

/// A plan, and what of the matrix it needs to know: made once for a matrix, for all its products.
#[derive(Debug)]
pub(crate) struct PreparedProduct {
    plan: ProductPlan,
    /// The program of the plain variant: to look it up takes a tenth of a launch.
    program: OnceLock<Arc<Program>>,
    /// Starts of the work-groups.
    starts: Option<DeviceBuffer>,
    /// 16-bit column indices, once a product has made them.
    narrow: Option<CountedColumns>,
    /// Memory for parts of rows, by queues. Who holds the lock enqueues the launches of a product: another thread's on
    /// the same queue come before or after them.
    carried: Mutex<Vec<QueueMemory>>,
}

/// Memory for the commands of one queue, whose handle is only ever compared.
#[derive(Debug)]
struct QueueMemory {
    queue: usize,
    memory: DeviceBuffer,
}

/// Queues whose memory is kept with a matrix, at most.
const MAX_QUEUES: usize = 8;

impl QueueMemory {
    /// The queue's memory of so many bytes among others', made at its first use, of zeros.
    fn of<'m>(all: &'m mut Vec<Self>, queue: &Queue, bytes: usize) -> Result<&'m DeviceBuffer> {
        let handle = queue.handle().get() as usize;
        let index = match all.iter().position(|one| one.queue == handle) {
            Some(index) => index,
            None => {
                if all.len() == MAX_QUEUES {
                    // OpenCL frees it once the commands that use it are done.
                    all.remove(0);
                }
                let memory = DeviceBuffer::zeros(queue.context(), bytes, "parts of rows of a sparse product")?;
                all.push(QueueMemory { queue: handle, memory });
                all.len() - 1
            }
        };
        Ok(&all[index].memory)
    }
}

/// Which program a product needs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Variant {
    conjugated: bool,
    adjacent: bool,
    narrow: bool,
}

impl PreparedProduct {
    /// The plan that suits the matrix's rows.
    pub(crate) fn new<T: Scalar, P: RowPointer>(
        queue: &Queue,
        matrix: &CsrRef<'_, T, P>,
        rows: &RowStatistics,
    ) -> Result<Self> {
        let device = queue.context().device().info();
        device.require(T::KIND)?;
        let parameters = ProductParameters::for_matrix(rows, T::KIND, device, Tuned::of_context(queue.context()));
        let plan = ProductPlan::choose(rows, T::KIND, device, &parameters);
        tracing::debug!(?rows, ?plan, device = device.name, "sparse product");
        Self::with_plan(queue, matrix, plan, Narrowing::of_device(device))
    }

    /// The same with a plan of the caller's, and with what it says about narrow columns: then `queue` is to be waited
    /// for before a product.
    pub(crate) fn with_plan<T: Scalar, P: RowPointer>(
        queue: &Queue,
        matrix: &CsrRef<'_, T, P>,
        plan: ProductPlan,
        narrowing: Option<Narrowing>,
    ) -> Result<Self> {
        let (kernel, numbers, group_weight) = match plan {
            ProductPlan::Segments { .. } | ProductPlan::Vector { .. } => {
                let program = OnceLock::new();
                return Ok(PreparedProduct { plan, program, starts: None, narrow: None, carried: Mutex::default() });
            }
            ProductPlan::Stream { groups, group_weight, .. } => {
                ("stream_starts", 2 * (groups + 1), Some((groups, group_weight)))
            }
            ProductPlan::Merge { segments, .. } => ("merge_starts", 2 * (segments + 1), None),
        };
        let starts =
            DeviceBuffer::new(queue.context(), 8 * numbers, "where the work-groups of a sparse product begin")?;
        let program = program::<T, P>(queue, plan, Variant::PLAIN)?;
        let launch = Launch::new(queue, &program, kernel).index(matrix.rows);
        let row_ptr = device_buffer(queue, matrix.row_ptr.memory(), "pointers")?;
        let launch = launch.buffer(row_ptr).index(matrix.row_ptr.shape().first());
        let launch = match (group_weight, plan) {
            (Some((groups, group_weight)), _) => launch.index(groups).index(group_weight),
            (None, _) => launch.index(numbers / 2 - 1),
        };
        launch.buffer(&starts).enqueue_step([(numbers / 2).div_ceil(THREADS), 1, 1], [THREADS, 1, 1])?;
        let narrowing = narrowing.filter(|_| matches!(plan, ProductPlan::Stream { .. }));
        let narrow = CountedColumns::new(narrowing, matrix.nnz());
        Ok(PreparedProduct { plan, program: program.into(), starts: Some(starts), narrow, carried: Mutex::default() })
    }

    /// The program of a variant.
    fn program<T: Scalar, P: RowPointer>(&self, queue: &Queue, variant: Variant) -> Result<Arc<Program>> {
        if variant != Variant::PLAIN {
            return program::<T, P>(queue, self.plan, variant);
        }
        if let Some(plain) = self.program.get() {
            return Ok(plain.clone());
        }
        let made = program::<T, P>(queue, self.plan, variant)?;
        Ok(self.program.get_or_init(|| made).clone())
    }

    /// The columns in 16 bits that one more product reads, if it does.
    pub(super) fn narrow_columns<T: Scalar, P: RowPointer>(
        &self,
        queue: &Queue,
        matrix: &CsrRef<'_, T, P>,
    ) -> Result<Option<&NarrowColumns>> {
        let (Some(narrow), Some(starts), ProductPlan::Stream { groups, items, .. }) =
            (&self.narrow, &self.starts, self.plan)
        else {
            return Ok(None);
        };
        narrow.for_product(|span| {
            // Whoever prepared the product has waited for columns and starts. What has been enqueued since need not be
            // waited for.
            let queue = Queue::second(queue.context())?;
            let program = program::<T, P>(&queue, self.plan, Variant { narrow: true, ..Variant::PLAIN })?;
            NarrowColumns::make(&queue, &program, &matrix.col_indices, (groups, items, starts), span)
        })
    }
}

impl Variant {
    /// y := alpha A x + beta y with adjacent elements.
    const PLAIN: Self = Variant { conjugated: false, adjacent: true, narrow: false };
}

fn program<T: Scalar, P: RowPointer>(queue: &Queue, plan: ProductPlan, variant: Variant) -> Result<Arc<Program>> {
    let (name, path, own): (_, _, &[_]) = match plan {
        ProductPlan::Segments { .. } => ("sparse product cpu", "sparse/product/product_cpu.cl", &[]),
        ProductPlan::Vector { width } => (
            "sparse product vector",
            "sparse/product/product_vector.cl",
            &[("THREADS", THREADS as i64), ("WIDTH", width as i64)],
        ),
        ProductPlan::Stream { items, .. } => (
            "sparse product stream",
            "sparse/product/product_stream.cl",
            &[
                ("THREADS", THREADS as i64),
                ("ITEMS", items as i64),
                ("ENTRY_WEIGHT", STREAM_WEIGHT as i64),
                ("COLUMNS_16", i64::from(variant.narrow)),
            ],
        ),
        ProductPlan::Merge { items, one_launch, .. } => (
            "sparse product merge",
            "sparse/product/product_merge.cl",
            &[
                ("THREADS", THREADS as i64),
                ("ITEMS", items as i64),
                ("MAX_UNSPLIT", MERGE_WHOLE as i64),
                ("ONE_LAUNCH", i64::from(one_launch)),
                ("NVIDIA", i64::from(queue.context().device().info().nvidia.inline_ptx)),
            ],
        ),
    };
    let common = [
        ("POINTER_IS_LONG", i64::from(P::LONG)),
        ("CONJUGATED", i64::from(variant.conjugated)),
        ("ADJACENT", i64::from(variant.adjacent)),
    ];
    let definitions = common.iter().chain(own).copied().collect();
    let source = ProgramSource { name, kind: T::KIND, root: source(path), definitions };
    queue.context().program(&source)
}

/// y := alpha A x + beta y on a device: returns as soon as the work is enqueued.
///
/// # Errors
/// [`crate::Error::MixedMemory`], [`crate::Error::PrecisionNotSupported`]: nothing was enqueued.
/// [`crate::Error::ProgramBuild`], [`crate::Error::OutOfDeviceMemory`], [`crate::Error::OpenCl`]: y is not to be used.
pub(crate) fn product_on<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrProduct<'_, T, P>,
    prepared: &PreparedProduct,
) -> Result<Event> {
    let y = (product.y.memory(), *product.y.shape());
    if product.alpha == T::ZERO {
        // BLAS: with alpha = 0 A and x are not read.
        let Some(operation) = elementwise::Elementwise::axpby(T::ZERO, product.beta) else {
            return Ok(Event::Complete);
        };
        return elementwise::enqueue(queue, &operation, None, y);
    }
    let event = launch_all(queue, product, prepared, |launch, groups, local| launch.enqueue(groups, local))?;
    queue.flush_events()?;
    Ok(event)
}

/// [`product_on`] with an alpha that is not 0, for a product that other commands follow: it makes no event, and is
/// handed to the device with those.
pub(crate) fn product_step_on<T: Scalar, P: RowPointer>(
    queue: &Queue,
    product: &CsrProduct<'_, T, P>,
    prepared: &PreparedProduct,
) -> Result<()> {
    launch_all(queue, product, prepared, |launch, groups, local| launch.enqueue_step(groups, local))
}

/// The launches of a product, of which `last` makes the last one.
fn launch_all<T: Scalar, P: RowPointer, R>(
    queue: &Queue,
    product: &CsrProduct<'_, T, P>,
    prepared: &PreparedProduct,
    last: impl Fn(Launch<'_>, [usize; 3], [usize; 3]) -> Result<R>,
) -> Result<R> {
    let adjacent = [product.x.shape().increment(), product.y.shape().increment()] == [1; 2];
    let narrow = prepared.narrow_columns(queue, &product.matrix)?;
    let variant = Variant { conjugated: product.conjugate, adjacent, narrow: narrow.is_some() };
    let program = prepared.program::<T, P>(queue, variant)?;
    let launch = |kernel| Launch::new(queue, &program, kernel).product(queue, product);
    let starts = || prepared.starts.as_ref().expect("the plan has them");
    let one = |groups, threads| ([groups, 1, 1], [threads, 1, 1]);
    match prepared.plan {
        ProductPlan::Vector { width } => {
            let (groups, local) = one(product.matrix.rows.div_ceil(THREADS / width), THREADS);
            last(launch("product_vector")?, groups, local)
        }
        ProductPlan::Stream { groups, .. } => {
            let (groups, local) = one(groups, THREADS);
            let launched = launch("product_stream")?.buffer(starts());
            let launched = match narrow {
                Some(narrow) => launched.buffer(&narrow.columns).buffer(&narrow.bases),
                None => launched,
            };
            last(launched, groups, local)
        }
        ProductPlan::Segments { count, items } => {
            // Heads, and then tails.
            let carried = Workspace::borrow(queue, (2 * count * size_of::<T>()) as u64)?;
            let (groups, local) = one(count, 1);
            let launched = launch("product_segments")?.index(count).index(items);
            launched.workspace(&carried).enqueue_step(groups, local)?;
            let launched = launch("product_carried")?.index(count).index(items);
            last(launched.workspace(&carried), [count.div_ceil(64), 1, 1], [64, 1, 1])
        }
        ProductPlan::Merge { segments, one_launch, .. } => {
            let mut all = prepared.carried.lock().unwrap_or_else(PoisonError::into_inner);
            // Heads, tails, and the numbers of groups that have arrived.
            let carried = QueueMemory::of(&mut all, queue, segments * (2 * size_of::<T>() + size_of::<i32>()))?;
            let (groups, local) = one(segments, THREADS);
            let launched = launch("product_merge")?.buffer(starts()).buffer(carried);
            if one_launch {
                return last(launched, groups, local);
            }
            launched.enqueue_step(groups, local)?;
            let launched = launch("merge_carried")?.index(segments).buffer(starts()).buffer(carried);
            let (groups, local) = one(segments.div_ceil(THREADS / CARRIED_STRANDS), THREADS);
            last(launched, groups, local)
        }
    }
}

/// Work-items of `merge_carried` for a segment: STRANDS there.
const CARRIED_STRANDS: usize = 32;

/// Sparse matrices and their products as arguments.
pub(crate) trait MatrixArguments: Sized {
    /// The arguments that all kernels of products begin with.
    fn product<T: Scalar, P: RowPointer>(self, queue: &Queue, product: &CsrProduct<'_, T, P>) -> Result<Self>;

    /// A matrix, as all kernels take it.
    fn matrix<T: Scalar, P: RowPointer>(self, queue: &Queue, matrix: &CsrRef<'_, T, P>) -> Result<Self>;
}

impl MatrixArguments for Launch<'_> {
    fn product<T: Scalar, P: RowPointer>(self, queue: &Queue, product: &CsrProduct<'_, T, P>) -> Result<Self> {
        let (x, y) = (&product.x, &product.y);
        let (x_memory, y_memory) = (device_buffer(queue, x.memory(), "x")?, device_buffer(queue, y.memory(), "y")?);
        let launch = self.matrix(queue, &product.matrix)?.scalar(product.alpha);
        let launch = launch.buffer(x_memory).index(x.shape().first()).step(x.shape().increment()).scalar(product.beta);
        Ok(launch.buffer(y_memory).index(y.shape().first()).step(y.shape().increment()))
    }

    fn matrix<T: Scalar, P: RowPointer>(self, queue: &Queue, matrix: &CsrRef<'_, T, P>) -> Result<Self> {
        let row_ptr = device_buffer(queue, matrix.row_ptr.memory(), "pointers")?;
        let col_indices = device_buffer(queue, matrix.col_indices.memory(), "indices")?;
        let values = device_buffer(queue, matrix.values.memory(), "values")?;
        let launch = self.index(matrix.rows).buffer(row_ptr).index(matrix.row_ptr.shape().first());
        let launch = launch.buffer(col_indices).index(matrix.col_indices.shape().first());
        Ok(launch.buffer(values).index(matrix.values.shape().first()))
    }
}
