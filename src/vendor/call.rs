//! Calls of C functions whose arguments are known only when the program runs.
//!
//! A call's arguments are a list of [`Word`]s. The C types of all of them, one letter each, are the call's signature;
//! [`caller`] knows the signatures that there are in CBLAS, CLBlast and cuBLAS, and for each the function that makes
//! the call.

use std::ffi::c_void;
use std::mem::transmute;
use std::os::raw::c_int;

use crate::scalar::Scalar;

/// One argument of a C function.
#[derive(Clone, Copy, Debug)]
pub enum Word<T: Scalar> {
    /// `int`, or an enumeration: letter i.
    Int(c_int),
    /// The library's integer, `int` or `int64_t`: n. The value must be within its range.
    Integer(i64),
    /// `size_t`: z.
    Size(usize),
    /// An address, or a handle that is one: p.
    Pointer(*mut c_void),
    /// A number of the element type by its address: p.
    At(T),
    /// A real number by its address: p.
    AtReal(T::RealScalar),
    /// A real number by value: r.
    Real(T::RealScalar),
    /// A number of the element type by value: s.
    Scalar(T),
}

/// Return type of a C function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Returned {
    /// Nothing: letter v.
    Nothing,
    /// A status: i.
    Status(c_int),
    /// A real number of the element's precision, r, or a `double`, d.
    Number(f64),
    /// An index: z.
    Index(usize),
}

/// Calls a function with these arguments.
///
/// # Safety
/// The function has the signature that [`caller`] was given, and its pointers are valid for it.
pub type Caller<T> = unsafe fn(function: *const c_void, words: &[Word<T>]) -> Returned;

/// The signature of a call with these arguments, and with what the function returns.
pub fn signature<T: Scalar>(words: &[Word<T>], returned: char) -> String {
    let letter = |word: &Word<T>| match word {
        Word::Int(_) => 'i',
        Word::Integer(_) => 'n',
        Word::Size(_) => 'z',
        Word::Pointer(_) | Word::At(_) | Word::AtReal(_) => 'p',
        Word::Real(_) => 'r',
        Word::Scalar(_) => 's',
    };
    words.iter().map(letter).chain([returned]).collect()
}

/// The integer of a C interface: `int`, or in libraries for large arrays `int64_t`.
pub trait Integer: sealed::Sealed + Copy + 'static {
    /// The largest.
    const LARGEST: i64;
    /// A number within its range; others lose their upper bits.
    fn truncated(value: i64) -> Self;
}

mod sealed {
    /// Closes [`super::Integer`].
    pub trait Sealed {}
    impl Sealed for super::c_int {}
    impl Sealed for i64 {}
}

impl Integer for c_int {
    const LARGEST: i64 = c_int::MAX as i64;
    fn truncated(value: i64) -> Self {
        value as c_int
    }
}

impl Integer for i64 {
    const LARGEST: i64 = i64::MAX;
    fn truncated(value: i64) -> Self {
        value
    }
}

/// The C type of a letter.
macro_rules! c_type {
    (i) => { c_int };
    (n) => { I };
    (d) => { f64 };
    (z) => { usize };
    (p) => { *mut c_void };
    (r) => { T::RealScalar };
    (s) => { T };
    (v) => { () };
}

/// A word as the C type of its letter. Signatures are made from the words, so that no other word can stand there.
macro_rules! value {
    ($word:expr, i) => {
        if let Some(&Word::Int(value)) = $word { value } else { unreachable!() }
    };
    ($word:expr, n) => {
        if let Some(&Word::Integer(value)) = $word { I::truncated(value) } else { unreachable!() }
    };
    ($word:expr, z) => {
        if let Some(&Word::Size(value)) = $word { value } else { unreachable!() }
    };
    ($word:expr, p) => {
        match $word {
            Some(&Word::Pointer(value)) => value,
            Some(Word::At(number)) => (&raw const *number).cast_mut().cast(),
            Some(Word::AtReal(number)) => (&raw const *number).cast_mut().cast(),
            _ => unreachable!(),
        }
    };
    ($word:expr, r) => {
        if let Some(&Word::Real(value)) = $word { value } else { unreachable!() }
    };
    ($word:expr, s) => {
        if let Some(&Word::Scalar(value)) = $word { value } else { unreachable!() }
    };
}

macro_rules! returned {
    ($value:expr, v) => {{
        let () = $value;
        Returned::Nothing
    }};
    ($value:expr, i) => {
        Returned::Status($value)
    };
    ($value:expr, r) => {
        Returned::Number($value.into())
    };
    ($value:expr, d) => {
        Returned::Number($value)
    };
    ($value:expr, z) => {
        Returned::Index($value)
    };
}

macro_rules! signatures {
    ($($($argument:ident)+ -> $result:ident;)*) => {
        /// Caller of functions with this signature.
        pub fn caller<T: Scalar, I: Integer>(signature: &str) -> Option<Caller<T>> {
            $(
                if signature == concat!($(stringify!($argument),)+ stringify!($result)) {
                    return Some(|function, words| {
                        let mut words = words.iter();
                        // SAFETY: by `Caller`'s contract, the function has this signature and valid pointers.
                        unsafe {
                            let function: unsafe extern "C" fn($(c_type!($argument)),+) -> c_type!($result) =
                                transmute(function);
                            returned!(function($(value!(words.next(), $argument)),+), $result)
                        }
                    });
                }
            )*
            None
        }
    };
}

signatures! {
    // CBLAS, where a vector or matrix is a pointer and an integer.
    n p n -> r; // nrm2, asum
    n p n -> z; // iamax
    n p n p n -> v; // copy, swap
    n p n p n -> r; // dot
    n p n p n -> d; // dsdot
    n r p n p n -> r; // sdsdot
    n p n p n p -> v; // dotc, rotm
    n p n p n r r -> v; // rot
    i i n r p n p -> v; // spr, hpr
    i i n r p n p n -> v; // syr, her
    i i i i n p p n -> v; // tpmv, tpsv
    i i i i n p n p n -> v; // trmv, trsv
    i i i i n n p n p n -> v; // tbmv, tbsv
    // Real scalars come by value,
    n r p n -> v; // scal
    n r p n p n -> v; // axpy
    n r p n r p n -> v; // axpby
    i i n n r p n p n r p n -> v; // gemv, sbmv
    i i n n n n r p n p n r p n -> v; // gbmv
    i i n r p n p n r p n -> v; // symv
    i i n r p p n r p n -> v; // spmv
    i n n r p n p n p n -> v; // ger
    i i n r p n p n p n -> v; // syr2
    i i n r p n p n p -> v; // spr2
    i i i n n n r p n p n r p n -> v; // gemm
    i i i n n r p n p n r p n -> v; // symm, syr2k
    i i i n n r p n r p n -> v; // syrk, herk
    i i i n n p p n p n r p n -> v; // her2k
    i i i i i n n r p n p n -> v; // trmm, trsm
    i i i i n n r p n p n r p n -> v; // gemmt
    i i n n r p n p n -> v; // omatcopy
    i i n n r p n n -> v; // imatcopy
    i i i n n r p n r p n p n -> v; // omatadd
    // and complex ones by address.
    n p p n -> v; // scal
    n p p n p n -> v; // axpy
    n p p n p p n -> v; // axpby
    i i n n p p n p n p p n -> v; // gemv, sbmv
    i i n n n n p p n p n p p n -> v; // gbmv
    i i n p p n p n p p n -> v; // hemv
    i i n p p p n p p n -> v; // hpmv
    i n n p p n p n p n -> v; // geru
    i i n p p n p n p n -> v; // her2
    i i n p p n p n p -> v; // hpr2
    i i i n n n p p n p n p p n -> v; // gemm
    i i i n n p p n p n p p n -> v; // symm, syr2k
    i i i n n p p n p p n -> v; // syrk
    i i i i i n n p p n p n -> v; // trmm, trsm
    i i i i n n p p n p n p p n -> v; // gemmt
    i i n n p p n p n -> v; // omatcopy
    i i n n p p n n -> v; // imatcopy
    i i i n n p p n p p n p n -> v; // omatadd

    // CLBlast, where a vector or matrix is a buffer and two sizes, scalars come by value, a number goes into a buffer,
    // and a queue and an event are the last.
    z p z p z z p p -> i; // nrm2, asum, iamax
    z p z z p z z p p -> i; // copy, swap
    z p z p z z p z z p p -> i; // dot
    z p z z p z z r r p p -> i; // rot
    z s p z z p p -> i; // scal
    z s p z z p z z p p -> i; // axpy
    z s p z z s p z z p p -> i; // axpby
    i i z z s p z z p z z s p z z p p -> i; // gemv
    i i z z z z s p z z p z z s p z z p p -> i; // gbmv
    i i z s p z z p z z s p z z p p -> i; // symv
    i i z s p z p z z s p z z p p -> i; // spmv
    i i i i z p z z p z z p p -> i; // trmv, trsv
    i i i i z z p z z p z z p p -> i; // tbmv, tbsv
    i i i i z p z p z z p p -> i; // tpmv, tpsv
    i z z s p z z p z z p z z p p -> i; // ger
    i i z r p z z p z p p -> i; // spr, hpr
    i i z s p z z p z z p z z p p -> i; // syr2, her2
    i i z s p z z p z z p z p p -> i; // spr2, hpr2
    i i z r p z z p z z p p -> i; // syr, her
    i i i z z z s p z z p z z s p z z p p -> i; // gemm
    i i i z z s p z z p z z s p z z p p -> i; // symm, syr2k
    i i i z z s p z z s p z z p p -> i; // syrk
    i i i z z r p z z r p z z p p -> i; // herk
    i i i z z s p z z p z z r p z z p p -> i; // her2k
    i i i i i z z s p z z p z z p p -> i; // trmm, trsm
    i i z z s p z z p z z p p -> i; // omatcopy

    // cuBLAS, where a handle is the first, all scalars come by address, and there is no layout.
    p n p n p -> i; // nrm2, asum, iamax
    p n p n p n -> i; // copy, swap
    p n p n p n p -> i; // dot, rotm
    p n p n p n p p -> i; // rot
    p n p p n -> i; // scal
    p n p p n p n -> i; // axpy
    p i n n p p n p n p p n -> i; // gemv, sbmv
    p i n n n n p p n p n p p n -> i; // gbmv
    p i n p p n p n p p n -> i; // symv
    p i n p p p n p p n -> i; // spmv
    p i i i n p p n -> i; // tpmv, tpsv
    p i i i n p n p n -> i; // trmv, trsv
    p i i i n n p n p n -> i; // tbmv, tbsv
    p n n p p n p n p n -> i; // ger
    p i n p p n p n -> i; // syr, her
    p i n p p n p -> i; // spr, hpr
    p i n p p n p n p n -> i; // syr2
    p i n p p n p n p -> i; // spr2
    p i i n n n p p n p n p p n -> i; // gemm
    p i i n n p p n p n p p n -> i; // symm, syr2k
    p i i n n p p n p p n -> i; // syrk
    p i i i i n n p p n p n -> i; // trsm
    p i i i i n n p p n p n p n -> i; // trmm
}

#[cfg(test)]
mod host {
    use crate::scalar::Complex64;

    use super::*;

    extern "C" fn axpy(n: c_int, alpha: f32, x: *const f32, x_increment: c_int, y: *mut f32, y_increment: c_int) {
        assert_eq!((n, x_increment, y_increment), (2, 1, -1));
        // SAFETY: the test below passes two elements each.
        unsafe {
            *y += alpha * *x;
            *y.add(1) += alpha * *x.add(1);
        }
    }

    extern "C" fn scal(
        n: usize,
        alpha: Complex64,
        x: *mut Complex64,
        offset: usize,
        step: usize,
        _: usize,
        _: usize,
    ) -> c_int {
        assert_eq!((n, step), (1, 1));
        // SAFETY: the test below passes three elements.
        unsafe { *x.add(offset) *= alpha };
        -7
    }

    #[test]
    fn arguments_arrive_as_c_passes_them() {
        let (x, mut y) = ([1.0_f32, 2.0], [10.0_f32, 20.0]);
        let words: [Word<f32>; 6] = [
            Word::Integer(2),
            Word::Real(3.0),
            Word::Pointer(x.as_ptr().cast_mut().cast()),
            Word::Integer(1),
            Word::Pointer(y.as_mut_ptr().cast()),
            Word::Integer(-1),
        ];
        let call = caller::<f32, c_int>(&signature(&words, 'v')).unwrap();
        // SAFETY: the function has the words' types, and gets the elements that it touches.
        assert_eq!(unsafe { call(axpy as *const c_void, &words) }, Returned::Nothing);
        assert_eq!(y, [13.0, 26.0]);

        let mut z = [Complex64::ONE; 3];
        let none = Word::Pointer(std::ptr::null_mut());
        let words: [Word<Complex64>; 7] = [
            Word::Size(1),
            Word::Scalar(Complex64::new(3.0, 4.0)),
            Word::Pointer(z.as_mut_ptr().cast()),
            Word::Size(2),
            Word::Size(1),
            none,
            none,
        ];
        let call = caller::<Complex64, c_int>(&signature(&words, 'i')).unwrap();
        // SAFETY: as above; an address and a size are passed alike.
        assert_eq!(unsafe { call(scal as *const c_void, &words) }, Returned::Status(-7));
        assert_eq!(z, [Complex64::ONE, Complex64::ONE, Complex64::new(3.0, 4.0)]);
    }

    extern "C" fn scal_by_address(n: i64, alpha: *const Complex64, x: *mut Complex64, step: i64) {
        assert_eq!((n, step), (1, 1 << 40));
        // SAFETY: the test below passes one element, and a factor.
        unsafe { *x *= *alpha };
    }

    #[test]
    fn a_number_arrives_by_its_address_and_a_large_integer_whole() {
        let (mut x, alpha) = ([Complex64::new(0.0, 1.0)], Complex64::new(3.0, 4.0));
        let words = [Word::Integer(1), Word::At(alpha), Word::Pointer(x.as_mut_ptr().cast()), Word::Integer(1 << 40)];
        let call = caller::<Complex64, i64>(&signature(&words, 'v')).unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { call(scal_by_address as *const c_void, &words) }, Returned::Nothing);
        assert_eq!(x, [Complex64::new(-4.0, 3.0)]);
    }

    #[test]
    fn an_unknown_signature_has_no_caller() {
        assert!(caller::<f64, i64>("rrrrrv").is_none());
    }
}
