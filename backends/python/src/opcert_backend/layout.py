"""What an adapter may do to tensors on the way to and from a runtime: move and name elements, and change none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .errors import Unsupported
from .tensor import Array


class AxesAsOne:
    """Makes several axes of a tensor one, along which elements lie in row-major order.

    This is for runtimes that reduce a single axis: `shape` is the shape that they see, `axis` the axis to reduce. A
    single axis stays where it is; several become the last one. Where axes repeat, are out of order or are none at all,
    an answer would be the adapter's and not the runtime's, so that this raises `Unsupported`.
    """

    def __init__(self, sizes: Sequence[int], axes: Sequence[int]) -> None:
        if not axes:
            raise Unsupported("the runtime reduces one axis, and none is given")
        if any(left >= right for left, right in zip(axes, axes[1:])):
            raise Unsupported(f"the runtime reduces one axis, and {list(axes)} are not in ascending order")
        kept = [axis for axis in range(len(sizes)) if axis not in axes]
        self._order: list[int] | None = None
        if len(axes) == 1:
            self.shape, self.axis = tuple(sizes), axes[0]
        else:
            reduced = math.prod(sizes[axis] for axis in axes)
            self.shape, self.axis = (*(sizes[axis] for axis in kept), reduced), len(kept)
            self._order = [*kept, *axes]

    def of(self, array: Array) -> Array:
        """The tensor with those axes as one."""
        return array if self._order is None else array.transpose(self._order).reshape(self.shape)


_LIMITS = {np.dtype(name): (np.iinfo(name).min, np.iinfo(name).max) for name in "bBhHiIlLqQ"}


def exactly_as(integers: Array, dtype: npt.DTypeLike) -> Array:
    """The same integers in another integer type. One that does not fit raises `OverflowError`; none is changed."""
    dtype = np.dtype(dtype)
    if integers.dtype == dtype:
        return integers
    lowest, highest = _LIMITS[dtype]
    if integers.size:
        least, greatest = int(integers.min()), int(integers.max())
        if least < lowest or greatest > highest:
            raise OverflowError(f"{least} to {greatest} do not fit {dtype}")
    return integers.astype(dtype)


def padded_rows(rows: Array, count: int) -> Array:
    """A matrix with rows of zeros added below, so that it has `count`. More rows than that raise `ValueError`."""
    if len(rows) > count:
        raise ValueError(f"{len(rows)} rows where there is room for {count}")
    padded = np.zeros((count, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded
