//! Tuned strategies: the space of a search, and what a device was tuned with.

use affinimath_opencl::context::DeviceContext;
use affinimath_tuner::space::{Configuration, Space};
use affinimath_tuner::stencils::Stencils;
use sha2::{Digest, Sha256};

use crate::bound::Bound;
use crate::definition::Stencil;
use crate::lower::{Abilities, overlaps, streams, streams_locally};
use crate::strategy::{Strategy, Tile};

/// Hexadecimal digits of a digest.
const DIGITS: usize = 32;

impl Stencil {
    /// The digest of the stencil's normal text: 128 bits of SHA-256 in hexadecimal. Equal stencils have equal ones.
    pub fn digest(&self) -> String {
        let bytes = Sha256::digest(self.to_string().as_bytes());
        let mut text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text.truncate(DIGITS);
        text
    }
}

/// A strategy fits a stencil of some sizes on a device.
pub(crate) fn fits(bound: &Bound, device: Abilities, strategy: &Strategy) -> bool {
    match *strategy {
        Strategy::Naive => true,
        Strategy::Wavefront { .. } | Strategy::Schedule(_) => false,
        Strategy::Stream(tile) => (0..bound.stencil().stages().len()).any(|stage| streams(bound, device, stage, tile)),
        Strategy::StreamLocal(tile) => (0..bound.stencil().stages().len())
            .any(|stage| [tile, tile.turned()].iter().any(|&tile| streams_locally(bound, device, stage, tile))),
        Strategy::Overlap { steps, tile } => overlaps(bound, device, steps, tile),
    }
}

/// The strategy with which the device was tuned for this stencil on such a domain. Records of strategies that do not
/// fit are passed over.
pub(crate) fn tuned(context: &DeviceContext, bound: &Bound, device: Abilities) -> Option<Strategy> {
    let known = Stencils::of_context(context);
    if known.is_empty() {
        return None;
    }
    let texts = known.strategies(&bound.stencil().digest(), bound.lengths());
    let strategies = texts.into_iter().filter_map(|text| text.parse::<Strategy>().ok());
    strategies.into_iter().find(|strategy| fits(bound, device, strategy))
}

/// The space of a search: tiles of one step, which are those of [`Strategy::Stream`] or, where `local` is 1, of
/// [`Strategy::StreamLocal`], and of several. Those of known strategies are among them.
pub(crate) fn space(bound: &Bound, known: &[Strategy]) -> Option<Space> {
    let dimension = bound.stencil().dimension();
    if !matches!(dimension, 2 | 3) {
        return None;
    }
    let flat = dimension == 2;
    let with = |values: &[usize], own: &dyn Fn(Tile) -> usize| {
        let known = known.iter().filter_map(Strategy::tile).map(own);
        let mut values: Vec<i64> = values.iter().copied().chain(known).map(|value| value as i64).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let along_y = |values: &'static [usize]| if flat { &[1][..] } else { values };
    let built = Space::builder()
        .values("steps", 1..=8)
        .values("local", [0, 1])
        .values("items_x", with(&[16, 32, 64, 128, 256], &|tile| tile.items[0]))
        .values("items_y", with(along_y(&[1, 2, 4, 8, 16, 32]), &|tile| tile.items[1]))
        .values("points_x", [1, 2, 4])
        .values("points_y", with(along_y(&[1, 2, 4, 8]), &|tile| tile.points[1]))
        .values("planes", with(&[16, 32, 64, 128, 256, 512], &|tile| tile.planes))
        .values("unroll", [1, 2, 3, 4, 6])
        .values("prefetch", [1, 2, 3, 4])
        .rule("steps > 1 or prefetch == 1")
        .rule("steps == 1 or local == 0")
        .rule("items_x * items_y >= 32 and items_x * items_y <= 1024")
        .rule("points_x * points_y <= 16")
        .build();
    built.ok()
}

impl Strategy {
    /// The strategy of a point of [`Plan::strategies`](crate::Plan::strategies). `None` where a value is missing or out
    /// of range.
    pub fn of_configuration(point: &Configuration) -> Option<Self> {
        let get = |name: &str| point.get(name);
        let tile = Tile {
            items: [get("items_x")?, get("items_y")?],
            points: [get("points_x")?, get("points_y")?],
            planes: get("planes")?,
            unroll: get("unroll")?,
            prefetch: get("prefetch")?,
        };
        let strategy = match (get("steps")?, get("local")?) {
            (1, 0) => Strategy::Stream(tile),
            (1, _) => Strategy::StreamLocal(tile),
            (steps, _) => Strategy::Overlap { steps, tile },
        };
        strategy.check().ok().map(|()| strategy)
    }

    /// The point of a strategy with tiles.
    pub fn configuration(&self) -> Option<Configuration> {
        let Tile { items, points, planes, unroll, prefetch } = self.tile()?;
        Some(Configuration::new([
            ("steps", self.steps()),
            ("local", usize::from(matches!(self, Strategy::StreamLocal(_)))),
            ("items_x", items[0]),
            ("items_y", items[1]),
            ("points_x", points[0]),
            ("points_y", points[1]),
            ("planes", planes),
            ("unroll", unroll),
            ("prefetch", prefetch),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(name: &str, n: i64) -> Bound {
        let path = format!("{}/../../examples/stencils/{name}.stc", env!("CARGO_MANIFEST_DIR"));
        let stencil = Stencil::parse(&std::fs::read_to_string(path).expect("an example")).expect("a stencil");
        let sizes: Vec<(&str, i64)> = stencil.symbols().into_iter().map(|name| (name, n)).collect();
        Bound::new(&stencil, &sizes).expect("sizes")
    }

    #[test]
    fn equal_stencils_have_equal_digests() {
        let text = "stencil s { domainsize = (1 .. n); operation (double grid u) { u[x; t+1] = u[x-1; t]; } }";
        let digest = |text: &str| Stencil::parse(text).expect("a stencil").digest();
        assert_eq!(digest(text), digest(&text.replace(' ', "  ")));
        assert_ne!(digest(text), digest(&text.replace("x-1", "x-2")));
        assert_eq!(digest(text).len(), DIGITS);
    }

    #[test]
    fn points_are_strategies_and_back() {
        let tile = Tile { items: [48, 8], points: [1, 4], planes: 100, unroll: 2, prefetch: 1 };
        let strategies = [Strategy::Stream(tile), Strategy::StreamLocal(tile), Strategy::Overlap { steps: 3, tile }];
        let space = space(&bound("laplacian", 100), &strategies).expect("a space");
        for strategy in strategies {
            let point = strategy.configuration().expect("a tile");
            assert!(space.find(&point).is_some(), "{point} is a point");
            assert_eq!(Strategy::of_configuration(&point), Some(strategy));
        }
        assert_eq!(Strategy::Naive.configuration(), None);
        assert_eq!(Strategy::of_configuration(&Configuration::new([("steps", 2)])), None);
    }

    #[test]
    fn planes_have_one_item_along_y() {
        let space = space(&bound("game_of_life", 100), &[]).expect("a space");
        let rows = space.parameters().iter().find(|parameter| parameter.name == "items_y").expect("a parameter");
        assert_eq!(rows.values.len(), 1);
        assert!(super::space(&bound("upwind", 100), &[]).is_none(), "one axis has no tiles");
    }
}
