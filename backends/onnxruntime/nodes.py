"""Operators of ONNX as models of one node."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from onnx import ModelProto, helper
from opcert_backend import Array, Descriptor

Attribute: TypeAlias = int | tuple[int, ...] | str | bool


def model_of(
    operator: str, opset: int, inputs: tuple[str, ...], outputs: tuple[str, ...], **attributes: Attribute
) -> ModelProto:
    """A model of a single node, of a version of the operator set, with tensors of these types and any shapes."""

    def values(kind: str, dtypes: tuple[str, ...]) -> list[Any]:
        types = [helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for dtype in dtypes]
        return [helper.make_tensor_value_info(f"{kind}_{at}", each, None) for at, each in enumerate(types)]

    given, found = values("input", inputs), values("output", outputs)
    node = helper.make_node(operator, [each.name for each in given], [each.name for each in found], **attributes)
    graph = helper.make_graph([node], "graph", given, found)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", opset)])


def node_of(descriptor: Descriptor) -> tuple[str, int, tuple[str, ...], tuple[str, ...]]:
    """The node that a descriptor of the family `onnx` is: the operator's name in ONNX, the version of the operator set that
    the level is, and the types of inputs and outputs."""
    _, _, name = descriptor.operator.partition("/")
    operator = "".join(word.capitalize() for word in name.split("_"))
    inputs, outputs = (tuple(t.dtype.name for t in each.values()) for each in (descriptor.inputs, descriptor.outputs))
    return operator, int(descriptor.level), inputs, outputs


def named(inputs: Iterable[Array]) -> dict[str, Array]:
    """Inputs by their names in a model."""
    return {f"input_{at}": array for at, array in enumerate(inputs)}
