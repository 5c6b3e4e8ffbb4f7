"""The descriptors of case files: tensors, attributes, and what a refused case changes of its twin."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from opinions.elements import (
    Array, ElementType, Types, element_bits, element_types, float_bits, integer, leaves, pattern_bits,
)
from opinions.reading import is_undefined

FLOAT32 = element_types("f32", {"f": "f"})["f32"]


class Tensor(NamedTuple):
    """One tensor of a descriptor. `data` is the node of the file, which is only read when it is needed."""

    spelling: str
    type: ElementType
    sizes: tuple[int, ...]
    rank: int  # the dimension count
    elements: int  # how many there are
    strides: tuple[int, ...] | None
    flags: list[str]
    total_bytes: int | None
    alignment: int
    data: Any

    def bits(self) -> Array:
        """The elements, in the shape of the tensor."""
        if isinstance(self.data, dict) and "pattern" in self.data:
            return pattern_bits(self.data, self.type, self.sizes).reshape(self.sizes)
        bits = [element_bits(part, self.type) for part in leaves(self.data, self.sizes)]
        return np.array(bits, dtype=self.type.pattern).reshape(self.sizes)


class Scalar(NamedTuple):
    """One element of a data type, which comes with it."""

    spelling: str
    type: ElementType
    bits: int


Tensors = Mapping[str, Tensor]
Attributes = Mapping[str, Any]


def integers(node: Any) -> Any:
    """An integer, a list of integers, or nothing."""
    if isinstance(node, list):
        return tuple(map(integer, node))
    return node if node is None else integer(node)


def attribute_value(node: Any, types: Types | None = None) -> Any:
    """An integer, a list of integers, a number of 32 bits, a truth value, or a scalar; any other text is left as it is."""
    if isinstance(node, dict) and types is not None and set(node) == {"type", "value"}:
        of = types[node["type"]]
        return Scalar(node["type"], of, int(element_bits(node["value"], of)))
    if isinstance(node, str) and node in ("true", "false"):
        return node == "true"
    if isinstance(node, str) and re.fullmatch(r"-0|[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9.]+[eE][-+]?[0-9]+|\.inf|\.nan)", node):
        return np.uint32(float_bits(node, FLOAT32)).view(np.float32)
    is_number = isinstance(node, list) or re.fullmatch(r"[-+]?[0-9][0-9A-Fa-fxo]*", node)
    return integers(node) if is_number else node


def lists_of(entry: Mapping[str, Any]) -> list[str]:
    """The names under which a case has a list of tensors."""
    return [name for name, part in entry["tensors"].items() if isinstance(part, list)]


def one_by_one(parts: Mapping[str, Any], lists: Collection[str]) -> dict[str, Any]:
    """The same, where each part of a list has a name of its own: `name[0]`."""
    found = {}
    for name, part in parts.items():
        found.update({f"{name}[{at}]": each for at, each in enumerate(part)} if name in lists else {name: part})
    return found


def entry_of(tensor: str) -> str:
    """The name under which a case has a tensor: its own, or that of its list."""
    return tensor.partition("[")[0]


def read_descriptor(types: Types, entry: Mapping[str, Any]) -> tuple[Tensors, Attributes]:
    """The tensors and attributes of a case, in a family's spelling of data types."""
    tensors = {}
    for name, part in one_by_one(entry["tensors"], lists_of(entry)).items():
        sizes, spelling = integers(part["sizes"]), part["type"]
        if spelling not in types:
            raise ValueError(f"no data type {spelling}")
        tensors[name] = Tensor(
            spelling, types[spelling], sizes, len(sizes),
            math.prod(sizes), integers(part.get("strides")), part.get("flags", []),
            integers(part.get("total_bytes")), integers(part.get("alignment", "0")), part.get("data"))
    attributes = {name: attribute_value(value, types) for name, value in entry["attributes"].items()}
    return tensors, attributes


def changed(case: Mapping[str, Any], cases: Mapping[str, Any]) -> Any:
    """The entry of a case, or of its twin, with the edits."""
    entry = copy.deepcopy(cases[case["twin"]] if "twin" in case else case)
    for path, value in case.get("change", {}).items():
        *parts, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
        place: Any = entry
        for part in parts:
            place = place[part]
        if is_undefined(value):
            del place[last]
        else:
            place[last] = value
    return entry
