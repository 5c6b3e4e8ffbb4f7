"""ELEMENT_WISE_CLIP of DirectML.

Document: the page of DML_ELEMENT_WISE_CLIP_OPERATOR_DESC, English, of 19 January 2022, at 37a8df4aa27b. Its formula takes the
minimum last, and so gives Max where Min is the greater one. Min and Max are numbers of 32 bits whatever the type of the
tensors is: what comes out where the type lacks one of them is left open, and so is all about special numbers. ScaleBias,
which may be absent, is absent here.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INPUT, NARROW, OUTPUT, WIDE, Support, elementwise
from opinions.directml.padding import exact_bits, float_value, is_subnormal
from opinions.elements import Array
from opinions.opinion import Data, Questions

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (("1_0", 4, 4, FLOATS), ("2_1", 4, 4, NARROW), ("3_0", 1, 8, NARROW), ("5_0", 1, 8, WIDE))}


def is_below(x: Array, bound: np.float32) -> Array:
    """Whether elements are below a number, which is exact: integers are below a number where they are below it rounded up."""
    if x.dtype.kind == "f" or not np.isfinite(bound):
        return np.asarray(x.astype(np.float64) < np.float64(bound))
    return np.asarray(x < math.ceil(bound))


def is_above(x: Array, bound: np.float32) -> Array:
    """Whether elements are above a number, just as exactly."""
    if x.dtype.kind == "f" or not np.isfinite(bound):
        return np.asarray(x.astype(np.float64) > np.float64(bound))
    return np.asarray(x > math.floor(bound))


def replaced(t: Tensors, a: Attributes, data: Data) -> tuple[np.float32, np.float32, Array, Array]:
    """Min and Max, and which elements they replace. What Max takes from Min is no longer Min's."""
    x, low, high = data[INPUT].view(t[INPUT].type.number), float_value(a["Min"]), float_value(a["Max"])
    with np.errstate(invalid="ignore"):
        by_low = is_below(x, low)
        by_high = np.where(by_low, low > high, is_above(x, high))
    return low, high, by_low & ~by_high, by_high


def clip(t: Tensors, a: Attributes, data: Data) -> Array:
    """CLIP: an element keeps all its bits if no bound replaces it. A bound that the type lacks replaces none, or is open."""
    low, high, by_low, by_high = replaced(t, a, data)
    result = data[INPUT].copy()
    result[by_low] = exact_bits(low, t[OUTPUT].type) or 0
    result[by_high] = exact_bits(high, t[OUTPUT].type) or 0
    return result


def questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What leaves an element open: for each at most one kind, the first that applies.

    A NaN always does, also as a bound. Subnormal numbers, be it those of FLOAT32 or of the tensor's type, do where the result
    is a zero or would be flushed to one; both steps are monotone, so any other result comes out either way. A bound does
    where it replaces an element and the type lacks it. Zeros of both signs do where they are compared on the way to a result
    of zero; among integers there is only one zero.
    """
    if not data:
        return {}
    kind, x = t[INPUT].type, data[INPUT].view(t[INPUT].type.number)
    low, high, by_low, by_high = replaced(t, a, data)
    with np.errstate(invalid="ignore"):
        # Rounded, if an integer is great, but what follows only asks which numbers are small.
        wide, minimum, maximum = x.astype(np.float64), np.float64(low), np.float64(high)
        greater = np.where(is_below(x, low), minimum, wide)
        result = np.where(by_high, maximum, np.where(by_low, minimum, wide))
    least_normal = float(np.finfo(kind.number if kind.kind == "f" else np.float32).smallest_normal)

    def differ(left: Array | np.float64, right: Array) -> Array:
        both: Array = (left == 0) & (right == 0) & (np.signbit(left) != np.signbit(right))
        return both

    def is_small(part: Array) -> Array:
        small: Array = (part != 0) & (np.abs(part) < least_normal)
        return small

    with np.errstate(invalid="ignore"):
        nan = np.isnan(wide) | np.isnan(low) | np.isnan(high)
        any_small = is_small(wide) | is_subnormal(low, kind) | is_subnormal(high, kind)
        subnormal = ~nan & any_small & ((result == 0) | is_small(result))
        known = nan | subnormal
        lacked = np.zeros_like(known)
        for bound, replaces in ((low, by_low), (high, by_high)):
            if exact_bits(bound, kind) is None:
                lacked |= replaces & ~known
        known |= lacked
        two_zeros = ~known & (kind.kind == "f") & (result == 0) & (differ(minimum, wide) | differ(maximum, greater))
    return {"nan": bool(nan.any()), "subnormal": bool(subnormal.any()),
            "bound-not-an-element": bool(lacked.any()), "signed-zero": bool(two_zeros.any())}


OPINION = elementwise(SUPPORT, clip, (INPUT, OUTPUT), questions)
