//! `affinimath eval`: a text expression of arrays in NumPy's files.

pub mod input;
pub mod npy;
pub mod output;

use std::io::Read;

use affinimath::array::{AnyArray, Expression};
use affinimath::{Context, route};
use affinimath_bench::json::JsonOption;
use affinimath_bench::stdout::print;
use affinimath_bench::{Failure, device};

use output::{Output, Sink};

/// Examples and types, behind the options in `--help`.
pub const HELP: &str = "\
Statements stand between semicolons or on lines; later ones see what earlier ones assign. Values without a name are
printed, or all names where there are no such values:

  affinimath eval 'norm(a - b) / norm(a)' --array a=a.npy --array b=b.npy
  affinimath eval 'd = a - b; abs(d).max(), d.std(axis=0)' --array data.npz
  affinimath eval 'y = s*x + 1' --array x=data.npz:x --let s=2.5 --out y.npy
  affinimath eval 'u[1:-1] = (u[:-2] + u[2:]) / 2' --array u.npy --out u=next.npy

Elements are bool, uint8, int32, uint32, int64, float32, float64, complex64 or complex128, in either byte order, in rows
or in columns.";

/// The arguments of `affinimath eval`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The expression, or - for the text on standard input
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// An operand: an array of a .npy file, or of a .npz file all arrays or that of a key (repeatable)
    #[arg(long, value_name = "[NAME=]FILE[:KEY]")]
    array: Vec<String>,
    /// A number for a name, which takes the type of the arrays that it meets (repeatable)
    #[arg(long = "let", value_name = "NAME=NUMBER")]
    numbers: Vec<String>,
    /// Write instead of printing: the value or a name to a .npy file, or all results to a .npz file (repeatable)
    #[arg(long, value_name = "[NAME=]FILE")]
    out: Vec<String>,
    /// Show the kernels, the temporary arrays and the bytes, and evaluate nothing
    #[arg(long, conflicts_with_all = ["out", "json"])]
    explain: bool,
    /// Device of the evaluation: auto (the host, unless the settings demand a device), host, or a device by its index
    /// or part of its name
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    #[command(flatten)]
    json: JsonOption,
}

/// Reads, evaluates, and prints or writes.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    device::choose(&arguments.device)?;
    arguments.json.check_folder()?;
    let expression = parse(arguments)?;
    let context = if route::demands_device()? { Context::preferred()? } else { Context::host() };
    let operands = input::arrays(&context, &arguments.array, expression.names())?;
    let operands: Vec<(&str, &AnyArray)> = operands.iter().map(|(name, array)| (name.as_str(), array)).collect();
    let outputs = expression.apply(&context, &operands)?;
    if arguments.explain {
        return print(&AnyArray::explain_all(&outputs.iter().map(|(_, array)| array).collect::<Vec<_>>())?);
    }
    let sinks: Vec<Sink> = arguments.out.iter().map(|given| Sink::parse(given)).collect();
    let chosen = sinks.iter().map(|sink| sink.chosen(&outputs)).collect::<Result<Vec<_>, _>>()?;
    let printed = output::printed(&outputs);
    evaluate(&chosen, &printed)?;
    for (sink, chosen) in sinks.iter().zip(&chosen) {
        sink.write(chosen)?;
    }
    if arguments.json.is_asked() {
        let results = output::document(&printed)?;
        let text = if arguments.json.replaces_text() { String::new() } else { output::text(&printed)? };
        return arguments.json.give("eval", results, &text);
    }
    if sinks.is_empty() { print(&output::text(&printed)?) } else { Ok(()) }
}

/// The text with the numbers of `--let`.
fn parse(arguments: &Arguments) -> Result<Expression, Failure> {
    let mut text = String::new();
    if arguments.text == "-" {
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure(format!("standard input cannot be read: {error}")))?;
    } else {
        text.push_str(&arguments.text);
    }
    let mut expression = Expression::parse(&text)?;
    for given in &arguments.numbers {
        let (name, value) = given.split_once('=').ok_or_else(|| Failure(format!("--let {given} is no NAME=NUMBER")))?;
        expression = expression.with_number(name, value).map_err(|error| Failure(format!("--let {given}: {error}")))?;
    }
    Ok(expression)
}

/// Evaluates the results that are written, or those that are printed, in one pass.
fn evaluate(chosen: &[Vec<(String, &AnyArray)>], printed: &[&Output]) -> Result<(), Failure> {
    let mut needed: Vec<&AnyArray> = chosen.iter().flatten().map(|(_, array)| *array).collect();
    if chosen.is_empty() {
        needed.extend(printed.iter().map(|(_, array)| array));
    }
    needed.sort_by_key(|array| std::ptr::from_ref(*array));
    needed.dedup_by_key(|array| std::ptr::from_ref(*array));
    Ok(AnyArray::evaluate_all(&needed)?)
}
