"""OneHot of ONNX.

Documents: the schema OneHot-11 in onnx/defs/tensor/defs.cc at 41e74c50e683, the schema OneHot-9 in
onnx/defs/tensor/old.cc and oneHotShapeInference in onnx/defs/tensor/utils.cc, both at fa2fe73a5eee, and the node tests.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensor, Tensors
from opinions.elements import Array
from opinions.onnx import TYPES
from opinions.onnx.arg_max import numbers
from opinions.openvino.one_hot_1 import inserted
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES, DEPTH, VALUES, OUTPUT = "indices", "depth", "values", "output"
ANY = set(TYPES) - {"bfloat16"}
NUMERIC = ANY - {"bool"}
BEYOND = 2.0 ** 63  # the least number above what int64 holds


def given_axis(a: Attributes) -> int:
    """The axis, or its default."""
    return int(a.get("axis", -1))


def depth_of(t: Tensors) -> int:
    """The depth, which is part of the descriptor: what is no integer is cut off. Below zero if int64 cannot hold that."""
    depth = numbers(t[DEPTH], t[DEPTH].bits()).item()
    return int(depth) if isinstance(depth, int) or -BEYOND <= depth < BEYOND else -1


RULES: Rules = {
    "index-types": ((), lambda t, a, _: {t[INDICES].spelling, t[DEPTH].spelling} <= NUMERIC),
    "value-types": ((), lambda t, a, _: {t[VALUES].spelling, t[OUTPUT].spelling} <= ANY),
    "same-value-type": ((), lambda t, a, _: t[VALUES].type == t[OUTPUT].type),
    "indices-dimensions": ((), lambda t, a, _: t[INDICES].rank >= 1),
    "depth-dimensions": ((), lambda t, a, _: t[DEPTH].rank <= 1),
    "depth-one-element": (("depth-dimensions",), lambda t, a, _: t[DEPTH].elements == 1),
    "depth-not-negative": (("index-types", "depth-one-element"), lambda t, a, _: depth_of(t) >= 0),
    "values-dimensions": ((), lambda t, a, _: t[VALUES].rank == 1),
    "values-two-elements": (("values-dimensions",), lambda t, a, _: t[VALUES].elements == 2),
    "axis-in-range": (("indices-dimensions",), lambda t, a, _: (
        -t[INDICES].rank - 1 <= given_axis(a) <= t[INDICES].rank)),
    "output-shape": (("axis-in-range", "depth-not-negative"), lambda t, a, _: (
        t[OUTPUT].sizes == inserted(t[INDICES].sizes, given_axis(a), depth_of(t)))),
}


def cast(tensor: Tensor, bits: Array) -> tuple[Array, Array]:
    """The indices as int64, and which of them it holds. A fraction is cut off; what is not held is some number or other."""
    elements = numbers(tensor, bits)
    if tensor.type.kind in ("f", "bf"):
        with np.errstate(invalid="ignore"):
            wide = elements.astype(np.float64)
            held = (wide >= -BEYOND) & (wide < BEYOND)
        return np.where(held, wide, 0).astype(np.int64), held
    signed = elements.astype(np.int64)
    # Only what was unsigned, and 2^63 or more, has turned negative.
    return signed, (signed >= 0) | (tensor.type.kind == "i")


def compute(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """The second value where the place along the axis is the index, which from 11 on may count from the end, else the first."""
    axis, depth = given_axis(a), depth_of(t)
    indices, held = cast(t[INDICES], data[INDICES])
    if int(level) >= 11:
        indices = indices + np.where(indices < 0, depth, 0)
    places = np.arange(depth, dtype=np.int64).reshape(inserted([1] * t[INDICES].rank, axis, -1))
    is_on = (places == np.expand_dims(indices, axis)) & np.expand_dims(held, axis)
    bits = np.where(is_on, data[VALUES][1], data[VALUES][0])
    return {OUTPUT: (bits.ravel(), bits.size)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What comes of no elements, and of indices that are cast to int64 although it cannot hold them."""
    questions = {"zero-size-dimension": 0 in t[INDICES].sizes or 0 in t[OUTPUT].sizes}
    if data and t[INDICES].type.kind in ("f", "bf"):
        questions["not-castable"] = not cast(t[INDICES], data[INDICES])[1].all()
    return questions


# What is said of indices below zero begins with version 11.
SINCE = {"negative-from-end": "11", "negative-below-range": "11"}
OPINION = Opinion("9", (INDICES, DEPTH, VALUES), RULES, compute, open_questions, since=SINCE)
