"""What a worker in Python is made of: it offers ways to do a workload, and this module measures the fastest of them.

A runtime often has several calls for the same work, and which is the fastest depends on its version and on the machine.
Each is tried when a workload is prepared, the fastest whose answer is right is kept, and the report names it. Nothing
here knows a runtime.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from data import DTYPES, Array, digest, indices, searched, sparse

FRESH = "fresh"
"""The runtime returns new memory each time."""
PREALLOCATED = "preallocated"
"""The output is written to memory that was there before."""

WAKING_SECONDS = 0.03
"""As long as a way is called before its trial, until its threads are awake."""

TRIAL_SECONDS = 0.01
"""As long as a trial takes at least, so that short calls are compared by more than one run."""


@dataclass(frozen=True)
class Task:
    """A workload, and its input, which is made when it is asked for."""

    operator: str
    data_type: str
    sizes: tuple[int, ...]
    seed: int
    axes: tuple[int, ...] = ()
    depth: int = 0
    density: int = 0

    @staticmethod
    def of(workload: Mapping[str, Any]) -> Task:
        """The workload of a message."""
        parts: dict[str, Any] = {
            name: tuple(part) if isinstance(part, list) else part for name, part in workload.items()
        }
        return Task(**parts)

    def input(self) -> Array:
        """What argmax or nonzero search."""
        if self.operator == "argmax":
            return searched(self.data_type, self.sizes, self.seed)
        return sparse(self.data_type, self.sizes, self.density, self.seed)

    def indices(self, dtype: type[np.int32 | np.int64]) -> Array:
        """The indices of one-hot, in the type that the runtime prefers."""
        return indices(self.sizes, self.depth, self.seed, dtype)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return np.dtype(DTYPES[self.data_type])

    @property
    def axis(self) -> int:
        """The only axis."""
        [axis] = self.axes
        return axis

    @property
    def reduced_sizes(self) -> tuple[int, ...]:
        """The sizes without the axes."""
        return tuple(size for axis, size in enumerate(self.sizes) if axis not in self.axes)

    @property
    def hot_sizes(self) -> tuple[int, ...]:
        """The sizes of what one-hot makes."""
        return (*self.sizes[: self.axis], self.depth, *self.sizes[self.axis :])


def arrays_of(result: Any) -> list[Array]:
    """A result that is an array, or a sequence of them, as NumPy's."""
    return [np.asarray(part) for part in result] if isinstance(result, (tuple, list)) else [np.asarray(result)]


@dataclass(frozen=True)
class Way:
    """A way to do a workload in a runtime."""

    call: str
    """How one would write it."""
    make: Callable[[], Callable[[], Any]]
    """Prepares everything that need not be done each time; what it returns is measured."""
    bytes_read: int
    """The size of the inputs."""
    output: str = FRESH
    arrays: Callable[[Any], list[Array]] = arrays_of
    """The answer in what a run returned. Several arrays are columns of coordinates."""
    caveat: str | None = None
    """Why its answer may differ, if that is known."""


@dataclass(frozen=True)
class Runtime:
    """A runtime: who it is, and its ways for each operator."""

    name: str
    version: str
    threads: str
    """How the number of threads was set."""
    ways: Mapping[str, Callable[[Task], Iterable[Way]]]


@dataclass(frozen=True)
class Chosen:
    """The fastest way, ready to run."""

    way: Way
    run: Callable[[], Any]


def thread_count() -> int:
    """The number of threads asked for, the program's argument; runtimes may need it before they are imported."""
    return int(sys.argv[1])


def serve(runtime: Runtime) -> None:
    """Answers requests until the input ends."""
    # What a runtime prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    chosen: Chosen | None = None
    for line in sys.stdin:
        request = json.loads(line)
        match request["type"]:
            case "start":
                answer = started(runtime)
            case "prepare":
                chosen, answer = prepare(runtime, Task.of(request["workload"]), request.get("expected"))
            case "run":
                assert chosen, "nothing is prepared"
                seconds(chosen.run, request["uncounted"])
                answer = {"type": "ran", "seconds": seconds(chosen.run, request["repetitions"])}
            case "drop":
                chosen, answer = None, {"type": "dropped"}
                release()
            case other:
                raise ValueError(f"`{other}` is no request")
        print(json.dumps(answer), file=answers, flush=True)


def started(runtime: Runtime) -> dict[str, Any]:
    """Who this is."""
    count = 100_000
    return {
        "type": "started",
        "name": runtime.name,
        "version": runtime.version,
        "threads": runtime.threads,
        "empty_call": min(seconds(lambda: None, count) for _ in range(5)) / count,
    }


def prepare(runtime: Runtime, task: Task, expected: str | None) -> tuple[Chosen | None, dict[str, Any]]:
    """Tries all ways of a workload and keeps the fastest with the answer expected; the fastest, if there is none."""
    if task.operator not in runtime.ways:
        return None, {"type": "unsupported", "reason": f"there is no `{task.operator}`"}
    reasons: list[str] = []
    times: list[tuple[float, Way]] = []
    for way in runtime.ways[task.operator](task):
        try:
            times.append((trial(way), way))
        except Exception as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reasons.append(f"{way.call}: {lines[0] if lines else type(error).__name__}")
        release()
    if not times:
        return None, {"type": "unsupported", "reason": reasons[0]}
    fastest_first = [way for _, way in sorted(times, key=lambda timed: timed[0])]
    for way in fastest_first:
        chosen, answer = ready(way)
        if expected in (None, answer["digest"]):
            return chosen, answer
    return ready(fastest_first[0])


def trial(way: Way) -> float:
    """The least time of a call in a few."""
    run = way.make()
    run()
    count = 1
    while seconds(run, count) < WAKING_SECONDS:
        count *= 2
    counted = max(1, round(count * TRIAL_SECONDS / WAKING_SECONDS))
    return min(seconds(run, counted) for _ in range(2)) / counted


def ready(way: Way) -> tuple[Chosen, dict[str, Any]]:
    """A way that is prepared, and what there is to say of it."""
    run = way.make()
    arrays = way.arrays(run())
    common = np.stack(arrays, axis=-1) if len(arrays) > 1 else arrays[0]
    answer = {
        "type": "ready",
        "call": way.call,
        "output": way.output,
        "output_types": sorted({f"{array.dtype.kind}{array.dtype.itemsize * 8}" for array in arrays}),
        "bytes_read": way.bytes_read,
        "bytes_written": sum(array.nbytes for array in arrays),
        "digest": digest(common),
    }
    if way.caveat:
        answer["caveat"] = way.caveat
    del arrays, common
    release()
    return Chosen(way, run), answer


def seconds(run: Callable[[], Any], repetitions: int) -> float:
    """How long so many calls take, one after the other."""
    begin = time.perf_counter()
    for _ in repeat(None, repetitions):
        run()
    return time.perf_counter() - begin


def release() -> None:
    """Gives freed memory back, for the next worker to have it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def bytes_of(*arrays: Array) -> int:
    """The size of arrays."""
    return sum(array.nbytes for array in arrays)
