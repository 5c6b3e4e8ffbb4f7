"""A worker as a process of its own, asked in lines of JSON."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

SECONDS = 300
"""How long an answer may take."""

MEMORY = {
    "GLIBC_TUNABLES": ":".join(
        f"glibc.malloc.{setting}"
        for setting in ("hugetlb=1", "arena_max=1", "mmap_max=0", "trim_threshold=17179869184")
    )
}
"""Set alike for all: large pages, and freed memory is used again. Without that a runtime that returns new memory each
time would be measured at how fast the system clears pages."""


class WorkerFailed(Exception):
    """A worker ended, gave no answer, or one that cannot be understood."""


@dataclass(frozen=True)
class Program:
    """How a worker is started."""

    name: str
    command: Sequence[str | Path]


@dataclass
class Process:
    """A worker that runs."""

    popen: subprocess.Popen[bytes]
    errors: IO[bytes]
    received: bytes = b""


class Worker:
    """A worker, which is started again after it failed."""

    def __init__(self, program: Program, timeout: float = SECONDS) -> None:
        self.program = program
        self.started: dict[str, Any] = {}
        """What it says of itself."""
        self._timeout = timeout
        self._process: Process | None = None

    def start(self) -> None:
        """Starts it and asks who it is. Raises `WorkerFailed`."""
        errors = tempfile.TemporaryFile()
        # The end of what it says is the reason then.
        environment = {**os.environ, **MEMORY, "RUST_BACKTRACE": "0"}
        try:
            popen = subprocess.Popen(
                self.program.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment
            )
        except OSError as error:
            errors.close()
            raise WorkerFailed(str(error)) from error
        self._process = Process(popen, errors)
        self.started = self._ask({"type": "start"})

    def ask(self, **request: Any) -> dict[str, Any]:
        """Its answer. Raises `WorkerFailed`, after which it does not run any more."""
        if self._process is None:
            self.start()
        return self._ask(request)

    def stop(self) -> None:
        """Ends it."""
        if self._process is not None:
            self._process.popen.kill()
            self._process.popen.communicate()
            self._process.errors.close()
            self._process = None

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process and process.popen.stdin
        try:
            process.popen.stdin.write(json.dumps(request).encode() + b"\n")
            process.popen.stdin.flush()
        except BrokenPipeError:
            raise self._failed() from None
        line = self._line(process)
        try:
            answer = json.loads(line)
            assert isinstance(answer["type"], str)
        except (ValueError, TypeError, KeyError, AssertionError):
            raise self._failed(f"answered `{line[:80].decode(errors='replace')}`, which is no message") from None
        return dict(answer)

    def _line(self, process: Process) -> bytes:
        assert process.popen.stdout
        deadline = time.monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            selector.register(process.popen.stdout, selectors.EVENT_READ)
            while b"\n" not in process.received:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise self._failed(f"gave no answer within {self._timeout:g} s")
                part = os.read(process.popen.stdout.fileno(), 1 << 16)
                if not part:
                    raise self._failed()
                process.received += part
        line, _, process.received = process.received.partition(b"\n")
        return line

    def _failed(self, what: str | None = None) -> WorkerFailed:
        """Ends the process and says why, with the end of what it wrote to the standard error."""
        process = self._process
        assert process
        if what is None:
            try:
                code = process.popen.wait(5)
                what = f"died of signal {-code}" if code < 0 else f"ended with code {code}"
            except subprocess.TimeoutExpired:
                what = "closed its output"
        process.errors.seek(0)
        said = process.errors.read().decode(errors="replace").strip().splitlines()
        self.stop()
        telling = [line for line in said if not line.startswith("note:")]
        return WorkerFailed(": ".join([what, *telling[-1:]]))
