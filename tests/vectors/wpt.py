"""The vectors of WebNN's argMin and argMax in the tests of the web platform, in the form of one JSON file per operator:
`arg_min.json` and `arg_max.json`, wherever they are in the checkout.

That form is older than the specification is here: there may be several axes, without an option it is all of them, and an
option chooses the last index at a tie."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from vector import Array, Vector, extreme


def read(checkout: Path) -> Iterator[Vector]:
    """All vectors."""
    for path in sorted(checkout.rglob("arg_m*.json")):
        for test in json.loads(path.read_text(encoding="utf-8"))["tests"]:
            [given] = test["inputs"].values()
            data = given["data"] if isinstance(given["data"], list) else [given["data"]]
            options, expected = test.get("options", {}), test["expected"]
            name = re.sub(r"\W+", "_", test["name"]).strip("_").lower()
            axes = options.get("axes", list(range(len(given["shape"]))))
            values = np.array(data, given["type"])
            bits = [{"bits": int(each)} for each in values.view(f"uint{values.itemsize * 8}")]
            elements = bits if given["type"].startswith("float") else values.tolist()
            found = expected["data"] if isinstance(expected["data"], list) else [expected["data"]]
            yield extreme(
                name,
                path.stem[4:],
                Array(given["type"], given["shape"], elements),
                sorted(axis % len(given["shape"]) for axis in axes),
                Array(expected["type"], expected["shape"], found),
                last=options.get("selectLastIndex", False),
            )
