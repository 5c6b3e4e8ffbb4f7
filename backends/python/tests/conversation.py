"""An adapter as a process of its own, spoken to over real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from opcert_backend import Array
from opcert_backend.tensor import DTYPES

SECONDS = 60
"""An adapter that lives longer than this is stuck, and is ended."""

HEAD = """
import os, sys
import numpy as np
from opcert_backend import Backend, Descriptor, Rejected, Unsupported, serve

backend = Backend("mine", version="7", device="a device", claims={"directml": "3_0"}, refuses_invalid=True)
"""

STRIDED = "backend.strided = True\n"
"""What makes that backend take strided tensors, to stand in front of a body."""


def with_strides(asked: dict[str, Any], name: str, strides: list[int], **changes: Any) -> None:
    """Gives a tensor of a descriptor strides."""
    [entry] = [entry for entry in asked["tensors"] if entry["name"] == name]
    entry["tensor"] |= {"strides": strides, **changes}


def descriptor(operator: str = "directml/copy", **changes: Any) -> dict[str, Any]:
    """A descriptor with one input `X` and one output `Y`, as the protocol writes it."""
    tensor = {"data_type": changes.pop("data_type", "f32"), "sizes": changes.pop("sizes", [2, 3])}
    tensors = [
        {"name": "X", "role": "input", "tensor": dict(tensor)},
        {"name": "Y", "role": "output", "tensor": dict(tensor)},
    ]
    return {"operator": operator, "level": "3_0", "tensors": tensors, "attributes": [], **changes}


def payload_of(tensors: dict[str, Array], **header: Any) -> bytes:
    """The tensors in the safetensors format, written the plain way."""
    names = {dtype: name.upper() for name, dtype in DTYPES.items()}
    end = 0
    for name, array in tensors.items():
        begin, end = end, end + array.nbytes
        entry = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": [begin, end]}
        header.setdefault(name, entry)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(array.tobytes() for array in tensors.values())


def tensors_of(payload: bytes) -> dict[str, Array]:
    """The tensors in a payload, read the plain way."""
    end = 8 + int.from_bytes(payload[:8], "little")
    types = {name.upper(): dtype for name, dtype in DTYPES.items()}
    found = {}
    for name, entry in json.loads(payload[8:end]).items():
        begin, stop = entry["data_offsets"]
        memory = payload[end + begin : end + stop]
        found[name] = np.frombuffer(memory, types[entry["dtype"]]).reshape(entry["shape"])
    return found


class Adapter:
    """The process. What it does is the `body`, Python text behind a head that makes a `backend`."""

    def __init__(self, body: str) -> None:
        program = HEAD + textwrap.dedent(body) + "\nserve(backend)\n"
        source = Path(__file__).parents[1] / "src"
        environment = {**os.environ, "PYTHONPATH": str(source)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self._watchdog = threading.Timer(SECONDS, self.process.kill)
        self._watchdog.start()

    def __enter__(self) -> Adapter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._watchdog.cancel()
        self.process.kill()
        self.process.communicate()

    def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Sends a request and waits for nothing."""
        self.send_raw(json.dumps(message).encode() + b"\n" + payload)

    def send_raw(self, data: bytes) -> None:
        """Sends bytes that need not be a request."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def run(self, asked: dict[str, Any], tensors: dict[str, Array], request: int = 1, poison: int = 0xA5) -> None:
        """Sends a request to run."""
        payload = payload_of(tensors)
        message = {"type": "run", "id": request, "descriptor": asked, "poison": poison, "payload": len(payload)}
        self.send(message, payload)

    def receive(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The next answer, and the tensors behind it."""
        assert self.process.stdout
        message = json.loads(self.process.stdout.readline())
        payload = self.process.stdout.read(message["payload"]) if message["type"] == "ran" else b""
        return message, tensors_of(payload) if payload else {}

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Sends a request without a payload and waits for the answer."""
        self.send(message)
        return self.receive()[0]

    def end(self) -> tuple[int, str, bytes]:
        """Closes its input and waits for the end: the exit code, its complaints, and what else it answered."""
        answers, complaints = self.process.communicate()
        return self.process.returncode, complaints.decode(), answers
