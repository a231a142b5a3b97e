//! Calls that several devices share.

use affinimath::{Context, DeviceSet, Diag, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Result, Side, Triangle};
use affinimath_opencl::device::for_tests;

use crate::faults::Loader;

/// Order of the matrices: some tiles of [`TILE`], and a rest.
const N: usize = 40;
const TILE: usize = 16;

/// A product, a triangular system and three factorisations.
fn work(set: &DeviceSet) -> Result<Vec<f32>> {
    let shape = MatrixShape::new(Layout::ColumnMajor, N, N, 0, N)?;
    let element = |i: usize, j: usize| if i == j { N as f32 } else { ((3 * i.min(j) + 5 * i.max(j)) % 7) as f32 / 7.0 };
    let a: Vec<f32> = (0..N * N).map(|k| element(k % N, k / N)).collect();
    let view = || MatrixRef::from_slice(&a, shape);
    let (mut c, mut x, mut l, mut lu, mut qr) = (vec![0.0; N * N], a.clone(), a.clone(), a.clone(), a.clone());
    set.gemm(Op::NoTrans, Op::Trans, 1.0, view()?, view()?, 0.0, MatrixMut::from_slice(&mut c, shape)?)?;
    let b = MatrixMut::from_slice(&mut x, shape)?;
    set.trsm(Side::Left, Triangle::Lower, Op::NoTrans, Diag::NonUnit, 1.0, view()?, b)?;
    set.potrf(Triangle::Lower, MatrixMut::from_slice(&mut l, shape)?)?;
    let (mut pivots, mut tau) = ([0; N], [0.0; N]);
    set.getrf(MatrixMut::from_slice(&mut lu, shape)?, &mut pivots)?;
    set.geqrf(MatrixMut::from_slice(&mut qr, shape)?, &mut tau)?;
    assert!(pivots.iter().zip(1..).all(|(pivot, row)| *pivot == row), "the diagonal is largest");
    Ok([c, x, l, lu, qr, tau.to_vec()].concat())
}

/// Which device takes which tile differs from run to run where there are several, and with it the calls of each.
#[test]
fn failing_calls_are_errors_and_lose_nothing() {
    let Some(loader) = Loader::find() else { return };
    let contexts: Vec<Context> = for_tests().iter().map(|device| Context::open(device).unwrap()).collect();
    let alone = |context: &Context| DeviceSet::new(std::slice::from_ref(context)).unwrap().with_parts(TILE);
    for context in &contexts {
        let set = alone(context);
        loader.fail_each("a set of one device", false, &|| work(&set));
    }
    if contexts.len() > 1 {
        let set = DeviceSet::new(&contexts).unwrap().with_parts(TILE);
        loader.fail_each("a set of devices", false, &|| work(&set));
    }
}
