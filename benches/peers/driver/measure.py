"""Workloads on all workers, which take turns: only one of them works at a time."""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .worker import Worker, WorkerFailed
from .workloads import Workload

OPCERT, MEMCPY = "opcert-cpu", "memcpy"

WAKING_SECONDS = 0.03
"""As long as a worker calls in its turn before its time counts. Threads that slept may be woken on one core, above all on
a virtual machine, and it takes a while until they are spread."""

COUNTED_SECONDS = 0.01
"""As long as the calls take that count, at least: short ones are repeated."""

SETTLE_SECONDS = 0.02
"""The pause before a turn. Threads of the runtime before may still spin and wait for more work."""

LEAST_COPIED = 64 << 20
"""The size of the arrays between which is copied, at least."""


@dataclass
class Entry:
    """What a worker did with a workload."""

    ready: dict[str, Any] = field(default_factory=dict)
    repetitions: int = 1
    """How many calls count in a turn."""
    uncounted: int = 1
    """How many calls go before them."""
    seconds: list[float] = field(default_factory=list)
    """The time of one call, per round."""
    failure: str | None = None
    """Why there are no times."""
    differs: bool = False
    """Whether its answer is not what most others gave."""

    @property
    def median(self) -> float:
        """The median time of one call."""
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Half of the range in which the middle half of the rounds lies, as a share of the median."""
        if len(self.seconds) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (third - first) / 2 / self.median

    @property
    def bytes_moved(self) -> int:
        """The bytes read and written."""
        return int(self.ready["bytes_read"] + self.ready["bytes_written"])

    @property
    def bandwidth(self) -> float:
        """The bytes read and written per second."""
        return self.bytes_moved / self.median

    @property
    def counts(self) -> bool:
        """Whether there are times for the answer that was asked for."""
        return not self.failure and not self.differs


@dataclass
class Row:
    """A workload on every worker."""

    workload: Workload
    entries: dict[str, Entry]

    @property
    def opcert(self) -> Entry | None:
        """opcert's CPU backend, if it counts."""
        entry = self.entries.get(OPCERT)
        return entry if entry and entry.counts else None

    @property
    def best_peer(self) -> str | None:
        """The fastest of the other runtimes that count."""
        peers = {name: entry for name, entry in self.entries.items() if name not in (OPCERT, MEMCPY) and entry.counts}
        return min(peers, key=lambda name: peers[name].median) if peers else None

    def ratio(self, name: str) -> float | None:
        """How many times as long as opcert's CPU backend a runtime takes."""
        return self.entries[name].median / self.opcert.median if self.opcert else None

    @property
    def share(self) -> float | None:
        """The bandwidth of opcert's CPU backend as a share of memcpy's."""
        copy = self.entries.get(MEMCPY)
        if self.opcert is None or copy is None or copy.failure:
            return None
        return self.opcert.bandwidth / copy.bandwidth


def measure(
    workers: Sequence[Worker],
    workload: Workload,
    rounds: int,
    pause: Callable[[float], None] = time.sleep,
) -> Row:
    """Prepares a workload in all workers, compares the answers, and lets the workers take turns."""
    entries = {worker.program.name: Entry() for worker in workers}
    for worker in workers:
        entry = entries[worker.program.name]
        with_failure(entry, prepare, worker, workload, entry, entries.get(OPCERT, entry))
    mark_differing(entry for name, entry in entries.items() if name != MEMCPY)
    able = [worker for worker in workers if not entries[worker.program.name].failure]
    for worker in able:
        entry = entries[worker.program.name]
        with_failure(entry, warm_up, worker, entry)
    for turn in range(rounds):
        for worker in order_of(able, turn):
            entry = entries[worker.program.name]
            if not entry.failure:
                pause(SETTLE_SECONDS)
                with_failure(entry, take_turn, worker, entry)
    for worker in able:
        entry = entries[worker.program.name]
        if not entry.failure:
            with_failure(entry, lambda worker: worker.ask(type="drop"), worker)
    return Row(workload, entries)


def order_of(workers: Sequence[Worker], turn: int) -> list[Worker]:
    """The order in a round: rotated, and every other time backwards. None always comes first, or after the same one."""
    first = turn % max(1, len(workers))
    rotated = [*workers[first:], *workers[:first]]
    return rotated[::-1] if turn % 2 else rotated


def with_failure(entry: Entry, act: Callable[..., object], *arguments: object) -> None:
    """Acts; a failure of the worker becomes the entry's, and others go on."""
    try:
        act(*arguments)
    except WorkerFailed as error:
        entry.failure = str(error)


def prepare(worker: Worker, workload: Workload, entry: Entry, opcert: Entry) -> None:
    """Prepares the workload; for memcpy a copy that moves as many bytes as opcert's CPU backend does."""
    if worker.program.name == MEMCPY:
        moved = opcert.bytes_moved if opcert.ready else 0
        copy = {"operator": "memcpy", "bytes": max(LEAST_COPIED, moved // 2)}
        answer = worker.ask(type="prepare", workload=copy)
    elif opcert.ready:
        # So that a way that gives another answer is not taken for being the fastest.
        answer = worker.ask(type="prepare", workload=workload.message, expected=opcert.ready["digest"])
    else:
        answer = worker.ask(type="prepare", workload=workload.message)
    if answer["type"] == "ready":
        entry.ready = answer
    else:
        entry.failure = f"unsupported: {answer['reason']}"


def mark_differing(entries: Iterable[Entry]) -> None:
    """Marks every entry whose answer is not the most frequent one; the first one's where none is."""
    answering = [entry for entry in entries if not entry.failure]
    digests = Counter(entry.ready["digest"] for entry in answering)
    for entry in answering:
        entry.differs = entry.ready["digest"] != digests.most_common(1)[0][0]


def warm_up(worker: Worker, entry: Entry) -> None:
    """Runs without counting, and finds how many calls make a turn."""
    while (seconds := run(worker, entry)) * entry.repetitions < COUNTED_SECONDS:
        lacking = COUNTED_SECONDS / max(seconds * entry.repetitions, 1e-9)
        entry.repetitions *= 2 if lacking < 2 else min(1000, int(lacking) + 1)
    entry.uncounted = math.ceil(WAKING_SECONDS / seconds)


def take_turn(worker: Worker, entry: Entry) -> None:
    """Runs, and keeps the time."""
    entry.seconds.append(run(worker, entry))


def run(worker: Worker, entry: Entry) -> float:
    """The time of one call."""
    answer = worker.ask(type="run", uncounted=entry.uncounted, repetitions=entry.repetitions)
    return float(answer["seconds"]) / entry.repetitions
