//! Errors on which ranks agree, and ranks that fail.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use affinimath::{Complex64, Op, Triangle};
use affinimath_mpi::{
    Decomposition, DistCsr, DistFft, DistMatrix, DistVector, Environment, Error, FftOptions, Grid, MatrixLayout,
    Partition, gemm, potrf,
};

/// All ranks have one text.
#[track_caller]
pub fn assert_same(grid: &Grid, text: &str) {
    let bytes: Vec<f64> = text.bytes().map(f64::from).collect();
    let length = bytes.len();
    let mine = DistVector::from_local(grid, bytes).unwrap();
    let all = mine.to_all().unwrap();
    assert_eq!(all.len(), length * grid.size(), "{text}");
    assert!(all.chunks_exact(length).all(|other| other == mine.local()), "{text}");
}

pub fn agreed(grid: &Grid) {
    let layout = |n: usize| MatrixLayout::new(grid, (n, n), (4, 4)).unwrap();
    if grid.size() > 1 {
        // Another n on the last rank.
        let last = grid.rank() + 1 == grid.size();
        let error = DistMatrix::<f64>::zeros(grid, layout(if last { 9 } else { 8 })).unwrap_err();
        assert_same(grid, &error.to_string());
        let expected = format!("DistMatrix::zeros: m is 8 on rank 0 and 9 on rank {}", grid.size() - 1);
        assert_eq!(error.to_string(), expected);
        // Another routine.
        let mut a = DistMatrix::<f64>::zeros(grid, layout(8)).unwrap();
        let error = if last { potrf(Triangle::Lower, &mut a).unwrap_err() } else { a.gather(0).unwrap_err() };
        assert_same(grid, &error.to_string());
        assert!(matches!(error, Error::Operations { .. }), "{error}");
        // Another alpha. C is as it was.
        let b = DistMatrix::from_fn(grid, layout(8), |i, j| (i + j) as f64).unwrap();
        let mut c = b.clone();
        let alpha = if last { 2.0 } else { 1.0 };
        let error = gemm(Op::NoTrans, Op::NoTrans, alpha, &b, &b, 0.0, &mut c).unwrap_err();
        assert_same(grid, &error.to_string());
        assert!(c.local() == b.local());
        // A wrong descriptor, and rows, on one rank only.
        let mut descriptor = b.descriptor(0);
        let local = if last { Vec::new() } else { b.local().to_vec() };
        if last {
            descriptor[8] = 0;
        }
        let error = DistMatrix::from_descriptor(grid, &descriptor, local).unwrap_err();
        assert_same(grid, &error.to_string());
        assert!(error.to_string().contains("the leading dimension is 0"), "{error}");
        let partition = Partition::even(grid, 4 * grid.size());
        let row_ptr = if last { vec![0, 0, 0, 0, 1] } else { vec![0; 5] };
        let columns = if last { vec![1000] } else { Vec::new() };
        let values = vec![1.0; columns.len()];
        let error = DistCsr::from_rows(grid, &partition, &partition, &row_ptr, &columns, &values).unwrap_err();
        assert_same(grid, &error.to_string());
    }
    // Wrong on all ranks.
    let b = DistMatrix::from_fn(grid, layout(8), |i, j| (i + j) as f64).unwrap();
    let mut descriptor = b.descriptor(0);
    descriptor[0] = 2;
    let error = DistMatrix::from_descriptor(grid, &descriptor, b.local().to_vec()).unwrap_err();
    assert_eq!(error.to_string(), "argument descriptor: type 2 is not 1, that of a dense matrix");
    // Each rank's own number of rows is in its reason.
    let descriptor = [1, 0, 7, 7, 2, 2, 0, 0, 0];
    let error = DistMatrix::<f64>::from_descriptor(grid, &descriptor, Vec::new()).unwrap_err();
    assert_same(grid, &error.to_string());
    assert!(matches!(error, Error::Argument { name: "descriptor", .. }), "{error}");
    assert_eq!(error.to_string().ends_with("local rows, on rank 0"), grid.rows() > 1, "{error}");
    let mut c = DistMatrix::zeros(grid, MatrixLayout::new(grid, (8, 7), (4, 4)).unwrap()).unwrap();
    assert!(matches!(gemm(Op::NoTrans, Op::NoTrans, 1.0, &b, &b, 0.0, &mut c), Err(Error::Argument { .. })));
    assert!(matches!(potrf(Triangle::Lower, &mut c), Err(Error::Argument { .. })));
    assert!(MatrixLayout::new(grid, (8, 8), (0, 4)).is_err());
    transforms(grid);
    // The grid works on.
    let mut c = DistMatrix::zeros(grid, layout(8)).unwrap();
    gemm(Op::NoTrans, Op::NoTrans, 1.0, &b, &b, 0.0, &mut c).unwrap();
}

/// Errors of Fourier transforms.
fn transforms(grid: &Grid) {
    let error = DistFft::<f64>::new(grid, &[8], FftOptions::new()).unwrap_err();
    assert_eq!(error.to_string(), "argument lengths: there are transforms of 2 and 3 dimensions, not of 1");
    for (lengths, decomposition) in [
        (&[4, 4][..], Decomposition::Pencils(grid.rows(), grid.columns())),
        (&[4, 4, 4], Decomposition::Pencils(grid.size() + 1, 1)),
    ] {
        let options = FftOptions::new().decomposition(decomposition);
        let error = DistFft::<f64>::new(grid, lengths, options).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "decomposition", .. }), "{error}");
    }
    assert!(DistFft::<f64>::new(grid, &[4, 4], FftOptions::new().backward_scale(f64::NAN)).is_err());
    assert!(DistFft::<f64>::new(grid, &[1 << 40, 1 << 40], FftOptions::new()).is_err());
    if grid.size() == 1 {
        return;
    }
    let last = grid.rank() + 1 == grid.size();
    let lengths = [8, if last { 6 } else { 4 }];
    let error = DistFft::<f64>::new(grid, &lengths, FftOptions::new()).unwrap_err();
    assert_same(grid, &error.to_string());
    assert_eq!(error.to_string(), format!("DistFft::new: n1 is 4 on rank 0 and 6 on rank {}", grid.size() - 1));
    // A block that is too short, on one rank only: the output is as it was.
    let mut plan = DistFft::<f64>::new(grid, &[8, 4], FftOptions::new()).unwrap();
    let input = vec![1.0; plan.input().len() + usize::from(last)];
    let mut output = vec![Complex64::new(7.0, 0.0); plan.output().len()];
    let error = plan.forward(&input, &mut output).unwrap_err();
    assert_same(grid, &error.to_string());
    assert!(error.to_string().contains("argument input: it has"), "{error}");
    assert!(output.iter().all(|value| *value == Complex64::new(7.0, 0.0)));
    // One rank goes forward, the others backward.
    let (mut field, spectrum) = (vec![0.0; plan.input().len()], output.clone());
    let error = match last {
        true => plan.forward(&field, &mut output).unwrap_err(),
        false => plan.backward(&spectrum, &mut field).unwrap_err(),
    };
    assert_same(grid, &error.to_string());
    assert!(matches!(error, Error::Operations { .. }), "{error}");
}

/// A run in which rank 1 of three fails. It must end on all ranks.
pub fn failure(environment: &Environment, test: &str) {
    let grid = Grid::new(&environment.world(), 1, 3).unwrap();
    let error = match test {
        "memory" => out_of_memory(&grid),
        // The end of `main` drops the environment.
        "left" if grid.rank() == 1 => return,
        "left" => {
            let layout = MatrixLayout::new(&grid, (8, 8), (2, 2)).unwrap();
            DistMatrix::<f64>::zeros(&grid, layout).unwrap_err()
        }
        _ => in_the_middle(&grid, test),
    };
    // In one piece: ranks write at the same time.
    let text = format!("rank {}: {error}\n", grid.rank());
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    // Every later call says the same, but after an agreed error.
    if !["memory", "left"].contains(&test) {
        assert_eq!(grid.barrier().unwrap_err(), error);
    }
    // The launcher ends all ranks with the first that ends: the others write meanwhile.
    std::thread::sleep(std::time::Duration::from_secs(3));
    std::process::exit(1);
}

/// Ranks 0 and 2 are in a factorisation when rank 1 fails, or is no more.
fn in_the_middle(grid: &Grid, test: &str) -> Error {
    let layout = MatrixLayout::new(grid, (600, 600), (16, 16)).unwrap();
    let mut a = DistMatrix::from_fn(grid, layout, |i, j| if i == j { 600.0 } else { 0.5 }).unwrap();
    potrf(Triangle::Lower, &mut a).unwrap();
    if test == "caught" {
        // A program that goes on after a panic, as C's functions do.
        let element = |_, _| if grid.rank() == 1 { panic!("an element panics") } else { 0.0 };
        let made = catch_unwind(AssertUnwindSafe(|| DistMatrix::<f64>::from_fn(grid, layout, element)));
        assert_eq!(made.is_err(), grid.rank() == 1);
    }
    if grid.rank() == 1 {
        match test {
            "caught" => return grid.failure().unwrap(),
            "told" => return grid.fail("no more paper"),
            "panic" => panic!("a rank of the test panics"),
            // SAFETY: a signal to this process.
            _ => unsafe {
                libc::kill(libc::getpid(), libc::SIGKILL);
            },
        }
    }
    loop {
        if let Err(error) = potrf(Triangle::Lower, &mut a.clone())
            && !matches!(error, Error::NotPositiveDefinite { .. })
        {
            return error;
        }
    }
}

/// Rank 1 may not have more memory.
fn out_of_memory(grid: &Grid) -> Error {
    if grid.rank() == 1 {
        let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
        let limit = pages * 4096 + (32 << 20);
        let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
        // SAFETY: the limit is valid memory.
        assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    }
    let layout = MatrixLayout::new(grid, (4096, 4096), (64, 64)).unwrap();
    DistMatrix::<f64>::zeros(grid, layout).unwrap_err()
}
