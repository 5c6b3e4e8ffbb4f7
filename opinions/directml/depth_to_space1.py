"""DEPTH_TO_SPACE1 of DirectML.

Documents: the pages of DML_DEPTH_TO_SPACE1_OPERATOR_DESC, English, of 19 January 2022, at b6ccb924f6c4, and of
DML_DEPTH_SPACE_ORDER, English, of 29 October 2020, at dd64e5cb8c7c.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, OUTPUT, WIDE, Support, directml_rules
from opinions.opinion import Data, Opinion, Questions, Results, Rules

# The layouts, with a letter for each dimension once nothing is flattened together: batch, channel, height and width, and
# within a block i for the height and j for the width.
DEPTH = {"DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW": "bijchw", "DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH": "bcijhw"}
SPACE = "bchiwj"


def unflattened(layout: str, space: Sequence[int], block: int) -> list[int]:
    """The sizes of a layout's dimensions, by the sizes of the space version."""
    batch, channels, height, width = space
    sizes = {"b": batch, "c": channels, "h": height // block, "i": block, "w": width // block, "j": block}
    return [sizes[letter] for letter in layout]


def sizes_follow(t: Tensors, a: Attributes) -> bool:
    """Whether OutputTensor has the sizes that follow. No channels divide by blocks of size 0."""
    (batch, channels, height, width), block = t[INPUT].sizes, a["BlockSize"]
    return block > 0 and t[OUTPUT].sizes == (batch, channels // block**2, height * block, width * block)


SUPPORT: Support = {
    since: {INPUT: (4, 4, values), OUTPUT: (4, 4, values)}
    for since, values in (("2_1", NARROW), ("5_0", f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    "output-sizes": (("tensor-support", "tensor/sizes-positive"), lambda t, a, _: sizes_follow(t, a)),  # of four dimensions
}


def depth_to_space(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """DEPTH_TO_SPACE1: orders the depth version's dimensions as in the space version; channels left over are dropped."""
    layout, block = DEPTH[a["Order"]], a["BlockSize"]
    whole = data[INPUT][:, :t[OUTPUT].sizes[1] * block**2].reshape(unflattened(layout, t[OUTPUT].sizes, block))
    return {OUTPUT: (np.einsum(f"{layout}->{SPACE}", whole).ravel(), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """How channels divide that are no multiple of the elements of a block."""
    return {"whole-blocks": t[INPUT].sizes[1] % a["BlockSize"]**2 > 0}


OPINION = Opinion("2_1", (INPUT,), RULES, depth_to_space, open_questions)
