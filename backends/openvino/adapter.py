"""OpenVINO as a backend: its CPU plugin, or with the argument `reference` what stands behind `Model.evaluate`."""

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import openvino
from opcert_backend import DTYPES, Array, Backend, Descriptor, Run, TensorDescriptor, Unsupported, serve
from opcert_backend.operators import ArgMax, OpenVinoOneHot, Reduce
from openvino import Model, PartialShape, Shape, Tensor, Type, opset1, opset3, opset11, opset16

REFERENCE = sys.argv[1:2] == ["reference"]
SETTINGS = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}

# Operators of another family that are operations of OpenVINO's which no specification here has.
OTHERS = [f"directml/{name}" for name in ("argmax", "argmin", "reduce_argmax", "reduce_argmin", "reduce_max", "reduce_min")]

backend = Backend(
    "openvino_reference" if REFERENCE else "openvino",
    version=openvino.__version__.partition("-")[0],
    claims={**dict.fromkeys(OTHERS, "6_4"), "openvino": "1"},
)
core = openvino.Core()


class Compiled:
    """A model of one operation, for inputs of these types and dimension counts and of any sizes."""

    def __init__(self, operation: Callable[..., Any], inputs: Sequence[tuple[str, int]], *arguments: object) -> None:
        self._types = [type_of(data_type) for data_type, _ in inputs]
        shapes = [PartialShape.dynamic(rank) for _, rank in inputs]
        parameters = list(map(opset1.parameter, shapes, self._types))
        self._model = Model([operation(*parameters, *arguments)], parameters, "model")
        if REFERENCE:
            # Whether there is code for a type shows when it runs.
            self._evaluate([Tensor(kind, Shape([1] * rank)) for kind, (_, rank) in zip(self._types, inputs)])
        else:
            self._request = core.compile_model(self._model, "CPU", SETTINGS).create_infer_request()

    def __call__(self, *arrays: Array) -> Array:
        """The output, which the next call may overwrite."""
        tensors = [tensor_of(array, kind) for array, kind in zip(arrays, self._types)]
        output = self._evaluate(tensors) if REFERENCE else self._infer(tensors)
        # NumPy shows a bfloat16 as a float16.
        return output.data.view(DTYPES["bf16"]) if output.element_type == Type.bf16 else output.data

    def _infer(self, tensors: Sequence[Tensor]) -> Tensor:
        for index, tensor in enumerate(tensors):
            self._request.set_input_tensor(index, tensor)
        self._request.infer()
        return self._request.get_output_tensor(0)

    def _evaluate(self, tensors: Sequence[Tensor]) -> Tensor:
        output = Tensor(self._model.output(0).get_element_type(), Shape([0]))
        if not self._model.evaluate([output], tensors):
            raise RuntimeError("Model.evaluate returned False")
        return output


def type_of(data_type: str) -> Type:
    """OpenVINO's name of a type."""
    return getattr(Type, "boolean" if data_type == "bool" else data_type)


def tensor_of(array: Array, kind: Type) -> Tensor:
    """The same memory as a tensor of OpenVINO's."""
    return Tensor(array.reshape(-1).view(np.uint8), Shape(array.shape), kind)


def ranked(tensor: TensorDescriptor) -> tuple[str, int]:
    """The type and the dimension count of a tensor."""
    return tensor.data_type, len(tensor.sizes)


@lru_cache(maxsize=512)  # Each model keeps threads of its own.
def compiled(operation: Callable[..., Any], inputs: tuple[tuple[str, int], ...], *arguments: object) -> Compiled | str:
    """The model, or why OpenVINO does not take it: without the numbers and shapes of the nodes that it names."""
    try:
        return Compiled(operation, inputs, *arguments)
    except RuntimeError as error:
        lines = (re.sub(r" [A-Za-z]+_\d+ \(.*", "", line.strip()) for line in str(error).splitlines())
        return " ".join(line for line in lines if line)


def supported(found: Compiled | str) -> Compiled:
    """The model, if there is one."""
    if isinstance(found, str):
        raise Unsupported(found)
    return found


def one_hot_16(indices: Any, on: Any, off: Any, depth: int, depth_type: str, axis: int, mode: str | None) -> Any:
    return opset16.one_hot(indices, opset1.constant(depth, type_of(depth_type)), on, off, axis, mode)


def one_hot_1(indices: Any, on: Any, off: Any, depth: int, depth_type: str, axis: int) -> Any:
    return opset1.one_hot(indices, opset1.constant(depth, type_of(depth_type)), on, off, axis)


def top_1(array: Any, axis: int, mode: str) -> Any:
    one = opset1.constant(1, Type.i64)
    return opset11.topk(array, one, axis, mode, "value", index_element_type="i64", stable=True).output(1)


def extreme(array: Any, axis: int, mode: str) -> Any:
    operation = {"max": opset1.reduce_max, "min": opset1.reduce_min}[mode]
    return operation(array, opset1.constant([axis], Type.i64), keep_dims=True)


@backend.operator("openvino/one_hot_1")
def compile_one_hot_1(descriptor: Descriptor) -> Run:
    return compile_openvino_one_hot(one_hot_1, descriptor)


@backend.operator("openvino/one_hot_16")
def compile_one_hot_16(descriptor: Descriptor) -> Run:
    mode = OpenVinoOneHot.of(descriptor).negative_indices_mode
    # The page spells it with a dash.
    return compile_openvino_one_hot(one_hot_16, descriptor, "ignore_negative" if mode == "ignore-negative" else mode)


def compile_openvino_one_hot(operation: Callable[..., Any], descriptor: Descriptor, *more: str | None) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    inputs = (ranked(operator.indices), ranked(operator.on_value), ranked(operator.off_value))
    depth_type = descriptor.input("depth").data_type
    model = supported(compiled(operation, inputs, operator.depth, depth_type, operator.axis, *more))
    return lambda tensors: model(tensors["indices"], tensors["on_value"], tensors["off_value"])


@backend.operator("openvino/non_zero_3")
def compile_non_zero_3(descriptor: Descriptor) -> Run:
    # Left out, it is OpenVINO that knows what it stands for.
    kind = [str(each) for name, each in descriptor.attributes.items() if name == "output_type"]
    model = supported(compiled(opset3.non_zero, (ranked(descriptor.input("data")),), *kind))
    return lambda tensors: model(tensors["data"])


@backend.operator("directml/argmax")
@backend.operator("directml/reduce_argmax")
def compile_argmax(descriptor: Descriptor) -> Run:
    return compile_top_1("max", descriptor)


@backend.operator("directml/argmin")
@backend.operator("directml/reduce_argmin")
def compile_argmin(descriptor: Descriptor) -> Run:
    return compile_top_1("min", descriptor)


def compile_top_1(mode: str, descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported("TopK-11 keeps equal elements in their order and offers no other one")
    reduction = operator.reduction()
    inputs = ((operator.input.data_type, len(reduction.shape)),)
    model = supported(compiled(top_1, inputs, reduction.axis, mode))
    return lambda tensors: operator.outputs(model(reduction.of(tensors["InputTensor"])))


@backend.operator("directml/reduce_max")
def compile_reduce_max(descriptor: Descriptor) -> Run:
    return compile_extreme("max", descriptor)


@backend.operator("directml/reduce_min")
def compile_reduce_min(descriptor: Descriptor) -> Run:
    return compile_extreme("min", descriptor)


def compile_extreme(mode: str, descriptor: Descriptor) -> Run:
    operator = Reduce.of(descriptor)
    reduction = operator.reduction()
    inputs = ((operator.input.data_type, len(reduction.shape)),)
    model = supported(compiled(extreme, inputs, reduction.axis, mode))
    return lambda tensors: model(reduction.of(tensors["InputTensor"])).reshape(operator.output.sizes)


if __name__ == "__main__":
    serve(backend)
