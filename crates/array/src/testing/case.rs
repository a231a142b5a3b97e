//! Iteration spaces, views and memory of random kernels.

use super::code::Writer;
use super::{Options, Random};
use crate::check::Invalid;
use crate::element::ElementType;
use crate::fused::{Access, AccessClass, Arguments, Effect, ReductionOrder, Structure, View};
use crate::reference::{self, Memory};

/// A kernel with the memory of each access.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub structure: Structure,
    /// Its arguments.
    pub arguments: Arguments,
    /// The bytes of each access's buffer.
    pub memory: Vec<Vec<u8>>,
}

impl Case {
    /// The kernel of a seed, which passes the checks.
    pub fn random(seed: u64, options: &Options) -> Case {
        let mut random = Random::new(seed);
        let extents = extents(&mut random, options.max_points);
        let rank = extents.len();
        let parallel = if random.chance(40) { rank } else { random.below(rank + 1) };
        let lanes = random.choose(&[1, 2, 4, 8, 16, 64, 256]);
        let chunk = (lanes * random.choose(&[1, 2, 3, 8, 64])).max(2);
        let structure = Structure {
            rank,
            parallel,
            accesses: Vec::new(),
            scalars: Vec::new(),
            phases: Vec::new(),
            slots: Vec::new(),
            order: ReductionOrder { lanes, chunk },
        };
        let arguments = Arguments { extents, views: Vec::new(), scalars: Vec::new() };
        let mut case = Case { structure, arguments, memory: Vec::new() };
        for _ in 0..random.below(6) {
            case.add_read(&mut random, options);
        }
        for _ in 0..random.below(4) {
            let element = random.choose(&options.types).part();
            case.structure.scalars.push(element);
            case.arguments.scalars.push(random.value(element));
        }
        Writer::new(&mut case, &mut random, options).write_phases();
        case.remove_unused();
        case
    }

    /// The memory after the kernel, by the reference.
    pub fn reference(&self) -> Result<Vec<Vec<u8>>, Invalid> {
        let mut results = self.memory.clone();
        let mut memory: Vec<Memory<'_>> = results.iter_mut().map(|bytes| Memory::Write(bytes)).collect();
        reference::run(&self.structure, &self.arguments, &mut memory)?;
        Ok(results)
    }

    /// Compares all bytes of the buffers, also those that the kernel leaves alone. Any NaN equals any other.
    ///
    /// # Errors
    /// With the first difference.
    pub fn compare(&self, expected: &[Vec<u8>], found: &[Vec<u8>]) -> Result<(), String> {
        for (index, access) in self.structure.accesses.iter().enumerate() {
            compare_elements(access.element, &expected[index], &found[index]).map_err(|difference| {
                format!("access {index}: {difference}\n{:#?}\n{:?}", self.structure, self.arguments)
            })?;
        }
        Ok(())
    }

    fn add_read(&mut self, random: &mut Random, options: &Options) {
        let element = random.choose(&options.types);
        let class = random.choose(&[
            AccessClass::Contiguous,
            AccessClass::Contiguous,
            AccessClass::InnerContiguous,
            AccessClass::InnerContiguous,
            AccessClass::Uniform,
            AccessClass::InnerUniform,
            AccessClass::Strided,
            AccessClass::Indexed,
        ]);
        let extents = match class {
            AccessClass::Indexed => (0..1 + random.below(3)).map(|_| 1 + random.below(9)).collect(),
            _ => self.arguments.extents.clone(),
        };
        let mut strides: Vec<i64> = match class {
            AccessClass::Contiguous => row_major(&extents),
            _ => extents.iter().map(|_| random.choose(&[0, 1, 2, 3, 7, 17, -1, -2, -5])).collect(),
        };
        let last = strides.len() - 1;
        match class {
            AccessClass::InnerContiguous => strides[last] = 1,
            AccessClass::InnerUniform => strides[last] = 0,
            AccessClass::Uniform => strides.fill(0),
            _ => {}
        }
        let access = Access { element, class, is_read: true, is_written: false };
        self.add(random, access, strides, extents);
    }

    /// A new access for a store, with different elements at different points.
    pub(super) fn add_written(&mut self, random: &mut Random, element: ElementType, is_loop: bool) -> usize {
        let (rank, parallel) = (self.structure.rank, self.structure.parallel);
        let extents = self.arguments.extents.clone();
        let axes = if is_loop { rank } else { parallel };
        let is_contiguous = is_loop && random.chance(50);
        let strides = match is_contiguous {
            true => row_major(&extents),
            false => {
                let has_inner_one = random.chance(50);
                let mut order: Vec<usize> = (0..axes).collect();
                if !has_inner_one && axes > 1 {
                    order.rotate_left(1 + random.below(axes - 1));
                }
                let mut strides = vec![0; rank];
                let mut stride = if has_inner_one { 1 } else { 1 + random.below(3) as i64 };
                for &axis in order.iter().rev() {
                    strides[axis] = if random.chance(20) && stride > 1 { -stride } else { stride };
                    stride = stride * extents[axis] as i64 + random.below(3) as i64;
                }
                strides
            }
        };
        let class = match () {
            () if is_contiguous => AccessClass::Contiguous,
            () if strides.iter().all(|&stride| stride == 0) => AccessClass::Uniform,
            () if strides[rank - 1] == 1 => AccessClass::InnerContiguous,
            () if strides[rank - 1] == 0 => AccessClass::InnerUniform,
            () => AccessClass::Strided,
        };
        self.add(random, Access { element, class, is_read: false, is_written: true }, strides, extents)
    }

    fn add(&mut self, random: &mut Random, access: Access, strides: Vec<i64>, extents: Vec<usize>) -> usize {
        let (mut least, mut greatest) = (0, 0);
        for (&stride, &extent) in strides.iter().zip(&extents) {
            let span = stride * (extent as i64 - 1);
            least += span.min(0);
            greatest += span.max(0);
        }
        let offset = random.below(4);
        let length = offset + (greatest - least) as usize + 1 + random.below(3);
        let bytes = memory(random, access.element, length);
        let offset = offset + least.unsigned_abs() as usize;
        self.structure.accesses.push(access);
        self.arguments.views.push(View { offset, strides, extents });
        self.memory.push(bytes);
        self.memory.len() - 1
    }

    /// Leaves accesses without loads and stores out.
    fn remove_unused(&mut self) {
        let mut is_used = vec![false; self.structure.accesses.len()];
        super::code::each_access(&mut self.structure, |access| is_used[*access] = true);
        let new: Vec<usize> =
            is_used.iter().scan(0, |n, &used| Some(std::mem::replace(n, *n + used as usize))).collect();
        super::code::each_access(&mut self.structure, |access| *access = new[*access]);
        let mut keep = is_used.iter();
        self.structure.accesses.retain(|_| *keep.next().unwrap_or(&true));
        let mut keep = is_used.iter();
        self.arguments.views.retain(|_| *keep.next().unwrap_or(&true));
        let mut keep = is_used.iter();
        self.memory.retain(|_| *keep.next().unwrap_or(&true));
    }

    /// True if the access stores a value of the phase in place: it is read here or before, and not stored yet.
    pub(super) fn is_in_place(&self, access: usize, element: ElementType, is_loop: bool) -> bool {
        let found = self.structure.accesses[access];
        if found.element != element || found.is_written || found.class == AccessClass::Indexed {
            return false;
        }
        let axes = if is_loop { self.structure.rank } else { self.structure.parallel };
        let view = &self.arguments.views[access];
        let is_row = view.strides[axes..].iter().all(|&stride| stride == 0)
            && !matches!(found.class, AccessClass::Contiguous | AccessClass::InnerContiguous);
        (is_loop || is_row) && crate::check::is_injective(&view.strides[..axes], &view.extents[..axes])
    }

    /// Accesses that the phases so far store.
    pub(super) fn stored(&self) -> Vec<usize> {
        let effects = self.structure.phases.iter().flat_map(|phase| &phase.effects);
        effects
            .filter_map(|effect| if let &Effect::Store { access, .. } = effect { Some(access) } else { None })
            .collect()
    }
}

fn compare_elements(element: ElementType, expected: &[u8], found: &[u8]) -> Result<(), String> {
    let part = element.part();
    let is_nan = |bytes| match reference::read(part, bytes) {
        Some(crate::Value::F32(x)) => x.is_nan(),
        Some(crate::Value::F64(x)) => x.is_nan(),
        _ => false,
    };
    for (index, (e, f)) in expected.chunks(part.bytes()).zip(found.chunks(part.bytes())).enumerate() {
        if e != f && !(is_nan(e) && is_nan(f)) {
            let (e, f) = (reference::read(part, e), reference::read(part, f));
            return Err(format!("part {index} is {f:?} instead of {e:?}"));
        }
    }
    if expected.len() == found.len() { Ok(()) } else { Err("another count of bytes".into()) }
}

fn memory(random: &mut Random, element: ElementType, length: usize) -> Vec<u8> {
    let part = element.part();
    let mut bytes = vec![0; length * element.bytes()];
    for target in bytes.chunks_mut(part.bytes()) {
        reference::write(random.value(part), target);
    }
    bytes
}

/// One to four axes.
fn extents(random: &mut Random, max_points: usize) -> Vec<usize> {
    let rank = 1 + random.below(4);
    let mut points = 1;
    (0..rank)
        .map(|axis| {
            let most =
                if axis + 1 == rank { 1 + random.below(max_points) } else { random.choose(&[1, 2, 3, 7, 17, 64, 300]) };
            let extent = most.min(max_points / points).max(1);
            points *= extent;
            extent
        })
        .collect()
}

fn row_major(extents: &[usize]) -> Vec<i64> {
    let mut strides = vec![1; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as i64;
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_kernels_are_valid_and_different() {
        let options = Options { max_points: 300, ..Options::default() };
        let mut kinds = std::collections::BTreeSet::new();
        for seed in 0..2000 {
            let case = Case::random(seed, &options);
            case.structure.check().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{:#?}", case.structure));
            let lengths: Vec<usize> =
                case.memory.iter().zip(&case.structure.accesses).map(|(m, a)| m.len() / a.element.bytes()).collect();
            case.arguments.check(&case.structure, &lengths).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for phase in &case.structure.phases {
                kinds.extend(phase.code.iter().map(|i| format!("{i:?}").split(['(', ' ']).next().unwrap().to_string()));
                kinds.extend(phase.effects.iter().map(|e| format!("{e:?}").split(' ').next().unwrap().to_string()));
            }
        }
        assert_eq!(kinds.len(), 16 + 2, "all instructions and effects: {kinds:?}");
    }

    #[test]
    fn the_reference_runs_random_kernels() {
        let options = Options { max_points: 200, has_elementary: false, ..Options::default() };
        let mut changed = 0;
        for seed in 0..300 {
            let case = Case::random(seed, &options);
            let results =
                case.reference().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{:#?}", case.structure));
            changed += usize::from(case.compare(&case.memory, &results).is_err());
        }
        assert!(changed > 290, "{changed} kernels of 300 wrote something");
    }
}
