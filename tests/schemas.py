"""Every file of specifications, cases and workloads, checked against the checked-in JSON Schemas by another implementation.

Usage: python tests/schemas.py (needs `jsonschema` and `ruamel.yaml`, which reads YAML 1.2 as opcert does)
"""

import functools
import json
import multiprocessing
import pathlib
import sys

import jsonschema
import ruamel.yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.cache
def validator(path: str) -> jsonschema.Draft202012Validator:
    """The validator of a checked-in schema."""
    schema = json.loads((ROOT / path).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def problems(path: pathlib.Path, schema_path: str) -> list[str]:
    """What is wrong with a file; and with its schema if that accepts a spoiled part of it, as one that accepts anything would."""
    schema, shown = validator(schema_path), path.relative_to(ROOT)
    data = ruamel.yaml.YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    found = [f"{shown}: {error.json_path}: {error.message[:200]}" for error in schema.iter_errors(data)]
    section = next(key for key in ("cases", "workloads", "requirements", "operator") if isinstance(data.get(key), dict))
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
    files.sort(key=lambda file: -file[0].stat().st_size)
    with multiprocessing.Pool() as pool:
        found = sum(pool.starmap(problems, files, chunksize=1), [])
    print("\n".join([*found, f"{len(files)} files, {len(found)} problems"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
