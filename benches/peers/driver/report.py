"""The report in Markdown. It says what was measured and judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .measure import MEMCPY, OPCERT, Entry, Row

LEAST_ROUNDS = 9
"""A median of fewer is called a first look."""


@dataclass(frozen=True)
class Results:
    """All that a report tells of."""

    machine: Mapping[str, str]
    threads: int
    rounds: int
    workers: Mapping[str, Mapping[str, Any]]
    """What each worker says of itself."""
    missing: Mapping[str, str]
    """The peers that are not installed, with what installs them."""
    failed: Mapping[str, str]
    """The workers that did not start, and why."""
    rows: Sequence[Row]

    @property
    def peers(self) -> list[str]:
        """The other runtimes."""
        return [name for name in self.workers if name not in (OPCERT, MEMCPY)]

    def title(self, name: str) -> str:
        """How a runtime calls itself."""
        return str(self.workers.get(name, {}).get("name", name)) if name != MEMCPY else MEMCPY


def render(results: Results) -> str:
    """The whole report."""
    large = [row for row in results.rows if not row.workload.is_small]
    small = [row for row in results.rows if row.workload.is_small]
    parts = ["# Performance", INTRODUCTION]
    if results.rounds < LEAST_ROUNDS:
        parts.append(f"**A first look: {results.rounds} rounds only, expected {LEAST_ROUNDS} at least.**")
    if large:
        parts += ["## Large tensors", OF_LARGE, large_table(results, large)]
    if small:
        parts += ["## The smallest tensors", OF_SMALL, small_table(results, small)]
    parts += ["## Every runtime", OF_TIMES, times_table(results)]
    if large:
        parts += ["## What is read and written", OF_BYTES, bytes_table(results, large)]
    if left_out := list(left_out_of(results)):
        parts += ["## Left out", "\n".join(f"- {line}" for line in left_out)]
    parts += ["## Calls", OF_CALLS, "\n".join(calls_of(results))]
    parts += ["## Machine", table(["", ""], results.machine.items(), 2)]
    parts += ["## Method", METHOD.format(rounds=results.rounds, threads=results.threads), runtimes_table(results)]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """\
opcert's CPU backend among other runtimes, measured on the same work in turns by `benches/peers/run`, which wrote this
file."""

OF_LARGE = """\
Medians, and half of the range of the middle half of the rounds. GB/s counts what is read and what is written, `memcpy`
likewise, in the same rounds. The ratio says how many times as long the fastest peer takes."""

OF_SMALL = """\
The time of one call. opcert's is a dispatch through the trait `Backend`, beside one that does nothing. Peers are called
from Python; what an empty call costs there stands in the last table."""

OF_TIMES = """\
Medians, and how many times as long as opcert-cpu each takes. The fastest peer is bold. *Differs* is one whose answer is
not that of most, and whose time does not count; a dash is one that does not have the operator for the type."""

OF_BYTES = """\
Read + written, with the type of the output. A star marks outputs that are returned as new memory each time."""

OF_CALLS = "The fastest of the ways that each runtime offers, found out when the workload was prepared."

METHOD = """\
- Each runtime is a process of its own and makes the same data from the same numbers. Digests of the answers, taken to a
  common form, are compared before anything is measured.
- {rounds} rounds. In each, every process takes one turn, of 10 ms or longer, with its own clock around the calls alone.
  The order rotates, and every other round goes backwards. Only one works at a time, after a pause of 20 ms in which
  threads of the one before come to rest. Calls of 30 ms or longer go before those that count: threads that slept are
  woken on one core now and then, and run on it together until the system spreads them.
- {threads} threads each, set as the runtime has it (see below), on as many cores.
- The C library is told alike for all processes to use large pages and to use freed memory again: a runtime that
  returns new memory at each call is not measured at how fast the system clears pages. Inputs are there and touched
  beforehand, and so are outputs wherever the runtime takes them.
- Runtimes that answer with int64 where others give 32 bits write twice as many bytes. They are compared by time, and
  the bytes are stated.
- `memcpy` copies between two touched arrays with as many threads: as many bytes as opcert-cpu moves, or 64 MiB where
  that is less."""


def large_table(results: Results, rows: Iterable[Row]) -> str:
    """opcert's CPU backend, memcpy and the fastest peer."""
    lines = []
    for row in rows:
        opcert, copy = row.opcert, row.entries.get(MEMCPY)
        lines.append(
            [
                row.workload.title,
                spread(opcert) if opcert else "–",
                f"{opcert.bandwidth / 1e9:.1f}" if opcert else "–",
                f"{copy.bandwidth / 1e9:.1f}" if copy and copy.counts and copy.seconds else "–",
                f"{row.share:.2f}" if row.share is not None else "–",
                *best_cells(results, row),
            ]
        )
    heads = ["work", "opcert-cpu", "GB/s", "memcpy GB/s", "share of memcpy", "best peer", "its time", "ratio"]
    return table(heads, lines)


def small_table(results: Results, rows: Iterable[Row]) -> str:
    """opcert's CPU backend, a call that does nothing and the fastest peer."""
    empty = results.workers[OPCERT]["empty_call"]
    lines = []
    for row in rows:
        opcert = row.opcert
        own = [spread(opcert) if opcert else "–", duration(empty), f"{opcert.median / empty:.1f}" if opcert else "–"]
        lines.append([row.workload.title, *own, *best_cells(results, row)])
    return table(["work", "opcert-cpu", "empty call", "times", "best peer", "its time", "ratio"], lines)


def best_cells(results: Results, row: Row) -> list[str]:
    """The fastest peer, its time and its ratio."""
    if row.best_peer is None:
        return ["–", "–", "–"]
    ratio = row.ratio(row.best_peer)
    time = spread(row.entries[row.best_peer])
    return [results.title(row.best_peer), time, f"**{digits(ratio)}**" if ratio else "–"]


def times_table(results: Results) -> str:
    """Every runtime on every workload."""
    names = [OPCERT, *results.peers]
    lines = [[row.workload.title, *(time_cell(row, name) for name in names)] for row in results.rows]
    return table(["work", *map(results.title, names)], lines)


def time_cell(row: Row, name: str) -> str:
    """The time of a runtime and its ratio, or why there is none."""
    entry = row.entries[name]
    if entry.failure:
        return "–" if entry.failure.startswith("unsupported") else "failed"
    text = duration(entry.median)
    if name != OPCERT and (ratio := row.ratio(name)):
        text += f" · {digits(ratio)}"
    if entry.differs:
        return f"*differs* ({text})"
    return f"**{text}**" if name == row.best_peer else text


def bytes_table(results: Results, rows: Iterable[Row]) -> str:
    """What every runtime reads and writes."""
    names = [OPCERT, *results.peers]
    lines = [[row.workload.title, *(bytes_cell(row.entries[name]) for name in names)] for row in rows]
    return table(["work", *map(results.title, names)], lines)


def bytes_cell(entry: Entry) -> str:
    """Bytes read and written, the types of the output, and whether it is new memory."""
    if not entry.ready:
        return "–"
    star = "\\*" if entry.ready["output"] == "fresh" else ""
    types = ", ".join(entry.ready["output_types"])
    return f"{size(entry.ready['bytes_read'])} + {size(entry.ready['bytes_written'])} {types}{star}"


def left_out_of(results: Results) -> Iterable[str]:
    """Everything that is missing, in words."""
    for name, setup in results.missing.items():
        yield f"{name} is not installed: `{setup}` does that"
    for name, reason in results.failed.items():
        yield f"{name} did not start: {cell(reason)}"
    found: dict[str, list[str]] = {}
    for row in results.rows:
        for name, entry in row.entries.items():
            why = entry.failure
            if entry.differs and not why:
                why = f"differs: {entry.ready.get('caveat', 'the reason is not known')}"
            if why:
                found.setdefault(f"{results.title(name)}, {cell(why)}", []).append(row.workload.title)
    for reason, titles in sorted(found.items()):
        yield f"{reason} ({'; '.join(titles)})"


def calls_of(results: Results) -> Iterable[str]:
    """Each runtime's calls by operator: the most frequent one, then the others with what they were used for."""
    for name in [OPCERT, *results.peers]:
        yield f"- {results.title(name)}"
        operators: dict[str, dict[str, list[str]]] = {}
        for row in results.rows:
            operator, _, work = row.workload.title.partition(" ")
            if call := row.entries[name].ready.get("call"):
                operators.setdefault(operator, {}).setdefault(call, []).append(work)
        for operator, calls in operators.items():
            first, *others = sorted(calls, key=lambda call: -len(calls[call]))
            yield f"  - {operator}: {code(first)}"
            for call in others:
                yield f"    - {'; '.join(calls[call])}: {code(call)}"


def runtimes_table(results: Results) -> str:
    """Versions, threads and what an empty call costs."""
    lines = [
        [results.title(name), says["version"], code(says["threads"]), duration(says["empty_call"])]
        for name, says in results.workers.items()
        if name != MEMCPY
    ]
    return table(["runtime", "version", "threads", "empty call"], lines, 3)


def duration(seconds: float) -> str:
    """A time with three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds / 1e-9)} ns"


def size(count: int) -> str:
    """A number of bytes in MiB or KiB."""
    return f"{count / (1 << 20):.3g} MiB" if count >= 1 << 20 else f"{count / (1 << 10):.3g} KiB"


def digits(number: float) -> str:
    """A number with three digits, or all of them before the point."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:.1f}" if number >= 9.995 else f"{number:.2f}"


def spread(entry: Entry) -> str:
    """A median time and how far the rounds lie apart."""
    return f"{duration(entry.median)} ± {entry.spread:.0%}"


def code(text: str) -> str:
    """Text as code, in a cell."""
    return f"`{cell(text)}`"


def cell(text: str) -> str:
    """Text that cannot end a cell or a line."""
    return " ".join(text.replace("|", "\\|").replace("`", "'").split())


def table(heads: Sequence[str], lines: Iterable[Sequence[str]], text_columns: int = 1) -> str:
    """A table whose columns are as wide as what stands in them. Those of text come first; numbers go to the right."""
    rows = [list(heads), *map(list, lines)]
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(heads))]
    rule = ["-" * width if column < text_columns else "-" * (width - 1) + ":" for column, width in enumerate(widths)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            text.ljust(width) if column < text_columns else text.rjust(width)
            for column, (text, width) in enumerate(zip(cells, widths))
        ]
        return f"| {' | '.join(padded)} |"

    return "\n".join([line(rows[0]), line(rule), *map(line, rows[1:])])
