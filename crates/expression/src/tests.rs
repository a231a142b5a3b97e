//! Texts, their types and shapes, and their errors.

use super::*;
use affinimath_array::{Element, ElementType, from_vec};

fn array<T: Element>(shape: &[usize]) -> Node {
    from_vec(shape, vec![T::default(); shape.iter().product()]).node().clone()
}

fn operands() -> Vec<(&'static str, Node)> {
    vec![
        ("x", array::<f32>(&[3, 4])),
        ("y", array::<f64>(&[4])),
        ("i", array::<i32>(&[3, 4])),
        ("k", array::<i64>(&[2])),
        ("u", array::<u8>(&[4])),
        ("b", array::<bool>(&[3, 4])),
        ("z", array::<affinimath_core::Complex32>(&[3, 4])),
        ("a", array::<f64>(&[4, 4])),
    ]
}

fn built(text: &str) -> Result<Built, TextError> {
    Expression::parse(text)?.build(&operands())
}

#[track_caller]
fn signature(text: &str) -> (ElementType, Vec<usize>) {
    let built = built(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let (element, shape) = built.value().expect("a value").signature();
    (element, shape.to_vec())
}

#[test]
fn types_and_shapes_are_numpys() {
    use ElementType::{Bool, C32, C64, F32, F64, I32, I64, U8};
    let table: &[(&str, ElementType, &[usize])] = &[
        ("2.5*x", F32, &[3, 4]),
        ("x + y", F64, &[3, 4]),
        ("x + i", F64, &[3, 4]),
        ("u + 1", U8, &[4]),
        ("u / 2", F64, &[4]),
        ("i // 2", I32, &[3, 4]),
        ("i * 0.5", F64, &[3, 4]),
        ("x * 1j", C32, &[3, 4]),
        ("z + y", C64, &[3, 4]),
        ("abs(z)", F32, &[3, 4]),
        ("x > 0", Bool, &[3, 4]),
        ("b + b", Bool, &[3, 4]),
        ("b + 1", I64, &[3, 4]),
        ("sum(b)", I64, &[]),
        ("sum(i, axis=0)", I64, &[4]),
        ("sum(x, axis=(0, 1), keepdims=True)", F32, &[1, 1]),
        ("mean(i)", F64, &[]),
        ("std(z, axis=1)", F32, &[3]),
        ("argmax(x, axis=-1)", I64, &[3]),
        ("x[1:, ::2]", F32, &[2, 2]),
        ("x[0]", F32, &[4]),
        ("x[..., None, -1]", F32, &[3, 1]),
        ("x[k]", F32, &[2, 4]),
        ("x[:, k]", F32, &[3, 2]),
        ("x.T", F32, &[4, 3]),
        ("x.reshape((2, -1))", F32, &[2, 6]),
        ("x @ a", F64, &[3, 4]),
        ("y @ y", F64, &[]),
        ("solve(a, y)", F64, &[4]),
        ("solve_triangular(a, y, lower=True)", F64, &[4]),
        ("solve_triangular(a, y, 1, unit_diagonal=True)", F64, &[4]),
        ("q, r = qr(a); q @ r", F64, &[4, 4]),
        ("lu(a)[1]", F64, &[4, 4]),
        ("fft(x)", C32, &[3, 4]),
        ("rfft(y)", C64, &[3]),
        ("irfft(rfft(y))", F64, &[4]),
        ("where(x > 0, x, 0)", F32, &[3, 4]),
        ("clip(i, 0, 9)", I32, &[3, 4]),
        ("cumsum(x, axis=1)", F32, &[3, 4]),
        ("diff(y)", F64, &[3]),
        ("stack([y, u])", F64, &[2, 4]),
        ("concat((y, y))", F64, &[8]),
        ("arange(5)", I64, &[5]),
        ("linspace(0, 1, 5, dtype=float32)", F32, &[5]),
        ("eye(3)", F64, &[3, 3]),
        ("uniform(7, (2, 3))", F64, &[2, 3]),
        ("float32(y) + 1e300", F32, &[4]),
        ("i ** 2", I32, &[3, 4]),
        ("x ** 0.5", F32, &[3, 4]),
        ("2 ** 3 ** 2", I64, &[]),
        ("trace(a)", F64, &[]),
        ("roll(y, 1) - roll(y, -1)", F64, &[4]),
        ("d = x + 1\ne2 = d * 2 # a comment\nd + e2", F32, &[3, 4]),
        ("_, tail = (x, y); tail", F64, &[4]),
    ];
    for (text, element, shape) in table {
        assert_eq!(signature(text), (*element, shape.to_vec()), "{text}");
    }
}

#[test]
fn numbers_of_the_text_are_computed_by_pythons_rules() {
    let table: &[(&str, f64)] = &[
        ("1 + 2*3", 7.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("7 // 2", 3.0),
        ("-7 // 2", -4.0),
        ("-7 % 3", 2.0),
        ("7.5 % -2", -0.5),
        ("1 / 4", 0.25),
        ("0x10 + 1_000", 1016.0),
        ("1e3 + .5", 1000.5),
        ("~5", -6.0),
        ("6 & 3 | 8", 10.0),
        ("1 << 4 >> 1", 8.0),
        ("- - 3", 3.0),
        ("(1 + 2) * 3", 9.0),
        ("2 * -3", -6.0),
        ("pi", std::f64::consts::PI),
        ("9223372036854775807 + 1", 9_223_372_036_854_775_808.0),
    ];
    for (text, value) in table {
        let built = built(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let affinimath_array::Op::Scalar(number) = built.value().unwrap().op().clone() else { panic!("{text}") };
        let found = match number {
            affinimath_array::Number::Real(affinimath_array::Value::I64(value)) => value as f64,
            affinimath_array::Number::Real(affinimath_array::Value::F64(value)) => value,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(found, *value, "{text}");
    }
}

#[test]
fn errors_show_their_place() {
    let table = [
        ("", "the text has no expression (line 1, column 1)"),
        ("x +", "the end of the expression where a value is expected (line 1, column 4)"),
        ("(x", "the bracket is not closed: \")\" is missing (line 1, column 1)"),
        ("x)", "\")\" closes no bracket (line 1, column 2)"),
        ("x y", "the name \"y\" where an operator or the end is expected (line 1, column 3)"),
        ("x $ y", "'$' is no part of an expression (line 1, column 3)"),
        ("x and y", "\"and\" is none of the operators: write & between conditions in parentheses (line 1, column 3)"),
        ("not x", "\"not\" is none of the operators: write ~ before a condition in parentheses (line 1, column 1)"),
        ("0 < x < 1", "comparisons are not chained: write (a < b) & (b < c) (line 1, column 7)"),
        ("x\nx + w", "no operand is called \"w\" (line 2, column 5)"),
        ("x + yy", "no operand is called \"yy\"; did you mean \"y\"? (line 1, column 5)"),
        ("sine(x)", "no function is called \"sine\"; did you mean \"sin\" or \"sinh\" or \"asin\"? (line 1, column 1)"),
        ("sin", "\"sin\" is a function: its arguments stand in parentheses (line 1, column 1)"),
        ("sum(x, ax=0)", "sum has no argument \"ax\"; it has x, axis, keepdims, dtype (line 1, column 1)"),
        ("atan2(x)", "atan2 lacks its argument \"x\" (line 1, column 1)"),
        (
            "x + a",
            "+: shapes [3, 4] and [4, 4] do not broadcast: extents of an axis are equal, or one is 1 \
             (line 1, column 3)",
        ),
        ("sum(x, axis=2)", "axis 2 does not exist: the array has 2 axes (line 1, column 1)"),
        ("x[5]", "index 5 is outside axis 0, which has 3 elements (line 1, column 2)"),
        ("x[b]", "the elements that a mask selects have no fixed shape: write where(mask, x, y) (line 1, column 3)"),
        ("u + 300", "300 is no number of type u8 (line 1, column 3)"),
        ("1 / 0", "a number is divided by 0 (line 1, column 3)"),
        ("w[0] = x", "\"w\" is no operand: a part of an operand is assigned (line 1, column 2)"),
        ("x[0] = 1j", "a complex number is not assigned to f32 elements (line 1, column 2)"),
        ("x[0] = y", "f64 elements are not assigned to f32 elements (line 1, column 2)"),
        ("x[1.5]", "an index is a whole number, not 1.5 (line 1, column 3)"),
        ("i ** -1", "an integer to the power -1: write the base as a real number (line 1, column 3)"),
        ("a, b2 = x", "an array of type f32 and shape [3, 4] is assigned to 2 names (line 1, column 1)"),
        ("1 = x", "a name is assigned, or a part of a named operand (line 1, column 1)"),
        ("12abc", "1 begins a number that a letter follows (line 1, column 1)"),
    ];
    for (text, expected) in table {
        let error = built(text).expect_err(text).to_string();
        assert_eq!(error.lines().next(), Some(expected), "{text}");
    }
    let error = built("x +\n  sin(w)").expect_err("an operator at the end").to_string();
    assert!(error.contains("line 1"), "{error}");
    let error = built("y; 2*(x + w)").unwrap_err().to_string();
    assert_eq!(error, "no operand is called \"w\" (line 1, column 11)\n    y; 2*(x + w)\n              ^");
}

#[test]
fn names_are_those_that_are_read_first() {
    let names = |text: &str| Expression::parse(text).unwrap().names().to_vec();
    assert_eq!(names("d = x*exp(-r*t); s*d + pi"), ["x", "r", "t", "s", "pi"]);
    assert_eq!(names("x[i] = y; z = x"), ["y", "i", "x"]);
}

#[test]
fn texts_have_limits() {
    let deep = format!("{}x{}", "(".repeat(300), ")".repeat(300));
    assert!(built(&deep).unwrap_err().reason.contains("nested deeper"));
    assert!(built(&"-".repeat(300)).unwrap_err().reason.contains("nested deeper"));
    assert!(built(&"x**".repeat(300)).unwrap_err().reason.contains("nested deeper"));
    assert!(built(&"x+".repeat(1 << 16)).unwrap_err().reason.contains("longer than"));
    let long = vec!["x"; 5000].join(" + ");
    assert_eq!(built(&long).unwrap().value().unwrap().shape().to_vec(), [3, 4]);
}

#[test]
fn functions_behind_dots_nest_too() {
    assert!(built(&format!("x{}", ".T".repeat(150))).is_ok());
    let chain = (0..150).fold("x".to_owned(), |inner, _| format!("({inner}{})", ".T".repeat(199)));
    assert!(built(&chain).unwrap_err().reason.contains("nested deeper"));
    let indices = (0..60).fold("y".to_owned(), |inner, _| format!("({inner}{})", "[None, 0]".repeat(100)));
    assert!(built(&indices).unwrap_err().reason.contains("nested deeper"));
    let calls = (0..180).fold("x".to_owned(), |inner, _| format!("sin(-{inner} + 1)"));
    assert!(built(&calls).is_err());
}

#[test]
fn short_texts_take_little_memory() {
    let lists = format!("t = [y, y]; {}", "t = [t, t, t, t, t, t, t, t]; ".repeat(100));
    assert!(built(&lists).unwrap_err().reason.contains("at most 4096 values"));
    assert_eq!(signature("tile(y, 100000000000)"), (ElementType::F64, vec![400_000_000_000]));
    assert!(built("tile(y, 9223372036854775807)").is_err());
    assert!(built("repeat(zeros((0, 4)), 9223372036854775807, axis=1)").is_err());
}

#[test]
fn tiles_follow_each_other() {
    assert_eq!(signature("tile(x, 2)").1, [3, 8]);
    assert_eq!(signature("tile(x, (2, 1, 3))").1, [2, 3, 12]);
    assert_eq!(signature("tile(x, (0, 2))").1, [0, 8]);
    assert_eq!(signature("tile(x.reshape((1, 1, 1, 1, 1, 1, 3, 4)), 2)").1, [1, 1, 1, 1, 1, 1, 3, 8]);
}

#[test]
fn extreme_integers_are_errors_or_shapes() {
    for text in [
        "roll(y, ~9223372036854775807)",
        "diagonal(x, ~9223372036854775807)",
        "diagonal(x, 9223372036854775807)",
        "y[~9223372036854775807:9223372036854775807:9223372036854775807]",
    ] {
        assert!(built(text).is_ok(), "{text}");
    }
    for text in [
        "y.reshape((4294967296, 4294967296, 4294967296, -1))",
        "zeros(9223372036854775807)",
        "y[~9223372036854775807]",
        "x.sum(axis=~9223372036854775807)",
        "x.transpose((~9223372036854775807, 0))",
        "expand_dims(x, ~9223372036854775807)",
    ] {
        assert!(built(text).is_err(), "{text}");
    }
}

#[test]
fn a_number_for_a_name_takes_the_type_of_its_arrays() {
    let with = |text: &str, name: &str, value: &str| -> Result<Built, TextError> {
        let mut expression = Expression::parse(text)?;
        expression.set_number(name, value)?;
        assert!(!expression.names().contains(&name.to_owned()));
        expression.build(&operands())
    };
    for (text, value, element) in [
        ("n*x", "3.5", ElementType::F32),
        ("n*x", "-pi/4", ElementType::F32),
        ("n*i", "2", ElementType::I32),
        ("n*x", "2j", ElementType::C32),
        ("n", "1e3", ElementType::F64),
        ("n = n + 1; n*u", "1", ElementType::U8),
    ] {
        assert_eq!(with(text, "n", value).unwrap().value().unwrap().element(), element, "{text}, {value}");
    }
    for (name, value) in [("n", "arange(3)"), ("n", ""), ("n", "a = 1"), ("n", "1; 2"), ("1n", "1"), ("", "1")] {
        assert!(with("n*x", name, value).is_err(), "{name}={value}");
    }
    // The place is that of the text, whose numbers stand elsewhere.
    let error = with("n*x + w", "n", "3").unwrap_err().to_string();
    assert!(error.starts_with("no operand is called \"w\" (line 1, column 7)"), "{error}");
}

#[test]
fn bytes_at_random_are_no_panic() {
    let pieces = [
        "x", "y", "(", ")", "[", "]", "+", "-", "**", "1", ".5", "1j", ",", ":", "=", "sum", " ", ";", "ä", "\n",
        "None", "...",
    ];
    let mut state = 12345_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(state >> 60) + 1 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        if let Err(error) = built(&text) {
            assert!(error.to_string().ends_with('^'), "{text:?}");
        }
    }
}
