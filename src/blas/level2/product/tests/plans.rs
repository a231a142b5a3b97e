//! Plans, without a device.

use super::*;
use crate::device::DeviceClass;
use crate::scalar::ScalarKind;
use crate::view::{MatrixShape, VectorShape};

const WORKSPACE: u64 = 1 << 30;

fn problem(meaning: Meaning, form: Form, (rows, columns): (usize, usize)) -> ProductProblem {
    let matrix = Described { meaning, form, layout: Layout::ColumnMajor, rows, columns, gap: 0 };
    let (stored, _) = match form {
        Form::Full => match matrix.triangle() {
            Some(triangle) => crate::blas::level2::Stored::triangle(&matrix.matrix_shape(), triangle),
            None => crate::blas::level2::Stored::full(&matrix.matrix_shape()),
        },
        _ => crate::blas::level2::Stored::band(&matrix.band_shape()),
    };
    let structure = match meaning {
        Meaning::General(op) => Structure::General { transpose: op.transposes() },
        Meaning::Symmetric(symmetry, _) => Structure::Symmetric(symmetry),
        Meaning::Triangular(_, op, diagonal) => {
            Structure::Triangular { transpose: op.transposes(), unit: diagonal == Diag::Unit }
        }
    };
    let (m, n) = matrix.size();
    let vector = |n| VectorShape::new(n, 0, 1).unwrap();
    ProductProblem { kind: ScalarKind::S, stored, structure, conjugate: false, x: vector(n), y: vector(m) }
}

fn choose(problem: &ProductProblem, class: DeviceClass) -> ProductPlan {
    ProductPlan::choose(problem, &crate::device::example(class), WORKSPACE)
}

const SYMMETRIC: Meaning = Meaning::Symmetric(Symmetry::Symmetric, Triangle::Lower);

mod host {
    use super::*;

    #[test]
    fn each_class_has_its_family_and_narrow_bands_go_by_lines() {
        let full = problem(Meaning::General(Op::NoTrans), Form::Full, (1000, 1000));
        assert_eq!(choose(&full, DeviceClass::Gpu).family, ProductFamily::Gpu);
        assert_eq!(choose(&full, DeviceClass::Cpu).family, ProductFamily::Cpu);
        assert_eq!(choose(&full, DeviceClass::Accelerator).family, ProductFamily::Portable);
        let tiny = DeviceInfo { max_work_group_size: 16, ..crate::device::example(DeviceClass::Gpu) };
        assert_eq!(ProductPlan::choose(&full, &tiny, WORKSPACE).family, ProductFamily::Portable);
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            let narrow = problem(Meaning::General(Op::NoTrans), Form::Band(3, 4), (100_000, 100_000));
            assert_eq!(choose(&narrow, class).family, ProductFamily::Portable);
            let broad = problem(Meaning::General(Op::NoTrans), Form::Band(100, 100), (100_000, 100_000));
            assert_ne!(choose(&broad, class).family, ProductFamily::Portable);
        }
    }

    #[test]
    fn groups_cover_the_result_and_parts_the_sums() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            for size in [(1, 1), (40, 1_000_000), (1_000_000, 40), (1000, 1000), (16384, 16384)] {
                for op in [Op::NoTrans, Op::Trans] {
                    let problem = problem(Meaning::General(op), Form::Full, size);
                    let plan = choose(&problem, class);
                    if plan.family == ProductFamily::Portable {
                        continue;
                    }
                    let (results, terms) = (problem.y.length(), problem.x.length());
                    assert!(
                        plan.groups[0] * plan.chunk >= results && (plan.groups[0] - 1) * plan.chunk < results,
                        "{plan:?}"
                    );
                    assert!(plan.groups[1] * plan.part_length >= terms, "{plan:?}");
                    assert!((plan.groups[1] - 1) * plan.part_length < terms, "{plan:?}");
                    assert_eq!(plan.parts.map_or(1, |parts| parts.slots), plan.groups[1], "{plan:?}");
                }
            }
        }
    }

    #[test]
    fn few_results_of_long_sums_are_cut_into_parts() {
        for class in [DeviceClass::Gpu, DeviceClass::Cpu] {
            for (op, size) in [(Op::NoTrans, (100, 1_000_000)), (Op::Trans, (1_000_000, 100))] {
                let parts = choose(&problem(Meaning::General(op), Form::Full, size), class).parts;
                assert!(class == DeviceClass::Cpu || parts.is_some_and(|parts| parts.count > 1), "{class} {op:?}");
            }
            let square = problem(Meaning::General(Op::NoTrans), Form::Full, (1_000_000, 1_000));
            assert_eq!(choose(&square, class).parts, None);
        }
    }

    #[test]
    fn tiles_grow_with_the_matrix_and_their_parts_fit_into_workspace() {
        let tile = |n| choose(&problem(SYMMETRIC, Form::Full, (n, n)), DeviceClass::Gpu).parts.unwrap().tile;
        // 2112 tiles occupy 132 units: 65 blocks and more have them.
        assert_eq!([64 * 256, 65 * 256, 65 * 512].map(tile), [128, 256, 512]);
        let large = problem(SYMMETRIC, Form::Full, (16384, 16384));
        let small_workspace = ProductPlan::choose(&large, &crate::device::example(DeviceClass::Gpu), 64 << 10);
        assert_eq!(small_workspace.family, ProductFamily::Portable);
        let band = choose(&problem(SYMMETRIC, Form::Band(100, 0), (1 << 20, 1 << 20)), DeviceClass::Gpu);
        let parts = band.parts.unwrap();
        assert_eq!((parts.reach, parts.slots), (1, 3));
    }

    #[test]
    fn a_shape_of_a_row_major_matrix_is_the_transposed_problem() {
        let shape = MatrixShape::new(Layout::RowMajor, 3, 4, 0, 5).unwrap();
        let (a, x, mut y) = ([1.0_f64; 15], [1.0; 4], [0.0; 3]);
        let a = MatrixRef::from_slice(&a, shape).unwrap();
        let x = VectorRef::from_slice(&x, VectorShape::new(4, 0, 1).unwrap()).unwrap();
        let y = VectorMut::from_slice(&mut y, VectorShape::new(3, 0, 1).unwrap()).unwrap();
        let problem = Product::gemv(Op::ConjNoTrans, 1.0, a, x, 0.0, y).unwrap().problem;
        assert_eq!((problem.stored.rows, problem.stored.columns), (4, 3));
        assert!(problem.structure == Structure::General { transpose: true } && problem.conjugate);
    }
}
