"""PyTorch on the CPU as a peer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from serving import FRESH, PREALLOCATED, Runtime, Task, Way, arrays_of, serve, thread_count

torch.set_num_threads(thread_count())
torch.set_grad_enabled(False)


def argmax(task: Task) -> Iterator[Way]:
    array = task.input()
    x = torch.from_numpy(array)
    out = torch.empty(task.reduced_sizes, dtype=torch.int64)
    if len(task.axes) == 1:
        most = torch.empty(task.reduced_sizes, dtype=x.dtype)
        yield Way(
            "torch.argmax(x, axis, out=out)",
            lambda: lambda: torch.argmax(x, task.axis, out=out),
            array.nbytes,
            PREALLOCATED,
        )
        yield Way(
            "torch.max(x, axis, out=(values, out))",
            lambda: lambda: torch.max(x, task.axis, out=(most, out)),
            array.nbytes,
            PREALLOCATED,
            lambda _: arrays_of(out),
        )
        return

    def at_once() -> Any:
        return torch.argmax(x.permute(1, 0, 2).reshape(x.shape[1], -1), 1, out=out)

    def in_two_steps() -> Any:
        most, inner = torch.max(x, 2)
        outer = torch.argmax(most, 0)
        return outer * x.shape[2] + inner.gather(0, outer[None])[0]

    yield Way("torch.argmax of the transposed and reshaped x, out=out", lambda: at_once, array.nbytes, PREALLOCATED)
    yield Way("torch.max along one axis, then torch.argmax along the other", lambda: in_two_steps, array.nbytes)


def one_hot(task: Task) -> Iterator[Way]:
    array = task.indices(np.int64)
    indices = torch.from_numpy(array)
    kind = torch.from_numpy(np.empty(0, task.dtype)).dtype
    expanded = indices.unsqueeze(task.axis)
    depth = torch.arange(task.depth).reshape([-1 if axis == task.axis else 1 for axis in range(len(task.sizes) + 1)])
    rows = torch.eye(task.depth).to(kind)
    out = torch.empty(task.hot_sizes, dtype=kind)

    def composed() -> Any:
        hot = torch.nn.functional.one_hot(indices, task.depth)
        return hot.movedim(-1, task.axis).to(kind, memory_format=torch.contiguous_format)

    def scattered() -> Any:
        return out.zero_().scatter_(task.axis, expanded, 1)

    def way(call: str, run: Callable[[], Any], output: str = PREALLOCATED) -> Way:
        return Way(call, lambda: run, array.nbytes, output)

    yield way("torch.nn.functional.one_hot(indices, depth).to(type)", composed, FRESH)
    yield way("out.zero_().scatter_(axis, indices, 1)", scattered)
    yield way("torch.eq(torch.arange(depth), indices, out=out)", lambda: torch.eq(depth, expanded, out=out))
    if task.axis == len(task.sizes):
        yield way(
            "torch.index_select(torch.eye(depth), 0, indices, out=out)",
            lambda: torch.index_select(rows, 0, indices, out=out),
        )


def nonzero(task: Task) -> Iterator[Way]:
    array = task.input()
    x = torch.from_numpy(array)
    out = torch.empty([0], dtype=torch.int64)
    yield Way("torch.nonzero(x)", lambda: lambda: torch.nonzero(x), array.nbytes)
    # Grows at the first call, and is as large as is needed from then on.
    yield Way("torch.nonzero(x, out=out)", lambda: lambda: torch.nonzero(x, out=out), array.nbytes, PREALLOCATED)


if __name__ == "__main__":
    threads = f"torch.set_num_threads({thread_count()})"
    serve(Runtime("PyTorch", torch.__version__, threads, {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}))
