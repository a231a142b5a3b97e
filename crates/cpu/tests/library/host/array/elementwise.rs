//! Elementwise kernels: sizes on both sides of each switch, strides, in place, all types.

use affinimath_array::ElementType;
use affinimath_array::function::{Binary, Unary};
use affinimath_array::fused::{AccessClass, Effect, Instruction, View};
use affinimath_core::Error;
use affinimath_cpu::array::{Operand, Program};
use affinimath_cpu::simd::instruction_sets;

use super::{access, case, check, elements, elementwise, row_major};

/// Sizes around the granule, the block and the part, and beyond the largest one.
const SIZES: [usize; 17] = [1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 4096, 4097, 16383, 16384, 16385, 50_001];

fn store(access: usize, value: usize, imaginary: Option<usize>) -> Effect {
    Effect::Store { access, value, imaginary }
}

/// z := x + y, of real or complex elements.
fn sum(element: ElementType, rank: usize, class: AccessClass) -> affinimath_array::fused::Structure {
    let accesses = vec![
        access(element, class, true, false),
        access(element, AccessClass::Contiguous, true, false),
        access(element, AccessClass::Contiguous, false, true),
    ];
    let mut code = vec![Instruction::Load(0), Instruction::Load(1), Instruction::Binary(Binary::Add, 0, 1)];
    let mut imaginary = None;
    if element == ElementType::Bool {
        code[2] = Instruction::Binary(Binary::Xor, 0, 1);
    }
    if element.is_complex() {
        code.extend([
            Instruction::LoadImaginary(0),
            Instruction::LoadImaginary(1),
            Instruction::Binary(Binary::Add, 3, 4),
        ]);
        imaginary = Some(5);
    }
    elementwise(rank, accesses, code, vec![store(2, 2, imaginary)])
}

#[test]
fn sums_of_all_types_and_sizes() {
    instruction_sets::for_each(|| {
        for element in ElementType::ALL {
            for n in SIZES {
                let memory = (0..3).map(|seed| elements(seed, element, n)).collect();
                let views = vec![row_major(&[n]); 3];
                check(&case(sum(element, 1, AccessClass::Contiguous), &[n], views, memory), &format!("{element} {n}"));
            }
        }
    });
}

#[test]
fn rows_of_all_lengths_with_strides_of_both_signs() {
    instruction_sets::for_each(|| {
        for element in [ElementType::U8, ElementType::F32, ElementType::F64, ElementType::C32] {
            for (rows, columns) in [(5, 3), (700, 3), (3, 63), (3, 64), (7, 65), (3, 256), (3, 257), (2, 9000)] {
                let length = 2 * rows * columns;
                // The whole backwards, and every other column of a padded matrix.
                for (offset, row, column) in [(rows * columns - 1, -(columns as i64), -1), (1, 2 * columns as i64, 2)] {
                    let extents = vec![rows, columns];
                    let strided = View { offset, strides: vec![row, column], extents: extents.clone() };
                    let views = vec![strided, row_major(&extents), row_major(&extents)];
                    let length = if column < 0 { length } else { length + 1 };
                    let memory = vec![
                        elements(1, element, length),
                        elements(2, element, rows * columns),
                        elements(3, element, rows * columns),
                    ];
                    let structure = sum(element, 2, AccessClass::Strided);
                    check(&case(structure, &extents, views, memory), &format!("{element} {rows} {columns} {column}"));
                }
            }
        }
    });
}

#[test]
fn transposed_operands_are_read_by_tiles() {
    instruction_sets::for_each(|| {
        for element in [ElementType::U8, ElementType::F32, ElementType::F64, ElementType::C32, ElementType::C64] {
            for [outer, rows, columns] in
                [[1, 4, 64], [1, 15, 255], [1, 16, 256], [3, 17, 257], [2, 40, 700], [1, 3, 90]]
            {
                let extents = vec![outer, rows, columns];
                let length = outer * rows * columns;
                // Columns next to each other, forwards and backwards, and every other one.
                for (offset, row) in [(0, 1_i64), (rows - 1, -1), (1, 2)] {
                    let column = row.unsigned_abs() as usize * rows;
                    let strides = vec![(column * columns) as i64, row, column as i64];
                    let transposed = View { offset, strides, extents: extents.clone() };
                    let memory = vec![
                        elements(1, element, 2 * length + 1),
                        elements(2, element, length),
                        elements(3, element, length),
                    ];
                    let views = vec![transposed, row_major(&extents), row_major(&extents)];
                    let structure = sum(element, 3, AccessClass::Strided);
                    check(&case(structure, &extents, views, memory), &format!("{element} {extents:?} {row}"));
                }
            }
        }
    });
}

#[test]
fn pairs_of_operations_are_computed_as_each_of_them() {
    let unary = [Unary::Neg, Unary::Abs, Unary::Square, Unary::Sqrt];
    let binary = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div];
    let first = unary.map(|f| Instruction::Unary(f, 0)).into_iter().chain(binary.map(|f| Instruction::Binary(f, 0, 1)));
    let second = unary.map(|f| Instruction::Unary(f, 3)).into_iter();
    let second: Vec<_> = second.chain(binary.map(|f| Instruction::Binary(f, 3, 2))).collect();
    let second = [second, binary.map(|f| Instruction::Binary(f, 2, 3)).to_vec()].concat();
    for (element, n) in [(ElementType::F32, 257), (ElementType::F64, 300)] {
        for first in first.clone() {
            for second in &second {
                let loads = (0..3).map(Instruction::Load);
                // The third operation has the pair as an operand.
                let more = [first.clone(), second.clone(), Instruction::Binary(Binary::Sub, 1, 4)];
                let code: Vec<_> = loads.chain(more).collect();
                let mut accesses = vec![access(element, AccessClass::Contiguous, true, false); 3];
                accesses.push(access(element, AccessClass::Contiguous, false, true));
                let structure = elementwise(1, accesses, code, vec![store(3, 5, None)]);
                let memory: Vec<_> = (0..4).map(|seed| elements(seed, element, n)).collect();
                let name = format!("{element} {first:?} {second:?}");
                instruction_sets::for_each(|| {
                    check(&case(structure.clone(), &[n], vec![row_major(&[n]); 4], Vec::clone(&memory)), &name);
                });
            }
        }
    }
}

#[test]
fn rows_and_columns_are_broadcast() {
    instruction_sets::for_each(|| {
        for (rows, columns) in [(300, 7), (9, 100), (5, 1000)] {
            for (class, strides) in [(AccessClass::InnerUniform, [1, 0]), (AccessClass::InnerContiguous, [0, 1])] {
                let extents = vec![rows, columns];
                let view = View { offset: 0, strides: strides.to_vec(), extents: extents.clone() };
                let views = vec![view, row_major(&extents), row_major(&extents)];
                let element = ElementType::F64;
                let memory = vec![
                    elements(1, element, rows.max(columns)),
                    elements(2, element, rows * columns),
                    elements(3, element, rows * columns),
                ];
                check(&case(sum(element, 2, class), &extents, views, memory), &format!("{rows} {columns} {class:?}"));
            }
        }
    });
}

#[test]
fn results_replace_operands_in_place() {
    for element in [ElementType::I32, ElementType::F64, ElementType::C64] {
        for n in SIZES {
            let mut structure = sum(element, 1, AccessClass::Contiguous);
            structure.accesses[1].is_written = true;
            structure.accesses.pop();
            let Effect::Store { access, .. } = &mut structure.phases[0].effects[0] else { panic!() };
            *access = 1;
            let memory = vec![elements(1, element, n), elements(2, element, n)];
            check(&case(structure, &[n], vec![row_major(&[n]); 2], memory), &format!("{element} {n}"));
        }
    }
}

#[test]
fn one_value_is_stored_twice_and_constants_fill() {
    let element = ElementType::F32;
    let accesses = vec![
        access(element, AccessClass::Contiguous, true, false),
        access(element, AccessClass::Contiguous, false, true),
        access(element, AccessClass::Contiguous, false, true),
        access(element, AccessClass::Contiguous, false, true),
        access(element, AccessClass::Contiguous, false, true),
    ];
    let code = vec![
        Instruction::Load(0),
        Instruction::Binary(Binary::Mul, 0, 0),
        Instruction::Constant(element, 2.5f32.to_bits() as u64),
    ];
    let effects = vec![store(1, 1, None), store(2, 1, None), store(3, 2, None), store(4, 0, None)];
    let structure = elementwise(1, accesses, code, effects);
    for n in SIZES {
        let memory = (0..5).map(|seed| elements(seed, element, n)).collect();
        check(&case(structure.clone(), &[n], vec![row_major(&[n]); 5], memory), &format!("{n}"));
    }
}

#[test]
fn nothing_is_done_without_points() {
    let structure = sum(ElementType::F64, 2, AccessClass::Contiguous);
    let views = vec![row_major(&[3, 0]); 3];
    check(&case(structure, &[3, 0], views, vec![vec![], vec![], vec![]]), "no points");
}

#[test]
fn wrong_operands_are_errors() {
    let program = Program::new(&sum(ElementType::F64, 1, AccessClass::Contiguous)).unwrap();
    let (x, y) = ([1.0, 2.0], [3.0, 4.0]);
    let mut z = [0.0; 2];
    let arguments =
        affinimath_array::fused::Arguments { extents: vec![2], views: vec![row_major(&[2]); 3], scalars: vec![] };
    let is_error = |result: affinimath_core::Result<()>| matches!(result, Err(Error::InvalidArgument { .. }));
    assert!(is_error(program.run(&arguments, &[Operand::read(&x), Operand::read(&y)])), "too few");
    assert!(is_error(program.run(&arguments, &[Operand::read(&x), Operand::read(&y), Operand::read(&x)])), "read-only");
    assert!(
        is_error(program.run(&arguments, &[Operand::read(&x), Operand::read(&[1f32; 2]), Operand::write(&mut z)])),
        "type"
    );
    assert!(
        is_error(program.run(&arguments, &[Operand::read(&x), Operand::read(&y[..1]), Operand::write(&mut z)])),
        "length"
    );
    program.run(&arguments, &[Operand::read(&x), Operand::read(&y), Operand::write(&mut z)]).unwrap();
    assert_eq!(z, [4.0, 6.0]);
}

#[test]
fn operations_on_bits_of_another_type_are_loops_of_their_own() {
    let accesses = vec![
        access(ElementType::I32, AccessClass::Contiguous, true, false),
        access(ElementType::F32, AccessClass::Contiguous, true, false),
        access(ElementType::F32, AccessClass::Contiguous, false, true),
    ];
    // A sum of integers, whose bits are a factor.
    let code = vec![
        Instruction::Load(0),
        Instruction::Binary(Binary::Add, 0, 0),
        Instruction::Bitcast(ElementType::F32, 1),
        Instruction::Load(1),
        Instruction::Binary(Binary::Mul, 2, 3),
    ];
    let structure = elementwise(1, accesses, code, vec![store(2, 4, None)]);
    let n = 100;
    let integers = (0..n as i32).flat_map(|i| (0x1f80_0000 + i * 4097).to_le_bytes()).collect();
    let memory = vec![integers, elements(1, ElementType::F32, n), vec![0; 4 * n]];
    instruction_sets::for_each(|| {
        check(&case(structure.clone(), &[n], vec![row_major(&[n]); 3], memory.clone()), "bits of a sum");
    });
}

#[test]
fn operations_before_a_multiply_add_have_the_bits_of_the_reference() {
    for element in [ElementType::F32, ElementType::F64] {
        for first in [
            Instruction::Binary(Binary::Add, 0, 1),
            Instruction::Binary(Binary::Div, 1, 0),
            Instruction::Unary(Unary::Neg, 0),
            Instruction::Unary(Unary::Square, 1),
        ] {
            for operands in [[3, 0, 1], [0, 3, 1], [0, 1, 3]] {
                let [a, b, c] = operands;
                let code = vec![
                    Instruction::Load(0),
                    Instruction::Load(1),
                    Instruction::Unary(Unary::Abs, 1),
                    first.clone(),
                    Instruction::Fma(a, b, c),
                    Instruction::Unary(Unary::Sqrt, 2),
                    Instruction::Fma(4, 0, 5),
                    Instruction::Unary(Unary::Sqrt, 6),
                ];
                let mut accesses = vec![access(element, AccessClass::Contiguous, true, false); 2];
                accesses.push(access(element, AccessClass::Contiguous, false, true));
                let structure = elementwise(1, accesses, code, vec![store(2, 7, None)]);
                let n = 1003;
                let memory: Vec<_> = (0..3).map(|seed| elements(seed, element, n)).collect();
                instruction_sets::for_each(|| {
                    let case = case(structure.clone(), &[n], vec![row_major(&[n]); 3], memory.clone());
                    check(&case, &format!("{first:?} {operands:?}"));
                });
            }
        }
    }
}
