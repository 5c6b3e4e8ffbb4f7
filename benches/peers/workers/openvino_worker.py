"""OpenVINO's CPU plugin as a peer: models of fixed shapes, with the tensors set once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import openvino
from data import Array
from openvino import Model, Shape, Tensor, Type, opset1, opset3, opset11, opset16
from serving import FRESH, PREALLOCATED, Runtime, Task, Way, serve, thread_count

SETTINGS = {
    "INFERENCE_NUM_THREADS": thread_count(),
    "NUM_STREAMS": 1,
    "PERFORMANCE_HINT": "LATENCY",
    # Else values are rounded to bfloat16 where the processor computes with it.
    "INFERENCE_PRECISION_HINT": "f32",
}
NARROWED = "its CPU plugin computes i64 in i32"

core = openvino.Core()


def tensor_of(array: Array) -> Tensor:
    """The same memory as a tensor of OpenVINO's."""
    kind = Type(array.dtype)
    return Tensor(array.reshape(-1).view(np.uint8), Shape(array.shape), kind)


def compiled(operation: Callable[[Any], Any], x: Array, out: Array | None) -> Callable[[], Any]:
    """Runs the operation on `x`: into `out`, or into memory of OpenVINO's if that is None."""
    parameter = opset1.parameter(Shape(x.shape), Type(x.dtype))
    request = core.compile_model(Model([operation(parameter)], [parameter], "model"), "CPU", SETTINGS)
    infer = request.create_infer_request()
    infer.set_input_tensor(0, tensor_of(x))
    if out is not None:
        infer.set_output_tensor(0, tensor_of(out))

    def run() -> Any:
        infer.infer()
        return infer

    return run


def answer(infer: Any) -> list[Array]:
    return [infer.get_output_tensor(0).data]


def argmax(task: Task) -> Iterator[Way]:
    x = task.input()
    # Only stable sorting promises the first of equal elements. Whether others find it on this data is seen.
    for sort, stable in (("value", True), ("value", False), ("index", False)):
        yield from argmax_by(sort, stable, task, x)


def argmax_by(sort: str, stable: bool, task: Task, x: Array) -> Iterator[Way]:
    """The argmax by TopK with these attributes."""
    name = f"TopK-11 (k = 1, sort {sort}{', stable' if stable else ''}, i32)"
    caveat = NARROWED if task.data_type == "i64" else None

    def top_1(x: Any, axis: int) -> Any:
        one = opset1.constant(1, Type.i64)
        return opset11.topk(x, one, axis, "max", sort, index_element_type="i32", stable=stable)

    def way(call: str, operation: Callable[[Any], Any], sizes: tuple[int, ...]) -> Way:
        out = np.empty(sizes, np.int32)
        return Way(call, lambda: compiled(operation, x, out), x.nbytes, PREALLOCATED, answer, caveat)

    if len(task.axes) == 1:
        kept = tuple(1 if axis in task.axes else size for axis, size in enumerate(task.sizes))
        yield way(name, lambda x: top_1(x, task.axis).output(1), kept)
        return
    count, inner_size = x.shape[1], x.shape[2]

    def at_once(x: Any) -> Any:
        moved = opset1.transpose(x, opset1.constant([1, 0, 2], Type.i64))
        return top_1(opset1.reshape(moved, opset1.constant([count, -1], Type.i64), False), 1).output(1)

    def in_two_steps(x: Any) -> Any:
        inner = top_1(x, 2)
        outer = top_1(inner.output(0), 0).output(1)
        picked = opset11.gather_elements(inner.output(1), outer, 0)
        return opset1.add(opset1.multiply(outer, opset1.constant(inner_size, Type.i32)), picked)

    yield way(f"Transpose, Reshape, {name}", at_once, (count, 1))
    yield way(f"{name} along one axis, then along the other", in_two_steps, (1, count, 1))


def one_hot(task: Task) -> Iterator[Way]:
    indices, out = task.indices(np.int32), np.empty(task.hot_sizes, task.dtype)

    def operation(indices: Any) -> Any:
        depth = opset1.constant(task.depth, Type.i64)
        on, off = (opset1.constant(value, Type(task.dtype)) for value in (1, 0))
        return opset16.one_hot(indices, depth, on, off, task.axis, "normalize")

    def make() -> Callable[[], Any]:
        return compiled(operation, indices, out)

    yield Way("OneHot-16 of int32 indices", make, indices.nbytes, PREALLOCATED, answer)


def nonzero(task: Task) -> Iterator[Way]:
    x = task.input()
    for kind in ("i32", "i64"):

        def make(kind: str = kind) -> Callable[[], Any]:
            return compiled(lambda x: opset3.non_zero(x, kind), x, None)

        # One row of the result holds one coordinate of all elements.
        yield Way(f"NonZero-3 to {kind}", make, x.nbytes, FRESH, lambda infer: list(answer(infer)[0]))


if __name__ == "__main__":
    version = openvino.__version__.partition("-")[0]
    threads = f"INFERENCE_NUM_THREADS = {thread_count()}, NUM_STREAMS = 1"
    serve(Runtime("OpenVINO", version, threads, {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}))
