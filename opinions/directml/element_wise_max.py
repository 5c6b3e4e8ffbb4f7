"""ELEMENT_WISE_MAX of DirectML, and what it shares with MIN, which is all but the extreme.

Documents: the page of DML_ELEMENT_WISE_MAX_OPERATOR_DESC, English, of 19 January 2022, at dd64e5cb8c7c, and
Direct3D 11's floating-point rules. The page says nothing of special numbers. The rules have subnormal numbers flushed before
any mathematical operation, but no document makes them binding here, so they answer nothing, but show how answers may differ.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B, FLOATS, NARROW, OUTPUT, WIDE, Support, elementwise
from opinions.directml.reduce_max import reduced, special_numbers
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions

TENSORS = (A, B, OUTPUT)
SUPPORT: Support = {
    since: {name: (low, high, types) for name in TENSORS}
    for since, low, high, types in (
        ("1_0", 4, 4, FLOATS), ("2_1", 4, 4, NARROW), ("3_0", 1, 8, NARROW), ("5_0", 1, 8, WIDE))}
PAIR: Attributes = {"Axes": (0,)}


def extreme_of_two(extreme: np.ufunc) -> Opinion:
    """The opinion on either operator: `np.maximum` makes it MAX, `np.minimum` MIN. Each pair is a subset to reduce."""
    def pairs(t: Tensors, data: Data) -> Array:
        return np.stack([data[name].view(t[name].type.number) for name in (A, B)])

    def values(t: Tensors, a: Attributes, data: Data) -> Array:
        """One of the two is taken, with all its bits."""
        return reduced(extreme, pairs(t, data), PAIR).view(t[OUTPUT].type.pattern)

    def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
        """Special numbers, of each pair at most one kind, as they leave the value of a subset of two elements open."""
        return special_numbers(extreme, pairs(t, data), PAIR) if data and t[A].type.kind == "f" else {}

    return elementwise(SUPPORT, values, TENSORS, questions)


OPINION = extreme_of_two(np.maximum)
