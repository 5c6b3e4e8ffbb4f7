"""DIAGONAL_MATRIX1 of DirectML.

Document: the page of DML_DIAGONAL_MATRIX1_OPERATOR_DESC, English, of 20 July 2022. Its first example has
ones although its Value is 7; the pseudocode, which gives sevens as the second example has them, is followed. It asks for the
same type and dimension count, but not for the same sizes; those follow, as each element of the output may be the one of the
input in its own place. Which bits a NaN as the Value gives is not said.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, OUTPUT, RANKS, WIDE, Support, directml_rules, supported
from opinions.directml.fill_value_constant import is_nan
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

BEGIN, END = "DiagonalFillBegin", "DiagonalFillEnd"

SUPPORT: Support = {"5_1": {name: (2, 4, f"{WIDE} FLOAT64") for name in (INPUT, OUTPUT)}}


def supported_if_there(t: Tensors, a: Attributes, level: str) -> bool:
    """Whether the tables list every tensor, of which the input may be left out."""
    return supported(t, level, {since: {name: row for name, row in table.items() if name in t}
                                for since, table in SUPPORT.items()})


RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "tensor-support": (("tensor/dimension-count",), supported_if_there),
    "same-type": ((), lambda t, a, _: INPUT not in t or t[INPUT].type == t[OUTPUT].type),
    RANKS: ((), lambda t, a, _: INPUT not in t or t[INPUT].rank == t[OUTPUT].rank),
    "same-sizes": ((RANKS, "tensor/sizes-positive"), lambda t, a, _: INPUT not in t or t[INPUT].sizes == t[OUTPUT].sizes),
    "value-type": ((), lambda t, a, _: a["Value"].spelling == t[OUTPUT].spelling),
}


def takes_value(t: Tensors, a: Attributes) -> Array:
    """Where the Value stands in a matrix of the output; all of them are alike."""
    height, width = t[OUTPUT].sizes[-2:]
    top = np.arange(width, dtype=np.int64) - np.arange(height, dtype=np.int64)[:, None]
    return np.asarray((a[END] >= a[BEGIN]) ^ (top >= a[BEGIN]) ^ (top < a[END]))


def diagonal_matrix1(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """DIAGONAL_MATRIX1: the Value, or all bits of the input's element, or zero. A NaN as the Value leaves its elements open."""
    value, fills = a["Value"], takes_value(t, a)
    whole = np.zeros(t[OUTPUT].sizes, dtype=t[OUTPUT].type.pattern)
    if INPUT in t:
        whole[...] = data[INPUT]
    whole[..., fills] = value.bits
    defined = np.broadcast_to(~fills, whole.shape).ravel() if is_nan(value) else whole.size
    return {OUTPUT: (whole.ravel(), defined)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Which bits a NaN gives where it is the Value. Without an input there are never data: elements alone are open then."""
    return {"nan-value": bool(data) and is_nan(a["Value"]) and bool(takes_value(t, a).any())}


OPINION = Opinion("5_1", (INPUT,), RULES, diagonal_matrix1, open_questions)
