"""An adapter: who it is, and how it compiles each operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .descriptor import Descriptor
from .errors import Unsupported
from .tensor import Array, Tensors

Run: TypeAlias = Callable[[Tensors], Array | Tensors]
"""A compiled operator. It gets the inputs, constant ones included, and returns the outputs by name, or the only one."""


@dataclass(frozen=True)
class InPlace:
    """A compiled operator that writes where the outputs belong. It gets the inputs and the outputs by name.

    Outputs are arrays over memory that is filled with opcert's poison: what is not written shows.
    """

    fill: Callable[[Tensors, Tensors], None]


Compile: TypeAlias = Callable[[Descriptor], Run | InPlace]
"""Prepares a descriptor. It raises `Unsupported` or `Rejected` where it will not; anything else is a fault."""


class Backend:
    """An implementation of operators, as opcert sees it.

    `version` is the runtime's. `claims` gives the highest feature level, per family with all of its operators
    (`{"directml": "6_4"}`) or per operator (`{"directml/argmax": "6_4"}`). `device` is what it runs on, where there is a
    choice. `strided` promises that tensors with strides are taken, and `refuses_invalid` that invalid descriptors are
    `Rejected`; otherwise they are not sent.
    """

    def __init__(
        self,
        name: str,
        *,
        version: str,
        claims: Mapping[str, str],
        device: str | None = None,
        strided: bool = False,
        refuses_invalid: bool = False,
    ) -> None:
        self.name = name
        self.version = version
        self.claims = dict(claims)
        self.device = device
        self.strided = strided
        self.refuses_invalid = refuses_invalid
        self._operators: dict[str, Compile] = {}

    def identity(self) -> dict[str, object]:
        """Who this is and what it claims, as opcert reads it."""
        identity: dict[str, object] = {"name": self.name, "version": self.version}
        if self.device is not None:
            identity["device"] = self.device
        return identity | {
            "claims": self.claims,
            "strided": self.strided,
            "refuses_invalid": self.refuses_invalid,
        }

    @property
    def operators(self) -> list[str]:
        """The names of the operators that are registered."""
        return list(self._operators)

    def is_claimed(self, operator: str) -> bool:
        """Whether an operator is claimed, by its own name or by that of its family."""
        return operator in self.claims or operator.partition("/")[0] in self.claims

    def contradiction(self) -> str | None:
        """How what is registered contradicts what is claimed, if it does."""
        claimed = ", ".join(f"`{name}`" for name in self.claims) or "nothing"
        for operator in self._operators:
            if not self.is_claimed(operator):
                return f"`{operator}` is registered and not claimed, so that nobody asks for it: claimed is {claimed}"
        for claim in self.claims:
            if not any(claim in (operator, operator.partition("/")[0]) for operator in self._operators):
                registered = ", ".join(f"`{name}`" for name in self._operators) or "nothing"
                return f"`{claim}` is claimed, and nothing is registered for it: registered is {registered}"
        return None

    def operator(self, name: str) -> Callable[[Compile], Compile]:
        """Registers the decorated function as what compiles the operator of this name."""

        def register(compile_operator: Compile) -> Compile:
            if name in self._operators:
                raise ValueError(f"`{name}` is registered twice")
            self._operators[name] = compile_operator
            return compile_operator

        return register

    def compile(self, descriptor: Descriptor) -> Run | InPlace:
        """Prepares a descriptor of any operator."""
        compile_operator = self._operators.get(descriptor.operator)
        if compile_operator is None:
            raise Unsupported(f"there is no `{descriptor.operator}`")
        tensors = [*descriptor.inputs.items(), *descriptor.outputs.items()]
        for name, tensor in tensors:
            if not (self.strided or tensor.is_packed):
                raise Unsupported(f"strided tensors are not claimed, and `{name}` is strided")
        return compile_operator(descriptor)
