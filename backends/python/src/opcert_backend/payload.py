"""Tensors on their way through the pipe: the safetensors format, read and written without a copy.

The format is eight bytes with the length of a header, the header (JSON), and the elements of the tensors. The library
of that name is not used: it copies every tensor, and it has no view of a payload that is already in memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .descriptor import TensorDescriptor, number, parts_of
from .errors import OtherSizes, ProtocolError
from .tensor import DTYPES, Array, Tensors, described

_NAMES = {data_type: data_type.upper() for data_type in DTYPES}
_DATA_TYPES = {name: data_type for data_type, name in _NAMES.items()}

Bytes = npt.NDArray[np.uint8]
"""Memory."""


@dataclass(frozen=True)
class Place:
    """Where a tensor lies in a payload."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    count: int

    @property
    def end(self) -> int:
        """Where the bytes behind it begin."""
        return self.begin + self.count * self.dtype.itemsize


class PayloadReader:
    """Reads payloads for one descriptor. Consecutive ones have the same header, which is then read only once."""

    def __init__(self, tensors: Mapping[str, TensorDescriptor]) -> None:
        self._tensors = tensors
        self._head = b""
        self._length = 0
        self._places: dict[str, Place] = {}

    def read(self, payload: Bytes) -> dict[str, Array]:
        """The tensors of a payload, which share its memory."""
        begin = 8 + int.from_bytes(payload[:8].tobytes(), "little")
        if len(payload) < max(8, begin):
            raise ProtocolError(f"the payload has {len(payload)} bytes, and its header is longer")
        head = payload[:begin].tobytes()
        if head != self._head or len(payload) != self._length:
            self._places = _places(head, len(payload), self._tensors)
            self._head, self._length = head, len(payload)
        return {name: self._elements(name, payload, place) for name, place in self._places.items()}

    def _elements(self, name: str, payload: Bytes, place: Place) -> Array:
        tensor = self._tensors[name]
        return input_of(tensor, np.frombuffer(payload, place.dtype, place.count, place.begin).reshape(place.shape))


def input_of(tensor: TensorDescriptor, carried: Array) -> Array:
    """The elements of an input as it travels. With strides, several may be one in memory: none can be written."""
    elements = tensor.elements(carried)
    if elements is not carried:
        elements.flags.writeable = False
    return elements


def _places(head: bytes, length: int, tensors: Mapping[str, TensorDescriptor]) -> dict[str, Place]:
    try:
        header = json.loads(head[8:])
    except ValueError as error:
        raise ProtocolError(f"the header of the payload is no JSON: {error}") from error
    if not isinstance(header, dict):
        raise ProtocolError("the header of the payload is no object")
    for name in header:
        if name not in tensors and name != "__metadata__":
            raise ProtocolError(f"`{name}` is in the payload, and is no input")
    places = {}
    for name, tensor in tensors.items():
        if name not in header:
            raise ProtocolError(f"`{name}` is missing in the payload")
        places[name] = place = _place(name, header[name], len(head))
        if place.dtype != tensor.carried_dtype or place.shape != tensor.carried_shape:
            found = described(place.dtype, place.shape)
            expected = described(tensor.carried_dtype, tensor.carried_shape)
            raise ProtocolError(f"`{name}` is {found} in the payload, expected {expected}")
    end = len(head)
    for place in sorted(places.values(), key=lambda place: (place.begin, place.end)):
        if place.begin != end:
            raise ProtocolError(f"a tensor of the payload begins at byte {place.begin}, expected {end}")
        end = place.end
    if end != length:
        raise ProtocolError(f"the payload has {length} bytes, and its tensors end at {end}")
    return places


def _place(name: str, value: object, origin: int) -> Place:
    what = f"the entry of `{name}` in the payload"
    parts = parts_of(value, what, ("dtype", "shape", "data_offsets"))
    if parts["dtype"] not in _DATA_TYPES:
        raise ProtocolError(f"the type of `{name}` in the payload is {parts['dtype']!r}")
    if not isinstance(parts["shape"], list) or not isinstance(parts["data_offsets"], list):
        raise ProtocolError(f"{what} is {value!r}")
    shape = tuple(number(size, "shape") for size in parts["shape"])
    dtype = DTYPES[_DATA_TYPES[parts["dtype"]]]
    offsets = [number(offset, "data_offsets") for offset in parts["data_offsets"]]
    count = math.prod(shape)
    if len(offsets) != 2 or offsets[1] - offsets[0] != count * dtype.itemsize:
        raise ProtocolError(f"`{name}` is {described(dtype, shape)} and has the offsets {offsets} in the payload")
    return Place(dtype, shape, origin + offsets[0], count)


class PayloadWriter:
    """Writes payloads for one descriptor: their header and length are known before there is any data."""

    def __init__(self, tensors: Mapping[str, TensorDescriptor]) -> None:
        self._tensors = tensors
        # The widest types come first, so that every tensor is aligned.
        self._order = sorted(tensors, key=lambda name: -tensors[name].carried_dtype.itemsize)
        header, end = {}, 0
        for name in self._order:
            tensor = tensors[name]
            dtype, shape = tensor.carried_dtype, tensor.carried_shape
            begin, end = end, end + math.prod(shape) * dtype.itemsize
            data_type = tensor.data_type if tensor.is_packed else "u8"
            header[name] = {"dtype": _NAMES[data_type], "shape": shape, "data_offsets": (begin, end)}
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self.head = len(text).to_bytes(8, "little") + text
        self.length = len(self.head) + end

    def memory(self, poison: int) -> dict[str, Array]:
        """Memory for the outputs as they travel, filled with a byte, in the payload's order."""
        carried = {}
        for name in self._order:
            dtype, shape = self._tensors[name].carried_dtype, self._tensors[name].carried_shape
            carried[name] = np.full(math.prod(shape) * dtype.itemsize, poison, np.uint8).view(dtype).reshape(shape)
        return carried

    def elements(self, carried: Tensors) -> dict[str, Array]:
        """The elements of outputs as they travel, in the same memory."""
        return {name: self._tensors[name].elements(array) for name, array in carried.items()}

    def laid_out(self, outputs: Array | Tensors, poison: int) -> dict[str, Array]:
        """The outputs as they travel: with strides, at their places in memory that is filled with a byte."""
        checked = self.checked(outputs)
        if all(tensor.is_packed for tensor in self._tensors.values()):
            return checked
        carried = self.memory(poison)
        for name, elements in self.elements(carried).items():
            elements[...] = checked[name]
        return carried

    def checked(self, outputs: Array | Tensors) -> dict[str, Array]:
        """The outputs in the payload's order. What does not fit the descriptor raises `TypeError` or `OtherSizes`."""
        if not isinstance(outputs, Mapping):
            if len(self._tensors) != 1:
                raise TypeError(f"one output came back, expected {self._names()}")
            outputs = {self._order[0]: outputs}
        if outputs.keys() != self._tensors.keys():
            returned = ", ".join(f"`{name}`" for name in outputs)
            raise TypeError(f"the outputs {returned} came back, expected {self._names()}")
        return {name: self._checked(name, outputs[name]) for name in self._order}

    def parts(self, outputs: Mapping[str, Array]) -> list[bytes | memoryview]:
        """The payload with outputs that were checked, in the parts that it is written in."""
        return [self.head, *(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in outputs.values())]

    def _checked(self, name: str, array: object) -> Array:
        tensor = self._tensors[name]
        if not isinstance(array, np.ndarray):
            raise TypeError(f"`{name}` came back as {type(array).__name__}, expected a NumPy array")
        if array.dtype != tensor.dtype:
            found, expected = described(array.dtype, array.shape), described(tensor.dtype, tensor.sizes)
            raise TypeError(f"`{name}` came back as {found}, expected {expected}")
        if array.shape != tensor.sizes:
            raise OtherSizes(name, array.shape)
        return array

    def _names(self) -> str:
        return " and ".join(f"`{name}`" for name in self._tensors)
