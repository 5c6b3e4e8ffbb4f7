"""NONZERO_COORDINATES of DirectML.

Documents: the page of DML_NONZERO_COORDINATES_OPERATOR_DESC, Japanese and with a table for feature level 4_0, and an English
one of 3 November 2020.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensor, Tensors
from opinions.directml import INPUT, NARROW, RANKS, Support, directml_rules
from opinions.opinion import Data, Opinion, Questions, Results, Rules

COUNT, COORDINATES = "OutputCountTensor", "OutputCoordinatesTensor"
# From which level on, the least and the greatest dimension count and the data types of each tensor.

SUPPORT: Support = {
    "3_0": {INPUT: (4, 5, NARROW), COUNT: (4, 5, "UINT32"), COORDINATES: (4, 5, "UINT32")},
    "4_0": {INPUT: (1, 8, NARROW), COUNT: (1, 8, "UINT32"), COORDINATES: (2, 8, "UINT32")}}


def rank_range(tensor: Tensor) -> range:
    """From the effective rank, which leaves out leading dimensions of size 1, to the dimension count."""
    effective = next((tensor.rank - at for at, size in enumerate(tensor.sizes) if size != 1), 0)
    return range(effective, tensor.rank + 1)


MATRIX = ("tensor-support", "tensor/sizes-positive")
RULES: Rules = {
    **directml_rules(SUPPORT, COUNT, COORDINATES),
    "count-is-scalar": ((), lambda t, a, _: set(t[COUNT].sizes) <= {1}),
    "coordinates-shape": ((), lambda t, a, _: set(t[COORDINATES].sizes[:-2]) <= {1}),
    "coordinates-rows": (MATRIX, lambda t, a, _: t[COORDINATES].sizes[-2] == t[INPUT].elements),
    "coordinates-columns": (MATRIX, lambda t, a, _: t[COORDINATES].sizes[-1] in rank_range(t[INPUT])),
    "coordinates-columns-positive": ((), lambda t, a, _: t[COORDINATES].sizes[-1:] != (0,)),
}


def nonzero(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """NONZERO_COORDINATES: the last columns of all coordinates. The sign bit of a float does not count."""
    kind = t[INPUT].type
    sign = np.array(1 << (kind.width - 1) if kind.kind == "f" else 0, dtype=kind.pattern)
    found = np.argwhere(data[INPUT] & ~sign)[:, -t[COORDINATES].sizes[-1]:]
    rows = np.zeros(t[COORDINATES].elements, dtype=np.uint32)
    rows[:found.size] = found.ravel()
    return {COUNT: (np.array([len(found)], dtype=np.uint32), 1), COORDINATES: (rows, found.size)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Whether a NaN or a subnormal number is zero, and dimension counts that differ."""
    has_floats = bool(data) and t[INPUT].type.kind == "f"
    magnitude = np.abs(data[INPUT].view(t[INPUT].type.number)) if has_floats else np.zeros(0)
    nan = bool(np.isnan(magnitude).any())
    subnormal = (magnitude > 0) & (magnitude < np.finfo(magnitude.dtype).smallest_normal)
    ranks = {part.rank for part in t.values()}
    differ = len(ranks) > 1
    return {"nan": nan, "subnormal": bool(subnormal.any()), RANKS: differ and level < "4_0",
            "dimension-counts-differ": differ and level >= "4_0" and t[INPUT].rank > 1}


OPINION = Opinion("3_0", (INPUT,), RULES, nonzero, open_questions, restates={"count-type": "tensor-support"},
                  since={"dimension-counts-differ": "4_0"}, conclusions={"dimension-counts-differ"})
