"""An adapter: who it is, and how it compiles each operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from .descriptor import Descriptor
from .errors import Unsupported
from .tensor import Array, Tensors

Run: TypeAlias = Callable[[Tensors], Array | Tensors]
"""A compiled operator. It gets the inputs, constant ones included, and returns the outputs by name, or the only one."""

Compile: TypeAlias = Callable[[Descriptor], Run]
"""Prepares a descriptor. It raises `Unsupported` or `Rejected` where it will not; anything else is a fault."""


class Backend:
    """An implementation of operators, as opcert sees it.

    `version` is the runtime's. `claims` gives the highest feature level per family: `{"directml": "6_4"}`. `device` is
    what it runs on, where there is a choice. `refuses_invalid` promises that invalid descriptors are `Rejected`;
    otherwise they are not sent. Strided tensors are never claimed.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str,
        claims: Mapping[str, str],
        device: str | None = None,
        refuses_invalid: bool = False,
    ) -> None:
        self.name = name
        self.version = version
        self.claims = dict(claims)
        self.device = device
        self.refuses_invalid = refuses_invalid
        self._operators: dict[str, Compile] = {}

    def identity(self) -> dict[str, object]:
        """Who this is and what it claims, as opcert reads it."""
        identity: dict[str, object] = {"name": self.name, "version": self.version}
        if self.device is not None:
            identity["device"] = self.device
        return identity | {"claims": self.claims, "strided": False, "refuses_invalid": self.refuses_invalid}

    def operator(self, name: str) -> Callable[[Compile], Compile]:
        """Registers the decorated function as what compiles the operator of this name."""

        def register(compile_operator: Compile) -> Compile:
            if name in self._operators:
                raise ValueError(f"`{name}` is registered twice")
            self._operators[name] = compile_operator
            return compile_operator

        return register

    def compile(self, descriptor: Descriptor) -> Run:
        """Prepares a descriptor of any operator."""
        compile_operator = self._operators.get(descriptor.operator)
        if compile_operator is None:
            raise Unsupported(f"there is no `{descriptor.operator}`")
        tensors = [*descriptor.inputs.items(), *descriptor.outputs.items()]
        for name, tensor in tensors:
            if not tensor.is_packed:
                raise Unsupported(f"packed tensors only, and `{name}` is strided")
        return compile_operator(descriptor)
