//! Spaces, listed and lazy.

use proptest::prelude::*;

use super::*;

fn example() -> Space {
    Space::new(
        &[("tile", &[16, 32, 48, 64], 0), ("threads", &[4, 8, 12, 16], 0), ("items", &[1, 2, 4], 1)],
        vec![
            Constraint::MultipleOf("tile".into(), Term::from("threads") * 4),
            Constraint::AtMost(Term::from("tile") + "threads", 64.into()),
        ],
    )
}

#[test]
fn the_points_are_those_that_satisfy_the_constraints() {
    let space = example();
    let tiles = [(16, 4), (32, 4), (32, 8), (48, 4), (48, 12)];
    assert_eq!(space.len(), 3 * tiles.len());
    for point in 0..space.len() {
        let values = space.configuration(point);
        assert!(tiles.contains(&(values.0["tile"].integer(), values.0["threads"].integer())), "{values}");
        assert_eq!(space.find(&values), Some(point));
    }
    assert_eq!(space.find(&Configuration::new([("tile", 64), ("threads", 16), ("items", 1)])), None);
    assert_eq!(space.find(&Configuration::new([("tile", 16), ("threads", 4)])), None);
}

#[test]
fn a_group_leaves_the_other_parameters_as_they_are() {
    let space = example();
    let around = space.find(&Configuration::new([("tile", 48), ("threads", 12), ("items", 2)])).unwrap();
    assert_eq!(space.groups(), [0, 1]);
    assert_eq!(space.of_group(0, around).len(), 5);
    assert_eq!(space.of_group(1, around).len(), 3);
    let items = space.of_group(1, around);
    assert!((0..3).all(|point| items.configuration(point).get("tile") == Some(48)));
}

#[test]
fn constraints_read_as_expressions() {
    let texts: Vec<String> = example().constraints().iter().map(Constraint::to_string).collect();
    assert_eq!(texts, ["(tile) % (threads * 4) == 0", "(tile + threads) <= 64"]);
}

#[test]
fn a_multiple_of_nothing_is_none() {
    let space = Space::new(&[("a", &[0, 2], 0)], vec![Constraint::MultipleOf(4.into(), "a".into())]);
    assert_eq!(space.len(), 1);
}

proptest! {
    #[test]
    fn any_text_is_a_rule_or_an_error(text in "[-+*/%<>=!&|()$,'\" 0-9a-cxnotrdmi\u{e9}]{0,40}") {
        match Constraint::parse(&text) {
            Ok(rule) => {
                let again = Constraint::parse(&rule.to_string());
                prop_assert_eq!(again.as_ref().map(ToString::to_string), Ok(rule.to_string()), "{}", text);
            }
            Err(error) => prop_assert!(error.column() <= text.chars().count() + 1, "{}", error),
        }
    }

    #[test]
    fn neighbours_differ_in_one_parameter_and_are_mutual(seed in 0_usize..1000) {
        let space = example();
        let point = seed % space.len();
        for neighbour in space.neighbours(point) {
            let (a, b) = (space.coordinates(point), space.coordinates(neighbour));
            let pairs = a.iter().zip(&b);
            prop_assert_eq!(pairs.filter(|(a, b)| a != b).count(), 1);
            prop_assert!(space.neighbours(neighbour).contains(&point));
        }
    }

    #[test]
    fn the_nearest_point_to_a_point_is_itself(seed in 0_usize..1000) {
        let space = example();
        let point = seed % space.len();
        let coordinates: Vec<f64> = space.coordinates(point).iter().map(|&index| index as f64).collect();
        prop_assert_eq!(space.nearest(&coordinates), Some(point));
    }
}

/// A space that is too large for a list.
fn large() -> Space {
    let values = || 1..=60;
    let builder = Space::builder().values("x", values()).values("y", values()).values("z", values()).flag("twice");
    builder.rule("x % 2 == 0 or y < 50").rule("x * y * z <= 100000").build().unwrap()
}

#[test]
fn values_of_any_kind_are_read_and_written() {
    let built = Space::builder()
        .values("block", [8, 4, 4])
        .flag("vector")
        .choice("temporary", ["i32", "i16"])
        .rule("temporary == 'i16' or not vector")
        .rule("vector or block == 4")
        .build();
    let space = built.unwrap();
    assert_eq!(space.len(), 4);
    let point = space.configuration(0);
    assert_eq!(point.to_string(), "block=4 temporary=i32 vector=false");
    assert_eq!(serde_json::to_string(&point).unwrap(), r#"{"block":4,"temporary":"i32","vector":false}"#);
    for number in space.points() {
        let point = space.configuration(number);
        let read = serde_json::from_str(&serde_json::to_string(&point).unwrap()).unwrap();
        assert_eq!((space.find(&read), &read), (Some(number), &point));
    }
    assert_eq!(point.value("temporary").unwrap().as_name(), Some("i32"));
    assert_eq!((point.get("block"), point.get("vector"), point.get("temporary")), (Some(4), Some(0), None));
}

#[test]
fn functions_are_rules_of_their_parameters() {
    let built = Space::builder()
        .values("x", 1..=8)
        .values("y", 1..=8)
        .values("z", 1..=2)
        .rule_fn("registers", ["y", "x"], |[y, x]| y.integer() * x.integer() <= 12 && y.integer() >= x.integer())
        .build();
    let space = built.unwrap();
    let pairs = (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y)));
    assert_eq!(space.len(), 2 * pairs.filter(|(x, y)| x * y <= 12 && y >= x).count());
    assert_eq!(space.constraints()[0].to_string(), "registers(y, x)");
}

/// The value of a rule without parameters.
fn holds(text: &str) -> bool {
    !Space::builder().values("x", [3]).choice("c", ["a", "b"]).rule(text).build().unwrap().is_empty()
}

#[test]
fn rules_are_read_with_their_precedence() {
    for text in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / 2 == 3 and -7 / 2 == -4 and 7 // -2 == -4",
        "-7 % 3 == 2 and 7 % -3 == -2",
        "10 - 3 - 2 == 5",
        "1 < 2 < 3 and not 1 < 3 < 2",
        "true or 1 / 0 == 1",
        "not (false and 1 / 0 == 1)",
        "not 1 == 2",
        "!0 + 1 == 2",
        "min(3, 1, 2) == 1 && max(3, 1, 2) == 3 || false",
        "x == 3 and c != 'z' and (c == \"a\" or c == 'b')",
        "9223372036854775807 + 1 == 9223372036854775807",
    ] {
        assert!(holds(text), "{text}");
        let read = Constraint::parse(text).unwrap();
        assert!(holds(&read.to_string()), "{text} is written {read}");
        assert_eq!(Constraint::parse(&read.to_string()).unwrap(), read, "{text}");
    }
    for text in ["1 / 0 == 1", "1 % 0 == 1", "not 1 / 0", "false or 1 / 0 == 1", "c == 'z'"] {
        assert!(!holds(text), "{text}");
    }
}

#[test]
fn a_wrong_rule_is_told_with_its_place() {
    for (text, column, told) in [
        ("", 1, "a value should be"),
        ("x <= ", 6, "a value should be"),
        ("x <= * 2", 6, "there should be a value"),
        ("x = 2", 3, "equality is '=='"),
        ("(x + 1", 7, "not closed"),
        ("x 2", 3, "go on with an operator"),
        ("x + yy < 2", 5, "'yy' is no parameter: there are x, c"),
        ("$1 < 2", 1, "'$1' is no parameter"),
        ("x < 99999999999999999999", 5, "no 64-bit integer"),
        ("x < 12a", 5, "no 64-bit integer"),
        ("x ** 2 < 3", 3, "no operator '**'"),
        ("c == 'a", 6, "not closed"),
        ("µ < 2", 1, "'µ' is no parameter"),
        ("x § 2", 3, "no operator '§'"),
        ("min(x 2)", 7, "',' or ')'"),
        ("x < $", 5, "needs a number or a name"),
    ] {
        let error = Space::builder().values("x", [3]).choice("c", ["a"]).rule(text).build().unwrap_err();
        let SpaceError::Rule(error) = error else { panic!("{text}: {error}") };
        assert!(error.message().contains(told) && error.column() == column, "{text}: {error}");
        let shown = error.to_string();
        let caret = shown.lines().last().unwrap().chars().count();
        assert_eq!(caret, 2 + column, "{shown}");
    }
    let deep = format!("{}1{}", "(".repeat(1000), ")".repeat(1000));
    assert!(Constraint::parse(&deep).unwrap_err().message().contains("nested"));
    assert!(Constraint::parse(&"-".repeat(3000)).unwrap_err().message().contains("nested"));
    assert!(Constraint::parse(&"1+".repeat(3000)).unwrap_err().message().contains("longer"));
}

#[test]
fn a_space_that_cannot_be_made_is_told() {
    let x = || Space::builder().values("x", [1, 2]);
    let error = |builder: SpaceBuilder| builder.build().unwrap_err();
    assert_eq!(error(x().flag("x")), SpaceError::SameName("x".to_owned()));
    assert_eq!(error(x().values("y", [])), SpaceError::NoValues("y".to_owned()));
    let mixed = x().parameter("y", vec![Value::Integer(1), Value::Boolean(true)]);
    assert_eq!(error(mixed), SpaceError::SeveralKinds("y".to_owned()));
    let unknown = error(x().constraint(Constraint::AtMost("y".into(), 2.into())));
    assert!(matches!(unknown, SpaceError::UnknownParameter { .. }), "{unknown}");
    for rule in ["c + 1 == 2", "c < 'b'", "c == 1", "c", "not c", "x == 'a'"] {
        let error = error(x().choice("c", ["a", "b"]).rule(rule));
        assert!(matches!(error, SpaceError::MixedKinds { .. }), "{rule}: {error}");
    }
    let huge = (0..8).fold(Space::builder(), |builder, axis| builder.values(&axis.to_string(), 0..1000));
    assert_eq!(error(huge), SpaceError::TooLarge);
}

#[test]
fn a_lazy_space_has_the_points_of_its_rules() {
    let space = large();
    assert!(space.is_lazy() && space.known_len().is_none());
    let holds = |x: i64, y: i64, z: i64| (x % 2 == 0 || y < 50) && x * y * z <= 100_000;
    let legal = (1..=60).flat_map(|x| (1..=60).flat_map(move |y| (1..=60).map(move |z| (x, y, z))));
    let legal: Vec<_> = legal.filter(|(x, y, z)| holds(*x, *y, *z)).collect();
    assert_eq!(space.len(), 2 * legal.len());
    // Points come in their order, none is missing, and each one is found by its values.
    let mut count = 0;
    for (point, (x, y, z)) in space.points().step_by(2).zip(&legal) {
        let values = space.configuration(point);
        let of = |name: &str| values.0[name].integer();
        assert_eq!((of("x"), of("y"), of("z"), of("twice")), (*x, *y, *z, 0));
        assert_eq!(space.find(&values), Some(point));
        count += 1;
    }
    assert_eq!(count, legal.len());
    assert_eq!(space.at(&[0, 0, 0, 2]), None, "beyond the values");
    assert_eq!(space.at(&[58, 58, 58, 0]), None, "against a rule");
    assert_eq!(space.at(&[0, 0, 0]), None, "too few");
}

#[test]
fn a_part_of_a_lazy_space_keeps_its_rules() {
    let space = large();
    let around = space.find(&space.configuration(space.points().nth(500).unwrap())).unwrap();
    let at = space.coordinates(around);
    let part = space.with_fixed(&[(0, at[0]), (3, 1)]);
    let whole = space.points().map(|point| space.coordinates(point));
    assert_eq!(part.len(), whole.filter(|other| other[0] == at[0] && other[3] == 1).count());
    assert!(part.points().all(|point| space.find(&part.configuration(point)).is_some()));
}

/// Chi-squared of samples over the values of the first axis, against the counts of legal points.
#[test]
fn samples_of_a_lazy_space_are_uniform_by_rejection_and_by_counts() {
    let dense = large();
    // One combination in some 7,000 is legal: rejection gives up, and subtrees are counted.
    let sparse = Space::builder().values("x", 0..20).values("y", 0..200).values("z", 0..1000);
    let sparse = sparse.rule("(x + 7 * y + 31 * z) % 3989 == 0").rule("x >= y % 10").build().unwrap();
    for (space, draws) in [(dense, 20_000), (sparse, 4_000)] {
        assert!(space.is_lazy());
        let values = space.parameters()[0].values.len();
        let mut expected = vec![0.0; values];
        space.points().for_each(|point| expected[space.coordinates(point)[0]] += 1.0);
        let all: f64 = expected.iter().sum();
        let mut random = Random::new(5);
        let mut found = vec![0.0; values];
        for _ in 0..draws {
            let point = space.sample(&mut random).unwrap();
            assert!(space.at(&space.coordinates(point)) == Some(point));
            found[space.coordinates(point)[0]] += 1.0;
        }
        let terms = expected.iter().zip(&found).filter(|(expected, _)| **expected > 0.0);
        let chi: f64 =
            terms.map(|(e, f)| (f - e * f64::from(draws) / all).powi(2) / (e * f64::from(draws) / all)).sum();
        // Mean values - 1 and variance twice that: five standard deviations.
        let freedom = values as f64 - 1.0;
        assert!(chi < freedom + 5.0 * (2.0 * freedom).sqrt(), "{chi} with {freedom} degrees of freedom");
    }
}

#[test]
fn a_lazy_space_finds_what_is_near() {
    let space = large();
    let mut random = Random::new(3);
    for _ in 0..50 {
        let location: Vec<f64> = space.parameters().iter().map(|p| random.unit() * p.values.len() as f64).collect();
        let near = space.nearest(&location).unwrap();
        let scale = |axis: usize| 1.0 / (space.parameters()[axis].values.len() - 1) as f64;
        let distance = |point: usize| -> f64 {
            let at = space.coordinates(point);
            at.iter().enumerate().map(|(axis, x)| (*x as f64 - location[axis]).abs() * scale(axis)).sum()
        };
        let nearest = (0..500).map(|_| distance(space.sample(&mut random).unwrap())).fold(f64::INFINITY, f64::min);
        assert!(distance(near) <= nearest);
    }
}

/// The product of ranges that a user may well write: 10^7 combinations, one in some 200 of them legal.
#[test]
fn ten_million_combinations_are_filtered_in_seconds() {
    let start = std::time::Instant::now();
    let powers = |most: u32| (0..=most).map(|exponent| 1_i64 << exponent);
    let space = Space::builder()
        .values("block_x", (1..=50).map(|x| 4 * x))
        .values("block_y", (1..=50).map(|x| 4 * x))
        .values("block_z", 1..=50)
        .values("chunk", powers(4))
        .values("unroll", 0..8)
        .values("threads", [1, 2])
        .rule("block_x * block_y * block_z <= 40000")
        .rule("(200 + block_y - 1) / block_y * ((200 + block_z - 1) / block_z) % threads == 0")
        .rule("(block_x + chunk * block_y + unroll * block_z + threads) % 97 == 0")
        .build()
        .unwrap();
    assert_eq!(space.combinations(), 10_000_000);
    let count = space.len();
    assert!(space.is_lazy() || count <= MAX_LISTED);
    assert_eq!(space.points().count(), count);
    let elapsed = start.elapsed();
    println!("{count} of {} combinations in {elapsed:?}", space.combinations());
    assert!(elapsed.as_secs() < 60, "{elapsed:?}");
}
