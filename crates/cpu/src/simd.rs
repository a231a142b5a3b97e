//! A loop on the widest vectors that the processor has.

use pulp::{Arch, WithSimd};

/// Runs a loop with the widest vectors that the processor has.
#[inline(always)]
pub fn dispatch<W: WithSimd>(work: W) -> W::Output {
    // A single dispatch: every use compiles the loop once per instruction set.
    #[cfg(debug_assertions)]
    let arch: Arch = instruction_sets::chosen().unwrap_or_default();
    #[cfg(not(debug_assertions))]
    let arch = Arch::new();
    arch.dispatch(work)
}

/// Tests run their loops on all instruction sets that the processor has, where debug assertions are on.
pub mod instruction_sets {
    use std::cell::Cell;

    use pulp::Arch;

    thread_local! {
        static CHOSEN: Cell<Option<Arch>> = const { Cell::new(None) };
    }

    /// Instruction set of this thread's loops, if it is not the default.
    pub fn chosen() -> Option<Arch> {
        CHOSEN.get()
    }

    /// Does a test on each instruction set.
    pub fn for_each(test: impl Fn()) {
        let mut all = vec![Arch::new()];
        if cfg!(debug_assertions) {
            all.push(Arch::Scalar);
            #[cfg(target_arch = "x86_64")]
            all.extend(pulp::x86::V3::try_new().map(Arch::V3));
        }
        for arch in all {
            CHOSEN.set(Some(arch));
            test();
        }
        CHOSEN.set(None);
    }
}
