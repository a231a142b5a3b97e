//! Examples of the folder as their users know them: conserved sums, states at rest, and a rate of decay.

use affinimath_stencil::{Argument, Field, GridSlices, Outcome, Plan, Span, Stencil, Target};

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
    let wave = 2.0 * std::f64::consts::PI / n as f64;
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
