//! Operands and targets as the kernels take them.

use affinimath_core::problem::gemm::{GemmProblem, Operand};
use affinimath_core::problem::structure::{Structure, Target, Trapezoid};

use crate::context::DeviceMemory;
use crate::launch::Launch;

/// The names of a family's kernels, and how they take their operands: for plain problems or for structured ones, which
/// are programs of their own so that plain ones pay nothing for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    plain: bool,
}

impl Form {
    /// The form of kernels that take C's part whatever it is.
    pub(super) const STRUCTURED: Self = Form { plain: false };

    pub(super) const fn of(problem: &GemmProblem) -> Self {
        Form { plain: problem.is_plain() }
    }

    /// The form of kernels that C's part alone decides on.
    pub(super) const fn of_target(target: Target) -> Self {
        Form { plain: matches!(target, Target::Whole) }
    }

    pub(super) const fn is_plain(self) -> bool {
        self.plain
    }

    /// One of two names.
    pub(super) const fn name(self, plain: &'static str, structured: &'static str) -> &'static str {
        if self.plain { plain } else { structured }
    }
}

/// What a structured program is compiled for.
pub(super) fn definitions(problem: &GemmProblem, target: Target) -> [(&'static str, i64); 3] {
    [
        ("A_STRUCTURE", problem.a.structure.code()),
        ("B_STRUCTURE", problem.b.structure.code()),
        ("TARGET", target.code()),
    ]
}

/// Operands and targets of products as arguments.
pub(crate) trait GemmArguments: Sized {
    /// C's offset and strides.
    fn target(self, problem: &GemmProblem) -> Self;

    /// An operand's offset, strides and whether it is conjugated.
    fn strides(self, operand: &Operand) -> Self;

    /// An operand: its memory, offset, strides and whether it is conjugated.
    fn operand(self, buffer: &dyn DeviceMemory, operand: &Operand) -> Self;

    /// The problem's A, in either form.
    fn a_of(self, form: Form, buffer: &dyn DeviceMemory, problem: &GemmProblem) -> Self;

    /// The problem's B, in either form.
    fn b_of(self, form: Form, buffer: &dyn DeviceMemory, problem: &GemmProblem) -> Self;

    /// An operand whose rows stand along C and whose columns along the depth, as structured kernels take it.
    fn along_c(self, buffer: &dyn DeviceMemory, operand: Operand) -> Self;

    /// Where an operand's diagonal lies, and whether its stored triangle is above it.
    fn structure(self, structure: &Structure) -> Self;

    /// Where a target's diagonal lies, and whether its triangle is above it, as structured kernels take it.
    fn triangle(self, form: Form, target: &Target) -> Self;

    /// Where a triangle's diagonal lies, and whether it is above it.
    fn trapezoid(self, trapezoid: Option<&Trapezoid>) -> Self;
}

impl GemmArguments for Launch<'_> {
    fn target(self, problem: &GemmProblem) -> Self {
        self.index(problem.c.offset).index(problem.c.row_stride).index(problem.c.column_stride)
    }

    fn strides(self, operand: &Operand) -> Self {
        self.index(operand.offset).index(operand.row_stride).index(operand.column_stride).flag(operand.conjugate)
    }

    fn operand(self, buffer: &dyn DeviceMemory, operand: &Operand) -> Self {
        self.buffer(buffer).strides(operand)
    }

    fn a_of(self, form: Form, buffer: &dyn DeviceMemory, problem: &GemmProblem) -> Self {
        if form.is_plain() { self.operand(buffer, &problem.a) } else { self.along_c(buffer, problem.a) }
    }

    fn b_of(self, form: Form, buffer: &dyn DeviceMemory, problem: &GemmProblem) -> Self {
        if form.is_plain() { self.operand(buffer, &problem.b) } else { self.along_c(buffer, problem.b.transposed()) }
    }

    fn along_c(self, buffer: &dyn DeviceMemory, operand: Operand) -> Self {
        let operand = operand.stored_below();
        self.operand(buffer, &operand).structure(&operand.structure)
    }

    fn structure(self, structure: &Structure) -> Self {
        self.trapezoid(structure.trapezoid())
    }

    fn triangle(self, form: Form, target: &Target) -> Self {
        if form.is_plain() { self } else { self.trapezoid(target.trapezoid()) }
    }

    fn trapezoid(self, trapezoid: Option<&Trapezoid>) -> Self {
        self.flag(trapezoid.is_some_and(Trapezoid::is_upper)).step(trapezoid.map_or(0, |trapezoid| trapezoid.diagonal))
    }
}
