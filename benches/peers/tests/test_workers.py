"""What workers in Python share. Needs NumPy, as they do."""

from __future__ import annotations

import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "workers"))

import numpy as np
from data import digest, indices, mixed, searched, sparse
from serving import Runtime, Task, Way, prepare

ARGMAX = Task("argmax", "u8", (2, 3), 1, axes=(1,))


def broken() -> None:
    """A call of which a runtime wants nothing to know."""
    raise ValueError("\n no kernel\n for this")


class Data(unittest.TestCase):
    def test_numbers_are_those_of_splitmix64(self) -> None:
        # Its first two outputs from the state 0, as published with the algorithm.
        states = np.array([0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A], np.uint64)
        self.assertEqual([hex(int(value)) for value in mixed(states)], ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"])
        self.assertEqual(searched("i64", [2], 0).view(np.uint64).tolist(), mixed(states).tolist())

    def test_values_fit_their_type(self) -> None:
        for data_type, largest in (("f32", 1 << 23), ("f16", 1 << 10)):
            values = searched(data_type, [100_000], 1).astype(np.float64)
            self.assertTrue((values == values.astype(np.int64)).all())
            self.assertTrue(-largest <= values.min() < -0.9 * largest and 0.9 * largest < values.max() < largest)

    def test_density_and_depth_are_those_asked_for(self) -> None:
        for density in (1, 50, 100):
            share = np.count_nonzero(sparse("f16", [400, 250], density, 1)) / 1000
            self.assertAlmostEqual(share, density, delta=1)
        self.assertEqual(set(indices([1000], 7, 1, np.int32).tolist()), set(range(7)))

    def test_the_digest_knows_values_and_places_beyond_a_chunk(self) -> None:
        answer = np.arange(200_000)
        for changed in (0, 70_000, 199_999):
            other = answer.copy()
            other[changed] += 1
            self.assertNotEqual(digest(other), digest(answer))
        self.assertNotEqual(digest(answer[::-1]), digest(answer))
        self.assertEqual(digest(answer.astype(np.float64)), digest(answer))


class Ways(unittest.TestCase):
    def test_the_fastest_that_works_is_taken(self) -> None:
        def ways(task: Task) -> Iterator[Way]:
            x = task.input()
            yield Way("broken", lambda: broken, 6)
            yield Way("slow", lambda: lambda: [np.argmax(x, 1) for _ in range(1000)].pop(), 6)
            yield Way("quick", lambda: lambda: np.argmax(x, 1), 6)

        chosen, answer = prepare(Runtime("A", "1", "none", {"argmax": ways}), ARGMAX, None)
        self.assertTrue(chosen)
        self.assertEqual((answer["call"], answer["bytes_written"], answer["output_types"]), ("quick", 16, ["i64"]))

    def test_a_wrong_answer_is_taken_only_if_there_is_no_right_one(self) -> None:
        def ways(task: Task) -> list[Way]:
            right = Way("right", lambda: lambda: [np.array([1, 2]) for _ in range(1000)].pop(), 6)
            return [Way("wrong", lambda: lambda: np.array([2, 1]), 6), right]

        runtime = Runtime("A", "1", "none", {"argmax": ways})
        for expected, call in ((digest(np.array([1, 2])), "right"), (digest(np.array([7, 7])), "wrong")):
            self.assertEqual(prepare(runtime, ARGMAX, expected)[1]["call"], call)

    def test_reasons_are_told_if_none_works(self) -> None:
        runtime = Runtime("A", "1", "none", {"argmax": lambda task: [Way("broken", lambda: broken, 6)]})
        self.assertEqual(prepare(runtime, ARGMAX, None)[1], {"type": "unsupported", "reason": "broken: no kernel"})
        answer = prepare(runtime, Task("nonzero", "u8", (2,), 1), None)[1]
        self.assertEqual(answer, {"type": "unsupported", "reason": "there is no `nonzero`"})

    def test_columns_and_rows_of_coordinates_are_one_answer(self) -> None:
        task = Task("nonzero", "u8", (20, 30), 1, density=50)

        def by(name: str) -> str:
            function, x = getattr(np, name), task.input()
            way = Way(name, lambda: lambda: function(x), x.nbytes)
            return str(prepare(Runtime("A", "1", "none", {"nonzero": lambda _: [way]}), task, None)[1]["digest"])

        self.assertEqual(by("nonzero"), by("argwhere"))


if __name__ == "__main__":
    unittest.main()
