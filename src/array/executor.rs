//! Evaluation of expressions in a context's memory.

use std::ptr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use affinimath_array::element::{HostSlice, HostSliceMut};
use affinimath_array::executor::{AsExecutor, Assignment, Executor, sole_memories};
use affinimath_array::node::{ContextId, Leaf, Node, Storage};
use affinimath_array::plan::{Bindings, Limits, Output, Plan, PlanCache};
use affinimath_array::shape::{Shape, Strides};

use super::device::DeviceKernels;
use super::host::HostKernels;
use super::memory::{ArrayMemory, Block};
use super::steps::Run;
use super::{settings, stream};
use crate::context::{BufferParts, ContextParts, Queue};
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::transfer;

/// Plans that a context caches.
const CACHED_PLANS: usize = 1024;

/// The evaluator of a context's arrays.
pub(super) struct ContextExecutor {
    context: Context,
}

/// Plans and compiled kernels of a context.
pub(super) struct State {
    plans: Mutex<PlanCache>,
    pub(super) kernels: Kernels,
}

/// Compiled kernels, by the key of their structure.
pub(super) enum Kernels {
    Host(HostKernels),
    Device(DeviceKernels),
}

/// The number that arrays of a context bear; contexts that are the same memory have the same.
pub(super) fn context_id(context: &Context) -> ContextId {
    ContextId(context.on_device().map_or(0, |device| Arc::as_ptr(device).addr() as u64))
}

impl State {
    fn new(kernels: Kernels) -> Self {
        let limits = settings::limits().unwrap_or_default();
        State { plans: Mutex::new(PlanCache::new(limits, CACHED_PLANS)), kernels }
    }

    /// Those of a context, which live as long as it does.
    pub(super) fn of(context: &Context) -> &Self {
        static HOST: LazyLock<State> = LazyLock::new(|| State::new(Kernels::Host(HostKernels::default())));
        match context.on_device() {
            None => &HOST,
            Some(device) => device.extension(|| State::new(Kernels::Device(DeviceKernels::new(device)))),
        }
    }
}

impl ContextExecutor {
    pub(super) const fn new(context: Context) -> Self {
        ContextExecutor { context }
    }

    /// The plan of an evaluation, and its operands. `dies` is as for `Plan::reusing`.
    fn plan(&self, outputs: &[Output], dies: impl Fn(&Leaf) -> bool) -> Result<(Arc<Plan>, Bindings)> {
        settings::limits()?;
        settings::functions()?;
        let state = State::of(&self.context);
        let mut plans = state.plans.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(plans.plan(outputs, dies)?)
    }

    pub(super) const fn context(&self) -> &Context {
        &self.context
    }

    /// New arrays with the values of the nodes, whose large operands of the host come in pieces.
    fn arrays(&self, nodes: Vec<Node>, dies: impl Fn(&Leaf) -> bool) -> Result<Vec<Leaf>> {
        match stream::arrays(self, &nodes)? {
            Some(leaves) => Ok(leaves),
            None => self.at_once(nodes, dies),
        }
    }

    /// New arrays with the values of the nodes, each operand of the host being brought before.
    pub(super) fn whole(&self, nodes: Vec<Node>) -> Result<Vec<Leaf>> {
        self.at_once(nodes, |_| false)
    }

    fn at_once(&self, nodes: Vec<Node>, dies: impl Fn(&Leaf) -> bool) -> Result<Vec<Leaf>> {
        let outputs: Vec<_> = nodes.into_iter().map(|node| Output { node, target: None }).collect();
        let (plan, bindings) = self.plan(&outputs, dies)?;
        let mut run = Run::new(&self.context, &plan, &bindings)?;
        run.steps()?;
        run.results()
    }

    /// Evaluates outputs to their targets.
    pub(super) fn assign_all(&self, outputs: &[Output]) -> Result<()> {
        let (plan, bindings) = self.plan(outputs, |_| false)?;
        Run::new(&self.context, &plan, &bindings)?.steps()
    }

    /// [`Executor::assign`] on the host, after which `keep` sees the plan, its operands and the host's kernels.
    pub(super) fn assign_and_keep(
        &self,
        assignments: &[Assignment],
        keep: impl FnOnce(&Plan, &Bindings, &HostKernels) -> Result<()>,
    ) -> Result<()> {
        let (plan, bindings) = self.plan(&assigned(assignments)?, |_| false)?;
        Run::new(&self.context, &plan, &bindings)?.steps()?;
        match &State::of(&self.context).kernels {
            Kernels::Host(kernels) => keep(&plan, &bindings, kernels),
            Kernels::Device(_) => Ok(()),
        }
    }

    /// The elements of an array in row-major order, as bytes.
    pub(super) fn download_bytes(&self, leaf: &Leaf, shape: &Shape, bytes: &mut [u8]) -> Result<()> {
        if shape.is_empty() {
            return Ok(());
        }
        if leaf.strides != Strides::row_major(shape) {
            let node = Node::leaf(leaf.storage.clone(), leaf.offset, *shape, leaf.strides);
            let copy = self.whole(vec![node])?.pop();
            let copy = copy.ok_or_else(|| Error::Internal("a result is missing".to_owned()))?;
            return self.download_bytes(&copy, shape, bytes);
        }
        let memory = ArrayMemory::of(leaf).ok_or_else(|| Error::Internal("memory of another library".to_owned()))?;
        let first = leaf.offset * leaf.storage.element().bytes();
        match memory.block() {
            // SAFETY: the leaf's elements lie within its memory, which `Node::leaf` has checked, and nobody writes them
            // while expressions share them.
            Block::Host(block) => unsafe {
                ptr::copy_nonoverlapping(block.as_ptr().add(first), bytes.as_mut_ptr(), bytes.len());
            },
            Block::Device(buffer) if first == 0 => transfer::download(&Queue::new(buffer.context())?, buffer, bytes)?,
            Block::Device(buffer) => buffer.read_bytes(&Queue::new(buffer.context())?, first, bytes)?,
        }
        Ok(())
    }

    /// The memory as that of an array.
    pub(super) fn storage(
        &self,
        memory: Block,
        element: affinimath_array::ElementType,
        length: usize,
    ) -> Arc<dyn Storage> {
        Arc::new(ArrayMemory::new(self.context.clone(), element, length, memory))
    }
}

/// Values with the memory that receives them.
fn assigned(assignments: &[Assignment]) -> Result<Vec<Output>> {
    let of_assignment = |assignment: &Assignment| match assignment.target.op() {
        affinimath_array::Op::Leaf(leaf) => Ok(Output { node: assignment.value.clone(), target: Some(leaf.clone()) }),
        _ => Err(Error::Internal("an assignment to an expression that is no memory".to_owned())),
    };
    assignments.iter().map(of_assignment).collect()
}

impl Executor for ContextExecutor {
    fn id(&self) -> ContextId {
        context_id(&self.context)
    }

    fn evaluate(&self, outputs: &[Node]) -> Result<Vec<Leaf>> {
        self.arrays(outputs.to_vec(), |_| false)
    }

    fn evaluate_owned(&self, outputs: Vec<Node>) -> Result<Vec<Leaf>> {
        let sole = sole_memories(&outputs);
        // Memory of another library stays as it is.
        self.arrays(outputs, |leaf| sole.contains(&leaf.id()) && ArrayMemory::of(leaf).is_some())
    }

    fn assign(&self, assignments: &[Assignment]) -> Result<()> {
        self.assign_all(&assigned(assignments)?)
    }

    fn limits(&self) -> Limits {
        settings::limits().unwrap_or_default()
    }

    fn upload(&self, elements: HostSlice<'_>) -> Result<Arc<dyn Storage>> {
        let (element, length) = (elements.element(), elements.len());
        let bytes = super::bytes_of(&elements);
        if element.is_double()
            && let Some(device) = self.context.device()
        {
            device.info().require(crate::scalar::ScalarKind::D)?;
        }
        let memory = Block::new(&self.context, element, length)?;
        if !bytes.is_empty() {
            match &memory {
                // SAFETY: the block has `bytes.len()` bytes, and is nobody else's yet.
                Block::Host(block) => unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), block.as_ptr(), bytes.len()) },
                Block::Device(buffer) => transfer::upload(&Queue::new(buffer.context())?, buffer, bytes)?,
            }
        }
        Ok(self.storage(memory, element, length))
    }

    fn download(&self, leaf: &Leaf, shape: &Shape, mut elements: HostSliceMut<'_>) -> Result<()> {
        self.download_bytes(leaf, shape, super::bytes_of_mut(&mut elements))
    }

    fn evaluate_to_host(&self, outputs: Vec<(Node, HostSliceMut<'_>)>) -> Result<()> {
        let (nodes, mut elements): (Vec<Node>, Vec<_>) = outputs.into_iter().unzip();
        let mut bytes: Vec<&mut [u8]> = elements.iter_mut().map(super::bytes_of_mut).collect();
        if stream::to_host(self, &nodes, &mut bytes)? {
            return Ok(());
        }
        let leaves = self.whole(nodes.clone())?;
        let all = nodes.iter().zip(&leaves).zip(bytes);
        all.into_iter().try_for_each(|((node, leaf), bytes)| self.download_bytes(leaf, node.shape(), bytes))
    }
}

impl AsExecutor for Context {
    fn as_executor(&self) -> Arc<dyn Executor> {
        Arc::new(ContextExecutor::new(self.clone()))
    }
}
