"""A third opinion on the case files, written from the documents alone.

Usage: `python review.py [DIR]`. DIR holds case files; left out, it is `../cases` beside this script.
Needs numpy, PyYAML and blake3.

The program derives what cases expect, and checks it by a second derivation of its own. This script has
nothing in common with either: tables and rules are transcribed from the documents, and the operators work
on whole NumPy arrays. It finds out the expected bits, undefined elements, digests and least levels, and
what exactly a refused descriptor breaks at which levels. It also disagrees with a case that would count for
a verdict but hangs on what the documents leave open. Each disagreement is a line; the exit code is 1 if
there are any, or no cases. Open questions are not answered, and the file format is not checked.
"""

from __future__ import annotations

import argparse
import copy
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import blake3
import numpy as np
import numpy.typing as npt
import yaml

Array = npt.NDArray[Any]
Names = tuple[str, ...]

# ---- Data types and the text of elements

SPELLINGS = {
    "directml": "FLOAT64 FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8",
    "openvino": "f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 boolean",
}
KINDS = {"FLOAT": "f", "INT": "i", "UINT": "u", "f": "f", "bf": "bf", "i": "i", "u": "u"}


class ElementType(NamedTuple):
    """A data type. All data are kept as `pattern`, unsigned and as wide, and compared as `number`."""

    kind: str  # f, bf, i, u or boolean
    width: int
    pattern: np.dtype[Any]
    number: np.dtype[Any]


def element_type(family: str, spelling: str) -> ElementType:
    """The data type that a family spells so."""
    match = re.fullmatch(r"([A-Za-z]+)(\d*)", spelling)
    if not match or spelling not in SPELLINGS[family].split():
        raise ValueError(f"no data type {spelling}")
    kind, size = KINDS.get(match[1], match[1]), int(match[2] or 8) // 8
    # NumPy has no bfloat, and no operator here compares such numbers or truth values.
    number = np.dtype(f"<{kind if len(kind) == 1 else 'u'}{size}")
    return ElementType(kind, size * 8, np.dtype(f"<u{size}"), number)


def is_undefined(node: Any) -> bool:
    """Whether a node is YAML's null: an undefined part, or a key taken away."""
    return isinstance(node, str) and node in ("", "~", "null", "Null", "NULL")


def integer(text: Any) -> int:
    """An integer: decimal, or unsigned with `0x` or `0o`."""
    if not isinstance(text, str) or not re.fullmatch(r"[-+]?[0-9]+|0x[0-9A-Fa-f]+|0o[0-7]+", text):
        raise ValueError(f"{text!r} is no integer")
    return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))


def float_bits(text: str, kind: ElementType, overflows: bool = False) -> int:
    """The bits of the nearest value, ties to even, found with exact fractions. Overflow is an error, or infinity."""
    mantissa = 7 if kind.kind == "bf" else {16: 10, 32: 23, 64: 52}[kind.width]
    sign_bit = 1 << (kind.width - 1)
    infinity, sign = sign_bit - (1 << mantissa), sign_bit if text.startswith("-") else 0
    special = text.lower().lstrip("+-")
    if special in (".nan", ".inf"):
        return infinity | 1 << (mantissa - 1) if special == ".nan" else sign | infinity
    value = abs(Fraction(text))
    if value == 0:
        return sign
    least = 2 - (1 << (kind.width - mantissa - 2))
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent = max(exponent - (value < Fraction(2) ** exponent), least)
    steps = round(value / Fraction(2) ** (exponent - mantissa))
    # A mantissa that is rounded up to the next power of two carries into the exponent, up to infinity.
    bits = ((exponent - least) << mantissa) + steps
    if bits >= infinity and not overflows:
        raise ValueError(f"{text} is beyond the range of its type")
    return sign | min(bits, infinity)


@cache
def scalar_bits(text: str, kind: ElementType) -> int:
    """The bits of an element that is written as a number or as a truth value."""
    if kind.kind == "boolean":
        return {"false": 0, "true": 1}[text]
    if kind.kind in ("f", "bf"):
        return float_bits(text, kind)
    value, least = integer(text), -(1 << (kind.width - 1)) if kind.kind == "i" else 0
    if not least <= value < least + (1 << kind.width):
        raise ValueError(f"{text} is beyond the range of its type")
    return value % (1 << kind.width)


def element_bits(node: Any, kind: ElementType) -> int:
    """The bits of one element, which `{bits: 0x...}` gives directly."""
    if not isinstance(node, dict):
        return scalar_bits(node, kind)
    bits = integer(node["bits"])
    if len(node) != 1 or not 0 <= bits < 1 << (1 if kind.kind == "boolean" else kind.width):
        raise ValueError(f"{node} is no element")
    return bits


def leaves(node: Any, sizes: Sequence[int]) -> list[Any]:
    """The elements below a node in logical order. An undefined part gives as many undefined elements."""
    count = math.prod(sizes)
    if is_undefined(node):
        return ["~"] * count
    if isinstance(node, list) != bool(sizes):
        raise ValueError("the data do not nest as the sizes say")
    if not sizes:
        return [node]
    if len(node) == count and not any(isinstance(part, list) for part in node):
        return list(node)
    if len(node) != sizes[0]:
        raise ValueError(f"{len(node)} parts where the sizes say {sizes[0]}")
    return [leaf for part in node for leaf in leaves(part, sizes[1:])]


# ---- Patterns

STEP = 1 << 20  # elements at a time, so that little memory is needed
ALL_BITS = (1 << 64) - 1


def splitmix64(state: Array) -> Array:
    """The function behind the pattern `bits`, for an array of states."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def pattern_bits(node: Mapping[str, Any], kind: ElementType, count: int) -> Array:
    """The elements that a formula describes."""
    name = node["pattern"]
    allowed = {"constant": {"value", "except"}, "ramp": {"start", "step", "period"}, "bits": {"seed"}}[name]
    if set(node) - allowed - {"pattern"}:
        raise ValueError(f"unknown keys in the pattern {name}")
    if name == "constant":
        data = np.full(count, element_bits(node["value"], kind), dtype=kind.pattern)
        for position, value in node.get("except", {}).items():
            if position.startswith("-"):
                raise ValueError("positions count from 0")
            data[integer(position)] = element_bits(value, kind)
        return data
    data = np.empty(count, dtype=kind.pattern)
    start, step, seed = (np.uint64(integer(node.get(key, default)) & ALL_BITS)
                         for key, default in (("start", "0"), ("step", "1"), ("seed", "0")))
    period = integer(node.get("period", str(ALL_BITS)))
    for first in range(0, count, STEP):
        position = np.arange(first, min(first + STEP, count), dtype=np.uint64)
        word = splitmix64(seed + position) if name == "bits" else start + position % np.uint64(period) * step
        numbers = word.view(np.int64)
        if kind.kind == "boolean":
            word = word & np.uint64(1)
        elif name == "ramp" and kind.kind == "f" and np.all(numbers == numbers.astype(np.float64).astype(np.int64)):
            with np.errstate(over="ignore"):
                word = numbers.astype(np.float64).astype(kind.number).view(kind.pattern)
        elif name == "ramp" and kind.kind in ("f", "bf"):
            word = np.array([float_bits(str(number), kind, overflows=True) for number in numbers], dtype=np.uint64)
        data[first:first + STEP] = word.astype(kind.pattern)
    return data


# ---- Descriptors


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
            return pattern_bits(self.data, self.type, self.elements).reshape(self.sizes)
        bits = [element_bits(part, self.type) for part in leaves(self.data, self.sizes)]
        return np.array(bits, dtype=self.type.pattern).reshape(self.sizes)


Tensors = Mapping[str, Tensor]
Attributes = Mapping[str, Any]


def integers(node: Any) -> Any:
    """An integer, a list of integers, or nothing; the name of an enumerator is left as it is."""
    if isinstance(node, list):
        return tuple(map(integer, node))
    return node if node is None or node.startswith("DML_") else integer(node)


def read_descriptor(operator: str, entry: Mapping[str, Any]) -> tuple[Tensors, Attributes]:
    """The tensors and attributes of a case."""
    tensors = {}
    for name, part in entry["tensors"].items():
        sizes = integers(part["sizes"])
        tensors[name] = Tensor(
            part["type"], element_type(operator.split("/")[0], part["type"]), sizes, len(sizes),
            math.prod(sizes), integers(part.get("strides")), part.get("flags", []),
            integers(part.get("total_bytes")), integers(part.get("alignment", "0")), part.get("data"))
    attributes = {name: integers(value) for name, value in entry["attributes"].items()}
    if "Axes" in attributes:
        attributes.setdefault("AxisCount", len(attributes["Axes"]))
    return tensors, attributes


# ---- The rules for descriptors: what each requirement needs, and whether it holds at a level

DML_LEVELS = "1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4".split()
LEVELS = {"directml": DML_LEVELS, "openvino": ["1"]}
Rules = dict[str, tuple[Names, Callable[[Tensors, Attributes, str], bool]]]
Support = dict[str, dict[str, tuple[int, int, str]]]

INDICES, VALUES, INPUT, OUTPUT = "IndicesTensor", "ValuesTensor", "InputTensor", "OutputTensor"
COUNT, COORDINATES = "OutputCountTensor", "OutputCoordinatesTensor"
FLOATS, NARROW = "FLOAT32 FLOAT16", "FLOAT32 FLOAT16 INT32 INT16 INT8 UINT32 UINT16 UINT8"
INDEX, WIDE = "INT64 INT32 UINT64 UINT32", f"{NARROW} INT64 UINT64"
# From which level on, the least and the greatest dimension count and the data types of each tensor.
ONE_HOT_SUPPORT: Support = {
    since: {INDICES: (low, high, indices), VALUES: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, indices, values in (
        ("2_0", 4, 4, "UINT32", FLOATS), ("2_1", 4, 4, "UINT32", NARROW),
        ("3_0", 1, 8, INDEX, NARROW), ("4_1", 1, 8, INDEX, f"{WIDE} FLOAT64"))}
NONZERO_SUPPORT: Support = {
    "3_0": {INPUT: (4, 5, NARROW), COUNT: (4, 5, "UINT32"), COORDINATES: (4, 5, "UINT32")},
    "4_0": {INPUT: (1, 8, NARROW), COUNT: (1, 8, "UINT32"), COORDINATES: (2, 8, "UINT32")}}
ARGMAX_SUPPORT: Support = {
    "3_0": {INPUT: (1, 8, NARROW), OUTPUT: (1, 8, INDEX)},
    "4_1": {INPUT: (1, 8, WIDE), OUTPUT: (1, 8, INDEX)}}


def covers_last_element(tensor: Tensor) -> bool:
    """Whether the size in bytes reaches the last element; none does where 64 bits are too few for it."""
    strides = tensor.strides or [math.prod(tensor.sizes[at + 1:]) for at in range(tensor.rank)]
    elements = sum((size - 1) * stride for size, stride in zip(tensor.sizes, strides)) + 1
    implied = -(-elements * tensor.type.width // 32) * 4
    return implied <= ALL_BITS and (tensor.total_bytes is None or tensor.total_bytes >= implied)


def strides_nest(tensor: Tensor) -> bool:
    """Whether each stride, the shortest first, is longer than all that the ones before it reach."""
    reach = 0
    for stride, size in sorted(zip(tensor.strides or (), tensor.sizes)):
        if size > 1 and stride <= reach:
            return False
        reach += (size - 1) * stride
    return True


def places(tensor: Tensor) -> int:
    """How many elements would fit between the first and the last one, both included."""
    strides = tensor.strides or [math.prod(tensor.sizes[at + 1:]) for at in range(tensor.rank)]
    return sum((size - 1) * stride for size, stride in zip(tensor.sizes, strides)) + 1


def exceeds_the_limit(tensor: Tensor) -> bool:
    """Whether there are too many elements both by sizes and in memory."""
    return 0 not in tensor.sizes and min(tensor.elements, places(tensor)) >= 1 << 32


def limit_is_open(tensor: Tensor) -> bool:
    """Whether there are too many elements by sizes, in memory, or in the bytes that are stated beyond what is implied."""
    if 0 in tensor.sizes:
        return False
    implied = -(-places(tensor) * tensor.type.width // 32) * 4
    stated = tensor.total_bytes if (tensor.total_bytes or 0) > implied else 0
    return max(tensor.elements, places(tensor), stated * 8 // tensor.type.width) >= 1 << 32


def shares_places(tensor: Tensor) -> bool:
    """Whether two elements have one place in memory, found by going through all places."""
    if tensor.strides is None or strides_nest(tensor):
        return False
    if tensor.elements > places(tensor):
        return True
    if tensor.elements > 1 << 24:
        raise ValueError("too many elements to go through")
    offsets = np.zeros(1, dtype=np.int64)
    for size, stride in zip(tensor.sizes, tensor.strides):
        offsets = (offsets[:, None] + np.arange(size, dtype=np.int64) * stride).ravel()
    return bool(np.unique(offsets).size < offsets.size)


def supported(tensors: Tensors, level: str, support: Support) -> bool:
    """Whether the newest table that is not above the level lists every tensor."""
    table = support[max(since for since in support if since <= level)]  # names sort as the levels do
    return all(low <= tensors[name].rank <= high and tensors[name].spelling in types.split()
               for name, (low, high, types) in table.items())


def directml_rules(support: Support, *outputs: str) -> Rules:
    """What the documents ask of every DirectML tensor, and the support tables of one operator."""
    def each(test: Callable[[Tensor], bool]) -> Callable[[Tensors, Attributes, str], bool]:
        return lambda t, a, level: all(map(test, t.values()))

    layout = ("tensor/sizes-positive", "tensor/element-limit")

    def within_the_limit(test: Callable[[Tensor], bool], names: Names = ()) -> Callable[
            [Tensors, Attributes, str], bool]:
        # What the documents leave open of the limit leaves the size and the places in memory open as well.
        return lambda t, a, level: any(map(limit_is_open, t.values())) or all(
            test(part) for name, part in t.items() if not names or name in names)

    return {
        "tensor/dimension-count": ((), lambda t, a, level: all(
            1 <= part.rank <= (8 if level >= "3_0" else 5) for part in t.values())),
        "tensor/sizes-positive": ((), each(lambda part: 0 not in part.sizes)),
        "tensor/element-limit": ((), each(lambda part: not exceeds_the_limit(part))),
        "tensor/total-size": (layout, within_the_limit(covers_last_element)),
        "tensor/alignment": ((), each(lambda part: part.alignment == 0 or (
            part.alignment.bit_count() == 1 and part.alignment * 8 >= part.type.width))),
        "tensor/owned-by-dml": ((), lambda t, a, _: not any(
            "OWNED_BY_DML" in t[name].flags for name in outputs)),
        "tensor/output-overlap": (layout, within_the_limit(lambda part: not shares_places(part), outputs)),
        "tensor-support": (("tensor/dimension-count",), lambda t, a, level: supported(t, level, support)),
    }


def rank_range(tensor: Tensor) -> range:
    """From the effective rank, which leaves out leading dimensions of size 1, to the dimension count."""
    effective = next((tensor.rank - at for at, size in enumerate(tensor.sizes) if size != 1), 0)
    return range(effective, tensor.rank + 1)


def depth_of(t: Tensors) -> int:
    """The value of OpenVINO's depth, which is part of the descriptor."""
    return int(t["depth"].bits().view(t["depth"].type.number)[()])


def inserted(sizes: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    """The sizes with one more dimension at an axis, which may count from the end of the result."""
    at = axis % (len(sizes) + 1)
    return (*sizes[:at], size, *sizes[at:])


RANKS = "same-dimension-count"
ONE_HOT_RULES: Rules = {
    **directml_rules(ONE_HOT_SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INDICES].rank == t[VALUES].rank == t[OUTPUT].rank),
    "same-value-type": ((), lambda t, a, _: t[VALUES].type == t[OUTPUT].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INDICES].rank),
    "indices-axis-size-one": (("axis-in-range",), lambda t, a, _: t[INDICES].sizes[a["Axis"]] == 1),
    "sizes-match-off-axis": (("axis-in-range",), lambda t, a, _: all(
        t[INDICES].sizes[at] == t[OUTPUT].sizes[at] for at in range(t[OUTPUT].rank) if at != a["Axis"])),
    "values-at-least-two": ((), lambda t, a, _: t[VALUES].elements >= 2),
}
MATRIX = ("tensor-support", "tensor/sizes-positive")
NONZERO_RULES: Rules = {
    **directml_rules(NONZERO_SUPPORT, COUNT, COORDINATES),
    "count-is-scalar": ((), lambda t, a, _: set(t[COUNT].sizes) <= {1}),
    "coordinates-shape": ((), lambda t, a, _: set(t[COORDINATES].sizes[:-2]) <= {1}),
    "coordinates-rows": (MATRIX, lambda t, a, _: t[COORDINATES].sizes[-2] == t[INPUT].elements),
    "coordinates-columns": (MATRIX, lambda t, a, _: t[COORDINATES].sizes[-1] in rank_range(t[INPUT])),
    "coordinates-columns-positive": ((), lambda t, a, _: t[COORDINATES].sizes[-1:] != (0,)),
}
ARGMAX_RULES: Rules = {
    **directml_rules(ARGMAX_SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "axes-in-range": ((RANKS,), lambda t, a, _: all(0 <= axis < t[INPUT].rank for axis in a["Axes"])),
    "output-sizes": ((RANKS, "axes-in-range"), lambda t, a, _: all(
        size == (1 if at in a["Axes"] else t[INPUT].sizes[at]) for at, size in enumerate(t[OUTPUT].sizes))),
}
SCALARS = ("depth", "on_value", "off_value")
OPENVINO_RULES: Rules = {
    "axis-required": ((), lambda t, a, _: "axis" in a),
    "inputs-required": ((), lambda t, a, _: {"indices", *SCALARS} <= set(t)),
    "axis-in-range": (("axis-required", "inputs-required"), lambda t, a, _: (
        -t["indices"].rank - 1 <= a["axis"] <= t["indices"].rank)),
    "index-types": ((), lambda t, a, _: {t["indices"].spelling, t["depth"].spelling} <= {"i32", "i64"}),
    "scalar-inputs": ((), lambda t, a, _: [t[name].sizes for name in SCALARS] == [(), (), ()]),
    "depth-positive": (("inputs-required", "scalar-inputs", "index-types"), lambda t, a, _: depth_of(t) > 0),
    "same-value-type": ((), lambda t, a, _: t["on_value"].type == t["off_value"].type == t["output"].type),
    "output-shape": (("axis-in-range", "scalar-inputs", "depth-positive"), lambda t, a, _: (
        t["output"].sizes == inserted(t["indices"].sizes, a["axis"], depth_of(t)))),
}
# Requirements that say again what another one says, and those that begin later than their operator.
RESTATES = {"output-axis-size-positive": "tensor/sizes-positive", "count-type": "tensor-support"}
SINCE = {"negative-from-end": "3_0", "dimension-counts-differ": "4_0"}

# ---- The operators: bits in logical order, and how many of them, from the first on, are defined

Data = Mapping[str, Array]
Results = dict[str, tuple[Array, int]]


def one_hot(t: Tensors, a: Attributes, data: Data) -> Results:
    """ONE_HOT: compares the positions along the axis with the indices, negative ones counted from the end."""
    indices = data[INDICES].view(t[INDICES].type.number)
    size = indices.dtype.type(t[OUTPUT].sizes[a["Axis"]])
    indices = np.where(indices < 0, indices + size, indices)
    along_axis = [-1 if at == a["Axis"] else 1 for at in range(indices.ndim)]
    positions = np.arange(size, dtype=indices.dtype).reshape(along_axis)
    fastest = np.flatnonzero(np.array(t[VALUES].sizes) > 1)[-1]
    off, on = data[VALUES].flat[0], data[VALUES].take(1, axis=fastest).flat[0]
    return {OUTPUT: (np.where(positions == indices, on, off).ravel(), t[OUTPUT].elements)}


def openvino_one_hot(t: Tensors, a: Attributes, data: Data) -> Results:
    """OneHot-1: the formula of the page, with the new axis put into the indices."""
    indices = np.expand_dims(data["indices"].view(t["indices"].type.number), a["axis"])
    shape = inserted([1] * t["indices"].rank, a["axis"], -1)
    positions = np.arange(depth_of(t), dtype=np.int64).reshape(shape)
    bits = np.where(positions == indices, data["on_value"], data["off_value"])
    return {"output": (bits.ravel(), bits.size)}


def nonzero(t: Tensors, a: Attributes, data: Data) -> Results:
    """NONZERO_COORDINATES: the last columns of all coordinates. The sign bit of a float does not count."""
    kind = t[INPUT].type
    sign = np.array(1 << (kind.width - 1) if kind.kind == "f" else 0, dtype=kind.pattern)
    found = np.argwhere(data[INPUT] & ~sign)[:, -t[COORDINATES].sizes[-1]:]
    rows = np.zeros(t[COORDINATES].elements, dtype=np.uint32)
    rows[:found.size] = found.ravel()
    return {COUNT: (np.array([len(found)], dtype=np.uint32), 1), COORDINATES: (rows, found.size)}


def argmax(t: Tensors, a: Attributes, data: Data) -> Results:
    """ARGMAX: makes the reduced axes one, in their order, and takes the first or the last maximum."""
    axes = sorted(set(a["Axes"]))
    kept = [at for at in range(t[INPUT].rank) if at not in axes]
    subsets = data[INPUT].view(t[INPUT].type.number).transpose(*kept, *axes).reshape(t[OUTPUT].elements, -1)
    is_greatest = subsets == subsets.max(axis=1, keepdims=True)
    if a["AxisDirection"] == "DML_AXIS_DIRECTION_DECREASING":
        index = subsets.shape[1] - 1 - is_greatest[:, ::-1].argmax(axis=1)
    else:
        index = is_greatest.argmax(axis=1)
    return {OUTPUT: (index.astype(t[OUTPUT].type.pattern), t[OUTPUT].elements)}


def open_questions(operator: str, t: Tensors, a: Attributes, data: Data, level: str) -> dict[str, bool]:
    """What the documents leave open, or only let one conclude, and whether a case hangs on it; of its data only if there
    are any."""
    found = open_to_the_operator(operator, t, a, data, level)
    if operator.startswith("directml/"):
        outputs = [part for name, part in t.items() if name.startswith("Output")]
        found["element-limit-reading"] = any(map(limit_is_open, t.values()))
        found["output-interleaving"] = not found["element-limit-reading"] and not all(map(strides_nest, outputs))
    return found


def open_to_the_operator(operator: str, t: Tensors, a: Attributes, data: Data, level: str) -> dict[str, bool]:
    """What of it is a matter of the operator."""
    if operator == "openvino/one_hot_1":
        signed = data["indices"].view(t["indices"].type.number) if data else np.zeros(0)
        return {"negative-index": bool((signed < 0).any()), "zero-size-dimension": 0 in t["indices"].sizes,
                "mixed-index-types": t["indices"].type != t["depth"].type}
    if operator == "directml/one_hot":
        strides = t[VALUES].strides
        if not data or strides is None:
            return {}
        dimensions = [at for at, size in enumerate(t[VALUES].sizes) if size > 1]
        readings = (dimensions[-1], min(dimensions, key=lambda at: (strides[at], -at)))
        last, shortest = (data[VALUES].take(1, axis=at).flat[0] for at in readings)
        return {"fastest-dimension-under-strides": bool(last != shortest)}
    has_floats = bool(data) and t[INPUT].type.kind == "f"
    magnitude = np.abs(data[INPUT].view(t[INPUT].type.number)) if has_floats else np.zeros(0)
    nan = bool(np.isnan(magnitude).any())
    if operator == "directml/nonzero_coordinates":
        subnormal = (magnitude > 0) & (magnitude < np.finfo(magnitude.dtype).smallest_normal)
        ranks = {part.rank for part in t.values()}
        differ = len(ranks) > 1
        return {"nan": nan, "subnormal": bool(subnormal.any()), RANKS: differ and level < "4_0",
                "dimension-counts-differ": differ and level >= "4_0" and t[INPUT].rank > 1}
    axes, reduced = list(a["Axes"]), t[INPUT].elements // t[OUTPUT].elements
    flushed = False
    if has_floats and not nan and ((magnitude > 0) & (magnitude < np.finfo(magnitude.dtype).smallest_normal)).any():
        zeros = np.where(magnitude < np.finfo(magnitude.dtype).smallest_normal, 0, data[INPUT])
        ways = [argmax(t, a, {INPUT: bits.astype(t[INPUT].type.pattern)})[OUTPUT][0] for bits in (data[INPUT], zeros)]
        flushed = bool((ways[0] != ways[1]).any())
    return {"nan": nan, "subnormal": flushed, "axes-order": axes != sorted(axes), "axes-duplicate": len(set(axes)) < len(axes),
            "axes-empty": not axes, "index-overflow": reduced > 1 << 31 and t[OUTPUT].spelling == "INT32"}


# What follows from the documents, so that a case may have an answer, as long as it says what that rests on.
CONCLUSIONS = {"dimension-counts-differ"}


class Operator(NamedTuple):
    """All that is known of an operator."""

    introduced: str
    inputs: Names
    rules: Rules
    compute: Callable[[Tensors, Attributes, Data], Results]


OPERATORS = {
    "directml/one_hot": Operator("2_0", (INDICES, VALUES), ONE_HOT_RULES, one_hot),
    "directml/nonzero_coordinates": Operator("3_0", (INPUT,), NONZERO_RULES, nonzero),
    "directml/argmax": Operator("3_0", (INPUT,), ARGMAX_RULES, argmax),
    "openvino/one_hot_1": Operator("1", ("indices", *SCALARS), OPENVINO_RULES, openvino_one_hot),
}


# ---- The comparison with the cases of a file


class Review:
    """Yields what it disagrees with as (what, what the file has, third opinion)."""

    def __init__(self, name: str, cases: Mapping[str, Any]) -> None:
        self.name, self.cases, self.operator = name, cases, OPERATORS[name]
        self.levels = LEVELS[name.split("/")[0]]
        self.kind = ""

    def broken(self, t: Tensors, a: Attributes, level: str) -> set[str]:
        """What a descriptor breaks. An operator that is absent at the level breaks nothing else."""
        if level < self.operator.introduced:
            return {"introduced"}
        holding: set[str] = set()
        found: set[str] = set()
        for name, (needs, holds) in self.operator.rules.items():
            if holding.issuperset(needs):
                try:
                    (holding if holds(t, a, level) else found).add(name)
                except KeyError:  # a tensor or an attribute was left out, which is for other rules to find
                    holding.add(name)
        return found

    def resolve(self, reference: str) -> str:
        """The name by which `broken` knows a requirement."""
        family = self.name.split("/")[0]
        for name in sorted({"introduced", *self.operator.rules, *RESTATES}, key=lambda name: "/" in name):
            whole = f"{family if '/' in name else self.name}/{name}"
            if whole == reference or whole.endswith(f"/{reference}"):
                return RESTATES.get(name, name)
        raise ValueError(f"no requirement on descriptors is called {reference}")

    def case(self, case: Mapping[str, Any]) -> Iterator[Names]:
        """Goes through one case, and sets `kind` to what it is."""
        self.kind = "unreadable"
        expect, covers = case["expect"], {reference.rsplit("/")[-1] for reference in case.get("covers", ())}
        if isinstance(expect, dict) and "refuses" in expect:
            self.kind = "refusals"
            yield from self.refusal(case, {self.resolve(reference) for reference in expect["refuses"]})
            return
        has_values = expect != "accepts" and expect != {"observe": "oracle"}
        self.kind = "accepted" if expect == "accepts" else "values" if has_values else "observed"
        if has_values and any(isinstance(part, dict) and "blake3" in part for part in expect.values()):
            self.kind = "digests"
        if case.get("tier") == "large":
            self.kind = "large"
        t, a = read_descriptor(self.name, case)
        valid_from = len(self.levels)
        while valid_from and not (found := self.broken(t, a, self.levels[valid_from - 1])):
            valid_from -= 1
        if valid_from == len(self.levels):
            yield "descriptor", "a valid one", f"breaks {', '.join(sorted(found))}"
            return
        level = max([self.levels[valid_from], *(SINCE[name] for name in covers if name in SINCE)])
        if case.get("level", level) != level:
            yield "level", case["level"], level
        if self.kind in ("large", "observed"):
            return
        data = {name: t[name].bits() for name in self.operator.inputs} if has_values else {}
        answers = open_questions(self.name, t, a, data, level)
        questions = {name for name, is_open in answers.items() if is_open}
        questions -= covers & CONCLUSIONS
        if questions & covers:
            self.kind = "observed"
        elif questions:
            yield "verdict", "an answer", f"it hangs on {', '.join(sorted(questions))}, and does not say so"
        elif has_values:
            yield from self.values(t, expect, self.operator.compute(t, a, data))

    def values(self, t: Tensors, expect: Mapping[str, Any], results: Results) -> Iterator[Names]:
        """Compares the outputs, each of which is given as elements or as a digest."""
        if set(expect) != set(results):
            yield "outputs", ", ".join(expect), ", ".join(results)
        for name, (bits, defined) in results.items():
            kind, node = t[name].type, expect[name]
            if isinstance(node, dict) and "blake3" in node:
                if set(node) - {"blake3", "defined"}:
                    raise ValueError(f"unknown keys beside the digest of {name}")
                stated = integer(node.get("defined", str(bits.size)))
                digest = blake3.blake3(bits[:stated].astype(kind.pattern).tobytes()).hexdigest()
                if stated != defined:
                    yield f"{name}: elements that are defined", str(stated), str(defined)
                if digest != node["blake3"]:
                    yield f"{name}: digest", node["blake3"], digest
                continue
            parts = leaves(node, t[name].sizes)
            is_defined = np.array([not is_undefined(part) for part in parts], dtype=bool)
            written = [0 if is_undefined(part) else element_bits(part, kind) for part in parts]
            shall_be = np.arange(bits.size) < defined
            differ = (is_defined != shall_be) | (is_defined & (np.array(written, dtype=kind.pattern) != bits))
            if differ.any():
                at = int(differ.argmax())
                yield (f"{name}: element {at}, the first of {differ.sum()} that differ",
                       f"{written[at]:#x}" if is_defined[at] else "undefined",
                       f"{bits[at]:#x}" if shall_be[at] else "undefined")

    def refusal(self, case: Any, refuses: set[str]) -> Iterator[Names]:
        """Applies the edits to the twin, and compares what is broken and at which levels just that is."""
        entry = copy.deepcopy(self.cases[case["twin"]] if "twin" in case else case)
        for path, value in case.get("change", {}).items():
            *parts, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
            place: Any = entry
            for part in parts:
                place = place[part]
            if is_undefined(value):
                del place[last]
            else:
                place[last] = value
        descriptor = read_descriptor(self.name, entry)
        start, end = case.get("refused_at", [entry.get("level", self.operator.introduced)] * 2)
        breaks = [self.broken(*descriptor, level) for level in self.levels]
        first = last_level = self.levels.index(start)
        found = breaks[first]
        if found != refuses:
            yield f"broken at {start}", ", ".join(sorted(refuses)), ", ".join(sorted(found)) or "nothing"
        while first > 0 and breaks[first - 1] == found:
            first -= 1
        while last_level + 1 < len(breaks) and breaks[last_level + 1] == found:
            last_level += 1
        interval = (self.levels[first], self.levels[last_level])
        if "refused_at" in case and interval != (start, end):
            yield "refused_at", f"{start} to {end}", " to ".join(interval)


def main() -> int:
    """Reviews all files below a folder, prints the disagreements and a summary, and gives the exit code."""
    parser = argparse.ArgumentParser(description="A third opinion on the case files.")
    beside = Path(__file__).resolve().parent.parent / "cases"
    parser.add_argument("folder", nargs="?", type=Path, default=beside)
    folder: Path = parser.parse_args().folder
    counts: Counter[str] = Counter()
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # every scalar stays the text that it is
    errors = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

    def disagree(place: str, what: str, expected: str, third: str) -> None:
        print(f"{place}: {what}: the file has {expected}; third opinion: {third}")
        counts["disagreements"] += 1

    for path in sorted(folder.rglob("*.yaml")):
        place = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in place.split("/")):
            continue
        try:
            file = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
            review = Review(file["operator"], file["cases"])
        except errors as error:
            disagree(place, "file", "something unreadable", " ".join(str(error).split()))
            continue
        for name, case in review.cases.items():
            try:
                for difference in review.case(case):
                    disagree(f"{place}: {name}", *difference)
            except errors as error:
                disagree(f"{place}: {name}", "case", "something unreadable", repr(error))
            counts.update(["cases", review.kind])
    print(f"{counts['cases']} cases: {counts['values']} values, {counts['digests']} digests, "
          f"{counts['refusals']} refusals, {counts['accepted']} accepted, {counts['observed']} observed, "
          f"{counts['large']} large not computed; {counts['disagreements']} disagreements")
    return 1 if counts["disagreements"] or not counts["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
