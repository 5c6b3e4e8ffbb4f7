"""What WebNN's operations share: the names of the data types, and what is asked of every tensor.

Document: Web Neural Network API, index.bs of webmachinelearning/webnn at 004f2728b5dc, MLOperandDescriptor.
"""

from __future__ import annotations

from opinions.elements import element_types
from opinions.opinion import Family, Rules

TYPES = element_types("float32 float16 int64 int32 int8 uint64 uint32 uint8", {"float": "f", "int": "i", "uint": "u"})
LONG = (1 << 31) - 1  # the greatest value of Web IDL's long

# A valid dimension is greater than zero and in the range of long.
TENSOR_RULES: Rules = {
    "tensor/sizes-positive": ((), lambda t, a, _: all(0 not in part.sizes for part in t.values())),
    "tensor/sizes-within-long": ((), lambda t, a, _: all(size <= LONG for part in t.values() for size in part.sizes)),
}

FAMILY = Family(TYPES, ["1"], lambda t: {})
