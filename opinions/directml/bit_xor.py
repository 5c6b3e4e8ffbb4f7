"""ELEMENT_WISE_BIT_XOR of DirectML.

Document: the page of DML_ELEMENT_WISE_BIT_XOR_OPERATOR_DESC, English, of 29 October 2020, at 9ade0e62b736.
Its example, which has one input, is that of BIT_NOT, and says nothing of this operator.
"""

from __future__ import annotations

import numpy as np

from opinions.directml import A, B
from opinions.directml.bit_and import bitwise

OPINION = bitwise(np.bitwise_xor, A, B)
