"""What the documents ask of every DirectML tensor, and what elementwise operators share.

Documents: the pages of DML_BUFFER_TENSOR_DESC, DML_TENSOR_FLAGS and of DirectML's constants, helper functions, strides and
feature levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from opinions.descriptors import Attributes, Tensor, Tensors
from opinions.elements import ALL_BITS, Array, element_types
from opinions.opinion import Data, Family, Names, Opinion, Questions, Results, Rules

Support = dict[str, dict[str, tuple[int, int, str]]]  # by level and tensor: dimension counts, least and greatest, and types

TYPES = element_types("FLOAT64 FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8",
                      {"FLOAT": "f", "INT": "i", "UINT": "u"})
LEVELS = "1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4".split()

# Names that several operators have.
INPUT, OUTPUT, RANKS = "InputTensor", "OutputTensor", "same-dimension-count"
A, B, TRUTH = "ATensor", "BTensor", "UINT32 UINT8"
FLOATS, NARROW = "FLOAT32 FLOAT16", "FLOAT32 FLOAT16 INT32 INT16 INT8 UINT32 UINT16 UINT8"
INDEX, WIDE = "INT64 INT32 UINT64 UINT32", f"{NARROW} INT64 UINT64"


def covers_last_element(tensor: Tensor) -> bool:
    """Whether the size in bytes reaches the last element; none does where 64 bits are too few for it."""
    strides = tensor.strides or [math.prod(tensor.sizes[at + 1:]) for at in range(tensor.rank)]
    elements = sum((size - 1) * stride for size, stride in zip(tensor.sizes, strides)) + 1
    implied = -(-elements * tensor.type.width // 32) * 4
    return implied <= ALL_BITS and (tensor.total_bytes is None or tensor.total_bytes >= implied)


def strides_nest(tensor: Tensor) -> bool:
    """Whether each stride, the shortest first, is longer than all that the ones before it reach."""
    reach = 0
    for stride, size in sorted(zip(tensor.strides or (), tensor.sizes)):
        if size > 1 and stride <= reach:
            return False
        reach += (size - 1) * stride
    return True


def places(tensor: Tensor) -> int:
    """How many elements would fit between the first and the last one, both included."""
    strides = tensor.strides or [math.prod(tensor.sizes[at + 1:]) for at in range(tensor.rank)]
    return sum((size - 1) * stride for size, stride in zip(tensor.sizes, strides)) + 1


def exceeds_the_limit(tensor: Tensor) -> bool:
    """Whether there are too many elements both by sizes and in memory."""
    return 0 not in tensor.sizes and min(tensor.elements, places(tensor)) >= 1 << 32


def limit_is_open(tensor: Tensor) -> bool:
    """Whether there are too many elements by sizes, in memory, or in the bytes that are stated beyond what is implied."""
    if 0 in tensor.sizes:
        return False
    implied = -(-places(tensor) * tensor.type.width // 32) * 4
    total = tensor.total_bytes or 0
    stated = total if total > implied else 0
    return max(tensor.elements, places(tensor), stated * 8 // tensor.type.width) >= 1 << 32


def shares_places(tensor: Tensor) -> bool:
    """Whether two elements have one place in memory, found by going through all places."""
    if tensor.strides is None or strides_nest(tensor):
        return False
    if tensor.elements > places(tensor):
        return True
    if tensor.elements > 1 << 24:
        raise ValueError("too many elements to go through")
    offsets = np.zeros(1, dtype=np.int64)
    for size, stride in zip(tensor.sizes, tensor.strides):
        offsets = (offsets[:, None] + np.arange(size, dtype=np.int64) * stride).ravel()
    return bool(np.unique(offsets).size < offsets.size)


def supported(tensors: Tensors, level: str, support: Support) -> bool:
    """Whether the newest table that is not above the level lists every tensor."""
    table = support[max(since for since in support if since <= level)]  # names sort as the levels do
    return all(low <= tensors[name].rank <= high and tensors[name].spelling in types.split()
               for name, (low, high, types) in table.items())


def directml_rules(support: Support, *outputs: str) -> Rules:
    """What the documents ask of every DirectML tensor, and the support tables of one operator."""
    def each(test: Callable[[Tensor], bool]) -> Callable[[Tensors, Attributes, str], bool]:
        return lambda t, a, level: all(map(test, t.values()))

    layout = ("tensor/sizes-positive", "tensor/element-limit")

    def within_the_limit(test: Callable[[Tensor], bool], names: Names = ()) -> Callable[
            [Tensors, Attributes, str], bool]:
        # What the documents leave open of the limit leaves the size and the places in memory open as well.
        return lambda t, a, level: any(map(limit_is_open, t.values())) or all(
            test(part) for name, part in t.items() if not names or name in names)

    return {
        "tensor/dimension-count": ((), lambda t, a, level: all(
            1 <= part.rank <= (8 if level >= "3_0" else 5) for part in t.values())),
        "tensor/sizes-positive": ((), each(lambda part: 0 not in part.sizes)),
        "tensor/element-limit": ((), each(lambda part: not exceeds_the_limit(part))),
        "tensor/total-size": (layout, within_the_limit(covers_last_element)),
        "tensor/alignment": ((), each(lambda part: part.alignment == 0 or (
            part.alignment.bit_count() == 1 and part.alignment * 8 >= part.type.width))),
        "tensor/owned-by-dml": ((), lambda t, a, _: not any(
            "OWNED_BY_DML" in t[name].flags for name in outputs)),
        "tensor/output-overlap": (layout, within_the_limit(lambda part: not shares_places(part), outputs)),
        "tensor-support": (("tensor/dimension-count",), lambda t, a, level: supported(t, level, support)),
    }


def listed(t: Tensors, name: str) -> list[str]:
    """What the tensors of a list are called, in its order."""
    return [f"{name}[{at}]" for at in range(sum(part.startswith(f"{name}[") for part in t))]


def list_rules(support: Support, *outputs: str) -> Rules:
    """The same as `directml_rules`, where the name of a list stands for all of its tensors."""
    def asked(rule: str) -> Callable[[Tensors, Attributes, str], bool]:
        def holds(t: Tensors, a: Attributes, level: str) -> bool:
            lists = {name: name.partition("[")[0] for name in t}
            tables = {since: {name: table[lists[name]] for name in t} for since, table in support.items()}
            # A name that is not there stands for an empty list, of which nothing is asked; no name, for all tensors.
            written = [name for name in t if lists[name] in outputs] or outputs
            return directml_rules(tables, *written)[rule][1](t, a, level)

        return holds

    return {rule: (needs, asked(rule)) for rule, (needs, _) in directml_rules(support, *outputs).items()}


def nothing_open(t: Tensors, a: Attributes, data: Data, level: str) -> Questions:
    """No questions but those of every tensor."""
    return {}


def elementwise(support: Support, values: Callable[[Tensors, Attributes, Data], Array], same_type: Names = (),
                questions: Callable[[Tensors, Attributes, Data, str], Questions] = nothing_open) -> Opinion:
    """The opinion on an operator whose tensors all have the same sizes, and some of them the same type.

    Its first table says where it begins and which tensors it has; `values` gives the bits of the output, or truth values.
    """
    introduced = min(support)  # names sort as the levels do
    names = tuple(support[introduced])

    def compute(t: Tensors, a: Attributes, data: Data, level: str) -> Results:
        return {OUTPUT: (values(t, a, data).ravel().astype(t[OUTPUT].type.pattern), t[OUTPUT].elements)}

    rules = directml_rules(support, OUTPUT)
    if same_type:
        rules["same-type"] = (), lambda t, a, _: len({t[name].spelling for name in same_type}) == 1
    rules[RANKS] = (), lambda t, a, _: len({t[name].rank for name in names}) == 1
    rules["same-sizes"] = (RANKS, "tensor/sizes-positive"), lambda t, a, _: len({t[name].sizes for name in names}) == 1
    return Opinion(introduced, tuple(name for name in names if name != OUTPUT), rules, compute, questions)


def open_questions(t: Tensors) -> Questions:
    """What the documents leave open of every tensor, and whether a case hangs on it."""
    outputs = [part for name, part in t.items() if name.startswith("Output")]
    limit = any(map(limit_is_open, t.values()))
    return {"element-limit-reading": limit, "output-interleaving": not limit and not all(map(strides_nest, outputs))}


FAMILY = Family(TYPES, LEVELS, open_questions)
