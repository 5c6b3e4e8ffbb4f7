"""SPACE_TO_DEPTH1 of DirectML.

Documents: the pages of DML_SPACE_TO_DEPTH1_OPERATOR_DESC, English, of 19 January 2022, and of DML_DEPTH_SPACE_ORDER,
English, of 29 October 2020, both at dd64e5cb8c7c. The former's sentence on the output's sizes is that of DEPTH_TO_SPACE1.
The sizes here are those of its examples, and of the inverse transformation, as which it is described.
"""

from __future__ import annotations

import numpy as np

from opinions.descriptors import Attributes, Tensors
from opinions.directml import INPUT, NARROW, OUTPUT, WIDE, Support, directml_rules
from opinions.directml.depth_to_space1 import DEPTH, SPACE, unflattened
from opinions.opinion import Data, Opinion, Questions, Results, Rules


def sizes_follow(t: Tensors, a: Attributes) -> bool:
    """Whether OutputTensor has the sizes that follow. Nothing divides into blocks of size 0."""
    (batch, channels, height, width), block = t[INPUT].sizes, a["BlockSize"]
    return block > 0 and t[OUTPUT].sizes == (batch, channels * block**2, height // block, width // block)


SUPPORT: Support = {
    since: {INPUT: (4, 4, values), OUTPUT: (4, 4, values)}
    for since, values in (("2_1", NARROW), ("5_0", f"{WIDE} FLOAT64"))}
RULES: Rules = {
    **directml_rules(SUPPORT, OUTPUT),
    "same-type": ((), lambda t, a, _: t[INPUT].type == t[OUTPUT].type),
    "output-sizes": (("tensor-support", "tensor/sizes-positive"), lambda t, a, _: sizes_follow(t, a)),  # of four dimensions
}


def space_to_depth(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
    """SPACE_TO_DEPTH1: orders the space version's dimensions as in the depth version; what is left over is dropped."""
    layout, block = DEPTH[a["Order"]], a["BlockSize"]
    height, width = (size * block for size in t[OUTPUT].sizes[2:])
    whole = data[INPUT][:, :, :height, :width].reshape(unflattened(SPACE, t[INPUT].sizes, block))
    return {OUTPUT: (np.einsum(f"{SPACE}->{layout}", whole).ravel(), t[OUTPUT].elements)}


def open_questions(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """How a height or a width divides that is no multiple of the size of a block."""
    return {"whole-blocks": any(size % a["BlockSize"] for size in t[INPUT].sizes[2:])}


OPINION = Opinion("2_1", (INPUT,), RULES, space_to_depth, open_questions)
