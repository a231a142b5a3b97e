//! Reductions: all operations and types, orders, lengths around each switch.

use affinimath_array::function::Reduction;
use affinimath_array::fused::{AccessClass, ReductionOrder, Slot, View};
use affinimath_array::{ElementType, Value};
use affinimath_cpu::simd::instruction_sets;

use super::{case, check, elements, reduction, row_major};

const REDUCTIONS: [Reduction; 8] = [
    Reduction::Sum,
    Reduction::Product,
    Reduction::Min,
    Reduction::Max,
    Reduction::ArgMin,
    Reduction::ArgMax,
    Reduction::Any,
    Reduction::All,
];

/// Reduces a vector.
fn check_vector(slot: Slot, order: ReductionOrder, n: usize, memory: Vec<u8>) {
    let result = slot.reduction.result_type(slot.element).unwrap();
    let views = vec![row_major(&[n]), View { offset: 0, strides: vec![0], extents: vec![n] }];
    let case = case(reduction(1, slot, order), &[n], views, vec![memory, vec![0; result.bytes()]]);
    check(&case, &format!("{slot:?} {order:?} {n}"));
}

#[test]
fn vectors_of_all_types_in_all_orders() {
    instruction_sets::for_each(|| {
        for element in ElementType::ALL {
            for reduction in REDUCTIONS.into_iter().filter(|r| r.result_type(element).is_some()) {
                for (lanes, chunk) in [(1, 2), (1, 7), (4, 4), (16, 64), (64, 1024), (128, 256), (512, 4096)] {
                    for n in [1, 3, 65, 257, 5000] {
                        let slot = Slot { reduction, element };
                        check_vector(slot, ReductionOrder { lanes, chunk }, n, elements(n as u64, element, n));
                    }
                }
            }
        }
    });
}

#[test]
fn long_vectors_are_reduced_in_pieces() {
    let element = ElementType::F64;
    for n in [32_767, 32_768, 32_769, 100_003, 300_000] {
        for reduction in [Reduction::Sum, Reduction::Max, Reduction::ArgMin, Reduction::ArgMax] {
            for (lanes, chunk) in [(8, 24), (32, 1024), (64, 65_536)] {
                let slot = Slot { reduction, element };
                check_vector(slot, ReductionOrder { lanes, chunk }, n, elements(n as u64, element, n));
            }
        }
    }
}

#[test]
fn rows_of_all_lengths() {
    instruction_sets::for_each(|| {
        for (element, lanes, chunk) in [
            (ElementType::F32, 32, 512),
            (ElementType::I64, 1, 100),
            (ElementType::F64, 8, 64),
            (ElementType::U8, 64, 512),
        ] {
            for columns in [1, 2, 3, 16, 63, 64, 127, 128, 129, 256, 257, 1000] {
                for reduction_of in [Reduction::Sum, Reduction::Min, Reduction::ArgMax] {
                    let rows = 3000 / columns + 2;
                    let slot = Slot { reduction: reduction_of, element };
                    let structure = reduction(2, slot, ReductionOrder { lanes, chunk });
                    let extents = [rows, columns];
                    let results = View { offset: 0, strides: vec![1, 0], extents: extents.to_vec() };
                    let bytes = slot.reduction.result_type(element).unwrap().bytes();
                    let memory = vec![elements(7, element, rows * columns), vec![0; rows * bytes]];
                    let case = case(structure, &extents, vec![row_major(&extents), results], memory);
                    check(&case, &format!("{slot:?} {rows} {columns}"));
                }
            }
        }
    });
}

#[test]
fn columns_are_reduced_by_tiles() {
    instruction_sets::for_each(|| {
        for element in [ElementType::U8, ElementType::F32, ElementType::F64] {
            // Around the rows of a tile, and with rows too long for one.
            for (rows, columns) in [(3, 300), (4, 257), (15, 300), (16, 700), (33, 1000), (70, 600), (5, 20_000)] {
                for reduction_of in [Reduction::Sum, Reduction::ArgMin] {
                    let slot = Slot { reduction: reduction_of, element };
                    let mut structure = reduction(2, slot, ReductionOrder { lanes: 1, chunk: 256 });
                    structure.accesses[0].class = AccessClass::Strided;
                    let extents = [rows, columns];
                    let transposed = View { offset: 0, strides: vec![1, rows as i64], extents: extents.to_vec() };
                    let results = View { offset: 0, strides: vec![1, 0], extents: extents.to_vec() };
                    let bytes = slot.reduction.result_type(element).unwrap().bytes();
                    let memory = vec![elements(8, element, rows * columns), vec![0; rows * bytes]];
                    let case = case(structure, &extents, vec![transposed, results], memory);
                    check(&case, &format!("{slot:?} {rows} {columns}"));
                }
            }
        }
    });
}

#[test]
fn columns_are_reduced_across_rows() {
    instruction_sets::for_each(|| {
        for element in [ElementType::U8, ElementType::F32, ElementType::F64] {
            // Around the least number of rows, the block and each level of chunks.
            for (rows, columns) in [(31, 70), (32, 1), (33, 5), (257, 4), (64, 5000), (1030, 26), (4100, 17), (70, 625)]
            {
                for chunk in [2, 5, 256] {
                    for reduction_of in [Reduction::Sum, Reduction::Product, Reduction::Max] {
                        let slot = Slot { reduction: reduction_of, element };
                        let mut structure = reduction(2, slot, ReductionOrder { lanes: 1, chunk });
                        structure.accesses[0].class = AccessClass::Strided;
                        let extents = [rows, columns];
                        let transposed = View { offset: 0, strides: vec![1, rows as i64], extents: extents.to_vec() };
                        let results = View { offset: 0, strides: vec![1, 0], extents: extents.to_vec() };
                        let memory = vec![elements(8, element, rows * columns), vec![0; rows * element.bytes()]];
                        let case = case(structure, &extents, vec![transposed, results], memory);
                        check(&case, &format!("{slot:?} {rows} {columns} {chunk}"));
                    }
                }
            }
        }
    });
}

#[test]
fn several_phases_across_rows() {
    use affinimath_array::function::{Binary, Unary};
    use affinimath_array::fused::{Effect, Instruction, Phase};

    let element = ElementType::F32;
    let slot = |reduction, element| Slot { reduction, element };
    let mut structure = reduction(3, slot(Reduction::Max, element), ReductionOrder { lanes: 1, chunk: 8 });
    structure.accesses[0].class = AccessClass::Strided;
    structure.accesses[1].class = AccessClass::Strided;
    structure.slots.push(slot(Reduction::Sum, element));
    structure.slots.push(slot(Reduction::Sum, ElementType::I64));
    // Differences to the maximum of a column, whose sum and coordinates are added to them.
    structure.phases[1] = Phase {
        is_loop: true,
        code: vec![
            Instruction::Load(0),
            Instruction::Slot(0),
            Instruction::Binary(Binary::Sub, 0, 1),
            Instruction::Unary(Unary::Abs, 2),
            Instruction::Coordinate(0),
            Instruction::Coordinate(1),
            Instruction::Binary(Binary::Mul, 4, 5),
        ],
        effects: vec![Effect::Reduce { slot: 1, value: 3 }, Effect::Reduce { slot: 2, value: 6 }],
    };
    structure.phases.push(Phase {
        is_loop: true,
        code: vec![
            Instruction::Load(0),
            Instruction::Slot(1),
            Instruction::Binary(Binary::Sub, 0, 1),
            Instruction::Slot(2),
            Instruction::Convert(element, 3),
            Instruction::Binary(Binary::Add, 2, 4),
        ],
        effects: vec![Effect::Store { access: 1, value: 5, imaginary: None }],
    });
    for (outer, rows, columns) in [(2, 40, 9), (1, 32, 70), (3, 100, 8), (2, 1500, 12)] {
        let extents = [outer, rows, columns];
        let strides = vec![(rows * columns) as i64, 1, rows as i64];
        let view = View { offset: 0, strides, extents: extents.to_vec() };
        let bytes = elements(5, element, outer * rows * columns);
        instruction_sets::for_each(|| {
            let memory = vec![bytes.clone(), vec![0; bytes.len()]];
            let case = case(structure.clone(), &extents, vec![view.clone(); 2], memory);
            check(&case, &format!("{extents:?}"));
        });
    }
}

#[test]
fn the_first_nan_is_the_extreme_element() {
    for element in [ElementType::F32, ElementType::F64] {
        for reduction in [Reduction::ArgMin, Reduction::ArgMax, Reduction::Min, Reduction::Max] {
            for nans in [vec![], vec![0], vec![299, 17], vec![5000, 40_000]] {
                let mut memory = elements(3, element, 50_000);
                for index in nans {
                    let nan = match element {
                        ElementType::F32 => Value::F32(f32::NAN),
                        _ => Value::F64(f64::NAN),
                    };
                    let bytes = element.bytes();
                    memory[index * bytes..(index + 1) * bytes].copy_from_slice(&nan.bits().to_le_bytes()[..bytes]);
                }
                check_vector(Slot { reduction, element }, ReductionOrder { lanes: 32, chunk: 256 }, 50_000, memory);
            }
        }
    }
}
