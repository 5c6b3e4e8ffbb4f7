"""Operators of ONNX as models of one node."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from onnx import ModelProto, helper
from opcert_backend import Array, Descriptor, TensorDescriptor

Attribute: TypeAlias = int | tuple[int, ...] | str | bool

Value: TypeAlias = tuple[str, int | None]
"""The type of a tensor and how many dimensions it has, or any number of them."""


def model_of(
    operator: str, opset: int, inputs: tuple[Value, ...], outputs: tuple[Value, ...], **attributes: Attribute
) -> ModelProto:
    """A model of a single node, of a version of the operator set, with such tensors of any sizes."""

    def values(kind: str, of: tuple[Value, ...]) -> list[Any]:
        typed = [(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), rank) for dtype, rank in of]
        return [
            helper.make_tensor_value_info(f"{kind}_{at}", dtype, None if rank is None else [None] * rank)
            for at, (dtype, rank) in enumerate(typed)
        ]

    given, found = values("input", inputs), values("output", outputs)
    node = helper.make_node(operator, [each.name for each in given], [each.name for each in found], **attributes)
    graph = helper.make_graph([node], "graph", given, found)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", opset)])


def node_of(descriptor: Descriptor) -> tuple[str, int, tuple[Value, ...], tuple[Value, ...]]:
    """The node that a descriptor of the family `onnx` is: the operator's name in ONNX, the version of the operator set that
    the level is, and inputs and outputs."""
    _, _, name = descriptor.operator.partition("/")
    operator = "".join(word.capitalize() for word in name.split("_"))
    inputs, outputs = (tuple(map(value_of, each.values())) for each in (descriptor.inputs, descriptor.outputs))
    return operator, int(descriptor.level), inputs, outputs


def value_of(tensor: TensorDescriptor) -> Value:
    """The type and the number of dimensions of a tensor."""
    return tensor.dtype.name, len(tensor.sizes)


def named(inputs: Iterable[Array]) -> dict[str, Array]:
    """Inputs by their names in a model."""
    return {f"input_{at}": array for at, array in enumerate(inputs)}
