"""The driver on workers that measure nothing: real processes that answer as they are told."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from driver.measure import LEAST_COPIED, MEMCPY, OPCERT, Entry, Row, measure, order_of
from driver.report import Results, duration, render
from driver.worker import Program, Worker, WorkerFailed
from driver.workloads import argmax

WORK = argmax("f32", (64, 64), 1)


def fake(name: str, seconds: float, *arguments: str, digest: str = "same", timeout: float = 10) -> Worker:
    """A worker whose calls take so long, as it says."""
    file = Path(__file__).parent / "fake_worker.py"
    return Worker(Program(name, [sys.executable, file, str(seconds), digest, *arguments]), timeout)


class Measured(unittest.TestCase):
    def measure(self, *workers: Worker, rounds: int = 3) -> Row:
        for worker in workers:
            self.addCleanup(worker.stop)
        return measure(workers, WORK, rounds, pause=lambda seconds: None)

    def report(self, row: Row, *workers: Worker) -> str:
        says = {worker.program.name: worker.started for worker in workers}
        return render(Results({"cores": "2"}, 2, 3, says, {"absent": "backends/absent/setup"}, {}, [row]))

    def test_ratios_and_shares_follow_from_the_times(self) -> None:
        # opcert moves 2 MiB in 10 ms, and memcpy 128 MiB in 160 ms: 4 times as much per second.
        workers = fake(OPCERT, 0.010), fake(MEMCPY, 0.160), fake("slow", 0.030), fake("fast", 0.025)
        row = self.measure(*workers)
        self.assertEqual(row.entries[MEMCPY].bytes_moved, 2 * LEAST_COPIED)
        self.assertEqual(row.best_peer, "fast")
        self.assertAlmostEqual(row.ratio("fast") or 0, 2.5)
        self.assertAlmostEqual(row.ratio("slow") or 0, 3.0)
        self.assertAlmostEqual(row.share or 0, 0.25)
        text = self.report(row, *workers)
        for expected in ("10.0 ms ± 0%", "0.25", "**25.0 ms · 2.50**", "30.0 ms · 3.00", "`backends/absent/setup`"):
            self.assertIn(expected, text)

    def test_short_calls_are_repeated(self) -> None:
        row = self.measure(fake(OPCERT, 1e-6))
        self.assertGreaterEqual(row.entries[OPCERT].repetitions, 10_000)
        self.assertAlmostEqual(row.entries[OPCERT].median, 1e-6)

    def test_calls_that_do_not_count_go_before_those_that_do(self) -> None:
        for seconds, uncounted in [(1e-6, 30_000), (0.01, 3), (1, 1)]:
            entry = self.measure(fake(OPCERT, seconds)).entries[OPCERT]
            self.assertEqual(entry.uncounted, uncounted)
            self.assertAlmostEqual(entry.median, seconds)

    def test_an_answer_unlike_the_others_does_not_count(self) -> None:
        workers = fake(OPCERT, 0.010), fake("right", 0.030), fake("wrong", 0.001, digest="other")
        row = self.measure(*workers)
        self.assertEqual([name for name, entry in row.entries.items() if entry.differs], ["wrong"])
        self.assertEqual(row.best_peer, "right")
        self.assertIn("*differs*", self.report(row, *workers))

    def test_opcert_too_can_be_the_one_that_differs(self) -> None:
        row = self.measure(fake(OPCERT, 0.010, digest="other"), fake("a", 0.030), fake("b", 0.030))
        self.assertIsNone(row.opcert)
        self.assertIsNone(row.ratio("a"))

    def test_what_is_unsupported_is_left_out_with_the_reason(self) -> None:
        workers = fake(OPCERT, 0.010), fake("poor", 0.001, "prepare:unsupported")
        row = self.measure(*workers)
        self.assertEqual(row.entries["poor"].failure, "unsupported: no such type")
        self.assertIsNone(row.best_peer)
        self.assertIn("no such type (argmax f32 64×64, axis 1)", self.report(row, *workers))

    def test_others_go_on_after_one_that_dies(self) -> None:
        for request in ("prepare", "run", "drop"):
            with self.subTest(request=request):
                row = self.measure(fake(OPCERT, 0.010), fake("mortal", 0.001, f"{request}:die"), fake("b", 0.020))
                self.assertEqual(row.entries["mortal"].failure, "ended with code 3: out of luck")
                self.assertEqual(len(row.entries["b"].seconds), 3)
                self.assertEqual(row.best_peer, "b")

    def test_one_that_died_is_started_again_for_the_next_workload(self) -> None:
        mortal = fake("mortal", 0.001, "drop:die")
        for _ in range(2):
            row = self.measure(fake(OPCERT, 0.010), mortal)
            self.assertEqual(len(row.entries["mortal"].seconds), 3)

    def test_silence_and_nonsense_are_failures(self) -> None:
        row = self.measure(
            fake(OPCERT, 0.010), fake("silent", 1, "run:hang", timeout=0.5), fake("odd", 1, "run:mumble")
        )
        self.assertEqual(row.entries["silent"].failure, "gave no answer within 0.5 s")
        self.assertEqual(row.entries["odd"].failure, "answered `good morning`, which is no message")

    def test_every_order_holds_all_and_none_always_follows_the_same(self) -> None:
        workers = [fake(name, 1) for name in "abcd"]
        orders = ["".join(worker.program.name for worker in order_of(workers, turn)) for turn in range(4)]
        self.assertEqual(orders, ["abcd", "adcb", "cdab", "cbad"])

    def test_a_program_that_is_not_there_does_not_start(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(WorkerFailed, "No such file"):
            Worker(Program("none", [f"{folder}/none"])).start()


class Figures(unittest.TestCase):
    def test_times_have_three_digits(self) -> None:
        for seconds, expected in [
            (1.5, "1.50 s"),
            (0.9999, "1.00 s"),
            (0.01234, "12.3 ms"),
            (0.1234, "123 ms"),
            (4.56e-6, "4.56 µs"),
            (36.6e-9, "36.6 ns"),
            (1.95e-9, "1.95 ns"),
        ]:
            self.assertEqual(duration(seconds), expected)

    def test_the_spread_is_half_of_the_middle_half(self) -> None:
        self.assertAlmostEqual(Entry(seconds=[1, 9, 10, 11, 100]).spread, 0.1)
        self.assertEqual(Entry(seconds=[3]).spread, 0)


if __name__ == "__main__":
    unittest.main()
