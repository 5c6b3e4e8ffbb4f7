"""ELEMENT_WISE_LOGICAL_AND of DirectML, and what it shares with OR, XOR and NOT, which is all but the function.

Document: the page of DML_ELEMENT_WISE_LOGICAL_AND_OPERATOR_DESC, English, at f2d501f718b1.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B, OUTPUT, TRUTH, elementwise
from opinions.elements import Array
from opinions.opinion import Data, Opinion


def connective(function: np.ufunc, *inputs: str) -> Opinion:
    """The opinion on a function of truth values: `np.logical_and` makes it AND. Every tensor has the same row."""
    def values(t: Tensors, a: Attributes, data: Data) -> Array:
        """Any number but zero is true, as in the language of the formulas, and what is true comes out as one."""
        result: Array = function(*(data[name] != 0 for name in inputs))
        return result

    tensors = (*inputs, OUTPUT)
    support = {since: {name: (low, high, types) for name in tensors}
               for since, low, high, types in (("1_0", 4, 4, "UINT32"), ("2_0", 4, 4, TRUTH), ("3_0", 1, 8, TRUTH))}
    return elementwise(support, values, tensors)


OPINION = connective(np.logical_and, A, B)
