"""A test per case, for backends that are tested with pytest::

    # test_conformance.py
    from opcert_backend.pytest import conformance

    from adapter import backend

    test_conformance = conformance(backend)

Each test has the id of its case, and `-k` picks by it. What a backend does not support is skipped with its reason, known
failures are expected to fail, and a failure is what `opcert` prints of it. The cases leave opcert as files, are answered in
this process, and go back to be judged: breakpoints hold, and a crash is one of pytest's own. Each case is asked at the
highest feature level that is claimed; `opcert certify` asks the others too, and contains crashes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .answering import Answering
from .backend import Backend

Event = dict[str, Any]

_MOST_IDS = 200
"""So many cases are named one by one; for more of them all that a claim covers is asked."""


def conformance(
    backend: Backend,
    *filters: str,
    expectations: str | os.PathLike[str] | None = None,
    opcert: str | os.PathLike[str] | None = None,
) -> Callable[..., None]:
    """A test function that pytest runs once per case of what `backend` claims.

    `filters` are those of `opcert list`: globs over case ids, `level:3_0`, `type:FLOAT16`. `expectations` is a file of known
    failures. `opcert` is the program: the one that the variable OPCERT names, or the one on the path, if nothing is said.
    """
    if contradiction := backend.contradiction():
        raise pytest.UsageError(contradiction)
    suite = _Suite(backend, filters, expectations, _program(opcert))
    cases = suite.cases()
    if not cases:
        raise pytest.UsageError(f"no case of what {backend.name!r} claims is picked by {list(filters)}")

    @pytest.mark.parametrize("case", cases)
    def test(case: str, request: pytest.FixtureRequest) -> None:
        if not suite.asked:
            here = request.node.getparent(pytest.Module)
            name = request.node.originalname
            asked = [
                str(item.callspec.params["case"])
                for item in request.session.items
                if isinstance(item, pytest.Function)
                and item.originalname == name
                and item.getparent(pytest.Module) is here
            ]
            suite.judge(asked)
        _conclude(suite.event(case), suite.text)

    return test


class _Suite:
    """The cases of what a backend claims, and what came of those that were asked for."""

    def __init__(
        self, backend: Backend, filters: Sequence[str], expectations: str | os.PathLike[str] | None, opcert: str
    ) -> None:
        self._backend = backend
        self._filters = filters
        self._options = ["--expectations", os.path.abspath(expectations)] if expectations else []
        self._opcert = opcert
        self._folder = tempfile.TemporaryDirectory(prefix="opcert-")
        self._folders: list[Path] = []
        self._events: dict[str, Event] = {}
        self._levels: dict[str, str] = {}
        self._inexpressible: dict[str, str] = {}
        self._texts: dict[str, str] | None = None
        self._broke: BaseException | None = None
        self.asked: set[str] = set()

    def cases(self) -> list[str]:
        """The ids of the cases that are picked, of the default tier."""
        found = [self._listed(claim) for claim in self._backend.claims]
        return sorted({case for cases in found for case in cases})

    def judge(self, cases: Sequence[str]) -> None:
        """Answers these cases, and has what came out judged. What breaks on the way breaks every test that follows."""
        self.asked = set(cases)
        try:
            self._judge(cases)
        except BaseException as broke:
            self._broke = broke
            raise

    def _judge(self, cases: Sequence[str]) -> None:
        for claim, level in self._backend.claims.items():
            asked = [case for case in cases if self._claim_of(case) == claim and not self._is_above(case, level)]
            if not asked:
                continue
            folder = Path(self._folder.name, claim.replace("/", "-"))
            terms = asked if len(asked) <= _MOST_IDS else [f"{claim}/*"]
            self._said("export", "--format", "npy", "--level", level, str(folder), *terms, may_fail=False)
            manifest = json.loads((folder / "opcert.json").read_text(encoding="utf-8"))
            self._inexpressible |= manifest.get("inexpressible", {})
            Answering(self._backend, folder, anew=False).answer_all()
            log = self._said("judge", str(folder), "--format", "jsonl", *self._options, may_fail=True)
            self._folders.append(folder)
            events = [json.loads(line) for line in log.splitlines()]
            self._events |= {event["case"]: event for event in events if event["event"] == "case"}

    def _claim_of(self, case: str) -> str:
        """The claim that says how high a case is asked: that of its operator before that of its family."""
        family, operator = case.split("/")[:2]
        own = f"{family}/{operator}"
        return own if own in self._backend.claims else family

    def event(self, case: str) -> Event:
        """What came of a case. One that is not claimed is skipped with the reason; one of which nothing came fails."""
        if self._broke is not None:
            raise self._broke
        if case in self._events:
            return self._events[case]
        if case in self._inexpressible:
            pytest.skip(self._inexpressible[case])
        level = self._backend.claims[self._claim_of(case)]
        if case in self.asked and self._is_above(case, level):
            pytest.skip(f"it begins at {self._levels[case]}, and {level} is claimed")
        why = "was asked and is not judged" if case in self.asked else "was not asked: each module has a `conformance` of its own"
        pytest.fail(f"{case} {why}", pytrace=False)

    def _is_above(self, case: str, claimed: str) -> bool:
        """Whether a case begins above a level. Where levels are no numbers, opcert tells."""
        numbers = [re.split(r"[._]", level) for level in (self._levels[case], claimed)]
        if not all(number.isdecimal() for each in numbers for number in each):
            return False
        begins, level = (list(map(int, each)) for each in numbers)
        return begins > level

    def text(self, case: str) -> str:
        """What opcert prints of a case that failed, without the command that repeats it elsewhere."""
        if self._texts is None:
            self._texts = {}
            failed, lines = "", list[str]()
            for folder in self._folders:
                for line in self._said("judge", str(folder), *self._options, may_fail=True).splitlines():
                    words = line.split()[:2]
                    if len(words) == 2 and words[0] == self._events.get(words[1], {}).get("outcome"):
                        failed, lines = words[1], []
                    if line.startswith("  repeat "):
                        self._texts[failed] = "\n".join(lines)
                    lines.append(line)
        return self._texts.get(case, "")

    def _listed(self, claim: str) -> list[str]:
        listed = json.loads(self._said("list", "--format", "json", f"{claim}/*", may_fail=False))["cases"]
        self._levels |= {case["case"]: case["level"] for case in listed}
        ids = {case["case"] for case in listed if not case["large"]}
        if self._filters:
            picked = json.loads(self._said("list", "--format", "json", *self._filters, may_fail=False))["cases"]
            ids &= {case["case"] for case in picked}
        return sorted(ids)

    def _said(self, *arguments: str, may_fail: bool) -> str:
        ran = subprocess.run([self._opcert, *arguments], capture_output=True, text=True, encoding="utf-8")
        # 1 is a failure of a case, 4 an answer that is missing.
        if ran.returncode not in ((0, 1, 4) if may_fail else (0,)):
            raise pytest.UsageError(f"opcert {' '.join(arguments[:4])} …: {ran.stderr.strip()}")
        return ran.stdout


def _conclude(event: Event, text: Callable[[str], str]) -> None:
    """Makes of an outcome what pytest knows of such."""
    outcome, reason = event["outcome"], event.get("reason", "")
    if outcome in ("pass", "observed"):
        return
    if outcome == "unsupported":
        pytest.skip(reason)
    if outcome == "not-run":
        pytest.skip(reason or "it is not claimed")
    if outcome == "expected-failure":
        pytest.xfail(event["waiver"].get("reason") or event["waiver"]["outcome"])
    pytest.fail(text(event["case"]) or f"{outcome}: {reason}", pytrace=False)


def _program(named: str | os.PathLike[str] | None) -> str:
    given = named or os.environ.get("OPCERT")
    found = shutil.which(os.fspath(given) if given else "opcert")
    if found is None:
        what = f"`{os.fspath(given)}` is not found" if given else "`opcert` is not on the path"
        raise pytest.UsageError(f"{what}: install it, or name it by the variable OPCERT or by `opcert=`")
    return os.path.abspath(found)
