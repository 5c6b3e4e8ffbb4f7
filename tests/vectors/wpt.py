"""The vectors of WebNN's argMin and argMax in the tests of the web platform: those that stand in
`webnn/conformance_tests/arg_min_max.https.any.js` as objects, each with a graph of one operator, and those of an older form,
one JSON file per operator: `arg_min.json` and `arg_max.json`, wherever they are in the checkout.

The older form is older than the specification is here: there may be several axes, without an option it is all of them, and
an option chooses the last index at a tie."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from vector import Array, Unreadable, Vector, extreme

INLINED = Path("webnn/conformance_tests/arg_min_max.https.any.js")
# What JavaScript writes otherwise than Python: comments, integers of any size, truth, names as keys. Strings stay as they are.
DIFFERENT = re.compile(
    r"(?P<string>'(?:[^'\\]|\\.)*')|//[^\n]*|\b(?P<integer>\d+)n\b|(?P<key>\b[A-Za-z_]\w*)(?=\s*:)|\b(?P<truth>true|false)\b"
)


def in_python(different: re.Match[str]) -> str:
    """What JavaScript writes otherwise, as Python does."""
    if different["key"]:
        return repr(different["key"])
    return different["string"] or different["integer"] or (different["truth"] or "").capitalize()


def array(data: Any, data_type: str, sizes: list[int]) -> Array:
    """A tensor: of a type of floating-point numbers its bits, nearest to numbers that are none of them."""
    elements = data if isinstance(data, list) else [data]
    if data_type.startswith("float"):
        values = np.array(elements, data_type)
        elements = [{"bits": int(each)} for each in values.view(f"uint{values.itemsize * 8}")]
    return Array(data_type, sizes, elements)


def named(name: str) -> str:
    """The name of a case."""
    return re.sub(r"\W+", "_", name).strip("_").lower()


def inlined(test: dict[str, Any]) -> Vector:
    """A vector of the form of today. Whether the input is a constant of the graph makes no difference to what comes out."""
    graph = test["graph"]
    [(input_name, given)], [(output_name, expected)] = graph["inputs"].items(), graph["expectedOutputs"].items()
    [operator] = graph["operators"]
    arguments = {key: value for argument in operator["arguments"] for key, value in argument.items()}
    options = arguments.pop("options", {})
    if (
        set(test) != {"name", "graph"}
        or set(graph) != {"inputs", "operators", "expectedOutputs"}
        or not {"data", "descriptor"} <= set(given) <= {"data", "descriptor", "constant"}
        or set(expected) != {"data", "descriptor"}
        or operator["name"] not in ("argMin", "argMax")
        or operator["outputs"] != output_name
        or arguments != {"input": input_name, "axis": arguments["axis"]}
        or not set(options) <= {"keepDimensions", "outputDataType"}
    ):
        raise ValueError("it is not one operator that is known here, with its arguments and options")
    tensors = [
        array(tensor["data"], tensor["descriptor"]["dataType"], tensor["descriptor"]["shape"]) for tensor in (given, expected)
    ]
    word = operator["name"][3:].lower()
    vector = extreme(named(test["name"]), word, tensors[0], [arguments["axis"]], tensors[1])
    # Options that a vector leaves out are left out in the case too.
    if case := vector.cases.get(f"webnn/arg_{word}"):
        case["attributes"] = {"axis": arguments["axis"]} | options
    return vector


def read_inlined(text: str) -> Iterator[Vector]:
    """The vectors of the form of today."""
    lists = re.findall(r"^const \w+ = (\[.*?^\]);", text, re.DOTALL | re.MULTILINE)
    try:
        tests = [test for each in lists for test in ast.literal_eval(DIFFERENT.sub(in_python, each))]
    except (SyntaxError, ValueError) as error:
        raise Unreadable(f"{INLINED}: {error}") from error
    graphs = text.count("'graph':")
    if len(tests) != graphs or not tests:
        raise Unreadable(f"{INLINED}: {graphs} graphs, of which {len(tests)} are read")
    for test in tests:
        try:
            yield inlined(test)
        except (AttributeError, KeyError, TypeError, Unreadable, ValueError) as error:
            raise Unreadable(f"{INLINED}: {str(test)[:100]}...: {error!r}") from error


def read_json(path: Path) -> Iterator[Vector]:
    """The vectors of the older form."""
    for test in json.loads(path.read_text(encoding="utf-8"))["tests"]:
        [given] = test["inputs"].values()
        options, expected = test.get("options", {}), test["expected"]
        axes = options.get("axes", list(range(len(given["shape"]))))
        yield extreme(
            named(test["name"]),
            path.stem[4:],
            array(given["data"], given["type"], given["shape"]),
            sorted(axis % len(given["shape"]) for axis in axes),
            array(expected["data"], expected["type"], expected["shape"]),
            last=options.get("selectLastIndex", False),
        )


def read(checkout: Path) -> Iterator[Vector]:
    """All vectors."""
    if (checkout / INLINED).is_file():
        text = (checkout / INLINED).read_text(encoding="utf-8")
        # What this function tests is in JSON files.
        if "runWebNNConformanceTests(" not in text:
            yield from read_inlined(text)
    for path in sorted(checkout.rglob("arg_m*.json")):
        yield from read_json(path)
