//! What `solve` says: aligned text for a person, or JSON.

use std::fmt::Write;
use std::path::PathBuf;

use affinimath::host::solve::{MatrixFacts, Method, SolvePlan};
use affinimath::sparse::matrix_market::Header;
use serde_json::json;

/// One step of the work.
#[derive(serde::Serialize)]
pub struct Step {
    pub name: &'static str,
    /// The host, or the device's name.
    pub place: String,
    pub seconds: f64,
}

/// Everything that is reported.
pub struct Report {
    pub matrix: PathBuf,
    pub right_side: Option<PathBuf>,
    pub right_sides: usize,
    pub header: Header,
    pub facts: MatrixFacts,
    pub plan: SolvePlan,
    pub method: Method,
    pub fell_back: Option<String>,
    /// What was tried before, and how it ended.
    pub tried: Vec<String>,
    pub steps: Vec<Step>,
    pub residual: f64,
    pub optimality: Option<f64>,
    pub condition: f64,
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

/// What a condition says of the solution's digits: the relative error may be the condition times the rounding error.
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

/// What a matrix without full rank makes of the solution.
pub fn without_full_rank(rank: usize, full: usize) -> String {
    let which = "the solution is the least-squares one of least norm, one of many";
    format!("the matrix does not have full rank: {rank} of {full}; {which}")
}

impl Report {
    /// Aligned lines.
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        lines.add("matrix", &format!("{}: {}", self.matrix.display(), self.kind()));
        lines.add("", &format!("{}, 1-norm {:.3e}", self.fill(), self.facts.one_norm));
        lines.add("right side", &self.right_side_text());
        for (i, attempt) in self.tried.iter().enumerate() {
            lines.add(if i == 0 { "tried" } else { "" }, attempt);
        }
        lines.add("method", &format!("{}: {}", self.plan.method.name(), self.plan.reason));
        if let Some(reason) = &self.fell_back {
            lines.add("", &format!("then {}: {reason}", self.method.name()));
        }
        step_lines(&mut lines, &self.steps);
        lines.add("residual", &format!("{:.1e}  ||b - A x|| / (||A|| ||x|| + ||b||)", self.residual));
        if let Some(optimality) = self.optimality {
            lines.add("optimality", &format!("{optimality:.1e}  ||A^H r|| / (||A|| (||A|| ||x|| + ||b||))"));
        }
        match self.rank {
            Some(rank) => lines.add("rank", &format!("{rank} of {}", self.facts.rows.min(self.facts.columns))),
            None => lines.add("condition", &format!("{:.1e}  estimated, 1-norm", self.condition)),
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
        let report = json!({
            "matrix": {
                "file": self.matrix,
                "format": self.header.format,
                "field": self.header.field,
                "symmetry": self.header.symmetry,
                "density": self.facts.density(),
                "facts": self.facts,
            },
            "right_side": { "file": self.right_side, "columns": self.right_sides },
            "method": self.method,
            "planned": self.plan.method,
            "reason": self.plan.reason,
            "fell_back": self.fell_back,
            "tried": self.tried,
            "steps": self.steps,
            "residual": self.residual,
            "optimality": self.optimality,
            "condition": self.condition,
            "deficient_rank": self.rank,
            "forward_error": self.forward_error,
            "warnings": self.warnings,
            "output": self.output,
        });
        format!("{report:#}\n")
    }

    fn kind(&self) -> String {
        let facts = &self.facts;
        let symmetry = match facts {
            _ if facts.rows != facts.columns => "rectangular",
            _ if facts.symmetric => "symmetric",
            _ if facts.hermitian => "Hermitian",
            _ if facts.skew_symmetric => "skew-symmetric",
            _ => "unsymmetric",
        };
        let header = &self.header;
        let listed = format!("{} {} {}", header.format.word(), header.field.word(), header.symmetry.word());
        format!("{} x {}, {symmetry} (file: {listed})", facts.rows, facts.columns)
    }

    fn fill(&self) -> String {
        format!("{} nonzeros, {:.3} %", self.facts.nonzeros, 100.0 * self.facts.density())
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
            if self.facts.complex { format!("{re:.6}{im:+.6}i") } else { format!("{re:.6}") }
        };
        let first: Vec<String> = self.first_elements.iter().map(element).collect();
        let more = if self.facts.columns > first.len() { " ..." } else { "" };
        format!("{}{more}  (-o FILE writes it)", first.join(" "))
    }
}

/// The steps with their times, a line each.
pub fn step_lines(lines: &mut Lines, steps: &[Step]) {
    for (i, step) in steps.iter().enumerate() {
        let label = if i == 0 { "steps" } else { "" };
        lines.add(label, &format!("{:<10} {:>11}  {}", step.name, duration(step.seconds), step.place));
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
