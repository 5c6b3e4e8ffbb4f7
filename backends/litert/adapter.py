"""LiteRT's CPU kernels as a backend."""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from opcert_backend import DTYPES, Array, Backend, Descriptor, Run, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot

backend = Backend("litert", version=version("ai-edge-litert"), claims={"directml": "6_4", "openvino/one_hot_1": "1"})

TYPES = {
    "f64": schema.TensorType.FLOAT64,
    "f32": schema.TensorType.FLOAT32,
    "f16": schema.TensorType.FLOAT16,
    "bf16": schema.TensorType.BFLOAT16,
    "i64": schema.TensorType.INT64,
    "i32": schema.TensorType.INT32,
    "i16": schema.TensorType.INT16,
    "i8": schema.TensorType.INT8,
    "u64": schema.TensorType.UINT64,
    "u32": schema.TensorType.UINT32,
    "u16": schema.TensorType.UINT16,
    "u8": schema.TensorType.UINT8,
    "bool": schema.TensorType.BOOL,
}

Ranked = tuple[str, int]
"""The type and the dimension count of a tensor."""


def model_of(
    operation: str, inputs: tuple[Ranked, ...], output: str, constant: int, setting: tuple[str, int] | None
) -> bytes:
    """A model of one operation. The second input is a constant number where the operation has a setting."""
    model, graph, code, node = schema.ModelT(), schema.SubGraphT(), schema.OperatorCodeT(), schema.OperatorT()
    code.builtinCode = getattr(schema.BuiltinOperator, operation)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = 1
    empty, number = schema.BufferT(), schema.BufferT()
    number.data = np.frombuffer(np.int32(constant).tobytes(), np.uint8)
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [empty, number]

    def tensor(name: str, data_type: str, shape: tuple[int, ...], buffer: int = 0) -> Any:
        made = schema.TensorT()
        made.name, made.type, made.shape, made.buffer = name, TYPES[data_type], list(shape), buffer
        return made

    graph.tensors = [tensor(f"input_{index}", kind, (1,) * rank) for index, (kind, rank) in enumerate(inputs)]
    graph.inputs, graph.operators = list(range(len(inputs))), [node]
    node.inputs = list(graph.inputs)
    if setting:
        node.inputs.insert(1, len(graph.tensors))
        graph.tensors.append(tensor("constant", "i32", (), buffer=1))
        name = "OneHotOptions" if operation == "ONE_HOT" else "ArgMaxOptions"
        node.builtinOptionsType, node.builtinOptions = (
            getattr(schema.BuiltinOptions, name),
            getattr(schema, f"{name}T")(),
        )
        setattr(node.builtinOptions, *setting)
    node.outputs = graph.outputs = [len(graph.tensors)]
    # Kernels work out the shapes of their outputs.
    graph.tensors.append(tensor("output", output, ()))
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class Compiled:
    """The model in an interpreter, which takes up other sizes as they come."""

    def __init__(self, content: bytes) -> None:
        self._interpreter = Interpreter(model_content=content, num_threads=1)
        self._inputs = self._interpreter.get_input_details()
        self._output = self._interpreter.get_output_details()[0]["index"]

    def __call__(self, *arrays: Array) -> Array:
        for array, place in zip(arrays, self._inputs):
            self._interpreter.resize_tensor_input(place["index"], array.shape, strict=False)
        self._interpreter.allocate_tensors()
        for array, place in zip(arrays, self._inputs):
            self._interpreter.set_tensor(place["index"], array)
        self._interpreter.invoke()
        shape = self._interpreter.get_output_details()[0]["shape"]
        if 0 in shape:
            # The interpreter has such a tensor and cannot hand it out.
            return np.empty(shape, self._interpreter.get_output_details()[0]["dtype"])
        return self._interpreter.get_tensor(self._output)


@lru_cache(maxsize=256)
def compiled(
    operation: str, inputs: tuple[Ranked, ...], output: str, constant: int, setting: tuple[str, int] | None
) -> Compiled | str:
    """What runs the model, or why LiteRT does not. That a type has no kernel may show only when it runs."""
    try:
        found = Compiled(model_of(operation, inputs, output, constant, setting))
        found(*(np.zeros([1] * rank, DTYPES[data_type]) for data_type, rank in inputs))
        return found
    except (RuntimeError, ValueError) as error:
        # Which node it was follows without a space.
        message = str(error).splitlines()[0]
        return message.split("Node number")[0] or message


def runner(
    operation: str, inputs: tuple[Ranked, ...], output: str, constant: int, setting: tuple[str, int] | None
) -> Compiled:
    """What runs the model. Raises `Unsupported` in LiteRT's words."""
    found = compiled(operation, inputs, output, constant, setting)
    if isinstance(found, str):
        raise Unsupported(found)
    return found


def one_hot(indices: Ranked, value: str, depth: int, axis: int) -> Callable[..., Array]:
    """ONE_HOT on indices in their own type, or widened to i64 where that holds them and their own is not taken."""
    widened = "i64" if np.can_cast(DTYPES[indices[0]], np.int64, "safe") else indices[0]
    reasons = []
    for index_type in (indices[0], widened):
        inputs = ((index_type, indices[1]), (value, 0), (value, 0))
        try:
            run = runner("ONE_HOT", inputs, value, depth, ("axis", axis))
        except Unsupported as error:
            reasons.append(error)
            continue
        dtype = DTYPES[index_type]
        return lambda array, on, off: run(array.astype(dtype), on, off)
    raise reasons[0]


@backend.operator("directml/one_hot")
def compile_one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)
    indices = (operator.indices.data_type, len(operator.indices.sizes) - 1)
    run = one_hot(indices, operator.values.data_type, operator.depth, operator.axis)

    def run_squeezed(inputs: Tensors) -> Array:
        values = operator.off_and_on(inputs["ValuesTensor"])
        squeezed = inputs["IndicesTensor"].squeeze(operator.axis)
        return run(squeezed, values[1:].reshape(()), values[:1].reshape(()))

    return run_squeezed


@backend.operator("openvino/one_hot_1")
def compile_one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    # LiteRT knows -1 as the last axis, and no other negative one.
    axis = operator.axis % len(operator.output.sizes)
    indices = (operator.indices.data_type, len(operator.indices.sizes))
    run = one_hot(indices, operator.on_value.data_type, operator.depth, axis)
    return lambda inputs: run(inputs["indices"], inputs["on_value"], inputs["off_value"])


@backend.operator("directml/argmax")
def compile_argmax(descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported("ARG_MAX takes the first of equal elements and offers no choice")
    reduction = operator.reduction()
    inputs = ((operator.input.data_type, len(reduction.shape)),)
    run = runner("ARG_MAX", inputs, "i64", reduction.axis, ("outputType", schema.TensorType.INT64))
    return lambda tensors: operator.outputs(run(reduction.of(tensors["InputTensor"])))


@backend.operator("directml/nonzero_coordinates")
def compile_nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)
    run = runner("WHERE", ((operator.input.data_type, len(operator.searched_shape)),), "i64", 0, None)
    return lambda inputs: operator.outputs(run(inputs["InputTensor"].reshape(operator.searched_shape)))


if __name__ == "__main__":
    serve(backend)
