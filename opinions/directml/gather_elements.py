"""GATHER_ELEMENTS of DirectML.

Document: the page of DML_GATHER_ELEMENTS_OPERATOR_DESC, English, of 30 October 2020, at 879f4fcc329a.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES = "IndicesTensor"

SUPPORT: Support = {
    since: {INPUT: (low, high, values), INDICES: (low, high, indices), OUTPUT: (low, high, values)}
    for since, low, high, values, indices in (
        ("2_1", 4, 4, NARROW, "UINT32"), ("3_0", 1, 8, NARROW, INDEX), ("4_1", 1, 8, f"{WIDE} FLOAT64", INDEX))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INDICES].rank == t[INPUT].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INPUT].rank),
    "indices-sizes": ((RANKS, "axis-in-range"), lambda t, a, _: all(
        t[INDICES].sizes[at] == t[INPUT].sizes[at] for at in range(t[INPUT].rank) if at != a["Axis"])),
    "output-sizes": ((RANKS,), lambda t, a, _: t[OUTPUT].sizes == t[INDICES].sizes),
}


def from_start(t: Tensors, a: Attributes, data: Data) -> tuple[Array, int]:
    """The indices in 64 bits of their own sign, negative ones counted from the end, and the size of the axis."""
    size = t[INPUT].sizes[a["Axis"]]
    wide = np.dtype(np.int64 if t[INDICES].type.kind == "i" else np.uint64)
    indices = data[INDICES].view(t[INDICES].type.number).astype(wide)
    indices[indices < 0] += size
    return indices, size


def gather_elements(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """GATHER_ELEMENTS: reads along the axis what each index names, or the nearest element if it names none."""
    indices, size = from_start(t, a, data)
    gathered = np.take_along_axis(data[INPUT], indices.clip(0, size - 1).astype(np.int64), axis=a["Axis"])
    return {OUTPUT: (gathered.ravel(), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What an element of the output is whose index names no element along the axis, not even from the end."""
    if not data:
        return {}
    indices, size = from_start(t, a, data)
    return {"index-out-of-range": bool(((indices < 0) | (indices >= size)).any())}


OPINION = Opinion("2_1", (INPUT, INDICES), RULES, gather_elements, open_questions, since={"negative-from-end": "3_0"})
