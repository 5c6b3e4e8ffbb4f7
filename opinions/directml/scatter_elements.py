"""SCATTER_ELEMENTS of DirectML.

Document: the page of DML_SCATTER_OPERATOR_DESC, English, of 4 November 2020, at f88051d5c21a. Its second example says that
InputTensor has the sizes {2,3}, but shows three rows, as its output has. Its first one writes an element twice, which the
page calls invalid, and shows what the last update gives.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES, UPDATES = "IndicesTensor", "UpdatesTensor"

SUPPORT: Support = {
    since: {INPUT: (low, high, values), INDICES: (low, high, indices), UPDATES: (low, high, values),
            OUTPUT: (low, high, values)}
    for since, low, high, indices, values in (
        ("1_0", 4, 4, "UINT32", FLOATS), ("2_1", 4, 4, "UINT32", NARROW),
        ("3_0", 1, 8, INDEX, NARROW), ("4_1", 1, 8, INDEX, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[INDICES].rank == t[UPDATES].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[UPDATES].type == t[OUTPUT].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[OUTPUT].rank),
    "indices-sizes": ((RANKS, "axis-in-range"), lambda t, a, _: all(
        at == a["Axis"] or pair[0] == pair[1] for at, pair in enumerate(zip(t[INDICES].sizes, t[INPUT].sizes)))),
    "updates-sizes": ((RANKS,), lambda t, a, _: t[UPDATES].sizes == t[INDICES].sizes),
    "output-sizes": ((RANKS, "tensor/sizes-positive"), lambda t, a, _: t[OUTPUT].sizes == t[INPUT].sizes),
}


def positions(t: Tensors, a: Attributes, data: Data) -> tuple[Array, Array]:
    """Where along the axis each update goes, negative indices counted from the end, and which indices name no element."""
    indices, size = data[INDICES].view(t[INDICES].type.number), t[INPUT].sizes[a["Axis"]]
    # Limited in their own type, which may hold less than the size, to [-size - 1, size]. In 64 bits nothing wraps then.
    least, greatest = (int(bound) for bound in (np.iinfo(indices.dtype).min, np.iinfo(indices.dtype).max))
    limited = indices.clip(max(least, -size - 1), min(greatest, size)).astype(np.int64)
    along: Array = np.where(limited < 0, limited + size, limited)
    return along, (along < 0) | (along >= size)


def scatter_elements(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """SCATTER_ELEMENTS: numbers the places of the output, and looks up the one of each update.

    Which of several updates of one place wins is said to be uncertain, so that such an element is undefined.
    """
    numbers = np.arange(t[OUTPUT].elements, dtype=np.int64).reshape(t[OUTPUT].sizes)
    along, _ = positions(t, a, data)
    places = np.take_along_axis(numbers, along.clip(0, t[INPUT].sizes[a["Axis"]] - 1), axis=a["Axis"]).ravel()
    output = data[INPUT].flatten()
    output[places] = data[UPDATES].ravel()
    return {OUTPUT: (output, np.bincount(places, minlength=output.size) < 2)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What an index does that names no element along the axis, neither from the start nor from the end."""
    return {"index-out-of-range": bool(positions(t, a, data)[1].any())} if data else {}


OPINION = Opinion("1_0", (INPUT, INDICES, UPDATES), RULES, scatter_elements, open_questions,
                  since={"negative-from-end": "3_0"})
