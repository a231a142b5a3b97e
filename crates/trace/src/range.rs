//! Index space of a launch as a foreign program gave it to OpenCL.

use serde::{Deserialize, Serialize};

/// Index space of a launch whose groups and work-items do not say all: an offset, dimensions, or a group that the
/// driver chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NdRange {
    /// Dimensions, from 1 to 3; sizes beyond are 1.
    pub dimensions: u32,
    /// First global id per dimension.
    pub offset: [usize; 3],
    /// Work-items of all groups, per dimension.
    pub global: [usize; 3],
    /// Work-items of a group, per dimension; `None` where the driver chose.
    pub local: Option<[usize; 3]>,
}

impl NdRange {
    /// Work-groups and work-items of a group, per dimension. Last groups may be smaller; of a group that the driver
    /// chose each work-item counts as one.
    pub fn sizes(&self) -> ([usize; 3], [usize; 3]) {
        let items = self.local.unwrap_or([1; 3]);
        (std::array::from_fn(|axis| self.global[axis].div_ceil(items[axis].max(1))), items)
    }

    /// Reason for which it is no index space of groups and work-items, if there is one.
    pub(crate) fn check(&self, groups: [usize; 3], items: [usize; 3]) -> Result<(), String> {
        let used = self.dimensions as usize;
        let beyond = |sizes: &[usize; 3], value: usize| sizes.iter().skip(used).all(|size| *size == value);
        let sound = (1..=3).contains(&used)
            && beyond(&self.offset, 0)
            && beyond(&self.global, 1)
            && self.local.is_none_or(|local| beyond(&local, 1) && !local.contains(&0))
            && self.offset.iter().zip(&self.global).all(|(offset, global)| offset.checked_add(*global).is_some())
            && self.sizes() == (groups, items);
        if sound { Ok(()) } else { Err(format!("{self:?} is no index space of {groups:?} groups of {items:?}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_the_index_space() {
        let range = NdRange { dimensions: 2, offset: [4, 0, 0], global: [10, 6, 1], local: Some([4, 3, 1]) };
        assert_eq!(range.sizes(), ([3, 2, 1], [4, 3, 1]));
        assert_eq!(range.check([3, 2, 1], [4, 3, 1]), Ok(()));
        assert_eq!(NdRange { local: None, ..range }.sizes(), ([10, 6, 1], [1; 3]));
        for wrong in [
            NdRange { dimensions: 1, ..range },
            NdRange { dimensions: 4, ..range },
            NdRange { global: [20, 6, 1], ..range },
            NdRange { local: Some([4, 0, 1]), ..range },
            NdRange { offset: [usize::MAX, 0, 0], ..range },
        ] {
            assert!(wrong.check([3, 2, 1], [4, 3, 1]).is_err(), "{wrong:?}");
        }
    }
}
