"""ArgMax of ONNX, and all that ArgMin shares with it.

Documents: the schema ArgMax-13 in onnx/defs/reduction/defs.cc at 0084653dacc0, and the schemas ArgMax-1, -11 and -12 in
onnx/defs/reduction/old.cc at 0c1a4116eafd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from opinions.descriptors import Attributes, Tensor, Tensors
from opinions.elements import Array
from opinions.onnx import TYPES
from opinions.opinion import Data, Opinion, Questions, Results, Rules

DATA, REDUCED, LAST = "data", "reduced", "select_last_index"
DEFAULTS = {"axis": 0, "keepdims": 1, LAST: 0}
NUMERIC = set(TYPES) - {"bool"}


def given(a: Attributes, name: str) -> int:
    """An attribute, or its default."""
    return int(a.get(name, DEFAULTS[name]))


def names_a_dimension(t: Tensors, a: Attributes) -> bool:
    """Whether the axis is one of the tensor's, counted from either end."""
    return -t[DATA].rank <= given(a, "axis") < t[DATA].rank


def has_reduced_sizes(t: Tensors, a: Attributes) -> bool:
    """Whether the output has the sizes of the input without those of the axis, as far as keepdims tells them."""
    sizes, keepdims = list(t[DATA].sizes), given(a, "keepdims")
    sizes[given(a, "axis")] = 1
    if keepdims == 0:
        del sizes[given(a, "axis")]
    return keepdims not in (0, 1) or list(t[REDUCED].sizes) == sizes


RULES: Rules = {
    "data-types": ((), lambda t, a, level: t[DATA].spelling in NUMERIC),
    "data-types-before-13": (("data-types",), lambda t, a, level: (
        int(level) >= 13 or t[DATA].spelling != "bfloat16")),
    "index-type": ((), lambda t, a, level: t[REDUCED].spelling == "int64"),
    "no-last-index": ((), lambda t, a, level: int(level) >= 12 or LAST not in a),
    "axis-names-a-dimension": ((), lambda t, a, level: int(level) >= 11 or names_a_dimension(t, a)),
    "axis-in-range": ((), lambda t, a, level: int(level) < 11 or names_a_dimension(t, a)),
    "output-shape": (("axis-in-range", "axis-names-a-dimension"), lambda t, a, level: has_reduced_sizes(t, a)),
    "not-empty": ((), lambda t, a, level: int(level) != 11 or 0 not in t[DATA].sizes),
}


def numbers(tensor: Tensor, bits: Array) -> Array:
    """The elements as NumPy compares them. A bfloat16 is the upper half of a float."""
    if tensor.type.kind == "bf":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return bits.view(tensor.type.number)


def marks(extreme: np.ufunc, elements: Array, axis: int) -> Array:
    """Which elements are the extreme one of their part; none where that is NaN."""
    with np.errstate(invalid="ignore"):
        return np.asarray(elements == extreme.reduce(elements, axis=axis, keepdims=True))


def chosen(marked: Array, a: Attributes) -> Array:
    """The index of the first or of the last mark of each part."""
    axis = given(a, "axis")
    if given(a, LAST):
        return np.asarray(marked.shape[axis] - 1 - np.flip(marked, axis).argmax(axis))
    return np.asarray(marked.argmax(axis))


def compute(extreme: np.ufunc, t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """An index for each part. The elements stand in one order, whether the dimension is kept or pruned."""
    indices = chosen(marks(extreme, numbers(t[DATA], data[DATA]), given(a, "axis")), a)
    return {REDUCED: (indices.ravel().astype(t[REDUCED].type.pattern), indices.size)}


def open_questions(extreme: np.ufunc, t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Attributes without a meaning, no elements, ties before version 12, and numbers whose order the schema does not tell.

    A flush to zero keeps the order, so that it can only add marks. Any of them is one more answer where a tie is open, and
    elsewhere only one that is chosen.
    """
    version, is_empty = int(level), 0 in t[DATA].sizes
    questions = {
        "negative-axis-before-11": version < 11 and given(a, "axis") < 0,
        "keepdims-values": given(a, "keepdims") not in (0, 1), "last-index-values": given(a, LAST) not in (0, 1),
        "empty-before-11": version < 11 and is_empty, "empty-from-12": version >= 12 and is_empty}
    if not data or is_empty:
        return questions
    axis, elements = given(a, "axis"), numbers(t[DATA], data[DATA])
    marked = marks(extreme, elements, axis)
    questions["tie-open"] = version < 12 and bool((marked.sum(axis) > 1).any())
    if t[DATA].type.kind in ("f", "bf"):
        zero, least = elements.dtype.type(0), np.finfo(elements.dtype).smallest_normal
        flushed = marks(extreme, np.where(np.abs(elements) < least, zero, elements), axis)
        differs = marked != flushed if version < 12 else chosen(marked, a) != chosen(flushed, a)
        questions["nan"] = bool(np.isnan(elements).any())
        questions["subnormal"] = bool(differs.any())
    return questions


def opinion(extreme: np.ufunc, name: str) -> Opinion:
    """The opinion on the operator that finds a maximum or a minimum."""
    since = {"axis-in-range": "11", "axis-from-end": "11", **dict.fromkeys(("tie-first", "tie-last", f"extreme-{name}", "signed-zero-tie"), "12")}
    return Opinion("1", (DATA,), RULES, partial(compute, extreme), partial(open_questions, extreme), since=since)


OPINION = opinion(np.maximum, "maximum")
