"""ONNX Runtime as a backend, with one of its execution providers."""

import argparse
import sys
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import onnxruntime
from nodes import Attribute, Value, model_of, named, node_of
from onnxruntime import InferenceSession as Session
from opcert_backend import Array, Backend, Descriptor, Run, TensorDescriptor, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot, Reduce

CLAIMS = {"directml": "6_4", "onnx": "13", "openvino/one_hot_1": "1"}
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
OPSETS = {"ArgMax": 13, "ArgMin": 13, "NonZero": 13, "OneHot": 11, "ReduceMax": 13, "ReduceMin": 13}


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


def run_one_hot(
    indices: TensorDescriptor, values: TensorDescriptor, depth: int, axis: int
) -> Callable[[Array, Array], Array]:
    """OneHot-11 on indices and on Off and On, for the first types of indices and depth for which there is a kernel."""
    reason = None
    dimensions = len(indices.sizes)
    for index_type in (indices.dtype, np.dtype(np.int64)):
        if not np.can_cast(indices.dtype, index_type, "safe"):
            continue
        for depth_type in ("int64", "int32", "float32"):
            given = ((index_type.name, dimensions), (depth_type, 1), (values.dtype.name, 1))
            found = session("OneHot", given, values.dtype.name, axis=axis)
            if isinstance(found, Session):
                size = np.array([depth], depth_type)
                return lambda array, off_and_on: run_session(found, array.astype(index_type), size, off_and_on)
            reason = reason or found
    raise Unsupported(reason)


@backend.operator("directml/one_hot")
def one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)
    run = run_one_hot(operator.indices, operator.values, operator.depth, operator.axis)

    def run_reshaped(inputs: Tensors) -> Array:
        # The axis of size 1 of IndicesTensor stays in the result of OneHot, behind the new one.
        output = run(inputs["IndicesTensor"], operator.off_and_on(inputs["ValuesTensor"]))
        return output.reshape(operator.output.sizes)

    return run_reshaped


@backend.operator("openvino/one_hot_1")
def one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    run = run_one_hot(operator.indices, operator.on_value, operator.depth, operator.axis)
    return lambda inputs: run(inputs["indices"], np.stack([inputs["off_value"], inputs["on_value"]]))


@backend.operator("directml/argmax")
@backend.operator("directml/reduce_argmax")
def argmax(descriptor: Descriptor) -> Run:
    return reduce("ArgMax", descriptor)


@backend.operator("directml/argmin")
@backend.operator("directml/reduce_argmin")
def argmin(descriptor: Descriptor) -> Run:
    return reduce("ArgMin", descriptor)


def reduce(name: str, descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    reduction = operator.reduction()
    attributes = {"axis": reduction.axis, "keepdims": 1, "select_last_index": int(operator.takes_last)}
    given = operator.input.dtype.name, len(reduction.shape)
    found = session(name, (given,), "int64", **attributes)
    if isinstance(found, str):
        raise Unsupported(found)
    return lambda inputs: operator.outputs(run_session(found, reduction.of(inputs["InputTensor"])))


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


@backend.operator("directml/nonzero_coordinates")
def nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)
    found = session("NonZero", ((operator.input.dtype.name, len(operator.searched_shape)),), "int64")
    if isinstance(found, str):
        raise Unsupported(found)
    # NonZero gives one column per element.
    return lambda inputs: operator.outputs(run_session(found, inputs["InputTensor"].reshape(operator.searched_shape)).T)


if __name__ == "__main__":
    serve(backend, arguments)
