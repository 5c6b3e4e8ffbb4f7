"""ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL of DirectML.

Documents: the page of DML_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL_OPERATOR_DESC, English, at 879f4fcc329a, and
Direct3D 11's floating-point rules. The page has the constraints of the page of EQUALS, and its tables from
feature level 3_0 on.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.logical_equals import comparison

OPINION = comparison(np.less_equal, "3_0")
