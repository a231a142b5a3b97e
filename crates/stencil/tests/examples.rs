//! The specifications in `examples/stencils` parse, print and parse again.

use affinimath_stencil::Stencil;

/// All of the folder, by file name.
fn examples() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/stencils");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder of examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stc"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn examples_come_back_from_their_print() {
    let examples = examples();
    assert!(examples.len() >= 24, "{} examples", examples.len());
    for (name, text) in examples {
        let stencil = Stencil::parse(&text).unwrap_or_else(|error| panic!("{name}.stc:{error}"));
        let printed = stencil.to_string();
        let again = Stencil::parse(&printed).unwrap_or_else(|error| panic!("{name}, printed:{error}\n{printed}"));
        assert_eq!(again, stencil, "{name}:\n{printed}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}
