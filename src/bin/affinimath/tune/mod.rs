//! `affinimath tune`: measures the machine, and keeps what it finds.

mod measure;

use affinimath::route;
use affinimath::tuning::database;
use indicatif::{ProgressBar, ProgressStyle};

use crate::doctor::{crossovers, crossovers_json};
use crate::failure::Failure;
use crate::{device, print};

/// The arguments of `affinimath tune`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Measure from which size on the device is faster than the host, for each family of routines
    #[arg(long, required = true)]
    crossover: bool,
    /// The device: auto, or its index or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Measures, appends to the database, and prints the table.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    device::choose(&arguments.device)?;
    let none = || Failure("there is no GPU to measure: --device names another device".to_owned());
    let chosen = route::settings()?.device()?.ok_or_else(none)?;
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}").unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.set_message("measuring");
    let record = measure::measure(chosen.index, |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let record = record?;
    let file = database::append(&record)?;
    // The settings in force now were made before the measurement was kept.
    route::configure(route::RouteChoice::Auto, &route::DeviceChoice::Index(chosen.index))?;
    let chosen = route::settings()?.device()?.ok_or_else(none)?;
    if arguments.json {
        let table = crossovers_json(&chosen)?;
        let result = serde_json::json!({ "file": file, "record": record, "crossovers": table });
        return print(&format!("{result:#}\n"));
    }
    print(&format!("{}kept in {}\n", crossovers(&chosen)?, file.display()))
}
