"""Makes what fuzzing starts from, out of the project's own files: a folder of small inputs per target.

    python3 seeds.py OPCERT CORPUS

`OPCERT` is the program, which exports and runs cases here; `CORPUS` is a folder, in which a folder per target is made.
Inputs that a target has found are kept there as well, so that nothing is taken away.
"""

import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 4096


def keep(corpus: Path, target: str, content: bytes) -> None:
    """Writes an input under the name of its digest, unless it is too long to teach much."""
    if 0 < len(content) <= LONGEST:
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def entries(text: str, key: str) -> Iterator[str]:
    """The file once for each entry below a key, with that entry alone. Lines of an entry are indented by more than two."""
    lines = text.splitlines(keepends=True)
    begin = next((number for number, line in enumerate(lines) if line.startswith(f"{key}:")), None)
    if begin is None:
        return
    end = next((number for number in range(begin + 1, len(lines)) if re.match(r"\S", lines[number])), len(lines))
    starts = [number for number in range(begin + 1, end) if re.match(r"  [^\s#]", lines[number])]
    for start, stop in zip(starts, [*starts[1:], end]):
        yield "".join(lines[:begin + 1] + lines[start:stop] + lines[end:])


def specifications(corpus: Path) -> None:
    for name in ("family", "one_hot_1"):
        text = (ROOT / "specs/openvino" / f"{name}.yaml").read_text()
        keep(corpus, "specs", text.encode())
        for key in ("requirements", "support", "tensors", "attributes"):
            for alone in entries(text, key):
                keep(corpus, "specs", alone.encode())


def cases(corpus: Path) -> None:
    for path in sorted(ROOT.glob("cases/*/*/**/*.yaml")):
        for number, alone in enumerate(entries(path.read_text(), "cases")):
            if "generated" in path.parts and number % 20:
                continue
            keep(corpus, "cases", alone.encode())
            if number % 4 == 0:
                keep(corpus, "yaml", alone.encode())
    # Numbers of every length, which the cases have few of.
    for line in (ROOT / "tests/literals.txt").read_text().splitlines()[1::10]:
        keep(corpus, "yaml", line.split(" ")[2].encode())
    for text in ("[.inf, -.inf, .nan, {bits: 0x7FC00001}, 0o17, 0xFF, -0.0, 1e-45, true, ~]", "a: |\n  b\nc: 'd'\n"):
        keep(corpus, "yaml", text.encode())


def exports(opcert: str, corpus: Path, work: Path) -> None:
    for form in ("npy", "safetensors", "onnx", "dxdispatch"):
        subprocess.run([opcert, "export", "--format", form, work / form, "*/*/documented/*"], check=True,
                       stdout=subprocess.DEVNULL)
    for path in sorted((work / "npy").rglob("*.npy")):
        keep(corpus, "npy", path.read_bytes())
    for path in sorted((work / "safetensors").rglob("*.safetensors")):
        for choice in range(5):
            keep(corpus, "safetensors", bytes([choice]) + path.read_bytes())
    for path in sorted((work / "dxdispatch").rglob("*.json")):
        keep(corpus, "dxdispatch", path.read_bytes())
    for model in sorted((work / "onnx").rglob("model.onnx")):
        files = [model, *sorted(model.parent.glob("test_data_set_0/input_*.pb")),
                 *sorted(model.parent.glob("test_data_set_0/output_*.pb"))]
        contents = [path.read_bytes() for path in files]
        keep(corpus, "onnx", b"".join(struct.pack("<H", len(content)) + content for content in contents))


def tensors(corpus: Path) -> None:
    """The payloads that the target `safetensors` asks for."""
    asked = {
        0: {"OutputTensor": ("U32", [2, 3], 24), "OutputCountTensor": ("U32", [1], 4)},
        1: {"output": ("F16", [1, 2, 3], 12)},
        2: {"OutputTensor": ("U8", [6], 6)},
        3: {"OutputTensor": ("I64", [0, 3], 0)},
        4: {"ValuesTensor": ("BOOL", [], 1)},
    }
    for choice, named in asked.items():
        head, end = {}, 0
        for name, (dtype, shape, length) in named.items():
            head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + length]}
            end += length
        text = json.dumps(head, separators=(",", ":")).encode()
        keep(corpus, "safetensors", bytes([choice]) + struct.pack("<Q", len(text)) + text + bytes(end))


def messages(stream: bytes) -> Iterator[bytes]:
    """The messages of a stream, each with its payload."""
    while stream:
        line, _, rest = stream.partition(b"\n")
        length = json.loads(line).get("payload", 0)
        yield line + b"\n" + rest[:length]
        stream = rest[length:]


def conversation(opcert: str, corpus: Path, work: Path) -> None:
    script = work / "adapter"
    script.write_text(f"#!/bin/sh\ntee '{work}/requests' | '{opcert}' serve cpu | tee '{work}/responses'\n")
    script.chmod(0o755)
    subprocess.run([opcert, "run", "--jobs", "1", "--exec", str(script), "*/*/documented/*"], stdout=subprocess.DEVNULL)
    for first, name in ((b"\1", "requests"), (b"\0", "responses")):
        found = list(messages((work / name).read_bytes()))
        for message in found:
            keep(corpus, "protocol", first + message)
        for start in range(0, len(found), 5):
            keep(corpus, "protocol", first + b"".join(found[start:start + 3]))


def bundles(opcert: str, corpus: Path, work: Path) -> None:
    for number, choice in enumerate(["*/documented/*", "*/by_hand/*axis*", "*/by_hand/*empty*"]):
        for operator in ("directml/argmax", "directml/one_hot", "directml/nonzero_coordinates", "openvino/one_hot_1"):
            out = work / f"{number}-{operator.replace('/', '-')}"
            subprocess.run([opcert, "run", "--out", out, operator + choice.removeprefix("*")], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            if (out / "events.jsonl").is_file():
                keep(corpus, "log", (out / "events.jsonl").read_bytes())
                keep(corpus, "certificate", (out / "certificate.json").read_bytes())


def beside(corpus: Path, work: Path) -> None:
    """What stands beside cases and specifications: known failures, manifests, workloads, mappings and keys."""
    for path in sorted(ROOT.glob("backends/*/expectations.yaml")):
        entries = re.split(r"(?m)^(?=  - )", path.read_text())
        for start in range(1, len(entries), 5):
            keep(corpus, "expectations", ("expectations:\n" + "".join(entries[start:start + 2])).encode())
    for path in [*ROOT.glob("backends/*/backend.yaml"), *ROOT.glob("examples/*/backend/backend.yaml")]:
        keep(corpus, "manifest", path.read_bytes())
    for path in [*ROOT.glob("workloads/*/*.yaml"), *ROOT.glob("mappings/*/*/*/*.yaml")]:
        keep(corpus, "workloads", path.read_bytes())
    for kind in ("ed25519", "ecdsa"):
        key = work / kind
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "somebody", "-f", key], check=True)
        public = key.with_suffix(".pub").read_bytes()
        for text in (key.read_bytes(), public, b"somebody " + public, b'somebody namespaces="opcert" ' + public):
            keep(corpus, "keys", text)


def first(entries: dict, most: int = 1) -> dict:
    return dict(list(entries.items())[:most])


def certificates(corpus: Path) -> None:
    for path in sorted(ROOT.glob("reports/*/certificate.json")):
        certificate = json.loads(path.read_text())
        for key in ("operators", "waivers", "wrong", "observations"):
            certificate[key] = first(certificate[key])
        for operator in certificate["operators"].values():
            operator["levels"], operator["types"] = first(operator["levels"]), first(operator["types"])
        suite = certificate["suite"]
        certificate["suite"] = {key: first(value) if isinstance(value, dict) else value for key, value in suite.items()}
        keep(corpus, "certificate", json.dumps(certificate, separators=(",", ":")).encode())


def main() -> None:
    opcert, corpus = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        specifications(corpus)
        cases(corpus)
        exports(opcert, corpus, work)
        tensors(corpus)
        conversation(opcert, corpus, work)
        bundles(opcert, corpus, work)
        certificates(corpus)
        beside(corpus, work)
    for folder in sorted(corpus.iterdir()):
        print(f"{folder.name}: {len(list(folder.iterdir()))}")


if __name__ == "__main__":
    main()
