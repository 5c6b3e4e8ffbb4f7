"""Element types, and tensors as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""A tensor of any element type."""

Tensors: TypeAlias = Mapping[str, Array]
"""Tensors by their names in the specification."""

DTYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype("<f8"),
    "f32": np.dtype("<f4"),
    "f16": np.dtype("<f2"),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i64": np.dtype("<i8"),
    "i32": np.dtype("<i4"),
    "i16": np.dtype("<i2"),
    "i8": np.dtype("i1"),
    "u64": np.dtype("<u8"),
    "u32": np.dtype("<u4"),
    "u16": np.dtype("<u2"),
    "u8": np.dtype("u1"),
    "bool": np.dtype("?"),
}
"""The NumPy type of each data type of the protocol."""


def described(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    """A type and a shape, as messages write them."""
    return f"{dtype.name}{list(shape)}"
