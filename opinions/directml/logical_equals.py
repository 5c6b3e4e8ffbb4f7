"""ELEMENT_WISE_LOGICAL_EQUALS of DirectML, and what it shares with the other comparisons, which is all but the relation.

Documents: the page of DML_ELEMENT_WISE_LOGICAL_EQUALS_OPERATOR_DESC, English, of 30 October 2020, at 2cd469d9bd0f, and
Direct3D 11's floating-point rules. The page says nothing of special numbers. The rules have subnormal numbers flushed before
any mathematical operation, but no document makes them binding here, so they answer nothing, but show how answers may differ.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B, FLOATS, NARROW, OUTPUT, TRUTH, WIDE, Support, elementwise
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions

SUPPORT: Support = {
    since: {A: (low, high, numbers), B: (low, high, numbers), OUTPUT: (low, high, truth)}
    for since, low, high, numbers, truth in (
        ("1_0", 4, 4, FLOATS, "UINT32"), ("2_0", 4, 4, FLOATS, TRUTH), ("2_1", 4, 4, NARROW, TRUTH),
        ("3_0", 1, 8, NARROW, TRUTH), ("4_1", 1, 8, WIDE, TRUTH))}


def comparison(relation: np.ufunc, introduced: str = "1_0") -> Opinion:
    """The opinion on any comparison: `np.equal` makes it EQUALS. Those introduced later have the tables from then on."""
    def holds(left: Array, right: Array) -> Array:
        with np.errstate(invalid="ignore"):
            result: Array = relation(left, right)
        return result

    def values(t: Tensors, a: Attributes, data: Data) -> Array:
        """Compares numbers in the type that both have, so that no bit is lost; the two zeros are equal."""
        return holds(*(data[name].view(t[name].type.number) for name in (A, B)))

    def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
        """NaNs, whatever they are compared with, and subnormal numbers where the flush of both sides changes an answer."""
        if not data or t[A].type.kind != "f":
            return {}
        pair = [data[name].view(t[name].type.number) for name in (A, B)]
        flushed = [np.where(np.abs(side) < np.finfo(side.dtype).smallest_normal, side.dtype.type(0), side) for side in pair]
        return {"nan": any(bool(np.isnan(side).any()) for side in pair),
                "subnormal": bool((holds(*pair) != holds(*flushed)).any())}

    support = {since: table for since, table in SUPPORT.items() if since >= introduced}
    return elementwise(support, values, (A, B), questions)


OPINION = comparison(np.equal)
