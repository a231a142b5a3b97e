//! The library through its public API. One binary, which links it once.

mod array;

mod host {
    mod array;
}

mod device {
    mod array;
    mod gemm;
    mod hgemm;
    mod large;
}

mod device_small {
    mod array;
}

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by a test that changes the process's route: tests of a binary share it.
fn route() -> MutexGuard<'static, ()> {
    static ROUTE: Mutex<()> = Mutex::new(());
    ROUTE.lock().unwrap_or_else(PoisonError::into_inner)
}
