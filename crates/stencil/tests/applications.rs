//! Examples of the folder as their users know them: conserved sums, states at rest, rates of decay, and loops by hand.

mod common;

use std::f64::consts::PI;

use affinimath_stencil::{Argument, Field, GridSlices, Outcome, Plan, Span, Stencil, Target};
use common::{Case, example, example_text, noise, parse, points};

struct Run {
    plan: Plan,
    fields: Vec<Field>,
}

impl Run {
    fn new(name: &str, sizes: &[(&str, i64)]) -> Self {
        let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
        let stencil = Stencil::parse(&std::fs::read_to_string(path).expect("a text")).expect("a stencil");
        let plan = Plan::new(&stencil, Target::Host, sizes).expect("a plan");
        let grids = 0..stencil.grids().len();
        let fields = grids.map(|grid| plan.bound().field(grid).expect("memory")).collect();
        Run { plan, fields }
    }

    fn steps(&mut self, arguments: &[Argument], steps: u64, initial: bool) -> Outcome {
        let mut grids: Vec<GridSlices<'_>> = self.fields.iter_mut().map(Field::slices).collect();
        let span = Span { steps: Some(steps), initial, ..Span::default() };
        self.plan.run(&mut grids, arguments, span).expect("a run")
    }

    fn at(&self, grid: usize, outcome: &Outcome, component: usize, cell: [i64; 2]) -> f64 {
        self.fields[grid].get(component, outcome.newest[grid], &cell).expect("a point in memory").as_f64()
    }
}

#[test]
fn a_shear_wave_of_a_fluid_decays_by_its_viscosity() {
    let (n, omega, speed) = (32, 1.25, 1e-3);
    let mut run = Run::new("lattice_boltzmann", &[("nx", 4), ("ny", n)]);
    let wave = 2.0 * PI / n as f64;
    let weights = [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0];
    let along_x = [0.0, 1.0, 0.0, -1.0, 0.0, 1.0, -1.0, -1.0, 1.0];
    for (component, direction) in along_x.into_iter().enumerate() {
        let weight = weights.get(component).copied().unwrap_or(1.0 / 36.0);
        let equilibrium = |cell: &[i64]| {
            let u = speed * (wave * cell[1] as f64).sin();
            weight * (1.0 + 3.0 * direction * u + 4.5 * (direction * u).powi(2) - 1.5 * u * u)
        };
        run.fields[0].fill(component, 0, equilibrium);
    }
    let outcome = run.steps(&[omega.into()], 200, false);
    let cell = [1, n / 4];
    let momentum: f64 = along_x.into_iter().enumerate().map(|(i, x)| x * run.at(0, &outcome, i, cell)).sum();
    let viscosity = (1.0 / omega - 0.5) / 3.0;
    let expected = speed * (-viscosity * wave * wave * 200.0).exp();
    assert!((momentum / expected - 1.0).abs() < 0.01, "{momentum} for {expected}");
    let mass = outcome.results[0].expect("a result").as_f64();
    assert!((mass - 4.0 * n as f64).abs() < 1e-9, "{mass}");
}

#[test]
fn a_basin_keeps_its_water() {
    let mut run = Run::new("shallow_water", &[("nx", 40), ("ny", 24)]);
    let outcome = run.steps(&[0.1.into(), 9.81.into()], 300, true);
    // A quarter of each axis was filled twice as high: 9 of 40 columns and 5 of 24 rows.
    let wanted = 40.0 * 24.0 + 9.0 * 5.0;
    let volume = outcome.results[0].expect("a result").as_f64();
    assert!((volume - wanted).abs() < 1e-9, "{volume} for {wanted}");
    let depths: Vec<f64> = (1..=40).map(|x| run.at(0, &outcome, 0, [x, 12])).collect();
    assert!(depths.iter().all(|depth| (0.9..1.2).contains(depth)), "{depths:?}");
    // Water at rest stays at rest, to the bit.
    let mut rest = Run::new("shallow_water", &[("nx", 7), ("ny", 5)]);
    rest.fields[0].fill(0, 0, |_| 3.0);
    let outcome = rest.steps(&[0.1.into(), 9.81.into()], 20, false);
    for (x, y) in (1..=7).flat_map(|x| (1..=5).map(move |y| (x, y))) {
        assert_eq!([0, 1, 2].map(|grid| rest.at(grid, &outcome, 0, [x, y])), [3.0, 0.0, 0.0]);
    }
}

#[test]
fn substances_react_symmetrically() {
    let arguments = [0.037, 0.06, 0.16, 0.08].map(Argument::from);
    let mut run = Run::new("gray_scott", &[("nx", 31), ("ny", 31)]);
    let outcome = run.steps(&arguments, 500, true);
    let v = |x, y| run.at(1, &outcome, 0, [x, y]);
    assert!(v(15, 15) > 0.0 && (0..31).all(|x| (0.0..1.0).contains(&v(x, 15))));
    // Mirrored on the torus: neighbours on an axis are added first, so that no bit differs.
    for (x, y) in (0..31).flat_map(|x| (0..31).map(move |y| (x, y))) {
        assert_eq!(v(x, y), v((31 - x) % 31, (31 - y) % 31), "({x}, {y})");
    }
    let mut rest = Run::new("gray_scott", &[("nx", 5), ("ny", 4)]);
    rest.fields[0].fill(0, 0, |_| 1.0);
    let outcome = rest.steps(&arguments, 10, false);
    assert_eq!((rest.at(0, &outcome, 0, [2, 2]), rest.at(1, &outcome, 0, [2, 2])), (1.0, 0.0));
}

#[test]
fn an_edge_of_an_image_gets_steeper() {
    let arguments = [0.5, 0.01].map(Argument::from);
    let mut run = Run::new("unsharp_mask", &[("width", 12), ("height", 6)]);
    run.fields[0].fill(0, 0, |cell| if cell[0] < 6 { 0.25 } else { 0.75 });
    let outcome = run.steps(&arguments, 1, false);
    let row: Vec<f64> = (0..12).map(|x| run.at(0, &outcome, 0, [x, 3])).collect();
    // The blur is 5/16 of the difference beyond the edge, and 1/16 one point farther.
    let far = 0.5 * 0.5 / 16.0;
    let near = 0.5 * 0.5 * 5.0 / 16.0;
    let wanted = [0.25, 0.25, 0.25, 0.25, 0.25 - far, 0.25 - near, 0.75 + near, 0.75 + far, 0.75, 0.75, 0.75, 0.75];
    assert_eq!(row, wanted);
}

/// A run of the reference and of plans on all devices, with the text's initial values.
fn run_from_initial(case: &mut Case, arguments: &[Argument], steps: u64) {
    let span = Span { steps: Some(steps), initial: true, ..Span::default() };
    case.try_run(arguments, span).unwrap_or_else(|error| panic!("{error}"));
}

/// Values of a loop written by hand, 0 beyond the plane.
#[derive(Clone)]
struct Plane {
    width: i64,
    values: Vec<f64>,
}

impl Plane {
    fn new([width, height]: [i64; 2], value: impl Fn(i64, i64) -> f64) -> Self {
        Plane { width, values: points(&[0..=width - 1, 0..=height - 1]).iter().map(|at| value(at[0], at[1])).collect() }
    }

    fn at(&self, x: i64, y: i64) -> f64 {
        let inside = x >= 0 && x < self.width && y >= 0;
        let value = inside.then(|| self.values.get((x + y * self.width) as usize).copied());
        value.flatten().unwrap_or(0.0)
    }

    fn change(&mut self, change: impl Fn(i64, i64, f64) -> f64) {
        let width = self.width;
        let each = self.values.iter_mut().enumerate();
        each.for_each(|(at, value)| *value = change(at as i64 % width, at as i64 / width, *value));
    }
}

/// The values of a grid are those of a plane, up to roundings of its largest one.
fn assert_close(case: &Case, grid: usize, wanted: &Plane) {
    let largest = wanted.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    assert!(largest > 0.0, "grid {grid} is empty");
    for (at, value) in wanted.values.iter().enumerate() {
        let cell = [at as i64 % wanted.width, at as i64 / wanted.width];
        let found = case.get(grid, &cell);
        assert!((found - value).abs() <= 1e-12 * largest, "grid {grid} at {cell:?}: {found} for {value}");
    }
}

/// A Ricker wavelet that begins at the time 0.
fn ricker(frequency: f64, time: u64) -> f64 {
    let a = (PI * (frequency * time as f64 - 1.2)).powi(2);
    (1.0 - 2.0 * a) * (-a).exp()
}

/// Factors of a sponge on all sides.
fn sponge([nx, ny]: [i64; 2], width: i64) -> Plane {
    let depth = |x: i64, y: i64| [0, width - x, width - y, width - (nx - 1 - x), width - (ny - 1 - y)];
    let factor = |x, y| (-(0.015 * depth(x, y).into_iter().fold(0, i64::max) as f64).powi(2)).exp();
    Plane::new([nx, ny], factor)
}

/// The root of a function that is negative at 0, by bisection.
fn root(mut upper: f64, function: impl Fn(f64) -> f64) -> f64 {
    let mut lower = 0.0;
    for _ in 0..200 {
        let middle = (lower + upper) / 2.0;
        *(if function(middle) < 0.0 { &mut lower } else { &mut upper }) = middle;
    }
    lower
}

/// The modes of discrete heat conduction, which decay by their eigenvalues, on top of a state at rest.
#[test]
fn rods_decay_by_the_eigenvalues_of_their_ends() {
    const N: i64 = 24;
    let (n, k, g, loss, steps) = (N as f64, 0.2, 0.03, 0.25, 200);
    let middle = (n + 1.0) / 2.0;
    let cooled = root(PI / (n + 1.0), |theta| (1.0 - loss) * (theta * (middle - 1.0)).cos() - (theta * middle).cos());
    type Mode = (f64, Box<dyn Fn(f64) -> f64>, Box<dyn Fn(f64) -> f64>);
    let rest = |value: f64| -> Box<dyn Fn(f64) -> f64> { Box::new(move |_| value) };
    let half = PI / n;
    let modes: [Mode; 9] = [
        (PI / (n + 1.0), rest(0.0), Box::new(move |x| (PI / (n + 1.0) * x).sin())),
        (PI / (n + 1.0), Box::new(move |x| 1.0 - x / (n + 1.0)), Box::new(move |x| (PI / (n + 1.0) * x).sin())),
        (2.0 * half, rest(2.0), Box::new(move |x| (2.0 * half * x).cos())),
        (half, rest(2.0), Box::new(move |x| (half * (x - 0.5)).cos())),
        (half, Box::new(move |x| -g * x), Box::new(move |x| (half * (x - 0.5)).cos())),
        (PI / (n - 1.0), rest(2.0), Box::new(move |x| (PI / (n - 1.0) * (x - 1.0)).cos())),
        (PI / (n - 1.0), Box::new(|x| 3.0 - x), Box::new(move |x| (PI / (n - 1.0) * (x - 1.0)).sin())),
        (half, rest(2.0), Box::new(move |x| (half * (x - 0.5)).cos())),
        (cooled, rest(0.0), Box::new(move |x| (cooled * (x - middle)).cos())),
    ];
    let mut case = Case::new(&example("rods"), &[("n", N), ("steps", steps)]);
    for (grid, (_, rest, mode)) in modes.iter().enumerate() {
        case.fill(grid, |cell| rest(cell[0] as f64) + mode(cell[0] as f64));
    }
    case.run(&[k, g, loss].map(Argument::from), steps as u64);
    for (grid, (theta, rest, mode)) in modes.iter().enumerate() {
        let factor = (1.0 - 2.0 * k * (1.0 - theta.cos())).powi(steps as i32);
        assert!((0.01..0.99).contains(&factor), "rod {grid}: {factor}");
        for x in 1..=N {
            let wanted = rest(x as f64) + factor * mode(x as f64);
            let found = case.get(grid, &[x]);
            // The largest value is below 25, with about one rounding of it in each step.
            assert!((found - wanted).abs() < 200.0 * 25.0 * f64::EPSILON, "rod {grid} at {x}: {found} for {wanted}");
        }
    }
}

fn acoustic(k: f64, f: f64, amplitude: f64, source: [i64; 2], width: i64) -> [Argument; 6] {
    [k.into(), f.into(), amplitude.into(), source[0].into(), source[1].into(), width.into()]
}

#[test]
fn acoustic_waves_are_the_loop() {
    let (size, k, f, source, width, steps) = ([23, 17], 0.4, 0.05, [9, 6], 4, 60);
    let speed = |x: i64, y: i64| if y < 8 { 1.0 } else { 1.25 + 0.01 * x as f64 };
    let mut case = Case::new(&example("acoustic"), &[("nx", size[0]), ("ny", size[1]), ("steps", steps as i64)]);
    case.fill(3, |cell| speed(cell[0], cell[1]));
    run_from_initial(&mut case, &acoustic(k, f, 2.0, source, width), steps);

    let zero = Plane::new(size, |_, _| 0.0);
    let (mut p, mut u, mut v) = (zero.clone(), zero.clone(), zero);
    let damping = sponge(size, width);
    // Walls: the pressure beyond one is that before it.
    let inside = |p: &Plane, x: i64, y: i64| p.at(x.min(size[0] - 1), y.min(size[1] - 1));
    for t in 0..steps {
        u.change(|x, y, u| u - k * (inside(&p, x + 1, y) - p.at(x, y)));
        v.change(|x, y, v| v - k * (inside(&p, x, y + 1) - p.at(x, y)));
        p.change(|x, y, p| p - k * speed(x, y).powi(2) * (u.at(x, y) - u.at(x - 1, y) + v.at(x, y) - v.at(x, y - 1)));
        p.values[(source[0] + size[0] * source[1]) as usize] += 2.0 * ricker(f, t);
        [&mut p, &mut u, &mut v].into_iter().for_each(|plane| plane.change(|x, y, value| value * damping.at(x, y)));
    }
    [p, u, v].iter().enumerate().for_each(|(grid, wanted)| assert_close(&case, grid, wanted));
}

#[test]
fn acoustic_waves_keep_their_energy_between_walls_and_lose_it_in_a_sponge() {
    let energy = |width: i64, steps: u64| {
        let mut run = Run::new("acoustic", &[("nx", 90), ("ny", 80), ("steps", steps as i64)]);
        run.fields[0].fill(0, 0, |at| (-((at[0] - 45).pow(2) + (at[1] - 40).pow(2)) as f64 / 20.0).exp());
        run.fields[3].fill(0, 0, |at| 1.0 + 0.2 * noise(3, at));
        let outcome = run.steps(&acoustic(0.5, 0.1, 0.0, [0, 0], width), steps, true);
        outcome.results[0].expect("a result").as_f64()
    };
    let first = energy(0, 1);
    let ratio = energy(0, 500) / first;
    // 7,200 values in each of 500 steps, with roundings of either sign.
    assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    let left = energy(30, 500) / first;
    assert!((0.0..1e-3).contains(&left), "{left}");
}

#[test]
fn elastic_waves_are_the_loop() {
    let (size, k, rho, f, source, width, steps) = ([24, 19], 0.25, 1.5, 0.06, [11, 8], 4, 50);
    let vp = |x: i64, y: i64| if y < 9 { 1.5 } else { 2.0 + 0.01 * x as f64 };
    let vs = |x: i64, y: i64| 0.5 * vp(x, y) + 0.1;
    let mut case = Case::new(&example("elastic"), &[("nx", size[0]), ("ny", size[1]), ("steps", steps as i64)]);
    case.fill(5, |cell| vp(cell[0], cell[1])).fill(6, |cell| vs(cell[0], cell[1]));
    let arguments = [k.into(), rho.into(), f.into(), 2.0.into(), source[0].into(), source[1].into(), width.into()];
    run_from_initial(&mut case, &arguments, steps);

    let zero = Plane::new(size, |_, _| 0.0);
    let [mut u, mut v, mut xx, mut yy, mut xy] = [0; 5].map(|_| zero.clone());
    // The difference to the point before, on the axis (i, j).
    let backward = |g: &Plane, x: i64, y: i64, [i, j]: [i64; 2]| {
        9.0 / 8.0 * (g.at(x, y) - g.at(x - i, y - j)) - (g.at(x + i, y + j) - g.at(x - 2 * i, y - 2 * j)) / 24.0
    };
    let forward = |g: &Plane, x: i64, y: i64, axis: [i64; 2]| backward(g, x + axis[0], y + axis[1], axis);
    let (along_x, along_y) = ([1, 0], [0, 1]);
    let damping = sponge(size, width);
    for t in 0..steps {
        u.change(|x, y, u| u + k / rho * (forward(&xx, x, y, along_x) + backward(&xy, x, y, along_y)));
        v.change(|x, y, v| v + k / rho * (backward(&xy, x, y, along_x) + forward(&yy, x, y, along_y)));
        let (p, s) = (|x, y| rho * vp(x, y).powi(2), |x, y| rho * vs(x, y).powi(2));
        let (ux, vy) = (|x, y| backward(&u, x, y, along_x), |x, y| backward(&v, x, y, along_y));
        xx.change(|x, y, xx| xx + k * (p(x, y) * ux(x, y) + (p(x, y) - 2.0 * s(x, y)) * vy(x, y)));
        yy.change(|x, y, yy| yy + k * (p(x, y) * vy(x, y) + (p(x, y) - 2.0 * s(x, y)) * ux(x, y)));
        xy.change(|x, y, xy| xy + k * s(x, y) * (forward(&u, x, y, along_y) + forward(&v, x, y, along_x)));
        for stress in [&mut xx, &mut yy] {
            stress.values[(source[0] + size[0] * source[1]) as usize] += 2.0 * ricker(f, t);
        }
        for plane in [&mut u, &mut v, &mut xx, &mut yy, &mut xy] {
            plane.change(|x, y, value| value * damping.at(x, y));
        }
    }
    [u, v, xx, yy, xy].iter().enumerate().for_each(|(grid, wanted)| assert_close(&case, grid, wanted));
}

/// Both methods end at the solution that the discrete operator has for an eigenfunction; relaxation needs fewer steps.
#[test]
fn jacobi_and_relaxation_solve_the_poisson_equation() {
    const N: i64 = 15;
    let h = 1.0 / (N + 1) as f64;
    let wanted = |at: &[i64]| (PI * h * at[0] as f64).sin() * (2.0 * PI * h * at[1] as f64).sin();
    let eigenvalue = 2.0 * (PI * h).cos() + 2.0 * (2.0 * PI * h).cos() - 4.0;
    let solved = |name: &str, arguments: &[Argument], bound: f64| {
        let mut case = Case::new(&example(name), &[("nx", N), ("ny", N)]);
        case.fill(1, |at| eigenvalue / (h * h) * wanted(at)).run(arguments, 10_000);
        assert!(case.outcome().has_stopped && case.result(0) < 1e-10, "{name}: {:?}", case.outcome());
        for at in points(&[1..=N, 1..=N]) {
            let error = (case.get(0, &at) - wanted(&at)).abs();
            assert!(error < bound, "{name} at {at:?}: {error}");
        }
        case.outcome().steps
    };
    // The error is the residual by the smallest eigenvalue that the right-hand side excites.
    let jacobi = solved("jacobi", &[(h * h).into(), 1e-10.into()], 1e-10 / -eigenvalue);
    let omega = 2.0 / (1.0 + (PI * h).sin());
    let sor = solved("sor", &[(h * h).into(), omega.into(), 1e-10.into()], 1e-8);
    assert!(5 * sor < jacobi, "{sor} steps and {jacobi}");
}

/// Six taps with rounding, by a loop; columns are the rows of the transposed image.
#[test]
fn half_pixels_are_the_loop() {
    let [width, height] = [21, 13];
    let pixel = |x: i64, y: i64| (128.0 * (noise(5, &[x, y]) + 1.0)) as i64;
    let wanted = |x: i64, y: i64| {
        let at = |i: i64| pixel((x + i).clamp(0, width - 1), y);
        let sum = at(-2) - 5 * at(-1) + 20 * at(0) + 20 * at(1) - 5 * at(2) + at(3);
        ((sum + 16) >> 5).clamp(0, 255) as f64
    };
    let mut rows = Case::new(&example("hinterp"), &[("width", width), ("height", height)]);
    rows.fill(0, |at| pixel(at[0], at[1]) as f64).run(&[], 1);
    let mut columns = Case::new(&example("vinterp"), &[("width", height), ("height", width)]);
    columns.fill(0, |at| pixel(at[1], at[0]) as f64).run(&[], 1);
    let all = points(&[0..=width - 1, 0..=height - 1]);
    assert!(all.iter().any(|at| wanted(at[0], at[1]) == 0.0) && all.iter().any(|at| wanted(at[0], at[1]) == 255.0));
    for at in all {
        assert_eq!(rows.get(1, &at), wanted(at[0], at[1]), "{at:?}");
        assert_eq!(columns.get(1, &[at[1], at[0]]), wanted(at[0], at[1]), "{at:?}");
    }
}

#[test]
fn tricubic_interpolation_is_exact_for_cubics() {
    let cubic = |x: f64, y: f64, z: f64| (x * x * x - 2.0 * x + 1.0) * (y * y * y + y * y) * (2.0 - z * z * z);
    let coordinate = |value: i64| 0.25 * value as f64;
    for name in ["tricubic", "tricubic2"] {
        let mut case = Case::new(&example(name), &[("x_max", 6), ("y_max", 5), ("z_max", 4)]);
        case.fill(0, |at| cubic(coordinate(at[0]), coordinate(at[1]), coordinate(at[2])));
        for grid in 1..4 {
            case.fill(grid, |at| noise(grid as u64, at));
        }
        case.run(&[], 1);
        for at in points(&[1..=6, 1..=5, 1..=4]) {
            let [x, y, z] = [0, 1, 2].map(|axis| coordinate(at[axis]) - 0.25 * noise(axis as u64 + 1, &at));
            let found = case.get(0, &at);
            // Values are below 60, weights of an axis sum up to less than 3 in magnitude: 64 terms of some roundings.
            let bound = 60.0 * 27.0 * 16.0 * f64::EPSILON;
            assert!((found - cubic(x, y, z)).abs() <= bound, "{name} {at:?}: {found} for {}", cubic(x, y, z));
        }
    }
}

#[test]
fn the_laplacian_of_sixth_order_is_exact_for_seventh_powers() {
    let stencil = parse(&example_text("lap6").replace("float", "double"));
    let mut case = Case::new(&stencil, &[("nx", 5), ("ny", 4), ("nz", 6)]);
    let h = 0.25;
    let at = |cell: &[i64]| [0, 1, 2].map(|axis| h * cell[axis] as f64);
    let u = |[x, y, z]: [f64; 3]| x.powi(7) + y.powi(6) - x * z.powi(5);
    case.fill(0, |cell| u(at(cell))).run(&[(1.0 / (h * h)).into()], 1);
    for cell in points(&[1..=5, 1..=4, 1..=6]) {
        let [x, y, z] = at(&cell);
        let wanted = 42.0 * x.powi(5) + 30.0 * y.powi(4) - 20.0 * x * z.powi(3);
        // Values of at most 2^7 + 1.75^6 + 2 * 2.25^5 = 272 meet weights of 8 at most, and 16 by the step.
        let bound = 272.0 * 8.0 * 16.0 * 16.0 * f64::EPSILON;
        assert!((case.get(1, &cell) - wanted).abs() <= bound, "{cell:?}");
    }
}

#[test]
fn bio_heat_is_the_loop_to_the_bit() {
    let mut case = Case::new(&example("hyperthermia"), &[("x_max", 7), ("y_max", 5), ("z_max", 4)]);
    let temperature = |at: &[i64]| noise(1, at) as f32;
    let coefficient = |component: usize, at: &[i64]| noise(component as u64 + 10, at) as f32;
    case.fill(0, |at| noise(1, at));
    (0..9).for_each(|component| case.fields[1].fill(component, 0, |at| noise(component as u64 + 10, at)));
    case.run(&[], 1);
    for at in points(&[1..=7, 1..=5, 1..=4]) {
        let near = |axis: usize, by: i64| {
            let mut other = at.clone();
            other[axis] += by;
            temperature(&other)
        };
        let c = |component| coefficient(component, &at);
        let centre = temperature(&at);
        let mut wanted = centre * (c(0) * centre + c(1)) + c(2);
        for (component, (axis, by)) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)].into_iter().enumerate() {
            wanted += c(component + 3) * near(axis, by);
        }
        assert_eq!(case.get(0, &at) as f32, wanted, "{at:?}");
    }
}

/// In a uniform medium, velocities that are linear in space have the same strain everywhere.
#[test]
fn stresses_of_a_uniform_strain_are_hookes() {
    let (lambda, mu, dth, dt, dh) = (3.0, 2.0, 0.5, 0.25, 2.0);
    let (strain, q, tau) = ([0.5, -0.25, 1.0], [0.125, 0.25], 1.5);
    let sizes =
        [("nxb", 2), ("nxe", 7), ("nyb", 2), ("nye", 6), ("nzb", 2), ("nze", 5), ("nxt", 8), ("nyt", 7), ("nzt", 6)];
    let trace: f64 = strain.iter().sum();
    for (name, arguments) in [("xyz1", vec![dth.into()]), ("xyzq", [dh, dt, dth, 9.0].map(Argument::from).to_vec())] {
        let stencil = example(name);
        let grid = |name: &str| stencil.grids().iter().position(|grid| grid.name == name);
        let mut case = Case::new(&stencil, &sizes);
        for (name, value) in [("mu", mu), ("lam", lambda), ("qp", q[0]), ("qs", q[1]), ("tau", tau)] {
            grid(name).map(|grid| case.fill(grid, |_| value));
        }
        for (axis, name) in ["u1", "v1", "w1"].into_iter().enumerate() {
            case.fill(grid(name).expect("a velocity"), |at| strain[axis] * at[axis] as f64);
        }
        case.run(&arguments, 1);
        for (axis, name) in ["xx", "yy", "zz"].into_iter().enumerate() {
            let mut wanted = dth * (2.0 * mu * strain[axis] + lambda * trace);
            if let Some(memory) = grid(["r1", "r2", "r3"][axis]) {
                let others = trace - strain[axis];
                let pressure = -q[0] * (lambda + 2.0 * mu) * trace / (2.0 * dh);
                let change = (mu * q[1] / dh * others + pressure) / (tau / dt + 0.5);
                wanted += dt * change;
                assert!((case.get(memory, &[4, 4, 4]) - change).abs() < 1e-6, "{name}: {change}");
            }
            for at in points(&[2..=7, 2..=6, 2..=5]) {
                // Some ten roundings of values of at most 16.
                let error = (case.get(grid(name).expect("a stress"), &at) - wanted).abs();
                assert!(error < 16.0 * 10.0 * f64::from(f32::EPSILON), "{name} at {at:?}: {error}");
            }
        }
    }
}
