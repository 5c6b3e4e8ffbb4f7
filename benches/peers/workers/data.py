"""The data of a workload and the digest of an answer, as every worker has to make them.

Element `i` comes from the i-th output of splitmix64, so that any language makes the same data, in any order and without
files. `opcert_cpu.rs` says the same in Rust; that the digests agree shows that both do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
CHUNK = 1 << 16
"""Elements at a time: what is computed with stays in the cache."""

DTYPES = {"f32": np.float32, "f16": np.float16, "i64": np.int64, "u8": np.uint8}
"""The data types of workloads."""


def mixed(state: Array) -> Array:
    """The output function of splitmix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state


def searched(data_type: str, sizes: Sequence[int], seed: int) -> Array:
    """The input of argmax: integers over the whole range of the type, of a float as many as it holds without gaps."""

    def values(random: Array) -> Array:
        if data_type == "i64":
            return random.view(np.int64)
        if data_type == "u8":
            return random >> np.uint64(56)
        bits = 24 if data_type == "f32" else 11
        return (random >> np.uint64(64 - bits)).astype(np.int64) - (1 << (bits - 1))

    return _made(DTYPES[data_type], sizes, seed, values)


def sparse(data_type: str, sizes: Sequence[int], density: int, seed: int) -> Array:
    """The input of nonzero: `density` percent of the elements are odd numbers from 1 to 255, the others 0."""
    limit = np.uint64((density << 32) // 100)

    def values(random: Array) -> Array:
        return np.where(random >> np.uint64(32) < limit, random & np.uint64(0xFF) | np.uint64(1), np.uint64(0))

    return _made(DTYPES[data_type], sizes, seed, values)


def indices(sizes: Sequence[int], depth: int, seed: int, dtype: npt.DTypeLike) -> Array:
    """The indices of one-hot, all of them below the depth."""
    return _made(dtype, sizes, seed, lambda random: (random >> np.uint64(32)) * np.uint64(depth) >> np.uint64(32))


def digest(answer: Array) -> str:
    """A sum over all elements, each mixed with its place, and their number.

    The elements are integers in row-major order: the indices of argmax, rows of coordinates, the values of one-hot.
    """
    flat = answer.reshape(-1)
    total = 0
    for begin, places in _chunks(flat.size):
        elements = flat[begin : begin + CHUNK].astype(np.int64).view(np.uint64)
        total += int(mixed(places * GOLDEN + elements).sum(dtype=np.uint64))
    return f"{total & (1 << 64) - 1:016x}:{flat.size}"


def _made(dtype: npt.DTypeLike, sizes: Sequence[int], seed: int, values: Callable[[Array], Array]) -> Array:
    made = np.empty(math.prod(sizes), dtype)
    for begin, places in _chunks(made.size):
        made[begin : begin + CHUNK] = values(mixed((places + np.uint64(1)) * GOLDEN + np.uint64(seed)))
    return made.reshape(sizes)


def _chunks(count: int) -> Iterator[tuple[int, Array]]:
    for begin in range(0, count, CHUNK):
        yield begin, np.arange(begin, min(begin + CHUNK, count), dtype=np.uint64)
