//! A Laplace filter of RGB images of bytes: one kernel for all points of a space with six parameters.

use affinimath::kernel::dynamic::{Alignment, BinaryOp, Builder, Memory, Query, StoreMode, Value};
use affinimath::kernel::{Access, BuildError, Index, Kernel, ScalarType, ValueType};
use affinimath::tuner::space::{Configuration, Space, SpaceError};
use rayon::prelude::*;

/// Components of a pixel: red, green and blue lie side by side.
pub const PIXEL: usize = 3;

/// Sizes of an image in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    pub width: usize,
    pub height: usize,
}

impl Image {
    /// Components of a row.
    pub const fn row(self) -> usize {
        PIXEL * self.width
    }

    /// Components of the image.
    pub const fn components(self) -> usize {
        self.row() * self.height
    }

    /// An image with smooth parts, edges and noise, always the same.
    pub fn picture(self) -> Vec<u8> {
        let mut noise = 0x2545_f491_u32;
        let mut component = |i: usize| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (x, y) = (i % self.row() / PIXEL, i / self.row());
            let smooth = (x * 3 + y * 2 + i % PIXEL * 40) as u32 / 4 % 256;
            let edge = if (x / 17 + y / 13) % 2 == 0 { 0 } else { 120 };
            ((smooth + edge + (noise >> 28)) % 256) as u8
        };
        (0..self.components()).map(&mut component).collect()
    }

    /// The filter by its definition: 9 times a component, minus its eight neighbours, between 0 and 255. Pixels of the
    /// border are copied.
    pub fn filtered(self, source: &[u8]) -> Vec<u8> {
        let (row, mut out) = (self.row(), source.to_vec());
        let inner = |j: usize| j > 0 && j + 1 < self.height;
        out.par_chunks_mut(row).enumerate().filter(|(j, _)| inner(*j)).for_each(|(j, out)| {
            for (c, component) in out.iter_mut().enumerate().take(row - PIXEL).skip(PIXEL) {
                let i = row * j + c;
                let sums = [i - row, i, i + row]
                    .map(|i| i32::from(source[i - PIXEL]) + i32::from(source[i]) + i32::from(source[i + PIXEL]));
                let value = 10 * i32::from(source[i]) - sums.iter().sum::<i32>();
                *component = value.clamp(0, 255) as u8;
            }
        });
        out
    }
}

/// The kernel as one writes it first: a work-item for each pixel, sums of 32 bits.
pub fn naive() -> Result<Kernel, BuildError> {
    Kernel::build("laplace_naive", |k| {
        let (row, rows) = (k.argument::<i32>("row"), k.argument::<i32>("rows"));
        let (source, filtered) = (k.input::<u8>("source"), k.output::<u8>("filtered"));
        let (x, j) = (k.global_id(0).to::<i32>(), k.global_id(1).to::<i32>());
        let c = x * PIXEL as i32;
        k.when(c.lt(row) & j.lt(rows), || {
            let inner = c.gt(0) & c.lt(row - PIXEL as i32) & j.gt(0) & j.lt(rows - 1);
            for component in 0..PIXEL as i32 {
                let i = row * j + c + component;
                k.if_else(
                    inner,
                    || {
                        let at = |i| source.at(i).to::<i32>();
                        let mut value = at(i) * 9;
                        for (dj, dx) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
                            value = value - at(i + row * dj + PIXEL as i32 * dx);
                        }
                        filtered.store(i, value.clamp(0, 255).to::<u8>());
                    },
                    || filtered.store(i, source.at(i)),
                );
            }
        });
    })
}

/// Points of the search: the parameters of [`laplace`].
pub fn space() -> Result<Space, SpaceError> {
    Space::builder()
        .values("x", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32])
        .values("y", [1, 2, 4, 8])
        .values("vector", [1, 2, 4, 8, 16])
        .values("temporary", [8, 16, 32])
        .flag("synthesise")
        .flag("recompute")
        .rule("vector <= x and x * y <= 128")
        .rule("x % vector != 0 or not recompute")
        .build()
}

/// A point of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Components of a work-item in a row.
    pub x: usize,
    /// Rows of a work-item.
    pub y: usize,
    /// Lanes of its vectors.
    pub vector: usize,
    /// Bits of sums: 16, 32, or 8 for sums in two bytes with carries.
    pub temporary: usize,
    /// True if neighbours are lanes of vectors that are loaded once; else each has a load of its own.
    pub synthesise: bool,
    /// True if a remainder of x by the lanes is a whole vector that overlaps; else it is shorter vectors.
    pub recompute: bool,
}

impl Point {
    pub fn of(point: &Configuration) -> Option<Self> {
        Some(Point {
            x: point.get("x")?,
            y: point.get("y")?,
            vector: point.get("vector")?,
            temporary: point.get("temporary")?,
            synthesise: point.get("synthesise")? != 0,
            recompute: point.get("recompute")? != 0,
        })
    }

    /// Groups of these work-items that cover an image.
    pub fn groups(&self, image: Image, items: [usize; 3]) -> [usize; 3] {
        [image.row().div_ceil(self.x).div_ceil(items[0]), image.height.div_ceil(self.y).div_ceil(items[1]), 1]
    }

    /// First components and lanes of the vectors that make x components.
    fn pieces(&self) -> Vec<(usize, usize)> {
        let (whole, rest) = (self.x / self.vector, self.x % self.vector);
        let mut pieces: Vec<_> = (0..whole).map(|i| (i * self.vector, self.vector)).collect();
        if rest > 0 && self.recompute {
            pieces.push((self.x - self.vector, self.vector));
        } else if rest > 0 {
            let mut first = whole * self.vector;
            for lanes in [8, 4, 2, 1].into_iter().filter(|lanes| rest & lanes != 0) {
                pieces.push((first, lanes));
                first += lanes;
            }
        }
        pieces
    }

    /// Components loaded before and behind those of a work-item.
    const fn overhang(&self) -> usize {
        let lanes = self.side_lanes();
        if self.synthesise { PIXEL.div_ceil(lanes) * lanes } else { PIXEL }
    }

    const fn side_lanes(&self) -> usize {
        if self.vector < 4 { self.vector } else { 4 }
    }
}

/// The filter as a point says. `aligned` promises that rows are multiples of the vectors' lanes.
pub fn laplace(point: &Point, aligned: bool) -> Result<Kernel, BuildError> {
    Kernel::build_dynamic("laplace", |k| {
        let tile = Tile {
            k,
            point: *point,
            alignment: if aligned && point.x.is_multiple_of(point.vector) {
                Alignment::Vector
            } else {
                Alignment::Element
            },
            row: k.argument("row", ScalarType::I32)?,
            rows: k.argument("rows", ScalarType::I32)?,
            source: k.buffer("source", ValueType::scalar(ScalarType::U8), Access::Read)?,
            filtered: k.buffer("filtered", ValueType::scalar(ScalarType::U8), Access::Write)?,
        };
        tile.body()
    })
}

/// The components of a work-item.
#[derive(Clone, Copy)]
struct Tile<'k> {
    k: Builder<'k>,
    point: Point,
    alignment: Alignment,
    row: Value<'k>,
    rows: Value<'k>,
    source: Memory<'k>,
    filtered: Memory<'k>,
}

/// Sums of three components side by side, and the one in the middle.
#[derive(Clone, Copy)]
struct RowSum<'k> {
    sum: Wide<'k>,
    centre: Value<'k>,
}

/// A sum of bytes: a value of a wider type, or a low and a high byte.
#[derive(Clone, Copy)]
enum Wide<'k> {
    One(Value<'k>),
    Bytes(Value<'k>, Value<'k>),
}

type Built<T> = Result<T, BuildError>;

impl<'k> Tile<'k> {
    fn int(&self, value: usize) -> Built<Value<'k>> {
        self.k.integer(ScalarType::I32, value as i128)
    }

    fn add(&self, a: Value<'k>, offset: usize) -> Built<Value<'k>> {
        a.binary(BinaryOp::Add, self.int(offset)?)
    }

    fn sub(&self, a: Value<'k>, offset: usize) -> Built<Value<'k>> {
        a.binary(BinaryOp::Sub, self.int(offset)?)
    }

    fn body(self) -> Built<()> {
        let Point { x, y, .. } = self.point;
        let start = |dimension, size| -> Built<Value<'k>> {
            let id = self.k.query(Query::GlobalId, dimension)?.convert(ScalarType::I32)?;
            id.binary(BinaryOp::Mul, self.int(size)?)
        };
        let (c, j) = (start(0, x)?.named("c"), start(1, y)?.named("j"));
        let in_image = c.binary(BinaryOp::Lt, self.row)?.binary(BinaryOp::And, j.binary(BinaryOp::Lt, self.rows)?)?;
        self.k.when(in_image, || {
            let zero = self.int(0)?;
            let last_row = self.sub(self.rows, 1)?;
            let whole = self.add(c, x)?.binary(BinaryOp::Le, self.row)?;
            let whole = whole.binary(BinaryOp::And, self.add(j, y)?.binary(BinaryOp::Le, self.rows)?)?;
            // Loads around the tile stay in the buffer. In the first and last columns they may be of other rows: there
            // components are copied.
            let above = self.sub(j, 1)?.binary(BinaryOp::Max, zero)?;
            let first =
                self.sub(self.row.binary(BinaryOp::Mul, above)?.binary(BinaryOp::Add, c)?, self.point.overhang())?;
            let below = self.add(j, y)?.binary(BinaryOp::Min, last_row)?;
            let end = self.row.binary(BinaryOp::Mul, below)?.binary(BinaryOp::Add, c)?;
            let end = self.add(end, x + self.point.overhang())?;
            let inside = first
                .binary(BinaryOp::Ge, zero)?
                .binary(BinaryOp::And, end.binary(BinaryOp::Le, self.row.binary(BinaryOp::Mul, self.rows)?)?)?;
            self.k.if_else(whole.binary(BinaryOp::And, inside)?, || self.vectors(c, j), || self.components(c, j))
        })
    }

    /// The tile by vectors.
    fn vectors(self, c: Value<'k>, j: Value<'k>) -> Built<()> {
        let zero = self.int(0)?;
        let last_row = self.sub(self.rows, 1)?;
        let pieces = self.point.pieces();
        let mut sums: Vec<Vec<RowSum<'k>>> = Vec::new();
        for row in 0..self.point.y + 2 {
            let j = self.sub(self.add(j, row)?, 1)?;
            let j = if row == 0 { j.binary(BinaryOp::Max, zero)? } else { j };
            let j = if row == self.point.y + 1 { j.binary(BinaryOp::Min, last_row)? } else { j };
            sums.push(self.row_sums(self.row.binary(BinaryOp::Mul, j)?.binary(BinaryOp::Add, c)?, &pieces)?);
        }
        for row in 0..self.point.y {
            let j = self.add(j, row)?;
            let is_border = j.binary(BinaryOp::Eq, zero)?.binary(BinaryOp::Or, j.binary(BinaryOp::Eq, last_row)?)?;
            let first = self.row.binary(BinaryOp::Mul, j)?.binary(BinaryOp::Add, c)?;
            for (piece, (offset, lanes)) in pieces.iter().enumerate() {
                let [above, own, below] = [0, 1, 2].map(|i| sums[row + i][piece]);
                let all = self.plus(self.plus(above.sum, own.sum)?, below.sum)?;
                let value = self.saturated(own.centre, all)?;
                // Only the first and the last row of the image are borders, and only those of a tile may be them.
                let may_be_border = row == 0 || row + 1 == self.point.y;
                let value = if may_be_border { is_border.select(own.centre, value)? } else { value };
                let alignment = if *lanes > 1 { self.alignment } else { Alignment::Element };
                let mode = StoreMode { alignment, streaming: false };
                self.filtered.store_with(self.add(first, *offset)?, value, mode)?;
            }
        }
        self.border_columns(c, j)
    }

    /// Copies the components of a tile that are of the first or the last pixels of their rows.
    fn border_columns(self, c: Value<'k>, j: Value<'k>) -> Built<()> {
        let Point { x, y, .. } = self.point;
        let first = c.binary(BinaryOp::Lt, self.int(PIXEL)?)?;
        let last = self.sub(self.row, PIXEL)?;
        let copy = |offsets: std::ops::Range<usize>, is_border: &dyn Fn(Value<'k>) -> Built<Value<'k>>| {
            for offset in offsets {
                let component = self.add(c, offset)?;
                self.k.when(is_border(component)?, || {
                    for row in 0..y {
                        let i = self.row.binary(BinaryOp::Mul, self.add(j, row)?)?.binary(BinaryOp::Add, component)?;
                        self.filtered.store(i, self.source.load(i)?)?;
                    }
                    Ok(())
                })?;
            }
            Ok(())
        };
        self.k.when(first, || copy(0..x.min(PIXEL), &|c| c.binary(BinaryOp::Lt, self.int(PIXEL)?)))?;
        let reaches_end = self.add(c, x)?.binary(BinaryOp::Gt, last)?;
        self.k.when(reaches_end, || copy(x.saturating_sub(PIXEL)..x, &|c| c.binary(BinaryOp::Ge, last)))
    }

    /// The tile component by component, where it leaves the image or its loads would leave the buffer.
    fn components(self, c: Value<'k>, j: Value<'k>) -> Built<()> {
        let Point { x, y, .. } = self.point;
        let (zero, one) = (self.int(0)?, self.int(1)?);
        let end = self.add(c, x)?.binary(BinaryOp::Min, self.row)?;
        let below = self.add(j, y)?.binary(BinaryOp::Min, self.rows)?;
        self.k.range("tj", [j, below, one], |j| {
            self.k.range("tc", [c, end, one], |c| {
                let i = self.row.binary(BinaryOp::Mul, j)?.binary(BinaryOp::Add, c)?;
                let inner = [
                    c.binary(BinaryOp::Ge, self.int(PIXEL)?)?,
                    c.binary(BinaryOp::Lt, self.sub(self.row, PIXEL)?)?,
                    j.binary(BinaryOp::Gt, zero)?,
                    j.binary(BinaryOp::Lt, self.sub(self.rows, 1)?)?,
                ];
                let inner = inner.into_iter().try_fold(None, |all: Option<Value<'k>>, one| {
                    Ok::<_, BuildError>(Some(all.map_or(Ok(one), |all| all.binary(BinaryOp::And, one))?))
                })?;
                let filter = || {
                    let mut sum = zero;
                    for row in [self.sub(zero, 1)?, zero, one] {
                        let middle = self.row.binary(BinaryOp::Mul, row)?.binary(BinaryOp::Add, i)?;
                        for i in [self.sub(middle, PIXEL)?, middle, self.add(middle, PIXEL)?] {
                            sum = sum.binary(BinaryOp::Add, self.source.load(i)?.convert(ScalarType::I32)?)?;
                        }
                    }
                    let centre = self.source.load(i)?.convert(ScalarType::I32)?;
                    let value = centre.binary(BinaryOp::Mul, self.int(10)?)?.binary(BinaryOp::Sub, sum)?;
                    self.filtered.store(i, value.clamp(zero, self.int(255)?)?.convert(ScalarType::U8)?)
                };
                self.k.if_else(inner.unwrap_or(zero), filter, || self.filtered.store(i, self.source.load(i)?))
            })
        })
    }

    /// Sums of three for each piece of a row that begins at an index.
    fn row_sums(self, first: Value<'k>, pieces: &[(usize, usize)]) -> Built<Vec<RowSum<'k>>> {
        let at = |offset: i64| first.binary(BinaryOp::Add, self.k.integer(ScalarType::I32, offset.into())?);
        let load = |offset: i64, lanes: usize, alignment: Alignment| {
            let alignment = if lanes > 1 { alignment } else { Alignment::Element };
            self.source.load_vector(at(offset)?, lanes, alignment)
        };
        let pixel = PIXEL as i64;
        if !self.point.synthesise {
            let one = |(offset, lanes): &(usize, usize)| {
                let offset = *offset as i64;
                let centre = load(offset, *lanes, self.alignment)?;
                let left = load(offset - pixel, *lanes, Alignment::Element)?;
                self.row_sum(left, centre, load(offset + pixel, *lanes, Alignment::Element)?)
            };
            return pieces.iter().map(one).collect();
        }
        // Every component once, with those at the sides; of pieces that overlap, the first one has it.
        let mut known: Vec<(i64, Value<'k>)> = Vec::new();
        let mut centres = Vec::new();
        let mut take = |offset: i64, lanes: usize| -> Built<Value<'k>> {
            let vector = load(offset, lanes, self.alignment)?;
            for lane in 0..lanes {
                known.push((offset + lane as i64, vector.lane(lane)?));
            }
            Ok(vector)
        };
        let (side, overhang) = (self.point.side_lanes(), self.point.overhang());
        for start in (0..overhang).step_by(side) {
            take(start as i64 - overhang as i64, side)?;
        }
        for (offset, lanes) in pieces {
            centres.push(take(*offset as i64, *lanes)?);
        }
        for start in (0..overhang).step_by(side) {
            take((self.point.x + start) as i64, side)?;
        }
        let lane = |offset: i64| {
            let found = known.iter().find(|(own, _)| *own == offset);
            found.map(|(_, value)| *value).ok_or(BuildError::Unroll)
        };
        let shifted = |offset: i64, lanes: usize| {
            let all = (0..lanes as i64).map(|i| lane(offset + i)).collect::<Built<Vec<_>>>()?;
            if lanes == 1 { Ok(all[0]) } else { self.k.gather(&all) }
        };
        let one = |((offset, lanes), centre): (&(usize, usize), &Value<'k>)| {
            let offset = *offset as i64;
            self.row_sum(shifted(offset - pixel, *lanes)?, *centre, shifted(offset + pixel, *lanes)?)
        };
        pieces.iter().zip(&centres).map(one).collect()
    }

    fn row_sum(self, left: Value<'k>, centre: Value<'k>, right: Value<'k>) -> Built<RowSum<'k>> {
        let sum = self.plus(self.plus(self.wide(left)?, self.wide(centre)?)?, self.wide(right)?)?;
        Ok(RowSum { sum, centre })
    }

    const fn scalar(self) -> ScalarType {
        match self.point.temporary {
            16 => ScalarType::I16,
            32 => ScalarType::I32,
            _ => ScalarType::U8,
        }
    }

    fn wide(self, value: Value<'k>) -> Built<Wide<'k>> {
        let scalar = self.scalar();
        if scalar == ScalarType::U8 {
            return Ok(Wide::Bytes(value, self.number(0, value)?));
        }
        Ok(Wide::One(value.convert(scalar)?))
    }

    /// A constant of the sums' type, with the lanes of a value.
    fn number(self, number: i128, like: Value<'k>) -> Built<Value<'k>> {
        let lanes = like.value_type().lanes;
        let one = self.k.integer(self.scalar(), number)?;
        if lanes == 1 { Ok(one) } else { one.splat(lanes) }
    }

    fn plus(self, a: Wide<'k>, b: Wide<'k>) -> Built<Wide<'k>> {
        match (a, b) {
            (Wide::One(a), Wide::One(b)) => Ok(Wide::One(a.binary(BinaryOp::Add, b)?)),
            (Wide::Bytes(low, high), Wide::Bytes(other, other_high)) => {
                let sum = low.binary(BinaryOp::Add, other)?;
                // It wrapped around where it is less than one of its terms.
                let carry = sum.binary(BinaryOp::Lt, other)?.select(self.number(1, low)?, self.number(0, low)?)?;
                Ok(Wide::Bytes(sum, high.binary(BinaryOp::Add, other_high)?.binary(BinaryOp::Add, carry)?))
            }
            _ => Err(BuildError::Unroll),
        }
    }

    /// Ten times the centre minus the sum, between 0 and 255.
    fn saturated(self, centre: Value<'k>, sum: Wide<'k>) -> Built<Value<'k>> {
        let number = |number| self.number(number, centre);
        match sum {
            Wide::One(sum) => {
                let ten_times = centre.convert(self.scalar())?.binary(BinaryOp::Mul, number(10)?)?;
                let value = ten_times.binary(BinaryOp::Sub, sum)?;
                value.clamp(number(0)?, number(255)?)?.convert(ScalarType::U8)
            }
            Wide::Bytes(low, high) => {
                let (own_low, own_high) =
                    (centre.binary(BinaryOp::Mul, number(10)?)?, centre.binary(BinaryOp::MulHigh, number(10)?)?);
                let borrow = own_low.binary(BinaryOp::Lt, low)?.select(number(1)?, number(0)?)?;
                let low = own_low.binary(BinaryOp::Sub, low)?;
                let high = own_high.binary(BinaryOp::Sub, high)?.binary(BinaryOp::Sub, borrow)?;
                let is_negative = high.binary(BinaryOp::Ge, number(128)?)?;
                let beyond = is_negative.select(number(0)?, number(255)?)?;
                high.binary(BinaryOp::Eq, number(0)?)?.select(low, beyond)
            }
        }
    }
}

/// The largest index of 32 bits.
pub const fn fits(image: Image) -> bool {
    image.components() <= i32::MAX as usize - 64 * PIXEL && image.components() as Index > 0
}
