"""JAX on the CPU as a peer: compiled ahead, and waited for."""

from __future__ import annotations

import os
import sys

THREADS = int(sys.argv[1])
os.environ["JAX_PLATFORMS"] = "cpu"
# The size of XLA's pool of threads.
os.environ["NPROC"] = str(THREADS)

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from data import Array
from jax import numpy as jnp
from serving import Runtime, Task, Way, serve


def compiled(operation: Callable[[Any], Any], array: Array) -> Callable[[], Any]:
    """The operation, compiled for this shape and type."""
    x = jax.device_put(array)
    run = jax.jit(operation).lower(x).compile()
    return lambda: run(x).block_until_ready()


def use_64_bits(task: Task) -> None:
    """JAX has 64-bit types only where they are switched on; elsewhere its indices have 32 bits."""
    jax.config.update("jax_enable_x64", task.data_type == "i64")


def argmax(task: Task) -> Iterator[Way]:
    use_64_bits(task)
    array = task.input()

    def way(call: str, operation: Callable[[Any], Any]) -> Way:
        return Way(call, lambda: compiled(operation, array), array.nbytes)

    if len(task.axes) == 1:
        yield way("jax.jit of jax.lax.argmax to int32", lambda x: jax.lax.argmax(x, task.axis, jnp.int32))
        return

    def in_two_steps(x: Any) -> Any:
        inner = jax.lax.argmax(x, 2, jnp.int32)
        outer = jax.lax.argmax(x.max(2), 0, jnp.int32)
        return outer * x.shape[2] + jnp.take_along_axis(inner, outer[None], 0)[0]

    def at_once(x: Any) -> Any:
        return jax.lax.argmax(x.transpose(1, 0, 2).reshape(x.shape[1], -1), 1, jnp.int32)

    yield way("jax.jit of jax.lax.argmax of the transposed and reshaped x", at_once)
    yield way("jax.jit of jax.lax.argmax along one axis, then along the other", in_two_steps)


def one_hot(task: Task) -> Iterator[Way]:
    use_64_bits(task)
    indices = task.indices(np.int32)

    def operation(indices: Any) -> Any:
        return jax.nn.one_hot(indices, task.depth, dtype=task.dtype, axis=task.axis)

    yield Way("jax.jit of jax.nn.one_hot of int32 indices", lambda: compiled(operation, indices), indices.nbytes)


def nonzero(task: Task) -> Iterator[Way]:
    use_64_bits(task)
    array = task.input()

    def make() -> Callable[[], Any]:
        x = jax.device_put(array)
        return lambda: jax.block_until_ready(jnp.nonzero(x))

    # How many there are is the result: what is compiled ahead would have to know it.
    yield Way("jax.numpy.nonzero(x)", make, array.nbytes)


if __name__ == "__main__":
    threads = f"NPROC = {THREADS}"
    serve(Runtime("JAX", jax.__version__, threads, {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}))
