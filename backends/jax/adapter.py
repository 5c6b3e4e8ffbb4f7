"""JAX on the CPU as a backend."""

import os
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import jax
import numpy as np
from jax import numpy as jnp
from opcert_backend import Array, Backend, Descriptor, Run, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot

backend = Backend("jax", version=jax.__version__, claims={"directml": "6_4", "openvino/one_hot_1": "1"})


# Each function is compiled for each shape: as a whole, which takes a third of the time that its operations take.


@partial(jax.jit, static_argnames=("depth", "axis"))
def one_hot(indices: Array, depth: int, on: Array, off: Array, axis: int) -> jax.Array:
    """A one-hot of truth values, between which and the two values JAX selects."""
    return jnp.where(jax.nn.one_hot(indices, depth, dtype=bool, axis=axis), on, off)


count_nonzero = jax.jit(jnp.count_nonzero)
argwhere = jax.jit(jnp.argwhere, static_argnames="size")


@backend.operator("directml/one_hot")
def compile_one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)

    def run(inputs: Tensors) -> Array:
        off_and_on = operator.off_and_on(inputs["ValuesTensor"])
        indices = inputs["IndicesTensor"].squeeze(operator.axis)
        return np.asarray(one_hot(indices, operator.depth, off_and_on[1:], off_and_on[:1], operator.axis))

    return run


@backend.operator("openvino/one_hot_1")
def compile_one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)

    def run(inputs: Tensors) -> Array:
        on, off = inputs["on_value"], inputs["off_value"]
        return np.asarray(one_hot(inputs["indices"], operator.depth, on, off, operator.axis))

    return run


@backend.operator("directml/argmax")
def compile_argmax(descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported("jax.numpy.argmax takes the first of equal elements and offers no choice")
    reduction = operator.reduction()
    return lambda inputs: operator.outputs(
        np.asarray(jnp.argmax(reduction.of(inputs["InputTensor"]), reduction.axis, keepdims=True))
    )


@backend.operator("directml/nonzero_coordinates")
def compile_nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)

    def run(inputs: Tensors) -> Tensors:
        searched = inputs["InputTensor"].reshape(operator.searched_shape)
        return operator.outputs(np.asarray(argwhere(searched, size=int(count_nonzero(searched)))))

    return run


if __name__ == "__main__":
    serve(backend)
