"""REDUCE of DirectML with the function MIN.

Documents: those that `reduce_max.py` names. The page of the structure has one set of tables and rules for MIN and MAX, and
DML_REDUCE_FUNCTION nests min as it nests max. Direct3D's page of the instruction min says of NaNs and of subnormal numbers
what the page of max says. It takes the second of two equal numbers where max takes the first, but the page of floating-point
rules has two zeros end either way for both.
"""

from __future__ import annotations

import numpy as np

from opinions.directml.reduce_max import reduction

OPINION = reduction(np.minimum)
