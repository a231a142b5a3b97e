//! Names of routines in CBLAS, CLBlast and cuBLAS, with the order and C types of their arguments.

use std::ffi::c_void;
use std::os::raw::c_int;

use affinimath::vendor::call::Word;
use affinimath::{Diag, Layout, Op, Scalar, Side, Triangle};

use crate::levels::routine::{Argument, Factor, Number, ROTATION, Routine, WIDTH};

/// The three interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `cblas_daxpy`.
    Cblas,
    /// `CLBlastDaxpy`.
    ClBlast,
    /// `cublasDaxpy_v2`.
    CuBlas,
}

/// Arguments of a call without the sizes.
pub struct Addresses<'a> {
    /// Memory of the operands.
    pub operands: &'a [*mut c_void],
    /// Result of a reduction.
    pub result: *mut c_void,
    /// CLBlast's queue, by its address, or cuBLAS's handle.
    pub session: *mut c_void,
}

/// The C call of a routine.
pub struct Spelled<T: Scalar> {
    /// The arguments.
    pub words: Vec<Word<T>>,
    /// The letter of what is returned.
    pub returned: char,
}

impl Spelling {
    /// The name of a routine's function.
    pub fn symbol<T: Scalar>(self, routine: &Routine<T>) -> String {
        match self {
            Spelling::Cblas => {
                let suffix = if self.is_sub(routine) { "_sub" } else { "" };
                format!("cblas_{}{suffix}", routine.lettered(char::to_ascii_lowercase))
            }
            Spelling::ClBlast => format!("CLBlast{}", routine.lettered(|letter| *letter)),
            Spelling::CuBlas => {
                let name = routine.lettered(|letter| *letter);
                // cublasIsamax, and not cublasiSamax.
                let name =
                    name.strip_prefix('i').map_or(name.clone(), |rest| format!("I{}", rest.to_ascii_lowercase()));
                format!("cublas{name}_v2")
            }
        }
    }

    /// The call for operands of size `n`, or `None` where an `int` ends before it.
    pub fn spell<T: Scalar>(self, routine: &Routine<T>, n: usize, at: &Addresses<'_>) -> Option<Spelled<T>> {
        let mut call = Spelled { words: Vec::new(), returned: 'v' };
        match self {
            Spelling::CuBlas => call.pointer(at.session),
            _ if routine.has_layout() => call.words.push(Word::Int(Layout::ColumnMajor.code())),
            _ => {}
        }
        for (index, argument) in routine.arguments.iter().enumerate() {
            match *argument {
                Argument::Op(_) | Argument::Triangle(_) | Argument::Diagonal(_) | Argument::Side(_) => {
                    call.words.push(Word::Int(self.code(*argument)));
                }
                Argument::Size => call.words.push(self.size(n)?),
                Argument::Width => call.words.push(self.size(WIDTH)?),
                Argument::Factor(factor) => self.factor(factor, &mut call),
                Argument::RealFactor(factor) if self == Spelling::CuBlas => {
                    call.words.push(Word::AtReal(factor.value()))
                }
                Argument::RealFactor(factor) => call.words.push(Word::Real(factor.value())),
                Argument::Rotation => call.pointer(rotation::<T>()),
                Argument::At(operand) => self.operand(routine, n, operand, at, &mut call)?,
                Argument::Result if self == Spelling::CuBlas || self.is_sub(routine) => call.pointer(at.result),
                // CBLAS returns it, and CLBlast has had it.
                Argument::Result => {}
            }
            // CLBlast takes the location of the result right after the size.
            if index == 0 && self == Spelling::ClBlast && routine.number().is_some() {
                call.pointer(at.result);
                call.words.push(Word::Size(0));
            }
        }
        match self {
            // Its trmm writes to a third matrix, which may be the second.
            Spelling::CuBlas if routine.name() == "trmm" => self.operand(routine, n, 1, at, &mut call)?,
            Spelling::ClBlast => {
                call.pointer(at.session);
                call.pointer(std::ptr::null_mut());
            }
            _ => {}
        }
        call.returned = match (self, routine.number()) {
            (Spelling::ClBlast | Spelling::CuBlas, _) => 'i',
            (_, Some(Number::Index)) => 'z',
            (_, Some(Number::Real)) => 'r',
            (_, Some(Number::Element)) if !self.is_sub(routine) => 'r',
            _ => 'v',
        };
        Some(call)
    }

    /// True if it is one of CBLAS's functions that write the complex value which the others would return.
    fn is_sub<T: Scalar>(self, routine: &Routine<T>) -> bool {
        self == Spelling::Cblas && routine.number() == Some(Number::Element) && T::KIND.is_complex()
    }

    fn size<T: Scalar>(self, size: usize) -> Option<Word<T>> {
        Some(if self == Spelling::ClBlast {
            Word::Size(size)
        } else {
            Word::Integer(c_int::try_from(size).ok()?.into())
        })
    }

    fn factor<T: Scalar>(self, factor: Factor, call: &mut Spelled<T>) {
        match self {
            Spelling::ClBlast => call.words.push(Word::Scalar(factor.value())),
            Spelling::Cblas if !T::KIND.is_complex() => call.words.push(Word::Real(factor.value())),
            Spelling::Cblas | Spelling::CuBlas => call.words.push(Word::At(factor.value())),
        }
    }

    fn operand<T: Scalar>(
        self,
        routine: &Routine<T>,
        n: usize,
        operand: usize,
        at: &Addresses<'_>,
        call: &mut Spelled<T>,
    ) -> Option<()> {
        call.pointer(at.operands[operand]);
        if self == Spelling::ClBlast {
            call.words.push(Word::Size(0));
        }
        if let Some(stride) = routine.operands[operand].form.stride(n) {
            call.words.push(self.size(stride)?);
        }
        Some(())
    }

    /// The code of an option: CBLAS's, which CLBlast has too, or cuBLAS's.
    fn code(self, argument: Argument) -> c_int {
        match (argument, self == Spelling::CuBlas) {
            (Argument::Op(op), false) => op.code(),
            (Argument::Triangle(triangle), false) => triangle.code(),
            (Argument::Diagonal(diagonal), false) => diagonal.code(),
            (Argument::Side(side), false) => side.code(),
            (Argument::Op(Op::Trans), true) => 1,
            (Argument::Op(Op::ConjTrans), true) => 2,
            (Argument::Op(Op::ConjNoTrans), true) => 3,
            (Argument::Triangle(Triangle::Upper), true) => 1,
            (Argument::Diagonal(Diag::Unit), true) => 1,
            (Argument::Side(Side::Right), true) => 1,
            // N, L, N and L of BLAS.
            _ => 0,
        }
    }
}

/// [`ROTATION`] in a real type.
fn rotation<T: Scalar>() -> *mut c_void {
    static SINGLE: [f32; 5] =
        [ROTATION[0] as f32, ROTATION[1] as f32, ROTATION[2] as f32, ROTATION[3] as f32, ROTATION[4] as f32];
    static DOUBLE: [f64; 5] = ROTATION;
    let start: *const c_void = if T::KIND.is_double() { DOUBLE.as_ptr().cast() } else { SINGLE.as_ptr().cast() };
    // rotm only reads it.
    start.cast_mut()
}

impl<T: Scalar> Spelled<T> {
    fn pointer(&mut self, pointer: *mut c_void) {
        self.words.push(Word::Pointer(pointer));
    }
}
