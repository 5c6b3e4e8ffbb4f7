"""Standard input and output, kept for the protocol alone."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

import numpy as np

from .errors import ProtocolError
from .payload import Bytes

LONGEST_LINE = 64 << 20
"""A message's JSON line is at most this long, in bytes."""

_BUFFER = 1 << 16
_AT_ONCE = 1 << 16
_MOST_AT_ONCE = 1 << 30


class Streams:
    """Where requests come from and responses go to."""

    def __init__(self, requests: int, responses: int) -> None:
        self._requests = io.BufferedReader(io.FileIO(requests), _BUFFER)
        self._responses = responses

    @staticmethod
    def standard() -> Streams:
        """Takes standard input and output away from everybody else.

        From here on what is printed goes to the standard error, whoever prints it, and nobody else reads a request.
        """
        sys.stdout.flush()
        requests, responses = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return Streams(requests, responses)

    def read_line(self) -> bytes:
        """The next line, with its end. Nothing is the end of the requests."""
        line = self._requests.readline(LONGEST_LINE)
        if line and not line.endswith(b"\n"):
            raise ProtocolError(f"a line does not end: `{line[:120].decode(errors='replace')}`")
        return line

    def read_payload(self, length: int) -> Bytes:
        """The next bytes. Where memory does not hold them they are read all the same, and `MemoryError` is raised."""
        try:
            payload: Bytes = np.empty(length, np.uint8)
        except (MemoryError, ValueError) as error:
            self._skip(length)
            raise MemoryError(f"{length} bytes of inputs") from error
        view = payload.data
        arrived = 0
        while arrived < length:
            count = self._requests.readinto(view[arrived:])
            if not count:
                raise ProtocolError(f"{arrived} bytes of a payload of {length} arrived")
            arrived += count
        return payload

    def _skip(self, length: int) -> None:
        left = length
        while left:
            part = self._requests.read(min(left, 1 << 20))
            if not part:
                raise ProtocolError(f"{length - left} bytes of a payload of {length} arrived")
            left -= len(part)

    def write(self, parts: Sequence[bytes | memoryview]) -> None:
        """Writes one message."""
        if sum(map(len, parts)) <= _AT_ONCE:
            parts = [b"".join(parts)]
        for part in parts:
            rest = memoryview(part)
            while len(rest):
                rest = rest[os.write(self._responses, rest[:_MOST_AT_ONCE]) :]
