"""The vectors of OneHot and NonZero in the tests of OpenVINO's reference: `op_reference/one_hot.cpp` and `nonzero.cpp`, which
list them as arguments of constructors, some as templates of the types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from vector import Array, Unreadable, Vector, non_zero, one_hot

FOLDER = Path("src/plugins/template/tests/functional/op_reference")
TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "boolean": "bool"} | {
    f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}
NUMBERS = re.compile(r"true|false|-?[\d.]+")
TENSOR = re.compile(r"reference_tests::Tensor\(\s*(\w+),\s*\{([\d, ]*)\},\s*(.*?)\)(?=,\s*(?:-?\d+,|reference_tests|\"))", re.DOTALL)
GENERATED = re.compile(r"generateExpectedValues\(.*?\{([\d,\s]*)\},\s*(\d+)\)", re.DOTALL)


def numbers(text: str) -> list[float | int | bool]:
    """The numbers of an initializer list."""
    return [each == "true" if each in ("true", "false") else float(each) if "." in each else int(each) for each in NUMBERS.findall(text)]


def array(spelled: str, sizes: str, elements: str) -> Array:
    """A tensor of a constructor."""
    shape = [int(size) for size in sizes.split(",") if size.strip()]
    if generated := GENERATED.search(elements):
        # The element of each row that its number names is 1.
        values = np.zeros(shape, int)
        for row, place in enumerate(numbers(generated[1])):
            values[row, place] = 1
        return Array(TYPES[spelled], shape, values.reshape(-1).tolist())
    listed = numbers(elements[elements.index("{") :])
    return Array(TYPES[spelled], shape, [bool(each) for each in listed] if spelled == "boolean" else listed)


def counted(text: str, constructor: str, found: list[Any]) -> None:
    """Every use of a constructor is one of those that were found."""
    if text.count(constructor) != len(found):
        raise Unreadable(f"{text.count(constructor)} of `{constructor}`, of which {len(found)} are read")


def one_hots(text: str) -> Iterator[tuple[str, list[Array], int]]:
    """Each instance: its name with its types, its tensors, and its axis."""
    templates = dict(re.findall(r"std::vector<OneHotParams> (generate\w+)\(\) \{(.*?)\n\}", text, re.DOTALL))
    instances = re.findall(r"(generate\w+)<element::Type_t::(\w+), element::Type_t::(\w+)>\(\)", text)
    for template, first, second in instances:
        types = {"ET1": first, "ET2": second}
        counted(templates[template], "OneHotParams(", re.findall(r"\"(\w+)\"\)", templates[template]))
        for arguments, name in re.findall(r"OneHotParams\((.*?)\"(\w+)\"\)", templates[template], re.DOTALL):
            tensors = [array(types[kind], *rest) for kind, *rest in TENSOR.findall(arguments + '"')]
            [axis] = re.findall(r"\),\s*(-?\d+),", arguments)
            yield f"{name}_{first}_{second}", tensors, int(axis)


def read(checkout: Path) -> Iterator[Vector]:
    """All vectors."""
    for name, [indices, depth, on, off, output], axis in one_hots((checkout / FOLDER / "one_hot.cpp").read_text("utf-8")):
        yield one_hot(name, indices, depth, on, off, axis, output)
    text = (checkout / FOLDER / "nonzero.cpp").read_text("utf-8")
    listed = re.findall(
        r"NonZeroParams\(PartialShape\{[\d, ]*\},\s*PartialShape\{([\d, ]*)\},\s*element::(\w+),\s*element::(\w+),"
        r"\s*std::vector<[\w:]+>(\{.*?\}),\s*std::vector<[\w:]+>(\{.*?\})",
        text,
        re.DOTALL,
    )
    counted(text, "NonZeroParams(PartialShape{", listed)
    for at, (sizes, kind, found_kind, elements, places) in enumerate(listed):
        given = array(kind, sizes, elements)
        found = numbers(places)
        rank = len(given.sizes)
        output = Array(TYPES[found_kind], [rank, len(found) // rank], found)
        yield non_zero(f"non_zero_{at}_{kind}_{found_kind}", given, output)
