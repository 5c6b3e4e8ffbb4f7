"""What TOSA's operators share: the names of the data types, and what is asked of every tensor.

Documents: TOSA 1.0.1, arm/tosa-specification at 7010bd19cb1e: the sections on levels, number formats and tensors in
chapters/introduction.adoc, and the table of levels in tosa.xml. Ranges are those of level 8K.
"""

from __future__ import annotations

from opinions.descriptors import Tensors
from opinions.elements import element_types
from opinions.opinion import Family, Questions

TYPES = {f"{name}_t": kind for name, kind in element_types(
    "fp32 fp16 bf16 i32 i16 i8", {"fp": "f", "bf": "bf", "i": "i"}).items()}
MAX_RANK, MAX_LOG2_SIZE = 6, 31


def unpredictable(t: Tensors) -> Questions:
    """What is beyond the level, or no tensor at all: anything may come of it, an error as well as any result."""
    return {
        "sizes-positive": any(size < 1 for part in t.values() for size in part.sizes),
        "rank-within-level": any(part.rank > MAX_RANK for part in t.values()),
        "size-in-bytes": any(part.elements * part.type.width // 8 >= 1 << MAX_LOG2_SIZE for part in t.values()),
    }


FAMILY = Family(TYPES, ["1.0"], unpredictable)
