"""Answers to cases that were exported: each question is a folder of files, and its answer is written beside it.

A case is asked as the protocol asks it: compiled, and where it has data run twice, after different poison. What the
files are called and hold is described in the export's own README.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from .backend import Backend
from .compiled import Compiled, Refusal, compile_descriptor, fault_of
from .descriptor import Descriptor, TensorDescriptor
from .errors import OtherSizes, ProtocolError
from .payload import input_of
from .poison import poisoner
from .tensor import DTYPES, Array, described

_POISONS = (0xA5, 0x5A)
_RUNS = ("outputs", "again")
_ANSWER = "answer.json"
_IDENTITY = "backend.json"

_UNDER_WAY = "answering.json"
"""Which case is being answered, in the export's folder, so that one which ends the process is not asked for ever."""

_MOST_ATTEMPTS = 2

_BFLOAT16 = DTYPES["bf16"]
_BFLOAT16_BYTES = np.dtype("V2")
"""How a bfloat16 stands in a .npy file."""


class Unanswerable(Exception):
    """The folder is not one whose cases can be answered."""


def answer(backend: Backend, arguments: Sequence[str]) -> None:
    """Answers the cases in a folder as the arguments say, and ends the program where that cannot be done."""
    parser = argparse.ArgumentParser(prog="answer", description=f"Answers exported cases with {backend.name}.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `opcert export` wrote")
    parser.add_argument("--anew", action="store_true", help="answer again what is answered")
    chosen = parser.parse_args(arguments)
    try:
        answering = Answering(backend, chosen.folder, anew=chosen.anew)
        counts = answering.answer_all()
    except Unanswerable as error:
        sys.exit(_complaint(error))
    except KeyboardInterrupt:
        print("interrupted: the same command, without `--anew`, goes on from here", file=sys.stderr)
        sys.exit(130)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


def _complaint(error: Unanswerable) -> int:
    print(f"error: {error}", file=sys.stderr)
    return 2


class Answering:
    """The answers of a backend to the cases in a folder."""

    def __init__(self, backend: Backend, folder: Path, *, anew: bool) -> None:
        self._backend = backend
        self._folder = folder
        self._poison = poisoner()
        manifest = _read_json(folder / "opcert.json")
        carried = manifest.get("carried")
        if carried not in ("npy", "safetensors"):
            raise Unanswerable(f"`{folder}` holds cases as {carried}; npy and safetensors can be answered")
        self._together = carried == "safetensors"
        self._cases = sorted(path.parent for path in (folder / "cases").rglob("case.json"))
        if len(self._cases) != manifest.get("exported"):
            found, exported = len(self._cases), manifest.get("exported")
            raise Unanswerable(f"`{folder}` holds {found} cases, and {exported} were exported: copy the whole folder")
        if anew:
            self._start_over()
        self._identify()

    def answer_all(self) -> Counter[str]:
        """Answers every case that is not answered yet; how many there are of each kind of answer."""
        counts: Counter[str] = Counter()
        progress = Progress(len(self._cases))
        for case in self._cases:
            counts[self._answer_once(case)] += 1
            progress.show(sum(counts.values()))
        progress.end()
        (self._folder / _UNDER_WAY).unlink(missing_ok=True)
        return counts

    def _start_over(self) -> None:
        """Removes all answers: cut off half-way, none may pass for another's."""
        for folder in self._cases:
            (folder / _ANSWER).unlink(missing_ok=True)
            _clear(folder)
        (self._folder / _IDENTITY).unlink(missing_ok=True)

    def _identify(self) -> None:
        """Says whose answers these are, and that they are nobody else's."""
        path, identity = self._folder / _IDENTITY, self._backend.identity()
        if path.exists() and _read_json(path) != identity:
            raise Unanswerable(f"`{path}` says that the answers here are another's; `--anew` replaces them")
        _write(path, _json(identity))

    def _answer_once(self, folder: Path) -> str:
        """Answers a case unless that is done; the kind of the answer."""
        path = folder / _ANSWER
        if path.exists():
            return "answered before"
        asked = _read_json(folder / "case.json")
        descriptor = _descriptor(asked, folder)
        if not self._backend.is_claimed(descriptor.operator):
            return "not claimed"
        path.unlink(missing_ok=True)
        _clear(folder)
        attempts = self._under_way(asked["case"])
        if attempts > _MOST_ATTEMPTS:
            found: Refusal | str = {"fault": {"crashed": f"the program ended {_MOST_ATTEMPTS} times in this case"}}
        else:
            try:
                found = self._answer_of(asked, descriptor, folder)
            except (KeyboardInterrupt, Unanswerable):
                # The case is not to blame.
                (self._folder / _UNDER_WAY).unlink(missing_ok=True)
                raise
        if isinstance(found, dict):
            _clear(folder)
        # It comes last: a case without it is asked again.
        _write(path, _json(found))
        return found if isinstance(found, str) else next(iter(found))

    def _under_way(self, case: str) -> int:
        """Notes that a case is being answered; how often that has begun."""
        path = self._folder / _UNDER_WAY
        noted = _read_json(path) if path.exists() else {}
        attempts = noted["attempts"] + 1 if noted.get("case") == case else 1
        _write(path, _json({"case": case, "attempts": attempts}))
        return attempts

    def _answer_of(self, asked: dict[str, Any], descriptor: Descriptor, folder: Path) -> Refusal | str:
        """Compiles, and writes the outputs where there is something to run."""
        compiled = compile_descriptor(self._backend, descriptor)
        if not isinstance(compiled, Compiled):
            return compiled
        if asked["task"] != "run":
            return "compiled"
        for run, poison in zip(_RUNS, _POISONS):
            try:
                inputs = self._inputs(asked, descriptor, compiled, folder)
                self._poison(poison)
                outputs = compiled.run(inputs, poison)
            except Unanswerable:
                raise
            except Exception as error:
                fault = fault_of(error)
                if run == _RUNS[0]:
                    return {"fault": fault}
                if isinstance(error, OtherSizes):
                    fault = {"failed": str(error)}
                return {"fault": {kind: f"in the second run: {told}" for kind, told in fault.items()}}
            self._write_outputs(folder, run, compiled, outputs)
        return "compiled"

    def _inputs(
        self, asked: dict[str, Any], descriptor: Descriptor, compiled: Compiled, folder: Path
    ) -> dict[str, Array]:
        files = {name: _below(folder, file) for name, file in asked["inputs"].items()}
        try:
            if not descriptor.inputs:
                return {}
            if self._together:
                [path] = set(files.values())
                return compiled.inputs(np.fromfile(path, np.uint8))
            inputs = descriptor.inputs.items()
            return {name: input_of(tensor, _read_npy(files[name], tensor)) for name, tensor in inputs}
        except (OSError, EOFError, KeyError, ValueError, ProtocolError) as error:
            raise Unanswerable(f"the inputs in `{folder}` are not what was exported: {error}") from error

    def _write_outputs(self, folder: Path, run: str, compiled: Compiled, outputs: Mapping[str, Array]) -> None:
        if self._together:
            _write(folder / f"{run}.safetensors", *compiled.writer.parts(outputs))
            return
        (folder / run).mkdir(exist_ok=True)
        for name, array in outputs.items():
            held = array.view(_BFLOAT16_BYTES) if array.dtype == _BFLOAT16 else array
            with open(folder / run / f"{name}.npy", "wb") as file:
                np.lib.format.write_array(file, held, allow_pickle=False)


class Progress:
    """How far it is, on the standard error: in place on a terminal, else a line now and then."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._in_place = sys.stderr.isatty()
        self._pause = 0.2 if self._in_place else 10
        self._shown = time.monotonic()

    def show(self, done: int) -> None:
        """Says so where it is time to."""
        now = time.monotonic()
        if now - self._shown >= self._pause:
            self._shown = now
            before, behind = ("\r", "") if self._in_place else ("", "\n")
            print(f"{before}{done} of {self._total}", end=behind, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Clears the line."""
        if self._in_place:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _clear(folder: Path) -> None:
    """Removes the outputs of a case."""
    for run in _RUNS:
        shutil.rmtree(folder / run, ignore_errors=True)
        (folder / f"{run}.safetensors").unlink(missing_ok=True)


def _descriptor(asked: dict[str, Any], folder: Path) -> Descriptor:
    try:
        return Descriptor.from_json(asked["descriptor"])
    except (KeyError, ProtocolError) as error:
        raise Unanswerable(f"`{folder / 'case.json'}` is no question: {error}") from error


def _below(folder: Path, file: str) -> Path:
    """A file of a case, which lies in its folder."""
    path = PurePosixPath(file)
    if path.is_absolute() or ".." in path.parts:
        raise Unanswerable(f"`{folder / 'case.json'}` names `{file}`, which lies elsewhere")
    return folder / path


def _read_npy(path: Path, tensor: TensorDescriptor) -> Array:
    dtype, shape = tensor.carried_dtype, tensor.carried_shape
    array: Array = np.load(path, allow_pickle=False)
    if dtype == _BFLOAT16 and array.dtype == _BFLOAT16_BYTES:
        array = array.view(_BFLOAT16)
    if array.dtype != dtype or array.shape != shape:
        found, expected = described(array.dtype, array.shape), described(dtype, shape)
        raise ValueError(f"`{path.name}` is {found}, expected {expected}")
    return array


def _read_json(path: Path) -> dict[str, Any]:
    try:
        # PowerShell puts a mark in front of UTF-8.
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise Unanswerable(f"`{path}` cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise Unanswerable(f"`{path}` is {value!r}, expected an object")
    return value


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


def _write(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file, which appears whole or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with open(unfinished, "wb") as file:
        file.writelines(parts)
    os.replace(unfinished, path)
