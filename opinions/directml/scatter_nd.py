"""SCATTER_ND of DirectML.

Document: the page of DML_SCATTER_ND_OPERATOR_DESC, English, of 4 November 2020, at 9ade0e62b736. Its formula for
UpdatesTensor takes as many sizes from the end of InputTensor as a tuple has coordinates, which in its own example gives
{5,6,7}. The example leaves out as many from the start instead, and so does this. It also lets all 5 of 5 dimensions count,
where the ranges of both counts stop short of that. A tuple is only said not to have more coordinates than InputTensor has
dimensions, but those before the last InputDimensionCount are called irrelevant, and have no coordinate in it. The example
with values has indices of FLOAT32, which no table lists, and tensors of one and of two dimensions, although all must have
the same number.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES, UPDATES = "IndicesTensor", "UpdatesTensor"
COUNTS = {INPUT: "InputDimensionCount", INDICES: "IndicesDimensionCount"}

Sizes = tuple[int, ...]


def split(t: Tensors, a: Attributes, name: str) -> tuple[Sizes, Sizes]:
    """The sizes of a tensor's leading dimensions, which are ignored, and of those that count."""
    ignored = t[name].rank - a[COUNTS[name]]
    return t[name].sizes[:ignored], t[name].sizes[ignored:]


def sizes_follow(t: Tensors, a: Attributes) -> bool:
    """Whether UpdatesTensor has the sizes of the array of tuples and of a block, behind ones."""
    *array, coordinates = split(t, a, INDICES)[1]
    whole = (*array, *split(t, a, INPUT)[1][coordinates:])
    return t[UPDATES].sizes == ((1,) * (t[UPDATES].rank - len(whole)) + whole)


SUPPORT: Support = {
    since: {INPUT: (low, high, values), INDICES: (low, high, indices), UPDATES: (low, high, values),
            OUTPUT: (low, high, values)}
    for since, low, high, indices, values in (
        ("2_1", 4, 4, "UINT32", NARROW), ("3_0", 1, 8, INDEX, NARROW), ("4_1", 1, 8, INDEX, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[INDICES].rank == t[UPDATES].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[UPDATES].type == t[OUTPUT].type),
    "input-dimensions": ((RANKS,), lambda t, a, _: 1 <= a[COUNTS[INPUT]] <= t[INPUT].rank),
    "indices-dimensions": ((RANKS,), lambda t, a, _: 1 <= a[COUNTS[INDICES]] <= t[INDICES].rank),
    "tuple-size": ((RANKS, "input-dimensions", "indices-dimensions", "tensor/sizes-positive"),
                   lambda t, a, _: bool(t[INDICES].sizes[-1] <= a[COUNTS[INPUT]])),
    "updates-sizes": (("tuple-size",), lambda t, a, _: sizes_follow(t, a)),
    "output-sizes": ((RANKS, "tensor/sizes-positive"), lambda t, a, _: t[OUTPUT].sizes == t[INPUT].sizes),
}


def coordinates_from_start(t: Tensors, a: Attributes, data: Data) -> tuple[Array, Sizes]:
    """A row for each coordinate of the tuples, negative ones counted from the end, and the size of each one's dimension."""
    ignored, (*_, count) = split(t, a, INDICES)
    sizes = split(t, a, INPUT)[1][:count]
    indices = data[INDICES].view(t[INDICES].type.number)[(0,) * len(ignored) + (...,)].reshape(-1, count)
    greatest = int(np.iinfo(indices.dtype).max)
    rows = np.empty((count, len(indices)), dtype=np.int64)
    for row, column, size in zip(rows, indices.T, sizes):
        # Limited before it becomes signed, to what is just too great if its type holds that; only negative ones grow.
        row[:] = np.minimum(column, min(size, greatest))
        row[row < 0] += size
    return rows, sizes


def scatter_nd(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """SCATTER_ND: makes a row of each block of InputTensor, and replaces the rows that tuples number.

    Which of several updates of one element wins is said to be uncertain, so that such an element is undefined.
    """
    coordinates, sizes = coordinates_from_start(t, a, data)
    block = split(t, a, INPUT)[1][len(sizes):]
    places = np.ravel_multi_index(tuple(coordinates), sizes, mode="clip")
    output = data[INPUT].reshape(-1, math.prod(sizes), math.prod(block)).copy()
    output[:, places] = data[UPDATES].reshape(places.size, math.prod(block))
    defined = np.bincount(places, minlength=math.prod(sizes)) < 2
    return {OUTPUT: (output.ravel(), np.broadcast_to(defined[:, None], output.shape).ravel())}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Dimensions left out that are no ones, and coordinates that name no element.

    Those before the dimensions that count are called ones and irrelevant, but nothing requires it.
    """
    questions = {"ignored-input-dimensions": any(size > 1 for size in split(t, a, INPUT)[0]),
                 "ignored-indices-dimensions": any(size > 1 for size in split(t, a, INDICES)[0])}
    if data:
        coordinates, sizes = coordinates_from_start(t, a, data)
        outside = (coordinates < 0) | (coordinates >= np.array(sizes, dtype=np.int64)[:, None])
        questions["index-out-of-range"] = bool(outside.any())
    return questions


OPINION = Opinion("2_1", (INPUT, INDICES, UPDATES), RULES, scatter_nd, open_questions,
                  since={"negative-from-end": "3_0"})
