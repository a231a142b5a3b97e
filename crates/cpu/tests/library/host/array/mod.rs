//! Fused kernels, compared bit by bit with the reference of `affinimath_array`.

mod elementwise;
mod functions;
mod random;
mod reductions;

use affinimath_array::ElementType;
use affinimath_array::fused::{
    Access, AccessClass, Arguments, Effect, Instruction, Phase, ReductionOrder, Slot, Structure, View,
};
use affinimath_array::testing::Case;
use affinimath_cpu::array::{Operand, Program};

/// Bytes with the alignment of all elements.
struct Aligned {
    words: Vec<u64>,
    length: usize,
}

impl Aligned {
    fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        // SAFETY: the words hold the bytes.
        unsafe { words.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Aligned { words, length: bytes.len() }
    }

    fn bytes(&self) -> Vec<u8> {
        // SAFETY: the words hold the bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.length) }.to_vec()
    }
}

/// The memory of a case after the host's evaluation.
fn evaluate(case: &Case) -> affinimath_core::Result<Vec<Vec<u8>>> {
    let program = Program::new(&case.structure)?;
    let mut memory: Vec<Aligned> = case.memory.iter().map(|bytes| Aligned::new(bytes)).collect();
    let operands: Vec<Operand<'_>> = memory
        .iter_mut()
        .zip(&case.structure.accesses)
        .map(|(memory, access)| {
            let length = memory.length / access.element.bytes();
            // SAFETY: the words hold the elements, and each operand has its own.
            unsafe { Operand::from_raw(memory.words.as_mut_ptr().cast(), length, access.element, access.is_written) }
        })
        .collect();
    program.run(&case.arguments, &operands)?;
    drop(operands);
    Ok(memory.iter().map(Aligned::bytes).collect())
}

/// Checks that the host gives the reference's bits.
fn check(case: &Case, name: &str) {
    let expected = case.reference().unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = evaluate(case).unwrap_or_else(|error| panic!("{name}: {error}"));
    case.compare(&expected, &found).unwrap_or_else(|difference| panic!("{name}: {difference}"));
}

fn access(element: ElementType, class: AccessClass, is_read: bool, is_written: bool) -> Access {
    Access { element, class, is_read, is_written }
}

fn row_major(extents: &[usize]) -> View {
    let mut strides = vec![1; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as i64;
    }
    View { offset: 0, strides, extents: extents.to_vec() }
}

/// An elementwise kernel.
fn elementwise(rank: usize, accesses: Vec<Access>, code: Vec<Instruction>, effects: Vec<Effect>) -> Structure {
    let phases = vec![Phase { is_loop: true, code, effects }];
    let order = ReductionOrder { lanes: 1, chunk: 2 };
    Structure { rank, parallel: rank, accesses, scalars: vec![], phases, slots: vec![], order }
}

/// A kernel that reduces the rows of its first access to its second one, all elements of which are of one row for
/// rank 1.
fn reduction(rank: usize, slot: Slot, order: ReductionOrder) -> Structure {
    let result = slot.reduction.result_type(slot.element).unwrap();
    let class = if rank == 1 { AccessClass::Uniform } else { AccessClass::InnerUniform };
    Structure {
        rank,
        parallel: rank - 1,
        accesses: vec![access(slot.element, AccessClass::Contiguous, true, false), access(result, class, false, true)],
        scalars: vec![],
        phases: vec![
            Phase {
                is_loop: true,
                code: vec![Instruction::Load(0)],
                effects: vec![Effect::Reduce { slot: 0, value: 0 }],
            },
            Phase {
                is_loop: false,
                code: vec![Instruction::Slot(0)],
                effects: vec![Effect::Store { access: 1, value: 0, imaginary: None }],
            },
        ],
        slots: vec![slot],
        order,
    }
}

/// Random elements.
fn elements(seed: u64, element: ElementType, n: usize) -> Vec<u8> {
    let mut random = affinimath_array::testing::Random::new(seed);
    let part = element.part();
    let mut bytes = Vec::with_capacity(n * element.bytes());
    for _ in 0..n * element.bytes() / part.bytes() {
        bytes.extend_from_slice(&random.value(part).bits().to_le_bytes()[..part.bytes()]);
    }
    bytes
}

fn case(structure: Structure, extents: &[usize], views: Vec<View>, memory: Vec<Vec<u8>>) -> Case {
    Case { structure, arguments: Arguments { extents: extents.to_vec(), views, scalars: vec![] }, memory }
}
