"""PADDING1 of DirectML, and what it shares with PADDING, which is all but the value.

Document: the page of DML_PADDING1_OPERATOR_DESC, English, of 12 August 2022, at ea42082f77c7. It allows REFLECTION to pad a
dimension by its size or more, but does not say what there is to mirror in one of size 1. It calls PaddingValue ignored
unless the mode is CONSTANT, but asks for its data type in every mode.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.directml.fill_value_constant import is_nan
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

START, END = "StartPadding", "EndPadding"
CONSTANT, EDGE = "DML_PADDING_MODE_CONSTANT", "DML_PADDING_MODE_EDGE"
REFLECTION, SYMMETRIC = "DML_PADDING_MODE_REFLECTION", "DML_PADDING_MODE_SYMMETRIC"

LISTS = ("start-count", "end-count", "start-not-negative", "end-not-negative")

SUPPORT: Support = {"5_0": {name: (1, 8, f"{WIDE} FLOAT64") for name in (INPUT, OUTPUT)}}


def padding_rules(support: Support) -> Rules:
    """What is asked of tensors and of what is added to them, but not of the value."""
    return {
        **directml_rules(support, OUTPUT),
        "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
        RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
        "start-count": ((), lambda t, a, _: len(a[START]) == t[INPUT].rank),
        "end-count": ((), lambda t, a, _: len(a[END]) == t[INPUT].rank),
        "start-not-negative": ((), lambda t, a, _: min(a[START], default=0) >= 0),
        "end-not-negative": ((), lambda t, a, _: min(a[END], default=0) >= 0),
        "output-sizes": ((RANKS, *LISTS, "tensor/sizes-positive"), lambda t, a, _: all(
            whole == size + before + after
            for whole, size, before, after in zip(t[OUTPUT].sizes, t[INPUT].sizes, a[START], a[END]))),
    }


def source(mode: str, place: Array, size: int) -> Array:
    """Which places of a dimension are taken for places that may be before or behind it."""
    if mode == EDGE:
        return np.asarray(np.clip(place, 0, size - 1))
    # There and back again: REFLECTION comes by both ends once in a period, SYMMETRIC twice.
    again = {REFLECTION: 0, SYMMETRIC: 1}[mode]
    period = max(1, 2 * (size - 1 + again))
    there = place % period
    return np.asarray(np.minimum(there, period - again - there))


def padding(value: Callable[[Tensors, Attributes], int]) -> Callable[[Tensors, Attributes, Data, str], Results]:
    """How either operator pads; the bits of the value are only asked for where the mode takes it."""
    def compute(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
        """All bits of what is taken. Dimensions are padded one by one, so that corners follow from all of them."""
        sizes, mode = t[INPUT].sizes, a["PaddingMode"]
        if mode == CONSTANT:
            whole = np.full(t[OUTPUT].sizes, value(t, a), dtype=t[OUTPUT].type.pattern)
            whole[tuple(slice(before, before + size) for before, size in zip(a[START], sizes))] = data[INPUT]
        else:
            whole = data[INPUT]
            for at, (size, before, after) in enumerate(zip(sizes, a[START], a[END])):
                whole = whole.take(source(mode, np.arange(-before, size + after, dtype=np.int64), size), axis=at)
        return {OUTPUT: (whole.ravel(), t[OUTPUT].elements)}

    return compute


def takes_value(a: Attributes) -> bool:
    """Whether the value is anywhere in the output."""
    return a["PaddingMode"] == CONSTANT and any(before + after > 0 for before, after in zip(a[START], a[END]))


def reflects_one(t: Tensors, a: Attributes) -> bool:
    """Whether a dimension of size 1 is to be mirrored without its edges, which leaves nothing of it."""
    return a["PaddingMode"] == REFLECTION and any(
        size == 1 and before + after > 0 for size, before, after in zip(t[INPUT].sizes, a[START], a[END]))


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Which bits a NaN gives where it is the padding, and what is mirrored of a dimension of size 1."""
    return {"nan-value": bool(data) and takes_value(a) and is_nan(a["PaddingValue"]),
            "reflection-of-one": bool(data) and reflects_one(t, a)}


RULES: Rules = {
    **padding_rules(SUPPORT),
    "value-type": ((), lambda t, a, _: a["PaddingValue"].spelling == t[OUTPUT].spelling),
}
OPINION = Opinion("5_0", (INPUT,), RULES, padding(lambda t, a: int(a["PaddingValue"].bits)), open_questions)
