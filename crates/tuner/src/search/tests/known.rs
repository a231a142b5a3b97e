//! Each strategy on functions whose minimum is known: the number of runs within which it finds it.

use super::*;

/// A function of values, which is positive.
struct Landscape {
    name: &'static str,
    space: Space,
    seconds: fn(&[f64]) -> f64,
}

impl Landscape {
    fn new(name: &'static str, space: Space, seconds: fn(&[f64]) -> f64) -> Self {
        Landscape { name, space, seconds }
    }

    fn seconds(&self, point: usize) -> f64 {
        let at: Vec<f64> = self.space.coordinates(point).into_iter().map(|x| x as f64).collect();
        (self.seconds)(&at)
    }

    fn minimum(&self) -> f64 {
        self.space.points().map(|point| self.seconds(point)).fold(f64::INFINITY, f64::min)
    }

    /// Runs until the minimum is measured, from a seed.
    fn runs(&self, kind: StrategyKind, seed: u64) -> usize {
        let minimum = self.minimum();
        let mut search = Search::new(&self.space, kind.start(), seed, &[]);
        while let Some(point) = search.ask() {
            search.tell(point, self.seconds(point));
            if search.best().is_some_and(|(_, best)| best <= minimum) {
                return search.evaluations();
            }
        }
        panic!("{kind} ends without the minimum of '{}'", self.name);
    }

    /// The largest of some seeds' runs.
    fn most_runs(&self, kind: StrategyKind) -> usize {
        (0..12).map(|seed| self.runs(kind, seed)).max().unwrap()
    }
}

/// A space of `axes` parameters with `side` values each.
fn cube(axes: usize, side: i64) -> SpaceBuilder {
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    NAMES[..axes].iter().fold(Space::builder(), |builder, name| builder.values(name, 0..side))
}

fn landscapes() -> Vec<Landscape> {
    vec![
        // One valley along the axes.
        Landscape::new("separable", cube(3, 16).build().unwrap(), |x| {
            1.0 + (x[0] - 11.0).abs() + (x[1] - 3.0).powi(2) + 0.5 * (x[2] - 7.0).powi(2)
        }),
        // One valley across the axes, four times as long as wide.
        Landscape::new("rotated", cube(2, 24).build().unwrap(), |x| {
            let (a, b) = (x[0] + x[1] - 25.0, x[0] - x[1] + 5.0);
            1.0 + a * a / 16.0 + b * b
        }),
        // Steps that are flat.
        Landscape::new("plateau", cube(2, 24).build().unwrap(), |x| {
            1.0 + ((x[0] - 17.0).abs() / 4.0).floor() + ((x[1] - 6.0).abs() / 4.0).floor()
        }),
        // Half of the values is forbidden, and a stripe of the others fails.
        Landscape::new(
            "infeasible",
            cube(2, 24).rule("x + y <= 26").rule("x % 3 != 2 or y > 4").build().unwrap(),
            |x| match (x[0] * 2.0 + x[1]) % 7.0 == 3.0 {
                true => f64::INFINITY,
                false => 1.0 + (x[0] - 9.0).powi(2) + (x[1] - 14.0).powi(2),
            },
        ),
        // Two valleys.
        Landscape::new("two valleys", cube(2, 24).build().unwrap(), |x| {
            let near = |a: f64, b: f64| (x[0] - a).abs() + (x[1] - b).abs();
            1.0 + near(4.0, 5.0).min(3.0 + near(19.0, 16.0))
        }),
    ]
}

/// Runs within which each strategy has the minimum from any of twelve seeds, in the order of [`landscapes`].
const STATED: [(StrategyKind, [usize; 5]); 6] = [
    (StrategyKind::Greedy, [46, 576, 30, 40, 130]),
    (StrategyKind::Gce, [49, 576, 50, 75, 180]),
    (StrategyKind::HookeJeeves, [35, 290, 10, 25, 80]),
    (StrategyKind::Powell, [40, 100, 20, 35, 130]),
    (StrategyKind::NelderMead, [45, 35, 15, 35, 110]),
    (StrategyKind::Direct, [25, 70, 5, 15, 20]),
];

#[test]
fn each_strategy_finds_known_minima_within_its_stated_runs() {
    for (kind, stated) in STATED {
        for (landscape, stated) in landscapes().iter().zip(stated) {
            let runs = landscape.most_runs(kind);
            println!("{kind}, {}: {runs} of {} points", landscape.name, landscape.space.len());
            assert!(runs <= stated, "{kind}, {}: {runs} runs, stated are {stated}", landscape.name);
        }
    }
}

/// Parameters of all kinds that depend on each other a little.
#[test]
fn a_mixed_space_is_searched_by_every_strategy() {
    let space = Space::builder()
        .values("block", [4, 8, 16, 32, 64, 128])
        .flag("vector")
        .choice("order", ["xyz", "zyx", "yxz"])
        .values("unroll", 1..=8)
        .rule("block % unroll == 0 or not vector")
        .build()
        .unwrap();
    let seconds = |point: usize| {
        let at = space.coordinates(point);
        let vector = if at[1] == 1 { 1.0 } else { 2.0 };
        vector * (1.0 + (at[0] as f64 - 3.0).abs() + [0.5, 0.0, 1.0][at[2]] + (at[3] as f64 - 3.0).powi(2) / 8.0)
    };
    let minimum = space.points().map(seconds).fold(f64::INFINITY, f64::min);
    for kind in StrategyKind::ALL {
        for seed in 0..6 {
            let mut search = Search::new(&space, kind.start(), seed, &[]);
            while let Some(point) = search.ask() {
                search.tell(point, seconds(point));
            }
            // A hypercube's samples are moved to the nearest point, which may leave some out.
            if search.evaluations() == space.len() {
                assert_eq!(search.best().unwrap().1, minimum, "{kind}");
            } else {
                assert_eq!(kind, StrategyKind::LatinHypercube);
            }
        }
    }
}

#[test]
fn a_space_of_one_parameter_one_point_or_none_is_searched() {
    let line = cube(1, 40).build().unwrap();
    let point = cube(3, 1).build().unwrap();
    let none = cube(2, 5).rule("x > 9").build().unwrap();
    for kind in StrategyKind::ALL {
        let mut search = Search::new(&line, kind.start(), 3, &[]);
        while search.best().is_none_or(|(_, best)| best > 1.0) {
            let at = search.ask().unwrap_or_else(|| panic!("{kind}"));
            search.tell(at, 1.0 + (line.coordinates(at)[0] as f64 - 23.0).abs());
        }
        let mut search = Search::new(&point, kind.start(), 3, &[]);
        let only = search.ask().unwrap();
        search.tell(only, 2.0);
        assert_eq!((search.ask(), search.best()), (None, Some((only, 2.0))), "{kind}");
        assert_eq!(Search::new(&none, kind.start(), 3, &[]).ask(), None, "{kind}");
    }
}

#[test]
fn a_search_measures_its_starts_first_and_goes_on_from_the_best() {
    let landscape = &landscapes()[1];
    let space = &landscape.space;
    let at = |x: usize, y: usize| space.at(&[x, y]).unwrap();
    let starts = [at(22, 1), at(11, 15), at(1, 22), at(11, 15)];
    for kind in StrategyKind::ALL {
        let mut search = Search::new(space, kind.start(), 9, &starts);
        let mut asked = Vec::new();
        for _ in 0..40 {
            let Some(point) = search.ask() else { break };
            asked.push(point);
            search.tell(point, landscape.seconds(point));
        }
        assert_eq!(asked[..3], starts[..3], "{kind}");
        assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len(), "{kind}");
        let descends = !matches!(
            kind,
            StrategyKind::Exhaustive | StrategyKind::Random | StrategyKind::LatinHypercube | StrategyKind::Direct
        );
        // The second start is next to the minimum, at which some begin.
        let near = asked[3..].iter().any(|&point| {
            let location = space.coordinates(point);
            location[0].abs_diff(11).max(location[1].abs_diff(15)) <= 4
        });
        assert!(!descends || near, "{kind}: {asked:?}");
    }
}

/// A search of a space without a list is as quick, and repeats no point.
#[test]
fn a_lazy_space_is_searched_by_every_strategy() {
    let space = cube(4, 40).rule("x + y + z + w <= 100").rule("(x + 3 * y) % 5 != 1").build().unwrap();
    assert!(space.is_lazy());
    for kind in StrategyKind::ALL {
        let mut search = Search::new(&space, kind.start(), 2, &[]);
        let mut asked = HashSet::new();
        for _ in 0..150 {
            let point = search.ask().unwrap_or_else(|| panic!("{kind}"));
            let at = space.coordinates(point);
            assert_eq!(space.at(&at), Some(point), "{kind}");
            assert!(asked.insert(point), "{kind}");
            search.tell(point, 1.0 + at.iter().map(|x| (*x as f64 - 17.0).powi(2)).sum::<f64>());
        }
    }
}

#[test]
fn ends_are_counted_where_a_strategy_begins_anew() {
    let landscape = &landscapes()[4];
    for (kind, _) in &STATED[..5] {
        let mut search = Search::new(&landscape.space, kind.start(), 4, &[]);
        while search.ends() == 0 {
            let point = search.ask().unwrap();
            search.tell(point, landscape.seconds(point));
        }
        assert!(search.evaluations() < 120, "{kind}: {}", search.evaluations());
    }
}
