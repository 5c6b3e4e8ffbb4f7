"""The definitions of the operators, run by CPython: a second interpreter of the language.

Usage: `python -m opinions.definitions [DIR]`. DIR holds `specs` and `cases`; left out, it is the folder above this script.
Needs numpy, PyYAML and blake3.

Definitions are written in a subset of Python's syntax. Here they are run as Python, beside the builtins below,
which are written from specs/README.md, over every case that has values. Each output that differs from what the
case file expects is a line; the exit code is 1 if there are any, or no cases.
"""

from __future__ import annotations

import argparse
import itertools
import math
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import blake3
import numpy as np
import yaml

from opinions.descriptors import Tensor, read_descriptor
from opinions.elements import ElementType, element_bits, integer, is_undefined, leaves
from opinions.opinion import find

Place = list[int]
UNDEFINED, UNSPECIFIED = "undefined", "unspecified"


class Element:
    """The bits of an element and its type. It compares and calculates by its value."""

    def __init__(self, bits: int, kind: ElementType) -> None:
        self.bits, self.kind = bits, kind
        self.value: int | float = bits
        if kind.kind == "i" and bits >> (kind.width - 1):
            self.value = bits - (1 << kind.width)
        elif kind.kind == "bf":
            self.value = struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        elif kind.kind == "f":
            self.value = struct.unpack({16: "<e", 32: "<f", 64: "<d"}[kind.width], bits.to_bytes(kind.width // 8, "little"))[0]

    def __index__(self) -> int:
        if isinstance(self.value, float):
            raise TypeError("floating-point elements are not calculated with")
        return self.value

    def _with(self, other: Any, what: Callable[[Any, Any], bool]) -> bool:
        # Python compares integers with floats exactly.
        return what(self.value, other.value if isinstance(other, Element) else other)

    def __eq__(self, other: object) -> bool:
        return self._with(other, lambda one, two: one == two)

    def __lt__(self, other: Any) -> bool:
        return self._with(other, lambda one, two: one < two)

    def __le__(self, other: Any) -> bool:
        return self._with(other, lambda one, two: one <= two)

    def __gt__(self, other: Any) -> bool:
        return self._with(other, lambda one, two: one > two)

    def __ge__(self, other: Any) -> bool:
        return self._with(other, lambda one, two: one >= two)

    def __add__(self, other: Any) -> int:
        return self.__index__() + int(other)

    def __radd__(self, other: int) -> int:
        return other + self.__index__()

    def __sub__(self, other: Any) -> int:
        return self.__index__() - int(other)

    def __rsub__(self, other: int) -> int:
        return other - self.__index__()

    def __int__(self) -> int:
        return self.__index__()

    def __neg__(self) -> int:
        return -self.__index__()

    __hash__ = None  # type: ignore[assignment]


class Elements:
    """A tensor by its name in a definition: `tensor[place]` is an element."""

    def __init__(self, tensor: Tensor, has_data: bool) -> None:
        self.tensor = tensor
        self.bits = tensor.bits() if has_data else None

    def __getitem__(self, place: Sequence[int]) -> Element:
        if self.bits is None:
            raise LookupError("an output has no elements yet")
        if len(place) != self.tensor.rank or not all(0 <= at < size for at, size in zip(place, self.tensor.sizes)):
            raise LookupError(f"{place} is no place among {self.tensor.sizes}")
        return Element(int(self.bits[tuple(place)]), self.tensor.type)


def sizes(of: Elements) -> Place:
    return list(of.tensor.sizes)


def strides(of: Elements) -> Place:
    if of.tensor.strides is not None:
        return list(of.tensor.strides)
    return [math.prod(of.tensor.sizes[at + 1:]) for at in range(of.tensor.rank)]


def rank(of: Elements) -> int:
    return of.tensor.rank


def dimensions(of: Elements) -> range:
    return range(of.tensor.rank)


def origin(of: Elements) -> Place:
    return [0] * of.tensor.rank


def places(of: Elements) -> list[Place]:
    return [list(place) for place in itertools.product(*map(range, of.tensor.sizes))]


def subset(of: Elements, place: Place, among: Sequence[int]) -> list[Place]:
    free = {at % of.tensor.rank for at in among}
    ranges = [range(size) if at in free else (place[at],) for at, size in enumerate(of.tensor.sizes)]
    return [list(each) for each in itertools.product(*ranges)]


def fits(of: Elements, value: int) -> bool:
    kind, number = of.tensor.type, int(value)
    if kind.kind in ("f", "bf"):
        return False
    bits = 1 if kind.kind == "boolean" else kind.width
    least = -(1 << (bits - 1)) if kind.kind == "i" else 0
    return least <= number < least + (1 << bits)


def replaced(place: Place, at: int, coordinate: int) -> Place:
    changed = list(place)
    changed[at] = coordinate
    return changed


def inserted(place: Place, at: int, coordinate: int) -> Place:
    at = at + len(place) + 1 if at < 0 else at
    return [*place[:at], coordinate, *place[at:]]


def removed(place: Place, at: int) -> Place:
    changed = list(place)
    del changed[at]
    return changed


def is_nan(element: Element) -> bool:
    return isinstance(element.value, float) and math.isnan(element.value)


def mantissa_bits(kind: ElementType) -> int:
    return 7 if kind.kind == "bf" else {16: 10, 32: 23, 64: 52}[kind.width]


def is_subnormal(element: Element) -> bool:
    if element.kind.kind not in ("f", "bf"):
        return False
    magnitude = element.bits & ~(1 << (element.kind.width - 1))
    return 0 < magnitude < 1 << mantissa_bits(element.kind)


def flushed(element: Element) -> Element:
    return Element(element.bits & 1 << (element.kind.width - 1), element.kind) if is_subnormal(element) else element


def bits(element: Element) -> int:
    return element.bits


BUILTINS = {each.__name__: each for each in (
    sizes, strides, rank, dimensions, origin, places, subset, fits, replaced, inserted, removed, is_nan, is_subnormal,
    flushed, bits, len, sum, min, max, any, all, range, enumerate, zip, sorted)}


def evaluate(definition: str, operator: str, tensors: Mapping[str, Tensor], attributes: Mapping[str, Any],
             enumerators: Sequence[str]) -> Iterator[tuple[str, list[int | str]]]:
    """The outputs, each with the bits of its elements, or why one has none."""
    inputs = find(operator)[1].inputs
    # Constants are inputs whose data belong to the descriptor.
    names: dict[str, Any] = {name: Elements(tensor, name in inputs) for name, tensor in tensors.items()}
    outputs = [name for name in tensors if name not in inputs]
    environment = {"__builtins__": {}, **BUILTINS, UNDEFINED: UNDEFINED, UNSPECIFIED: UNSPECIFIED,
                   **{name: name for name in enumerators}, **attributes, **names}
    exec(compile(definition, operator, "exec"), environment)  # noqa: S102
    functions = {name: environment[name] for name in outputs}
    # Inside, the names of outputs mean the tensors again.
    environment.update(names)
    for name, function in functions.items():
        elements: list[int | str] = []
        for place in places(names[name]):
            value = function(place)
            kind = tensors[name].type
            if isinstance(value, str):
                elements.append(value)
            elif isinstance(value, Element) and value.kind == kind:
                elements.append(value.bits)
            elif fits(names[name], value):
                elements.append(int(value) % (1 << kind.width))
            else:
                raise ValueError(f"{value} is no element of {name}")
        yield name, elements


def differences(expect: Mapping[str, Any], tensors: Mapping[str, Tensor],
                outputs: Iterator[tuple[str, list[int | str]]]) -> Iterator[str]:
    """What a case file expects otherwise."""
    found = dict(outputs)
    if set(found) != set(expect):
        yield f"outputs {', '.join(found)}, expected {', '.join(expect)}"
        return
    for name, elements in found.items():
        kind, node = tensors[name].type, expect[name]
        if UNSPECIFIED in elements:
            yield f"{name}: element {elements.index(UNSPECIFIED)} is unspecified, and has a value"
        elif isinstance(node, dict) and "blake3" in node:
            stated = integer(node.get("defined", str(len(elements))))
            known = [element for element in elements if element != UNDEFINED]
            digest = blake3.blake3(np.array(known, dtype=kind.pattern).tobytes()).hexdigest()
            if len(known) != stated or UNDEFINED in elements[:stated] or digest != node["blake3"]:
                yield f"{name}: another digest, or another number of defined elements"
        else:
            for at, (part, element) in enumerate(zip(leaves(node, tensors[name].sizes), elements, strict=True)):
                wanted = UNDEFINED if is_undefined(part) else element_bits(part, kind)
                if wanted != element:
                    yield f"{name}: element {at} is {element}, expected {wanted}"
                    break


def main() -> int:
    """Runs all definitions, prints the differences and a summary, and gives the exit code."""
    parser = argparse.ArgumentParser(description="The definitions of the operators, run by CPython.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    folder: Path = parser.parse_args().folder
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # every scalar stays the text that it is
    counts: Counter[str] = Counter()
    specs: dict[str, Any] = {}
    for path in sorted((folder / "specs").rglob("*.yaml")):
        spec = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        if "operator" in spec and "definition" in spec:
            specs[spec["operator"]] = spec
    for path in sorted((folder / "cases").rglob("*.yaml")):
        file = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        spec = specs[file["operator"]]
        enumerators = [name for each in spec["attributes"].values() for name in each.get("values", [])]
        for name, case in file["cases"].items():
            expect = case["expect"]
            if case.get("tier") == "large" or not isinstance(expect, dict) or {"refuses", "observe"} & set(expect):
                continue
            tensors, attributes = read_descriptor(find(file["operator"])[0].types, case)
            counts["cases"] += 1
            try:
                outputs = evaluate(spec["definition"], file["operator"], tensors, attributes, enumerators)
                for difference in differences(expect, tensors, outputs):
                    print(f"{path.relative_to(folder)}: {name}: {difference}")
                    counts["differences"] += 1
            except (ArithmeticError, LookupError, NameError, TypeError, ValueError) as error:
                print(f"{path.relative_to(folder)}: {name}: {error!r}")
                counts["differences"] += 1
    print(f"{len(specs)} definitions, {counts['cases']} cases with values, {counts['differences']} differences")
    return 1 if counts["differences"] or not counts["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
