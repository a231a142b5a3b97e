use std::sync::Mutex;

use affinimath_core::options::Layout;
use affinimath_core::problem::Stored;
use affinimath_core::view::MatrixShape;
use affinimath_cpu::level2::update::in_runs;

#[test]
fn runs_are_all_columns_once() {
    for columns in [0, 1, 2, 7, 64, 1001] {
        let shape = MatrixShape::new(Layout::ColumnMajor, 1000, columns, 0, 1000).unwrap();
        let seen = Mutex::new(vec![0; columns]);
        in_runs(&Stored::full(&shape).0, 16, |run| {
            let mut seen = seen.lock().unwrap();
            run.for_each(|j| seen[j] += 1);
        });
        assert!(seen.into_inner().unwrap().iter().all(|times| *times == 1), "{columns}");
    }
}
