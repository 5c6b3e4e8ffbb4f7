"""NumPy as a backend."""

from collections.abc import Callable

import numpy as np
from opcert_backend import Array, Backend, Descriptor, Run, Tensors, Unsupported, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot, Reduce

backend = Backend("numpy", version=np.__version__, claims={"directml": "6_4", "openvino/one_hot_1": "1"}, strided=True)


@backend.operator("directml/one_hot")
def one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)

    def run(inputs: Tensors) -> Array:
        off_and_on = operator.off_and_on(inputs["ValuesTensor"])
        output = np.full(operator.output.sizes, off_and_on[:1])
        np.put_along_axis(output, inputs["IndicesTensor"], off_and_on[1:], operator.axis)
        return output

    return run


@backend.operator("openvino/one_hot_1")
def one_hot_1(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)

    def run(inputs: Tensors) -> Array:
        output = np.full(operator.output.sizes, inputs["off_value"])
        indices = np.expand_dims(inputs["indices"], operator.axis)
        np.put_along_axis(output, indices, inputs["on_value"], operator.axis)
        return output

    return run


def reduce(find: Callable[..., Array], descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise Unsupported(f"numpy.{find.__name__} takes the first of equal elements and offers no choice")
    reduction = operator.reduction()
    return lambda inputs: operator.outputs(find(reduction.of(inputs["InputTensor"]), reduction.axis, keepdims=True))


@backend.operator("directml/argmax")
@backend.operator("directml/reduce_argmax")
def argmax(descriptor: Descriptor) -> Run:
    return reduce(np.argmax, descriptor)


@backend.operator("directml/argmin")
@backend.operator("directml/reduce_argmin")
def argmin(descriptor: Descriptor) -> Run:
    return reduce(np.argmin, descriptor)


def extreme(find: Callable[..., Array], descriptor: Descriptor) -> Run:
    operator = Reduce.of(descriptor)
    reduction = operator.reduction()
    return lambda inputs: find(reduction.of(inputs["InputTensor"]), reduction.axis).reshape(operator.output.sizes)


@backend.operator("directml/reduce_max")
def reduce_max(descriptor: Descriptor) -> Run:
    return extreme(np.max, descriptor)


@backend.operator("directml/reduce_min")
def reduce_min(descriptor: Descriptor) -> Run:
    return extreme(np.min, descriptor)


@backend.operator("directml/nonzero_coordinates")
def nonzero_coordinates(descriptor: Descriptor) -> Run:
    operator = NonzeroCoordinates.of(descriptor)
    return lambda inputs: operator.outputs(np.argwhere(inputs["InputTensor"].reshape(operator.searched_shape)))


if __name__ == "__main__":
    serve(backend)
