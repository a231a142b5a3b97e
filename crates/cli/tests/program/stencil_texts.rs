//! Texts that are no stencils, each with one fault: its line and column, and the reason.

/// A stencil with a domain of one axis on its second line, and sections.
macro_rules! s {
    ($sections:literal) => {
        concat!("stencil s {\n  domainsize = (1 .. n);\n", $sections, "}\n")
    };
}

/// The text, the location, and a part of the reason.
pub const WRONG: [(&str, &str, &str); 40] = [
    ("", "1:1", "'stencil' expected"),
    ("heat {\n}\n", "1:1", "'stencil' expected, not 'heat'"),
    ("stencil {\n}\n", "1:9", "expected, not '{'"),
    ("stencil 5th {\n}\n", "1:9", "a name cannot begin with a digit"),
    ("stencil s {\n  domainsize = (1 .. n;\n}\n", "2:23", "expected, not ';'"),
    ("stencil s {\n  domainsize = (1 . n);\n}\n", "2:19", "unexpected character '.'"),
    ("stencil s {\n  domainsize = (1 .. 2.5);\n}\n", "2:22", "a size expected, not 2.5"),
    (
        "stencil s {\n  domainsize = (1 .. n, 1 .. n, 1 .. n, 1 .. n, 1 .. n, 1 .. n, 1 .. n);\n}\n",
        "2:65",
        "a domain has at most 6 axes",
    ),
    (s!("  t_max = ;\n"), "3:11", "a size expected, not ';'"),
    ("stencil s {\n  domainsize = (1 .. n);\n\n", "4:1", "expected, not the end of the text"),
    (s!(""), "3:1", "the stencil has no 'operation'"),
    (
        "stencil s {\n  operation (double grid u) { u[x; t+1] = 0; }\n  domainsize = (1 .. n);\n}\n",
        "2:3",
        "'domainsize' comes before the operation",
    ),
    (s!("  operation (real grid u) { }\n"), "3:14", "a type expected"),
    (s!("  operation (double mesh u) { }\n"), "3:21", "not 'mesh'"),
    (s!("  operation (double grid u, float grid u) { u[x; t+1] = 0; }\n"), "3:40", "'u' is declared twice"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = u[x-1; t]\n  }\n"), "5:3", "';' expected, not '}'"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = u[y; t];\n  }\n"), "4:19", "'y'"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = (u[x; t] + 1;\n  }\n"), "4:29", "')' expected, not ';'"),
    (s!("  operation (double grid u) {\n    u[x+1; t+1] = u[x; t];\n  }\n"), "4:5", "at the point itself"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = u[x-1; t+1];\n  }\n"), "4:17", "only its centre is known"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = u[x; t+2];\n  }\n"), "4:17", "the method is not explicit"),
    (s!("  operation (const double grid k, double grid u) {\n    k[x] = 1;\n  }\n"), "4:5", "constant"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = 1 +* 2;\n  }\n"), "4:20", "not '*'"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = sqr(u[x; t]);\n  }\n"), "4:17", "unknown function 'sqr'"),
    (s!("  operation (double grid u) {\n    u[x; t+1] = sqrt(u[x; t], 2);\n  }\n"), "4:17", "1 argument"),
    (
        s!("  operation (int grid i, double grid u) {\n    i[x; t+1] = u[x; t];\n    u[x; t+1] = 0;\n  }\n"),
        "4:17",
        "int",
    ),
    (s!("  operation (double grid u) {\n    u[x; t+1] = u[x; t] > 0;\n  }\n"), "4:17", "a condition is no number"),
    (
        s!("  operation (double grid u) {\n    u[x; t+1] = u[x; t] ? 1 : 2;\n  }\n"),
        "4:25",
        "a condition is needed here",
    ),
    (
        s!("  operation (double grid u, double param c[3]) {\n    u[x; t+1] = c[0, 1];\n  }\n"),
        "4:17",
        "'c' takes 1 index, not 2",
    ),
    (
        s!("  operation (double grid u[2]) {\n    u[x; t+1; 2] = 0;\n  }\n"),
        "4:15",
        "the component 2 is not within 0 .. 1",
    ),
    (
        s!("  operation (double grid u, double table c[2] = { 1, 2, 3 }) {\n    u[x; t+1] = c[0];\n  }\n"),
        "3:42",
        "the table 'c' has 2 elements, and 3 values",
    ),
    (
        s!("  operation (double grid u, double result r) {\n    u[x; t+1] = 0;\n    r = mean(u[x; t]);\n  }\n"),
        "5:9",
        "a result is 'sum', 'max', 'min', 'norm2' or 'count'",
    ),
    (s!("  operation (double grid u, double result r) {\n    u[x; t+1] = 0;\n  }\n"), "3:43", "'r'"),
    (
        s!("  operation (double grid u) { u[x; t+1] = { i = 1 .. n } sum(i); }\n"),
        "3:54",
        "an end of the range is a constant integer",
    ),
    (s!("  operation (double grid u) { u[x; t+1] = u[x-1; t]; }\n  boundary { u: y = periodic; }\n"), "4:17", "'y'"),
    (s!("  operation (double grid u) { u[x; t+1] = u[x-1; t]; }\n  boundary { u: x = mirror; }\n"), "4:21", "'mirror'"),
    (
        s!("  operation (double grid u) { u[x; t+1] = u[x-1; t]; }\n  stop { when 1 < 2 every 0; }\n"),
        "4:27",
        "every 1 step or more",
    ),
    (s!("  operation (double grid u) { u[x; t+1] = 1e999; }\n"), "3:43", "the number is too large"),
    ("stencil s { /* no end\n", "1:13", "the comment has no end"),
    (
        s!("  operation (double grid u) { u[x; t+1] = 0; }\n}\nstencil t { "),
        "5:1",
        "the end of the text expected, not 'stencil'",
    ),
];
