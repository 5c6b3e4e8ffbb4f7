"""OneHot-1 of OpenVINO.

Document: the page of the operation OneHot, version 1, Japanese.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.opinion import Data, Opinion, Questions, Results, Rules


def depth_of(t: Tensors) -> int:
    """The value of OpenVINO's depth, which is part of the descriptor."""
    return int(t["depth"].bits().view(t["depth"].type.number)[()])


def inserted(sizes: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    """The sizes with one more dimension at an axis, which may count from the end of the result."""
    at = axis % (len(sizes) + 1)
    return (*sizes[:at], size, *sizes[at:])


SCALARS = ("depth", "on_value", "off_value")
RULES: Rules = {
    "axis-required": ((), lambda t, a, _: "axis" in a),
    "inputs-required": ((), lambda t, a, _: {"indices", *SCALARS} <= set(t)),
    "axis-in-range": (("axis-required", "inputs-required"), lambda t, a, _: (
        -t["indices"].rank - 1 <= a["axis"] <= t["indices"].rank)),
    "index-types": ((), lambda t, a, _: {t["indices"].spelling, t["depth"].spelling} <= {"i32", "i64"}),
    "scalar-inputs": ((), lambda t, a, _: [t[name].sizes for name in SCALARS] == [(), (), ()]),
    "depth-positive": (("inputs-required", "scalar-inputs", "index-types"), lambda t, a, _: depth_of(t) > 0),
    "same-value-type": ((), lambda t, a, _: t["on_value"].type == t["off_value"].type == t["output"].type),
    "output-shape": (("axis-in-range", "scalar-inputs", "depth-positive"), lambda t, a, _: (
        t["output"].sizes == inserted(t["indices"].sizes, a["axis"], depth_of(t)))),
}


def one_hot(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """OneHot-1: the formula of the page, with the new axis put into the indices."""
    indices = np.expand_dims(data["indices"].view(t["indices"].type.number), a["axis"])
    shape = inserted([1] * t["indices"].rank, a["axis"], -1)
    positions = np.arange(depth_of(t), dtype=np.int64).reshape(shape)
    bits = np.where(positions == indices, data["on_value"], data["off_value"])
    return {"output": (bits.ravel(), bits.size)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Indices below zero, none at all, and those of another type than the depth."""
    signed = data["indices"].view(t["indices"].type.number) if data else np.zeros(0)
    return {"negative-index": bool((signed < 0).any()), "zero-size-dimension": 0 in t["indices"].sizes,
            "mixed-index-types": t["indices"].type != t["depth"].type}


OPINION = Opinion("1", ("indices", *SCALARS), RULES, one_hot, open_questions)
