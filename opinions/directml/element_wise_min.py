"""ELEMENT_WISE_MIN of DirectML.

Documents: the page of DML_ELEMENT_WISE_MIN_OPERATOR_DESC, English, of 19 January 2022, at 2cd469d9bd0f, and
Direct3D 11's floating-point rules. The page has the constraints and the tables of the page of MAX.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.element_wise_max import extreme_of_two

OPINION = extreme_of_two(np.minimum)
