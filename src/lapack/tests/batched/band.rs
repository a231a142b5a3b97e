//! Band matrices of a batch: factorised on a device as each one is on the host, and solved with.

use super::*;
use crate::lapack::batched::{BandPlan, gbsv_batched_with_plan, gbtrf_batched_with_plan, gbtrs_batched_with_plan};
use crate::lapack::tests::host::{Dense, assert_ratio, difference, norm, operated, product, ratio, solution_ratio};
use crate::options::Op;
use crate::testing::for_each_type;
use crate::view::VectorRef;
use crate::{gbsv, gbsv_batched, gbtrf, gbtrf_batched, gbtrs_batched};

/// Sizes of a batch of band matrices.
#[derive(Clone, Copy, Debug)]
struct Case {
    m: usize,
    n: usize,
    diagonals: [usize; 2],
    columns: usize,
    count: usize,
}

const fn case([m, n]: [usize; 2], diagonals: [usize; 2], columns: usize, count: usize) -> Case {
    Case { m, n, diagonals, columns, count }
}

impl Case {
    const fn rows(&self) -> usize {
        2 * self.diagonals[0] + self.diagonals[1] + 1
    }

    /// The row of the array that has element (i, j), if any diagonal of A has it, or of U.
    fn row(&self, i: usize, j: usize, is_factor: bool) -> Option<usize> {
        let [kl, ku] = self.diagonals;
        let above = if is_factor { kl + ku } else { ku };
        (i <= j + kl && j <= i + above).then(|| kl + ku + i - j)
    }

    /// Random bands, of which matrix `singular` is zero.
    fn bands<T: Scalar>(&self, k: usize, singular: usize) -> Batch<T> {
        let mut ab = batch::<T>(k, [self.rows(), self.n], self.count, 11);
        if singular < self.count {
            for (i, j) in (0..self.rows()).flat_map(|i| (0..self.n).map(move |j| (i, j))) {
                set(&mut ab, singular, (i, j), Complex64::ZERO);
            }
        }
        ab
    }

    fn dense<T: Scalar>(&self, ab: &Batch<T>, matrix: usize) -> Dense {
        let element = |i, j| self.row(i, j, false).map_or(Complex64::ZERO, |row| ab.element(matrix, row, j));
        faer::Mat::from_fn(self.m, self.n, element)
    }

    /// P A: L U with the interchanges that come between its columns.
    fn product_of_factors<T: Scalar>(&self, ab: &Batch<T>, matrix: usize, pivots: &[i32]) -> Dense {
        let element = |i, j| self.row(i, j, true).map_or(Complex64::ZERO, |row| ab.element(matrix, row, j));
        let mut a = faer::Mat::from_fn(self.m, self.n, |i, j| if i <= j { element(i, j) } else { Complex64::ZERO });
        for j in (0..self.m.min(self.n)).rev() {
            for i in j + 1..self.m.min(j + self.diagonals[0] + 1) {
                let multiplier = element(i, j);
                for c in 0..self.n {
                    let upper = a[(j, c)];
                    a[(i, c)] += multiplier * upper;
                }
            }
            let pivot = pivots[j] as usize - 1;
            for c in 0..self.n {
                let (upper, lower) = (a[(j, c)], a[(pivot, c)]);
                (a[(j, c)], a[(pivot, c)]) = (lower, upper);
            }
        }
        a
    }

    /// True if elements outside of the band, and those of U, are as they were.
    fn keeps_outside<T: Scalar>(&self, before: &Batch<T>, after: &Batch<T>) -> bool {
        let mut of_factors = vec![false; before.data.len()];
        for matrix in 0..self.count {
            for (i, j) in (0..self.m).flat_map(|i| (0..self.n).map(move |j| (i, j))) {
                if let Some(row) = self.row(i, j, true) {
                    of_factors[before.index(matrix, row, j)] = true;
                }
            }
        }
        let same = |x: T, y: T| x == y || x.re().is_nan() && y.re().is_nan();
        before.data.iter().zip(&after.data).zip(of_factors).all(|((x, y), of_factors)| of_factors || same(*x, *y))
    }
}

fn check<T: Scalar>(context: &Context, k: usize, case: Case, plan: Option<BandPlan>) {
    let (order, stride) = (case.m.min(case.n), case.m.min(case.n) + 1);
    let singular = if order > 0 && case.count > 1 { 1 } else { case.count };
    let (a, queue) = (case.bands::<T>(k, singular), context.queue().unwrap());
    let mut memory = context.upload(&a.data).unwrap();
    let mut pivots = context.upload(&vec![CANARY; stride * case.count + 1]).unwrap();
    let mut info = context.upload(&vec![CANARY; case.count + 1]).unwrap();
    let ab = memory.batch_mut(a.shape()).unwrap();
    let sizes = (case.m, case.diagonals);
    let (of_pivots, of_info) = (pivots.vector_mut().unwrap(), info.vector_mut().unwrap());
    gbtrf_batched_with_plan(&queue, sizes, &ab, (&of_pivots, stride), &of_info, plan).unwrap().wait().unwrap();
    let factors = with_data(&a, memory.download().unwrap());
    let (rows, infos) = (pivots.download().unwrap(), info.download().unwrap());
    assert!(case.keeps_outside(&a, &factors) && gaps_live(&rows, order, stride), "{case:?}");
    assert_eq!(infos[case.count], CANARY, "{case:?}");
    for i in 0..case.count {
        assert_eq!(infos[i], i32::from(i == singular), "{case:?}: matrix {i}");
        let own = &rows[i * stride..][..order];
        let fits = |j: usize| (j + 1..=case.m.min(j + case.diagonals[0] + 1)).contains(&(own[j] as usize));
        assert!((0..order).all(fits), "{case:?}: {own:?}");
        let (dense, image) = (case.dense(&a, i), case.product_of_factors(&factors, i, own));
        let error = ratio::<T>(&difference(&dense, &image), case.n, norm(&dense));
        assert_ratio::<T>(error, "P A - L U", &(case, plan));
        compare_with_host(case, &a, &factors, i, own);
    }
    if case.m == case.n {
        check_solutions(context, case, k, plan, (&a, singular), (&factors, &rows));
    }
}

/// The factors are the host's but for roundings, as is the choice of pivots of random matrices.
fn compare_with_host<T: Scalar>(case: Case, a: &Batch<T>, factors: &Batch<T>, matrix: usize, pivots: &[i32]) {
    let mut host =
        Stored::<T>::new(Layout::ColumnMajor, case.rows(), case.n, 0, 0).filled_with(|i, j| a.element(matrix, i, j));
    let mut own = vec![0; pivots.len()];
    let [kl, ku] = case.diagonals;
    let _ = gbtrf(case.m, kl, ku, host.view_mut(), &mut own);
    assert_eq!(own, pivots, "{case:?}: matrix {matrix}");
    for (i, j) in (0..case.m).flat_map(|i| (0..case.n).map(move |j| (i, j))) {
        let Some(row) = case.row(i, j, true) else { continue };
        let (device, host) = (factors.element(matrix, row, j), host.element(row, j));
        let scale = 1e4 * T::EPSILON * (1.0 + host.norm());
        assert!((device - host).norm() <= scale, "{case:?}: {device} for {host} at ({i}, {j}) of {matrix}");
    }
}

fn check_solutions<T: Scalar>(
    context: &Context,
    case: Case,
    k: usize,
    plan: Option<BandPlan>,
    (a, singular): (&Batch<T>, usize),
    (factors, pivots): (&Batch<T>, &[i32]),
) {
    let (queue, stride) = (context.queue().unwrap(), case.n + 1);
    let right = batch::<T>(k + 1, [case.n, case.columns], case.count, 7);
    let size = [case.n, case.columns];
    let verify = |x: &Batch<T>, op: Op| {
        assert!(x.canaries_live(), "{case:?}");
        for i in (0..case.count).filter(|i| *i != singular) {
            let error = solution_ratio::<T>(op, &case.dense(a, i), &dense(x, i, size), &dense(&right, i, size));
            // Random bands are no better conditioned than others.
            assert_ratio::<T>(error / case.n.max(1) as f64, "B - op(A) X", &(case, op, plan));
        }
    };
    let (memory, of_pivots) = (context.upload(&factors.data).unwrap(), context.upload(pivots).unwrap());
    for &op in Op::ALL {
        let mut b = context.upload(&right.data).unwrap();
        let of_pivots: VectorRef<'_, i32> = of_pivots.vector().unwrap();
        let (ab, x) = (memory.batch(a.shape()).unwrap(), b.batch_mut(right.shape()).unwrap());
        let options = (op, case.diagonals);
        gbtrs_batched_with_plan(&queue, options, &ab, (&of_pivots, stride), &x, plan).unwrap().wait().unwrap();
        verify(&with_data(&right, b.download().unwrap()), op);
    }
    let (mut memory, mut b) = (context.upload(&a.data).unwrap(), context.upload(&right.data).unwrap());
    let mut rows = context.upload(&vec![CANARY; stride * case.count + 1]).unwrap();
    let mut info = context.upload(&vec![CANARY; case.count]).unwrap();
    let (ab, x) = (memory.batch_mut(a.shape()).unwrap(), b.batch_mut(right.shape()).unwrap());
    let (of_rows, of_info) = (rows.vector_mut().unwrap(), info.vector_mut().unwrap());
    let result = gbsv_batched_with_plan(&queue, case.diagonals, &ab, (&of_rows, stride), &x, (&of_info, plan));
    result.unwrap().wait().unwrap();
    let x = with_data(&right, b.download().unwrap());
    verify(&x, Op::NoTrans);
    let infos: Vec<i32> = (0..case.count).map(|i| i32::from(i == singular)).collect();
    assert_eq!((info.download().unwrap(), rows.download().unwrap()), (infos, pivots.to_vec()), "{case:?}");
    if singular < case.count {
        assert_eq!(dense(&x, singular, size), dense(&right, singular, size), "B of a singular matrix stays");
    }
}

fn on_devices<T: Scalar>(cases: &[(Case, Option<BandPlan>)]) {
    for context in crate::testing::contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
        for (k, (case, plan)) in cases.iter().enumerate() {
            check::<T>(&context, k, *case, *plan);
        }
    }
}

/// Teams of work-items, with or without windows in local memory.
const fn plan([team, teams]: [usize; 2], block: usize, is_local: bool, solve: [usize; 2]) -> Option<BandPlan> {
    Some(BandPlan { team, teams, block, is_local, solve_team: solve[0], solve_teams: solve[1] })
}

mod device_small {
    use super::*;

    /// Windows that are one block, several, or end within a block; teams of more and fewer work-items than diagonals;
    /// groups that are not full; matrices that are no square.
    #[test]
    fn bands_of_a_batch() {
        let local = plan([4, 2], 2, true, [2, 2]);
        for_each_type!(on_devices(&[
            (case([0, 0], [1, 1], 1, 2), None),
            (case([1, 1], [0, 0], 1, 3), local),
            (case([5, 5], [0, 0], 2, 3), local),
            (case([6, 6], [2, 1], 2, 3), local),
            (case([7, 7], [0, 2], 1, 2), local),
            (case([7, 7], [2, 0], 1, 2), plan([2, 1], 1, false, [4, 1])),
            (case([9, 9], [1, 2], 1, 3), None),
            (case([8, 5], [2, 1], 0, 2), local),
            (case([4, 9], [1, 2], 0, 2), plan([2, 2], 3, true, [1, 4])),
            (case([3, 3], [4, 5], 1, 2), local),
            (case([0, 3], [1, 1], 0, 2), local),
        ]));
    }
}

mod device {
    use super::*;

    #[test]
    fn wide_and_long_bands_of_a_batch() {
        let local = plan([16, 2], 8, true, [4, 8]);
        for_each_type!(on_devices(&[
            (case([150, 150], [3, 2], 3, 5), local),
            (case([150, 150], [2, 2], 1, 70), None),
            (case([90, 90], [12, 9], 5, 3), plan([32, 1], 5, true, [8, 4])),
            (case([90, 90], [12, 9], 1, 3), plan([32, 1], 64, false, [32, 1])),
            (case([70, 40], [5, 3], 0, 4), local),
            (case([40, 70], [5, 3], 0, 4), None),
        ]));
    }

    /// Matrices in a device's memory, with pivots and infos in the host's.
    #[test]
    fn bands_in_a_devices_memory_are_solved_there() {
        let case = case([30, 30], [2, 3], 2, 4);
        for context in crate::testing::contexts::<f64>() {
            let (a, b) = (case.bands::<f64>(0, 1), batch::<f64>(1, [30, 2], 4, 7));
            let (mut memory, mut right) = (context.upload(&a.data).unwrap(), context.upload(&b.data).unwrap());
            let (mut pivots, mut info) = (vec![CANARY; 4 * 30], vec![CANARY; 4]);
            let (ab, x) = (memory.batch_mut(a.shape()).unwrap(), right.batch_mut(b.shape()).unwrap());
            gbsv_batched(2, 3, ab, &mut pivots, 30, x, &mut info).unwrap();
            assert_eq!(info, [0, 1, 0, 0]);
            let x = with_data(&b, right.download().unwrap());
            let mut again = context.upload(&a.data).unwrap();
            gbtrf_batched(30, 2, 3, again.batch_mut(a.shape()).unwrap(), &mut pivots, 30, &mut info).unwrap();
            let mut other = context.upload(&b.data).unwrap();
            let y = other.batch_mut(b.shape()).unwrap();
            gbtrs_batched(Op::ConjTrans, 2, 3, again.batch(a.shape()).unwrap(), &pivots, 30, y).unwrap();
            let y = with_data(&b, other.download().unwrap());
            for i in [0, 2, 3] {
                for (x, op) in [(&x, Op::NoTrans), (&y, Op::ConjTrans)] {
                    let (a, b) = (case.dense(&a, i), dense(&b, i, [30, 2]));
                    let error = difference(&b, &product(&operated(op, &a), &dense(x, i, [30, 2])));
                    assert!(norm(&error) <= 1e-11 * norm(&a), "{i}, {op:?}");
                }
            }
        }
    }
}

mod host {
    use super::*;
    use crate::Error;

    fn is_solved_as_one<T: Scalar>() {
        for (k, case) in [
            case([20, 20], [2, 3], 2, 5),
            case([9, 9], [0, 2], 1, 4),
            case([80, 80], [40, 40], 3, 2),
            case([0, 0], [1, 0], 1, 2),
        ]
        .into_iter()
        .enumerate()
        {
            let singular = if case.n > 0 { 1 } else { case.count };
            let (a, b) = (case.bands::<T>(k, singular), batch::<T>(k + 1, [case.n, case.columns], case.count, 7));
            let (mut factors, mut x, stride) = (a.clone(), b.clone(), case.n + 2);
            let (mut pivots, mut info) = (vec![CANARY; stride * case.count], vec![CANARY; case.count]);
            let [kl, ku] = case.diagonals;
            let ab = BatchMut::from_slice(&mut factors.data, a.shape()).unwrap();
            let of_x = BatchMut::from_slice(&mut x.data, b.shape()).unwrap();
            gbsv_batched(kl, ku, ab, &mut pivots, stride, of_x, &mut info).unwrap();
            assert!(gaps_live(&pivots, case.n, stride) && x.canaries_live() && case.keeps_outside(&a, &factors));
            for i in 0..case.count {
                let one = |data: &Batch<T>, rows, columns| {
                    Stored::<T>::new(Layout::ColumnMajor, rows, columns, 0, 0).filled_with(|r, c| data.element(i, r, c))
                };
                let (mut ab, mut right) = (one(&a, case.rows(), case.n), one(&b, case.n, case.columns));
                let mut own = vec![0; case.n];
                let found = gbsv(kl, ku, ab.view_mut(), &mut own, right.view_mut());
                assert_eq!(info[i], found.map_or_else(|error| error.status(), |()| 0));
                assert_eq!(&pivots[i * stride..][..case.n], own);
                assert_eq!(dense(&x, i, [case.n, case.columns]), right.dense());
                assert_eq!(dense(&factors, i, [case.rows(), case.n]), ab.dense());
            }
        }
    }

    #[test]
    fn bands_of_a_batch_are_solved_as_one_is() {
        for_each_type!(is_solved_as_one());
    }

    #[test]
    fn bands_that_do_not_fit_are_refused() {
        let case = case([4, 4], [1, 1], 1, 3);
        let (a, b) = (case.bands::<f64>(0, 9), batch::<f64>(0, [4, 1], 3, 1));
        let (mut factors, mut x, mut pivots, mut info) = (a.clone(), b.clone(), [1; 12], [CANARY; 3]);
        let mut run = |[kl, ku]: [usize; 2], stride, infos: usize| {
            let ab = BatchMut::from_slice(&mut factors.data, a.shape()).unwrap();
            let x = BatchMut::from_slice(&mut x.data, b.shape()).unwrap();
            gbsv_batched(kl, ku, ab, &mut pivots, stride, x, &mut info[..infos])
        };
        assert!(matches!(run([2, 1], 4, 3), Err(Error::ShapeMismatch(_))));
        assert!(matches!(run([1, 1], 3, 3), Err(Error::InvalidArgument { name: "pivots", .. })));
        assert!(matches!(run([1, 1], 5, 3), Err(Error::ShapeMismatch(_))));
        assert!(matches!(run([1, 1], 4, 2), Err(Error::ShapeMismatch(_))));
        assert_eq!((pivots, info), ([1; 12], [CANARY; 3]));
        let other = batch::<f64>(0, [5, 1], 3, 1);
        let mut five = other.clone();
        let ab = BatchMut::from_slice(&mut factors.data, a.shape()).unwrap();
        let of_five = BatchMut::from_slice(&mut five.data, other.shape()).unwrap();
        assert!(matches!(gbsv_batched(1, 1, ab, &mut pivots, 4, of_five, &mut info), Err(Error::ShapeMismatch(_))));
        // The pivot of the first row is at most the second one.
        pivots = [3, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4];
        let ab = crate::view::BatchRef::from_slice(&factors.data, a.shape()).unwrap();
        let of_x = BatchMut::from_slice(&mut x.data, b.shape()).unwrap();
        let found = gbtrs_batched(Op::NoTrans, 1, 1, ab, &pivots, 4, of_x);
        assert!(matches!(found, Err(Error::InvalidArgument { name: "pivots", .. })));
        let bits = |data: &[f64]| data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&factors.data), bits(&x.data)), (bits(&a.data), bits(&b.data)));
    }
}
