"""ELEMENT_WISE_IF of DirectML.

Document: the page of DML_ELEMENT_WISE_IF_OPERATOR_DESC, English, of 19 January 2022, at f88051d5c21a.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B, NARROW, OUTPUT, WIDE, Support, elementwise
from opinions.elements import Array
from opinions.opinion import Data

CONDITION = "ConditionTensor"

SUPPORT: Support = {
    since: {CONDITION: (low, high, "UINT8"), **{name: (low, high, types) for name in (A, B, OUTPUT)}}
    for since, low, high, types in (("2_0", 4, 4, "FLOAT16"), ("3_0", 1, 8, NARROW), ("5_0", 1, 8, f"{WIDE} FLOAT64"))}


def select(t: Tensors, a: Attributes, data: Data) -> Array:
    """IF: takes bits as they are, so that NaNs keep theirs."""
    return np.where(data[CONDITION] != 0, data[A], data[B])


OPINION = elementwise(SUPPORT, select, (A, B, OUTPUT))
