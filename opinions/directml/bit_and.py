"""ELEMENT_WISE_BIT_AND of DirectML, and what it shares with the other operators on bits.

Document: the page of DML_ELEMENT_WISE_BIT_AND_OPERATOR_DESC, English, of 29 October 2020, at dd64e5cb8c7c.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import A, B, OUTPUT, WIDE, elementwise, nothing_open
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions

UNSIGNED, EVERY = "UINT32 UINT16 UINT8", f"{WIDE} FLOAT64"
ROWS = ("3_0", 1, 8, UNSIGNED), ("4_1", 1, 8, EVERY)


def bitwise(function: np.ufunc, *inputs: str, rows: tuple[tuple[str, int, int, str], ...] = ROWS,
            questions: Callable[[Tensors, Attributes, Data, str], Questions] = nothing_open) -> Opinion:
    """The opinion on a function of bits: `np.bitwise_and` makes it AND. Every tensor has the same row."""
    def values(t: Tensors, a: Attributes, data: Data) -> Array:
        """The type does not count but for its width, which the patterns have, and so has what comes of them."""
        result: Array = function(*(data[name] for name in inputs))
        return result

    tensors = (*inputs, OUTPUT)
    support = {since: {name: (low, high, types) for name in tensors} for since, low, high, types in rows}
    return elementwise(support, values, tensors, questions)


OPINION = bitwise(np.bitwise_and, A, B)
