"""REDUCE of DirectML with the function ARGMAX, and what it shares with ARGMIN, which is all but the extreme.

Documents, English: the pages of DML_REDUCE_OPERATOR_DESC, of 19 January 2022, and of DML_REDUCE_FUNCTION, of 5 December 2018;
those of DML_ARGMAX_OPERATOR_DESC and DML_ARGMIN_OPERATOR_DESC, both of 28 October 2020, on when they are the same as REDUCE.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, indices)}
    for since, low, high, values, indices in (
        ("1_0", 4, 4, FLOATS, "UINT32"), ("2_1", 4, 4, NARROW, "UINT32"),
        ("3_0", 1, 8, NARROW, INDEX), ("4_1", 1, 8, WIDE, INDEX))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "axes-in-range": ((RANKS,), lambda t, a, _: set(a["Axes"]) <= set(range(t[INPUT].rank))),
    "output-sizes": ((RANKS, "axes-in-range"), lambda t, a, _: all(
        after == (1 if at in a["Axes"] else before)
        for at, (before, after) in enumerate(zip(t[INPUT].sizes, t[OUTPUT].sizes)))),
}


def first_of(extreme: np.ufunc, numbers: Array, a: Attributes) -> Array:
    """The least of all indices at which a subset has its extreme, in 64 bits and with the reduced dimensions left as one.

    The enumeration speaks of an index along one axis. Over several, indices number the reduced dimensions alone, the last one
    fastest, as in the example of all axes on the pages of ARGMAX and ARGMIN. Those are this operator where they take the
    first of equals. A subset with a NaN equals its extreme nowhere, and gets its length.
    """
    axes = tuple(sorted(set(a["Axes"])))
    sizes = [size if at in axes else 1 for at, size in enumerate(numbers.shape)]
    length = math.prod(sizes)
    indices = np.broadcast_to(np.arange(length, dtype=np.int64).reshape(sizes), numbers.shape)
    with np.errstate(invalid="ignore"):
        is_extreme = numbers == extreme.reduce(numbers, axis=axes, keepdims=True)
    return np.minimum.reduce(indices, axis=axes, keepdims=True, where=is_extreme, initial=length)


def reduction(extreme: np.ufunc) -> Opinion:
    """The opinion on either function: `np.maximum` makes it ARGMAX, `np.minimum` ARGMIN."""
    def compute(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
        """An index for each subset. Numbers are compared in the type that they have, so that no bit is lost."""
        indices = first_of(extreme, data[INPUT].view(t[INPUT].type.number), a)
        return {OUTPUT: (indices.ravel().astype(t[OUTPUT].type.pattern), t[OUTPUT].elements)}

    def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
        """Lists of axes that the page neither allows nor forbids, NaNs, and indices that the output cannot hold.

        A subnormal number matters only where another index comes out if all of them are zeros.
        """
        axes = list(a["Axes"])
        questions = {"axes-order": axes != sorted(axes), "axes-duplicate": len(axes) != len(set(axes)), "axes-empty": not axes}
        if data:
            numbers = data[INPUT].view(t[INPUT].type.number)
            indices = first_of(extreme, numbers, a)
            questions["index-overflow"] = t[OUTPUT].spelling == "INT32" and int(indices.max()) >= 1 << 31
            if t[INPUT].type.kind == "f":
                flushed = numbers.copy()
                flushed[np.abs(numbers) < np.finfo(numbers.dtype).smallest_normal] = 0
                questions["nan"] = bool(np.isnan(numbers).any())
                questions["subnormal"] = not np.array_equal(first_of(extreme, flushed, a), indices)
        return questions

    return Opinion("1_0", (INPUT,), RULES, compute, open_questions)


OPINION = reduction(np.maximum)
