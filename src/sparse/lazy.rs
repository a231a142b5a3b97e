//! Values computed at the first use and cached.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::error::Result;

/// A value that is made at its first use. Threads that need it at the same time meet, and the first one makes it; where
/// that fails, the next use tries again.
#[derive(Debug)]
pub(super) struct Lazy<T> {
    value: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Lazy { value: OnceLock::new(), making: Mutex::new(()) }
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Lazy { value: OnceLock::from(value), making: Mutex::new(()) }
    }
}

impl<T> Lazy<T> {
    /// The value, made by `make` if it is not there yet.
    pub(super) fn get_or_make(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let _alone = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.value.get_or_init(|| value))
    }
}
