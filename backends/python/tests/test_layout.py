"""What an adapter may do to tensors changes no element."""

from __future__ import annotations

import itertools
import unittest

import numpy as np
from opcert_backend import AxesAsOne, Unsupported, exactly_as, padded_rows


class SeveralAxes(unittest.TestCase):
    def test_elements_lie_in_row_major_order_over_the_axes(self) -> None:
        sizes = (2, 3, 4, 5)
        array = np.arange(120).reshape(sizes)
        for count in range(1, 5):
            for axes in itertools.combinations(range(4), count):
                with self.subTest(axes=axes):
                    reduction = AxesAsOne(sizes, axes)
                    moved = reduction.of(array)
                    self.assertEqual(moved.shape, reduction.shape)
                    kept = [axis for axis in range(4) if axis not in axes]
                    for place in np.ndindex(*(sizes[axis] for axis in kept)):
                        index: list[int | slice] = [slice(None)] * 4
                        for axis, at in zip(kept, place):
                            index[axis] = at
                        expected = array[tuple(index)].ravel()
                        np.testing.assert_array_equal(np.moveaxis(moved, reduction.axis, -1)[place], expected)

    def test_a_single_axis_stays_where_it_is(self) -> None:
        array = np.zeros((2, 3, 4))
        reduction = AxesAsOne(array.shape, [1])
        self.assertEqual((reduction.shape, reduction.axis), ((2, 3, 4), 1))
        self.assertIs(reduction.of(array), array)

    def test_axes_that_leave_a_choice_are_unsupported(self) -> None:
        for axes in ([], [1, 0], [1, 1]):
            with self.subTest(axes=axes), self.assertRaises(Unsupported):
                AxesAsOne((2, 3), axes)


class Integers(unittest.TestCase):
    def test_what_fits_arrives(self) -> None:
        for source, target in itertools.product("bBhHiIlL", repeat=2):
            array = np.array([0, 1, 127], source)
            result = exactly_as(array, target)
            self.assertEqual(result.dtype, np.dtype(target))
            self.assertEqual(result.tolist(), [0, 1, 127])

    def test_what_does_not_fit_raises(self) -> None:
        for value, source, target in [
            (-1, np.int64, np.uint32),
            (-1, np.int64, np.uint64),
            (1 << 32, np.int64, np.uint32),
            (1 << 31, np.int64, np.int32),
            (1 << 63, np.uint64, np.int64),
        ]:
            with self.subTest(value=value, target=target), self.assertRaises(OverflowError):
                exactly_as(np.array([0, value], source), target)


class Rows(unittest.TestCase):
    def test_rows_are_added_below(self) -> None:
        rows = np.array([[1, 2], [3, 4]], np.uint32)
        self.assertEqual(padded_rows(rows, 3).tolist(), [[1, 2], [3, 4], [0, 0]])
        self.assertEqual(padded_rows(rows, 2).tolist(), rows.tolist())

    def test_rows_are_never_dropped(self) -> None:
        with self.assertRaises(ValueError):
            padded_rows(np.zeros((3, 2)), 2)


if __name__ == "__main__":
    unittest.main()
