//! `affinimath-mpi model`: rates of a machine, and the scaling that they predict.

use std::path::{Path, PathBuf};

use affinimath_bench::Failure;
use affinimath_bench::json::JsonOption;
use affinimath_bench::replace::{check_folder, replace_text};
use affinimath_bench::stdout::print;
use affinimath_mpi::model::{Machine, Routine};
use affinimath_mpi::{Error, Grid, Result};
use serde_json::{Value, json};

use crate::bench::Name;
use crate::on_one_rank;

/// The text below the options.
pub const HELP: &str = "\
Rates are those of all ranks at work together: give each rank the cores that it will have. Latency and bandwidth are
those between two ranks. On several hosts, place ranks so that neighbours in number are on different ones:
mpirun --map-by node.";

/// Numbers of ranks that are printed.
const RANKS: [usize; 7] = [1, 4, 16, 64, 256, 1024, 10_000];
/// The most ranks among which half of perfect scaling is looked for.
const MOST: usize = 1 << 24;

/// The arguments of `affinimath-mpi model`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Rates that were written before, in place of measured ones
    #[arg(long, value_name = "FILE.json")]
    model: Option<PathBuf>,
    /// Write the rates to this file
    #[arg(long, value_name = "FILE.json")]
    write: Option<PathBuf>,
    /// Routines, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "gemm,potrf,getrf,geqrf,cg,fft,stencil")]
    routines: Vec<Name>,
    /// Order of dense matrices
    #[arg(long, default_value = "40000", value_parser = clap::value_parser!(u32).range(1..))]
    order: u32,
    /// Points along a side of cubes
    #[arg(long, default_value = "512", value_parser = clap::value_parser!(u32).range(1..))]
    side: u32,
    /// Rows and columns of the blocks of dense matrices
    #[arg(long, default_value = "128", value_parser = clap::value_parser!(u32).range(1..))]
    block: u32,
    #[command(flatten)]
    json: JsonOption,
}

/// The machine of a file, or of a measurement; none of one rank without a file.
///
/// # Errors
/// The same on all ranks.
pub fn machine(grid: &Grid, file: Option<&Path>) -> Result<Option<Machine>> {
    let Some(path) = file else {
        return if grid.size() > 1 { Machine::measure(grid).map(Some) } else { Ok(None) };
    };
    let read = std::fs::read_to_string(path).map_err(|error| Error::Local(Failure::file("cannot read", path, error).0));
    let machine = read.and_then(|text| {
        Machine::from_json(&text)
            .map_err(|error| Error::Local(format!("{}: {}", path.display(), crate::message(&error))))
    });
    grid.agree_on("affinimath-mpi", &[], machine.as_ref().map(drop).map_err(Clone::clone))?;
    machine.map(Some)
}

/// Measures or reads, and predicts.
///
/// # Errors
/// The same on all ranks.
pub fn run(grid: &Grid, arguments: &Arguments) -> Result<()> {
    on_one_rank(grid, || {
        arguments.write.as_deref().map_or(Ok(()), check_folder)?;
        arguments.json.check_folder()
    })?;
    let Some(machine) = machine(grid, arguments.model.as_deref())? else {
        return Err(Error::Local("latency and bandwidth need two ranks: mpirun -np 2, or --model FILE".to_owned()));
    };
    let routine = |name: &Name| {
        let dense = matches!(name, Name::Gemm | Name::Potrf | Name::Getrf | Name::Geqrf);
        name.routine(Some(if dense { arguments.order } else { arguments.side } as usize), arguments.block as usize)
    };
    let routines: Vec<Routine> = arguments.routines.iter().map(routine).collect();
    on_one_rank(grid, || {
        if let Some(path) = &arguments.write {
            let written = replace_text(path, &(machine.to_json() + "\n"));
            written.map_err(|error| Failure::file("cannot write", path, error))?;
        }
        if !arguments.json.replaces_text() {
            print(&(rates(&machine) + &text(&machine, &routines)))?;
        }
        let predicted = routines.iter().map(|routine| predictions(&machine, routine)).collect::<Vec<_>>();
        arguments.json.document("mpi-model", json!({ "machine": fields(&machine), "predicted": predicted }))
    })
}

/// The rates as text.
pub fn rates(machine: &Machine) -> String {
    let Machine { latency, bandwidth, flops, panel, memory, fft, ranks } = machine;
    format!(
        "latency {:.2} us, bandwidth {:.2} GB/s, memory {:.2} GB/s a rank\n\
         products {:.2} GFLOP/s a rank, of panels {:.2}, transforms {:.2}; {ranks} ranks at work\n",
        latency * 1e6,
        bandwidth / 1e9,
        memory / 1e9,
        flops / 1e9,
        panel / 1e9,
        fft / 1e9,
    )
}

/// The rates as JSON.
pub fn fields(machine: &Machine) -> Value {
    serde_json::from_str(&machine.to_json()).unwrap_or_default()
}

fn predictions(machine: &Machine, routine: &Routine) -> Value {
    let at = |ranks: &usize| {
        let predicted = machine.predict(routine, *ranks);
        let efficiency = machine.efficiency(routine, *ranks);
        let binds = predicted.binding().to_string();
        json!({ "ranks": ranks, "seconds": predicted.seconds(), "efficiency": efficiency, "binds": binds })
    };
    json!({
        "routine": routine.name(), "size": routine.size(), "ranks": RANKS.iter().map(at).collect::<Vec<_>>(),
        "half_efficiency_ranks": machine.half_efficiency(routine, MOST),
        "half_efficiency_size": machine.smallest_size(routine, 10_000),
    })
}

/// Predicted times up to 10,000 ranks, the bound of each, and where half of perfect scaling is lost.
pub fn text(machine: &Machine, routines: &[Routine]) -> String {
    let mut text = "\npredicted seconds, efficiency, and what binds\nroutine     size".to_owned();
    RANKS.iter().for_each(|ranks| text += &format!(" {ranks:>26}"));
    text += "\n";
    for routine in routines {
        text += &format!("{:<8} {:>7}", routine.name(), routine.size());
        for ranks in RANKS {
            let predicted = machine.predict(routine, ranks);
            let efficiency = machine.efficiency(routine, ranks);
            text += &format!("   {:>9.3e} {efficiency:>4.2} {:<9}", predicted.seconds(), predicted.binding());
        }
        text += "\n";
    }
    text += "\nless than half of perfect scaling is left\n";
    for routine in routines {
        let from = match machine.half_efficiency(routine, MOST) {
            Some(ranks) => format!("from {ranks} ranks on"),
            None => format!("beyond {MOST} ranks"),
        };
        let below = match machine.smallest_size(routine, 10_000) {
            Some(size) => format!("on 10,000 ranks below the size {size}"),
            None => "on 10,000 ranks at any size".to_owned(),
        };
        text += &format!("{:<8} of size {:>6}: {from}; {below}\n", routine.name(), routine.size());
    }
    text
}
