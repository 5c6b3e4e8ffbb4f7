"""TOP_K1 of DirectML.

Document: the page of DML_TOP_K1_OPERATOR_DESC, English, of 19 January 2022, at f49088238346. It has K below the size
along Axis, which leaves an axis of size 1 without any K; whether K may be the size itself is left open here. It says
that the indices of tied elements are all included, which fails where more elements are equal than K has room for.
Examples 3 and 4 take the first of those, one in either direction, and so does this. Of special numbers nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

VALUES, INDICES = "OutputValueTensor", "OutputIndexTensor"


def sized_by_k(name: str) -> Callable[[Tensors, Attributes, str], bool]:
    """Whether a tensor has the sizes of InputTensor, but for K along the axis."""
    return lambda t, a, _: t[name].sizes == tuple(
        a["K"] if at == a["Axis"] else size for at, size in enumerate(t[INPUT].sizes))


SUPPORT: Support = {
    since: {INPUT: (low, high, values), VALUES: (low, high, values), INDICES: (low, high, indices)}
    for since, low, high, values, indices in (
        ("2_1", 4, 4, NARROW, "UINT32"), ("3_1", 1, 8, NARROW, "UINT32"), ("5_0", 1, 8, WIDE, "UINT64 UINT32"))}
SIZED = ("axis-in-range", "k-positive", "tensor/sizes-positive")
RULES: Rules = {
    **directml_rules(SUPPORT, VALUES, INDICES),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[VALUES].rank == t[INDICES].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[VALUES].type),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INPUT].rank),
    "k-positive": ((), lambda t, a, _: a["K"] > 0),
    "k-in-range": (SIZED, lambda t, a, _: a["K"] <= t[INPUT].sizes[a["Axis"]]),
    "value-sizes": (SIZED, sized_by_k(VALUES)),
    "index-sizes": (SIZED, sized_by_k(INDICES)),
}


def best(numbers: Array, a: Attributes) -> Array:
    """The indices along the axis of the first K elements in the order that is asked for.

    A stable sort leaves ties as they are, and compares numbers in the type that they have. A decreasing order is an
    increasing one read from its end, which turns ties around; so the sequences are turned around before.
    """
    axis = a["Axis"]
    if a["AxisDirection"] == "DML_AXIS_DIRECTION_DECREASING":
        from_end = np.flip(numbers, axis).argsort(axis=axis, kind="stable")
        order = numbers.shape[axis] - 1 - np.flip(from_end, axis)
    else:
        order = numbers.argsort(axis=axis, kind="stable")
    indices: Array = order.take(np.arange(a["K"]), axis=axis)
    return indices


def top_k1(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """TOP_K1: where the elements are, and the elements from there with all their bits."""
    indices = best(data[INPUT].view(t[INPUT].type.number), a)
    values = np.take_along_axis(data[INPUT], indices, axis=a["Axis"])
    return {VALUES: (values.ravel(), t[VALUES].elements),
            INDICES: (indices.ravel().astype(t[INDICES].type.pattern), t[INDICES].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """A K that is the size of the axis, NaNs, and subnormal numbers, which may be flushed to zero, all of them or none.

    Those matter where the flush moves an index or where one of them comes out, but not in a sequence with a NaN, which
    is open anyway.
    """
    axis = a["Axis"]
    questions = {"k-equals-size": a["K"] == t[INPUT].sizes[axis]}
    if data and t[INPUT].type.kind == "f":
        numbers = data[INPUT].view(t[INPUT].type.number)
        with np.errstate(invalid="ignore"):
            is_small = (numbers != 0) & (np.abs(numbers) < np.finfo(numbers.dtype).smallest_normal)
        nan, indices = np.isnan(numbers), best(numbers, a)
        moves = best(np.where(is_small, numbers.dtype.type(0), numbers), a) != indices
        hangs = (moves | np.take_along_axis(is_small, indices, axis=axis)) & ~nan.any(axis=axis, keepdims=True)
        questions |= {"nan": bool(nan.any()), "subnormal": bool(hangs.any())}
    return questions


OPINION = Opinion("2_1", (INPUT,), RULES, top_k1, open_questions)
