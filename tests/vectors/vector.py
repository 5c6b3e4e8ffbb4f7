"""A test vector, whatever project it is from, and the cases that it comes to.

Types are called as numpy calls them, with `bfloat16` beside them. Elements are numbers, or bits of a floating-point type.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

# What each family calls the types.
DIRECTML = {f"{kind}{bits}": f"{kind.upper()}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {
    "float16": "FLOAT16",
    "float32": "FLOAT32",
}
ONNX = {f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "bfloat16": "bfloat16",
    "bool": "bool",
}
OPENVINO = {f"{kind}{bits}": f"{kind[0]}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "bool": "boolean",
}
TOSA = {"int8": "i8_t", "int16": "i16_t", "float16": "fp16_t", "bfloat16": "bf16_t", "float32": "fp32_t"}
WEBNN = {name: name for name in ("float32", "float16", "int64", "int32", "int8", "uint64", "uint32", "uint8")}


class Unreadable(Exception):
    """A file is not what its reader knows."""


@dataclass
class Array:
    """A tensor: its type, its sizes, and its elements in row-major order."""

    data_type: str
    sizes: list[int]
    elements: list[Any]

    def __post_init__(self) -> None:
        if len(self.elements) != math.prod(self.sizes):
            raise Unreadable(f"a tensor of the sizes {self.sizes} has {len(self.elements)} elements")

    def nested(self) -> Any:
        """The elements as cases have them: as many lists in each other as there are dimensions."""
        nested = self.elements
        for size in reversed(self.sizes):
            if size == 0:
                return []
            nested = [nested[at : at + size] for at in range(0, len(nested), size)]
        return nested[0]

    def tensor(self, types: dict[str, str], data: bool = True) -> dict[str, Any]:
        """As a case has it."""
        tensor = {"type": types[self.data_type], "sizes": self.sizes}
        return tensor | {"data": self.nested()} if data else tensor


@dataclass
class Vector:
    """A vector: a case of each operator that can express it, and of what type it is."""

    name: str
    cases: dict[str, dict[str, Any]]
    data_type: str


def case(tensors: dict[str, Any], attributes: dict[str, Any], output: str, expected: Array) -> dict[str, Any]:
    """A case with one output."""
    return {"tensors": tensors, "attributes": attributes, "expect": {output: expected.nested()}}


def extreme(name: str, word: str, given: Array, axes: list[int], found: Array, last: bool = False) -> Vector:
    """The place of the greatest (`word` is `max`) or least element along axes, of which DirectML alone has several; at a tie
    the first one, or the last. `found` has the axes with the size 1, or not at all."""
    kept = len(found.sizes) == len(given.sizes)
    with_axes = [1 if at in axes else size for at, size in enumerate(given.sizes)]
    axis = axes[0] if len(axes) == 1 else None

    def result(data_type: str, sizes: list[int] = found.sizes) -> Array:
        return Array(data_type, sizes, found.elements)

    made = {}
    if given.data_type in DIRECTML and given.sizes:
        output = result("uint32", with_axes)
        made[f"directml/arg{word}"] = case(
            {"InputTensor": given.tensor(DIRECTML), "OutputTensor": output.tensor(DIRECTML, data=False)},
            {
                "AxisCount": len(axes),
                "Axes": axes,
                "AxisDirection": f"DML_AXIS_DIRECTION_{'DECREASING' if last else 'INCREASING'}",
            },
            "OutputTensor",
            output,
        )
    if given.data_type in ONNX and given.data_type != "bool" and axis is not None:
        output = result("int64")
        made[f"onnx/arg_{word}"] = case(
            {"data": given.tensor(ONNX), "reduced": output.tensor(ONNX, data=False)},
            {"axis": axis, "keepdims": int(kept), "select_last_index": int(last)},
            "reduced",
            output,
        )
    if given.data_type in WEBNN and not last and axis is not None:
        output = result("int64" if found.data_type == "int64" else "int32")
        made[f"webnn/arg_{word}"] = case(
            {"input": given.tensor(WEBNN), "output": output.tensor(WEBNN, data=False)},
            {"axis": axis, "keepDimensions": kept, "outputDataType": output.data_type},
            "output",
            output,
        )
    if given.data_type in TOSA and word == "max" and not last and not kept and axis is not None:
        output = result("int32")
        made["tosa/argmax"] = case(
            {"input": given.tensor(TOSA), "output": output.tensor(TOSA | {"int32": "i32_t"}, data=False)},
            {"axis": axis},
            "output",
            output,
        )
    return Vector(name, made, given.data_type)


def one_hot(
    name: str, indices: Array, depth: Array, on: Array, off: Array, axis: int, mode: str | None, output: Array
) -> Vector:
    """OpenVINO's OneHot-16 with its mode of negative indices, or OneHot-1, whose indices are not negative; and OneHot of ONNX,
    where that has the types and the dimensions. ONNX counts negative indices from the end since version 11, as the mode
    `normalize` does."""
    made = {
        f"openvino/one_hot_{16 if mode else 1}": case(
            {
                "indices": indices.tensor(OPENVINO),
                "depth": depth.tensor(OPENVINO),
                "on_value": on.tensor(OPENVINO),
                "off_value": off.tensor(OPENVINO),
                "output": output.tensor(OPENVINO, data=False),
            },
            {"axis": axis} | ({"negative_indices_mode": mode} if mode else {}),
            "output",
            output,
        )
    }
    if indices.sizes and on.data_type != "bfloat16" and mode != "ignore-negative":
        values = Array(on.data_type, [2], off.elements + on.elements)
        made["onnx/one_hot"] = case(
            {
                "indices": indices.tensor(ONNX),
                "depth": depth.tensor(ONNX),
                "values": values.tensor(ONNX),
                "output": output.tensor(ONNX, data=False),
            },
            {"axis": axis},
            "output",
            output,
        )
        if mode:
            made["onnx/one_hot"]["level"] = "11"
    return Vector(name, made, on.data_type)


def non_zero(name: str, given: Array, found: Array) -> Vector:
    """The coordinates of what is not zero, by columns."""
    made = {
        "openvino/non_zero_3": case(
            {"data": given.tensor(OPENVINO), "output": found.tensor(OPENVINO, data=False)},
            {"output_type": OPENVINO[found.data_type]},
            "output",
            found,
        )
    }
    if found.data_type == "int64":
        made["onnx/non_zero"] = case(
            {"X": given.tensor(ONNX), "Y": found.tensor(ONNX, data=False)}, {}, "Y", found
        )
    return Vector(name, made, given.data_type)
