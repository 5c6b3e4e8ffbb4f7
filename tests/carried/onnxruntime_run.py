"""Runs an export of opcert in the format `onnx` with ONNX Runtime, knowing nothing but ONNX.

Usage: `python onnxruntime_run.py EXPORT`. Needs numpy, onnx and onnxruntime.

Every folder of `EXPORT/node` is a test in the layout of ONNX's tests of backends. Its model is checked in full, run on
the CPU provider with the inputs from its files, and its output written beside them, as README.md of the export says.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

IDENTITY = {
    "name": "onnxruntime",
    "version": onnxruntime.__version__,
    "claims": {"directml": "6_4", "onnx": "13", "openvino": "1"},
    "strided": False,
    "refuses_invalid": False,
}


def tensor(path: Path) -> Any:
    """The tensor of a file, as a NumPy array."""
    proto = onnx.TensorProto()
    proto.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(proto)


def load(file: Path) -> onnx.ModelProto:
    """The model of a test. One that breaks a rule of ONNX is an error of the export."""
    model = onnx.load(file)
    onnx.checker.check_model(model, full_check=True)
    return model


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A session with the CPU provider and one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # Errors arrive as exceptions.
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def answer(folder: Path) -> str:
    """Runs a test and writes what comes of it; says in a word what that is."""
    model = load(folder / "model.onnx")

    def instead(kind: str, content: object) -> str:
        (folder / "answer.json").write_text(json.dumps({kind: content}) + "\n", encoding="utf-8")
        return kind

    def words(error: Exception) -> str:
        return str(error).splitlines()[0]

    try:
        runnable = session(model)
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        return instead("unsupported", {"reason": words(error)})
    except Exception as error:
        return instead("fault", {"failed": words(error)})
    data = folder / "test_data_set_0"
    feeds = {value.name: tensor(data / f"input_{place}.pb") for place, value in enumerate(model.graph.input)}
    for run in ("outputs", "again"):
        try:
            outputs = runnable.run(None, feeds)
        except Exception as error:
            return instead("fault", {"failed": words(error)})
        (folder / run).mkdir(exist_ok=True)
        for place, output in enumerate(outputs):
            np.save(folder / run / f"output_{place}.npy", output)
    return "outputs"


def main() -> int:
    """Runs all tests of an export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    export = parser.parse_args().export
    folders = sorted(path.parent for path in (export / "node").glob("*/model.onnx"))
    came = Counter(answer(folder) for folder in folders)
    (export / "backend.json").write_text(json.dumps(IDENTITY) + "\n", encoding="utf-8")
    print(f"{len(folders)} models: {', '.join(f'{count} {kind}' for kind, count in sorted(came.items()))}")
    return 0 if folders else 1


if __name__ == "__main__":
    sys.exit(main())
