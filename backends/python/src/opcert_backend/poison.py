"""Makes memory that a runtime allocates and does not write show in the results.

Outputs come from the runtime's own memory, so that there is nothing to fill beforehand as opcert asks. The GNU C
library can fill what it hands out, small blocks at least. Elsewhere, and in runtimes with an allocator of their own, an
output that is not written looks like whatever was there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

_M_PERTURB = -6


def poisoner() -> Callable[[int], object]:
    """A function that sets the byte which memory allocated from then on is filled with."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return lambda poison: None
    # The library fills memory that is freed with the byte that it is given, and what it hands out with its complement.
    return lambda poison: mallopt(_M_PERTURB, ~poison & 0xFF)
