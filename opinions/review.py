"""The comparison of a file's cases with the opinion on their operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import blake3
import numpy as np

from opinions.descriptors import Attributes, Tensors, changed, entry_of, lists_of, one_by_one, read_descriptor
from opinions.elements import element_bits, integer, leaves
from opinions.opinion import Names, Results, find
from opinions.reading import is_undefined


class Review:
    """Yields what it disagrees with as (what, what the file has, third opinion)."""

    def __init__(self, name: str, cases: Mapping[str, Any]) -> None:
        self.name, self.cases = name, cases
        self.family, self.operator = find(name)
        self.levels = self.family.levels
        self.kind = ""

    def broken(self, t: Tensors, a: Attributes, level: str) -> set[str]:
        """What a descriptor breaks. An operator that is absent at the level breaks nothing else."""
        if self.levels.index(level) < self.levels.index(self.operator.introduced):
            return {"introduced"}
        holding: set[str] = set()
        found: set[str] = set()
        for name, (needs, holds) in self.operator.rules.items():
            if holding.issuperset(needs):
                try:
                    (holding if holds(t, a, level) else found).add(name)
                except KeyError:  # a tensor or an attribute was left out, which is for other rules to find
                    holding.add(name)
        return found

    def resolve(self, reference: str) -> str:
        """The name by which `broken` knows a requirement."""
        family = self.name.split("/")[0]
        restates = self.operator.restates
        for name in sorted({"introduced", *self.operator.rules, *restates}, key=lambda name: "/" in name):
            whole = f"{family if '/' in name else self.name}/{name}"
            if whole == reference or whole.endswith(f"/{reference}"):
                return restates.get(name, name)
        raise ValueError(f"no requirement on descriptors is called {reference}")

    def case(self, case: Mapping[str, Any]) -> Iterator[Names]:
        """Goes through one case, and sets `kind` to what it is."""
        self.kind = "unreadable"
        expect, covers = case["expect"], {reference.rsplit("/")[-1] for reference in case.get("covers", ())}
        if isinstance(expect, dict) and "refuses" in expect:
            self.kind = "refusals"
            yield from self.refusal(case, {self.resolve(reference) for reference in expect["refuses"]})
            return
        has_values = expect != "accepts" and expect != {"observe": "oracle"}
        if has_values:
            expect = one_by_one(expect, lists_of(case))
        self.kind = "accepted" if expect == "accepts" else "values" if has_values else "observed"
        if has_values and any(isinstance(part, dict) and "blake3" in part for part in expect.values()):
            self.kind = "digests"
        if case.get("tier") == "large":
            self.kind = "large"
        t, a = read_descriptor(self.family.types, case)
        valid_from = len(self.levels)
        while valid_from and not (found := self.broken(t, a, self.levels[valid_from - 1])):
            valid_from -= 1
        if valid_from == len(self.levels):
            yield "descriptor", "a valid one", f"breaks {', '.join(sorted(found))}"
            return
        begins = [since for name, since in self.operator.since.items() if name in covers]
        level = max([self.levels[valid_from], *begins], key=self.levels.index)
        if case.get("level", level) != level:
            yield "level", case["level"], level
        if self.kind in ("large", "observed"):
            return
        inputs = [name for name in t if entry_of(name) in self.operator.inputs]
        data = {name: t[name].bits() for name in inputs} if has_values else {}
        answers = {**self.operator.open_questions(t, a, data, level), **self.family.open_questions(t)}
        questions = {name for name, is_open in answers.items() if is_open}
        questions -= covers & self.operator.conclusions
        if questions & covers:
            self.kind = "observed"
        elif questions:
            yield "verdict", "an answer", f"it hangs on {', '.join(sorted(questions))}, and does not say so"
        elif has_values:
            yield from self.values(t, expect, self.operator.compute(t, a, data, level))

    def values(self, t: Tensors, expect: Mapping[str, Any], results: Results) -> Iterator[Names]:
        """Compares the outputs, each of which is given as elements or as a digest, and sizes that follow from values."""
        if set(expect) != set(results):
            yield "outputs", ", ".join(expect), ", ".join(results)
        for name, (bits, defined) in results.items():
            kind, node = t[name].type, expect[name]
            if bits.ndim > 1 and bits.shape != t[name].sizes:
                yield f"{name}: sizes", str(list(t[name].sizes)), str(list(bits.shape))
                continue
            bits = bits.ravel()
            shall_be = np.arange(bits.size) < defined if isinstance(defined, int) else defined.ravel()
            if isinstance(node, dict) and "blake3" in node:
                if set(node) - {"blake3", "defined"}:
                    raise ValueError(f"unknown keys beside the digest of {name}")
                stated = integer(node.get("defined", str(bits.size)))
                digest = blake3.blake3(bits[:stated].astype(kind.pattern).tobytes()).hexdigest()
                if not np.array_equal(shall_be, np.arange(bits.size) < stated):
                    yield f"{name}: elements that are defined", f"the first {stated}", f"{shall_be.sum()}"
                if digest != node["blake3"]:
                    yield f"{name}: digest", node["blake3"], digest
                continue
            parts = leaves(node, t[name].sizes)
            is_defined = np.array([not is_undefined(part) for part in parts], dtype=bool)
            written = [0 if is_undefined(part) else element_bits(part, kind) for part in parts]
            differ = (is_defined != shall_be) | (is_defined & (np.array(written, dtype=kind.pattern) != bits))
            if differ.any():
                at = int(differ.argmax())
                yield (f"{name}: element {at}, the first of {differ.sum()} that differ",
                       f"{written[at]:#x}" if is_defined[at] else "undefined",
                       f"{bits[at]:#x}" if shall_be[at] else "undefined")

    def refusal(self, case: Any, refuses: set[str]) -> Iterator[Names]:
        """Applies the edits to the twin, and compares what is broken and at which levels just that is."""
        entry = changed(case, self.cases)
        descriptor = read_descriptor(self.family.types, entry)
        start, end = case.get("refused_at", [entry.get("level", self.operator.introduced)] * 2)
        breaks = [self.broken(*descriptor, level) for level in self.levels]
        first = last_level = self.levels.index(start)
        found = breaks[first]
        if found != refuses:
            yield f"broken at {start}", ", ".join(sorted(refuses)), ", ".join(sorted(found)) or "nothing"
        while first > 0 and breaks[first - 1] == found:
            first -= 1
        while last_level + 1 < len(breaks) and breaks[last_level + 1] == found:
            last_level += 1
        interval = (self.levels[first], self.levels[last_level])
        if "refused_at" in case and interval != (start, end):
            yield "refused_at", f"{start} to {end}", " to ".join(interval)
