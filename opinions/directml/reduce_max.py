"""REDUCE of DirectML with the function MAX, and what it shares with MIN, which is all but the extreme.

Documents, English: the pages of DML_REDUCE_OPERATOR_DESC, of 19 January 2022, and of DML_REDUCE_FUNCTION, of 5 December 2018.
They say nothing of special numbers. What a shader may do with those is in Direct3D's pages on the instructions max and min
of shader model 4 and on floating-point rules, all of 31 May 2018, and in section 7.20.2.2.1 of the functional specification
of Direct3D 11.3. No document makes those binding here, so they answer nothing, but show in which ways answers may differ.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INPUT, NARROW, OUTPUT, RANKS, WIDE, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

# The four tables below "MIN and MAX". In each both tensors have the same row, and 2_1 has the integers of 32 bits alone.
SUPPORT: Support = {
    since: {tensor: (low, high, types) for tensor in (INPUT, OUTPUT)}
    for since, low, high, types in (
        ("1_0", 4, 4, FLOATS), ("2_1", 4, 4, f"{FLOATS} INT32 UINT32"), ("3_0", 1, 8, NARROW), ("5_0", 1, 8, WIDE))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].spelling == t[OUTPUT].spelling),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "axes-in-range": ((RANKS,), lambda t, a, _: all(0 <= axis <= t[INPUT].rank - 1 for axis in a["Axes"])),
    "output-sizes": ((RANKS, "axes-in-range"), lambda t, a, _: list(t[OUTPUT].sizes) == [
        1 if at in a["Axes"] else size for at, size in enumerate(t[INPUT].sizes)]),
}


def reduced(function: np.ufunc, values: Array, a: Attributes) -> Array:
    """One value for each subset, the reduced dimensions left as one; a subset runs along all axes of the list at once."""
    with np.errstate(invalid="ignore"):
        result: Array = function.reduce(values, axis=tuple(sorted(set(a["Axes"]))), keepdims=True)
    return result


def special_numbers(extreme: np.ufunc, numbers: Array, a: Attributes) -> Questions:
    """Which special numbers leave the value of a subset open: of each subset at most one kind, the first that applies.

    A NaN always does: the instructions return the other operand, the general rule for operations returns a NaN, and where
    there is no other operand but NaNs, the bits remain open. Subnormal numbers of 32 bits are compared as zeros according to
    the page of floating-point rules, and the result may be flushed or not. Those of 16 bits are kept there, but may be flushed
    according to section 7.20.2.2.1, and which arithmetic DirectML uses is not said; so both types are treated alike. Where
    the extreme is below the normal numbers, any number of that magnitude may come out, or a zero with its sign. With no
    subnormal number among them they are zeros, and open if they have both signs, as the page only recommends which to
    return. An extreme that is normal or infinite comes out whichever way the others are treated.
    """
    least_normal = np.finfo(numbers.dtype).smallest_normal
    with np.errstate(invalid="ignore"):
        is_small, is_zero, is_negative = np.abs(numbers) < least_normal, numbers == 0, np.signbit(numbers)
        small_extreme = np.abs(reduced(extreme, numbers, a)) < least_normal  # false of a NaN, which hides the other kinds
    subnormal = small_extreme & reduced(np.logical_or, is_small & ~is_zero, a)
    two_zeros = reduced(np.logical_or, is_zero & is_negative, a) & reduced(np.logical_or, is_zero & ~is_negative, a)
    return {"nan": bool(np.isnan(numbers).any()), "subnormal": bool(subnormal.any()),
            "signed-zero": bool((small_extreme & ~subnormal & two_zeros).any())}


def reduction(extreme: np.ufunc) -> Opinion:
    """The opinion on either function: `np.maximum` makes it MAX, `np.minimum` MIN."""
    def compute(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
        """DML_REDUCE_FUNCTION nests the function of two numbers, so an element of the subset comes out, with all its bits."""
        values = reduced(extreme, data[INPUT].view(t[INPUT].type.number), a)
        return {OUTPUT: (values.ravel().view(t[OUTPUT].type.pattern), t[OUTPUT].elements)}

    def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
        """Lists of axes that the page of the structure neither allows nor forbids, and special numbers."""
        axes = list(a["Axes"])
        questions = {"axes-order": axes != sorted(axes), "axes-duplicate": len(set(axes)) < len(axes), "axes-empty": not axes}
        if data and t[INPUT].type.kind == "f":
            questions |= special_numbers(extreme, data[INPUT].view(t[INPUT].type.number), a)
        return questions

    return Opinion("1_0", (INPUT,), RULES, compute, open_questions)


OPINION = reduction(np.maximum)
