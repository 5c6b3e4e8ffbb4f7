"""argMax of WebNN, and all that argMin shares with it.

Document: Web Neural Network API, index.bs of webmachinelearning/webnn at 004f2728b5dc, argMin/argMax operations.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules
from opinions.webnn import TENSOR_RULES

INPUT, OUTPUT = "input", "output"


def output_type(a: Attributes) -> str:
    """The name of the output's data type."""
    return str(a.get("outputDataType", "int32"))


def reduced_sizes(t: Tensors, a: Attributes) -> tuple[int, ...]:
    """The sizes of the input without the axis, or with 1 there."""
    sizes, axis = t[INPUT].sizes, a["axis"]
    return (*sizes[:axis], *[1] * a.get("keepDimensions", False), *sizes[axis + 1:])


RULES: Rules = {
    **TENSOR_RULES,
    "axis-in-range": ((), lambda t, a, _: 0 <= a["axis"] < t[INPUT].rank),
    "output-type": ((), lambda t, a, _: t[OUTPUT].spelling == output_type(a)),
    "output-shape": (("axis-in-range",), lambda t, a, _: t[OUTPUT].sizes == reduced_sizes(t, a)),
    # That a size is no more than the output's type counts says nothing more: none is above the greatest int32.
}


def marks(extreme: np.ufunc, numbers: Array, axis: int) -> Array:
    """Which elements are equal to the extreme one of their part; none where that is NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(numbers == extreme.reduce(numbers, axis=axis, keepdims=True))


def compute(extreme: np.ufunc, t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """The index of the one mark in each part, where no question is open."""
    indices = marks(extreme, data[INPUT].view(t[INPUT].type.number), a["axis"]).argmax(a["axis"])
    return {OUTPUT: (indices.ravel().astype(t[OUTPUT].type.pattern), indices.size)}


def open_questions(extreme: np.ufunc, t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Ties, NaN, and the ties that a flush to zero makes; it keeps the order, and so takes no mark away.

    A dimension of size 1 leaves the index 0 alone, whatever the element.
    """
    axis = a["axis"]
    if not data or t[INPUT].sizes[axis] == 1:
        return {}
    numbers = data[INPUT].view(t[INPUT].type.number)
    marked = marks(extreme, numbers, axis)
    questions = {"tie": bool((marked.sum(axis) > 1).any())}
    if t[INPUT].type.kind == "f":
        zero, least = numbers.dtype.type(0), np.finfo(numbers.dtype).smallest_normal
        with np.errstate(invalid="ignore"):
            flushed = np.where(np.abs(numbers) < least, zero, numbers)
        questions["nan"] = bool(np.isnan(numbers).any())
        questions["subnormal"] = bool((marks(extreme, flushed, axis) != marked).any())
    return questions


def opinion(extreme: np.ufunc) -> Opinion:
    """The opinion on the operation that finds a maximum or a minimum."""
    return Opinion("1", (INPUT,), RULES, partial(compute, extreme), partial(open_questions, extreme))


OPINION = opinion(np.maximum)
