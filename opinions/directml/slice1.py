"""SLICE1 of DirectML.

Document: the page of DML_SLICE1_OPERATOR_DESC, English, of 4 November 2020, at 13f5245e8d00. It gives InputWindowStrides the
type UINT, but lets them be negative, and so they are here. Its formula for the most elements that can be copied divides by a
stride without saying what a negative one, or a remainder, does; its second example has two elements for a window of four and
a stride of -2, and so the magnitude divides, and the remainder is dropped.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules, nothing_open
from opinions.opinion import Data, Opinion, Results, Rules

OFFSETS, SIZES, STRIDES = "InputWindowOffsets", "InputWindowSizes", "InputWindowStrides"

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (("2_1", 4, 5, NARROW), ("3_0", 1, 8, NARROW), ("4_1", 1, 8, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "offset-count": ((), lambda t, a, _: len(a[OFFSETS]) == t[INPUT].rank),
    "size-count": ((), lambda t, a, _: len(a[SIZES]) == t[INPUT].rank),
    "stride-count": ((), lambda t, a, _: len(a[STRIDES]) == t[INPUT].rank),
    "offset-not-negative": ((), lambda t, a, _: min(a[OFFSETS], default=0) >= 0),
    "window-not-empty": ((), lambda t, a, _: min(a[SIZES], default=1) >= 1),
    "stride-not-zero": ((), lambda t, a, _: 0 not in a[STRIDES]),
    "window-within": (
        ("offset-count", "size-count", "offset-not-negative", "window-not-empty", "tensor/sizes-positive"),
        lambda t, a, _: all(offset + window <= size for offset, window, size in zip(a[OFFSETS], a[SIZES], t[INPUT].sizes))),
    "output-sizes": (
        (RANKS, "size-count", "stride-count", "window-not-empty", "stride-not-zero", "tensor/sizes-positive"),
        lambda t, a, _: all(copied <= 1 + (window - 1) // abs(stride)
                            for copied, window, stride in zip(t[OUTPUT].sizes, a[SIZES], a[STRIDES]))),
}


def slice1(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """SLICE1: for each dimension a walk through the window, from its beginning or its end; the elements where all walks are."""
    walks = []
    for copied, offset, window, stride in zip(t[OUTPUT].sizes, a[OFFSETS], a[SIZES], a[STRIDES]):
        begins = offset + (window - 1 if stride < 0 else 0)
        walks.append([begins + step * stride for step in range(copied)])
    return {OUTPUT: (data[INPUT][np.ix_(*walks)].ravel(), t[OUTPUT].elements)}


OPINION = Opinion("2_1", (INPUT,), RULES, slice1, nothing_open)
