//! Products with blocks on the diagonal, on a device.

use crate::blas::device_buffer;
use crate::context::{ContextParts, Queue, QueueParts};
use crate::device::{DeviceClass, DeviceInfo};
use crate::error::Result;
use crate::launch::Launch;
use crate::memory::Buffer;
use crate::options::Op;
use crate::program::{ProgramSource, source};
use crate::scalar::Scalar;
use crate::view::{VectorMut, VectorRef, View};

/// Rows of a CPU's work-item, and work-items of a GPU's group, each with a row.
const CPU_CHUNK: usize = 1024;
const GPU_THREADS: usize = 64;

/// y := op(B) x for a matrix B of square blocks on its diagonal.
#[derive(Debug)]
pub(crate) struct BlockProduct<'a, T> {
    /// The blocks one after another, each by columns; on a device, as [`by_rows`] says.
    pub(crate) blocks: &'a Buffer<T>,
    /// The order of each.
    pub(crate) size: usize,
    pub(crate) op: Op,
    pub(crate) x: VectorRef<'a, T>,
    pub(crate) y: VectorMut<'a, T>,
}

/// True if a device has blocks by rows: a CPU's work-item goes along rows, and a GPU's neighbours take neighbouring
/// ones.
pub(crate) fn by_rows(device: &DeviceInfo) -> bool {
    device.class == DeviceClass::Cpu
}

/// The product on a device: returns as soon as the work is enqueued.
///
/// # Errors
/// The errors of [`super::product_on`].
pub(crate) fn block_product_on<T: Scalar>(queue: &Queue, product: &BlockProduct<'_, T>) -> Result<()> {
    let context = queue.context();
    let device = context.device().info();
    device.require(T::KIND)?;
    let definitions = vec![
        ("ALONG", i64::from(by_rows(device) != product.op.transposes())),
        ("CONJUGATED", i64::from(product.op.conjugates() && T::KIND.is_complex())),
    ];
    let source = ProgramSource {
        name: "sparse diagonal blocks",
        kind: T::KIND,
        root: source("sparse/precondition/blocks.cl"),
        definitions,
    };
    let program = context.program(&source)?;
    let (x, y) = (device_buffer(queue, product.x.memory(), "x")?, device_buffer(queue, product.y.memory(), "y")?);
    let blocks = product.blocks.on_device().expect("the blocks lie on a device");
    let (chunk, threads) = if device.class == DeviceClass::Cpu { (CPU_CHUNK, 1) } else { (1, GPU_THREADS) };
    let n = product.y.length();
    let launch = Launch::new(queue, &program, "block_product").index(n).index(product.size).index(chunk).buffer(blocks);
    let launch = launch.buffer(x).index(product.x.shape().first()).step(product.x.shape().increment());
    let launch = launch.buffer(y).index(product.y.shape().first()).step(product.y.shape().increment());
    launch.enqueue_step([n.div_ceil(chunk * threads), 1, 1], [threads, 1, 1])?;
    queue.flush()
}
