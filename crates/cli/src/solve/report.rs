//! The report of `solve`: aligned text for a person, or JSON.

use std::fmt::Write;
use std::path::PathBuf;

use affinimath::sparse::matrix_market::Header;
use affinimath_cpu::solve::MatrixProperties;
use serde_json::json;

use super::iterative::Attempt;

/// One step of the work.
#[derive(serde::Serialize)]
pub struct Step {
    pub name: &'static str,
    /// The host, or the device's name.
    pub backend: String,
    pub seconds: f64,
}

/// Version of the JSON document.
const SCHEMA: &str = "affinimath/solve/1";

/// The method that gave the solution.
pub struct Solver {
    /// Its name in JSON.
    pub id: serde_json::Value,
    /// Its name in text.
    pub name: String,
    /// Why this one.
    pub reason: String,
}

/// Sparse factors.
#[derive(serde::Serialize)]
pub struct SparseFill {
    pub ordering: &'static str,
    pub entries: usize,
    /// `entries` is an upper bound.
    pub bound: bool,
}

/// Everything that is reported, the same for every method.
pub struct Report {
    pub matrix: PathBuf,
    pub right_side: Option<PathBuf>,
    pub right_sides: usize,
    pub header: Header,
    pub properties: MatrixProperties,
    pub solver: Solver,
    /// The factorisation planned first, where it was another.
    pub planned: Option<serde_json::Value>,
    pub fell_back: Option<String>,
    /// Iterations, the last of them those that gave the solution where `iterated`.
    pub attempts: Vec<Attempt>,
    pub iterated: bool,
    /// Factorisations that gave no solution.
    pub failed: Vec<String>,
    pub fill: Option<SparseFill>,
    pub steps: Vec<Step>,
    pub residual: f64,
    pub optimality: Option<f64>,
    /// The estimate, or why there is none.
    pub condition: Result<f64, String>,
    /// The matrix's rank where it was found not to be full.
    pub rank: Option<usize>,
    pub forward_error: Option<f64>,
    /// Of the first column, as real and imaginary parts.
    pub first_elements: Vec<(f64, f64)>,
    pub warnings: Vec<String>,
    pub output: Option<PathBuf>,
}

/// Digits below which a solution deserves a warning.
const FEW_DIGITS: f64 = 4.0;

/// Warnings for a condition number: the relative error may be the condition times the rounding error.
pub fn warnings(condition: f64, epsilon: f64) -> Vec<String> {
    let digits = -(condition * epsilon).log10();
    if digits <= 0.0 {
        let text = "the matrix is singular to working precision: the solution may have no correct digit";
        vec![format!("{text} (condition {condition:.1e})")]
    } else if digits < FEW_DIGITS {
        vec![format!(
            "the matrix is ill conditioned: expect about {digits:.0} correct digits (condition {condition:.1e})"
        )]
    } else {
        Vec::new()
    }
}

/// The warning for a rank-deficient matrix.
pub fn without_full_rank(rank: usize, full: usize) -> String {
    let which = "the solution is the least-squares one of least norm, one of many";
    format!("the matrix does not have full rank: {rank} of {full}; {which}")
}

impl Report {
    /// Aligned lines.
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        lines.add("matrix", &format!("{}: {}", self.matrix.display(), self.kind()));
        lines.add("", &format!("{}, 1-norm {:.3e}", self.density_text(), self.properties.one_norm));
        lines.add("rhs", &self.right_side_text());
        for (i, attempt) in self.tried().iter().enumerate() {
            lines.add(if i == 0 { "tried" } else { "" }, attempt);
        }
        lines.add("method", &format!("{}: {}", self.solver.name, self.solver.reason));
        if let Some(reason) = &self.fell_back {
            lines.add("", reason);
        }
        if let Some(fill) = &self.fill {
            let most = if fill.bound { "at most " } else { "" };
            lines.add("factors", &format!("{most}{} entries, ordering {}", fill.entries, fill.ordering));
        }
        step_lines(&mut lines, &self.steps);
        lines.add("residual", &format!("{:.1e}  ||b - A x|| / (||A|| ||x|| + ||b||)", self.residual));
        if let Some(optimality) = self.optimality {
            lines.add("optimality", &format!("{optimality:.1e}  ||A^H r|| / (||A|| (||A|| ||x|| + ||b||))"));
        }
        match self.rank {
            Some(rank) => {
                lines.add("rank", &format!("{rank} of {}", self.properties.rows.min(self.properties.columns)))
            }
            None => match &self.condition {
                Ok(condition) => lines.add("condition", &format!("{condition:.1e}  estimated, 1-norm")),
                Err(reason) => lines.add("condition", &format!("not estimated: {reason}")),
            },
        }
        if let Some(error) = self.forward_error {
            lines.add("error", &format!("{error:.1e}  max |x - 1|, since b is A times ones"));
        }
        lines.add("solution", &self.solution_text());
        for warning in &self.warnings {
            lines.add("warning", warning);
        }
        lines.text()
    }

    /// The same as JSON. What is infinite is null.
    pub fn json(&self) -> String {
        let last = self.attempts.last().filter(|_| self.iterated).map(Attempt::json);
        let of_last = |key: &str| last.as_ref().map(|last| &last[key]);
        let report = json!({
            "schema": SCHEMA,
            "matrix": {
                "file": self.matrix,
                "format": self.header.format,
                "field": self.header.field,
                "symmetry": self.header.symmetry,
                "entries": self.properties.nonzeros,
                "density": self.properties.density(),
                "facts": self.properties,
            },
            "right_side": { "file": self.right_side, "columns": self.right_sides },
            "method": self.solver.id,
            "planned": self.planned,
            "reason": self.solver.reason,
            "fell_back": self.fell_back,
            "tried": self.tried(),
            "attempts": self.attempts.iter().map(Attempt::json).collect::<Vec<_>>(),
            "preconditioner": of_last("preconditioner"),
            "iterations": of_last("iterations"),
            "relative_residual": of_last("relative_residual"),
            "factors": self.fill,
            "steps": self.steps,
            "residual": self.residual,
            "optimality": self.optimality,
            "condition": self.condition.as_ref().ok(),
            "no_condition": self.condition.as_ref().err(),
            "deficient_rank": self.rank,
            "forward_error": self.forward_error,
            "warnings": self.warnings,
            "output": self.output,
        });
        format!("{report:#}\n")
    }

    /// The attempts before the last one, and their ends.
    fn tried(&self) -> Vec<String> {
        let before = self.attempts.len() - usize::from(self.iterated);
        self.attempts[..before].iter().map(Attempt::text).chain(self.failed.iter().cloned()).collect()
    }

    fn kind(&self) -> String {
        let properties = &self.properties;
        let symmetry = match properties {
            _ if properties.rows != properties.columns => "rectangular",
            _ if properties.symmetric => "symmetric",
            _ if properties.hermitian => "Hermitian",
            _ if properties.skew_symmetric => "skew-symmetric",
            _ => "unsymmetric",
        };
        let header = &self.header;
        let listed = format!("{} {} {}", header.format.word(), header.field.word(), header.symmetry.word());
        format!("{} x {}, {symmetry} (file: {listed})", properties.rows, properties.columns)
    }

    fn density_text(&self) -> String {
        format!("{} nonzeros, {:.3} %", self.properties.nonzeros, 100.0 * self.properties.density())
    }

    fn right_side_text(&self) -> String {
        match &self.right_side {
            None => "A times ones".into(),
            Some(path) if self.right_sides == 1 => path.display().to_string(),
            Some(path) => format!("{}: {} columns", path.display(), self.right_sides),
        }
    }

    fn solution_text(&self) -> String {
        if let Some(path) = &self.output {
            return path.display().to_string();
        }
        let element = |(re, im): &(f64, f64)| {
            if self.properties.complex { format!("{re:.6}{im:+.6}i") } else { format!("{re:.6}") }
        };
        let first: Vec<String> = self.first_elements.iter().map(element).collect();
        let more = if self.properties.columns > first.len() { " ..." } else { "" };
        format!("{}{more}  (-o FILE writes it)", first.join(" "))
    }
}

/// The steps with their times, a line each.
pub fn step_lines(lines: &mut Lines, steps: &[Step]) {
    for (i, step) in steps.iter().enumerate() {
        let label = if i == 0 { "steps" } else { "" };
        lines.add(label, &format!("{:<10} {:>11}  {}", step.name, duration(step.seconds), step.backend));
    }
}

/// Lines with their labels in a column.
#[derive(Default)]
pub struct Lines(String);

impl Lines {
    /// All of them.
    pub fn text(self) -> String {
        self.0
    }

    /// One more.
    pub fn add(&mut self, label: &str, text: &str) {
        writeln!(self.0, "{label:<12}{text}").expect("a string takes all that is written to it");
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-3 => format!("{:.1} us", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_decides_the_warning() {
        assert!(warnings(1e3, f64::EPSILON).is_empty());
        assert!(warnings(1e13, f64::EPSILON)[0].contains("about 3 correct digits"));
        assert!(warnings(1e17, f64::EPSILON)[0].contains("no correct digit"));
        assert!(warnings(f64::INFINITY, f64::EPSILON)[0].contains("no correct digit"));
        assert!(warnings(0.0, f64::EPSILON).is_empty());
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(duration(1.5e-5), "15.0 us");
        assert_eq!(duration(0.25), "250.0 ms");
        assert_eq!(duration(2.0), "2.00 s");
    }
}
