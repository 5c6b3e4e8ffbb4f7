"""ELEMENT_WISE_BIT_SHIFT_LEFT of DirectML, and what it shares with SHIFT_RIGHT, which is all but the direction.

Document: the page of DML_ELEMENT_WISE_BIT_SHIFT_LEFT_OPERATOR_DESC, English, of 29 October 2020, at ea899bdf0be3.
It says nothing of shifts by as many bits as an element has, or more.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B
from opinions.directml.bit_and import UNSIGNED, bitwise
from opinions.opinion import Data, Opinion, Questions


def shift(function: np.ufunc) -> Opinion:
    """The opinion on either direction. Zeros move in, as the types are unsigned, and bits that move out are lost."""
    def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
        """Shifts that leave nothing of an element: NumPy makes them zero, but the page does not say."""
        return {"shift-beyond-width": bool(data) and bool((data[B] >= t[B].type.width).any())}

    rows = ("2_1", 4, 4, UNSIGNED), ("3_0", 1, 8, UNSIGNED), ("4_1", 1, 8, f"UINT64 {UNSIGNED}")
    return bitwise(function, A, B, rows=rows, questions=questions)


OPINION = shift(np.left_shift)
