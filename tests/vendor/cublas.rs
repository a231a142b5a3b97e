//! cuBLAS on a driver and a library that stand for them: operands go to the GPU's memory and back, in the one layout
//! that cuBLAS has.

use std::ffi::c_long;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use affinimath::route::{CuBlasChoice, Family, Route, RouteChoice, decide, set_cblas, set_cublas, set_route};
use affinimath::vendor::{LibraryFile, Vendor};
use affinimath::*;

use super::{alone, vector, vector_mut};

struct Fake {
    path: PathBuf,
    calls: unsafe extern "C" fn() -> c_long,
    entered: unsafe extern "C" fn() -> c_long,
}

impl Fake {
    fn get() -> &'static Fake {
        static FAKE: LazyLock<Fake> = LazyLock::new(|| {
            let path = tempfile::tempdir().unwrap().keep().join("libfake_cuda.so");
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor/fake_cuda.c");
            let mut compiler = Command::new("cc");
            compiler.args(["-shared", "-fPIC", "-O1", "-Wl,-soname,libcuda.so.1", "-o"]).arg(&path).arg(source);
            assert!(compiler.arg("-lm").status().unwrap().success());
            // What is loaded under this name is found by it.
            let file = LibraryFile::open(&path).unwrap();
            // SAFETY: the types are those of the C source.
            unsafe {
                let (calls, entered) = ("fake_cublas_calls", "fake_cuda_entered");
                Fake { path, calls: file.function(calls).unwrap(), entered: file.function(entered).unwrap() }
            }
        });
        &FAKE
    }

    /// Calls of cuBLAS meanwhile. The thread's CUDA context is as it was before.
    fn counted(&self, run: impl FnOnce()) -> i64 {
        // SAFETY: they only read counters.
        let (calls, entered) = unsafe { ((self.calls)(), (self.entered)()) };
        run();
        // SAFETY: as above.
        unsafe {
            assert_eq!((self.entered)(), entered);
            (self.calls)() - calls
        }
    }

    /// Only cuBLAS, with this route.
    fn with(&self, route: RouteChoice) {
        set_route(RouteChoice::Auto).unwrap();
        set_cblas(None).unwrap();
        set_cublas(&CuBlasChoice::File(self.path.clone())).unwrap();
        set_route(route).unwrap();
    }
}

/// Back to no vendor's library for the other tests.
fn off() {
    set_route(RouteChoice::Auto).unwrap();
    set_cublas(&CuBlasChoice::Off).unwrap();
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|index| ((index * 37 + 11) % 17) as f64 - 8.0).collect()
}

/// Checks that a call gives the same values on the host and in cuBLAS.
fn same(fake: &Fake, call: impl Fn() -> Vec<f64>) {
    set_route(RouteChoice::Host).unwrap();
    let expected = call();
    set_route(RouteChoice::Vendor).unwrap();
    let mut found = Vec::new();
    assert_eq!(fake.counted(|| found = call()), 1);
    assert_eq!(found, expected, "sums of small whole numbers are exact");
}

mod host {
    use super::*;

    #[test]
    fn matrices_go_to_cublas_in_every_layout() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        let (a, b) = (numbers(60), numbers(80));
        for layout in [Layout::ColumnMajor, Layout::RowMajor] {
            let shape = |rows: usize, columns: usize| {
                let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
                MatrixShape::new(layout, rows, columns, 2, adjacent + 3).unwrap()
            };
            for (op_a, op_b, beta) in [(Op::NoTrans, Op::Trans, 0.0), (Op::Trans, Op::NoTrans, 2.0)] {
                same(fake, || {
                    let mut c = numbers(50);
                    let [sa, sb] = [(op_a, 4, 3), (op_b, 3, 5)].map(|(op, rows, columns)| {
                        if op.transposes() { shape(columns, rows) } else { shape(rows, columns) }
                    });
                    let views = (MatrixRef::from_slice(&a, sa).unwrap(), MatrixRef::from_slice(&b, sb).unwrap());
                    let to = MatrixMut::from_slice(&mut c, shape(4, 5)).unwrap();
                    gemm(op_a, op_b, 3.0, views.0, views.1, beta, to).unwrap().wait().unwrap();
                    c
                });
            }
            for side in [Side::Left, Side::Right] {
                for triangle in [Triangle::Lower, Triangle::Upper] {
                    same(fake, || {
                        let mut b = numbers(50);
                        let order = if side == Side::Left { 4 } else { 3 };
                        let view = MatrixRef::from_slice(&a, shape(order, order)).unwrap();
                        let to = MatrixMut::from_slice(&mut b, shape(4, 3)).unwrap();
                        trmm(side, triangle, Op::NoTrans, Diag::Unit, 2.0, view, to).unwrap().wait().unwrap();
                        b
                    });
                }
            }
        }
        off();
    }

    #[test]
    fn vectors_and_numbers_come_back_from_cublas() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        let x = numbers(40);
        let strided =
            |data, increment| VectorRef::from_slice(data, VectorShape::new(9, 1, increment).unwrap()).unwrap();
        same(fake, || vec![dot(strided(&x, 3), strided(&x, -2)).unwrap()]);
        same(fake, || vec![iamax(strided(&x, 4)).unwrap().unwrap() as f64]);
        same(fake, || {
            let mut y = numbers(40);
            let to = VectorMut::from_slice(&mut y, VectorShape::new(9, 1, -4).unwrap()).unwrap();
            axpy(3.0, strided(&x, 2), to).unwrap().wait().unwrap();
            y
        });
        // More than one pinned piece, twice as many as take turns.
        let long = numbers(4_500_000);
        same(fake, || {
            let mut y = long.clone();
            axpy(2.0, vector(&long), vector_mut(&mut y)).unwrap().wait().unwrap();
            y
        });
        off();
    }

    #[test]
    fn what_cublas_lacks_and_what_fails_there_is_told() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        let floats = [1.0_f32, 2.0];
        let view = || VectorRef::from_slice(&floats, VectorShape::new(2, 0, 1).unwrap()).unwrap();
        let refused = dsdot(view(), view());
        assert!(matches!(refused, Err(Error::UnsupportedByVendor { .. })), "{refused:?}");
        let failed = asum(vector(&[1.0]));
        assert!(matches!(failed, Err(Error::VendorCall { code: 13, .. })), "{failed:?}");
        fake.with(RouteChoice::Auto);
        assert_eq!(dsdot(view(), view()).unwrap(), 5.0);
        // A sum of one number does not pay for the way to a GPU.
        assert_eq!(fake.counted(|| assert_eq!(asum(vector(&[1.0])).unwrap(), 1.0)), 0);
        off();
    }

    #[test]
    fn with_auto_calls_go_to_cublas_where_they_pay() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Auto);
        let route = |n| decide(&Family::Product.work(ScalarKind::D, n)).unwrap();
        assert!(matches!(route(8), Route::Host), "{}", route(8));
        assert!(matches!(route(1 << 14), Route::Vendor(Vendor::CuBlas(_))), "{}", route(1 << 14));
        off();
        assert!(!matches!(route(1 << 14), Route::Vendor(_)));
    }
}
