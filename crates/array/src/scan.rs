//! Running sums and products along an axis: the order in which elements are joined, and its launches.
//!
//! Pencils are cut into chunks of [`CHUNK`] elements. Each chunk is scanned from its first element on; the chunks'
//! last results are scanned in the same way; and each chunk but the first joins the result of those before it, as the
//! left operand. The order follows from the shape alone, so that hosts and devices give the same bits.
//!
//! Devices reduce, then scan (Merrill and Garland 2016 name the scheme): one pass reads the elements for the chunks'
//! last results, and a second one reads them again and writes the result. Memory moves three times.
//!
//! ```text
//!   GPU   Tiles     few pencils side by side    tiles of whole chunks in local memory, a chunk for each work-item
//!         Columns   many                        a chunk for each work-item: neighbours are neighbours in memory
//!   CPU   Chains    few                         CHAINS chunks at once, so that their sums overlap
//!         Rows      many                        vectors across pencils
//! ```

use super::element::ElementType;
use super::function::Reduction;
use super::lower::{DeviceClass, DeviceKind};

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

/// A kernel of scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The type of the elements in memory.
    pub element: ElementType,
    /// The sum or the product.
    pub reduction: Reduction,
    /// The part of the work.
    pub pass: Pass,
    /// Its distribution.
    pub form: Form,
    /// True if indices have 64 bits, else 32.
    pub is_wide: bool,
}

/// The part of a scan that a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Buffers x, totals: the last result of each chunk.
    Totals,
    /// Buffers x, y: the results of pencils of one chunk.
    Whole,
    /// Buffers x, y, carries: the results of chunks, joined with the scanned totals of those before.
    Chunks,
}

/// The distribution of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Tiles in a GPU's local memory.
    Tiles,
    /// A chunk for each work-item of a GPU.
    Columns,
    /// A work-item's chunks of a CPU, several at once.
    Chains,
    /// A work-item's chunks of a CPU, in vectors across pencils.
    Rows,
}

/// A launch of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassLaunch {
    /// The kernel.
    pub variant: Variant,
    /// Work-groups.
    pub groups: usize,
    /// Work-items of a group.
    pub items: usize,
    /// The numbers after the buffers, of the kernel's index type.
    pub numbers: [i64; NUMBERS],
}

/// Numbers of a kernel: the first elements of x and y, extents, chunks of a pencil, all chunks, the end of the work,
/// and the part of a group or a work-item.
pub(crate) const NUMBERS: usize = 8;
pub(crate) const NUMBER_NAMES: [&str; NUMBERS] =
    ["offset_x", "offset_y", "length", "inner", "chunks", "count", "end", "part"];

/// Chunks that a CPU's work-item scans at once.
pub(crate) const CHAINS: usize = 8;
/// Neighbouring pencils that a CPU's work-item scans at once.
pub(crate) const LANES: usize = 256;
/// Bytes of a CPU's vector.
pub(crate) const VECTOR_BYTES: usize = 64;

/// Neighbouring pencils up to which tiles pay: more of them fill a transaction of memory by themselves.
const MAX_TILE_INNER: usize = 16;
/// Work-items of a group without tiles.
const COLUMN_ITEMS: usize = 128;
/// Work-items of a CPU's core, so that cores finish together.
const ITEMS_PER_UNIT: usize = 4;
/// Elements below which a CPU's work-item gets no smaller part.
const MIN_PART: usize = 4096;
/// Elements up to which indices have 32 bits: groups may reach beyond the last one.
const MAX_NARROW: usize = (1 << 31) - (1 << 20);

/// Work-items of a group with a tile of as many chunks, in at most 32 KiB of local memory.
pub(crate) const fn tile_items(element: ElementType) -> usize {
    if element.bytes() > 4 { 32 } else { 64 }
}

/// The pencils and the element type of an equivalent scan: a sum of complex elements is one of their parts.
pub fn by_parts(element: ElementType, reduction: Reduction, pencils: Pencils) -> (ElementType, Pencils) {
    match reduction {
        Reduction::Sum if element.is_complex() => (element.part(), Pencils { inner: 2 * pencils.inner, ..pencils }),
        _ => (element, pencils),
    }
}

impl PassLaunch {
    /// The launch of a pass over pencils whose elements begin at offsets of x and y.
    pub fn new(
        (element, reduction): (ElementType, Reduction),
        pass: Pass,
        pencils: Pencils,
        offsets: [usize; 2],
        device: &DeviceClass,
    ) -> Self {
        let Pencils { outer, length, inner } = pencils;
        let chunks = pencils.totals().length;
        let count = outer * chunks * inner;
        let vector = VECTOR_BYTES / element.bytes();
        let (form, groups, items, [end, part]) = match device.kind {
            DeviceKind::Gpu if inner <= MAX_TILE_INNER => {
                let items = tile_items(element);
                let part = items / inner * inner;
                (Form::Tiles, count.div_ceil(part), items, [pencils.len(), part])
            }
            DeviceKind::Gpu => (Form::Columns, count.div_ceil(COLUMN_ITEMS), COLUMN_ITEMS, [count, 1]),
            DeviceKind::Cpu if inner < vector || element.is_complex() => {
                let (groups, units, part) =
                    shares(outer * chunks.div_ceil(CHAINS), pencils.len(), device.compute_units);
                (Form::Chains, groups, 1, [units, part])
            }
            DeviceKind::Cpu => {
                let (groups, units, part) =
                    shares(outer * chunks * inner.div_ceil(LANES), pencils.len(), device.compute_units);
                (Form::Rows, groups, 1, [units, part])
            }
        };
        let reach = pencils.len().saturating_add(offsets[0].max(offsets[1]));
        // A CPU's addresses have 64 bits, and conversions cost instructions.
        let is_wide = device.kind == DeviceKind::Cpu || reach > MAX_NARROW;
        let numbers = [offsets[0], offsets[1], length, inner, chunks, count, end, part].map(|number| number as i64);
        let variant = Variant { element, reduction, pass, form, is_wide };
        PassLaunch { variant, groups, items, numbers }
    }
}

/// Work-items, units, and units of a work-item.
fn shares(units: usize, elements: usize, compute_units: usize) -> (usize, usize, usize) {
    let items = ITEMS_PER_UNIT * compute_units.max(1);
    let min_part = (units * MIN_PART).div_ceil(elements);
    let part = units.div_ceil(items).max(min_part).min(units);
    (units.div_ceil(part), units, part)
}

impl Pass {
    /// The name of the kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Pass::Totals => "scan_totals",
            Pass::Whole => "scan_whole",
            Pass::Chunks => "scan_chunks",
        }
    }
}
