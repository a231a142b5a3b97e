//! Generalised eigenvalues of pencils A - lambda B of general matrices: a permutation, Hessenberg-triangular form, QZ
//! iteration, back substitution (LAPACK: xGGEV, xGGES).

use std::ops::Range;

use affinimath_macros::instances;
use faer::{Mat, MatMut, MatRef};

use super::super::{Info, among_threads, geqrf, orgqr, ormqr};
use super::vectors::selected_pairs;
use super::{into_range, real, scaled, scaled_copy, spoil};
use crate::gemm;
use crate::norm::max_norm;
use affinimath_core::options::{Op, Side};
use affinimath_core::scalar::{Complex64, Scalar};
use affinimath_decompositions::qz::{self, Eigenvalue, vectors};
use affinimath_decompositions::schur::exchange::block_order;

/// Decides whether an eigenvalue is one of the leading ones: its alpha's real and imaginary part, and its beta.
pub type SelectPencil<'a> = &'a mut (dyn FnMut(f64, f64, f64) -> bool + Send);

/// Arrays of eigenvalues alpha / beta: the real and imaginary parts of alpha, and beta.
pub type Quotients<'a, R> = (&'a mut [R], &'a mut [R], &'a mut [R]);

/// Generalised eigenvalues of A and B, and left and right eigenvectors if they are wanted (LAPACK: xGGEV):
/// beta uᴴ A = alpha uᴴ B and beta A v = alpha B v. A and B are read only.
///
/// Betas are not negative, and zero for infinite eigenvalues; where alpha is zero, too, the pencil is singular. Of a
/// real type, complex eigenvalues come in adjacent pairs, the one with the positive imaginary part first; its column
/// has the real parts of the vector, the next one the imaginary parts. The largest |re| + |im| of a vector is 1.
///
/// If the iteration does not converge, an info i tells that eigenvalues after the i-th are right, and there are no
/// vectors. An element that is not finite makes results NaN.
#[instances]
pub fn ggev<T: Scalar>(
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    values: (&mut [T::RealScalar], &mut [T::RealScalar], &mut [T::RealScalar]),
    vl: Option<MatMut<'_, T>>,
    vr: Option<MatMut<'_, T>>,
) -> Info {
    let n = a.nrows();
    if n == 0 {
        return None;
    }
    let factors = match factors(a, b) {
        Some(factors) => factors,
        None => return not_finite(values, [vl, vr]),
    };
    let mut form = Form::new(a, b, factors, (vl.is_some(), vr.is_some()));
    let whole = vl.is_some() || vr.is_some();
    let info = among_threads(n, || form.compute(whole));
    form.write(values);
    if info.is_some() {
        return info;
    }
    let (s, p) = (form.a.as_ref(), form.b.as_ref());
    among_threads(n, || {
        if let (Some(vr), Some(z)) = (vr, &form.z) {
            finish(s, z.as_ref(), vectors::right(s, p).as_ref(), &form.permutation.columns, vr);
        }
        if let (Some(vl), Some(q)) = (vl, &form.q) {
            finish(s, q.as_ref(), vectors::left(s, p).as_ref(), &form.permutation.rows, vl);
        }
    });
    None
}

/// Leading eigenvalues of a generalised Schur form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeadingQuotients {
    /// Eigenvalues that are selected, and come first. Of a real type, both of a pair are if one is.
    pub count: usize,
    /// LAPACK's info after an iteration that has converged: n + 3 if some could not be exchanged, n + 2 if rounding has
    /// changed selected ones.
    pub info: Info,
}

/// Generalised Schur form of A and B in their places, A = Q S Zᴴ and B = Q P Zᴴ, and the Schur vectors Q and Z where
/// they are wanted, with the selected eigenvalues first (LAPACK: xGGES).
///
/// S is upper triangular; of a real type it has blocks of order 2 for pairs of complex eigenvalues, where P is
/// diagonal. P is upper triangular, its diagonal real and not negative. Eigenvalues are those of [`ggev`], in the order
/// of the diagonals. The info is that of the iteration, which leaves the order as it is; else
/// [`LeadingQuotients::info`] has one.
#[instances]
pub fn gges<T: Scalar>(
    a: MatMut<'_, T>,
    b: MatMut<'_, T>,
    values: (&mut [T::RealScalar], &mut [T::RealScalar], &mut [T::RealScalar]),
    q: Option<MatMut<'_, T>>,
    z: Option<MatMut<'_, T>>,
    select: Option<SelectPencil<'_>>,
) -> (Info, LeadingQuotients) {
    let (mut a, mut b, n) = (a, b, values.0.len());
    let mut leading = LeadingQuotients::default();
    if n == 0 {
        return (None, leading);
    }
    let factors = match factors(a.as_ref(), b.as_ref()) {
        Some(factors) => factors,
        None => return (not_finite(values, [Some(a), Some(b), q, z]), leading),
    };
    let mut form = Form::new(a.as_ref(), b.as_ref(), factors, (q.is_some(), z.is_some()));
    let info = among_threads(n, || form.compute(true));
    if let (None, Some(select)) = (info, select) {
        leading = form.order(select);
    }
    form.write(values);
    for (target, form, factor) in [(&mut a, &form.a, form.factors.0), (&mut b, &form.b, form.factors.1)] {
        for j in 0..n {
            (0..n).for_each(|i| target[(i, j)] = scaled(form[(i, j)], factor.recip()));
        }
    }
    for (target, own, exchanges) in
        [(q, &mut form.q, &form.permutation.rows), (z, &mut form.z, &form.permutation.columns)]
    {
        if let (Some(mut target), Some(own)) = (target, own) {
            permute_back(own.as_mut(), exchanges);
            target.copy_from(own);
        }
    }
    (info, leading)
}

/// Powers of two that bring the elements of A and B into range. None if an element is not finite.
fn factors<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Option<(f64, f64)> {
    let (of_a, of_b) = (max_norm(a), max_norm(b));
    (of_a.is_finite() && of_b.is_finite()).then(|| (into_range::<T>(of_a), into_range::<T>(of_b)))
}

/// NaN in all results. The info is that of no convergence at all.
fn not_finite<'a, T: Scalar>(
    values: Quotients<'_, T::RealScalar>,
    matrices: impl IntoIterator<Item = Option<MatMut<'a, T>>>,
) -> Info {
    let n = values.0.len();
    [values.0, values.1, values.2].into_iter().for_each(|part| part.fill(real::<T>(f64::NAN)));
    matrices.into_iter().flatten().for_each(|matrix| spoil(matrix));
    Some(n.max(1))
}

/// Rows and columns that were exchanged, in order, and those outside of which the pencil is upper triangular.
struct Permutation {
    rows: Vec<(usize, usize)>,
    columns: Vec<(usize, usize)>,
    range: Range<usize>,
}

/// A generalised Schur form of scaled matrices, and its parts.
struct Form<T> {
    a: Mat<T>,
    b: Mat<T>,
    q: Option<Mat<T>>,
    z: Option<Mat<T>>,
    factors: (f64, f64),
    permutation: Permutation,
    values: Vec<Eigenvalue>,
}

impl<T: Scalar> Form<T> {
    fn new(a: MatRef<'_, T>, b: MatRef<'_, T>, factors: (f64, f64), wanted: (bool, bool)) -> Self {
        let n = a.nrows();
        let nan = Eigenvalue { alpha: Complex64::new(f64::NAN, f64::NAN), beta: f64::NAN };
        let identity = || Mat::from_fn(n, n, |i, j| if i == j { T::ONE } else { T::ZERO });
        Form {
            a: scaled_copy(a, factors.0),
            b: scaled_copy(b, factors.1),
            q: wanted.0.then(identity),
            z: wanted.1.then(identity),
            factors,
            permutation: Permutation { rows: Vec::new(), columns: Vec::new(), range: 0..n },
            values: vec![nan; n],
        }
    }

    /// The Schur form, or its eigenvalues alone.
    fn compute(&mut self, whole: bool) -> Info {
        self.permutation = permute(self.a.as_mut(), self.b.as_mut());
        self.make_triangular();
        let range = self.permutation.range.clone();
        let mut values = std::mem::take(&mut self.values);
        qz::reduce(self.pencil(), range.clone());
        let info = qz::iterate(self.pencil(), range, whole, &mut values);
        self.values = values;
        info
    }

    fn pencil(&mut self) -> qz::Pencil<'_, T> {
        qz::Pencil {
            a: self.a.as_mut(),
            b: self.b.as_mut(),
            q: self.q.as_mut().map(|q| q.as_mut()),
            z: self.z.as_mut().map(|z| z.as_mut()),
        }
    }

    /// Makes B upper triangular in the range, by its QR factorisation.
    fn make_triangular(&mut self) {
        let (n, range) = (self.a.nrows(), self.permutation.range.clone());
        let (first, order) = (range.start, range.len());
        if order < 2 {
            return;
        }
        let mut tau = vec![T::ZERO; order];
        let mut block = self.b.as_ref().submatrix(first, first, order, order).to_owned();
        geqrf(block.as_mut(), &mut tau);
        for (matrix, from) in [(&mut self.a, first), (&mut self.b, range.end)] {
            let rows = matrix.as_mut().submatrix_mut(first, from, order, n - from);
            ormqr(Side::Left, Op::ConjTrans, block.as_ref(), &tau, rows);
        }
        for j in 0..order {
            (0..order).for_each(|i| self.b[(first + i, first + j)] = if i <= j { block[(i, j)] } else { T::ZERO });
        }
        if let Some(q) = &mut self.q {
            orgqr(block.as_mut(), &tau);
            q.as_mut().submatrix_mut(first, first, order, order).copy_from(&block);
        }
    }

    /// Moves selected eigenvalues to the front (LAPACK: xTGSEN).
    fn order(&mut self, select: SelectPencil<'_>) -> LeadingQuotients {
        let n = self.a.nrows();
        let factors = self.factors;
        let mut chosen = |value: &Eigenvalue| {
            let [re, im, beta] = rounded::<T>(value, factors);
            select(re.re(), im.re(), beta.re())
        };
        let selected: Vec<bool> = self.values.iter().map(&mut chosen).collect();
        let failed = !move_to_front(&mut self.pencil(), &selected);
        let mut values = std::mem::take(&mut self.values);
        qz::eigenvalues(self.a.as_ref(), self.b.as_ref(), &mut values);
        self.values = values;
        let now: Vec<bool> = self.values.iter().map(&mut chosen).collect();
        let now = selected_pairs(self.a.as_ref(), &now);
        let count = now.iter().filter(|now| **now).count();
        let scattered = now.iter().enumerate().any(|(i, now)| *now != (i < count));
        let info = if failed { Some(n + 3) } else { scattered.then_some(n + 2) };
        LeadingQuotients { count, info }
    }

    fn write(&self, (alphar, alphai, beta): Quotients<'_, T::RealScalar>) {
        for (i, value) in self.values.iter().enumerate() {
            [alphar[i], alphai[i], beta[i]] = rounded::<T>(value, self.factors);
        }
    }
}

/// Moves selected eigenvalues of a generalised Schur form to the front. False if some are too close to be exchanged.
fn move_to_front<T: Scalar>(pencil: &mut qz::Pencil<'_, T>, select: &[bool]) -> bool {
    let selected = selected_pairs(pencil.a.as_ref(), select);
    let (mut k, mut front) = (0, 0);
    while k < selected.len() {
        let size = block_order(pencil.a.as_ref(), k);
        if selected[k] {
            if k != front && qz::exchange::move_block(pencil.as_mut(), k, front).is_err() {
                return false;
            }
            front += size;
        }
        k += size;
    }
    true
}

/// Moves selected eigenvalues of a generalised Schur form S, P to its front, and multiplies Q and Z by the
/// transformations (LAPACK: xTGSEN without condition numbers); of a real type both of a pair, if one is selected.
/// Returns the count of selected eigenvalues, and an info of 1 where some were too close to be exchanged.
#[instances]
pub fn tgsen<T: Scalar>(
    s: MatMut<'_, T>,
    p: MatMut<'_, T>,
    values: (&mut [T::RealScalar], &mut [T::RealScalar], &mut [T::RealScalar]),
    q: Option<MatMut<'_, T>>,
    z: Option<MatMut<'_, T>>,
    select: &[bool],
) -> (usize, Info) {
    let (mut s, mut p, n) = (s, p, select.len());
    let count = selected_pairs(s.as_ref(), select).iter().filter(|selected| **selected).count();
    let zero = Eigenvalue::default();
    let mut form = Form {
        a: s.to_owned(),
        b: p.to_owned(),
        q: q.as_ref().map(|q| q.to_owned()),
        z: z.as_ref().map(|z| z.to_owned()),
        factors: (1.0, 1.0),
        permutation: Permutation { rows: Vec::new(), columns: Vec::new(), range: 0..n },
        values: vec![zero; n],
    };
    let moved = move_to_front(&mut form.pencil(), select);
    let mut all = vec![zero; n];
    // Blocks that are in standard form stay.
    let converged = qz::iterate(form.pencil(), 0..n, true, &mut all).is_none();
    form.values = all;
    form.write(values);
    s.copy_from(&form.a);
    p.copy_from(&form.b);
    for (target, own) in [(q, form.q), (z, form.z)] {
        if let (Some(mut target), Some(own)) = (target, own) {
            target.copy_from(own);
        }
    }
    (count, (!(moved && converged)).then_some(1))
}

/// The numbers of an eigenvalue of the matrices as given.
fn rounded<T: Scalar>(value: &Eigenvalue, (of_a, of_b): (f64, f64)) -> [T::RealScalar; 3] {
    [value.alpha.re / of_a, value.alpha.im / of_a, value.beta / of_b].map(real::<T>)
}

/// Moves rows with one element at most to the end, and columns with one to the front, of both matrices: they isolate
/// eigenvalues (Ward 1981; LAPACK: xGGBAL).
fn permute<T: Scalar>(mut a: MatMut<'_, T>, mut b: MatMut<'_, T>) -> Permutation {
    let (mut rows, mut columns, mut low, mut high) = (Vec::new(), Vec::new(), 0, a.nrows());
    let empty = |a: &MatMut<'_, T>, b: &MatMut<'_, T>, i: usize, j: usize| a[(i, j)] == T::ZERO && b[(i, j)] == T::ZERO;
    // The only element of a line, or the default.
    let only = |elements: &mut dyn Iterator<Item = usize>, default: usize| {
        let first = elements.next();
        elements.next().is_none().then(|| first.unwrap_or(default))
    };
    while let Some((i, j)) = (low..high)
        .rev()
        .find_map(|i| only(&mut (low..high).filter(|j| !empty(&a, &b, i, *j)), high - 1).map(|j| (i, j)))
    {
        high -= 1;
        for mut m in [a.as_mut(), b.as_mut()] {
            exchange_rows(m.as_mut(), i, high);
            exchange_rows(m.as_mut().transpose_mut(), j, high);
        }
        rows.push((i, high));
        columns.push((j, high));
    }
    while let Some((i, j)) =
        (low..high).find_map(|j| only(&mut (low..high).filter(|i| !empty(&a, &b, *i, j)), low).map(|i| (i, j)))
    {
        for mut m in [a.as_mut(), b.as_mut()] {
            exchange_rows(m.as_mut(), i, low);
            exchange_rows(m.as_mut().transpose_mut(), j, low);
        }
        rows.push((i, low));
        columns.push((j, low));
        low += 1;
    }
    Permutation { rows, columns, range: low..high }
}

fn exchange_rows<T: Scalar>(mut a: MatMut<'_, T>, i: usize, k: usize) {
    if i == k {
        return;
    }
    for j in 0..a.ncols() {
        let saved = a[(i, j)];
        a[(i, j)] = a[(k, j)];
        a[(k, j)] = saved;
    }
}

/// Rows of vectors in the order of the matrices as given (LAPACK: xGGBAK).
fn permute_back<T: Scalar>(mut v: MatMut<'_, T>, exchanges: &[(usize, usize)]) {
    exchanges.iter().rev().for_each(|(i, k)| exchange_rows(v.as_mut(), *i, *k));
}

/// Eigenvectors of the pencil from those of its Schur form.
fn finish<T: Scalar>(
    s: MatRef<'_, T>,
    u: MatRef<'_, T>,
    x: MatRef<'_, T>,
    exchanges: &[(usize, usize)],
    mut to: MatMut<'_, T>,
) {
    let n = u.nrows();
    let mut v = Mat::<T>::zeros(n, n);
    gemm(Op::NoTrans, Op::NoTrans, T::ONE, u, x, T::ZERO, v.as_mut());
    permute_back(v.as_mut(), exchanges);
    let mut k = 0;
    while k < n {
        let order = block_order(s, k);
        let one = |i: usize| (k..k + order).map(|j| v[(i, j)].re().abs() + v[(i, j)].im().abs()).sum::<f64>();
        let size = (0..n).map(one).fold(0.0, f64::max);
        let factor = if size > 0.0 { size.recip() } else { 1.0 };
        for j in k..k + order {
            (0..n).for_each(|i| to[(i, j)] = scaled(v[(i, j)], factor));
        }
        k += order;
    }
}
