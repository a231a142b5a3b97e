//! The ways of a stencil's steps over a device's work-items, or over the host's threads.

use std::fmt;
use std::str::FromStr;

use crate::analysis::all_taps;
use crate::bound::Bound;
use crate::definition::Tap;
use crate::error::{Error, Result};
use crate::lower::{Abilities, overlaps, streams};
use crate::schedule::Schedule;
use crate::tuning::fits;

/// The way of a plan's steps over the work-items of a device, or over the host's threads.
///
/// All strategies give the same bits. A plan uses the naive one for passes that a strategy does not fit.
///
/// ```
/// use affinimath_stencil::{Strategy, Tile};
///
/// let strategy: Strategy = "overlap:steps=3,items=64x8,points=1x4,planes=128,unroll=6,prefetch=2".parse()?;
/// let tile = Tile { items: [64, 8], points: [1, 4], planes: 128, unroll: 6, prefetch: 2 };
/// assert_eq!(strategy, Strategy::Overlap { steps: 3, tile });
/// # Ok::<(), affinimath_stencil::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A launch for each step: a work-item for each point, or for each row on a CPU device.
    Naive,
    /// A launch for each step: work-items walk along the last axis, with neighbours in registers.
    Stream(Tile),
    /// A launch for each step: groups walk along the last axis, with neighbours on it in registers and those on other
    /// axes in local memory. Stages that read no neighbours on other axes go by [`Strategy::Stream`].
    StreamLocal(Tile),
    /// A launch for several steps: groups walk along the last axis with one step behind the other, on tiles with rims
    /// that neighbouring groups compute as well.
    Overlap {
        /// Steps of a launch, 2 to 16.
        steps: usize,
        /// The tile, rims included.
        tile: Tile,
    },
    /// Several steps at once on the host: threads walk along the last axis with one step behind the other, on tiles
    /// that stay in the caches of a core. No point is computed twice.
    Wavefront {
        /// The most steps at once, 2 to 16.
        steps: usize,
        /// Points of a tile along the last axis but one.
        width: usize,
    },
    /// A launch for each step, or several: loops of a text in the Strategy language.
    Schedule(Schedule),
}

impl From<Schedule> for Strategy {
    fn from(schedule: Schedule) -> Self {
        Strategy::Schedule(schedule)
    }
}

/// The work of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Work-items along x and y. In two dimensions there is one along y.
    pub items: [usize; 2],
    /// Points of a work-item along x and y. In two dimensions there is one along y.
    pub points: [usize; 2],
    /// Planes of a group on the last axis; rows in two dimensions.
    pub planes: usize,
    /// Planes that a trip of the loop over planes has.
    pub unroll: usize,
    /// Planes that a launch for several steps loads ahead; 1 in launches for one step.
    pub prefetch: usize,
}

impl Tile {
    /// The tile for rows without alignment: lanes of vectors become neighbouring work-items. It has half the points, as
    /// a column of each point takes registers.
    pub(crate) const fn turned(self) -> Self {
        let (Tile { items: [x, y], points: [lanes, rows], .. }, mut turned) = (self, self);
        if y % lanes == 0 {
            (turned.items, turned.points) = ([x * lanes, y / lanes], [1, rows * lanes.div_ceil(2)]);
        } else {
            turned.points = [1, rows];
        }
        turned
    }
}

/// Points below which launches bind, and a work-item for each point is as good.
const FEW_POINTS: usize = 1 << 22;

impl Strategy {
    /// The strategy of an untuned device.
    pub(crate) fn of(bound: &Bound, device: Abilities) -> Self {
        if bound.points() < FEW_POINTS {
            return Strategy::Naive;
        }
        if let Some((steps, tile)) = Self::overlap_tile(bound, device)
            && overlaps(bound, device, steps, tile)
        {
            return Strategy::Overlap { steps, tile };
        }
        if let Some(tile) = Self::local_tile(bound, device)
            && fits(bound, device, &Strategy::StreamLocal(tile))
        {
            return Strategy::StreamLocal(tile);
        }
        match Self::stream_tile(bound, device) {
            Some(tile)
                if loads_bind(bound)
                    && (0..bound.stencil().stages().len()).any(|stage| streams(bound, device, stage, tile)) =>
            {
                Strategy::Stream(tile)
            }
            _ => Strategy::Naive,
        }
    }

    /// Strategies with tiles from which a search may begin, the one of an untuned device first.
    pub(crate) fn starts(bound: &Bound, device: Abilities) -> Vec<Self> {
        let mut all = vec![Self::of(bound, device)];
        all.extend(Self::stream_tile(bound, device).map(Strategy::Stream));
        all.extend(Self::tile_of_planes(bound, device).map(Strategy::StreamLocal));
        all.extend(Self::overlap_tile(bound, device).map(|(steps, tile)| Strategy::Overlap { steps, tile }));
        all.dedup();
        all.retain(|strategy| strategy.tile().is_some() && fits(bound, device, strategy));
        all
    }

    /// The tile of sweeps for single steps.
    pub(crate) fn stream_tile(bound: &Bound, device: Abilities) -> Option<Tile> {
        let wide = if widest(bound) == 8 { 2 } else { 4 };
        let tile = match bound.stencil().dimension() {
            2 => Tile { items: [128, 1], points: [wide, 1], planes: 64, unroll: 2, prefetch: 1 },
            3 => Tile { items: [32, 8], points: [wide, 1], planes: 64, unroll: 2, prefetch: 1 },
            _ => return None,
        };
        Some(filling(bound, 8 * device.units, tile))
    }

    /// The tile of sweeps with planes in local memory, for stencils that gain by it: stars of at most two points to
    /// each side, in single precision.
    pub(crate) fn local_tile(bound: &Bound, device: Abilities) -> Option<Tile> {
        let taps = all_taps(bound.stencil());
        let is_star = |tap: &Tap| tap.offsets.iter().filter(|&&offset| offset != 0).count() < 2;
        let reach = taps.iter().flat_map(|tap| tap.offsets).map(i32::abs).max();
        let gains = bound.stencil().dimension() == 3
            && widest(bound) == 4
            && loads_bind(bound)
            && reach.is_some_and(|reach| reach <= 2)
            && taps.iter().all(is_star);
        gains.then(|| Self::tile_of_planes(bound, device)).flatten()
    }

    /// A tile of sweeps with planes in local memory.
    fn tile_of_planes(bound: &Bound, device: Abilities) -> Option<Tile> {
        let wide = if widest(bound) == 8 { 2 } else { 4 };
        let tile = match bound.stencil().dimension() {
            2 => Tile { items: [128, 1], points: [wide, 1], planes: 64, unroll: 2, prefetch: 1 },
            3 => Tile { items: [16, 16], points: [wide, 1], planes: 32, unroll: 3, prefetch: 1 },
            _ => return None,
        };
        Some(filling(bound, 8 * device.units, tile))
    }

    /// Steps and the tile of a launch, for stencils that gain by it: one component of radius 1 that reads one level of
    /// itself and nothing else, with neighbours along the axes in three dimensions.
    fn overlap_tile(bound: &Bound, device: Abilities) -> Option<(usize, Tile)> {
        let (stencil, facts) = (bound.stencil(), bound.facts());
        let grid = *stencil.assigned_in(0).first()?;
        let reach = facts.grids[grid].radius.iter().flatten().max();
        let is_small =
            (facts.elements_read, facts.elements_written, facts.grids[grid].levels) == (1, 1, 2) && reach == Some(&1);
        let is_star = all_taps(stencil).iter().all(|tap| tap.offsets.iter().filter(|&&offset| offset != 0).count() < 2);
        let (steps, tile) = match (stencil.dimension(), widest(bound)) {
            (2, 8) => (4, Tile { items: [128, 1], points: [2, 1], planes: 512, unroll: 2, prefetch: 2 }),
            (2, _) => (6, Tile { items: [128, 1], points: [4, 1], planes: 512, unroll: 2, prefetch: 2 }),
            (3, 8) => (2, Tile { items: [32, 8], points: [1, 4], planes: 128, unroll: 2, prefetch: 2 }),
            (3, _) => (3, Tile { items: [64, 8], points: [1, 4], planes: 128, unroll: 2, prefetch: 4 }),
            _ => return None,
        };
        (is_small && (is_star || stencil.dimension() == 2)).then(|| (steps, filling(bound, 4 * device.units, tile)))
    }
}

/// Bytes of the widest elements.
fn widest(bound: &Bound) -> usize {
    bound.stencil().grids().iter().map(|grid| grid.kind.bytes()).max().unwrap_or(8)
}

/// Loads of a point bind, not memory: taps for each element that is read, more of them where elements are wide.
fn loads_bind(bound: &Bound) -> bool {
    let needed = if widest(bound) == 8 { 4 } else { 2 };
    all_taps(bound.stencil()).len() >= needed * bound.facts().elements_read.max(1)
}

/// The tile with fewer planes, where there were too few groups.
fn filling(bound: &Bound, groups: usize, mut tile: Tile) -> Tile {
    let last = bound.stencil().dimension() - 1;
    let across: usize =
        (0..last).map(|axis| bound.lengths()[axis].div_ceil(tile.items[axis] * tile.points[axis])).product();
    let wanted = groups.div_ceil(across.max(1));
    tile.planes = bound.lengths()[last].div_ceil(wanted.max(1)).clamp(8, tile.planes);
    tile
}

/// The most work-items of a group.
const MAX_ITEMS: usize = 1024;
/// The most points of a work-item.
const MAX_POINTS: usize = 32;
/// The most points of a tile along the last axis but one.
const MAX_WIDTH: usize = 1 << 20;
/// The most steps of a launch.
pub(crate) const MAX_STEPS: usize = 16;

impl Strategy {
    /// The tile; none where there is no tile.
    pub const fn tile(&self) -> Option<Tile> {
        match self {
            Strategy::Naive | Strategy::Wavefront { .. } | Strategy::Schedule(_) => None,
            Strategy::Stream(tile) | Strategy::StreamLocal(tile) | Strategy::Overlap { tile, .. } => Some(*tile),
        }
    }

    /// Steps of a launch.
    pub const fn steps(&self) -> usize {
        match self {
            Strategy::Overlap { steps, .. } | Strategy::Wavefront { steps, .. } => *steps,
            _ => 1,
        }
    }

    /// Its numbers are in their ranges.
    ///
    /// # Errors
    /// The number that is not.
    pub fn check(&self) -> Result<()> {
        if let Strategy::Overlap { steps, .. } | Strategy::Wavefront { steps, .. } = self
            && !(2..=MAX_STEPS).contains(steps)
        {
            return Err(Error::new(format!("the strategy has {steps} steps: 2 to {MAX_STEPS} are possible")));
        }
        if let Strategy::Wavefront { width, .. } = self
            && !(1..=MAX_WIDTH).contains(width)
        {
            return Err(Error::new(format!("the strategy has a width of {width}: 1 to {MAX_WIDTH} are possible")));
        }
        let Some(Tile { items, points, planes, unroll, prefetch }) = self.tile() else { return Ok(()) };
        let product = |pair: [usize; 2]| pair[0].saturating_mul(pair[1]);
        for (name, pair, most) in [("work-items", items, MAX_ITEMS), ("points", points, MAX_POINTS)] {
            if product(pair) == 0 || product(pair) > most {
                let [x, y] = pair;
                return Err(Error::new(format!("the strategy has {x} x {y} {name}: 1 to {most} are possible")));
            }
        }
        for (name, number, most) in
            [("planes", planes, 1 << 20), ("planes of a trip", unroll, 16), ("planes ahead", prefetch, 16)]
        {
            if number == 0 || number > most {
                return Err(Error::new(format!("the strategy has {number} {name}: 1 to {most} are possible")));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tile { items: [ix, iy], points: [px, py], planes, unroll, .. } = self;
        write!(f, "items={ix}x{iy},points={px}x{py},planes={planes},unroll={unroll}")
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Naive => f.write_str("naive"),
            Strategy::Stream(tile) => write!(f, "stream:{tile}"),
            Strategy::StreamLocal(tile) => write!(f, "stream-local:{tile}"),
            Strategy::Overlap { steps, tile } => {
                write!(f, "overlap:steps={steps},{tile},prefetch={}", tile.prefetch)
            }
            Strategy::Wavefront { steps, width } => write!(f, "wavefront:steps={steps},width={width}"),
            Strategy::Schedule(schedule) => f.write_str(&schedule.label()),
        }
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        if !["naive", "stream", "stream-local", "overlap", "wavefront"].contains(&name) {
            return Err(Error::new(format!(
                "the strategy '{name}' is none of naive, stream, stream-local, overlap and wavefront"
            )));
        }
        let mut tile = match name {
            "stream-local" => Tile { items: [16, 16], points: [4, 1], planes: 32, unroll: 3, prefetch: 1 },
            _ => Tile {
                items: [64, 4],
                points: [1, 4],
                planes: 64,
                unroll: 1,
                prefetch: if name == "overlap" { 2 } else { 1 },
            },
        };
        let (mut steps, mut width) = (2, 32);
        for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let number = |text: &str| {
                text.parse::<usize>().map_err(|_| Error::new(format!("'{text}' of '{setting}' is no number")))
            };
            let pair = || match value.split_once('x') {
                Some((x, y)) => Ok([number(x)?, number(y)?]),
                None => Ok([number(value)?, 1]),
            };
            match (name, key) {
                ("wavefront", "width") => width = number(value)?,
                ("overlap" | "wavefront", "steps") => steps = number(value)?,
                ("stream" | "stream-local" | "overlap", "items") => tile.items = pair()?,
                ("stream" | "stream-local" | "overlap", "points") => tile.points = pair()?,
                ("stream" | "stream-local" | "overlap", "planes") => tile.planes = number(value)?,
                ("stream" | "stream-local" | "overlap", "unroll") => tile.unroll = number(value)?,
                ("overlap", "prefetch") => tile.prefetch = number(value)?,
                _ => return Err(Error::new(format!("the strategy {name} has no setting '{key}'"))),
            }
        }
        let strategy = match name {
            "naive" => Strategy::Naive,
            "wavefront" => Strategy::Wavefront { steps, width },
            "stream" => Strategy::Stream(tile),
            "stream-local" => Strategy::StreamLocal(tile),
            _ => Strategy::Overlap { steps, tile },
        };
        strategy.check()?;
        Ok(strategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Stencil;
    use crate::lower::Form;

    /// The strategy of an example on a GPU.
    fn chosen(name: &str, kind: &str, n: i64) -> Strategy {
        let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("an example").replace("float", kind);
        let stencil = Stencil::parse(&text).expect("a stencil");
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, n)).collect();
        let device = Abilities {
            form: Form::Points,
            has_doubles: true,
            rounds_divisions: true,
            local_bytes: 48 << 10,
            max_items: 1024,
            units: 132,
        };
        Strategy::of(&Bound::new(&stencil, &sizes).expect("sizes"), device)
    }

    #[test]
    fn the_model_chooses_by_work_and_size() {
        assert_eq!(chosen("laplacian", "float", 64), Strategy::Naive);
        assert_eq!(chosen("laplacian", "float", 512).steps(), 3);
        assert_eq!(chosen("laplacian", "double", 512).steps(), 2);
        // Stars of two points to each side; not small domains, wide elements or longer arms.
        let planes = Tile { items: [16, 16], points: [4, 1], planes: 32, unroll: 3, prefetch: 1 };
        assert_eq!(chosen("wave", "float", 512), Strategy::StreamLocal(planes));
        assert!(matches!(chosen("wave", "double", 512), Strategy::Stream(_)));
        assert!(matches!(chosen("wave25", "float", 512), Strategy::Stream(_)));
        assert!(matches!(chosen("box27", "float", 512), Strategy::Stream(_)));
        // Coefficients of each point bind.
        assert_eq!(chosen("hyperthermia", "float", 512), Strategy::Naive);
    }

    #[test]
    fn texts_are_read_as_they_are_written() {
        let tile = Tile { items: [32, 8], points: [2, 4], planes: 100, unroll: 3, prefetch: 1 };
        let ahead = Tile { prefetch: 4, ..tile };
        let wavefront = Strategy::Wavefront { steps: 7, width: 40 };
        let overlap = Strategy::Overlap { steps: 5, tile: ahead };
        for strategy in [Strategy::Naive, Strategy::Stream(tile), Strategy::StreamLocal(tile), overlap, wavefront] {
            assert_eq!(strategy.to_string().parse().as_ref(), Ok(&strategy));
        }
        let prefetch =
            |text: &str| text.parse::<Strategy>().ok().and_then(|strategy| strategy.tile()).map(|tile| tile.prefetch);
        assert_eq!([prefetch("stream:unroll=3"), prefetch("overlap:unroll=3")], [Some(1), Some(2)]);
        assert_eq!(
            "stream:items=128".parse::<Strategy>().map(|strategy| strategy.tile().map(|tile| tile.items)),
            Ok(Some([128, 1]))
        );
    }

    #[test]
    fn wrong_texts_are_told() {
        for (text, reason) in [
            ("trapezoid", "none of naive, stream, stream-local, overlap and wavefront"),
            ("wavefront:steps=17", "17 steps: 2 to 16"),
            ("wavefront:width=0", "a width of 0: 1 to"),
            ("wavefront:items=4", "has no setting 'items'"),
            ("naive:planes=3", "has no setting 'planes'"),
            ("stream:steps=3", "has no setting 'steps'"),
            ("stream:planes=many", "'many' of 'planes=many' is no number"),
            ("stream:planes=0", "0 planes: 1 to 1048576"),
            ("stream:prefetch=2", "has no setting 'prefetch'"),
            ("overlap:prefetch=0", "0 planes ahead: 1 to 16"),
            ("stream:unroll=17", "17 planes of a trip: 1 to 16"),
            ("stream:items=64x32", "64 x 32 work-items: 1 to 1024"),
            ("stream:points=0x4", "0 x 4 points"),
            ("overlap:steps=1", "1 steps: 2 to 16"),
        ] {
            let error = text.parse::<Strategy>().expect_err(text);
            assert!(error.reason.contains(reason), "{error}");
        }
    }
}
