"""What there is to say of an operator and of its family, and where it is said."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Set
from typing import NamedTuple

from opinions.descriptors import Attributes, Tensors
from opinions.elements import Array, Types

Names = tuple[str, ...]
Data = Mapping[str, Array]  # the bits of the inputs
# Bits in logical order, and how many of them, from the first on, are defined, or which. An array of several dimensions has
# the sizes that follow from the values.
Results = dict[str, tuple[Array, int | Array]]
# What each requirement needs, and whether it holds at a level.
Rules = dict[str, tuple[Names, Callable[[Tensors, Attributes, str], bool]]]
Questions = dict[str, bool]


class Family(NamedTuple):
    """What the operators of a family share."""

    types: Types
    levels: list[str]
    # What the documents leave open of any operator, and whether a case hangs on it.
    open_questions: Callable[[Tensors], Questions]


class Opinion(NamedTuple):
    """All that is known of an operator."""

    introduced: str
    inputs: Names
    rules: Rules
    compute: Callable[[Tensors, Attributes, Data, str], Results]
    # What the documents leave open, or only let one conclude, and whether a case hangs on it; of its data only if
    # there are any.
    open_questions: Callable[[Tensors, Attributes, Data, str], Questions]
    # Requirements that say again what another one says.
    restates: Mapping[str, str] = {}
    # Requirements that begin later than the operator.
    since: Mapping[str, str] = {}
    # What follows from the documents, so that a case may have an answer, as long as it says what that rests on.
    conclusions: Set[str] = frozenset()


def find(operator: str) -> tuple[Family, Opinion]:
    """What stands in `<family>/__init__.py` and in `<family>/<operator>.py`."""
    match = re.fullmatch(r"([a-z][a-z0-9_]*)/([a-z][a-z0-9_]*)", operator)
    if not match:
        raise LookupError(f"{operator!r} names no operator")
    try:
        family = importlib.import_module(f"opinions.{match[1]}")
        module = importlib.import_module(f"opinions.{match[1]}.{match[2]}")
    except ModuleNotFoundError as error:
        if error.name not in (f"opinions.{match[1]}", f"opinions.{match[1]}.{match[2]}"):
            raise
        raise LookupError(f"nobody has an opinion on it: there is no opinions/{operator}.py") from error
    return family.FAMILY, module.OPINION
