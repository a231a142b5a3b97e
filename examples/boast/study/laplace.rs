//! The Laplace filter: naive and tuned, for each size.

use serde_json::{Value, json};

use super::{Options, report};
use crate::laplace::{Image, PIXEL, Point, fits, laplace, naive, space};
use crate::machine::{Bench, Data, Given, Outcome, Step};

/// Bytes that no launch has written.
const UNTOUCHED: u8 = 0x5a;

/// One image on a machine.
pub struct Laplace {
    bench: Bench,
    image: Image,
    expected: Vec<u8>,
    items: [usize; 3],
}

impl Laplace {
    pub fn new(options: &Options, image: Image) -> Outcome<Self> {
        if image.width < 3 || image.height < 3 || !fits(image) {
            return Err("an image has 3 x 3 pixels at least, and an index of 32 bits for each component".into());
        }
        let picture = image.picture();
        let expected = image.filtered(&picture);
        let machine = options.machine()?;
        let items = if machine.is_gpu() { [32, 4, 1] } else { [16, 1, 1] };
        let data = vec![Data::U8(picture), Data::U8(vec![UNTOUCHED; image.components()])];
        Ok(Laplace { bench: Bench::new(&machine, data)?, image, expected, items })
    }

    fn given(&self) -> Vec<Given> {
        vec![
            Given::I32(self.image.row() as i32),
            Given::I32(self.image.height as i32),
            Given::Memory(0),
            Given::Memory(1),
        ]
    }

    /// The launch of a point.
    pub fn point(&self, point: &Point) -> Outcome<Step> {
        let built = self.bench.build(&laplace(point, self.image.row().is_multiple_of(point.vector))?)?;
        Ok(Step { built, groups: point.groups(self.image, self.items), items: self.items, given: self.given() })
    }

    fn naive(&self) -> Outcome<Step> {
        let built = self.bench.build(&naive()?)?;
        let groups = [self.image.width.div_ceil(self.items[0]), self.image.height.div_ceil(self.items[1]), 1];
        Ok(Step { built, groups, items: self.items, given: self.given() })
    }

    /// Runs a step, and names the first component that is not the reference's.
    pub fn check(&mut self, step: &Step) -> Outcome<Result<(), String>> {
        self.bench.write(1, Data::U8(vec![UNTOUCHED; self.image.components()]))?;
        self.bench.run(std::slice::from_ref(step))?;
        let Data::U8(found) = self.bench.read(1)? else { return Err("bytes are bytes".into()) };
        let wrong = found.iter().zip(&self.expected).position(|(found, expected)| found != expected);
        Ok(wrong.map_or(Ok(()), |i| {
            let (row, rest) = (i / self.image.row(), i % self.image.row());
            Err(format!("row {row}, pixel {}: {} instead of {}", rest / PIXEL, found[i], self.expected[i]))
        }))
    }

    /// Seconds of a checked step.
    fn measure(&mut self, step: &Step) -> Outcome<Result<f64, String>> {
        match self.check(step)? {
            Ok(()) => Ok(Ok(self.bench.time(std::slice::from_ref(step))?)),
            Err(reason) => Ok(Err(reason)),
        }
    }
}

/// Tunes the filter for each size.
pub fn run(options: &Options) -> Outcome<Value> {
    let space = space()?;
    let mut results = Vec::new();
    let mut starts = Vec::new();
    let machine = options.machine()?.to_string();
    println!("{} points, on {machine}", space.len());
    for image in &options.sizes {
        let mut study = Laplace::new(options, *image)?;
        let step = study.naive()?;
        let naive = study.measure(&step)??;
        let copy = study.bench.copy_time(0, 1)?;
        let name = format!("{}x{}", image.width, image.height);
        let found = options.search(&space, starts.clone(), &format!("laplace-{name}"), |point| {
            let step = study.point(&Point::of(point).ok_or("no point")?)?;
            study.measure(&step)
        })?;
        let (point, tuned) = found.best.clone().ok_or("no point works")?;
        println!(
            "{name}: naive {:.1} us, tuned {:.1} us, {:.1} times; copy {:.1} us, {:.2} of it: {point}",
            naive * 1e6,
            tuned * 1e6,
            naive / tuned,
            copy * 1e6,
            copy / tuned
        );
        starts.insert(0, point.clone());
        results.push(json!({
            "image": name, "naive": naive, "copy": copy, "tuned": tuned, "point": point.to_string(),
            "search": report(&space, &found),
        }));
    }
    Ok(json!({ "study": "laplace", "machine": machine, "results": results }))
}
