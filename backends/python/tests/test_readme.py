"""The adapter that the README shows works as it stands."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

import numpy as np

from .conversation import Adapter


class Readme(unittest.TestCase):
    def test_its_adapter_answers(self) -> None:
        text = (Path(__file__).parents[1] / "README.md").read_text()
        [adapter_text, _] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        asked = {
            "operator": "directml/argmax",
            "level": "3_0",
            "tensors": [
                {"name": "InputTensor", "role": "input", "tensor": {"data_type": "f32", "sizes": [3, 3]}},
                {"name": "OutputTensor", "role": "output", "tensor": {"data_type": "u32", "sizes": [1, 3]}},
            ],
            "attributes": [
                {"name": "AxisCount", "value": {"integer": 1}},
                {"name": "Axes", "value": {"integers": [0]}},
                {"name": "AxisDirection", "value": {"enumerator": "DML_AXIS_DIRECTION_INCREASING"}},
            ],
        }
        with Adapter(adapter_text) as adapter:
            adapter.run(asked, {"InputTensor": np.array([[1, 2, 3], [3, 0, 4], [2, 5, 2]], np.float32)})
            _, outputs = adapter.receive()
        # Example 1 of the operator's page.
        self.assertEqual(outputs["OutputTensor"].tolist(), [[1, 2, 1]])


if __name__ == "__main__":
    unittest.main()
