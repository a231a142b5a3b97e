//! Named cases: results that are known exactly, analytically, or from a loop written by hand.

mod common;

use std::f64::consts::PI;

use affinimath_stencil::Stencil;
use common::{Case, Real, example, example_text, in_type, noise, parse, points};

fn wave<R: Real>(n: usize, steps: u64) {
    let w = n + 4;
    let mut case = Case::new(&in_type::<R>("wave"), &[("N", n as i64)]);
    case.fill(0, |cell| noise(1, cell)).run(&[0.05.into()], steps);

    let at = |x: usize, y: usize, z: usize| x + w * (y + w * z);
    let mut now: Vec<R> = vec![R::of(0.0); w * w * w];
    let memory = -1..=n as i64 + 2;
    let all = points(&[memory.clone(), memory.clone(), memory]);
    for cell in &all {
        now[at((cell[0] + 1) as usize, (cell[1] + 1) as usize, (cell[2] + 1) as usize)] = R::of(noise(1, cell));
    }
    let mut before = now.clone();
    let [two, centre, third, twelfth, c] = [2.0, -7.5, 4.0 / 3.0, 1.0 / 12.0, 0.05].map(R::of);
    for _ in 0..steps {
        let mut next = now.clone();
        for z in 2..w - 2 {
            for y in 2..w - 2 {
                for x in 2..w - 2 {
                    let u = |i: isize, j: isize, k: isize| {
                        now[at(x.wrapping_add_signed(i), y.wrapping_add_signed(j), z.wrapping_add_signed(k))]
                    };
                    let near = u(1, 0, 0) + u(-1, 0, 0) + u(0, 1, 0) + u(0, -1, 0) + u(0, 0, 1) + u(0, 0, -1);
                    let far = u(2, 0, 0) + u(-2, 0, 0) + u(0, 2, 0) + u(0, -2, 0) + u(0, 0, 2) + u(0, 0, -2);
                    next[at(x, y, z)] = two * u(0, 0, 0) - before[at(x, y, z)]
                        + c * (centre * u(0, 0, 0) + third * near - twelfth * far);
                }
            }
        }
        before = std::mem::replace(&mut now, next);
    }
    for cell in &all {
        let wanted = now[at((cell[0] + 1) as usize, (cell[1] + 1) as usize, (cell[2] + 1) as usize)];
        assert_eq!(case.get(0, cell).to_bits(), wanted.into().to_bits(), "{} {cell:?}", R::KIND);
    }
}

#[test]
fn wave_is_the_loop_to_the_bit() {
    wave::<f32>(48, 25);
    wave::<f64>(48, 25);
}

fn blur<R: Real>() {
    let stencil = in_type::<R>("blur");
    let sizes = [("width", 20), ("height", 15)];
    let mut case = Case::new(&stencil, &sizes);
    case.fill(0, |_| 7.0).run(&[5.0.into()], 1);
    for cell in points(&[1..=20, 1..=15]) {
        assert!((case.get(0, &cell) - 7.0).abs() <= 7.0 * 4.0 * R::EPSILON, "{} {cell:?}", R::KIND);
    }
    let mut case = Case::new(&stencil, &sizes);
    case.fill(0, |cell| f64::from(u8::from(cell == [10, 8]))).run(&[5.0.into()], 1);
    let weight = |d: i64| (-(d as f64) / 50.0).exp();
    let total: f64 = points(&[-2..=2, -2..=2]).iter().map(|d| weight(d[0] * d[0] + d[1] * d[1])).sum();
    for cell in points(&[1..=20, 1..=15]) {
        let (dx, dy) = (cell[0] - 10, cell[1] - 8);
        let wanted = if dx.abs() <= 2 && dy.abs() <= 2 { weight(dx * dx + dy * dy) / total } else { 0.0 };
        // Some ten roundings of each weight, and as many of the expected one.
        assert!((case.get(0, &cell) - wanted).abs() <= 20.0 * R::EPSILON * wanted, "{} {cell:?}", R::KIND);
    }
}

#[test]
fn blur_keeps_constants_and_returns_its_weights() {
    blur::<f32>();
    blur::<f64>();
}

#[test]
fn edge_of_a_plane_is_zero() {
    for kind in ["float", "double", "int", "long"] {
        let stencil = parse(&example_text("edge").replace("float", kind));
        let mut case = Case::new(&stencil, &[("width", 100), ("height", 37)]);
        case.fill(0, |cell| (3 * cell[0] - 2 * cell[1] + 5) as f64).run(&[], 1);
        for cell in points(&[1..=100, 1..=37]) {
            assert_eq!(case.get(0, &cell), 0.0, "{kind} {cell:?}");
        }
    }
}

#[test]
fn divergence_of_squares_is_exact() {
    for kind in ["float", "double"] {
        let stencil = parse(&example_text("divergence").replace("float", kind));
        let mut case = Case::new(&stencil, &[("x_max", 9), ("y_max", 7), ("z_max", 5)]);
        case.fill(1, |cell| (cell[0] * cell[0]) as f64);
        case.fill(2, |cell| (3 * cell[1] * cell[1]) as f64);
        case.fill(3, |cell| -(cell[2] * cell[2]) as f64);
        case.run(&[0.5.into(), 0.5.into(), 0.5.into()], 1);
        for cell in points(&[1..=9, 1..=7, 1..=5]) {
            assert_eq!(case.get(0, &cell), (2 * cell[0] + 6 * cell[1] - 2 * cell[2]) as f64, "{kind} {cell:?}");
        }
    }
}

#[test]
fn gradients_are_exact_for_integers() {
    let u = |cell: &[i64]| (3 * cell[0] - 4 * cell[1] + 7 * cell[2] + cell[0] * cell[1]) as f64;
    let forms = [("gradient", -1.0), ("gradient_sums", 1.0)];
    for ((name, sign), kind) in forms.into_iter().flat_map(|form| ["float", "double"].map(|kind| (form, kind))) {
        let stencil = parse(&example_text(name).replace("float", kind));
        let mut case = Case::new(&stencil, &[("x_max", 6), ("y_max", 5), ("z_max", 4)]);
        case.fill(0, u).run(&[1.0.into(), 2.0.into(), 4.0.into()], 1);
        for (cell, axis) in points(&[1..=6, 1..=5, 1..=4]).iter().flat_map(|cell| [0, 1, 2].map(|axis| (cell, axis))) {
            let shifted = |by: i64| {
                let mut other = cell.clone();
                other[axis] += by;
                u(&other)
            };
            let wanted = [1.0, 2.0, 4.0][axis] * (shifted(1) + sign * shifted(-1));
            assert_eq!(case.get(1 + axis, cell), wanted, "{name} {kind} {cell:?}");
        }
    }
}

#[test]
fn the_gradient_of_a_plane_is_its_slopes() {
    for stencil in [in_type::<f32>("gradient"), in_type::<f64>("gradient")] {
        let mut case = Case::new(&stencil, &[("x_max", 6), ("y_max", 5), ("z_max", 4)]);
        let plane = |cell: &[i64]| (3 * cell[0] - 4 * cell[1] + 7 * cell[2]) as f64;
        case.fill(0, plane).run(&[1.0.into(), 1.0.into(), 1.0.into()], 1);
        for cell in points(&[1..=6, 1..=5, 1..=4]) {
            assert_eq!([1, 2, 3].map(|grid| case.get(grid, &cell)), [6.0, -8.0, 14.0], "{cell:?}");
        }
    }
}

#[test]
fn life_has_its_blinker_and_block() {
    let alive = |cell: &[i64], steps: u64| {
        let blinker = if steps.is_multiple_of(2) { [[2, 3], [3, 3], [4, 3]] } else { [[3, 2], [3, 3], [3, 4]] };
        let block = [[6, 6], [7, 6], [6, 7], [7, 7]];
        blinker.contains(&[cell[0], cell[1]]) || block.contains(&[cell[0], cell[1]])
    };
    let arithmetic = [in_type::<f32>("game_of_life"), in_type::<f64>("game_of_life")].map(|it| (it, 1e-19));
    let whole = ["int", "long"].map(|kind| (parse(&example_text("life").replace("int", kind)), 0.0));
    for (stencil, tolerance) in arithmetic.into_iter().chain(whole) {
        for steps in [1, 2, 7] {
            let mut case = Case::new(&stencil, &[("width", 8), ("height", 8)]);
            case.fill(0, |cell| f64::from(u8::from(alive(cell, 0)))).run(&[], steps);
            for cell in points(&[1..=8, 1..=8]) {
                let wanted = f64::from(u8::from(alive(&cell, steps)));
                let name = stencil.name();
                assert!((case.get(0, &cell) - wanted).abs() <= tolerance, "{name} {steps} {cell:?}");
            }
        }
    }
}

#[test]
fn life_stops_where_nothing_lives() {
    let stencil = example("life");
    let mut case = Case::new(&stencil, &[("width", 8), ("height", 8)]);
    case.fill(0, |cell| f64::from(u8::from(cell == [3, 3] || cell == [4, 3]))).run(&[], 100);
    assert_eq!((case.outcome().steps, case.outcome().has_stopped, case.result(0)), (1, true, 0.0));
}

fn upwind<R: Real>(tolerance: f64) {
    let stencil = in_type::<R>("upwind");
    for power in 0..=5 {
        let h = 1.0 / 200.0;
        let mut case = Case::new(&stencil, &[("n", 200)]);
        let x = |cell: i64| 1.0 + h * cell as f64;
        case.fill(0, |cell| x(cell[0]).powi(power)).run(&[h.into()], 1);
        for cell in 1..=200 {
            let wanted = f64::from(power) * x(cell).powi(power - 1);
            let scale = if power == 0 { 1.0 } else { wanted };
            let found = case.get(1, &[cell]);
            assert!((found - wanted).abs() <= tolerance * scale, "{} x^{power} at {cell}: {found}", R::KIND);
        }
    }
}

#[test]
fn upwind_differences_are_exact_for_fifth_powers() {
    upwind::<f64>(1e-9);
    // Weights of 130 in all, divided by 60 h, meet values with a rounding each, x / k times the derivative: at most 2.
    // Sums have seven roundings more.
    upwind::<f32>(130.0 / 60.0 * 200.0 * 2.0 * 8.0 * f64::from(f32::EPSILON) / 2.0);
}

#[test]
fn advection_comes_around_the_ring() {
    for kind in ["float", "double", "int", "long"] {
        let stencil = parse(&example_text("advection").replace("double", kind));
        let mut case = Case::new(&stencil, &[("nx", 64), ("ny", 3)]);
        let start = |cell: &[i64]| (1000.0 * noise(8, cell)).round();
        case.fill(0, start).run(&[], 64);
        for cell in points(&[1..=64, 1..=3]) {
            assert_eq!(case.get(0, &cell), start(&cell), "{kind} {cell:?}");
        }
    }
}

fn heat<R: Real>(tolerance: f64) {
    let stencil = parse(
        &"stencil heat {
           domainsize = (1 .. nx, 1 .. ny);
           operation (double grid u, double param k) {
             u[x,y; t+1] = u[x,y; t] + k * ({ d in axes } sum(u[d-1; t] + u[d+1; t]) - 4 * u[x,y; t]);
           }
           boundary { u: x = 0; y = 0; }
         }"
        .replace("double", R::KIND),
    );
    let (nx, ny, k, steps) = (30, 20, 0.2, 100);
    let mode = |cell: &[i64]| {
        (PI * cell[0] as f64 / (nx + 1) as f64).sin() * (2.0 * PI * cell[1] as f64 / (ny + 1) as f64).sin()
    };
    let mut case = Case::new(&stencil, &[("nx", nx), ("ny", ny)]);
    case.fill(0, mode).run(&[k.into()], steps);
    let decay = |m: f64, n: i64| 4.0 * k * (m * PI / (2.0 * (n + 1) as f64)).sin().powi(2);
    let factor = (1.0 - decay(1.0, nx) - decay(2.0, ny)).powi(steps as i32);
    for cell in points(&[1..=nx, 1..=ny]) {
        assert!((case.get(0, &cell) - factor * mode(&cell)).abs() <= tolerance, "{} {cell:?}", R::KIND);
    }
}

#[test]
fn heat_damps_a_sine_mode_by_its_eigenvalue() {
    heat::<f64>(1e-12);
    // 100 steps of 8 roundings each, of values of 1 at most, and k itself.
    heat::<f32>(900.0 * f64::from(f32::EPSILON));
}

#[test]
fn weights_of_a_box_are_those_of_its_table() {
    let stencil = example("box27");
    let mut case = Case::new(&stencil, &[("nx", 5), ("ny", 5), ("nz", 5)]);
    case.fill(0, |cell| if cell == [3, 3, 3] { 128.0 } else { 0.0 }).run(&[], 1);
    for cell in points(&[1..=5, 1..=5, 1..=5]) {
        let distance: i64 = cell.iter().map(|coordinate| (coordinate - 3).pow(2)).sum();
        let is_near = cell.iter().all(|coordinate| (coordinate - 3).abs() <= 1);
        let wanted = if is_near { [64.0, 8.0, 2.0, 1.0][distance as usize] } else { 0.0 };
        assert_eq!(case.get(0, &cell), wanted, "{cell:?}");
    }
}

/// The Laplacian of eighth order is exact for polynomials of degree 9.
#[test]
fn eighth_order_differences_are_exact_for_eighth_powers() {
    let stencil = parse(&example_text("wave25").replace("float", "double"));
    let mut case = Case::new(&stencil, &[("nx", 6), ("ny", 6), ("nz", 6)]);
    let h = 0.25;
    let u = |cell: &[i64]| (h * cell[0] as f64).powi(8) + (h * cell[1] as f64).powi(4) - (h * cell[2] as f64).powi(2);
    case.fill(0, u).fill(1, |_| 1.0).run(&[], 1);
    for cell in points(&[1..=6, 1..=6, 1..=6]) {
        let (x, y) = (h * cell[0] as f64, h * cell[1] as f64);
        let lap = h * h * (56.0 * x.powi(6) + 12.0 * y * y - 2.0);
        // Weights of at most 3 in magnitude meet values of at most 2.5^8 = 1526.
        assert!((case.get(0, &cell) - u(&cell) - lap).abs() <= 1526.0 * 16.0 * f64::EPSILON, "{cell:?}");
    }
}

/// A pulse on a staggered grid, by a loop over two arrays.
#[test]
fn staggered_stages_are_the_loop_to_the_bit() {
    let stencil = parse(
        "stencil leapfrog {
           domainsize = (0 .. n-1);
           operation (double grid e, double grid h at (1/2), double param c) {
             sequence {
               stage magnetic { h[x; t+1] = h[x; t] + c * (e[x+1; t] - e[x; t]); }
               stage electric { e[x; t+1] = e[x; t] + c * (h[x; t+1] - h[x-1; t+1]); }
             }
           }
           boundary { e: x = 0; h: x- = antireflect; }
         }",
    );
    let n = 40usize;
    let mut case = Case::new(&stencil, &[("n", n as i64)]);
    case.fill(0, |cell| (-((cell[0] - 15) as f64 / 4.0).powi(2)).exp()).run(&[0.5.into()], 50);
    let mut e: Vec<f64> = (0..n).map(|x| (-((x as f64 - 15.0) / 4.0).powi(2)).exp()).collect();
    let mut h = vec![0.0; n];
    for _ in 0..50 {
        let before = e.clone();
        for x in 0..n {
            h[x] += 0.5 * (before.get(x + 1).copied().unwrap_or(0.0) - before[x]);
        }
        for x in 0..n {
            let left = if x > 0 { h[x - 1] } else { (h[0] + h[0]) - h[1] };
            e[x] += 0.5 * (h[x] - left);
        }
    }
    for x in 0..n {
        assert_eq!((case.get(0, &[x as i64]), case.get(1, &[x as i64])), (e[x], h[x]), "{x}");
    }
}

const AWP: [(&str, i64); 9] =
    [("nxb", 2), ("nxe", 23), ("nyb", 2), ("nye", 19), ("nzb", 2), ("nze", 15), ("nxt", 24), ("nyt", 20), ("nzt", 16)];

/// The stencil in a type, with the sum of squares of what a step changes.
fn with_change<R: Real>(name: &str, grid: &str) -> Stencil {
    let text = example_text(name).replace("float", R::KIND);
    let text = text.replace("param dth", "param dth, double result change");
    let end = text.rfind("\n  }\n}").expect("the end of the operation");
    let change = format!("change = sum(double({grid}[x,y,z; t+1] - {grid}[x,y,z; t])^2);");
    parse(&format!("{}\n    {change}{}", &text[..end], &text[end..]))
}

/// Random numbers of a grid; densities and moduli are positive.
fn material<R: Real>(grid: u64, cell: &[i64]) -> R {
    R::of(noise(grid, cell) + if grid == 0 { 2.0 } else { 0.0 })
}

fn velocity<R: Real>() {
    let mut case = Case::new(&with_change::<R>("uxx1", "u1"), &AWP);
    for grid in 0..5 {
        case.fill(grid, |cell| material::<R>(grid as u64, cell).into());
    }
    case.run(&[0.1.into()], 1);
    let [c1, c2, dth, quarter] = [9.0 / 8.0, -1.0 / 24.0, 0.1, 0.25].map(R::of);
    let mut change = 0.0;
    for cell in points(&[2..=23, 2..=19, 2..=15]) {
        let g = |grid: u64, i: i64, j: i64, k: i64| material::<R>(grid, &[cell[0] + i, cell[1] + j, cell[2] + k]);
        let d = quarter * (g(0, 0, 0, 0) + g(0, 0, -1, 0) + g(0, 0, 0, -1) + g(0, 0, -1, -1));
        let near = g(2, 0, 0, 0) - g(2, -1, 0, 0) + g(3, 0, 0, 0) - g(3, 0, -1, 0) + g(4, 0, 0, 0) - g(4, 0, 0, -1);
        let far = g(2, 1, 0, 0) - g(2, -2, 0, 0) + g(3, 0, 1, 0) - g(3, 0, -2, 0) + g(4, 0, 0, 1) - g(4, 0, 0, -2);
        let wanted = g(1, 0, 0, 0) + (dth / d) * (c1 * near + c2 * far);
        assert_eq!(case.get(1, &cell).to_bits(), wanted.into().to_bits(), "{} {cell:?}", R::KIND);
        change += (wanted - g(1, 0, 0, 0)).into().powi(2);
    }
    assert!((case.result(0) - change).abs() <= 1e-12 * change, "{} {change}", case.result(0));
    // Outside the domain values stay.
    assert_eq!(case.get(1, &[24, 5, 5]), material::<R>(1, &[24, 5, 5]).into());
}

#[test]
fn velocity_of_anelastic_waves_is_the_loop_to_the_bit() {
    velocity::<f32>();
    velocity::<f64>();
}

fn stress<R: Real>() {
    let mut case = Case::new(&with_change::<R>("xy1", "xy"), &AWP);
    for grid in 0..4 {
        case.fill(grid, |cell| material::<R>(grid as u64, cell).into());
    }
    case.run(&[0.1.into()], 1);
    let [c1, c2, dth, one, two] = [9.0 / 8.0, -1.0 / 24.0, 0.1, 1.0, 2.0].map(R::of);
    let mut change = 0.0;
    for cell in points(&[2..=23, 2..=19, 2..=15]) {
        let g = |grid: u64, i: i64, j: i64, k: i64| material::<R>(grid, &[cell[0] + i, cell[1] + j, cell[2] + k]);
        let xmu = two / (one / g(0, 0, 0, 0) + one / g(0, 0, 0, -1));
        let near = g(2, 0, 1, 0) - g(2, 0, 0, 0) + g(3, 0, 0, 0) - g(3, -1, 0, 0);
        let far = g(2, 0, 2, 0) - g(2, 0, -1, 0) + g(3, 1, 0, 0) - g(3, -2, 0, 0);
        let wanted = g(1, 0, 0, 0) + dth * xmu * (c1 * near + c2 * far);
        assert_eq!(case.get(1, &cell).to_bits(), wanted.into().to_bits(), "{} {cell:?}", R::KIND);
        change += (wanted - g(1, 0, 0, 0)).into().powi(2);
    }
    assert!((case.result(0) - change).abs() <= 1e-12 * change);
}

#[test]
fn stress_of_anelastic_waves_is_the_loop_to_the_bit() {
    stress::<f32>();
    stress::<f64>();
}

/// The cases where a simulator looks for accesses out of bounds and races.
mod device_small {
    use super::*;

    #[test]
    fn waves_are_the_loop() {
        wave::<f32>(5, 3);
        wave::<f64>(4, 2);
    }

    #[test]
    fn images_are_filtered() {
        blur::<f32>();
        edge_of_a_plane_is_zero();
    }

    #[test]
    fn derivatives_are_exact() {
        divergence_of_squares_is_exact();
        gradients_are_exact_for_integers();
        upwind_differences_are_exact_for_fifth_powers();
    }

    #[test]
    fn cells_live_and_values_travel() {
        life_has_its_blinker_and_block();
        advection_comes_around_the_ring();
    }

    #[test]
    fn anelastic_waves_are_the_loop() {
        velocity::<f32>();
        stress::<f32>();
    }
}
