"""FILL_VALUE_CONSTANT of DirectML.

Document: the page of DML_FILL_VALUE_CONSTANT_OPERATOR_DESC, English, of 30 October 2020, at 879f4fcc329a.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Scalar, Tensors
from opinions.directml import NARROW, OUTPUT, WIDE, Support, directml_rules, nothing_open
from opinions.elements import float_bits
from opinions.opinion import Data, Opinion, Results, Rules

SUPPORT: Support = {
    since: {OUTPUT: (low, high, types)}
    for since, low, high, types in (("2_1", 4, 4, NARROW), ("4_0", 1, 8, NARROW), ("4_1", 1, 8, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "value-type": ((), lambda t, a, _: a["Value"].spelling == t[OUTPUT].spelling),
}


def is_nan(value: Scalar) -> bool:
    """Whether the bits of a float, without their sign, are above infinity's."""
    kind = value.type
    return kind.kind == "f" and value.bits & ((1 << (kind.width - 1)) - 1) > float_bits(".inf", kind)


def fill(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """FILL_VALUE_CONSTANT: the value's bits everywhere. Which bits a NaN gives is not said: all elements are open then."""
    value, count = a["Value"], t[OUTPUT].elements
    return {OUTPUT: (np.full(count, value.bits, dtype=t[OUTPUT].type.pattern), 0 if is_nan(value) else count)}


OPINION = Opinion("2_1", (), RULES, fill, nothing_open)
