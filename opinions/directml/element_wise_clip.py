"""ELEMENT_WISE_CLIP of DirectML.

Document: the page of DML_ELEMENT_WISE_CLIP_OPERATOR_DESC, English, in force: with the remark of pull request 1134 of
MicrosoftDocs/sdk-api, merged on 21 April 2022. Its formula compares with Min last, and so gives Min where Min is the greater
one. Min and Max are numbers of 32 bits, and are cast to the tensors' type before they clip: cut off toward zero for integers,
rounded to the nearest and halfway to even for floating-point numbers. From there on this is CLIP1. What the cast gives beyond
the range of an integer type is left open, and so is all about special numbers. ScaleBias, which may be absent, is absent here.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Scalar, Tensors
from opinions.directml import FLOATS, INPUT, NARROW, OUTPUT, WIDE, Support, element_wise_clip1, elementwise
from opinions.directml.padding import exact_bits, float_value
from opinions.elements import Array, ElementType
from opinions.opinion import Data, Questions

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (("1_0", 4, 4, FLOATS), ("2_1", 4, 4, NARROW), ("3_0", 1, 8, NARROW), ("5_0", 1, 8, WIDE))}


def cast_bits(number: np.float32, kind: ElementType) -> int | None:
    """The bits of a number as cast; nothing if an integer type lacks it without its fraction, as it does every NaN."""
    if kind.kind != "f":
        return exact_bits(np.trunc(number), kind)
    with np.errstate(over="ignore", under="ignore"):
        return int(np.array(number).astype(kind.number).view(kind.pattern))


def bounds_as_cast(t: Tensors, a: Attributes) -> Attributes:
    """Min and Max as CLIP1 has them. For one that cannot be cast there is a zero: all elements are open then."""
    spelling, kind = t[INPUT].spelling, t[INPUT].type
    return {name: Scalar(spelling, kind, cast_bits(float_value(a[name]), kind) or 0) for name in element_wise_clip1.BOUNDS}


def clip(t: Tensors, a: Attributes, data: Data) -> Array:
    """CLIP: what CLIP1 gives with the bounds as cast."""
    return element_wise_clip1.clip(t, bounds_as_cast(t, a), data)


def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What leaves an element open: for each at most one kind, the first that applies.

    Among integers a bound that is a NaN opens all elements, and so does one that is beyond the type, whether or not it would
    replace any. Among floating-point numbers the questions are those of CLIP1.
    """
    if not data:
        return {}
    kind = t[INPUT].type
    if kind.kind == "f":
        return element_wise_clip1.questions(t, bounds_as_cast(t, a), data, level)
    bounds = [float_value(a[name]) for name in element_wise_clip1.BOUNDS]
    nan = any(map(np.isnan, bounds))
    return {"nan": nan, "bound-beyond-the-type": not nan and None in [cast_bits(bound, kind) for bound in bounds]}


OPINION = elementwise(SUPPORT, clip, (INPUT, OUTPUT), questions)
