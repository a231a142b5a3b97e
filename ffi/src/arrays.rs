//! Arrays and text expressions that C holds.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use affinimath::array::{
    AnyArray, DeviceOperand, ElementType, HostOperand, Number, Shape, Strides, Value, elements_at, elements_at_mut,
};
use affinimath::{Context, Device, Error, Result, route};
use affinimath_abi::arguments::{not_null, size};
use affinimath_abi::opencl::{self, ClEvent, ClQueue};

use crate::generated::arrays::{ArrayOperand, ArrayResult, OperandCl};
use crate::text;

/// Rust's side of C's `affinimath_array`.
pub struct Array(AnyArray);

impl Array {
    pub(crate) const fn any(&self) -> &AnyArray {
        &self.0
    }
}

/// Rust's side of C's `affinimath_expression`.
pub struct Expression(affinimath::array::Expression);

/// The device of `affinimathGetDevice`, as a number.
const CHOSEN_DEVICE: i64 = -2;
const HOST: i64 = -1;
/// The rank of an operand that is a number, which takes the type of the arrays that it meets.
const NUMBER: c_int = -1;
/// Axes of an array, at most.
const MAX_RANK: usize = 8;

/// The code of a type of elements.
pub(crate) const fn code(element: ElementType) -> c_int {
    match element {
        ElementType::Bool => 501,
        ElementType::U8 => 502,
        ElementType::I32 => 503,
        ElementType::U32 => 504,
        ElementType::I64 => 505,
        ElementType::F32 => 506,
        ElementType::F64 => 507,
        ElementType::C32 => 508,
        ElementType::C64 => 509,
    }
}

fn element_of(name: &'static str, code: c_int) -> Result<ElementType> {
    use ElementType::{Bool, C32, C64, F32, F64, I32, I64, U8, U32};
    let all = [Bool, U8, I32, U32, I64, F32, F64, C32, C64];
    let found = all.into_iter().find(|element| self::code(*element) == code);
    found.ok_or_else(|| Error::argument(name, format!("{code} is no type of elements")))
}

/// The context of a device's number.
pub(crate) fn context(device: i64) -> Result<Context> {
    let index = if device == CHOSEN_DEVICE { route::device()? } else { device };
    if index == HOST {
        return Ok(Context::host());
    }
    let devices = Device::all()?;
    match usize::try_from(index).ok().and_then(|index| devices.get(index)) {
        Some(device) => Context::open(device),
        None => Err(Error::UnknownDevice {
            asked: index.to_string(),
            available: format!("0 to {}, and -1 for the host", devices.len() as i64 - 1),
        }),
    }
}

/// The type, the shape and the strides of an operand, whose argument has this name.
fn described_by(
    name: &'static str,
    element: c_int,
    rank: c_int,
    [shape, strides]: [&[i64; MAX_RANK]; 2],
) -> Result<(ElementType, Shape, Strides)> {
    let element = element_of(name, element)?;
    let axes = usize::try_from(rank).ok().filter(|rank| *rank <= MAX_RANK);
    let axes = axes.ok_or_else(|| Error::argument(name, format!("it has {rank} axes, not 0 to 8")))?;
    let extents = shape[..axes].iter().map(|extent| size(name, *extent)).collect::<Result<Vec<_>>>()?;
    let wrong = |error: &dyn std::fmt::Display| Error::argument(name, error.to_string());
    let shape = Shape::new(&extents).map_err(|error| wrong(&error))?;
    Ok((element, shape, Strides::new(&strides[..axes]).map_err(|error| wrong(&error))?))
}

/// # Safety
/// `operand` must be null or valid with its elements, `array` null or valid for a write.
pub(crate) unsafe fn create(operand: *const ArrayOperand, device: i64, array: *mut *mut Array) -> Result<()> {
    not_null("operand", operand)?;
    // SAFETY: `not_null` refused null; `create` requires a valid operand.
    let operand = unsafe { &*operand };
    let (element, shape, strides) =
        described_by("operand", operand.element, operand.rank, [&operand.shape, &operand.strides])?;
    let context = context(device)?;
    not_null("array", array)?;
    if !shape.is_empty() {
        not_null("operand", operand.data)?;
    }
    let made = if strides == Strides::row_major(&shape) || shape.is_empty() {
        let (start, length) = match shape.is_empty() {
            true => (ptr::dangling::<u128>().cast(), 0),
            false => (operand.data.cast_const().cast(), shape.len()),
        };
        // SAFETY: the operand has as many elements.
        AnyArray::from_elements(&context, &shape, unsafe { elements_at(element, start, length) })?
    } else {
        let mut packed = vec![0_u128; (shape.len() * element.bytes()).div_ceil(size_of::<u128>())];
        let copy = affinimath::array::Expression::parse("x")?;
        let start = packed.as_mut_ptr().cast::<u8>();
        let of = |name, strides, start| HostOperand { name, element, shape, strides, start };
        let operands = [of("x", strides, operand.data.cast()), of("", Strides::row_major(&shape), start)];
        // SAFETY: the operand has its elements, and the vector as many.
        unsafe { copy.run(&Context::host(), &operands)? };
        // SAFETY: the copy has written all elements.
        AnyArray::from_elements(&context, &shape, unsafe { elements_at(element, start, shape.len()) })?
    };
    // SAFETY: `not_null` refused null; `create` requires a pointer that is valid for a write.
    unsafe { array.write(Box::into_raw(Box::new(Array(made)))) };
    Ok(())
}

/// # Safety
/// `array` must be null or live, `data` null or valid for its elements.
pub(crate) unsafe fn download(array: *const Array, data: *mut c_void) -> Result<()> {
    not_null("array", array)?;
    // SAFETY: `not_null` refused null; `download` requires a live array.
    let array = unsafe { &(*array).0 };
    let shape = array.shape();
    if shape.is_empty() {
        return Ok(());
    }
    not_null("data", data)?;
    // SAFETY: `download` requires memory for the elements.
    array.download(unsafe { elements_at_mut(array.element(), data.cast(), shape.len()) })
}

/// # Safety
/// `array` must be null or live.
pub(crate) unsafe fn evaluate(array: *const Array) -> Result<()> {
    not_null("array", array)?;
    // SAFETY: `not_null` refused null; `evaluate` requires a live array.
    AnyArray::evaluate_all(&[unsafe { &(*array).0 }])
}

/// # Safety
/// `operands` must be null or valid for `count` ones with live arrays.
pub(crate) unsafe fn evaluate_all(count: i64, operands: *const ArrayOperand) -> Result<()> {
    let count = size("count", count)?;
    if count == 0 {
        return Ok(());
    }
    not_null("operands", operands)?;
    // SAFETY: `not_null` refused null; `evaluate_all` requires `count` valid operands.
    let operands = unsafe { std::slice::from_raw_parts(operands, count) };
    let array = |operand: &ArrayOperand| {
        not_null("operands", operand.array)?;
        // SAFETY: `not_null` refused null; `evaluate_all` requires live arrays.
        Ok(unsafe { &(*operand.array).0 })
    };
    AnyArray::evaluate_all(&operands.iter().map(array).collect::<Result<Vec<_>>>()?)
}

/// # Safety
/// `array` must be null or live, `device` null or valid for a write.
pub(crate) unsafe fn array_device(array: *const Array, device: *mut i64) -> Result<()> {
    not_null("array", array)?;
    not_null("device", device)?;
    // SAFETY: `not_null` refused null; `array_device` requires a live array.
    let own = unsafe { (*array).0.context().device() };
    let index = match own {
        None => HOST,
        Some(own) => Device::all()?.iter().position(|other| ptr::eq(other, own)).map_or(0, |index| index as i64),
    };
    // SAFETY: `not_null` refused null; `array_device` requires a pointer that is valid for a write.
    unsafe { device.write(index) };
    Ok(())
}

/// # Safety
/// `array` must be null or live, and is not used afterwards.
pub(crate) unsafe fn destroy(array: *mut Array) -> Result<()> {
    if !array.is_null() {
        // SAFETY: it is not null; `destroy` requires a live array.
        drop(unsafe { Box::from_raw(array) });
    }
    Ok(())
}

/// # Safety
/// `text` must be null or a C string, `expression` null or valid for a write.
pub(crate) unsafe fn parse(text: *const c_char, expression: *mut *mut Expression) -> Result<()> {
    // SAFETY: `parse` requires a C string.
    let parsed = affinimath::array::Expression::parse(unsafe { text::read("text", text)? })?;
    not_null("expression", expression)?;
    // SAFETY: `not_null` refused null; `parse` requires a pointer that is valid for a write.
    unsafe { expression.write(Box::into_raw(Box::new(Expression(parsed)))) };
    Ok(())
}

/// # Safety
/// `expression` must be null or live, and is not used afterwards.
pub(crate) unsafe fn destroy_expression(expression: *mut Expression) -> Result<()> {
    if !expression.is_null() {
        // SAFETY: it is not null; `destroy_expression` requires a live expression.
        drop(unsafe { Box::from_raw(expression) });
    }
    Ok(())
}

/// An operand of C's, with the name that it has in the text.
pub(crate) trait Named: 'static {
    fn name(&self) -> *const c_char;
}

impl Named for ArrayOperand {
    fn name(&self) -> *const c_char {
        self.name
    }
}

impl Named for OperandCl {
    fn name(&self) -> *const c_char {
        self.name
    }
}

/// The operands of a call.
///
/// # Safety
/// `operands` must be null or valid for `count` ones, with names that are C strings.
pub(crate) unsafe fn operands<'a, T: Named>(count: i64, operands: *const T) -> Result<Vec<(&'a str, &'a T)>> {
    let count = size("count", count)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    not_null("operands", operands)?;
    // SAFETY: `not_null` refused null; this function requires `count` valid operands.
    let all = unsafe { std::slice::from_raw_parts(operands, count) };
    let named = |operand: &'a T| {
        // SAFETY: this function requires C strings.
        Ok((unsafe { text::read("operands", operand.name())? }, operand))
    };
    all.iter().map(named).collect()
}

/// # Safety
/// `expression` must be null or live, `operands` null or valid for `count` ones with live arrays, `results` null or
/// valid for `limit` writes, `made` null or valid for a write.
pub(crate) unsafe fn apply(
    expression: *const Expression,
    count: i64,
    operands: *const ArrayOperand,
    limit: i64,
    results: *mut ArrayResult,
    made: *mut i64,
) -> Result<()> {
    not_null("expression", expression)?;
    // SAFETY: `apply` requires valid operands.
    let operands = unsafe { self::operands(count, operands)? };
    let limit = size("limit", limit)?;
    let (mut arrays, mut numbers) = (Vec::with_capacity(operands.len()), Vec::new());
    for (name, operand) in &operands {
        if operand.rank == NUMBER {
            // SAFETY: `apply` requires numbers with their elements.
            numbers.push((*name, unsafe { number_of(operand)? }));
            continue;
        }
        not_null("operands", operand.array)?;
        // SAFETY: `not_null` refused null; `apply` requires live arrays.
        arrays.push((*name, unsafe { &(*operand.array).0 }));
    }
    let context = arrays.first().map_or_else(Context::host, |(_, array)| array.context().clone());
    // SAFETY: `not_null` refused null; `apply` requires a live expression.
    let outputs = unsafe { (*expression).0.apply_with(&context, &arrays, &numbers)? };
    if outputs.len() > limit {
        return Err(Error::argument("limit", format!("the text has {} results, and {limit} fit", outputs.len())));
    }
    not_null("made", made)?;
    if !outputs.is_empty() {
        not_null("results", results)?;
    }
    // SAFETY: `not_null` refused null; `apply` requires a pointer that is valid for a write.
    unsafe { made.write(outputs.len() as i64) };
    for (index, (_, array)) in outputs.into_iter().enumerate() {
        let described = described(array.element(), &array.shape());
        let result = ArrayResult { array: Box::into_raw(Box::new(Array(array))), ..described };
        // SAFETY: there is memory for `limit` results, of which none is null.
        unsafe { results.add(index).write(result) };
    }
    Ok(())
}

/// A result without an array.
fn described(element: ElementType, extents: &Shape) -> ArrayResult {
    let mut shape = [0; MAX_RANK];
    for (to, from) in shape.iter_mut().zip(extents.iter()) {
        *to = *from as i64;
    }
    ArrayResult { array: ptr::null_mut(), element: code(element), rank: extents.rank() as c_int, shape }
}

/// The number of an operand that has no axes of its own.
///
/// # Safety
/// The operand's data must be null or valid for a read of its type.
unsafe fn number_of(operand: &ArrayOperand) -> Result<Number> {
    not_null("operands", operand.data)?;
    macro_rules! read {
        ($type:ty) => {
            // SAFETY: `not_null` refused null; this function requires an element of the type.
            unsafe { operand.data.cast::<$type>().read_unaligned() }
        };
    }
    Ok(match element_of("operands", operand.element)? {
        ElementType::Bool => Number::Real(Value::Bool(read!(u8) != 0)),
        ElementType::U8 => Number::Real(Value::U8(read!(u8))),
        ElementType::I32 => Number::Real(Value::I32(read!(i32))),
        ElementType::U32 => Number::Real(Value::U32(read!(u32))),
        ElementType::I64 => Number::Real(Value::I64(read!(i64))),
        ElementType::F32 => Number::Real(Value::F32(read!(f32))),
        ElementType::F64 => Number::Real(Value::F64(read!(f64))),
        ElementType::C32 => {
            let [re, im] = read!([f32; 2]);
            Number::Complex(Value::F32(re), Value::F32(im))
        }
        ElementType::C64 => {
            let [re, im] = read!([f64; 2]);
            Number::Complex(Value::F64(re), Value::F64(im))
        }
    })
}

/// Operands in the host's memory, and numbers.
type OnHost<'a> = (Vec<HostOperand<'a>>, Vec<(&'a str, Number)>);

/// # Safety
/// `operands` must be null or valid for `count` ones, numbers among them with their elements.
unsafe fn on_host<'a>(count: i64, operands: *const ArrayOperand) -> Result<OnHost<'a>> {
    // SAFETY: this function requires valid operands.
    let operands = unsafe { self::operands(count, operands)? };
    let (mut arrays, mut numbers) = (Vec::with_capacity(operands.len()), Vec::new());
    for (name, operand) in operands {
        if operand.rank == NUMBER {
            // SAFETY: this function requires numbers with their elements.
            numbers.push((name, unsafe { number_of(operand)? }));
            continue;
        }
        let (element, shape, strides) =
            described_by("operands", operand.element, operand.rank, [&operand.shape, &operand.strides])?;
        arrays.push(HostOperand { name, element, shape, strides, start: operand.data.cast() });
    }
    Ok((arrays, numbers))
}

/// # Safety
/// `expression` must be null or live, `operands` null or valid for `count` ones, `result` null or valid for a write.
pub(crate) unsafe fn value(
    expression: *const Expression,
    count: i64,
    operands: *const ArrayOperand,
    result: *mut ArrayResult,
) -> Result<()> {
    not_null("expression", expression)?;
    // SAFETY: `value` requires valid operands.
    let (operands, numbers) = unsafe { on_host(count, operands)? };
    // SAFETY: `not_null` refused null; `value` requires a live expression.
    let value = unsafe { (*expression).0.value_with(&operands, &numbers)? };
    not_null("result", result)?;
    let none = ArrayResult { array: ptr::null_mut(), element: 0, rank: -1, shape: [0; MAX_RANK] };
    let described = value.map_or(none, |(element, shape)| described(element, &shape));
    // SAFETY: `not_null` refused null; `value` requires a pointer that is valid for a write.
    unsafe { result.write(described) };
    Ok(())
}

/// # Safety
/// `expression` must be null or live, `operands` null or valid for `count` ones with their elements.
pub(crate) unsafe fn run(expression: *const Expression, count: i64, operands: *const ArrayOperand) -> Result<()> {
    not_null("expression", expression)?;
    // SAFETY: `run` requires valid operands.
    let (operands, numbers) = unsafe { on_host(count, operands)? };
    let context = match route::demands_device()? {
        true => context(CHOSEN_DEVICE)?,
        false => Context::host(),
    };
    // SAFETY: `not_null` refused null; `run` requires a live expression, and elements of its operands.
    unsafe { (*expression).0.run_with(&context, &operands, &numbers) }
}

/// # Safety
/// `expression` must be null or live, `queue` null or a live queue, `operands` null or valid for `count` ones with live
/// memory objects, `event` null or valid for a write.
pub(crate) unsafe fn run_cl(
    expression: *const Expression,
    queue: *mut ClQueue,
    count: i64,
    operands: *const OperandCl,
    event: *mut *mut ClEvent,
) -> Result<()> {
    not_null("expression", expression)?;
    // SAFETY: `run_cl` requires a queue that is null or live.
    let queue = unsafe { opencl::queue(queue)? };
    // A caller without an event pointer does not pay for an event.
    let queue = if event.is_null() { queue.unsignaled() } else { queue };
    // SAFETY: `run_cl` requires valid operands.
    let operands = unsafe { self::operands(count, operands)? };
    let mut memories = Vec::with_capacity(operands.len());
    for (_, operand) in &operands {
        memories.push(match operand.memory.is_null() {
            true => None,
            // SAFETY: it is not null; `run_cl` requires live memory objects.
            false => Some(unsafe { opencl::memory(&queue, "operands", operand.memory)? }),
        });
    }
    let mut on_device = Vec::with_capacity(operands.len());
    for ((name, operand), memory) in operands.iter().zip(&memories) {
        let (element, shape, strides) =
            described_by("operands", operand.element, operand.rank, [&operand.shape, &operand.strides])?;
        let (memory, offset) = (memory.as_ref(), size("operands", operand.offset)?);
        on_device.push(DeviceOperand { name, element, shape, strides, memory, offset });
    }
    // SAFETY: `not_null` refused null; `run_cl` requires a live expression.
    let done = unsafe { (*expression).0.run_on(&queue, &on_device)? };
    // SAFETY: `run_cl` requires an event pointer that is null or valid for a write.
    unsafe { opencl::give_event(&queue, done, event) }
}
