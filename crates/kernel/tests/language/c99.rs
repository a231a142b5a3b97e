//! The C99 text, compiled by `cc` and run, against the interpreter. Without a compiler there is nothing to compare.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::Command;

use libloading::{Library, Symbol};
use proptest::prelude::*;

use super::random::{self, GROUPS, ITEMS, Run, same};
use super::reduction::group_sums;
use affinimath_kernel::{Index, Kernel, Launch};

/// The kernel as a library in a folder; `None` where there is no compiler.
pub fn compile(kernel: &Kernel, folder: &Path) -> Option<ManuallyDrop<Library>> {
    let (source, library) = (folder.join("kernel.c"), folder.join("kernel.so"));
    std::fs::write(&source, kernel.c99().unwrap()).unwrap();
    let options = [
        "-std=c99",
        "-O1",
        "-Wall",
        "-Wno-unknown-pragmas",
        "-Wno-unused",
        "-Wno-tautological-compare",
        // The compiler does not know that groups have work-items.
        "-Wno-maybe-uninitialized",
        "-Werror",
        "-ffp-contract=off",
    ];
    let output = Command::new("cc")
        .args(options)
        .args(["-fopenmp", "-fPIC", "-shared", "-o"])
        .args([&library, &source])
        .arg("-lm")
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}\n{}", kernel.c99().unwrap());
    // It stays loaded: OpenMP's threads wait in its runtime for more work.
    // SAFETY: the library is code of ours, without initialisers.
    Some(ManuallyDrop::new(unsafe { Library::new(library) }.unwrap()))
}

type Random<R> = unsafe extern "C" fn(*const i64, *const i64, *const R, *const i32, *mut R, *mut i32);

fn agrees<R: Copy + Into<f64>>(kernel: &Kernel, expected: &Run<R>) {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = compile(kernel, folder.path()) else { return };
    let (mut reals, mut integers) = (expected.reals.clone(), vec![0; expected.integers.len()]);
    // SAFETY: the function's parameters are those of the type, as the kernel says; the arrays have the lengths that the
    // interpreter has found to be enough.
    unsafe {
        let function: Symbol<Random<R>> = library.get(b"random\0").unwrap();
        let (groups, items) = ([GROUPS as i64, 1, 1], [ITEMS as i64, 1, 1]);
        let inputs = (expected.reals.as_ptr(), expected.integers.as_ptr());
        function(groups.as_ptr(), items.as_ptr(), inputs.0, inputs.1, reals.as_mut_ptr(), integers.as_mut_ptr());
    }
    assert!(same(&reals, &expected.real_results), "{}", kernel.c99().unwrap());
    assert_eq!(integers, expected.integer_results, "{}", kernel.c99().unwrap());
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

    let folder = tempfile::tempdir().unwrap();
    let Some(library) = compile(&kernel, folder.path()) else { return };
    let mut sums = [0.0; 4];
    // SAFETY: as in `agrees`.
    unsafe {
        type Sums = unsafe extern "C" fn(*const i64, *const i64, i64, *const f64, *mut f64);
        let function: Symbol<Sums> = library.get(b"group_sums\0").unwrap();
        function([4, 1, 1].as_ptr(), [16, 1, 1].as_ptr(), 1000, x.as_ptr(), sums.as_mut_ptr());
    }
    assert_eq!(sums, expected);
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
