//! Matrix-vector products on the host, for every storage form of level 2.
//!
//! Accumulators of a chunk of the result stay in the L1 cache while a few columns at a time are streamed past them. A
//! symmetric matrix is read once, each element as stored and mirrored. Work is divided independently of the threads,
//! and partial sums are added in order.

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
/// Bytes of a chunk's accumulators: they stay in the L1 cache and still cover long runs of the columns.
const CHUNK_BYTES: usize = 16 << 10;
/// Bands of no more diagonals than these are done element by element.
const NARROW_BAND: usize = 16;
/// Minimum terms of a partial sum.
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
    // SAFETY: the views hold their vectors, and y is exclusive; in place, x is copied before y is written.
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

/// Divides the result into chunks, and the sums into parts if there are too few chunks for the threads.
fn general<T: Scalar>(problem: &ProductProblem, matrix: &Columns<T>, x: &Factor<'_, T>, output: &Output<T>) {
    let threads = threads_for::<T>(problem);
    let (n, terms) = (problem.y.length(), problem.x.length());
    let max_length = CHUNK_BYTES / size_of::<T>();
    // Chunks of equal work are few and long; those of a triangle differ, and threads take them dynamically.
    let per_thread = if problem.is_whole() { 1 } else { 4 };
    let length =
        if threads == 1 { max_length } else { n.div_ceil(per_thread * threads).next_multiple_of(64).min(max_length) };
    let chunks = n.div_ceil(length);
    let parts = if threads == 1 { 1 } else { (2 * threads / chunks).min(terms / MIN_PART).max(1) };
    let part_length = terms.div_ceil(parts);
    let chunk = |index: usize| index * length..n.min((index + 1) * length);
    let accumulators = |results: Range<usize>, part: usize| {
        let terms = part * part_length..terms.min((part + 1) * part_length);
        match (problem.is_whole(), problem.along_row()) {
            (true, along) => matrix.whole(along, results, &terms, x),
            (false, true) => matrix.along(results, &terms, x),
            (false, false) => matrix.across(results, &terms, x),
        }
    };
    let whole = |index: usize| output.store(chunk(index), &accumulators(chunk(index), 0));
    match (threads, parts) {
        (1, _) => (0..chunks).for_each(whole),
        (_, 1) => for_each(chunks, whole),
        _ => {
            let task = |task: usize| accumulators(chunk(task / parts), task % parts);
            let partial: Vec<Vec<T>> = map(chunks * parts, task);
            partial.chunks(parts).enumerate().for_each(|(index, partial)| output.store(chunk(index), &sum_of(partial)));
        }
    }
}

/// Divides the columns among threads, each with a result of its own.
fn symmetric<T: Scalar>(problem: &ProductProblem, matrix: &Columns<T>, x: &Factor<'_, T>, output: &Output<T>) {
    let (n, parts) = (problem.y.length(), threads_for::<T>(problem));
    // Two chunks per thread, at equal distance from both ends: together the same share of a triangle.
    let length = n.div_ceil(2 * parts);
    let columns = |chunk: usize| n.min(chunk * length)..n.min((chunk + 1) * length);
    let part = |index: usize| matrix.both([index, 2 * parts - 1 - index].map(columns), x);
    let partial: Vec<Vec<T>> = if parts == 1 { vec![part(0)] } else { map(parts, part) };
    output.store(0..n, &sum_of(&partial));
}

/// Sum of partial results, in order.
fn sum_of<T: Scalar>(partial: &[Vec<T>]) -> Cow<'_, [T]> {
    let [first, others @ ..] = partial else { return Cow::Borrowed(&[]) };
    let mut sum = Cow::Borrowed(first.as_slice());
    for other in others {
        sum.to_mut().iter_mut().zip(other).for_each(|(sum, part)| *sum += *part);
    }
    sum
}

/// Stores y := alpha sums + beta y.
struct Output<T> {
    y: RawVector<T>,
    alpha: T,
    beta: T,
}

impl<T: Scalar> Output<T> {
    fn store(&self, range: Range<usize>, accumulators: &[T]) {
        let (alpha, beta) = (self.alpha, self.beta);
        for (i, sum) in range.zip(accumulators) {
            // SAFETY: i is below y's length, and each range is stored by one thread.
            let y = unsafe { &mut *self.y.at(i) };
            // BLAS: with beta = 0, y is not read.
            *y = if beta == T::ZERO { scale_by(alpha, *sum) } else { scale_by(alpha, *sum) + scale_by(beta, *y) };
        }
    }
}
