"""What ONNX's operators share: the names of the data types, and the versions of the operator set.

Documents: the schemas in onnx/defs of onnx/onnx, and the types that they constrain their tensors to.
"""

from __future__ import annotations

from opinions.elements import element_types
from opinions.opinion import Family

# Two of the names are C's, and have no number of bits.
UNSIZED = {"float64": "double", "float32": "float"}
TYPES = {UNSIZED.get(name, name): kind for name, kind in element_types(
    "float64 float32 float16 bfloat16 int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool",
    {"float": "f", "bfloat": "bf", "int": "i", "uint": "u", "bool": "boolean"}).items()}

FAMILY = Family(TYPES, ["1", "9", "11", "12", "13"], lambda t: {})
