"""What specifications say of operators, as far as definitions need it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from opinions.descriptors import FLOAT32, Scalar, attribute_value
from opinions.elements import Types, element_types
from opinions.interpreter.language import Definition, decoded
from opinions.reading import read_yaml

DATA_TYPES = element_types("f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 bool",
                           {"f": "f", "bf": "bf", "i": "i", "u": "u", "bool": "boolean"})


class Operator(NamedTuple):
    """What a specification says of an operator, as far as a definition needs it."""

    types: Types
    inputs: list[str]
    lengths: dict[str, str]  # attributes that are the length of another one
    defaults: dict[str, Any]  # what attributes are that are left out
    floats: set[str]  # attributes that are numbers in floating point
    scalars: set[str]  # attributes that are elements with a data type of their own
    introduced: str  # the first level that has it
    open_descriptors: set[str]  # requirements on descriptors that the documents leave open, by the last parts of their ids
    definition: Definition


def operators(specs: Path) -> dict[str, Operator]:
    """All operators, their definitions compiled."""
    found = {}
    for path in sorted(specs.glob("*/*.yaml")):
        if path.name == "family.yaml":
            continue
        spec, family = read_yaml(path), read_yaml(path.parent / "family.yaml")
        roles = {name: tensor["role"] for name, tensor in spec["tensors"].items()}
        sizes = {name: tensor["sizes"] for name, tensor in spec["tensors"].items() if "sizes" in tensor}
        attributes = spec["attributes"]
        requirements = {**family.get("tensor", {}), **family["operator"], **spec["requirements"]}
        found[spec["operator"]] = Operator(
            {name: DATA_TYPES[each] for name, each in family["types"].items()},
            [name for name, role in roles.items() if role == "input"],
            {name: each["length_of"] for name, each in attributes.items() if "length_of" in each},
            {name: attribute_value(each["default"]) for name, each in attributes.items() if "default" in each},
            {name for name, each in attributes.items() if each["type"] == "FLOAT"},
            {name for name, each in attributes.items() if each["type"] == "SCALAR"},
            spec.get("introduced", family["levels"][0]),
            {name for name, each in requirements.items() if "check" in each and each["authority"] in ("unspecified", "undefined")},
            Definition(spec["operator"], spec["definition"], [name for name, role in roles.items() if role == "input"],
                       [name for name, role in roles.items() if role == "output"],
                       [name for each in attributes.values() if each["type"] == "ENUM" for name in each["values"]],
                       family["levels"], sizes))
    return found


def with_lengths(operator: Operator, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes, with the lengths and defaults that may be left out, and floats as elements."""
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in attributes.items()}
    lengths = {name: len(given[of]) for name, of in operator.lengths.items() if of in given}
    known = {**operator.defaults, **lengths, **given}
    elements = {name: float_element(known[name]) for name in operator.floats if name in known}
    return known | elements | {name: scalar_element(known[name]) for name in operator.scalars if name in known}


def float_element(value: Any) -> Any:
    """A number as cases have it, or its bits as samples do."""
    number = np.uint32(value["float32"]).view(np.float32) if isinstance(value, dict) else np.float32(value)
    [element] = decoded(np.array([number]).view(np.uint32), FLOAT32)
    return element


def scalar_element(value: Any) -> Any:
    """A scalar as cases have it, or its data type and bytes as samples do."""
    if isinstance(value, Scalar):
        of, bits = value.type, np.array([value.bits], dtype=value.type.pattern)
    else:
        of = DATA_TYPES[value["scalar"]["data_type"]]
        bits = np.frombuffer(bytes(value["scalar"]["bytes"]), dtype=of.pattern)
    [element] = decoded(bits, of)
    return element
