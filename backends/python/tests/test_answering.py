"""An adapter that answers exported cases, as a process of its own on folders that are written here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from opcert_backend import DTYPES, Array

from .conversation import HEAD, SECONDS, STRIDED, descriptor, payload_of, tensors_of, with_strides

COPY = """
@backend.operator("directml/copy")
def copy(descriptor):
    return lambda inputs: inputs["X"]
"""

MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


class Answering(unittest.TestCase):
    """A folder with an export, and an adapter."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "export"
        self.folder.mkdir()
        self.carried = "npy"
        self.cases = 0

    def ask(self, name: str, array: Array | None = MATRIX, operator: str = "directml/copy", **changes: Any) -> Path:
        """Adds a case that copies an array, or that is only to be compiled; its folder."""
        case = self.folder / "cases" / "directml" / "copy" / name
        case.mkdir(parents=True)
        asked: dict[str, Any] = {"case": f"directml/copy/{name}", "task": "compile" if array is None else "run"}
        if array is not None:
            data_type = next(name for name, dtype in DTYPES.items() if dtype == array.dtype)
            changes = {"data_type": data_type, "sizes": list(array.shape), **changes}
            together = self.carried == "safetensors"
            asked |= {"inputs": {"X": "inputs.safetensors" if together else "inputs/X.npy"}}
            asked |= {"outputs": {"Y": "outputs.safetensors" if together else "outputs/Y.npy"}}
            if together:
                (case / "inputs.safetensors").write_bytes(payload_of({"X": array}))
            else:
                (case / "inputs").mkdir()
                (case / "outputs").mkdir()
                np.save(case / "inputs" / "X.npy", array.view("V2") if data_type == "bf16" else array)
        asked["descriptor"] = descriptor(operator, **changes)
        (case / "case.json").write_text(json.dumps(asked))
        self.cases += 1
        manifest = {"format": 1, "carried": self.carried, "exported": self.cases}
        (self.folder / "opcert.json").write_text(json.dumps(manifest))
        return case

    def run_adapter(self, body: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs an adapter with `answer`, the folder and these arguments."""
        program = HEAD + textwrap.dedent(body) + "\nserve(backend)\n"
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
        command = [sys.executable, "-c", program, "answer", str(self.folder), *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=SECONDS)

    def answers(self, body: str, *arguments: str) -> str:
        """Runs an adapter, which succeeds; what it said."""
        ran = self.run_adapter(body, *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def answer(self, case: Path) -> Any:
        """What is in the answer."""
        return json.loads((case / "answer.json").read_text())

    def refuses(self, body: str, part: str, *arguments: str) -> None:
        """Runs an adapter, which cannot begin and says why."""
        ran = self.run_adapter(body, *arguments)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn(part, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)


class Answers(Answering):
    """What is written for each answer."""

    def test_outputs_of_two_runs_are_written(self) -> None:
        case = self.ask("plain")
        self.assertEqual(self.answers(COPY), "1 compiled")
        self.assertEqual(self.answer(case), "compiled")
        for run in ("outputs", "again"):
            np.testing.assert_array_equal(np.load(case / run / "Y.npy"), MATRIX, strict=True)
        identity = {
            "name": "mine",
            "version": "7",
            "device": "a device",
            "claims": {"directml": "3_0"},
            "strided": False,
            "refuses_invalid": True,
        }
        self.assertEqual(json.loads((self.folder / "backend.json").read_text()), identity)

    def test_every_type_is_read_and_written_in_npy(self) -> None:
        for case, array in self._every_type():
            for run in ("outputs", "again"):
                with self.subTest(case=case.name, run=run):
                    written = np.load(case / run / "Y.npy")
                    expected = np.dtype("V2") if array.dtype == DTYPES["bf16"] else array.dtype
                    self.assertEqual((written.dtype, written.shape), (expected, array.shape))
                    self.assertEqual(written.tobytes(), array.tobytes())

    def test_every_type_is_read_and_written_in_safetensors(self) -> None:
        self.carried = "safetensors"
        for case, array in self._every_type():
            for run in ("outputs", "again"):
                with self.subTest(case=case.name, run=run):
                    written = tensors_of((case / f"{run}.safetensors").read_bytes())["Y"]
                    self.assertEqual((written.dtype, written.shape), (array.dtype, array.shape))
                    self.assertEqual(written.tobytes(), array.tobytes())

    def test_an_operator_without_inputs_is_run_on_none_in_npy(self) -> None:
        case = self._filled()
        for run in ("outputs", "again"):
            np.testing.assert_array_equal(np.load(case / run / "Y.npy"), np.zeros_like(MATRIX), strict=True)

    def test_an_operator_without_inputs_is_run_on_none_in_safetensors(self) -> None:
        self.carried = "safetensors"
        case = self._filled()
        for run in ("outputs", "again"):
            written = tensors_of((case / f"{run}.safetensors").read_bytes())["Y"]
            np.testing.assert_array_equal(written, np.zeros_like(MATRIX), strict=True)

    def _filled(self) -> Path:
        """An answered case of an operator that only fills."""
        case = self.ask("plain", operator="directml/fill")
        asked = json.loads((case / "case.json").read_text())
        asked["descriptor"]["tensors"] = asked["descriptor"]["tensors"][1:]
        (case / "case.json").write_text(json.dumps(asked | {"inputs": {}}))
        body = """
        @backend.operator("directml/fill")
        def fill(descriptor):
            return lambda inputs: np.full((2, 3), len(inputs), "f4")
        """
        self.assertEqual(self.answers(body), "1 compiled")
        return case

    def _every_type(self) -> list[tuple[Path, Array]]:
        """Cases of every type, with what they copy; they are answered."""
        cases = []
        for data_type, dtype in DTYPES.items():
            for sizes in ([2, 3], [], [0, 4]):
                memory = bytes(i % 2 for i in range(int(np.prod(sizes)) * dtype.itemsize))
                array = np.frombuffer(memory, dtype).reshape(sizes)
                cases.append((self.ask(f"{data_type}_{'_'.join(map(str, sizes))}", array), array))
        self.assertEqual(self.answers(COPY), "39 compiled")
        return cases

    def test_what_is_only_compiled_has_no_outputs(self) -> None:
        case = self.ask("plain", None)
        self.answers(COPY)
        self.assertEqual(self.answer(case), "compiled")
        self.assertEqual(sorted(path.name for path in case.iterdir()), ["answer.json", "case.json"])

    def test_refusals_are_those_of_the_protocol(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            n = descriptor.integer("n")
            if n == 0:
                raise Unsupported("no zero")
            if n == 1:
                raise Rejected("`n` is odd", "directml/copy/even")
            if n == 2:
                raise Rejected("`n` is 2")
            if n == 3:
                raise MemoryError("3 bytes")
            raise KeyError(n)
        """
        cases = [self.ask(str(n), attributes=[{"name": "n", "value": {"integer": n}}]) for n in range(5)]
        self.assertEqual(self.answers(body), "1 unsupported, 2 rejected, 2 fault")
        self.assertEqual(self.answer(cases[0]), {"unsupported": {"reason": "no zero"}})
        rejected = {"requirement": "directml/copy/even", "reason": "`n` is odd"}
        self.assertEqual(self.answer(cases[1]), {"rejected": rejected})
        self.assertEqual(self.answer(cases[2]), {"rejected": {"reason": "`n` is 2"}})
        self.assertIn("MemoryError: 3 bytes", self.answer(cases[3])["fault"]["out_of_memory"])
        self.assertIn("KeyError: 4\n  at ", self.answer(cases[4])["fault"]["failed"])

    def test_a_run_that_breaks_is_a_fault_without_outputs(self) -> None:
        body = """
        runs = 0

        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                global runs
                runs += 1
                if runs == {}:
                    raise ValueError("no luck")
                return inputs["X"]
            return run
        """
        first = self.ask("first")
        self.answers(body.format(1))
        self.assertTrue(self.answer(first)["fault"]["failed"].startswith("ValueError: no luck\n  at "))
        second = self.ask("second")
        self.answers(body.format(2))
        self.assertTrue(self.answer(second)["fault"]["failed"].startswith("in the second run: ValueError: no luck"))
        for case in (first, second):
            self.assertFalse((case / "outputs").exists() or (case / "again").exists())

    def test_an_output_of_another_shape_says_which(self) -> None:
        case = self.ask("plain")
        self.answers(COPY.replace('inputs["X"]', 'inputs["X"].reshape(3, 2)'))
        self.assertEqual(self.answer(case)["fault"], {"other_sizes": {"tensor": "Y", "sizes": [3, 2]}})

    def test_another_shape_in_the_second_run_is_told_to_be_of_that(self) -> None:
        case = self.ask("plain")
        self.answers(COPY.replace('inputs["X"]', 'inputs["X"].reshape(next(SHAPES))').replace(
            "@backend", "SHAPES = iter([(2, 3), (3, 2)])\n\n@backend", 1))
        told = "in the second run: `Y` comes out with the sizes [3, 2]"
        self.assertEqual(self.answer(case)["fault"], {"failed": told})

    def test_an_output_of_another_type_is_a_fault_and_is_not_converted(self) -> None:
        case = self.ask("plain")
        self.answers(COPY.replace('inputs["X"]', 'inputs["X"].astype("f8")'))
        self.assertIn("`Y` came back as float64[2, 3], expected float32[2, 3]", self.answer(case)["fault"]["failed"])

    def test_each_run_reads_its_inputs_anew_and_may_overwrite_its_output(self) -> None:
        body = """
        held = np.zeros((2, 3), np.float32)

        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                held[:] = inputs["X"]
                inputs["X"][:] = 9
                return held
            return run
        """
        case = self.ask("plain")
        self.answers(body)
        for run in ("outputs", "again"):
            np.testing.assert_array_equal(np.load(case / run / "Y.npy"), MATRIX)

    def test_what_is_not_claimed_is_left_out(self) -> None:
        case = self.ask("plain", operator="openvino/copy")
        self.assertEqual(self.answers(COPY), "1 not claimed")
        self.assertFalse((case / "answer.json").exists())
        self.ask("other", operator="directml/other")
        claimed = self.ask("claimed")
        alone = 'backend.claims = {"directml/copy": "3_0"}\n' + COPY
        self.assertEqual(self.answers(alone, "--anew"), "1 compiled, 2 not claimed")
        self.assertEqual(self.answer(claimed), "compiled")

    def test_an_operator_that_is_not_claimed_cannot_be_registered(self) -> None:
        self.ask("plain")
        self.refuses('backend.claims = {"openvino": "1"}\n' + COPY, "`directml/copy` is registered and not claimed")

    def test_strided_tensors_are_the_bytes_of_their_memory(self) -> None:
        for self.carried, cases in (("npy", 1), ("safetensors", 1)):
            memory = np.array([1, 2, 9, 3, 4], np.uint8)
            case = self.ask(self.carried, memory)
            asked = json.loads((case / "case.json").read_text())
            for entry in asked["descriptor"]["tensors"]:
                entry["tensor"]["sizes"] = [2, 2]
            with_strides(asked["descriptor"], "X", [3, 1])
            with_strides(asked["descriptor"], "Y", [1, 3])
            (case / "case.json").write_text(json.dumps(asked))
            self.assertIn(f"{cases} compiled", self.answers(STRIDED + COPY))
            for run, poison in (("outputs", 0xA5), ("again", 0x5A)):
                written = (
                    np.load(case / run / "Y.npy")
                    if self.carried == "npy"
                    else tensors_of((case / f"{run}.safetensors").read_bytes())["Y"]
                )
                self.assertEqual(written.tolist(), [1, 3, poison, 2, 4])


class GoingOn(Answering):
    """What happens when it is run more than once."""

    def test_what_is_answered_is_not_asked_again(self) -> None:
        case = self.ask("first")
        self.answers(COPY)
        self.ask("second")
        (case / "outputs" / "Y.npy").unlink()
        self.assertEqual(self.answers(COPY), "1 answered before, 1 compiled")
        self.assertFalse((case / "outputs" / "Y.npy").exists())
        self.assertEqual(self.answers(COPY, "--anew"), "2 compiled")
        self.assertTrue((case / "outputs" / "Y.npy").exists())

    def test_an_answer_that_was_cut_off_is_given_anew(self) -> None:
        case = self.ask("plain")
        (case / "outputs" / "Y.npy").write_bytes(b"half of it")
        self.assertEqual(self.answers(COPY), "1 compiled")
        np.testing.assert_array_equal(np.load(case / "outputs" / "Y.npy"), MATRIX)

    def test_a_case_that_ends_the_program_twice_has_crashed(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            return lambda inputs: inputs["X"] if inputs["X"][0, 0] == 0 else os._exit(9)
        """
        before, bad, behind = self.ask("a"), self.ask("b", MATRIX + 1), self.ask("c")
        for _ in range(2):
            self.assertEqual(self.run_adapter(body).returncode, 9)
        self.assertEqual(self.answers(body), "1 answered before, 1 fault, 1 compiled")
        self.assertEqual(self.answer(before), "compiled")
        self.assertEqual(self.answer(bad), {"fault": {"crashed": "the program ended 2 times in this case"}})
        self.assertEqual(self.answer(behind), "compiled")
        self.assertFalse((self.folder / "answering.json").exists())

    def test_an_interruption_is_no_crash(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            raise KeyboardInterrupt
        """
        case = self.ask("plain")
        for _ in range(4):
            ran = self.run_adapter(body)
            self.assertEqual(ran.returncode, 130, ran.stderr)
            self.assertIn("the same command, without `--anew`, goes on from here", ran.stderr)
        self.assertEqual(self.answers(COPY), "1 compiled")
        self.assertEqual(self.answer(case), "compiled")

    def test_answers_of_two_backends_are_not_mixed(self) -> None:
        self.ask("plain")
        self.answers(COPY)
        other = 'backend.version = "8"\n' + COPY
        self.refuses(other, "the answers here are another's; `--anew` replaces them")
        self.assertEqual(self.answers(other, "--anew"), "1 compiled")


class Refusals(Answering):
    """Folders that cannot be answered."""

    def test_a_folder_that_is_no_export(self) -> None:
        self.refuses(COPY, "opcert.json` cannot be read")

    def test_another_format(self) -> None:
        self.carried = "onnx"
        self.ask("plain")
        self.refuses(COPY, "holds cases as onnx; npy and safetensors can be answered")

    def test_a_part_of_an_export(self) -> None:
        self.ask("plain")
        self.cases += 1
        self.ask("other")
        self.refuses(COPY, "holds 2 cases, and 3 were exported")

    def test_inputs_that_are_not_what_was_exported(self) -> None:
        case = self.ask("plain")
        np.save(case / "inputs" / "X.npy", MATRIX.astype("f8"))
        self.refuses(COPY, "`X.npy` is float64[2, 3], expected float32[2, 3]")
        (case / "inputs" / "X.npy").write_bytes(b"")
        self.refuses(COPY, "are not what was exported")
        (case / "inputs" / "X.npy").unlink()
        self.refuses(COPY, "are not what was exported")

    def test_a_question_that_is_none(self) -> None:
        case = self.ask("plain")
        asked = json.loads((case / "case.json").read_text())
        (case / "case.json").write_text(json.dumps(asked | {"inputs": {"X": "../../../opcert.json"}}))
        self.refuses(COPY, "names `../../../opcert.json`, which lies elsewhere")
        (case / "case.json").write_text(json.dumps(asked | {"descriptor": {}}))
        self.refuses(COPY, "a descriptor has no `operator`")

    def test_a_file_with_a_mark_in_front_is_read(self) -> None:
        self.ask("plain")
        path = self.folder / "opcert.json"
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        self.assertEqual(self.answers(COPY), "1 compiled")


if __name__ == "__main__":
    unittest.main()
