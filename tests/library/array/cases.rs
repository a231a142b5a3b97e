//! Programs as users write them: against plain loops, and the same bits on each context.

use affinimath::array::{self, Array, Expr, complex, coordinates, keep, linspace, normal, s, uniform};
use affinimath::{Complex32, Context};

/// All cases on a context, the heat equation for some steps.
pub fn check(context: &Context, steps: usize) {
    axpy_like_expressions_equal_axpy(context);
    heat_spreads_as_in_a_loop(context, steps);
    options_have_their_prices(context);
    mandelbrot_counts_as_a_loop_does(context);
}

/// The programs have the host's bits.
pub fn check_bits(context: &Context) {
    let (expected, found) = (programs(&Context::host()), programs(context));
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        assert!(expected == found, "{name} has other bits than on the host");
    }
}

fn axpy_like_expressions_equal_axpy(context: &Context) {
    for n in [1_usize, 63, 1000, 70_001] {
        let (a, b) = (super::values(n, 11), super::values(n, 12));
        let (x, y) = (super::array(context, &[n], &a), super::array(context, &[n], &b));
        let found = (2.5 * &x + &y).to_vec().unwrap();
        assert!(found == axpy(context, 2.5, &a, &b), "n = {n}");
    }
}

/// y + alpha x by the library's routine.
fn axpy(context: &Context, alpha: f32, x: &[f32], y: &[f32]) -> Vec<f32> {
    let (x, mut y) = (context.upload(x).unwrap(), context.upload(y).unwrap());
    let _ = affinimath::axpy(alpha, x.vector().unwrap(), y.vector_mut().unwrap()).unwrap();
    y.download().unwrap()
}

fn heat_spreads_as_in_a_loop(context: &Context, steps: usize) {
    let n = 20;
    let mut u = Array::<f32>::zeros(context, [n, n]).unwrap();
    u.at_mut(s![0, ..]).assign(100.0).unwrap();
    let mut expected = vec![0.0_f32; n * n];
    expected[..n].fill(100.0);
    for _ in 0..steps {
        let neighbours = u.at(s![..-2, 1..-1]) + u.at(s![2.., 1..-1]) + u.at(s![1..-1, ..-2]) + u.at(s![1..-1, 2..]);
        let next = 0.25 * neighbours;
        u.at_mut(s![1..-1, 1..-1]).assign(next).unwrap();
        let before = expected.clone();
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let at = |i: usize, j: usize| before[i * n + j];
                expected[i * n + j] = 0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1));
            }
        }
    }
    assert!(u.to_vec().unwrap() == expected);
}

/// A call and a put by Black and Scholes, for the strikes.
fn prices(strike: &Expr<f32>) -> (Expr<f32>, Expr<f32>) {
    let (spot, rate, volatility, time) = (100.0_f32, 0.05, 0.2, 1.0);
    let spread = volatility * f32::sqrt(time);
    let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * time) / spread;
    let d2 = &d1 - spread;
    let discounted = strike * (-rate * time).exp();
    let call = spot * d1.normcdf() - &discounted * d2.normcdf();
    let put = &discounted * (-&d2).normcdf() - spot * (-&d1).normcdf();
    (call, put)
}

fn options_have_their_prices(context: &Context) {
    let strike = array::linspace(80.0_f32, 120.0, 4001).eval_on(context).unwrap();
    let (call, put) = prices(&strike);
    let plan = affinimath_array::explain((&call, &put));
    assert!(plan.lines().any(|line| line.starts_with("1 steps:")), "one launch:\n{plan}");
    let (call, put) = array::eval((&call, &put)).unwrap();
    // At the money: 10.450583572185565 and 5.573526022256971 (Hull: Options, Futures and Other Derivatives).
    let tolerance = 64.0 * f32::EPSILON * 100.0;
    assert!((call.at(s![2000]).value().unwrap() - 10.450_584).abs() <= tolerance);
    assert!((put.at(s![2000]).value().unwrap() - 5.573_526).abs() <= tolerance);
    let parity = &call - &put - (100.0 - &*strike * (-0.05_f32).exp());
    assert!(parity.abs().max(..).value().unwrap() <= 2.0 * tolerance);
}

/// Steps until |z| > 2, at most `limit`.
fn mandelbrot(context: &Context, limit: usize) -> Array<i32> {
    let (x, y) = (linspace(-2.0_f32, 1.0, 30), linspace(-1.0_f32, 1.0, 20).new_axis(1));
    let c = complex(&x + 0.0 * &y, 0.0 * &x + &y).eval_on(context).unwrap();
    let mut z = Array::<Complex32>::zeros(context, [20, 30]).unwrap();
    let mut steps = Array::<i32>::zeros(context, [20, 30]).unwrap();
    for _ in 0..limit {
        let is_inside = z.norm_squared().lt(4.0);
        let next = is_inside.select(&z * &z + &c, &z);
        (z, steps) = array::eval((next, &steps + is_inside.cast::<i32>())).unwrap();
    }
    steps
}

fn mandelbrot_counts_as_a_loop_does(context: &Context) {
    let found = mandelbrot(context, 40).to_vec().unwrap();
    let host = Context::host();
    let axis = |start, end, n| linspace::<f32>(start, end, n).eval_on(&host).unwrap().to_vec().unwrap();
    let (xs, ys) = (axis(-2.0, 1.0, 30), axis(-1.0, 1.0, 20));
    for (index, &steps) in found.iter().enumerate() {
        let (c_re, c_im) = (xs[index % 30], ys[index / 30]);
        let (mut re, mut im, mut expected) = (0.0_f32, 0.0_f32, 0);
        // The expansion that docs/src/internals/arrays.md gives: each part is one product and one fma.
        while expected < 40 && re.mul_add(re, im * im) < 4.0 {
            (re, im) = (re.mul_add(re, -(im * im)) + c_re, re.mul_add(im, im * re) + c_im);
            expected += 1;
        }
        assert_eq!(steps, expected, "point {index}");
    }
    assert!(found.contains(&40) && found.contains(&1));
}

/// The bits of the results of the documentation's programs.
fn programs(context: &Context) -> Vec<(&'static str, Vec<u32>)> {
    let of = |expr: &Expr<f32>| expr.to_vec().unwrap().into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let of_whole = |expr: &Expr<i32>| expr.to_vec().unwrap().into_iter().map(|x| x as u32).collect::<Vec<_>>();
    let x = normal::<f32>(1, [8, 1000]).eval_on(context).unwrap();
    let powers = (&x - x.max(keep(1))).exp();
    let softmax = &powers / powers.sum(keep(1));
    let strike = linspace(80.0_f32, 120.0, 501).eval_on(context).unwrap();
    let (call, put) = array::eval(prices(&strike)).unwrap();
    let (u, v) = (uniform::<f32>(1, [1 << 14]), uniform::<f32>(2, [1 << 14]));
    let inside = (u.square() + v.square()).lt(1.0).count(..).eval_on(context).unwrap().value().unwrap();
    let gaps = super::array(context, &[5], &[3.0_f32, f32::NAN, -1.0, f32::INFINITY, 2.0]);
    let is_valid = gaps.is_finite();
    let mean = is_valid.select(&gaps, 0.0).sum(..) / is_valid.cast::<f32>().sum(..);
    let standard = (&x - x.mean(keep(0))) / x.var(keep(0)).sqrt();
    let image = uniform::<f32>(9, [120, 160]).eval_on(context).unwrap();
    let rows = 0.25 * image.at(s![..-2, ..]) + 0.5 * image.at(s![1..-1, ..]) + 0.25 * image.at(s![2.., ..]);
    let blurred = 0.25 * rows.at(s![.., ..-2]) + 0.5 * rows.at(s![.., 1..-1]) + 0.25 * rows.at(s![.., 2..]);
    let steps = super::array(context, &[6], &[1, 0, 2, -1, 3, 1]);
    let distance = (x.new_axis(1) - x.at(s![..3, ..])).square().sum(2);
    let nearest = distance.argmin(1).cast::<i32>();
    let grid = (coordinates([30, 40], 0) * 3 + coordinates([30, 40], 1)).cast::<i32>().eval_on(context).unwrap();
    vec![
        ("softmax", of(&softmax)),
        ("Black-Scholes call", of(&call)),
        ("Black-Scholes put", of(&put)),
        ("Mandelbrot", of_whole(&mandelbrot(context, 30))),
        ("Monte Carlo", vec![inside as u32]),
        ("masks", of(&mean)),
        ("standardised columns", of(&standard)),
        ("image blur", of(&blurred)),
        ("cumulative sums", of_whole(&steps.cumsum(0))),
        ("nearest points", of_whole(&nearest)),
        ("coordinates", of_whole(&grid)),
    ]
}
