//! The specifications in `examples/stencils` parse, print and parse again, and have the results of loops by hand.

mod common;

use affinimath_stencil::Stencil;
use affinimath_stencil::reference::Reference;
use affinimath_stencil::{Argument, Field, GridSlices, Layout, Span, Value};
use common::{Case, example, noise, points};

/// All of the folder, by file name.
fn examples() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stc"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn examples_come_back_from_their_print() {
    let examples = examples();
    assert!(examples.len() >= 44, "{} examples", examples.len());
    for (name, text) in examples {
        let stencil = Stencil::parse(&text).unwrap_or_else(|error| panic!("{name}.stc:{error}"));
        let printed = stencil.to_string();
        let again = Stencil::parse(&printed).unwrap_or_else(|error| panic!("{name}, printed:{error}\n{printed}"));
        assert_eq!(again, stencil, "{name}:\n{printed}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

/// Small sizes: domains of the thesis' last stencils begin at sizes, too.
fn sizes(stencil: &Stencil) -> Vec<(&str, i64)> {
    let value = |name: &str| match name {
        "nxb" | "nyb" | "nzb" => 1,
        "steps" => 3,
        _ => 6,
    };
    stencil.symbols().into_iter().map(|name| (name, value(name))).collect()
}

/// Twos for all parameters, with as many elements as their ranges have.
fn arguments(stencil: &Stencil, reference: &Reference) -> Vec<Argument> {
    let arguments = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
    let each = arguments.map(|parameter| {
        let length = |range: &affinimath_stencil::definition::Range| {
            let sizes = reference.sizes();
            range.upper.value(sizes).expect("a size") - range.lower.value(sizes).expect("a size") + 1
        };
        Argument::Integers(vec![2; parameter.ranges.iter().map(length).product::<i64>() as usize])
    });
    each.collect()
}

/// A field with its elements in another order: the last axis contiguous, gaps, and an offset.
fn scattered(layout: &Layout) -> Layout {
    let reversed: Vec<usize> = layout.lengths.iter().rev().copied().collect();
    let strides = Layout::contiguous(vec![0; reversed.len()], reversed).strides;
    Layout { strides: strides.into_iter().rev().map(|stride| 3 * stride).collect(), offset: 5, ..layout.clone() }
}

fn number(value: Value) -> u64 {
    value.as_f64().to_bits()
}

/// Fields with whole numbers at all points, in the reference's layout or scattered.
fn fields(stencil: &Stencil, reference: &Reference, scatter: bool) -> Vec<Field> {
    let each = stencil.grids().iter().enumerate().map(|(grid, definition)| {
        let layout = reference.layout(grid).expect("memory");
        let layout = if scatter { scattered(&layout) } else { layout };
        let (components, levels) = (definition.component_count(), reference.levels(grid));
        let mut field = Field::zeros(definition.kind, layout, components, levels).expect("memory");
        for component in 0..components {
            for level in 0..levels {
                let factor = (grid + component + level) as i64 + 2;
                field.fill(component, level, |cell| (cell.iter().sum::<i64>() * factor).rem_euclid(7) as f64 + 1.0);
            }
        }
        field
    });
    each.collect()
}

/// All numbers in memory of a grid's newest level, the first axis fastest.
fn newest(field: &Field, components: usize, level: usize) -> Vec<u64> {
    let layout = field.layout();
    let mut found = Vec::new();
    for (component, point) in (0..components).flat_map(|c| (0..layout.points()).map(move |point| (c, point))) {
        let mut rest = point;
        let mut cell = Vec::new();
        for (&length, &lower) in layout.lengths.iter().zip(&layout.lower) {
            cell.push(lower + (rest % length) as i64);
            rest /= length;
        }
        found.push(number(field.get(component, level, &cell).expect("a point in memory")));
    }
    found
}

/// All examples run, and their results do not depend on where elements lie.
#[test]
fn examples_run_in_any_layout() {
    for (name, text) in examples() {
        let stencil = Stencil::parse(&text).expect("an example");
        let reference = Reference::new(&stencil, &sizes(&stencil)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = |scatter: bool| {
            let mut fields = fields(&stencil, &reference, scatter);
            let mut grids: Vec<GridSlices<'_>> = fields.iter_mut().map(Field::slices).collect();
            let span = Span { first: 0, steps: Some(3), initial: true };
            let outcome = reference.run(&mut grids, &arguments(&stencil, &reference), span);
            let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
            let numbers = fields.iter().zip(stencil.grids()).zip(&outcome.newest);
            let numbers: Vec<Vec<u64>> =
                numbers.map(|((field, grid), &level)| newest(field, grid.component_count(), level)).collect();
            let results: Vec<Option<u64>> = outcome.results.iter().map(|value| value.map(number)).collect();
            (outcome.steps, results, numbers)
        };
        assert_eq!(run(false), run(true), "{name}");
    }
}

/// A plate's steps, by a loop over rows.
#[test]
fn plate_is_the_loop_to_the_bit() {
    let [nx, ny] = [41, 50];
    let mut case = Case::new(&example("plate"), &[("nx", nx), ("ny", ny)]);
    let span = Span { steps: Some(30), initial: true, ..Span::default() };
    case.try_run(&[0.2.into()], span).expect("a run");
    let spot = |at: &[i64]| if (at[0] - 30).pow(2) + (at[1] - 44).pow(2) < 100 { 1.0 } else { 0.0 };
    let all = points(&[1..=nx, 1..=ny]);
    let index = |x: i64, y: i64| ((x - 1).rem_euclid(nx) + nx * (y - 1)) as usize;
    let mut now: Vec<f64> = all.iter().map(|at| spot(at)).collect();
    for _ in 0..30 {
        let u = |x: i64, y: i64| if y == 0 { 0.0 } else { now[index(x, y.min(ny))] };
        let step = |at: &Vec<i64>| {
            let (x, y) = (at[0], at[1]);
            u(x, y) + 0.2 * (u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1) - 4.0 * u(x, y))
        };
        now = all.iter().map(step).collect();
    }
    for at in &all {
        assert_eq!(case.get(0, at), now[index(at[0], at[1])], "{at:?}");
    }
}

/// All conditions of the file, by hand: each grid's neighbours are those of the domain, or what its face says.
#[test]
fn boundaries_are_those_of_their_names() {
    let ([nx, ny], g, first) = ([6, 5], 0.375, 3);
    let mut case = Case::new(&example("boundaries"), &[("nx", nx), ("ny", ny)]);
    for grid in 0..5 {
        case.fill(grid, |at| noise(grid as u64, at));
    }
    let span = Span { first, steps: Some(1), initial: false };
    case.try_run(&[g.into()], span).expect("a run");
    let u = |grid: u64, x: i64, y: i64| noise(grid, &[x, y]);
    let beyond = |grid: u64, x: i64, y: i64| match (grid, x, y) {
        (0, _, 1..=5) => u(0, (x - 1).rem_euclid(nx) + 1, y),
        (0, _, 6) => u(0, x, 5),
        (1, 0, _) => u(1, 2, y),
        (1, 7, _) | (3, 7, _) => u(grid, 6, y),
        (1, _, 0) => 2.0 * u(1, x, 1) - u(1, x, 2),
        (1, _, 6) => u(1, x, 5) + g,
        (2, 0, _) => 2.0 * u(2, 1, y) - u(2, 2, y),
        (2, -1, _) => 2.0 * (2.0 * u(2, 1, y) - u(2, 2, y)) - u(2, 1, y),
        (2, 7, _) => (0.1 * first as f64).sin() + y as f64,
        (2, _, 0 | 6) => 0.0,
        (3 | 4, 0, _) => u(grid, 1, y),
        _ => u(grid, x, y),
    };
    for at in points(&[1..=nx, 1..=ny]) {
        let (x, y) = (at[0], at[1]);
        for grid in 0..4 {
            let left = if grid == 2 { x - 2 } else { x - 1 };
            let sides = [(left, y), (x + 1, y), (x, y - 1), (x, y + 1)];
            let mut wanted: f64 = sides.into_iter().map(|(x, y)| beyond(grid, x, y)).sum();
            if grid == 3 {
                wanted += beyond(4, x - 1, y);
            }
            let found = case.get(grid as usize, &at);
            // Five terms of at most 9, whose roundings the condition's own may differ from.
            assert!((found - wanted).abs() <= 5.0 * 9.0 * f64::EPSILON, "grid {grid} at {at:?}: {found} for {wanted}");
        }
    }
}

#[test]
fn light_in_a_box_is_the_loop() {
    let ([nx, ny], c, steps) = ([14, 11], 0.5, 40);
    let epsilon = |x: i64, y: i64| 1.0 + 0.25 * ((x + 2 * y) % 3) as f64;
    let mut case = Case::new(&example("fdtd"), &[("nx", nx), ("ny", ny)]);
    case.fill(3, |at| epsilon(at[0], at[1])).run(&[c.into()], steps);
    let zero = vec![0.0; (nx * ny) as usize];
    let (mut ez, mut hx, mut hy) = (zero.clone(), zero.clone(), zero);
    let index = |x: i64, y: i64| (x + nx * y) as usize;
    let e_at = |ez: &[f64], x: i64, y: i64| if x < nx && y < ny { ez[index(x, y)] } else { 0.0 };
    let all = points(&[0..=nx - 1, 0..=ny - 1]);
    for t in 0..steps {
        for at in &all {
            let (x, y) = (at[0], at[1]);
            hx[index(x, y)] -= c * (e_at(&ez, x, y + 1) - ez[index(x, y)]);
            hy[index(x, y)] += c * (e_at(&ez, x + 1, y) - ez[index(x, y)]);
        }
        for at in &all {
            let (x, y) = (at[0], at[1]);
            let curl = hy[index(x, y)] - hy[index((x - 1).max(0), y)] - hx[index(x, y)] + hx[index(x, (y - 1).max(0))];
            ez[index(x, y)] += c / epsilon(x, y) * curl;
        }
        ez[index(nx / 2, ny / 2)] += (0.1 * t as f64).sin();
    }
    for at in &all {
        let wanted = [&ez, &hx, &hy].map(|values| values[index(at[0], at[1])]);
        for (grid, wanted) in wanted.into_iter().enumerate() {
            // The largest value is about 2; each step rounds some ten times.
            let error = (case.get(grid, at) - wanted).abs();
            assert!(error < 2.0 * 10.0 * steps as f64 * f64::EPSILON, "grid {grid} at {at:?}: {error}");
        }
    }
}

/// The pressure and its residual in exact arithmetic: all values are small multiples of powers of 2.
#[test]
fn himeno_is_its_formula() {
    let mut case = Case::new(&example("himeno"), &[("mx", 6), ("my", 5), ("mz", 4)]);
    let small = |seed: i64, at: &[i64]| ((3 * at[0] + 5 * at[1] + 7 * at[2] + seed) % 5) as f64 / 4.0;
    for (grid, components) in [(0, 1), (1, 4), (2, 3), (3, 3), (4, 1), (5, 1)] {
        for component in 0..components {
            let seed = (10 * grid + component) as i64;
            for level in 0..case.reference.levels(grid) {
                case.fields[grid].fill(component, level, |at| small(seed + 9, at));
            }
        }
    }
    case.run(&[0.5.into()], 1);
    let mut gosa = 0.0;
    for at in points(&[1..=6, 1..=5, 1..=4]) {
        let p = |x: i64, y: i64, z: i64| small(9, &[at[0] + x, at[1] + y, at[2] + z]);
        let k = |grid: i64, component: i64| small(10 * grid + component + 9, &at);
        let axis = |d: usize, by: i64| {
            let mut offset = [0; 3];
            offset[d] = by;
            p(offset[0], offset[1], offset[2])
        };
        let cross = |d: usize, e: usize| {
            let corner = |i: i64, j: i64| {
                let mut offset = [0; 3];
                (offset[d], offset[e]) = (i, j);
                p(offset[0], offset[1], offset[2])
            };
            corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1)
        };
        let ahead: f64 = (0..3).map(|d| k(1, d as i64) * axis(d, 1)).sum();
        let behind: f64 = (0..3).map(|d| k(3, d as i64) * axis(d, -1)).sum();
        let mixed = k(2, 0) * cross(0, 1) + k(2, 1) * cross(1, 2) + k(2, 2) * cross(0, 2);
        let ss = ((ahead + behind + mixed + k(5, 0)) * k(1, 3) - p(0, 0, 0)) * k(4, 0);
        assert_eq!(case.get(0, &at), p(0, 0, 0) + 0.5 * ss, "{at:?}");
        gosa += ss * ss;
    }
    assert_eq!(case.result(0), gosa);
}

#[test]
fn reductions_are_exact_for_integers() {
    let mut case = Case::new(&example("results"), &[("nx", 300), ("ny", 7)]);
    let value = |at: &[i64]| ((at[0] * at[0] + 3 * at[1]) % 17 - 5) as f64;
    case.fill(0, value).run(&[4.0.into()], 1);
    let all: Vec<f64> = points(&[1..=300, 1..=7]).iter().map(|at| value(at)).collect();
    let squares: f64 = all.iter().map(|value| value * value).sum();
    let above = all.iter().filter(|&&value| value > 4.0).count() as f64;
    assert_eq!(
        [0, 1, 2, 3, 4].map(|number| case.result(number)),
        [all.iter().sum(), -5.0, 11.0, squares.sqrt(), above]
    );
}

#[test]
fn components_conditions_and_forms_are_their_loops() {
    // Two components, with a matrix at each point: one step of exact numbers.
    let mut case = Case::new(&example("components"), &[("nx", 6), ("ny", 5)]);
    let whole = |seed: i64, at: &[i64]| ((2 * at[0] + 3 * at[1] + seed).rem_euclid(7) - 3) as f64;
    for component in 0..4 {
        case.fields[1].fill(component, 0, |at| whole(component as i64, at));
        for level in 0..2 {
            case.fields[0].fill(component % 2, level, |at| whole(5 + (component % 2) as i64, at));
        }
    }
    case.run(&[], 1);
    let v = |component: i64, x: i64, y: i64| match (component, x, y) {
        (0, -1, _) => 2.0 * whole(5, &[0, y]) - whole(5, &[1, y]),
        (1, _, -1) => whole(6, &[x, 1]),
        _ => whole(5 + component, &[x, y]),
    };
    for at in points(&[0..=5, 0..=4]) {
        let (m, x, y) = (|component| whole(component, &at), at[0], at[1]);
        let newest = case.outcome().newest[0];
        let found = [0, 1].map(|component| case.fields[0].get(component, newest, &at).expect("a point").as_f64());
        let wanted = [m(0) * v(0, x - 1, y) + m(1) * v(1, x - 1, y), m(2) * v(0, x, y - 1) + m(3) * v(1, x, y - 1)];
        assert_eq!(found, wanted, "{at:?}");
    }

    // A checkered material: quarters of integers, and visits that depend on the time.
    let n = 9;
    let mut case = Case::new(&example("conditions"), &[("n", n)]);
    let kind = |at: &[i64]| (at[0] * 5 + at[1] * 3) % 5 - 1;
    case.fill(0, |at| whole(1, at)).fill(2, |at| kind(at) as f64).run(&[0.5.into(), 4.into()], 1);
    for at in points(&[0..=n - 1, 0..=n - 1]) {
        let (x, y) = (at[0], at[1]);
        let table = [1.0, 0.25, 0.0];
        let k = table.get(kind(&at) as usize).copied().unwrap_or(table[(((x + y) / 2) % 3) as usize]);
        let u = |x: i64| whole(1, &[x, y]);
        let inside = x > 0 && x < n - 1 && y > 0 && y < n - 1;
        let wanted = if inside { u(x) + k * 0.5 * (u(x - 1) + u(x + 1) - 2.0 * u(x)) } else { u(x) };
        assert_eq!(case.get(0, &at), wanted, "{at:?}");
        assert_eq!(case.get(1, &at), f64::from(u8::from((4 + x * n + y) % 7 == 0)), "{at:?}");
    }

    // Later forms of PATUS, two steps: a profile along y, and a sum over neighbours but the centre.
    let mut case = Case::new(&example("forms"), &[("n", 5), ("steps", 2)]);
    let profile = |y: i64| 0.5 * (y % 3) as f64;
    case.fill(0, |at| whole(2, at)).fill(1, |at| profile(at[0])).run(&[0.25.into()], 2);
    let all = points(&[1..=10, 1..=4]);
    let index = |x: i64, y: i64| (x - 1 + 10 * (y - 1)) as usize;
    let mut now: Vec<f64> = all.iter().map(|at| whole(2, at)).collect();
    for _ in 0..2 {
        let u = |x: i64, y: i64| if (1..=10).contains(&x) { now[index(x, y)] } else { whole(2, &[x, y]) };
        let step = |at: &Vec<i64>| {
            let (x, y) = (at[0], at[1]);
            u(x, y) + 0.25 * profile(y) * (u(x - 1, y) + u(x + 1, y) - 2.0 * u(x, y))
        };
        now = all.iter().map(step).collect();
    }
    for at in &all {
        assert_eq!(case.get(0, at), now[index(at[0], at[1])], "{at:?}");
    }
}

/// Heat with all sections, by a loop: faces in the order of axes, then filters in the order of the text.
#[test]
fn heat_with_all_sections_is_the_loop() {
    let ([nx, ny, nz], steps, dt) = ([7, 6, 5], 4, 0.125);
    let wavelet = [0.5, -0.25, 1.0, 2.0];
    let mut case = Case::new(&example("heat"), &[("nx", nx), ("ny", ny), ("nz", nz), ("steps", steps)]);
    let (k, sponge) =
        (|at: &[i64]| 0.5 + 0.25 * ((at[0] + at[2]) % 2) as f64, |z: i64| if z == nz { 0.5 } else { 1.0 });
    case.fill(1, k).fill(2, |at| sponge(at[0]));
    let span = Span { steps: Some(steps as u64), initial: true, ..Span::default() };
    let [xs, ys, zs] = [3, 2, 4];
    case.try_run(&[dt.into(), xs.into(), ys.into(), zs.into(), wavelet.to_vec().into()], span).expect("a run");

    let all = points(&[1..=nx, 1..=ny, 1..=nz]);
    let index = |at: &[i64]| (at[0] - 1 + nx * (at[1] - 1 + ny * (at[2] - 1))) as usize;
    let start = |at: &[i64]| if (4..=6).contains(&at[0]) && at[1] == 5 { 1.0 } else { 0.0 };
    let mut now: Vec<f64> = all.iter().map(|at| start(at)).collect();
    let mut change = 0.0;
    for t in 0..steps {
        // Each tap leaves the domain on one axis at most. The level t has the conditions of the time t.
        let u = |x: i64, y: i64, z: i64| match (y, z) {
            (_, 0) => (3 * t + x) as f64,
            (_, z) if z > nz => start(&[x, y, z]),
            _ => now[index(&[(x - 1).rem_euclid(nx) + 1, if y > ny { ny - 1 } else { y.max(1) }, z])],
        };
        let step = |at: &Vec<i64>| {
            let (x, y, z) = (at[0], at[1], at[2]);
            let sums =
                [u(x + 1, y, z) + u(x - 1, y, z), u(x, y + 1, z) + u(x, y - 1, z), u(x, y, z + 1) + u(x, y, z - 1)];
            u(x, y, z) + dt * k(at) * (sums.iter().sum::<f64>() - 6.0 * u(x, y, z))
        };
        let mut next: Vec<f64> = all.iter().map(step).collect();
        change = next.iter().zip(&now).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        all.iter().zip(&mut next).for_each(|(at, value)| *value *= sponge(at[2]));
        next[index(&[xs, ys, zs])] += wavelet[t as usize];
        now = next;
    }
    // All numbers are multiples of powers of 2, so that no operation rounds.
    for at in &all {
        assert_eq!(case.get(0, at), now[index(at)], "{at:?}");
    }
    assert_eq!(case.result(0), change);
}

#[test]
fn laplacian_and_upstream_are_exact_for_polynomials() {
    let mut case = Case::new(&example("laplacian"), &[("N", 6)]);
    case.fill(0, |at| (at[0] * at[0] + 2 * at[1] * at[1] - 3 * at[2]) as f64).run(&[(-6.0).into(), 1.0.into()], 1);
    points(&[1..=6, 1..=6, 1..=6]).iter().for_each(|at| assert_eq!(case.get(0, at), 6.0, "{at:?}"));

    // The weights of an axis are 60 h times a derivative that is exact for fifth powers.
    let mut case = Case::new(&example("upstream"), &[("x_max", 4), ("y_max", 5), ("z_max", 3)]);
    let power = |at: &[i64]| (at[0].pow(5) - at[1].pow(4) + 2 * at[2].pow(3)) as f64;
    case.fill(0, power).run(&[0.5.into()], 1);
    for at in points(&[1..=4, 1..=5, 1..=3]) {
        // The centre's weight of 20 counts once in the text, and once for each axis in three derivatives.
        let slopes = (5 * at[0].pow(4) - 4 * at[1].pow(3) + 6 * at[2].pow(2)) as f64;
        assert_eq!(case.get(0, &at), 0.5 * (60.0 * slopes - 40.0 * power(&at)), "{at:?}");
    }
}

/// The points of one colour, then those of the other, in a loop that updates an array in place.
#[test]
fn red_black_is_the_loop_in_place() {
    let ([nx, ny, nz], h2, steps) = ([6, 5, 4], 0.25, 10);
    let mut case = Case::new(&example("red_black"), &[("nx", nx), ("ny", ny), ("nz", nz)]);
    case.fill(1, |at| noise(1, at)).run(&[h2.into()], steps);
    let index = |x: i64, y: i64, z: i64| (x + (nx + 2) * (y + (ny + 2) * z)) as usize;
    let mut u = vec![0.0; ((nx + 2) * (ny + 2) * (nz + 2)) as usize];
    let mut residual = 0.0;
    for _ in 0..steps {
        let before = u.clone();
        for colour in [0, 1] {
            for at in points(&[1..=nx, 1..=ny, 1..=nz]) {
                let (x, y, z) = (at[0], at[1], at[2]);
                if (x + y + z) % 2 == colour {
                    let sum = u[index(x - 1, y, z)]
                        + u[index(x + 1, y, z)]
                        + (u[index(x, y - 1, z)] + u[index(x, y + 1, z)])
                        + (u[index(x, y, z - 1)] + u[index(x, y, z + 1)]);
                    u[index(x, y, z)] = (sum - h2 * noise(1, &at)) / 6.0;
                }
            }
        }
        residual = u.iter().zip(&before).map(|(new, old)| (new - old) * (new - old)).sum::<f64>().sqrt();
    }
    for at in points(&[1..=nx, 1..=ny, 1..=nz]) {
        assert_eq!(case.get(0, &at), u[index(at[0], at[1], at[2])], "{at:?}");
    }
    // 120 squares are added in another order.
    assert!((case.result(0) - residual).abs() <= 120.0 * f64::EPSILON * residual);
}

/// Fluxes between neighbours leave the sum of each plane as it is.
#[test]
fn diffusion_keeps_its_sum() {
    let [nx, ny, nz] = [16, 12, 3];
    let mut case = Case::new(&example("diffusion"), &[("nx", nx), ("ny", ny), ("nz", nz)]);
    let start = |at: &[i64]| noise(7, at);
    case.fill(0, start).fill(4, |at| 0.01 * at[0] as f64).run(&[], 20);
    for z in 1..=nz {
        let plane = points(&[1..=nx, 1..=ny, z..=z]);
        assert!(plane.iter().any(|at| case.get(0, at) != start(at)), "plane {z}");
        let sums = [plane.iter().map(|at| start(at)).sum::<f64>(), plane.iter().map(|at| case.get(0, at)).sum()];
        let largest = plane.iter().map(|at| case.get(0, at).abs()).fold(1.0, f64::max);
        // 192 values and their fluxes, rounded in each of 20 steps.
        assert!((sums[0] - sums[1]).abs() <= 192.0 * 20.0 * largest * f64::EPSILON, "plane {z}: {sums:?}");
    }
}
