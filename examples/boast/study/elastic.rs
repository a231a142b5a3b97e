//! Spectral elements: OpenCL tuned, and the same kernel as CUDA with its arguments in files.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::{Options, report, worst};
use crate::elastic::{FACTORS, Mesh, PADDED, Point, ROUNDINGS, kernel, reference, space, table};
use crate::machine::{Bench, Data, Given, Machine, Outcome, Step};

/// Part of the shear modulus in the modulus of compressional waves.
pub const FOUR_THIRDS: f32 = 4.0 / 3.0;
/// Wrong value of `--wrong`.
pub const WRONG: f32 = 1.3;

/// Memory of the forces.
const FORCES: usize = 5;

/// A mesh on a machine.
pub struct Forces {
    pub bench: Bench,
    pub mesh: Mesh,
    exact: Vec<f64>,
    sums: Vec<f64>,
}

impl Forces {
    pub fn new(machine: &Machine, mesh: Mesh) -> Outcome<Self> {
        let displacement = mesh.displacement();
        let exact = reference(&mesh, &displacement, false);
        let sums = reference(&mesh, &displacement, true);
        let data = vec![
            Data::I32(mesh.order.clone()),
            Data::I32(mesh.numbers.clone()),
            Data::F32(mesh.factors.clone()),
            Data::F32(table()),
            Data::F32(displacement),
            Data::F32(vec![0.0; 3 * mesh.points]),
        ];
        Ok(Forces { bench: Bench::new(machine, data)?, mesh, exact, sums })
    }

    /// A launch for each colour.
    pub fn steps(&self, point: &Point, four_thirds: f32) -> Outcome<Vec<Step>> {
        let built = self.bench.build(&kernel(point, four_thirds)?)?;
        let mut first = 0;
        let mut steps = Vec::new();
        for count in &self.mesh.colours {
            let numbers = [first, *count].map(|number| Given::I32(number as i32));
            let given = numbers.into_iter().chain((0..=FORCES).map(Given::Memory)).collect();
            let groups = [count.div_ceil(point.elements), 1, 1];
            steps.push(Step { built: built.clone(), groups, items: point.items(), given });
            first += count;
        }
        Ok(steps)
    }

    /// Forces of steps, from zeros on.
    pub fn run(&mut self, steps: &[Step]) -> Outcome<Vec<f32>> {
        self.bench.write(FORCES, Data::F32(vec![0.0; 3 * self.mesh.points]))?;
        self.bench.run(steps)?;
        let Data::F32(found) = self.bench.read(FORCES)? else { return Err("forces are single".into()) };
        Ok(found.clone())
    }

    /// Largest error, relative to the bounds.
    pub fn error(&self, found: &[f32]) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        worst(found, &self.exact, &self.sums, ROUNDINGS, unit)
    }

    fn measure(&mut self, point: &Point) -> Outcome<Result<f64, String>> {
        let steps = self.steps(point, FOUR_THIRDS)?;
        let found = self.run(&steps)?;
        let error = self.error(&found);
        if error > 1.0 {
            return Ok(Err(format!("an error of {error} times its bound")));
        }
        Ok(Ok(self.bench.time(&steps)?))
    }

    /// Bytes that a run moves at least: factors, numbers and displacements once, forces twice.
    fn bytes(&self) -> usize {
        4 * (self.mesh.elements * PADDED * (FACTORS + 1) + 9 * self.mesh.points)
    }
}

/// Tunes the kernel, or runs it once.
pub fn run(options: &Options) -> Outcome<Value> {
    let machine = options.machine()?;
    let mut study = Forces::new(&machine, Mesh::new([options.elements; 3]))?;
    let Mesh { elements, points, colours, .. } = &study.mesh;
    println!("{elements} elements, {points} points, {} colours, on {machine}", colours.len());
    let first = Point { elements: 1, registers: 0 };
    if options.wrong || options.once {
        let steps = study.steps(&first, if options.wrong { WRONG } else { FOUR_THIRDS })?;
        let found = study.run(&steps)?;
        println!("the largest error is {:.3} of its bound", study.error(&found));
        return Ok(Value::Null);
    }
    let space = space(machine.is_gpu())?;
    let found =
        options.search(&space, Vec::new(), "elastic", |point| study.measure(&Point::of(point).ok_or("no point")?))?;
    let (point, tuned) = found.best.clone().ok_or_else(|| format!("no point works: {:?}", found.runs.first()))?;
    let rate = study.bytes() as f64 / tuned;
    println!("{:.3} ms, {:.0} GB/s: {point}", tuned * 1e3, rate / 1e9);
    if let Some(folder) = &options.cuda {
        export(&mut study, folder)?;
    }
    Ok(json!({
        "study": "elastic", "machine": machine.to_string(), "elements": study.mesh.elements, "bytes": study.bytes(),
        "seconds": tuned, "point": point.to_string(), "search": report(&space, &found),
    }))
}

/// The kernel as CUDA for each number of elements in a group, its arguments, and the forces of this machine.
fn export(study: &mut Forces, folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    for elements in [1, 2, 4] {
        let kernel = kernel(&Point { elements, registers: 0 }, FOUR_THIRDS)?;
        std::fs::write(folder.join(format!("elastic_forces_{elements}.cu")), kernel.cuda())?;
        std::fs::write(folder.join(format!("elastic_forces_{elements}.cl")), kernel.opencl())?;
    }
    let steps = study.steps(&Point { elements: 1, registers: 0 }, FOUR_THIRDS)?;
    let forces = study.run(&steps)?;
    std::fs::write(folder.join("forces.bin"), Data::F32(forces).bytes())?;
    let mut sizes = format!("{} {} {}", study.mesh.elements, study.mesh.points, study.mesh.colours.len());
    for count in &study.mesh.colours {
        write!(sizes, " {count}")?;
    }
    std::fs::write(folder.join("sizes.txt"), sizes)?;
    for (index, name) in ["order", "numbers", "factors", "rule", "displacement"].into_iter().enumerate() {
        std::fs::write(folder.join(format!("{name}.bin")), study.bench.read(index)?.bytes())?;
    }
    Ok(())
}
