"""The work that is measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SEED = 1


@dataclass(frozen=True)
class Workload:
    """A workload: how the report names it, and how the protocol does."""

    title: str
    message: Mapping[str, Any]

    @property
    def is_small(self) -> bool:
        """Whether the call is what takes time, rather than the memory."""
        return bool(math.prod(self.message["sizes"]) < 1024)


def argmax(data_type: str, sizes: Sequence[int], *axes: int) -> Workload:
    """An argmax along one axis or several."""
    along = f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"
    return _workload("argmax", f"{data_type} {_shape(sizes)}, {along}", data_type, sizes, axes=list(axes))


def one_hot(data_type: str, count: int, depth: int, axis: int) -> Workload:
    """A one-hot of so many indices."""
    title = f"{data_type} {count} indices, depth {depth}, axis {axis}"
    return _workload("one_hot", title, data_type, [count], depth=depth, axes=[axis])


def nonzero(data_type: str, sizes: Sequence[int], density: int) -> Workload:
    """The coordinates of the elements that are not zero, `density` percent."""
    return _workload("nonzero", f"{data_type} {_shape(sizes)}, {density} %", data_type, sizes, density=density)


def _workload(operator: str, title: str, data_type: str, sizes: Sequence[int], **others: object) -> Workload:
    message = {"operator": operator, "data_type": data_type, "sizes": list(sizes), "seed": SEED, **others}
    return Workload(f"{operator.replace('_', '-')} {title}", message)


def _shape(sizes: Sequence[int]) -> str:
    return "×".join(map(str, sizes))


MILLION = 1 << 20
SQUARE = (4096, 4096)
OTHER_TYPES = ("u8", "f16", "i64")

WORKLOADS = (
    argmax("f32", SQUARE, 1),
    argmax("f32", (MILLION, 16), 1),
    argmax("f32", SQUARE, 0),
    argmax("f32", (256, 256, 256), 1),
    argmax("f32", (256, 256, 256), 0, 2),
    *(argmax(data_type, SQUARE, 1) for data_type in OTHER_TYPES),
    one_hot("f32", MILLION, 128, 1),
    one_hot("f32", MILLION, 128, 0),
    *(one_hot(data_type, MILLION, 128, 1) for data_type in OTHER_TYPES),
    *(nonzero("f32", SQUARE, density) for density in (1, 50, 100)),
    # DirectML's operator knows no 64-bit types.
    *(nonzero(data_type, SQUARE, 50) for data_type in OTHER_TYPES if data_type != "i64"),
    argmax("f32", (2, 3), 1),
    one_hot("f32", 3, 4, 1),
    nonzero("f32", (2, 2), 50),
)
