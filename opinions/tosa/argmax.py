"""ARGMAX of TOSA.

Documents: TOSA 1.0.1, arm/tosa-specification at 7010bd19cb1e: ARGMAX in chapters/tensor_ops.adoc, in tosa.xml and in
pseudocode/operators/ARGMAX.tosac; the number formats and the floating-point precision requirements in
chapters/introduction.adoc.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensor, Tensors
from opinions.elements import Array, ElementType
from opinions.opinion import Data, Opinion, Questions, Results, Rules

INPUT, OUTPUT = "input", "output"
VALUES, INDEX = {"i8_t", "i16_t", "fp16_t", "bf16_t", "fp32_t"}, {"i32_t"}
MANTISSAS = {"fp16_t": 10, "bf16_t": 7, "fp32_t": 23}  # bits of the fraction


RULES: Rules = {
    "input-types": ((), lambda t, a, _: t[INPUT].spelling in VALUES),
    "output-type": ((), lambda t, a, _: t[OUTPUT].spelling in INDEX),
    "axis-required": ((), lambda t, a, _: "axis" in a),
    "axis-in-range": (("axis-required",), lambda t, a, _: 0 <= a["axis"] < t[INPUT].rank),
    "output-shape": (("axis-in-range",), lambda t, a, _: (
        t[OUTPUT].sizes == t[INPUT].sizes[:a["axis"]] + t[INPUT].sizes[a["axis"] + 1:])),
}


def magnitudes(bits: Array, kind: ElementType) -> Array:
    """Floating-point numbers without their sign, as integers in the same order; infinity stands below the NaNs."""
    return (bits & ((1 << (kind.width - 1)) - 1)).astype(np.int32)


def infinity(tensor: Tensor) -> int:
    """The bits of infinity: an exponent of ones, and no fraction."""
    return (1 << (tensor.type.width - 1)) - (1 << MANTISSAS[tensor.spelling])


def order(tensor: Tensor, a: Attributes, bits: Array, flush: bool) -> Array:
    """Integers that compare as the elements do: all NaNs are one number beyond infinity, and both zeros are 0.

    With `flush`, subnormal numbers are 0 as well: an implementation flushes all of them or none.
    """
    if tensor.type.kind == "i":
        return bits.view(tensor.type.number)
    magnitude, beyond = magnitudes(bits, tensor.type), infinity(tensor) + 1
    if flush:
        magnitude[magnitude < 1 << MANTISSAS[tensor.spelling]] = 0
    signed = np.where(bits >> (tensor.type.width - 1) == 1, -magnitude, magnitude)
    return np.where(magnitude >= beyond, -beyond if a.get("nan_mode") == "IGNORE" else beyond, signed)


def indices(t: Tensors, a: Attributes, data: Data, flush: bool = False) -> Array:
    """The first index of the greatest element of each part; NumPy takes the first of equal integers."""
    return np.asarray(order(t[INPUT], a, data[INPUT], flush).argmax(a["axis"]))


def argmax(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """ARGMAX, with subnormal numbers as they are."""
    found = indices(t, a, data)
    return {OUTPUT: (found.ravel().astype(t[OUTPUT].type.pattern), found.size)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Whether subnormal numbers are zeros, where that moves an index, and which NaNs are supported besides one.

    That one is taken to be the quiet NaN without sign and payload. All elements belong to some part.
    """
    if not data or t[INPUT].type.kind == "i":
        return {}
    bits, largest = data[INPUT], infinity(t[INPUT])
    plain = largest | 1 << (MANTISSAS[t[INPUT].spelling] - 1)
    return {"subnormal": bool((indices(t, a, data) != indices(t, a, data, flush=True)).any()),
            "nan-encoding": bool(((magnitudes(bits, t[INPUT].type) > largest) & (bits != plain)).any())}


OPINION = Opinion("1.0", (INPUT,), RULES, argmax, open_questions)
