"""ELEMENT_WISE_BIT_SHIFT_RIGHT of DirectML.

Document: the page of DML_ELEMENT_WISE_BIT_SHIFT_RIGHT_OPERATOR_DESC, English, of 29 October 2020, at ea899bdf0be3.
The page has the constraints and the tables of the page of SHIFT_LEFT.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.bit_shift_left import shift

OPINION = shift(np.right_shift)
