"""ELEMENT_WISE_LOGICAL_NOT of DirectML.

Document: the page of DML_ELEMENT_WISE_LOGICAL_NOT_OPERATOR_DESC, English, at b5f9f4f44d15.
It gives no number for true, and its formula, !x, is one of C's, where true is 1.
"""

from __future__ import annotations

import numpy as np

from opinions.directml import INPUT
from opinions.directml.logical_and import connective

OPINION = connective(np.logical_not, INPUT)
