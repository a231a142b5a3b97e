//! `affinimath-mpi bench scale`: strong and weak scaling.

use std::path::PathBuf;

use affinimath_bench::json::JsonOption;
use affinimath_bench::replace::check_folder;
use affinimath_bench::stdout::print;
use affinimath_mpi::model::{Machine, Routine};
use affinimath_mpi::{Error, Grid, Result};
use mpi::topology::{Color, Communicator, SimpleCommunicator};
use mpi::traits::AsRaw;
use serde_json::json;

use super::peers::{Against, Peer};
use super::plot;
use super::routines::{Name, measure, shape};
use crate::{model, on_one_rank};

/// The text below the options.
pub const HELP: &str = "\
Strong scaling has the same size on all numbers of ranks. Weak scaling has the same memory for each rank: orders grow
with the square root of the ranks, and sides of cubes with the cube root. Efficiency is the rate of a rank, over that of
one rank alone. `model` is the prediction for the machine of --model, or for rates measured at the beginning.

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
    let machine = model::machine(grid, arguments.model.as_deref())?;
    let peers: Result<Vec<Peer>> = arguments.against.iter().map(Peer::load).collect();
    grid.agree_on("affinimath-mpi", &[], peers.as_ref().map(drop).map_err(Clone::clone))?;
    let peers = peers?;
    let routines: Vec<Routine> = arguments.routines.iter().map(|name| arguments.routine(*name)).collect();
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
                    let repeats = arguments.repeat as usize;
                    let seconds = measure(&part, &own, repeats)?;
                    measured.push(entry(&measured, machine.as_ref(), OURS, (routine, own), (count, is_weak), seconds));
                    for peer in peers.iter().filter(|peer| peer.has(routine)) {
                        let seconds = peer.measure(&part, comm.as_raw(), &own, repeats)?;
                        let new = entry(&measured, None, peer.name(), (routine, own), (count, is_weak), seconds);
                        measured.push(new);
                    }
                }
            }
        }
        grid.barrier()?;
    }
    on_one_rank(grid, || {
        if !arguments.json.replaces_text() {
            print(&table(&measured, machine.as_ref()))?;
            if let (Some(machine), true) = (&machine, arguments.model.is_some()) {
                print(&model::text(machine, &routines))?;
            }
        }
        if let Some(path) = &arguments.plot {
            plot::write(path, &measured)?;
        }
        arguments.json.document("mpi-bench-scale", document(&measured, machine.as_ref()))
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
    (ranks, is_weak): (usize, bool),
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
        seconds,
        efficiency: rate(&routine, seconds, ranks) / alone,
        predicted,
    }
}

fn table(measured: &[Measured], machine: Option<&Machine>) -> String {
    let mut text = String::new();
    if let Some(machine) = machine {
        text += &model::rates(machine);
        text += "\n";
    }
    text += "routine  library     scaling  ranks    size      seconds   GFLOP/s  efficiency";
    text += if machine.is_some() { "   model seconds  efficiency  binds\n" } else { "\n" };
    for each in measured {
        let scaling = if each.is_weak { "weak" } else { "strong" };
        let rate = each.routine.flops() / each.seconds / 1e9;
        text += &format!(
            "{:<8} {:<11} {scaling:<7} {:>6} {:>7} {:>12.6} {rate:>9.2} {:>11.2}",
            each.routine.name(),
            each.library,
            each.ranks,
            each.routine.size(),
            each.seconds,
            each.efficiency,
        );
        if let (Some((seconds, efficiency)), Some(machine)) = (each.predicted, machine) {
            let binds = machine.predict(&each.routine, each.ranks).binding();
            text += &format!(" {seconds:>15.6} {efficiency:>11.2}  {binds}");
        }
        text += "\n";
    }
    text
}

fn document(measured: &[Measured], machine: Option<&Machine>) -> serde_json::Value {
    let rows: Vec<_> = measured.iter().map(|each| {
        json!({
            "routine": each.routine.name(), "library": each.library, "size": each.routine.size(), "ranks": each.ranks,
            "scaling": if each.is_weak { "weak" } else { "strong" }, "seconds": each.seconds,
            "gflops": each.routine.flops() / each.seconds / 1e9, "efficiency": each.efficiency,
            "predicted_seconds": each.predicted.map(|predicted| predicted.0),
            "predicted_efficiency": each.predicted.map(|predicted| predicted.1),
        })
    }).collect();
    json!({ "machine": machine.map(model::fields), "measured": rows })
}
