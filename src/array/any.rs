//! Arrays whose type is known at run time, for other languages.

use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock};

use affinimath_array::element::{HostSlice, HostSliceMut};
use affinimath_array::executor::{Executor, sole_memories};
use affinimath_array::node::{ContextId, Leaf, Node, Op, Storage};
use affinimath_array::plan::{Output, Plan};
use affinimath_array::shape::Shape;
use affinimath_array::{Array, Element, ElementType, Expr};

use super::executor::{ContextExecutor, context_id};
use super::memory::{ArrayMemory, Block};
use super::settings;
use crate::context::DeviceBuffer;
use crate::error::{Error, Result};
use crate::memory::Context;
use crate::scalar::{Complex32, Complex64};

/// An array, or an expression that is evaluated when its elements are asked for, of a type that is known at run time.
///
/// It is immutable, but for memory that it [lends](AnyArray::lend) to be written: evaluation does not change its
/// elements. Clones share them.
#[derive(Clone)]
pub struct AnyArray {
    context: Context,
    node: Arc<RwLock<Node>>,
}

impl AnyArray {
    /// A graph of arrays of the context.
    ///
    /// # Errors
    /// The graph's error, or [`Error::MixedMemory`] of one of another context.
    pub fn new(context: &Context, node: Node) -> Result<Self> {
        if let Some(error) = node.error() {
            return Err(error.clone().into());
        }
        if node.context().is_some_and(|other| other != context_id(context)) {
            return Err(Error::MixedMemory("the arrays lie in the memory of another context".to_owned()));
        }
        Ok(AnyArray { context: context.clone(), node: Arc::new(RwLock::new(node)) })
    }

    /// An array with a copy of elements in the host's memory, in row-major order of the shape.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`], [`Error::OutOfHostMemory`], [`Error::PrecisionNotSupported`].
    pub fn from_elements(context: &Context, shape: &Shape, elements: HostSlice<'_>) -> Result<Self> {
        if elements.len() != shape.len() {
            let reason = format!("{} elements for shape {shape}", elements.len());
            return Err(Error::argument("elements", reason));
        }
        let storage = ContextExecutor::new(context.clone()).upload(elements)?;
        Self::new(context, Node::contiguous(storage, *shape))
    }

    /// The context of its memory.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The graph: memory once it is evaluated.
    pub fn node(&self) -> Node {
        self.node.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The type of the elements.
    pub fn element(&self) -> ElementType {
        self.node().element()
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        *self.node().shape()
    }

    /// The array as an expression of elements of the type; `None` of another type.
    pub fn to_expr<T: Element>(&self) -> Option<Expr<T>> {
        let node = self.node();
        (node.element() == T::TYPE).then(|| Expr::from_node(node))
    }

    /// Evaluates expressions of one context together: what they share is computed once.
    ///
    /// # Errors
    /// Errors of the evaluation.
    pub fn evaluate_all(arrays: &[&AnyArray]) -> Result<()> {
        let Some(first) = arrays.first() else { return Ok(()) };
        if arrays.iter().any(|array| !array.context.is_same(&first.context)) {
            return Err(Error::MixedMemory("arrays of different contexts are evaluated separately".to_owned()));
        }
        let is_open =
            |array: &&&AnyArray| !matches!(array.node().op(), Op::Leaf(leaf) if leaf.storage.context().is_some());
        let open: Vec<&AnyArray> = arrays.iter().filter(is_open).copied().collect();
        let nodes: Vec<Node> = open.iter().map(|array| array.node()).collect();
        if nodes.is_empty() {
            return Ok(());
        }
        let leaves = ContextExecutor::new(first.context.clone()).evaluate(&nodes)?;
        for (array, (node, Leaf { storage, offset, strides })) in open.into_iter().zip(nodes.iter().zip(leaves)) {
            let memory = Node::leaf(storage, offset, *node.shape(), strides);
            *array.node.write().unwrap_or_else(PoisonError::into_inner) = memory;
        }
        Ok(())
    }

    /// The kernels, the temporary arrays and the bytes of an evaluation of expressions of one context, as text. Nothing
    /// is evaluated.
    ///
    /// # Errors
    /// [`Error::MixedMemory`], errors of the settings.
    pub fn explain_all(arrays: &[&AnyArray]) -> Result<String> {
        let Some(first) = arrays.first() else { return Ok(String::new()) };
        if arrays.iter().any(|array| !array.context.is_same(&first.context)) {
            return Err(Error::MixedMemory("arrays of different contexts are evaluated separately".to_owned()));
        }
        let outputs: Vec<Output> = arrays.iter().map(|array| Output { node: array.node(), target: None }).collect();
        let (plan, _) = Plan::new(&outputs, &settings::limits()?)?;
        Ok(plan.explain())
    }

    /// The elements as NumPy prints them; of large arrays the first and last three along each axis. It waits for them.
    ///
    /// # Errors
    /// Errors of the evaluation.
    pub fn to_text(&self) -> Result<String> {
        Self::evaluate_all(&[self])?;
        let node = self.node();
        let Op::Leaf(Leaf { storage, offset, strides }) = node.op() else {
            return Err(Error::Internal("an evaluated array has no memory".to_owned()));
        };
        let (storage, shape) = (storage.clone(), *node.shape());
        macro_rules! text {
            ($($variant:ident $type:ty,)*) => {
                match node.element() {
                    $(ElementType::$variant => {
                        Array::<$type>::from_storage(storage, *offset, shape, *strides)?.to_string()
                    })*
                }
            };
        }
        Ok(text!(Bool bool, U8 u8, I32 i32, U32 u32, I64 i64, F32 f32, F64 f64, C32 Complex32, C64 Complex64,))
    }

    /// Copies the elements in row-major order, as many as the array has, of its type. It waits for them.
    ///
    /// # Errors
    /// Errors of the evaluation.
    pub fn download(&self, elements: HostSliceMut<'_>) -> Result<()> {
        let (node, executor) = (self.node(), ContextExecutor::new(self.context.clone()));
        if elements.len() != node.shape().len() || elements.element() != node.element() {
            let reason = format!("{} elements for an array of shape {}", elements.len(), node.shape());
            return Err(Error::argument("elements", reason));
        }
        match node.op() {
            _ if node.shape().is_empty() => Ok(()),
            Op::Leaf(leaf) if node.context().is_some() => executor.download(leaf, node.shape(), elements),
            _ => {
                Self::evaluate_all(&[self])?;
                match self.node().op() {
                    Op::Leaf(leaf) => executor.download(leaf, node.shape(), elements),
                    _ => Err(Error::Internal("an evaluated array has no memory".to_owned())),
                }
            }
        }
    }
}

/// The memory of an array while a computation outside of expressions reads or writes it: the elements in row-major
/// order, from the first byte on.
pub struct LentArray(Arc<dyn Storage>);

/// The place of lent memory.
#[derive(Clone, Copy, Debug)]
pub enum LentMemory<'a> {
    /// The first byte in the host's memory.
    Host(*mut u8),
    /// A device's buffer.
    Device(&'a DeviceBuffer),
}

impl LentArray {
    /// The memory. Of a device, commands in its context's own queue come after those that wrote the elements.
    ///
    /// # Errors
    /// [`Error::Internal`] for memory of another library.
    pub fn memory(&self) -> Result<LentMemory<'_>> {
        let storage: &dyn Any = &*self.0;
        match storage.downcast_ref::<ArrayMemory>().map(ArrayMemory::block) {
            Some(Block::Host(block)) => Ok(LentMemory::Host(block.as_ptr())),
            Some(Block::Device(buffer)) => Ok(LentMemory::Device(buffer)),
            None => Err(Error::Internal("memory of another library".to_owned())),
        }
    }

    /// True if both are the same memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl AnyArray {
    /// Evaluates the array, and lends its memory. With `is_written` the array has the elements that are written then:
    /// memory that clones, other arrays or expressions read is copied before, so that these keep what they had.
    ///
    /// # Errors
    /// Errors of the evaluation and of the copy.
    pub fn lend(&self, is_written: bool) -> Result<LentArray> {
        Self::evaluate_all(&[self])?;
        let mut node = self.node.write().unwrap_or_else(PoisonError::into_inner);
        if let Op::Leaf(leaf) = node.op()
            && leaf.offset == 0
            && leaf.strides.is_row_major(node.shape())
            && (!is_written || (Arc::strong_count(&self.node) == 1 && sole_memories([&*node]).contains(&leaf.id())))
        {
            return Ok(LentArray(leaf.storage.clone()));
        }
        let copies = ContextExecutor::new(self.context.clone()).whole(vec![node.clone()])?;
        let copy = copies.into_iter().next().ok_or_else(|| Error::Internal("a copy is missing".to_owned()))?;
        let storage = copy.storage.clone();
        *node = Node::leaf(copy.storage, copy.offset, *node.shape(), copy.strides);
        Ok(LentArray(storage))
    }
}

/// Elements in the host's memory that somebody else owns.
pub(super) struct Borrowed {
    element: ElementType,
    start: *mut u8,
    length: usize,
}

// SAFETY: it is an address and numbers; `Borrowed::new` has the conditions of accesses.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl Borrowed {
    /// # Safety
    /// `length` elements of the type from `start` on must be valid and aligned, until the last node with the memory is
    /// dropped, and be written by nobody but evaluations with them as a target.
    pub(super) const unsafe fn new(element: ElementType, start: *mut u8, length: usize) -> Self {
        Borrowed { element, start, length }
    }
}

impl Storage for Borrowed {
    fn element(&self) -> ElementType {
        self.element
    }

    fn len(&self) -> usize {
        self.length
    }

    fn context(&self) -> Option<ContextId> {
        None
    }

    fn host(&self) -> Option<HostSlice<'_>> {
        macro_rules! slice {
            ($($variant:ident)*) => {
                match self.element {
                    // SAFETY: `new` requires as many valid, aligned elements.
                    $(ElementType::$variant => HostSlice::$variant(unsafe {
                        std::slice::from_raw_parts(self.start.cast(), self.length)
                    }),)*
                }
            };
        }
        Some(slice!(Bool U8 I32 U32 I64 F32 F64 C32 C64))
    }
}

/// The elements of one type at an address, to be written.
///
/// # Safety
/// `length` elements of the type from `start` on must be valid, aligned and nobody else's.
pub unsafe fn elements_at_mut<'a>(element: ElementType, start: *mut u8, length: usize) -> HostSliceMut<'a> {
    macro_rules! slice {
        ($($variant:ident)*) => {
            match element {
                // SAFETY: by contract, there are as many valid, aligned elements, which are nobody else's.
                $(ElementType::$variant => HostSliceMut::$variant(unsafe {
                    std::slice::from_raw_parts_mut(start.cast(), length)
                }),)*
            }
        };
    }
    slice!(Bool U8 I32 U32 I64 F32 F64 C32 C64)
}

/// The elements of one type at an address.
///
/// # Safety
/// `length` elements of the type from `start` on must be valid and aligned, and written by nobody.
pub unsafe fn elements_at<'a>(element: ElementType, start: *const u8, length: usize) -> HostSlice<'a> {
    macro_rules! slice {
        ($($variant:ident)*) => {
            match element {
                // SAFETY: by contract, there are as many valid, aligned elements, which nobody writes.
                $(ElementType::$variant => HostSlice::$variant(unsafe {
                    std::slice::from_raw_parts(start.cast(), length)
                }),)*
            }
        };
    }
    slice!(Bool U8 I32 U32 I64 F32 F64 C32 C64)
}
