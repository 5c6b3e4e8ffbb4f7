"""Runs cases that were exported as OpenVINO IR, with OpenVINO's Python API and NumPy alone.

    python openvino_run.py DIR

Any program that reads models could do the same: read `model.xml`, compile, infer on the .npy files, and write what
comes out. It says who it is as `backends/openvino` does, and runs models with the same settings.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import openvino

SETTINGS = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
RUNS = ("outputs", "again")


def tensor_of(file: Path, port: openvino.Output) -> openvino.Tensor:
    """A .npy file in the type that the model asks for. NumPy has no name for a bfloat16, whose bytes it reads."""
    array = np.load(file)
    return openvino.Tensor(np.ascontiguousarray(array).reshape(-1).view(np.uint8), array.shape, port.element_type)


def array_of(tensor: openvino.Tensor) -> np.ndarray:
    """A tensor as NumPy saves it."""
    return tensor.data.view("V2") if tensor.element_type == openvino.Type.bf16 else tensor.data


def told(error: RuntimeError) -> str:
    """What OpenVINO says, without the numbers and shapes of the nodes that it names."""
    lines = (re.sub(r" [A-Za-z]+_\d+ \(.*", "", line.strip()) for line in str(error).splitlines())
    return " ".join(line for line in lines if line)


def run(core: openvino.Core, case: Path) -> object:
    """What became of a case. Its outputs, if there are any, are written."""
    asked = json.loads((case / "case.json").read_text(encoding="utf-8"))
    try:
        request = core.compile_model(core.read_model(case / "model.xml"), "CPU", SETTINGS).create_infer_request()
    except RuntimeError as error:
        return {"unsupported": {"reason": told(error)}}
    if asked["task"] != "run":
        return "compiled"
    model = request.model_inputs
    inputs = {port.any_name: tensor_of(case / asked["inputs"][port.any_name], port) for port in model}
    for folder in RUNS:
        try:
            for name, tensor in inputs.items():
                request.set_tensor(name, tensor)
            request.infer()
        except RuntimeError as error:
            return {"fault": {"failed": told(error)}}
        (case / folder).mkdir(exist_ok=True)
        for name in asked["outputs"]:
            np.save(case / folder / f"{name}.npy", array_of(request.get_tensor(name)))
    return "compiled"


def main() -> None:
    """Runs every case in the folder."""
    folder = Path(sys.argv[1])
    version = openvino.__version__.partition("-")[0]
    claims = {"directml": "6_4", "openvino": "1"}
    backend = {"name": "openvino", "version": version, "claims": claims, "strided": False, "refuses_invalid": False}
    (folder / "backend.json").write_text(json.dumps(backend))
    core, counts = openvino.Core(), Counter()
    for question in sorted((folder / "cases").rglob("case.json")):
        answer = run(core, question.parent)
        (question.parent / "answer.json").write_text(json.dumps(answer))
        counts[answer if isinstance(answer, str) else next(iter(answer))] += 1
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
