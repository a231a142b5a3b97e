//! The language: precedence, constants, comprehensions, spellings, and errors with their location.

mod common;

use affinimath_stencil::Stencil;
use affinimath_stencil::definition::{Boundary, Linear, Range, Side, Size, Sweep, Type};
use common::{example, example_text, parse};

fn around(declarations: &str, statements: &str, sections: &str) -> String {
    let head =
        format!("stencil s {{\n  domainsize = (1 .. nx, 1 .. ny);\n  operation (double grid u{declarations}) {{\n");
    format!("{head}{statements}\n  }}\n{sections}\n}}")
}

/// The printed form of an expression of a, b, c (double), i (int), f (float) and the grid u.
fn printed(expression: &str) -> String {
    let declarations =
        ", double param a, double param b, double param c, int param i, float param f, double param p[3]";
    let stencil = parse(&around(declarations, &format!("u[x,y; t+1] = {expression};"), ""));
    let text = stencil.to_string();
    let start = text.find("u[x, y; t+1] = ").expect("the assignment") + "u[x, y; t+1] = ".len();
    text[start..].lines().next().expect("a line").trim_end_matches(';').to_owned()
}

#[test]
fn operators_bind_as_documented() {
    let table = [
        ("-a^2", "-a ^ 2"),
        ("(-a)^2", "(-a) ^ 2"),
        ("a^b^c", "pow(a, pow(b, c))"),
        ("2^3^2", "512.0"),
        ("-2^2", "-4.0"),
        ("a^-2", "a ^ -2"),
        ("a^2^-1", "pow(a, 0.5)"),
        ("a^100", "pow(a, 100.0)"),
        ("-a * b", "-a * b"),
        ("-(a * b)", "-(a * b)"),
        ("a - b - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"),
        ("a / b * c", "a / b * c"),
        ("a / (b * c)", "a / (b * c)"),
        ("a + b % c", "a + b % c"),
        ("- -a", "-(-a)"),
        ("+a", "a"),
        ("a < b < c ? 1 : 0", "a < b && b < c ? 1.0 : 0.0"),
        ("a < b == (b < c) ? 1 : 0", ""),
        ("a < b || b < c && !(c < a) ? a : b", "a < b || b < c && !(c < a) ? a : b"),
        ("a < b ? a : b < c ? b : c", "a < b ? a : (b < c ? b : c)"),
        ("min(a, b, c)", "min(min(a, b), c)"),
        ("fabs(a) + fmax(b, c)", "abs(a) + max(b, c)"),
    ];
    for (expression, wanted) in table {
        if wanted.is_empty() {
            let text =
                around(", double param a, double param b, double param c", &format!("u[x,y; t+1] = {expression};"), "");
            assert!(Stencil::parse(&text).is_err(), "{expression}");
        } else {
            assert_eq!(printed(expression), wanted, "{expression}");
        }
    }
}

#[test]
fn constants_are_folded_in_double_precision() {
    let table = [
        ("-15/2 * a", "-7.5 * a"),
        ("4/3 * a", "1.3333333333333333 * a"),
        ("1/12*f", "double(0.083333336 * f)"),
        ("9./8. + .5e1 + 2.5f", "8.625"),
        ("exp(0 * 3) * a", "1.0 * a"),
        ("7 % 3 + -7 % 3", "3.0"),
        ("1 < 2 ? a : b", "a"),
        ("2 * i", "double(2 * i)"),
        ("2.5 * i", "2.5 * double(i)"),
        ("i / 2", "double(i) / 2.0"),
        ("int(2.7) * i", "double(2 * i)"),
        ("f * a", "double(f) * a"),
        ("x * f", "double(float(x) * f)"),
        ("x + i + nx", "double(x + long(i) + nx)"),
        ("p[x % 3]", "p[x % 3]"),
        ("a < b ? 1/3 : 0", "a < b ? 0.3333333333333333 : 0.0"),
        ("100000000000000000000 * a", "1e20 * a"),
    ];
    for (expression, wanted) in table {
        assert_eq!(printed(expression), wanted, "{expression}");
    }
}

#[test]
fn comprehensions_are_written_out_in_order() {
    let table = [
        ("{ d in axes } sum(u[d+1; t] + u[d-1; t])", "u[x+1,y; t] + u[x-1,y; t] + (u[x,y+1; t] + u[x,y-1; t])"),
        ("{ i=-1..1 } sum(i * u[x+i,y; t])", "-1.0 * u[x-1,y; t] + 0.0 * u[x,y; t] + 1.0 * u[x+1,y; t]"),
        ("{ i=0..1, j=0..1 : i != j } product(u[x+i,y-2*j; t])", "u[x,y-2; t] * u[x+1,y; t]"),
        ("{ i=0..2 } max(u[x+i,y; t])", "max(max(u[x,y; t], u[x+1,y; t]), u[x+2,y; t])"),
        ("{ i=1..0 } sum(u[x+i,y; t]) + a", "0.0 + a"),
        ("{ i=0..1 } sum({ j=0..i } sum(p[i+j]))", "p[0] + (p[1] + p[2])"),
        ("{ d in axes } sum(d)", "double(x + y)"),
        ("{ d in axes, e in axes : d != e } sum(u[d+1,e-1; t])", ""),
    ];
    for (expression, wanted) in table {
        if !wanted.is_empty() {
            assert_eq!(printed(expression), wanted, "{expression}");
        }
    }
    assert_eq!(printed("{ i=0..4999 } sum(p[i % 3] * a)").matches('+').count(), 4999);
}

/// Texts are read with blanks, line ends and comments anywhere, and with dots as the thesis prints them.
#[test]
fn spellings_do_not_matter() {
    for name in ["laplacian", "wave", "blur", "hyperthermia", "uxx1", "xyzq", "heat", "fdtd", "life"] {
        let text = example_text(name);
        let stencil = parse(&text);
        let mut wide = String::new();
        let without_comments: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
        for character in without_comments.join("\n").chars() {
            match character {
                '[' | ']' | '(' | ')' | ',' | ';' | '{' | '}' | '?' => {
                    wide.push_str(&format!("\n {character} /* {name} */ "))
                }
                other => wide.push(other),
            }
        }
        assert_eq!(parse(&wide), stencil, "{name}");
        let spaced = text.replace("[x-1", "[x - 1").replace("[x+1", "[x + 1").replace(" .. ", " ... ");
        assert_eq!(parse(&spaced), stencil, "{name}");
        assert_eq!(parse(&text.replace('\n', "\r\n").replace(" .. ", "..")), stencil, "{name}");
    }
}

/// The thesis' own forms: brackets on lines of their own, blanks before arguments, numbers that end in a point.
#[test]
fn blur_of_the_thesis_parses_unchanged() {
    let blur = "stencil blur
{
  domainsize = (1 .. width, 1 .. height);
  t_max = 1;

  operation (float grid u, float param sigma)
  {
    float f0 = 1 / (2 * sigma ^ 2);
    float s0 = exp (0 * f0);
    float s1 = exp (-1 * f0);
    float s2 = exp (-2 * f0);
    float s4 = exp (-4 * f0);
    float s5 = exp (-5 * f0);
    float s8 = exp (-8 * f0);
    float f = 1 / (s0 + 4 * (s1 + s2 + s4 + s8) + 8 * s5);

    u[x, y; t+1] = f * (
      s0 * u[x, y; t] +
      s1 * (u[x - 1, y; t] + u[x + 1, y; t] +
        u[x, y - 1; t] + u[x, y + 1; t]) +
      s2 * (u[x - 1, y - 1; t] + u[x + 1, y - 1; t] +
        u[x - 1, y + 1; t] + u[x + 1, y + 1; t]) +
      s4 * (u[x - 2, y; t] + u[x + 2, y; t] +
        u[x, y - 2; t] + u[x, y + 2; t]) +
      s5 * (
        u[x - 2, y - 1; t] + u[x - 1, y - 2; t] +
        u[x + 1, y - 2; t] + u[x + 2, y - 1; t] +
        u[x - 2, y + 1; t] + u[x - 1, y + 2; t] +
        u[x + 1, y + 2; t] + u[x + 2, y + 1; t]
      ) +
      s8 * (u[x - 2, y - 2; t] + u[x + 2, y - 2; t] +
        u[x - 2, y + 2; t] + u[x + 2, y + 2; t])
    );
  }
}";
    assert_eq!(parse(blur), example("blur"));
}

#[test]
fn waves_of_the_thesis_parse_unchanged() {
    let uxx1 = "stencil pmcl3d_uxx1
{
  domainsize = (nxb .. nxe, nyb .. nye, nzb .. nze);
  t_max = 1;

  operation (
    const float grid d1(-1 .. nxt+2, -1 .. nyt+2, -1 .. nzt+2),
    float grid u1(-1 .. nxt+2, -1 .. nyt+2, -1 .. nzt+2),
    const float grid xx(-1 .. nxt+2, -1 .. nyt+2, -1 .. nzt+2),
    const float grid xy(-1 .. nxt+2, -1 .. nyt+2, -1 .. nzt+2),
    const float grid xz(-1 .. nxt+2, -1 .. nyt+2, -1 .. nzt+2),
    float param dth)
  {
    float c1 = 9./8.;
    float c2 = -1./24.;

    float d = 0.25 *
      (d1[x,y,z] + d1[x,y-1,z] + d1[x,y,z-1] + d1[x,y-1,z-1]);
    u1[x,y,z; t+1] = u1[x,y,z; t] + (dth / d) * (
      c1 * (
        xx[x,y,z] - xx[x-1,y,z] +
        xy[x,y,z] - xy[x,y-1,z] +
        xz[x,y,z] - xz[x,y,z-1]) +
      c2 * (
        xx[x+1,y,z] - xx[x-2,y,z] +
        xy[x,y+1,z] - xy[x,y-2,z] +
        xz[x,y,z+1] - xz[x,y,z-2])
    );
  }
}";
    assert_eq!(parse(uxx1), example("uxx1"));
}

#[test]
fn other_forms_of_the_thesis_parse_unchanged() {
    let life = "stencil game_of_life
{
  domainsize = (1 .. width, 1 .. height);
  t_max = 1;

  operation (float grid u)
  {
    // some large number
    float C = 100000000000000000000;

    // count the number of live neighbors
    float L =
      u[x - 1, y - 1; t] + u[x, y - 1; t] + u[x + 1, y - 1; t] +
      u[x - 1, y    ; t] +                  u[x + 1, y    ; t] +
      u[x - 1, y + 1; t] + u[x, y + 1; t] + u[x + 1, y + 1; t];

    // apply the rules
    u[x, y; t+1] = 1 / (1 + (u[x, y; t] + L - 3) * (L - 3) * C);
  }
}";
    assert_eq!(parse(life), example("game_of_life"));
    // The grammar has a name after `operation`, and axes by number.
    let named =
        example_text("laplacian").replace("operation (", "operation sweep_once (").replace("[x+1,y,z", "[x0+1,x1,x2");
    assert_eq!(parse(&named), example("laplacian"));
    // The listing of upstream lacks its last bracket.
    let text = example_text("upstream").replace("z+2; t]));", "z+2; t]);");
    assert_eq!(Stencil::parse(&text).expect_err("a bracket is missing").reason, "')' expected, not ';'");
}

#[test]
fn later_forms_are_read() {
    let head = parse(
        "stencil head (double grid u, const double grid k(y)) {
           domainsize = (0 .. 2*n - 1, 0 .. max(n, 3) / 2);
           iterate while t < steps;
           operation sweep red_black { u[x,y; t+1] = k[y] * u[x-1,y; t]; }
         }",
    );
    assert_eq!(head.stages()[0].sweep, Sweep::RedBlack);
    assert_eq!(head.grids()[1].axes, [1]);
    assert_eq!(head.steps(), Some(&Size::from("steps")));
    assert_eq!(head.symbols(), ["n", "steps"]);
    let upper = head.domain()[0].upper.linear();
    assert_eq!(upper, Some(Linear { constant: -1, factors: [("n".to_owned(), 2)].into() }));
    assert_eq!(head.domain()[1].upper.linear(), None);
    assert_eq!(head.domain()[0], Range::new(0, Size::from(2) * "n" - 1));
    assert_eq!(parse(&head.to_string()), head);
    let shifted = example("fdtd");
    assert_eq!((&shifted.grids()[1].shift[..], &shifted.grids()[2].shift[..]), (&[0, 1][..], &[1, 0][..]));
    assert_eq!(shifted.boundary(0, 0, 1, Side::Upper), shifted.boundary(0, 0, 0, Side::Lower));
    assert_eq!(shifted.boundary(1, 0, 1, Side::Lower), Boundary::Symmetric);
    assert_eq!(shifted.boundary(1, 0, 0, Side::Lower), Boundary::Keep);
}

/// Statements, and the line, the column and the reason of their error. Statements begin on line 4.
const STATEMENTS: [(&str, &str, &str); 36] = [
    ("", "u[x,y; t+1] = v[x,y];", "4:15: unknown grid or parameter 'v'"),
    ("", "u[x,y; t+1] = q;", "4:15: unknown name 'q'"),
    ("", "u[x,y; t+1] = foo(1);", "4:15: unknown function 'foo'"),
    ("", "u[x,y; t+1] = sin(1, 2);", "4:15: 'sin' takes 1 argument, not 2"),
    ("", "u[x,y; t+1] = u[x,y];", "4:15: 'u' changes in time: a level is needed, such as '; t'"),
    ("", "u[x,y; t+1] = u[y,x; t];", "4:17: the coordinates of 'u' are [x, y]"),
    ("", "u[x,y; t+1] = u[x; t];", "4:17: the coordinates of 'u' are [x, y]"),
    ("", "u[x,y; t+1] = u[x,x; t];", "4:17: an axis stands twice in the coordinates"),
    ("", "u[x,y; t+1] = u[x+nx,y; t];", "4:19: an offset is a constant integer"),
    ("", "u[x,y; t+1] = u[x+1/2,y; t];", "4:19: an offset is a constant integer"),
    ("", "u[x,y; t+1] = u[x+2000,y; t];", "4:15: an offset of 'u' is greater than 1000"),
    ("", "u[x,y; t+1] = u[x,z; t];", "4:19: 'z' is no axis of the domain"),
    ("", "u[x,y; t+1] = u[x,y; t+1];", "4:15: 'u' at t+1 is being computed: only its centre is known"),
    ("", "u[x,y; t+1] = 1; u[x,y; t+1] = u[x+1,y; t+1];", "4:32: 'u' at t+1 is being computed"),
    ("", "u[x,y; t+1] = u[x,y; t+2];", "4:15: 'u' at t+2 is never computed: the method is not explicit"),
    ("", "u[x,y; t] = u[x,y; t+1];", "4:13: 'u' at t+1 is never computed"),
    ("", "u[x,y; t-1] = 1;", "4:1: a step assigns 'u' at t+1 or t"),
    ("", "u[x,y; t+1] = 1; u[x,y; t] = 1;", "4:18: 'u' is assigned at different times: t+1 and t"),
    ("", "u[x+1,y; t+1] = 1;", "4:1: 'u' is assigned at the point itself, without offsets"),
    ("", "u[x,y] = 1;", "4:1: 'u' is assigned at a level, such as t+1"),
    (", const double grid k", "k[x,y] = 1;", "4:1: 'k' is constant: it cannot be assigned"),
    (", const double grid k", "u[x,y; t+1] = k[x,y; t];", "4:22: 'k' is constant: it has no time"),
    (", double grid v", "u[x,y; t+1] = v[x,y; t-1];", "4:15: 'v' is never assigned: it has the level t alone"),
    (", double grid v[2]", "v[x,y; t+1; 2] = 1;", "4:13: the component 2 is not within 0 .. 1"),
    (", double grid v[2]", "v[x,y; t+1; 1] = 1;", "3:41: component 0 of 'v' is never assigned"),
    (", double grid v[2]", "v[x,y; t+1] = 1;", "4:11: 'v' is an array of grids: a component is needed, such as '; 0'"),
    (", int grid m", "m[x,y; t+1] = 1.5;", "4:15: a real number is assigned to int: convert it by int(...)"),
    ("", "u[x,y; t+1] = 1 + (u[x,y; t] < 2);", "4:17: a condition is no number"),
    ("", "u[x,y; t+1] = u[x,y; t] ? 1 : 2;", "4:25: a condition is needed here, such as a comparison"),
    ("", "u[x,y; t+1] = d; double d = 1;", "4:15: unknown name 'd'"),
    ("", "double d = 1; double d = 2;", "4:22: 'd' is declared twice"),
    ("", "u[x,y; t+1] = 1 / 0;", "4:17: the constant is not finite"),
    ("", "u[x,y; t+1] = 1", "5:3: ';' expected, not '}'"),
    ("", "u[x,y; t+1] = (1;", "4:17: ')' expected, not ';'"),
    ("", "u[x,y; t+1] = 1 $ 2;", "4:17: unexpected character '$'"),
    (", double param c[3]", "u[x,y; t+1] = c[3];", "4:1: the index 3 of 'c' is out of its range"),
];

/// Sections on line 6, with an assigned grid u, a constant grid k, an array v and a result r.
const SECTIONS: [(&str, &str); 22] = [
    ("boundary { q: x = 0; }", "6:12: unknown grid 'q'"),
    ("boundary { x = 0; }", "6:12: a grid expected, such as 'u:'"),
    ("boundary { u: z = 0; }", "6:15: 'z' is no axis of the domain"),
    ("boundary { u: x- = periodic; }", "6:15: 'u' is periodic on one face of the axis x: both are"),
    ("boundary { u: x- = u[x-1,y]; }", "6:20: a boundary of 'u' reads neighbours towards the domain"),
    ("boundary { u: x- = u[x+1,y+1]; }", "6:20: a boundary of 'u' reads neighbours towards the domain"),
    ("boundary { u: x- = v[x+1,y; 0]; }", "6:20: a boundary of 'u' reads 'u' itself and constant grids alone"),
    ("boundary { u: x- = neumann(u[x+1,y]); }", "6:28: a derivative reads constant grids alone"),
    ("boundary { u: x- = r; }", "6:15: the result 'r' is known after the step"),
    ("filter { k[x,y] = 1; }", "6:11: a filter changes a level, such as t+1"),
    ("filter { u[x,y; t] = 1; }", "6:10: a filter changes what a step assigns, and 'u' at t is not"),
    ("filter { u[x,y; t+1] = u[x+1,y; t+1]; }", "6:24: a filter of 'u' reads the level that it changes at the centre"),
    ("filter { u[1; t+1] = 1; }", "6:10: the point has not as many coordinates as the domain"),
    ("filter { u[1, x; t+1] = 1; }", "6:10: a point cannot depend on coordinates"),
    ("initial { u = k[x,y]; }", "6:15: initial values cannot read grids"),
    ("initial { u[x,y; t+1] = 1; }", "6:11: initial values of 'u' are at t or before it"),
    ("stop { when u[x,y; t+1] < 1; }", "6:8: the criterion reads results, parameters and sizes alone"),
    ("stop { when r; }", "6:13: a condition is no number"),
    ("stop { when r < 1 every 0; }", "6:25: the criterion is checked every 1 step or more"),
    ("options { fast = yes; }", "6:11: unknown option 'fast': there is reassociate"),
    ("domainsize = (1 .. 2);", "6:1: 'domainsize' is given twice"),
    ("steps = 3;", "6:1: unknown section 'steps'"),
];

fn check(text: &str, wanted: &str) {
    let error = Stencil::parse(text).err().unwrap_or_else(|| panic!("parsed, wanted {wanted}:\n{text}"));
    let shown = error.to_string();
    assert!(shown.starts_with(wanted), "{shown}\nwanted {wanted}");
    let location = error.location.expect("a location");
    let line = text.lines().nth(location.line - 1).unwrap_or("");
    assert_eq!(location.source, line);
    assert_eq!(shown.lines().count(), 3);
    assert_eq!(shown.lines().last().map(|caret| caret.trim_start()), Some("^"));
}

#[test]
fn errors_have_their_location_and_reason() {
    for (declarations, statements, wanted) in STATEMENTS {
        check(&around(declarations, statements, ""), wanted);
    }
    let declarations = ", const double grid k, double grid v[2], double result r";
    let statements = "u[x,y; t+1] = k[x,y]; v[x,y; t+1; 0] = 1; v[x,y; t+1; 1] = 1; r = sum(1);";
    for (section, wanted) in SECTIONS {
        check(&around(declarations, statements, section), wanted);
    }
    check("", "1:1: 'stencil' expected, not the end of the text");
    check("stencil s {", "1:12: a section of the stencil expected, not the end of the text");
    check("stencil s { domainsize = (1 .. 2); }", "1:36: the stencil has no 'operation'");
    check("stencil s { operation { } }", "1:13: 'domainsize' comes before the operation");
    check("stencil s { domainsize = (1 .. 2); operation (double grid u) { } }", "1:9: the operation has no statement");
    check("stencil s { domainsize = (1 .. 1.5); }", "1:32: a size expected, not 1.5");
    check("stencil s { /* ", "1:13: the comment has no end");
    let twice = "stencil s { domainsize = (1 .. n); operation (double grid u, double param n) { u[x; t] = n; } }";
    check(twice, "1:9: 'n' is declared twice");
    let short = "stencil s { domainsize = (1 .. n); operation (double grid u(1 .. n)) { u[x; t+1] = u[x-1; t]; } }";
    check(short, "1:59: the memory of 'u' begins too late on x: its taps reach 1 farther");
}

#[test]
fn depth_and_length_are_limited() {
    let deep = |count: usize| format!("u[x,y; t+1] = {}1{};", "(".repeat(count), ")".repeat(count));
    assert!(Stencil::parse(&around("", &deep(200), "")).is_ok());
    for text in [
        deep(300),
        format!("u[x,y; t+1] = {}1;", "-".repeat(50_000)),
        format!("u[x,y; t+1] = {};", "u[x,y; t] ? ".repeat(50_000)),
        format!("u[x,y; t+1] = u[x,y; t] {};", "^ (1 + u[x,y; t] ".repeat(50_000)),
        "u[x,y; t+1] = { i=0..9999, j=0..9999 } sum(i);".to_owned(),
        "u[x,y; t+1] = { i=0..9999, j=0..9 } sum({ k=0..9999 } sum(u[x,y; t]));".to_owned(),
    ] {
        let error = Stencil::parse(&around("", &text, "")).expect_err("beyond a limit");
        assert!(error.location.is_some(), "{error}");
    }
    let long = format!("u[x,y; t+1] = u[x,y; t]{};", " + u[x,y; t] * 2".repeat(10_000));
    let stencil = parse(&around("", &long, ""));
    assert_eq!(parse(&stencil.to_string()), stencil);
    let sizes = format!("stencil s {{ domainsize = (1 .. n{}); }}", " + 1".repeat(50_000));
    assert!(Stencil::parse(&sizes).is_err());
    assert!(Stencil::parse(&"x".repeat(2_000_000)).is_err());
}

/// Names may be those of axes and of sections; the print finds other names for what they hide.
#[test]
fn names_may_hide_axes() {
    let stencil = parse(
        "stencil boundary {
           domainsize = (1 .. nx, 1 .. ny);
           operation (double grid u, double grid x, double param keep, double param periodic) {
             double y = x[x,y; t];
             double x1 = 2 * y;
             x[x,y; t+1] = x1 + axis(0) + axis(1) + keep;
             u[x,y; t+1] = u[x-1,y; t];
           }
           boundary { u: x = periodic; y = (periodic); x: y = keep; x- = (keep); }
           filter { u[axis(0),axis(1); t+1] = x0; u[1,2; t+1] = 0; }
         }",
    );
    assert_eq!(stencil.boundary(0, 0, 0, Side::Lower), Boundary::Periodic);
    assert!(matches!(stencil.boundary(0, 0, 1, Side::Lower), Boundary::Value(_)));
    assert_eq!(stencil.boundary(1, 0, 1, Side::Lower), Boundary::Keep);
    assert_eq!(parse(&stencil.to_string()), stencil, "{stencil}");
}

#[test]
fn initial_values_are_added_to_a_stencil() {
    let text = "stencil s {
      domainsize = (1 .. n, 1 .. m);
      operation (double grid u, const float grid k(y)[2], float param x) {
        u[axis(0), y; t+1] = u[axis(0)-1, y; t] + u[axis(0), y; t-1] * k[y; 1] * x;
      }
      initial { u = 1; }
      boundary { u: y = 2 * y + t; }
      filter { u[axis(0), y; t+1] *= 0.5 * k[y; 0]; }
    }";
    let stencil = Stencil::parse(text).expect("it is a stencil");
    let added = stencil.with_initial(0, None, "sin(0.5 * y) + n").expect("it is an expression");
    assert_eq!((added.initial().len(), added.initial()[1].time), (2, None));
    let added = added.with_initial(0, Some(-1), "x").expect("a parameter hides the axis");
    assert_eq!(added.initial()[2].time, Some(-1));
    let added = added.with_initial(1, None, "y * y").expect("each component gets it");
    assert_eq!(added.initial().iter().map(|rule| rule.component).collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
    assert_eq!(Stencil::parse(&added.to_string()).as_ref(), Ok(&added));
    assert!(stencil.with_initial(0, None, "y == 2 && n > 3 ? 1 : 0").is_ok());
    for wrong in ["", "1; u = 2", "1; } stop { when 1 < 2;", "q", "1; } boundary { u: y = 0;"] {
        assert!(stencil.with_initial(0, None, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn real_types_are_replaced_and_integers_stay() {
    let text = "stencil mixed {
      domainsize = (1 .. n);
      operation (float grid u, const double grid k, int grid i, float param a, double table c[2] = { 0.1, 0.2 },
                 double result r, long result m) {
        float temporary = 0.1 * a;
        u[x; t+1] = u[x; t] * temporary + c[x % 2] * k[x] + float(i[x; t]) + x / 3;
        i[x; t+1] = int(double(i[x; t]) / 2);
        r = sum(double(u[x; t+1]));
        m = count(i[x; t+1] > 0);
      }
    }";
    for (real, other) in [(Type::F32, "double"), (Type::F64, "float")] {
        let stencil = Stencil::parse_as(text, real).expect("a stencil");
        // Constants are rounded to the new type alone, and errors keep their location.
        assert_eq!(stencil, parse(&text.replace(other, real.keyword())));
        assert_eq!(stencil.grids()[2].kind, Type::I32);
        let error = Stencil::parse_as(&text.replace("temporary +", "nothing +"), real).expect_err("an unknown name");
        assert!(error.to_string().starts_with("6:31: unknown name 'nothing'"), "{error}");
    }
    assert!(Stencil::parse_as(text, Type::I32).is_err());
}
