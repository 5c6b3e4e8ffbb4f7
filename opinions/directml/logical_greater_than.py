"""ELEMENT_WISE_LOGICAL_GREATER_THAN of DirectML.

Documents: the page of DML_ELEMENT_WISE_LOGICAL_GREATER_THAN_OPERATOR_DESC, English, at b5f9f4f44d15, and
Direct3D 11's floating-point rules. The page has the constraints and the tables of the page of EQUALS.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.logical_equals import comparison

OPINION = comparison(np.greater)
