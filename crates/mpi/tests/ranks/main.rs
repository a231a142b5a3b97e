//! Tests that ranks of an MPI program make together.
//!
//! `cargo test` starts this program, which starts itself under `mpirun` for each grid, and for each failure. Arguments
//! are parts of tests' names, such as `2x2` or `lost`.

mod dense;
mod device;
mod driver;
mod errors;
mod factor;
mod fft;
mod sparse;
mod stencil;
mod support;

use affinimath::{Complex32, Complex64, FftReal, Scalar};
use affinimath_mpi::{Environment, Grid, Memory};

/// Name of the variable with the test that a rank belongs to.
const TEST: &str = "AFFINIMATH_MPI_TEST";

fn main() {
    let Ok(test) = std::env::var(TEST) else {
        std::process::exit(driver::drive());
    };
    let environment = Environment::initialize().unwrap();
    if let Some(ranks) = test.strip_prefix("device ") {
        let world = environment.world();
        return on_devices(&Grid::new(&world, ranks.parse().unwrap(), 1).unwrap());
    }
    match test.split_once('x').and_then(|(p, q)| Some((p.parse().ok()?, q.parse().ok()?))) {
        Some((p, q)) => on_grid(&Grid::new(&environment.world(), p, q).unwrap()),
        None => errors::failure(&environment, &test),
    }
}

/// All tests of a grid, in an order that all ranks share.
fn on_grid(grid: &Grid) {
    stencils(grid);
    of_type::<f32>(grid);
    of_type::<f64>(grid);
    of_type::<Complex32>(grid);
    of_type::<Complex64>(grid);
    errors::agreed(grid);
}

/// Tests with local parts on devices, of the types that the devices have.
fn on_devices(grid: &Grid) {
    assert!(grid.device().is_some(), "the rank has no device");
    device::errors(grid);
    on_devices_of_type::<f32>(grid);
    on_devices_of_type::<f64>(grid);
    on_devices_of_type::<Complex32>(grid);
    on_devices_of_type::<Complex64>(grid);
}

fn on_devices_of_type<T: Scalar>(grid: &Grid) {
    let has_type = grid.context(Memory::Device).unwrap().zeros::<T>(1).is_ok();
    let types = std::env::var("AFFINIMATH_TEST_TYPES").unwrap_or_default();
    if !has_type || !(types.is_empty() || types.contains(T::KIND.letter())) {
        return;
    }
    for (name, test) in [("products", device::products::<T> as fn(&Grid)), ("solvers", device::solvers::<T>)] {
        test(grid);
        if grid.rank() == 0 {
            println!("passed {} {name} on devices", T::KIND.letter());
        }
    }
}

/// Stencils have types of their own.
fn stencils(grid: &Grid) {
    type Test = (&'static str, fn(&Grid));
    let tests: [Test; 3] = [
        ("stencils have the bits of one process", stencil::one_process_bits),
        ("neighbours get one message each", stencil::messages),
        ("a stencil's errors are those of all ranks", stencil::errors),
    ];
    for (name, test) in tests {
        test(grid);
        if grid.rank() == 0 {
            println!("passed {name}");
        }
    }
}

fn of_type<T: Scalar<RealScalar: FftReal>>(grid: &Grid) {
    type Test = (&'static str, fn(&Grid));
    let tests: [Test; 17] = [
        ("redistribution keeps every element", dense::redistribution::<T>),
        ("what is scattered is gathered", dense::scatter_and_gather::<T>),
        ("a descriptor's local array is the matrix", dense::descriptor::<T>),
        ("norms are those of the whole matrix", dense::norms::<T>),
        ("gemm is the one-process product", dense::gemm::<T>),
        ("rank-k updates change one triangle", dense::rank_updates::<T>),
        ("products with a mirrored triangle", dense::mirrored_products::<T>),
        ("trsm solves on both sides", dense::trsm::<T>),
        ("potrf is the one-process factor", factor::cholesky::<T>),
        ("getrf has LAPACK's pivots", factor::lu::<T>),
        ("geqrf is the one-process factor", factor::qr::<T>),
        ("solves have small residuals", factor::solves::<T>),
        ("sparse products are the dense ones", sparse::products::<T>),
        ("iterative solvers converge", sparse::solvers::<T>),
        ("transforms are the one-process ones", fft::transforms::<T>),
        ("the spectrum of a wave has one element", fft::waves::<T>),
        ("ranks read parts of a Matrix Market file", sparse::matrix_market::<T>),
    ];
    for (name, test) in tests {
        test(grid);
        if grid.rank() == 0 {
            println!("passed {} {name}", T::KIND.letter());
        }
    }
}
