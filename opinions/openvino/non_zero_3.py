"""NonZero-3 of OpenVINO, which finds what ONNX's NonZero does.

Document: the page of the operation NonZero, version 3, English: nonzero-3.rst of openvinotoolkit/openvino at
b66b0cdd63bb.
"""

from __future__ import annotations

from functools import partial

from opinions.descriptors import Attributes
from opinions.onnx.non_zero import compute, open_questions
from opinions.opinion import Opinion, Rules

DATA, OUTPUT = "data", "output"


def output_type(a: Attributes) -> object:
    """What names the output's element type."""
    return a.get("output_type", "i64")


RULES: Rules = {
    "input-required": ((), lambda t, a, _: DATA in t),
    "output-type-values": ((), lambda t, a, _: output_type(a) in ("i64", "i32")),
    "output-type": (("output-type-values",), lambda t, a, _: t[OUTPUT].spelling == output_type(a)),
}

OPINION = Opinion("1", (DATA,), RULES, partial(compute, DATA, OUTPUT), partial(open_questions, DATA))
