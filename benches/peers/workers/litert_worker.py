"""LiteRT as a peer: models of a few operations for fixed sizes, run by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from data import Array
from serving import FRESH, PREALLOCATED, Runtime, Task, Way, serve, thread_count

TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "float16": schema.TensorType.FLOAT16,
    "int64": schema.TensorType.INT64,
    "int32": schema.TensorType.INT32,
    "uint8": schema.TensorType.UINT8,
}


@dataclass(frozen=True)
class Node:
    """An operation on what came before it and on constants, with one of its options set."""

    operation: str
    constants: Sequence[Array]
    output: type[np.generic]
    option: tuple[str, str, int] | None = None
    """The table of the options, the name, the value."""


def model_of(nodes: Sequence[Node], x: Array) -> bytes:
    """A model in which each node works on the output of the one before. Kernels work out the shapes in between."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], [schema.BufferT()], []
    graph.tensors, graph.operators = [], []

    def tensor(dtype: Any, shape: Sequence[int], content: bytes | None = None) -> int:
        made = schema.TensorT()
        made.name, made.type, made.shape = f"tensor_{len(graph.tensors)}", TYPES[np.dtype(dtype).name], list(shape)
        made.buffer = 0
        if content is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(content, np.uint8)
            made.buffer = len(model.buffers)
            model.buffers.append(buffer)
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    current = tensor(x.dtype, x.shape)
    graph.inputs = [current]
    for node in nodes:
        code, operator = schema.OperatorCodeT(), schema.OperatorT()
        code.builtinCode = getattr(schema.BuiltinOperator, node.operation)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), 1
        operator.opcodeIndex = len(model.operatorCodes)
        model.operatorCodes.append(code)
        constants = [tensor(array.dtype, array.shape, array.tobytes()) for array in node.constants]
        if node.option:
            table, name, value = node.option
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, table)
            operator.builtinOptions = getattr(schema, f"{table}T")()
            setattr(operator.builtinOptions, name, value)
        operator.inputs = [current, *constants]
        current = tensor(node.output, ())
        operator.outputs = [current]
        graph.operators.append(operator)
    graph.outputs = [current]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def interpreted(nodes: Sequence[Node], x: Array) -> Callable[[], Interpreter]:
    """Runs the nodes on `x`, which is copied once. The answer stays with the interpreter."""
    interpreter = Interpreter(model_content=model_of(nodes, x), num_threads=thread_count())
    [place] = interpreter.get_input_details()
    interpreter.resize_tensor_input(place["index"], x.shape)
    try:
        interpreter.allocate_tensors()
    except RuntimeError as error:
        # Which node it was follows without a space.
        raise RuntimeError(str(error).split("Node number")[0]) from error
    interpreter.set_tensor(place["index"], x)

    def run() -> Interpreter:
        interpreter.invoke()
        return interpreter

    return run


def answer(interpreter: Interpreter) -> list[Array]:
    [place] = interpreter.get_output_details()
    return [interpreter.get_tensor(place["index"])]


def argmax(task: Task) -> Iterator[Way]:
    x = task.input()
    for kind in (np.int32, np.int64):
        option = ("ArgMaxOptions", "outputType", TYPES[np.dtype(kind).name])
        name = np.dtype(kind).name

        def way(call: str, nodes: Sequence[Node]) -> Way:
            return Way(call, lambda: interpreted(nodes, x), x.nbytes, PREALLOCATED, answer)

        if len(task.axes) == 1:
            yield way(f"ARG_MAX to {name}", [Node("ARG_MAX", [np.array(task.axis, np.int32)], kind, option)])
            continue
        nodes = [
            Node("TRANSPOSE", [np.array([1, 0, 2], np.int32)], x.dtype.type),
            Node("RESHAPE", [np.array([x.shape[1], -1], np.int32)], x.dtype.type),
            Node("ARG_MAX", [np.array(1, np.int32)], kind, option),
        ]
        yield way(f"TRANSPOSE, RESHAPE, ARG_MAX to {name}", nodes)


def one_hot(task: Task) -> Iterator[Way]:
    on, off = (np.array(value, task.dtype) for value in (1, 0))
    node = Node(
        "ONE_HOT", [np.array(task.depth, np.int32), on, off], task.dtype.type, ("OneHotOptions", "axis", task.axis)
    )
    for dtype in (np.int32, np.int64):
        indices = task.indices(dtype)

        def make(indices: Array = indices) -> Callable[[], Interpreter]:
            return interpreted([node], indices)

        yield Way(f"ONE_HOT of {indices.dtype} indices", make, indices.nbytes, PREALLOCATED, answer)


def nonzero(task: Task) -> Iterator[Way]:
    x = task.input()
    yield Way("WHERE", lambda: interpreted([Node("WHERE", [], np.int64)], x), x.nbytes, FRESH, answer)


if __name__ == "__main__":
    threads = f"num_threads = {thread_count()}"
    ways = {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}
    serve(Runtime("LiteRT", version("ai-edge-litert"), threads, ways))
