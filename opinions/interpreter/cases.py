"""The definitions held against what case files expect."""

from __future__ import annotations

import gc
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import blake3

from opinions.descriptors import Tensors, entry_of, lists_of, one_by_one, read_descriptor
from opinions.elements import element_bits, integer, leaves
from opinions.interpreter.language import FAULTS, Named, Output
from opinions.interpreter.specifications import Operator, operators, with_lengths
from opinions.reading import is_undefined, read_yaml

# A case with more elements than this takes CPython too long. One of each operator may be left out for it, and so many more.
MOST_ELEMENTS = 4_000_000
MOST_LEFT_OUT = 2


def differences(case: Mapping[str, Any], operator: Operator, tensors: Tensors, outputs: Mapping[str, Output]) -> Iterator[str]:
    """What a case file expects otherwise."""
    expect = one_by_one(case["expect"], lists_of(case))
    if "observe" in expect:
        covers = {reference.rsplit("/")[-1] for reference in case.get("covers", ())}
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


def run_file(
    known: Mapping[str, Operator], folder: Path, at_most: int | None, path: Path,
) -> tuple[list[str], Counter[str]]:
    """Every case of a file that is dispatched, but for those of the large tier: what there is to say, and counts."""
    counts: Counter[str] = Counter()
    said: list[str] = []
    file = read_yaml(path)
    operator = known[file["operator"]]
    for name, case in file["cases"].items():
        expect = case["expect"]
        if case.get("tier") == "large" or expect == "accepts" or "refuses" in expect:
            continue
        place = f"{path.relative_to(folder).as_posix()}: {name}"
        tensors, attributes = read_descriptor(operator.types, case)
        inputs = {each: tensor for each, tensor in tensors.items() if entry_of(each) in operator.inputs}
        if "observe" in expect and any(tensor.data is None for tensor in inputs.values()):
            counts["without data"] += 1
            continue
        elements = sum(tensor.elements for tensor in tensors.values())
        if at_most is not None and elements > at_most:
            counts["for another run"] += 1
            continue
        if elements > MOST_ELEMENTS:
            said.append(f"{place}: left out, {elements} elements")
            counts["left out"] += 1
            continue
        counts["observed" if "observe" in expect else "cases"] += 1
        try:
            named = {each: Named(tensor.type, tensor.sizes, tensor.strides,
                                 tensor.bits() if each in inputs else None) for each, tensor in tensors.items()}
            outputs = operator.definition.evaluate(named, with_lengths(operator, attributes),
                                                     case.get("level", operator.introduced))
            found = list(differences(case, operator, tensors, outputs))
        except FAULTS as error:
            found = [repr(error)]
        said += (f"{place}: {difference}" for difference in found)
        counts["differences"] += len(found)
    return said, counts


def run_cases(specs: Path, folder: Path, at_most: int | None = None) -> int:
    """All files, as many at a time as there are processors; prints differences and gives the exit code."""
    known = operators(specs)
    counts: Counter[str] = Counter()
    # The largest first, so that no processor is left waiting for the last one. Definitions hold functions, which only a fork
    # takes along.
    paths = sorted(folder.rglob("*.yaml"), key=lambda path: -path.stat().st_size)
    with multiprocessing.get_context("fork").Pool(initializer=share, initargs=(known, folder, at_most)) as pool:
        found = dict(zip(paths, pool.map(run_shared, paths, chunksize=1)))
    for path in sorted(paths):
        said, of_file = found[path]
        counts += of_file
        for line in said:
            print(line)
    print(f"{len(known)} definitions; {counts['cases']} cases with values, {counts['observed']} observed; "
          f"{counts['for another run']} for another run, {counts['without data']} without data and {counts['left out']} of more "
          f"than {MOST_ELEMENTS} elements left out; "
          f"{counts['differences']} differences")
    return 1 if counts["differences"] or not counts["cases"] or counts["left out"] > len(known) + MOST_LEFT_OUT else 0


SHARED: list[tuple[Mapping[str, Operator], Path, int | None]] = []


def share(known: Mapping[str, Operator], folder: Path, at_most: int | None) -> None:
    """What every process of the pool works with. Millions of places would be gone through by the collector again and again,
    and nothing here refers to itself."""
    gc.disable()
    SHARED[:] = [(known, folder, at_most)]


def run_shared(path: Path) -> tuple[list[str], Counter[str]]:
    """A file, in a process of the pool."""
    return run_file(*SHARED[0], path)
