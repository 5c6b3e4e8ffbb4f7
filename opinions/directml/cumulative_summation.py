"""CUMULATIVE_SUMMATION of DirectML.

Document: the page of DML_CUMULATIVE_SUMMATION_OPERATOR_DESC, English, of 19 January 2022, at 9ade0e62b736. It says what is
summed, and in which direction, but not how: what a tally of integers is that leaves the range of its type, in which order and
how precisely floating-point numbers are added, and which zero comes out are left open, and so is all about special numbers.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import FLOATS, INDEX, INPUT, OUTPUT, RANKS, Support, directml_rules
from opinions.elements import Array
from opinions.opinion import Data, Opinion, Questions, Results, Rules

SUPPORT: Support = {
    since: {INPUT: (low, high, types), OUTPUT: (low, high, types)}
    for since, low, high, types in (
        ("2_1", 4, 4, f"{FLOATS} INT32 UINT32"), ("4_0", 1, 8, f"{FLOATS} INT32 UINT32"), ("5_0", 1, 8, f"{FLOATS} {INDEX}"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    RANKS: ((), lambda t, a, _: t[INPUT].rank == t[OUTPUT].rank),
    "same-sizes": ((RANKS, "tensor/sizes-positive"), lambda t, a, _: t[INPUT].sizes == t[OUTPUT].sizes),
    "axis-in-range": ((RANKS,), lambda t, a, _: 0 <= a["Axis"] < t[INPUT].rank),
}
WHOLE = {16: 1 << 11, 32: 1 << 24}  # by width: floating-point numbers include all whole ones up to here


def turned(values: Array, a: Attributes) -> Array:
    """From the order of indices to that of the summation, or back."""
    return np.flip(values, a["Axis"]) if a["AxisDirection"] == "DML_AXIS_DIRECTION_DECREASING" else values


def tallies(t: Tensors, a: Attributes, data: Data) -> tuple[Array, Array]:
    """What each place adds to the tally, and the tally then, both in the order of the summation.

    In exclusive sums each place adds the element before it, and the first one a zero. Integers wrap around, and
    floating-point numbers are added in 64 bits.
    """
    axis, terms = a["Axis"], turned(data[INPUT].view(t[INPUT].type.number), a)
    if a["HasExclusiveSum"]:
        terms = np.insert(np.delete(terms, -1, axis), 0, 0, axis)
    with np.errstate(invalid="ignore"):
        wide = np.float64 if terms.dtype.kind == "f" else terms.dtype
        sums: Array = np.add.accumulate(terms, axis=axis, dtype=wide)
    return terms, sums


def cumulative_summation(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """CUMULATIVE_SUMMATION: the tallies in their places. Where nothing is open, they are values of the type."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = turned(tallies(t, a, data)[1], a).astype(t[OUTPUT].type.number)
    return {OUTPUT: (values.ravel().view(t[OUTPUT].type.pattern), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """What leaves an element open: for each at most one kind, and only by what is counted in it.

    Integers do from the first tally on that is beyond the type. Before that the sums are exact, so that it shows: the sign
    of the sum is that of neither of its parts, or, without signs, the sum is below a part. Floating-point numbers do unless
    all are whole and their magnitudes add up to so little that each sum of some of them is a value of the type; numbers that
    are not whole count as infinite here. A sum of zero then has a sign that is certain if none of its parts is -0.0.
    """
    if not data:
        return {}
    axis, kind = a["Axis"], t[INPUT].type
    terms, sums = tallies(t, a, data)
    if kind.kind == "u":
        return {"overflow": bool((sums < terms).any())}
    if kind.kind == "i":
        before = sums - terms
        return {"overflow": bool((((before ^ sums) & (terms ^ sums)) < 0).any())}
    with np.errstate(invalid="ignore"):
        is_whole = np.isfinite(terms) & (np.trunc(terms) == terms)
        magnitudes = np.where(is_whole, np.abs(terms), np.inf).astype(np.float64)
    certain = np.add.accumulate(magnitudes, axis=axis) <= WHOLE[kind.width]
    counts_negative_zero = np.logical_or.accumulate((terms == 0) & np.signbit(terms), axis=axis)
    return {"rounding": not certain.all(), "signed-zero": bool((certain & (sums == 0) & counts_negative_zero).any())}


OPINION = Opinion("2_1", (INPUT,), RULES, cumulative_summation, open_questions)
