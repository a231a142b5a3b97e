//! Proofs of a launch's arguments.

use super::{Checked, Invalid, Use, Uses, require};
use crate::fused::{AccessClass, Arguments, Structure, View};

impl Arguments {
    /// Proves that a launch stays in its memory. `lengths` has the elements of each access's buffer. A launch with an
    /// extent of 0 does nothing.
    ///
    /// The structure has been checked.
    pub fn check(&self, structure: &Structure, lengths: &[usize]) -> Checked {
        require(self.extents.len() == structure.rank, || Invalid::Kernel("another count of extents than of axes"))?;
        require(self.scalars.len() == structure.scalars.len(), || Invalid::Kernel("another count of scalars"))?;
        let count = structure.accesses.len();
        require(self.views.len() == count && lengths.len() == count, || Invalid::Kernel("another count of views"))?;
        for (scalar, (value, &element)) in self.scalars.iter().zip(&structure.scalars).enumerate() {
            require(value.element_type() == element, || Invalid::Scalar { scalar })?;
        }
        let is_empty = self.extents.contains(&0);
        let has_rows = !self.extents[..structure.parallel].contains(&0);
        require(!(is_empty && has_rows), || Invalid::Kernel("a reduction of no elements"))?;
        let points = self.extents.iter().try_fold(1i64, |n, &extent| n.checked_mul(i64::try_from(extent).ok()?));
        require(is_empty || points.is_some(), || Invalid::Kernel("more points than an i64 counts"))?;
        let uses = Uses::of(structure);
        for (index, &length) in lengths.iter().enumerate() {
            let error = |reason| Invalid::Access { access: index, reason };
            self.check_view(structure, index, uses.accesses[index], length, is_empty).map_err(error)?;
        }
        Ok(())
    }

    fn check_view(
        &self,
        structure: &Structure,
        index: usize,
        uses: Use,
        length: usize,
        is_empty: bool,
    ) -> Result<(), &'static str> {
        let (access, view) = (structure.accesses[index], &self.views[index]);
        if access.class == AccessClass::Indexed {
            let axes = uses.axes.unwrap_or(view.strides.len());
            return match view.strides.len() == axes && view.extents.len() == axes {
                false => Err("another count of axes than of indices"),
                true if is_empty => Ok(()),
                true if view.extents.contains(&0) => Err("an element of an empty array"),
                true => check_bounds(view, &view.extents, length),
            };
        }
        if view.strides.len() != structure.rank || view.extents != self.extents {
            return Err("another count of axes or other extents than those of the iteration space");
        }
        if is_empty {
            return Ok(());
        }
        check_bounds(view, &self.extents, length)?;
        check_class(access.class, view, &self.extents)?;
        let reduced = (&view.strides[structure.parallel..], &self.extents[structure.parallel..]);
        if uses.is_outside_of_loops && reduced.0.iter().zip(reduced.1).any(|(&s, &n)| s != 0 && n > 1) {
            return Err("used outside of a loop, with a stride along a reduced axis");
        }
        let axes = if uses.is_stored_outside { structure.parallel } else { structure.rank };
        let is_distinct = !access.is_written || is_injective(&view.strides[..axes], &self.extents[..axes]);
        if is_distinct { Ok(()) } else { Err("one element is written at two points") }
    }
}

/// The least and the greatest element are in the buffer; so are all others, whose indices lie between them.
fn check_bounds(view: &View, extents: &[usize], length: usize) -> Result<(), &'static str> {
    let mut least = view.offset as i128;
    let mut greatest = view.offset as i128;
    for (&stride, &extent) in view.strides.iter().zip(extents) {
        // Less than 2^127 in magnitude: an extent has 64 bits, a stride 63 and a sign.
        let span = stride as i128 * (extent as i128 - 1);
        let end = if span < 0 { &mut least } else { &mut greatest };
        *end = end.checked_add(span).ok_or("an index overflows")?;
    }
    let fits = least >= 0 && greatest < length as i128 && greatest <= i64::MAX as i128;
    if fits { Ok(()) } else { Err("an element outside of its buffer") }
}

/// The class that holds for the strides, along axes of more than one element.
fn check_class(class: AccessClass, view: &View, extents: &[usize]) -> Result<(), &'static str> {
    let last = extents.len() - 1;
    let has = |axis: usize, stride: i64| extents[axis] <= 1 || view.strides[axis] == stride;
    let holds = match class {
        AccessClass::Uniform => (0..=last).all(|axis| has(axis, 0)),
        AccessClass::InnerContiguous => has(last, 1),
        AccessClass::InnerUniform => has(last, 0),
        AccessClass::Strided | AccessClass::Indexed => true,
        AccessClass::Contiguous => {
            let mut stride = 1;
            (0..=last).rev().all(|axis| {
                let holds = has(axis, stride);
                stride *= extents[axis] as i64;
                holds
            })
        }
    };
    if holds { Ok(()) } else { Err("strides of another pattern than the class") }
}

/// True if each stride exceeds the span of the smaller ones, as those of every slice of an array do.
pub(crate) fn is_injective(strides: &[i64], extents: &[usize]) -> bool {
    let mut axes: Vec<(u128, u128)> = strides
        .iter()
        .zip(extents)
        .filter(|&(_, &extent)| extent > 1)
        .map(|(&stride, &extent)| (stride.unsigned_abs() as u128, extent as u128))
        .collect();
    axes.sort_unstable();
    let mut span = 0;
    for (stride, extent) in axes {
        if stride <= span {
            return false;
        }
        span += stride * (extent - 1);
    }
    true
}
