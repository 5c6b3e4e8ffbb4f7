"""ONNX Runtime's CPU execution provider as a peer, with inputs and outputs bound once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from data import Array
from onnx import helper, numpy_helper
from onnxruntime import OrtValue
from serving import FRESH, PREALLOCATED, Runtime, Task, Way, bytes_of, serve, thread_count

OPSET = 18


def bound(
    nodes: Sequence[Any], inputs: Mapping[str, Array], constants: Mapping[str, Any], out: Array | None
) -> Callable[[], Any]:
    """Runs the nodes, the last of which has the output `y`: into `out`, or into new memory if that is None."""

    def value(name: str, array: Array | None) -> Any:
        kind = np.dtype(np.int64) if array is None else array.dtype
        shape = None if array is None else array.shape
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(kind), shape)

    stored = [numpy_helper.from_array(np.asarray(constant), name) for name, constant in constants.items()]
    given = [value(name, array) for name, array in inputs.items()]
    graph = helper.make_graph(nodes, "graph", given, [value("y", out)], stored)
    model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", OPSET)])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = thread_count(), 1
    options.log_severity_level = 4  # Errors arrive as exceptions.
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(array))
    if out is not None:
        binding.bind_ortvalue_output("y", OrtValue.ortvalue_from_numpy(out))

    def run() -> Any:
        if out is None:
            # Without this the memory of the run before would be taken, which works only for as many elements.
            binding.bind_output("y", "cpu")
        session.run_with_iobinding(binding)
        return binding

    return run


def answer(binding: Any) -> list[Array]:
    [array] = binding.copy_outputs_to_cpu()
    return [array]


def argmax(task: Task) -> Iterator[Way]:
    x, out = task.input(), np.empty(task.reduced_sizes, np.int64)

    def way(call: str, nodes: Sequence[Any], **constants: Any) -> Way:
        return Way(call, lambda: bound(nodes, {"x": x}, constants, out), x.nbytes, PREALLOCATED, answer)

    if len(task.axes) == 1:
        yield way("ArgMax", [helper.make_node("ArgMax", ["x"], ["y"], axis=task.axis, keepdims=0)])
        return
    yield way(
        "Transpose, Reshape, ArgMax",
        [
            helper.make_node("Transpose", ["x"], ["moved"], perm=[1, 0, 2]),
            helper.make_node("Reshape", ["moved", "shape"], ["flat"]),
            helper.make_node("ArgMax", ["flat"], ["y"], axis=1, keepdims=0),
        ],
        shape=np.array([x.shape[1], -1]),
    )
    yield way(
        "ArgMax and ReduceMax along one axis, then ArgMax along the other",
        [
            helper.make_node("ArgMax", ["x"], ["inner"], axis=2, keepdims=0),
            helper.make_node("ReduceMax", ["x", "two"], ["most"], keepdims=0),
            helper.make_node("ArgMax", ["most"], ["outer"], axis=0, keepdims=1),
            helper.make_node("GatherElements", ["inner", "outer"], ["picked"], axis=0),
            helper.make_node("Mul", ["outer", "size"], ["base"]),
            helper.make_node("Add", ["base", "picked"], ["sum"]),
            helper.make_node("Reshape", ["sum", "shape"], ["y"]),
        ],
        two=np.array([2]),
        size=np.array(x.shape[2]),
        shape=np.array([-1]),
    )


def one_hot(task: Task) -> Iterator[Way]:
    out = np.empty(task.hot_sizes, task.dtype)
    values = np.array([0, 1], task.dtype)
    node = helper.make_node("OneHot", ["indices", "depth", "values"], ["y"], axis=task.axis)
    for dtype in (np.int32, np.int64):
        indices, depth = task.indices(dtype), np.array([task.depth], dtype)

        def make(indices: Array = indices, depth: Array = depth) -> Callable[[], Any]:
            return bound([node], {"indices": indices}, {"depth": depth, "values": values}, out)

        yield Way(f"OneHot of {indices.dtype} indices", make, bytes_of(indices), PREALLOCATED, answer)


def nonzero(task: Task) -> Iterator[Way]:
    x = task.input()
    node = helper.make_node("NonZero", ["x"], ["y"])
    # One row of the result holds one coordinate of all elements.
    yield Way(
        "NonZero", lambda: bound([node], {"x": x}, {}, None), x.nbytes, FRESH, lambda binding: list(answer(binding)[0])
    )


if __name__ == "__main__":
    threads = f"intra_op_num_threads = {thread_count()}"
    ways = {"argmax": argmax, "one_hot": one_hot, "nonzero": nonzero}
    serve(Runtime("ONNX Runtime", onnxruntime.__version__, threads, ways))
