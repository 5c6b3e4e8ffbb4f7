"""ELEMENT_WISE_BIT_COUNT of DirectML.

Document: the page of DML_ELEMENT_WISE_BIT_COUNT_OPERATOR_DESC, English, of 29 October 2020, at 9ade0e62b736.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, OUTPUT, TRUTH, Support, elementwise
from opinions.directml.bit_and import ROWS
from opinions.elements import Array
from opinions.opinion import Data

# UINT32 and UINT8, the types of truth values, are also those of counts.
SUPPORT: Support = {since: {INPUT: (low, high, types), OUTPUT: (low, high, TRUTH)} for since, low, high, types in ROWS}


def count(t: Tensors, a: Attributes, data: Data) -> Array:
    """BIT_COUNT: the bits of each byte are laid out and summed, up to 64, which both output types hold."""
    patterns = np.ascontiguousarray(data[INPUT])
    bits = np.unpackbits(patterns.view(np.uint8)).reshape(-1, t[INPUT].type.width)
    result: Array = bits.sum(axis=1, dtype=np.uint8)
    return result


OPINION = elementwise(SUPPORT, count)
