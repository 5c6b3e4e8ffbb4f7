"""SPLIT of DirectML.

Document: the page of DML_SPLIT_OPERATOR_DESC, English, of 4 November 2020, at 2cd469d9bd0f. Its table for level 3_0 has 1 to 8
dimensions, where the page of the inverse, JOIN, has 4 to 5; it is followed. That the outputs come in the order of their
numbers is in its examples only. By its pseudocode no outputs at all also miss the input's size, as they sum up to 0.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, WIDE, Support, listed, nothing_open
from opinions.directml.join import FIRST, SIZED, along_axis, part_rules
from opinions.opinion import Data, Opinion, Results, Rules

OUTPUTS = "OutputTensors"

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUTS: (low, high, values)}
    for since, low, high, values in (
        ("1_0", 4, 4, FIRST), ("2_1", 4, 4, NARROW), ("3_0", 1, 8, NARROW), ("4_1", 1, 8, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **part_rules(SUPPORT, INPUT, OUTPUTS),
    "outputs-given": ((), lambda t, a, _: len(listed(t, OUTPUTS)) > 0),
    "output-sizes": (SIZED, lambda t, a, _: sum(along_axis(t, a, OUTPUTS)) == t[INPUT].sizes[a["Axis"]]),
}


def split(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """SPLIT: all bits of the input, cut along the axis where an output ends."""
    ends = np.cumsum(along_axis(t, a, OUTPUTS))
    parts = np.split(data[INPUT], ends[:-1], axis=a["Axis"])
    return {name: (part.ravel(), part.size) for name, part in zip(listed(t, OUTPUTS), parts)}


OPINION = Opinion("1_0", (INPUT,), RULES, split, nothing_open)
