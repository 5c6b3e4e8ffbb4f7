"""ArgMin of ONNX, whose schemas differ from those of ArgMax in one word.

Documents: the schema ArgMin-13 in onnx/defs/reduction/defs.cc at 0084653dacc0, and the schemas ArgMin-1, -11 and -12 in
onnx/defs/reduction/old.cc at 0c1a4116eafd.
"""

from __future__ import annotations

import numpy as np

from opinions.onnx.arg_max import opinion

OPINION = opinion(np.minimum, "minimum")
