//! Boxes of coordinates, and how a domain is cut into one for each rank.

use affinimath_stencil::Layout;
use affinimath_stencil::definition::AXES;

use crate::error::{Error, Result};

/// A box of a domain's coordinates: the points of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StencilBlock {
    lower: Vec<i64>,
    lengths: Vec<i64>,
}

impl StencilBlock {
    /// The coordinates from the first one on each axis on.
    pub(super) fn new(lower: Vec<i64>, lengths: Vec<i64>) -> Self {
        StencilBlock { lower, lengths: lengths.into_iter().map(|length| length.max(0)).collect() }
    }

    /// First coordinate on each axis, x first.
    pub fn lower(&self) -> &[i64] {
        &self.lower
    }

    /// Points on each axis, x first.
    pub fn shape(&self) -> Vec<usize> {
        self.lengths.iter().map(|&length| length as usize).collect()
    }

    /// Points of the block.
    pub fn len(&self) -> usize {
        self.lengths.iter().map(|&length| length as usize).product()
    }

    /// True of a block without points.
    pub fn is_empty(&self) -> bool {
        self.lengths.contains(&0)
    }

    /// The coordinate after the last one on an axis.
    pub(super) fn end(&self, axis: usize) -> i64 {
        self.lower[axis] + self.lengths[axis]
    }

    /// Number of coordinates on an axis.
    pub(super) fn length(&self, axis: usize) -> i64 {
        self.lengths[axis]
    }

    /// Sets the coordinates on an axis.
    pub(super) fn set(&mut self, axis: usize, lower: i64, end: i64) {
        (self.lower[axis], self.lengths[axis]) = (lower, (end - lower).max(0));
    }

    /// Coordinates that both have.
    pub(super) fn intersection(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for axis in 0..self.lower.len() {
            both.set(axis, self.lower[axis].max(other.lower[axis]), self.end(axis).min(other.end(axis)));
        }
        both
    }

    /// The box at other coordinates.
    pub(super) fn shifted(&self, by: &[i64]) -> Self {
        let lower = self.lower.iter().zip(by).map(|(lower, by)| lower + by).collect();
        StencilBlock { lower, lengths: self.lengths.clone() }
    }

    /// The box as memory without gaps.
    pub(super) fn layout(&self) -> Layout {
        Layout::contiguous(self.lower.clone(), self.shape())
    }

    /// Calls back for each point, x fastest.
    pub(super) fn for_each_point(&self, mut visit: impl FnMut(&[i64])) {
        if self.is_empty() {
            return;
        }
        let mut point = self.lower.clone();
        loop {
            visit(&point);
            let mut axis = 0;
            loop {
                if axis == point.len() {
                    return;
                }
                point[axis] += 1;
                if point[axis] < self.end(axis) {
                    break;
                }
                point[axis] = self.lower[axis];
                axis += 1;
            }
        }
    }
}

/// How a domain is cut: ranges on each axis. The last axis has the ranks that are farthest apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// First coordinates of the ranges of each axis, and the end of the last one.
    starts: Vec<Vec<i64>>,
}

impl Cut {
    /// Cuts a domain into ranges whose lengths differ by at most one unit of the axis.
    pub(super) fn new(domain: &StencilBlock, parts: &[usize], units: &[i64]) -> Self {
        let axis = |axis: usize| {
            let (parts, unit) = (parts[axis] as i64, units[axis]);
            let all = (domain.length(axis) + unit - 1) / unit;
            let start = |part: i64| domain.lower[axis] + (part * (all / parts) + part.min(all % parts)) * unit;
            (0..=parts).map(|part| start(part).min(domain.end(axis))).collect()
        };
        Cut { starts: (0..parts.len()).map(axis).collect() }
    }

    /// Ranges on an axis.
    pub(super) fn parts(&self, axis: usize) -> usize {
        self.starts[axis].len() - 1
    }

    /// Numbers of a rank's ranges.
    pub(super) fn position(&self, mut rank: usize) -> Vec<usize> {
        let axes = 0..self.starts.len();
        let position = axes.map(|axis| {
            let own = rank % self.parts(axis);
            rank /= self.parts(axis);
            own
        });
        position.collect()
    }

    /// Points of a rank.
    pub(super) fn block(&self, rank: usize) -> StencilBlock {
        let position = self.position(rank);
        let (lower, lengths) = position.iter().zip(&self.starts).map(|(&own, s)| (s[own], s[own + 1] - s[own])).unzip();
        StencilBlock { lower, lengths }
    }
}

/// Numbers of ranks on each axis.
///
/// Without a wish, the numbers with the smallest largest block and its smallest halo. A face across x counts four
/// times: its points are not adjacent in memory.
pub(super) fn parts_of(
    wish: Option<&[usize]>,
    domain: &StencilBlock,
    (units, whole): (&[i64], &[bool]),
    ranks: usize,
) -> Result<Vec<usize>> {
    let axes = units.len();
    if let Some(wish) = wish {
        let product = wish.iter().try_fold(1_usize, |product, &parts| product.checked_mul(parts));
        if wish.len() != axes || product != Some(ranks) {
            let rule = format!("{wish:?} ranks on {axes} axes are not the grid's {ranks} ranks");
            return Err(Error::argument("ranks", rule));
        }
        if let Some(axis) = (0..axes).find(|&axis| whole[axis] && wish[axis] > 1) {
            let rule = "is periodic and cannot be cut: diagonal taps read corners that another boundary sets";
            return Err(Error::argument("ranks", format!("the axis {} {rule}", AXES[axis])));
        }
        return Ok(wish.to_vec());
    }
    let mut best: Option<((i64, i64), Vec<usize>)> = None;
    for_each_factorisation(ranks, axes, &mut Vec::new(), &mut |parts: &[usize]| {
        if (0..axes).any(|axis| whole[axis] && parts[axis] > 1) {
            return;
        }
        let block = Cut::new(domain, parts, units).block(0);
        let points = block.len() as i64;
        let face = |axis: usize| {
            let weight = if axis == 0 { 4 } else { 1 };
            // Ranks in the middle have two neighbours.
            let sides = parts[axis].min(3) as i64 - 1;
            weight * sides * points / block.length(axis).max(1)
        };
        let halo = (0..axes).filter(|&axis| parts[axis] > 1).map(face).sum();
        if best.as_ref().is_none_or(|(cost, _)| (points, halo) < *cost) {
            best = Some(((points, halo), parts.to_vec()));
        }
    });
    Ok(best.map_or_else(|| vec![1; axes], |(_, parts)| parts))
}

fn for_each_factorisation(ranks: usize, axes: usize, so_far: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    if so_far.len() + 1 == axes {
        so_far.push(ranks);
        visit(so_far);
        so_far.pop();
        return;
    }
    for parts in (1..=ranks).filter(|parts| ranks.is_multiple_of(*parts)) {
        so_far.push(parts);
        for_each_factorisation(ranks / parts, axes, so_far, visit);
        so_far.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_every_point_once() {
        for (lengths, parts, units) in [
            (vec![7, 5, 9], vec![2, 1, 3], vec![1, 1, 1]),
            (vec![3, 2, 1], vec![4, 2, 2], vec![1, 1, 1]),
            (vec![1000, 3, 1], vec![3, 2, 1], vec![256, 1, 1]),
        ] {
            let domain = StencilBlock::new(vec![-2, 0, 1], lengths);
            let cut = Cut::new(&domain, &parts, &units);
            let ranks: usize = parts.iter().product();
            let blocks: Vec<_> = (0..ranks).map(|rank| cut.block(rank)).collect();
            assert_eq!(blocks.iter().map(StencilBlock::len).sum::<usize>(), domain.len());
            for (number, block) in blocks.iter().enumerate() {
                assert!(blocks[..number].iter().all(|other| block.intersection(other).is_empty()));
                assert!(block.is_empty() || domain.intersection(block) == *block);
                assert!((block.lower[0] + 2) % units[0] == 0 || block.is_empty());
            }
        }
    }

    #[test]
    fn rows_stay_whole_where_they_can() {
        let domain = StencilBlock::new(vec![0; 3], vec![64; 3]);
        assert_eq!(parts_of(None, &domain, (&[1; 3], &[false; 3]), 4).unwrap(), [1, 2, 2]);
        assert_eq!(parts_of(None, &domain, (&[1; 3], &[false, true, false]), 4).unwrap(), [1, 1, 4]);
        assert!(parts_of(Some(&[1, 2, 2]), &domain, (&[1; 3], &[false, true, false]), 4).is_err());
        assert_eq!(parts_of(None, &domain, (&[1; 3], &[false; 3]), 5).unwrap(), [1, 1, 5]);
        assert!(parts_of(Some(&[2, 2]), &domain, (&[1; 3], &[false; 3]), 4).is_err());
        assert!(parts_of(Some(&[2, 2, 2]), &domain, (&[1; 3], &[false; 3]), 4).is_err());
    }
}
