"""TensorFlow's CPU kernels as a backend."""

import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import tensorflow as tf
from opcert_backend import Array, Backend, Descriptor, Run, TensorDescriptor, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot

backend = Backend("tensorflow", version=tf.__version__, claims={"directml": "6_4", "openvino/one_hot_1": "1"})


@cache
def refusal(operation: Callable[..., Any], *dtypes: np.dtype[Any]) -> str | None:
    """What TensorFlow says to vectors of one element of these types, where it does not take them."""
    try:
        operation(*(tf.constant(np.zeros([1], dtype)) for dtype in dtypes))
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return str(error).splitlines()[0]
    return None


def require(operation: Callable[..., Any], *dtypes: np.dtype[Any]) -> None:
    reason = refusal(operation, *dtypes)
    if reason is not None:
        raise Unsupported(reason)


def one_hot_of(indices: Any, values: Any) -> Any:
    return tf.one_hot(indices, 2, values[0], values[0])


def one_hot(indices: TensorDescriptor, values: TensorDescriptor) -> Callable[..., Array]:
    """OneHot on indices in their own type, or widened to int64 where that holds them and their own is not taken."""
    index_type = indices.dtype
    if refusal(one_hot_of, index_type, values.dtype) and np.can_cast(index_type, np.int64, "safe"):
        index_type = np.dtype(np.int64)
    require(one_hot_of, index_type, values.dtype)
    return lambda array, depth, on, off, axis: tf.one_hot(array.astype(index_type), depth, on, off, axis).numpy()


@backend.operator("directml/one_hot")
def compile_one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)
    run = one_hot(operator.indices, operator.values)

    def run_squeezed(inputs: Tensors) -> Array:
        values = operator.off_and_on(inputs["ValuesTensor"])
        indices = inputs["IndicesTensor"].squeeze(operator.axis)
        return run(indices, operator.depth, values[1:].reshape(()), values[:1].reshape(()), operator.axis)

    return run_squeezed


@backend.operator("openvino/one_hot_1")
def compile_one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    run = one_hot(operator.indices, operator.on_value)
    # TensorFlow knows -1 as the last axis, and no other negative one.
    axis = operator.axis % len(operator.output.sizes)
    return lambda inputs: run(inputs["indices"], operator.depth, inputs["on_value"], inputs["off_value"], axis)


@backend.operator("directml/argmax")
def compile_argmax(descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported("tf.argmax takes the first of equal elements and offers no choice")
    require(tf.argmax, operator.input.dtype)
    reduction = operator.reduction()
    return lambda inputs: operator.outputs(tf.argmax(reduction.of(inputs["InputTensor"]), reduction.axis).numpy())


@backend.operator("directml/nonzero_coordinates")
def compile_nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)
    require(tf.where, operator.input.dtype)
    return lambda inputs: operator.outputs(tf.where(inputs["InputTensor"].reshape(operator.searched_shape)).numpy())


if __name__ == "__main__":
    serve(backend)
