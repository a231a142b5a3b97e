//! Kernels of known forms.

use crate::element::{ElementType, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::fused::{Access, AccessClass, Arguments, Effect, Instruction, Phase, ReductionOrder, Slot, Structure, View};

/// A structure and arguments under construction.
pub(super) struct Kernel {
    pub(super) structure: Structure,
    pub(super) arguments: Arguments,
}

impl Kernel {
    pub(super) fn new(extents: &[usize], parallel: usize, (lanes, chunk): (usize, usize)) -> Self {
        let structure = Structure {
            rank: extents.len(),
            parallel,
            accesses: Vec::new(),
            scalars: Vec::new(),
            phases: Vec::new(),
            slots: Vec::new(),
            order: ReductionOrder { lanes, chunk },
        };
        let arguments = Arguments { extents: extents.to_vec(), views: Vec::new(), scalars: Vec::new() };
        Kernel { structure, arguments }
    }

    pub(super) fn access(
        mut self,
        element: ElementType,
        class: AccessClass,
        is_written: bool,
        offset: usize,
        strides: &[i64],
    ) -> Self {
        self.structure.accesses.push(Access { element, class, is_written, is_read: !is_written });
        let extents = self.arguments.extents.clone();
        self.arguments.views.push(View { offset, strides: strides.to_vec(), extents });
        self
    }

    pub(super) fn scalar(mut self, value: Value) -> Self {
        self.structure.scalars.push(value.element_type());
        self.arguments.scalars.push(value);
        self
    }

    pub(super) fn slot(mut self, reduction: Reduction, element: ElementType) -> Self {
        self.structure.slots.push(Slot { reduction, element });
        self
    }

    pub(super) fn phase(mut self, is_loop: bool, code: Vec<Instruction>, effects: Vec<Effect>) -> Self {
        self.structure.phases.push(Phase { is_loop, code, effects });
        self
    }
}

pub(super) const fn store(access: usize, value: usize) -> Effect {
    Effect::Store { access, value, imaginary: None }
}

pub(super) const fn reduce(slot: usize, value: usize) -> Effect {
    Effect::Reduce { slot, value }
}

/// 2.5 x + sqrt |y|.
fn axpy_code() -> Vec<Instruction> {
    vec![
        Instruction::Load(0),
        Instruction::Load(1),
        Instruction::Unary(Unary::Abs, 1),
        Instruction::Unary(Unary::Sqrt, 2),
        Instruction::Scalar(0),
        Instruction::Fma(4, 0, 3),
    ]
}

/// z = a x + sqrt |y| of vectors.
pub(super) fn axpy(n: usize) -> Kernel {
    let kernel = (0..3).fold(Kernel::new(&[n], 1, (1, 256)), |kernel, access| {
        kernel.access(ElementType::F32, AccessClass::Contiguous, access == 2, 0, &[1])
    });
    kernel.scalar(Value::F32(2.5)).phase(true, axpy_code(), vec![store(2, 5)])
}

/// The same in the interior of matrices.
pub(super) fn interior(m: usize) -> Kernel {
    let row = m as i64;
    let kernel = (0..3).fold(Kernel::new(&[m - 2, m - 2], 2, (1, 256)), |kernel, access| {
        kernel.access(ElementType::F64, AccessClass::InnerContiguous, access == 2, m + 1, &[row, 1])
    });
    kernel.scalar(Value::F64(2.5)).phase(true, axpy_code(), vec![store(2, 5)])
}

/// z = a xᵀ + sqrt |y|.
pub(super) fn transposed(m: usize) -> Kernel {
    let row = m as i64;
    Kernel::new(&[m, m], 2, (1, 256))
        .access(ElementType::F32, AccessClass::Strided, false, 0, &[1, row])
        .access(ElementType::F32, AccessClass::InnerContiguous, false, 0, &[row, 1])
        .access(ElementType::F32, AccessClass::InnerContiguous, true, 0, &[row, 1])
        .scalar(Value::F32(2.5))
        .phase(true, axpy_code(), vec![store(2, 5)])
}

/// The root of the sum of squares.
pub(super) fn norm(n: usize) -> Kernel {
    Kernel::new(&[n], 0, (256, 16384))
        .access(ElementType::F32, AccessClass::Contiguous, false, 0, &[1])
        .access(ElementType::F32, AccessClass::Uniform, true, 0, &[0])
        .slot(Reduction::Sum, ElementType::F32)
        .phase(true, vec![Instruction::Load(0), Instruction::Binary(Binary::Mul, 0, 0)], vec![reduce(0, 1)])
        .phase(false, vec![Instruction::Slot(0), Instruction::Unary(Unary::Sqrt, 0)], vec![store(1, 1)])
}

/// Softmax of the rows of a matrix.
pub(super) fn softmax(rows: usize, n: usize) -> Kernel {
    let exponential = vec![
        Instruction::Load(0),
        Instruction::Slot(0),
        Instruction::Binary(Binary::Sub, 0, 1),
        Instruction::Unary(Unary::Exp, 2),
    ];
    let quotient = [Instruction::Slot(1), Instruction::Binary(Binary::Div, 3, 4)];
    Kernel::new(&[rows, n], 1, (32, 16384))
        .access(ElementType::F32, AccessClass::InnerContiguous, false, 0, &[n as i64, 1])
        .access(ElementType::F32, AccessClass::InnerContiguous, true, 0, &[n as i64, 1])
        .slot(Reduction::Max, ElementType::F32)
        .slot(Reduction::Sum, ElementType::F32)
        .phase(true, vec![Instruction::Load(0)], vec![reduce(0, 0)])
        .phase(true, exponential.clone(), vec![reduce(1, 3)])
        .phase(true, exponential.into_iter().chain(quotient).collect(), vec![store(1, 5)])
}

/// Reductions along the first axis of a matrix: a sum, the index of the minimum, and whether any element is positive;
/// then the elements less their column's sum.
pub(super) fn columns(n: usize, across: usize, order: (usize, usize)) -> Kernel {
    let (row, element) = (across as i64, ElementType::F64);
    let zero = Instruction::Constant(element, 0);
    Kernel::new(&[across, n], 1, order)
        .access(element, AccessClass::Strided, false, 1, &[1, row])
        .access(ElementType::C32, AccessClass::Strided, false, 0, &[1, row])
        .access(element, AccessClass::InnerUniform, true, 0, &[1, 0])
        .access(ElementType::I64, AccessClass::InnerUniform, true, 2, &[1, 0])
        .access(ElementType::Bool, AccessClass::InnerUniform, true, 0, &[2, 0])
        .access(element, AccessClass::Strided, true, 0, &[1, row])
        .slot(Reduction::Sum, element)
        .slot(Reduction::ArgMin, ElementType::F32)
        .slot(Reduction::Any, ElementType::Bool)
        .phase(
            true,
            vec![
                Instruction::Load(0),
                Instruction::Load(1),
                Instruction::LoadImaginary(1),
                Instruction::Binary(Binary::Add, 1, 2),
                zero,
                Instruction::Binary(Binary::Gt, 0, 4),
            ],
            vec![reduce(0, 0), reduce(1, 3), reduce(2, 5)],
        )
        .phase(false, (0..3).map(Instruction::Slot).collect(), vec![store(2, 0), store(3, 1), store(4, 2)])
        .phase(
            true,
            vec![Instruction::Load(0), Instruction::Slot(0), Instruction::Binary(Binary::Sub, 0, 1)],
            vec![store(5, 2)],
        )
}
