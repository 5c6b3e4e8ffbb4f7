"""Whether ONNX's own tests of the operators that opcert knows become cases, with the values that they have there.

Usage: `python onnx_own_tests.py OPCERT FOLDER`. Needs numpy and onnx, which makes its tests of nodes itself. They are
written into FOLDER in ONNX's layout, and `opcert import` reads them.

All of them must be there, be imported and agree with what follows from the specification, but for those in REFUSED: no
specification here has what they ask for.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

OPERATORS = {"OneHot", "NonZero", "ArgMax", "ArgMin"}

# How many there are in the pinned version of the package.
TESTS = 39

# Which of them cannot be cases, and a part of the reason that `opcert import` gives. Version 28 of OneHot takes bfloat16.
REFUSED = {"test_onehot_with_bfloat16_values": "`values` is bfloat16"}


def write(folder: Path, test: object) -> None:
    """Writes a test as ONNX keeps it on disk."""
    folder.mkdir(parents=True)
    onnx.save(test.model, folder / "model.onnx")
    for number, (inputs, outputs) in enumerate(test.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, values, graph in (
            ("input", inputs, test.model.graph.input),
            ("output", outputs, test.model.graph.output),
        ):
            for place, (value, described) in enumerate(zip(values, graph)):
                proto = numpy_helper.from_array(np.asarray(value), described.name)
                (data / f"{kind}_{place}.pb").write_bytes(proto.SerializeToString())


def main() -> int:
    """Writes and imports all tests."""
    opcert, folder = sys.argv[1], Path(sys.argv[2])
    warnings.simplefilter("ignore", RuntimeWarning)  # ONNX makes tests of all its operators, overflows among them.
    tests = [
        test
        for test in load_model_tests(kind="node")
        if len(test.model.graph.node) == 1 and test.model.graph.node[0].op_type in OPERATORS
    ]
    wrong, refused = [], set()
    for test in tests:
        write(folder / test.name, test)
        ran = subprocess.run([opcert, "import", str(folder / test.name)], capture_output=True, text=True, check=False)
        if test.name in REFUSED and ran.returncode == 2 and REFUSED[test.name] in ran.stderr:
            refused.add(test.name)
        elif ran.returncode != 0 or not ran.stderr.startswith("1 case imported; the files have the same values for 1,"):
            wrong.append(f"{test.name}: exit code {ran.returncode}\n{ran.stderr}")
    wrong += [f"{name} was to be refused, and is not there or was not" for name in REFUSED.keys() - refused]
    agreeing = len(tests) - len(wrong) - len(refused)
    print("\n".join([*wrong, f"{len(tests)} of ONNX's tests: {agreeing} agree, {len(refused)} cannot be cases"]))
    return 1 if wrong or len(tests) != TESTS else 0


if __name__ == "__main__":
    sys.exit(main())
