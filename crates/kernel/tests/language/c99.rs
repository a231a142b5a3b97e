//! The C99 text, compiled by `cc` and run, against the interpreter. Without a compiler there is nothing to compare.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::Command;

use libloading::{Library, Symbol};
use proptest::prelude::*;

use super::random::{self, GROUPS, ITEMS, Run, same};
use super::reduction::group_sums;
use affinimath_kernel::{Index, Kernel, Launch};

/// A language that a compiler of the system makes a library of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C99,
    Fortran,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::C99, Language::Fortran];

    pub fn text(self, kernel: &Kernel) -> String {
        match self {
            Language::C99 => kernel.c99(),
            Language::Fortran => kernel.fortran(),
        }
        .unwrap()
    }
}

/// The kernel as a library in a folder; `None` where there is no compiler.
pub fn compile(language: Language, kernel: &Kernel, folder: &Path) -> Option<ManuallyDrop<Library>> {
    let text = language.text(kernel);
    let library = folder.join("kernel.so");
    let options: &[&str] = match language {
        Language::C99 => {
            &["cc", "kernel.c", "-std=c99", "-Wno-unknown-pragmas", "-Wno-unused", "-Wno-tautological-compare"]
        }
        // A kernel may leave an argument alone, and have a range without numbers.
        Language::Fortran => &["gfortran", "kernel.f90", "-std=f2008", "-Wno-unused-dummy-argument", "-Wno-zerotrip"],
    };
    std::fs::write(folder.join(options[1]), &text).unwrap();
    // The compiler does not know that groups have work-items.
    let common = ["-O1", "-Wall", "-Werror", "-Wno-maybe-uninitialized", "-ffp-contract=off", "-fopenmp", "-fPIC"];
    let output = Command::new(options[0])
        .current_dir(folder)
        .args(&options[1..])
        .args(common)
        .args(["-shared", "-o", "kernel.so", "-lm"])
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}\n{text}");
    // It stays loaded: OpenMP's threads wait in its runtime for more work.
    // SAFETY: the library is code of ours, without initialisers.
    Some(ManuallyDrop::new(unsafe { Library::new(library) }.unwrap()))
}

type Random<R> = unsafe extern "C" fn(*const i64, *const i64, *const R, *const i32, *mut R, *mut i32);

fn agrees<R: Copy + Into<f64>>(kernel: &Kernel, expected: &Run<R>) {
    Language::ALL.into_iter().for_each(|language| agrees_in(language, kernel, expected));
}

fn agrees_in<R: Copy + Into<f64>>(language: Language, kernel: &Kernel, expected: &Run<R>) {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = compile(language, kernel, folder.path()) else { return };
    let (mut reals, mut integers) = (expected.reals.clone(), vec![0; expected.integers.len()]);
    // SAFETY: the function's parameters are those of the type, as the kernel says; the arrays have the lengths that the
    // interpreter has found to be enough.
    unsafe {
        let function: Symbol<Random<R>> = library.get(b"random\0").unwrap();
        let (groups, items) = ([GROUPS as i64, 1, 1], [ITEMS as i64, 1, 1]);
        let inputs = (expected.reals.as_ptr(), expected.integers.as_ptr());
        function(groups.as_ptr(), items.as_ptr(), inputs.0, inputs.1, reals.as_mut_ptr(), integers.as_mut_ptr());
    }
    assert!(same(&reals, &expected.real_results), "{}", language.text(kernel));
    assert_eq!(integers, expected.integer_results, "{}", language.text(kernel));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_kernels_in_c99_are_what_the_interpreter_says(steps in random::steps(), contract: bool, double: bool) {
        if double {
            let kernel = random::kernel::<f64>(&steps, contract);
            agrees(&kernel, &random::interpret_f64(&kernel));
        } else {
            let kernel = random::kernel::<f32>(&steps, contract);
            agrees(&kernel, &random::interpret_f32(&kernel));
        }
    }
}

#[test]
fn a_reduction_with_barriers_runs_in_c99() {
    let kernel = group_sums::<f64>(16).unwrap();
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.5).collect();
    let mut expected = [0.0; 4];
    Launch::new(&kernel, [4, 1, 1], [16, 1, 1]).run([1000_i64.into(), (&x).into(), (&mut expected).into()]).unwrap();
    assert_eq!(expected.iter().sum::<f64>(), 0.5 * 999.0 * 500.0, "sums of halves are exact");

    for language in Language::ALL {
        let folder = tempfile::tempdir().unwrap();
        let Some(library) = compile(language, &kernel, folder.path()) else { continue };
        let mut sums = [0.0; 4];
        // SAFETY: as in `agrees`.
        unsafe {
            type Sums = unsafe extern "C" fn(*const i64, *const i64, i64, *const f64, *mut f64);
            let function: Symbol<Sums> = library.get(b"group_sums\0").unwrap();
            function([4, 1, 1].as_ptr(), [16, 1, 1].as_ptr(), 1000, x.as_ptr(), sums.as_mut_ptr());
        }
        assert_eq!(sums, expected, "{language:?}");
    }
}

#[test]
fn c99_refuses_a_barrier_in_a_loop_that_work_items_leave_apart() {
    let kernel = Kernel::build("refused", |k| {
        let n = k.argument::<Index>("n");
        let shared = k.local::<f32>("shared", 4);
        let y = k.output::<f32>("y");
        k.range(k.local_id(0), n).each("i", |i| {
            shared.store(k.local_id(0), 1.0);
            k.barrier();
            y.store(i, shared.at(0));
        });
    })
    .unwrap();
    let text = kernel.c99().unwrap_err().to_string();
    assert!(text.contains("a loop's range, with a barrier inside"), "{text}");
}
