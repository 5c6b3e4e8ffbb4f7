"""Every file of specifications, cases and workloads, checked against the checked-in JSON Schemas by another implementation.

Usage: python tests/schemas.py (needs `jsonschema-rs` and `PyYAML` with libyaml)
"""

import functools
import json
import multiprocessing
import pathlib
import re
import sys

import jsonschema_rs
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Core(yaml.CSafeLoader):
    """Plain scalars as YAML 1.2's core schema has them (yaml.org/spec/1.2.2, 10.3.2), without those of YAML 1.1 (`yes`, `0777`)."""

    yaml_implicit_resolvers: dict = {}

    def mapping(self, node: yaml.MappingNode) -> dict:
        """A mapping as JSON has it: each key is a text, and none stands twice."""
        found = {key.value: self.construct_object(value, deep=True) for key, value in node.value}
        if len(found) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "found a key twice", node.start_mark)
        return found

    def integer(self, node: yaml.ScalarNode) -> int:
        """An integer in decimal, octal or hexadecimal."""
        return int(node.value, 0) if node.value[:2] in ("0o", "0x") else int(node.value)

    def number(self, node: yaml.ScalarNode) -> float:
        """A number. JSON has neither infinity nor NaN; another number stands for them."""
        return 0.5 if node.value[-1] in "fFnN" else float(node.value)


Core.add_constructor("tag:yaml.org,2002:map", Core.mapping)
Core.add_constructor("tag:yaml.org,2002:int", Core.integer)
Core.add_constructor("tag:yaml.org,2002:float", Core.number)
for tag, pattern, first in (
    ("null", r"(?:null|Null|NULL|~|)$", [*"nN~", ""]),
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)$", [*"tTfF"]),
    ("int", r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", [*"-+0123456789"]),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", [*"-+.0123456789"]),
    ("float", r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", [*"-+."]),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


@functools.cache
def validator(path: str) -> jsonschema_rs.Draft202012Validator:
    """The validator of a checked-in schema."""
    schema = json.loads((ROOT / path).read_text(encoding="utf-8"))
    # Its own error cannot be sent from one process to another.
    if not jsonschema_rs.meta.is_valid(schema):
        raise ValueError(f"{path} is no JSON Schema")
    return jsonschema_rs.Draft202012Validator(schema)


def problems(path: pathlib.Path, schema_path: str) -> list[str]:
    """What is wrong with a file; and with its schema if that accepts a spoiled part of it, as one that accepts anything would."""
    schema, shown = validator(schema_path), path.relative_to(ROOT)
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=Core)
    found = [f"{shown}: {error.instance_path}: {error.message[:200]}" for error in schema.iter_errors(data)]
    section = next(key for key in ("cases", "workloads", "requirements", "operator", "tensors") if isinstance(data.get(key), dict))
    name, entry = next(iter(data[section].items()))
    part = data | {section: {name: entry}}
    if not found and not schema.is_valid(part):
        found.append(f"{shown}: the schema refuses `{section}.{name}` alone")
    if schema.is_valid(part | {"colour": "red"}):
        found.append(f"{shown}: the schema accepts a key that opcert does not know")
    if schema.is_valid(part | {section: {name: entry | {"colour": "red"}}}):
        found.append(f"{shown}: the schema accepts an unknown key in `{section}.{name}`")
    return found


def main() -> int:
    """Checks all files, the largest first, in as many processes as there are processors."""
    files = []
    for root in (ROOT, ROOT / "examples" / "own_operator"):
        specs = sorted(root.glob("specs/**/*.yaml"))
        files += [(p, f"specs/{'family' if p.stem == 'family' else 'operator'}.schema.json") for p in specs]
        files += [(p, "cases/case.schema.json") for p in sorted(root.glob("cases/**/*.yaml"))]
        files += [(p, "workloads/workloads.schema.json") for p in sorted(root.glob("workloads/**/*.yaml"))]
        files += [(p, "mappings/mapping.schema.json") for p in sorted(root.glob("mappings/**/*.yaml"))]
    files.sort(key=lambda file: -file[0].stat().st_size)
    with multiprocessing.Pool() as pool:
        found = sum(pool.starmap(problems, files, chunksize=1), [])
    print("\n".join([*found, f"{len(files)} files, {len(found)} problems"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
