"""Runs the definitions over case files or samples: `python -m opinions.interpreter [DIR | --samples FILE]
[--specs DIR]`; see ../README.md.
"""

from __future__ import annotations

import argparse
import gc
import sys
from pathlib import Path

from opinions.interpreter.cases import run_cases
from opinions.interpreter.samples import run_samples
from opinions.interpreter.specifications import operators

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    """Runs the definitions, prints the differences and a summary, and gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m opinions.interpreter", description="The definitions, run by CPython.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "cases", help="case files")
    parser.add_argument("--samples", type=argparse.FileType(), metavar="FILE", help="JSON lines instead; - is the input")
    parser.add_argument("--specs", type=Path, default=ROOT / "specs", metavar="DIR", help="specifications")
    parser.add_argument("--at-most", type=int, metavar="N", help="leave cases of more elements to another run")
    arguments = parser.parse_args()
    if arguments.samples:
        gc.disable()  # Many small lists, none of which refers to itself.
        return run_samples(operators(arguments.specs), arguments.samples)
    return run_cases(arguments.specs, arguments.folder, arguments.at_most)


if __name__ == "__main__":
    sys.exit(main())
