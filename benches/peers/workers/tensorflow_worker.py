"""TensorFlow as a peer: each operation eagerly, in a graph, and compiled by XLA."""

from __future__ import annotations

import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from data import Array
from serving import Runtime, Task, Way, serve, thread_count

tf.config.threading.set_intra_op_parallelism_threads(thread_count())
tf.config.threading.set_inter_op_parallelism_threads(1)


def ways_of(call: str, operation: Callable[[Any], Any], array: Array) -> Iterator[Way]:
    """The operation in each mode. Its input is an argument, because a graph would compute constants once for all."""

    def eager() -> Callable[[], Any]:
        x = tf.constant(array)
        return lambda: operation(x)

    def function(jit_compile: bool) -> Callable[[], Any]:
        x = tf.constant(array)
        compiled = tf.function(operation, jit_compile=jit_compile).get_concrete_function(x)
        return lambda: compiled(x)

    yield Way(call, eager, array.nbytes)
    yield Way(f"{call} in tf.function", lambda: function(False), array.nbytes)
    yield Way(f"{call} in tf.function(jit_compile=True)", lambda: function(True), array.nbytes)


def argmax(task: Task) -> Iterator[Way]:
    array = task.input()
    for kind in (tf.int32, tf.int64):
        yield from argmax_to(kind, task, array)


def argmax_to(kind: Any, task: Task, array: Array) -> Iterator[Way]:
    """The argmax with indices of this type."""
    name = f"tf.{kind.name}"
    if len(task.axes) == 1:
        yield from ways_of(f"tf.argmax(x, axis, {name})", lambda x: tf.argmax(x, task.axis, kind), array)
        return

    def at_once(x: Any) -> Any:
        return tf.argmax(tf.reshape(tf.transpose(x, [1, 0, 2]), [x.shape[1], -1]), 1, kind)

    def in_two_steps(x: Any) -> Any:
        inner = tf.argmax(x, 2, kind)
        outer = tf.argmax(tf.reduce_max(x, 2), 0, kind)
        return outer * x.shape[2] + tf.gather(tf.transpose(inner), outer, axis=1, batch_dims=1)

    yield from ways_of(f"tf.argmax of the transposed and reshaped x, {name}", at_once, array)
    yield from ways_of(f"tf.argmax along one axis, then along the other, {name}", in_two_steps, array)


def one_hot(task: Task) -> Iterator[Way]:
    for dtype in (np.int32, np.int64):
        indices = task.indices(dtype)

        def operation(indices: Any) -> Any:
            return tf.one_hot(indices, task.depth, axis=task.axis, dtype=task.dtype)

        yield from ways_of(f"tf.one_hot of {indices.dtype} indices", operation, indices)


def nonzero(task: Task) -> Iterator[Way]:
    yield from ways_of("tf.where(x)", tf.where, task.input())


if __name__ == "__main__":
    threads = f"set_intra_op_parallelism_threads({thread_count()})"
    serve(Runtime("TensorFlow", tf.__version__, threads, {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}))
