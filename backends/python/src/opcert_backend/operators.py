"""Typed views of the bundled operators' descriptors, and what adapters need to say them in a runtime's terms.

A view finds the parts by name; whether they are valid is for the backend to check. Its methods move elements and name
them, and change none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .descriptor import Descriptor, TensorDescriptor
from .layout import AxesAsOne, exactly_as, padded_rows
from .tensor import Array, Tensors

AXIS_DIRECTION_INCREASING = "DML_AXIS_DIRECTION_INCREASING"
"""The enumerator that asks `directml/argmax` and `directml/argmin` for the first of equal extremes."""

AXIS_DIRECTION_DECREASING = "DML_AXIS_DIRECTION_DECREASING"
"""The enumerator that asks them for the last of equal extremes."""


@dataclass(frozen=True)
class OneHot:
    """`directml/one_hot`: IndicesTensor has the size 1 along `axis`, ValuesTensor holds Off and On."""

    indices: TensorDescriptor
    values: TensorDescriptor
    output: TensorDescriptor
    axis: int

    @staticmethod
    def of(descriptor: Descriptor) -> OneHot:
        """The view of a descriptor."""
        indices, values = descriptor.input("IndicesTensor"), descriptor.input("ValuesTensor")
        return OneHot(indices, values, descriptor.output("OutputTensor"), descriptor.integer("Axis"))

    @property
    def depth(self) -> int:
        """The length of each sequence."""
        return self.output.sizes[self.axis]

    @staticmethod
    def off_and_on(values: Array) -> Array:
        """The two values, in this order.

        On is the second element along the last dimension that has two, and the dimensions behind that one have the
        size 1: it is the second element in memory.
        """
        return values.reshape(-1)[:2]


@dataclass(frozen=True)
class NonzeroCoordinates:
    """`directml/nonzero_coordinates`."""

    input: TensorDescriptor
    count: TensorDescriptor
    coordinates: TensorDescriptor

    @staticmethod
    def of(descriptor: Descriptor) -> NonzeroCoordinates:
        """The view of a descriptor."""
        count = descriptor.output("OutputCountTensor")
        return NonzeroCoordinates(descriptor.input("InputTensor"), count, descriptor.output("OutputCoordinatesTensor"))

    @property
    def searched_shape(self) -> Sequence[int]:
        """The input's shape in as many dimensions as there are coordinates; those left out have the size 1."""
        return self.input.sizes[-self.coordinates.sizes[-1] :]

    def outputs(self, rows: Array) -> Tensors:
        """The outputs from one row of coordinates per element found: rows are counted, and rows of zeros added."""
        padded = padded_rows(exactly_as(rows, self.coordinates.dtype), self.coordinates.sizes[-2])
        return {
            "OutputCountTensor": np.full(self.count.sizes, len(rows), self.count.dtype),
            "OutputCoordinatesTensor": padded.reshape(self.coordinates.sizes),
        }


@dataclass(frozen=True)
class ArgMax:
    """`directml/argmax` and `directml/argmin`, and the functions of REDUCE that find the same.

    Equal extremes are decided by `axis_direction`. REDUCE has none, and takes the first.
    """

    input: TensorDescriptor
    output: TensorDescriptor
    axes: tuple[int, ...]
    axis_direction: str

    @staticmethod
    def of(descriptor: Descriptor) -> ArgMax:
        """The view of a descriptor."""
        tensors = descriptor.input("InputTensor"), descriptor.output("OutputTensor")
        is_told = "AxisDirection" in descriptor.attributes
        direction = descriptor.enumerator("AxisDirection") if is_told else AXIS_DIRECTION_INCREASING
        return ArgMax(*tensors, descriptor.integers("Axes"), direction)

    @property
    def takes_last(self) -> bool:
        """Whether the last of equal extremes is asked for."""
        return self.axis_direction == AXIS_DIRECTION_DECREASING

    def reduction(self) -> AxesAsOne:
        """The reduction as one of a single axis."""
        return AxesAsOne(self.input.sizes, self.axes)

    def outputs(self, indices: Array) -> Array:
        """The output from indices with or without the reduced axes, in the type asked for if they fit it."""
        return exactly_as(indices, self.output.dtype).reshape(self.output.sizes)


@dataclass(frozen=True)
class Reduce:
    """The functions of REDUCE that give elements: `directml/reduce_max` and `directml/reduce_min`."""

    input: TensorDescriptor
    output: TensorDescriptor
    axes: tuple[int, ...]

    @staticmethod
    def of(descriptor: Descriptor) -> Reduce:
        """The view of a descriptor."""
        tensors = descriptor.input("InputTensor"), descriptor.output("OutputTensor")
        return Reduce(*tensors, descriptor.integers("Axes"))

    def reduction(self) -> AxesAsOne:
        """The reduction as one of a single axis."""
        return AxesAsOne(self.input.sizes, self.axes)


@dataclass(frozen=True)
class OpenVinoOneHot:
    """`openvino/one_hot_1` and `openvino/one_hot_16`.

    `axis` counts within the output's dimensions, and from their end if it is negative. `negative_indices_mode` is the
    second operator's, and `None` where it is left out.
    """

    indices: TensorDescriptor
    depth: int
    on_value: TensorDescriptor
    off_value: TensorDescriptor
    output: TensorDescriptor
    axis: int
    negative_indices_mode: str | None

    @staticmethod
    def of(descriptor: Descriptor) -> OpenVinoOneHot:
        """The view of a descriptor."""
        mode = "negative_indices_mode"
        return OpenVinoOneHot(
            descriptor.input("indices"),
            int(descriptor.constant("depth")),
            descriptor.input("on_value"),
            descriptor.input("off_value"),
            descriptor.output("output"),
            descriptor.integer("axis"),
            descriptor.enumerator(mode) if mode in descriptor.attributes else None,
        )
