//! Every routine in a real CBLAS and on the host, with the same result.

use std::path::PathBuf;

use affinimath::route::{RouteChoice, set_cblas, set_route};
use affinimath::*;

use super::alone;
use affinimath_testing::assert_close;

/// A CBLAS: `AFFINIMATH_TEST_CBLAS`, else Debian's OpenBLAS or reference, where they are installed.
fn library() -> Option<PathBuf> {
    let folder = PathBuf::from("/usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH));
    let known = ["openblas-pthread/libblas.so.3", "blas/libblas.so.3"].map(|file| folder.join(file));
    std::env::var_os("AFFINIMATH_TEST_CBLAS")
        .map(PathBuf::from)
        .or_else(|| known.into_iter().find(|path| path.exists()))
}

/// Numbers in (-1, 1), always the same ones.
fn random<T: Scalar>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| T::from_parts(next(), next())).collect()
}

/// One routine with its options: what it does to its last operand, or the number that it gives.
struct Check {
    refused: Vec<String>,
    done: usize,
}

impl Check {
    /// Runs a call on the host and in the vendor's library; `call` gives what is to be compared.
    fn same<T: Scalar>(&mut self, name: &str, call: impl Fn() -> Result<Vec<T>>) {
        set_route(RouteChoice::Host).unwrap();
        let expected = call().unwrap();
        set_route(RouteChoice::Vendor).unwrap();
        match call() {
            Err(Error::UnsupportedByVendor { .. }) => self.refused.push(format!("{}{name}", T::KIND.letter())),
            Err(error) => panic!("{name}: {error}"),
            Ok(found) => {
                self.done += 1;
                let largest = expected.iter().map(|value| value.modulus()).fold(1.0, f64::max);
                for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
                    // Sums of at most 8 * 8 products of numbers below 2, in either order.
                    let bound = 200.0 * T::EPSILON * largest;
                    assert_close!(*found, *expected, bound, "{}{name}, element {index}", T::KIND.letter());
                }
            }
        }
    }
}

const N: usize = 7;
const GAP: usize = 2;

fn shape(layout: Layout, rows: usize, columns: usize) -> MatrixShape {
    let adjacent = if layout == Layout::ColumnMajor { rows } else { columns };
    MatrixShape::new(layout, rows, columns, 1, adjacent + GAP).unwrap()
}

/// Memory for any operand here, with a diagonal that makes triangles easy to divide by.
fn memory<T: Scalar>(seed: u64) -> Vec<T> {
    random::<T>(200, seed)
}

/// A routine on copies of two vectors.
type OnTwo<'c, T> = dyn Fn(VectorMut<'_, T>, VectorMut<'_, T>) -> Result<Event> + 'c;

fn vectors<T: Scalar>(check: &mut Check) {
    let [x, y] = [1, 2].map(memory::<T>);
    for (incx, incy) in [(1, 1), (2, -3), (-1, 2), (-2, -1)] {
        let [sx, sy] = [incx, incy].map(|increment| VectorShape::new(N, 3, increment).unwrap());
        let read = |data| VectorRef::<T>::from_slice(data, sx).unwrap();
        let other = |data| VectorRef::<T>::from_slice(data, sy).unwrap();
        let both = |call: &OnTwo<'_, T>| {
            let (mut x, mut y) = (x.clone(), y.clone());
            let views = (VectorMut::from_slice(&mut x, sx).unwrap(), VectorMut::from_slice(&mut y, sy).unwrap());
            call(views.0, views.1)?.wait()?;
            x.extend(y);
            Ok(x)
        };
        let (alpha, beta) = (T::from_parts(0.75, 0.5), T::from_parts(0.5, -0.25));
        let (c, s) = (T::RealScalar::from_parts(0.6, 0.0), T::RealScalar::from_parts(0.8, 0.0));
        check.same("copy", || both(&|_, y| copy(read(&x), y)));
        check.same("swap", || both(&|x, y| swap(x, y)));
        check.same("scal", || both(&|x, _| scal(alpha, x)));
        check.same("scal_real", || both(&|x, _| scal_real(s, x)));
        check.same("axpy", || both(&|_, y| axpy(alpha, read(&x), y)));
        check.same("axpby", || both(&|_, y| axpby(alpha, read(&x), beta, y)));
        check.same("rot_real", || both(&|x, y| rot_real(x, y, c, s)));
        check.same("rot", || both(&|x, y| rot(x, y, c, T::from_parts(0.0, 0.8))));
        check.same("dot", || Ok(vec![dot(read(&x), other(&y))?]));
        check.same("dotc", || Ok(vec![dotc(read(&x), other(&y))?]));
        check.same("nrm2", || Ok(vec![nrm2(read(&x))?]));
        check.same("asum", || Ok(vec![asum(read(&x))?]));
        let index = |index: Option<usize>| vec![T::from_parts(index.unwrap() as f64, 0.0)];
        check.same("iamax", || Ok(index(iamax(read(&x))?)));
        check.same("iamin", || Ok(index(iamin(read(&x))?)));
    }
}

fn reals<T: Real>(check: &mut Check) {
    let [x, y] = [1, 2].map(memory::<T>);
    let [sx, sy] = [2, -1].map(|increment| VectorShape::new(N, 3, increment).unwrap());
    for flag in [-1.0, 0.0, 1.0] {
        let parameters = [flag, 0.5, -0.25, 0.75, 1.5].map(|value| T::from_parts(value, 0.0));
        check.same("rotm", || {
            let (mut x, mut y) = (x.clone(), y.clone());
            let views = (VectorMut::from_slice(&mut x, sx).unwrap(), VectorMut::from_slice(&mut y, sy).unwrap());
            rotm(views.0, views.1, &parameters)?.wait()?;
            x.extend(y);
            Ok(x)
        });
    }
}

fn floats(check: &mut Check) {
    let [x, y] = [1, 2].map(memory::<f32>);
    let [sx, sy] = [2, -1].map(|increment| VectorShape::new(N, 3, increment).unwrap());
    let views = || (VectorRef::from_slice(&x, sx).unwrap(), VectorRef::from_slice(&y, sy).unwrap());
    check.same("dsdot", || Ok(vec![dsdot(views().0, views().1)?]));
    check.same("sdsdot", || Ok(vec![sdsdot(0.5, views().0, views().1)?]));
}

/// Level 2: what is left of the last operand's memory.
fn matrices_and_vectors<T: Scalar>(check: &mut Check, layout: Layout, op: Op, triangle: Triangle, diagonal: Diag) {
    let ([a, x, y], (lower, upper)) = ([3, 4, 5].map(memory::<T>), (2, 1));
    let sv = |n| VectorShape::new(n, 3, -2).unwrap();
    let (alpha, beta) = (T::from_parts(0.75, 0.5), T::from_parts(0.5, -0.25));
    let real = T::RealScalar::from_parts(0.75, 0.0);
    let (rows, columns) = (N, N - 2);
    let (nx, ny) = if op.transposes() { (rows, columns) } else { (columns, rows) };
    let full = |rows, columns| MatrixRef::<T>::from_slice(&a, shape(layout, rows, columns)).unwrap();
    let band = |rows, columns, lower, upper| {
        let shape = BandShape::new(layout, rows, columns, lower, upper, 1, lower + upper + 1 + GAP).unwrap();
        BandRef::<T>::from_slice(&a, shape).unwrap()
    };
    let triangle_shape = PackedShape::new(layout, triangle, N, 1).unwrap();
    let packed = || PackedRef::<T>::from_slice(&a, triangle_shape).unwrap();
    let read = |n| VectorRef::<T>::from_slice(&x, sv(n)).unwrap();
    let to_y = |n, call: &dyn Fn(VectorMut<'_, T>) -> Result<Event>| {
        let mut y = y.clone();
        call(VectorMut::from_slice(&mut y, sv(n)).unwrap())?.wait()?;
        Ok(y)
    };
    check.same("gemv", || to_y(ny, &|y| gemv(op, alpha, full(rows, columns), read(nx), beta, y)));
    check.same("gbmv", || to_y(ny, &|y| gbmv(op, alpha, band(rows, columns, lower, upper), read(nx), beta, y)));
    check.same("symv", || to_y(N, &|y| symv(triangle, alpha, full(N, N), read(N), beta, y)));
    check.same("hemv", || to_y(N, &|y| hemv(triangle, alpha, full(N, N), read(N), beta, y)));
    check.same("sbmv", || to_y(N, &|y| sbmv(triangle, alpha, band(N, N, lower, upper), read(N), beta, y)));
    check.same("hbmv", || to_y(N, &|y| hbmv(triangle, alpha, band(N, N, lower, upper), read(N), beta, y)));
    check.same("spmv", || to_y(N, &|y| spmv(alpha, packed(), read(N), beta, y)));
    check.same("hpmv", || to_y(N, &|y| hpmv(alpha, packed(), read(N), beta, y)));
    check.same("trmv", || to_y(N, &|y| trmv(triangle, op, diagonal, full(N, N), y)));
    check.same("tbmv", || to_y(N, &|y| tbmv(triangle, op, diagonal, band(N, N, lower, upper), y)));
    check.same("tpmv", || to_y(N, &|y| tpmv(op, diagonal, packed(), y)));
    // The solves divide by a diagonal that stands out, so that a stored one must be large.
    let mut a = a.clone();
    a.iter_mut().for_each(|value| *value = T::from_parts(2.0, 0.5) + *value * T::from_parts(0.1, 0.0));
    let full = MatrixRef::<T>::from_slice(&a, shape(layout, N, N)).unwrap();
    let band_shape = BandShape::new(layout, N, N, lower, upper, 1, lower + upper + 1 + GAP).unwrap();
    let band = BandRef::<T>::from_slice(&a, band_shape).unwrap();
    let solved = PackedRef::<T>::from_slice(&a, triangle_shape).unwrap();
    if diagonal == Diag::NonUnit {
        check.same("trsv", || to_y(N, &|y| trsv(triangle, op, diagonal, full, y)));
        check.same("tbsv", || to_y(N, &|y| tbsv(triangle, op, diagonal, band, y)));
        check.same("tpsv", || to_y(N, &|y| tpsv(op, diagonal, solved, y)));
    }
    let to_a = |rows, columns, call: &dyn Fn(MatrixMut<'_, T>) -> Result<Event>| {
        let mut a = a.clone();
        call(MatrixMut::from_slice(&mut a, shape(layout, rows, columns)).unwrap())?.wait()?;
        Ok(a)
    };
    let to_packed = |call: &dyn Fn(PackedMut<'_, T>) -> Result<Event>| {
        let mut a = a.clone();
        call(PackedMut::from_slice(&mut a, triangle_shape).unwrap())?.wait()?;
        Ok(a)
    };
    let other = |n| VectorRef::<T>::from_slice(&y, VectorShape::new(n, 0, 1).unwrap()).unwrap();
    check.same("ger", || to_a(rows, columns, &|a| ger(alpha, read(rows), other(columns), a)));
    check.same("gerc", || to_a(rows, columns, &|a| gerc(alpha, read(rows), other(columns), a)));
    check.same("syr", || to_a(N, N, &|a| syr(triangle, alpha, read(N), a)));
    check.same("her", || to_a(N, N, &|a| her(triangle, real, read(N), a)));
    check.same("syr2", || to_a(N, N, &|a| syr2(triangle, alpha, read(N), other(N), a)));
    check.same("her2", || to_a(N, N, &|a| her2(triangle, alpha, read(N), other(N), a)));
    check.same("spr", || to_packed(&|a| spr(alpha, read(N), a)));
    check.same("hpr", || to_packed(&|a| hpr(real, read(N), a)));
    check.same("spr2", || to_packed(&|a| spr2(alpha, read(N), other(N), a)));
    check.same("hpr2", || to_packed(&|a| hpr2(alpha, read(N), other(N), a)));
}

/// Level 3, with C (in trmm and trsm, B) as it is left.
fn matrices<T: Scalar>(check: &mut Check, layout: Layout, op: Op, triangle: Triangle, diagonal: Diag, side: Side) {
    let [a, b, c] = [6, 7, 8].map(memory::<T>);
    let (alpha, beta) = (T::from_parts(0.75, 0.5), T::from_parts(0.5, -0.25));
    let [real_alpha, real_beta] = [0.75, 0.5].map(|value| T::RealScalar::from_parts(value, 0.0));
    let (m, n, k) = (N, N - 2, N - 3);
    let stored = |op: Op, rows, columns| if op.transposes() { (columns, rows) } else { (rows, columns) };
    let of = |data, layout, (rows, columns)| MatrixRef::<T>::from_slice(data, shape(layout, rows, columns)).unwrap();
    let to_c = |rows, columns, call: &dyn Fn(MatrixMut<'_, T>) -> Result<Event>| {
        let mut c = c.clone();
        call(MatrixMut::from_slice(&mut c, shape(layout, rows, columns)).unwrap())?.wait()?;
        Ok(c)
    };
    for op_b in Op::ALL {
        for layout_b in [Layout::ColumnMajor, Layout::RowMajor] {
            let a = of(&a, layout, stored(op, m, k));
            let b = of(&b, layout_b, stored(*op_b, k, n));
            check.same("gemm", || to_c(m, n, &|c| gemm(op, *op_b, alpha, a, b, beta, c)));
        }
        let (a, b) = (of(&a, layout, stored(op, N, k)), of(&b, layout, stored(*op_b, k, N)));
        check.same("gemmt", || to_c(N, N, &|c| gemmt(triangle, op, *op_b, alpha, a, b, beta, c)));
    }
    let order = if side == Side::Left { m } else { n };
    let (square, wide) = (of(&a, layout, (order, order)), of(&b, layout, (m, n)));
    check.same("symm", || to_c(m, n, &|c| symm(side, triangle, alpha, square, wide, beta, c)));
    check.same("hemm", || to_c(m, n, &|c| hemm(side, triangle, alpha, square, wide, beta, c)));
    let (one, two) = (of(&a, layout, stored(op, N, k)), of(&b, layout, stored(op, N, k)));
    check.same("syrk", || to_c(N, N, &|c| syrk(triangle, op, alpha, one, beta, c)));
    check.same("herk", || to_c(N, N, &|c| herk(triangle, op, real_alpha, one, real_beta, c)));
    check.same("syr2k", || to_c(N, N, &|c| syr2k(triangle, op, alpha, one, two, beta, c)));
    check.same("her2k", || to_c(N, N, &|c| her2k(triangle, op, alpha, one, two, real_beta, c)));
    check.same("trmm", || to_c(m, n, &|c| trmm(side, triangle, op, diagonal, alpha, square, c)));
    let mut a = a.clone();
    a.iter_mut().for_each(|value| *value = T::from_parts(2.0, 0.5) + *value * T::from_parts(0.1, 0.0));
    let square = of(&a, layout, (order, order));
    if diagonal == Diag::NonUnit {
        check.same("trsm", || to_c(m, n, &|c| trsm(side, triangle, op, diagonal, alpha, square, c)));
    }
}

fn all<T: Scalar>(check: &mut Check) {
    vectors::<T>(check);
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        for op in Op::ALL {
            for triangle in Triangle::ALL {
                for diagonal in Diag::ALL {
                    matrices_and_vectors::<T>(check, layout, *op, *triangle, *diagonal);
                    for side in Side::ALL {
                        matrices::<T>(check, layout, *op, *triangle, *diagonal, *side);
                    }
                }
            }
        }
    }
}

/// Routines that a CBLAS may lack: extensions, ops and symmetries beyond the standard.
const MAY_BE_REFUSED: &[&str] = &[
    "axpby", "iamin", "iamax", "gemmt", "rot", "rot_real", "symv", "sbmv", "spmv", "syr", "syr2", "spr", "spr2",
    "gemv", "gbmv", "trmv", "tbmv", "tpmv", "trsv", "tbsv", "tpsv", "gemm", "syrk", "herk", "syr2k", "her2k", "trmm",
    "trsm",
];

mod host {
    use super::*;

    #[test]
    fn every_routine_of_a_cblas_agrees_with_the_host() {
        let Some(path) = library() else {
            eprintln!("no CBLAS is installed here: AFFINIMATH_TEST_CBLAS names one");
            return;
        };
        let _settings = alone();
        set_route(RouteChoice::Auto).unwrap();
        set_cblas(Some(&path)).unwrap();
        let mut check = Check { refused: Vec::new(), done: 0 };
        all::<f32>(&mut check);
        all::<f64>(&mut check);
        all::<Complex32>(&mut check);
        all::<Complex64>(&mut check);
        reals::<f32>(&mut check);
        reals::<f64>(&mut check);
        floats(&mut check);
        check.refused.sort();
        check.refused.dedup();
        println!("{}: {} calls, refused some of {:?}", path.display(), check.done, check.refused);
        for refused in &check.refused {
            assert!(MAY_BE_REFUSED.contains(&&refused[1..]), "{refused} is a part of CBLAS");
            let complex = refused.starts_with(['C', 'Z']);
            assert!(
                complex || ["axpby", "iamin", "iamax", "gemmt"].contains(&&refused[1..]),
                "{refused} is a part of CBLAS"
            );
        }
        assert!(check.done > 5000, "{} calls", check.done);
    }
}
