//! Random definitions: a program and a text give the same stencil, and its print gives it again.

mod common;
#[path = "common/random.rs"]
mod random;

use affinimath_stencil::Stencil;
use affinimath_stencil::analysis::Analysis;
use affinimath_stencil::definition::Type;
use proptest::prelude::*;
use random::{Tree, built, sections, tree};

fn text(tree: &Tree) -> String {
    format!(
        "stencil s {{
           domainsize = (1 .. nx, 1 .. ny);
           operation (double grid u, const float grid f, const int grid i, double param a) {{
             u[x,y; t+1] = {};
           }}
         }}",
        tree.text()
    )
}

fn comes_back(stencil: &Stencil) {
    let printed = stencil.to_string();
    let again = Stencil::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(&again, stencil, "{printed}");
    assert_eq!(again.to_string(), printed);
    assert_eq!(Analysis::new(&again), Analysis::new(stencil));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_and_texts_give_equal_stencils(tree in tree()) {
        let text = text(&tree);
        match (built(&tree), Stencil::parse(&text)) {
            (Ok(stencil), Ok(parsed)) => {
                prop_assert_eq!(&stencil, &parsed, "{}", text);
                comes_back(&stencil);
            }
            (Err(one), Err(other)) => prop_assert_eq!(one.reason, other.reason),
            (one, other) => panic!("{text}\n{one:?}\n{other:?}"),
        }
    }

    #[test]
    fn sections_come_back(
        trees in prop::collection::vec(tree(), 4),
        kinds in prop::collection::vec(0usize..8, 4),
        switches in prop::collection::vec(any::<bool>(), 8),
        every in 1u32..100,
    ) {
        let stencil = Stencil::build::<2>("s", Type::F64, |s| sections(s, &trees, &kinds, &switches, every));
        if let Ok(stencil) = stencil {
            comes_back(&stencil);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        let _ = Stencil::parse(&text);
    }

    #[test]
    fn damaged_texts_are_read_or_refused(number in 0usize..6, from in 0usize..2000, length in 0usize..40) {
        let name = ["heat", "fdtd", "life", "box27", "red_black", "xyzq"][number];
        let mut text = common::example_text(name);
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        text.replace_range(from..to, "");
        if let Ok(stencil) = Stencil::parse(&text) {
            comes_back(&stencil);
        }
    }
}
