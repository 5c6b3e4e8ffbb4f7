"""argMin of WebNN, which the document describes together with argMax.

Document: Web Neural Network API, index.bs of webmachinelearning/webnn at 004f2728b5dc, argMin/argMax operations.
"""

from __future__ import annotations

import numpy as np

from opinions.webnn.arg_max import opinion

OPINION = opinion(np.minimum)
