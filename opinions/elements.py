"""The text of elements: data types, numbers as they are written, nested lists and patterns, down to bits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from opinions.reading import is_undefined

Array = npt.NDArray[Any]
Types = Mapping[str, "ElementType"]  # by a family's spelling


class ElementType(NamedTuple):
    """A data type. All data are kept as `pattern`, unsigned and as wide, and compared as `number`."""

    kind: str  # f, bf, i, u or boolean
    width: int
    pattern: np.dtype[Any]
    number: np.dtype[Any]


def element_types(spellings: str, kinds: Mapping[str, str]) -> Types:
    """A family's data types by their spellings: a word for the kind, and the number of bits."""
    types = {}
    for spelling in spellings.split():
        word = spelling.rstrip("0123456789")
        kind, size = kinds[word], int(spelling[len(word):] or 8) // 8
        # NumPy has no bfloat: who compares such numbers converts them. No operator here compares truth values.
        number = np.dtype(f"<{kind if len(kind) == 1 else 'u'}{size}")
        types[spelling] = ElementType(kind, size * 8, np.dtype(f"<u{size}"), number)
    return types


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


STEP = 1 << 20  # elements at a time, so that little memory is needed
ALL_BITS = (1 << 64) - 1


def splitmix64(state: Array) -> Array:
    """The function behind the pattern `bits`, for an array of states."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def sequence_bits(node: Mapping[str, Any], kind: ElementType, count: int) -> Array:
    """One element again and again, with exceptions."""
    if set(node) - {"value", "except"}:
        raise ValueError("unknown keys in a sequence")
    data = np.full(count, element_bits(node["value"], kind), dtype=kind.pattern)
    for position, value in node.get("except", {}).items():
        if position.startswith("-"):
            raise ValueError("positions count from 0")
        data[integer(position)] = element_bits(value, kind)
    return data


def sequences_bits(node: Mapping[str, Any], kind: ElementType, sizes: Sequence[int]) -> Array:
    """Sequences along some dimensions, which are moved behind the others so that each is a row."""
    along = [integer(dimension) for dimension in node["along"]]
    if along != sorted(set(along)) or any(not 0 <= dimension < len(sizes) for dimension in along):
        raise ValueError(f"sequences along {along} of sizes {list(sizes)}")
    others = [dimension for dimension in range(len(sizes)) if dimension not in along]
    length = math.prod(sizes[dimension] for dimension in along)
    rows = np.empty((math.prod(sizes[dimension] for dimension in others), length), dtype=kind.pattern)
    turns = [sequence_bits(each, kind, length) for each in node["of"]]
    for turn, sequence in enumerate(turns):
        rows[turn::len(turns)] = sequence
    order = others + along
    moved = rows.reshape([sizes[dimension] for dimension in order])
    return np.ascontiguousarray(moved.transpose([order.index(dimension) for dimension in range(len(sizes))])).reshape(-1)


def pattern_bits(node: Mapping[str, Any], kind: ElementType, sizes: Sequence[int]) -> Array:
    """The elements that a formula describes."""
    name, count = node["pattern"], math.prod(sizes)
    allowed = {"constant": {"value", "except"}, "ramp": {"start", "step", "period"}, "bits": {"seed"},
               "sequences": {"along", "of"}}[name]
    if set(node) - allowed - {"pattern"}:
        raise ValueError(f"unknown keys in the pattern {name}")
    parameters = {key: value for key, value in node.items() if key != "pattern"}
    if name == "constant":
        return sequence_bits(parameters, kind, count)
    if name == "sequences":
        return sequences_bits(parameters, kind, sizes)
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
