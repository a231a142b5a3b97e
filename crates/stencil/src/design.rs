//! A stencil with sizes for a device that need not be here: its strategy, and the texts of its kernels.

use std::str::FromStr;

use affinimath_kernel::Kernel;

use crate::bound::Bound;
use crate::definition::Stencil;
use crate::error::{Error, Result};
use crate::facts::DeviceProfile;
use crate::lower::{Abilities, Pass, Variant, lower, passes, streams, streams_locally};
use crate::schedule::Tree;
use crate::strategy::Strategy;
use crate::tuning::fits;

/// A language of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// OpenCL C 1.2.
    OpenCl,
    /// CUDA C++.
    Cuda,
    /// C99 with OpenMP.
    C99,
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "opencl" => Ok(Language::OpenCl),
            "cuda" => Ok(Language::Cuda),
            "c99" => Ok(Language::C99),
            _ => Err(Error::new(format!("the language '{name}' is none of opencl, cuda and c99"))),
        }
    }
}

impl Language {
    /// The text of a kernel.
    ///
    /// # Errors
    /// C99 cannot hold the kernel.
    pub(crate) fn text(self, kernel: &Kernel) -> Result<String> {
        match self {
            Language::OpenCl => Ok(kernel.opencl()),
            Language::Cuda => Ok(kernel.cuda()),
            Language::C99 => kernel.c99().map_err(|error| Error::new(error.to_string())),
        }
    }
}

/// A stencil with sizes for a device that is known by its facts. It runs nothing.
///
/// ```
/// use affinimath_stencil::{Design, DeviceProfile, Language, Stencil};
///
/// let shift = Stencil::parse(
///     "stencil shift { domainsize = (1 .. n, 1 .. n); operation (float grid u) { u[x,y; t+1] = u[x-1,y; t]; } }",
/// )?;
/// let design = Design::new(&shift, DeviceProfile::default(), &[("n", 4096)])?;
/// assert!(design.source(Language::OpenCl)?.contains("__kernel"));
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Design {
    pub(crate) bound: Bound,
    facts: DeviceProfile,
    strategy: Strategy,
}

impl Design {
    /// Binds sizes to their values, for a device with these facts. The model chooses the strategy.
    ///
    /// # Errors
    /// Those of [`Bound::new`] and [`Bound::check_boundaries`].
    pub fn new(stencil: &Stencil, facts: DeviceProfile, sizes: &[(&str, i64)]) -> Result<Self> {
        let bound = Bound::new(stencil, sizes)?;
        bound.check_boundaries()?;
        let strategy = Strategy::of(&bound, facts.abilities());
        Ok(Design { bound, facts, strategy })
    }

    /// The stencil with its sizes.
    pub const fn bound(&self) -> &Bound {
        &self.bound
    }

    /// The device.
    pub const fn facts(&self) -> &DeviceProfile {
        &self.facts
    }

    /// The strategy.
    pub const fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Takes the strategy of a text; `auto` is the model's.
    ///
    /// # Errors
    /// The text is no strategy, or it does not fit the stencil, the sizes or the device: nothing changes.
    pub fn set_strategy_text(&mut self, text: &str) -> Result<()> {
        let device = self.facts.abilities();
        let strategy = match text {
            "auto" => Strategy::of(&self.bound, device),
            text => text.parse()?,
        };
        if !fits(&self.bound, device, &strategy) {
            return Err(unfit(&strategy, &self.bound));
        }
        self.strategy = strategy;
        Ok(())
    }

    /// The kernels of all passes as a text.
    ///
    /// # Errors
    /// The device lacks double precision, or C99 cannot hold a kernel.
    pub fn source(&self, language: Language) -> Result<String> {
        source(&self.bound, (self.facts.abilities(), None), &self.strategy, language)
    }
}

/// The error of a strategy that does not fit.
pub(crate) fn unfit(strategy: &Strategy, bound: &Bound) -> Error {
    let name = bound.stencil().name();
    Error::new(format!("the strategy '{strategy}' does not fit '{name}' of these sizes here"))
}

/// The kernels of all passes as a text, for a device and the loops of a strategy that is a text.
///
/// # Errors
/// The device lacks double precision, or C99 cannot hold a kernel.
pub(crate) fn source(
    bound: &Bound,
    device: (Abilities, Option<&Tree>),
    strategy: &Strategy,
    language: Language,
) -> Result<String> {
    let mut text = String::new();
    for pass in passes(bound).into_iter().chain(tiles(bound, device, strategy)) {
        let variant = Variant { is_wide: false, is_unit: true, alignment: 4 };
        let one = language.text(&lower(bound, pass, variant, device)?.kernel)?;
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&one);
    }
    Ok(text)
}

/// The passes of a strategy.
fn tiles(bound: &Bound, (device, schedule): (Abilities, Option<&Tree>), strategy: &Strategy) -> Vec<Pass> {
    match *strategy {
        Strategy::Naive | Strategy::Wavefront { .. } => Vec::new(),
        Strategy::Schedule(_) => loops(bound, schedule),
        Strategy::Overlap { steps, tile } => vec![Pass::Overlap { steps, tile }],
        Strategy::Stream(tile) => {
            let fit = (0..bound.stencil().stages().len()).filter(|&stage| streams(bound, device, stage, tile));
            fit.map(|stage| Pass::Stream { stage, tile, is_local: false }).collect()
        }
        Strategy::StreamLocal(tile) => {
            let stages = 0..bound.stencil().stages().len();
            let fit = stages.filter(|&stage| streams_locally(bound, device, stage, tile));
            fit.map(|stage| Pass::Stream { stage, tile, is_local: true }).collect()
        }
    }
}

/// The parallel loops of a strategy that is a text.
fn loops(bound: &Bound, schedule: Option<&Tree>) -> Vec<Pass> {
    let numbers = schedule.into_iter().flat_map(|tree| tree.outermost()).map(|own| own.number);
    let each = numbers.flat_map(|number| {
        let sweeps = passes(bound).into_iter().filter_map(|pass| match pass {
            Pass::Sweep { stage, colour, reduces: false } => Some((stage, colour)),
            _ => None,
        });
        sweeps.map(move |(stage, colour)| Pass::Loops { stage, colour, number }).collect::<Vec<_>>()
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(name: &str, facts: DeviceProfile, n: i64) -> Design {
        let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
        let stencil = Stencil::parse(&std::fs::read_to_string(path).expect("an example")).expect("a stencil");
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, n)).collect();
        Design::new(&stencil, facts, &sizes).expect("a design")
    }

    #[test]
    fn kernels_are_those_of_the_device() {
        let (gpu, cpu) =
            (DeviceProfile::default(), DeviceProfile { class: crate::Class::Cpu, ..DeviceProfile::default() });
        let kernels = |facts: DeviceProfile| {
            let design = design("laplacian", facts, 512);
            (design.strategy().steps(), design.source(Language::OpenCl).expect("kernels"))
        };
        let (steps, text) = kernels(gpu.clone());
        assert_eq!(steps, 3);
        assert!(text.contains("laplacian_3_steps") && text.contains("__local"), "{text}");
        // Its tiles need more local memory than this one has.
        let (steps, text) = kernels(DeviceProfile { local_memory_bytes: 4096, ..gpu.clone() });
        assert!(steps == 1 && !text.contains("_steps"), "{text}");
        let (steps, text) = kernels(cpu);
        assert!(steps == 1 && text.contains("float16"), "{text}");
        let single = DeviceProfile { fp64: false, ..gpu };
        let error = design("box27", single, 64).source(Language::OpenCl).expect_err("no double precision");
        assert!(error.reason.contains("no double precision"), "{error}");
    }

    #[test]
    fn strategies_fit_or_change_nothing() {
        let mut design = design("laplacian", DeviceProfile::default(), 64);
        for (text, reason) in [
            ("wavefront", "does not fit"),
            ("trapezoid", "none of naive"),
            ("overlap:steps=3,items=512x4", "512 x 4 work-items"),
        ] {
            let error = design.set_strategy_text(text).expect_err(text);
            assert!(error.reason.contains(reason), "{error}");
            assert_eq!(*design.strategy(), Strategy::Naive);
        }
        design.set_strategy_text("stream:items=32x8,points=1x1").expect("it fits");
        assert!(design.source(Language::Cuda).expect("kernels").contains("laplacian_stage_0_stream"));
        design.set_strategy_text("auto").expect("the model's");
        assert_eq!(*design.strategy(), Strategy::Naive);
    }
}
