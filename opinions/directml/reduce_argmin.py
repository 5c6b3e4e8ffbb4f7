"""REDUCE of DirectML with the function ARGMIN.

Documents: those that `reduce_argmax.py` names. The rules and the tables are one text for both functions, DML_REDUCE_FUNCTION
says the same of both but for the extreme, and the page of DML_ARGMIN_OPERATOR_DESC makes the first of equals this operator's.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.reduce_argmax import reduction

OPINION = reduction(np.minimum)
