//! Symmetric and Hermitian indefinite matrices on a device: LAPACK's ratios, pivots as the host's, other triangles.

use super::host::{Dense, assert_ratio, difference, norm, product, ratio, solution_ratio};
use super::*;
use crate::lapack::indefinite::{IndefinitePlan, factorise, solve};
use crate::options::{Op, Symmetry, Triangle};
use crate::scalar::Complex64;
use crate::testing::for_each_type;
use crate::{hetrf, sytrf};

/// A matrix by one of its triangles; the other one is NaN.
#[derive(Clone, Copy, Debug)]
struct Case {
    n: usize,
    symmetry: Symmetry,
    triangle: Triangle,
    /// The size of its diagonal: a small one asks for pivots of order 2.
    diagonal: f64,
    storage: (Layout, usize),
}

impl Case {
    fn is_stored(&self, i: usize, j: usize) -> bool {
        if self.triangle == Triangle::Lower { i >= j } else { i <= j }
    }

    fn matrix<T: Scalar>(&self) -> Stored<T> {
        let random = Stored::<T>::new(self.storage.0, self.n, self.n, self.storage.1, 3);
        let nan = Complex64::new(f64::NAN, f64::NAN);
        random.clone().filled_with(|i, j| match self.is_stored(i, j) {
            false => nan,
            true if i == j && self.symmetry == Symmetry::Hermitian => {
                Complex64::new(random.element(i, j).re * self.diagonal, 0.0)
            }
            true if i == j => random.element(i, j) * self.diagonal,
            true => random.element(i, j),
        })
    }

    fn of(&self, value: Complex64) -> Complex64 {
        if self.symmetry == Symmetry::Hermitian { value.conj() } else { value }
    }

    fn dense<T: Scalar>(&self, a: &Stored<T>) -> Dense {
        faer::Mat::from_fn(self.n, self.n, |i, j| match self.is_stored(i, j) {
            true => a.element(i, j),
            false => self.of(a.element(j, i)),
        })
    }

    /// P₁ L₁ P₂ L₂ ... D (P₁ L₁ P₂ L₂ ...)ᴴ, of an upper triangle in reverse order.
    fn product_of_factors<T: Scalar>(&self, factors: &Stored<T>, pivots: &[i32]) -> Dense {
        let n = self.n;
        let own = |i: usize| if self.triangle == Triangle::Lower { i } else { n - 1 - i };
        let element = |i: usize, j: usize| factors.element(own(i), own(j));
        let row_of = |pivot: i32| own(pivot.unsigned_abs() as usize - 1);
        let mut blocks = Vec::new();
        while blocks.iter().map(|(_, order)| order).sum::<usize>() < n {
            let k = blocks.iter().map(|(_, order)| order).sum::<usize>();
            blocks.push((k, if pivots[own(k)] > 0 { 1 } else { 2 }));
        }
        let zero = Complex64::ZERO;
        let mut d: Dense = faer::Mat::zeros(n, n);
        let mut f = host::identity(n);
        for (k, order) in blocks.into_iter().rev() {
            d[(k, k)] = element(k, k);
            if order == 2 {
                (d[(k + 1, k + 1)], d[(k + 1, k)]) = (element(k + 1, k + 1), element(k + 1, k));
                d[(k, k + 1)] = self.of(element(k + 1, k));
            }
            for i in k + order..n {
                for c in 0..n {
                    let second = if order == 2 { element(i, k + 1) * f[(k + 1, c)] } else { zero };
                    let change = element(i, k) * f[(k, c)] + second;
                    f[(i, c)] += change;
                }
            }
            let (from, to) = (k + order - 1, row_of(pivots[own(k)]));
            for c in 0..n {
                let (x, y) = (f[(from, c)], f[(to, c)]);
                (f[(from, c)], f[(to, c)]) = (y, x);
            }
        }
        let adjoint = faer::Mat::from_fn(n, n, |i, j| self.of(f[(j, i)]));
        let a = product(&product(&f, &d), &adjoint);
        faer::Mat::from_fn(n, n, |i, j| a[(own(i), own(j))])
    }
}

fn check<T: Scalar>(context: &Context, case: Case, plan: IndefinitePlan) {
    let (queue, n, kind) = (context.queue().unwrap(), case.n, (case.symmetry, case.triangle));
    let a = case.matrix::<T>();
    let mut memory = uploaded(context, &a);
    let (pivots, info) = factorise(&queue, kind, &memory.view_mut(a.shape).unwrap(), plan).unwrap();
    assert_eq!(info, None, "{case:?}");
    let factors = downloaded(&a, &memory);
    assert!(factors.canaries_live(), "{case:?}");
    let others = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| !case.is_stored(*i, *j));
    assert!(others.into_iter().all(|(i, j)| factors.element(i, j).re.is_nan()), "{case:?}: the other triangle");
    assert!(crate::host::lapack::pivots_fit(case.triangle, &pivots), "{case:?}: {pivots:?}");
    let (dense, image) = (case.dense(&a), case.product_of_factors(&factors, &pivots));
    assert_ratio::<T>(ratio::<T>(&difference(&dense, &image), n.max(1), norm(&dense)), "A - L D L'", &(case, plan));
    let (mut own, mut of_host) = (vec![0; n], a.clone());
    let result = match case.symmetry {
        Symmetry::Symmetric => sytrf(case.triangle, of_host.view_mut(), &mut own),
        Symmetry::Hermitian => hetrf(case.triangle, of_host.view_mut(), &mut own),
    };
    result.unwrap();
    assert_eq!(pivots, own, "{case:?}: the host's pivots");
    for columns in [1, 3] {
        let b = Stored::<T>::new(case.storage.0, n, columns, case.storage.1, 9);
        let mut x = uploaded(context, &b);
        let factors = memory.view(a.shape).unwrap();
        solve(&queue, kind, &factors, &pivots, &x.view_mut(b.shape).unwrap()).unwrap();
        let x = downloaded(&b, &x);
        assert!(x.canaries_live(), "{case:?}");
        let error = solution_ratio::<T>(Op::NoTrans, &dense, &x.dense(), &b.dense());
        assert_ratio::<T>(error, "B - A X", &(case, columns, plan));
    }
}

fn on_devices<T: Scalar>(orders: &[usize], plan: IndefinitePlan) {
    for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
        for (k, &n) in orders.iter().enumerate() {
            for symmetry in [Symmetry::Symmetric, Symmetry::Hermitian] {
                for &triangle in Triangle::ALL {
                    let (diagonal, storage) = ([1.0, 1e-3][k % 2], STORAGES[k % 3]);
                    check::<T>(&context, Case { n, symmetry, triangle, diagonal, storage }, plan);
                }
            }
        }
    }
}

/// Zero in a column from the diagonal on: the factorisation goes on, and tells of the first one.
fn singular<T: Scalar>() {
    let plan = IndefinitePlan { panel: 4, group: 8, groups: 2 };
    for context in contexts::<T>().into_iter().filter(|context| context.device().is_some()) {
        for &triangle in Triangle::ALL {
            // An upper triangle begins at its end.
            let (n, index) = (8, if triangle == Triangle::Lower { 3 } else { 6 });
            let diagonal = |i: usize| if i == 2 || i == 5 { 0.0 } else { 2.0 + i as f64 };
            let a = Stored::<T>::new(Layout::ColumnMajor, n, n, 0, 0)
                .filled_with(|i, j| Complex64::new(if i == j { diagonal(i) } else { 0.0 }, 0.0));
            let (queue, mut memory) = (context.queue().unwrap(), uploaded(&context, &a));
            let matrix = memory.view_mut(a.shape).unwrap();
            let (pivots, info) = factorise(&queue, (Symmetry::Symmetric, triangle), &matrix, plan).unwrap();
            let (mut of_host, mut own) = (a.clone(), vec![0; n]);
            assert!(sytrf(triangle, of_host.view_mut(), &mut own).is_err_and(|error| error.status() == index));
            assert_eq!((pivots, info), (own, Some(index as usize)), "{triangle:?}");
            assert_eq!(downloaded(&a, &memory).dense(), of_host.dense());
        }
    }
}

mod device_small {
    use super::*;

    /// One panel, several, and a last one of a column more; groups that share a column.
    #[test]
    fn indefinite_factors_multiply_to_the_matrix() {
        for_each_type!(on_devices(&[0, 1, 2, 5, 6, 9, 13], IndefinitePlan { panel: 4, group: 4, groups: 2 }));
    }

    #[test]
    fn the_first_zero_pivot_is_the_hosts() {
        for_each_type!(singular());
    }
}

mod device {
    use super::*;

    #[test]
    fn large_indefinite_factors_multiply_to_the_matrix() {
        for_each_type!(on_devices(&[64, 65, 66, 150, 190], IndefinitePlan { panel: 64, group: 32, groups: 3 }));
        for_each_type!(on_devices(&[100, 140], IndefinitePlan { panel: 64, group: 256, groups: 64 }));
    }
}
