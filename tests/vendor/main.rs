//! Calls that go to a vendor's library: which do, that they come back right, and what happens to the others.
//!
//! The settings are the process's: one test at a time has them.

use std::ffi::{CString, c_char, c_long};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use affinimath::route::{RouteChoice, set_cblas, set_route};
use affinimath::vendor::LibraryFile;
use affinimath::*;

mod agreement;
mod cublas;

/// The only test that has the settings.
fn alone() -> MutexGuard<'static, ()> {
    static SETTINGS: Mutex<()> = Mutex::new(());
    SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The counting CBLAS, compiled once.
struct Fake {
    path: PathBuf,
    calls: unsafe extern "C" fn(*const c_char) -> c_long,
    set_callback: unsafe extern "C" fn(Option<extern "C" fn()>),
}

impl Fake {
    fn get() -> &'static Fake {
        static FAKE: LazyLock<Fake> = LazyLock::new(|| {
            let folder = tempfile::tempdir().unwrap().keep();
            let path = folder.join("libfake_cblas.so");
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendor/fake_cblas.c");
            let mut compiler = Command::new("cc");
            compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&path).arg(source).arg("-lm");
            let compiled = compiler.status().expect("cc, which Rust links with");
            assert!(compiled.success());
            let file = LibraryFile::open(&path).unwrap();
            // SAFETY: the types are those of the C source.
            unsafe {
                Fake {
                    path,
                    calls: file.function("fake_cblas_calls").unwrap(),
                    set_callback: file.function("fake_cblas_set_callback").unwrap(),
                }
            }
        });
        &FAKE
    }

    /// Counts calls of a function during `run`; with an empty name, of all functions.
    fn counted(&self, name: &str, run: impl FnOnce()) -> i64 {
        let name = CString::new(name).unwrap();
        let pointer = if name.is_empty() { std::ptr::null() } else { name.as_ptr() };
        // SAFETY: the name is null or a C string.
        let calls = || unsafe { (self.calls)(pointer) };
        let before = calls();
        run();
        calls() - before
    }

    /// The fake as the vendor's library with this route.
    fn with(&self, route: RouteChoice) {
        set_route(RouteChoice::Auto).unwrap();
        set_cblas(Some(&self.path)).unwrap();
        set_route(route).unwrap();
    }
}

fn column(data: &[f64], rows: usize) -> MatrixRef<'_, f64> {
    let shape = MatrixShape::new(Layout::ColumnMajor, rows, data.len() / rows, 0, rows).unwrap();
    MatrixRef::from_slice(data, shape).unwrap()
}

fn product() -> [f64; 4] {
    let (a, b, mut c) = ([1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 1.0, 1.0], [f64::NAN; 4]);
    let shape = MatrixShape::new(Layout::ColumnMajor, 2, 2, 0, 2).unwrap();
    let event = gemm(
        Op::NoTrans,
        Op::Trans,
        1.0,
        column(&a, 2),
        column(&b, 2),
        0.0,
        MatrixMut::from_slice(&mut c, shape).unwrap(),
    );
    event.unwrap().wait().unwrap();
    c
}

fn vector(data: &[f64]) -> VectorRef<'_, f64> {
    VectorRef::from_slice(data, VectorShape::new(data.len(), 0, 1).unwrap()).unwrap()
}

fn vector_mut(data: &mut [f64]) -> VectorMut<'_, f64> {
    let shape = VectorShape::new(data.len(), 0, 1).unwrap();
    VectorMut::from_slice(data, shape).unwrap()
}

mod host {
    use super::*;

    #[test]
    fn calls_go_to_the_vendor_with_auto_and_with_vendor_and_none_with_host() {
        let (_settings, fake) = (alone(), Fake::get());
        for (route, expected) in [(RouteChoice::Auto, 1), (RouteChoice::Vendor, 1), (RouteChoice::Host, 0)] {
            fake.with(route);
            assert_eq!(
                fake.counted("cblas_dgemm", || assert_eq!(product(), [4.0, 6.0, 3.0, 4.0])),
                expected,
                "{route:?}"
            );
            let x = [3.0, -4.0];
            let calls = fake.counted("cblas_ddot", || assert_eq!(dot(vector(&x), vector(&x)).unwrap(), 25.0));
            assert_eq!(calls, expected, "{route:?}");
            let calls = fake.counted("cblas_idamax", || assert_eq!(iamax(vector(&x)).unwrap(), Some(1)));
            assert_eq!(calls, expected, "{route:?}");
            let calls = fake.counted("", || {
                let mut y = [1.0, 1.0];
                axpy(2.0, vector(&x), vector_mut(&mut y)).unwrap().wait().unwrap();
                assert_eq!(y, [7.0, -7.0]);
            });
            assert_eq!(calls, expected, "{route:?}");
        }
    }

    #[test]
    fn complex_numbers_and_floats_come_back_whole() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        let x = [Complex64::new(1.0, 2.0), Complex64::new(0.0, -1.0)];
        let shape = VectorShape::new(2, 0, -1).unwrap();
        let view = || VectorRef::from_slice(&x, shape).unwrap();
        let calls =
            fake.counted("cblas_zdotc_sub", || assert_eq!(dotc(view(), view()).unwrap(), Complex64::new(6.0, 0.0)));
        assert_eq!(calls, 1);
        let y = [3.0_f32, 0.0, 4.0];
        // nrm2 does not depend on the end from which a vector is walked.
        let backward = VectorRef::from_slice(&y, VectorShape::new(2, 0, -2).unwrap()).unwrap();
        assert_eq!(fake.counted("cblas_snrm2", || assert_eq!(nrm2(backward).unwrap(), 5.0)), 1);
    }

    #[test]
    fn what_the_vendor_lacks_is_done_elsewhere_or_refused() {
        let (_settings, fake) = (alone(), Fake::get());
        let x = [3.0, -4.0];
        fake.with(RouteChoice::Auto);
        assert_eq!(fake.counted("", || assert_eq!(asum(vector(&x)).unwrap(), 7.0)), 0);
        fake.with(RouteChoice::Vendor);
        let error = asum(vector(&x)).unwrap_err();
        assert!(matches!(error, Error::UnsupportedByVendor { .. }), "{error}");
        assert!(error.to_string().contains("cblas_dasum"), "{error}");
        assert_eq!(error.status(), -1021);
        // A conjugate that is not transposed is no op of CBLAS.
        let a = [Complex64::new(0.0, 1.0)];
        let one = MatrixShape::new(Layout::ColumnMajor, 1, 1, 0, 1).unwrap();
        let mut c = a;
        let view = || MatrixRef::from_slice(&a, one).unwrap();
        let ones = Complex64::new(1.0, 0.0);
        let zero = Complex64::new(0.0, 0.0);
        let c_view = MatrixMut::from_slice(&mut c, one).unwrap();
        let refused = gemm(Op::ConjNoTrans, Op::NoTrans, ones, view(), view(), zero, c_view);
        assert!(matches!(refused, Err(Error::UnsupportedByVendor { .. })));
        assert_eq!(c, a, "nothing was touched");
        fake.with(RouteChoice::Auto);
        let c_view = MatrixMut::from_slice(&mut c, one).unwrap();
        let calls = fake.counted("", || {
            gemm(Op::ConjNoTrans, Op::NoTrans, ones, view(), view(), zero, c_view).unwrap().wait().unwrap();
        });
        assert_eq!((calls, c[0]), (0, ones));
    }

    #[test]
    fn sizes_past_32_bits_are_not_told_to_a_vendor() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Auto);
        // One element, and an increment that no int holds.
        let x = [2.0];
        let view = || VectorRef::from_slice(&x, VectorShape::new(1, 0, 1 << 40).unwrap()).unwrap();
        assert_eq!(fake.counted("", || assert_eq!(dot(view(), view()).unwrap(), 4.0)), 0);
    }

    #[test]
    fn a_vendor_that_calls_us_gets_the_host() {
        extern "C" fn call_us() {
            let x = [1.0, 2.0];
            assert_eq!(dot(vector(&x), vector(&x)).unwrap(), 5.0);
        }
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        // SAFETY: the function has the type; no other test calls swap meanwhile.
        unsafe { (fake.set_callback)(Some(call_us)) };
        let (mut x, mut y) = ([1.0], [2.0]);
        let calls = fake.counted("", || swap(vector_mut(&mut x), vector_mut(&mut y)).unwrap().wait().unwrap());
        // SAFETY: as above.
        unsafe { (fake.set_callback)(None) };
        assert_eq!((calls, x, y), (1, [2.0], [1.0]));
        let calls = fake.counted("cblas_ddot", || call_us());
        assert_eq!(calls, 1, "afterwards calls go to the vendor again");
    }

    #[test]
    fn a_library_that_is_none_changes_nothing() {
        let (_settings, fake) = (alone(), Fake::get());
        fake.with(RouteChoice::Vendor);
        for wrong in ["/no/such/library.so", "libm.so.6"] {
            let error = set_cblas(Some(Path::new(wrong))).unwrap_err();
            assert!(matches!(error, Error::VendorLibrary { .. }) && error.to_string().contains(wrong), "{error}");
        }
        assert!(matches!(set_cblas(None), Err(Error::NoVendor)));
        assert_eq!(fake.counted("cblas_dgemm", || assert_eq!(product()[0], 4.0)), 1, "the fake is still in force");
    }
}
