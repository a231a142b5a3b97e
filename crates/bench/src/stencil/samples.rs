//! Points at which results are compared with the host's.

/// Points on each face.
const ON_FACES: usize = 64;
/// Points at borders of tiles, whose lengths are powers of two.
const AT_TILES: usize = 512;
/// Cells of the domain with a point each, about.
const CELLS: f64 = 2048.0;

/// Numbers that look random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Corners of a domain first, then points on faces and edges, at borders of tiles, and in all parts of it. There are
/// some thousand, and fewer in small domains.
pub fn samples(lower: &[i64], lengths: &[usize]) -> Vec<Vec<i64>> {
    let axes = lengths.len();
    let mut numbers = Numbers(1);
    let mut all: Vec<Vec<usize>> = Vec::new();
    for axis in 0..axes {
        for end in [0, lengths[axis] - 1] {
            for number in 0..ON_FACES {
                let mut point: Vec<usize> = lengths.iter().map(|&length| numbers.below(length)).collect();
                // Every fourth one is on an edge.
                let other = (axis + 1 + numbers.below(axes - 1)) % axes;
                if number % 4 == 0 {
                    point[other] = numbers.below(2) * (lengths[other] - 1);
                }
                point[axis] = end;
                all.push(point);
            }
        }
    }
    for _ in 0..AT_TILES {
        let mut near = |length: usize| {
            let border = (numbers.below(length / 8 + 1) * 8 + numbers.below(3)).saturating_sub(1);
            border.min(length - 1)
        };
        all.push(lengths.iter().map(|&length| near(length)).collect());
    }
    let count = CELLS.powf(1.0 / axes as f64).round() as usize;
    let counts: Vec<usize> = lengths.iter().map(|&length| count.min(length)).collect();
    for cell in 0..counts.iter().product() {
        let mut rest = cell;
        let mut within = |(&count, &length): (&usize, &usize)| {
            let number = rest % count;
            rest /= count;
            let (start, end) = (number * length / count, (number + 1) * length / count);
            start + numbers.below(end - start)
        };
        all.push(counts.iter().zip(lengths).map(&mut within).collect());
    }
    // The tail may be left out: it is like the rest.
    for index in (1..all.len()).rev() {
        all.swap(index, numbers.below(index + 1));
    }
    let corner = |corner: usize| lengths.iter().enumerate().map(move |(axis, &n)| (corner >> axis & 1) * (n - 1));
    let mut points: Vec<Vec<usize>> = (0..1 << axes).map(|number| corner(number).collect()).collect();
    points.append(&mut all);
    let mut seen = std::collections::HashSet::new();
    points.retain(|point| seen.insert(point.clone()));
    let moved = |point: Vec<usize>| point.iter().zip(lower).map(|(&own, &lower)| lower + own as i64).collect();
    points.into_iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_corners_faces_and_all_parts_of_a_domain() {
        let lengths = [100, 70, 90];
        let points = samples(&[1, -3, 0], &lengths);
        assert!((2000..4000).contains(&points.len()), "{}", points.len());
        assert_eq!((&points[0], &points[7]), (&vec![1, -3, 0], &vec![100, 66, 89]));
        let inside = |point: &Vec<i64>| (1..=100).contains(&point[0]) && (-3..=66).contains(&point[1]);
        assert!(points.iter().all(|point| inside(point) && (0..90).contains(&point[2])));
        for axis in 0..3 {
            let on = |end: i64| points.iter().filter(|point| point[axis] == end).count();
            let first = [1, -3, 0][axis];
            assert!(on(first).min(on(first + lengths[axis] as i64 - 1)) >= 60);
        }
        // No box of a 2,000th of the domain is missed.
        let boxed = |at: [i64; 3]| {
            points.iter().any(|point| (0..3).all(|axis| (at[axis]..at[axis] + 20).contains(&point[axis])))
        };
        assert!((0..5).all(|x| (0..3).all(|y| (0..4).all(|z| boxed([1 + 20 * x, -3 + 20 * y, 20 * z])))));
        assert_eq!(samples(&[5], &[1]), [[5]]);
        assert_eq!(samples(&[0, 0], &[2, 2]).len(), 4);
    }
}
