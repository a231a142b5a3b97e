//! The steps of a plan, in a context's memory.

use affinimath_array::ElementType;
use affinimath_array::fused::{Arguments, View};
use affinimath_array::node::{Leaf, Storage};
use affinimath_array::plan::{Bindings, Buffer, Fused, Operand, Plan, PlannedOutput, Step};
use affinimath_array::shape::Strides;
use std::sync::Arc;

use super::device::DeviceKernels;
use super::executor::{Kernels, State};
use super::memory::{ArrayMemory, Block};
use super::{copy, product, routine, scan};
use crate::context::{BufferParts, DeviceBuffer, Queue};
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::transfer;

/// An evaluation under way.
pub(super) struct Run<'a> {
    context: &'a Context,
    plan: &'a Plan,
    bindings: &'a Bindings,
    state: &'a State,
    /// Copies of operands that lie in the host's memory, for a device.
    uploaded: Vec<Option<Block>>,
    temporaries: Vec<Option<Block>>,
    outputs: Vec<Option<Block>>,
}

/// The memory of an operand, whole.
#[derive(Clone, Copy)]
pub(super) enum Memory<'a> {
    /// The first byte, and elements.
    Host(*mut u8, usize),
    /// The buffer, and elements.
    Device(&'a DeviceBuffer, usize),
}

impl<'a> Run<'a> {
    /// Brings over operands of the host.
    pub(super) fn new(context: &'a Context, plan: &'a Plan, bindings: &'a Bindings) -> Result<Self> {
        let upload = |leaf: &Leaf| match (leaf.storage.host(), context.on_device()) {
            (Some(elements), Some(device)) => {
                let block = Block::new(context, elements.element(), elements.len())?;
                if let (Block::Device(buffer), bytes @ [_, ..]) = (&block, super::bytes_of(&elements)) {
                    transfer::upload(&Queue::new(device)?, buffer, bytes)?;
                }
                Ok(Some(block))
            }
            _ => Ok(None),
        };
        let uploaded = bindings.leaves.iter().map(upload).collect::<Result<_>>()?;
        let temporaries = plan.temporaries.iter().map(|_| None).collect();
        let outputs = plan.outputs.iter().map(|_| None).collect();
        Ok(Run { context, plan, bindings, state: State::of(context), uploaded, temporaries, outputs })
    }

    /// Runs or enqueues all steps.
    pub(super) fn steps(&mut self) -> Result<()> {
        for (index, step) in self.plan.steps.iter().enumerate() {
            // Memory of an output is asked for by its first step: temporaries before it are free by then.
            for operand in step.operands() {
                if let Buffer::Output(number) = operand.buffer {
                    self.allocate_output(number)?;
                }
            }
            for (number, temporary) in self.plan.temporaries.iter().enumerate() {
                if temporary.first == index {
                    self.temporaries[number] = Some(Block::new(self.context, temporary.element, temporary.len)?);
                }
            }
            self.step(step)?;
            for (number, temporary) in self.plan.temporaries.iter().enumerate() {
                if temporary.last == index {
                    self.temporaries[number] = None;
                }
            }
        }
        // A view of memory that somebody has becomes an array of its own.
        for (index, output) in self.plan.outputs.iter().enumerate() {
            if output.result.buffer == Buffer::Output(index) {
                self.allocate_output(index)?;
            }
            if matches!(output.result.buffer, Buffer::Leaf(_)) {
                self.outputs[index] = Some(Block::new(self.context, output.element, output.shape.len())?);
                self.copy(&output.result, &copy::row_major(Buffer::Output(index), output.element, &output.shape))?;
            }
        }
        Ok(())
    }

    /// Memory for a new array, unless it has some or takes over a leaf's.
    fn allocate_output(&mut self, number: usize) -> Result<()> {
        let output = &self.plan.outputs[number];
        if output.in_place.is_none() && self.outputs[number].is_none() {
            self.outputs[number] = Some(Block::new(self.context, output.element, output.shape.len())?);
        }
        Ok(())
    }

    fn step(&self, step: &Step) -> Result<()> {
        match step {
            Step::Fused(fused) => self.fused(fused),
            Step::Copy { from, to } => self.copy(from, to),
            Step::Matmul(product) => product::run(self, product),
            Step::Scan { reduction, axis, input, output } => scan::run(self, *reduction, *axis, input, output),
            Step::CheckIndices { range, axis, extent } => self.check_indices(range, *axis, *extent),
            Step::Library { routine, inputs, outputs, call } => {
                routine::run(self, &**routine, inputs, outputs, self.bindings.calls[*call])
            }
        }
    }

    fn fused(&self, fused: &Fused) -> Result<()> {
        let arguments = fused.arguments(self.bindings);
        let memories = fused.accesses.iter().map(|operand| self.memory(operand)).collect::<Result<Vec<_>>>()?;
        self.launch(fused, &arguments, &memories)
    }

    fn launch(&self, fused: &Fused, arguments: &Arguments, memories: &[Memory<'_>]) -> Result<()> {
        match &self.state.kernels {
            Kernels::Host(kernels) => kernels.run(fused.key, &fused.structure, arguments, memories),
            Kernels::Device(kernels) => {
                let device = self.context.on_device().ok_or_else(|| Error::Internal("no device".to_owned()))?;
                kernels.enqueue(device, fused.key, &fused.structure, arguments, memories)
            }
        }
    }

    /// Copies elements of one type and shape.
    pub(super) fn copy(&self, from: &Operand, to: &Operand) -> Result<()> {
        self.fused(&copy::kernel(from, to))
    }

    /// Copies elements to memory that the plan does not know, where `to` has its offset.
    pub(super) fn copy_to(&self, from: &Operand, to: &Operand, memory: Memory<'_>) -> Result<()> {
        let views = |fused: &Fused| vec![fused.accesses[0].view(self.bindings), view_of_own(&fused.accesses[1])];
        self.copy_between(from, to, [self.memory(from)?, memory], views)
    }

    /// Copies elements from memory that the plan does not know, where `from` has its offset.
    pub(super) fn copy_from(&self, memory: Memory<'_>, from: &Operand, to: &Operand) -> Result<()> {
        let views = |fused: &Fused| vec![view_of_own(&fused.accesses[0]), fused.accesses[1].view(self.bindings)];
        self.copy_between(from, to, [memory, self.memory(to)?], views)
    }

    fn copy_between(
        &self,
        from: &Operand,
        to: &Operand,
        memories: [Memory<'_>; 2],
        views: impl Fn(&Fused) -> Vec<View>,
    ) -> Result<()> {
        let fused = copy::kernel(from, to);
        let arguments = Arguments { extents: fused.extents.clone(), views: views(&fused), scalars: Vec::new() };
        self.launch(&fused, &arguments, &memories)
    }

    /// The numbers and memory that the evaluation is bound to.
    pub(super) const fn bindings(&self) -> &Bindings {
        self.bindings
    }

    /// The context whose memory the evaluation uses.
    pub(super) const fn context(&self) -> &'a Context {
        self.context
    }

    /// True if the memory is a device's.
    pub(super) fn is_on_device(&self) -> bool {
        self.context.on_device().is_some()
    }

    /// New memory of the context, until it is dropped.
    pub(super) fn block(&self, element: ElementType, length: usize) -> Result<Block> {
        Block::new(self.context, element, length)
    }

    /// Elements of an operand's memory before its first one.
    pub(super) fn offset(&self, operand: &Operand) -> usize {
        operand.view(self.bindings).offset
    }

    /// The kernels of the context's device.
    pub(super) fn kernels(&self) -> Result<&'a DeviceKernels> {
        match &self.state.kernels {
            Kernels::Device(kernels) => Ok(kernels),
            Kernels::Host(_) => Err(Error::Internal("kernels of a device on the host".to_owned())),
        }
    }

    /// The memory of an operand.
    pub(super) fn memory(&self, operand: &Operand) -> Result<Memory<'_>> {
        let missing = || Error::Internal(format!("{:?} has no memory", operand.buffer));
        match operand.buffer {
            Buffer::Leaf(leaf) => match &self.uploaded[leaf] {
                Some(block) => Ok(of_block(block, self.bindings.leaves[leaf].storage.len())),
                None => of_leaf(&self.bindings.leaves[leaf]).ok_or_else(missing),
            },
            Buffer::Target(target) => of_leaf(&self.bindings.targets[target]).ok_or_else(missing),
            Buffer::Temporary(number) => {
                let block = self.temporaries[number].as_ref().ok_or_else(missing)?;
                Ok(of_block(block, self.plan.temporaries[number].len))
            }
            Buffer::Output(number) => {
                if let Some(leaf) = self.plan.outputs[number].in_place {
                    return of_leaf(&self.bindings.leaves[leaf]).ok_or_else(missing);
                }
                let block = self.outputs[number].as_ref().ok_or_else(missing)?;
                Ok(of_block(block, self.plan.outputs[number].shape.len()))
            }
        }
    }

    /// Fails unless the least and the greatest index are within the axis. It waits for them.
    fn check_indices(&self, range: &Operand, axis: usize, extent: usize) -> Result<()> {
        let mut indices = [0_i64; 2];
        let first = range.view(self.bindings).offset;
        match self.memory(range)? {
            Memory::Host(at, _) => {
                for (k, index) in indices.iter_mut().enumerate() {
                    // SAFETY: the operand has two `i64` from its offset on, which the step before has written.
                    *index = unsafe { at.cast::<i64>().add(first + k).read() };
                }
            }
            Memory::Device(buffer, _) => buffer.read_at(&Queue::new(buffer.context())?, first, &mut indices)?,
        }
        let bound = extent as i64;
        match indices.into_iter().find(|index| !(-bound..bound).contains(index)) {
            None => Ok(()),
            Some(index) => {
                let reason = format!("index {index} is out of range for axis {axis} with {extent} elements");
                Err(Error::argument("index", reason))
            }
        }
    }

    /// The leaves of the outputs.
    pub(super) fn results(mut self) -> Result<Vec<Leaf>> {
        let mut memories: Vec<Option<Arc<dyn Storage>>> = Vec::with_capacity(self.outputs.len());
        for (block, output) in self.outputs.drain(..).zip(&self.plan.outputs) {
            let (element, length) = (output.element, output.shape.len());
            let array = |block| Arc::new(ArrayMemory::new(self.context.clone(), element, length, block)) as _;
            memories.push(match output.in_place {
                Some(leaf) => Some(self.bindings.leaves[leaf].storage.clone()),
                None => block.map(array),
            });
        }
        let of_output = |(index, output): (usize, &PlannedOutput)| {
            let (number, offset, strides) = match output.result.buffer {
                Buffer::Output(number) => (number, output.result.offset, Strides::new(&output.result.strides)),
                Buffer::Leaf(_) => (index, 0, Ok(Strides::row_major(&output.shape))),
                buffer => return Err(Error::Internal(format!("{buffer:?} is no result"))),
            };
            let strides = strides.map_err(|kind| Error::Internal(kind.to_string()))?;
            let storage =
                memories[number].clone().ok_or_else(|| Error::Internal("a result has no memory".to_owned()))?;
            Ok(Leaf { storage, offset: offset as usize, strides })
        };
        self.plan.outputs.iter().enumerate().map(of_output).collect()
    }
}

/// The view of a buffer that begins with the operand.
fn view_of_own(operand: &Operand) -> View {
    View {
        offset: usize::try_from(operand.offset).unwrap_or_default(),
        strides: operand.strides.clone(),
        extents: operand.extents.clone(),
    }
}

/// The memory of a leaf, where it is.
pub(super) fn of_leaf(leaf: &Leaf) -> Option<Memory<'_>> {
    match leaf.storage.host() {
        Some(elements) => Some(Memory::Host(super::bytes_of(&elements).as_ptr().cast_mut(), leaf.storage.len())),
        None => ArrayMemory::of(leaf).map(|memory| of_block(memory.block(), leaf.storage.len())),
    }
}

/// A block as the memory of an operand.
pub(super) fn of_block(block: &Block, length: usize) -> Memory<'_> {
    match block {
        Block::Host(block) => Memory::Host(block.as_ptr(), length),
        Block::Device(buffer) => Memory::Device(buffer, length),
    }
}
