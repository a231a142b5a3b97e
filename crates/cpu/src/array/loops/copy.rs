//! Copies between memory with strides and blocks.

/// Copies `n` elements of `N` bytes between neighbours at the given strides, in elements.
///
/// # Safety
/// The elements are there, and those written are apart from those read.
#[inline(always)]
unsafe fn copy_of_size<T: Copy>(from: *const u8, from_stride: isize, to: *mut u8, to_stride: isize, n: usize) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: by contract: the elements.
    unsafe {
        match (from_stride, to_stride) {
            (1, 1) => to.copy_from_nonoverlapping(from, n),
            (0, 1) => std::slice::from_raw_parts_mut(to, n).fill(*from),
            (_, 1) => (0..n).for_each(|i| to.add(i).write(*from.offset(i as isize * from_stride))),
            _ => (0..n as isize).for_each(|i| to.offset(i * to_stride).write(*from.offset(i * from_stride))),
        }
    }
}

/// Copies `n` elements of the given size between neighbours at the given strides, in elements.
///
/// # Safety
/// The elements are there, and those written are apart from those read.
pub unsafe fn copy_strided(
    bytes: usize,
    (from, from_stride): (*const u8, isize),
    (to, to_stride): (*mut u8, isize),
    n: usize,
) {
    // SAFETY: by contract: the elements.
    unsafe {
        match bytes {
            1 => copy_of_size::<u8>(from, from_stride, to, to_stride, n),
            4 => copy_of_size::<u32>(from, from_stride, to, to_stride, n),
            _ => copy_of_size::<u64>(from, from_stride, to, to_stride, n),
        }
    }
}

/// Copies elements of `rows` rows and `columns` columns, at the strides of rows and of columns in elements, to adjacent
/// ones of rows that lie `pitch` bytes apart.
///
/// # Safety
/// The elements are there, and those written are apart from those read.
pub unsafe fn copy_transposed(
    bytes: usize,
    (from, strides): (*const u8, [isize; 2]),
    (to, pitch): (*mut u8, usize),
    rows: usize,
    columns: usize,
) {
    // SAFETY: by contract: the elements.
    unsafe {
        match bytes {
            1 => transpose::<u8>(from, strides, to, pitch, rows, columns),
            4 => transpose::<u32>(from, strides, to, pitch, rows, columns),
            8 => transpose::<u64>(from, strides, to, pitch, rows, columns),
            _ => transpose::<[u64; 2]>(from, strides, to, pitch, rows, columns),
        }
    }
}

/// Copies a column, which lies in few cache lines, before the next one.
///
/// # Safety
/// As for [`copy_transposed`].
#[inline(always)]
unsafe fn transpose<T: Copy>(
    from: *const u8,
    [row_stride, column_stride]: [isize; 2],
    to: *mut u8,
    pitch: usize,
    rows: usize,
    columns: usize,
) {
    let from = from.cast::<T>();
    for column in 0..columns {
        // SAFETY: by contract: the elements. Parts of complex ones may be aligned less than the words.
        unsafe {
            let from = from.wrapping_offset(column as isize * column_stride);
            let to = to.add(column * size_of::<T>());
            for row in 0..rows {
                let value = from.wrapping_offset(row as isize * row_stride).read_unaligned();
                to.add(row * pitch).cast::<T>().write_unaligned(value);
            }
        }
    }
}

/// Fills `n` elements of the given size with the element at `from`.
///
/// # Safety
/// The elements are there, apart from the one.
pub unsafe fn fill(bytes: usize, from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: by contract: the elements.
    unsafe { copy_strided(bytes, (from, 0), (to, 1), n) }
}

/// Copies the parts of `n` complex elements, at a stride in elements, to two arrays; a null one is left out.
///
/// # Safety
/// The elements are there, and those written are apart from those read.
pub unsafe fn split_parts(part_bytes: usize, (from, stride): (*const u8, isize), to: [*mut u8; 2], n: usize) {
    for (part, to) in to.into_iter().enumerate().filter(|(_, to)| !to.is_null()) {
        // SAFETY: by contract: the elements, each of two parts.
        unsafe { copy_strided(part_bytes, (from.add(part * part_bytes), 2 * stride), (to, 1), n) };
    }
}

/// Copies two arrays to the parts of `n` complex elements, at a stride in elements. A part's step is 1, or 0 for one
/// value.
///
/// # Safety
/// The elements are there, and those written are apart from those read.
pub unsafe fn join_parts(part_bytes: usize, from: [(*const u8, isize); 2], (to, stride): (*mut u8, isize), n: usize) {
    for (part, from) in from.into_iter().enumerate() {
        // SAFETY: by contract: the elements, each of two parts.
        unsafe { copy_strided(part_bytes, from, (to.add(part * part_bytes), 2 * stride), n) };
    }
}

/// Writes `first`, `first + 1`, ... to `n` integers.
///
/// # Safety
/// There is memory for them.
pub unsafe fn ramp(first: i64, to: *mut i64, n: usize) {
    // SAFETY: by contract: the memory.
    unsafe { (0..n).for_each(|i| to.add(i).write(first + i as i64)) }
}
