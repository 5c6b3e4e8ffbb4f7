"""ONE_HOT of DirectML.

Documents: the page of DML_ONE_HOT_OPERATOR_DESC, Japanese and with a table for feature level 4_1, and an English one at an
earlier time.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INDEX, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES, VALUES = "IndicesTensor", "ValuesTensor"

SUPPORT: Support = {
    since: {INDICES: (low, high, indices), VALUES: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, indices, values in (
        ("2_0", 4, 4, "UINT32", FLOATS), ("2_1", 4, 4, "UINT32", NARROW),
        ("3_0", 1, 8, INDEX, NARROW), ("4_1", 1, 8, INDEX, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INDICES].rank == t[VALUES].rank == t[OUTPUT].rank),
    "same-value-type": ((), lambda t, a, _: t[VALUES].type == t[OUTPUT].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INDICES].rank),
    "indices-axis-size-one": (("axis-in-range",), lambda t, a, _: t[INDICES].sizes[a["Axis"]] == 1),
    "sizes-match-off-axis": (("axis-in-range",), lambda t, a, _: all(
        t[INDICES].sizes[at] == t[OUTPUT].sizes[at] for at in range(t[OUTPUT].rank) if at != a["Axis"])),
    "values-at-least-two": ((), lambda t, a, _: t[VALUES].elements >= 2),
}


def chosen(t: Tensors, a: Attributes, data: Data) -> np.ndarray:
    """Which elements are on: compares the positions along the axis with the indices, negative ones counted from the end."""
    indices = data[INDICES].view(t[INDICES].type.number)
    size = indices.dtype.type(t[OUTPUT].sizes[a["Axis"]])
    indices = np.where(indices < 0, indices + size, indices)
    along_axis = [-1 if at == a["Axis"] else 1 for at in range(indices.ndim)]
    positions = np.arange(size, dtype=indices.dtype).reshape(along_axis)
    return positions == indices


def one_hot(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """ONE_HOT: one of two values for each element."""
    fastest = np.flatnonzero(np.array(t[VALUES].sizes) > 1)[-1]
    off, on = data[VALUES].flat[0], data[VALUES].take(1, axis=fastest).flat[0]
    return {OUTPUT: (np.where(chosen(t, a, data), on, off).ravel(), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Which dimension of ValuesTensor changes fastest where its strides say another one than its sizes.

    Where no element is on, OffValue alone comes out, which no dimension moves.
    """
    strides = t[VALUES].strides
    if not data or strides is None:
        return {}
    dimensions = [at for at, size in enumerate(t[VALUES].sizes) if size > 1]
    readings = (dimensions[-1], min(dimensions, key=lambda at: (strides[at], -at)))
    last, shortest = (data[VALUES].take(1, axis=at).flat[0] for at in readings)
    return {"fastest-dimension-under-strides": bool(last != shortest) and bool(chosen(t, a, data).any())}


OPINION = Opinion("2_0", (INDICES, VALUES), RULES, one_hot, open_questions,
                  restates={"output-axis-size-positive": "tensor/sizes-positive"}, since={"negative-from-end": "3_0"})
