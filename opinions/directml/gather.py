"""GATHER of DirectML.

Document: the page of DML_GATHER_OPERATOR_DESC, English, of 30 October 2020. It has IndexDimensions below the dimension
count, but its first example has both 1, so the count itself is in range here. Its third example has IndexDimensions 2, but
by its own rules the sizes there follow from 1 only.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES = "IndicesTensor"


def sizes_follow(t: Tensors, a: Attributes) -> bool:
    """Whether OutputTensor has the concatenated sizes, with ones of InputTensor cropped in front of them, or one added.

    There are IndexDimensions - 1 dimensions too many. With one more in front always, IndexDimensions are to be cropped. Only
    those before the axis can be: the document speaks of ones from the input sizes.
    """
    sizes, axis, count = t[INPUT].sizes, a["Axis"], a["IndexDimensions"]
    leading = (1, *sizes[:axis])
    inserted = t[INDICES].sizes[t[INDICES].rank - count:]
    return leading[:count] == (1,) * count and t[OUTPUT].sizes == (*leading[count:], *inserted, *sizes[axis + 1:])


SUPPORT: Support = {
    since: {INPUT: (low, high, values), INDICES: (low, high, indices), OUTPUT: (low, high, values)}
    for since, low, high, indices, values in (
        ("1_0", 4, 4, "UINT32", FLOATS), ("2_1", 4, 4, "UINT32", NARROW),
        ("3_0", 1, 8, INDEX, NARROW), ("4_1", 1, 8, INDEX, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[INDICES].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].spelling == t[OUTPUT].spelling),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INPUT].rank),
    "index-dimensions": ((RANKS,), lambda t, a, _: 0 <= a["IndexDimensions"] <= t[INDICES].rank),
    "output-sizes": ((RANKS, "axis-in-range", "index-dimensions", "tensor/sizes-positive"), lambda t, a, _: sizes_follow(t, a)),
}


def positions(t: Tensors, a: Attributes, data: Data) -> Array:
    """Where along the axis the indices point, negative ones counted from the end; all that are too great become its size."""
    left_out = t[INDICES].rank - a["IndexDimensions"]
    indices = data[INDICES].view(t[INDICES].type.number)[(0,) * left_out + (...,)]
    size = t[INPUT].sizes[a["Axis"]]
    # Limited before they become signed, and before anything is added to them.
    limited = np.minimum(indices, min(size, int(np.iinfo(indices.dtype).max))).astype(np.int64)
    along: Array = np.where(limited < 0, limited + size, limited)
    return along


def gather(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """GATHER: takes slices across the axis. What indices that point nowhere give is called incorrect: it may be anything."""
    along, axis = positions(t, a, data), a["Axis"]
    values = np.take(data[INPUT], along, axis=axis, mode="clip")
    is_within = np.expand_dims((along >= 0) & (along < t[INPUT].sizes[axis]), tuple(range(along.ndim, values.ndim - axis)))
    return {OUTPUT: (values.ravel(), np.broadcast_to(is_within, values.shape).ravel())}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Dimensions of indices that are left out, which are called ones but not required to be."""
    left_out = t[INDICES].sizes[:max(0, t[INDICES].rank - a["IndexDimensions"])]
    return {"ignored-index-dimensions": any(size > 1 for size in left_out)}


OPINION = Opinion("1_0", (INPUT, INDICES), RULES, gather, open_questions, since={"negative-from-end": "3_0"})
