"""ARGMAX of DirectML.

Documents: the pages of DML_ARGMAX_OPERATOR_DESC, Japanese, and of DML_AXIS_DIRECTION, English.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.opinion import Data, Opinion, Questions, Results, Rules

# From which level on, the least and the greatest dimension count and the data types of each tensor.

SUPPORT: Support = {
    "3_0": {INPUT: (1, 8, NARROW), OUTPUT: (1, 8, INDEX)},
    "4_1": {INPUT: (1, 8, WIDE), OUTPUT: (1, 8, INDEX)}}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "axes-in-range": ((RANKS,), lambda t, a, _: all(0 <= axis < t[INPUT].rank for axis in a["Axes"])),
    "output-sizes": ((RANKS, "axes-in-range"), lambda t, a, _: all(
        size == (1 if at in a["Axes"] else t[INPUT].sizes[at]) for at, size in enumerate(t[OUTPUT].sizes))),
}


def argmax(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """ARGMAX: makes the reduced axes one, in their order, and takes the first or the last maximum."""
    axes = sorted(set(a["Axes"]))
    kept = [at for at in range(t[INPUT].rank) if at not in axes]
    subsets = data[INPUT].view(t[INPUT].type.number).transpose(*kept, *axes).reshape(t[OUTPUT].elements, -1)
    is_greatest = subsets == subsets.max(axis=1, keepdims=True)
    if a["AxisDirection"] == "DML_AXIS_DIRECTION_DECREASING":
        index = subsets.shape[1] - 1 - is_greatest[:, ::-1].argmax(axis=1)
    else:
        index = is_greatest.argmax(axis=1)
    return {OUTPUT: (index.astype(t[OUTPUT].type.pattern), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """NaNs, subnormal numbers that decide, lists of axes that are not ascending, and indices that the output cannot hold."""
    has_floats = bool(data) and t[INPUT].type.kind == "f"
    magnitude = np.abs(data[INPUT].view(t[INPUT].type.number)) if has_floats else np.zeros(0)
    nan = bool(np.isnan(magnitude).any())
    axes, reduced = list(a["Axes"]), t[INPUT].elements // t[OUTPUT].elements
    flushed = False
    if has_floats and not nan and ((magnitude > 0) & (magnitude < np.finfo(magnitude.dtype).smallest_normal)).any():
        zeros = np.where(magnitude < np.finfo(magnitude.dtype).smallest_normal, 0, data[INPUT])
        ways = [argmax(t, a, {INPUT: bits.astype(t[INPUT].type.pattern)}, level)[OUTPUT][0]
                for bits in (data[INPUT], zeros)]
        flushed = bool((ways[0] != ways[1]).any())
    return {"nan": nan, "subnormal": flushed, "axes-order": axes != sorted(axes), "axes-duplicate": len(set(axes)) < len(axes),
            "axes-empty": not axes, "index-overflow": reduced > 1 << 31 and t[OUTPUT].spelling == "INT32"}


OPINION = Opinion("3_0", (INPUT,), RULES, argmax, open_questions)
