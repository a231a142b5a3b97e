//! Lowering of fused kernels to the kernel language, for GPUs and for CPUs with OpenCL.
//!
//! A [`Structure`] becomes a [`Lowered`]. [`Lowered::launch`] gives the launches for some [`Arguments`] as data, each
//! of one [`Variant`], and [`Lowered::kernel`] the kernel of a variant. Shapes, strides, offsets and scalars are
//! arguments of kernels: a variant is compiled once.
//!
//! ```text
//!   Map      points                          vectors along the last axis
//!   Tiles    points with transposed operands tiles in local memory, or a CPU's in private memory
//!   Rows     whole rows in one launch        load, reduce, halve; next phase; ...
//!   Chunks   chunks of long rows  ─┐
//!   Join     their results        ─┴> rows   through a workspace
//! ```

mod access;
mod accumulate;
#[doc(hidden)]
mod arithmetic;
mod blocks;
mod code;
mod device;
#[doc(hidden)]
mod emit;
mod functions;
mod generator;
mod join;
mod launch;
#[doc(hidden)]
mod machine;
mod map;
mod rows;
mod scans;
mod shape;
mod stages;
#[cfg(test)]
mod tests;
mod tiles;
mod variant;

pub use device::{DeviceClass, DeviceKind, Functions};
pub use launch::{KernelArgument, KernelLaunch, Recipe, Workspace};
pub use stages::{LoweredStage, STAGE_MULTIPLE, StageLaunch, StageParameter, lower_stage, max_stage_groups};
pub use variant::{Along, Form, Team, Variant};

/// Operations of kernels under construction, for lowerings in other crates. No promise is made of them.
#[doc(hidden)]
pub mod operations {
    pub use super::arithmetic::scalar_type;
    pub use super::emit::{Buffer, Emit, Rounding, V};
    pub use super::functions::{own_binary, own_unary};
    pub use super::machine::Machine;
}

use crate::check::Invalid;
use crate::element::ElementType;
use crate::function::{Binary, Unary};
use crate::fused::{Arguments, Instruction, ReductionOrder, Structure};
use affinimath_kernel::{BuildError, Kernel};
use emit::{Emit, Rounding};
use generator::Generator;
use std::cell::RefCell;

/// An error of lowering a structure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// A structure that is not consistent.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Elements or values of double precision, on a device without it.
    #[error("the device has no double precision")]
    NoDoubles,
    /// A kernel that the kernel language refuses.
    #[error(transparent)]
    Kernel(#[from] BuildError),
}

/// A structure for a class of devices.
#[derive(Clone, Debug)]
pub struct Lowered {
    structure: Structure,
    device: DeviceClass,
    /// The order of reductions; of chunks of one element, which join nothing, that of one chunk.
    order: ReductionOrder,
    /// Types of registers, by phase.
    types: Vec<Vec<ElementType>>,
    /// True if a later phase writes what an earlier one reads.
    is_in_place: bool,
}

/// Lowers a structure for a class of devices.
///
/// # Errors
/// [`LowerError::Invalid`], [`LowerError::NoDoubles`].
pub fn lower(structure: &Structure, device: &DeviceClass) -> Result<Lowered, LowerError> {
    structure.check()?;
    let types = (0..structure.phases.len()).map(|phase| structure.types(phase)).collect::<Result<Vec<_>, _>>()?;
    let has_doubles = types.iter().flatten().any(|element| element.is_double())
        || structure.accesses.iter().any(|access| access.element.is_double());
    if has_doubles && !device.has_doubles {
        return Err(LowerError::NoDoubles);
    }
    let order = match structure.order {
        ReductionOrder { chunk: 1, .. } => ReductionOrder { lanes: 1, chunk: usize::MAX },
        order => order,
    };
    let is_in_place = structure.phases.len() > 1 && structure.accesses.iter().any(|a| a.is_read && a.is_written);
    Ok(Lowered { structure: structure.clone(), device: *device, order, types, is_in_place })
}

impl Lowered {
    /// The structure.
    pub const fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The launches for arguments that [`Arguments::check`] has accepted; none for an extent of 0. Buffers begin at
    /// multiples of 16 bytes.
    pub fn launch(&self, arguments: &Arguments) -> Recipe {
        launch::Planner::new(self, arguments).plan()
    }

    /// The kernel of a variant that [`Lowered::launch`] has named. Its text depends on the structure, the class of the
    /// device and the variant alone.
    ///
    /// # Errors
    /// [`LowerError::Kernel`].
    pub fn kernel(&self, variant: Variant) -> Result<Kernel, LowerError> {
        let error = RefCell::new(None);
        let needs_doubles = !self.device.rounds_divisions && self.device.has_doubles;
        let rounding = if needs_doubles { Rounding::Doubles } else { Rounding::Native };
        let kernel = Kernel::build_dynamic(variant.form.name(), |k| {
            let e = Emit::new(k, &error, rounding);
            if self.divides_singles() {
                e.demand_rounding();
            }
            Generator::new(self, variant, e)?.generate();
            Ok(())
        });
        match error.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(kernel?),
        }
    }

    /// True if the code may divide or take square roots in single precision, also within a function.
    fn divides_singles(&self) -> bool {
        let mut code = self.structure.phases.iter().zip(&self.types);
        code.any(|(phase, types)| {
            phase.code.iter().zip(types).any(|(instruction, element)| {
                let is_inexact = match instruction {
                    Instruction::Unary(function, _) => !is_free_of_division(*function),
                    Instruction::Binary(function, ..) => {
                        matches!(function, Binary::Div | Binary::Pow | Binary::Atan2 | Binary::Hypot)
                    }
                    Instruction::ComplexReal(..) | Instruction::ComplexImaginary(..) => true,
                    _ => false,
                };
                is_inexact && *element == ElementType::F32
            })
        })
    }
}

const fn is_free_of_division(function: Unary) -> bool {
    use Unary::{Abs, Ceil, Floor, IsFinite, IsInfinite, IsNan, Neg, Not, Round, Sign, SignBit, Square, Trunc};
    matches!(
        function,
        Abs | Ceil | Floor | IsFinite | IsInfinite | IsNan | Neg | Not | Round | Sign | SignBit | Square | Trunc
    )
}

impl Form {
    /// The name of the kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Map { .. } => "map",
            Form::Tiles { .. } => "tiles",
            Form::Rows { .. } => "rows",
            Form::Chunks { .. } => "chunks",
            Form::Join { .. } => "join",
        }
    }
}

impl Generator<'_, '_> {
    /// The body of the kernel.
    fn generate(&self) {
        match self.variant.form {
            Form::Map { phase, width, step } => self.map(phase, width, step),
            Form::Tiles { axis, transposed } if self.is_cpu() => self.blocks(axis, transposed),
            Form::Tiles { axis, transposed } => self.tiles(axis, transposed),
            Form::Rows { team, has_chunks } => self.whole_rows(team, has_chunks),
            Form::Chunks { phase, team } => self.chunks(phase, team),
            Form::Join { phase, team, to_rows } => self.join(phase, team, to_rows),
        }
    }
}
