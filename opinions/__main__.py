"""Holds case files against the opinions: `python -m opinions [DIR]`; README.md says what is compared."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import yaml
from opinions.reading import read_yaml
from opinions.review import Review


def main() -> int:
    """Reviews all files below a folder, prints the disagreements and a summary, and gives the exit code."""
    parser = argparse.ArgumentParser(description="Another opinion on case files.")
    beside = Path(__file__).resolve().parent.parent / "cases"
    parser.add_argument("folder", nargs="?", type=Path, default=beside)
    folder: Path = parser.parse_args().folder
    counts: Counter[str] = Counter()
    errors = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

    def disagree(place: str, what: str, expected: str, third: str) -> None:
        print(f"{place}: {what}: the file has {expected}; third opinion: {third}")
        counts["disagreements"] += 1

    for path in sorted(folder.rglob("*.yaml")):
        place = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in place.split("/")):
            continue
        try:
            file = read_yaml(path)
            review = Review(file["operator"], dict(file["cases"]))
        except errors as error:
            disagree(place, "file", "something unreadable", " ".join(str(error).split()))
            continue
        for name, case in review.cases.items():
            try:
                for difference in review.case(case):
                    disagree(f"{place}: {name}", *difference)
            except errors as error:
                disagree(f"{place}: {name}", "case", "something unreadable", repr(error))
            counts.update(["cases", review.kind])
    print(f"{counts['cases']} cases: {counts['values']} values, {counts['digests']} digests, "
          f"{counts['refusals']} refusals, {counts['accepted']} accepted, {counts['observed']} observed, "
          f"{counts['large']} large not computed; {counts['disagreements']} disagreements")
    return 1 if counts["disagreements"] or not counts["cases"] else 0


if __name__ == "__main__":
    sys.exit(main())
