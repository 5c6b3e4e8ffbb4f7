"""PADDING of DirectML, and which element has the value of an attribute of the type FLOAT.

Document: the page of DML_PADDING_OPERATOR_DESC, English, of 19 January 2022, at b6ccb924f6c4. PaddingValue is a number of 32
bits whatever the type of the tensors is. The page only says that it might be truncated for types other than FLOAT16 and
FLOAT32, so what becomes of a number that the type lacks is left open, and so is whether a conversion keeps subnormal numbers,
and which bits a NaN gives. As on the page of PADDING1, nothing is said of mirroring a dimension of size 1.
"""

from __future__ import annotations

import math

import numpy as np

from opinions.descriptors import FLOAT32, Attributes, Tensors
from opinions.directml import FLOATS, INPUT, NARROW, OUTPUT, WIDE, Support
from opinions.directml.padding1 import SYMMETRIC, padding, padding_rules, reflects_one, takes_value
from opinions.elements import ElementType, float_bits
from opinions.opinion import Data, Opinion, Questions, Rules

SUPPORT: Support = {
    since: {INPUT: (low, high, values), OUTPUT: (low, high, values)}
    for since, low, high, values in (
        ("1_0", 4, 5, FLOATS), ("2_1", 4, 5, NARROW), ("3_1", 1, 8, NARROW), ("5_0", 1, 8, f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **padding_rules(SUPPORT),
    "symmetric-introduced": ((), lambda t, a, level: level >= "3_0" or a["PaddingMode"] != SYMMETRIC),
}


def float_value(number: int | np.float32) -> np.float32:
    """The number of 32 bits, which a case may write without a point."""
    if isinstance(number, int):
        return np.uint32(float_bits(str(number), FLOAT32)).view(np.float32)
    return number


def exact_bits(number: np.float32, kind: ElementType) -> int | None:
    """The bits of the element that has just this value, with the sign of a zero if there is one; no NaN is a value."""
    if kind.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            element = np.array(number).astype(kind.number)
        return int(element.view(kind.pattern)) if element == number else None
    if not np.isfinite(number) or number != np.floor(number):
        return None
    whole, least = int(number), -(1 << (kind.width - 1)) if kind.kind == "i" else 0
    return whole % (1 << kind.width) if least <= whole < least + (1 << kind.width) else None


def is_subnormal(number: np.float32, kind: ElementType) -> bool:
    """Whether a number is below the normal ones of FLOAT32 or of the tensor's type, but not zero."""
    least = float(np.finfo(np.float32).smallest_normal)
    if kind.kind == "f":
        least = max(least, float(np.finfo(kind.number).smallest_normal))
    return 0 < math.fabs(number) < least


def value(t: Tensors, a: Attributes) -> int:
    """The bits of the element to pad with. Where there is none, nothing is padded, or a question is open."""
    return exact_bits(float_value(a["PaddingValue"]), t[OUTPUT].type) or 0


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """A value, if it is taken, that is no number, that the type lacks, or that is converted from or to a subnormal one."""
    questions = {"reflection-of-one": bool(data) and reflects_one(t, a)}
    if data and takes_value(a):
        number, kind = float_value(a["PaddingValue"]), t[OUTPUT].type
        is_nan, is_element = bool(np.isnan(number)), exact_bits(number, kind) is not None
        questions |= {"nan-value": is_nan, "value-not-an-element": not is_nan and not is_element,
                      "value-subnormal": is_element and kind != FLOAT32 and is_subnormal(number, kind)}
    return questions


OPINION = Opinion("1_0", (INPUT,), RULES, padding(value), open_questions)
