"""StableHLO's test data of argmax and argmin: `stablehlo/testdata/arg{max,min}_*.mlir`, each a program with its input and what
is expected of it. NaN is the greatest and the least of all there, and at a tie the first element counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from vector import Array, Vector, extreme

TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "i1": "bool"} | {
    f"{sign}i{bits}": f"{kind}{bits}" for sign, kind in (("", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)
}
CONSTANT = re.compile(r"stablehlo\.constant dense<(.*?)> : tensor<((?:\d+x)*)(\w+)>", re.DOTALL)


def bits_of(number: str, data_type: str) -> Any:
    """An element: of a type of floating-point numbers its bits, nearest to a number that is not one of them."""
    if data_type == "bool":
        return number == "true"
    if "float" not in data_type:
        return int(number)
    if number.startswith("0x"):
        return {"bits": int(number, 16)}
    if data_type != "bfloat16":
        value = np.array(float(number), data_type)
        return {"bits": int(value.view(f"uint{value.itemsize * 8}"))}
    bits = int(np.array(float(number), "float32").view("uint32"))
    return {"bits": (bits + 0x7FFF + (bits >> 16 & 1)) >> 16}


def constant(text: str) -> Array:
    """The only constant in a function."""
    [(elements, sizes, spelled)] = CONSTANT.findall(text)
    data_type, sizes = TYPES[spelled], [int(size) for size in sizes.split("x") if size]
    count = int(np.prod(sizes, dtype=int))
    if elements.startswith('"0x'):
        width = 2 if data_type == "bfloat16" else np.dtype(data_type).itemsize
        raw = bytes.fromhex(elements.strip('"')[2:])
        whole = [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]
        if "float" in data_type:
            return Array(data_type, sizes, [{"bits": bits} for bits in whole])
        return Array(data_type, sizes, np.frombuffer(raw, data_type).tolist())
    listed = [bits_of(number, data_type) for number in re.findall(r"[^\s\[\],]+", elements)]
    return Array(data_type, sizes, listed * count if len(listed) == 1 else listed)


def read(checkout: Path) -> Iterator[Vector]:
    """All vectors."""
    for path in sorted((checkout / "stablehlo" / "testdata").glob("argm*.mlir")):
        text = path.read_text(encoding="utf-8")
        functions = dict(re.findall(r"func\.func \w+ @(\w+)\(.*?\n(.*?)\n  \}", text, re.DOTALL))
        given, found = constant(functions["inputs"]), constant(functions["expected"])
        [axis] = set(re.findall(r"across dimensions = \[(\d+)\]", text))
        yield extreme(path.stem, path.stem[3:6], given, [int(axis)], found)
