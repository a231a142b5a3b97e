//! A pass of an FFT for any radix: the radix is a number of Rust's, and its butterfly a loop of Rust's.

use affinimath_kernel::{Array, BuildError, Complex, Expr, Float, Index, Kernel, Pair, ReadOnly, Real};

/// The discrete Fourier transform of a few numbers in registers. `T` may be a vector: then it is as many transforms.
///
/// Roots of unity that are 1, i, -1 or -i make no arithmetic; Rust knows which they are.
pub fn butterfly<'k, T: Float>(x: &[Complex<'k, T>]) -> Vec<Complex<'k, T>> {
    let radix = x.len();
    if radix.is_multiple_of(2) {
        // Decimation in time: the even ones and the odd ones are transforms of half the size.
        let part = |odd: usize| butterfly(&x.iter().copied().skip(odd).step_by(2).collect::<Vec<_>>());
        let (even, odd) = (part(0), part(1));
        let turned: Vec<_> = odd.iter().enumerate().map(|(k, y)| y.turn(-(k as i64), radix as i64)).collect();
        let first = even.iter().zip(&turned).map(|(a, b)| *a + *b);
        return first.chain(even.iter().zip(&turned).map(|(a, b)| *a - *b)).collect();
    }
    let term = |j: usize, k: usize| x[j].turn(-((j * k % radix) as i64), radix as i64);
    (0..radix).map(|k| (1..radix).fold(x[0], |sum, j| sum + term(j, k))).collect()
}

/// One pass of Stockham's FFT (Van Loan, 1992, algorithm 1.7.2): y := the columns of x transformed by `radix`, twiddled
/// and put in their places. `stride` is the product of the radices of the passes before, and `twiddles` holds e^(-2 pi
/// i j / n) for j < n.
pub fn stockham_pass<R: Real>(radix: usize) -> Result<Kernel, BuildError> {
    Kernel::build(&format!("stockham_{radix}"), |k| {
        k.comment(&format!("y := one pass of radix {radix} over x, n numbers; n / (radix stride) is m."));
        k.contract();
        let m = k.argument::<Index>("m");
        let stride = k.argument::<Index>("stride");
        let x = k.input::<Pair<R>>("x");
        let twiddles = k.input::<Pair<R>>("twiddles");
        let y = k.output::<Pair<R>>("y");

        let i = k.global_id(0);
        let count = m * stride;
        k.when(i.lt(count), || {
            let (p, q) = (i / stride, i % stride);
            let inputs: Vec<_> = (0..radix).map(|j| x.complex_at(i + count * j)).collect();
            for (j, value) in butterfly(&inputs).into_iter().enumerate() {
                let offset = (p * radix + j) * stride + q;
                y.store_complex(offset, twiddled(value, twiddles, p * stride, j));
            }
        });
    })
}

/// value e^(-2 pi i position j / n); the first of a butterfly's results needs none.
fn twiddled<'k, R: Real>(
    value: Complex<'k, R>,
    twiddles: Array<'k, Pair<R>, ReadOnly>,
    position: Expr<'k, Index>,
    j: usize,
) -> Complex<'k, R> {
    if j == 0 { value } else { value * twiddles.complex_at(position * j) }
}
