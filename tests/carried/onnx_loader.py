"""Whether ONNX's own tools take an export of opcert in the format `onnx` for tests of backends.

Usage: `python onnx_loader.py EXPORT`. Needs numpy and onnx.

ONNX's loader must find every test, and its reference implementation give what `output_0.pb` expects, to the bit. Tests
for which it does not are listed, and the exit code is 1 if there are any.

The reference implementation of OneHot computes with the two values, and so loses NaN, infinities, -0.0 and booleans,
where ONNX says that they are filled in. It is asked for the positions of the two, and these are filled in here.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.reference import ReferenceEvaluator


def tensor(path: Path) -> Any:
    """The tensor of a file, as a NumPy array."""
    proto = onnx.TensorProto()
    proto.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(proto)


def difference(folder: Path) -> str | None:
    """What the reference implementation has against a test."""
    model = onnx.load(folder / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    data = folder / "test_data_set_0"
    feeds = {value.name: tensor(data / f"input_{place}.pb") for place, value in enumerate(model.graph.input)}
    values = feeds.pop("values", None)
    if values is not None:
        feeds["values"] = np.arange(2)
    try:
        [found] = ReferenceEvaluator(model).run(None, feeds)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:70]}"
    if values is not None:
        found = values[found]
    if not (data / "output_0.pb").exists():
        return None
    expected = tensor(data / "output_0.pb")
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype} instead of {expected.dtype}" if found.dtype != expected.dtype else "other sizes"
    return None if found.tobytes() == expected.tobytes() else "other elements"


def main() -> int:
    """Looks at all tests of an export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=Path)
    node = parser.parse_args().export.resolve() / "node"
    with tempfile.TemporaryDirectory() as folder:
        # For the kind `node` the loader makes ONNX's own tests and looks into no folder.
        (Path(folder) / "carried").symlink_to(node)
        tests = load_model_tests(data_dir=folder, kind="carried")
        names = {test.name for test in tests}
    folders = {path.name: path for path in node.iterdir() if path.is_dir()}
    expecting = sum((path / "test_data_set_0" / "output_0.pb").exists() for path in folders.values())
    differences = {name: difference(path) for name, path in sorted(folders.items())}
    kinds = Counter((name.split("__")[1], kind) for name, kind in differences.items() if kind)
    for (operator, kind), count in sorted(kinds.items()):
        print(f"{count} {operator}: {kind}")
        print("".join(f"  {name}\n" for name, each in differences.items() if each == kind and operator in name), end="")
    print(f"{len(names)} of {len(folders)} found, {expecting} with what is expected, {kinds.total()} differ")
    return 0 if names == set(folders) and folders and not kinds else 1


if __name__ == "__main__":
    sys.exit(main())
