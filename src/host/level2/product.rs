//! Matrix times vector on the host, for every form in which level 2 stores a matrix.
//!
//! The sums of a chunk of the result stay in the first-level cache while the matrix is streamed past them, four columns
//! at a time. A symmetric matrix is read once: its elements serve in both of their places.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::{BYTES_PER_THREAD, host};
use crate::blas::level1::Elementwise;
use crate::blas::level2::Stored;
use crate::blas::level2::product::{Product, ProductProblem};
use crate::host::level1::{Strand, elementwise};
use crate::host::threads;
use crate::scalar::Scalar;

/// Columns at a time.
const STEP: usize = 4;
/// Independent sums of a dot product: what the compiler turns into vectors.
const LANES: usize = 4;
/// Elements of the result whose sums are kept at a time.
const CHUNK: usize = 1024;

/// y := alpha op(A) x + beta y, or x := op(A) x, for operands in the host's memory.
pub(crate) fn product<T: Scalar>(product: &Product<'_, T>) {
    let (a, x, y) = (host(product.a), host(product.x), host(product.y));
    if product.changes_nothing() {
        return;
    }
    let problem = &product.problem;
    // SAFETY: the views hold their vectors, and nobody else touches y; in place, x is copied before y is written.
    let (x, y) = unsafe { (Strand::new(x, &problem.x), Strand::new(y, &problem.y)) };
    if product.alpha == T::ZERO {
        // BLAS: A and x are not read.
        if let Some(operation) = Elementwise::axpby(T::ZERO, product.beta) {
            elementwise(&operation, None, y);
        }
        return;
    }
    let x = match x.as_slice() {
        Some(x) if !problem.in_place() => Cow::Borrowed(x),
        // SAFETY: the strand holds its elements.
        _ => Cow::Owned((0..x.length()).map(|i| unsafe { *x.at(i) }).collect()),
    };
    let matrix = Matrix::new(a, problem);
    let result = Output { y, alpha: product.alpha, beta: product.beta };
    if problem.conjugate {
        multiply::<T, true>(problem, &matrix, &x, &result)
    } else {
        multiply::<T, false>(problem, &matrix, &x, &result)
    }
}

fn multiply<T: Scalar, const CONJUGATE: bool>(
    problem: &ProductProblem,
    matrix: &Matrix<T>,
    x: &[T],
    output: &Output<T>,
) {
    let bytes = problem.elements().saturating_mul(size_of::<T>());
    let parts = threads::available().min(bytes / BYTES_PER_THREAD).max(1);
    let n = problem.y.length();
    if problem.along_row() && problem.along_column() {
        return symmetric::<T, CONJUGATE>(problem, matrix, x, output, parts);
    }
    let along = problem.along_row();
    // Enough chunks to occupy the threads, also where a triangle's differ.
    let length = if parts == 1 { CHUNK } else { n.div_ceil(8 * parts).next_multiple_of(16).min(CHUNK) };
    let chunk = |index: usize| {
        let range = index * length..n.min((index + 1) * length);
        let mut sums = [T::ZERO; CHUNK];
        let sums = &mut sums[..range.len()];
        if along {
            matrix.along::<CONJUGATE>(range.clone(), x, sums);
        } else {
            matrix.across::<CONJUGATE>(range.clone(), x, sums);
        }
        output.store(range, sums);
    };
    let count = n.div_ceil(length);
    if parts == 1 { (0..count).for_each(chunk) } else { (0..count).into_par_iter().for_each(chunk) }
}

/// A part of the columns per thread, each with a result of its own; these are added up in their order.
fn symmetric<T: Scalar, const CONJUGATE: bool>(
    problem: &ProductProblem,
    matrix: &Matrix<T>,
    x: &[T],
    output: &Output<T>,
    parts: usize,
) {
    let n = problem.y.length();
    let hermitian = problem.hermitian();
    // Two chunks each, as far from one end as from the other: together they are the same share of a triangle.
    let length = n.div_ceil(2 * parts);
    let part = |index: usize| {
        let mut sums = vec![T::ZERO; n];
        for chunk in [index, 2 * parts - 1 - index] {
            let columns = n.min(chunk * length)..n.min((chunk + 1) * length);
            matrix.both::<CONJUGATE>(columns, x, hermitian, &mut sums);
        }
        sums
    };
    let mut sums: Vec<Vec<T>> = if parts == 1 { vec![part(0)] } else { (0..parts).into_par_iter().map(part).collect() };
    let (first, others) = sums.split_at_mut(1);
    for other in others {
        first[0].iter_mut().zip(other).for_each(|(sum, part)| *sum += *part);
    }
    output.store(0..n, &first[0]);
}

/// Where the result goes: y := alpha sums + beta y.
struct Output<T> {
    y: Strand<T>,
    alpha: T,
    beta: T,
}

impl<T: Scalar> Output<T> {
    fn store(&self, range: Range<usize>, sums: &[T]) {
        let (alpha, beta) = (self.alpha, self.beta);
        for (i, sum) in range.zip(sums) {
            // SAFETY: the strand holds its elements, and each range is stored by one thread.
            let y = unsafe { &mut *self.y.at(i) };
            // BLAS: with beta = 0, y is not read.
            *y = if beta == T::ZERO { alpha * *sum } else { alpha * *sum + beta * *y };
        }
    }
}

/// What is stored, and the diagonals that are multiplied where they stand.
struct Matrix<T> {
    start: *const T,
    stored: Stored,
    above: isize,
    below: isize,
}

// SAFETY: it is only read.
unsafe impl<T: Sync> Sync for Matrix<T> {}

impl<T: Scalar> Matrix<T> {
    fn new(start: *const T, problem: &ProductProblem) -> Self {
        let (above, below) = problem.diagonals();
        Matrix { start, stored: problem.stored, above, below }
    }

    /// Elements of a column, all of which must be stored.
    fn column(&self, j: usize, rows: Range<usize>) -> &[T] {
        if rows.is_empty() {
            return &[];
        }
        debug_assert!(self.stored.rows_of(j).start <= rows.start && rows.end <= self.stored.rows_of(j).end);
        // SAFETY: the view holds the stored elements of the matrix, and those of a column are adjacent.
        unsafe { std::slice::from_raw_parts(self.start.add(self.stored.place(rows.start, j)), rows.len()) }
    }

    /// The rows within `limits` in which column j is multiplied where it stands.
    fn own_rows(&self, j: usize, limits: &Range<usize>) -> Range<usize> {
        let begin = (j as isize - self.above).max(limits.start as isize);
        let end = (j as isize + self.below + 1).min(limits.end as isize).max(begin);
        begin as usize..end as usize
    }

    /// The rows in which the columns from j on all are: within the own rows of each, unless it is empty.
    fn common_rows(&self, j: usize, limits: &Range<usize>) -> Range<usize> {
        let begin = self.own_rows(j + STEP - 1, limits).start;
        let end = self.own_rows(j, limits).end;
        begin..end.max(begin)
    }

    /// The columns that have a row of the range.
    fn columns_of(&self, rows: &Range<usize>) -> Range<usize> {
        let begin = (rows.start as isize - self.below).max(0);
        let end = (rows.end as isize + self.above).min(self.stored.columns as isize).max(begin);
        begin as usize..end as usize
    }

    /// Calls `all` for each few columns and the rows that they have in common, and `one` for each column and rows that
    /// remain.
    fn walk(
        &self,
        columns: Range<usize>,
        rows: &Range<usize>,
        mut all: impl FnMut(usize, Range<usize>),
        mut one: impl FnMut(usize, Range<usize>),
    ) {
        let mut j = columns.start;
        while j + STEP <= columns.end {
            let common = self.common_rows(j, rows);
            if common.is_empty() {
                (j..j + STEP).for_each(|j| one(j, self.own_rows(j, rows)));
            } else {
                all(j, common.clone());
                for j in j..j + STEP {
                    let own = self.own_rows(j, rows);
                    one(j, own.start..common.start);
                    one(j, common.end..own.end);
                }
            }
            j += STEP;
        }
        (j..columns.end).for_each(|j| one(j, self.own_rows(j, rows)));
    }

    /// sums := the sums along the given rows.
    fn along<const CONJUGATE: bool>(&self, rows: Range<usize>, x: &[T], sums: &mut [T]) {
        let (first, columns) = (rows.start, self.columns_of(&rows));
        let sums = std::cell::Cell::from_mut(sums);
        let all = |j: usize, range: Range<usize>| {
            let [a, b, c, d] = std::array::from_fn(|s| self.column(j + s, range.clone()));
            let [p, q, r, s] = std::array::from_fn(|s| x[j + s]);
            let sums = &sums.as_slice_of_cells()[range.start - first..range.end - first];
            for ((((sum, a), b), c), d) in sums.iter().zip(a).zip(b).zip(c).zip(d) {
                let value = |a: &T| if CONJUGATE { a.conjugate() } else { *a };
                sum.set(sum.get() + value(a) * p + value(b) * q + value(c) * r + value(d) * s);
            }
        };
        let one = |j: usize, range: Range<usize>| {
            let column = self.column(j, range.clone());
            if column.is_empty() {
                return;
            }
            let sums = &sums.as_slice_of_cells()[range.start - first..range.end - first];
            for (sum, a) in sums.iter().zip(column) {
                sum.set(sum.get() + if CONJUGATE { a.conjugate() } else { *a } * x[j]);
            }
        };
        self.walk(columns, &rows, all, one);
    }

    /// sums := the sums along the given columns.
    fn across<const CONJUGATE: bool>(&self, columns: Range<usize>, x: &[T], sums: &mut [T]) {
        let first = columns.start;
        let sums = std::cell::Cell::from_mut(sums).as_slice_of_cells();
        let add = |j: usize, value: T| sums[j - first].set(sums[j - first].get() + value);
        let all = |j: usize, range: Range<usize>| {
            let columns = std::array::from_fn(|s| self.column(j + s, range.clone()));
            let totals = dot_products::<T, CONJUGATE>(columns, &x[range]);
            totals.into_iter().enumerate().for_each(|(s, total)| add(j + s, total));
        };
        let one = |j: usize, range: Range<usize>| {
            let column = self.column(j, range.clone());
            if !column.is_empty() {
                add(j, dot_product::<T, CONJUGATE>(column, &x[range]));
            }
        };
        self.walk(columns, &(0..self.stored.rows), all, one);
    }

    /// sums += what the given columns of a symmetric matrix give, in both places of their elements.
    fn both<const CONJUGATE: bool>(&self, columns: Range<usize>, x: &[T], hermitian: bool, sums: &mut [T]) {
        let sums = std::cell::Cell::from_mut(sums).as_slice_of_cells();
        let add = |j: usize, value: T| sums[j].set(sums[j].get() + value);
        let mirrored = |a: T| if hermitian && !CONJUGATE { a.conjugate() } else { a };
        let direct = |a: T| if CONJUGATE { a.conjugate() } else { a };
        let all = |j: usize, range: Range<usize>| {
            let columns: [&[T]; STEP] = std::array::from_fn(|s| self.column(j + s, range.clone()));
            let factors: [T; STEP] = std::array::from_fn(|s| x[j + s]);
            let mut totals = [[T::ZERO; LANES]; STEP];
            let (sums, x) = (&sums[range.clone()], &x[range]);
            let whole = x.len() / LANES * LANES;
            for i in (0..whole).step_by(LANES) {
                let x: &[T; LANES] = x[i..i + LANES].try_into().expect("as long");
                let mut sum: [T; LANES] = std::array::from_fn(|lane| sums[i + lane].get());
                for s in 0..STEP {
                    let a: &[T; LANES] = columns[s][i..i + LANES].try_into().expect("as long");
                    for lane in 0..LANES {
                        sum[lane] += direct(a[lane]) * factors[s];
                        totals[s][lane] += mirrored(a[lane]) * x[lane];
                    }
                }
                (0..LANES).for_each(|lane| sums[i + lane].set(sum[lane]));
            }
            for i in whole..x.len() {
                for s in 0..STEP {
                    sums[i].set(sums[i].get() + direct(columns[s][i]) * factors[s]);
                    totals[s][0] += mirrored(columns[s][i]) * x[i];
                }
            }
            (0..STEP).for_each(|s| add(j + s, sum_of(totals[s])));
        };
        let one = |j: usize, range: Range<usize>| {
            let (factor, mut total) = (x[j], T::ZERO);
            for (i, a) in range.clone().zip(self.column(j, range)) {
                add(i, direct(*a) * factor);
                total += mirrored(*a) * x[i];
            }
            add(j, total);
        };
        self.walk(columns.clone(), &(0..self.stored.rows), all, one);
        for j in columns {
            let value = self.column(j, j..j + 1)[0];
            let value = if hermitian { T::from_parts(value.re(), 0.0) } else { value };
            add(j, value * x[j]);
        }
    }
}

fn sum_of<T: Scalar>(lanes: [T; LANES]) -> T {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The dot products of columns with x, in lanes that are added up at the end.
fn dot_products<T: Scalar, const CONJUGATE: bool>(columns: [&[T]; STEP], x: &[T]) -> [T; STEP] {
    let value = |a: T| if CONJUGATE { a.conjugate() } else { a };
    let mut totals = [[T::ZERO; LANES]; STEP];
    let whole = x.len() / LANES * LANES;
    for i in (0..whole).step_by(LANES) {
        let x: &[T; LANES] = x[i..i + LANES].try_into().expect("as long");
        for s in 0..STEP {
            let a: &[T; LANES] = columns[s][i..i + LANES].try_into().expect("as long");
            for lane in 0..LANES {
                totals[s][lane] += value(a[lane]) * x[lane];
            }
        }
    }
    for i in whole..x.len() {
        for s in 0..STEP {
            totals[s][0] += value(columns[s][i]) * x[i];
        }
    }
    totals.map(sum_of)
}

fn dot_product<T: Scalar, const CONJUGATE: bool>(column: &[T], x: &[T]) -> T {
    let value = |a: &T| if CONJUGATE { a.conjugate() } else { *a };
    column.iter().zip(x).fold(T::ZERO, |total, (a, x)| total + value(a) * *x)
}
