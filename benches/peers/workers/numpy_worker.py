"""NumPy as a peer. It has no one-hot, which is composed of what it has, and no threads for any of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from serving import PREALLOCATED, Runtime, Task, Way, bytes_of, serve


def argmax(task: Task) -> Iterator[Way]:
    x = task.input()
    out = np.empty(task.reduced_sizes, np.intp)
    if len(task.axes) == 1:
        yield Way(
            "numpy.argmax(x, axis, out=out)", lambda: lambda: np.argmax(x, task.axis, out=out), x.nbytes, PREALLOCATED
        )
        return

    def at_once() -> Any:
        return np.argmax(x.transpose(1, 0, 2).reshape(x.shape[1], -1), 1, out=out)

    def in_two_steps() -> Any:
        inner = np.argmax(x, 2)
        outer = np.argmax(np.take_along_axis(x, inner[..., None], 2)[..., 0], 0)
        return outer * x.shape[2] + np.take_along_axis(inner, outer[None], 0)[0]

    yield Way("numpy.argmax of the transposed and reshaped x, out=out", lambda: at_once, x.nbytes, PREALLOCATED)
    yield Way("numpy.argmax along one axis, then along the other", lambda: in_two_steps, x.nbytes)


def one_hot(task: Task) -> Iterator[Way]:
    indices = task.indices(np.int64)
    out = np.empty(task.hot_sizes, task.dtype)
    expanded = np.expand_dims(indices, task.axis)
    depth = np.arange(task.depth).reshape([-1 if axis == task.axis else 1 for axis in range(out.ndim)])
    rows = np.eye(task.depth, dtype=task.dtype)

    def scattered() -> Any:
        out.fill(0)
        np.put_along_axis(out, expanded, 1, task.axis)
        return out

    def compared() -> Any:
        return np.equal(depth, expanded, out=out, casting="unsafe")

    def taken() -> Any:
        return np.take(rows, indices, axis=0, out=out, mode="clip")

    read = bytes_of(indices)
    yield Way("out.fill(0); numpy.put_along_axis(out, indices, 1, axis)", lambda: scattered, read, PREALLOCATED)
    yield Way("numpy.equal(numpy.arange(depth), indices, out=out)", lambda: compared, read, PREALLOCATED)
    if task.axis == len(task.sizes):
        yield Way("numpy.take(numpy.eye(depth), indices, 0, out=out)", lambda: taken, read, PREALLOCATED)


def nonzero(task: Task) -> Iterator[Way]:
    x = task.input()
    yield Way("numpy.nonzero(x)", lambda: lambda: np.nonzero(x), x.nbytes)


if __name__ == "__main__":
    threads = "none: NumPy runs these on one thread"
    serve(Runtime("NumPy", np.__version__, threads, {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}))
