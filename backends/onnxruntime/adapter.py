"""ONNX Runtime as a backend, with one of its execution providers."""

import argparse
import sys
from collections.abc import Iterable
from functools import cache

import numpy as np
import onnxruntime
from nodes import Attribute, Value, model_of, named, node_of
from onnxruntime import InferenceSession as Session
from opcert_backend import Array, Backend, Descriptor, Run, Unsupported, serve
from opcert_backend.operators import Reduce

CLAIMS = {"directml/reduce_max": "6_4", "directml/reduce_min": "6_4", "onnx": "13"}
CPU = "CPUExecutionProvider"


def provider_of(arguments: list[str]) -> tuple[str, list[str]]:
    """The execution provider that the program's arguments ask for, and the arguments behind that."""
    parser = argparse.ArgumentParser(prog="adapter.py", description=__doc__, allow_abbrev=False)
    there = onnxruntime.get_available_providers()
    described = "what runs each node; none that it does not take is left to the CPU's (default: %(default)s)"
    parser.add_argument("--provider", default=CPU, choices=there, metavar="NAME", help=described)
    chosen, others = parser.parse_known_args(arguments)
    if others and others[0] != "answer":
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    return chosen.provider, others


provider, arguments = provider_of(sys.argv[1:])
backend = Backend("onnxruntime", version=onnxruntime.__version__, claims=CLAIMS, device=provider)

# What operators of other families are mapped to.
OPSETS = {"ReduceMax": 13, "ReduceMin": 13}


def session(operator: str, inputs: tuple[Value, ...], output: str, **attributes: Attribute) -> Session | str:
    """A session for what an operator of another family is mapped to, with an output of this type."""
    return session_of(operator, OPSETS[operator], inputs, ((output, None),), **attributes)


def session_of(
    operator: str, opset: int, inputs: tuple[Value, ...], outputs: tuple[Value, ...], **attributes: Attribute
) -> Session | str:
    """A session for a single node with such tensors, of any sizes, or why there is none. For the CPU's provider it is one for
    any number of dimensions; others want to know that."""
    if provider == CPU:
        inputs, outputs = (tuple((dtype, None) for dtype, _ in each) for each in (inputs, outputs))
    return found_session(operator, opset, inputs, outputs, **attributes)


@cache
def found_session(
    operator: str, opset: int, inputs: tuple[Value, ...], outputs: tuple[Value, ...], **attributes: Attribute
) -> Session | str:
    """The same, and the same one each time."""
    model = model_of(operator, opset, inputs, outputs, **attributes)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # Errors arrive as exceptions.
    # Otherwise the CPU's provider would answer in the name of another one: nodes that it does not take, and all of them where
    # it cannot be started.
    if provider != CPU:
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    try:
        return Session(model.SerializeToString(), options, [provider], enable_fallback=0)
    except Exception as error:
        return str(error).splitlines()[0]


def run_session(found: Session, *inputs: Array) -> Array:
    [output] = run_all(found, inputs)
    return output


def run_all(found: Session, inputs: Iterable[Array]) -> list[Array]:
    return found.run(None, named(inputs))


@backend.operator("onnx/arg_max")
@backend.operator("onnx/arg_min")
@backend.operator("onnx/non_zero")
@backend.operator("onnx/one_hot")
def node(descriptor: Descriptor) -> Run:
    found = session_of(*node_of(descriptor), **descriptor.attributes)
    if isinstance(found, str):
        raise Unsupported(found)
    return lambda inputs: dict(zip(descriptor.outputs, run_all(found, inputs.values())))


@backend.operator("directml/reduce_max")
def reduce_max(descriptor: Descriptor) -> Run:
    return extreme("ReduceMax", descriptor)


@backend.operator("directml/reduce_min")
def reduce_min(descriptor: Descriptor) -> Run:
    return extreme("ReduceMin", descriptor)


def extreme(name: str, descriptor: Descriptor) -> Run:
    operator = Reduce.of(descriptor)
    reduction = operator.reduction()
    dtype = operator.input.dtype.name
    found = session(name, ((dtype, len(reduction.shape)),), dtype, axes=(reduction.axis,), keepdims=1)
    if isinstance(found, str):
        raise Unsupported(found)
    return lambda inputs: run_session(found, reduction.of(inputs["InputTensor"])).reshape(operator.output.sizes)


if __name__ == "__main__":
    serve(backend, arguments)
