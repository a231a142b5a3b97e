//! The code on the page of the language.

mod common;

use common::parse;

/// A stencil with what statements and sections on the page refer to.
fn around(statements: &str, sections: &str) -> String {
    let other = if statements.contains("u[x,y; t+1] =") { "" } else { "u[x,y; t+1] = u[x,y; t-1];" };
    let change = if statements.contains("change =") { "" } else { "change = max(u[x,y; t]);" };
    format!(
        "stencil s {{
           domainsize = (1 .. nx, 1 .. ny);
           operation (
             double grid u, double grid v, const double grid k, double param a, double table c[-1 .. 1] = {{ 1, 2, 3 }},
             double result change
           ) {{ {other} v[x,y; t+1] = v[x-1,y; t]; {statements} {change} }}
           {sections}
         }}"
    )
}

#[test]
fn code_on_the_page_parses() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/stencils.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let mut counts = [0; 3];
    for block in page.split("\n```stencil").skip(1) {
        let (kind, rest) = block.split_once('\n').expect("a line");
        let code = rest.split("\n```").next().expect("an end");
        let (number, text) = match kind.trim() {
            "" => (0, code.to_owned()),
            "statements" => (1, around(code, "")),
            "sections" => (2, around("", code)),
            other => panic!("a block of '{other}'"),
        };
        counts[number] += 1;
        let stencil = parse(&text);
        assert_eq!(parse(&stencil.to_string()), stencil, "{stencil}");
    }
    assert!(counts.iter().all(|&count| count >= 2), "{counts:?}");
}

#[test]
fn the_error_on_the_page_is_the_one_that_is_shown() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/stencils.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let text =
        "stencil s {\n  domainsize = (1 .. n);\n  operation (double grid u) {\n    u[x; t+1] = dt * u[x-1; t];\n  }\n}";
    let error = affinimath_stencil::Stencil::parse(text).expect_err("an unknown name").to_string();
    assert!(page.contains(&error), "{error}");
}

/// Each example file is named on the page, and each construct of the table has one.
#[test]
fn examples_are_listed_on_the_page() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/stencils.md")).expect("the page");
    let folder =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils")).expect("the folder");
    for file in folder {
        let name = file.expect("a file").file_name().to_string_lossy().into_owned();
        assert!(page.contains(&format!("examples/stencils/{name}")), "{name} is not on the page");
    }
}
