//! Three case studies of generated and tuned kernels, those of the BOAST framework (Videau and others 2017): a Laplace
//! filter of bytes, wavelet filters in three dimensions, and spectral elements.
//!
//! ```sh
//! cargo run --example boast -- laplace --size 768x432 --budget 100
//! cargo run --example boast -- filters --n 64 --machine c
//! cargo run --example boast -- elastic --elements 8 --machine opencl
//! ```
//!
//! The book's page about case studies has the options and results.

mod elastic;
mod filters;
mod laplace;
mod machine;
mod study;

use study::Options;

const USAGE: &str = "\
boast laplace [--size WxH]...  Laplace filter of images of bytes
boast filters [--n N]          wavelet filters of N x N x N values
boast elastic [--elements N]   spectral elements, N along each axis
  --machine NAME   opencl (the first device), a part of a device's name, c, c-vectors, fortran or interpreter
  --budget N|Ss    measurements, or seconds, of each search
  --first-budget   the same for the first size
  --strategy NAME  of the search
  --runs FILE      keeps the runs of a search
  --filter NAME    filters: magic_filter, analysis or synthesis; all without
  --cuda DIR       elastic: writes the kernel as CUDA with its arguments, for elastic.cu
  --wrong          elastic: once, with a wrong constant, to be found by `affinimath replay --diff`
  --once           elastic: once, without a search
  --json FILE      results as data";

fn main() -> machine::Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let options = Options::parse(arguments)?;
    let results = match name.as_str() {
        "laplace" => study::laplace::run(&options)?,
        "filters" => study::filters::run(&options)?,
        "elastic" => study::elastic::run(&options)?,
        _ => {
            println!("{USAGE}");
            return Ok(());
        }
    };
    if let Some(file) = &options.json {
        std::fs::write(file, format!("{results:#}\n"))?;
    }
    Ok(())
}
