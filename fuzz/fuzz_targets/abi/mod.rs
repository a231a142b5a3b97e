//! Arguments, and what they claim of their buffers.

mod dense;
mod fft;
mod guarded;
mod sparse;

use libfuzzer_sys::arbitrary::{Result, Unstructured};

pub use dense::{gemm, gemv, getrf, trsm};
pub use fft::fft;
pub use guarded::Guarded;
pub use sparse::csr;

/// Buffers of more elements are not made: a valid call that needs one is left out.
pub const MAX_ELEMENTS: i128 = 1 << 14;

pub const LAYOUTS: &[i32] = &[101, 102];
pub const OPS: &[i32] = &[111, 112, 113, 114];

/// One of the legal codes, and sometimes any integer.
pub fn code(u: &mut Unstructured<'_>, legal: &[i32]) -> Result<i32> {
    if u.ratio(1, 32)? { u.arbitrary() } else { u.choose(legal).copied() }
}

/// A size: mostly small, sometimes negative or any.
pub fn size(u: &mut Unstructured<'_>) -> Result<i64> {
    Ok(match u.arbitrary::<u8>()? {
        kind @ 0..=215 => i64::from(kind % 24),
        kind @ 216..=235 => i64::from(kind) - 226,
        236..=245 => 1 << u.int_in_range(5..=62)?,
        _ => u.arbitrary()?,
    })
}

/// A leading dimension: mostly what the size asks for and a little more.
pub fn leading(u: &mut Unstructured<'_>, adjacent: i64) -> Result<i64> {
    if u.ratio(1, 8)? { size(u) } else { Ok(adjacent.max(1).saturating_add(u.int_in_range(0..=3)?)) }
}

/// A factor: the values that routines ask for, and any.
pub fn factor(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(match u.arbitrary::<u8>()? % 4 {
        0 => 0.0,
        1 => 1.0,
        2 => -0.5,
        _ => u.arbitrary()?,
    })
}

/// Facts about the arguments of a call, gathered one by one.
pub struct Claims {
    valid: bool,
    /// A buffer would be too large to be made.
    too_large: bool,
    /// Arguments that make no difference are too large to be counted: they may be refused or not.
    either: bool,
}

impl Claims {
    pub fn new() -> Self {
        Claims { valid: true, too_large: false, either: false }
    }

    pub fn require(&mut self, condition: bool) {
        self.valid &= condition;
    }

    /// True if the call is valid but too large to run.
    pub fn skipped(&self) -> bool {
        self.valid && self.too_large
    }

    /// A buffer of `elements`, if it is needed at all, and its pointer is not null.
    pub fn buffer(&mut self, u: &mut Unstructured<'_>, elements: i128, needed: bool) -> Result<Claim> {
        let needed = needed && elements > 0;
        let null = u.ratio(1, 24)?;
        self.require(!(null && needed));
        if needed && elements > MAX_ELEMENTS {
            self.too_large = true;
        }
        if elements > MAX_ELEMENTS {
            self.either = true;
        }
        Ok(Claim { elements: if needed { elements } else { 0 }, null })
    }

    /// A matrix as it is stored, with its leading dimension.
    pub fn matrix(
        &mut self,
        u: &mut Unstructured<'_>,
        layout: i32,
        (rows, columns): (i64, i64),
        needed: bool,
    ) -> Result<(Claim, i64)> {
        let (adjacent, apart) = if layout == 102 { (rows, columns) } else { (columns, rows) };
        let ld = leading(u, adjacent)?;
        self.require(ld >= adjacent.max(1));
        let elements =
            if rows <= 0 || columns <= 0 { 0 } else { (i128::from(apart) - 1) * i128::from(ld) + i128::from(adjacent) };
        Ok((self.buffer(u, elements, needed)?, ld))
    }

    /// A vector with its increment.
    pub fn vector(&mut self, u: &mut Unstructured<'_>, length: i64, needed: bool) -> Result<(Claim, i64)> {
        let increment = match u.arbitrary::<u8>()? {
            kind @ 0..=239 => i64::from(kind % 7) - 3,
            _ => u.arbitrary()?,
        };
        self.require(increment != 0);
        let elements = if length <= 0 { 0 } else { (i128::from(length) - 1) * i128::from(increment).abs() + 1 };
        Ok((self.buffer(u, elements, needed)?, increment))
    }

    /// Checks the status of a call with this count of arguments.
    pub fn check(&self, what: &str, status: i32, arguments: i32) {
        let refused = (-arguments..0).contains(&status);
        if self.either && (status >= 0 || refused) {
            return;
        }
        if self.valid {
            assert!(status >= 0, "{what}: valid arguments give {status}: {}", last_error());
        } else {
            assert!(refused, "{what}: wrong arguments give {status}");
        }
    }
}

/// The least contents of a buffer.
pub struct Claim {
    elements: i128,
    null: bool,
}

/// A buffer of exactly the elements that a valid call claims; of one for a call that must not look at it.
pub struct Memory<T>(Option<Guarded<T>>);

impl<T: Copy> Memory<T> {
    pub fn new(claims: &Claims, claim: &Claim, value: impl FnMut(usize) -> T) -> Self {
        if claim.null {
            return Memory(None);
        }
        let elements = if claims.valid { claim.elements as usize } else { 1 };
        Memory(Some(Guarded::new(elements, value)))
    }

    pub fn get(&self) -> *const T {
        self.0.as_ref().map_or(std::ptr::null(), |memory| memory.start().cast_const())
    }

    pub fn get_mut(&mut self) -> *mut T {
        self.0.as_ref().map_or(std::ptr::null_mut(), Guarded::start)
    }
}

/// Values with zeros, infinities and NaN among them.
pub fn values(u: &mut Unstructured<'_>) -> Result<impl FnMut(usize) -> f64 + use<>> {
    let seed = u.arbitrary::<u8>()?;
    Ok(move |index: usize| match (index * 31 + usize::from(seed)) % 97 {
        0 if seed > 250 => f64::NAN,
        1 if seed > 250 => f64::INFINITY,
        value => value as f64 - 40.0,
    })
}

pub fn last_error() -> String {
    // SAFETY: the last error is a text that ends with a null character.
    let text = unsafe { std::ffi::CStr::from_ptr(affinimath_ffi::generated::library::affinimathLastError()) };
    text.to_string_lossy().into_owned()
}
