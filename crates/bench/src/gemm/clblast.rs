//! CLBlastSgemm, CLBlastDgemm, CLBlastCgemm and CLBlastZgemm.

use std::os::raw::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use affinimath::{Complex32, Complex64, Layout, Scalar, ScalarKind};
use opencl3::memory::{Buffer, ClMem};
use opencl3::types::{cl_command_queue, cl_event, cl_mem};

use super::data::GemmData;
use crate::LAUNCHES_IN_FLIGHT;
use crate::contender::{Accuracy, Contender, Entrant};
use crate::error::BenchError;
use crate::peers::{ClBlastLibrary, OpenClSession};

/// The function; `A` is the type of its scalars, which are passed by value.
type ClBlastGemm<A> = unsafe extern "C" fn(
    layout: c_int,
    a_transpose: c_int,
    b_transpose: c_int,
    m: usize,
    n: usize,
    k: usize,
    alpha: A,
    a: cl_mem,
    a_offset: usize,
    a_ld: usize,
    b: cl_mem,
    b_offset: usize,
    b_ld: usize,
    beta: A,
    c: cl_mem,
    c_offset: usize,
    c_ld: usize,
    queue: *mut cl_command_queue,
    event: *mut cl_event,
) -> c_int;

#[derive(Clone, Copy)]
enum Function {
    S(ClBlastGemm<f32>),
    D(ClBlastGemm<f64>),
    C(ClBlastGemm<Complex32>),
    Z(ClBlastGemm<Complex64>),
}

impl Function {
    fn find(library: &ClBlastLibrary, kind: ScalarKind) -> Result<Self, BenchError> {
        let name = format!("CLBlast{}gemm", kind.letter());
        // SAFETY: the types are those of clblast_c.h; cl_float2 and cl_double2 are passed as two reals in C's struct
        // order, which Complex has.
        unsafe {
            Ok(match kind {
                ScalarKind::S => Function::S(library.function(&name)?),
                ScalarKind::D => Function::D(library.function(&name)?),
                ScalarKind::C => Function::C(library.function(&name)?),
                ScalarKind::Z => Function::Z(library.function(&name)?),
            })
        }
    }
}

/// True if the library has the function for a type.
///
/// # Errors
/// [`BenchError::Symbol`].
pub fn require(library: &ClBlastLibrary, kind: ScalarKind) -> Result<(), BenchError> {
    Function::find(library, kind).map(drop)
}

struct ClBlastContender<'a, T> {
    library: &'a ClBlastLibrary,
    session: &'a OpenClSession,
    function: Function,
    data: Arc<GemmData<T>>,
    a: Buffer<T>,
    b: Buffer<T>,
    c: Buffer<T>,
}

/// CLBlast on the operands.
pub fn entrant<'a, T: Scalar>(data: &Arc<GemmData<T>>, library: &'a ClBlastLibrary) -> Entrant<'a> {
    let session = library.session()?;
    session.device.info().require(T::KIND)?;
    Ok(Box::new(ClBlastContender {
        library,
        session,
        function: Function::find(library, T::KIND)?,
        a: session.upload(&data.a)?,
        b: session.upload(&data.b)?,
        c: session.upload(&data.random_c())?,
        data: data.clone(),
    }))
}

impl<T: Scalar> ClBlastContender<'_, T> {
    fn enqueue<A>(&self, gemm: ClBlastGemm<A>, one: A, zero: A) -> c_int {
        let case = &self.data.case;
        let mut queue = self.session.queue.get();
        // SAFETY: the three buffers hold matrices of these sizes; CLBlast only reads the queue's handle, and makes no
        // event where it is given no room for one.
        unsafe {
            gemm(
                Layout::ColumnMajor.code(),
                case.op_a.code(),
                case.op_b.code(),
                case.m,
                case.n,
                case.k,
                one,
                self.a.get(),
                0,
                case.stored_a().0,
                self.b.get(),
                0,
                case.stored_b().0,
                zero,
                self.c.get(),
                0,
                case.m,
                &mut queue,
                std::ptr::null_mut(),
            )
        }
    }
}

impl<T: Scalar> Contender for ClBlastContender<'_, T> {
    fn run(&mut self, repetitions: u32) -> Result<Duration, BenchError> {
        let start = Instant::now();
        for launch in 1..=repetitions {
            let status = match self.function {
                Function::S(gemm) => self.enqueue(gemm, 1.0, 0.0),
                Function::D(gemm) => self.enqueue(gemm, 1.0, 0.0),
                Function::C(gemm) => self.enqueue(gemm, Complex32::ONE, Complex32::ZERO),
                Function::Z(gemm) => self.enqueue(gemm, Complex64::ONE, Complex64::ZERO),
            };
            self.library.check("gemm", status)?;
            if launch % LAUNCHES_IN_FLIGHT == 0 {
                self.session.finish()?;
            }
        }
        self.session.finish()?;
        Ok(start.elapsed())
    }

    fn accuracy(&mut self) -> Result<Accuracy, BenchError> {
        let mut c = self.data.random_c();
        self.session.download(&self.c, &mut c)?;
        Ok(self.data.accuracy(&c))
    }
}
