"""The conversation: one line of JSON, and a payload where the line announces one."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

from .backend import Backend, Run
from .descriptor import Descriptor, number, parts_of
from .errors import ProtocolError, Rejected, Unsupported
from .payload import Bytes, PayloadReader, PayloadWriter
from .poison import poisoner
from .streams import Streams
from .tensor import Array, Tensors

PROTOCOL_VERSION = 1
"""The version of the protocol that this module speaks."""

Message: TypeAlias = list[bytes | memoryview]
"""A message in the parts that it is written in."""

_FRAMES = 3


def serve(backend: Backend) -> None:
    """Answers requests about `backend` on the standard streams until `stop` or the end of the input.

    While it runs, whatever is printed goes to the standard error. An exception of the backend's is reported as a fault
    and does not end the serving. `ProtocolError` is raised for something that is no request of this version.
    """
    try:
        Server(backend, Streams.standard()).converse()
    except BrokenPipeError:
        # Nobody listens any more.
        return


class Compiled:
    """A descriptor that compiled, and everything about its messages that does not depend on data."""

    def __init__(self, descriptor: Descriptor, run: Run) -> None:
        self._run = run
        self._reader = PayloadReader(descriptor.inputs)
        self.writer = PayloadWriter(descriptor.outputs)

    def inputs(self, payload: Bytes) -> Tensors:
        """The inputs in a payload."""
        return self._reader.read(payload)

    def outputs(self, inputs: Tensors) -> Message:
        """Runs once; the parts of the answer's payload."""
        outputs: Array | Tensors = self._run(inputs)
        return [self.writer.head, *self.writer.memory(outputs)]


class Server:
    """Answers requests in their order. The descriptor that came last is kept, since one mostly comes several times."""

    def __init__(self, backend: Backend, streams: Streams) -> None:
        self._backend = backend
        self._streams = streams
        self._asked: object = None
        self._descriptor: Descriptor | None = None
        self._compiled: Compiled | None = None
        self._poison = poisoner()
        self._answers: dict[str, Callable[[dict[str, Any]], Message]] = {
            "run": self._answer_run,
            "compile": self._answer_compile,
            "supports": self._answer_supports,
            "start": self._answer_start,
        }

    def converse(self) -> None:
        """Answers everything until `stop` or the end of the requests."""
        while line := self._streams.read_line():
            request = _request(line)
            if request["type"] == "stop":
                parts_of(request, "`stop`", ("type",))
                return
            answer = self._answers.get(request["type"])
            if answer is None:
                raise ProtocolError(f"{request['type']!r} is no request")
            self._streams.write(answer(request))

    def _answer_start(self, request: dict[str, Any]) -> Message:
        asked = number(parts_of(request, "`start`", ("type", "protocol"))["protocol"], "protocol")
        if asked != PROTOCOL_VERSION:
            raise ProtocolError(f"asked for protocol {asked}, this is protocol {PROTOCOL_VERSION}")
        backend = self._backend
        identity: dict[str, object] = {"name": backend.name, "version": backend.version}
        if backend.device is not None:
            identity["device"] = backend.device
        identity |= {"claims": backend.claims, "strided": False, "refuses_invalid": backend.refuses_invalid}
        return _line({"type": "started", "protocol": PROTOCOL_VERSION, "identity": identity, "guards": False})

    def _answer_supports(self, request: dict[str, Any]) -> Message:
        number_of_request = self._take(request, ())
        # A refusal or a fault is an answer to `compile`, and comes again when that is asked.
        support: object = "yes"
        refusal = self._compile()
        if refusal is not None and "unsupported" in refusal:
            support = {"no": refusal["unsupported"]["reason"]}
        return _line({"type": "supports", "id": number_of_request, "support": support})

    def _answer_compile(self, request: dict[str, Any]) -> Message:
        number_of_request = self._take(request, ())
        refusal = self._compile()
        if refusal is None:
            return _line({"type": "compiled", "id": number_of_request})
        return _line({"type": "refused", "id": number_of_request, "error": refusal})

    def _answer_run(self, request: dict[str, Any]) -> Message:
        number_of_request = self._take(request, ("poison", "payload"))
        poison = number(request["poison"], "poison")
        if poison > 0xFF:
            raise ProtocolError(f"the poison is {poison}, expected a byte")
        try:
            payload = self._streams.read_payload(number(request["payload"], "payload"))
        except MemoryError as error:
            return _fault_line(number_of_request, {"out_of_memory": str(error)})
        refusal = self._compile()
        if refusal is not None or self._compiled is None:
            return _line({"type": "refused", "id": number_of_request, "error": refusal})
        try:
            inputs = self._compiled.inputs(payload)
        except ProtocolError as error:
            return _fault_line(number_of_request, {"protocol": str(error)})
        self._poison(poison)
        try:
            outputs = self._compiled.outputs(inputs)
        except Exception as error:
            self._compiled = None
            return _fault_line(number_of_request, _fault(error))
        answer = f'{{"type":"ran","id":{number_of_request},"payload":{self._compiled.writer.length}}}\n'
        return [answer.encode(), *outputs]

    def _take(self, request: dict[str, Any], others: tuple[str, ...]) -> int:
        """Makes the descriptor of a request the current one; the request's id."""
        parts_of(request, f"`{request['type']}`", ("type", "id", "descriptor", *others))
        asked = request["descriptor"]
        if asked != self._asked:
            self._descriptor, self._compiled = Descriptor.from_json(asked), None
            self._asked = asked
        return number(request["id"], "id")

    def _compile(self) -> dict[str, Any] | None:
        """Compiles the current descriptor unless it is compiled; what became of it if that fails."""
        if self._compiled is not None or self._descriptor is None:
            return None
        try:
            run = self._backend.compile(self._descriptor)
            self._compiled = Compiled(self._descriptor, run)
        except Unsupported as error:
            return {"unsupported": {"reason": str(error)}}
        except Rejected as error:
            rejected = {"reason": error.reason}
            if error.requirement is not None:
                rejected["requirement"] = error.requirement
            return {"rejected": rejected}
        except Exception as error:
            return {"fault": _fault(error)}
        return None


def _request(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"`{line[:120].decode(errors='replace').rstrip()}` is no message: {error}") from error
    if not isinstance(request, dict) or not isinstance(request.get("type"), str):
        raise ProtocolError(f"`{line[:120].decode(errors='replace').rstrip()}` is no message: it has no `type`")
    return request


def _line(message: dict[str, Any]) -> Message:
    return [json.dumps(message, separators=(",", ":")).encode() + b"\n"]


def _fault_line(number_of_request: int, fault: dict[str, str]) -> Message:
    return _line({"type": "fault", "id": number_of_request, "fault": fault})


def _fault(error: Exception) -> dict[str, str]:
    """An exception, with the places that it came through. Files go by their names: no report tells of folders."""
    message = "".join(traceback.format_exception_only(error)).strip()
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.dirname(frame.filename) != os.path.dirname(__file__)
    ]
    places = [f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames[-_FRAMES:]]
    told = "\n  at ".join([message, *reversed(places)])
    return {"out_of_memory" if isinstance(error, MemoryError) else "failed": told}
