//! The library through its public API. One binary, which links it once.

mod array;
mod faults;

mod host {
    mod array;
}

mod device {
    mod array;
    mod gemm;
    mod hgemm;
    mod large;
    mod set;
}

mod device_small {
    mod array;
}

use affinimath::route::{DeviceChoice, RouteChoice, configure};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The process's route, which all tests of the binary share.
static ROUTE: RwLock<()> = RwLock::new(());

/// Held by a test that computes on the host's memory while no test changes the route.
fn route() -> RwLockReadGuard<'static, ()> {
    ROUTE.read().unwrap_or_else(PoisonError::into_inner)
}

/// Held by a test that changes the route. Its end gives the choice back to the library.
struct ChangedRoute(#[expect(dead_code, reason = "held")] RwLockWriteGuard<'static, ()>);

fn changed_route() -> ChangedRoute {
    ChangedRoute(ROUTE.write().unwrap_or_else(PoisonError::into_inner))
}

impl Drop for ChangedRoute {
    fn drop(&mut self) {
        // A second panic would hide the first.
        let _ = configure(RouteChoice::Auto, &DeviceChoice::Auto);
    }
}
