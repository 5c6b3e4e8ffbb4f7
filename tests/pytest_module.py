"""Tests the pytest module as somebody would use it: a small backend of NumPy's with a wrong element, and what pytest says of it.

Takes opcert's path, and the module is the one in backends/python; without a path both are those that are installed. Needs pytest,
NumPy and ml_dtypes."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = len(sys.argv) == 1
WRONG = ("return operator.outputs(np", "return wrong(operator, np")
HELPER = '''

def wrong(operator, found):
    """The third element is one too high."""
    if found.size > 2:
        found.flat[2] += 1
    return operator.outputs(found)
'''
FAILS_ONCE = """#!{python}
# opcert, but that the first time it judges it says nothing that can be read.
import os, sys
if sys.argv[1] == "judge" and not os.path.exists(__file__ + ".did"):
    open(__file__ + ".did", "w").close()
    sys.exit(3)
os.execv({opcert!r}, ["opcert", *sys.argv[1:]])
"""
KNOWN = """expectations:
  - case: directml/argmax/documented/example_1
    outcome: fail
    reason: the third element is one too high
"""


def printed() -> tuple[str, str]:
    """The adapter that the module's README prints, and its tests."""
    text = (ROOT / "backends/python/README.md").read_text()
    [adapter, tests] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return adapter, tests


def run(folder: Path, opcert: str | None, *arguments: str, options: str = "") -> tuple[int, str]:
    tests = printed()[1].replace("conformance(backend)", f"conformance(backend{options})")
    (folder / "test_conformance.py").write_text(tests)
    paths = ([str(ROOT / "backends/python/src")] if not INSTALLED else []) + [str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}
    environment.pop("OPCERT", None)
    if opcert:
        environment["OPCERT"] = opcert
    command = [sys.executable, "-m", "pytest", "-q", "-rsx", "-p", "no:cacheprovider", *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def expect(holds: bool, said: str) -> None:
    if not holds:
        sys.exit(f"not as expected:\n{said}")


def main() -> None:
    opcert = None if INSTALLED else os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        right, _ = printed()
        (folder / "adapter.py").write_text(right)
        code, said = run(folder, opcert, "-k", "documented")
        expect(code == 0 and "4 passed, 1 skipped" in said, said)
        expect("argmax takes the first of equal elements" in said, said)

        expect(WRONG[0] in right, right)
        (folder / "adapter.py").write_text(right.replace(*WRONG) + HELPER)
        code, said = run(folder, opcert, "-k", "documented")
        expect(code == 1 and "2 failed, 2 passed, 1 skipped" in said, said)
        expect("`OutputTensor` at [0, 2] is 2, expected 1" in said and "  + [[1, 2, 2]]" in said, said)

        # By its id, and with what is known.
        code, said = run(folder, opcert, "-k", "documented/example_3")
        expect(code == 0 and "1 passed" in said, said)
        (folder / "known.yaml").write_text(KNOWN)
        code, said = run(folder, opcert, "-k", "documented/example_1", options=", expectations='known.yaml'")
        expect(code == 0 and "1 xfailed" in said and "one too high" in said, said)

        # What begins above the claim is skipped, whether or not anything else is picked.
        (folder / "adapter.py").write_text(right.replace('"6_4"', '"3_0"'))
        code, said = run(folder, opcert, "-k", "by_hand and int64_lowest")
        expect(code == 0 and "1 skipped" in said and "it begins at 4_1, and 3_0 is claimed" in said, said)
        (folder / "adapter.py").write_text(right)

        # Nothing is skipped because something else went wrong, or because it was never asked.
        (folder / "fails_once").write_text(FAILS_ONCE.format(python=sys.executable, opcert=opcert or shutil.which("opcert")))
        (folder / "fails_once").chmod(0o755)
        code, said = run(folder, str(folder / "fails_once"), "-k", "documented")
        expect(code == 1 and "5 failed" in said and "skipped" not in said, said)
        (folder / "test_borrowed.py").write_text("from test_conformance import test_conformance\n")
        one, other = (f"test_conformance[directml/argmax/documented/example_{number}]" for number in (1, 3))
        code, said = run(folder, opcert, f"test_conformance.py::{one}", f"test_borrowed.py::{other}")
        expect(code == 1 and "1 failed, 1 passed" in said and "was not asked" in said, said)

        # What comes to nothing says why.
        code, said = run(folder, opcert, options=", 'directml/one_hot/*'")
        expect(code == 2 and "no case of what 'mine' claims is picked" in said, said)
        code, said = run(folder, str(folder / "missing"))
        expect(code == 2 and "is not found: install it, or name it" in said, said)
    print("a test per case, the diff, skips, known failures, two errors")


if __name__ == "__main__":
    main()
