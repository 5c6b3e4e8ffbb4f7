"""GATHER_ND1 of DirectML.

Document: the page of DML_GATHER_ND1_OPERATOR_DESC, English, of 31 October 2020, at 9ade0e62b736. Its formula takes as many
sizes from the end of InputTensor as a tuple has coordinates, which in its own example gives {5,6,7}. The examples leave out
as many from the start instead, after the batch dimensions, and so does this. A tuple is only said not to have more
coordinates than InputTensor has dimensions, but those before the last InputDimensionCount are called irrelevant, and batch
dimensions have no coordinate in it.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INDEX, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INDICES = "IndicesTensor"
COUNTS = {INPUT: "InputDimensionCount", INDICES: "IndicesDimensionCount"}

Sizes = tuple[int, ...]


def split(t: Tensors, a: Attributes, name: str) -> tuple[Sizes, Sizes]:
    """The sizes of a tensor's leading dimensions, which are ignored, and of those that count."""
    ignored = t[name].rank - a[COUNTS[name]]
    return t[name].sizes[:ignored], t[name].sizes[ignored:]


def tuple_fits(t: Tensors, a: Attributes) -> bool:
    """Whether there is a dimension of tuples behind the batch ones, and a dimension of InputTensor for each coordinate."""
    batch = a["BatchDimensionCount"]
    return bool(batch < a[COUNTS[INDICES]] and batch + t[INDICES].sizes[-1] <= a[COUNTS[INPUT]])


def sizes_follow(t: Tensors, a: Attributes) -> bool:
    """Whether OutputTensor has the sizes of the array of tuples, batches included, and of a block, behind ones."""
    *array, coordinates = split(t, a, INDICES)[1]
    whole = (*array, *split(t, a, INPUT)[1][a["BatchDimensionCount"] + coordinates:])
    return t[OUTPUT].sizes == ((1,) * (t[OUTPUT].rank - len(whole)) + whole)


SUPPORT: Support = {
    since: {INPUT: (1, 8, values), INDICES: (1, 8, INDEX), OUTPUT: (1, 8, values)}
    for since, values in (("3_0", NARROW), ("4_1", f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[INDICES].rank == t[OUTPUT].rank),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    "input-dimensions": ((RANKS,), lambda t, a, _: 1 <= a[COUNTS[INPUT]] <= t[INPUT].rank),
    "indices-dimensions": ((RANKS,), lambda t, a, _: 1 <= a[COUNTS[INDICES]] <= t[INDICES].rank),
    "batch-dimensions": ((RANKS,), lambda t, a, _: 0 <= a["BatchDimensionCount"] < min(t[INPUT].rank, t[INDICES].rank)),
    "tuple-size": ((RANKS, "input-dimensions", "indices-dimensions", "batch-dimensions", "tensor/sizes-positive"),
                   lambda t, a, _: tuple_fits(t, a)),
    "output-sizes": (("tuple-size",), lambda t, a, _: sizes_follow(t, a)),
}


def coordinates_from_start(t: Tensors, a: Attributes, data: Data) -> tuple[Array, Sizes]:
    """The tuples, negative coordinates counted from the end, and the sizes of the dimensions that they are for."""
    ignored, (*_, count) = split(t, a, INDICES)
    batch = a["BatchDimensionCount"]
    sizes = split(t, a, INPUT)[1][batch:batch + count]
    indices = data[INDICES].view(t[INDICES].type.number)[(0,) * len(ignored) + (...,)]
    # Limited before they become signed, to what is too great for each dimension; only negative ones are added to.
    limited = np.minimum(indices, min(max(sizes), int(np.iinfo(indices.dtype).max))).astype(np.int64)
    tuples: Array = np.where(limited < 0, limited + np.array(sizes, dtype=np.int64), limited)
    return tuples, sizes


def gather_nd(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """GATHER_ND1: makes a row of each block of InputTensor, and takes the rows that batches and tuples number."""
    tuples, sizes = coordinates_from_start(t, a, data)
    ignored, used = split(t, a, INPUT)
    numbered, block = used[:a["BatchDimensionCount"] + len(sizes)], used[a["BatchDimensionCount"] + len(sizes):]
    batches = np.indices(tuples.shape[:-1], sparse=True)[:a["BatchDimensionCount"]]
    rows = np.ravel_multi_index((*batches, *np.moveaxis(tuples, -1, 0)), numbered, mode="clip")
    blocks = data[INPUT][(0,) * len(ignored) + (...,)].reshape(-1, math.prod(block))
    return {OUTPUT: (np.take(blocks, rows, axis=0).ravel(), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Dimensions left out that are no ones, batches that do not pair up, and coordinates that name no element.

    Those before the dimensions that count are called ones and irrelevant, but nothing requires it.
    """
    (ignored_input, used_input), (ignored_indices, used_indices) = split(t, a, INPUT), split(t, a, INDICES)
    batch = a["BatchDimensionCount"]
    questions = {"ignored-input-dimensions": any(size > 1 for size in ignored_input),
                 "ignored-indices-dimensions": any(size > 1 for size in ignored_indices),
                 "batch-sizes": used_input[:batch] != used_indices[:batch]}
    if data:
        tuples, sizes = coordinates_from_start(t, a, data)
        questions["index-out-of-range"] = bool(((tuples < 0) | (tuples >= np.array(sizes))).any())
    return questions


OPINION = Opinion("3_0", (INPUT, INDICES), RULES, gather_nd, open_questions)
