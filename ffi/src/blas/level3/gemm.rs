//! gemm: C's arguments, in C's order, to the library's views.

use std::ffi::c_int;

use affinimath::{Event, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Result, Scalar};

use crate::arguments;
use crate::opencl::{self, ClEvent, ClMem, ClQueue};

/// The arguments of `affinimath*gemm`.
pub(crate) struct HostCall<T> {
    pub(crate) layout: c_int,
    pub(crate) transa: c_int,
    pub(crate) transb: c_int,
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) k: i64,
    pub(crate) alpha: T,
    pub(crate) a: *const T,
    pub(crate) lda: i64,
    pub(crate) b: *const T,
    pub(crate) ldb: i64,
    pub(crate) beta: T,
    pub(crate) c: *mut T,
    pub(crate) ldc: i64,
}

/// The arguments of `affinimath*gemmCL`.
pub(crate) struct DeviceCall<T> {
    pub(crate) queue: *mut ClQueue,
    pub(crate) layout: c_int,
    pub(crate) transa: c_int,
    pub(crate) transb: c_int,
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) k: i64,
    pub(crate) alpha: T,
    pub(crate) a: *mut ClMem,
    pub(crate) offa: i64,
    pub(crate) lda: i64,
    pub(crate) b: *mut ClMem,
    pub(crate) offb: i64,
    pub(crate) ldb: i64,
    pub(crate) beta: T,
    pub(crate) c: *mut ClMem,
    pub(crate) offc: i64,
    pub(crate) ldc: i64,
    pub(crate) event: *mut *mut ClEvent,
}

impl<T: Scalar> HostCall<T> {
    /// # Safety
    /// Pointers that are not null must hold their matrices, C must be nobody else's for the time of the call.
    pub(crate) unsafe fn run(self) -> Result<()> {
        let product =
            Product::new([self.layout, self.transa, self.transb], [self.m, self.n, self.k], self.alpha, self.beta)?;
        if product.reads_operands() {
            arguments::not_null("a", self.a)?;
        }
        let lda = product.leading_dimension("lda", self.lda, product.a_size())?;
        if product.reads_operands() {
            arguments::not_null("b", self.b)?;
        }
        let ldb = product.leading_dimension("ldb", self.ldb, product.b_size())?;
        if product.changes_c() {
            arguments::not_null("c", self.c)?;
        }
        let ldc = product.leading_dimension("ldc", self.ldc, product.c_size())?;
        if !product.changes_c() {
            return Ok(()); // BLAS: no element of C changes.
        }
        let product = product.without_unread_operands();
        let a = product.shape("a", product.a_size(), 0, lda)?;
        let b = product.shape("b", product.b_size(), 0, ldb)?;
        let c = product.shape("c", product.c_size(), 0, ldc)?;
        let Product { op_a, op_b, alpha, beta, .. } = product;
        // SAFETY: the caller vouches for the matrices; a null one is empty here.
        let (a, b, c) = unsafe {
            (
                MatrixRef::from_host_raw(self.a.cast_mut(), a),
                MatrixRef::from_host_raw(self.b.cast_mut(), b),
                MatrixMut::from_host_raw(self.c, c),
            )
        };
        affinimath::gemm(op_a, op_b, alpha, a, b, beta, c)?.wait()
    }
}

impl<T: Scalar> DeviceCall<T> {
    /// # Safety
    /// Handles that are not null must be valid, and so must the place for the event.
    pub(crate) unsafe fn run(self) -> Result<()> {
        // SAFETY: the caller vouches for the handle.
        let queue = unsafe { opencl::queue(self.queue)? };
        let product =
            Product::new([self.layout, self.transa, self.transb], [self.m, self.n, self.k], self.alpha, self.beta)?;
        if product.reads_operands() {
            arguments::not_null("a", self.a)?;
        }
        let offa = arguments::size("offa", self.offa)?;
        let lda = product.leading_dimension("lda", self.lda, product.a_size())?;
        if product.reads_operands() {
            arguments::not_null("b", self.b)?;
        }
        let offb = arguments::size("offb", self.offb)?;
        let ldb = product.leading_dimension("ldb", self.ldb, product.b_size())?;
        if product.changes_c() {
            arguments::not_null("c", self.c)?;
        }
        let offc = arguments::size("offc", self.offc)?;
        let ldc = product.leading_dimension("ldc", self.ldc, product.c_size())?;
        let event = if product.changes_c() {
            let placements = [(self.a, offa, lda), (self.b, offb, ldb), (self.c, offc, ldc)];
            // SAFETY: the caller vouches for the handles.
            unsafe { product.enqueue(&queue, placements)? }
        } else {
            Event::Complete // BLAS: no element of C changes.
        };
        // SAFETY: the caller vouches for the place.
        unsafe { opencl::give_event(&queue, event, self.event) }
    }
}

/// What both forms have in common: everything but where the matrices lie.
#[derive(Clone, Copy)]
struct Product<T> {
    layout: Layout,
    op_a: Op,
    op_b: Op,
    m: usize,
    n: usize,
    k: usize,
    alpha: T,
    beta: T,
}

impl<T: Scalar> Product<T> {
    fn new([layout, transa, transb]: [c_int; 3], [m, n, k]: [i64; 3], alpha: T, beta: T) -> Result<Self> {
        Ok(Product {
            layout: arguments::layout(layout)?,
            op_a: arguments::op("transa", transa)?,
            op_b: arguments::op("transb", transb)?,
            m: arguments::size("m", m)?,
            n: arguments::size("n", n)?,
            k: arguments::size("k", k)?,
            alpha,
            beta,
        })
    }

    /// Whether A and B are needed.
    fn reads_operands(&self) -> bool {
        self.m > 0 && self.n > 0 && self.k > 0 && self.alpha != T::ZERO
    }

    /// Whether C is needed.
    fn changes_c(&self) -> bool {
        self.m > 0 && self.n > 0 && (self.reads_operands() || self.beta != T::ONE)
    }

    /// Alpha = 0 reads neither A nor B: that is a product over k = 0, whose operands are empty.
    fn without_unread_operands(self) -> Self {
        if self.reads_operands() { self } else { Product { k: 0, ..self } }
    }

    const fn a_size(&self) -> (usize, usize) {
        if self.op_a.transposes() { (self.k, self.m) } else { (self.m, self.k) }
    }

    const fn b_size(&self) -> (usize, usize) {
        if self.op_b.transposes() { (self.n, self.k) } else { (self.k, self.n) }
    }

    const fn c_size(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    fn leading_dimension(&self, name: &'static str, value: i64, size: (usize, usize)) -> Result<usize> {
        arguments::leading_dimension(name, value, self.layout, size)
    }

    fn shape(&self, name: &'static str, size: (usize, usize), offset: usize, ld: usize) -> Result<MatrixShape> {
        arguments::shape(name, self.layout, size, offset, ld)
    }

    /// Enqueues the product of matrices given by memory object, offset and leading dimension.
    ///
    /// # Safety
    /// The handles that the product needs must be valid.
    unsafe fn enqueue(self, queue: &affinimath::Queue, [a, b, c]: [(*mut ClMem, usize, usize); 3]) -> Result<Event> {
        let reads = self.reads_operands();
        let product = self.without_unread_operands();
        // An operand that is not read is empty and may be null: C's memory stands in for it.
        let (a, b) = if reads { (a, b) } else { ((c.0, 0, a.2), (c.0, 0, b.2)) };
        // SAFETY: the caller vouches for the handles.
        let buffer = |name, handle| unsafe { opencl::memory(queue, name, handle) };
        let (names_a, names_b) = if reads { ("a", "b") } else { ("c", "c") };
        let a_memory = buffer(names_a, a.0)?;
        let a = MatrixRef::from_device(&a_memory, product.shape("a", product.a_size(), a.1, a.2)?, "a")?;
        let b_memory = buffer(names_b, b.0)?;
        let b = MatrixRef::from_device(&b_memory, product.shape("b", product.b_size(), b.1, b.2)?, "b")?;
        let c_memory = buffer("c", c.0)?;
        let c = MatrixMut::from_device(&c_memory, product.shape("c", product.c_size(), c.1, c.2)?, "c")?;
        affinimath::gemm_on(queue, product.op_a, product.op_b, product.alpha, a, b, product.beta, c)
    }
}
