//! Level 1 on the host: plain loops that the compiler turns into wide vectors, in several threads where it pays.

mod elementwise;
mod strand;

pub(crate) use elementwise::elementwise;
pub(crate) use strand::Strand;
