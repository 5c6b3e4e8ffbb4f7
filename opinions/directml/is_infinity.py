"""ELEMENT_WISE_IS_INFINITY of DirectML.

Document: the page of DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC, English, at 2db4b02040c8.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INPUT, OUTPUT, Support, elementwise
from opinions.elements import Array, float_bits
from opinions.opinion import Data

SUPPORT: Support = {
    since: {INPUT: (low, high, FLOATS), OUTPUT: (low, high, "UINT8")} for since, low, high in (("2_1", 4, 4), ("3_0", 1, 8))}
INFINITIES = {"DML_IS_INFINITY_MODE_EITHER": ("-.inf", ".inf"), "DML_IS_INFINITY_MODE_POSITIVE": (".inf",),
              "DML_IS_INFINITY_MODE_NEGATIVE": ("-.inf",)}


def is_infinity(t: Tensors, a: Attributes, data: Data) -> Array:
    """IS_INFINITY: each infinity has one pattern of bits, and the mode says which of them count."""
    kind = t[INPUT].type
    patterns = [float_bits(text, kind) for text in INFINITIES[a["InfinityMode"]]]
    return np.isin(data[INPUT], np.array(patterns, dtype=kind.pattern))


OPINION = elementwise(SUPPORT, is_infinity)
