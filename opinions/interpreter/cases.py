"""The definitions held against what case files expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import blake3

from opinions.descriptors import Tensors, read_descriptor
from opinions.elements import element_bits, integer, is_undefined, leaves
from opinions.interpreter.language import FAULTS, Named, Output
from opinions.interpreter.specifications import Operator, read_yaml, with_lengths

# A case with more elements than this takes CPython too long. So many cases may be left out for it, and no more.
MOST_ELEMENTS = 4_000_000
MOST_LEFT_OUT = 7


def differences(case: Mapping[str, Any], operator: Operator, tensors: Tensors, outputs: Mapping[str, Output]) -> Iterator[str]:
    """What a case file expects otherwise."""
    expect = case["expect"]
    if "observe" in expect:
        covers = {reference.rsplit("/")[-1] for reference in case["covers"]}
        if not covers & operator.open_descriptors and all(set(output.open) <= {"."} for output in outputs.values()):
            yield "it observes, and every element has a value"
        return
    if set(outputs) != set(expect):
        yield f"outputs {', '.join(outputs)}, expected {', '.join(expect)}"
        return
    for name, (bits, marks, _) in outputs.items():
        kind, node = tensors[name].type, expect[name]
        if "?" in marks:
            yield f"{name}: element {marks.index('?')} is unspecified, and the case expects values"
        elif isinstance(node, dict) and "blake3" in node:
            stated = integer(node.get("defined", str(bits.size)))
            digest = blake3.blake3(bits[:stated].tobytes()).hexdigest()
            if marks != "." * stated + "u" * (bits.size - stated):
                yield f"{name}: {marks.count('.')} elements are defined, expected the first {stated}"
            if digest != node["blake3"]:
                yield f"{name}: digest {digest}, expected {node['blake3']}"
        else:
            for at, part in enumerate(leaves(node, tensors[name].sizes)):
                wanted = "undefined" if is_undefined(part) else f"{element_bits(part, kind):#x}"
                found = "undefined" if marks[at] == "u" else f"{int(bits[at]):#x}"
                if wanted != found:
                    yield f"{name}: element {at} is {found}, expected {wanted}"
                    break


def run_cases(known: Mapping[str, Operator], folder: Path) -> int:
    """Every case that is dispatched, but for those of the large tier; prints differences and gives the exit code."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.yaml")):
        file = read_yaml(path)
        operator = known[file["operator"]]
        for name, case in file["cases"].items():
            expect = case["expect"]
            if case.get("tier") == "large" or expect == "accepts" or "refuses" in expect:
                continue
            place = f"{path.relative_to(folder).as_posix()}: {name}"
            tensors, attributes = read_descriptor(operator.types, case)
            if "observe" in expect and any(tensors[each].data is None for each in operator.inputs):
                counts["without data"] += 1
                continue
            elements = sum(tensor.elements for tensor in tensors.values())
            if elements > MOST_ELEMENTS:
                print(f"{place}: left out, {elements} elements")
                counts["left out"] += 1
                continue
            counts["observed" if "observe" in expect else "cases"] += 1
            try:
                named = {each: Named(tensor.type, tensor.sizes, tensor.strides,
                                     tensor.bits() if each in operator.inputs else None) for each, tensor in tensors.items()}
                outputs = operator.definition.evaluate(named, with_lengths(operator, attributes))
                found = list(differences(case, operator, tensors, outputs))
            except FAULTS as error:
                found = [repr(error)]
            for difference in found:
                print(f"{place}: {difference}")
            counts["differences"] += len(found)
    print(f"{len(known)} definitions; {counts['cases']} cases with values, {counts['observed']} observed; "
          f"{counts['without data']} without data and {counts['left out']} of more than {MOST_ELEMENTS} elements left out; "
          f"{counts['differences']} differences")
    return 1 if counts["differences"] or not counts["cases"] or counts["left out"] > MOST_LEFT_OUT else 0
