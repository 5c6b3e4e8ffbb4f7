"""NonZero of ONNX, and all that OpenVINO's NonZero-3 shares with it.

Documents: the schema NonZero-13 in onnx/defs/tensor/defs.cc at 41e74c50e683, and the schema NonZero-9 in
onnx/defs/tensor/old.cc at fa2fe73a5eee.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.onnx.arg_max import numbers
from opinions.opinion import Data, Opinion, Questions, Results, Rules

X, Y = "X", "Y"

RULES: Rules = {
    "data-types-before-13": ((), lambda t, a, level: int(level) >= 13 or t[X].spelling != "bfloat16"),
    "index-type": ((), lambda t, a, level: t[Y].spelling == "int64"),
}


def compute(source: str, result: str, t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """A row for each dimension, and a column for each element that is not 0. A scalar has no rows, and a column or none."""
    found = np.argwhere(numbers(t[source], data[source]) != 0).T
    return {result: (found.astype(t[result].type.pattern), found.size)}


def open_questions(source: str, t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Whether NaN is zero, whether a subnormal number is, and what comes of no elements."""
    questions = {"zero-size-dimension": 0 in t[source].sizes}
    if data and t[source].type.kind in ("f", "bf"):
        magnitude = np.abs(numbers(t[source], data[source]))
        with np.errstate(invalid="ignore"):
            subnormal = (magnitude > 0) & (magnitude < np.finfo(magnitude.dtype).smallest_normal)
        questions["nan"] = bool(np.isnan(magnitude).any())
        questions["subnormal"] = bool(subnormal.any())
    return questions


OPINION = Opinion("9", (X,), RULES, partial(compute, X, Y), partial(open_questions, X))
