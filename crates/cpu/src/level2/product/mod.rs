//! Matrix times vector on the host, for every form in which level 2 stores a matrix.
//!
//! The sums of a chunk of the result stay in the first-level cache while the matrix is streamed past them, a few columns at a
//! time. A symmetric matrix is read once: its elements serve in both of their places. The work is shared among threads in parts
//! that do not depend on who does them, and parts of a sum are added in their order.

mod columns;
mod kernels;

use affinimath_macros::instances;
use std::borrow::Cow;
use std::ops::Range;

use super::{gathered, host, serial};
use crate::level1::{RawVector, elementwise};
use crate::threads::{self, for_each, map};
use affinimath_core::division::scale_by;
use affinimath_core::problem::Elementwise;
use affinimath_core::problem::product::{Product, ProductProblem};
use affinimath_core::scalar::Scalar;
use columns::{Columns, Factor};

/// Below this many bytes of the matrix per thread, one thread is faster than waking another one.
const BYTES_PER_THREAD: usize = 1 << 20;
/// Bytes of the sums that are kept at a time: less than a first-level cache, and long runs of the columns.
const CHUNK_BYTES: usize = 16 << 10;
/// Bands of no more diagonals than these are done element by element.
const NARROW_BAND: usize = 16;
/// Terms of a part of a sum, at least.
const MIN_PART: usize = 256;

/// y := alpha op(A) x + beta y, or x := op(A) x, for operands in the host's memory.
#[instances]
pub fn product<T: Scalar>(product: &Product<'_, T>) {
    let (a, x_start, y) = (host(product.a), host(product.x), host(product.y));
    if product.changes_nothing() {
        return;
    }
    let problem = &product.problem;
    if threads_for::<T>(problem) == 1 {
        return serial::product(product);
    }
    // SAFETY: the views hold their vectors, and nobody else touches y; in place, x is copied before y is written.
    let (x, y) = unsafe { (RawVector::new(x_start, &problem.x), RawVector::new(y, &problem.y)) };
    if product.alpha == T::ZERO {
        // BLAS: A and x are not read.
        if let Some(operation) = Elementwise::axpby(T::ZERO, product.beta) {
            elementwise(&operation, None, y);
        }
        return;
    }
    let x = match x.as_slice() {
        Some(x) if !problem.in_place() => Cow::Borrowed(x),
        // SAFETY: the view holds its vector.
        _ => Cow::Owned(unsafe { gathered(x_start, &problem.x, false) }),
    };
    let x = Factor::new(&x, problem.along_column() && !problem.is_whole());
    let output = Output { y, alpha: product.alpha, beta: product.beta };
    let matrix = Columns::new(a, problem);
    if problem.stored.above.saturating_add(problem.stored.below) < NARROW_BAND {
        narrow(problem, &matrix, &x, &output);
    } else if problem.along_row() && problem.along_column() {
        symmetric(problem, &matrix, &x, &output);
    } else {
        general(problem, &matrix, &x, &output);
    }
}

/// The threads that the product is worth.
fn threads_for<T>(problem: &ProductProblem) -> usize {
    let bytes = problem.elements().saturating_mul(size_of::<T>());
    threads::available().min(bytes / BYTES_PER_THREAD).max(1)
}

/// Element by element.
fn narrow<T: Scalar>(problem: &ProductProblem, matrix: &Columns<T>, x: &Factor<'_, T>, output: &Output<T>) {
    let (n, threads) = (problem.y.length(), threads_for::<T>(problem));
    let (along_row, along_column) = (problem.along_row(), problem.along_column());
    let length = n.div_ceil(threads).next_multiple_of(64).min(CHUNK_BYTES / size_of::<T>());
    let chunk = |index: usize| {
        let results = index * length..n.min((index + 1) * length);
        output.store(results.clone(), &matrix.lines(results, x, along_row, along_column));
    };
    let chunks = n.div_ceil(length);
    if threads == 1 {
        (0..chunks).for_each(chunk);
    } else {
        for_each(chunks, chunk);
    }
}

/// Chunks of the result, and where these are too few for the threads, parts of the sums.
fn general<T: Scalar>(problem: &ProductProblem, matrix: &Columns<T>, x: &Factor<'_, T>, output: &Output<T>) {
    let threads = threads_for::<T>(problem);
    let (n, terms) = (problem.y.length(), problem.x.length());
    let most = CHUNK_BYTES / size_of::<T>();
    // Chunks of equal work are few and long; those of a triangle differ, and are shared out as threads become free.
    let per_thread = if problem.is_whole() { 1 } else { 4 };
    let length = if threads == 1 { most } else { n.div_ceil(per_thread * threads).next_multiple_of(64).min(most) };
    let chunks = n.div_ceil(length);
    let parts = if threads == 1 { 1 } else { (2 * threads / chunks).min(terms / MIN_PART).max(1) };
    let part_length = terms.div_ceil(parts);
    let chunk = |index: usize| index * length..n.min((index + 1) * length);
    let sums = |results: Range<usize>, part: usize| {
        let terms = part * part_length..terms.min((part + 1) * part_length);
        match (problem.is_whole(), problem.along_row()) {
            (true, along) => matrix.whole(along, results, &terms, x),
            (false, true) => matrix.along(results, &terms, x),
            (false, false) => matrix.across(results, &terms, x),
        }
    };
    let whole = |index: usize| output.store(chunk(index), &sums(chunk(index), 0));
    match (threads, parts) {
        (1, _) => (0..chunks).for_each(whole),
        (_, 1) => for_each(chunks, whole),
        _ => {
            let task = |task: usize| sums(chunk(task / parts), task % parts);
            let partial: Vec<Vec<T>> = map(chunks * parts, task);
            partial.chunks(parts).enumerate().for_each(|(index, partial)| output.store(chunk(index), &sum_of(partial)));
        }
    }
}

/// A part of the columns per thread, each with a result of its own.
fn symmetric<T: Scalar>(problem: &ProductProblem, matrix: &Columns<T>, x: &Factor<'_, T>, output: &Output<T>) {
    let (n, parts) = (problem.y.length(), threads_for::<T>(problem));
    // Two chunks each, as far from one end as from the other: together they are the same share of a triangle.
    let length = n.div_ceil(2 * parts);
    let columns = |chunk: usize| n.min(chunk * length)..n.min((chunk + 1) * length);
    let part = |index: usize| matrix.both([index, 2 * parts - 1 - index].map(columns), x);
    let partial: Vec<Vec<T>> = if parts == 1 { vec![part(0)] } else { map(parts, part) };
    output.store(0..n, &sum_of(&partial));
}

/// The sum of parts, in their order.
fn sum_of<T: Scalar>(partial: &[Vec<T>]) -> Cow<'_, [T]> {
    let [first, others @ ..] = partial else { return Cow::Borrowed(&[]) };
    let mut sum = Cow::Borrowed(first.as_slice());
    for other in others {
        sum.to_mut().iter_mut().zip(other).for_each(|(sum, part)| *sum += *part);
    }
    sum
}

/// Where the result goes: y := alpha sums + beta y.
struct Output<T> {
    y: RawVector<T>,
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
            *y = if beta == T::ZERO { scale_by(alpha, *sum) } else { scale_by(alpha, *sum) + scale_by(beta, *y) };
        }
    }
}
