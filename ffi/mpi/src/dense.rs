//! Dense matrices: C's arguments to the library's.

use std::ffi::c_int;

use affinimath::{Scalar, Triangle};
use affinimath_abi::arguments;
use affinimath_mpi::{DistMatrix, Error, MatrixLayout, Result};

use crate::call::{Call, missing, renamed};
use crate::objects::{Grid, elements, elements_mut, wrong};

/// C's names of a matrix and its descriptor.
type Names = [&'static str; 2];

const A: Names = ["a", "desca"];
const B: Names = ["b", "descb"];
const C: Names = ["c", "descc"];

impl Call<'_> {
    /// A matrix in the program's memory.
    ///
    /// # Safety
    /// The descriptor is null or 9 integers, and `local` null or memory of that layout, which nobody writes during the
    /// call, or which nobody else uses where the matrix is changed.
    unsafe fn matrix<T: Scalar>(
        &mut self,
        [name, describes]: Names,
        local: *mut T,
        descriptor: *const i32,
    ) -> Option<DistMatrix<T>> {
        // SAFETY: null, or 9 integers by contract.
        let given = unsafe { descriptor.cast::<[i32; 9]>().as_ref() };
        let descriptor = given.map_or([0; 9], |given| given.map(i64::from));
        // The context and the leading dimension may differ from rank to rank.
        self.integers.extend([0, 2, 3, 4, 5, 6, 7].map(|field| (describes, descriptor[field])));
        if given.is_none() {
            self.refuse(wrong(describes, "it is null"));
            return None;
        }
        let made = MatrixLayout::from_descriptor(self.grid, &descriptor)
            .map_err(|error| renamed(error, describes))
            // SAFETY: by contract.
            .and_then(|(layout, ld)| unsafe {
                DistMatrix::from_raw_parts(self.grid, layout, local, ld).map_err(|error| renamed(error, name))
            });
        made.map_err(|error| self.refuse(error)).ok()
    }
}

/// The least of rows and columns: pivots, or reflectors.
fn order<T>(a: &Option<DistMatrix<T>>) -> usize {
    a.as_ref().map_or(0, |a| a.rows().min(a.columns()))
}

fn shape<T>(a: &DistMatrix<T>) -> (usize, usize) {
    (a.rows(), a.columns())
}

/// Demands a square A, and a B with as many rows.
fn demand_system<T>(call: &mut Call<'_>, a: &Option<DistMatrix<T>>, b: &Option<DistMatrix<T>>) {
    let (Some(a), Some(b)) = (a, b) else { return };
    let ((m, n), rows) = (shape(a), b.rows());
    call.demand(m == n, "desca", || format!("A is {m} x {n}, and should be square"));
    call.demand(rows == n, "descb", || format!("B has {rows} rows, and A {n}"));
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn gemm<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    transa: c_int,
    transb: c_int,
    alpha: T,
    a: *const T,
    desca: *const i32,
    b: *const T,
    descb: *const i32,
    beta: T,
    c: *mut T,
    descc: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, b, c) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a.cast_mut(), desca), call.matrix(B, b.cast_mut(), descb));
        let c = call.matrix(C, c, descc);
        (call, a, b, c)
    };
    let op_a = call.option("transa", transa, arguments::op("transa", transa));
    let op_b = call.option("transb", transb, arguments::op("transb", transb));
    call.agree()?;
    let (Some(op_a), Some(op_b), Some(a), Some(b), Some(mut c)) = (op_a, op_b, a, b, c) else { return Err(missing()) };
    affinimath_mpi::gemm(op_a, op_b, alpha, &a, &b, beta, &mut c)
}

/// C := alpha A B + beta C with a mirrored triangle of A.
macro_rules! mirrored {
    ($name:ident) => {
        /// # Safety
        /// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
        #[expect(clippy::too_many_arguments, reason = "they are the C function's")]
        pub(crate) unsafe fn $name<T: Scalar>(
            function: &'static str,
            grid: *const Grid,
            side: c_int,
            uplo: c_int,
            alpha: T,
            a: *const T,
            desca: *const i32,
            b: *const T,
            descb: *const i32,
            beta: T,
            c: *mut T,
            descc: *const i32,
        ) -> Result<()> {
            // SAFETY: by contract.
            let (mut call, a, b, c) = unsafe {
                let mut call = Call::new(function, grid)?;
                let (a, b) = (call.matrix(A, a.cast_mut(), desca), call.matrix(B, b.cast_mut(), descb));
                let c = call.matrix(C, c, descc);
                (call, a, b, c)
            };
            let side = call.option("side", side, arguments::side(side));
            let uplo = call.option("uplo", uplo, arguments::triangle(uplo));
            call.agree()?;
            let (Some(side), Some(uplo), Some(a), Some(b), Some(mut c)) = (side, uplo, a, b, c) else {
                return Err(missing());
            };
            affinimath_mpi::$name(side, uplo, alpha, &a, &b, beta, &mut c)
        }
    };
}

mirrored!(symm);
mirrored!(hemm);

/// C := alpha op(A) op(A)^T + beta C in a triangle; the factors' type.
macro_rules! rank_k {
    ($name:ident, $factor:ty) => {
        /// # Safety
        /// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
        #[expect(clippy::too_many_arguments, reason = "they are the C function's")]
        pub(crate) unsafe fn $name<T: Scalar>(
            function: &'static str,
            grid: *const Grid,
            uplo: c_int,
            trans: c_int,
            alpha: $factor,
            a: *const T,
            desca: *const i32,
            beta: $factor,
            c: *mut T,
            descc: *const i32,
        ) -> Result<()> {
            // SAFETY: by contract.
            let (mut call, a, c) = unsafe {
                let mut call = Call::new(function, grid)?;
                let (a, c) = (call.matrix(A, a.cast_mut(), desca), call.matrix(C, c, descc));
                (call, a, c)
            };
            let uplo = call.option("uplo", uplo, arguments::triangle(uplo));
            let op = call.option("trans", trans, arguments::op("trans", trans));
            call.agree()?;
            let (Some(uplo), Some(op), Some(a), Some(mut c)) = (uplo, op, a, c) else { return Err(missing()) };
            affinimath_mpi::$name(uplo, op, alpha, &a, beta, &mut c)
        }
    };
}

rank_k!(syrk, T);
rank_k!(herk, T::RealScalar);

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn trsm<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    side: c_int,
    uplo: c_int,
    trans: c_int,
    diag: c_int,
    alpha: T,
    a: *const T,
    desca: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, b) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a.cast_mut(), desca), call.matrix(B, b, descb));
        (call, a, b)
    };
    let side = call.option("side", side, arguments::side(side));
    let uplo = call.option("uplo", uplo, arguments::triangle(uplo));
    let op = call.option("trans", trans, arguments::op("trans", trans));
    let diag = call.option("diag", diag, arguments::diagonal(diag));
    call.agree()?;
    let (Some(side), Some(uplo), Some(op), Some(diag)) = (side, uplo, op, diag) else { return Err(missing()) };
    let (Some(a), Some(mut b)) = (a, b) else { return Err(missing()) };
    affinimath_mpi::trsm(side, uplo, op, diag, alpha, &a, &mut b)
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn potrf<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    uplo: c_int,
    a: *mut T,
    desca: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a) = unsafe {
        let mut call = Call::new(function, grid)?;
        let a = call.matrix(A, a, desca);
        (call, a)
    };
    let uplo = call.option("uplo", uplo, arguments::triangle(uplo));
    call.agree()?;
    let (Some(uplo), Some(mut a)) = (uplo, a) else { return Err(missing()) };
    affinimath_mpi::potrf(uplo, &mut a)
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn potrs<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    uplo: c_int,
    a: *const T,
    desca: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (uplo, a, mut b) = unsafe { definite(function, grid, uplo, a.cast_mut(), desca, b, descb)? };
    affinimath_mpi::potrs(uplo, &a, &mut b)
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn posv<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    uplo: c_int,
    a: *mut T,
    desca: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (uplo, mut a, mut b) = unsafe { definite(function, grid, uplo, a, desca, b, descb)? };
    affinimath_mpi::posv(uplo, &mut a, &mut b)
}

/// Arguments of a definite system.
///
/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
unsafe fn definite<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    uplo: c_int,
    a: *mut T,
    desca: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<(Triangle, DistMatrix<T>, DistMatrix<T>)> {
    // SAFETY: by contract.
    let (mut call, a, b) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a, desca), call.matrix(B, b, descb));
        (call, a, b)
    };
    let uplo = call.option("uplo", uplo, arguments::triangle(uplo));
    demand_system(&mut call, &a, &b);
    call.agree()?;
    let (Some(uplo), Some(a), Some(b)) = (uplo, a, b) else { return Err(missing()) };
    Ok((uplo, a, b))
}

/// Writes pivots, also those of a singular matrix.
///
/// # Safety
/// `ipiv` is valid for the pivots.
unsafe fn factor<T: Scalar>(a: &mut DistMatrix<T>, ipiv: *mut i32) -> Result<Vec<i32>> {
    let (pivots, info) = affinimath_mpi::getrf_info(a)?;
    // SAFETY: by contract.
    unsafe { elements_mut(ipiv, pivots.len()) }.copy_from_slice(&pivots);
    if info == 0 { Ok(pivots) } else { Err(Error::ZeroPivot { index: info }) }
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn getrf<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    a: *mut T,
    desca: *const i32,
    ipiv: *mut i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a) = unsafe {
        let mut call = Call::new(function, grid)?;
        let a = call.matrix(A, a, desca);
        (call, a)
    };
    call.array("ipiv", ipiv, order(&a));
    call.agree()?;
    let Some(mut a) = a else { return Err(missing()) };
    // SAFETY: by contract.
    unsafe { factor(&mut a, ipiv) }.map(drop)
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn getrs<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    trans: c_int,
    a: *const T,
    desca: *const i32,
    ipiv: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, b) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a.cast_mut(), desca), call.matrix(B, b, descb));
        (call, a, b)
    };
    let op = call.option("trans", trans, arguments::op("trans", trans));
    call.array("ipiv", ipiv, order(&a));
    demand_system(&mut call, &a, &b);
    call.agree()?;
    let (Some(op), Some(a), Some(mut b)) = (op, a, b) else { return Err(missing()) };
    // SAFETY: by contract.
    let pivots = unsafe { elements(ipiv, a.rows()) };
    affinimath_mpi::getrs(op, &a, pivots, &mut b).map_err(|error| match error {
        Error::Argument { name: "pivots", reason } => wrong("ipiv", reason),
        other => other,
    })
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn gesv<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    a: *mut T,
    desca: *const i32,
    ipiv: *mut i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, b) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a, desca), call.matrix(B, b, descb));
        (call, a, b)
    };
    call.array("ipiv", ipiv, order(&a));
    demand_system(&mut call, &a, &b);
    call.agree()?;
    let (Some(mut a), Some(mut b)) = (a, b) else { return Err(missing()) };
    // SAFETY: by contract.
    let pivots = unsafe { factor(&mut a, ipiv)? };
    affinimath_mpi::getrs(affinimath::Op::NoTrans, &a, &pivots, &mut b)
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn geqrf<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    a: *mut T,
    desca: *const i32,
    tau: *mut T,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a) = unsafe {
        let mut call = Call::new(function, grid)?;
        let a = call.matrix(A, a, desca);
        (call, a)
    };
    call.array("tau", tau, order(&a));
    call.agree()?;
    let Some(mut a) = a else { return Err(missing()) };
    let factors = affinimath_mpi::geqrf(&mut a)?;
    // SAFETY: by contract.
    unsafe { elements_mut(tau, factors.len()) }.copy_from_slice(&factors);
    Ok(())
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
#[expect(clippy::too_many_arguments, reason = "they are the C function's")]
pub(crate) unsafe fn ormqr<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    trans: c_int,
    a: *const T,
    desca: *const i32,
    tau: *const T,
    c: *mut T,
    descc: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, c) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, c) = (call.matrix(A, a.cast_mut(), desca), call.matrix(C, c, descc));
        (call, a, c)
    };
    let op = call.option("trans", trans, arguments::op("trans", trans));
    call.array("tau", tau, order(&a));
    call.agree()?;
    let reflectors = order(&a);
    let (Some(op), Some(a), Some(mut c)) = (op, a, c) else { return Err(missing()) };
    // SAFETY: by contract.
    let tau = unsafe { elements(tau, reflectors) };
    affinimath_mpi::ormqr(op, &a, tau, &mut c).map_err(|error| match error {
        Error::Argument { name: "op", reason } => wrong("trans", reason),
        Error::Argument { name: "C", reason } => wrong("descc", reason),
        other => other,
    })
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn lange<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    norm: c_int,
    a: *const T,
    desca: *const i32,
    value: *mut f64,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a) = unsafe {
        let mut call = Call::new(function, grid)?;
        let a = call.matrix(A, a.cast_mut(), desca);
        (call, a)
    };
    let norm = call.option("norm", norm, arguments::norm(norm));
    call.array("value", value, 1);
    call.agree()?;
    let (Some(norm), Some(a)) = (norm, a) else { return Err(missing()) };
    let found = a.norm(norm)?;
    // SAFETY: not null, and valid for a write by contract.
    unsafe { value.write(found) };
    Ok(())
}

/// # Safety
/// The C contract: pointers are null or valid, and what is written overlaps with nothing else.
pub(crate) unsafe fn redistribute<T: Scalar>(
    function: &'static str,
    grid: *const Grid,
    trans: c_int,
    a: *const T,
    desca: *const i32,
    b: *mut T,
    descb: *const i32,
) -> Result<()> {
    // SAFETY: by contract.
    let (mut call, a, b) = unsafe {
        let mut call = Call::new(function, grid)?;
        let (a, b) = (call.matrix(A, a.cast_mut(), desca), call.matrix(B, b, descb));
        (call, a, b)
    };
    let op = call.option("trans", trans, arguments::op("trans", trans));
    call.agree()?;
    let (Some(op), Some(a), Some(mut b)) = (op, a, b) else { return Err(missing()) };
    let moved = a.redistribute(op, *b.layout()).map_err(|error| match error {
        Error::Argument { name: "layout", reason } => wrong("descb", reason),
        other => other,
    })?;
    let (rows, ld, from) = (b.local_rows(), b.leading_dimension(), moved.leading_dimension());
    for column in 0..b.local_columns() {
        let source = &moved.local()[column * from..column * from + rows];
        b.local_mut()[column * ld..column * ld + rows].copy_from_slice(source);
    }
    Ok(())
}
