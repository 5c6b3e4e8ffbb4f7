"""The definitions held against samples that another evaluator of the language has worked out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from opinions.interpreter.language import FAULTS, Named
from opinions.interpreter.specifications import Operator, with_lengths

# So many differences are printed.
PRINTED = 20


def sample_tensor(operator: Operator, tensor: Mapping[str, Any]) -> Named:
    """A tensor of a sample; its data are packed, little-endian and in logical order."""
    kind = operator.types[tensor["type"]]
    bits = np.frombuffer(bytes.fromhex(tensor["bytes"]), kind.pattern) if tensor["role"] == "input" else None
    return Named(kind, tuple(tensor["sizes"]), tensor.get("strides"), bits)


def split(text: str, width: int) -> list[str]:
    return [text[at:at + width] for at in range(0, len(text), width)]


def sample_differences(sample: Mapping[str, Any], operator: Operator) -> list[str]:
    """What is otherwise in a sample."""
    fault = sample["fault"]
    try:
        tensors = {tensor["name"]: sample_tensor(operator, tensor) for tensor in sample["tensors"]}
        outputs = operator.definition.evaluate(tensors, with_lengths(operator, sample["attributes"]), sample["level"])
    except FAULTS as error:
        return [] if fault is not None else [f"CPython fails: {error!r}"]
    if fault is not None:
        return [f"CPython does not fail, and the sample does: {fault}"]
    stated = {tensor["name"]: tensor for tensor in sample["tensors"] if tensor["role"] == "output"}
    if set(stated) != set(outputs):
        return [f"outputs {', '.join(outputs)}, in the sample {', '.join(stated)}"]
    found = []
    for name, (bits, marks, lines) in outputs.items():
        wide = 2 * bits.itemsize
        parts: list[tuple[str, Sequence[Any], Sequence[Any]]] = [
            ("bytes", split(bits.tobytes().hex(), wide), split(stated[name]["bytes"].lower(), wide)),
            ("marks", marks, stated[name]["open"]),
            ("lines", lines, stated[name]["lines"]),
        ]
        for what, ours, given in parts:
            if len(ours) != len(given):
                found.append(f"{name}: {len(given)} {what}, expected {len(ours)}")
            elif ours != given:
                at = next(at for at, (one, other) in enumerate(zip(ours, given, strict=True)) if one != other)
                found.append(f"{name}: {what} of element {at}: {given[at]}, and by CPython {ours[at]}")
    return found


def run_samples(known: Mapping[str, Operator], lines: Iterable[str]) -> int:
    """Every sample; prints the first differences and counts, and gives the exit code."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in known}
    wrong = 0
    for number, line in enumerate(lines, 1):
        sample = json.loads(line)
        name = sample["operator"]
        found = sample_differences(sample, known[name])
        counts[name]["samples"] += 1
        counts[name]["agree"] += not found
        counts[name]["fault"] += sample["fault"] is not None
        for difference in found:
            wrong += 1
            if wrong <= PRINTED:
                print(f"sample {number}: {name}: {difference}")
    for name, count in counts.items():
        print(f"{name}: {count['samples']} samples, {count['fault']} of them faults; {count['agree']} agree")
    return 1 if wrong or not any(count["samples"] for count in counts.values()) else 0
