//! Points of an iteration space, in row-major order, and the elements of accesses there.

use affinimath_array::check::MAX_RANK;

/// Axes of a space, at most as many as a kernel's; one at least.
#[derive(Clone, Debug)]
pub struct Space {
    rank: usize,
    extents: [usize; MAX_RANK],
}

/// The coordinates of a point.
pub type Index = [usize; MAX_RANK];

/// Elements of an access at neighbouring points of the last axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Elements before the first one, from the access's memory.
    pub element: isize,
    /// Points before the first one, from the start of the block.
    pub done: usize,
    /// Points.
    pub n: usize,
}

impl Space {
    /// Of these extents; of none a single point.
    pub fn new(extents: &[usize]) -> Self {
        let mut all = [1; MAX_RANK];
        all[..extents.len()].copy_from_slice(extents);
        Space { rank: extents.len().max(1), extents: all }
    }

    /// Points.
    pub fn points(&self) -> usize {
        self.extents[..self.rank].iter().product()
    }

    /// The length of the last axis.
    pub fn last(&self) -> usize {
        self.extents[self.rank - 1]
    }

    /// The lengths of the last axis and of the one before it.
    pub fn last_two(&self) -> (usize, usize) {
        (self.last(), self.rank.checked_sub(2).map_or(1, |axis| self.extents[axis]))
    }

    /// Axes.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The coordinates of the point with a number.
    pub fn index(&self, mut point: usize) -> Index {
        let mut index = [0; MAX_RANK];
        for axis in (1..self.rank).rev() {
            let outer = point / self.extents[axis];
            index[axis] = point - outer * self.extents[axis];
            point = outer;
        }
        index[0] = point;
        index
    }

    /// Calls `visit` for each stretch of `n` points from an index on, for an access with the given strides. Those of
    /// further axes are none.
    #[inline]
    pub fn for_each_stretch(
        &self,
        start: &Index,
        offset: usize,
        strides: &[i64],
        n: usize,
        mut visit: impl FnMut(Stretch),
    ) {
        let stride = |axis: usize| strides.get(axis).map_or(0, |&stride| stride as isize);
        let last = self.rank - 1;
        let mut index = *start;
        let mut element = offset as isize;
        for (axis, &coordinate) in index[..self.rank].iter().enumerate() {
            element += coordinate as isize * stride(axis);
        }
        let mut done = 0;
        loop {
            let taken = (self.extents[last] - index[last]).min(n - done);
            visit(Stretch { element, done, n: taken });
            done += taken;
            if done == n {
                return;
            }
            // The first point of the next run.
            element -= index[last] as isize * stride(last);
            index[last] = 0;
            let mut axis = last;
            while axis > 0 {
                axis -= 1;
                index[axis] += 1;
                element += stride(axis);
                if index[axis] < self.extents[axis] {
                    break;
                }
                element -= index[axis] as isize * stride(axis);
                index[axis] = 0;
            }
        }
    }
}
