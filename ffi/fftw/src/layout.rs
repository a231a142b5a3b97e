//! Layouts from the arguments of FFTW's interfaces: basic, many and guru.

use std::ffi::c_int;

use crate::pass::{Dim, Parts};
use crate::program::Transform;

/// Dimensions of the transform and of the loop, with strides in real values.
pub(crate) struct Layout {
    pub(crate) dims: Vec<Dim>,
    pub(crate) loops: Vec<Dim>,
}

/// The arrays of a plan.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<R> {
    pub(crate) from: Parts<R>,
    pub(crate) to: Parts<R>,
    /// Given as split arrays.
    pub(crate) split: bool,
}

/// `fftw_iodim`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct IoDim {
    pub(crate) n: c_int,
    pub(crate) is: c_int,
    pub(crate) os: c_int,
}

/// `fftw_iodim64`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct IoDim64 {
    pub(crate) n: isize,
    pub(crate) is: isize,
    pub(crate) os: isize,
}

/// Length and strides of a guru dimension.
pub(crate) trait Dimension: Copy {
    fn parts(self) -> [isize; 3];
}

impl Dimension for IoDim {
    fn parts(self) -> [isize; 3] {
        [self.n, self.is, self.os].map(|x| x as isize)
    }
}

impl Dimension for IoDim64 {
    fn parts(self) -> [isize; 3] {
        [self.n, self.is, self.os]
    }
}

/// The rank of FFTW's empty tensor.
const NO_RANK: c_int = c_int::MAX;

impl<R> Arrays<R> {
    /// Interleaved complex or real arrays, by the widths of the transform.
    pub(crate) fn new(transform: &Transform, from: *mut R, to: *mut R) -> Self {
        let parts = |array: *mut R, width: usize| match width {
            1 => Parts::real(array),
            _ => Parts { re: array, im: array.wrapping_add(1) },
        };
        let [before, after] = transform.widths();
        Arrays { from: parts(from, before), to: parts(to, after), split: false }
    }
}

/// `count` values from `values` on; none of a negative count or a null pointer.
///
/// # Safety
/// The values are valid for reads.
pub(crate) unsafe fn list<'a, T>(values: *const T, count: c_int) -> Option<&'a [T]> {
    match usize::try_from(count).ok()? {
        0 => Some(&[]),
        _ if values.is_null() => None,
        // SAFETY: the contracts are the same.
        count => Some(unsafe { std::slice::from_raw_parts(values, count) }),
    }
}

/// One side of [`many`].
pub(crate) struct Embedding<'a> {
    /// Lengths of the array that the points are part of.
    pub(crate) lengths: Option<&'a [c_int]>,
    pub(crate) stride: c_int,
    pub(crate) distance: c_int,
}

impl Embedding<'static> {
    /// A dense array.
    pub(crate) fn dense() -> Self {
        Embedding { lengths: None, stride: 1, distance: 0 }
    }
}

/// The layout of the basic and the many interface: row-major arrays.
pub(crate) fn many(
    transform: &Transform,
    n: &[c_int],
    howmany: c_int,
    sides: [Embedding<'_>; 2],
    in_place: bool,
) -> Option<Layout> {
    let lengths: Vec<_> = n.iter().map(|n| usize::try_from(*n).ok().filter(|n| *n > 0)).collect::<Option<_>>()?;
    let howmany = usize::try_from(howmany).ok()?;
    let widths = transform.widths();
    let strides = [0, 1].map(|side| {
        let embedding = &sides[side];
        let physical = match embedding.lengths {
            Some(lengths) => lengths.to_vec(),
            None => padded(transform, n, side, in_place)?,
        };
        row_major(&physical, widths[side] as isize * embedding.stride as isize)
    });
    let [from, to] = strides;
    let (from, to) = (from?, to?);
    let dims = lengths.iter().zip(from.into_iter().zip(to)).map(|(n, (from, to))| Dim { n: *n, from, to });
    let [from, to] = [0, 1].map(|side| widths[side] as isize * sides[side].distance as isize);
    Some(Layout { dims: dims.collect(), loops: vec![Dim { n: howmany, from, to }] })
}

/// Lengths of an array that is not said to be embedded: half of the last axis on the complex side of a real transform,
/// and the real side padded to it in place.
fn padded(transform: &Transform, n: &[c_int], side: usize, in_place: bool) -> Option<Vec<c_int>> {
    let mut lengths = n.to_vec();
    let complex = transform.widths()[side] == 2;
    if let Some(last) = lengths.last_mut()
        && transform.is_halved()
    {
        let half = *last / 2 + 1;
        match (complex, in_place) {
            (true, _) => *last = half,
            (false, true) => *last = half.checked_mul(2)?,
            _ => {}
        }
    }
    Some(lengths)
}

fn row_major(lengths: &[c_int], stride: isize) -> Option<Vec<isize>> {
    let mut strides = vec![stride; lengths.len()];
    for axis in (1..lengths.len()).rev() {
        strides[axis - 1] = strides[axis].checked_mul(lengths[axis] as isize)?;
    }
    Some(strides)
}

/// The layout of the guru interface; split arrays have strides in real values.
///
/// # Safety
/// The dimensions are valid for reads.
pub(crate) unsafe fn guru<D: Dimension>(
    transform: &Transform,
    (rank, dims): (c_int, *const D),
    (howmany_rank, howmany_dims): (c_int, *const D),
    split: bool,
) -> Option<Layout> {
    let widths = if split { [1, 1] } else { transform.widths() };
    let dimension = |dim: &D| {
        let [n, from, to] = dim.parts();
        let n = usize::try_from(n).ok()?;
        Some(Dim { n, from: from.checked_mul(widths[0] as isize)?, to: to.checked_mul(widths[1] as isize)? })
    };
    if rank == NO_RANK {
        return None;
    }
    // SAFETY: by contract, the dimensions are valid for reads.
    let dims: Vec<_> = unsafe { list(dims, rank) }?.iter().map(dimension).collect::<Option<_>>()?;
    if dims.iter().any(|dim| dim.n == 0) {
        return None;
    }
    if howmany_rank == NO_RANK {
        return Some(Layout { dims, loops: vec![Dim { n: 0, from: 0, to: 0 }] });
    }
    // SAFETY: as above.
    let loops = unsafe { list(howmany_dims, howmany_rank) }?.iter().map(dimension).collect::<Option<_>>()?;
    Some(Layout { dims, loops })
}
