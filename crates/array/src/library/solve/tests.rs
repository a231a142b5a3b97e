use super::*;
use MatrixStructure as Structure;
use SolveMethod as Method;

const DENSE: MatrixProperties =
    MatrixProperties { lower: 99, upper: 99, is_symmetric: false, is_hermitian: false, has_positive_diagonal: false };

fn banded(lower: usize, upper: usize) -> MatrixProperties {
    MatrixProperties { lower, upper, ..DENSE }
}

/// The method for one matrix of order 100 on the host, and the fallback.
fn chosen(properties: MatrixProperties) -> (Method, Option<Method>) {
    let SystemPlan { method, fallback } = SystemPlan::choose(&properties, 100, 1, false);
    (method, fallback)
}

fn on_device(properties: MatrixProperties) -> Method {
    SystemPlan::choose(&properties, 100, 1, true).method
}

#[test]
fn the_narrowest_structure_chooses_the_method() {
    let triangle = |triangle| Method::Substitution(triangle, Diag::NonUnit);
    assert_eq!(chosen(banded(0, 0)).0, Method::Division);
    assert_eq!(chosen(banded(5, 0)).0, triangle(Triangle::Lower));
    assert_eq!(chosen(banded(0, 99)).0, triangle(Triangle::Upper));
    assert_eq!(chosen(banded(1, 1)).0, Method::Tridiagonal);
    assert_eq!(chosen(banded(2, 1)).0, Method::Band { lower: 2, upper: 1 });
    assert_eq!(chosen(DENSE).0, Method::Lu);
    let symmetric = MatrixProperties { is_symmetric: true, ..DENSE };
    assert_eq!(chosen(symmetric).0, Method::Indefinite(Symmetry::Symmetric, Triangle::Lower));
    let hermitian = MatrixProperties { is_hermitian: true, ..DENSE };
    let indefinite = Method::Indefinite(Symmetry::Hermitian, Triangle::Lower);
    assert_eq!(chosen(hermitian), (indefinite, None));
    let definite = MatrixProperties { has_positive_diagonal: true, ..hermitian };
    assert_eq!(chosen(definite), (Method::Cholesky(Triangle::Lower), Some(indefinite)));
    let narrow = MatrixProperties { lower: 4, upper: 4, ..definite };
    assert_eq!(chosen(narrow), (Method::BandCholesky { width: 4 }, Some(Method::Band { lower: 4, upper: 4 })));
}

#[test]
fn bands_pay_while_they_have_half_of_the_operations() {
    // k (k + k) <= 100² / 6 up to k = 28.
    assert_eq!(chosen(banded(28, 28)).0, Method::Band { lower: 28, upper: 28 });
    assert_eq!(chosen(banded(29, 29)).0, Method::Lu);
    // One diagonal below the main one costs little at any width above it.
    assert_eq!(chosen(banded(1, 99)).0, Method::Band { lower: 1, upper: 99 });
    let definite = |k| MatrixProperties { is_hermitian: true, has_positive_diagonal: true, ..banded(k, k) };
    assert_eq!(chosen(definite(25)).0, Method::BandCholesky { width: 25 });
    assert_eq!(chosen(definite(30)).0, Method::Cholesky(Triangle::Lower));
    // Widths near the largest number do not overflow.
    let wide = SystemPlan::choose(&banded(usize::MAX / 4, usize::MAX / 4), usize::MAX / 2, 1, false);
    assert!(matches!(wide.method, Method::Band { .. } | Method::Lu));
}

#[test]
fn devices_have_no_kernel_for_indefinite_matrices_and_take_narrow_bands() {
    let hermitian = MatrixProperties { is_hermitian: true, is_symmetric: true, ..DENSE };
    assert_eq!(on_device(hermitian), Method::Lu);
    let definite = SystemPlan::choose(&MatrixProperties { has_positive_diagonal: true, ..hermitian }, 100, 1, true);
    assert_eq!((definite.method, definite.fallback), (Method::Cholesky(Triangle::Lower), Some(Method::Lu)));
    let at = |lower, upper| SystemPlan::choose(&banded(lower, upper), 10_000, 1, true).method;
    assert_eq!(at(31, 32), Method::Band { lower: 31, upper: 32 });
    assert_eq!(at(32, 32), Method::Lu);
}

#[test]
fn batches_take_methods_for_many_matrices() {
    let choose = |properties, order, is_on_device| SystemPlan::choose(&properties, order, 7, is_on_device).method;
    assert_eq!(choose(banded(1, 1), 100, true), Method::Tridiagonal);
    for is_on_device in [false, true] {
        assert_eq!(choose(banded(2, 1), 100, is_on_device), Method::Band { lower: 2, upper: 1 });
        assert_eq!(choose(banded(40, 40), 100, is_on_device), Method::Lu);
        let definite = MatrixProperties { is_hermitian: true, has_positive_diagonal: true, ..banded(2, 2) };
        assert_eq!(choose(definite, 100, is_on_device), Method::Band { lower: 2, upper: 2 });
    }
    assert_eq!(choose(banded(9, 0), 100, true), Method::Band { lower: 9, upper: 0 });
    assert_eq!(choose(banded(9, 0), 100, false), Method::Substitution(Triangle::Lower, Diag::NonUnit));
    let symmetric = MatrixProperties { is_symmetric: true, ..DENSE };
    assert_eq!(choose(symmetric, 63, false), Method::Lu);
    assert_eq!(choose(symmetric, 64, false), Method::Indefinite(Symmetry::Symmetric, Triangle::Lower));
}

#[test]
fn reports_come_back_from_their_numbers() {
    let methods = [
        Method::Division,
        Method::Substitution(Triangle::Upper, Diag::Unit),
        Method::Substitution(Triangle::Lower, Diag::NonUnit),
        Method::Tridiagonal,
        Method::Band { lower: 3, upper: 1 << 40 },
        Method::BandCholesky { width: 7 },
        Method::Cholesky(Triangle::Upper),
        Method::Indefinite(Symmetry::Symmetric, Triangle::Lower),
        Method::Indefinite(Symmetry::Hermitian, Triangle::Upper),
        Method::Lu,
        Method::LeastSquares,
    ];
    let refinements = [
        None,
        Some(Refinement::Converged { steps: 0 }),
        Some(Refinement::Converged { steps: 30 }),
        Some(Refinement::Overflow),
        Some(Refinement::NotFactorised),
        Some(Refinement::NotConverged),
    ];
    for method in methods {
        for fallback in methods.map(Some).into_iter().chain([None]) {
            for refinement in refinements {
                let report = SolveReport { method, fallback, fallbacks: 5, refinement };
                assert_eq!(SolveReport::from_words(&report.words()).unwrap(), report);
            }
        }
    }
    assert!(SolveReport::from_words(&[0; 7]).is_err());
    assert!(SolveReport::from_words(&[99, 0, 0, NONE, 0, 0, 0, NONE]).is_err());
    assert!(SolveReport::from_words(&[7, 0, 0, NONE, 0, 0, -1, NONE]).is_err());
}

#[test]
fn structures_name_the_elements_that_are_read() {
    let count = |structure: Structure| {
        (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| structure.reads(*i, *j)).count()
    };
    assert_eq!(count(Structure::Unknown), 16);
    assert_eq!(count(Structure::Hermitian(Triangle::Upper)), 10);
    assert_eq!(count(Structure::Triangular(Triangle::Lower, Diag::NonUnit)), 10);
    assert_eq!(count(Structure::Triangular(Triangle::Lower, Diag::Unit)), 6);
    assert_eq!(count(Structure::Tridiagonal), 10);
    assert_eq!(count(Structure::Banded { lower: 0, upper: 1 }), 7);
    assert_eq!(count(Structure::Banded { lower: usize::MAX, upper: 0 }), 10);
    assert!(Structure::Triangular(Triangle::Upper, Diag::Unit).reads(0, 3));
}
