"""ELEMENT_WISE_CLIP1 of DirectML.

Document: the page of DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC, English, of 16 June 2023, at f2d501f718b1. It has the result in
the closed interval of Min and Max, which is empty where Min is the greater one; its formula gives Min then, and so does
this. Of special numbers nothing is said.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, OUTPUT, WIDE, Support, elementwise
from opinions.elements import Array
from opinions.opinion import Data, Questions

BOUNDS = ("Min", "Max")
SUPPORT: Support = {"5_0": {INPUT: (1, 8, WIDE), OUTPUT: (1, 8, WIDE)}}


def steps(t: Tensors, a: Attributes, data: Data) -> tuple[Array, ...]:
    """The input, Min, Max, the smaller one of input and Max, and what comes out, as numbers of the type that all have."""
    x = data[INPUT].view(t[INPUT].type.number)
    low, high = (np.array(a[name].bits, dtype=a[name].type.pattern).view(a[name].type.number) for name in BOUNDS)
    with np.errstate(invalid="ignore"):
        smaller = np.minimum(x, high)
        return x, low, high, smaller, np.maximum(low, smaller)


def clip(t: Tensors, a: Attributes, data: Data) -> Array:
    """CLIP1: the input or a bound is taken, with all its bits."""
    return np.asarray(steps(t, a, data)[-1]).view(t[OUTPUT].type.pattern)


def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Which special numbers leave an element open: of each at most one kind, the first that applies.

    A NaN always does, also as a bound. Subnormal numbers, which may be flushed, do where the result is below the normal
    numbers; both steps are monotone, so any other result comes out either way. Zeros of both signs do where they are
    compared on the way to a result of zero: a Min above zero hides how the input and Max compare.
    """
    if not data or t[INPUT].type.kind != "f":
        return {}
    x, low, high, smaller, result = steps(t, a, data)
    least_normal = np.finfo(x.dtype).smallest_normal

    def differ(left: Array, right: Array) -> Array:
        both: Array = (left == 0) & (right == 0) & (np.signbit(left) != np.signbit(right))
        return both

    with np.errstate(invalid="ignore"):
        nan = np.isnan(x) | np.isnan(low) | np.isnan(high)
        is_small = [(part != 0) & (np.abs(part) < least_normal) for part in (x, low, high)]
        subnormal = ~nan & np.logical_or.reduce(np.broadcast_arrays(*is_small)) & (np.abs(result) < least_normal)
        two_zeros = ~nan & ~subnormal & (result == 0) & (differ(x, high) | differ(low, smaller))
    return {"nan": bool(nan.any()), "subnormal": bool(subnormal.any()), "signed-zero": bool(two_zeros.any())}


OPINION = elementwise(SUPPORT, clip, (INPUT, OUTPUT), questions)
OPINION = OPINION._replace(rules={
    **OPINION.rules, "bounds-type": ((), lambda t, a, _: all(a[name].spelling == t[OUTPUT].spelling for name in BOUNDS))})
