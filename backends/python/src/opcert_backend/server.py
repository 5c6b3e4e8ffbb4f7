"""The conversation: one line of JSON, and a payload where the line announces one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .answering import answer
from .backend import Backend
from .compiled import Compiled, Message, Refusal, compile_descriptor, fault_of
from .descriptor import Descriptor, number, parts_of
from .errors import ProtocolError
from .poison import poisoner
from .streams import Streams

PROTOCOL_VERSION = 1
"""The version of the protocol that this module speaks."""


def serve(backend: Backend, arguments: Sequence[str] | None = None) -> None:
    """Answers requests about `backend` on the standard streams until `stop` or the end of the input.

    While it runs, whatever is printed goes to the standard error. An exception of the backend's is reported as a fault
    and does not end the serving. `ProtocolError` is raised for something that is no request of this version. Where
    what is registered contradicts what is claimed, that is said and the program ends.

    Where the program's arguments, or those given, are or end with `answer DIR`, the cases in that folder are answered
    instead: what `opcert export` wrote in the format npy or safetensors.
    """
    if contradiction := backend.contradiction():
        print(f"error: {contradiction}", file=sys.stderr)
        sys.exit(2)
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if "answer" in arguments:
        answer(backend, arguments[arguments.index("answer") + 1 :])
        return
    try:
        Server(backend, Streams.standard()).converse()
    except BrokenPipeError:
        # Nobody listens any more.
        return


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
        introduced = {"identity": self._backend.identity(), "guards": False, "operators": self._backend.operators}
        return _line({"type": "started", "protocol": PROTOCOL_VERSION, **introduced})

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
            outputs = self._compiled.outputs(inputs, poison)
        except Exception as error:
            self._compiled = None
            return _fault_line(number_of_request, fault_of(error))
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

    def _compile(self) -> Refusal | None:
        """Compiles the current descriptor unless it is compiled; what became of it if that fails."""
        if self._compiled is not None or self._descriptor is None:
            return None
        compiled = compile_descriptor(self._backend, self._descriptor)
        if isinstance(compiled, Compiled):
            self._compiled = compiled
            return None
        return compiled


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
