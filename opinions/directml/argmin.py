"""ARGMIN of DirectML.

Documents: the pages of DML_ARGMIN_OPERATOR_DESC and of DML_AXIS_DIRECTION, English, both of 28 October 2020.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

SUPPORT: Support = {
    since: {INPUT: (1, 8, values), OUTPUT: (1, 8, INDEX)} for since, values in (("3_0", NARROW), ("4_1", WIDE))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "axes-in-range": ((RANKS,), lambda t, a, _: all(0 <= axis < t[INPUT].rank for axis in a["Axes"])),
    "output-sizes": ((RANKS, "axes-in-range"), lambda t, a, _: t[OUTPUT].sizes == tuple(
        1 if at in a["Axes"] else size for at, size in enumerate(t[INPUT].sizes))),
}


def least_at(numbers: Array, a: Attributes) -> Array:
    """Where the least number of each subset is, in 64 bits.

    The reduced dimensions are moved behind the others in their own order, so that a row is a subset and a column an index.
    All places of the minimum are marked first, since a search that stops at one decides a tie by itself, and equality
    alone makes the two zeros a tie. Nothing equals a NaN, which leaves its row without a mark.
    """
    kept = [at for at in range(numbers.ndim) if at not in a["Axes"]]
    reduced = [at for at in range(numbers.ndim) if at in a["Axes"]]
    length = math.prod(numbers.shape[at] for at in reduced)
    rows = numbers.transpose(kept + reduced).reshape(-1, length)
    with np.errstate(invalid="ignore"):
        marks = rows == rows.min(axis=1, keepdims=True)
    if a["AxisDirection"] == "DML_AXIS_DIRECTION_DECREASING":
        return length - 1 - marks[:, ::-1].argmax(axis=1).astype(np.int64)
    return marks.argmax(axis=1).astype(np.int64)


def argmin(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """ARGMIN: an index for each subset. Numbers are compared in the type that they have, so that no bit is lost."""
    indices = least_at(data[INPUT].view(t[INPUT].type.number), a)
    return {OUTPUT: (indices.astype(t[OUTPUT].type.pattern), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Lists of axes that the page neither allows nor forbids, and numbers whose order it does not tell.

    A subnormal number matters only where its flush moves an index. A subset with a NaN has the same one either way here, as
    its index is open already.
    """
    axes = list(a["Axes"])
    questions = {"axes-order": axes != sorted(axes), "axes-duplicate": len(set(axes)) < len(axes), "axes-empty": not axes}
    if not data:
        return questions
    numbers = data[INPUT].view(t[INPUT].type.number)
    indices = least_at(numbers, a)
    questions["index-overflow"] = t[OUTPUT].spelling == "INT32" and bool((indices > np.iinfo(np.int32).max).any())
    if t[INPUT].type.kind == "f":
        zero = numbers.dtype.type(0)
        flushed = np.where(np.abs(numbers) < np.finfo(numbers.dtype).smallest_normal, zero, numbers)
        questions["nan"] = bool(np.isnan(numbers).any())
        questions["subnormal"] = bool((least_at(flushed, a) != indices).any())
    return questions


OPINION = Opinion("3_0", (INPUT,), RULES, argmin, open_questions)
