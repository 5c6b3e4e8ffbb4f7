"""ELEMENT_WISE_BIT_OR of DirectML.

Document: the page of DML_ELEMENT_WISE_BIT_OR_OPERATOR_DESC, English, of 29 October 2020, at dd64e5cb8c7c.
"""

from __future__ import annotations

import numpy as np

from opinions.directml import A, B
from opinions.directml.bit_and import bitwise

OPINION = bitwise(np.bitwise_or, A, B)
