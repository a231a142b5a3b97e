//! gemm of matrices in half precision on the host: blocks of them become floats, which are multiplied as floats.

use std::cell::Cell;

use faer::{MatMut, MatRef};
use half::slice::HalfFloatSliceExt;
use rayon::prelude::*;

use super::gemm;
use affinimath_core::threads::{available, shared};
use affinimath_core::{Half, Op};

/// Rows, columns and depth of a block, at most: three of them in floats are 48 MiB, whatever the matrices' sizes are.
const BLOCK: usize = 2048;

/// The same where C has few rows or columns: a block of a megabyte is read from a cache, which is all that is done to it.
const SKINNY_BLOCK: usize = 512;

/// Rows or columns that are few.
const FEW: usize = 32;

/// Elements from which several threads convert.
const SHARED: usize = 1 << 17;

/// Elements that are converted at a time where C is read.
const CHUNK: usize = 512;

/// `C := alpha op(A) op(B) + beta C` for matrices in half precision, stored with one stride of 1: sums, `alpha` and `beta` are `f32`, and
/// each element of C is rounded once to half precision, at the end.
///
/// With m = 0 or n = 0 nothing is done; with alpha = 0 or k = 0, A and B are not read and `C := beta C`; with beta = 0, C is not read.
///
/// # Panics
/// Where the sizes do not agree: the callers have checked them.
pub fn hgemm(op_a: Op, op_b: Op, alpha: f32, a: MatRef<'_, Half>, b: MatRef<'_, Half>, beta: f32, c: MatMut<'_, Half>) {
    let turned = |op: Op, x| if op.transposes() { MatRef::transpose(x) } else { x };
    let (a, b) = (turned(op_a, a), turned(op_b, b));
    let (m, n, k) = (c.nrows(), c.ncols(), a.ncols());
    assert!(
        a.nrows() == m && b.nrows() == k && b.ncols() == n,
        "hgemm: op(A) is {}x{k}, op(B) {}x{}, C {m}x{n}",
        a.nrows(),
        b.nrows(),
        b.ncols()
    );
    if m == 0 || n == 0 {
        return; // BLAS: an empty C is left as it is.
    }
    if alpha == 0.0 || k == 0 {
        return scale(beta, c); // BLAS: A and B are not read.
    }
    in_blocks(alpha, a, b, beta, c, if m.min(n) <= FEW { SKINNY_BLOCK } else { BLOCK });
}

/// The product in blocks of this size; tests take small ones.
fn in_blocks(alpha: f32, a: MatRef<'_, Half>, b: MatRef<'_, Half>, beta: f32, mut c: MatMut<'_, Half>, size: usize) {
    let (m, n, k) = (c.nrows(), c.ncols(), a.ncols());
    let (rows, columns, depth) = (size.min(m), size.min(n), size.min(k));
    let lines = [
        Lines::of(&a.submatrix(0, 0, rows, depth)),
        Lines::of(&b.submatrix(0, 0, depth, columns)),
        Lines::of(&c.as_ref().submatrix(0, 0, rows, columns)),
    ];
    let [a_floats, b_floats, c_floats] = lines.map(|lines| lines.elements());
    with_memory(a_floats + b_floats + c_floats, |memory| {
        let (memory, sums) = memory.split_at_mut(a_floats + b_floats);
        let (a_memory, b_memory) = memory.split_at_mut(a_floats);
        let (mut a_block, mut b_block) = (Floats::new(a_memory), Floats::new(b_memory));
        for column in (0..n).step_by(size) {
            for row in (0..m).step_by(size) {
                let (rows, columns) = (size.min(m - row), size.min(n - column));
                let c = c.as_mut().submatrix_mut(row, column, rows, columns);
                for inner in (0..k).step_by(size) {
                    let depth = size.min(k - inner);
                    let a = a_block.of((row, inner), a.submatrix(row, inner, rows, depth));
                    let b = b_block.of((inner, column), b.submatrix(inner, column, depth, columns));
                    // The first part of the depth replaces what is there.
                    let beta = if inner == 0 { 0.0 } else { 1.0 };
                    gemm(Op::NoTrans, Op::NoTrans, alpha, a, b, beta, sums_as(&c, sums));
                }
                round(sums, beta, c);
            }
        }
    });
}

/// A matrix as lines of adjacent elements: its columns, or its rows.
#[derive(Clone, Copy)]
struct Lines {
    length: usize,
    count: usize,
    by_columns: bool,
}

/// Elements between the end of a line of floats and the start of the next: lines of 1024 would lie a multiple of 4 KiB apart, where they
/// would contend for the same cache sets.
const PADDING: usize = 8;

impl Lines {
    fn of(matrix: &MatRef<'_, Half>) -> Self {
        let by_columns = lies_by_columns(matrix);
        let (length, count) =
            if by_columns { (matrix.nrows(), matrix.ncols()) } else { (matrix.ncols(), matrix.nrows()) };
        Lines { length, count, by_columns }
    }

    /// From a line of floats to the next one.
    const fn pitch(&self) -> usize {
        self.length + PADDING
    }

    /// Floats that the matrix takes.
    const fn elements(&self) -> usize {
        self.pitch() * self.count
    }
}

thread_local! {
    /// The memory of this thread's blocks, kept from call to call: fresh memory costs a page fault each 4 KiB.
    static KEPT: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Floats that are kept, at most: 16 MiB. In products that take more the faults are not seen.
const MOST_KEPT: usize = 4 << 20;

/// Calls `work` with so many floats of any value.
fn with_memory(floats: usize, work: impl FnOnce(&mut [f32])) {
    // A thread that waits for its part of a product may be given another product to compute meanwhile: taken, not borrowed.
    let mut memory = KEPT.take();
    if memory.len() < floats {
        memory = vec![0.0; floats];
    }
    work(&mut memory[..floats]);
    if memory.len() <= MOST_KEPT {
        KEPT.set(memory);
    }
}

/// A block of a matrix in floats.
struct Floats<'m> {
    memory: &'m mut [f32],
    /// Where in the matrix it begins, once there is one.
    place: Option<(usize, usize)>,
}

impl<'m> Floats<'m> {
    const fn new(memory: &'m mut [f32]) -> Self {
        Floats { memory, place: None }
    }

    /// The block that begins at this place of its matrix: converted, unless it is what is there.
    fn of(&mut self, place: (usize, usize), block: MatRef<'_, Half>) -> MatRef<'_, f32> {
        let lines = Lines::of(&block);
        let columns = if lines.by_columns { block } else { block.transpose() };
        if self.place != Some(place) {
            self.place = Some(place);
            in_lines(&mut self.memory[..lines.elements()], lines.pitch(), |first, floats| {
                for (j, line) in floats.chunks_exact_mut(lines.pitch()).enumerate() {
                    halves(columns, first + j).convert_to_f32_slice(&mut line[..lines.length]);
                }
            });
        }
        let floats = MatRef::from_column_major_slice_with_stride(self.memory, lines.length, lines.count, lines.pitch());
        if lines.by_columns { floats } else { floats.transpose() }
    }
}

/// Whether the elements of a column are adjacent: if not, those of a row are.
fn lies_by_columns(matrix: &MatRef<'_, Half>) -> bool {
    matrix.row_stride() == 1
}

/// A column of adjacent elements.
fn halves(lines: MatRef<'_, Half>, j: usize) -> &[Half] {
    assert!(lines.row_stride() == 1 || lines.nrows() == 1);
    // SAFETY: the column is part of the matrix, and its elements are adjacent.
    unsafe { std::slice::from_raw_parts(lines.col(j).as_ptr(), lines.nrows()) }
}

/// The sums as a matrix that lies as C does.
fn sums_as<'a>(c: &MatMut<'_, Half>, sums: &'a mut [f32]) -> MatMut<'a, f32> {
    let lines = Lines::of(&c.as_ref());
    let sums = MatMut::from_column_major_slice_with_stride_mut(sums, lines.length, lines.count, lines.pitch());
    if lines.by_columns { sums } else { sums.transpose_mut() }
}

/// Shares whole lines of floats out to threads, each with the number of its first line.
fn in_lines(floats: &mut [f32], pitch: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let threads = if floats.len() < SHARED { 1 } else { available() };
    if threads == 1 {
        return work(0, floats);
    }
    let lines = (floats.len() / pitch).div_ceil(threads);
    let lines_of = |(part, floats): (usize, &mut [f32])| work(part * lines, floats);
    shared(|| floats.par_chunks_mut(lines * pitch).enumerate().for_each(lines_of));
}

/// C := sums + beta C, rounded; with beta = 0, C is not read.
fn round(sums: &[f32], beta: f32, c: MatMut<'_, Half>) {
    let pitch = Lines::of(&c.as_ref()).pitch();
    on_lines(c, |j, line| {
        let sums = &sums[j * pitch..][..line.len()];
        if beta == 0.0 {
            return line.convert_from_f32_slice(sums);
        }
        for (line, sums) in line.chunks_mut(CHUNK).zip(sums.chunks(CHUNK)) {
            let mut floats = [0.0_f32; CHUNK];
            let floats = &mut floats[..line.len()];
            line.convert_to_f32_slice(floats);
            floats.iter_mut().zip(sums).for_each(|(old, sum)| *old = *sum + beta * *old);
            line.convert_from_f32_slice(floats);
        }
    });
}

/// `C := beta C`, where beta = 0 stores zeros without reading.
fn scale(beta: f32, c: MatMut<'_, Half>) {
    if beta == 1.0 {
        return;
    }
    on_lines(c, |_, line| {
        if beta == 0.0 {
            return line.fill(Half::ZERO);
        }
        line.iter_mut().for_each(|element| *element = Half::from_f32(beta * element.to_f32()));
    });
}

/// Does something to each line of adjacent elements, on several threads where it is worth it.
fn on_lines(c: MatMut<'_, Half>, work: impl Fn(usize, &mut [Half]) + Sync) {
    let c = if lies_by_columns(&c.as_ref()) { c } else { c.transpose_mut() };
    assert!(c.row_stride() == 1 || c.nrows() == 1);
    let (length, count) = (c.nrows(), c.ncols());
    let line = |(j, column): (usize, faer::ColMut<'_, Half>)| {
        // SAFETY: the column is part of the matrix, which is exclusive, and its elements are adjacent.
        work(j, unsafe { std::slice::from_raw_parts_mut(column.as_ptr_mut(), length) });
    };
    if length * count < SHARED || available() == 1 {
        c.col_iter_mut().enumerate().for_each(line);
    } else {
        shared(|| c.par_col_iter_mut().enumerate().for_each(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, whose sums are exact in floats.
    fn numbers(count: usize, seed: usize) -> Vec<Half> {
        (0..count).map(|index| Half::from_f32(((index * 7 + seed) % 9) as f32 - 4.0)).collect()
    }

    /// Blocks of any size give the product that is rounded once.
    #[test]
    fn blocks_are_exact() {
        let (m, n, k) = (13, 9, 17);
        let (a, b, before) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
        for case in 0..24 {
            let size = [4, 8, 13, 100][case % 4];
            let beta = [0.0, 1.0, -0.5][case % 3];
            let by_rows = [case % 2 == 0, case / 2 % 2 == 0, case / 4 % 2 == 0];
            let matrix = |data, rows, columns, by_rows| match by_rows {
                true => MatRef::from_row_major_slice(data, rows, columns),
                false => MatRef::from_column_major_slice(data, rows, columns),
            };
            let (a, b) = (matrix(&a, m, k, by_rows[0]), matrix(&b, k, n, by_rows[1]));
            let old = matrix(&before, m, n, by_rows[2]);
            let mut c = if beta == 0.0 { vec![Half::NAN; m * n] } else { before.clone() };
            let target = match by_rows[2] {
                true => MatMut::from_row_major_slice_mut(&mut c, m, n),
                false => MatMut::from_column_major_slice_mut(&mut c, m, n),
            };
            in_blocks(3.0, a, b, beta, target, size);
            let c = matrix(&c, m, n, by_rows[2]);
            for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
                let sum: f32 = (0..k).map(|p| a[(i, p)].to_f32() * b[(p, j)].to_f32()).sum();
                let old = if beta == 0.0 { 0.0 } else { beta * old[(i, j)].to_f32() };
                assert_eq!(c[(i, j)], Half::from_f32(3.0 * sum + old), "({i}, {j}) of case {case}");
            }
        }
    }

    /// Enough elements for several threads, in lines that they do not share evenly.
    #[test]
    fn threads_convert_all_lines() {
        let (rows, columns) = (1001, 531);
        let data = numbers(rows * columns, 5);
        let matrix = MatRef::from_column_major_slice(&data, rows, columns);
        let lines = Lines::of(&matrix);
        assert!(lines.elements() > SHARED);
        let mut memory = vec![f32::NAN; lines.elements()];
        let mut block = Floats::new(&mut memory);
        let floats = block.of((0, 0), matrix);
        assert!((0..columns).all(|j| (0..rows).all(|i| floats[(i, j)] == matrix[(i, j)].to_f32())));
        let sums: Vec<f32> = memory.iter().map(|x| 2.0 * x).collect();
        let mut c = data.clone();
        round(&sums, -1.0, MatMut::from_column_major_slice_mut(&mut c, rows, columns));
        assert_eq!(c, data);
    }
}
