"""Every message of the protocol, and what no message is, over a real pipe."""

from __future__ import annotations

import platform
import textwrap
import unittest
from typing import Any

import numpy as np
from opcert_backend import DTYPES, Descriptor, ProtocolError

from .conversation import STRIDED, Adapter, descriptor, payload_of, with_strides

COPY = """
@backend.operator("directml/copy")
def copy(descriptor):
    return lambda inputs: inputs["X"]
"""

MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


def run_request(asked: dict[str, Any], payload: bytes, changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """A request to run, for the payload behind it."""
    request = {"type": "run", "id": 1, "descriptor": asked, "poison": 1, "payload": len(payload)}
    return request | (changes or {})


class Answers(unittest.TestCase):
    """What comes back for each request."""

    def test_start_is_answered_by_who_the_backend_is(self) -> None:
        with Adapter(COPY) as adapter:
            answer = adapter.ask({"type": "start", "protocol": 1})
        identity = {
            "name": "mine",
            "version": "7",
            "device": "a device",
            "claims": {"directml": "3_0"},
            "strided": False,
            "refuses_invalid": True,
        }
        introduced = {"identity": identity, "guards": False, "operators": ["directml/copy"]}
        self.assertEqual(answer, {"type": "started", "protocol": 1, **introduced})

    def test_what_compiles_is_supported(self) -> None:
        with Adapter(COPY) as adapter:
            asked = descriptor()
            answer = adapter.ask({"type": "supports", "id": 4, "descriptor": asked})
            self.assertEqual(answer, {"type": "supports", "id": 4, "support": "yes"})
            answer = adapter.ask({"type": "compile", "id": 5, "descriptor": asked})
            self.assertEqual(answer, {"type": "compiled", "id": 5})

    def test_a_float_arrives_with_its_32_bits(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            raise Unsupported(descriptor.float32("f").tobytes().hex())
        """
        with Adapter(body) as adapter:
            values: list[float | str] = [0.10000000149011612, -0.0, 3, "nan", "inf", "-inf"]
            for value in values:
                asked = descriptor(attributes=[{"name": "f", "value": {"float32": value}}])
                answer = adapter.ask({"type": "supports", "id": 1, "descriptor": asked})
                self.assertEqual(answer["support"], {"no": np.float32(value).tobytes().hex()})

    def test_what_is_no_float_is_an_error(self) -> None:
        for value in [True, None, [1.5], "1.5", "NaN"]:
            asked = descriptor(attributes=[{"name": "f", "value": {"float32": value}}])
            with self.assertRaisesRegex(ProtocolError, "expected `integer`.* `float32` or `scalar`"):
                Descriptor.from_json(asked)

    def test_a_scalar_arrives_with_its_type_and_its_bits(self) -> None:
        for data_type, held in [("u16", [1, 255]), ("f32", [1, 0, 192, 255]), ("i64", [1, 0, 0, 0, 0, 0, 32, 0])]:
            asked = descriptor(attributes=[{"name": "s", "value": {"scalar": {"data_type": data_type, "bytes": held}}}])
            scalar = Descriptor.from_json(asked).scalar("s")
            self.assertEqual((scalar.data_type, scalar.value.shape), (data_type, ()))
            self.assertEqual((scalar.value.dtype, list(scalar.value.tobytes())), (DTYPES[data_type], held))

    def test_what_is_no_scalar_is_an_error(self) -> None:
        wrong = {
            "do not fit its type": {"data_type": "u16", "bytes": [1]},
            "is no data type": {"data_type": "u24", "bytes": [1, 2, 3]},
            "has no `bytes`": {"data_type": "u16"},
            "expected an object": 7,
        }
        for told, value in wrong.items():
            asked = descriptor(attributes=[{"name": "s", "value": {"scalar": value}}])
            with self.assertRaisesRegex(ProtocolError, told):
                Descriptor.from_json(asked)

    def test_an_operator_that_is_not_there_is_unsupported(self) -> None:
        with Adapter(COPY) as adapter:
            asked = descriptor("directml/other")
            reason = "there is no `directml/other`"
            answer = adapter.ask({"type": "supports", "id": 1, "descriptor": asked})
            self.assertEqual(answer["support"], {"no": reason})
            answer = adapter.ask({"type": "compile", "id": 2, "descriptor": asked})
            self.assertEqual(answer, {"type": "refused", "id": 2, "error": {"unsupported": {"reason": reason}}})

    def test_a_strided_tensor_is_unsupported_where_none_is_claimed(self) -> None:
        with Adapter(COPY) as adapter:
            asked = descriptor()
            asked["tensors"][1]["tensor"]["strides"] = [4, 1]
            answer = adapter.ask({"type": "supports", "id": 1, "descriptor": asked})
            self.assertIn("`Y` is strided", answer["support"]["no"])
            asked["tensors"][1]["tensor"]["strides"] = [3, 1]
            answer = adapter.ask({"type": "supports", "id": 1, "descriptor": asked})
            self.assertEqual(answer["support"], "yes")

    def test_a_rejection_names_the_requirement(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            raise Rejected("`X` is odd", "directml/copy/even")
        """
        with Adapter(body) as adapter:
            self.assertEqual(adapter.ask({"type": "supports", "id": 1, "descriptor": descriptor()})["support"], "yes")
            answer = adapter.ask({"type": "compile", "id": 2, "descriptor": descriptor()})
        rejected = {"requirement": "directml/copy/even", "reason": "`X` is odd"}
        self.assertEqual(answer, {"type": "refused", "id": 2, "error": {"rejected": rejected}})

    def test_every_type_travels_both_ways(self) -> None:
        types = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "bool"]
        self.assertEqual(types, list(DTYPES))
        with Adapter(COPY) as adapter:
            for index, data_type in enumerate(types):
                for sizes in ([2, 3], [], [0, 4]):
                    with self.subTest(data_type=data_type, sizes=sizes):
                        count = int(np.prod(sizes))
                        memory = bytes(i % 2 for i in range(count * DTYPES[data_type].itemsize))
                        array = np.frombuffer(memory, DTYPES[data_type]).reshape(sizes)
                        adapter.run(descriptor(data_type=data_type, sizes=sizes), {"X": array}, request=index)
                        message, outputs = adapter.receive()
                        self.assertEqual((message["type"], message["id"]), ("ran", index))
                        self.assertEqual(outputs["Y"].dtype, array.dtype)
                        self.assertEqual(outputs["Y"].shape, array.shape)
                        self.assertEqual(outputs["Y"].tobytes(), memory)

    def test_the_operator_sees_the_whole_descriptor(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            seen = [descriptor.level, descriptor.integer("n"), descriptor.integers("ns"), descriptor.enumerator("e")]
            seen += [int(descriptor.constant("X")[()]), descriptor.input("X").flags, descriptor.output("Y").alignment]
            raise Unsupported(repr(seen))
        """
        asked = descriptor(sizes=[], data_type="i16", constants=[{"name": "X", "bytes": [0xFE, 0xFF]}])
        asked["attributes"] = [
            {"name": "n", "value": {"integer": -3}},
            {"name": "ns", "value": {"integers": [1, 2]}},
            {"name": "e", "value": {"enumerator": "UP"}},
        ]
        asked["tensors"][0]["tensor"]["flags"] = ["OWNED_BY_DML"]
        asked["tensors"][1]["tensor"] |= {"alignment": 8, "total_bytes": 64}
        with Adapter(body) as adapter:
            answer = adapter.ask({"type": "supports", "id": 1, "descriptor": asked})
        self.assertEqual(answer["support"], {"no": "['3_0', -3, (1, 2), 'UP', -2, ('OWNED_BY_DML',), 8]"})

    def test_several_outputs_come_back_by_name(self) -> None:
        body = """
        @backend.operator("directml/two")
        def two(descriptor):
            return lambda inputs: {"Z": np.array([[1, 2]], np.int64), "Y": inputs["X"]}
        """
        asked = descriptor("directml/two", sizes=[3], data_type="u8")
        asked["tensors"].append({"name": "Z", "role": "output", "tensor": {"data_type": "i64", "sizes": [1, 2]}})
        with Adapter(body) as adapter:
            adapter.run(asked, {"X": np.array([4, 5, 6], np.uint8)})
            _, outputs = adapter.receive()
        self.assertEqual(outputs["Y"].tolist(), [4, 5, 6])
        self.assertEqual(outputs["Z"].tolist(), [[1, 2]])

    def test_requests_may_come_before_answers_are_read(self) -> None:
        with Adapter(COPY) as adapter:
            for index in range(200):
                adapter.send({"type": "compile", "id": 2 * index, "descriptor": descriptor()})
                adapter.run(descriptor(), {"X": MATRIX + index}, request=2 * index + 1)
            for index in range(200):
                self.assertEqual(adapter.receive()[0], {"type": "compiled", "id": 2 * index})
                message, outputs = adapter.receive()
                self.assertEqual(message["id"], 2 * index + 1)
                np.testing.assert_array_equal(outputs["Y"], MATRIX + index)

    def test_a_large_tensor_arrives_whole(self) -> None:
        large = np.arange(5 << 20, dtype=np.uint32)
        with Adapter(COPY) as adapter:
            adapter.run(descriptor(data_type="u32", sizes=[5 << 20]), {"X": large})
            _, outputs = adapter.receive()
        np.testing.assert_array_equal(outputs["Y"], large)

    def test_stop_and_the_end_of_requests_end_it(self) -> None:
        with Adapter(COPY) as adapter:
            adapter.send({"type": "stop"})
            self.assertEqual(adapter.end(), (0, "", b""))
        with Adapter(COPY) as adapter:
            self.assertEqual(adapter.end(), (0, "", b""))


class Faults(unittest.TestCase):
    """What goes wrong in the adapter is an answer, and the next request is answered too."""

    def fault_of(self, body: str, asked: dict[str, Any] | None = None) -> dict[str, Any]:
        asked = asked or descriptor()
        with Adapter(COPY.replace("copy", "good") + body) as adapter:
            adapter.run(asked, {"X": MATRIX})
            message, _ = adapter.receive()
            self.assertEqual((message["type"], message["id"]), ("fault", 1))
            adapter.run(descriptor("directml/good"), {"X": MATRIX})
            self.assertEqual(adapter.receive()[0]["type"], "ran")
        fault: dict[str, Any] = message["fault"]
        return fault

    def fault_of_result(self, result: str) -> str:
        body = f'@backend.operator("directml/copy")\ndef copy(descriptor):\n    return lambda inputs: {result}\n'
        told: str = self.fault_of(body)["failed"]
        return told

    def test_an_exception_tells_where_it_was_raised(self) -> None:
        body = """
@backend.operator("directml/copy")
def copy(descriptor):
    def run(inputs):
        raise KeyError("no such key")
    return run
"""
        told = self.fault_of(body)["failed"].splitlines()
        self.assertEqual(told[0], "KeyError: 'no such key'")
        self.assertRegex(told[1], r"^  at <string>:\d+ in run$")
        self.assertEqual(len(told), 2)

    def test_memory_that_runs_out_is_told_apart(self) -> None:
        body = """
@backend.operator("directml/copy")
def copy(descriptor):
    def run(inputs):
        raise MemoryError("too much")
    return run
"""
        self.assertIn("too much", self.fault_of(body)["out_of_memory"])

    def test_an_exception_while_compiling_is_a_fault_of_the_compilation(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            return 1 // 0
        """
        with Adapter(body) as adapter:
            self.assertEqual(adapter.ask({"type": "supports", "id": 1, "descriptor": descriptor()})["support"], "yes")
            answer = adapter.ask({"type": "compile", "id": 2, "descriptor": descriptor()})
            self.assertIn("ZeroDivisionError", answer["error"]["fault"]["failed"])
            adapter.run(descriptor(), {"X": MATRIX}, request=3)
            message, _ = adapter.receive()
        self.assertEqual((message["type"], message["id"]), ("refused", 3))
        self.assertIn("ZeroDivisionError", message["error"]["fault"]["failed"])

    def test_a_result_of_another_type_is_not_converted(self) -> None:
        told = self.fault_of_result('inputs["X"].astype(np.float64)')
        self.assertIn("`Y` came back as float64[2, 3], expected float32[2, 3]", told)

    def test_a_result_of_another_shape_is_not_reshaped_and_says_which(self) -> None:
        body = """
@backend.operator("directml/copy")
def copy(descriptor):
    return lambda inputs: inputs["X"].reshape(3, 2)
"""
        self.assertEqual(self.fault_of(body), {"other_sizes": {"tensor": "Y", "sizes": [3, 2]}})

    def test_a_result_that_is_no_array_is_a_fault(self) -> None:
        self.assertIn("`Y` came back as list, expected a NumPy array", self.fault_of_result("[[1.0]]"))

    def test_outputs_by_other_names_are_a_fault(self) -> None:
        self.assertIn("the outputs `Q` came back, expected `Y`", self.fault_of_result('{"Q": inputs["X"]}'))

    def test_inputs_that_do_not_fit_the_descriptor_break_the_protocol(self) -> None:
        wrong = {
            "`X` is missing": payload_of({}),
            "`Q` is in the payload, and is no input": payload_of({"X": MATRIX, "Q": MATRIX}),
            "`X` is float64[2, 3] in the payload, expected float32[2, 3]": payload_of({"X": MATRIX.astype("f8")}),
            "`X` is float32[3, 2] in the payload": payload_of({"X": MATRIX.reshape(3, 2)}),
            "no JSON": (4).to_bytes(8, "little") + b"{{{{",
            "its header is longer": (1 << 63).to_bytes(8, "little") + b"{}",
            "5 bytes": b"short",
            "has 96 bytes, and its tensors end at 97": payload_of({"X": MATRIX})[:-1],
            "has 98 bytes, and its tensors end at 97": payload_of({"X": MATRIX}) + b"x",
            "begins at byte": payload_of({"X": MATRIX}, X={"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]}),
            "has the offsets [0, 20]": payload_of(
                {"X": MATRIX}, X={"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 20]}
            ),
            "the type of `X`": payload_of({"X": MATRIX}, X={"dtype": "F8", "shape": [2, 3], "data_offsets": [0, 24]}),
        }
        with Adapter(COPY) as adapter:
            for told, payload in wrong.items():
                with self.subTest(told=told):
                    adapter.send(run_request(descriptor(), payload), payload)
                    message, _ = adapter.receive()
                    self.assertIn(told, message["fault"]["protocol"])
            adapter.run(descriptor(), {"X": MATRIX})
            self.assertEqual(adapter.receive()[0]["type"], "ran")


class Strides(unittest.TestCase):
    """Tensors with strides travel as the bytes of their memory, and are seen as arrays with strides."""

    def test_it_is_claimed(self) -> None:
        with Adapter(STRIDED + COPY) as adapter:
            self.assertTrue(adapter.ask({"type": "start", "protocol": 1})["identity"]["strided"])
            asked = descriptor()
            with_strides(asked, "Y", [4, 1])
            self.assertEqual(adapter.ask({"type": "supports", "id": 1, "descriptor": asked})["support"], "yes")

    def test_an_input_is_an_array_with_strides_that_cannot_be_written(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                array = inputs["X"]
                assert array.strides == (4, 8) and not array.flags.writeable, (array.strides, array.flags)
                return array
            return run
        """
        asked = descriptor(data_type="i32", sizes=[2, 3])
        with_strides(asked, "X", [1, 2])
        with Adapter(STRIDED + textwrap.dedent(body)) as adapter:
            adapter.run(asked, {"X": np.arange(6, dtype=np.int32).view(np.uint8)})
            message, outputs = adapter.receive()
        self.assertEqual(message["type"], "ran", message)
        self.assertEqual(outputs["Y"].tolist(), [[0, 2, 4], [1, 3, 5]])

    def test_an_element_may_be_repeated_and_memory_may_be_longer(self) -> None:
        asked = descriptor(data_type="u8", sizes=[1, 3])
        with_strides(asked, "X", [1 << 63, 0], total_bytes=8)
        with Adapter(STRIDED + COPY) as adapter:
            adapter.run(asked, {"X": np.array([7, 1, 2, 3, 4, 5, 6, 8], np.uint8)})
            self.assertEqual(adapter.receive()[1]["Y"].tolist(), [[7, 7, 7]])

    def test_what_lies_between_the_elements_of_an_output_holds_the_poison(self) -> None:
        asked = descriptor(data_type="u16", sizes=[2, 2])
        with_strides(asked, "Y", [1, 3], total_bytes=12)
        expected = [1, 0, 3, 0, 0xA5, 0xA5, 2, 0, 4, 0, 0xA5, 0xA5]
        with Adapter(STRIDED + COPY) as adapter:
            for poison in (0xA5, 0x5A):
                adapter.run(asked, {"X": np.array([[1, 2], [3, 4]], np.uint16)}, poison=poison)
                memory = adapter.receive()[1]["Y"]
                self.assertEqual(memory.dtype, np.uint8)
                self.assertEqual(memory.tolist(), [poison if byte == 0xA5 else byte for byte in expected])

    def test_what_is_not_written_in_place_holds_the_poison(self) -> None:
        body = """
        from opcert_backend import InPlace

        @backend.operator("directml/copy")
        def copy(descriptor):
            def fill(inputs, outputs):
                outputs["Y"][0] = inputs["X"][0]
            return InPlace(fill)
        """
        for strides, expected in (
            (None, [1, 2, 0x55, 0x55]),
            ([3, 1], [1, 2, 0x55, 0x55, 0x55]),
        ):
            asked = descriptor(data_type="u8", sizes=[2, 2])
            if strides:
                with_strides(asked, "Y", strides)
            with self.subTest(strides=strides), Adapter(STRIDED + textwrap.dedent(body)) as adapter:
                adapter.run(asked, {"X": np.array([[1, 2], [3, 4]], np.uint8)}, poison=0x55)
                self.assertEqual(adapter.receive()[1]["Y"].reshape(-1).tolist(), expected)

    def test_memory_of_another_length_breaks_the_protocol(self) -> None:
        asked = descriptor(data_type="u8", sizes=[2, 2])
        with_strides(asked, "X", [3, 1])
        with Adapter(STRIDED + COPY) as adapter:
            adapter.run(asked, {"X": np.zeros(6, np.uint8)})
            message, _ = adapter.receive()
        self.assertIn("`X` is uint8[6] in the payload, expected uint8[5]", message["fault"]["protocol"])

    def test_every_type_keeps_its_bits(self) -> None:
        with Adapter(STRIDED + COPY) as adapter:
            for index, (data_type, dtype) in enumerate(DTYPES.items()):
                for sizes in ([2, 2], [0, 2]):
                    # No byte is above 1, which is all that a truth value may be; none of the others is special.
                    given = bytes(i % 2 for i in range(5 * dtype.itemsize)) if sizes[0] else b""
                    asked = descriptor(data_type=data_type, sizes=sizes)
                    for name in ("X", "Y"):
                        with_strides(asked, name, [3, 1])
                    with self.subTest(data_type=data_type, sizes=sizes):
                        adapter.run(asked, {"X": np.frombuffer(given, np.uint8)}, request=index, poison=0x77)
                        message, outputs = adapter.receive()
                        self.assertEqual(message["type"], "ran", message)
                        size = dtype.itemsize
                        expected = given[: 2 * size] + b"\x77" * size + given[3 * size :] if given else b""
                        self.assertEqual(outputs["Y"].tobytes(), expected)


class Claims(unittest.TestCase):
    """An adapter that registers one thing and claims another says so and ends."""

    def refused(self, claims: str, body: str = COPY) -> str:
        with Adapter(f"backend.claims = {claims}\n{body}") as adapter:
            code, complaints, answers = adapter.end()
        self.assertEqual((code, answers), (2, b""), complaints)
        self.assertNotIn("Traceback", complaints)
        return complaints

    def test_an_operator_can_be_claimed_alone(self) -> None:
        with Adapter('backend.claims = {"directml/copy": "3_0"}\n' + COPY) as adapter:
            answer = adapter.ask({"type": "start", "protocol": 1})
        self.assertEqual(answer["identity"]["claims"], {"directml/copy": "3_0"})

    def test_what_is_registered_and_not_claimed(self) -> None:
        for claims in ('{"directml/other": "3_0"}', '{"openvino": "1"}', '{"direct": "1"}'):
            told = self.refused(claims)
            self.assertTrue(told.startswith("error: `directml/copy` is registered and not claimed"), told)
        self.assertIn("claimed is nothing", self.refused("{}"))

    def test_what_is_claimed_and_not_registered(self) -> None:
        other = '{"directml/copy": "3_0", "directml/other": "3_0"}'
        self.assertIn("`directml/other` is claimed, and nothing is registered for it", self.refused(other))
        family = '{"directml": "3_0", "openvino": "1"}'
        self.assertIn("`openvino` is claimed, and nothing is registered for it", self.refused(family))
        self.assertIn("registered is nothing", self.refused('{"directml": "3_0"}', ""))


class Streams(unittest.TestCase):
    """Nothing but answers goes out, and nothing but the server reads requests."""

    def test_what_is_printed_goes_to_the_standard_error(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                print("from Python", flush=True)
                os.write(1, b"from the runtime\\n")
                os.system("echo from a child")
                return inputs["X"]
            return run
        """
        with Adapter(body) as adapter:
            adapter.run(descriptor(), {"X": MATRIX})
            message, outputs = adapter.receive()
            self.assertEqual(message["type"], "ran")
            np.testing.assert_array_equal(outputs["Y"], MATRIX)
            code, complaints, answers = adapter.end()
        self.assertEqual((code, answers), (0, b""))
        for words in ("from Python", "from the runtime", "from a child"):
            self.assertIn(words, complaints)

    def test_requests_are_read_by_nobody_else(self) -> None:
        body = """
        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                assert sys.stdin.read() == "" and os.read(0, 9) == b""
                return inputs["X"]
            return run
        """
        with Adapter(body) as adapter:
            for index in range(3):
                adapter.run(descriptor(), {"X": MATRIX}, request=index)
            for index in range(3):
                self.assertEqual(adapter.receive()[0], {"type": "ran", "id": index, "payload": 96})

    @unittest.skipUnless(platform.libc_ver()[0] == "glibc", "another C library does not fill memory")
    def test_memory_of_the_runtime_that_it_does_not_write_holds_the_poison(self) -> None:
        body = """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.malloc.restype = ctypes.c_void_p
        @backend.operator("directml/copy")
        def copy(descriptor):
            def run(inputs):
                # More than the allocator keeps in a list of its own.
                memory = (ctypes.c_ubyte * 24000).from_address(libc.malloc(24000))
                return np.frombuffer(memory, np.float32).reshape(2000, 3)
            return run
        """
        asked = descriptor(sizes=[2000, 3])
        with Adapter(body) as adapter:
            for poison in (0xA5, 0x5A):
                adapter.run(asked, {"X": np.zeros((2000, 3), np.float32)}, poison=poison)
                _, outputs = adapter.receive()
                self.assertEqual(set(outputs["Y"].tobytes()), {poison})


class NoRequests(unittest.TestCase):
    """There is no way on from what is no request: the program ends, and says why."""

    def test_malformed_requests_end_the_conversation(self) -> None:
        compile_request = {"type": "compile", "id": 1, "descriptor": descriptor()}
        without_sizes = descriptor()
        del without_sizes["tensors"][0]["tensor"]["sizes"]
        odd_role = descriptor()
        odd_role["tensors"][0]["role"] = "both"
        good = payload_of({"X": MATRIX})
        requests: dict[str, dict[str, Any]] = {
            "asked for protocol 2, this is protocol 1": {"type": "start", "protocol": 2},
            "'begin' is no request": {"type": "begin"},
            "it has no `type`": {"id": 1},
            "an unknown `more`": compile_request | {"more": 1},
            "`compile` has no `descriptor`": {"type": "compile", "id": 1},
            "`id` is -1": compile_request | {"id": -1},
            "`id` is True": compile_request | {"id": True},
            "a descriptor has an unknown `colour`": compile_request | {"descriptor": descriptor(colour=1)},
            "a tensor has no `sizes`": compile_request | {"descriptor": without_sizes},
            "'f8' is no data type": compile_request | {"descriptor": descriptor(data_type="f8")},
            "`sizes` is '2', expected a list": compile_request | {"descriptor": descriptor(sizes="2")},
            "the role of a tensor is 'both'": compile_request | {"descriptor": odd_role},
            "the value of an attribute is": compile_request
            | {"descriptor": descriptor(attributes=[{"name": "a", "value": {"float": 1}}])},
            "the constant `C` is no input": compile_request
            | {"descriptor": descriptor(constants=[{"name": "C", "bytes": [1]}])},
            "the bytes of the constant `X` do not fit": compile_request
            | {"descriptor": descriptor(constants=[{"name": "X", "bytes": [1]}])},
            "the poison is 256": run_request(descriptor(), good, {"poison": 256}),
            "`payload` is -1": run_request(descriptor(), good, {"payload": -1}),
        }
        for told, request in requests.items():
            with self.subTest(told=told), Adapter(COPY) as adapter:
                adapter.send(request)
                code, complaints, answers = adapter.end()
                self.assertEqual((code, answers), (1, b""))
                self.assertIn(told, complaints)

    def test_what_is_no_json_ends_the_conversation(self) -> None:
        for data, told in {
            b"hello\n": "`hello` is no message",
            b"[1]\n": "it has no `type`",
            b"\xff\xfe\n": "is no message",
            b'{"type": "stop"': "a line does not end",
        }.items():
            with self.subTest(data=data), Adapter(COPY) as adapter:
                adapter.send_raw(data)
                code, complaints, _ = adapter.end()
                self.assertEqual(code, 1)
                self.assertIn(told, complaints)

    def test_a_line_without_end_is_not_read_for_ever(self) -> None:
        with Adapter(COPY) as adapter:
            part = b" " * (1 << 20)
            with self.assertRaises(BrokenPipeError):
                for _ in range(200):
                    adapter.send_raw(part)
            assert adapter.process.stderr
            self.assertIn("a line does not end", adapter.process.stderr.read().decode())

    def test_a_payload_that_never_comes_takes_no_memory(self) -> None:
        for length in (1 << 20, 1 << 45, 1 << 63, (1 << 64) - 1):
            with self.subTest(length=length), Adapter(COPY) as adapter:
                adapter.send(run_request(descriptor(), b"", {"payload": length}), b"12345")
                code, complaints, _ = adapter.end()
                self.assertEqual(code, 1)
                self.assertIn(f"5 bytes of a payload of {length} arrived", complaints)


if __name__ == "__main__":
    unittest.main()
