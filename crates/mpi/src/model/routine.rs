//! Times of the algorithms as they are implemented here, term by term.

use std::fmt;

use super::Machine;

/// Bytes of a double.
const DOUBLE: f64 = 8.0;
/// Bytes of a double with its column, in a sparse matrix.
const ENTRY: f64 = 12.0;
/// Elements that an iteration of CG reads and writes for each row, without the product.
const CG_VECTORS: f64 = 12.0;

/// A routine with its sizes, in double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routine {
    /// C := A B of order n, in square blocks.
    Gemm {
        /// Order.
        n: usize,
        /// Rows and columns of a block.
        block: usize,
    },
    /// Cholesky's factor of a matrix of order n.
    Potrf {
        /// Order.
        n: usize,
        /// Rows and columns of a block.
        block: usize,
    },
    /// LU factors with partial pivoting.
    Getrf {
        /// Order.
        n: usize,
        /// Rows and columns of a block.
        block: usize,
    },
    /// QR factors of a square matrix.
    Geqrf {
        /// Order.
        n: usize,
        /// Rows and columns of a block.
        block: usize,
    },
    /// An iteration of conjugate gradients for Poisson's equation on n x n x n points, cut into slabs of rows.
    Cg {
        /// Points along a side.
        n: usize,
    },
    /// A complex transform of n x n x n elements, and the exchange back.
    Fft {
        /// Elements along a side.
        n: usize,
    },
    /// A step of the 7-point stencil on n x n x n points.
    Stencil {
        /// Points along a side.
        n: usize,
        /// Steps from an exchange to the next.
        steps: usize,
    },
}

/// A part of a predicted time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// Arithmetic at the rate of matrix products, or of transforms.
    Flops,
    /// Panels, which few ranks compute while the others wait.
    Panel,
    /// Reads and writes of memory.
    Memory,
    /// Bytes of messages.
    Bandwidth,
    /// Number of messages.
    Latency,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Term::Flops => "flops",
            Term::Panel => "panel",
            Term::Memory => "memory",
            Term::Bandwidth => "bandwidth",
            Term::Latency => "latency",
        })
    }
}

/// Predicted time of a routine, in seconds, by term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Arithmetic.
    pub flops: f64,
    /// Panels.
    pub panel: f64,
    /// Memory.
    pub memory: f64,
    /// Bytes of messages that no computation hides.
    pub bandwidth: f64,
    /// Messages.
    pub latency: f64,
}

impl Prediction {
    /// The sum of all terms.
    pub fn seconds(&self) -> f64 {
        self.terms().iter().map(|(_, seconds)| seconds).sum()
    }

    /// Terms with their seconds.
    pub fn terms(&self) -> [(Term, f64); 5] {
        [
            (Term::Flops, self.flops),
            (Term::Panel, self.panel),
            (Term::Memory, self.memory),
            (Term::Bandwidth, self.bandwidth),
            (Term::Latency, self.latency),
        ]
    }

    /// The largest term.
    pub fn binding(&self) -> Term {
        let largest = self.terms().into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        largest.map_or(Term::Flops, |(term, _)| term)
    }
}

/// Rows and columns of the most square grid of ranks, with more columns than rows.
fn grid_of(ranks: usize) -> (f64, f64) {
    let rows = (1..).take_while(|rows| rows * rows <= ranks).filter(|rows| ranks.is_multiple_of(*rows)).last();
    let rows = rows.unwrap_or(1);
    (rows as f64, (ranks / rows) as f64)
}

/// Numbers of ranks on three axes whose product is `ranks`, as equal as can be.
fn box_of(ranks: usize) -> [f64; 3] {
    let divisors = |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
    let all = divisors(ranks).flat_map(|a| divisors(ranks / a).map(move |b| [a, b, ranks / a / b]));
    let sides = all.min_by_key(|sides| (sides.iter().sum::<usize>(), sides[0]));
    sides.map_or([1.0; 3], |sides| sides.map(|side| side as f64))
}

/// 1 where there are others along a side, else 0.
fn others(ranks: f64) -> f64 {
    if ranks > 1.0 { 1.0 } else { 0.0 }
}

/// Rounds of a binomial tree.
fn rounds(ranks: f64) -> f64 {
    ranks.log2().ceil()
}

impl Routine {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Routine::Gemm { .. } => "gemm",
            Routine::Potrf { .. } => "potrf",
            Routine::Getrf { .. } => "getrf",
            Routine::Geqrf { .. } => "geqrf",
            Routine::Cg { .. } => "cg",
            Routine::Fft { .. } => "fft",
            Routine::Stencil { .. } => "stencil",
        }
    }

    /// Order, or points along a side.
    pub fn size(&self) -> usize {
        match *self {
            Routine::Gemm { n, .. } | Routine::Potrf { n, .. } | Routine::Getrf { n, .. } => n,
            Routine::Geqrf { n, .. } | Routine::Cg { n } | Routine::Fft { n } | Routine::Stencil { n, .. } => n,
        }
    }

    /// The same routine of another size.
    #[must_use]
    pub fn with_size(self, n: usize) -> Self {
        match self {
            Routine::Gemm { block, .. } => Routine::Gemm { n, block },
            Routine::Potrf { block, .. } => Routine::Potrf { n, block },
            Routine::Getrf { block, .. } => Routine::Getrf { n, block },
            Routine::Geqrf { block, .. } => Routine::Geqrf { n, block },
            Routine::Cg { .. } => Routine::Cg { n },
            Routine::Fft { .. } => Routine::Fft { n },
            Routine::Stencil { steps, .. } => Routine::Stencil { n, steps },
        }
    }

    /// The size at which each of `ranks` ranks has the memory that one rank has at this size.
    #[must_use]
    pub fn weak(self, ranks: usize) -> Self {
        let power = match self {
            Routine::Gemm { .. } | Routine::Potrf { .. } | Routine::Getrf { .. } | Routine::Geqrf { .. } => 1.0 / 2.0,
            _ => 1.0 / 3.0,
        };
        self.with_size((self.size() as f64 * (ranks as f64).powf(power)).round() as usize)
    }

    /// Arithmetic operations, of all ranks together.
    pub fn flops(&self) -> f64 {
        let n = self.size() as f64;
        match self {
            Routine::Gemm { .. } => 2.0 * n.powi(3),
            Routine::Potrf { .. } => n.powi(3) / 3.0,
            Routine::Getrf { .. } => 2.0 / 3.0 * n.powi(3),
            Routine::Geqrf { .. } => 4.0 / 3.0 * n.powi(3),
            Routine::Cg { .. } => (2.0 * 7.0 + 10.0) * n.powi(3),
            Routine::Fft { .. } => 5.0 * n.powi(3) * 3.0 * n.log2().max(1.0),
            Routine::Stencil { .. } => 8.0 * n.powi(3),
        }
    }

    /// The time on `ranks` ranks of a machine.
    pub(super) fn on(&self, machine: &Machine, ranks: usize) -> Prediction {
        match *self {
            Routine::Gemm { n, block } => gemm(self.flops(), (n as f64, block as f64), machine, ranks),
            Routine::Potrf { n, block } | Routine::Getrf { n, block } | Routine::Geqrf { n, block } => {
                factors(self, (n as f64, block as f64), machine, ranks)
            }
            Routine::Cg { n } => cg(n as f64, machine, ranks),
            Routine::Fft { n } => fft(self.flops(), n as f64, machine, ranks),
            Routine::Stencil { n, steps } => stencil(n as f64, steps as f64, machine, ranks),
        }
    }
}

/// SUMMA: each rank gets the panels of its row and column, one panel ahead, around a ring.
fn gemm(flops: f64, (n, block): (f64, f64), machine: &Machine, ranks: usize) -> Prediction {
    let (rows, columns) = grid_of(ranks);
    let panels = (n / block).ceil();
    let elements = n * n * (others(columns) / rows + others(rows) / columns);
    let messages = (others(rows) + others(columns)) * panels + rows + columns - 2.0;
    Prediction {
        flops: flops / machine.flops / ranks as f64,
        bandwidth: elements * DOUBLE / machine.bandwidth,
        latency: messages * machine.latency,
        ..Prediction::default()
    }
}

/// Right-looking factorisations. One column of ranks computes a panel.
fn factors(routine: &Routine, (n, block): (f64, f64), machine: &Machine, ranks: usize) -> Prediction {
    let (rows, columns) = grid_of(ranks);
    let (panels, all) = ((n / block).ceil(), ranks as f64);
    let (row, column) = (others(columns), others(rows));
    // Half of a matrix goes along each direction, on average over the panels.
    let panel_along_row = n * n / 2.0 / rows * row;
    let (panel_flops, elements, messages) = match routine {
        // The panel goes along rows, and its blocks along columns for the other side of the update.
        Routine::Potrf { .. } => {
            (n * n * block / 2.0, panel_along_row + n * n / 2.0 / columns * column, panels * (row + 2.0 * column))
        }
        // A pivot of each column is found by a reduction; interchanged rows travel along columns, twice in all.
        Routine::Getrf { .. } => {
            let interchanges = 2.0 * n * n / columns * column;
            let upper = n * n / 2.0 / columns * column;
            let pivots = 2.0 * n * rounds(rows);
            (n * n * block / 2.0, panel_along_row + upper + interchanges, pivots + panels * (row + 3.0 * column))
        }
        // Two reductions for each column of a panel, and those of V^H C.
        _ => {
            let products = n * n / 2.0 / columns * 2.0 * rounds(rows);
            let reductions = 4.0 * n * rounds(rows);
            (n * n * block, panel_along_row + products, reductions + panels * (row + 2.0 * rounds(rows)))
        }
    };
    // The panels' operations are part of the routine's: they are not counted twice.
    let rest = (routine.flops() - panel_flops).max(0.0);
    Prediction {
        flops: rest / machine.flops / all,
        panel: panel_flops / rows / machine.panel,
        bandwidth: elements * DOUBLE / machine.bandwidth,
        latency: messages * machine.latency,
        ..Prediction::default()
    }
}

/// Rows in slabs: ghosts of two neighbours, which travel while the interior is computed; one reduction.
fn cg(n: f64, machine: &Machine, ranks: usize) -> Prediction {
    let all = ranks as f64;
    let points = n.powi(3) / all;
    let memory = points * (7.0 * ENTRY + CG_VECTORS * DOUBLE) / machine.memory;
    // Slabs thinner than a plane have ghosts from more neighbours.
    let neighbours = others(all) * 2.0 * (all / n).max(1.0).min(all);
    let travelling = others(all) * 2.0 * n * n * DOUBLE / machine.bandwidth;
    Prediction {
        memory,
        bandwidth: (travelling - memory / 2.0).max(0.0),
        latency: (neighbours + 2.0 * rounds(all)) * machine.latency,
        ..Prediction::default()
    }
}

/// Slabs, or pencils where there are more ranks than planes; packed messages of all pairs.
fn fft(flops: f64, n: f64, machine: &Machine, ranks: usize) -> Prediction {
    let all = ranks as f64;
    let elements = n.powi(3) / all;
    // Ranks that share in an exchange, and how often there is one: forward, and back to the natural order.
    let exchanges: &[f64] = if ranks == 1 {
        &[]
    } else if all <= n {
        &[all, all]
    } else {
        let (rows, columns) = grid_of(ranks);
        &[rows, columns, all]
    };
    let moved: f64 = exchanges.iter().map(|peers| elements * 2.0 * DOUBLE * (1.0 - 1.0 / peers)).sum();
    let messages: f64 = exchanges.iter().map(|peers| peers - 1.0).sum();
    Prediction {
        flops: flops / all / machine.fft,
        // Packed and unpacked: read and written twice.
        memory: 4.0 * moved / machine.memory,
        bandwidth: moved / machine.bandwidth,
        latency: messages * machine.latency,
        ..Prediction::default()
    }
}

/// Blocks with halos of the width of the steps, which travel while the interior is computed.
fn stencil(n: f64, steps: f64, machine: &Machine, ranks: usize) -> Prediction {
    let parts = box_of(ranks);
    let sides = parts.map(|parts| n / parts);
    let extended: f64 = (0..3).map(|axis| sides[axis] + (steps - 1.0) * others(parts[axis])).product();
    // A level is read, and one is written, of which caches read the lines before.
    let memory = extended * 3.0 * DOUBLE / machine.memory;
    let face = |axis: usize| sides.iter().product::<f64>() / sides[axis] * 2.0 * others(parts[axis]);
    let halo: f64 = (0..3).map(face).sum::<f64>() * DOUBLE;
    let neighbours: f64 = parts.iter().map(|parts| 1.0 + 2.0 * others(*parts)).product::<f64>() - 1.0;
    let hidden = if steps > 1.0 { 0.0 } else { memory };
    Prediction {
        memory,
        bandwidth: (halo / machine.bandwidth - hidden).max(0.0),
        latency: neighbours * machine.latency / steps,
        ..Prediction::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine { latency: 1e-6, bandwidth: 1e10, flops: 1e12, panel: 1e11, memory: 1e11, fft: 5e10, ranks: 2 }
    }

    fn all(n: usize) -> [Routine; 7] {
        let block = 128;
        [
            Routine::Gemm { n, block },
            Routine::Potrf { n, block },
            Routine::Getrf { n, block },
            Routine::Geqrf { n, block },
            Routine::Cg { n: n / 16 },
            Routine::Fft { n: n / 16 },
            Routine::Stencil { n: n / 16, steps: 1 },
        ]
    }

    #[test]
    fn one_rank_sends_nothing() {
        for routine in all(4096) {
            let one = machine().predict(&routine, 1);
            assert_eq!((one.bandwidth, one.latency), (0.0, 0.0), "{routine:?}");
            assert!(one.seconds() > 0.0);
        }
        let gemm = machine().predict(&Routine::Gemm { n: 1000, block: 100 }, 1);
        assert!((gemm.seconds() - 2e-3).abs() < 1e-12);
    }

    #[test]
    fn efficiency_falls_with_ranks_and_rises_with_size() {
        for (small, large) in all(2048).into_iter().zip(all(16384)) {
            let at = |routine: &Routine, ranks| machine().efficiency(routine, ranks);
            assert!(at(&small, 4096) < at(&small, 16) && at(&small, 4096) < at(&large, 4096), "{small:?}");
            let half = machine().half_efficiency(&small, 1 << 24).expect("no routine scales for ever");
            assert!(at(&small, half) < 0.5 && half > 1, "{small:?}: {half}");
        }
    }

    #[test]
    fn what_binds_changes_with_ranks() {
        let getrf = Routine::Getrf { n: 100_000, block: 128 };
        assert_eq!(machine().predict(&getrf, 1).binding(), Term::Flops);
        assert!(machine().predict(&getrf, 10_000).binding() != Term::Flops);
        // A pencil's exchange has messages for each pair of a row and of a column, and the one back for all.
        assert_eq!(machine().predict(&Routine::Fft { n: 64 }, 4096).binding(), Term::Latency);
    }

    #[test]
    fn weak_sizes_keep_the_memory_of_a_rank() {
        assert_eq!(Routine::Gemm { n: 1000, block: 64 }.weak(4).size(), 2000);
        assert_eq!(Routine::Stencil { n: 100, steps: 1 }.weak(8).size(), 200);
    }
}
