"""NumPy as a backend."""

from collections.abc import Callable
from functools import partial

import numpy as np
from opcert_backend import Array, Backend, Descriptor, Run, TensorDescriptor, Tensors, Unsupported, exactly_as, serve
from opcert_backend.operators import ArgMax, NonzeroCoordinates, OneHot, OpenVinoOneHot, Reduce

CLAIMS = {"directml": "6_4", "onnx": "13", "openvino": "1", "tosa": "1.0", "webnn": "1"}

backend = Backend("numpy", version=np.__version__, claims=CLAIMS, strided=True)


def on_at(indices: Array, off: Array, on: Array, axis: int, output: TensorDescriptor) -> Array:
    """What stands in for a one-hot; `indices` has the size 1 along `axis`."""
    filled = np.full(output.sizes, off)
    np.put_along_axis(filled, indices, on, axis)
    return filled


@backend.operator("directml/one_hot")
def one_hot(descriptor: Descriptor) -> Run:
    operator = OneHot.of(descriptor)

    def run(inputs: Tensors) -> Array:
        off_and_on = operator.off_and_on(inputs["ValuesTensor"])
        return on_at(inputs["IndicesTensor"], off_and_on[:1], off_and_on[1:], operator.axis, operator.output)

    return run


@backend.operator("directml/gather")
def gather(descriptor: Descriptor) -> Run:
    axis, output = descriptor.integer("Axis"), descriptor.output("OutputTensor")
    ignored = (0,) * (len(output.sizes) - descriptor.integer("IndexDimensions"))

    def run(inputs: Tensors) -> Array:
        data, indices = inputs["InputTensor"], inputs["IndicesTensor"][(*ignored, ...)]
        size = data.shape[axis]
        # What names nothing may give anything, but nothing may fail.
        indices = np.minimum(indices, size - 1).astype(np.int64)
        indices = np.where(indices < 0, indices + size, indices)
        return np.take(data, indices, axis, mode="clip").reshape(output.sizes)

    return run


@backend.operator("directml/gather_elements")
def gather_elements(descriptor: Descriptor) -> Run:
    axis = descriptor.integer("Axis")
    return lambda inputs: np.take_along_axis(inputs["InputTensor"], inputs["IndicesTensor"], axis)


def tuples_of(indices: Array) -> Array:
    """The coordinates of tuples, those along each dimension side by side."""
    # NumPy indexes with signed numbers. What is too great for one is beyond every dimension, and an error.
    most = min(np.iinfo(np.intp).max, np.iinfo(indices.dtype).max)
    return np.moveaxis(np.minimum(indices, most).astype(np.intp), -1, 0)


@backend.operator("directml/gather_nd1")
def gather_nd1(descriptor: Descriptor) -> Run:
    output, batches = descriptor.output("OutputTensor"), descriptor.integer("BatchDimensionCount")
    in_input = (0,) * (len(output.sizes) - descriptor.integer("InputDimensionCount"))
    in_indices = (0,) * (len(output.sizes) - descriptor.integer("IndicesDimensionCount"))

    def run(inputs: Tensors) -> Array:
        data, indices = inputs["InputTensor"][(*in_input, ...)], inputs["IndicesTensor"][(*in_indices, ...)]
        tuples = tuples_of(indices)
        numbers = np.indices(tuples.shape[1:], sparse=True)[:batches]
        return data[(*numbers, *tuples)].reshape(output.sizes)

    return run


@backend.operator("directml/scatter_elements")
def scatter_elements(descriptor: Descriptor) -> Run:
    axis = descriptor.integer("Axis")

    def run(inputs: Tensors) -> Array:
        written = inputs["InputTensor"].copy()
        np.put_along_axis(written, inputs["IndicesTensor"], inputs["UpdatesTensor"], axis)
        return written

    return run


@backend.operator("directml/scatter_nd")
def scatter_nd(descriptor: Descriptor) -> Run:
    count = len(descriptor.input("InputTensor").sizes)
    in_input = (0,) * (count - descriptor.integer("InputDimensionCount"))
    in_indices = (0,) * (count - descriptor.integer("IndicesDimensionCount"))

    def run(inputs: Tensors) -> Array:
        written, tuples = inputs["InputTensor"].copy(), tuples_of(inputs["IndicesTensor"][(*in_indices, ...)])
        data = written[(*in_input, ...)]
        data[(*tuples,)] = inputs["UpdatesTensor"].reshape(tuples.shape[1:] + data.shape[len(tuples):])
        return written

    return run


@backend.operator("directml/top_k1")
def top_k1(descriptor: Descriptor) -> Run:
    axis, k = descriptor.integer("Axis"), descriptor.integer("K")
    indices = descriptor.output("OutputIndexTensor")

    def ascending(data: Array) -> Array:
        return np.argsort(data, axis, kind="stable")

    def descending(data: Array) -> Array:
        # From the last to the first, and read from its end, so that of equal elements the first one comes first.
        return data.shape[axis] - 1 - np.flip(ascending(np.flip(data, axis)), axis)

    order = ascending if descriptor.enumerator("AxisDirection") == "DML_AXIS_DIRECTION_INCREASING" else descending

    def run(inputs: Tensors) -> Tensors:
        data = inputs["InputTensor"]
        first = np.take(order(data), range(k), axis)
        return {"OutputValueTensor": np.take_along_axis(data, first, axis),
                "OutputIndexTensor": exactly_as(first, indices.dtype)}

    return run


@backend.operator("directml/reverse_subsequences")
def reverse_subsequences(descriptor: Descriptor) -> Run:
    axis = descriptor.integer("Axis")
    sizes = descriptor.input("InputTensor").sizes
    size = sizes[axis]

    def run(inputs: Tensors) -> Array:
        along = np.arange(size).reshape([-1 if at == axis else 1 for at in range(len(sizes))])
        lengths = np.minimum(inputs["SequenceLengthsTensor"], size).astype(np.int64)
        return np.take_along_axis(inputs["InputTensor"], np.where(along < lengths, lengths - 1 - along, along), axis)

    return run


@backend.operator("directml/tile")
def tile(descriptor: Descriptor) -> Run:
    repeats = descriptor.integers("Repeats")
    return lambda inputs: np.tile(inputs["InputTensor"], repeats)


def blocks(sizes: list[int], descriptor: Descriptor) -> tuple[list[int], list[int]]:
    """The sizes of depth, taken apart, for a space of these sizes, and where each of them stands in that space."""
    block = descriptor.integer("BlockSize")
    batches, channels, height, width = sizes
    if descriptor.enumerator("Order") == "DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH":
        return [batches, channels, block, block, height // block, width // block], [0, 1, 4, 2, 5, 3]
    return [batches, block, block, channels, height // block, width // block], [0, 3, 4, 1, 5, 2]


@backend.operator("directml/depth_to_space1")
def depth_to_space1(descriptor: Descriptor) -> Run:
    sizes = descriptor.output("OutputTensor").sizes
    apart, order = blocks(sizes, descriptor)
    return lambda inputs: inputs["InputTensor"].reshape(apart).transpose(order).reshape(sizes)


@backend.operator("directml/space_to_depth1")
def space_to_depth1(descriptor: Descriptor) -> Run:
    apart, order = blocks(descriptor.input("InputTensor").sizes, descriptor)
    in_space = [apart[at] for at in order]
    sizes = descriptor.output("OutputTensor").sizes
    return lambda inputs: inputs["InputTensor"].reshape(in_space).transpose(np.argsort(order)).reshape(sizes)


ELEMENTWISE: dict[str, Callable[..., Array]] = {
    "logical_equals": np.equal, "logical_greater_than": np.greater, "logical_less_than": np.less,
    "logical_greater_than_or_equal": np.greater_equal, "logical_less_than_or_equal": np.less_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor, "logical_not": np.logical_not,
    "is_nan": np.isnan, "element_wise_if": np.where, "element_wise_max": np.maximum, "element_wise_min": np.minimum,
    "bit_shift_left": np.left_shift, "bit_shift_right": np.right_shift,
}


def elementwise(function: Callable[..., Array], descriptor: Descriptor) -> Run:
    output = descriptor.output("OutputTensor")
    return lambda inputs: function(*(inputs[name] for name in descriptor.inputs)).astype(output.dtype, copy=False)


for name, function in ELEMENTWISE.items():
    backend.operator(f"directml/{name}")(partial(elementwise, function))


BITWISE: dict[str, Callable[..., Array]] = {
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "bit_not": np.invert,
    "bit_count": np.bitwise_count,
}


def bitwise(function: Callable[..., Array], descriptor: Descriptor) -> Run:
    """NumPy has these of integers alone: floats and signed integers are viewed as unsigned ones."""
    output = descriptor.output("OutputTensor")

    def run(inputs: Tensors) -> Array:
        bits = (inputs[name].view(f"u{inputs[name].dtype.itemsize}") for name in descriptor.inputs)
        result = function(*bits)
        return result.view(output.dtype) if result.dtype.itemsize == output.dtype.itemsize else result.astype(output.dtype)

    return run


for name, function in BITWISE.items():
    backend.operator(f"directml/{name}")(partial(bitwise, function))


def clip(least: Array, greatest: Array) -> Run:
    # `numpy.clip` takes the bounds in the other order: where Min is above Max, it gives Max.
    return lambda inputs: np.maximum(np.minimum(inputs["InputTensor"], greatest), least)


@backend.operator("directml/element_wise_clip")
def clip_by_floats(descriptor: Descriptor) -> Run:
    dtype = descriptor.output("OutputTensor").dtype
    return clip(*(descriptor.float32(name).astype(dtype) for name in ("Min", "Max")))


@backend.operator("directml/element_wise_clip1")
def clip1(descriptor: Descriptor) -> Run:
    return clip(descriptor.scalar("Min").value, descriptor.scalar("Max").value)


@backend.operator("directml/fill_value_constant")
def fill(descriptor: Descriptor) -> Run:
    sizes, value = descriptor.output("OutputTensor").sizes, descriptor.scalar("Value").value
    return lambda inputs: np.full(sizes, value)


@backend.operator("directml/diagonal_matrix1")
def diagonal_matrix1(descriptor: Descriptor) -> Run:
    output, value = descriptor.output("OutputTensor"), descriptor.scalar("Value").value
    begin, end = descriptor.integer("DiagonalFillBegin"), descriptor.integer("DiagonalFillEnd")

    def run(inputs: Tensors) -> Array:
        before_begin, before_end = (np.tri(*output.sizes[-2:], bound - 1, dtype=bool) for bound in (begin, end))
        is_filled = ~before_begin & before_end if begin <= end else ~before_begin | before_end
        beside = inputs["InputTensor"] if "InputTensor" in inputs else np.zeros(output.sizes, output.dtype)
        return np.where(is_filled, value, beside)

    return run


@backend.operator("directml/slice1")
def slice1(descriptor: Descriptor) -> Run:
    windows = zip(*map(descriptor.integers, ("InputWindowOffsets", "InputWindowSizes", "InputWindowStrides")), strict=True)
    taken = []
    for (first, length, step), size in zip(windows, descriptor.output("OutputTensor").sizes, strict=True):
        start = first if step > 0 else first + length - 1
        stop = start + step * size
        taken.append(slice(start, stop if stop >= 0 else None, step))
    return lambda inputs: inputs["InputTensor"][tuple(taken)]


def pad(descriptor: Descriptor, value: Array) -> Run:
    widths = list(zip(descriptor.integers("StartPadding"), descriptor.integers("EndPadding"), strict=True))
    mode = descriptor.enumerator("PaddingMode").removeprefix("DML_PADDING_MODE_")
    if mode == "CONSTANT":
        return lambda inputs: np.pad(inputs["InputTensor"], widths, constant_values=value)
    named = {"EDGE": "edge", "REFLECTION": "reflect", "SYMMETRIC": "symmetric"}[mode]
    return lambda inputs: np.pad(inputs["InputTensor"], widths, named)


@backend.operator("directml/padding")
def padding(descriptor: Descriptor) -> Run:
    return pad(descriptor, descriptor.float32("PaddingValue").astype(descriptor.output("OutputTensor").dtype))


@backend.operator("directml/padding1")
def padding1(descriptor: Descriptor) -> Run:
    return pad(descriptor, descriptor.scalar("PaddingValue").value)


@backend.operator("directml/cumulative_summation")
def cumulative_summation(descriptor: Descriptor) -> Run:
    axis, is_exclusive = descriptor.integer("Axis"), descriptor.boolean("HasExclusiveSum")
    is_decreasing = descriptor.enumerator("AxisDirection") == "DML_AXIS_DIRECTION_DECREASING"

    def run(inputs: Tensors) -> Array:
        data = np.flip(inputs["InputTensor"], axis) if is_decreasing else inputs["InputTensor"]
        sums = np.cumsum(data, axis, dtype=data.dtype)
        if is_exclusive:
            sums = np.insert(np.delete(sums, -1, axis), 0, 0, axis)
        return np.flip(sums, axis) if is_decreasing else sums

    return run


@backend.operator("directml/is_infinity")
def is_infinity(descriptor: Descriptor) -> Run:
    modes = {"EITHER": np.isinf, "POSITIVE": np.isposinf, "NEGATIVE": np.isneginf}
    return elementwise(modes[str(descriptor.attributes["InfinityMode"]).removeprefix("DML_IS_INFINITY_MODE_")], descriptor)


@backend.operator("onnx/one_hot")
def onnx_one_hot(descriptor: Descriptor) -> Run:
    axis = descriptor.integer("axis") if "axis" in descriptor.attributes else -1
    is_integer = descriptor.input("indices").dtype.kind in "iu"

    def run(inputs: Tensors) -> Array:
        indices = inputs["indices"] if is_integer else inputs["indices"].astype(np.int64)
        values = inputs["values"]
        return on_at(np.expand_dims(indices, axis), values[:1], values[1:], axis, descriptor.output("output"))

    return run


def openvino_one_hot(operator: OpenVinoOneHot) -> Run:
    def run(inputs: Tensors) -> Array:
        indices = np.expand_dims(inputs["indices"], operator.axis)
        return on_at(indices, inputs["off_value"], inputs["on_value"], operator.axis, operator.output)

    return run


@backend.operator("openvino/one_hot_1")
def one_hot_1(descriptor: Descriptor) -> Run:
    return openvino_one_hot(OpenVinoOneHot.of(descriptor))


@backend.operator("openvino/one_hot_16")
def one_hot_16(descriptor: Descriptor) -> Run:
    operator = OpenVinoOneHot.of(descriptor)
    if operator.negative_indices_mode != "normalize":
        raise Unsupported("numpy.put_along_axis counts an index below 0 from the end and offers no choice")
    return openvino_one_hot(operator)


def last_of_equal(find: Callable[..., Array]) -> Unsupported:
    return Unsupported(f"numpy.{find.__name__} takes the first of equal elements and offers no choice")


def reduce(find: Callable[..., Array], descriptor: Descriptor) -> Run:
    operator = ArgMax.of(descriptor)
    if operator.takes_last:
        raise last_of_equal(find)
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


def along_axis(find: Callable[..., Array], descriptor: Descriptor, axis: int, keeps_dimension: bool) -> Run:
    [(data, _)], [output] = descriptor.inputs.items(), descriptor.outputs.values()
    # NumPy makes a scalar of an array without dimensions.
    return lambda inputs: exactly_as(np.asarray(find(inputs[data], axis, keepdims=keeps_dimension)), output.dtype)


def onnx_reduce(find: Callable[..., Array], descriptor: Descriptor) -> Run:
    axis = descriptor.integer("axis") if "axis" in descriptor.attributes else 0
    if descriptor.attributes.get("select_last_index", 0) != 0:
        raise last_of_equal(find)
    return along_axis(find, descriptor, axis, descriptor.attributes.get("keepdims", 1) != 0)


@backend.operator("onnx/arg_max")
def onnx_arg_max(descriptor: Descriptor) -> Run:
    return onnx_reduce(np.argmax, descriptor)


@backend.operator("onnx/arg_min")
def onnx_arg_min(descriptor: Descriptor) -> Run:
    return onnx_reduce(np.argmin, descriptor)


def webnn_reduce(find: Callable[..., Array], descriptor: Descriptor) -> Run:
    keeps_dimension = bool(descriptor.attributes.get("keepDimensions", False))
    return along_axis(find, descriptor, descriptor.integer("axis"), keeps_dimension)


@backend.operator("webnn/arg_max")
def webnn_arg_max(descriptor: Descriptor) -> Run:
    return webnn_reduce(np.argmax, descriptor)


@backend.operator("webnn/arg_min")
def webnn_arg_min(descriptor: Descriptor) -> Run:
    return webnn_reduce(np.argmin, descriptor)


@backend.operator("tosa/argmax")
def tosa_argmax(descriptor: Descriptor) -> Run:
    ignores_nan = descriptor.attributes.get("nan_mode", "PROPAGATE") == "IGNORE"
    return along_axis(np.nanargmax if ignores_nan else np.argmax, descriptor, descriptor.integer("axis"), False)


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


@backend.operator("onnx/non_zero")
@backend.operator("openvino/non_zero_3")
def non_zero(descriptor: Descriptor) -> Run:
    [(data, _)], [output] = descriptor.inputs.items(), descriptor.outputs.values()
    return lambda inputs: exactly_as(np.argwhere(inputs[data]).T, output.dtype)


if __name__ == "__main__":
    serve(backend)
