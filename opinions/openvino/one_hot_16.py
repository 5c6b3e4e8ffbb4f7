"""OneHot-16 of OpenVINO, which is OneHot-1 but for indices below zero.

Document: the page of the operation OneHot, version 16, English: one-hot-16.rst of openvinotoolkit/openvino at
9c11feb17ae6.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.openvino import one_hot_1
from opinions.opinion import Data, Opinion, Questions, Results, Rules

MODE, IGNORE, NORMALIZE = "negative_indices_mode", "ignore-negative", "normalize"

RULES: Rules = {
    **one_hot_1.RULES,
    "mode-values": ((), lambda t, a, _: a.get(MODE, IGNORE) in (IGNORE, NORMALIZE)),
}


def one_hot(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """OneHot-16: adds depth to the indices below zero, or leaves them; none that is still below zero is a position."""
    if a.get(MODE, IGNORE) == IGNORE:
        return one_hot_1.one_hot(t, a, data, level)
    indices = data["indices"].view(t["indices"].type.number).astype(np.int64)
    normalized = np.where(indices < 0, indices + one_hot_1.depth_of(t), indices)
    return one_hot_1.one_hot(t, a, {**data, "indices": normalized.astype(t["indices"].type.pattern)}, level)


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """Those of OneHot-1, but that both modes answer what comes of indices below zero."""
    questions = one_hot_1.open_questions(t, a, data, level)
    return {name: is_open for name, is_open in questions.items() if name != "negative-index"}


OPINION = Opinion("1", one_hot_1.OPINION.inputs, RULES, one_hot, open_questions)
