"""The vectors of OneHot and NonZero in the tests of OpenVINO's reference: `op_reference/one_hot.cpp` and `nonzero.cpp`, which
list them as arguments of constructors, some as templates of the types.

Those of OneHot-1 are tested with OneHot-16 once more, in the mode that `From_v1` names; OneHot-16 has others of its own."""

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
# The modes of OneHot-16, in the code and on the page.
MODES = {"IGNORE_NEGATIVE": "ignore-negative", "NORMALIZE": "normalize"}
TENSOR = re.compile(
    r"reference_tests::Tensor\(\s*(?:element::Type_t::)?(\w+),\s*\{([\d, ]*)\},\s*(.*?)\)"
    r"(?=,\s*(?:-?\d+,|reference_tests|op::|\"))",
    re.DOTALL,
)
ONE_HOT = re.compile(r"OneHotParams_v(?:1|16)\(\s*(reference_tests::Tensor\(.*?)\"(\w+)\"\)", re.DOTALL)
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
    used = len(re.findall(constructor, text))
    if used != len(found):
        raise Unreadable(f"{used} of `{constructor}`, of which {len(found)} are read")


def only(pattern: str, text: str) -> str:
    """What a pattern finds, once."""
    found = re.findall(pattern, text, re.DOTALL)
    if len(found) != 1:
        raise Unreadable(f"{len(found)} of `{pattern}`, expected one")
    return str(found[0])


def instance(arguments: str, types: dict[str, str]) -> tuple[list[Array], int]:
    """The tensors and the axis of a constructor, in a template whose parameters are these types."""
    tensors = [array(types.get(kind, kind), *rest) for kind, *rest in TENSOR.findall(arguments + '"')]
    return tensors, int(only(r"\),\s*(-?\d+),", arguments))


def one_hots(text: str) -> Iterator[tuple[str, list[Array], int, str | None]]:
    """Each instance: its name with its types, its tensors, its axis, and the mode if it is one of OneHot-16."""
    own = only(r"std::vector<OneHotParams_v16> \w+\(\) \{(.*?)\n\}", text)
    only(r"push_back\(OneHotParams_v16::From_v1\(\w+\)\)", own)
    taken_over = MODES[only(r"From_v1\(const.*?NegativeIndicesMode::(\w+)", text)]
    templates = {
        name: ONE_HOT.findall(body)
        for name, body in re.findall(r"std::vector<OneHotParams_v1> (generate\w+)\(\) \{(.*?)\n\}", text, re.DOTALL)
    }
    instances = re.findall(r"(generate\w+)<element::Type_t::(\w+), element::Type_t::(\w+)>\(\)", text)
    counted(text, r"generateParams\w*<", instances)
    read = [each for template in {name for name, *_ in instances} for each in templates[template]]
    counted(text, r"OneHotParams\w*\(\s*reference_tests::Tensor\(", read + ONE_HOT.findall(own))
    for template, first, second in instances:
        for arguments, name in templates[template]:
            tensors, axis = instance(arguments, {"ET1": first, "ET2": second})
            yield f"{name}_{first}_{second}", tensors, axis, None
            yield f"{name}_{first}_{second}_v16", tensors, axis, taken_over
    for arguments, name in ONE_HOT.findall(own):
        tensors, axis = instance(arguments, {})
        yield f"{name}_v16", tensors, axis, MODES[only(r"NegativeIndicesMode::(\w+)", arguments)]


def read(checkout: Path) -> Iterator[Vector]:
    """All vectors."""
    one_hot_text = (checkout / FOLDER / "one_hot.cpp").read_text("utf-8")
    for name, [indices, depth, on, off, output], axis, mode in one_hots(one_hot_text):
        yield one_hot(name, indices, depth, on, off, axis, mode, output)
    text = (checkout / FOLDER / "nonzero.cpp").read_text("utf-8")
    listed = re.findall(
        r"NonZeroParams\(PartialShape\{[\d, ]*\},\s*PartialShape\{([\d, ]*)\},\s*element::(\w+),\s*element::(\w+),"
        r"\s*std::vector<[\w:]+>(\{.*?\}),\s*std::vector<[\w:]+>(\{.*?\})",
        text,
        re.DOTALL,
    )
    counted(text, r"NonZeroParams\(PartialShape\{", listed)
    for at, (sizes, kind, found_kind, elements, places) in enumerate(listed):
        given = array(kind, sizes, elements)
        found = numbers(places)
        rank = len(given.sizes)
        output = Array(TYPES[found_kind], [rank, len(found) // rank], found)
        yield non_zero(f"non_zero_{at}_{kind}_{found_kind}", given, output)
