"""ELEMENT_WISE_BIT_NOT of DirectML.

Document: the page of DML_ELEMENT_WISE_BIT_NOT_OPERATOR_DESC, English, of 29 October 2020, at f88051d5c21a.
"""

from __future__ import annotations

import numpy as np

from opinions.directml import INPUT
from opinions.directml.bit_and import bitwise

OPINION = bitwise(np.bitwise_not, INPUT)
