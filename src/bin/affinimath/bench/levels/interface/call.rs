//! Calls of C functions whose arguments are known only when the program runs.
//!
//! A call's arguments are a list of [`Word`]s. The C types of all of them, one letter each, are the call's signature;
//! [`caller`] knows the signatures that there are, and for each the function that makes the call.

use std::ffi::c_void;
use std::mem::transmute;
use std::os::raw::c_int;

use affinimath::Scalar;

/// One argument of a C function.
#[derive(Clone, Copy, Debug)]
pub enum Word<T: Scalar> {
    /// `int`, or an enumeration: letter i.
    Int(c_int),
    /// `size_t`: z.
    Size(usize),
    /// An address, or a handle that is one: p.
    Pointer(*mut c_void),
    /// A real number by value: r.
    Real(T::RealScalar),
    /// A number of the element type by value: s.
    Scalar(T),
}

/// What a C function returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Returned {
    /// Nothing: letter v.
    Nothing,
    /// A status: i.
    Status(c_int),
    /// A real number: r.
    Number(f64),
    /// An index: z.
    Index(usize),
}

/// Calls a function with these arguments.
pub type Caller<T> = unsafe fn(function: *const c_void, words: &[Word<T>]) -> Returned;

/// The signature of a call with these arguments, and with what the function returns.
pub fn signature<T: Scalar>(words: &[Word<T>], returned: char) -> String {
    let letter = |word: &Word<T>| match word {
        Word::Int(_) => 'i',
        Word::Size(_) => 'z',
        Word::Pointer(_) => 'p',
        Word::Real(_) => 'r',
        Word::Scalar(_) => 's',
    };
    words.iter().map(letter).chain([returned]).collect()
}

/// The C type of a letter.
macro_rules! c_type {
    (i) => { c_int };
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
    ($word:expr, z) => {
        if let Some(&Word::Size(value)) = $word { value } else { unreachable!() }
    };
    ($word:expr, p) => {
        if let Some(&Word::Pointer(value)) = $word { value } else { unreachable!() }
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
    ($value:expr, z) => {
        Returned::Index($value)
    };
}

macro_rules! signatures {
    ($($($argument:ident)+ -> $result:ident;)*) => {
        /// What calls functions with this signature; the function must have it.
        pub fn caller<T: Scalar>(signature: &str) -> Option<Caller<T>> {
            $(
                if signature == concat!($(stringify!($argument),)+ stringify!($result)) {
                    return Some(|function, words| {
                        let mut words = words.iter();
                        // SAFETY: the caller vouches for the function's type, and for what its arguments point to.
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
    // CBLAS, where a vector or matrix is a pointer and an int.
    i p i -> r; // nrm2, asum
    i p i -> z; // iamax
    i p i p i -> v; // copy, swap
    i p i p i -> r; // dot
    i p i p i p -> v; // dotc
    i p i p i r r -> v; // rot
    i i i r p i p i -> v; // syr, her
    i i i i i p i p i -> v; // trmv, trsv
    // Real scalars come by value,
    i r p i -> v; // scal
    i r p i p i -> v; // axpy
    i r p i r p i -> v; // axpby
    i i i i r p i p i r p i -> v; // gemv
    i i i i i i r p i p i r p i -> v; // gbmv, gemm
    i i i r p i p i r p i -> v; // symv
    i i i r p p i r p i -> v; // spmv
    i i i r p i p i p i -> v; // ger
    i i i i i r p i p i r p i -> v; // symm, syr2k
    i i i i i r p i r p i -> v; // syrk
    i i i i i i i r p i p i -> v; // trmm, trsm
    // and complex ones by address.
    i p p i -> v; // scal
    i p p i p i -> v; // axpy
    i p p i p p i -> v; // axpby
    i i i i p p i p i p p i -> v; // gemv
    i i i i i i p p i p i p p i -> v; // gbmv, gemm
    i i i p p i p i p p i -> v; // hemv
    i i i p p p i p p i -> v; // hpmv
    i i i p p i p i p i -> v; // geru
    i i i i i p p i p i p p i -> v; // symm, syr2k
    i i i i i p p i p p i -> v; // syrk
    i i i i i i i p p i p i -> v; // trmm, trsm

    // CLBlast, where a vector or matrix is a buffer and two sizes, scalars come by value, a number goes into a buffer, and
    // a queue and an event are the last.
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
    i z z s p z z p z z p z z p p -> i; // ger
    i i z r p z z p z z p p -> i; // syr, her
    i i i z z z s p z z p z z s p z z p p -> i; // gemm
    i i i z z s p z z p z z s p z z p p -> i; // symm, syr2k
    i i i z z s p z z s p z z p p -> i; // syrk
    i i i i i z z s p z z p z z p p -> i; // trmm, trsm

    // cuBLAS, where a handle is the first, all scalars come by address, and there is no layout.
    p i p i p -> i; // nrm2, asum, iamax
    p i p i p i -> i; // copy, swap
    p i p i p i p -> i; // dot
    p i p i p i p p -> i; // rot
    p i p p i -> i; // scal
    p i p p i p i -> i; // axpy
    p i p p i p p i -> i; // axpby
    p i i i p p i p i p p i -> i; // gemv
    p i i i i i p p i p i p p i -> i; // gbmv, gemm
    p i i p p i p i p p i -> i; // symv
    p i i p p p i p p i -> i; // spmv
    p i i i i p i p i -> i; // trmv, trsv
    p i i p p i p i p i -> i; // ger
    p i i p p i p i -> i; // syr, her
    p i i i i p p i p i p p i -> i; // symm, syr2k
    p i i i i p p i p p i -> i; // syrk
    p i i i i i i p p i p i -> i; // trsm
    p i i i i i i p p i p i p i -> i; // trmm
}

#[cfg(test)]
mod tests {
    use affinimath::Complex64;

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
            Word::Int(2),
            Word::Real(3.0),
            Word::Pointer(x.as_ptr().cast_mut().cast()),
            Word::Int(1),
            Word::Pointer(y.as_mut_ptr().cast()),
            Word::Int(-1),
        ];
        let call = caller::<f32>(&signature(&words, 'v')).unwrap();
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
        let call = caller::<Complex64>(&signature(&words, 'i')).unwrap();
        // SAFETY: as above; an address and a size are passed alike.
        assert_eq!(unsafe { call(scal as *const c_void, &words) }, Returned::Status(-7));
        assert_eq!(z, [Complex64::ONE, Complex64::ONE, Complex64::new(3.0, 4.0)]);
    }

    #[test]
    fn an_unknown_signature_has_no_caller() {
        assert!(caller::<f64>("rrrrrv").is_none());
    }
}
