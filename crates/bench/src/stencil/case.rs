//! Stencils by name, and the cases of a run.

use std::collections::BTreeSet;
use std::path::Path;

use affinimath::ScalarKind;
use affinimath::stencil::analysis::Analysis;
use affinimath::stencil::{Bound, Stencil, Type};

use crate::error::BenchError;
use crate::report::CaseReport;

/// A stencil of the gallery.
struct Named {
    name: &'static str,
    text: &'static str,
    /// Parameters with which values neither vanish nor grow.
    parameters: &'static [(&'static str, f64)],
    /// Measured without `--cases`.
    is_default: bool,
}

/// The Laplacian of two dimensions, which the literature on temporal blocking measures.
const FIVE_POINT: &str = "
    stencil five_point {
      domainsize = (1 .. nx, 1 .. ny);
      operation (float grid u, float param a, float param b) {
        u[x,y; t+1] = a * u[x,y; t] + b * (u[x-1,y; t] + u[x+1,y; t] + u[x,y-1; t] + u[x,y+1; t]);
      }
    }";

macro_rules! named {
    ($name:literal, $is_default:expr $(, $parameter:literal = $value:literal)*) => {
        Named {
            name: $name,
            text: include_str!(concat!("../../../../examples/stencils/", $name, ".stc")),
            parameters: &[$(($parameter, $value)),*],
            is_default: $is_default,
        }
    };
}

const NAMED: [Named; 20] = [
    named!("laplacian", true, "alpha" = 0.4, "beta" = 0.1),
    named!("wave", true, "c2dt_h2" = 0.05),
    named!("upstream", true, "a" = 0.025),
    named!("wave25", true),
    named!("box27", true),
    named!("lap6", false),
    named!("hyperthermia", true),
    named!("himeno", false),
    named!("gradient", true),
    named!("divergence", true),
    named!("uxx1", true),
    named!("xy1", true),
    named!("xyz1", false),
    named!("xyzq", false),
    named!("tricubic", true),
    named!("tricubic2", false),
    Named { name: "five-point", text: FIVE_POINT, parameters: &[("a", 0.4), ("b", 0.15)], is_default: true },
    named!("blur", true, "sigma" = 1.0),
    named!("edge", true),
    named!("game_of_life", false),
];

/// The names of all cases, for `--help`.
pub fn help() -> String {
    let names = |is_default: bool| {
        let names = NAMED.iter().filter(|named| named.is_default == is_default).map(|named| named.name);
        names.collect::<Vec<_>>().join(", ")
    };
    format!("Cases: {}.\nNot among those that run by default: {}.\n", names(true), names(false))
}

/// A stencil, and the points of its domain on each axis.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub stencil: Stencil,
    pub kind: ScalarKind,
    /// Points on each axis.
    pub size: usize,
    /// Steps of one call.
    pub steps: u64,
    /// The stencil's sizes.
    pub sizes: Vec<(String, i64)>,
    /// Values of parameters by name.
    pub parameters: Vec<(String, f64)>,
    /// The way of steps that was asked for.
    pub strategy: Option<String>,
    /// Operations, and bytes that a step moves at least, for one point.
    pub flops: u64,
    pub bytes: usize,
    points: f64,
}

/// A stencil as `--cases` names it: one of the list, or a text in a file.
#[derive(Clone, Debug)]
pub struct Subject {
    name: String,
    text: String,
    parameters: Vec<(String, f64)>,
}

impl Subject {
    /// Those that are measured by default.
    pub fn default_ones() -> Vec<Subject> {
        NAMED.iter().filter(|named| named.is_default).map(Subject::of).collect()
    }

    fn of(named: &Named) -> Subject {
        let parameters = named.parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Subject { name: named.name.to_owned(), text: named.text.to_owned(), parameters }
    }

    /// The stencil of a name or a file.
    ///
    /// # Errors
    /// Neither is there.
    pub fn named(name: &str) -> Result<Subject, BenchError> {
        if let Some(named) = NAMED.iter().find(|named| named.name == name) {
            return Ok(Subject::of(named));
        }
        let path = Path::new(name);
        if path.extension().is_none() && !name.contains('/') {
            let names = NAMED.iter().map(|named| named.name).collect::<Vec<_>>().join(", ");
            return Err(BenchError::Options(format!("there is no case {name}: give {names}, or a stencil's file")));
        }
        let unreadable = |error| BenchError::Options(format!("cannot read {name}: {error}"));
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let stem = path.file_stem().map_or(name.into(), |stem| stem.to_string_lossy().into_owned());
        Ok(Subject { name: stem, text, parameters: Vec::new() })
    }

    /// The stencil in single or double precision.
    ///
    /// # Errors
    /// The text is none of a stencil, or one that may end before its last step.
    pub fn stencil(&self, kind: ScalarKind) -> Result<Stencil, BenchError> {
        let real = if kind.is_double() { Type::F64 } else { Type::F32 };
        let stencil = Stencil::parse_as(&self.text, real)
            .map_err(|error| BenchError::Options(format!("{}: {error}", self.name)))?;
        if stencil.stop().is_some() {
            let problem = format!("{}: a stencil with a stop criterion has no fixed number of steps", self.name);
            return Err(BenchError::Options(problem));
        }
        Ok(stencil)
    }

    /// The case of so many points on each axis. Lower ends of the domain that are sizes become 1.
    ///
    /// # Errors
    /// Those of [`Self::stencil`], and sizes that do not fit the stencil.
    pub fn case(
        &self,
        kind: ScalarKind,
        size: usize,
        steps: u64,
        given: &[(String, f64)],
        strategy: Option<&String>,
    ) -> Result<Case, BenchError> {
        let stencil = self.stencil(kind)?;
        let mut lower = BTreeSet::new();
        stencil.domain().iter().for_each(|range| range.lower.for_each_symbol(&mut |name| _ = lower.insert(name)));
        let value = |name: &str| if lower.contains(name) { 1 } else { size as i64 };
        let sizes: Vec<_> = stencil.symbols().into_iter().map(|name| (name.to_owned(), value(name))).collect();
        let numbers: Vec<_> = sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let unfit = |error| BenchError::Options(format!("{} at {size}: {error}", self.name));
        let bound = Bound::new(&stencil, &numbers).map_err(unfit)?;
        let facts = Analysis::new(&stencil);
        let parameters = given.iter().chain(&self.parameters).cloned().collect();
        let points = bound.points() as f64;
        let (name, strategy) = (self.name.clone(), strategy.cloned());
        let (flops, bytes) = (facts.flops, facts.bytes);
        Ok(Case { name, stencil, kind, size, steps, sizes, parameters, strategy, flops, bytes, points })
    }
}

impl Case {
    /// The case without results.
    pub fn report(&self) -> CaseReport {
        let steps = if self.steps == 1 { String::new() } else { format!("{} steps", self.steps) };
        let strategy = self.strategy.as_deref().unwrap_or("");
        CaseReport {
            kind: self.kind,
            routine: self.name.clone(),
            variant: format!("{steps} {strategy}").trim().to_owned(),
            sizes: vec![("n".into(), self.size)],
            batch: None,
            size: self.size as f64,
            work: self.points * self.steps as f64,
            traffic: Some(self.traffic()),
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Bytes that a call moves at least, if every step reads and writes memory.
    pub fn traffic(&self) -> f64 {
        self.points * self.steps as f64 * self.bytes as f64
    }

    /// Points on each axis, x last.
    ///
    /// # Errors
    /// None where the case was made.
    pub fn shape(&self) -> Result<Vec<usize>, BenchError> {
        Ok(self.bound()?.lengths().iter().rev().copied().collect())
    }

    /// The stencil with its sizes.
    ///
    /// # Errors
    /// None where the case was made.
    pub fn bound(&self) -> Result<Bound, BenchError> {
        let numbers: Vec<_> = self.sizes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        Ok(Bound::new(&self.stencil, &numbers).map_err(affinimath::Error::from)?)
    }

    /// True if the stencil has a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.stencil.parameters().iter().any(|parameter| parameter.name == name && parameter.values.is_none())
    }

    /// Bytes of all grids.
    ///
    /// # Errors
    /// A grid without memory.
    pub fn memory(&self) -> Result<u64, BenchError> {
        let bound = self.bound()?;
        let mut bytes = 0;
        for (grid, declared) in self.stencil.grids().iter().enumerate() {
            let layout = bound.layout(grid).map_err(affinimath::Error::from)?;
            let points: usize = layout.lengths.iter().product();
            let arrays = declared.component_count() * bound.levels(grid);
            bytes += points.saturating_mul(arrays * declared.kind.bytes()) as u64;
        }
        Ok(bytes)
    }
}
