"""What a backend is asked to do: an operator, its feature level, its tensors, its attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from .errors import ProtocolError, Rejected
from .tensor import DTYPES, Array

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class TensorDescriptor:
    """The shape, element type and memory layout of one tensor, as its author wrote it; it may be malformed.

    Sizes and strides are in elements. `strides` of `None` means packed: row-major without gaps.
    """

    data_type: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    total_bytes: int | None = None
    alignment: int = 0
    flags: tuple[str, ...] = ()

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The elements' type in NumPy."""
        return DTYPES[self.data_type]

    @property
    def element_count(self) -> int:
        """The number of logical elements."""
        return math.prod(self.sizes)

    @property
    def is_packed(self) -> bool:
        """Whether elements lie in row-major order without gaps; strides along dimensions of size 1 do not matter."""
        if self.strides is None:
            return True
        if len(self.strides) != len(self.sizes):
            return False
        packed = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides)):
            if size != 1 and stride != packed:
                return False
            packed *= max(size, 1)
        return True

    @property
    def carried_dtype(self) -> np.dtype[Any]:
        """The type in which the tensor travels: its own, or bytes where it is strided."""
        return self.dtype if self.is_packed else DTYPES["u8"]

    @property
    def carried_shape(self) -> tuple[int, ...]:
        """The shape in which the tensor travels: its own, or the number of bytes of its memory where it is strided."""
        return self.sizes if self.is_packed else (self._memory_bytes,)

    def elements(self, carried: Array) -> Array:
        """The elements of a tensor as it travels, in the same memory: where it is strided, an array with strides."""
        if self.is_packed:
            return carried
        if not self.element_count:
            return np.empty(self.sizes, self.dtype)
        # Along a dimension of size 1 nothing is walked, and any number may stand there.
        strides = [stride * self.dtype.itemsize if size > 1 else 0 for size, stride in self._walked]
        return np.ndarray(self.sizes, self.dtype, carried.data, strides=strides)

    @property
    def _memory_bytes(self) -> int:
        """What its author states, or else what reaches from the first element to the end of the last one."""
        last = sum((size - 1) * stride for size, stride in self._walked)
        span = (last + 1) * self.dtype.itemsize if self.element_count else 0
        return max(span, self.total_bytes or 0)

    @property
    def _walked(self) -> list[tuple[int, int]]:
        if self.strides is None or len(self.strides) != len(self.sizes):
            raise Rejected(f"{len(self.sizes)} sizes and strides {self.strides} make no tensor")
        return list(zip(self.sizes, self.strides))


@dataclass(frozen=True)
class Scalar:
    """One element of a data type, which comes with it: `data_type` is its name, `value` the element, without dimensions."""

    data_type: str
    value: Array


@dataclass(frozen=True)
class Descriptor:
    """One operator with everything that is known before data arrives.

    `inputs` and `outputs` hold the tensors in the specification's order; one that is left out is missing there.
    `attributes` hold numbers, tuples of numbers, names of enumerators, truth values, texts, `numpy.float32`, and a
    `Scalar` where an element comes with its data type; one that has a default and is left out is missing there. `constants` are the values of inputs that are part of the
    descriptor; at a run they come among the inputs as well.
    """

    operator: str
    level: str
    inputs: Mapping[str, TensorDescriptor]
    outputs: Mapping[str, TensorDescriptor]
    attributes: Mapping[str, int | tuple[int, ...] | str | bool | np.float32 | Scalar] = field(default_factory=dict)
    constants: Mapping[str, Array] = field(default_factory=dict)

    def input(self, name: str) -> TensorDescriptor:
        """The input of this name."""
        return self._given(self.inputs, name)

    def output(self, name: str) -> TensorDescriptor:
        """The output of this name."""
        return self._given(self.outputs, name)

    def constant(self, name: str) -> Array:
        """The value of the input of this name."""
        return self._given(self.constants, name)

    def integer(self, name: str) -> int:
        """The number in the attribute of this name."""
        value = self._given(self.attributes, name)
        if not isinstance(value, int):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected a number")
        return value

    def integers(self, name: str) -> tuple[int, ...]:
        """The numbers in the attribute of this name."""
        value = self._given(self.attributes, name)
        if not isinstance(value, tuple):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected a list of numbers")
        return value

    def enumerator(self, name: str) -> str:
        """The name of the enumerator in the attribute of this name."""
        value = self._given(self.attributes, name)
        if not isinstance(value, str):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected an enumerator")
        return value

    def float32(self, name: str) -> np.float32:
        """The number in floating point in the attribute of this name."""
        value = self._given(self.attributes, name)
        if not isinstance(value, np.float32):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected a number in floating point")
        return value

    def boolean(self, name: str) -> bool:
        """The truth value in the attribute of this name."""
        value = self._given(self.attributes, name)
        if not isinstance(value, bool):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected a truth value")
        return value

    def scalar(self, name: str) -> Scalar:
        """The element in the attribute of this name, whose type may be any."""
        value = self._given(self.attributes, name)
        if not isinstance(value, Scalar):
            raise Rejected(f"`{name}` of `{self.operator}` is {value!r}, expected an element with its data type")
        return value

    def _given(self, among: Mapping[str, _Part], name: str) -> _Part:
        if name not in among:
            raise Rejected(f"`{self.operator}` is given without `{name}`")
        return among[name]

    @staticmethod
    def from_json(value: object) -> Descriptor:
        """Reads a descriptor as the protocol writes it. Anything that it does not know is an error."""
        parts = parts_of(value, "a descriptor", ("operator", "level", "tensors", "attributes"), ("constants",))
        tensors: dict[str, dict[str, TensorDescriptor]] = {"input": {}, "output": {}}
        for entry in listed(parts["tensors"], "tensors"):
            named = parts_of(entry, "a named tensor", ("name", "role", "tensor"))
            if named["role"] not in ("input", "output"):
                raise ProtocolError(f"the role of a tensor is {named['role']!r}, expected `input` or `output`")
            tensors[named["role"]][text(named["name"], "name")] = _tensor(named["tensor"])
        attributes = {}
        for entry in listed(parts["attributes"], "attributes"):
            named = parts_of(entry, "an attribute", ("name", "value"))
            attributes[text(named["name"], "name")] = _attribute(named["value"])
        constants = {}
        for entry in listed(parts.get("constants", []), "constants"):
            named = parts_of(entry, "a constant", ("name", "bytes"))
            constants[text(named["name"], "name")] = _constant(named["name"], named["bytes"], tensors["input"])
        operator, level = text(parts["operator"], "operator"), text(parts["level"], "level")
        return Descriptor(operator, level, tensors["input"], tensors["output"], attributes, constants)


def _tensor(value: object) -> TensorDescriptor:
    optional = ("strides", "total_bytes", "alignment", "flags")
    parts = parts_of(value, "a tensor", ("data_type", "sizes"), optional)
    if text(parts["data_type"], "data_type") not in DTYPES:
        raise ProtocolError(f"{parts['data_type']!r} is no data type; there are {', '.join(DTYPES)}")
    strides, total_bytes = parts.get("strides"), parts.get("total_bytes")
    return TensorDescriptor(
        parts["data_type"],
        _numbers(parts["sizes"], "sizes"),
        None if strides is None else _numbers(strides, "strides"),
        None if total_bytes is None else number(total_bytes, "total_bytes"),
        number(parts.get("alignment", 0), "alignment"),
        tuple(text(flag, "a flag") for flag in listed(parts.get("flags", []), "flags")),
    )


def _attribute(value: object) -> int | tuple[int, ...] | str | bool | np.float32 | Scalar:
    if isinstance(value, dict) and len(value) == 1:
        [(kind, held)] = value.items()
        if kind == "integer":
            return number(held, "an attribute", signed=True)
        if kind == "integers":
            return _numbers(held, "an attribute", signed=True)
        if kind in ("enumerator", "string"):
            return text(held, "an attribute")
        if kind == "boolean" and isinstance(held, bool):
            return held
        if kind == "float32" and (type(held) in (int, float) or held in ("nan", "inf", "-inf")):
            return np.float32(held)
        if kind == "scalar":
            return _scalar(held)
    raise ProtocolError(f"the value of an attribute is {value!r}, expected `integer`, `integers`, `enumerator`, `boolean`, "
                        "`string`, `float32` or `scalar`")


def _scalar(value: object) -> Scalar:
    parts = parts_of(value, "a scalar", ("data_type", "bytes"))
    if text(parts["data_type"], "data_type") not in DTYPES:
        raise ProtocolError(f"{parts['data_type']!r} is no data type; there are {', '.join(DTYPES)}")
    try:
        memory = bytes(_numbers(parts["bytes"], "bytes"))
        return Scalar(parts["data_type"], np.frombuffer(memory, DTYPES[parts["data_type"]]).reshape(()))
    except ValueError as error:
        raise ProtocolError(f"the bytes of a scalar do not fit its type: {error}") from error


def _constant(name: str, values: object, inputs: Mapping[str, TensorDescriptor]) -> Array:
    tensor = inputs.get(name)
    if tensor is None:
        raise ProtocolError(f"the constant `{name}` is no input")
    try:
        memory = bytes(_numbers(values, "bytes"))
        return np.frombuffer(memory, tensor.dtype).reshape(tensor.sizes)
    except ValueError as error:
        raise ProtocolError(f"the bytes of the constant `{name}` do not fit its tensor: {error}") from error


def parts_of(value: object, what: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """A JSON object that has what it must have, and nothing unknown."""
    if not isinstance(value, dict):
        raise ProtocolError(f"{what} is {value!r}, expected an object")
    for key in required:
        if key not in value:
            raise ProtocolError(f"{what} has no `{key}`")
    if len(value) > len(required):
        for key in value:
            if key not in required and key not in optional:
                raise ProtocolError(f"{what} has an unknown `{key}`")
    return value


def listed(value: object, what: str) -> list[Any]:
    """A JSON list."""
    if not isinstance(value, list):
        raise ProtocolError(f"`{what}` is {value!r}, expected a list")
    return value


def text(value: object, what: str) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise ProtocolError(f"`{what}` is {value!r}, expected a string")
    return value


def number(value: object, what: str, *, signed: bool = False) -> int:
    """A JSON integer, which is not below 0 unless it is signed."""
    if type(value) is not int or (value < 0 and not signed):
        raise ProtocolError(f"`{what}` is {value!r}, expected {'an integer' if signed else 'an integer of 0 or more'}")
    return value


def _numbers(value: object, what: str, *, signed: bool = False) -> tuple[int, ...]:
    return tuple(number(element, what, signed=signed) for element in listed(value, what))
