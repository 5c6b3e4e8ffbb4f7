"""Every file of specifications, cases and workloads, checked against the checked-in JSON Schemas by another implementation.

Usage: python tests/schemas.py (needs `jsonschema` and `ruamel.yaml`, which reads YAML 1.2 as opcert does)
"""

import json
import pathlib
import sys

import jsonschema
import ruamel.yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent


def validator(path: str) -> jsonschema.Draft202012Validator:
    """The validator of a checked-in schema."""
    schema = json.loads((ROOT / path).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main() -> int:
    """Checks all files; then, so that a schema which accepts anything is noticed, spoiled copies of them."""
    yaml = ruamel.yaml.YAML(typ="safe", pure=True)
    family, operator, case, workloads = map(
        validator,
        (
            "specs/family.schema.json",
            "specs/operator.schema.json",
            "cases/case.schema.json",
            "workloads/workloads.schema.json",
        ),
    )
    files = []
    for root in (ROOT, ROOT / "examples" / "own_operator"):
        files += [(p, family if p.stem == "family" else operator) for p in sorted(root.glob("specs/**/*.yaml"))]
        files += [(p, case) for p in sorted(root.glob("cases/**/*.yaml"))]
        files += [(p, workloads) for p in sorted(root.glob("workloads/**/*.yaml"))]
    wrong = 0
    for path, schema in files:
        data = yaml.load(path.read_text(encoding="utf-8"))
        for error in schema.iter_errors(data):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: {error.json_path}: {error.message[:200]}")
        if schema.is_valid(data | {"colour": "red"}):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: the schema accepts a key that opcert does not know")
        section = next(key for key in ("cases", "workloads", "requirements", "operator") if isinstance(data.get(key), dict))
        name, entry = next(iter(data[section].items()))
        if schema.is_valid(data | {section: data[section] | {name: entry | {"colour": "red"}}}):
            wrong += 1
            print(f"{path.relative_to(ROOT)}: the schema accepts an unknown key in `{section}.{name}`")
    print(f"{len(files)} files, {wrong} problems")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
