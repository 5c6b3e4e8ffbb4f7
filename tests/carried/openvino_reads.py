"""Holds what OpenVINO makes of each exported model of OneHot-1 against the case that it was made from.

    python openvino_reads.py DIR

Each model is read and serialized again, so that what is compared are OpenVINO's own words: operation, types, shapes,
axis and depth. A model that OpenVINO refuses to read says nothing here, unless its case is one to be run.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import openvino

PARAMETERS = ("indices", "on_value", "off_value")


def element_type(tensor: dict) -> str:
    """OpenVINO's name of a tensor's type."""
    return "boolean" if tensor["data_type"] == "bool" else tensor["data_type"]


def said_by_case(asked: dict) -> dict:
    """The model that a case asks for."""
    descriptor = asked["descriptor"]
    tensors = {entry["name"]: entry["tensor"] for entry in descriptor["tensors"]}
    parameters = {name: (element_type(tensors[name]), tensors[name]["sizes"]) for name in PARAMETERS}
    [depth] = descriptor["constants"]
    [axis] = [entry["value"]["integer"] for entry in descriptor["attributes"] if entry["name"] == "axis"] or [0]
    # OpenVINO writes an axis as it counts from the front.
    axis += (len(tensors["indices"]["sizes"]) + 1) * (axis < 0)
    return {
        "parameters": parameters,
        "depth": (element_type(tensors["depth"]), tensors["depth"]["sizes"], bytes(depth["bytes"])),
        "axis": axis,
        "output": (element_type(tensors["output"]), tensors["output"]["sizes"]),
    }


def said_by_model(core: openvino.Core, path: Path, folder: Path) -> dict:
    """The model that OpenVINO read, in the words of its own serialization."""
    xml, weights = folder / "model.xml", folder / "model.bin"
    model = core.read_model(path)
    openvino.serialize(model, xml, weights)
    layers = {layer.get("id"): layer for layer in ElementTree.parse(xml).iter("layer")}
    edges = {
        (edge.get("to-layer"), int(edge.get("to-port"))): layers[edge.get("from-layer")]
        for edge in ElementTree.parse(xml).iter("edge")
    }
    [(number, one_hot)] = [(number, layer) for number, layer in layers.items() if layer.get("type") == "OneHot"]
    assert one_hot.get("version") == "opset1", one_hot.get("version")
    assert Counter(layer.get("type") for layer in layers.values()) == Counter(
        {"Parameter": 3, "Const": 1, "OneHot": 1, "Result": 1}
    )

    def typed(layer: ElementTree.Element) -> tuple[str, list[int]]:
        data = layer.find("data")
        return data.get("element_type"), [int(size) for size in data.get("shape").split(",") if size]

    sources = [edges[number, port] for port in range(4)]
    constant = sources[1].find("data")
    begin, size = int(constant.get("offset")), int(constant.get("size"))
    depth_type, depth_shape = typed(sources[1])
    parameters = {sources[port].get("name"): typed(sources[port]) for port in (0, 2, 3)}
    return {
        "parameters": parameters,
        "depth": (depth_type, depth_shape, weights.read_bytes()[begin : begin + size]),
        "axis": int(one_hot.find("data").get("axis")),
        "output": (model.output("output").get_element_type().to_string(), list(model.output("output").get_shape())),
    }


def main() -> None:
    """Compares all models in the folder."""
    core, counts, wrong = openvino.Core(), Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for question in sorted((Path(sys.argv[1]) / "cases/openvino/one_hot_1").rglob("case.json")):
            asked = json.loads(question.read_text(encoding="utf-8"))
            try:
                found = said_by_model(core, question.parent / "model.xml", Path(folder))
            except RuntimeError as error:
                counts["refused"] += 1
                if asked["task"] == "run":
                    wrong.append(f"{asked['case']}: {error}")
                continue
            expected = said_by_case(asked)
            if asked["task"] != "run":
                # What an invalid case says of its output is no model's.
                del expected["output"]
            counts["read"] += 1
            wrong.extend(
                f"{asked['case']}: {part} is {found[part]}, expected {expected[part]}"
                for part in expected
                if found[part] != expected[part]
            )
    print("\n".join(wrong[:20]), end="\n" * bool(wrong))
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()), "and", len(wrong), "differences")
    sys.exit(bool(wrong) or not counts["read"])


if __name__ == "__main__":
    main()
