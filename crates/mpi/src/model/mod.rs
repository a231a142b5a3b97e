//! Predicted times: a machine's latency, bandwidth and rates, and what each algorithm of this crate does with them.
//!
//! ```
//! use affinimath_mpi::model::{Machine, Routine};
//!
//! // A cluster: 2 microseconds and 10 GB/s between ranks, 1 TFLOP/s and 200 GB/s for each.
//! let (latency, bandwidth, flops, panel) = (2e-6, 1e10, 1e12, 2e11);
//! let machine = Machine { latency, bandwidth, flops, panel, memory: 2e11, fft: 5e10, ranks: 4 };
//! let gemm = Routine::Gemm { n: 40_000, block: 128 };
//! assert!(machine.predict(&gemm, 64).seconds() < machine.predict(&gemm, 1).seconds() / 32.0);
//! let most = machine.half_efficiency(&gemm, 1_000_000); // ranks at which half of perfect scaling is lost
//! assert!(most.is_some_and(|ranks| ranks > 1000));
//! ```

mod machine;
mod routine;

pub use machine::Machine;
pub use routine::{Prediction, Routine, Term};
