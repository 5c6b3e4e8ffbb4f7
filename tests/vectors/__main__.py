"""Holds the test vectors of other projects against the specifications.

Usage: `python tests/vectors OPCERT FOLDER [--stablehlo CHECKOUT] [--openvino CHECKOUT] [--wpt CHECKOUT]`. Needs numpy and PyYAML.

Each CHECKOUT is one of that project's repository, or has the files that are read at their places. Every vector becomes a
case of each operator that can express it, with the values that stand in the vector, in FOLDER, which must not be there yet.
`opcert run` holds these against what the documents say: they agree, or the documents leave open some of what comes out, or
they differ. Of a case with something open it compares nothing: what is not open of it is asked of `opcert expect` and compared
here. The exit code is 1 if any differs, 2 if a checkout cannot be read, or has something that looks like a vector and is not
read as one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import openvino
import stablehlo
import wpt
import yaml
from vector import Unreadable, Vector

READERS = {"stablehlo": stablehlo.read, "openvino": openvino.read, "wpt": wpt.read}


def write(folder: Path, vectors: list[Vector]) -> Counter[str]:
    """Writes the cases, a file for each operator, and counts the vectors that no operator can express, by their types."""
    files: dict[str, dict[str, object]] = {}
    without: Counter[str] = Counter()
    for vector in vectors:
        if not vector.cases:
            without[vector.data_type] += 1
        for operator, case in vector.cases.items():
            files.setdefault(operator, {})[vector.name] = case
    for operator, cases in files.items():
        (folder / operator).mkdir(parents=True)
        text = yaml.safe_dump({"operator": operator, "cases": cases}, sort_keys=False, default_flow_style=None)
        (folder / operator / "vectors.yaml").write_text(text, encoding="utf-8")
    return without


def judged(opcert: str, folder: Path) -> list[dict[str, Any]]:
    """The events of all cases. Those of a backend that conforms: a case fails where the vector has another value."""
    ran = subprocess.run(
        [opcert, "run", "--cases", str(folder), "--format", "jsonl"], capture_output=True, text=True, check=False
    )
    if ran.returncode not in (0, 1, 4):
        raise Unreadable(ran.stderr)
    return [event for event in map(json.loads, ran.stdout.splitlines()) if event["event"] == "case"]


def flat(nested: Any) -> list[Any]:
    """The elements of lists in each other, in row-major order."""
    return [each for part in nested for each in flat(part)] if isinstance(nested, list) else [nested]


def contradicted(opcert: str, folder: Path, event: dict[str, Any], case: dict[str, Any]) -> list[str]:
    """Where a case has another value than the documents give, which leave other elements of it open."""
    ran = subprocess.run(
        [opcert, "expect", event["case"], "--cases", str(folder), "--level", event["level"], "--color", "never"],
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = dict(re.findall(r"^(\w+)\n(.*?)\n  \d+ elements? by line", ran.stdout, re.DOTALL | re.MULTILINE))
    if ran.returncode or outputs.keys() != case["expect"].keys():
        raise Unreadable(f"what is expected of {event['case']}: {ran.stdout}{ran.stderr}")
    differences = []
    for name, text in outputs.items():
        given, found = flat(json.loads(text.replace("~", "null"))), flat(case["expect"][name])
        if len(given) != len(found) or None not in given:
            raise Unreadable(f"{name} of {event['case']} is {text}, of which nothing is open")
        differences += [
            f"{name} has {vector} at place {at}, the documents give {said}"
            for at, (said, vector) in enumerate(zip(given, found, strict=True))
            if said not in (None, vector)
        ]
    return differences


def main() -> int:
    """Reads, writes and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("opcert")
    parser.add_argument("folder", type=Path)
    for source in READERS:
        parser.add_argument(f"--{source}", type=Path, metavar="CHECKOUT")
    arguments = parser.parse_args()
    if arguments.folder.exists():
        parser.error(f"{arguments.folder} is there already")
    words = {"pass": "agree", "observed": "open", "fail": "differ"}
    differing = 0
    for source, read in READERS.items():
        checkout = getattr(arguments, source)
        if checkout is None:
            continue
        vectors = list(read(checkout))
        if not vectors or len({vector.name for vector in vectors}) < len(vectors):
            raise Unreadable(f"{len(vectors)} vectors in {checkout}, expected some, each with a name of its own")
        folder = arguments.folder / source
        without = write(folder, vectors)
        print(f"{source}: {len(vectors)} vectors")
        for data_type, count in sorted(without.items()):
            print(f"  {count} of the type {data_type}, for which no operator here can express them")
        cases = {(operator, vector.name): case for vector in vectors for operator, case in vector.cases.items()}
        outcomes: dict[str, Counter[str]] = {}
        for event in judged(arguments.opcert, folder):
            outcome, reason = words.get(event["outcome"], event["outcome"]), event.get("differences", event.get("reason"))
            if outcome == "open":
                case = cases[event["operator"], event["case"].rsplit("/", 1)[1]]
                if reason := contradicted(arguments.opcert, folder, event, case):
                    outcome = "differ"
                else:
                    outcome += f" ({', '.join(event['covers'])})"
            outcomes.setdefault(event["operator"], Counter())[outcome] += 1
            if outcome != "agree" and not outcome.startswith("open "):
                differing += 1
                print(f"  {event['case']}: {outcome}, {json.dumps(reason)}")
        for operator, counts in sorted(outcomes.items()):
            said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            print(f"  {operator}: {counts.total()} cases, {said}")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, Unreadable, KeyError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
