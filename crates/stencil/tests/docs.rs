//! The pages about stencils: their code, their pictures, and the commands that draw these.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use affinimath_stencil::{Plan, Schedule, Stencil, Target};
use common::{example, parse};

const PAGES: [&str; 5] =
    ["stencils", "stencil-language", "strategy-language", "stencil-gallery", "stencils-from-others"];
/// The most bytes of a picture, and of all.
const PICTURE: u64 = 60 << 10;
const PICTURES: u64 = 1 << 20;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("docs/src/{name}.md"))).expect("the page")
}

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
fn code_on_the_pages_parses() {
    let (mut counts, mut strategies) = ([0; 3], 0);
    for name in PAGES {
        for block in page(name).split("\n```strategy\n").skip(1) {
            let code = block.split("\n```").next().expect("an end");
            let strategy = Schedule::parse(code).unwrap_or_else(|error| panic!("{error}"));
            let plane =
                parse("stencil s { domainsize = (1 .. n, 1 .. n); operation (int grid u) { u[x,y; t+1] = 1; } }");
            let plan = Plan::new(&plane, Target::Host, &[("n", 20)]).expect("a plan");
            plan.with_strategy(strategy).unwrap_or_else(|error| panic!("{error}"));
            strategies += 1;
        }
        for block in page(name).split("\n```stencil").skip(1) {
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
    }
    assert!(counts.iter().all(|&count| count >= 3), "{counts:?}");
    assert!(strategies >= 2, "{strategies}");
}

#[test]
fn front_ends_have_the_same_first_stencil() {
    let page = page("stencils");
    let python = page.split("\"\"\"").nth(1).expect("a text in Python");
    assert_eq!(parse(python), example("plate"));
    let rust = page.split("const PLATE: &str = \"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(parse(rust.expect("a text in Rust")), example("plate"));
    let c: String = page.split("\n    \"").skip(1).filter_map(|line| line.split('"').next()).collect();
    assert_eq!(parse(&c), example("plate"));
}

#[test]
fn errors_on_the_page_are_those_that_are_shown() {
    let page = page("stencil-language");
    let error = |statement: &str| {
        let text = format!(
            "stencil s {{\n  domainsize = (1 .. n);\n  operation (double grid u) {{\n    {statement}\n  }}\n}}"
        );
        Stencil::parse(&text).expect_err(statement)
    };
    let shown = error("u[x; t+1] = dt * u[x-1; t];").to_string();
    assert!(page.contains(&shown), "{shown}");
    let statements = [
        "u[x; t+1] = dt;",
        "u[x; t+1] = u[x-1; t+1];",
        "v = u[x; t]; u[x; t+1] = v;",
        "u[x+1; t+1] = u[x; t];",
        "u[x; t+1] = u[x; t] > 0;",
        "int k = 1.5; u[x; t+1] = u[x; t];",
    ];
    let listed: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split("` |").next()).collect();
    for statement in statements {
        let reason = error(statement).reason;
        assert!(listed.iter().any(|listed| reason.starts_with(listed)), "{reason}");
    }
}

/// Each example file is named on the page.
#[test]
fn examples_are_listed_in_the_gallery() {
    let page = page("stencil-gallery");
    for file in std::fs::read_dir(root().join("examples/stencils")).expect("the folder") {
        let name = file.expect("a file").file_name().to_string_lossy().into_owned();
        assert!(page.contains(&format!("examples/stencils/{name}")), "{name} is not on the page");
    }
}

/// The words of each command of the gallery, and the picture that it draws.
fn commands() -> Vec<Vec<String>> {
    let page = page("stencil-gallery");
    let blocks = page.split("\n```sh\n").skip(1).filter_map(|block| block.split("\n```").next());
    let words = |command: &str| {
        let mut words = vec![String::new()];
        for (number, part) in command.replace("\\\n", " ").split('\'').enumerate() {
            // Every other part is quoted.
            for (index, word) in part.split(|c: char| number % 2 == 0 && c.is_whitespace()).enumerate() {
                match index {
                    0 => words.last_mut().expect("a word").push_str(word),
                    _ => words.push(word.to_owned()),
                }
            }
        }
        words.into_iter().filter(|word| !word.is_empty()).collect()
    };
    blocks.map(words).collect()
}

/// A command gives each parameter and each size of its example a value, and no other; its picture is on the page.
#[test]
fn commands_of_the_gallery_fit_their_examples() {
    let page = page("stencil-gallery");
    let commands = commands();
    assert!(commands.len() >= 15, "{} commands", commands.len());
    for command in commands {
        assert_eq!(command[..2], ["affinimath", "stencil"]);
        let stencil = example(command[2].strip_suffix(".stc").expect("an example"));
        let mut given: [BTreeSet<&str>; 3] = Default::default();
        let mut steps = false;
        for option in command[3..].chunks(2) {
            let name = option[1].split('=').next().expect("a name");
            match &option[0][..] {
                "--size" => assert!(given[0].insert(name)),
                "--param" => assert!(given[1].insert(name)),
                "--grid" => assert!(given[2].insert(name)),
                "--steps" => steps = true,
                "--plot" => {
                    let picture = option[1].rsplit('=').next().expect("a file");
                    assert!(page.contains(&format!("](images/stencil-{picture})")), "{command:?}");
                }
                other => panic!("{other}: {command:?}"),
            }
        }
        let parameters = stencil.parameters().iter().filter(|parameter| parameter.values.is_none());
        assert_eq!(given[1], parameters.map(|parameter| &parameter.name[..]).collect(), "{command:?}");
        let symbols = stencil.symbols();
        let sizes = symbols.iter().copied().filter(|&name| !(steps && name == "steps"));
        assert_eq!(given[0], sizes.collect(), "{command:?}");
        assert!(given[2].iter().all(|name| stencil.grids().iter().any(|grid| grid.name == *name)), "{command:?}");
    }
}

#[test]
fn pictures_are_small() {
    let files =
        std::fs::read_dir(root().join("docs/src/images")).expect("the folder").map(|file| file.expect("a file"));
    let pictures = files.filter(|file| file.file_name().to_string_lossy().starts_with("stencil-"));
    let sizes: Vec<u64> = pictures.map(|file| file.metadata().expect("a file").len()).collect();
    assert!(sizes.len() >= 16 && sizes.iter().all(|size| (1000..PICTURE).contains(size)), "{sizes:?}");
    assert!(sizes.iter().sum::<u64>() < PICTURES, "{sizes:?}");
}
