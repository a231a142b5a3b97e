//! Work and traffic of the thesis' stencils, as in its tables, and other facts.

use affinimath_stencil::Stencil;
use affinimath_stencil::analysis::{Analysis, Linearity};

fn example(name: &str) -> Stencil {
    let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("an example");
    Stencil::parse(&text).unwrap_or_else(|error| panic!("{name}.stc:{error}"))
}

/// Flops per point, elements read and written per point, and taps at different points of the grid with most of them.
#[test]
fn work_and_traffic_are_those_of_the_tables() {
    let table = [
        ("laplacian", 8, 1, 1, 7),
        ("divergence", 8, 3, 1, 2),
        ("gradient", 6, 1, 3, 6),
        ("gradient_sums", 6, 1, 3, 6),
        ("wave", 19, 2, 1, 13),
        ("upstream", 22, 1, 1, 16),
        ("tricubic", 318, 4, 1, 64),
        ("hyperthermia", 16, 10, 1, 7),
        ("blur", 31, 1, 1, 25),
        ("edge", 10, 1, 1, 9),
        // The thesis counts 13: the text has 14 operations.
        ("game_of_life", 14, 1, 1, 9),
        ("uxx1", 20, 5, 1, 4),
        ("xy1", 16, 4, 1, 4),
        ("xyz1", 90, 8, 3, 8),
        ("xyzq", 129, 14, 6, 8),
    ];
    for (name, flops, read, written, taps) in table {
        let facts = Analysis::new(&example(name));
        let most = facts.stages[0].reads.iter().map(|read| read.taps).max().expect("something is read");
        let found = (facts.flops, facts.elements_read, facts.elements_written, most);
        assert_eq!(found, (flops, read, written, taps), "{name}");
    }
}

#[test]
fn radius_levels_and_memory_follow_from_the_taps() {
    let facts = Analysis::new(&example("upstream"));
    let u = &facts.grids[0];
    assert_eq!(u.radius[..3], [[3, 2]; 3]);
    assert_eq!((u.levels, u.newest), (2, 1));
    assert_eq!(u.memory[0].lower, affinimath_stencil::definition::Size::Literal(-2));
    assert_eq!(facts.symbols, ["x_max", "y_max", "z_max"]);

    let wave = Analysis::new(&example("wave"));
    assert_eq!((wave.grids[0].levels, wave.bytes), (3, 12));
    let divergence = Analysis::new(&example("divergence"));
    assert_eq!((divergence.grids[0].levels, divergence.grids[0].newest), (1, 0));
    assert_eq!(divergence.grids[1].radius[..3], [[1, 1], [0, 0], [0, 0]]);
    let heat = Analysis::new(&example("heat"));
    assert_eq!(heat.symbols, ["nx", "ny", "nz", "steps"]);
    assert_eq!((heat.grids[2].memory.len(), heat.elements()), (1, 3));
}

#[test]
fn linearity_is_that_of_the_levels() {
    let table = [
        ("laplacian", Linearity::Linear, true),
        ("wave", Linearity::Linear, true),
        ("box27", Linearity::Linear, true),
        ("wave25", Linearity::Linear, false),
        ("tricubic", Linearity::Linear, false),
        ("hyperthermia", Linearity::Nonlinear, false),
        ("divergence", Linearity::Constant, false),
        ("uxx1", Linearity::Affine, false),
        ("life", Linearity::Nonlinear, true),
        ("diffusion", Linearity::Nonlinear, false),
        ("fdtd", Linearity::Linear, false),
    ];
    for (name, linearity, constant_coefficients) in table {
        let facts = Analysis::new(&example(name));
        assert_eq!((facts.linearity, facts.constant_coefficients), (linearity, constant_coefficients), "{name}");
    }
}

#[test]
fn stages_depend_on_those_that_write_what_they_read() {
    let facts = Analysis::new(&example("diffusion"));
    let after: Vec<&[usize]> = facts.stages.iter().map(|stage| stage.after.as_slice()).collect();
    assert_eq!(after, [&[][..], &[0], &[1]]);
    assert_eq!(facts.stages[1].statements, [vec![], vec![], vec![0], vec![1]]);
    assert_eq!(facts.stages[2].reads.iter().map(|read| read.grid).collect::<Vec<_>>(), [0, 2, 3, 4]);
    assert_eq!(facts.stages[1].reads[1].radius[..3], [[0, 1], [0, 1], [0, 0]]);
}
