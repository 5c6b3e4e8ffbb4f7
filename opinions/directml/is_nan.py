"""ELEMENT_WISE_IS_NAN of DirectML.

Document: the page of DML_ELEMENT_WISE_IS_NAN_OPERATOR_DESC, English, of 29 October 2020, at 2fe0b48c7aeb.
"""

from __future__ import annotations

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INPUT, OUTPUT, TRUTH, Support, elementwise
from opinions.elements import Array, float_bits
from opinions.opinion import Data

SUPPORT: Support = {
    since: {INPUT: (low, high, FLOATS), OUTPUT: (low, high, TRUTH)} for since, low, high in (("2_0", 4, 4), ("3_0", 1, 8))}


def is_nan(t: Tensors, a: Attributes, data: Data) -> Array:
    """IS_NAN: without their sign, the bits of NaNs, quiet and signalling, are those above infinity's."""
    kind = t[INPUT].type
    magnitude = data[INPUT] & ((1 << (kind.width - 1)) - 1)
    above: Array = magnitude > float_bits(".inf", kind)
    return above


OPINION = elementwise(SUPPORT, is_nan)
