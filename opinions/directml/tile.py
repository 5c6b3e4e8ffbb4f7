"""TILE of DirectML.

Document: the page of DML_TILE_OPERATOR_DESC, English, of 4 November 2020, at b6ccb924f6c4. Its example calls both tensors
InputTensor; the second one is OutputTensor.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules, nothing_open
from opinions.opinion import Data, Opinion, Results, Rules

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (("1_0", 4, 4, FLOATS), ("2_1", 4, 4, NARROW), ("3_1", 1, 8, NARROW), ("4_1", 1, 8, WIDE))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "repeats-count": ((), lambda t, a, _: len(a["Repeats"]) == t[INPUT].rank),
    "repeats-positive": ((), lambda t, a, _: all(copies >= 1 for copies in a["Repeats"])),
    "output-sizes": ((RANKS, "repeats-count", "repeats-positive", "tensor/sizes-positive"), lambda t, a, _: all(
        whole == size * copies for whole, size, copies in zip(t[OUTPUT].sizes, t[INPUT].sizes, a["Repeats"]))),
}


def tile(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """TILE: as many copies of the whole tensor along each dimension, one after the other, as its repeats say."""
    return {OUTPUT: (np.tile(data[INPUT], a["Repeats"]).ravel(), t[OUTPUT].elements)}


OPINION = Opinion("1_0", (INPUT,), RULES, tile, nothing_open)
