"""Whether a backend gets the same verdict, case by case, live and by way of files.

Usage: `python same_verdict.py LIVE CARRIED [--export EXPORT]`. LIVE and CARRIED are event logs, `events.jsonl` in what
`opcert certify --out` and `opcert judge --out` write.

Every case of CARRIED must have the same outcome in LIVE, but for those that EXPORT, the folder that was judged, lists as
inexpressible: they never left. Differences are listed by kind; the exit code is 1 if there are any, or nothing to
compare.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any


def cases(log: Path) -> dict[str, Any]:
    """The events of the cases in a log, by their ids. A log that ends before its time is an error."""
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    if not events or events[-1]["event"] != "footer":
        raise SystemExit(f"{log} has no footer")
    return {event["case"]: event for event in events if event["event"] == "case"}


def verdict(event: Any) -> str:
    """The outcome, and the one behind it where a known failure was let pass."""
    waiver = event.get("waiver") or {}
    return " ".join(filter(None, [event["outcome"], waiver.get("outcome")]))


def main() -> int:
    """Compares two logs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("live", type=Path)
    parser.add_argument("carried", type=Path)
    parser.add_argument("--export", type=Path)
    arguments = parser.parse_args()
    live, carried = cases(arguments.live), cases(arguments.carried)
    left_out: set[str] = set()
    if arguments.export:
        manifest = json.loads((arguments.export / "opcert.json").read_text(encoding="utf-8"))
        left_out = set(manifest.get("inexpressible", {}))
    same: Counter[str] = Counter()
    differing: dict[str, list[str]] = {}
    for case, event in carried.items():
        if case in left_out:
            continue
        here, there = verdict(live[case]) if case in live else "nothing", verdict(event)
        if here == there:
            same[here] += 1
            continue
        reasons = (each.get("reason") for each in (live.get(case, {}), event))
        kind = f"live {here}, carried {there}"
        differing.setdefault(kind, []).append("; ".join([case, *filter(None, reasons)]))
    for kind, found in sorted(differing.items()):
        print(f"{len(found)} cases: {kind}")
        print("".join(f"  {each}\n" for each in found), end="")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(same.items()))
    print(f"{same.total()} cases have the same verdict ({counts}), {sum(map(len, differing.values()))} another one")
    return 1 if differing or not same else 0


if __name__ == "__main__":
    sys.exit(main())
