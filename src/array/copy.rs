//! Copies of elements between memory of the same context, as fused kernels.

use std::sync::Arc;

use affinimath_array::ElementType;
use affinimath_array::function::Unary;
use affinimath_array::fused::{Access, AccessClass, Effect, Instruction, Phase, ReductionOrder, Structure};
use affinimath_array::key::structure_key;
use affinimath_array::plan::{Buffer, Fused, Operand};
use affinimath_array::shape::{Shape, Strides};

/// A whole buffer of elements in row-major order.
pub(super) fn row_major(buffer: Buffer, element: ElementType, shape: &Shape) -> Operand {
    Operand {
        buffer,
        element,
        offset: 0,
        extents: shape.extents().to_vec(),
        strides: Strides::row_major(shape).to_vec(),
        is_conjugate: false,
    }
}

/// The kernel that copies elements of one type and shape.
pub(super) fn kernel(from: &Operand, to: &Operand) -> Fused {
    let rank = to.extents.len().max(1);
    let with_axis = |operand: &Operand| {
        let mut operand = operand.clone();
        if operand.extents.is_empty() {
            operand.extents.push(1);
            operand.strides.push(0);
        }
        operand
    };
    let (from, to) = (with_axis(from), with_axis(to));
    let access = |operand: &Operand, is_written| Access {
        element: operand.element,
        class: class(&operand.extents, &operand.strides),
        is_written,
        is_read: !is_written,
    };
    let mut code = vec![Instruction::Load(0)];
    let mut imaginary = None;
    if to.element.is_complex() {
        code.push(Instruction::LoadImaginary(0));
        imaginary = Some(1);
        if from.is_conjugate != to.is_conjugate {
            code.push(Instruction::Unary(Unary::Neg, 1));
            imaginary = Some(2);
        }
    }
    let structure = Structure {
        rank,
        parallel: rank,
        accesses: vec![access(&from, false), access(&to, true)],
        scalars: Vec::new(),
        phases: vec![Phase { is_loop: true, code, effects: vec![Effect::Store { access: 1, value: 0, imaginary }] }],
        slots: Vec::new(),
        order: ReductionOrder { lanes: 1, chunk: 2 },
    };
    let (key, extents) = (structure_key(&structure), to.extents.clone());
    Fused { structure: Arc::new(structure), key, extents, accesses: vec![from, to], scalars: Vec::new() }
}

/// The pattern of strides.
fn class(extents: &[usize], strides: &[i64]) -> AccessClass {
    let mut next = 1;
    let is_row_major = extents.iter().zip(strides).rev().all(|(&extent, &stride)| {
        let fits = stride == next;
        next *= extent as i64;
        fits
    });
    match strides.last() {
        _ if is_row_major => AccessClass::Contiguous,
        Some(1) => AccessClass::InnerContiguous,
        _ => AccessClass::Strided,
    }
}
