"""JOIN of DirectML, and what it shares with SPLIT, its inverse, which is all about the parts along an axis.

Document: the page of DML_JOIN_OPERATOR_DESC, English, of 2 November 2020, at 2cd469d9bd0f. Its table for level 3_0 has 4 to 5
dimensions, where the page of the inverse has 1 to 8; it is followed. That the inputs come in the order of their numbers is in
its examples only. By its pseudocode no inputs at all also miss the output's size, as they sum up to 0.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import NARROW, OUTPUT, RANKS, WIDE, Support, list_rules, listed, nothing_open
from opinions.opinion import Data, Opinion, Results, Rules

INPUTS = "InputTensors"
FIRST = "FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16"  # the types of level 1_0
SIZED = ("axis-in-range", RANKS, "tensor/sizes-positive")

SUPPORT: Support = {
    since: {INPUTS: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (
        ("1_0", 4, 4, FIRST), ("2_1", 4, 4, NARROW), ("3_0", 4, 5, NARROW), ("4_1", 1, 8, f"{WIDE} FLOAT64"))}


def part_rules(support: Support, whole: str, output: str) -> Rules:
    """What is asked of all tensors, and of the axis, which is one of the whole, however many parts there are."""
    return {
        **list_rules(support, output),
        "same-type": ((), lambda t, a, _: len({part.spelling for part in t.values()}) == 1),
        RANKS: ((), lambda t, a, _: len({part.rank for part in t.values()}) == 1),
        "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[whole].rank),
        "sizes-beside-axis": (SIZED, lambda t, a, _: len({
            part.sizes[:a["Axis"]] + part.sizes[a["Axis"] + 1:] for part in t.values()}) == 1),
    }


def along_axis(t: Tensors, a: Attributes, parts: str) -> list[int]:
    """The sizes of the parts along the axis."""
    return [t[name].sizes[a["Axis"]] for name in listed(t, parts)]


RULES: Rules = {
    **part_rules(SUPPORT, OUTPUT, OUTPUT),
    "inputs-given": ((), lambda t, a, _: len(listed(t, INPUTS)) > 0),
    "output-size": (SIZED, lambda t, a, _: sum(along_axis(t, a, INPUTS)) == t[OUTPUT].sizes[a["Axis"]]),
}


def join(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """JOIN: all bits of the inputs, one after the other along the axis."""
    whole = np.concatenate([data[name] for name in listed(t, INPUTS)], axis=a["Axis"])
    return {OUTPUT: (whole.ravel(), t[OUTPUT].elements)}


OPINION = Opinion("1_0", (INPUTS,), RULES, join, nothing_open)
