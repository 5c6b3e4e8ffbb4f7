"""PyTorch on the CPU as a backend."""

import numpy as np
import torch
from opcert_backend import Array, Backend, Descriptor, Run, TensorDescriptor, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot

torch.set_num_threads(1)
backend = Backend("pytorch", version=torch.__version__, claims={"directml": "6_4", "openvino/one_hot_1": "1"})


def tensor_of(array: Array) -> torch.Tensor:
    """The same memory as a tensor; PyTorch says itself which types it does not have."""
    return torch.from_numpy(array)


def require(tensor: TensorDescriptor) -> None:
    """Raises `Unsupported` for a type that is not there."""
    try:
        tensor_of(np.zeros(1, tensor.dtype))
    except TypeError as error:
        raise Unsupported(str(error)) from error


def one_hot(indices: Array, depth: int, on: Array, off: Array, axis: int) -> Array:
    """A one-hot of zeros and ones, between which and the two values PyTorch selects."""
    hot = torch.nn.functional.one_hot(tensor_of(indices.astype(np.int64)), depth).movedim(-1, axis)
    return torch.where(hot.bool(), tensor_of(on), tensor_of(off)).numpy()


def require_one_hot(indices: TensorDescriptor, values: TensorDescriptor) -> None:
    """Raises `Unsupported` for indices that int64 does not hold, and for values of a type that is not there."""
    if not np.can_cast(indices.dtype, np.int64, "safe"):
        raise Unsupported(f"torch.nn.functional.one_hot takes int64, which does not hold {indices.dtype}")
    require(values)


@backend.operator("directml/one_hot")
def compile_one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)
    require_one_hot(operator.indices, operator.values)

    def run(inputs: Tensors) -> Array:
        off_and_on = operator.off_and_on(inputs["ValuesTensor"])
        indices = inputs["IndicesTensor"].squeeze(operator.axis)
        return one_hot(indices, operator.depth, off_and_on[1:], off_and_on[:1], operator.axis)

    return run


@backend.operator("openvino/one_hot_1")
def compile_one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    require_one_hot(operator.indices, operator.on_value)
    return lambda inputs: one_hot(
        inputs["indices"], operator.depth, inputs["on_value"], inputs["off_value"], operator.axis
    )


@backend.operator("directml/argmax")
def compile_argmax(descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported("torch.argmax takes any of equal elements and offers no choice")
    require(operator.input)
    reduction = operator.reduction()
    return lambda inputs: operator.outputs(
        torch.argmax(tensor_of(reduction.of(inputs["InputTensor"])), reduction.axis, keepdim=True).numpy()
    )


@backend.operator("directml/nonzero_coordinates")
def compile_nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)
    require(operator.input)
    return lambda inputs: operator.outputs(
        torch.nonzero(tensor_of(inputs["InputTensor"].reshape(operator.searched_shape))).numpy()
    )


if __name__ == "__main__":
    serve(backend)
