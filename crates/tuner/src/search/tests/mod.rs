//! Strategies on landscapes that are known.

use std::collections::HashSet;
use std::time::Duration;

use proptest::prelude::*;

mod known;

use super::*;
use crate::space::{Constraint, SpaceBuilder, Term};

/// A space of about `side` cubed points, with a corner cut off.
fn space(side: i64) -> Space {
    let values: Vec<i64> = (1..=side).collect();
    let sum = Term::from("x") + "y" + "z";
    Space::new(
        &[("x", &values, 0), ("y", &values, 0), ("z", &values, 0)],
        vec![Constraint::AtMost(sum, (2 * side).into())],
    )
}

/// A valley with ripples; some points fail.
fn seconds(space: &Space, point: usize, hole: usize) -> f64 {
    let values = space.configuration(point).0;
    let [i, j, k] = ["x", "y", "z"].map(|name| values[name].integer());
    let [x, y, z] = [i, j, k].map(|value| value as f64);
    if (i * 7 + j * 3 + k) as usize % 11 == hole {
        return f64::INFINITY;
    }
    1.0 + (x - 3.0).powi(2) + (y - 2.0).powi(2) * 0.5 + (z - 4.0).abs() + 0.3 * ((x * 5.0 + y * 3.0 + z).sin() + 1.0)
}

/// The points that a search asks for, in their order, and the best.
fn run(space: &Space, kind: StrategyKind, seed: u64, budget: usize, hole: usize) -> (Vec<usize>, Option<(usize, f64)>) {
    let mut search = Search::new(space, kind.start(), seed, &[]);
    let mut asked = Vec::new();
    while !Budget::Evaluations(budget).is_spent(search.evaluations(), Duration::ZERO) {
        let Some(point) = search.ask() else { break };
        assert_eq!(search.ask(), Some(point), "a question stands until it is answered");
        asked.push(point);
        search.tell(point, seconds(space, point, hole));
    }
    assert_eq!(asked.len(), search.evaluations());
    (asked, search.best())
}

fn minimum(space: &Space, hole: usize) -> f64 {
    (0..space.len()).map(|point| seconds(space, point, hole)).fold(f64::INFINITY, f64::min)
}

proptest! {
    #[test]
    fn a_search_asks_for_each_point_of_its_space_once_within_its_budget(
        kind in proptest::sample::select(&StrategyKind::ALL[..]),
        side in 1_i64..6,
        seed: u64,
        budget in 1_usize..60,
        hole in 0_usize..22,
    ) {
        let space = space(side);
        let (asked, _) = run(&space, kind, seed, budget, hole);
        prop_assert!(asked.iter().all(|point| *point < space.len()));
        prop_assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len());
        prop_assert!(asked.len() <= budget);
        prop_assert_eq!(run(&space, kind, seed, budget, hole).0, asked, "the same seed leads to the same search");
    }

    #[test]
    fn a_search_that_goes_through_all_finds_the_best(
        kind in proptest::sample::select(&StrategyKind::ALL[..]), side in 1_i64..5, seed: u64, hole in 0_usize..22,
    ) {
        // Shuffled ends with its points; the others are answered from memory until the space is known.
        let space = space(side);
        let (asked, best) = run(&space, kind, seed, usize::MAX, hole);
        if kind != StrategyKind::LatinHypercube {
            prop_assert_eq!(asked.len(), space.len());
        }
        if best.is_some() && asked.len() == space.len() {
            prop_assert_eq!(best.unwrap().1, minimum(&space, hole));
        }
    }

    #[test]
    fn numbers_below_an_end_are_below_it(seed: u64, end in 1_usize..100) {
        let mut random = Random::new(seed);
        prop_assert!(random.below(end) < end);
        prop_assert!((0.0..1.0).contains(&random.unit()));
        let mut order = random.order(end);
        order.sort_unstable();
        prop_assert_eq!(order, (0..end).collect::<Vec<_>>());
    }
}

#[test]
fn what_failed_everywhere_has_no_best() {
    let space = space(3);
    for kind in StrategyKind::ALL {
        let mut search = Search::new(&space, kind.start(), 1, &[]);
        while let Some(point) = search.ask() {
            search.tell(point, f64::NAN);
        }
        assert_eq!((search.best(), search.ranking().len()), (None, 0), "{kind}");
        assert_eq!(search.evaluations(), space.len(), "{kind}");
    }
}

/// The walks find the valley sooner than chance does.
#[test]
fn walks_are_better_than_chance_on_average() {
    let space = space(9);
    let mean = |kind| (0..40).map(|seed| run(&space, kind, seed, 50, 22).1.unwrap().1).sum::<f64>() / 40.0;
    let chance = mean(StrategyKind::Random);
    for kind in [StrategyKind::Refine, StrategyKind::Local, StrategyKind::Genetic, StrategyKind::Differential] {
        assert!(mean(kind) < chance, "{kind}: {} {chance}", mean(kind));
    }
}

#[test]
fn points_that_are_told_without_being_asked_for_count() {
    let space = space(4);
    for kind in StrategyKind::ALL {
        let mut search = Search::new(&space, kind.start(), 7, &[]);
        search.tell(5, 0.5);
        assert_eq!((search.best(), search.evaluations()), (Some((5, 0.5)), 1));
        assert_ne!(search.ask(), Some(5), "{kind}");
    }
}

#[test]
fn budgets_are_read() {
    assert_eq!("200".parse(), Ok(Budget::Evaluations(200)));
    assert_eq!("1.5s".parse(), Ok(Budget::Time(Duration::from_millis(1500))));
    for wrong in ["", "0", "0s", "-3s", "s", "many", "infs", "nans"] {
        assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
    }
    assert!(Budget::Time(Duration::from_secs(2)).is_spent(0, Duration::from_secs(2)));
    assert_eq!(Budget::Evaluations(10).share(0.25), Budget::Evaluations(3));
}

#[test]
fn strategies_are_read_by_their_names() {
    for kind in StrategyKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    assert!("clever".parse::<StrategyKind>().unwrap_err().contains("refine"));
}
