"""ELEMENT_WISE_LOGICAL_OR of DirectML.

Document: the page of DML_ELEMENT_WISE_LOGICAL_OR_OPERATOR_DESC, English, at ea899bdf0be3.
It gives no number for true, and its formula, a || b, is one of C's, where true is 1.
"""

from __future__ import annotations

import numpy as np

from opinions.directml import A, B
from opinions.directml.logical_and import connective

OPINION = connective(np.logical_or, A, B)
