"""A descriptor that compiled and runs, or what became of it instead: the same for every way to be asked."""

from __future__ import annotations

import os
import traceback
from typing import Any, TypeAlias

from .backend import Backend, InPlace, Run
from .descriptor import Descriptor
from .errors import OtherSizes, Rejected, Unsupported
from .payload import Bytes, PayloadReader, PayloadWriter
from .tensor import Array, Tensors

Message: TypeAlias = list[bytes | memoryview]
"""A message in the parts that it is written in."""

Refusal: TypeAlias = dict[str, Any]
"""Why a descriptor did not compile, as opcert reads it: `unsupported`, `rejected` or `fault`."""

_FRAMES = 3


class Compiled:
    """A descriptor that compiled, and everything about its messages that does not depend on data."""

    def __init__(self, descriptor: Descriptor, run: Run | InPlace) -> None:
        self._run = run
        self._reader = PayloadReader(descriptor.inputs)
        self.writer = PayloadWriter(descriptor.outputs)

    def inputs(self, payload: Bytes) -> dict[str, Array]:
        """The inputs in a payload."""
        return self._reader.read(payload)

    def run(self, inputs: Tensors, poison: int) -> dict[str, Array]:
        """Runs once; the outputs as they travel, which the next run may overwrite."""
        if isinstance(self._run, InPlace):
            carried = self.writer.memory(poison)
            self._run.fill(inputs, self.writer.elements(carried))
            return carried
        return self.writer.laid_out(self._run(inputs), poison)

    def outputs(self, inputs: Tensors, poison: int) -> Message:
        """Runs once; the parts of the answer's payload."""
        return self.writer.parts(self.run(inputs, poison))


def compile_descriptor(backend: Backend, descriptor: Descriptor) -> Compiled | Refusal:
    """Compiles a descriptor, and contains whatever the backend raises."""
    try:
        return Compiled(descriptor, backend.compile(descriptor))
    except Unsupported as error:
        return {"unsupported": {"reason": str(error)}}
    except Rejected as error:
        rejected = {"reason": error.reason}
        if error.requirement is not None:
            rejected["requirement"] = error.requirement
        return {"rejected": rejected}
    except Exception as error:
        return {"fault": fault_of(error)}


def fault_of(error: Exception) -> dict[str, Any]:
    """An exception, with the places that it came through. Files go by their names: no report tells of folders."""
    if isinstance(error, OtherSizes):
        return {"other_sizes": {"tensor": error.tensor, "sizes": list(error.sizes)}}
    message = "".join(traceback.format_exception_only(error)).strip()
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.dirname(frame.filename) != os.path.dirname(__file__)
    ]
    places = [f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames[-_FRAMES:]]
    told = "\n  at ".join([message, *reversed(places)])
    return {"out_of_memory" if isinstance(error, MemoryError) else "failed": told}
