"""The command: which workers there are, and what is done with them."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .machine import describe
from .measure import MEMCPY, OPCERT, Row, measure
from .report import Results, digits, duration, render
from .worker import Program, Worker, WorkerFailed
from .workloads import WORKLOADS

PEERS = Path(__file__).resolve().parents[1]
ROOT = PEERS.parents[1]
BUILD = ["cargo", "build", "--release", "--locked", "--example", "peer", "--message-format", "json-render-diagnostics"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and writes the report; the exit code."""
    asked = parser().parse_args(arguments)
    cores = sorted(os.sched_getaffinity(0))
    if asked.threads > len(cores):
        return refuse(f"--threads is {asked.threads}, and there are {len(cores)} cores")
    workloads = [workload for workload in WORKLOADS if asked.workload in workload.title]
    if not workloads:
        titles = "; ".join(workload.title for workload in WORKLOADS)
        return refuse(f"no workload contains `{asked.workload}`: they are {titles}")
    installed, missing = found_peers()
    unknown = set(asked.only) - installed.keys() - missing.keys()
    if unknown:
        known = ", ".join(sorted(installed.keys() | missing.keys()))
        return refuse(f"`{min(unknown)}` is no peer: they are {known}")
    built = build()
    if built is None:
        return refuse("opcert's CPU backend does not build")
    # The workers inherit it, so that no runtime has more cores than it should have threads.
    os.sched_setaffinity(0, cores[: asked.threads])
    programs = [Program(name, [built, str(asked.threads)]) for name in (OPCERT, MEMCPY)]
    chosen = [name for name in installed if not asked.only or name in asked.only]
    programs += [
        Program(name, [installed[name], PEERS / "workers" / f"{name}_worker.py", str(asked.threads)]) for name in chosen
    ]
    failed: dict[str, str] = {}
    workers = started(programs, failed)
    if OPCERT in failed:
        return refuse(f"opcert's CPU backend does not start: {failed[OPCERT]}")
    rows = []
    try:
        for workload in workloads:
            rows.append(measure(workers, workload, asked.rounds))
            print(summary(rows[-1]), file=sys.stderr)
    finally:
        for worker in workers:
            worker.stop()
    says = {worker.program.name: worker.started for worker in workers}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(render(Results(describe(), asked.threads, asked.rounds, says, missing, failed, rows)))
    print(f"written to {asked.out}", file=sys.stderr)
    # The report tells of everything else that went wrong.
    return 0 if all(row.opcert for row in rows) else 1


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    parser = argparse.ArgumentParser(
        prog="benches/peers/run",
        description="Measures opcert's CPU backend, memcpy and other runtimes on the same work, in turns, and writes a "
        "report. A peer is there once `backends/NAME/setup` has been run; those that are not are named.",
        epilog="The machine should be quiet and have 16 GiB of memory. All of it takes about a quarter of an hour.",
    )
    parser.add_argument("--rounds", type=positive, default=9, help="how often each takes its turn (default: 9)")
    parser.add_argument("--threads", type=positive, default=2, help="how many each may use (default: 2)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these peers only: numpy jax …")
    parser.add_argument(
        "--workload", default="", metavar="TEXT", help="those only whose name contains this: 'nonzero f32'"
    )
    default = ROOT / "reports" / "performance.md"
    parser.add_argument(
        "--out", type=Path, default=default, metavar="FILE", help="the report (default: reports/performance.md)"
    )
    return parser


def positive(text: str) -> int:
    """A number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"is {number}, expected 1 at least")
    return number


def refuse(reason: str) -> int:
    """Says why nothing is measured; the exit code."""
    print(f"error: {reason}", file=sys.stderr)
    return 2


def build() -> str | None:
    """The program that runs opcert's CPU backend and memcpy; none if it does not build."""
    done = subprocess.run(BUILD, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    built = [
        message["executable"] for message in map(json.loads, done.stdout.splitlines()) if message.get("executable")
    ]
    return str(built[-1]) if done.returncode == 0 else None


def found_peers() -> tuple[dict[str, Path], dict[str, str]]:
    """The Python of each peer that is installed, and the command that installs each that is not."""
    installed, missing = {}, {}
    for file in sorted((PEERS / "workers").glob("*_worker.py")):
        name = file.stem.removesuffix("_worker")
        python = ROOT / "backends" / name / ".venv" / "bin" / "python"
        if python.exists():
            installed[name] = python
        else:
            missing[name] = f"backends/{name}/setup"
    return installed, missing


def started(programs: Sequence[Program], failed: dict[str, str]) -> list[Worker]:
    """The workers that start; why the others do not goes to `failed`."""
    workers = []
    for program in programs:
        worker = Worker(program)
        try:
            worker.start()
        except WorkerFailed as error:
            failed[program.name] = str(error)
            print(f"{program.name}: {error}", file=sys.stderr)
        else:
            workers.append(worker)
    return workers


def summary(row: Row) -> str:
    """A line about a workload."""
    parts = [f"{row.workload.title}:"]
    parts.append(f"{duration(row.opcert.median)}" if row.opcert else "opcert-cpu failed or differs")
    if row.share is not None and not row.workload.is_small:
        parts.append(f"{row.share:.2f} of memcpy")
    if row.best_peer and (ratio := row.ratio(row.best_peer)):
        parts.append(f"{row.best_peer} takes {digits(ratio)} times as long")
    parts += [f"[{name} differs]" for name, entry in row.entries.items() if entry.differs]
    parts += [f"[{name}: {entry.failure}]" for name, entry in row.entries.items() if entry.failure]
    return " ".join(parts)
