"""LOOM_WINDOW in NumPy: an implementation and its adapter in one. With the argument `wrong`, it has a mistake in it."""

import sys

import numpy as np
from opcert_backend import Array, Backend, Descriptor, Rejected, Run, Tensors, serve

WRONG = "wrong" in sys.argv[1:]

backend = Backend(
    "loom-wrong" if WRONG else "loom-numpy", version=np.__version__, claims={"loom": "2"}, refuses_invalid=True
)

TYPES = {"1": {"f32", "i32", "u8"}, "2": {"f32", "f16", "i32", "i64", "u8"}}
INDEX_TYPES = {"1": {"i32"}, "2": {"i32", "i64"}}
MOST_DIMENSIONS = {"1": 4, "2": 6}


@backend.operator("loom/window")
def window(descriptor: Descriptor) -> Run:
    source, output = descriptor.input("Source"), descriptor.output("Window")
    refuse_invalid(descriptor)
    axis = descriptor.integer("Axis") % len(source.sizes)
    border = descriptor.enumerator("Border")
    size = source.sizes[axis]
    along_axis = [-1 if dimension == axis else 1 for dimension in range(len(source.sizes))]

    def run(inputs: Tensors) -> Array:
        indices = inputs["Starts"] + np.arange(output.sizes[axis]).reshape(along_axis)
        elements = np.take_along_axis(inputs["Source"], indices % size, axis)
        if border != "LOOM_BORDER_FILL":
            return elements
        # The mistake: that an index may be negative is forgotten.
        outside = indices >= size if WRONG else (indices < 0) | (indices >= size)
        return np.where(outside, inputs["Fill"], elements)

    return run


def refuse_invalid(descriptor: Descriptor) -> None:
    """Raises `Rejected` for a descriptor that breaks a requirement."""
    source, starts, fill = (descriptor.input(name) for name in ("Source", "Starts", "Fill"))
    output, level, axis = descriptor.output("Window"), descriptor.level, descriptor.integer("Axis")
    count = len(source.sizes)

    def require(holds: bool, requirement: str, reason: str) -> None:
        if not holds:
            raise Rejected(reason, requirement)

    tensors = {**descriptor.inputs, **descriptor.outputs}
    for name, tensor in tensors.items():
        require(0 not in tensor.sizes, "loom/tensor/sizes-positive", f"{name} has the sizes {tensor.sizes}")
        most = 0 if name == "Fill" else MOST_DIMENSIONS[level]
        least = min(most, 1)
        supported = least <= len(tensor.sizes) <= most
        supported &= tensor.data_type in (INDEX_TYPES if name == "Starts" else TYPES)[level]
        require(supported, "loom/window/tensor-support", f"{name} is {tensor.data_type} of {len(tensor.sizes)} dimensions")
    counts = {len(tensor.sizes) for tensor in (source, starts, output)}
    require(len(counts) == 1, "loom/window/same-dimension-count", f"there are {counts} dimensions")
    types = {tensor.data_type for tensor in (source, fill, output)}
    require(len(types) == 1, "loom/window/same-type", f"there are the types {types}")
    if level == "1":
        require(0 <= axis < count, "loom/window/axis-in-range", f"Axis is {axis}")
    else:
        require(-count <= axis < count, "loom/window/axis-in-range-either-way", f"Axis is {axis}")
    axis %= count

    def but_for_axis(sizes: tuple[int, ...]) -> tuple[int, ...]:
        return sizes[:axis] + sizes[axis + 1 :]

    others = but_for_axis(source.sizes)
    require(but_for_axis(output.sizes) == others, "loom/window/window-sizes", f"Window has the sizes {output.sizes}")
    require(but_for_axis(starts.sizes) == others, "loom/window/starts-sizes", f"Starts has the sizes {starts.sizes}")
    require(starts.sizes[axis] == 1, "loom/window/one-start-each", f"Starts has {starts.sizes[axis]} along Axis")


if __name__ == "__main__":
    serve(backend)
