//! Stencils built by programs: equal to texts, and refused by the same rules.

mod common;

use affinimath_stencil::Stencil;
use affinimath_stencil::definition::*;
use common::{example, parse};

#[test]
fn programs_build_what_texts_say() {
    let wave = Stencil::build::<3>("wave", Type::F32, |s| {
        s.domain([(); 3].map(|()| Range::new(1, "N")));
        s.steps(100);
        let (u, c) = (s.grid("u"), s.parameter("c2dt_h2"));
        let near = u[[1, 0, 0]] + u[[-1, 0, 0]] + u[[0, 1, 0]] + u[[0, -1, 0]] + u[[0, 0, 1]] + u[[0, 0, -1]];
        let far = u[[2, 0, 0]] + u[[-2, 0, 0]] + u[[0, 2, 0]] + u[[0, -2, 0]] + u[[0, 0, 2]] + u[[0, 0, -2]];
        let centre = u[[0, 0, 0]];
        let sum = -15.0 / 2.0 * centre + 4.0 / 3.0 * near - 1.0 / 12.0 * far;
        s.set(u, 2 * centre - u.at_time(-1)[[0, 0, 0]] + c * sum);
    });
    assert_eq!(wave, Ok(example("wave")));

    let red_black = Stencil::build::<3>("red_black", Type::F64, |s| {
        let (u, f, h2) = (s.grid("u"), s.coefficient("f"), s.parameter("h2"));
        s.stage("sweep_once", Sweep::RedBlack);
        let x = u[[-1, 0, 0]] + u[[1, 0, 0]];
        let y = u[[0, -1, 0]] + u[[0, 1, 0]];
        let z = u[[0, 0, -1]] + u[[0, 0, 1]];
        s.set(u, (x + y + z - h2 * f[[0, 0, 0]]) / 6);
        let residual = s.result("residual", Reduction::Norm2, u.at_time(1)[[0, 0, 0]] - u[[0, 0, 0]]);
        for axis in 0..3 {
            s.boundary_of_axis(u, axis, Boundary::Value(s.constant(0.0).expression()));
        }
        s.stop(residual.with(Binary::Less, 1e-10), 5);
    })
    .expect("a stencil");
    let text = example("red_black").to_string();
    let text = text.replace(") sweep red_black {", ") { sequence { stage sweep_once sweep red_black {");
    let text = text.replace("  boundary {", "}} boundary {");
    assert_eq!(red_black, parse(&text));
}

fn grid(name: &str) -> Grid {
    Grid {
        name: name.to_owned(),
        kind: Type::F64,
        constant: false,
        axes: vec![0],
        memory: None,
        components: Vec::new(),
        shift: Vec::new(),
    }
}

fn table(kind: Type, values: &[f64]) -> Parameter {
    let values = Some(values.iter().map(|&value| Constant(value)).collect());
    Parameter { name: "c".to_owned(), kind, ranges: vec![Range::new(0, 1)], values }
}

/// The reason for which a stencil on one axis with a grid `u` is refused.
fn refusal(define: impl for<'s> FnOnce(&Builder<'s, 1>, GridHandle<'s, 1>)) -> String {
    let built = Stencil::build::<1>("s", Type::F64, |s| define(s, s.grid("u")));
    built.expect_err("a stencil that is refused").reason
}

#[test]
fn programs_are_refused_by_the_rules_of_texts() {
    assert_eq!(refusal(|_, _| {}), "the operation has no statement");
    assert_eq!(refusal(|s, u| s.set(u, u[[1500]])), "an offset of 'u' is greater than 1000");
    assert_eq!(refusal(|s, u| s.set(u, u[[i32::MIN]])), "an offset of 'u' is greater than 1000");
    assert_eq!(refusal(|s, u| s.set(u, u.at_time(-16)[[0]])), "'u' has at most 16 levels");
    assert_eq!(refusal(|s, u| s.set(u, u.at_time(i32::MIN)[[0]])), "'u' has at most 16 levels");
    assert_eq!(refusal(|s, u| s.set(u, u.at_time(2)[[0]])), "'u' at t+2 is never computed: the method is not explicit");
    assert_eq!(refusal(|s, u| s.set(u, u.component(1)[[0]])), "'u' has no such component");
    assert_eq!(
        refusal(|s, u| {
            s.declare(grid("u"));
            s.set(u, 1.0)
        }),
        "'u' is declared twice"
    );
    assert_eq!(
        refusal(|s, u| {
            s.declare(grid("2x"));
            s.set(u, 1.0)
        }),
        "'2x' is no name: letters, digits and '_', not a digit first"
    );
    assert_eq!(
        refusal(|s, u| {
            s.declare(grid("t"));
            s.set(u, 1.0)
        }),
        "'t' is reserved"
    );
    let conditions = |s: &Builder<'_, 1>| {
        s.declare(Grid { kind: Type::Bool, ..grid("v") });
    };
    assert_eq!(
        refusal(|s, u| {
            conditions(s);
            s.set(u, 1.0)
        }),
        "'v' holds conditions: a grid holds numbers"
    );
    assert_eq!(
        refusal(|s, u| {
            let condition = u[[0]].value().with(Binary::Less, 1);
            s.temporary("d", condition);
            s.set(u, 1)
        }),
        "'d' is a condition: a temporary is a number"
    );
    assert_eq!(
        refusal(|s, u| s.set(u, u[[0]] + u[[0]].value().with(Binary::Less, 1))),
        "a condition is no number: write 'condition ? 1 : 0'"
    );
}

#[test]
fn numbers_that_texts_cannot_have_are_refused() {
    assert_eq!(refusal(|s, u| s.set(u, s.constant(f64::NAN))), "the constant is not finite");
    assert_eq!(refusal(|s, u| s.set(u, s.coordinate(1))), "there is no axis 1 of 1");
    for (parameter, wanted) in [
        (table(Type::F64, &[1.0]), "the table 'c' has 2 elements, and 1 values"),
        (table(Type::F64, &[1.0, f64::NAN]), "the table 'c' holds a value that is no finite number of double"),
        (table(Type::F32, &[1.0, 0.1]), "the table 'c' holds a value that is no finite number of float"),
        (table(Type::I32, &[1.0, 0.5]), "the table 'c' holds a value that is no finite number of int"),
        (table(Type::I32, &[1.0, 3e9]), "the table 'c' holds a value that is no finite number of int"),
    ] {
        let reason = refusal(|s, u| {
            s.array(parameter);
            s.set(u, 1)
        });
        assert_eq!(reason, wanted);
    }
    let reason = refusal(|s, u| {
        s.domain([Range::new(i64::MIN, 5)]);
        s.set(u, 1)
    });
    assert_eq!(reason, "a size is beyond 64 bits");
    let built = Stencil::build::<0>("s", Type::F64, |_| {});
    assert_eq!(built.expect_err("no axis").reason, "a stencil has 1 to 6 axes, not 0");
}

/// Powers of powers double what a text would have: the size of a text is limited before the graph's.
#[test]
fn expressions_that_are_too_long_as_texts_are_refused() {
    let reason = refusal(|s, u| {
        let mut value = u[[0]].value();
        for _ in 0..30 {
            value = value * value;
        }
        s.set(u, value)
    });
    assert_eq!(reason, "the expression has more than 1000000 operations");
    let reason = refusal(|s, u| {
        let mut value = u[[0]].value();
        for _ in 0..200 {
            value = 1.0 / value;
        }
        s.set(u, value)
    });
    assert_eq!(reason, "the expression has more than 100 levels");
    let reason = refusal(|s, u| {
        let taps = (0..20_000).map(|number| u.at_time(-(number / 1000))[[number % 1000]].value());
        s.set(u, taps.reduce(|a, b| a + b).expect("taps"))
    });
    assert_eq!(reason, "the stencil has more than 10000 different taps");
}

#[test]
fn sizes_come_back_from_their_print() {
    let n = || Size::from("n");
    let negated = |size: Size| Size::Negate(Box::new(size));
    let sizes = [
        negated(Size::from(3)),
        negated(Size::from(-3)),
        negated(negated(n())),
        negated(n() + 1) * -2,
        n() - (n() - 1),
        n() / (n() * 2) - -1,
        Size::Operation(SizeOperator::Min, Box::new((n() + 1, negated(n())))),
    ];
    for size in sizes {
        let built = Stencil::build::<1>("s", Type::F64, |s| {
            s.domain([Range::new(size.clone(), size.clone() + 5)]);
            let u = s.grid("u");
            s.set(u, u[[1]]);
        })
        .expect("a stencil");
        assert_eq!(parse(&built.to_string()), built, "{built}");
    }
}
