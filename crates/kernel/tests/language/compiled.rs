//! Kernels built by the machine's compilers and run in this process. A compiler that is missing is told.

use affinimath_kernel::{
    Argument, CompileError, Compiled, Compiler, Expr, Fault, ForeignBody, HostLanguage, Index, Kernel, Launch,
    ScalarType, Setting, f16,
};

use super::axpy::fused_axpy;
use super::butterfly::stockham_pass;
use super::reduction::group_sums;
use super::roots::roots;

const LANGUAGES: [HostLanguage; 3] = [HostLanguage::C99, HostLanguage::CVectors, HostLanguage::Fortran];

/// The kernel in each language whose compiler is there.
pub fn builds(kernel: &Kernel) -> Vec<Compiled> {
    let build = |language| match Compiled::build(kernel, &Compiler::default().language(language)) {
        Ok(compiled) => Some(compiled),
        Err(error @ CompileError::Absent { .. }) => {
            eprintln!("{language:?} is not checked: {error}");
            None
        }
        Err(error) => panic!("{language:?}: {error}"),
    };
    LANGUAGES.into_iter().filter_map(build).collect()
}

#[test]
fn the_books_kernels_give_the_interpreters_bits() {
    let x: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.37 - 5.0).collect();
    let y: Vec<f64> = x.iter().map(|x| 1.0 - x * x).collect();
    let axpy = fused_axpy::<f64>().unwrap();
    let mut z = vec![0.0; 40];
    let launch = Launch::new(&axpy, [5, 1, 1], [8, 1, 1]);
    launch.run([39_i64.into(), 1.1.into(), (&x).into(), (&y).into(), (&mut z).into()]).unwrap();
    for compiled in builds(&axpy) {
        let mut own = vec![0.0; 40];
        let arguments = [39_i64.into(), 1.1.into(), (&x).into(), (&y).into(), (&mut own).into()];
        // SAFETY: the interpreter has found no fault in this launch.
        unsafe { compiled.run([5, 1, 1], [8, 1, 1], arguments) }.unwrap();
        assert_eq!(own, z);
        assert_eq!(compiled.kernel(), &axpy);
    }

    let sums = group_sums::<f64>(8).unwrap();
    let mut expected = [0.0; 3];
    let launch = Launch::new(&sums, [3, 1, 1], [8, 1, 1]);
    launch.run([40_i64.into(), (&x).into(), (&mut expected).into()]).unwrap();
    for compiled in builds(&sums) {
        let mut own = [0.0; 3];
        // SAFETY: as above.
        unsafe { compiled.run([3, 1, 1], [8, 1, 1], [40_i64.into(), (&x).into(), (&mut own).into()]) }.unwrap();
        assert_eq!(own, expected);
    }

    let pass = stockham_pass::<f64>(5).unwrap();
    let mut expected = vec![0.0; 40];
    let launch = Launch::new(&pass, [1, 1, 1], [4, 1, 1]);
    launch.run([2_i64.into(), 2_i64.into(), (&x).into(), (&y).into(), (&mut expected).into()]).unwrap();
    for compiled in builds(&pass) {
        let mut own = vec![0.0; 40];
        let arguments = [2_i64.into(), 2_i64.into(), (&x).into(), (&y).into(), (&mut own).into()];
        // SAFETY: as above.
        unsafe { compiled.run([1, 1, 1], [4, 1, 1], arguments) }.unwrap();
        assert_eq!(own, expected);
    }

    let roots = roots(ScalarType::F64, 4).unwrap();
    let mut expected = vec![0.0; 40];
    Launch::new(&roots, [2, 1, 1], [5, 1, 1]).run([(&x).into(), (&mut expected).into()]).unwrap();
    for compiled in builds(&roots) {
        let mut own = vec![0.0; 40];
        // SAFETY: as above.
        unsafe { compiled.run([2, 1, 1], [5, 1, 1], [(&x).into(), (&mut own).into()]) }.unwrap();
        assert_eq!(own, expected);
    }
}

#[test]
fn the_books_host_program_computes() {
    let (x, y, mut z) = ([1.0, 2.0, 3.0], [4.0, -9.0, 16.0], [0.0; 3]);
    match super::host::axpy_in_fortran(10.0, &x, &y, &mut z) {
        Ok(()) => assert_eq!(z, [12.0, 23.0, 34.0]),
        Err(error) => {
            assert!(error.downcast_ref().is_some_and(|error| matches!(error, CompileError::Absent { .. })), "{error}");
            eprintln!("Fortran is not checked: {error}");
        }
    }
}

/// Arguments of every type, in one kernel, which has a name of C's library.
#[test]
fn arguments_of_all_types_arrive() {
    let kernel = Kernel::build("qsort", |k| {
        let a = k.argument::<i8>("a").to::<Index>() + k.argument::<u8>("b").to::<Index>() * 1_000;
        let b = k.argument::<i16>("c").to::<Index>() + k.argument::<u16>("d").to::<Index>() * 100_000;
        let c = k.argument::<i32>("e").to::<Index>() + k.argument::<u32>("f").to::<Index>() * 3;
        let d = k.argument::<i64>("g") + k.argument::<u64>("h").to::<Index>();
        let e = k.argument::<f32>("x").to::<f64>() + k.argument::<f64>("y");
        let (sums, total, halves) = (k.output::<i64>("sums"), k.output::<f64>("total"), k.in_out::<f16>("halves"));
        for (index, sum) in [a, b, c, d].into_iter().enumerate() {
            sums.store(index, sum);
        }
        total.store(0, e);
        halves.store(0, halves.at(1) * 0.5);
    })
    .unwrap();
    for compiled in builds(&kernel) {
        let (mut sums, mut total) = ([0_i64; 4], [0.0_f64]);
        let mut halves = [f16::from_f32(0.0), f16::from_f32(3.0)];
        let arguments = [
            (-7_i8).into(),
            250_u8.into(),
            (-300_i16).into(),
            60_000_u16.into(),
            (-70_000_i32).into(),
            4_000_000_000_u32.into(),
            (-(1_i64 << 40)).into(),
            (1_u64 << 41).into(),
            0.25_f32.into(),
            1e-3.into(),
            (&mut sums).into(),
            (&mut total).into(),
            (&mut halves).into(),
        ];
        // SAFETY: the buffers have the elements that the kernel writes.
        unsafe { compiled.run([1; 3], [1; 3], arguments) }.unwrap();
        assert_eq!(sums, [249_993, 5_999_999_700, 11_999_930_000, 1 << 40]);
        assert_eq!((total, halves[0]), ([0.251], f16::from_f32(1.5)));
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let kernel = group_sums::<f32>(4).unwrap();
    for compiled in builds(&kernel) {
        let (x, mut sums) = ([1.0_f32; 4], [5.0_f32]);
        fn run(compiled: &Compiled, items: [usize; 3], arguments: Vec<Argument<'_>>) -> Result<(), Fault> {
            // SAFETY: it is refused before it runs.
            unsafe { compiled.run([1; 3], items, arguments) }
        }
        let refused = |fault| matches!(fault, Err(Fault::Arguments(_)));
        assert!(refused(run(&compiled, [8, 1, 1], vec![4_i64.into(), (&x).into(), (&mut sums).into()])));
        assert!(refused(run(&compiled, [4, 1, 1], vec![4_i64.into(), (&x).into()])));
        assert!(refused(run(&compiled, [4, 1, 1], vec![4_i32.into(), (&x).into(), (&mut sums).into()])));
        assert!(refused(run(&compiled, [4, 1, 1], vec![4_i64.into(), (&x).into(), (&x).into()])));
        assert_eq!(sums, [5.0]);
    }
}

#[test]
fn bad_compilers_and_flags_are_clear_errors() {
    let kernel = fused_axpy::<f32>().unwrap();
    let error = |setting, value: &str, language| {
        let compiler = Compiler::default().language(language).with(setting, value);
        Compiled::build(&kernel, &compiler).unwrap_err()
    };
    let absent = error(Setting::Cc, "no-such-compiler -m64", HostLanguage::C99);
    assert!(matches!(absent, CompileError::Absent { .. }), "{absent}");
    assert!(absent.to_string().contains("'no-such-compiler' does not start") && absent.to_string().contains("CC"));
    let absent = error(Setting::Fc, "/no/gfortran", HostLanguage::Fortran).to_string();
    assert!(absent.contains("'/no/gfortran'") && absent.contains("FC names another one"), "{absent}");
    let none = error(Setting::Cc, " ", HostLanguage::C99);
    assert!(none.to_string().contains("no compiler is named"), "{none}");
    // A program that is no compiler makes no library, or fails.
    let wrong = error(Setting::Cc, "false", HostLanguage::C99);
    assert!(matches!(wrong, CompileError::Refused { .. }), "{wrong}");
    let wrong = error(Setting::Cc, "true", HostLanguage::C99);
    assert!(matches!(wrong, CompileError::Load { .. }), "{wrong}");
    for (setting, language) in [(Setting::CFlags, HostLanguage::C99), (Setting::FFlags, HostLanguage::Fortran)] {
        match error(setting, "-fno-such-flag", language) {
            CompileError::Absent { reason, .. } => eprintln!("{language:?} is not checked: {reason}"),
            refused => {
                let text = refused.to_string();
                assert!(matches!(refused, CompileError::Refused { .. }), "{text}");
                // The command, and the compiler's own words.
                assert!(text.matches("-fno-such-flag").count() > 1 && text.contains("-shared"), "{text}");
            }
        }
    }
}

#[test]
fn kernels_that_a_language_cannot_express_are_refused() {
    let body = ForeignBody::same("return x;");
    let kernel = Kernel::build("foreign", |k| {
        let same = k.foreign("same", ["x"], body, |(x,): (f32,)| x);
        let x = k.in_out::<f32>("x");
        let value: affinimath_kernel::Expr<'_, f32> = same.call((x.at(0),));
        x.store(0, value);
    })
    .unwrap();
    let error = Compiled::build(&kernel, &Compiler::default().language(HostLanguage::Fortran)).unwrap_err();
    assert!(error.to_string().contains("'same' is given as text of other languages"), "{error}");
}

/// Names that the text around a kernel has, or seems to have, and a function's name that is one of its parameters'.
#[test]
fn kernels_and_functions_have_any_name() {
    for name in
        ["addresses", "_", "a0", "Kernel_Entry", "affinimath_kernel_entry", "p0", "group", "c_loc", "min_of", "load_of"]
    {
        let kernel = Kernel::build(name, |k| {
            let p0 = k.function("p0", |(x,): (Expr<'_, f64>,)| x + 1.0);
            let twice = k.function("twice", |(x,): (Expr<'_, f64>,)| {
                let p1 = k.named("P1", x * 2.0);
                let value: Expr<'_, f64> = p0.call((p1,));
                value * p1 - p1 * p1
            });
            let x = k.in_out::<f64>("p1");
            let value: Expr<'_, f64> = twice.call((x.at(0),));
            x.store(0, value);
        });
        let kernel = match kernel {
            Ok(kernel) => kernel,
            Err(error) => {
                // Names that are no identifiers.
                assert!(name.starts_with('_') && error.to_string().contains('_'), "{error}");
                continue;
            }
        };
        for compiled in builds(&kernel) {
            let mut x = [3.0];
            // SAFETY: the buffer has the element.
            unsafe { compiled.run([1; 3], [1; 3], [(&mut x).into()]) }.unwrap();
            assert_eq!(x, [6.0], "{name}");
        }
    }
}

/// Names in Fortran are the same in capitals.
#[test]
fn text_in_capitals_has_its_kinds() {
    let body = ForeignBody {
        fortran: Some(
            "BLOCK\n    REAL(C_DOUBLE) :: Y\n    Y = 2.0_C_DOUBLE\n    RESULT = REAL(X * Y, C_FLOAT)\nEND BLOCK",
        ),
        ..ForeignBody::same("return 2.0f * x;")
    };
    let kernel = Kernel::build("capitals", |k| {
        let twice = k.foreign("twice", ["x"], body, |(x,): (f32,)| 2.0 * x);
        let x = k.in_out::<f32>("x");
        let value: Expr<'_, f32> = twice.call((x.at(0),));
        x.store(0, value);
    })
    .unwrap();
    for compiled in builds(&kernel) {
        let mut x = [3.0_f32];
        // SAFETY: the buffer has the element.
        unsafe { compiled.run([1; 3], [1; 3], [(&mut x).into()]) }.unwrap();
        assert_eq!(x, [6.0]);
    }
    for names in [["x", "x"], ["x", "X"], ["Twice", "y"]] {
        let kernel = Kernel::build("capitals", |k| {
            let twice = k.foreign("twice", names, body, |(x, _): (f32, f32)| 2.0 * x);
            let x = k.in_out::<f32>("x");
            let value: Expr<'_, f32> = twice.call((x.at(0), x.at(1)));
            x.store(0, value);
        });
        assert!(kernel.is_err(), "{names:?}");
    }
}

/// The working folder is another process's own: this test runs itself.
#[cfg(unix)]
#[test]
fn paths_in_settings_are_relative_to_the_working_folder() {
    use std::os::unix::fs::PermissionsExt as _;

    const CHILD: &str = "affinimath_kernel_working_folder";
    let kernel = fused_axpy::<f32>().unwrap();
    if std::env::var_os(CHILD).is_some() {
        let compiler = Compiler::from_env().unwrap();
        match Compiled::build(&kernel, &compiler) {
            Ok(_) => println!("C is built"),
            Err(error) => panic!("{error}"),
        }
        return;
    }
    if builds(&kernel).is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (tools, include, files) = (folder.path().join("tools"), folder.path().join("include"), "temporary files");
    for made in [&tools, &include, &folder.path().join(files)] {
        std::fs::create_dir(made).unwrap();
    }
    std::fs::write(include.join("own.h"), "#define OWN 1\n").unwrap();
    std::fs::write(tools.join("cc"), "#!/bin/sh\necho \"$PWD\" > ran\nexec cc \"$@\"\n").unwrap();
    std::fs::set_permissions(tools.join("cc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "compiled::paths_in_settings_are_relative_to_the_working_folder", "--nocapture"])
        .current_dir(folder.path())
        .envs([(CHILD, "1"), ("CC", "./tools/cc"), ("CFLAGS", "-Iinclude -include own.h"), ("TMPDIR", files)])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("C is built"), "{text}");
    assert!(folder.path().join("ran").is_file());
}

/// The folder of temporary files is another process's own: this test runs itself.
#[test]
fn temporary_files_are_removed() {
    const CHILD: &str = "affinimath_kernel_temporary_files";
    let kernel = fused_axpy::<f32>().unwrap();
    if std::env::var_os(CHILD).is_some() {
        builds(&kernel);
        drop(Compiled::build(&kernel, &Compiler::default().with(Setting::CFlags, "-fno-such-flag")).unwrap_err());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "compiled::temporary_files_are_removed"])
        .env(CHILD, "1")
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
