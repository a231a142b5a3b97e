//! `affinimath-mpi bench scale`: strong and weak scaling.

use std::path::PathBuf;

use affinimath_bench::json::JsonOption;
use affinimath_bench::replace::check_folder;
use affinimath_bench::stdout::print;
use affinimath_mpi::model::{Machine, Routine};
use affinimath_mpi::{Error, Grid, Memory, Result};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use mpi::traits::AsRaw;
use serde_json::json;

use super::peers::{Against, Peer};
use super::plot;
use super::routines::{Name, measure, memory_of, shape};
use crate::{model, on_one_rank};

/// The text below the options.
pub const HELP: &str = "\
Strong scaling has the same size on all numbers of ranks. Weak scaling has the same memory for each rank: orders grow
with the square root of the ranks, and sides of cubes with the cube root. Efficiency is the rate of a rank, over that of
one rank alone. `model` is the prediction for the machine of --model, or for rates measured at the beginning. Rows
appear as they are measured.

Ranks above those of a measurement wait. Give each rank a core: mpirun --bind-to core.";

/// The arguments of `affinimath-mpi bench scale`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Routines, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "gemm,potrf,getrf,geqrf,cg,fft,stencil")]
    routines: Vec<Name>,
    /// Size on one rank, of all routines or of one: 2048, or gemm=2048
    #[arg(long, value_name = "[ROUTINE=]N", value_parser = size)]
    size: Vec<(Option<Name>, usize)>,
    /// Rows and columns of the blocks of dense matrices
    #[arg(long, default_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    block: u32,
    /// Numbers of ranks, separated by commas [default: powers of two, and all]
    #[arg(long, value_delimiter = ',', value_name = "RANKS")]
    ranks: Vec<usize>,
    /// Runs of which the fastest counts, after one that does not
    #[arg(long, default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Memory of the ranks' parts of matrices and vectors, for the routines that have both
    #[arg(long, value_enum, value_name = "MEMORY", default_value = "host")]
    memory: crate::MemoryName,
    /// Rates of a machine, as `affinimath-mpi model --write` has written them: predictions up to 10,000 ranks as well
    #[arg(long, value_name = "FILE.json")]
    model: Option<PathBuf>,
    /// Another library to compare with: scalapack=FILE, fftw=FILE
    #[arg(long, value_name = "LIBRARY=FILE")]
    against: Vec<Against>,
    /// Draw the efficiencies into this file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

fn size(text: &str) -> std::result::Result<(Option<Name>, usize), String> {
    let (name, number) = match text.split_once('=') {
        Some((name, number)) => (Some(<Name as clap::ValueEnum>::from_str(name, false)?), number),
        None => (None, text),
    };
    match number.parse() {
        Ok(number) if number > 0 => Ok((name, number)),
        _ => Err("a size of at least 1 is expected".to_owned()),
    }
}

/// One measurement.
#[derive(Clone, Debug)]
pub struct Measured {
    pub library: &'static str,
    pub routine: Routine,
    pub ranks: usize,
    pub is_weak: bool,
    /// Memory of the ranks' parts.
    pub memory: Memory,
    pub seconds: f64,
    /// Rate of a rank over that of one rank alone; of the first number of ranks that is measured.
    pub efficiency: f64,
    /// Predicted seconds and efficiency.
    pub predicted: Option<(f64, f64)>,
}

/// The name of our library in tables.
pub const OURS: &str = "affinimath";

/// Measures, predicts and reports.
///
/// # Errors
/// The same on all ranks.
pub fn run(grid: &Grid, world: &SimpleCommunicator, arguments: &Arguments) -> Result<()> {
    let all = grid.size();
    let ranks = match arguments.ranks.is_empty() {
        true => (0..).map(|power| 1 << power).take_while(|ranks| *ranks < all).chain([all]).collect(),
        false => arguments.ranks.clone(),
    };
    if let Some(wrong) = ranks.iter().find(|ranks| !(1..=all).contains(*ranks)) {
        return Err(Error::Local(format!("--ranks {wrong}: the job has 1 to {all} ranks")));
    }
    on_one_rank(grid, || {
        arguments.plot.as_deref().map_or(Ok(()), check_folder)?;
        arguments.json.check_folder()
    })?;
    let peers: Result<Vec<Peer>> = arguments.against.iter().map(Peer::load).collect();
    grid.agree_on("affinimath-mpi", &[], peers.as_ref().map(drop).map_err(Clone::clone))?;
    let peers = peers?;
    let routines: Vec<Routine> = arguments.routines.iter().map(|name| arguments.routine(*name)).collect();
    let (devices, wanted) = (grid.devices()?, arguments.memory.memory());
    // One process without a device would end in the middle.
    let context = grid.context(wanted).map(drop);
    grid.agree_on("affinimath-mpi", &[], context)?;
    // Rows are printed as they are measured, by a rank of every measurement.
    let speaks = grid.rank() == 0 && !arguments.json.replaces_text();
    let show = |text: &str| match speaks {
        true => print(text).map_err(|failure| Error::Local(failure.0)),
        false => Ok(()),
    };
    on_one_rank(grid, || if speaks { print(&located(&devices)) } else { Ok(()) })?;
    let machine = model::machine(grid, arguments.model.as_deref())?;
    on_one_rank(grid, || if speaks { print(&header(machine.as_ref())) } else { Ok(()) })?;
    let mut measured: Vec<Measured> = Vec::new();
    for &count in &ranks {
        let colour = if grid.rank() < count { Color::with_value(1) } else { Color::undefined() };
        if let Some(comm) = world.split_by_color(colour) {
            let (rows, columns) = shape(count);
            let part = Grid::new(&comm, rows, columns)?;
            for routine in &routines {
                for is_weak in [false, true] {
                    if is_weak && count == 1 {
                        continue;
                    }
                    let own = if is_weak { routine.weak(count) } else { *routine };
                    let (repeats, memory) = (arguments.repeat as usize, memory_of(routine, wanted));
                    let mut add = |library, machine: Option<&Machine>, memory, seconds| {
                        let run = (count, is_weak, memory);
                        let new = entry(&measured, machine, library, (routine, own), run, seconds);
                        let shown = show(&row(&new, machine));
                        measured.push(new);
                        shown
                    };
                    // A row that cannot be printed ends all ranks.
                    let shown = add(OURS, machine.as_ref(), memory, measure(&part, &own, memory, repeats)?);
                    part.agree_on("affinimath-mpi", &[], shown)?;
                    for peer in peers.iter().filter(|peer| peer.has(routine)) {
                        let seconds = peer.measure(&part, comm.as_raw(), &own, repeats)?;
                        part.agree_on("affinimath-mpi", &[], add(peer.name(), None, Memory::Host, seconds))?;
                    }
                }
            }
        }
        grid.barrier()?;
    }
    on_one_rank(grid, || {
        if let (Some(machine), true, true) = (&machine, speaks, arguments.model.is_some()) {
            print(&model::text(machine, &routines))?;
        }
        if let Some(path) = &arguments.plot {
            plot::write(path, &measured)?;
        }
        arguments.json.document("mpi-bench-scale", document(&measured, machine.as_ref(), &devices))
    })
}

impl Arguments {
    /// A routine with its size: the last one that fits.
    fn routine(&self, name: Name) -> Routine {
        let fitting = self.size.iter().rev().find(|(own, _)| own.is_none_or(|own| own == name));
        name.routine(fitting.map(|(_, size)| *size), self.block as usize)
    }
}

/// A measurement with its efficiency, which compares it with the first one of the routine.
fn entry(
    so_far: &[Measured],
    machine: Option<&Machine>,
    library: &'static str,
    (base, routine): (&Routine, Routine),
    (ranks, is_weak, memory): (usize, bool, Memory),
    seconds: f64,
) -> Measured {
    let rate = |routine: &Routine, seconds: f64, ranks: usize| routine.flops() / seconds / ranks as f64;
    let first = so_far.iter().find(|other| other.library == library && other.routine == *base && !other.is_weak);
    let alone = first.map_or(rate(&routine, seconds, ranks), |first| rate(base, first.seconds, first.ranks));
    let predicted = machine.map(|machine| {
        let [own, one] = [(&routine, ranks), (base, 1)].map(|(routine, ranks)| {
            let seconds = machine.predict(routine, ranks).seconds();
            (seconds, rate(routine, seconds, ranks))
        });
        (own.0, own.1 / one.1)
    });
    Measured {
        library,
        routine,
        ranks,
        is_weak,
        memory,
        seconds,
        efficiency: rate(&routine, seconds, ranks) / alone,
        predicted,
    }
}

/// Locations of the ranks' work: those of one device or of the host in one line.
fn located(devices: &[String]) -> String {
    let mut text = String::new();
    let mut rank = 0;
    while rank < devices.len() {
        let count = devices[rank..].iter().take_while(|other| **other == devices[rank]).count();
        let ranks = match count {
            1 => format!("rank {rank}"),
            _ => format!("ranks {rank} to {}", rank + count - 1),
        };
        text += &format!("{ranks}: {}\n", devices[rank]);
        rank += count;
    }
    text + "\n"
}

/// Rates of the machine, and names of the columns.
fn header(machine: Option<&Machine>) -> String {
    let mut text = String::new();
    if let Some(machine) = machine {
        text += &model::rates(machine);
        text += "\n";
    }
    text += "routine  library     scaling  ranks    size  memory      seconds   GFLOP/s  efficiency";
    text += if machine.is_some() { "   model seconds  efficiency  binds\n" } else { "\n" };
    text
}

/// A measurement as a line.
fn row(each: &Measured, machine: Option<&Machine>) -> String {
    let scaling = if each.is_weak { "weak" } else { "strong" };
    let rate = each.routine.flops() / each.seconds / 1e9;
    let mut text = format!(
        "{:<8} {:<11} {scaling:<7} {:>6} {:>7}  {:<6} {:>12.6} {rate:>9.2} {:>11.2}",
        each.routine.name(),
        each.library,
        each.ranks,
        each.routine.size(),
        memory_name(each.memory),
        each.seconds,
        each.efficiency,
    );
    if let (Some((seconds, efficiency)), Some(machine)) = (each.predicted, machine) {
        let binds = machine.predict(&each.routine, each.ranks).binding();
        text += &format!(" {seconds:>15.6} {efficiency:>11.2}  {binds}");
    }
    text + "\n"
}

const fn memory_name(memory: Memory) -> &'static str {
    match memory {
        Memory::Host => "host",
        Memory::Device => "device",
    }
}

fn document(measured: &[Measured], machine: Option<&Machine>, devices: &[String]) -> serde_json::Value {
    let rows: Vec<_> = measured.iter().map(|each| {
        json!({
            "routine": each.routine.name(), "library": each.library, "size": each.routine.size(), "ranks": each.ranks,
            "scaling": if each.is_weak { "weak" } else { "strong" }, "seconds": each.seconds,
            "memory": memory_name(each.memory),
            "gflops": each.routine.flops() / each.seconds / 1e9, "efficiency": each.efficiency,
            "predicted_seconds": each.predicted.map(|predicted| predicted.0),
            "predicted_efficiency": each.predicted.map(|predicted| predicted.1),
        })
    }).collect();
    json!({ "machine": machine.map(model::fields), "devices": devices, "measured": rows })
}
