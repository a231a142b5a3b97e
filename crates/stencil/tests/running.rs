//! Runs: stages, red-black sweeps, filters, results, criteria, types, and operands that do not fit.

mod common;

use affinimath_stencil::Stencil;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, GridSlices, Layout, STRIP, Slice, Span};
use common::{Case, example, noise, parse, points};

#[test]
fn a_red_black_sweep_is_gauss_seidel_in_two_colours() {
    let stencil = example("red_black");
    let n = 5i64;
    let mut case = Case::new(&stencil, &[("nx", n), ("ny", n), ("nz", n)]);
    case.fill(0, |_| 0.0);
    case.fill(1, |cell| noise(2, cell));
    case.run(&[0.25.into()], 3);

    // In place, with zeros around.
    let at = |cell: &[i64]| (cell[0] + 7 * (cell[1] + 7 * cell[2])) as usize;
    let mut u = vec![0.0f64; 343];
    let mut squares = Vec::new();
    for _ in 0..3 {
        let before = u.clone();
        for colour in [0, 1] {
            for cell in points(&[1..=n, 1..=n, 1..=n]).iter().filter(|cell| cell.iter().sum::<i64>() % 2 == colour) {
                let c = at(cell);
                let sum = u[c - 1] + u[c + 1] + (u[c - 7] + u[c + 7]) + (u[c - 49] + u[c + 49]);
                u[c] = (sum - 0.25 * noise(2, cell)) / 6.0;
            }
        }
        squares = points(&[1..=n, 1..=n, 1..=n]).iter().map(|cell| (u[at(cell)] - before[at(cell)]).powi(2)).collect();
    }
    for cell in points(&[1..=n, 1..=n, 1..=n]) {
        assert_eq!(case.get(0, &cell), u[at(&cell)], "{cell:?}");
    }
    let norm = squares.iter().sum::<f64>().sqrt();
    assert!((case.result(0) - norm).abs() <= 125.0 * f64::EPSILON * norm);
}

#[test]
fn a_criterion_ends_the_run_at_its_interval() {
    let stencil = example("red_black");
    let mut case = Case::new(&stencil, &[("nx", 4), ("ny", 4), ("nz", 4)]);
    case.fill(1, |cell| noise(2, cell)).run(&[1.0.into()], 10_000);
    let outcome = case.outcome();
    assert!(outcome.has_stopped && outcome.steps.is_multiple_of(5) && outcome.steps < 500, "{} steps", outcome.steps);
    let last = outcome.steps;
    let mut before = Case::new(&stencil, &[("nx", 4), ("ny", 4), ("nz", 4)]);
    before.fill(1, |cell| noise(2, cell)).run(&[1.0.into()], last - 5);
    assert!(before.result(0) >= 1e-10 && case.result(0) < 1e-10);
}

#[test]
fn stages_see_what_stages_before_have_written() {
    let stencil = example("diffusion");
    let (nx, ny, nz) = (6i64, 5i64, 2i64);
    let mut case = Case::new(&stencil, &[("nx", nx), ("ny", ny), ("nz", nz)]);
    case.fill(0, |cell| noise(9, &[(cell[0] - 1).rem_euclid(nx), (cell[1] - 1).rem_euclid(ny), cell[2]]));
    case.fill(4, |cell| 0.01 * cell[0] as f64);
    case.run(&[], 2);
    let u = |x: i64, y: i64, z: i64| noise(9, &[(x - 1).rem_euclid(nx), (y - 1).rem_euclid(ny), z]);
    let mut levels: Vec<Vec<f64>> = Vec::new();
    let at =
        |x: i64, y: i64, z: i64| (((x - 1).rem_euclid(nx)) + nx * ((y - 1).rem_euclid(ny) + ny * (z - 1))) as usize;
    let all = points(&[1..=nx, 1..=ny, 1..=nz]);
    levels.push(all.iter().map(|c| u(c[0], c[1], c[2])).collect());
    for step in 0..2 {
        let u = levels[step].clone();
        let lap = |x: i64, y: i64, z: i64| {
            4.0 * u[at(x, y, z)] - (u[at(x - 1, y, z)] + u[at(x + 1, y, z)] + u[at(x, y - 1, z)] + u[at(x, y + 1, z)])
        };
        let flux = |x: i64, y: i64, z: i64, (i, j): (i64, i64)| {
            let g = lap(x + i, y + j, z) - lap(x, y, z);
            if g * (u[at(x + i, y + j, z)] - u[at(x, y, z)]) > 0.0 { 0.0 } else { g }
        };
        let next = all.iter().map(|c| {
            let (x, y, z) = (c[0], c[1], c[2]);
            let (fx, fy) = ((1, 0), (0, 1));
            u[at(x, y, z)]
                - 0.01
                    * z as f64
                    * (flux(x, y, z, fx) - flux(x - 1, y, z, fx) + flux(x, y, z, fy) - flux(x, y - 1, z, fy))
        });
        levels.push(next.collect());
    }
    for (cell, wanted) in all.iter().zip(&levels[2]) {
        assert_eq!(case.get(0, cell), *wanted, "{cell:?}");
    }
}

#[test]
fn a_grid_can_be_read_where_it_was_just_assigned() {
    let stencil = example("xyzq");
    let sizes: Vec<(&str, i64)> = ["nxb", "nyb", "nzb"]
        .iter()
        .map(|name| (*name, 1))
        .chain(["nxe", "nye", "nze", "nxt", "nyt", "nzt"].iter().map(|name| (*name, 4)))
        .collect();
    let mut case = Case::new(&stencil, &sizes);
    for grid in 0..14 {
        case.fill(grid, |cell| noise(grid as u64, cell) + 3.0);
    }
    let (dh, dt, dth) = (0.5, 0.25, 0.125);
    case.run(&[dh.into(), dt.into(), dth.into(), 4.0.into()], 1);
    // xx and r1 by the formulas, in single precision.
    let cell = [2i64, 3, 2];
    let g = |grid: u64, i: i64, j: i64, k: i64| (noise(grid, &[cell[0] + i, cell[1] + j, cell[2] + k]) + 3.0) as f32;
    let corners = [(0, 0, 0), (1, 0, 0), (0, -1, 0), (1, -1, 0), (0, 0, -1), (1, 0, -1), (0, -1, -1), (1, -1, -1)];
    let sum = |each: &dyn Fn(i64, i64, i64) -> f32| {
        corners[1..].iter().fold(each(0, 0, 0), |so_far, &(i, j, k)| so_far + each(i, j, k))
    };
    let (c1, c2) = ((9.0f64 / 8.0) as f32, (-1.0f64 / 24.0) as f32);
    let (dh, dt, dth) = (dh as f32, dt as f32, dth as f32);
    let d = 8.0 / sum(&|i, j, k| 1.0 / g(0, i, j, k));
    let a2 = 2.0 * d;
    let c = a2 + 8.0 / sum(&|i, j, k| 1.0 / g(1, i, j, k));
    let qpa = 0.125 * sum(&|i, j, k| g(11, i, j, k));
    let qsa = 0.125 * sum(&|i, j, k| g(12, i, j, k));
    let vxx = c1 * (g(8, 1, 0, 0) - g(8, 0, 0, 0)) + c2 * (g(8, 2, 0, 0) - g(8, -1, 0, 0));
    let vyy = c1 * (g(9, 0, 0, 0) - g(9, 0, -1, 0)) + c2 * (g(9, 0, 1, 0) - g(9, 0, -2, 0));
    let vzz = c1 * (g(10, 0, 0, 0) - g(10, 0, 0, -1)) + c2 * (g(10, 0, 0, 1) - g(10, 0, 0, -2));
    let a1 = -qpa * c * (vxx + vyy + vzz) / (2.0 * dh);
    let x1 = g(13, 0, 0, 0) / dt + 0.5;
    let x2 = x1 - 1.0;
    let xx = g(5, 0, 0, 0) + dth * (c * vxx + (c - a2) * (vyy + vzz)) + dt * g(2, 0, 0, 0);
    let hdh = -d * qsa / dh;
    let r1 = (x2 * g(2, 0, 0, 0) - hdh * (vyy + vzz) + a1) / x1;
    assert_eq!(case.get(2, &cell) as f32, r1);
    assert_eq!(case.get(5, &cell) as f32, xx + dt * r1);
}

#[test]
fn heat_has_initial_values_damping_a_source_and_a_result() {
    let stencil = example("heat");
    let mut case = Case::new(&stencil, &[("nx", 7), ("ny", 6), ("nz", 5), ("steps", 1)]);
    case.fill(0, |cell| if cell[2] > 5 { 2.0 } else { f64::NAN });
    case.fill(1, |_| 1.0);
    for level in 0..case.reference.levels(2) {
        case.fields[2].fill(0, level, |cell| if cell[0] == 3 { 0.5 } else { 1.0 });
    }
    let arguments: Vec<Argument> = vec![0.125.into(), 2i64.into(), 3i64.into(), 3i64.into(), vec![64.0].into()];
    case.try_run(&arguments, Span { first: 0, steps: None, initial: true }).expect("a run");
    // Initial values are set in all of memory, on the border too.
    let u = |x: i64, y: i64, z: i64| match (x, y, z) {
        (4..=6, 5, _) => 1.0,
        (x, _, 0) => x as f64,
        _ => 0.0,
    };
    let lap = |x: i64, y: i64, z: i64| {
        u(x - 1, y, z) + u(x + 1, y, z) + u(x, y - 1, z) + u(x, y + 1, z) + u(x, y, z - 1) + u(x, y, z + 1)
            - 6.0 * u(x, y, z)
    };
    let stepped = |x: i64, y: i64, z: i64| u(x, y, z) + 0.125 * lap(x, y, z);
    assert_eq!(case.get(0, &[5, 5, 2]), stepped(5, 5, 2));
    assert_eq!(case.get(0, &[3, 5, 3]), 0.5 * stepped(3, 5, 3));
    assert_eq!(case.get(0, &[2, 3, 3]), 64.0, "the source is added after the damping");
    assert_eq!(case.get(0, &[2, 3, 0]), 3.0 + 2.0, "the border has the new level's time");
    let change = points(&[1..=7, 1..=6, 1..=5]).into_iter().map(|c| (0.125 * lap(c[0], c[1], c[2])).abs());
    assert!((case.result(0) - change.fold(0.0, f64::max)).abs() <= 8.0 * f64::EPSILON);
    assert_eq!(case.outcome().steps, 1);
}

#[test]
fn reductions_have_a_fixed_order() {
    let stencil = parse(
        "stencil reductions {
           domainsize = (1 .. nx, 1 .. ny);
           operation (const float grid u, float result total, float result most, float result least,
                      float result norm, long result positive) {
             total = sum(u[x,y]);
             most = max(u[x,y]);
             least = min(u[x,y]);
             norm = norm2(u[x,y]);
             positive = count(u[x,y] > 0);
           }
         }",
    );
    let (nx, ny) = (2 * STRIP as i64 + 3, 3i64);
    let mut case = Case::new(&stencil, &[("nx", nx), ("ny", ny)]);
    case.fill(0, |cell| noise(4, cell)).run(&[], 1);
    let value = |x: i64, y: i64| noise(4, &[x, y]) as f32;
    let mut partial: Vec<f32> = Vec::new();
    for y in 1..=ny {
        for strip in (1..=nx).collect::<Vec<_>>().chunks(STRIP) {
            partial.push(strip[1..].iter().fold(value(strip[0], y), |sum, &x| sum + value(x, y)));
        }
    }
    while partial.len() > 1 {
        partial = partial.chunks(2).map(|pair| pair.iter().copied().reduce(|a, b| a + b).expect("one")).collect();
    }
    assert_eq!(case.result(0) as f32, partial[0]);
    let all: Vec<f32> = points(&[1..=nx, 1..=ny]).iter().map(|cell| value(cell[0], cell[1])).collect();
    assert_eq!(case.result(1) as f32, all.iter().copied().fold(f32::MIN, f32::max));
    assert_eq!(case.result(2) as f32, all.iter().copied().fold(f32::MAX, f32::min));
    let norm = all.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
    assert!((case.result(3) - norm).abs() <= 1e-5 * norm);
    assert_eq!(case.result(4), all.iter().filter(|&&value| value > 0.0).count() as f64);
    case.fields[0].fill(0, 0, |cell| if cell == [5, 2] { f64::NAN } else { 1.0 });
    case.run(&[], 1);
    assert!([0, 1, 2, 3].iter().all(|&result| case.result(result).is_nan()), "NaN shows");
    assert_eq!(case.result(4), (nx * ny - 1) as f64);
}

#[test]
fn types_meet_and_convert_as_documented() {
    let stencil = parse(
        "stencil types {
           domainsize = (-4 .. 4);
           operation (int grid i, long grid l, float grid f, double grid d, const int grid k, const float grid s,
                      double param p, int param m) {
             i[x; t] = k[x] % 3 + div(k[x], 2);
             l[x; t] = x * 4294967296 + k[x];
             f[x; t] = 0.1 * s[x] + x;
             d[x; t] = p * s[x] + x / 4 + (k[x] == m ? 1 : -1);
           }
         }",
    );
    let mut case = Case::new(&stencil, &[]);
    case.fill(4, |cell| (3 * cell[0] + 1) as f64);
    case.fill(5, |cell| 0.3 * cell[0] as f64).run(&[0.7.into(), 7i64.into()], 1);
    for x in -4..=4i64 {
        let (k, s) = (3 * x + 1, (0.3 * x as f64) as f32);
        assert_eq!(case.get(0, &[x]), (k.rem_euclid(3) + k.div_euclid(2)) as f64, "{x}");
        assert_eq!(case.get(1, &[x]), (x * 4_294_967_296 + k) as f64, "{x}");
        assert_eq!(case.get(2, &[x]) as f32, 0.1f32 * s + x as f32, "{x}");
        let wanted = 0.7 * f64::from(s) + x as f64 / 4.0 + if k == 7 { 1.0 } else { -1.0 };
        assert_eq!(case.get(3, &[x]), wanted, "{x}");
    }
}

#[test]
fn powers_are_multiplications() {
    let stencil = parse(
        "stencil powers {
           domainsize = (1 .. 50);
           operation (const float grid u, float grid a, float grid b, float grid c) {
             a[x; t] = u[x]^7;
             b[x; t] = -u[x]^2;
             c[x; t] = u[x]^-3 + u[x]^0;
           }
         }",
    );
    let mut case = Case::new(&stencil, &[]);
    case.fill(0, |cell| noise(7, cell)).run(&[], 1);
    for x in 1..=50 {
        let u = noise(7, &[x]) as f32;
        let cube = (u * u) * u;
        assert_eq!(case.get(1, &[x]) as f32, (cube * cube) * u);
        assert_eq!(case.get(2, &[x]) as f32, -(u * u));
        assert_eq!(case.get(3, &[x]) as f32, 1.0 / cube + 1.0);
    }
}

#[test]
fn tables_and_conditions_guard_their_ranges() {
    let text = |value: &str| {
        format!(
            "stencil tables {{
               domainsize = (-3 .. 3);
               operation (double grid u, double param c[-1 .. 1]) {{ u[x; t] = {value}; }}
             }}"
        )
    };
    let guarded = parse(&text("-1 <= x <= 1 ? c[x] : 0"));
    let mut case = Case::new(&guarded, &[]);
    case.run(&[vec![5.0, 6.0, 7.0].into()], 1);
    assert_eq!([-3, -1, 0, 1, 2].map(|x| case.get(0, &[x])), [0.0, 5.0, 6.0, 7.0, 0.0]);
    let open = parse(&text("c[x]"));
    let error =
        Case::new(&open, &[]).try_run(&[vec![5.0, 6.0, 7.0].into()], Span { steps: Some(1), ..Span::default() });
    assert_eq!(error.expect_err("out of range").reason, "the point [-3] reads outside the range of a parameter");
}

#[test]
fn a_filter_changes_one_point_that_lies_in_the_domain() {
    let stencil = parse(
        "stencil source {
           domainsize = (1 .. n);
           operation (double grid u, int param at) { u[x; t+1] = u[x; t]; }
           filter { u[at + t; t+1] += 1; u[x; t+1] *= 2; }
         }",
    );
    let mut case = Case::new(&stencil, &[("n", 4)]);
    case.run(&[1i64.into()], 3);
    assert_eq!([1, 2, 3, 4].map(|x| case.get(0, &[x])), [8.0, 4.0, 2.0, 0.0]);
    let error = case.try_run(&[3i64.into()], Span { steps: Some(3), ..Span::default() }).expect_err("outside");
    assert_eq!(error.reason, "the point of a filter has 5 on x, and the domain 1 .. 4");
}

fn refusal(stencil: &Stencil, grids: &mut [GridSlices<'_>], arguments: &[Argument], steps: Option<u64>) -> String {
    let reference = Reference::new(stencil, &[("n", 3)]).expect("sizes");
    let span = Span { steps, ..Span::default() };
    reference.run(grids, arguments, span).expect_err("operands that do not fit").reason
}

#[test]
fn operands_that_do_not_fit_are_refused_with_the_reason() {
    let stencil = parse(
        "stencil shape {
           domainsize = (1 .. n);
           operation (double grid u, int param m, double param c[n]) { u[x; t+1] = u[x-1; t] + m * c[x-1]; }
         }",
    );
    let reference = Reference::new(&stencil, &[("n", 3)]).expect("sizes");
    let layout = reference.layout(0).expect("memory");
    assert_eq!((layout.lower.clone(), layout.lengths.clone()), (vec![0], vec![4]));
    let arguments: Vec<Argument> = vec![1i64.into(), vec![1.0, 2.0, 3.0].into()];
    let mut field = reference.field(0).expect("memory");
    let check = |grids: &mut [GridSlices<'_>], arguments: &[Argument], steps: Option<u64>, wanted: &str| {
        assert_eq!(refusal(&stencil, grids, arguments, steps), wanted);
    };
    check(&mut [], &arguments, Some(1), "1 grids are wanted, and 0 are given");
    check(&mut [field.slices()], &arguments, None, "the number of steps is missing");
    check(&mut [field.slices()], &arguments[..1], Some(1), "the parameter 'c' is missing");
    let short: Vec<Argument> = vec![1i64.into(), vec![1.0].into()];
    check(&mut [field.slices()], &short, Some(1), "the parameter 'c' has 3 elements, and 1 is given");
    let real: Vec<Argument> = vec![1.5.into(), vec![1.0, 2.0, 3.0].into()];
    check(&mut [field.slices()], &real, Some(1), "the parameter 'm' is of int, and real numbers are given");
    let many = [&arguments[..], &[1.0.into()]].concat();
    check(&mut [field.slices()], &many, Some(1), "2 parameters are wanted, and 3 are given");
    let mut slices = field.slices();
    slices.slices[0].pop();
    check(&mut [slices], &arguments, Some(1), "'u' has 2 levels, and 1 slices are given");
    let mut slices = field.slices();
    slices.layout.lower = vec![1];
    check(&mut [slices], &arguments, Some(1), "the memory of 'u' is 1 .. 4 on x, and its taps reach 0 .. 3");
    let mut slices = field.slices();
    slices.layout.strides = vec![2];
    check(&mut [slices], &arguments, Some(1), "'u' needs 7 elements, and a slice has 4");
    let mut slices = field.slices();
    slices.layout.strides = vec![0];
    check(&mut [slices], &arguments, Some(1), "points of 'u' overlap in memory: its strides are too small");
    let (mut a, mut b) = ([0.0f32; 4], [0.0f32; 4]);
    let floats = GridSlices { layout, slices: vec![vec![Slice::F32(&mut a), Slice::F32(&mut b)]] };
    check(&mut [floats], &arguments, Some(1), "'u' is a grid of double, and a slice of float is given");

    let sizes = |sizes: &[(&str, i64)]| Reference::new(&stencil, sizes).expect_err("sizes that do not fit").reason;
    assert_eq!(sizes(&[]), "the domain on x: the size 'n' is missing");
    assert_eq!(sizes(&[("n", 3), ("m", 1)]), "there is no size 'm': there are n");
    assert_eq!(sizes(&[("n", 0)]), "the domain on x: 1 .. 0 is empty");
    assert_eq!(sizes(&[("n", i64::MAX)]), format!("the domain on x: 1 .. {} is beyond 2^48", i64::MAX));
    let boxed = parse(
        "stencil boxed {
           domainsize = (1 .. n);
           operation (double grid u(0 .. m)) { u[x; t+1] = u[x-1; t] + u[x+1; t]; }
         }",
    );
    let error = Reference::new(&boxed, &[("n", 3), ("m", 3)]).expect_err("too small");
    assert_eq!(error.reason, "the memory of 'u' is 0 .. 3 on x, and its taps reach 0 .. 4");
    assert!(
        Field::zeros(affinimath_stencil::definition::Type::F64, Layout::contiguous(vec![0], vec![1 << 60]), 1, 1)
            .is_err()
    );
}
