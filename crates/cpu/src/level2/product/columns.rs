//! Stored columns, and their sums.

use std::ops::Range;

use super::kernels::{AddColumns, DotColumns, STEP, add_column, conjugated, dot_column, parts, reals};
use crate::level2::gemv::{Across, Along, Gemv};
use crate::simd::dispatch;
use affinimath_core::problem::Stored;
use affinimath_core::problem::product::ProductProblem;
use affinimath_core::scalar::Scalar;

/// Bytes of a column that stay in the L1 cache with its neighbours, while they are used several times.
const BLOCK_BYTES: usize = 8 << 10;

/// Stored elements, and the diagonals that are multiplied in their own place (not mirrored).
pub(super) struct Columns<T> {
    start: *const T,
    pub(super) stored: Stored,
    above: isize,
    below: isize,
    conjugate: bool,
    hermitian: bool,
}

// SAFETY: they are only read.
unsafe impl<T: Sync> Sync for Columns<T> {}

/// x in the form of the loops: its real numbers, and for complex types the same with real and imaginary parts
/// exchanged.
pub(super) struct Factor<'a, T: Scalar> {
    pub(super) elements: &'a [T],
    swapped: Vec<T::RealScalar>,
}

impl<'a, T: Scalar> Factor<'a, T> {
    /// `dots`: there are dot products with it.
    pub(super) fn new(elements: &'a [T], dots: bool) -> Self {
        let complex = parts::<T>() == 2;
        let swapped = if complex && dots {
            reals(elements).chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect()
        } else {
            Vec::new()
        };
        Factor { elements, swapped }
    }

    fn part(&self, j: usize, part: usize) -> T::RealScalar {
        reals(&self.elements[j..j + 1])[part]
    }
}

/// Sums of columns times the real parts of their factors, and times the imaginary parts.
pub(super) struct Accumulators<T: Scalar> {
    by_part: [Vec<T::RealScalar>; 2],
}

impl<T: Scalar> Accumulators<T> {
    pub(super) fn zero(length: usize) -> Self {
        let zeros = |part| vec![T::RealScalar::ZERO; if part < parts::<T>() { length * parts::<T>() } else { 0 }];
        Accumulators { by_part: [zeros(0), zeros(1)] }
    }

    /// Element i of the sum of c(a) x.
    pub(super) fn get(&self, i: usize, conjugate: bool) -> T {
        let [by_real, by_imaginary] = &self.by_part;
        if parts::<T>() == 1 {
            return T::from_parts(by_real[i].re(), 0.0);
        }
        let (re, im) = (&by_real[2 * i..2 * i + 2], &by_imaginary[2 * i..2 * i + 2]);
        let a_by_real = conjugated(T::from_parts(re[0].re(), re[1].re()), conjugate);
        let a_by_imaginary = conjugated(T::from_parts(im[0].re(), im[1].re()), conjugate);
        a_by_real + T::from_parts(-a_by_imaginary.im(), a_by_imaginary.re())
    }
}

/// Sum of c(a) x from the products of a's parts with x's, and with x's exchanged parts.
fn dot_of_parts<T: Scalar>(straight: [T::RealScalar; 2], crossed: [T::RealScalar; 2], conjugate: bool) -> T {
    if parts::<T>() == 1 {
        return T::from_parts((straight[0] + straight[1]).re(), 0.0);
    }
    if conjugate {
        T::from_parts((straight[0] + straight[1]).re(), (crossed[0] - crossed[1]).re())
    } else {
        T::from_parts((straight[0] - straight[1]).re(), (crossed[0] + crossed[1]).re())
    }
}

impl<T: Scalar> Columns<T> {
    pub(super) fn new(start: *const T, problem: &ProductProblem) -> Self {
        let (above, below) = problem.diagonals();
        let (conjugate, hermitian) = (problem.conjugate, problem.hermitian());
        Columns { start, stored: problem.stored, above, below, conjugate, hermitian }
    }

    /// Elements of a column, all of which must be stored.
    fn column(&self, j: usize, rows: Range<usize>) -> &[T] {
        if rows.is_empty() {
            return &[];
        }
        debug_assert!(self.stored.rows_of(j).start <= rows.start && rows.end <= self.stored.rows_of(j).end);
        // SAFETY: the view holds the stored elements of the matrix, and those of a column are adjacent.
        unsafe { std::slice::from_raw_parts(self.start.add(self.stored.offset_of(rows.start, j)), rows.len()) }
    }

    fn real_columns(&self, j: usize, rows: &Range<usize>) -> [&[T::RealScalar]; STEP] {
        std::array::from_fn(|s| reals(self.column(j + s, rows.clone())))
    }

    /// Rows within `limits` in which column j is multiplied in its own place.
    fn own_rows(&self, j: usize, limits: &Range<usize>) -> Range<usize> {
        let begin = (j as isize - self.above).max(limits.start as isize);
        let end = (j as isize + self.below + 1).min(limits.end as isize).max(begin);
        begin as usize..end as usize
    }

    /// The rows in which the next columns from j on all are: within the own rows of each, unless it is empty.
    fn common_rows(&self, j: usize, limits: &Range<usize>) -> Range<usize> {
        let begin = self.own_rows(j + STEP - 1, limits).start;
        let end = self.own_rows(j, limits).end;
        begin..end.max(begin)
    }

    /// The columns among the given ones that have a row of the range.
    fn columns_of(&self, rows: &Range<usize>, among: &Range<usize>) -> Range<usize> {
        let begin = (rows.start as isize - self.below).max(among.start as isize);
        let end = (rows.end as isize + self.above).min(among.end as isize).max(begin);
        begin as usize..end as usize
    }

    /// Rows at a time, for columns that are read `readings` times.
    fn block(readings: usize) -> usize {
        if readings * parts::<T>() == 1 { usize::MAX } else { BLOCK_BYTES / size_of::<T>() }
    }

    /// Calls `all` for each group of columns and block of their common rows, and `one` for each column and its
    /// remaining rows.
    fn walk(
        &self,
        columns: &Range<usize>,
        rows: &Range<usize>,
        block: usize,
        mut all: impl FnMut(usize, Range<usize>),
        mut one: impl FnMut(usize, Range<usize>),
    ) {
        let mut j = columns.start;
        while j + STEP <= columns.end {
            let common = self.common_rows(j, rows);
            for begin in common.clone().step_by(block) {
                all(j, begin..common.end.min(begin.saturating_add(block)));
            }
            for j in j..j + STEP {
                let own = self.own_rows(j, rows);
                if common.is_empty() {
                    one(j, own);
                } else {
                    one(j, own.start..common.start);
                    one(j, common.end..own.end);
                }
            }
            j += STEP;
        }
        (j..columns.end).for_each(|j| one(j, self.own_rows(j, rows)));
    }

    /// Sums of a general matrix, along or across its columns: for the given results, over the given terms.
    pub(super) fn whole(&self, along: bool, results: Range<usize>, terms: &Range<usize>, x: &Factor<'_, T>) -> Vec<T> {
        let (rows, columns) = if along { (&results, terms) } else { (terms, &results) };
        let mut accumulators = vec![T::ZERO; results.len()];
        let lda = self.stored.offset_of(0, 1) - self.stored.offset_of(0, 0);
        let gemv = Gemv {
            m: rows.len(),
            n: columns.len(),
            alpha: T::ONE,
            a: self.start.wrapping_add(self.stored.offset_of(rows.start, columns.start)),
            lda,
            conjugate: self.conjugate,
            x: x.elements[terms.clone()].as_ptr(),
            beta: T::ZERO,
            y: accumulators.as_mut_ptr(),
        };
        if along {
            dispatch(&Along(gemv))
        } else {
            dispatch(&Across(gemv))
        }
        accumulators
    }

    /// Sums along the given rows, over some of the columns.
    pub(super) fn along(&self, rows: Range<usize>, columns: &Range<usize>, x: &Factor<'_, T>) -> Vec<T> {
        let columns = self.columns_of(&rows, columns);
        let mut accumulators = Accumulators::<T>::zero(rows.len());
        let cell = std::cell::RefCell::new(&mut accumulators);
        let all = |j: usize, range: Range<usize>| self.add_columns(j, &range, rows.start, x, &mut cell.borrow_mut());
        let one = |j: usize, range: Range<usize>| self.add_column(j, &range, rows.start, x, &mut cell.borrow_mut());
        self.walk(&columns, &rows, Self::block(1), all, one);
        (0..rows.len()).map(|i| accumulators.get(i, self.conjugate)).collect()
    }

    fn add_columns(
        &self,
        j: usize,
        rows: &Range<usize>,
        first: usize,
        x: &Factor<'_, T>,
        accumulators: &mut Accumulators<T>,
    ) {
        let columns = self.real_columns(j, rows);
        let range = (rows.start - first) * parts::<T>()..(rows.end - first) * parts::<T>();
        for (part, accumulators) in accumulators.by_part.iter_mut().enumerate().take(parts::<T>()) {
            let factors = std::array::from_fn(|s| x.part(j + s, part));
            AddColumns { columns, factors, accumulators: &mut accumulators[range.clone()] }.run();
        }
    }

    fn add_column(
        &self,
        j: usize,
        rows: &Range<usize>,
        first: usize,
        x: &Factor<'_, T>,
        accumulators: &mut Accumulators<T>,
    ) {
        if rows.is_empty() {
            return;
        }
        let column = reals(self.column(j, rows.clone()));
        let range = (rows.start - first) * parts::<T>()..(rows.end - first) * parts::<T>();
        for (part, accumulators) in accumulators.by_part.iter_mut().enumerate().take(parts::<T>()) {
            add_column(column, x.part(j, part), &mut accumulators[range.clone()]);
        }
    }

    /// Sums along the given columns, over some of the rows.
    pub(super) fn across(&self, columns: Range<usize>, rows: &Range<usize>, x: &Factor<'_, T>) -> Vec<T> {
        let mut accumulators = vec![T::ZERO; columns.len()];
        let cell = std::cell::Cell::from_mut(accumulators.as_mut_slice()).as_slice_of_cells();
        let add = |j: usize, value: T| cell[j - columns.start].set(cell[j - columns.start].get() + value);
        self.walk(
            &columns,
            rows,
            Self::block(1),
            |j, range| {
                self.dot_columns(j, &range, x, self.conjugate).into_iter().zip(j..).for_each(|(dot, j)| add(j, dot))
            },
            |j, range| add(j, self.dot_column(j, &range, x, self.conjugate)),
        );
        accumulators
    }

    fn dot_columns(&self, j: usize, rows: &Range<usize>, x: &Factor<'_, T>, conjugate: bool) -> [T; STEP] {
        let columns = self.real_columns(j, rows);
        let straight = DotColumns { columns, x: reals(&x.elements[rows.clone()]) }.run();
        let crossed = if parts::<T>() == 2 {
            DotColumns { columns, x: &x.swapped[2 * rows.start..2 * rows.end] }.run()
        } else {
            straight
        };
        std::array::from_fn(|s| dot_of_parts(straight[s], crossed[s], conjugate))
    }

    fn dot_column(&self, j: usize, rows: &Range<usize>, x: &Factor<'_, T>, conjugate: bool) -> T {
        if rows.is_empty() {
            return T::ZERO;
        }
        let column = reals(self.column(j, rows.clone()));
        let straight = dot_column(column, reals(&x.elements[rows.clone()]));
        let crossed =
            if parts::<T>() == 2 { dot_column(column, &x.swapped[2 * rows.start..2 * rows.end]) } else { straight };
        dot_of_parts(straight, crossed, conjugate)
    }

    /// Contribution of ranges of columns of a symmetric matrix, as stored and mirrored.
    pub(super) fn both(&self, ranges: [Range<usize>; 2], x: &Factor<'_, T>) -> Vec<T> {
        let rows = 0..self.stored.rows;
        let mirrored = self.hermitian && !self.conjugate;
        let mut direct = Accumulators::<T>::zero(rows.len());
        let mut dots = vec![T::ZERO; rows.len()];
        let cells = std::cell::RefCell::new((&mut direct, &mut dots));
        for columns in ranges {
            self.walk(
                &columns,
                &rows,
                Self::block(2),
                |j, range| {
                    let (direct, dots) = &mut *cells.borrow_mut();
                    self.add_columns(j, &range, 0, x, direct);
                    let values = self.dot_columns(j, &range, x, mirrored);
                    values.into_iter().zip(&mut dots[j..]).for_each(|(value, dot)| *dot += value);
                },
                |j, range| {
                    let (direct, dots) = &mut *cells.borrow_mut();
                    self.add_column(j, &range, 0, x, direct);
                    dots[j] += self.dot_column(j, &range, x, mirrored);
                },
            );
            for j in columns {
                let value = self.column(j, j..j + 1)[0];
                let value = if self.hermitian { T::from_parts(value.re(), 0.0) } else { value };
                cells.borrow_mut().1[j] += value * x.elements[j];
            }
        }
        dots.iter().enumerate().map(|(i, dot)| direct.get(i, self.conjugate) + *dot).collect()
    }

    /// Elements of the result one by one, each along its row, its column or both: for narrow bands, whose columns are
    /// very short.
    pub(super) fn lines(
        &self,
        results: Range<usize>,
        x: &Factor<'_, T>,
        along_row: bool,
        along_column: bool,
    ) -> Vec<T> {
        let (rows, columns) = (0..self.stored.rows, 0..self.stored.columns);
        let mirrored = if along_row { self.hermitian && !self.conjugate } else { self.conjugate };
        let element = |i: usize, j: usize| self.column(j, i..i + 1)[0];
        let x = x.elements;
        let result = |i: usize| {
            let mut sum = T::ZERO;
            if along_row {
                self.columns_of(&(i..i + 1), &columns)
                    .for_each(|j| sum += conjugated(element(i, j), self.conjugate) * x[j]);
            }
            if along_row && along_column {
                let diagonal = element(i, i);
                sum += if self.hermitian { T::from_parts(diagonal.re(), 0.0) } else { diagonal } * x[i];
            }
            if along_column {
                let own = self.own_rows(i, &rows);
                let column = self.column(i, own.clone());
                own.zip(column).for_each(|(p, a)| sum += conjugated(*a, mirrored) * x[p]);
            }
            sum
        };
        results.map(result).collect()
    }
}
