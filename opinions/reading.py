"""Reading YAML in which every scalar stays the text that it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


class Quoted(str):
    """A text that stood in quotation marks, so that it is one even where it is empty or says `null`."""

    __slots__ = ()


class Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]  # which of the two is installed
    """The plainest loader, which remembers quotation marks."""

    def construct_scalar(self, node: Any) -> str:
        """The text of a scalar."""
        value: str = super().construct_scalar(node)
        return Quoted(value) if node.style else value


def read_yaml(path: Path) -> Any:
    """What a file holds."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)


def is_undefined(node: Any) -> bool:
    """Whether a node is YAML's null: an undefined part, or a key taken away."""
    return isinstance(node, str) and not isinstance(node, Quoted) and node in ("", "~", "null", "Null", "NULL")
