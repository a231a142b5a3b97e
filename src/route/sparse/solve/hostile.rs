//! Solvers at the ends of a precision's range, on singular and on inconsistent systems: the promises of the
//! documentation hold for each.
//!
//! Truths are computed in about twice the precision of `f64` (the dot product Dot2 of Ogita, Rump and Oishi, *Accurate
//! sum and dot product*, 2005), on operands that powers of two have brought near 1.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::error::Error;
use crate::route::sparse::{Ic0, Ilu0};
use crate::scalar::Complex64;
use crate::sparse::testing::{Random, Sample, for_each_matrix, rounded};
use crate::sparse::{Jacobi, Reason};
use crate::testing::{assert_close, contexts, is_close};

/// All methods; the last two are for least squares.
fn methods<T: Scalar>() -> [(&'static str, Solver<T>); 6] {
    [("cg", cg), ("minres", minres), ("bicgstab", bicgstab), ("gmres", gmres), ("lsqr", lsqr), ("lsmr", lsmr)]
}

/// An operator that refuses to be applied without end.
struct Counted<'a, T> {
    operator: &'a dyn LinearOperator<T>,
    left: Cell<usize>,
}

impl<T: Scalar> LinearOperator<T> for Counted<'_, T> {
    fn context(&self) -> &Context {
        self.operator.context()
    }
    fn rows(&self) -> usize {
        self.operator.rows()
    }
    fn columns(&self) -> usize {
        self.operator.columns()
    }
    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        let left = self.left.get().checked_sub(1).ok_or_else(|| Error::Internal("the solver goes on".to_owned()))?;
        self.left.set(left);
        self.operator.apply(op, x, y)
    }
}

/// A sum of products in twice the precision.
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let error = a.mul_add(b, -product);
        let sum = self.high + product;
        let moved = sum - self.high;
        self.low += (self.high - (sum - moved)) + (product - moved) + error;
        self.high = sum;
    }
}

/// A complex sum of products.
#[derive(Clone, Copy, Default)]
struct ComplexSum([Sum; 2]);

impl ComplexSum {
    fn add(&mut self, a: Complex64, b: Complex64) {
        self.0[0].add(a.re, b.re);
        self.0[0].add(-a.im, b.im);
        self.0[1].add(a.re, b.im);
        self.0[1].add(a.im, b.re);
    }
    fn value(self) -> Complex64 {
        let [re, im] = self.0.map(|sum| sum.high + sum.low);
        Complex64::new(re, im)
    }
}

fn power(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * f64::from(half).exp2() * f64::from(exponent - half).exp2()
}

/// That of the largest part, or `None` of zeros.
fn exponent(values: impl Iterator<Item = Complex64>) -> Option<i32> {
    let largest = values.fold(0.0, |largest: f64, value| largest.max(value.re.abs()).max(value.im.abs()));
    (largest > 0.0).then(|| largest.log2().floor() as i32)
}

fn norm(values: &[Complex64]) -> f64 {
    values.iter().fold(0.0, |norm: f64, value| norm.hypot(value.norm()))
}

fn parts<T: Scalar>(values: &[T]) -> Vec<Complex64> {
    values.iter().map(|value| Complex64::new(value.re(), value.im())).collect()
}

fn typed<T: Scalar>(values: &[Complex64]) -> Vec<T> {
    values.iter().map(|value| T::from_parts(value.re, value.im)).collect()
}

/// The norms of a system for an x: residuals in parts of 2^exponent, normal residuals in parts of 2^(exponent + scale).
struct Truth {
    exponent: i32,
    scale: i32,
    /// ||b - A x||, and with the damping.
    residual: f64,
    damped: f64,
    /// ||A^H (b - A x) - damping^2 (x - x_0)||.
    normal: f64,
    b: f64,
    /// The Frobenius norm of A with its damping.
    frobenius: f64,
    /// Bounds of rounding in the working precision: of the residual, and of the normal residual.
    rounding: f64,
    normal_rounding: f64,
}

fn truth<T: Scalar>(sample: &Sample, b: &[T], x: &[T], origin: &[T], damping: f64) -> Truth {
    let (b, x, origin) = (parts(b), parts(x), parts(origin));
    let scaled = |value: Complex64, exponent: i32| Complex64::new(power(value.re, exponent), power(value.im, exponent));
    let entries = || sample.entries.iter().flatten().map(|(_, value)| rounded::<T>(*value));
    let scale = exponent(entries().chain([Complex64::from(damping)])).unwrap_or(0);
    let far = origin.iter().copied().filter(|_| damping > 0.0);
    let sizes = [exponent(x.iter().copied().chain(far)), exponent(b.iter().copied()).map(|exponent| exponent - scale)];
    let size = sizes.into_iter().flatten().max().unwrap_or(0);
    let total = scale + size;
    let damping = power(damping, -scale);
    let x: Vec<_> = x.iter().map(|x| scaled(*x, -size)).collect();
    let mut residuals = Vec::new();
    let mut normal: Vec<_> = vec![ComplexSum::default(); sample.columns];
    let (mut row_bounds, mut normal_bounds) = (vec![], vec![0.0; sample.columns]);
    let mut dense = vec![vec![Complex64::ZERO; sample.columns]; sample.rows];
    // Threshold of underflow in the working precision.
    let underflow = power(if T::KIND.is_double() { f64::MIN_POSITIVE } else { f64::from(f32::MIN_POSITIVE) }, -total);
    for (row, b) in sample.entries.iter().zip(&b) {
        let b = scaled(*b, -total);
        let (mut sum, mut bound) = (ComplexSum::default(), b.norm());
        sum.add(b, Complex64::ONE);
        for &(column, value) in row {
            let value = scaled(rounded::<T>(value), -scale);
            sum.add(-value, x[column]);
            bound += value.norm() * x[column].norm();
        }
        let terms = (row.len() + 4) as f64;
        residuals.push(sum.value());
        row_bounds.push(Complex64::from(4.0 * terms * (T::EPSILON * bound + underflow)));
    }
    for (i, row) in sample.entries.iter().enumerate() {
        for &(column, value) in row {
            let value = scaled(rounded::<T>(value), -scale);
            dense[i][column] += value;
            normal[column].add(value.conj(), residuals[i]);
            normal_bounds[column] += value.norm() * (row_bounds[i].re + T::EPSILON * residuals[i].norm());
        }
    }
    let mut distance = Vec::new();
    for ((sum, x), origin) in normal.iter_mut().zip(&x).zip(&origin).filter(|_| damping > 0.0) {
        let apart = (x - scaled(*origin, -size)) * damping;
        sum.add(apart, Complex64::from(-damping));
        distance.push(apart);
    }
    let normal: Vec<_> = normal.into_iter().map(ComplexSum::value).collect();
    let residual = norm(&residuals);
    let columns = (sample.columns as f64).sqrt();
    Truth {
        exponent: total,
        scale,
        residual,
        damped: residual.hypot(norm(&distance)),
        normal: norm(&normal),
        b: power(norm(&b.iter().map(|b| scaled(*b, -total)).collect::<Vec<_>>()), 0),
        frobenius: norm(&dense.concat()).hypot(damping * columns),
        rounding: norm(&row_bounds),
        normal_rounding: norm(&normal_bounds.iter().map(|bound| Complex64::from(*bound)).collect::<Vec<_>>())
            + 8.0 * T::EPSILON * norm(&normal)
            + 8.0 * T::EPSILON * damping * norm(&distance)
            + T::EPSILON * damping * damping * norm(&x),
    }
}

/// A system, and how it is to be solved.
struct Case<T> {
    sample: Sample,
    b: Vec<T>,
    x: Vec<T>,
    rtol: f64,
    limit: usize,
    restart: usize,
    damping: f64,
}

/// Solves a case by a method, and checks all that is promised: it ends within its limit, x is finite and no worse than
/// before, the residual that is told is that of x, and what is claimed is so.
fn check<T: Scalar, P: RowPointer>(
    case: &Case<T>,
    matrix: &CsrMatrix<T, P>,
    (name, solver): (&str, Solver<T>),
    preconditioner: Option<&dyn LinearOperator<T>>,
) -> (Outcome, Vec<T>) {
    let least_squares = name.starts_with("ls");
    let damping = if least_squares { case.damping } else { 0.0 };
    let context = CsrMatrix::context(matrix);
    // Two products an iteration, those of the iterations between two looks, and what runs begin and end with.
    let left = Cell::new(8 * (case.limit + 64));
    let counted = Counted { operator: matrix, left };
    let (b, mut x) = (context.upload(&case.b).unwrap(), context.upload(&case.x).unwrap());
    let mut options = SolveOptions::new().rtol(case.rtol).max_iterations(case.limit).restart(case.restart);
    options = options.damping(damping);
    if let Some(preconditioner) = preconditioner.filter(|_| !least_squares) {
        options = options.preconditioner(preconditioner);
    }
    let outcome = solver(&counted, b.vector().unwrap(), x.vector_mut().unwrap(), &options);
    let outcome = outcome.unwrap_or_else(|error| panic!("{name}, {:?}: {error}", T::KIND));
    let x = x.download().unwrap();
    let told = format!("{name}, {:?}, {outcome}, x = {x:?}", T::KIND);
    assert!(outcome.iterations <= case.limit, "{told}");
    let finite = |values: &[T]| values.iter().all(|value| value.finite());
    if !finite(&case.x) && case.b.iter().all(|b| *b == T::ZERO) && damping == 0.0 {
        assert!(outcome.reason == Reason::Converged && x.iter().all(|x| *x == T::ZERO), "{told}");
        return (outcome, x);
    }
    if !finite(&case.b) || !finite(&case.x) {
        assert_eq!(outcome.reason, Reason::Breakdown, "{told}");
        assert!(x.iter().zip(&case.x).all(|(x, before)| x == before || !before.finite()), "{told}");
        return (outcome, x);
    }
    assert!(finite(&x), "{told}");
    let [before, after] = [&case.x, &x].map(|x| truth(&case.sample, &case.b, x, &case.x, damping));
    // x is the last one but for its rounding.
    let residual = power(outcome.residual, -after.exponent);
    if outcome.residual.is_finite() {
        let apart = (residual - after.residual).abs();
        assert!(apart <= 0.01 * after.residual + after.rounding, "{:e} {apart:e}: {told}", after.residual);
    } else {
        assert!(power(after.residual, after.exponent) > f64::MAX / 2.0, "{told}");
    }
    // Where A's null space has made x much larger, powers of two take b out of the range here: there are the numbers
    // that were told.
    let (start, end) = if before.exponent - after.exponent > -500 {
        (power(before.damped + before.rounding, before.exponent - after.exponent), after.damped)
    } else {
        (power(before.residual, before.exponent), outcome.residual)
    };
    assert!(end <= start * 1.001 + after.rounding, "from {start:e} to {end:e}: {told}");
    match outcome.reason {
        Reason::Converged => {
            let bound = case.rtol * after.b + after.rounding;
            assert!(after.damped <= 1.01 * bound, "{:e} of {bound:e}: {told}", after.damped);
        }
        // As above.
        Reason::LeastSquares if after.damped > 1e-250 => {
            let bound = case.rtol * after.frobenius * after.damped + after.normal_rounding;
            assert!(after.normal <= 1.01 * bound, "{:e} of {bound:e}: {told}", after.normal);
        }
        _ => {}
    }
    (outcome, x)
}

/// A matrix of one of a few kinds: regular, singular, defective, without entries.
fn sample(kind: usize, order: usize, complex: bool, random: &mut Random) -> Sample {
    let mut entries = vec![Vec::new(); order];
    let number = |random: &mut Random| {
        let value = random.complex();
        if complex { value } else { Complex64::from(value.re) }
    };
    for i in 0..order {
        let mut put = |column: usize, value: Complex64| entries[i].push((column, value));
        match kind {
            // The identity, a diagonal that is singular from order 3 on, a cycle, a Jordan block of zero.
            0 => put(i, Complex64::ONE),
            1 => put(i, Complex64::from([2.0, 3.0, 0.0, -1.0][i % 4])),
            2 => put((i + 1) % order, Complex64::ONE),
            3 if i + 1 < order => put(i + 1, Complex64::ONE),
            // The Laplacian of a path, with fixed ends and with free ones, which is singular.
            4 | 5 => {
                let neighbours = usize::from(i > 0) + usize::from(i + 1 < order);
                put(i, Complex64::from(if kind == 4 { 2.0 } else { neighbours as f64 }));
                (i > 0).then(|| put(i - 1, Complex64::from(-1.0)));
                (i + 1 < order).then(|| put(i + 1, Complex64::from(-1.0)));
            }
            // Random ones.
            6 => (0..order).for_each(|j| put(j, number(random))),
            7 => (0..3).for_each(|_| put(random.below(order), number(random))),
            _ => {}
        }
    }
    Sample { rows: order, columns: order, entries }
}

/// A rank-deficient, inconsistent, badly scaled or ordinary system.
fn case<T: Scalar>(random: &mut Random) -> Case<T> {
    let complex = T::KIND.is_complex();
    let order = 1 + random.below(9);
    let kind = random.below(9);
    let mut sample = sample(kind, order, complex, random);
    let exponents = [0, 0, 0, 20, -20, 50, -50, 66, -66, 83, -83, 110, -110];
    let double = if T::KIND.is_double() { 8 } else { 1 };
    let mut scale = || f64::from(double * exponents[random.below(exponents.len())]).exp2();
    let scales = [scale(), scale(), scale()];
    sample.entries.iter_mut().flatten().for_each(|(_, value)| *value *= scales[0]);
    let mut vector = |scale: f64| -> Vec<T> {
        let kind = random.below(8);
        let element = |_| match kind {
            0 => Complex64::ZERO,
            1 => Complex64::ONE * scale,
            _ => random.complex() * scale,
        };
        typed(&(0..order).map(element).collect::<Vec<_>>())
    };
    let (mut b, mut x) = (vector(scales[1]), vector(scales[2]));
    if random.below(3) > 0 {
        x = vec![T::ZERO; order];
    }
    let hostile = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][random.below(3)];
    match random.below(24) {
        0 => b[0] = T::from_parts(hostile, 0.0),
        1 => x[0] = T::from_parts(hostile, 0.0),
        _ => {}
    }
    let tolerance = SolveOptions::<T>::new().rtol;
    Case {
        sample,
        b,
        x,
        rtol: [tolerance, tolerance, tolerance, 0.0, 1e-16, 1e-3][random.below(6)],
        limit: [0, 1, 5, 20, 200][random.below(5)],
        restart: 1 + random.below(12),
        damping: [0.0, 0.0, scales[0]][random.below(3)],
    }
}

/// A preconditioner that is not told to be a diagonal.
struct Opaque<'a, T, P>(&'a CsrMatrix<T, P>);

impl<T: Scalar, P: RowPointer> LinearOperator<T> for Opaque<'_, T, P> {
    fn context(&self) -> &Context {
        CsrMatrix::context(self.0)
    }
    fn rows(&self) -> usize {
        CsrMatrix::rows(self.0)
    }
    fn columns(&self) -> usize {
        CsrMatrix::columns(self.0)
    }
    fn apply(&self, op: Op, x: VectorRef<'_, T>, y: VectorMut<'_, T>) -> Result<()> {
        self.0.apply(op, x, y)
    }
}

/// A random case by all methods, with one of a few preconditioners, also singular ones.
fn check_random<T: Scalar, P: RowPointer>(seed: u64, context: &Context, only: Option<usize>) {
    let mut random = Random(seed);
    let case = case::<T>(&mut random);
    let order = case.sample.rows;
    let matrix: CsrMatrix<T, P> = case.sample.matrix(context);
    let helper = random.below(6);
    let exponent = f64::from([0, 0, 30, -30, 66, -66][random.below(6)]).exp2();
    let diagonal = |i: usize| if i == 0 && helper == 2 { 0.0 } else { exponent };
    let entries = (0..order).map(|i| vec![(i, Complex64::from(diagonal(i)))]).collect();
    let other: CsrMatrix<T, P> = Sample { rows: order, columns: order, entries }.matrix(context);
    let (opaque, jacobi, ilu) = (Opaque(&other), Jacobi::new(&matrix), Ilu0::new(&matrix));
    let preconditioner: Option<&dyn LinearOperator<T>> = match helper {
        1 | 2 => Some(&opaque),
        3 => jacobi.as_ref().ok().map(|jacobi| jacobi as _),
        4 => ilu.as_ref().ok().map(|ilu| ilu as _),
        _ => None,
    };
    for (index, method) in methods::<T>().into_iter().enumerate() {
        if only.is_none_or(|only| only == index) {
            check(&case, &matrix, method, preconditioner);
        }
    }
}

/// A case from zeros, or from one value, with the default tolerance.
fn plain<T: Scalar>(sample: Sample, b: Vec<Complex64>, start: f64, limit: usize) -> Case<T> {
    let x = vec![T::from_parts(start, 0.0); sample.columns];
    let rtol = SolveOptions::<T>::new().rtol;
    Case { sample, b: typed(&b), x, rtol, limit, restart: 30, damping: 0.0 }
}

fn multiple(mut sample: Sample, factor: f64) -> Sample {
    sample.entries.iter_mut().flatten().for_each(|(_, value)| *value *= factor);
    sample
}

/// A kind that takes no random numbers.
fn fixed(kind: usize, order: usize) -> Sample {
    sample(kind, order, false, &mut Random(1))
}

mod device {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

        #[test]
        fn promises_hold_for_hostile_systems(seed: u64) {
            fn check<T: Scalar, P: RowPointer>(seed: u64) {
                check_random::<T, P>(seed, &Context::host(), None);
                // A device compiles a program for each method: one of them each time.
                for context in contexts::<T>().iter().skip(1).filter(|_| seed.is_multiple_of(4)) {
                    check_random::<T, P>(seed, context, Some((seed / 4 % 6) as usize));
                }
            }
            for_each_matrix!(check(seed));
        }
    }

    #[test]
    fn sizes_at_the_ends_of_the_range_are_solved() {
        fn at<T: Scalar, P: RowPointer>() {
            let far = if T::KIND.is_double() { 1e200 } else { 1e20 };
            // Multiples of A, of b, and the x that the solvers begin with.
            let systems = [
                (1.0, 1.0, far),
                (1.0, far, 0.0),
                (1.0, 1.0 / far, 0.0),
                (far, 1.0, 0.0),
                (1.0 / far, 1.0, 0.0),
                (far, far, 1.0),
                (1.0 / far, 1.0 / far, 1.0),
            ];
            for context in contexts::<T>() {
                for (a, b, start) in systems {
                    let case = plain::<T>(
                        multiple(fixed(0, 2), a),
                        vec![Complex64::from(b); 2],
                        start,
                        if T::KIND.is_double() { 40 } else { 5 },
                    );
                    let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                    for method in methods::<T>() {
                        let (outcome, x) = check(&case, &matrix, method, None);
                        assert_eq!(outcome.reason, Reason::Converged, "{a:e} x = {b:e}: {} {outcome}", method.0);
                        let exact = rounded::<T>(Complex64::from(b)).re / rounded::<T>(Complex64::from(a)).re;
                        let close = |x: &T| is_close(x.re() / exact, 1.0, 1.01 * case.rtol) && x.im() == 0.0;
                        assert!(x.iter().all(close), "{a:e} x = {b:e}: {} {outcome}, {x:?}", method.0);
                    }
                }
            }
        }
        for_each_matrix!(at());
    }

    #[test]
    fn a_solution_that_is_no_number_of_the_precision_is_not_claimed() {
        fn at<T: Scalar, P: RowPointer>() {
            let far = if T::KIND.is_double() { 1e200 } else { 1e30 };
            let context = Context::host();
            for (a, b, reason) in [(far, 1.0 / far, Reason::Stagnated), (1.0 / far, far, Reason::Breakdown)] {
                let case = plain::<T>(multiple(fixed(0, 2), a), vec![Complex64::from(b); 2], 0.0, 5);
                let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                for method in methods::<T>() {
                    let (outcome, x) = check(&case, &matrix, method, None);
                    assert_eq!((outcome.reason, x), (reason, vec![T::ZERO; 2]), "{}: {outcome}", method.0);
                    assert_close!(outcome.relative_residual, 1.0, 4.0 * T::EPSILON, "{}: {outcome}", method.0);
                }
            }
        }
        for_each_matrix!(at());
    }

    #[test]
    fn tolerances_that_the_precision_does_not_have_leave_the_best_x() {
        fn at<T: Scalar, P: RowPointer>() {
            let mut random = Random(5);
            for context in contexts::<T>() {
                for (rtol, size) in [(0.0, 1.0), (1e-17, 1.0), (0.0, 1e-36), (0.0, 1e36)] {
                    let size = if T::KIND.is_double() { f64::powi(size, 4) } else { size };
                    let sample = super::super::problems::random_hermitian(12, 1.5, false, T::KIND.is_complex(), 3);
                    let b = (0..12).map(|_| random.complex() * size).collect();
                    let case = Case { rtol, ..plain::<T>(sample, b, 0.0, 500) };
                    let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                    let (ilu, ic, jacobi) =
                        (Ilu0::new(&matrix).unwrap(), Ic0::new(&matrix).unwrap(), Jacobi::new(&matrix).unwrap());
                    let helpers: [Option<&dyn LinearOperator<T>>; 4] = [None, Some(&ilu), Some(&ic), Some(&jacobi)];
                    // A device compiles a program for each kind of preconditioner.
                    for helper in helpers.into_iter().take(if context.device().is_some() { 2 } else { 4 }) {
                        for method in methods::<T>() {
                            let (outcome, _) = check(&case, &matrix, method, helper);
                            assert_ne!(outcome.reason, Reason::Breakdown, "{}: {outcome}", method.0);
                            // A condition of a few units, and the square of that.
                            assert!(outcome.relative_residual <= 50.0 * T::EPSILON, "{}: {outcome}", method.0);
                        }
                    }
                }
            }
        }
        for_each_matrix!(at());
    }

    #[test]
    fn inconsistent_systems_come_to_their_least_residual() {
        fn at<T: Scalar, P: RowPointer>() {
            for context in contexts::<T>() {
                for order in [3, 5, 8, 20] {
                    // Constants are the null space.
                    let b: Vec<_> = (0..order).map(|i| Complex64::from(((7 * i + 3) % 5) as f64)).collect();
                    let mean = b.iter().sum::<Complex64>().re / order as f64;
                    let min_residual = mean * (order as f64).sqrt() / norm(&b);
                    let case = plain::<T>(fixed(5, order), b, 0.0, 1000);
                    let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                    for method in methods::<T>() {
                        let (outcome, _) = check(&case, &matrix, method, None);
                        assert_ne!(outcome.reason, Reason::Converged, "{}: {outcome}", method.0);
                        if !["cg", "bicgstab"].contains(&method.0) {
                            assert_ne!(outcome.reason, Reason::Limit, "{}: {outcome}", method.0);
                            // minres stops at ||A r|| <= sqrt(eps) ||A|| ||r||, with Frobenius' norm, which has squares
                            // of 6 a row at most. The part of r in the range is as large as that over the least
                            // eigenvalue but 0, and the residual larger by half its square.
                            let eigenvalue = 2.0 - 2.0 * (std::f64::consts::PI / order as f64).cos();
                            let excess = T::EPSILON * 6.0 * order as f64 / (eigenvalue * eigenvalue) / 2.0;
                            let bound = min_residual * (1.0 + 2.0 * excess) + 100.0 * order as f64 * T::EPSILON;
                            assert!(outcome.relative_residual <= bound, "{bound:e}: {}: {outcome}", method.0);
                        }
                    }
                }
                let b = [-2.0, 1.0, 1.0].map(Complex64::from).to_vec();
                let case = plain::<T>(fixed(1, 3), b, 0.0, 100);
                let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                for method in methods::<T>() {
                    let (outcome, _) = check(&case, &matrix, method, None);
                    let smallest = method.0 != "cg" && method.0 != "bicgstab";
                    assert!(!smallest || outcome.residual <= 1.0 + 100.0 * T::EPSILON, "{}: {outcome}", method.0);
                }
            }
        }
        for_each_matrix!(at());
    }

    #[test]
    fn least_squares_are_claimed_where_their_criterion_holds() {
        fn at<T: Scalar, P: RowPointer>() {
            let b: Vec<_> =
                super::super::problems::right_hand_side(200).into_iter().map(|b| Complex64::from(b + 1.0)).collect();
            let case = plain::<T>(fixed(5, 200), b, 0.0, 2000);
            // Thousands of iterations: on devices in real types.
            for context in
                contexts::<T>().into_iter().filter(|context| context.device().is_none() || !T::KIND.is_complex())
            {
                let matrix: CsrMatrix<T, P> = case.sample.matrix(&context);
                for method in methods::<T>().into_iter().skip(4) {
                    let (outcome, x) = check(&case, &matrix, method, None);
                    let truth = truth(&case.sample, &case.b, &x, &case.x, 0.0);
                    // The largest eigenvalue is less than 4, and the criterion holds with that norm, not only with
                    // Frobenius'.
                    let bound = case.rtol * power(4.0, -truth.scale) * truth.residual;
                    let holds = truth.normal <= 1.01 * bound;
                    assert!(
                        holds || outcome.reason != Reason::LeastSquares,
                        "{:e} of {bound:e}: {outcome}",
                        truth.normal
                    );
                    assert!(!T::KIND.is_double() || outcome.reason == Reason::LeastSquares, "{}: {outcome}", method.0);
                }
            }
        }
        for_each_matrix!(at());
    }
}

mod device_small {
    use super::*;

    #[test]
    fn a_start_that_is_far_away_is_left_in_small_systems() {
        for context in contexts::<f32>() {
            let case = plain::<f32>(fixed(0, 2), vec![Complex64::ONE; 2], 1e20, 5);
            let matrix: CsrMatrix<f32> = case.sample.matrix(&context);
            for method in methods::<f32>() {
                let (outcome, _) = check(&case, &matrix, method, None);
                assert_eq!(outcome.reason, Reason::Converged, "{}: {outcome}", method.0);
            }
        }
    }
}
