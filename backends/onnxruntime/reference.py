"""ONNX's own reference evaluator as a backend."""

from functools import cache

import onnx
from nodes import Attribute, Value, model_of, named, node_of
from onnx.reference import ReferenceEvaluator
from opcert_backend import Backend, Descriptor, Run, Unsupported, serve

backend = Backend("onnx_reference", version=onnx.__version__, claims={"onnx": "13"})


@cache
def evaluator_of(
    operator: str, opset: int, inputs: tuple[Value, ...], outputs: tuple[Value, ...], **attributes: Attribute
) -> ReferenceEvaluator | str:
    """What evaluates a single node, or why there is nothing that does."""
    try:
        return ReferenceEvaluator(model_of(operator, opset, inputs, outputs, **attributes))
    except Exception as error:
        return str(error).splitlines()[0]


@backend.operator("onnx/arg_max")
@backend.operator("onnx/arg_min")
@backend.operator("onnx/non_zero")
@backend.operator("onnx/one_hot")
def node(descriptor: Descriptor) -> Run:
    found = evaluator_of(*node_of(descriptor), **descriptor.attributes)
    if isinstance(found, str):
        raise Unsupported(found)
    return lambda inputs: dict(zip(descriptor.outputs, found.run(None, named(inputs.values()))))


if __name__ == "__main__":
    serve(backend)
