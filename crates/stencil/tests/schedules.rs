//! Strategies as texts: what is read, printed and refused, and the reference's bits of all of them on all devices.

mod common;

use affinimath_stencil::reference::evaluate;
use affinimath_stencil::{Bound, Field, GridSlices, Plan, Schedule, Span, Stencil, Strategy, Target};
use common::devices::{arguments, contents, fields, lacks_doubles, result_bits, targets};
use common::{example, parse};

/// The strategies of the folder of examples that run.
const EXAMPLES: [&str; 9] =
    ["points", "compact", "chunked", "thread_blocks", "gpu", "groups", "planes", "rim", "even_odd"];

/// The one that is read and printed.
const QUEUE: &str = "circular_queue";

fn schedule_text(name: &str) -> String {
    let path = format!("{}/../../examples/strategies/{name}.stg", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn schedule(text: &str) -> Schedule {
    Schedule::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A strategy whose step is a text.
fn step(body: &str) -> String {
    format!("strategy s (domain u, auto dim cb, auto int n) {{\n  for t = 1 .. stencil.t_max {{\n{body}\n  }}\n}}\n")
}

/// A box of taps of some dimension, with conditions at all faces.
fn stencil(dimension: usize, kind: &str, boundary: &str) -> Stencil {
    let axes = ["x", "y", "z"];
    let domain = ["-1 .. n - 2", "3 .. m + 2", "1 .. l"][..dimension].join(", ");
    let tap = |axis: usize, by: i64| {
        let each = (0..dimension).map(|own| match by {
            _ if own != axis => axes[own].to_owned(),
            by => format!("{}{by:+}", axes[own]),
        });
        each.collect::<Vec<_>>().join(",")
    };
    let centre = axes[..dimension].join(",");
    let taps: Vec<String> =
        (0..dimension).map(|axis| format!("u[{}; t] - 2 * u[{}; t]", tap(axis, -1), tap(axis, 2))).collect();
    let faces: Vec<String> = axes[..dimension].iter().map(|axis| format!("{axis} = {boundary};")).collect();
    parse(&format!(
        "stencil taps {{
           domainsize = ({domain});
           operation ({kind} grid u) {{ u[{centre}; t+1] = x * u[{centre}; t] + {}; }}
           boundary {{ u: {} }}
         }}",
        taps.join(" + "),
        faces.join(" ")
    ))
}

/// All slices of a run are the reference's, and so are its results.
fn check(stencil: &Stencil, sizes: &[(&str, i64)], schedule: &Schedule, target: &Target, steps: u64) {
    let bound = Bound::new(stencil, sizes).unwrap_or_else(|error| panic!("{error}"));
    let span = Span { first: 3, steps: Some(steps), initial: false };
    // Kernels for scattered memory take as long to compile again.
    let memories: &[bool] = if matches!(target, Target::Host) { &[false, true] } else { &[false] };
    for &scatter in memories {
        let case = format!("{}, {sizes:?}, {}, scattered: {scatter}, {target:?}", stencil.name(), schedule.label());
        let mut wanted = fields(&bound, scatter);
        let mut grids: Vec<GridSlices<'_>> = wanted.iter_mut().map(Field::slices).collect();
        let expected = evaluate(&bound, &mut grids, &arguments(&bound), span).expect("a run");
        let plan = Plan::new(stencil, target.clone(), sizes).unwrap_or_else(|error| panic!("{case}: {error}"));
        let plan = plan.with_strategy(schedule.clone()).unwrap_or_else(|error| panic!("{case}: {error}"));
        let mut found = fields(&bound, scatter);
        let mut grids: Vec<GridSlices<'_>> = found.iter_mut().map(Field::slices).collect();
        let outcome = plan.run(&mut grids, &arguments(&bound), span).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((outcome.steps, &outcome.newest), (expected.steps, &expected.newest), "{case}");
        assert_eq!(result_bits(&outcome), result_bits(&expected), "{case}");
        for (grid, (found, wanted)) in found.iter_mut().zip(&mut wanted).enumerate() {
            assert!(contents(found) == contents(wanted), "{case}: grid {grid} differs");
        }
    }
}

/// The error of a strategy for a plane of 9 x 7 points.
fn refused(text: &str) -> String {
    let plane = stencil(2, "int", "keep");
    let plan = Plan::new(&plane, Target::Host, &[("n", 9), ("m", 7)]).expect("a plan");
    let error = Schedule::parse(text).and_then(|own| plan.with_strategy(own));
    error.err().unwrap_or_else(|| panic!("no error of {text}")).to_string()
}

#[test]
fn examples_have_the_reference_s_bits_in_all_dimensions() {
    let boundaries = ["keep", "periodic", "symmetric", "antireflect", "clamp", "neumann(2)", "reflect", "3 * t - x"];
    let kinds = ["int", "float", "double", "long"];
    for target in targets() {
        let mut number = 0;
        for name in EXAMPLES {
            let own = schedule(&schedule_text(name));
            for dimension in 1..=3 {
                // A vector of one component fewer has none in one dimension.
                if (name, dimension) == ("planes", 1) {
                    continue;
                }
                number += 1;
                let kind = kinds[number % kinds.len()];
                if kind == "double" && lacks_doubles(&target) {
                    continue;
                }
                let stencil = stencil(dimension, kind, boundaries[number % boundaries.len()]);
                let sizes = [("n", 37), ("m", 11), ("l", 5)];
                check(&stencil, &sizes[..dimension], &own, &target, 3);
            }
        }
    }
}

#[test]
fn sizes_that_blocks_do_not_divide_are_covered() {
    let sizes = [[5, 4, 3], [16, 8, 4], [17, 9, 5], [31, 13, 7], [64, 3, 3]];
    for (number, [n, m, l]) in sizes.into_iter().enumerate() {
        for name in EXAMPLES {
            let mut own = schedule(&schedule_text(name));
            for parameter in own.clone().parameters() {
                let values: &[i64] = match parameter {
                    "cb" if name == "planes" => &[7, 3],
                    "cb" | "item" => &[5, 2, 3],
                    "tb" | "group" => &[8, 6, 4],
                    _ => &[3],
                };
                own = own.with(parameter, values).expect("a parameter");
            }
            let boundary = ["keep", "periodic", "symmetric", "clamp"][number % 4];
            check(&stencil(3, "long", boundary), &[("n", n), ("m", m), ("l", l)], &own, &Target::Host, 2);
        }
    }
}

#[test]
fn stages_colours_filters_and_results_go_by_loops() {
    let own = |name: &str, parameter: &str, values: [i64; 3], dimension: usize| {
        schedule(&schedule_text(name)).with(parameter, &values[..dimension]).expect("a parameter")
    };
    for target in targets() {
        for name in ["fdtd", "red_black", "results", "life", "shallow_water"] {
            let stencil = example(name);
            let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().zip([19, 14, 6]).collect();
            if lacks_doubles(&target) {
                continue;
            }
            let dimension = stencil.dimension();
            for own in [own("compact", "cb", [5, 3, 2], dimension), own("groups", "item", [2, 3, 2], dimension)] {
                check(&stencil, &sizes, &own, &target, 4);
            }
        }
    }
}

/// Each strategy of the folder runs in these tests, or is refused for what it needs.
#[test]
fn the_folder_has_these_strategies_alone() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/strategies");
    let files =
        std::fs::read_dir(folder).expect("the folder of strategies").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<String> =
        files.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect();
    found.sort();
    let mut wanted: Vec<String> = EXAMPLES.iter().chain([&QUEUE]).map(|name| format!("{name}.stg")).collect();
    wanted.sort();
    assert_eq!(found, wanted);
    let sizes = [("n", 37), ("m", 11), ("l", 5)];
    for target in targets() {
        let plan = Plan::new(&stencil(3, "float", "keep"), target, &sizes).expect("a plan");
        let error = plan.with_strategy(schedule(&schedule_text(QUEUE))).err().expect("several steps at once");
        assert!(error.reason.contains("goes by 1, not 2: overlap and wavefront do several steps at once"), "{error}");
    }
}

#[test]
fn texts_come_back_from_their_print() {
    let bodies = [
        "if (n < 2 && (cb(1) > 1 || n == 3)) { if (n != 1) n2[u; t] = stencil(n2[u; t]); } \
         else u[:; t+1] = stencil(u[:; t]);",
        "for subdomain v((1, 2 ...)) in u(: - 2 * stencil.box, (1), (2), 3 .. 4; t) parallel 4 schedule (2 * n) { }",
        "for subdomain v(1, n ... 3) in u(: + (1, 0), (0, 1) - (n - 1) * stencil.box(1); t) parallel schedule n v = 1;",
        "int a = -(n + 1) * (2 - (3 - 4)) / -n % 5; dim b = 1, 2; codim(1) c = u.size(1 .. u.dim - 1); b = (a ...);",
        "for z = u.min(1) .. u.max(1) by 2 for plane p in u for point q in p(:) q[q; t + 1] = stencil(q[q; t]);",
        "if (n >= 1) if (n <= 2) n = 1; else n = max(2, min(n, 3)); else { }",
        "u[1 .. 3, :; t+1] = u[1 .. 3, :; t]; memcpy(u(:), u); domain w(u.size + stencil.box; 3; 4); { n = 1; { } }",
    ];
    let texts = bodies.iter().map(|body| step(body));
    let names = EXAMPLES.iter().chain([&QUEUE]);
    for text in texts.chain(names.map(|name| schedule_text(name))) {
        let own = schedule(&text);
        let printed = own.to_string();
        let again = Schedule::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again, own, "{printed}");
        assert_eq!(again.to_string(), printed);
    }
    assert_eq!(
        schedule(&schedule_text("chunked")).to_string(),
        "strategy chunked (domain u, auto dim cb = ({u.size(1), u.size(1) / 2, u.size(1) / 4}, 4 : *2 : 64), \
         auto int chunk = 1 : *2 : 32) {\n  for t = 1 .. stencil.t_max\n    for subdomain v(cb) in u(:; t) parallel \
         schedule chunk\n      for point p in v(:; t)\n        v[p; t + 1] = stencil(v[p; t]);\n}\n"
    );
}

#[test]
fn wrong_texts_are_told_with_their_location() {
    for (text, told) in [
        ("strategy s (domain u) {", "1:24: a statement expected, not the end of the text"),
        ("strategy s (dim u) { }", "1:13: 'domain' expected, not 'dim'"),
        ("strategy s (domain u, auto double a) { }", "1:28: 'int', 'dim' or 'codim' expected, not 'double'"),
        ("strategy s (domain u, auto int u) { }", "1:32: there are two parameters 'u'"),
        ("strategy for (domain u) { }", "1:10: the strategy's name expected: 'for' is a word of the language"),
        ("strategy s (domain u) { for t = 1 .. 1.5 { } }", "1:38: 1.5 is no whole number"),
        ("strategy s (domain u) { int a = u.width; }", "1:35: the property 'width' is none of dim, size, min"),
        ("strategy s (domain u) { if (1) { } }", "1:30: a comparison expected, not ')'"),
        ("strategy s (domain u) { for point p in u(: + 3; 1) { } }", "a border expected: stencil.box, or two vectors"),
        ("strategy s (domain u) { } }", "1:27: the end of the text expected, not '}'"),
        ("strategy s (domain u) { int a = 1 $ 2; }", "1:35: unexpected character '$'"),
    ] {
        let error = Schedule::parse(text).expect_err(text).to_string();
        assert!(error.contains(told), "{error}\ninstead of {told}");
        assert!(error.ends_with('^') && error.contains("\n    strategy"), "{error}");
    }
    let deep = format!("strategy s (domain u) {{ int a = {}1{}; }}", "(".repeat(101), ")".repeat(101));
    assert!(Schedule::parse(&deep).expect_err("a limit").reason.contains("more than 100 levels"));
    let deep = format!("strategy s (domain u) {{ {} }}", "if (1 < 2) ".repeat(200));
    assert!(Schedule::parse(&deep).expect_err("a limit").reason.contains("more than 100 levels"));
    let long = format!("strategy s (domain u) {{ int a = 1{}; }}", " + 1".repeat(501));
    assert!(Schedule::parse(&long).expect_err("a limit").reason.contains("more than 500 operators"));
    let long = " ".repeat(65 * 1024);
    assert!(Schedule::parse(&long).expect_err("a limit").reason.contains("65536 are the most"));
}

#[test]
fn loops_that_miss_or_repeat_points_are_named() {
    let apply = "p in v(:; t) v[p; t+1] = stencil(v[p; t]);";
    let whole = "for point p in u(:; t) u[p; t+1] = stencil(u[p; t]);";
    for (body, told) in [
        (
            "for subdomain v(cb) in u(:; t)\n for point p in v(:, v.min(2); t) v[p; t+1] = stencil(v[p; t]);",
            "4:35: this statement leaves out the point x = -1, y = 4\n",
        ),
        (
            "for z = 3 .. 8 for point p in u(:, z; t) u[p; t+1] = stencil(u[p; t]);",
            "3:1: the loop over 'z' leaves out the point x = -1, y = 9\n",
        ),
        (
            "for z = 3 .. 10 for point p in u(:, z; t) u[p; t+1] = stencil(u[p; t]);",
            "the loop computes y = 10, and the domain is 3 .. 9\n",
        ),
        (
            &format!("{whole} for subdomain v(2, 2) in u(1 .. 2, 4; t) for point {apply}"),
            "the strategy computes the point x = 1, y = 4 2 times\n",
        ),
        (
            &format!(
                "for subdomain v(4, 3) in u(:; t) parallel for subdomain w(2, 2) in v(: + stencil.box; t) {whole}"
            ),
            "computes the point",
        ),
        ("if (n == 2) u[:; t+1] = stencil(u[:; t]);", "the strategy leaves out the point x = -1, y = 3\n"),
        ("for subdomain v(n - 1, 2) in u(:; t) u[v; t+1] = stencil(u[v; t]);", "the size of 'v' is 0"),
        ("for z = 3 .. 9 { int a = n / (z - 3); for point p in u(:, z; t) u[p; t+1] = stencil(u[p; t]); }", "no value"),
        (
            "for z = 3 .. 9 for subdomain v(z - 5, 1) in u(:, z; t) u[v; t+1] = stencil(u[v; t]);",
            "the size of 'v' is -2",
        ),
    ] {
        let error = refused(&step(body));
        assert!(error.contains(told), "{error}\ninstead of {told}");
    }
    // The same points by other loops are right.
    for body in [
        "for subdomain v(4, 3) in u(:; t) for z = v.min(2) .. v.max(2) \
         for point p in v(:, z; t) v[p; t+1] = stencil(v[p; t]);",
        "u[:, 3 .. 5; t+1] = stencil(u[:, 3 .. 5; t]); u[:, 6 .. 9; t+1] = stencil(u[:, 6 .. 9; t]);",
        "for point p in u(: - stencil.box; t) u[p; t+1] = stencil(u[p; t]);
         u[u.min(1) .. -1, :; t+1] = stencil(u[u.min(1) .. -1, :; t]);
         for x = 6 .. 7 u[x, :; t+1] = stencil(u[x, :; t]);
         for x = 0 .. 5 { u[x, 3; t+1] = stencil(u[x, 3; t]); u[x, 8 .. 9; t+1] = stencil(u[x, 8 .. 9; t]); }",
    ] {
        let plane = stencil(2, "long", "keep");
        for target in targets() {
            check(&plane, &[("n", 9), ("m", 7)], &schedule(&step(body)), &target, 2);
        }
    }
}

#[test]
fn steps_and_names_that_do_not_fit_are_told() {
    let points = "for point p in u(:; t) u[p; t+1] = stencil(u[p; t]);";
    for (text, told) in [
        (format!("strategy s (domain u) {{ {points} }}"), "there is no 't' here"),
        ("strategy s (domain u) { }".to_owned(), "has no loop over time"),
        ("strategy s (domain u) { for t = 1 .. stencil.t_max parallel { } }".to_owned(), "is not parallel"),
        (format!("strategy s (domain u) {{ for t = 2 .. stencil.t_max {points} }}"), "has stencil.t_max iterations"),
        (format!("strategy s (domain u) {{ for t = 1 .. stencil.t_max by 2 {points} }}"), "goes by 1, not 2"),
        (step("for s = 1 .. stencil.t_max { }"), "there is a loop over time already"),
        (step("for point p in u(:; t) u[p; t+2] = stencil(u[p; t]);"), "does not write the level behind it"),
        (step("for point p in u(:; t) u[p; t+1] = stencil(u[p; 2 * t]);"), "a level is the variable"),
        (step("int a = t % 2;"), "cannot depend on time"),
        (step("for point p in u(:; t) u[p; t+1] = stencil(u[:; t]);"), "at the same points"),
        (step("for subdomain v(8) in u(:; t) u[v; t+1] = stencil(u[v; t]);"), "has 1 components, and 2 are wanted"),
        (step("for subdomain v(cb(3), 1) in u(:; t) { }"), "there is no component 3: there are 2"),
        (step("for subdomain v(w.size) in u(:; t) { }"), "there is no 'w' here"),
        (step("int a = 1; for z = 1 .. 3 parallel a = 2;"), "belongs to no single iteration"),
        (step("n = 2;"), "which keeps its value"),
        (step("u[:; t+1] = u[:; t];"), "values of grids come from the stencil"),
        (step("for z = 1 .. 3 by 0 { }"), "the step 0 is not positive"),
        (step("for z = 1 .. 3 parallel 0 { }"), "the number of threads is 0"),
        (step("codim(2) a;"), "codim(2) has no component in 2 dimensions"),
        (step("int a = 1 / 0;"), "a number has no value"),
        (step("dim a = (1 ..., 2 ...);"), "dots fill a vector in one place"),
        (schedule_text(QUEUE).replace(" by steps", ""), "'queue' has memory of its own"),
    ] {
        let error = refused(&text);
        assert!(error.contains(told), "{error}\ninstead of {told}");
        assert!(error.ends_with('^'), "{error}");
    }
    let compact = schedule(&schedule_text("compact"));
    let reason = |own: affinimath_stencil::Result<Schedule>| own.expect_err("no parameter").reason;
    assert!(reason(compact.clone().with("tb", &[1])).contains("has no parameter 'tb': it has cb"));
    assert!(reason(compact.clone().with("cb", &[])).contains("has no value"));
    let plan = Plan::new(&stencil(2, "int", "keep"), Target::Host, &[("n", 9), ("m", 7)]).expect("a plan");
    let three = compact.with("cb", &[1, 2, 3]).expect("values");
    let error = plan.with_strategy(three).err().expect("three components");
    assert!(error.reason.contains("'cb' has 2 components, and 3 values are given"), "{error}");
}

#[test]
fn parameters_have_values_and_the_first_is_taken() {
    let bound = Bound::new(&stencil(3, "int", "keep"), &[("n", 100), ("m", 50), ("l", 20)]).expect("sizes");
    let chunked = schedule(&schedule_text("chunked"));
    assert_eq!(chunked.parameters().collect::<Vec<_>>(), ["cb", "chunk"]);
    let blocks = [vec![100, 50, 25], vec![4, 8, 16, 32, 64], vec![4, 8, 16, 32, 64]];
    assert_eq!(chunked.possible("cb", &bound).expect("sets"), blocks);
    assert_eq!(chunked.possible("chunk", &bound).expect("sets"), [vec![1, 2, 4, 8, 16, 32]]);
    let own = |values: &[(String, Vec<i64>)]| values.iter().map(|(_, own)| own.clone()).collect::<Vec<_>>();
    assert_eq!(own(&chunked.values(&bound).expect("values")), [vec![100, 4, 4], vec![1]]);
    let given = chunked.clone().with("cb", &[30, 20, 10]).and_then(|own| own.with("chunk", &[7])).expect("parameters");
    assert_eq!(own(&given.values(&bound).expect("values")), [vec![30, 20, 10], vec![7]]);
    assert_eq!(given.label(), "chunked:cb=30x20x10,chunk=7");
    let compact = schedule(&schedule_text("compact"));
    assert_eq!(own(&compact.values(&bound).expect("values")), [vec![100, 16, 16]]);
    assert_eq!(compact.possible("cb", &bound).expect("values")[2], [1, 2, 4, 8, 16, 20]);
    let space = chunked.space(&bound).expect("a space");
    assert_eq!(space.combinations(), 3 * 5 * 5 * 6);
    let first = chunked.configuration(&bound).expect("values");
    assert!(space.find(&first).is_some(), "{first}");
    let last = space.points().last().expect("points");
    let fastest = chunked.at(&space.configuration(last), &bound).expect("a point");
    assert_eq!(fastest.label(), "chunked:cb=100x64x64,chunk=32");
    assert_eq!(fastest.space(&bound).expect("a space").combinations(), 1);
    assert!(compact.at(&first, &bound).is_ok());
    assert!(chunked.at(&compact.configuration(&bound).expect("values"), &bound).is_err(), "a chunk is missing");
    let points = schedule("strategy s (domain u) { }").space(&bound);
    assert!(points.expect_err("no parameters").reason.contains("has no parameters"));
    let endless = schedule("strategy s (domain u, auto int n = 1 : *1 : 4) { }");
    assert!(endless.possible("n", &bound).expect_err("no end").reason.contains("1 : 1 : 4 have no end"));
}

#[test]
fn plans_tell_their_loops_and_print_their_kernels() {
    let plane = stencil(2, "float", "keep");
    for target in targets() {
        let plan = Plan::new(&plane, target, &[("n", 40), ("m", 30)]).expect("a plan");
        let plan = plan.with_strategy(schedule(&schedule_text("groups"))).expect("a strategy");
        assert!(plan.explain().contains("groups"), "{}", plan.explain());
        let source = plan.source(affinimath_stencil::Language::OpenCl).expect("kernels");
        assert!(source.contains("\nvoid taps_stage_0_loops_"), "{source}");
        assert!(matches!(plan.strategy(), Strategy::Schedule(_)));
        // Another strategy forgets the loops.
        let plan = plan.with_strategy(Strategy::Naive).expect("a strategy");
        assert!(!plan.source(affinimath_stencil::Language::OpenCl).expect("kernels").contains("_loops_"));
    }
}
