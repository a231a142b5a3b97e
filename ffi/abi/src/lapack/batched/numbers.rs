//! Vectors that each matrix of a batch has: pivots, infos and factors of reflectors.

use affinimath::{Error, Result, VectorShape};

use crate::arguments;
use crate::form::{DeviceLocation, HostLocation, Location, Names, Operand};

/// The location of 32-bit integers.
#[derive(Clone, Copy)]
pub struct Location32<P>(pub P);

impl From<*mut i32> for Location32<HostLocation<i32>> {
    fn from(numbers: *mut i32) -> Self {
        Location32(numbers.into())
    }
}

impl From<*const i32> for Location32<HostLocation<i32>> {
    fn from(numbers: *const i32) -> Self {
        Location32(numbers.into())
    }
}

impl From<DeviceLocation> for Location32<DeviceLocation> {
    fn from(numbers: DeviceLocation) -> Self {
        Location32(numbers)
    }
}

/// Adjacent elements for each matrix, a checked stride apart.
pub struct PerMatrix<P> {
    pub numbers: Operand<P, VectorShape>,
    pub stride: usize,
}

impl<P: Copy> PerMatrix<P> {
    /// Elements of `count` matrices, `each` of them adjacent. `stride` is checked under its name.
    pub fn new<T>(
        names: Names,
        location: P,
        each: usize,
        (stride_name, stride): (&'static str, i64),
        count: usize,
    ) -> Result<Self>
    where
        P: Location<T>,
    {
        let length = |stride: usize| match count {
            _ if each == 0 => Some(0),
            0 => Some(0),
            _ => (count - 1).checked_mul(stride)?.checked_add(each),
        };
        // A wrong stride is reported after a wrong location.
        let known = usize::try_from(stride).ok().and_then(length).filter(|length| isize::try_from(*length).is_ok());
        let numbers = arguments::array(names, known.unwrap_or(each), location)?;
        let stride = arguments::size(stride_name, stride)?;
        if count > 1 && stride < each {
            return Err(Error::argument(stride_name, format!("{stride} is less than {each}, the numbers of a matrix")));
        }
        if known.is_none() {
            return Err(Error::argument(
                stride_name,
                format!("{count} times {stride} do not fit in the address space"),
            ));
        }
        Ok(PerMatrix { numbers, stride })
    }
}
