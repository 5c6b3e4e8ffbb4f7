"""REVERSE_SUBSEQUENCES of DirectML.

Document: the page of DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC, English, of 19 January 2022, at dd64e5cb8c7c.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules, nothing_open
from opinions.opinion import Data, Opinion, Results, Rules

LENGTHS = "SequenceLengthsTensor"

SUPPORT: Support = {
    since: {INPUT: (low, high, values), LENGTHS: (low, high, lengths), OUTPUT: (low, high, values)}
    for since, low, high, lengths, values in (
        ("2_1", 4, 4, "UINT32", NARROW), ("3_0", 4, 5, "UINT32", NARROW),
        ("4_0", 1, 8, "UINT32", NARROW), ("5_0", 1, 8, "UINT64 UINT32", f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[LENGTHS].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INPUT].rank),
    "lengths-sizes": ((RANKS, "axis-in-range"), lambda t, a, _: all(
        at == a["Axis"] or pair[0] == pair[1] for at, pair in enumerate(zip(t[LENGTHS].sizes, t[INPUT].sizes)))),
    "length-per-subsequence": ((RANKS, "axis-in-range"), lambda t, a, _: t[LENGTHS].sizes[a["Axis"]] == 1),
    "same-sizes": ((RANKS, "tensor/sizes-positive"), lambda t, a, _: t[INPUT].sizes == t[OUTPUT].sizes),
}


def reverse_subsequences(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """REVERSE_SUBSEQUENCES: for each place along the axis, the one that is as far from the other end of its subsequence.

    A length of 0 changes nothing, and one beyond the size of the axis counts as that size, before it becomes signed.
    """
    axis, size = a["Axis"], t[INPUT].sizes[a["Axis"]]
    lengths = np.minimum(data[LENGTHS], data[LENGTHS].dtype.type(size)).astype(np.int64)
    place = np.arange(size, dtype=np.int64).reshape([size if at == axis else 1 for at in range(t[INPUT].rank)])
    source = np.where(place < lengths, lengths - 1 - place, place)
    return {OUTPUT: (np.take_along_axis(data[INPUT], source, axis=axis).ravel(), t[OUTPUT].elements)}


OPINION = Opinion("2_1", (INPUT, LENGTHS), RULES, reverse_subsequences, nothing_open)
