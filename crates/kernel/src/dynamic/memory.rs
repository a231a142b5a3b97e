//! Buffers, arrays and variables of run-time types.

use super::super::error::BuildError;
use super::super::ir::{Access, Id, Space, Statement};
use super::super::types::{ScalarType, ValueType};
use super::super::view::Order;
use super::{Alignment, AtomicOp, Builder, Result, StoreMode, Value, types};

/// A buffer, or an array in local or private memory.
#[derive(Clone, Copy)]
pub struct Memory<'k> {
    builder: super::super::Builder<'k>,
    memory: usize,
    access: Access,
    /// The type of loaded elements.
    value_type: ValueType,
}

/// A mutable variable.
#[derive(Clone, Copy)]
pub struct Variable<'k> {
    builder: super::super::Builder<'k>,
    variable: usize,
    value_type: ValueType,
}

/// The type in memory, and that of its values.
fn element_types(name: &str, element: ValueType) -> Result<(ValueType, ValueType)> {
    let is_bool = element.scalar == ScalarType::Bool;
    let vector = element.lanes > 1 && (is_bool || element.scalar == ScalarType::F16);
    if !element.is_legal() || vector {
        return Err(BuildError::Type { what: format!("an element of '{name}'"), value_type: element });
    }
    let stored = if is_bool { element.of(ScalarType::U8) } else { element };
    Ok((stored, element.of(element.scalar.loaded())))
}

impl<'k> Builder<'k> {
    /// A buffer of scalars, of `f16` and `bool` too, or of vectors of numbers. Written buffers overlap no other.
    ///
    /// # Errors
    /// [`BuildError::Type`] for other elements.
    pub fn buffer(self, name: &str, element: ValueType, access: Access) -> Result<Memory<'k>> {
        let (stored, value_type) = element_types(name, element)?;
        let memory = self.builder.add_buffer(name, stored, access);
        Ok(Memory { builder: self.builder, memory, access, value_type })
    }

    /// An array in local memory, uninitialised.
    ///
    /// # Errors
    /// As [`Builder::buffer`].
    pub fn local(self, name: &str, element: ValueType, length: usize) -> Result<Memory<'k>> {
        self.array(name, element, Space::Local, length)
    }

    /// An array in private memory, uninitialised.
    ///
    /// # Errors
    /// As [`Builder::buffer`].
    pub fn private(self, name: &str, element: ValueType, length: usize) -> Result<Memory<'k>> {
        self.array(name, element, Space::Private, length)
    }

    fn array(self, name: &str, element: ValueType, space: Space, length: usize) -> Result<Memory<'k>> {
        let (stored, value_type) = element_types(name, element)?;
        let memory = self.builder.add_array(name, stored, space, length);
        Ok(Memory { builder: self.builder, memory, access: Access::ReadWrite, value_type })
    }

    /// A variable of the type of its initial value.
    pub fn variable(self, name: &str, initial: Value<'k>) -> Variable<'k> {
        let value_type = initial.value_type();
        let variable = self.builder.add_variable(name, value_type);
        self.builder.push(Statement::Declare(variable, initial.id));
        Variable { builder: self.builder, variable, value_type }
    }
}

impl<'k> Variable<'k> {
    /// The current value.
    pub fn get(self) -> Value<'k> {
        let op = super::super::ir::Op::Read(self.variable);
        Value { builder: self.builder, id: self.builder.emit_as(op, self.value_type) }
    }

    /// Assigns a value of the variable's type.
    ///
    /// # Errors
    /// [`BuildError::Operands`] for another type.
    pub fn set(self, value: Value<'k>) -> Result<()> {
        let types = vec![self.value_type, value.value_type()];
        if types[0] != types[1] {
            return Err(BuildError::Operands { operation: "an assignment".to_owned(), types });
        }
        self.builder.push(Statement::Assign(self.variable, value.id));
        Ok(())
    }
}

impl<'k> Memory<'k> {
    /// The type of loaded elements: `f32` of half precision, `bool` of booleans.
    pub const fn value_type(self) -> ValueType {
        self.value_type
    }

    fn refused<V>(self) -> Result<V> {
        Err(BuildError::Access { name: self.builder.name_of(self.memory), access: self.access })
    }

    fn index(index: Value<'k>) -> Result<Id> {
        let value_type = index.value_type();
        if !value_type.scalar.is_integer() || value_type.lanes > 1 {
            return Err(BuildError::Type { what: "an index".to_owned(), value_type });
        }
        Ok(index.id)
    }

    /// True if the memory's elements are loaded and stored in groups of as many lanes.
    fn takes(self, value_type: ValueType) -> bool {
        let grouped = self.value_type.lanes == 1 && self.value_type.scalar != ScalarType::Bool;
        value_type.is_legal()
            && value_type.scalar == self.value_type.scalar
            && (value_type.lanes == self.value_type.lanes || grouped)
    }

    /// The index of an element of an array of dimensions with bounds, both inclusive, in an order. The interpreter
    /// reports indices outside of their bounds.
    ///
    /// # Errors
    /// [`BuildError::Type`] for an index or a bound that is no integer; [`BuildError::Arguments`] for another number of
    /// indices than of dimensions.
    pub fn offset(self, order: Order, dims: &[[Value<'k>; 2]], indices: &[Value<'k>]) -> Result<Value<'k>> {
        let name = self.builder.name_of(self.memory);
        if dims.len() != indices.len() {
            return Err(BuildError::Arguments { function: name, wanted: dims.len(), given: indices.len() });
        }
        let bound = |value: Value<'k>| Ok(self.builder.converted(Self::index(value)?, ScalarType::I64, false));
        let dims: Vec<(Id, Id)> =
            dims.iter().map(|[low, high]| Ok((bound(*low)?, bound(*high)?))).collect::<Result<_>>()?;
        let indices: Vec<Id> = indices.iter().map(|index| bound(*index)).collect::<Result<_>>()?;
        let strides = self.builder.strides_of(order, &dims);
        let id = self.builder.offset_of(&name, &dims, &strides, &indices);
        Ok(Value { builder: self.builder, id })
    }

    /// Loads the element at an index.
    ///
    /// # Errors
    /// [`BuildError::Access`] for a write-only buffer; [`BuildError::Type`] for an index that is no integer.
    pub fn load(self, index: Value<'k>) -> Result<Value<'k>> {
        self.load_vector(index, self.value_type.lanes, Alignment::Element)
    }

    /// Loads as many scalars from an index on as a vector of `lanes`. An aligned load begins at a multiple of `lanes`,
    /// in a buffer that begins at a multiple of the vector's size.
    ///
    /// # Errors
    /// As [`Memory::load`]; [`BuildError::Type`] for elements that are vectors or `bool`.
    pub fn load_vector(self, index: Value<'k>, lanes: usize, alignment: Alignment) -> Result<Value<'k>> {
        if self.access == Access::Write {
            return self.refused();
        }
        let index = Self::index(index)?;
        let value_type = ValueType::vector(self.value_type.scalar, lanes);
        if !self.takes(value_type) {
            return Err(BuildError::Type { what: "a loaded value".to_owned(), value_type });
        }
        let id = self.builder.load(self.memory, index, lanes, alignment);
        Ok(Value { builder: self.builder, id: self.builder.converted(id, self.value_type.scalar, false) })
    }

    /// Stores a value: an element, or a vector of as many scalars from the index on.
    ///
    /// # Errors
    /// [`BuildError::Access`] for a read-only buffer; [`BuildError::Type`] for an index that is no integer, or a value
    /// of another type.
    pub fn store(self, index: Value<'k>, value: Value<'k>) -> Result<()> {
        self.store_with(index, value, StoreMode::default())
    }

    /// Stores a value with an alignment, or past the caches.
    ///
    /// # Errors
    /// As [`Memory::store`].
    pub fn store_with(self, index: Value<'k>, value: Value<'k>, mode: StoreMode) -> Result<()> {
        if self.access == Access::Read {
            return self.refused();
        }
        let index = Self::index(index)?;
        let value_type = value.value_type();
        types::check_value("a stored value", value_type)?;
        if !self.takes(value_type) {
            return Err(BuildError::Type { what: "a stored value".to_owned(), value_type });
        }
        let is_bool = value_type.scalar == ScalarType::Bool;
        let stored = if is_bool { self.builder.converted(value.id, ScalarType::U8, false) } else { value.id };
        self.builder.store(self.memory, index, stored, mode);
        Ok(())
    }

    /// An atomic operation on an element of `i32` or `u32`; returns the old value. [`AtomicOp::CompareExchange`] takes
    /// the expected value and the new one, others take one value.
    ///
    /// # Errors
    /// As [`Memory::store`]; [`BuildError::Operands`] for other elements or values.
    pub fn atomic(self, op: AtomicOp, index: Value<'k>, values: &[Value<'k>]) -> Result<Value<'k>> {
        if self.access != Access::ReadWrite {
            return self.refused();
        }
        let index = Self::index(index)?;
        let element = self.value_type;
        let wanted = if op == AtomicOp::CompareExchange { 2 } else { 1 };
        let atomic = element.lanes == 1 && matches!(element.scalar, ScalarType::I32 | ScalarType::U32);
        let fit = values.len() == wanted && values.iter().all(|value| value.value_type() == element);
        if !atomic || !fit {
            let types = [element].into_iter().chain(values.iter().map(|value| value.value_type())).collect();
            return Err(BuildError::Operands { operation: format!("the atomic operation {op:?}"), types });
        }
        let ids = values.iter().map(|value| value.id).collect();
        Ok(Value { builder: self.builder, id: self.builder.atomic(op, self.memory, index, ids) })
    }
}
